// Loops over contiguous elements: all that depends on what instructions the processor has.
//
// level.inl is compiled once for each set of instructions; `loops()` are those of the processor that we run on.
#pragma once
#include <cstddef>
#include <cstdint>

#include "dtype.hpp"

namespace cpu {

enum class Unary { neg, exp, log, relu, sigmoid, tanh, abs, sqrt };
enum class Binary { add, sub, mul, div, pow, maximum, minimum, eq, ne, lt, le, gt, ge };
enum class Reduction { sum, max, min };

constexpr int unary_operations = 8;
constexpr int binary_loops = 11;  // for gt and ge, operands change sides

// Which operands are arrays. Of operations that are symmetric, the number is the second.
enum class Form { arrays, array_number, number_array };
constexpr bool is_symmetric(Binary operation) {
    return operation != Binary::sub && operation != Binary::div && operation != Binary::pow && operation != Binary::lt &&
           operation != Binary::le;
}

// `out` may be one of the inputs, but must not overlap them otherwise.
using UnaryLoop = void (*)(void* out, const void* x, std::size_t size);
// An operand that is a number is one element.
using BinaryLoop = void (*)(void* out, const void* a, const void* b, std::size_t size);
using SelectLoop = void (*)(void* out, const void* condition, const void* a, const void* b, std::size_t size);
// The reduction of all elements, to one of the accumulator's type; size at least 1.
using ReduceLoop = void (*)(void* out, const void* x, std::size_t size);
// accumulators[i] = accumulators[i] combined with x[i]
using AccumulateLoop = void (*)(void* accumulators, const void* x, std::size_t size);

// A product of packed panels: tile[rows x columns], row by row, = panel of a times panel of b. `a` has `inner` times
// `rows` elements, `b` has `inner` times `columns`.
using ProductLoop = void (*)(void* tile, const void* a, const void* b, std::int64_t inner);
struct Product {
    ProductLoop loop;
    int rows, columns;
};

// The type in which elements are added up: f64 for floats, and 64 bits for the others.
constexpr DType sum_dtype(DType dtype) {
    switch (dtype) {
        case DType::f16: case DType::bf16: case DType::f32: case DType::f64: return DType::f64;
        case DType::u8: case DType::u16: case DType::u32: case DType::u64: return DType::u64;
        default: return DType::i64;
    }
}

// Tables by operation and by the dtype that is computed with; null where there is none.
struct Loops {
    UnaryLoop unary[unary_operations][computed_dtypes];
    BinaryLoop binary[3][binary_loops][computed_dtypes];  // [form]
    UnaryLoop unary_uncached[unary_operations][computed_dtypes];  // for outputs that are larger than the caches
    BinaryLoop binary_uncached[3][binary_loops][computed_dtypes];
    UnaryLoop cast[computed_dtypes][computed_dtypes];  // [to][from]
    UnaryLoop from_f16, to_f16, from_bf16, to_bf16;    // from and to f32
    UnaryLoop f64_to_f16, f64_to_bf16;                 // rounded once
    SelectLoop select[4];                              // by the logarithm of the element's size
    ReduceLoop reduce[3][computed_dtypes];             // to sum_dtype for sums, else the same
    AccumulateLoop accumulate[3][computed_dtypes];
    Product product_f32, product_f64;
};

const Loops& loops();

namespace baseline {
const Loops& loops();
}
#ifdef __x86_64__
namespace v3 {
const Loops& loops();
}
namespace v4 {
const Loops& loops();
}
#endif

// What `loops()` are: baseline, v3 or v4, the names of levels of x86-64.
const char* loops_level();

}  // namespace cpu
