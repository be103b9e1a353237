// The loops of operations that take elements as they come.

<<<<<<< HEAD
namespace host {
namespace HOST_LEVEL {
namespace {

// The elements of one loop do not depend on each other: see loops.hpp about overlap.
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed"  // a call of the C library is not for vectors
#define HOST_LOOP _Pragma("clang loop vectorize(assume_safety)")
#else
#define HOST_LOOP _Pragma("GCC ivdep")
#endif

template <class T>
using bits_of = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

template <class To, class From>
inline To as_bits(From from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}

#ifndef HOST_WIDE_BEGIN  // what is worth longer vectors than plain loops, which wait for memory
#define HOST_WIDE_BEGIN
#define HOST_WIDE_END
#endif
HOST_WIDE_BEGIN

// --- mathematics of f32, within 1 unit in the last place of the true value, hyperbolic and logistic within 2.5

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

// (e^2x - 1) / (e^2x + 1), where e^2x - 1 does not come from e^2x, which would lose small x
inline float hyperbolic_tangent(float x) {
    const float size = __builtin_fabsf(x);
    const float bounded = size > 10.0f ? 10.0f : size == size ? size : 0.0f;
    std::int32_t whole = 0;
    const float r = reduced(2.0f * bounded, whole);
    const float power = power_of_two(whole);
    const float less_one = small_exponential(r) * power + (power - 1.0f);
    const float result = less_one / (less_one + 2.0f);
    return x == x ? __builtin_copysignf(result, x) : x;
}

inline float logistic(float x) {
    const float z = exponential(-__builtin_fabsf(x));
    return (x < 0.0f ? z : 1.0f) / (1.0f + z);
}

template <float (*function)(float)>
void function_loop(void* out, const void* x, std::size_t size) {
    auto* to = static_cast<float*>(out);
    const auto* from = static_cast<const float*>(x);
=======
// to[i] = element(i)
template <class T, class Element>
inline void each(T* to, std::size_t size, const Element& element) {
>>>>>>> hostperf
    HOST_LOOP
    for (std::size_t i = 0; i < size; ++i) to[i] = element(i);
}

#ifdef HOST_STORE

// The same past the caches, a few lines at a time: no line is read before it is written. A loop of fewer
// is unrolled before it could be turned into vectors.
template <class T, class Element>
inline void each_uncached(T* to, std::size_t size, const Element& element) {
    constexpr std::size_t line = 64 / sizeof(T), count = 4 * line;
    const std::size_t head = -reinterpret_cast<std::uintptr_t>(to) % 64 / sizeof(T);
    std::size_t i = head < size ? head : size;
    each(to, i, element);
    for (; i + count <= size; i += count) {
        alignas(64) T values[count];
        each(values, count, [&](std::size_t j) { return element(i + j); });
        for (std::size_t j = 0; j < count; j += line) HOST_STORE(to + i + j, values + j);
    }
    each(to + i, size - i, [&](std::size_t j) { return element(i + j); });
    __builtin_ia32_sfence();  // others may read it when this returns
}

#else

template <class T, class Element>
inline void each_uncached(T* to, std::size_t size, const Element& element) {
    each(to, size, element);
}

#endif

template <Unary operation, class T, bool uncached = false>
void unary_loop(void* out, const void* x, std::size_t size) {
    auto* to = static_cast<T*>(out);
    const auto* from = static_cast<const T*>(x);
    const auto element = [from](std::size_t i) { return unary_of<operation>(from[i]); };
    if constexpr (uncached) each_uncached(to, size, element);
    else each(to, size, element);
}

template <Binary operation, Form form, class T, bool uncached = false>
void binary_loop(void* out, const void* a, const void* b, std::size_t size) {
    auto* to = static_cast<decltype(binary_of<operation>(T{}, T{}))*>(out);
    const auto* left = static_cast<const T*>(a);
    const auto* right = static_cast<const T*>(b);
    const T number = form == Form::number_array ? *left : *right;
    const auto element = [left, right, number](std::size_t i) {
        return binary_of<operation>(form == Form::number_array ? number : left[i],
                                    form == Form::array_number ? number : right[i]);
    };
    if constexpr (uncached) each_uncached(to, size, element);
    else each(to, size, element);
}

template <class To, class From>
void cast_loop(void* out, const void* x, std::size_t size) {
    auto* to = static_cast<To*>(out);
    const auto* from = static_cast<const From*>(x);
    HOST_LOOP
    for (std::size_t i = 0; i < size; ++i) to[i] = converted<To>(from[i]);
}

template <class From>
void to_boolean_loop(void* out, const void* x, std::size_t size) {
    auto* to = static_cast<std::uint8_t*>(out);
    const auto* from = static_cast<const From*>(x);
    HOST_LOOP
    for (std::size_t i = 0; i < size; ++i) to[i] = from[i] != From{0};
}

template <class To, class From, To (*convert)(From)>
void convert_loop(void* out, const void* x, std::size_t size) {
    auto* to = static_cast<To*>(out);
    const auto* from = static_cast<const From*>(x);
    HOST_LOOP
    for (std::size_t i = 0; i < size; ++i) to[i] = convert(from[i]);
}

template <class Bits>
void select_loop(void* out, const void* condition, const void* a, const void* b, std::size_t size) {
    auto* to = static_cast<Bits*>(out);
    const auto* chosen = static_cast<const std::uint8_t*>(condition);
    const auto* left = static_cast<const Bits*>(a);
    const auto* right = static_cast<const Bits*>(b);
    HOST_LOOP
    for (std::size_t i = 0; i < size; ++i) {
        const Bits yes = left[i], no = right[i];
        to[i] = chosen[i] != 0 ? yes : no;
    }
}
