// Operations that write into tensors that are there already; queued, none waits.
//
// Tensors have one dtype, but where it says otherwise, and the shape of `out`; one without dimensions may be a number in
// host memory beside tensors on a device. Integers wrap.
#pragma once
#include <cstdint>
#include <optional>

#include "queue.hpp"

namespace torch_ffi {

enum class Unary { neg, abs, exp, log, sqrt, relu, sigmoid, tanh };
enum class Binary { add, sub, mul, div, pow, maximum, minimum, eq, ne, lt, le, gt, ge };
enum class Reduction { sum, mean, max, min };

// Copies and bytes; of memory `size` bytes from `offset`. All throw c10::ValueError when those do not lie in it.
// Ordinary host memory is read or written before the call returns, pinned memory when the copy's turn comes.
void upload(const Queue& queue, const Memory& to, std::size_t offset, std::string_view data);
void download(const Queue& queue, void* data, std::size_t size, const Memory& from, std::size_t offset);
void copy(const Queue& queue, const Memory& to, std::size_t to_offset, const Memory& from, std::size_t from_offset,
          std::size_t size);
void set_bytes(const Queue& queue, const Memory& to, std::size_t offset, std::uint8_t value, std::size_t size);

void fill(const Queue& queue, const at::Tensor& out, const at::Tensor& value);

// Copy with conversion; from any dtype to any.
void cast(const Queue& queue, const at::Tensor& out, const at::Tensor& x);

void unary(const Queue& queue, Unary op, const at::Tensor& out, const at::Tensor& x);

// Comparisons write BOOL. Integers are divided as C does, towards zero.
void binary(const Queue& queue, Binary op, const at::Tensor& out, const at::Tensor& a, const at::Tensor& b);

void where(const Queue& queue, const at::Tensor& out, const at::Tensor& condition, const at::Tensor& a,
           const at::Tensor& b);

// (m, k) by (k, n).
void matmul(const Queue& queue, const at::Tensor& out, const at::Tensor& a, const at::Tensor& b);

// Along a dimension or over all; `out` has another dtype where sums need more room, or the mean of integers is asked.
void reduce(const Queue& queue, Reduction op, const at::Tensor& out, const at::Tensor& x,
            std::optional<std::int64_t> dim);

}  // namespace torch_ffi
