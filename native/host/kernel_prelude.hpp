// What stands before CUDA C that is compiled for the CPU: threads and blocks, shared memory, atomics, mathematics.
//
// A block runs on one thread of the host, its threads one after the other. Where the source has __syncthreads, each
// is a fiber, and those of a block take turns at every barrier. Blocks run at the same time on several threads.
#pragma once
#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <ucontext.h>

#include "kernel_abi.hpp"

#define __global__ __attribute__((visibility("hidden")))
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __restrict__ __restrict
#define __constant__ static
#define __shared__ static thread_local
#define __launch_bounds__(...)
#define __align__(n) alignas(n)

struct uint3 {
    unsigned x, y, z;
};
struct dim3 {
    unsigned x = 1, y = 1, z = 1;
};

namespace host_kernels {

static thread_local uint3 thread_index, block_index;
static thread_local dim3 block_size, grid_size;

}  // namespace host_kernels

#define threadIdx (::host_kernels::thread_index)
#define blockIdx (::host_kernels::block_index)
#define blockDim (::host_kernels::block_size)
#define gridDim (::host_kernels::grid_size)
constexpr int warpSize = 32;

// --- barriers

namespace host_kernels {

constexpr std::size_t stack_size = 128 << 10;

// A thread of a block that can stop at a barrier and go on later; it is used for one block after the other.
struct Fiber {
    std::unique_ptr<char[]> stack;
    std::jmp_buf at;
    uint3 index;
    bool done;
};

struct Block {
    Fiber fibers[1024];
    std::jmp_buf scheduler;
    Fiber* current;
    void (*body)(void*);
    void* context;
};
static thread_local Block* running;

// Back to whoever resumed this fiber. Unlike swapcontext, _longjmp asks nothing of the system.
inline void stop_fiber() {
    Block& block = *running;
    if (_setjmp(block.current->at) == 0) _longjmp(block.scheduler, 1);
}

inline void begin_fiber() {
    for (;;) {
        running->body(running->context);
        running->current->done = true;
        stop_fiber();
    }
}

__attribute__((noinline)) inline void resume(Block& block, Fiber& fiber) {
    block.current = &fiber;
    thread_index = fiber.index;
    if (_setjmp(block.scheduler) != 0) return;
    if (fiber.stack) _longjmp(fiber.at, 1);
    fiber.stack.reset(new char[stack_size]);
    ucontext_t start;
    getcontext(&start);
    start.uc_stack.ss_sp = fiber.stack.get();
    start.uc_stack.ss_size = stack_size;
    start.uc_link = nullptr;
    makecontext(&start, begin_fiber, 0);
    setcontext(&start);
}

// Call `thread` once for each thread of the block, with barriers.
template <class Thread>
void run_with_barriers(dim3 size, Thread& thread) {
    static thread_local std::unique_ptr<Block> block(new Block{});
    running = block.get();
    block->body = [](void* context) { (*static_cast<Thread*>(context))(); };
    block->context = &thread;
    const unsigned count = size.x * size.y * size.z;
    for (unsigned i = 0; i < count; ++i) {
        block->fibers[i].index = {i % size.x, i / size.x % size.y, i / size.x / size.y};
        block->fibers[i].done = false;
    }
    for (unsigned left = count; left > 0;) {
        left = 0;
        for (unsigned i = 0; i < count; ++i) {
            if (block->fibers[i].done) continue;
            resume(*block, block->fibers[i]);
            if (!block->fibers[i].done) ++left;
        }
    }
}

template <class Thread>
void run_without_barriers(dim3 size, Thread& thread) {
    for (thread_index.z = 0; thread_index.z < size.z; ++thread_index.z) {
        for (thread_index.y = 0; thread_index.y < size.y; ++thread_index.y) {
            for (thread_index.x = 0; thread_index.x < size.x; ++thread_index.x) thread();
        }
    }
}

template <class Argument>
Argument argument_at(const void* pointer) {
    std::remove_const_t<Argument> value;
    std::memcpy(&value, pointer, sizeof value);
    return value;
}

template <auto kernel, bool barriers, class... Arguments, std::size_t... i>
void run(const unsigned* grid, const unsigned* block, unsigned long long first, unsigned long long last,
         const void* const* arguments, void (*)(Arguments...), std::index_sequence<i...>) {
    static_cast<void>(arguments);
    const std::tuple<Arguments...> values{argument_at<Arguments>(arguments[i])...};
    auto thread = [&values] { std::apply(kernel, values); };
    grid_size = {grid[0], grid[1], grid[2]};
    block_size = {block[0], block[1], block[2]};
    for (; first < last; ++first) {
        block_index.x = static_cast<unsigned>(first % grid[0]);
        block_index.y = static_cast<unsigned>(first / grid[0] % grid[1]);
        block_index.z = static_cast<unsigned>(first / grid[0] / grid[1]);
        if constexpr (barriers) {
            run_with_barriers(block_size, thread);
        } else {
            run_without_barriers(block_size, thread);
        }
    }
}

template <auto kernel, bool barriers, class Function>
struct Entry;
template <auto kernel, bool barriers, class... Arguments>
struct Entry<kernel, barriers, void (*)(Arguments...)> {
    static constexpr unsigned sizes[sizeof...(Arguments) + 1] = {sizeof(Arguments)..., 0};
    static void run(const unsigned* grid, const unsigned* block, unsigned long long first, unsigned long long last,
                    const void* const* arguments) {
        host_kernels::run<kernel, barriers>(grid, block, first, last, arguments,
                                            static_cast<void (*)(Arguments...)>(kernel),
                                            std::index_sequence_for<Arguments...>());
    }
    static constexpr ::host_kernel value{HOST_KERNEL_VERSION, sizeof...(Arguments), sizes, run};
};

}  // namespace host_kernels

// Stands behind the source, once for each kernel that is to be launched.
#define HOST_KERNEL_EXPORT(name, barriers)                                                              \
    extern "C" __attribute__((visibility("default"))) const ::host_kernel host_kernel_##name;           \
    extern "C" const ::host_kernel host_kernel_##name = ::host_kernels::Entry<&name, barriers, decltype(&name)>::value;

inline void __syncthreads() { host_kernels::stop_fiber(); }
inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_block() {}

// --- atomics, between the blocks as well; each returns what was there before

namespace host_kernels {

template <class T, class Change>
T change_atomically(T* address, Change change) {
    using Bits = std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned>;
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);
    auto* bits = reinterpret_cast<Bits*>(address);
    Bits before = __atomic_load_n(bits, __ATOMIC_RELAXED);
    for (;;) {
        T value, changed;
        std::memcpy(&value, &before, sizeof value);
        changed = change(value);
        Bits after;
        std::memcpy(&after, &changed, sizeof after);
        if (__atomic_compare_exchange_n(bits, &before, after, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return value;
    }
}

// The other argument has the type that the address points to, whatever it is given as.
template <class T>
using Same = typename std::enable_if<true, T>::type;

}  // namespace host_kernels

template <class T>
T atomicAdd(T* address, host_kernels::Same<T> x) {
    return host_kernels::change_atomically(address, [x](T old) { return static_cast<T>(old + x); });
}
template <class T>
T atomicSub(T* address, host_kernels::Same<T> x) {
    return host_kernels::change_atomically(address, [x](T old) { return static_cast<T>(old - x); });
}
template <class T>
T atomicExch(T* address, host_kernels::Same<T> x) {
    return host_kernels::change_atomically(address, [x](T) { return x; });
}
template <class T>
T atomicMin(T* address, host_kernels::Same<T> x) {
    return host_kernels::change_atomically(address, [x](T old) { return x < old ? x : old; });
}
template <class T>
T atomicMax(T* address, host_kernels::Same<T> x) {
    return host_kernels::change_atomically(address, [x](T old) { return x > old ? x : old; });
}
template <class T>
T atomicAnd(T* address, host_kernels::Same<T> x) {
    return host_kernels::change_atomically(address, [x](T old) { return static_cast<T>(old & x); });
}
template <class T>
T atomicOr(T* address, host_kernels::Same<T> x) {
    return host_kernels::change_atomically(address, [x](T old) { return static_cast<T>(old | x); });
}
template <class T>
T atomicXor(T* address, host_kernels::Same<T> x) {
    return host_kernels::change_atomically(address, [x](T old) { return static_cast<T>(old ^ x); });
}
template <class T>
T atomicCAS(T* address, host_kernels::Same<T> compared, host_kernels::Same<T> x) {
    return host_kernels::change_atomically(address, [=](T old) { return old == compared ? x : old; });
}
inline unsigned atomicInc(unsigned* address, unsigned last) {
    return host_kernels::change_atomically(address, [last](unsigned old) { return old >= last ? 0 : old + 1; });
}
inline unsigned atomicDec(unsigned* address, unsigned last) {
    return host_kernels::change_atomically(
        address, [last](unsigned old) { return old == 0 || old > last ? last : old - 1; });
}

// --- f16 and bf16: stored in 16 bits, computed with as float, rounded to the nearest, ties to even

struct __half {
    unsigned short bits;

    __half() = default;
    __half(float x) {
        unsigned u;
        std::memcpy(&u, &x, sizeof u);
        const unsigned magnitude = u & 0x7fffffff;
        unsigned result = (magnitude + 0xc8000fff + ((magnitude >> 13) & 1)) >> 13;
        if (magnitude < 0x38800000) {  // adding 1/2 shifts a subnormal's bits to their place, and rounds them
            float shifted;
            std::memcpy(&shifted, &magnitude, sizeof shifted);
            shifted += 0.5f;
            std::memcpy(&result, &shifted, sizeof result);
            result -= 0x3f000000;
        } else if (magnitude >= 0x477ff000) {
            result = magnitude > 0x7f800000 ? 0x7e00 : 0x7c00;
        }
        bits = static_cast<unsigned short>(result | ((u >> 16) & 0x8000));
    }
    operator float() const {
        const unsigned magnitude = (bits & 0x7fffu) << 13;
        float scaled;
        std::memcpy(&scaled, &magnitude, sizeof scaled);
        scaled *= 5.192296858534828e33f;  // 2^112, the difference of the exponents
        unsigned result;
        std::memcpy(&result, &scaled, sizeof result);
        if (magnitude >= 0x0f800000) result = magnitude | 0x7f800000;
        result |= (bits & 0x8000u) << 16;
        std::memcpy(&scaled, &result, sizeof scaled);
        return scaled;
    }
    __half& operator+=(float x) { return *this = *this + x; }
    __half& operator-=(float x) { return *this = *this - x; }
    __half& operator*=(float x) { return *this = *this * x; }
    __half& operator/=(float x) { return *this = *this / x; }
};

struct __nv_bfloat16 {
    unsigned short bits;

    __nv_bfloat16() = default;
    __nv_bfloat16(float x) {
        unsigned u;
        std::memcpy(&u, &x, sizeof u);
        const bool is_nan = (u & 0x7fffffff) > 0x7f800000;
        bits = static_cast<unsigned short>(is_nan ? (u >> 16) | 0x40 : (u + 0x7fff + ((u >> 16) & 1)) >> 16);
    }
    operator float() const {
        const unsigned u = static_cast<unsigned>(bits) << 16;
        float x;
        std::memcpy(&x, &u, sizeof x);
        return x;
    }
    __nv_bfloat16& operator+=(float x) { return *this = *this + x; }
    __nv_bfloat16& operator-=(float x) { return *this = *this - x; }
    __nv_bfloat16& operator*=(float x) { return *this = *this * x; }
    __nv_bfloat16& operator/=(float x) { return *this = *this / x; }
};

using half = __half;
using bfloat16 = __nv_bfloat16;
inline __half __float2half(float x) { return x; }
inline float __half2float(__half x) { return x; }
inline __nv_bfloat16 __float2bfloat16(float x) { return x; }
inline float __bfloat162float(__nv_bfloat16 x) { return x; }

// --- mathematics that C has not, or has under another name

template <class A, class B>
constexpr std::common_type_t<A, B> min(A a, B b) {
    return b < a ? b : a;
}
template <class A, class B>
constexpr std::common_type_t<A, B> max(A a, B b) {
    return a < b ? b : a;
}
inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
inline double rsqrt(double x) { return 1.0 / sqrt(x); }
inline float __expf(float x) { return expf(x); }
inline float __logf(float x) { return logf(x); }
inline float __powf(float x, float y) { return powf(x, y); }
inline float __sinf(float x) { return sinf(x); }
inline float __cosf(float x) { return cosf(x); }
inline float __fdividef(float x, float y) { return x / y; }
inline float __saturatef(float x) { return fminf(fmaxf(x, 0.0f), 1.0f); }
inline int __float_as_int(float x) {
    int result;
    std::memcpy(&result, &x, sizeof result);
    return result;
}
inline float __int_as_float(int x) {
    float result;
    std::memcpy(&result, &x, sizeof result);
    return result;
}
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
template <class T>
T __ldg(const T* address) {
    return *address;
}
