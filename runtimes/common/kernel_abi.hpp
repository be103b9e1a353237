// What the library of a kernel offers, and the CPU device calls: `cpu_kernel_NAME`.
#pragma once

#define CPU_KERNEL_VERSION 3u
#define CPU_KERNEL_SHARED_BYTES 49152u  // of `extern __shared__` arrays, as in CUDA

// What a checked kernel may use of its arguments' memory, and what it did that it may not.
struct cpu_kernel_check {
    const unsigned long long* sizes;  // of each argument's array, in bytes; 0 for numbers
    char fault[512];                  // in words, with the kernel's line; empty while there is none
};

extern "C" struct cpu_kernel {
    unsigned version;
    unsigned is_checked;  // whether `run` needs a check, which is null otherwise
    unsigned threads_at_once;        // how many of its threads are worth one of ours, at least 1
    unsigned is_short;               // whether a thread takes at most about a microsecond, whatever it is given, and `run` little stack
    unsigned argument_count;
    const unsigned* argument_sizes;  // in bytes
    const char* (*signature)();      // the function's type, as the C++ ABI mangles it: `PFvPfiE`
    // Run the blocks from `first` to before `last`, counted with x the fastest, on the calling thread.
    void (*run)(const unsigned* grid, const unsigned* block, unsigned long long first, unsigned long long last,
                const void* const* arguments, cpu_kernel_check* check);
};
