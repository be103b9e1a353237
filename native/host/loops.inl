// The loops of loops.hpp, in the namespace HOST_LEVEL and with vectors of HOST_VECTOR bytes; see level_*.cpp.

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
    HOST_LOOP
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

HOST_WIDE_END

inline double exponential(double x) { return std::exp(x); }
inline double logarithm(double x) { return std::log(x); }
inline double hyperbolic_tangent(double x) { return std::tanh(x); }
inline double logistic(double x) {
    const double z = std::exp(-__builtin_fabs(x));
    return (x < 0.0 ? z : 1.0) / (1.0 + z);
}
inline float square_root(float x) { return __builtin_sqrtf(x); }
inline double square_root(double x) { return __builtin_sqrt(x); }

// --- what an operation does with one element; integers wrap

template <class T>
using Wrapping = std::make_unsigned_t<std::conditional_t<sizeof(T) < sizeof(int), int, T>>;

template <Unary operation, class T>
inline T unary_of(T x) {
    if constexpr (operation == Unary::neg) {
        if constexpr (std::is_floating_point_v<T>) return -x;
        else return static_cast<T>(Wrapping<T>{0} - static_cast<Wrapping<T>>(x));
    } else if constexpr (operation == Unary::relu) {
        return x < T{0} ? T{0} : x;
    } else if constexpr (operation == Unary::abs) {
        if constexpr (std::is_unsigned_v<T>) return x;
        else if constexpr (std::is_same_v<T, float>) return __builtin_fabsf(x);
        else if constexpr (std::is_same_v<T, double>) return __builtin_fabs(x);
        else return x < 0 ? unary_of<Unary::neg>(x) : x;
    } else if constexpr (operation == Unary::exp) {
        return exponential(x);
    } else if constexpr (operation == Unary::log) {
        return logarithm(x);
    } else if constexpr (operation == Unary::sigmoid) {
        return logistic(x);
    } else if constexpr (operation == Unary::tanh) {
        return hyperbolic_tangent(x);
    } else {
        return square_root(x);
    }
}

// Towards zero; nothing by 0 is 0, and the least number by -1 is itself.
template <class T>
inline T quotient(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
        return a / b;
    } else if constexpr (sizeof(T) < 4) {  // exact in f32, for which there are vectors
        const float exact = static_cast<float>(a) / static_cast<float>(b == 0 ? T{1} : b);
        return b == 0 ? T{0} : static_cast<T>(static_cast<std::int32_t>(exact));
    } else if constexpr (sizeof(T) == 4) {
        const double exact = static_cast<double>(a) / static_cast<double>(b == 0 ? T{1} : b);
        return b == 0 ? T{0} : static_cast<T>(static_cast<std::int64_t>(exact));
    } else if constexpr (std::is_signed_v<T>) {
        return b == 0 ? T{0} : b == -1 ? unary_of<Unary::neg>(a) : static_cast<T>(a / b);
    } else {
        return b == 0 ? T{0} : static_cast<T>(a / b);
    }
}

template <Binary operation, class T>
inline auto binary_of(T a, T b) {
    if constexpr (operation == Binary::eq) return static_cast<std::uint8_t>(a == b);
    else if constexpr (operation == Binary::ne) return static_cast<std::uint8_t>(a != b);
    else if constexpr (operation == Binary::lt) return static_cast<std::uint8_t>(a < b);
    else if constexpr (operation == Binary::le) return static_cast<std::uint8_t>(a <= b);
    else if constexpr (operation == Binary::gt) return static_cast<std::uint8_t>(a > b);
    else if constexpr (operation == Binary::ge) return static_cast<std::uint8_t>(a >= b);
    else if constexpr (operation == Binary::maximum) return a > b || a != a ? a : b;
    else if constexpr (operation == Binary::minimum) return a < b || a != a ? a : b;
    else if constexpr (operation == Binary::div) return quotient(a, b);
    else if constexpr (std::is_floating_point_v<T>) {
        if constexpr (operation == Binary::add) return static_cast<T>(a + b);
        else if constexpr (operation == Binary::sub) return static_cast<T>(a - b);
        else return static_cast<T>(a * b);
    } else {
        const auto x = static_cast<Wrapping<T>>(a), y = static_cast<Wrapping<T>>(b);
        if constexpr (operation == Binary::add) return static_cast<T>(x + y);
        else if constexpr (operation == Binary::sub) return static_cast<T>(x - y);
        else return static_cast<T>(x * y);
    }
}

// A float outside of an integer's range becomes the nearest that there is, and NaN becomes 0.
template <class To, class From>
inline To converted(From x) {
    if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
        constexpr From least = static_cast<From>(std::numeric_limits<To>::min());
        constexpr From limit = static_cast<From>(std::numeric_limits<To>::max() / 2 + 1) * From{2};
        const From inside = x >= least && x < limit ? x : From{0};
        return x >= limit ? std::numeric_limits<To>::max()
                          : x < least ? std::numeric_limits<To>::min() : static_cast<To>(inside);
    } else {
        return static_cast<To>(x);
    }
}

// --- f16 and bf16, rounded to the nearest, ties to even

inline float widened(half x) {
    const std::uint32_t sign = static_cast<std::uint32_t>(x.bits & 0x8000) << 16;
    const std::uint32_t magnitude = static_cast<std::uint32_t>(x.bits & 0x7fff) << 13;
    const float scaled = as_bits<float>(magnitude) * 5.192296858534828e33f;  // 2^112, the difference of the exponents
    const std::uint32_t finite = as_bits<std::uint32_t>(scaled);
    const std::uint32_t result = magnitude >= 0x0f800000 ? (magnitude | 0x7f800000) : finite;
    return as_bits<float>(result | sign);
}

inline half narrowed_to_half(float x) {
    const std::uint32_t bits = as_bits<std::uint32_t>(x);
    const std::uint32_t magnitude = bits & 0x7fffffff;
    const std::uint32_t odd = (magnitude >> 13) & 1;
    const std::uint32_t normal = (magnitude + 0xc8000fff + odd) >> 13;
    // adding 1/2 shifts a subnormal's bits to their place, and rounds them
    const std::uint32_t subnormal = as_bits<std::uint32_t>(as_bits<float>(magnitude) + 0.5f) - 0x3f000000;
    const std::uint32_t finite = magnitude < 0x38800000 ? subnormal : normal;
    const std::uint32_t special = magnitude > 0x7f800000 ? 0x7e00 : 0x7c00;
    const std::uint32_t result = magnitude >= 0x477ff000 ? special : finite;
    return {static_cast<std::uint16_t>(result | ((bits >> 16) & 0x8000))};
}

inline float widened(bfloat x) { return as_bits<float>(static_cast<std::uint32_t>(x.bits) << 16); }

inline bfloat narrowed_to_bfloat(float x) {
    const std::uint32_t bits = as_bits<std::uint32_t>(x);
    const std::uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
    const std::uint32_t quiet = (bits >> 16) | 0x40;
    return {static_cast<std::uint16_t>((bits & 0x7fffffff) > 0x7f800000 ? quiet : rounded)};
}

// To f32 with the last bit set when anything was lost, so that rounding again rounds but once.
inline float narrowed_to_odd(double x) {
    const float nearest = static_cast<float>(x);
    const std::uint32_t bits = as_bits<std::uint32_t>(nearest);
    const bool inexact = static_cast<double>(nearest) != x && x == x;
    const bool beyond = __builtin_fabs(static_cast<double>(nearest)) > __builtin_fabs(x);
    return as_bits<float>(!inexact || (bits & 1) ? bits : beyond ? bits - 1 : bits + 1);
}

// --- the loops

template <Unary operation, class T>
void unary_loop(void* out, const void* x, std::size_t size) {
    auto* to = static_cast<T*>(out);
    const auto* from = static_cast<const T*>(x);
    HOST_LOOP
    for (std::size_t i = 0; i < size; ++i) to[i] = unary_of<operation>(from[i]);
}

template <Binary operation, class T>
void binary_loop(void* out, const void* a, const void* b, std::size_t size) {
    auto* to = static_cast<decltype(binary_of<operation>(T{}, T{}))*>(out);
    const auto* left = static_cast<const T*>(a);
    const auto* right = static_cast<const T*>(b);
    HOST_LOOP
    for (std::size_t i = 0; i < size; ++i) to[i] = binary_of<operation>(left[i], right[i]);
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

inline half narrowed_to_half(double x) { return narrowed_to_half(narrowed_to_odd(x)); }
inline bfloat narrowed_to_bfloat(double x) { return narrowed_to_bfloat(narrowed_to_odd(x)); }

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

template <class T>
using Sum = std::conditional_t<std::is_floating_point_v<T>, double,
                               std::conditional_t<std::is_unsigned_v<T>, std::uint64_t, std::int64_t>>;

template <Reduction operation, class T>
using Accumulator = std::conditional_t<operation == Reduction::sum, Sum<T>, T>;

template <Reduction operation, class A>
inline A combined(A a, A b) {
    if constexpr (operation == Reduction::max) return binary_of<Binary::maximum>(a, b);
    else if constexpr (operation == Reduction::min) return binary_of<Binary::minimum>(a, b);
    else return binary_of<Binary::add>(a, b);
}

// Several accumulators side by side: one vector's worth of work at a time, and smaller errors of rounding.
template <Reduction operation, class T>
void reduce_loop(void* out, const void* x, std::size_t size) {
    using A = Accumulator<operation, T>;
    constexpr std::size_t lanes = 4 * HOST_VECTOR / sizeof(A);
    const auto* from = static_cast<const T*>(x);
    A result = static_cast<A>(from[0]);
    std::size_t i = 1;
    if (size >= 2 * lanes) {
        A lane[lanes];
        for (std::size_t j = 0; j < lanes; ++j) lane[j] = static_cast<A>(from[j]);
        for (i = lanes; i + lanes <= size; i += lanes) {
            HOST_LOOP
            for (std::size_t j = 0; j < lanes; ++j) lane[j] = combined<operation, A>(lane[j], static_cast<A>(from[i + j]));
        }
        for (std::size_t width = lanes / 2; width > 0; width /= 2) {
            for (std::size_t j = 0; j < width; ++j) lane[j] = combined<operation, A>(lane[j], lane[j + width]);
        }
        result = lane[0];
    }
    for (; i < size; ++i) result = combined<operation, A>(result, static_cast<A>(from[i]));
    *static_cast<A*>(out) = result;
}

template <Reduction operation, class T>
void accumulate_loop(void* accumulators, const void* x, std::size_t size) {
    using A = Accumulator<operation, T>;
    auto* to = static_cast<A*>(accumulators);
    const auto* from = static_cast<const T*>(x);
    HOST_LOOP
    for (std::size_t i = 0; i < size; ++i) to[i] = combined<operation, A>(to[i], static_cast<A>(from[i]));
}

template <class T>
struct Tile {
    using Vector __attribute__((vector_size(HOST_VECTOR), aligned(alignof(T)), may_alias)) = T;
    static constexpr int width = HOST_VECTOR / static_cast<int>(sizeof(T));
    static constexpr int rows = HOST_VECTOR == 64 ? 12 : 6;  // what the registers hold: 16, or 32 of the long ones
    static constexpr int columns = 2 * width;
};

template <class T>
void product_loop(void* tile, const void* a, const void* b, std::int64_t inner) {
    using Vector = typename Tile<T>::Vector;
    constexpr int rows = Tile<T>::rows, columns = Tile<T>::columns;
    Vector sums[rows][2] = {};
    const auto* left = static_cast<const T*>(a);
    const auto* right = static_cast<const T*>(b);
    for (std::int64_t k = 0; k < inner; ++k, left += rows, right += columns) {
        const Vector first = *reinterpret_cast<const Vector*>(right);
        const Vector second = *reinterpret_cast<const Vector*>(right + Tile<T>::width);
#pragma GCC unroll 12
        for (int i = 0; i < rows; ++i) {
            sums[i][0] += left[i] * first;
            sums[i][1] += left[i] * second;
        }
    }
    auto* to = static_cast<T*>(tile);
#pragma GCC unroll 12
    for (int i = 0; i < rows; ++i) {
        *reinterpret_cast<Vector*>(to + i * columns) = sums[i][0];
        *reinterpret_cast<Vector*>(to + i * columns + Tile<T>::width) = sums[i][1];
    }
}

// --- the tables

template <class T>
constexpr bool is_boolean = std::is_same_v<T, bool>;

template <class T, int... i>
void fill_unary(Loops& loops, DType dtype, std::integer_sequence<int, i...>) {
    const auto at = static_cast<int>(dtype);
    auto loop = [](auto number) -> UnaryLoop {
        constexpr auto operation = static_cast<Unary>(decltype(number)::value);
        constexpr bool any = operation == Unary::neg || operation == Unary::relu || operation == Unary::abs;
        if constexpr (any || std::is_floating_point_v<T>) return unary_loop<operation, T>;
        else return nullptr;
    };
    ((loops.unary[i][at] = loop(std::integral_constant<int, i>())), ...);
}

template <class T, int... i>
void fill_binary(Loops& loops, DType dtype, std::integer_sequence<int, i...>) {
    ((loops.binary[i][static_cast<int>(dtype)] = binary_loop<static_cast<Binary>(i), T>), ...);
}

template <class T, class... From>
void fill_casts(Loops& loops, DType dtype) {
    int from = 0;
    ((loops.cast[static_cast<int>(dtype)][from++] = cast_loop<T, From>), ...);
}

template <class T>
void fill(Loops& loops, DType dtype) {
    const auto at = static_cast<int>(dtype);
    fill_unary<T>(loops, dtype, std::make_integer_sequence<int, unary_operations>());
    fill_binary<T>(loops, dtype, std::make_integer_sequence<int, binary_operations>());
    fill_casts<T, float, double, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
               std::uint32_t, std::uint64_t, std::uint8_t>(loops, dtype);
    loops.cast[static_cast<int>(DType::boolean)][at] = to_boolean_loop<T>;
    loops.reduce[0][at] = reduce_loop<Reduction::sum, T>;
    loops.reduce[1][at] = reduce_loop<Reduction::max, T>;
    loops.reduce[2][at] = reduce_loop<Reduction::min, T>;
    loops.accumulate[0][at] = accumulate_loop<Reduction::sum, T>;
    loops.accumulate[1][at] = accumulate_loop<Reduction::max, T>;
    loops.accumulate[2][at] = accumulate_loop<Reduction::min, T>;
}

// A bool is compared and combined as the byte 0 or 1, and added up as a signed number.
void fill_boolean(Loops& loops) {
    constexpr auto at = static_cast<int>(DType::boolean), byte = static_cast<int>(DType::u8);
    for (int i = static_cast<int>(Binary::maximum); i < binary_operations; ++i) {
        loops.binary[i][at] = loops.binary[i][byte];
    }
    loops.cast[at][at] = to_boolean_loop<std::uint8_t>;
    for (int i = 0; i < 3; ++i) {
        loops.reduce[i][at] = i == 0 ? reduce_loop<Reduction::sum, std::int8_t> : loops.reduce[i][byte];
        loops.accumulate[i][at] = i == 0 ? accumulate_loop<Reduction::sum, std::int8_t> : loops.accumulate[i][byte];
    }
}

Loops made() {
    Loops loops{};
    fill<float>(loops, DType::f32);
    constexpr auto f32 = static_cast<int>(DType::f32);
    loops.unary[static_cast<int>(Unary::exp)][f32] = function_loop<exponential, normal_exponential, exponential_is_normal>;
    loops.unary[static_cast<int>(Unary::log)][f32] = function_loop<logarithm, plain_logarithm, is_positive_normal>;
    loops.unary[static_cast<int>(Unary::sigmoid)][f32] = function_loop<logistic>;
    loops.unary[static_cast<int>(Unary::tanh)][f32] = function_loop<hyperbolic_tangent>;
    fill<double>(loops, DType::f64);
    fill<std::int8_t>(loops, DType::i8);
    fill<std::int16_t>(loops, DType::i16);
    fill<std::int32_t>(loops, DType::i32);
    fill<std::int64_t>(loops, DType::i64);
    fill<std::uint8_t>(loops, DType::u8);
    fill<std::uint16_t>(loops, DType::u16);
    fill<std::uint32_t>(loops, DType::u32);
    fill<std::uint64_t>(loops, DType::u64);
    fill_boolean(loops);
    loops.from_f16 = convert_loop<float, half, widened>;
    loops.from_bf16 = convert_loop<float, bfloat, widened>;
    loops.to_f16 = convert_loop<half, float, narrowed_to_half>;
    loops.to_bf16 = convert_loop<bfloat, float, narrowed_to_bfloat>;
    loops.f64_to_f16 = convert_loop<half, double, narrowed_to_half>;
    loops.f64_to_bf16 = convert_loop<bfloat, double, narrowed_to_bfloat>;
    loops.select[0] = select_loop<std::uint8_t>;
    loops.select[1] = select_loop<std::uint16_t>;
    loops.select[2] = select_loop<std::uint32_t>;
    loops.select[3] = select_loop<std::uint64_t>;
    loops.product_f32 = {product_loop<float>, Tile<float>::rows, Tile<float>::columns};
    loops.product_f64 = {product_loop<double>, Tile<double>::rows, Tile<double>::columns};
    return loops;
}

}  // namespace

const Loops& loops() {
    static const Loops result = made();
    return result;
}

}  // namespace HOST_LEVEL
}  // namespace host
