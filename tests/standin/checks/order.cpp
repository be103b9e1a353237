// What runs before what, and what runs at the same time.
#include <chrono>
#include <thread>
#include <vector>

#include "check.hpp"

CHECK(stream_keeps_order) {
    cudaStream_t stream = new_stream();
    unsigned char* memory = device_memory(1);
    Gate gate;
    gate.hold(stream);
    for (int value = 0; value < 100; ++value) OK(cudaMemsetAsync(memory, value, 1, stream));
    gate.open();
    EXPECT(first_byte(memory) == 99);
}

CHECK(event_orders_two_streams) {
    cudaStream_t writer = new_stream(), reader = new_stream();
    cudaEvent_t written = new_event();
    unsigned char *memory = device_memory(1), *result = pinned_memory(1);
    Gate gate;
    gate.hold(writer);
    OK(cudaMemsetAsync(memory, 7, 1, writer));
    OK(cudaEventRecord(written, writer));

    OK(cudaMemcpyAsync(result, memory, 1, cudaMemcpyDeviceToHost, reader));
    OK(cudaStreamSynchronize(reader));
    EXPECT(*result == 0xCD);  // nothing made the reader wait, and it shows

    OK(cudaStreamWaitEvent(reader, written, 0));
    OK(cudaMemcpyAsync(result, memory, 1, cudaMemcpyDeviceToHost, reader));
    EXPECT_STATUS(cudaErrorNotReady, cudaStreamQuery(reader));
    gate.open();
    OK(cudaStreamSynchronize(reader));
    EXPECT(*result == 7);
}

CHECK(waiting_for_an_unrecorded_event_is_no_wait) {
    cudaStream_t stream = new_stream();
    OK(cudaStreamWaitEvent(stream, new_event(), 0));
    OK(cudaStreamSynchronize(stream));
}

CHECK(waiting_takes_the_latest_recording) {
    cudaStream_t first = new_stream(), second = new_stream(), waiter = new_stream();
    cudaEvent_t event = new_event();
    Gate gate;
    gate.hold(first);
    OK(cudaEventRecord(event, first));
    OK(cudaEventRecord(event, second));
    OK(cudaStreamWaitEvent(waiter, event, 0));
    OK(cudaStreamSynchronize(waiter));
    gate.open();
}

CHECK(null_stream_waits_for_blocking_streams) {
    cudaStream_t blocking = new_stream(cudaStreamDefault);
    unsigned char* memory = device_memory(1);
    Gate gate;
    gate.hold(blocking);
    OK(cudaMemsetAsync(memory, 1, 1, blocking));
    OK(cudaMemsetAsync(memory, 2, 1, nullptr));
    EXPECT_STATUS(cudaErrorNotReady, cudaStreamQuery(nullptr));
    gate.open();
    EXPECT(first_byte(memory) == 2);
}

CHECK(blocking_streams_wait_for_the_null_stream) {
    cudaStream_t blocking = new_stream(cudaStreamDefault);
    unsigned char* memory = device_memory(1);
    Gate gate;
    gate.hold(cudaStreamLegacy);
    OK(cudaMemsetAsync(memory, 1, 1, nullptr));
    OK(cudaMemsetAsync(memory, 2, 1, blocking));
    EXPECT_STATUS(cudaErrorNotReady, cudaStreamQuery(blocking));
    gate.open();
    EXPECT(first_byte(memory) == 2);
}

CHECK(non_blocking_streams_do_not_wait_for_the_null_stream) {
    cudaStream_t free_stream = new_stream(cudaStreamNonBlocking);
    Gate gate;
    gate.hold(nullptr);
    OK(cudaMemsetAsync(device_memory(1), 1, 1, free_stream));
    OK(cudaStreamSynchronize(free_stream));
    EXPECT_STATUS(cudaErrorNotReady, cudaStreamQuery(nullptr));
    gate.open();
}

CHECK(each_thread_has_its_own_per_thread_stream) {
    Gate gate;
    gate.hold(cudaStreamPerThread);
    EXPECT_STATUS(cudaErrorNotReady, cudaStreamQuery(cudaStreamPerThread));
    std::thread([] { OK(cudaStreamQuery(cudaStreamPerThread)); }).join();
    gate.open();
    OK(cudaStreamSynchronize(cudaStreamPerThread));
}

CHECK(destroyed_stream_finishes_its_work) {
    cudaStream_t stream = new_stream(cudaStreamDefault);
    unsigned char* memory = device_memory(1);
    Gate gate;
    gate.hold(stream);
    OK(cudaMemsetAsync(memory, 5, 1, stream));
    OK(cudaStreamDestroy(stream));  // does not wait
    OK(cudaMemsetAsync(memory + 0, 6, 1, nullptr));
    EXPECT_STATUS(cudaErrorNotReady, cudaStreamQuery(nullptr));
    gate.open();
    EXPECT(first_byte(memory) == 6);
}

CHECK(pinned_memory_is_read_when_the_copy_runs) {
    cudaStream_t stream = new_stream();
    unsigned char *memory = device_memory(1), *source = pinned_memory(1);
    Gate gate;
    gate.hold(stream);
    *source = 1;
    OK(cudaMemcpyAsync(memory, source, 1, cudaMemcpyHostToDevice, stream));
    *source = 2;
    gate.open();
    EXPECT(first_byte(memory) == 2);
}

CHECK(pageable_memory_is_read_at_the_call) {
    cudaStream_t stream = new_stream();
    unsigned char *memory = device_memory(1), source = 1;
    Gate gate;
    gate.hold(stream);
    OK(cudaMemcpyAsync(memory, &source, 1, cudaMemcpyHostToDevice, stream));
    source = 2;
    gate.open();
    EXPECT(first_byte(memory) == 1);
}

CHECK(download_to_pageable_memory_waits) {
    cudaStream_t stream = new_stream();
    unsigned char *memory = device_memory(1), result = 0;
    OK(cudaMemsetAsync(memory, 3, 1, stream));
    OK(cudaMemcpyAsync(&result, memory, 1, cudaMemcpyDeviceToHost, stream));
    EXPECT(result == 3);
}

CHECK(event_tells_when_work_is_done) {
    cudaStream_t stream = new_stream();
    cudaEvent_t event = new_event();
    OK(cudaEventQuery(event));  // never recorded: nothing to wait for
    Gate gate;
    gate.hold(stream);
    OK(cudaEventRecord(event, stream));
    EXPECT_STATUS(cudaErrorNotReady, cudaEventQuery(event));
    gate.open();
    OK(cudaEventSynchronize(event));
    OK(cudaEventQuery(event));
}

namespace {

double milliseconds_until_done(cudaStream_t first, cudaStream_t second,
                               std::chrono::steady_clock::time_point start) {
    OK(cudaStreamSynchronize(first));
    OK(cudaStreamSynchronize(second));
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// Five copies on each stream: uploads on the first; on the second the same, or downloads.
double transfer(cudaStream_t first, cudaStream_t second, bool both_ways) {
    static unsigned char *memory = device_memory(2), *host = pinned_memory(2);
    auto start = std::chrono::steady_clock::now();
    for (int round = 0; round < 5; ++round) {
        OK(cudaMemcpyAsync(memory, host, 1, cudaMemcpyHostToDevice, first));
        if (both_ways) {
            OK(cudaMemcpyAsync(host + 1, memory + 1, 1, cudaMemcpyDeviceToHost, second));
        } else {
            OK(cudaMemcpyAsync(memory + 1, host + 1, 1, cudaMemcpyHostToDevice, second));
        }
    }
    return milliseconds_until_done(first, second, start);
}

}  // namespace

// With a latency of 10 ms.
CHECK(uploads_and_downloads_overlap) {
    cudaStream_t first = new_stream(), second = new_stream();
    double one_stream = transfer(first, first, true);
    EXPECT(one_stream >= 100);
    bool overlapped = false;
    for (int attempt = 0; attempt < 20 && !overlapped; ++attempt) {  // a busy machine may hold up any one of them
        double two_streams = transfer(first, second, true);
        EXPECT(two_streams >= 50);
        overlapped = two_streams < 0.8 * one_stream;
    }
    EXPECT(overlapped);
}

// With a latency of 10 ms.
CHECK(uploads_take_turns) { EXPECT(transfer(new_stream(), new_stream(), false) >= 100); }

// With a latency of 10 ms and 1 GB/s.
CHECK(elapsed_time_has_latency_and_bandwidth) {
    constexpr std::size_t size = 20'000'000;  // 20 ms at 1 GB/s
    cudaStream_t stream = new_stream();
    cudaEvent_t start = new_event(), end = new_event();
    unsigned char* memory = device_memory(size);
    OK(cudaEventRecord(start, stream));
    OK(cudaMemsetAsync(memory, 0, size, stream));
    OK(cudaEventRecord(end, stream));
    OK(cudaEventSynchronize(end));
    float milliseconds = 0;
    OK(cudaEventElapsedTime(&milliseconds, start, end));
    EXPECT(milliseconds > 29);
    OK(cudaEventElapsedTime(&milliseconds, end, start));
    EXPECT(milliseconds < -29);
}

CHECK(threads_work_side_by_side) {
    auto work = [](int value) {
        for (int round = 0; round < 20; ++round) {
            cudaStream_t stream = new_stream(round % 2 == 0 ? cudaStreamDefault : cudaStreamNonBlocking);
            cudaEvent_t event = new_event();
            unsigned char *memory = device_memory(64), *host = pinned_memory(64);
            OK(cudaMemsetAsync(memory, value, 64, stream));
            OK(cudaMemcpyAsync(host, memory, 64, cudaMemcpyDeviceToHost, stream));
            OK(cudaEventRecord(event, stream));
            OK(cudaEventSynchronize(event));
            EXPECT(host[0] == value && host[63] == value);
            OK(cudaEventDestroy(event));
            OK(cudaStreamDestroy(stream));
            OK(cudaFree(memory));
            OK(cudaFreeHost(host));
        }
    };
    std::vector<std::thread> threads;
    for (int value = 0; value < 4; ++value) threads.emplace_back(work, value);
    for (std::thread& thread : threads) thread.join();
}
