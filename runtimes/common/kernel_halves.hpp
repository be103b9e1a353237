// f16 and bf16: stored in 16 bits, computed with as float, rounded to the nearest, ties to
// even. With what cuda_fp16.h and cuda_bf16.h have for them.
#pragma once
#include <cstring>

#include <math.h>

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
using nv_bfloat16 = __nv_bfloat16;

struct alignas(4) __half2 {
    __half x, y;
};
struct alignas(4) __nv_bfloat162 {
    __nv_bfloat16 x, y;
};
using half2 = __half2;
using nv_bfloat162 = __nv_bfloat162;

// What exists for both, each under its own name.
#define CPU_KERNEL_HALF(T, T2, to, from)                                                                \
    inline T to(float x) { return x; }                                                                   \
    inline T to##_rn(float x) { return x; }                                                              \
    inline float from(T x) { return x; }                                                                 \
    inline T __hadd(T a, T b) { return static_cast<float>(a) + static_cast<float>(b); }                  \
    inline T __hsub(T a, T b) { return static_cast<float>(a) - static_cast<float>(b); }                  \
    inline T __hmul(T a, T b) { return static_cast<float>(a) * static_cast<float>(b); }                  \
    inline T __hdiv(T a, T b) { return static_cast<float>(a) / static_cast<float>(b); }                  \
    inline T __hfma(T a, T b, T c) { return fmaf(a, b, c); }                                             \
    inline T __hneg(T x) { return -static_cast<float>(x); }                                              \
    inline T __habs(T x) { return fabsf(x); }                                                            \
    inline T __hmax(T a, T b) { return fmaxf(a, b); }                                                    \
    inline T __hmin(T a, T b) { return fminf(a, b); }                                                    \
    inline bool __heq(T a, T b) { return static_cast<float>(a) == static_cast<float>(b); }               \
    inline bool __hne(T a, T b) { return static_cast<float>(a) != static_cast<float>(b); }               \
    inline bool __hlt(T a, T b) { return static_cast<float>(a) < static_cast<float>(b); }                \
    inline bool __hle(T a, T b) { return static_cast<float>(a) <= static_cast<float>(b); }               \
    inline bool __hgt(T a, T b) { return static_cast<float>(a) > static_cast<float>(b); }                \
    inline bool __hge(T a, T b) { return static_cast<float>(a) >= static_cast<float>(b); }               \
    inline bool __hisnan(T x) { return static_cast<float>(x) != static_cast<float>(x); }                 \
    inline T hexp(T x) { return expf(x); }                                                               \
    inline T hlog(T x) { return logf(x); }                                                               \
    inline T hsqrt(T x) { return sqrtf(x); }                                                             \
    inline T hrsqrt(T x) { return 1.0f / sqrtf(x); }                                                     \
    inline T hsin(T x) { return sinf(x); }                                                               \
    inline T hcos(T x) { return cosf(x); }                                                               \
    inline T2 __hadd2(T2 a, T2 b) { return {__hadd(a.x, b.x), __hadd(a.y, b.y)}; }                       \
    inline T2 __hsub2(T2 a, T2 b) { return {__hsub(a.x, b.x), __hsub(a.y, b.y)}; }                       \
    inline T2 __hmul2(T2 a, T2 b) { return {__hmul(a.x, b.x), __hmul(a.y, b.y)}; }                       \
    inline T2 __hfma2(T2 a, T2 b, T2 c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }

CPU_KERNEL_HALF(__half, __half2, __float2half, __half2float)
CPU_KERNEL_HALF(__nv_bfloat16, __nv_bfloat162, __float2bfloat16, __bfloat162float)
#undef CPU_KERNEL_HALF

inline __half2 __halves2half2(__half x, __half y) { return {x, y}; }
inline __half2 __half2half2(__half x) { return {x, x}; }
inline __half2 __floats2half2_rn(float x, float y) { return {x, y}; }
inline __half __low2half(__half2 x) { return x.x; }
inline __half __high2half(__half2 x) { return x.y; }
inline float __low2float(__half2 x) { return x.x; }
inline float __high2float(__half2 x) { return x.y; }
inline __half __double2half(double x) { return static_cast<float>(x); }
inline __half __int2half_rn(int x) { return static_cast<float>(x); }
inline int __half2int_rz(__half x) { return static_cast<int>(static_cast<float>(x)); }
inline unsigned short __half_as_ushort(__half x) { return x.bits; }
inline __half __ushort_as_half(unsigned short bits) {
    __half x;
    x.bits = bits;
    return x;
}
