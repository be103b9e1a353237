// f16 and bf16, rounded to the nearest, ties to even

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

inline half narrowed_to_half(double x) { return narrowed_to_half(narrowed_to_odd(x)); }
inline bfloat narrowed_to_bfloat(double x) { return narrowed_to_bfloat(narrowed_to_odd(x)); }
