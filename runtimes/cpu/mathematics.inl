#ifndef CPU_WIDE_BEGIN  // what is worth longer vectors than plain loops, which wait for memory
#define CPU_WIDE_BEGIN
#define CPU_WIDE_END
#endif
CPU_WIDE_BEGIN

// Functions of f32, within 1 unit in the last place of the true value, hyperbolic and logistic within 2.5

// 2 to the power of n, for n from -126 to 127.
inline float power_of_two(std::int32_t n) { return as_bits<float>((n + 127) << 23); }

// x = n * ln(2) + r with |r| <= ln(2) / 2, for |x| up to 104; `whole` is n.
inline float reduced(float x, std::int32_t& whole) {
    constexpr float rounder = 12582912.0f;  // 1.5 * 2^23: what is added to it is rounded to an integer, in the low bits
    const float shifted = x * 1.44269504f + rounder;
    const float n = shifted - rounder;
    whole = as_bits<std::int32_t>(shifted) - as_bits<std::int32_t>(rounder);
    return (x - n * 0.693359375f) + n * 2.12194440e-4f;  // ln(2) in two parts, of which the first is exact
}

// e^r - 1 for |r| <= ln(2) / 2
inline float small_exponential(float r) {
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    return p * (r * r) + r;
}

inline bool exponential_is_normal(float x) { return __builtin_fabsf(x) < 87.0f; }

// e^x = 2^n * e^r
inline float normal_exponential(float x) {
    std::int32_t whole = 0;
    const float r = reduced(x, whole);
    return (small_exponential(r) + 1.0f) * power_of_two(whole);
}

// The power of two in two steps, as the result may be subnormal.
inline float exponential(float x) {
    const float bounded = x > 89.0f ? 89.0f : x < -104.0f ? -104.0f : x == x ? x : 0.0f;
    std::int32_t whole = 0;
    const float r = reduced(bounded, whole);
    const std::int32_t first = whole >> 1;
    const float result = (small_exponential(r) + 1.0f) * power_of_two(first) * power_of_two(whole - first);
    return x == x ? result : x;
}

inline bool is_positive_normal(float x) { return as_bits<std::uint32_t>(x) - 0x00800000u < 0x7f000000u; }

// ln(x) = e * ln(2) + ln(m) with m from sqrt(1/2) to sqrt(2); `e` is added to the exponent.
inline float normal_logarithm(float x, float e = 0.0f) {
    const std::int32_t bits = as_bits<std::int32_t>(x);
    const std::int32_t exponent = (bits - 0x3f3504f3) >> 23;
    const float m = as_bits<float>(bits - exponent * (1 << 23)) - 1.0f;
    e += static_cast<float>(exponent);
    float p = 7.0376836292e-2f;
    p = p * m - 1.1514610310e-1f;
    p = p * m + 1.1676998740e-1f;
    p = p * m - 1.2420140846e-1f;
    p = p * m + 1.4249322787e-1f;
    p = p * m - 1.6668057665e-1f;
    p = p * m + 2.0000714765e-1f;
    p = p * m - 2.4999993993e-1f;
    p = p * m + 3.3333331174e-1f;
    const float square = m * m;
    const float tail = p * m * square - e * 2.12194440e-4f - 0.5f * square;
    return m + tail + e * 0.693359375f;
}
inline float plain_logarithm(float x) { return normal_logarithm(x); }

inline float logarithm(float x) {
    const bool tiny = x < 1.17549435e-38f;
    const float result = normal_logarithm(tiny ? x * 8388608.0f : x, tiny ? -23.0f : 0.0f);
    const float infinity = __builtin_inff();
    const float special = x == 0.0f ? -infinity : x > 0.0f ? x : __builtin_nanf("");
    return x > 0.0f && x < infinity ? result : special;
}

// (e^2x - 1) / (e^2x + 1), where e^2x - 1 = 2^n * (e^2r - 1) + (2^n - 1) with x = n * ln(2) / 2 + r does not come from
// e^2x, which would lose small x. NaN goes all the way.
inline float hyperbolic_tangent(float x) {
    constexpr float rounder = 12582912.0f + 127.0f;  // as in `reduced`, and the low bits are the exponent of 2^n
    const float size = __builtin_fabsf(x);
    const float bounded = size > 10.0f ? 10.0f : size;
    const float shifted = bounded * 2.88539008f + rounder;
    const float r = bounded - (shifted - rounder) * 0.34657359f;
    const float power = as_bits<float>(as_bits<std::uint32_t>(shifted) << 23);
    float p = 2.5402774675e-2f;
    p = p * r + 8.9223255682e-2f;
    p = p * r + 2.6666849546e-1f;
    p = p * r + 6.6666167865e-1f;
    p = p * r + 1.3333333089f;
    p = p * r + 2.0f;
    const float small = p * (r * r) + 2.0f * r;
    const float less_one = small * power + (power - 1.0f);
    return __builtin_copysignf(less_one / (less_one + 2.0f), x);
}

// 1 / (1 + e^-x), from a power that is at most 1
template <float (*power)(float)>
inline float logistic(float x) {
    const float z = power(-__builtin_fabsf(x));
    return (x < 0.0f ? z : 1.0f) / (1.0f + z);
}

template <float (*function)(float)>
void function_loop(void* out, const void* x, std::size_t size) {
    auto* to = static_cast<float*>(out);
    const auto* from = static_cast<const float*>(x);
    CPU_LOOP
    for (std::size_t i = 0; i < size; ++i) to[i] = function(from[i]);
}

// The same, with a quicker function for blocks in which all elements are ordinary.
template <float (*function)(float), float (*quick)(float), bool (*is_ordinary)(float)>
void function_loop(void* out, const void* x, std::size_t size) {
    auto* to = static_cast<float*>(out);
    const auto* from = static_cast<const float*>(x);
    while (size > 0) {
        const std::size_t count = size < 512 ? size : 512;
        std::uint32_t special = 0;
        for (std::size_t i = 0; i < count; ++i) special |= is_ordinary(from[i]) ? 0u : 1u;
        (special != 0 ? function_loop<function> : function_loop<quick>)(to, from, count);
        to += count;
        from += count;
        size -= count;
    }
}

CPU_WIDE_END

// e^x of f64 within 1 unit in the last place: x = n * ln(2) + r as above, with ln(2) in two parts, and
// e^r = 1 + 2r / (2 - c) with c = r - t * p(t), t = r * r, of which `p` is what Remez's algorithm gives for |r| <= ln(2) / 2.
inline double exponential(double x) {
    constexpr double rounder = 6755399441055744.0;  // 1.5 * 2^52
    const double bounded = x > 710.0 ? 710.0 : x < -746.0 ? -746.0 : x == x ? x : 0.0;
    const double shifted = bounded * 1.4426950408889634 + rounder;
    const double n = shifted - rounder;
    const std::int64_t whole = as_bits<std::int64_t>(shifted) - as_bits<std::int64_t>(rounder);
    const double high = bounded - n * 6.93147180369123816490e-01, low = n * 1.90821492927058770002e-10;
    const double r = high - low, t = r * r;
    double p = 4.13813679705723846039e-08;
    p = p * t - 1.65339022054652515390e-06;
    p = p * t + 6.61375632143793436117e-05;
    p = p * t - 2.77777777770155933842e-03;
    p = p * t + 1.66666666666666019037e-01;
    const double c = r - t * p;
    const double power = 1.0 - ((low - r * c / (2.0 - c)) - high);
    const std::int64_t half = whole >> 1;  // a result that is subnormal is rounded once, in the last step
    const auto two_to = [](std::int64_t e) { return as_bits<double>((e + 1023) << 52); };
    const double result = power * two_to(half) * two_to(whole - half);
    return x == x ? result : x;
}
inline double logarithm(double x) { return std::log(x); }

// ln(x) of a normal f64 above 0 within 1 unit, as e * ln(2) + ln(1 + f): with s = f / (2 + f), ln(1 + f) is
// 2s + s * q(s^2), of which `q` is from Remez's algorithm, for 1 + f from sqrt(1/2) to sqrt(2).
inline double normal_logarithm(double x) {
    const std::int64_t bits = as_bits<std::int64_t>(x), above = bits - 0x3fe6a09e667f3bcd;
    const std::int64_t exponent = above >> 52;
    const double f = as_bits<double>(bits - exponent * (std::int64_t{1} << 52)) - 1.0;
    const double e = as_bits<double>(exponent + 0x4338000000000000) - 6755399441055744.0;
    const double s = f / (2.0 + f), z = s * s;
    double q = 1.479819860511658591e-01;
    q = q * z + 1.531383769920937332e-01;
    q = q * z + 1.818357216161805012e-01;
    q = q * z + 2.222219843214978396e-01;
    q = q * z + 2.857142874366239149e-01;
    q = q * z + 3.999999999940941908e-01;
    q = q * z + 6.666666666666735130e-01;
    const double square = 0.5 * f * f;
    const double tail = s * (square + q * z) + e * 1.90821492927058770002e-10;
    return e * 6.93147180369123816490e-01 - ((square - tail) - f);
}

// Powers of f32 as f64 has them, rounded once; for a base that is normal and above 0, and a finite exponent.
inline float normal_power(float base, float exponent) {
    return static_cast<float>(exponential(static_cast<double>(exponent) * normal_logarithm(static_cast<double>(base))));
}
inline double hyperbolic_tangent(double x) { return std::tanh(x); }
inline double logistic(double x) {
    const double z = std::exp(-__builtin_fabs(x));
    return (x < 0.0 ? z : 1.0) / (1.0 + z);
}
inline float square_root(float x) { return __builtin_sqrtf(x); }
inline double square_root(double x) { return __builtin_sqrt(x); }
