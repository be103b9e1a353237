// The tables of loops.hpp.

template <class T, int... i>
void fill_unary(Loops& loops, DType dtype, std::integer_sequence<int, i...>) {
    const auto at = static_cast<int>(dtype);
    auto loop = [](auto number) -> UnaryLoop {
        constexpr auto operation = static_cast<Unary>(decltype(number)::value);
        constexpr bool any = operation == Unary::neg || operation == Unary::relu || operation == Unary::abs;
        constexpr bool here = std::is_same_v<T, double> || (std::is_same_v<T, float> && operation == Unary::sqrt);
        if constexpr (any || here) return unary_loop<operation, T>;  // `made` adds the functions of f32
        else return nullptr;
    };
    ((loops.unary[i][at] = loop(std::integral_constant<int, i>())), ...);
}

// What stands for an integer where its sign makes no difference: of two loops that do the same, one is compiled.
template <class T, bool sign_matters>
struct Signless {
    using type = T;
};
template <class T>
struct Signless<T, false> {
    using type = std::make_unsigned_t<T>;
};

template <class T, int... i>
void fill_binary(Loops& loops, DType dtype, std::integer_sequence<int, i...>) {
    auto fill_one = [&loops, dtype](auto number) {
        constexpr auto operation = static_cast<Binary>(decltype(number)::value);
        constexpr bool ring = operation == Binary::add || operation == Binary::sub || operation == Binary::mul;
        constexpr bool equality = operation == Binary::eq || operation == Binary::ne;
        using U = typename Signless<T, std::is_floating_point_v<T> || !(ring || equality)>::type;
        auto loop = [&](Form form) -> BinaryLoop& {
            return loops.binary[static_cast<int>(form)][static_cast<int>(operation)][static_cast<int>(dtype)];
        };
        loop(Form::arrays) = binary_loop<operation, Form::arrays, U>;
        loop(Form::array_number) = binary_loop<operation, Form::array_number, U>;
        if constexpr (!is_symmetric(operation)) loop(Form::number_array) = binary_loop<operation, Form::number_array, U>;
    };
    (fill_one(std::integral_constant<int, i>()), ...);
}

template <class T>
void fill(Loops& loops, DType dtype) {
    const auto at = static_cast<int>(dtype);
    fill_unary<T>(loops, dtype, std::make_integer_sequence<int, unary_operations>());
    fill_binary<T>(loops, dtype, std::make_integer_sequence<int, binary_loops>());
    loops.reduce[0][at] = reduce_loop<Reduction::sum, T>;
    loops.reduce[1][at] = reduce_loop<Reduction::max, T>;
    loops.reduce[2][at] = reduce_loop<Reduction::min, T>;
    loops.accumulate[0][at] = accumulate_loop<Reduction::sum, T>;
    loops.accumulate[1][at] = accumulate_loop<Reduction::max, T>;
    loops.accumulate[2][at] = accumulate_loop<Reduction::min, T>;
}

// The loops that only move f32 and f64, past the caches. What computes longer than that gains nothing from it.
template <class T, int... i>
void fill_uncached(Loops& loops, DType dtype, std::integer_sequence<int, i...>) {
    const auto at = static_cast<int>(dtype);
    auto fill_one = [&loops, at](auto number) {
        constexpr auto operation = static_cast<Binary>(decltype(number)::value);
        auto loop = [&](Form form) -> BinaryLoop& {
            return loops.binary_uncached[static_cast<int>(form)][static_cast<int>(operation)][at];
        };
        loop(Form::arrays) = binary_loop<operation, Form::arrays, T, true>;
        loop(Form::array_number) = binary_loop<operation, Form::array_number, T, true>;
        if constexpr (!is_symmetric(operation)) {
            loop(Form::number_array) = binary_loop<operation, Form::number_array, T, true>;
        }
    };
    (fill_one(std::integral_constant<int, i>()), ...);
    loops.unary_uncached[static_cast<int>(Unary::neg)][at] = unary_loop<Unary::neg, T, true>;
    loops.unary_uncached[static_cast<int>(Unary::relu)][at] = unary_loop<Unary::relu, T, true>;
    loops.unary_uncached[static_cast<int>(Unary::abs)][at] = unary_loop<Unary::abs, T, true>;
    loops.unary_uncached[static_cast<int>(Unary::sqrt)][at] = unary_loop<Unary::sqrt, T, true>;
}

#ifndef CPU_BELOW

template <class To, class From>
constexpr UnaryLoop cast_between() {
    if constexpr (std::is_integral_v<From> && std::is_integral_v<To>) {
        return cast_loop<std::make_unsigned_t<To>, typename Signless<From, (sizeof(To) > sizeof(From))>::type>;
    } else {
        return cast_loop<To, From>;
    }
}

template <class T, class... From>
void fill_casts(Loops& loops, DType dtype) {
    int from = 0;
    ((loops.cast[static_cast<int>(dtype)][from++] = cast_between<T, From>()), ...);
}

template <class T>
void fill_casts_of(Loops& loops, DType dtype) {
    fill_casts<T, float, double, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
               std::uint32_t, std::uint64_t, std::uint8_t>(loops, dtype);
    constexpr auto boolean = static_cast<int>(DType::boolean);
    loops.cast[boolean][static_cast<int>(dtype)] = to_boolean_loop<typename Signless<T, std::is_floating_point_v<T>>::type>;
}

template <class T>
void fill_with_casts(Loops& loops, DType dtype) {
    fill<T>(loops, dtype);
    fill_casts_of<T>(loops, dtype);
}

// A bool is compared and combined as the byte 0 or 1, and added up as a signed number.
void fill_boolean(Loops& loops) {
    constexpr auto at = static_cast<int>(DType::boolean), byte = static_cast<int>(DType::u8);
    for (auto& operations : loops.binary) {
        for (int i = static_cast<int>(Binary::maximum); i < binary_loops; ++i) operations[i][at] = operations[i][byte];
    }
    loops.cast[at][at] = to_boolean_loop<std::uint8_t>;
    for (int i = 0; i < 3; ++i) {
        loops.reduce[i][at] = i == 0 ? reduce_loop<Reduction::sum, std::int8_t> : loops.reduce[i][byte];
        loops.accumulate[i][at] = i == 0 ? accumulate_loop<Reduction::sum, std::int8_t> : loops.accumulate[i][byte];
    }
}

void fill_others(Loops& loops) {
    fill_casts_of<float>(loops, DType::f32);
    fill_casts_of<double>(loops, DType::f64);
    fill_with_casts<std::int8_t>(loops, DType::i8);
    fill_with_casts<std::int16_t>(loops, DType::i16);
    fill_with_casts<std::int32_t>(loops, DType::i32);
    fill_with_casts<std::int64_t>(loops, DType::i64);
    fill_with_casts<std::uint8_t>(loops, DType::u8);
    fill_with_casts<std::uint16_t>(loops, DType::u16);
    fill_with_casts<std::uint32_t>(loops, DType::u32);
    fill_with_casts<std::uint64_t>(loops, DType::u64);
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
}

#endif

Loops made() {
#ifdef CPU_BELOW
    Loops loops = CPU_BELOW::loops();
#else
    Loops loops{};
    fill_others(loops);
#endif
    fill<float>(loops, DType::f32);
    constexpr auto f32 = static_cast<int>(DType::f32);
    loops.unary[static_cast<int>(Unary::exp)][f32] = function_loop<exponential, normal_exponential, exponential_is_normal>;
    loops.unary[static_cast<int>(Unary::log)][f32] = function_loop<logarithm, plain_logarithm, is_positive_normal>;
    loops.unary[static_cast<int>(Unary::sigmoid)][f32] =
        function_loop<logistic<exponential>, logistic<normal_exponential>, exponential_is_normal>;
    loops.unary[static_cast<int>(Unary::tanh)][f32] = function_loop<hyperbolic_tangent>;
    fill<double>(loops, DType::f64);
    constexpr auto arithmetic = static_cast<int>(Binary::minimum) + 1;
    fill_uncached<float>(loops, DType::f32, std::make_integer_sequence<int, arithmetic>());
    fill_uncached<double>(loops, DType::f64, std::make_integer_sequence<int, arithmetic>());
    loops.product_f32 = {product_loop<float>, Tile<float>::rows, Tile<float>::columns};
    loops.product_f64 = {product_loop<double>, Tile<double>::rows, Tile<double>::columns};
    return loops;
}
