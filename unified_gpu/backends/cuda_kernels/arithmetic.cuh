// What an operation does with one element. Integers wrap; NaN stays NaN.
__device__ inline f32 exponential(f32 x) { return expf(x); }
__device__ inline f64 exponential(f64 x) { return exp(x); }
__device__ inline f32 logarithm(f32 x) { return logf(x); }
__device__ inline f64 logarithm(f64 x) { return log(x); }
__device__ inline f32 hyperbolic_tangent(f32 x) { return tanhf(x); }
__device__ inline f64 hyperbolic_tangent(f64 x) { return tanh(x); }
__device__ inline f32 square_root(f32 x) { return sqrtf(x); }
__device__ inline f64 square_root(f64 x) { return sqrt(x); }
__device__ inline f32 power(f32 x, f32 y) { return powf(x, y); }
__device__ inline f64 power(f64 x, f64 y) { return pow(x, y); }
__device__ inline f32 magnitude(f32 x) { return fabsf(x); }
__device__ inline f64 magnitude(f64 x) { return fabs(x); }

template <class C>
__device__ inline C apply_neg(C x) {
    if constexpr (Traits<C>::is_float) return -x;
    else return (C)((typename Traits<C>::Unsigned)0 - (typename Traits<C>::Unsigned)x);
}

template <class C>
__device__ inline C apply_abs(C x) {
    if constexpr (Traits<C>::is_float) return magnitude(x);
    else if constexpr (Traits<C>::is_signed) return x < (C)0 ? apply_neg(x) : x;
    else return x;
}

template <class C>
__device__ inline C apply_relu(C x) {
    if constexpr (Traits<C>::is_signed) return x < (C)0 ? (C)0 : x;
    else return x;
}

template <class C>
__device__ inline C apply_exp(C x) { return exponential(x); }
template <class C>
__device__ inline C apply_log(C x) { return logarithm(x); }
template <class C>
__device__ inline C apply_tanh(C x) { return hyperbolic_tangent(x); }
template <class C>
__device__ inline C apply_sqrt(C x) { return square_root(x); }

template <class C>
__device__ inline C apply_sigmoid(C x) {  // no power of e that overflows
    C z = exponential(-magnitude(x));
    return (x < (C)0 ? z : (C)1) / ((C)1 + z);
}

template <class C>
__device__ inline C apply_add(C a, C b) {
    if constexpr (Traits<C>::is_float) return a + b;
    else return (C)((typename Traits<C>::Unsigned)a + (typename Traits<C>::Unsigned)b);
}

template <class C>
__device__ inline C apply_sub(C a, C b) {
    if constexpr (Traits<C>::is_float) return a - b;
    else return (C)((typename Traits<C>::Unsigned)a - (typename Traits<C>::Unsigned)b);
}

template <class C>
__device__ inline C apply_mul(C a, C b) {
    if constexpr (Traits<C>::is_float) return a * b;
    else return (C)((typename Traits<C>::Unsigned)a * (typename Traits<C>::Unsigned)b);
}

// Of integers: towards zero; nothing by 0 is 0, and the least number by -1 is itself.
template <class C>
__device__ inline C apply_div(C a, C b) {
    if constexpr (Traits<C>::is_float) return a / b;
    else if (b == (C)0) return (C)0;
    else if (Traits<C>::is_signed && b == (C)-1) return apply_neg(a);
    else return (C)(a / b);
}

// Of integers by squaring, which wraps; a negative power is the whole part of the fraction, and of 0 it is 0.
template <class C>
__device__ inline C apply_pow(C a, C b) {
    if constexpr (Traits<C>::is_float) {
        return power(a, b);
    } else {
        if (Traits<C>::is_signed && b < (C)0) {
            return a == (C)1 || (a == (C)-1 && b % 2 == 0) ? (C)1 : a == (C)-1 ? a : (C)0;
        }
        typedef typename Traits<C>::Unsigned Unsigned;
        Unsigned result = 1, factor = (Unsigned)a;
        for (Unsigned left = (Unsigned)b; left != 0; left >>= 1) {
            if (left & 1) result *= factor;
            factor *= factor;
        }
        return (C)result;
    }
}

template <class C>
__device__ inline C apply_maximum(C a, C b) { return a > b || a != a ? a : b; }
template <class C>
__device__ inline C apply_minimum(C a, C b) { return a < b || a != a ? a : b; }

template <class C>
__device__ inline bool apply_eq(C a, C b) { return a == b; }
template <class C>
__device__ inline bool apply_ne(C a, C b) { return a != b; }
template <class C>
__device__ inline bool apply_lt(C a, C b) { return a < b; }
template <class C>
__device__ inline bool apply_le(C a, C b) { return a <= b; }
template <class C>
__device__ inline bool apply_gt(C a, C b) { return a > b; }
template <class C>
__device__ inline bool apply_ge(C a, C b) { return a >= b; }

// Stores the result of a comparison too.
template <>
struct Convert<boolean, bool> {
    __device__ static boolean from(bool x) {
        boolean result;
        result.bits = x;
        return result;
    }
};
