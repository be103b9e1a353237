// The loops with the instructions of x86-64-v4: AVX-512.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "loops.hpp"

#ifdef __x86_64__

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c,bmi,bmi2,avx512f,avx512bw,avx512dq,avx512vl"))), apply_to = function)
#else
#pragma GCC target("avx2,fma,f16c,bmi,bmi2,avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=256")
#endif

#ifndef __clang__
#define CPU_WIDE_BEGIN _Pragma("GCC push_options") _Pragma("GCC target(\"prefer-vector-width=512\")")
#define CPU_WIDE_END _Pragma("GCC pop_options")
#endif
#define CPU_LEVEL v4
#define CPU_BELOW v3
#define CPU_VECTOR 64
#include "level.inl"

#ifdef __clang__
#pragma clang attribute pop
#endif

#endif
