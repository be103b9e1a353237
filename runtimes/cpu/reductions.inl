// The loops that make one of many.

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
    constexpr std::size_t lanes = 4 * CPU_VECTOR / sizeof(A);
    const auto* from = static_cast<const T*>(x);
    A result = static_cast<A>(from[0]);
    std::size_t i = 1;
    if (size >= 2 * lanes) {
        A lane[lanes];
        for (std::size_t j = 0; j < lanes; ++j) lane[j] = static_cast<A>(from[j]);
        for (i = lanes; i + lanes <= size; i += lanes) {
            CPU_LOOP
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
    CPU_LOOP
    for (std::size_t i = 0; i < size; ++i) to[i] = combined<operation, A>(to[i], static_cast<A>(from[i]));
}
