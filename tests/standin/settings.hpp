// What the environment says this pretended machine is like. Read once, at the first call.
#pragma once
#include <chrono>
#include <cstddef>

namespace standin {

struct Settings {
    int devices;                        // CUDA_STANDIN_DEVICES, default 1
    std::size_t memory;                 // CUDA_STANDIN_MEMORY_MB for each device, default 1024
    std::chrono::nanoseconds latency;   // CUDA_STANDIN_LATENCY_US for each operation on a device, default 0
    std::chrono::nanoseconds kernel;    // CUDA_STANDIN_KERNEL_US for each kernel and its work, default the latency
    double bytes_per_nanosecond;        // CUDA_STANDIN_GBPS for copies and fills, default 0: no limit

    // How long the device is busy with an operation on so many bytes.
    std::chrono::nanoseconds duration(std::size_t bytes) const;
};

const Settings& settings();

constexpr int greatest_priority = -5;  // of a stream; the least is 0

}  // namespace standin
