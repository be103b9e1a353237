// What the environment says this device is like; read once, at the first call.
#pragma once
#include <chrono>
#include <cstddef>
#include <string>

namespace cpu {

struct Settings {
    int devices;                      // CPU_FFI_DEVICES, default 1
    int threads;                      // CPU_FFI_THREADS that share one operation, default: the cores we may use
    std::size_t cache;                // CPU_FFI_CACHE_MB; larger outputs go past the caches, default: the last cache
    std::size_t memory;               // CPU_FFI_MEMORY_MB for each device, default: what the machine has
    std::chrono::nanoseconds latency; // CPU_FFI_LINK_LATENCY_US of a copy between host and device, default 0
    double bytes_per_nanosecond;      // CPU_FFI_LINK_GBPS of such copies, default 0: as fast as memory is
    std::string level;                // CPU_FFI_CPU, the instructions to use: baseline, v3 or v4; default: the best

    // Copies between host and device take a time of their own.
    bool has_link() const;
    std::chrono::nanoseconds link_time(std::size_t bytes) const;
};

// Throws cpu::Error when a variable is not a number: a misspelt setting must not pass for the default.
const Settings& settings();

}  // namespace cpu
