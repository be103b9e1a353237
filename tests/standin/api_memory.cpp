// Allocating and freeing memory, and asking about it.
#include "answer.hpp"

using namespace standin;

namespace {

cudaError_t allocate(void** pointer, std::size_t size, MemoryKind kind) {
    if (pointer == nullptr) return cudaErrorInvalidValue;
    *pointer = nullptr;
    if (size == 0) return cudaSuccess;
    *pointer = World::instance().memory.allocate(size, kind, current_device());
    return *pointer == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
}

// As in CUDA, freeing waits until the device no longer works.
cudaError_t release(void* pointer, MemoryKind kind, cudaError_t when_unknown) {
    World& world = World::instance();
    if (pointer == nullptr) return cudaSuccess;
    auto block = world.memory.find(pointer);
    if (!block || !world.memory.claim(pointer, kind)) return when_unknown;
    world.synchronize(block->device);
    world.memory.release(pointer);
    return outcome();
}

cudaMemoryType type_of(MemoryKind kind) {
    return kind == MemoryKind::Device ? cudaMemoryTypeDevice : cudaMemoryTypeHost;
}

}  // namespace

cudaError_t cudaMalloc(void** pointer, size_t size) {
    return answer(__func__, [&] { return allocate(pointer, size, MemoryKind::Device); });
}

cudaError_t cudaMallocHost(void** pointer, size_t size) {
    return answer(__func__, [&] { return allocate(pointer, size, MemoryKind::Pinned); });
}

cudaError_t cudaHostAlloc(void** pointer, size_t size, unsigned flags) {
    return answer(__func__, [&] {
        constexpr unsigned valid = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
        if ((flags & ~valid) != 0) return cudaErrorInvalidValue;
        return allocate(pointer, size, MemoryKind::Pinned);
    });
}

cudaError_t cudaFree(void* pointer) {
    return answer(__func__, [&] { return release(pointer, MemoryKind::Device, cudaErrorInvalidValue); });
}

cudaError_t cudaFreeHost(void* pointer) {
    return answer(__func__, [&] { return release(pointer, MemoryKind::Pinned, cudaErrorInvalidValue); });
}

cudaError_t cudaMallocAsync(void** pointer, size_t size, cudaStream_t handle) {
    return answer_on(__func__, handle, [&](const StreamPtr& stream) {
        if (pointer == nullptr) return cudaErrorInvalidValue;
        *pointer = nullptr;
        if (size == 0) return cudaSuccess;
        *pointer = World::instance().memory.allocate(size, MemoryKind::Device, stream->device);
        return *pointer == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
    });
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t handle) {
    return answer_on(__func__, handle, [&](const StreamPtr& stream) {
        World& world = World::instance();
        if (pointer == nullptr) return cudaSuccess;
        if (!world.memory.claim(pointer, MemoryKind::Device)) return cudaErrorInvalidValue;
        world.submit(stream, [&world, pointer] { world.memory.release(pointer); });
        return cudaSuccess;
    });
}

cudaError_t cudaHostRegister(void* pointer, size_t size, unsigned) {
    return answer(__func__, [&] {
        if (pointer == nullptr || size == 0) return cudaErrorInvalidValue;
        bool is_new = World::instance().memory.register_host(pointer, size, current_device());
        return is_new ? cudaSuccess : cudaErrorHostMemoryAlreadyRegistered;
    });
}

cudaError_t cudaHostUnregister(void* pointer) {
    return answer(__func__, [&] {
        if (pointer == nullptr) return cudaErrorInvalidValue;
        return release(pointer, MemoryKind::Registered, cudaErrorHostMemoryNotRegistered);
    });
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
    return answer(__func__, [&] {
        if (free == nullptr || total == nullptr) return cudaErrorInvalidValue;
        *total = settings().memory;
        *free = *total - World::instance().memory.used(current_device());
        return cudaSuccess;
    });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
    return answer(__func__, [&] {
        if (attributes == nullptr) return cudaErrorInvalidValue;
        *attributes = {};
        auto* address = const_cast<void*>(pointer);
        auto block = World::instance().memory.find(pointer);
        attributes->type = block ? type_of(block->kind) : cudaMemoryTypeUnregistered;
        attributes->device = block ? block->device : cudaInvalidDeviceId;
        if (block) attributes->devicePointer = address;
        if (!block || block->kind != MemoryKind::Device) attributes->hostPointer = address;
        return cudaSuccess;
    });
}
