// Error codes: their names, their messages, and each thread's last one.
#include <algorithm>
#include <iterator>

#include "answer.hpp"

namespace standin {
namespace {

struct Known {
    cudaError_t code;
    const char* name;
    const char* message;
};

// Spelled as the real runtime spells them.
constexpr Known known[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
    {cudaErrorInsufficientDriver, "cudaErrorInsufficientDriver",
     "CUDA driver version is insufficient for CUDA runtime version"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {cudaErrorHostMemoryAlreadyRegistered, "cudaErrorHostMemoryAlreadyRegistered",
     "part or all of the requested memory range is already mapped"},
    {cudaErrorHostMemoryNotRegistered, "cudaErrorHostMemoryNotRegistered",
     "pointer does not correspond to a registered memory region"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {cudaErrorDevicesUnavailable, "cudaErrorDevicesUnavailable", "CUDA-capable device(s) is/are busy or unavailable"},
    {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {cudaErrorInvalidKernelImage, "cudaErrorInvalidKernelImage", "device kernel image is invalid"},
    {cudaErrorNoKernelImageForDevice, "cudaErrorNoKernelImageForDevice",
     "no kernel image is available for execution on the device"},
    {cudaErrorInvalidPtx, "cudaErrorInvalidPtx", "a PTX JIT compilation failed"},
    {cudaErrorSymbolNotFound, "cudaErrorSymbolNotFound", "named symbol not found"},
    {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
};
constexpr Known unrecognized = {cudaErrorUnknown, "unrecognized error code", "unrecognized error code"};

const Known& describe(cudaError_t code) {
    auto found = std::find_if(std::begin(known), std::end(known), [code](const Known& entry) {
        return entry.code == code;
    });
    return found == std::end(known) ? unrecognized : *found;
}

}  // namespace

cudaError_t& last_error() {
    thread_local cudaError_t error = cudaSuccess;
    return error;
}

}  // namespace standin

using namespace standin;

const char* cudaGetErrorName(cudaError_t error) { return describe(error).name; }

const char* cudaGetErrorString(cudaError_t error) { return describe(error).message; }

cudaError_t cudaPeekAtLastError() { return last_error(); }

cudaError_t cudaGetLastError() {
    cudaError_t error = last_error();
    last_error() = outcome();  // a device that is past help says so each time
    return error;
}
