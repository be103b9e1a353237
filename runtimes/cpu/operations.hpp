// Operations on strided arrays, queued on a stream.
//
// An output is contiguous, but for `assign`. An input has a stride for each dimension of the output, in elements; a stride of 0 repeats
// it, and an input without memory is one number. An output may be one of its inputs, but must not overlap them
// otherwise. All throw std::invalid_argument when an array does not lie in its memory, is on another device than the
// stream, or has more than 8 dimensions, and when the operation is not for that dtype.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "dtype.hpp"
#include "loops.hpp"
#include "memory.hpp"
#include "stream.hpp"

namespace cpu {

using Sizes = std::vector<std::int64_t>;

struct Output {
    const Memory& memory;
    std::size_t offset;  // bytes
};

struct StridedOutput {
    const Memory& memory;
    std::size_t offset;  // bytes
    const Sizes& strides;
};

struct Input {
    const Memory* memory;    // null for a number
    std::size_t offset;      // bytes
    const Sizes& strides;
    std::string_view value;  // the number, as bytes of the dtype
};

// exp, log, sigmoid, tanh and sqrt are for floats; none is for bool.
void unary(Unary operation, DType dtype, Output out, Input x, const Sizes& shape, const Stream& stream);

// The comparisons give bool. Integers wrap; `div` of integers goes towards zero, and gives 0 for a division by 0; their
// negative powers are 0, but for those of 1 and -1.
// The maximum and minimum of NaN and a number is NaN. bool can be compared, and has a maximum and minimum.
void binary(Binary operation, DType dtype, Output out, Input a, Input b, const Sizes& shape, const Stream& stream);

// a where the condition (of bool) is true, b elsewhere.
void where(DType dtype, Output out, Input condition, Input a, Input b, const Sizes& shape, const Stream& stream);

// Integers wrap; a float outside of an integer's range becomes the nearest that there is, and NaN becomes 0.
void cast(DType to, Output out, DType from, Input x, const Sizes& shape, const Stream& stream);

// `count` times `value`, the bytes of one element.
void fill(Output out, std::size_t count, std::string_view value, const Stream& stream);

// out = x, where the elements of `out` may lie at any distance, but no two of them in one place.
void assign(DType dtype, StridedOutput out, Input x, const Sizes& shape, const Stream& stream);

enum class Reduce { sum, max, min, mean };

// What reduce gives: i64 or u64 for the sum of integers, i64 for that of bool, f32 for their mean; else the dtype.
DType reduced_dtype(Reduce operation, DType dtype);

// Over one axis, or over all without one. Floats are added up in f64, so that the sum is as good as its rounding.
// The sum of nothing is 0, its mean NaN; its max and min are std::invalid_argument. max and min of NaN are NaN.
void reduce(Reduce operation, DType dtype, Output out, Input x, const Sizes& shape, std::optional<std::int32_t> axis,
            const Stream& stream);

// out[rows, columns] = a[rows, inner] times b[inner, columns], for floats; f16 and bf16 are added up in f32.
void matmul(DType dtype, Output out, Input a, Input b, std::int64_t rows, std::int64_t inner, std::int64_t columns,
            const Stream& stream);

}  // namespace cpu
