// The types of elements, and how they are converted. Compiled by NVRTC, which has no headers: so no other is needed.
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;
struct f16 { u16 bits; };
struct bf16 { u16 bits; };
struct boolean { u8 bits; };

template <class To, class From>
__device__ inline To as_bits(From from) {
    static_assert(sizeof(To) == sizeof(From), "the same size");
    union { From from; To to; } value;
    value.from = from;
    return value.to;
}

// --- 16-bit floats, rounded to the nearest, ties to even

__device__ inline f32 widen(f16 x) {
#ifdef __CUDA_ARCH__
    f32 result;
    asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(x.bits));
    return result;
#else
    u32 sign = (u32)(x.bits & 0x8000u) << 16;
    u32 magnitude = (u32)(x.bits & 0x7fffu) << 13;
    bool is_special = magnitude >= 0x0f800000u;
    // 2^112 is what the exponents differ by; it makes normal numbers of subnormal ones too
    u32 scaled = as_bits<u32>(as_bits<f32>(magnitude) * 5.192296858534828e33f);
    return as_bits<f32>((is_special ? magnitude | 0x7f800000u : scaled) | sign);
#endif
}

__device__ inline f16 narrow_to_f16(f32 x) {
    f16 result;
#ifdef __CUDA_ARCH__
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(result.bits) : "f"(x));
#else
    u32 bits = as_bits<u32>(x);
    u32 magnitude = bits & 0x7fffffffu;
    u32 normal = (magnitude + 0xc8000fffu + (magnitude >> 13 & 1u)) >> 13;
    // the sum with 1/2 has a subnormal's bits, rounded, at its end
    u32 subnormal = as_bits<u32>(as_bits<f32>(magnitude) + 0.5f) - 0x3f000000u;
    u32 finite = magnitude < 0x38800000u ? subnormal : normal;
    u32 special = magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u;
    result.bits = (u16)((magnitude >= 0x477ff000u ? special : finite) | (bits >> 16 & 0x8000u));
#endif
    return result;
}

__device__ inline f32 widen(bf16 x) { return as_bits<f32>((u32)x.bits << 16); }

__device__ inline bf16 narrow_to_bf16(f32 x) {
    u32 bits = as_bits<u32>(x);
    bool is_nan = (bits & 0x7fffffffu) > 0x7f800000u;
    bf16 result;
    result.bits = (u16)(is_nan ? bits >> 16 | 0x40u : (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
    return result;
}

// To f32 with the last bit set when anything was lost, so that rounding once more is as good as rounding once.
__device__ inline f32 round_to_odd(f64 x) {
    f32 nearest = (f32)x;
    f64 back = (f64)nearest;
    u32 bits = as_bits<u32>(nearest);
    if (back == x || x != x || (bits & 1u)) return nearest;
    bool is_beyond = (back < 0 ? -back : back) > (x < 0 ? -x : x);
    return as_bits<f32>(is_beyond ? bits - 1u : bits + 1u);
}

// --- what an element is calculated with

template <class T> struct Calculation { typedef T type; };
template <> struct Calculation<f16> { typedef f32 type; };
template <> struct Calculation<bf16> { typedef f32 type; };
template <> struct Calculation<boolean> { typedef u8 type; };

__device__ inline u8 widen(boolean x) { return x.bits != 0; }
template <class T>
__device__ inline T widen(T x) { return x; }

template <class T> struct Traits;
template <> struct Traits<f32> {
    static const bool is_float = true;
    static const bool is_signed = true;
};
template <> struct Traits<f64> : Traits<f32> {};
#define INTEGER(T, U, LEAST, GREATEST)                                    \
    template <> struct Traits<T> {                                        \
        static const bool is_float = false;                               \
        static const bool is_signed = (LEAST) != 0;                       \
        typedef U Unsigned;                                               \
        __device__ static T least() { return (T)(LEAST); }                \
        __device__ static T greatest() { return (T)(GREATEST); }          \
    };
INTEGER(i8, u32, -128, 127)
INTEGER(i16, u32, -32768, 32767)
INTEGER(i32, u32, -2147483647 - 1, 2147483647)
INTEGER(i64, u64, -9223372036854775807ll - 1, 9223372036854775807ll)
INTEGER(u8, u32, 0, 255)
INTEGER(u16, u32, 0, 65535)
INTEGER(u32, u32, 0, 4294967295u)
INTEGER(u64, u64, 0, 18446744073709551615ull)
#undef INTEGER

// A float outside an integer's range becomes the nearest that there is, and NaN becomes 0.
template <class To, class From>
struct Convert {
    __device__ static To from(From x) {
        if constexpr (Traits<From>::is_float && !Traits<To>::is_float) {
            From least = (From)Traits<To>::least();
            From limit = (From)(Traits<To>::greatest() / 2 + 1) * (From)2;
            if (x >= limit) return Traits<To>::greatest();
            if (x < least) return Traits<To>::least();
            return x == x ? (To)x : (To)0;
        } else {
            return (To)x;
        }
    }
};
template <class From>
struct Convert<boolean, From> {
    __device__ static boolean from(From x) {
        boolean result;
        result.bits = x != (From)0;
        return result;
    }
};
template <class From>
struct Convert<f16, From> {
    __device__ static f16 from(From x) { return narrow_to_f16(sizeof(From) < 4 ? (f32)x : round_to_odd((f64)x)); }
};
template <class From>
struct Convert<bf16, From> {
    __device__ static bf16 from(From x) { return narrow_to_bf16(sizeof(From) < 4 ? (f32)x : round_to_odd((f64)x)); }
};
template <> struct Convert<f16, f32> {
    __device__ static f16 from(f32 x) { return narrow_to_f16(x); }
};
template <> struct Convert<bf16, f32> {
    __device__ static bf16 from(f32 x) { return narrow_to_bf16(x); }
};

// From what was calculated to what is stored.
template <class To, class From>
__device__ inline To narrow(From x) { return Convert<To, From>::from(x); }

// --- where elements lie

__device__ inline i64 first_index() { return (i64)blockIdx.x * blockDim.x + threadIdx.x; }
__device__ inline i64 index_step() { return (i64)gridDim.x * blockDim.x; }

const int most_axes = 8;

// Strides of `operands` arrays of one shape, in elements.
template <int operands>
struct Layout {
    i64 axes;
    i64 shape[most_axes];
    i64 strides[operands][most_axes];
};

template <int operands>
struct Offsets {
    i64 of[operands];
};

// Where element `index`, counted in row-major order, lies in each of the arrays.
template <int operands>
__device__ inline Offsets<operands> locate(const Layout<operands>& layout, i64 index) {
    Offsets<operands> result = {};
#pragma unroll 1
    for (int axis = (int)layout.axes - 1; axis >= 0; --axis) {
        i64 size = layout.shape[axis];
        bool is_short = ((index | size) >> 32) == 0;  // dividing short numbers is several times faster
        i64 rest = is_short ? (i64)((u32)index / (u32)size) : index / size;
        i64 position = index - rest * size;
        for (int i = 0; i < operands; ++i) result.of[i] += position * layout.strides[i][axis];
        index = rest;
    }
    return result;
}
