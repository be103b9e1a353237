// The loops of operations that take elements as they come.

// to[i] = element(i)
template <class T, class Element>
inline void each(T* to, std::size_t size, const Element& element) {
    CPU_LOOP
    for (std::size_t i = 0; i < size; ++i) to[i] = element(i);
}

#ifdef CPU_STORE

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
        for (std::size_t j = 0; j < count; j += line) CPU_STORE(to + i + j, values + j);
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

CPU_WIDE_BEGIN
// Powers, with the quicker function for blocks in which all bases are normal and above 0, and all exponents finite.
template <Form form>
void power_loop(float* to, const float* left, const float* right, std::size_t size) {
    const float number = form == Form::number_array ? *left : *right;
    const auto base = [=](std::size_t i) { return form == Form::number_array ? number : left[i]; };
    const auto exponent = [=](std::size_t i) { return form == Form::array_number ? number : right[i]; };
    for (std::size_t begin = 0; begin < size; begin += 512) {
        const std::size_t end = size - begin < 512 ? size : begin + 512;
        std::uint32_t special = 0;
        for (std::size_t i = begin; i < end; ++i) {
            special |= is_positive_normal(base(i)) && __builtin_fabsf(exponent(i)) <= 3.4e38f ? 0u : 1u;
        }
        if (special != 0) {
            for (std::size_t i = begin; i < end; ++i) to[i] = std::pow(base(i), exponent(i));
        } else {
            CPU_LOOP
            for (std::size_t i = begin; i < end; ++i) to[i] = normal_power(base(i), exponent(i));
        }
    }
}
CPU_WIDE_END

template <Binary operation, Form form, class T, bool uncached = false>
void binary_loop(void* out, const void* a, const void* b, std::size_t size) {
    auto* to = static_cast<decltype(binary_of<operation>(T{}, T{}))*>(out);
    const auto* left = static_cast<const T*>(a);
    const auto* right = static_cast<const T*>(b);
    const T number = form == Form::number_array ? *left : *right;
    if constexpr (operation == Binary::pow && std::is_same_v<T, float>) return power_loop<form>(to, left, right, size);
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
    CPU_LOOP
    for (std::size_t i = 0; i < size; ++i) to[i] = converted<To>(from[i]);
}

template <class From>
void to_boolean_loop(void* out, const void* x, std::size_t size) {
    auto* to = static_cast<std::uint8_t*>(out);
    const auto* from = static_cast<const From*>(x);
    CPU_LOOP
    for (std::size_t i = 0; i < size; ++i) to[i] = from[i] != From{0};
}

template <class To, class From, To (*convert)(From)>
void convert_loop(void* out, const void* x, std::size_t size) {
    auto* to = static_cast<To*>(out);
    const auto* from = static_cast<const From*>(x);
    CPU_LOOP
    for (std::size_t i = 0; i < size; ++i) to[i] = convert(from[i]);
}

template <class Bits>
void select_loop(void* out, const void* condition, const void* a, const void* b, std::size_t size) {
    auto* to = static_cast<Bits*>(out);
    const auto* chosen = static_cast<const std::uint8_t*>(condition);
    const auto* left = static_cast<const Bits*>(a);
    const auto* right = static_cast<const Bits*>(b);
    CPU_LOOP
    for (std::size_t i = 0; i < size; ++i) {
        const Bits yes = left[i], no = right[i];
        to[i] = chosen[i] != 0 ? yes : no;
    }
}
