// Wrong calls get an error, never a crash, and errors are remembered.
#include <cstring>
#include <thread>

#include "check.hpp"
#include "standin.h"

CHECK(last_error_stays_until_it_is_asked_for) {
    EXPECT(cudaGetLastError() == cudaSuccess);
    EXPECT_STATUS(cudaErrorInvalidDevice, cudaSetDevice(99));
    OK(cudaSetDevice(0));
    EXPECT(cudaPeekAtLastError() == cudaErrorInvalidDevice);
    std::thread([] { EXPECT(cudaPeekAtLastError() == cudaSuccess); }).join();
    EXPECT(cudaGetLastError() == cudaErrorInvalidDevice);
    EXPECT(cudaGetLastError() == cudaSuccess);
}

CHECK(errors_have_names_and_messages) {
    EXPECT(std::strcmp(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation") == 0);
    EXPECT(std::strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory") == 0);
    EXPECT(std::strcmp(cudaGetErrorString(static_cast<cudaError_t>(12345)), "unrecognized error code") == 0);
}

namespace {

void expect_unknown(cudaStream_t stream) {
    constexpr cudaError_t unknown = cudaErrorInvalidResourceHandle;
    void* memory = device_memory(1);
    unsigned flags = 0;
    int priority = 0;
    EXPECT_STATUS(unknown, cudaStreamDestroy(stream));
    EXPECT_STATUS(unknown, cudaStreamSynchronize(stream));
    EXPECT_STATUS(unknown, cudaStreamQuery(stream));
    EXPECT_STATUS(unknown, cudaStreamGetFlags(stream, &flags));
    EXPECT_STATUS(unknown, cudaStreamGetPriority(stream, &priority));
    EXPECT_STATUS(unknown, cudaStreamGetDevice(stream, &priority));
    EXPECT_STATUS(unknown, cudaStreamWaitEvent(stream, new_event(), 0));
    EXPECT_STATUS(unknown, cudaEventRecord(new_event(), stream));
    EXPECT_STATUS(unknown, cudaMemsetAsync(memory, 0, 1, stream));
    EXPECT_STATUS(unknown, cudaMemcpyAsync(memory, memory, 1, cudaMemcpyDeviceToDevice, stream));
    EXPECT_STATUS(unknown, cudaMallocAsync(&memory, 1, stream));
    EXPECT_STATUS(unknown, cudaFreeAsync(memory, stream));
    EXPECT_STATUS(unknown, cudaLaunchHostFunc(stream, [](void*) {}, nullptr));
}

void expect_unknown(cudaEvent_t event) {
    constexpr cudaError_t unknown = cudaErrorInvalidResourceHandle;
    float milliseconds = 0;
    EXPECT_STATUS(unknown, cudaEventDestroy(event));
    EXPECT_STATUS(unknown, cudaEventQuery(event));
    EXPECT_STATUS(unknown, cudaEventSynchronize(event));
    EXPECT_STATUS(unknown, cudaEventRecord(event, nullptr));
    EXPECT_STATUS(unknown, cudaStreamWaitEvent(nullptr, event, 0));
    EXPECT_STATUS(unknown, cudaEventElapsedTime(&milliseconds, event, new_event()));
    EXPECT_STATUS(unknown, cudaEventElapsedTime(&milliseconds, new_event(), event));
}

}  // namespace

CHECK(unknown_handles_are_errors) {
    cudaStream_t stream = new_stream();
    cudaEvent_t event = new_event();
    OK(cudaStreamDestroy(stream));
    OK(cudaEventDestroy(event));
    new_stream();  // a later handle is not mistaken for the destroyed one
    new_event();
    expect_unknown(stream);
    expect_unknown(event);
    expect_unknown(reinterpret_cast<cudaStream_t>(0x1234));
    expect_unknown(reinterpret_cast<cudaEvent_t>(0x1234));
    expect_unknown(cudaEvent_t{nullptr});
    EXPECT_STATUS(cudaErrorInvalidResourceHandle, cudaStreamDestroy(nullptr));
}

CHECK(null_results_are_errors) {
    int number = 0;
    EXPECT_STATUS(cudaErrorInvalidValue, cudaMalloc(static_cast<void**>(nullptr), 1));
    EXPECT_STATUS(cudaErrorInvalidValue, cudaStreamCreate(nullptr));
    EXPECT_STATUS(cudaErrorInvalidValue, cudaEventCreate(nullptr));
    EXPECT_STATUS(cudaErrorInvalidValue, cudaGetDeviceCount(nullptr));
    EXPECT_STATUS(cudaErrorInvalidValue, cudaRuntimeGetVersion(nullptr));
    EXPECT_STATUS(cudaErrorInvalidValue, cudaGetDeviceProperties(nullptr, 0));
    EXPECT_STATUS(cudaErrorInvalidValue, cudaDeviceGetAttribute(&number, cudaDevAttrMaxPitch, 0));
    EXPECT_STATUS(cudaErrorInvalidValue, cudaLaunchHostFunc(nullptr, nullptr, nullptr));
}

CHECK(flags_and_priorities) {
    cudaStream_t stream = nullptr;
    cudaEvent_t event = nullptr;
    unsigned flags = 0;
    int least = 1, greatest = 1, priority = 1;
    EXPECT_STATUS(cudaErrorInvalidValue, cudaStreamCreateWithFlags(&stream, 64));
    EXPECT_STATUS(cudaErrorInvalidValue, cudaEventCreateWithFlags(&event, 64));
    OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    EXPECT(least == 0 && greatest < 0);
    OK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest - 10));
    OK(cudaStreamGetPriority(stream, &priority));
    OK(cudaStreamGetFlags(stream, &flags));
    EXPECT(priority == greatest && flags == cudaStreamNonBlocking);
}

CHECK(elapsed_time_needs_two_timed_recordings_that_are_done) {
    cudaStream_t stream = new_stream();
    cudaEvent_t start = new_event(), end = new_event(), untimed = new_event(cudaEventDisableTiming);
    float milliseconds = 0;
    OK(cudaEventRecord(start, stream));
    OK(cudaEventRecord(untimed, stream));
    EXPECT_STATUS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, start, end));
    EXPECT_STATUS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, start, untimed));
    Gate gate;
    gate.hold(stream);
    OK(cudaEventRecord(end, stream));
    EXPECT_STATUS(cudaErrorNotReady, cudaEventElapsedTime(&milliseconds, start, end));
    gate.open();
    OK(cudaEventSynchronize(end));
    OK(cudaEventElapsedTime(&milliseconds, start, end));
    EXPECT(milliseconds >= 0);
}

// With CUDA_STANDIN_FAIL=cudaMalloc:2,cudaMemset:1=719.
CHECK(calls_fail_when_told_to) {
    void* memory = nullptr;
    OK(cudaMalloc(&memory, 1));
    EXPECT_STATUS(cudaErrorMemoryAllocation, cudaMalloc(&memory, 1));
    OK(cudaMalloc(&memory, 1));
    EXPECT_STATUS(cudaErrorLaunchFailure, cudaMemset(memory, 0, 1));
    EXPECT(cudaGetLastError() == cudaErrorLaunchFailure);
    OK(cudaMemset(memory, 0, 1));
    EXPECT(standinCalls("cudaMalloc") == 3 && standinCalls("cudaMemset") == 2 && standinCalls("cudaFree") == 0);
}

// With no device.
CHECK(without_a_device_everything_says_so) {
    void* memory = nullptr;
    cudaStream_t stream = nullptr;
    cudaEvent_t event = nullptr;
    int count = -7, version = 0;
    EXPECT_STATUS(cudaErrorNoDevice, cudaGetDeviceCount(&count));
    EXPECT_STATUS(cudaErrorNoDevice, cudaMalloc(&memory, 1));
    EXPECT_STATUS(cudaErrorNoDevice, cudaFree(nullptr));
    EXPECT_STATUS(cudaErrorNoDevice, cudaStreamCreate(&stream));
    EXPECT_STATUS(cudaErrorNoDevice, cudaEventCreate(&event));
    EXPECT_STATUS(cudaErrorNoDevice, cudaDeviceSynchronize());
    EXPECT_STATUS(cudaErrorNoDevice, cudaDeviceReset());
    EXPECT(count == -7);
    OK(cudaRuntimeGetVersion(&version));
    EXPECT(version == CUDART_VERSION);
}

// With two devices.
CHECK(devices_are_apart) {
    int device = -1, count = 0;
    std::size_t free = 0, total = 0;
    OK(cudaGetDeviceCount(&count));
    EXPECT(count == 2);
    cudaStream_t of_first = new_stream();
    OK(cudaSetDevice(1));
    std::thread([] {
        int fresh = -1;
        OK(cudaGetDevice(&fresh));
        EXPECT(fresh == 0);  // each thread starts with the first device
    }).join();
    EXPECT_STATUS(cudaErrorInvalidResourceHandle, cudaEventRecord(new_event(), of_first));
    OK(cudaStreamGetDevice(of_first, &device));
    EXPECT(device == 0);
    unsigned char* memory = device_memory(64);
    OK(cudaSetDevice(0));
    OK(cudaMemGetInfo(&free, &total));
    EXPECT(free == total);
    OK(cudaFree(memory));  // whatever device is current
}

CHECK(live_objects_are_counted) {
    cudaStream_t stream = new_stream();
    cudaEvent_t event = new_event();
    unsigned char *memory = device_memory(1), *pinned = pinned_memory(1);
    for (int kind = STANDIN_STREAMS; kind <= STANDIN_PINNED_MEMORY; ++kind) EXPECT(standinLiveObjects(kind) == 1);
    EXPECT(standinLiveObjects(99) == -1);
    OK(cudaStreamDestroy(stream));
    OK(cudaEventDestroy(event));
    OK(cudaFree(memory));
    OK(cudaFreeHost(pinned));
    for (int kind = STANDIN_STREAMS; kind <= STANDIN_PINNED_MEMORY; ++kind) EXPECT(standinLiveObjects(kind) == 0);
}

CHECK(reset_releases_everything) {
    new_stream();
    new_event();
    device_memory(1);
    pinned_memory(1);
    OK(cudaDeviceReset());
    for (int kind = STANDIN_STREAMS; kind <= STANDIN_PINNED_MEMORY; ++kind) EXPECT(standinLiveObjects(kind) == 0);
}
