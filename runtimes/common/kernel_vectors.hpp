// The vector types of CUDA, float2 to double4, with its alignments: their names are part of a kernel's type.
#pragma once
#include "kernel_halves.hpp"

#define CPU_KERNEL_VECTORS(T, name, align2, align4)                                       \
    struct name##1 { T x; };                                                               \
    struct alignas(align2) name##2 { T x, y; };                                            \
    struct name##3 { T x, y, z; };                                                         \
    struct alignas(align4) name##4 { T x, y, z, w; };                                      \
    inline name##1 make_##name##1(T x) { return {x}; }                                     \
    inline name##2 make_##name##2(T x, T y) { return {x, y}; }                             \
    inline name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; }                     \
    inline name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }

CPU_KERNEL_VECTORS(signed char, char, 2, 4)
CPU_KERNEL_VECTORS(unsigned char, uchar, 2, 4)
CPU_KERNEL_VECTORS(short, short, 4, 8)
CPU_KERNEL_VECTORS(unsigned short, ushort, 4, 8)
CPU_KERNEL_VECTORS(int, int, 8, 16)
CPU_KERNEL_VECTORS(unsigned, uint, 8, 16)
CPU_KERNEL_VECTORS(long, long, 16, 16)
CPU_KERNEL_VECTORS(unsigned long, ulong, 16, 16)
CPU_KERNEL_VECTORS(long long, longlong, 16, 16)
CPU_KERNEL_VECTORS(unsigned long long, ulonglong, 16, 16)
CPU_KERNEL_VECTORS(float, float, 8, 16)
CPU_KERNEL_VECTORS(double, double, 16, 16)

#undef CPU_KERNEL_VECTORS

inline float2 __half22float2(__half2 x) { return {x.x, x.y}; }
inline __half2 __float22half2_rn(float2 x) { return {x.x, x.y}; }
