// Libraries of kernels, and running them.
#include <cstring>
#include <utility>

#include "answer.hpp"
#include "kernels.hpp"

using namespace standin;

namespace {

// Gives `work` the kernel behind a handle.
template <typename Work>
cudaError_t answer_about(const char* function, const void* handle, const Work& work) noexcept {
    return answer(function, [&] {
        KernelPtr kernel = find_kernel(handle);
        return kernel ? work(kernel) : cudaErrorInvalidDeviceFunction;
    });
}

bool fits(dim3 grid, dim3 block) {
    auto within = [](unsigned number, unsigned most) { return number >= 1 && number <= most; };
    return within(grid.x, 0x7FFFFFFF) && within(grid.y, 65535) && within(grid.z, 65535) &&
           within(block.x, threads_per_block) && within(block.y, threads_per_block) && within(block.z, 64) &&
           std::size_t{block.x} * block.y * block.z <= threads_per_block;
}

// A launch's own copy of its arguments, as CUDA makes one.
class Arguments {
public:
    Arguments(const Kernel& kernel, void** arguments) {
        for (std::size_t size : kernel.argument_sizes()) {
            auto* bytes = static_cast<const char*>(*arguments++);
            values_.emplace_back(bytes, bytes + size);
        }
    }

    // The device memory that arguments point into. If it is freed before the kernel runs, that is a mistake of the
    // program which a real device reports too, with luck.
    std::vector<const void*> addresses(const Memory& memory) const {
        std::vector<const void*> result;
        for (const auto& value : values_) {
            const void* address = nullptr;
            if (value.size() != sizeof address) continue;
            std::memcpy(&address, value.data(), sizeof address);
            auto block = memory.find(address);
            if (block && block->kind == MemoryKind::Device) result.push_back(address);
        }
        return result;
    }

    std::vector<void*> pointers() {
        std::vector<void*> result;
        for (auto& value : values_) result.push_back(value.data());
        return result;
    }

private:
    std::vector<std::vector<char>> values_;
};

}  // namespace

cudaError_t cudaLibraryLoadData(
    cudaLibrary_t* library, const void* code, cudaJitOption*, void**, unsigned, cudaLibraryOption*, void**, unsigned) {
    return answer(__func__, [&] {
        if (library == nullptr || code == nullptr) return cudaErrorInvalidValue;
        return load_library(code, *library);
    });
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
    return answer(__func__, [&] {
        for (int device = 0; device < settings().devices; ++device) World::instance().synchronize(device);
        return unload_library(library) ? cudaSuccess : cudaErrorInvalidResourceHandle;
    });
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t library, const char* name) {
    return answer(__func__, [&] {
        if (kernel == nullptr || name == nullptr) return cudaErrorInvalidValue;
        return find_kernel(library, name, *kernel);
    });
}

cudaError_t cudaFuncGetParamInfo(const void* function, size_t index, size_t* offset, size_t* size) {
    return answer_about(__func__, function, [&](const KernelPtr& kernel) {
        const auto sizes = kernel->argument_sizes();
        if (index >= sizes.size() || offset == nullptr || size == nullptr) return cudaErrorInvalidValue;
        *offset = 0;
        for (std::size_t i = 0; i < index; ++i) *offset += (sizes[i] + 7) / 8 * 8;
        *size = sizes[index];
        return cudaSuccess;
    });
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
    return answer_about(__func__, function, [&](const KernelPtr& kernel) {
        if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaErrorNotSupported;
        if (value < 0 || value > shared_memory_allowed) return cudaErrorInvalidValue;
        kernel->dynamic_shared = value;
        return cudaSuccess;
    });
}

cudaError_t cudaLaunchKernel(
    const void* function, dim3 grid, dim3 block, void** arguments, size_t shared_bytes, cudaStream_t handle) {
    return answer_on(__func__, handle, [&](const StreamPtr& stream) {
        World& world = World::instance();
        KernelPtr kernel = find_kernel(function);
        if (!kernel) return cudaErrorInvalidDeviceFunction;
        if (!fits(grid, block)) return cudaErrorInvalidConfiguration;
        if (shared_bytes > static_cast<std::size_t>(kernel->dynamic_shared)) return cudaErrorInvalidValue;
        Arguments values(*kernel, arguments);
        world.submit(stream, [=, &world, device = stream->device, used = values.addresses(world.memory)] {
            world.occupy_for(settings().kernel, device, Engine::Compute, [&] {
                Arguments own = values;
                return world.memory.use(used, [&] { kernel->run(grid, block, own.pointers()); });
            });
        });
        return cudaSuccess;
    });
}
