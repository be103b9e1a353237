// The types of elements, and numbers of 16 bits, which are computed with as f32.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace cpu {

enum class DType { f32, f64, i8, i16, i32, i64, u8, u16, u32, u64, boolean, f16, bf16 };

constexpr int computed_dtypes = 11;  // all but the last two, which are converted first

struct half {
    std::uint16_t bits;
};
struct bfloat {
    std::uint16_t bits;
};
struct boolean {  // 0 or 1, as in C and NumPy
    std::uint8_t value;
};

constexpr std::size_t size_of(DType dtype) {
    switch (dtype) {
        case DType::f64: case DType::i64: case DType::u64: return 8;
        case DType::f32: case DType::i32: case DType::u32: return 4;
        case DType::i16: case DType::u16: case DType::f16: case DType::bf16: return 2;
        case DType::i8: case DType::u8: case DType::boolean: return 1;
    }
    return 0;
}

constexpr bool is_float(DType dtype) {
    return dtype == DType::f32 || dtype == DType::f64 || dtype == DType::f16 || dtype == DType::bf16;
}

// What elements are computed as.
constexpr DType computed(DType dtype) { return dtype == DType::f16 || dtype == DType::bf16 ? DType::f32 : dtype; }

constexpr const char* name_of(DType dtype) {
    constexpr const char* names[] = {"f32", "f64", "i8",  "i16", "i32",  "i64", "u8",
                                     "u16", "u32", "u64", "bool", "f16", "bf16"};
    return names[static_cast<int>(dtype)];
}

}  // namespace cpu
