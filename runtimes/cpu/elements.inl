// What an operation does with one element; integers wrap.

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

// Of integers by squaring, which wraps; a negative power is the whole part of the fraction, and of 0 it is 0.
template <class T>
inline T power(T base, T exponent) {
    if constexpr (std::is_floating_point_v<T>) {
        return std::pow(base, exponent);
    } else {
        if constexpr (std::is_signed_v<T>) {
            if (exponent < 0) return base == 1 || (base == -1 && exponent % 2 == 0) ? T{1} : base == -1 ? base : T{0};
        }
        Wrapping<T> result = 1, factor = static_cast<Wrapping<T>>(base);
        for (auto left = static_cast<Wrapping<T>>(exponent); left != 0; left >>= 1) {
            if (left & 1) result *= factor;
            factor *= factor;
        }
        return static_cast<T>(result);
    }
}

template <Binary operation, class T>
inline auto binary_of(T a, T b) {
    if constexpr (operation == Binary::eq) return static_cast<std::uint8_t>(a == b);
    else if constexpr (operation == Binary::ne) return static_cast<std::uint8_t>(a != b);
    else if constexpr (operation == Binary::lt) return static_cast<std::uint8_t>(a < b);
    else if constexpr (operation == Binary::le) return static_cast<std::uint8_t>(a <= b);
    else if constexpr (operation == Binary::maximum) return a > b || a != a ? a : b;
    else if constexpr (operation == Binary::minimum) return a < b || a != a ? a : b;
    else if constexpr (operation == Binary::div) return quotient(a, b);
    else if constexpr (operation == Binary::pow) return power(a, b);
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
