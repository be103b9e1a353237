// The loops with the instructions of x86-64-v3: AVX2 and FMA.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "loops.hpp"

#ifdef __x86_64__

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c,bmi,bmi2"))), apply_to = function)
#else
#pragma GCC target("avx2,fma,f16c,bmi,bmi2")
#endif

#define CPU_LEVEL v3
#define CPU_VECTOR 32
#include "level.inl"

#ifdef __clang__
#pragma clang attribute pop
#endif

#endif
