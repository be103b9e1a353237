// What the library of a kernel offers, and the CPU device calls.
#pragma once

#define HOST_KERNEL_VERSION 1u
#define HOST_KERNEL_SHARED_BYTES 49152u  // of `extern __shared__` arrays, as in CUDA

extern "C" struct host_kernel {
    unsigned version;
    unsigned argument_count;
    const unsigned* argument_sizes;  // in bytes
    // Run the blocks from `first` to before `last`, counted with x the fastest, on the calling thread.
    void (*run)(const unsigned* grid, const unsigned* block, unsigned long long first, unsigned long long last,
                const void* const* arguments);
};
