// What the environment says this device is like; read once, at the first call.
#pragma once
#include <cstddef>
#include <string>

namespace cpu {

struct Settings {
    int devices;                      // CPU_FFI_DEVICES, default 1
    int threads;                      // CPU_FFI_THREADS that share one operation, default: the cores we may use
    std::size_t cache;                // CPU_FFI_CACHE_MB; larger outputs go past the caches, default: the last cache
    std::size_t memory;               // CPU_FFI_MEMORY_MB for each device, default: what the machine has
    std::string level;                // CPU_FFI_CPU, the instructions to use: baseline, v3 or v4; default: the best
};

// Throws cpu::Error when a variable is not a number: a misspelt setting must not pass for the default.
const Settings& settings();

// The number that a variable of the environment has, else `otherwise`; throws cpu::Error when it is not at least `least`.
double number_setting(const char* variable, double least, double otherwise);

}  // namespace cpu
