// Addresses: what may be used how, and what stands in memory that nobody wrote.
#include "check.hpp"
#include "standin.h"

CHECK(new_memory_is_poisoned) {
    unsigned char *memory = device_memory(16), *host = pinned_memory(16);
    EXPECT(first_byte(memory) == 0xCD && first_byte(memory + 15) == 0xCD);
    EXPECT(host[0] == 0xCD && host[15] == 0xCD);
}

CHECK(freed_memory_is_poisoned) {
    unsigned char *memory = device_memory(16), *host = pinned_memory(16);
    OK(cudaFree(memory));
    OK(cudaFreeHost(host));
    EXPECT(memory[0] == 0xDD && memory[15] == 0xDD);  // kept for a while, so that this may look at it
    EXPECT(host[0] == 0xDD && host[15] == 0xDD);
}

CHECK(freed_memory_is_given_back_in_the_end) {
    for (int round = 0; round < 200; ++round) OK(cudaFree(device_memory(1 << 20)));
    EXPECT(standinLiveObjects(STANDIN_DEVICE_MEMORY) == 0);
}

CHECK(copies_stay_within_bounds) {
    unsigned char *memory = device_memory(16), host[17] = {};
    OK(cudaMemcpy(memory, host, 16, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(memory + 8, host, 8, cudaMemcpyHostToDevice));
    EXPECT_STATUS(cudaErrorInvalidValue, cudaMemcpy(memory, host, 17, cudaMemcpyHostToDevice));
    EXPECT_STATUS(cudaErrorInvalidValue, cudaMemcpy(memory + 8, host, 9, cudaMemcpyHostToDevice));
    EXPECT_STATUS(cudaErrorInvalidValue, cudaMemcpy(host, memory + 16, 1, cudaMemcpyDeviceToHost));
    EXPECT_STATUS(cudaErrorInvalidValue, cudaMemcpy(memory, host, ~std::size_t{0}, cudaMemcpyHostToDevice));
    EXPECT_STATUS(cudaErrorInvalidValue, cudaMemset(memory, 0, 17));
    EXPECT_STATUS(cudaErrorInvalidValue, cudaMemset(memory + 1, 0, 16));
    OK(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice));
}

CHECK(copies_are_of_the_kind_they_say) {
    unsigned char *memory = device_memory(16), *pinned = pinned_memory(16), host[16] = {};
    EXPECT_STATUS(cudaErrorInvalidValue, cudaMemcpy(host, host, 1, cudaMemcpyHostToDevice));
    EXPECT_STATUS(cudaErrorInvalidValue, cudaMemcpy(pinned, host, 1, cudaMemcpyHostToDevice));
    EXPECT_STATUS(cudaErrorInvalidValue, cudaMemcpy(memory, memory, 1, cudaMemcpyHostToDevice));
    EXPECT_STATUS(cudaErrorInvalidValue, cudaMemcpy(host, host, 1, cudaMemcpyDeviceToHost));
    EXPECT_STATUS(cudaErrorInvalidValue, cudaMemcpy(memory, host, 1, cudaMemcpyDeviceToDevice));
    EXPECT_STATUS(cudaErrorInvalidValue, cudaMemcpy(memory, host, 1, cudaMemcpyHostToHost));
    EXPECT_STATUS(cudaErrorInvalidValue, cudaMemcpy(nullptr, host, 1, cudaMemcpyHostToHost));
    EXPECT_STATUS(cudaErrorInvalidValue, cudaMemset(host, 0, 1));
    EXPECT_STATUS(cudaErrorInvalidMemcpyDirection, cudaMemcpy(memory, host, 1, static_cast<cudaMemcpyKind>(7)));

    host[0] = 4;
    OK(cudaMemcpy(memory, host, 1, cudaMemcpyDefault));
    OK(cudaMemcpy(memory + 1, memory, 1, cudaMemcpyDefault));
    OK(cudaMemcpy(pinned, memory + 1, 1, cudaMemcpyDefault));
    EXPECT(*pinned == 4);
}

CHECK(use_after_free_is_an_error) {
    unsigned char *memory = device_memory(16), *pinned = pinned_memory(16), host[16] = {};
    OK(cudaFree(memory));
    OK(cudaFreeHost(pinned));
    EXPECT_STATUS(cudaErrorInvalidValue, cudaFree(memory));
    EXPECT_STATUS(cudaErrorInvalidValue, cudaFreeHost(pinned));
    EXPECT_STATUS(cudaErrorInvalidValue, cudaMemcpy(memory, host, 1, cudaMemcpyHostToDevice));
    EXPECT_STATUS(cudaErrorInvalidValue, cudaMemcpy(pinned, host, 1, cudaMemcpyHostToHost));
    EXPECT_STATUS(cudaErrorInvalidValue, cudaMemset(memory, 0, 1));
}

CHECK(only_the_start_of_a_block_can_be_freed) {
    unsigned char *memory = device_memory(16), *pinned = pinned_memory(16);
    EXPECT_STATUS(cudaErrorInvalidValue, cudaFree(memory + 1));
    EXPECT_STATUS(cudaErrorInvalidValue, cudaFree(pinned));
    EXPECT_STATUS(cudaErrorInvalidValue, cudaFreeHost(memory));
    EXPECT_STATUS(cudaErrorInvalidValue, cudaFree(reinterpret_cast<void*>(0x1234)));
    OK(cudaFree(nullptr));
    OK(cudaFreeHost(nullptr));
    OK(cudaFree(memory));
}

CHECK(freeing_waits_for_the_device) {
    cudaStream_t stream = new_stream();
    unsigned char *memory = device_memory(1), *host = pinned_memory(1);
    OK(cudaMemsetAsync(memory, 8, 1, stream));  // with a latency of 10 ms
    OK(cudaMemcpyAsync(host, memory, 1, cudaMemcpyDeviceToHost, stream));
    OK(cudaFree(memory));
    EXPECT(*host == 8);
}

CHECK(stream_ordered_memory) {
    cudaStream_t stream = new_stream();
    unsigned char* host = pinned_memory(1);
    void* memory = nullptr;
    OK(cudaMallocAsync(&memory, 1, stream));
    OK(cudaMemsetAsync(memory, 9, 1, stream));
    OK(cudaMemcpyAsync(host, memory, 1, cudaMemcpyDeviceToHost, stream));
    OK(cudaFreeAsync(memory, stream));
    EXPECT_STATUS(cudaErrorInvalidValue, cudaMemsetAsync(memory, 0, 1, stream));
    EXPECT_STATUS(cudaErrorInvalidValue, cudaFreeAsync(memory, stream));
    OK(cudaStreamSynchronize(stream));
    EXPECT(*host == 9);
    EXPECT(standinLiveObjects(STANDIN_DEVICE_MEMORY) == 0);
}

CHECK(work_on_memory_freed_under_it_corrupts_the_device) {
    cudaStream_t late = new_stream(), freeing = new_stream();
    unsigned char* memory = device_memory(1);
    Gate gate;
    gate.hold(late);
    OK(cudaMemsetAsync(memory, 1, 1, late));
    OK(cudaFreeAsync(memory, freeing));
    OK(cudaStreamSynchronize(freeing));
    gate.open();
    EXPECT_STATUS(cudaErrorIllegalAddress, cudaStreamSynchronize(late));
    EXPECT_STATUS(cudaErrorIllegalAddress, cudaMalloc(reinterpret_cast<void**>(&memory), 1));
    EXPECT(cudaGetLastError() == cudaErrorIllegalAddress);
    EXPECT(cudaGetLastError() == cudaErrorIllegalAddress);
    OK(cudaDeviceReset());
    EXPECT(cudaGetLastError() == cudaSuccess);
    OK(cudaFree(device_memory(1)));
}

// With 16 MB on the device.
CHECK(memory_is_limited) {
    constexpr std::size_t megabyte = 1 << 20;
    std::size_t free = 0, total = 0;
    void* memory = nullptr;
    OK(cudaMemGetInfo(&free, &total));
    EXPECT(total == 16 * megabyte && free == total);
    EXPECT_STATUS(cudaErrorMemoryAllocation, cudaMalloc(&memory, 17 * megabyte));
    EXPECT(memory == nullptr);
    EXPECT_STATUS(cudaErrorMemoryAllocation, cudaMalloc(&memory, ~std::size_t{0}));
    unsigned char* half = device_memory(8 * megabyte);
    EXPECT_STATUS(cudaErrorMemoryAllocation, cudaMalloc(&memory, 9 * megabyte));
    OK(cudaMemGetInfo(&free, &total));
    EXPECT(free == 8 * megabyte);
    OK(cudaFree(half));
    OK(cudaFree(device_memory(16 * megabyte)));
    OK(cudaMalloc(&memory, 0));
    EXPECT(memory == nullptr);
}

CHECK(pointers_are_known) {
    unsigned char *memory = device_memory(4), *pinned = pinned_memory(4), host = 0;
    cudaPointerAttributes attributes;
    OK(cudaPointerGetAttributes(&attributes, memory + 3));
    EXPECT(attributes.type == cudaMemoryTypeDevice && attributes.device == 0);
    EXPECT(attributes.devicePointer == memory + 3 && attributes.hostPointer == nullptr);
    OK(cudaPointerGetAttributes(&attributes, pinned));
    EXPECT(attributes.type == cudaMemoryTypeHost && attributes.hostPointer == pinned);
    OK(cudaPointerGetAttributes(&attributes, &host));
    EXPECT(attributes.type == cudaMemoryTypeUnregistered && attributes.devicePointer == nullptr);
}

CHECK(registered_memory_counts_as_pinned) {
    static unsigned char host[16];
    cudaStream_t stream = new_stream();
    unsigned char* memory = device_memory(16);
    OK(cudaHostRegister(host, sizeof host, cudaHostRegisterDefault));
    EXPECT_STATUS(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(host + 8, 4, cudaHostRegisterDefault));
    Gate gate;
    gate.hold(stream);
    host[0] = 1;
    OK(cudaMemcpyAsync(memory, host, 1, cudaMemcpyHostToDevice, stream));
    host[0] = 2;
    gate.open();
    EXPECT(first_byte(memory) == 2);
    OK(cudaHostUnregister(host));
    EXPECT_STATUS(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(host));
}
