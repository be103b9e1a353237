// Versions, devices and what they are like.
#include <climits>
#include <cstring>

#include "answer.hpp"
#include "kernels.hpp"

using namespace standin;

namespace {

constexpr int warp_size = 32;
constexpr int multiprocessors = 2;
constexpr int compute_major = 9;
constexpr int compute_minor = 0;

cudaError_t attribute(int& value, cudaDeviceAttr which) {
    switch (which) {
        case cudaDevAttrMaxBlockDimX:
        case cudaDevAttrMaxBlockDimY: value = threads_per_block; return cudaSuccess;
        case cudaDevAttrMaxBlockDimZ: value = 64; return cudaSuccess;
        case cudaDevAttrMaxGridDimX: value = INT_MAX; return cudaSuccess;
        case cudaDevAttrMaxGridDimY:
        case cudaDevAttrMaxGridDimZ: value = 65535; return cudaSuccess;
        case cudaDevAttrMaxSharedMemoryPerBlock: value = shared_memory; return cudaSuccess;
        case cudaDevAttrMaxSharedMemoryPerBlockOptin: value = shared_memory_allowed; return cudaSuccess;
        case cudaDevAttrMaxThreadsPerMultiProcessor: value = 2048; return cudaSuccess;
        case cudaDevAttrL2CacheSize: value = 50 << 20; return cudaSuccess;
        case cudaDevAttrIntegrated: value = 0; return cudaSuccess;
        case cudaDevAttrWarpSize: value = warp_size; return cudaSuccess;
        case cudaDevAttrMaxThreadsPerBlock: value = threads_per_block; return cudaSuccess;
        case cudaDevAttrMultiProcessorCount: value = multiprocessors; return cudaSuccess;
        case cudaDevAttrComputeCapabilityMajor: value = compute_major; return cudaSuccess;
        case cudaDevAttrComputeCapabilityMinor: value = compute_minor; return cudaSuccess;
        case cudaDevAttrAsyncEngineCount: value = 2; return cudaSuccess;
        case cudaDevAttrConcurrentKernels:
        case cudaDevAttrUnifiedAddressing:
        case cudaDevAttrMemoryPoolsSupported: value = 1; return cudaSuccess;
        default: return cudaErrorInvalidValue;
    }
}

}  // namespace

cudaError_t cudaRuntimeGetVersion(int* version) {
    return answer_always(__func__, [&] {
        if (version == nullptr) return cudaErrorInvalidValue;
        *version = CUDART_VERSION;
        return cudaSuccess;
    });
}

cudaError_t cudaDriverGetVersion(int* version) {
    return answer_always(__func__, [&] {
        if (version == nullptr) return cudaErrorInvalidValue;
        *version = CUDART_VERSION;
        return cudaSuccess;
    });
}

cudaError_t cudaGetDeviceCount(int* count) {
    return answer(__func__, [&] {
        if (count == nullptr) return cudaErrorInvalidValue;
        *count = settings().devices;
        return cudaSuccess;
    });
}

cudaError_t cudaGetDevice(int* device) {
    return answer(__func__, [&] {
        if (device == nullptr) return cudaErrorInvalidValue;
        *device = current_device();
        return cudaSuccess;
    });
}

cudaError_t cudaSetDevice(int device) {
    return answer(__func__, [&] {
        if (!is_device(device)) return cudaErrorInvalidDevice;
        current_device() = device;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceSynchronize() {
    return answer(__func__, [] {
        World::instance().synchronize(current_device());
        return outcome();
    });
}

cudaError_t cudaDeviceReset() {
    return answer_always(__func__, [] {
        if (settings().devices == 0) return cudaErrorNoDevice;
        World::instance().reset(current_device());
        last_error() = cudaSuccess;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int device) {
    return answer(__func__, [&] {
        if (value == nullptr) return cudaErrorInvalidValue;
        return is_device(device) ? attribute(*value, which) : cudaErrorInvalidDevice;
    });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    return answer(__func__, [&] {
        if (least != nullptr) *least = 0;
        if (greatest != nullptr) *greatest = greatest_priority;
        return cudaSuccess;
    });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    return answer(__func__, [&] {
        if (properties == nullptr) return cudaErrorInvalidValue;
        if (!is_device(device)) return cudaErrorInvalidDevice;
        *properties = {};
        std::strncpy(properties->name, "CUDA stand-in", sizeof properties->name - 1);
        properties->totalGlobalMem = settings().memory;
        properties->major = compute_major;
        properties->minor = compute_minor;
        properties->multiProcessorCount = multiprocessors;
        properties->warpSize = warp_size;
        properties->maxThreadsPerBlock = threads_per_block;
        properties->asyncEngineCount = 2;
        properties->unifiedAddressing = 1;
        return cudaSuccess;
    });
}
