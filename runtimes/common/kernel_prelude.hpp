// What stands before CUDA C that is compiled for the CPU: threads and blocks, shared memory, atomics, mathematics.
//
// A block runs on one thread of the host, its threads one after the other. Where the source has barriers, or threads of
// a warp exchange values, each is a fiber; see kernel_fibers.hpp. Blocks run at the same time on several threads.
// CPU_KERNEL_CHECKED is the checked mode; see kernel_checks.hpp.
#pragma once
#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>

// The special functions of C++17, std::beta and others, are most of what <math.h> has a compiler read. CUDA C has none:
// GNU's library leaves them out when it finds that they were read before; others know nothing of this name.
#define _GLIBCXX_BITS_SPECFUN_H 1
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <ucontext.h>
#ifdef CPU_KERNEL_CHECKED
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#endif

#include "kernel_abi.hpp"
#include "kernel_halves.hpp"
#include "kernel_vectors.hpp"

// --- what CUDA C has, and C++ has not; the headers of the C++ library come before it

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

struct dim3 {
    unsigned x = 1, y = 1, z = 1;
};

namespace cpu_kernels {

#ifdef CPU_KERNEL_CHECKED
constexpr unsigned is_checked = 1;
#else
constexpr unsigned is_checked = 0;
#endif

static thread_local uint3 thread_index, block_index;
static thread_local dim3 block_size, grid_size;

#ifdef CPU_KERNEL_CHECKED
#ifdef __clang__
__attribute__((noinline))
#else
__attribute__((noipa))
#endif
// Where these lie is first asked for here, in a call of its own: with -mtls-dialect=gnu2, glibc before 2.40 may then change
// registers that its caller must not lose.
inline void
make_thread_locals() {
    asm volatile("" ::"r"(&thread_index) : "memory");
}
#endif

}  // namespace cpu_kernels

#define threadIdx (::cpu_kernels::thread_index)
#define blockIdx (::cpu_kernels::block_index)
#define blockDim (::cpu_kernels::block_size)
#define gridDim (::cpu_kernels::grid_size)
constexpr int warpSize = 32;

#include "kernel_fibers.hpp"
#ifdef CPU_KERNEL_CHECKED
#include "kernel_checks.hpp"
#endif

namespace cpu_kernels {

template <class Thread>
void run_without_barriers(dim3 size, Thread& thread) {
    for (thread_index.z = 0; thread_index.z < size.z; ++thread_index.z) {
        for (thread_index.y = 0; thread_index.y < size.y; ++thread_index.y) {
            for (thread_index.x = 0; thread_index.x < size.x; ++thread_index.x) {
#ifdef CPU_KERNEL_CHECKED
                asm volatile("" ::: "memory");  // so that a fault finds the indices in their places
#endif
                thread();
            }
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
void run(const unsigned* grid, unsigned long long first, unsigned long long last, const void* const* arguments,
         void (*)(Arguments...), std::index_sequence<i...>) {
    static_cast<void>(arguments);
    const std::tuple<Arguments...> values{argument_at<Arguments>(arguments[i])...};
    auto thread = [&values] { std::apply(kernel, values); };
    for (; first < last; ++first) {
        block_index.x = static_cast<unsigned>(first % grid[0]);
        block_index.y = static_cast<unsigned>(first / grid[0] % grid[1]);
        block_index.z = static_cast<unsigned>(first / grid[0] / grid[1]);
#ifdef CPU_KERNEL_CHECKED
        const Checking until_it_is_done;
#endif
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
    // The others, references for one, compile too: what reads the signature names the parameter that cannot be passed.
    static constexpr bool can_be_passed = (std::is_default_constructible_v<std::remove_const_t<Arguments>> && ...);
    static constexpr unsigned sizes[sizeof...(Arguments) + 1] = {sizeof(Arguments)..., 0};
    static void run(const unsigned* grid, const unsigned* block, unsigned long long first, unsigned long long last,
                    const void* const* arguments, cpu_kernel_check* check) {
#ifdef CPU_KERNEL_CHECKED
        make_thread_locals();
#endif
        grid_size = {grid[0], grid[1], grid[2]};
        block_size = {block[0], block[1], block[2]};
        const auto blocks = [&] {
            if constexpr (can_be_passed) {
                cpu_kernels::run<kernel, barriers>(grid, first, last, arguments,
                                                    static_cast<void (*)(Arguments...)>(kernel),
                                                    std::index_sequence_for<Arguments...>());
            }
        };
#ifdef CPU_KERNEL_CHECKED
        if (check != nullptr) return run_checked(sizes, sizeof...(Arguments), arguments, check, blocks);
#endif
        static_cast<void>(check);
        blocks();
    }
    static const char* signature() { return typeid(void (*)(Arguments...)).name(); }
    static constexpr ::cpu_kernel value{
        CPU_KERNEL_VERSION, cpu_kernels::is_checked, 4096, false, sizeof...(Arguments), sizes, signature, run};
};

}  // namespace cpu_kernels

// Stands behind the source, once for each kernel that is to be launched: what the library calls it, then the function,
// which may be one of a namespace, or an instance of a template.
#define CPU_KERNEL_EXPORT(name, barriers, ...)                                               \
    extern "C" __attribute__((visibility("default"))) const ::cpu_kernel cpu_kernel_##name; \
    extern "C" const ::cpu_kernel cpu_kernel_##name =                                       \
        ::cpu_kernels::Entry<&__VA_ARGS__, barriers, decltype(&__VA_ARGS__)>::value;

inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_block() {}

// --- atomics, between the blocks as well; each returns what was there before

namespace cpu_kernels {

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

}  // namespace cpu_kernels

template <class T>
T atomicAdd(T* address, cpu_kernels::Same<T> x) {
    return cpu_kernels::change_atomically(address, [x](T old) { return static_cast<T>(old + x); });
}
template <class T>
T atomicSub(T* address, cpu_kernels::Same<T> x) {
    return cpu_kernels::change_atomically(address, [x](T old) { return static_cast<T>(old - x); });
}
template <class T>
T atomicExch(T* address, cpu_kernels::Same<T> x) {
    return cpu_kernels::change_atomically(address, [x](T) { return x; });
}
template <class T>
T atomicMin(T* address, cpu_kernels::Same<T> x) {
    return cpu_kernels::change_atomically(address, [x](T old) { return x < old ? x : old; });
}
template <class T>
T atomicMax(T* address, cpu_kernels::Same<T> x) {
    return cpu_kernels::change_atomically(address, [x](T old) { return x > old ? x : old; });
}
template <class T>
T atomicAnd(T* address, cpu_kernels::Same<T> x) {
    return cpu_kernels::change_atomically(address, [x](T old) { return static_cast<T>(old & x); });
}
template <class T>
T atomicOr(T* address, cpu_kernels::Same<T> x) {
    return cpu_kernels::change_atomically(address, [x](T old) { return static_cast<T>(old | x); });
}
template <class T>
T atomicXor(T* address, cpu_kernels::Same<T> x) {
    return cpu_kernels::change_atomically(address, [x](T old) { return static_cast<T>(old ^ x); });
}
template <class T>
T atomicCAS(T* address, cpu_kernels::Same<T> compared, cpu_kernels::Same<T> x) {
    return cpu_kernels::change_atomically(address, [=](T old) { return old == compared ? x : old; });
}
inline unsigned atomicInc(unsigned* address, unsigned last) {
    return cpu_kernels::change_atomically(address, [last](unsigned old) { return old >= last ? 0 : old + 1; });
}
inline unsigned atomicDec(unsigned* address, unsigned last) {
    return cpu_kernels::change_atomically(
        address, [last](unsigned old) { return old == 0 || old > last ? last : old - 1; });
}

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
