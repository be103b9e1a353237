// Kernels in CUDA C that were compiled for the CPU, behind kernel_prelude.hpp, to a library of their own.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernel_abi.hpp"
#include "stream.hpp"

namespace cpu {

class Library;

// A function of a library; keeps the library loaded.
class Kernel {
public:
    Kernel(std::shared_ptr<Library> library, const cpu_kernel* entry, std::string name)
        : library_(std::move(library)), entry_(entry), name_(std::move(name)) {}

    std::vector<std::uint32_t> argument_sizes() const;

    // The type of a pointer to it, as the C++ ABI mangles it: `PFvPfiE`.
    std::string signature() const { return entry_->signature(); }

    // Whether it wants the sizes of its arguments' arrays; see `launch`.
    bool is_checked() const { return entry_->is_checked != 0; }

private:
    friend void launch(const Kernel&, const std::vector<std::uint32_t>&, const std::vector<std::uint32_t>&,
                       std::uint32_t, std::string_view, const std::vector<std::uint32_t>&, const Stream&);
    std::shared_ptr<Library> library_;
    const cpu_kernel* entry_;
    std::string name_;
};

class LoadedLibrary {
public:
    // Throws cpu::Error when the file cannot be loaded.
    explicit LoadedLibrary(const std::string& path);

    // Throws std::invalid_argument when there is no such kernel in it.
    Kernel kernel(const std::string& name) const;

private:
    std::shared_ptr<Library> library_;
};

// Run the blocks of a grid on the threads of the pool. Argument i begins at offsets[i] of `arguments`, which are
// copied. Throws std::invalid_argument when grid or block has not 3 sizes of at least 1, a block has more than 1024
// threads or 48 KiB of shared memory, or the arguments are not as many and as large as the kernel's parameters.
//
// A checked kernel wants, behind its arguments, the size in bytes of each one's array as 8 bytes; 0 for numbers. What it
// does beyond them, and a division by 0, is the stream's Error.
void launch(const Kernel& kernel, const std::vector<std::uint32_t>& grid, const std::vector<std::uint32_t>& block,
            std::uint32_t shared_bytes, std::string_view arguments, const std::vector<std::uint32_t>& offsets,
            const Stream& stream);

}  // namespace cpu
