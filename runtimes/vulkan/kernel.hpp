// Kernels: modules of SPIR-V whose arguments are push constants, with memory as addresses.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "stream.hpp"

namespace vulkan {

class Program;

class Kernel {
public:
    // A module with the entry point `main`, whose specialization constants 0, 1 and 2 are the threads of a block. With
    // `by_address`, its only push constant is the address of its arguments. Throws std::invalid_argument for what is no
    // such module, and Unsupported when it needs what the device has not.
    Kernel(std::string_view module, std::uint32_t argument_bytes, bool by_address, Device& device);

    std::uint32_t argument_bytes() const;
    int device() const;

private:
    friend void launch(const Kernel&, const std::vector<std::uint32_t>&, const std::vector<std::uint32_t>&,
                       std::string_view, const Stream&, bool);
    std::shared_ptr<Program> program_;
};

// Queue the blocks of a grid; `is_whole` says that no thread of them is beyond what is to be done: specialization constant
// 3 is 0 then, and 1 otherwise. Throws std::invalid_argument when the sizes are none, or the arguments have not the
// kernel's size, and Unsupported when the device cannot run such blocks or grids.
void launch(const Kernel& kernel, const std::vector<std::uint32_t>& grid, const std::vector<std::uint32_t>& block,
            std::string_view arguments, const Stream& stream, bool is_whole = false);

}  // namespace vulkan
