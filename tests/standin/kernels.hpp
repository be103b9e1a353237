// Loaded images, which are shared objects made for this machine, and the kernels in them. They are compiled behind the
// same prelude, and called in the same way, as those of the CPU backend.
#pragma once
#include <cuda_runtime_api.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "kernel_abi.hpp"

namespace standin {

constexpr int threads_per_block = 1024;
constexpr int shared_memory = 48 << 10;
constexpr int shared_memory_allowed = 227 << 10;  // when a kernel asks for it

// A shared object that was loaded; unloaded when the last kernel of it is gone.
class Image {
public:
    // Null when `code` is no shared object of this machine.
    static std::shared_ptr<Image> load(const void* code, std::size_t size);
    ~Image();
    Image(const Image&) = delete;
    Image& operator=(const Image&) = delete;

    void* symbol(const std::string& name) const;

private:
    Image(int descriptor, void* handle) : descriptor_(descriptor), handle_(handle) {}
    int descriptor_;
    void* handle_;
};

// A kernel keeps its image loaded, so that a run that is under way has its code.
struct Kernel {
    std::shared_ptr<Image> image;
    const cpu_kernel* entry;
    std::atomic<int> dynamic_shared{shared_memory};  // the most that a launch may ask for

    std::vector<std::size_t> argument_sizes() const;
    void run(dim3 grid, dim3 block, const std::vector<void*>& arguments) const;
};
using KernelPtr = std::shared_ptr<Kernel>;

// Null handles and numbers that were never given out are found to be nothing.
cudaError_t load_library(const void* code, cudaLibrary_t& library);
bool unload_library(cudaLibrary_t library);
cudaError_t find_kernel(cudaLibrary_t library, const std::string& name, cudaKernel_t& kernel);
KernelPtr find_kernel(const void* function);
int library_count();

}  // namespace standin
