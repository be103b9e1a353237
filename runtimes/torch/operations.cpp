#include "operations.hpp"

#include <ATen/ops/abs.h>
#include <ATen/ops/add.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/amin.h>
#include <ATen/ops/bitwise_right_shift.h>
#include <ATen/ops/bitwise_xor.h>
#include <ATen/ops/div.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/ge.h>
#include <ATen/ops/gt.h>
#include <ATen/ops/le.h>
#include <ATen/ops/log.h>
#include <ATen/ops/lt.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/ne.h>
#include <ATen/ops/neg.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/sqrt.h>
#include <ATen/ops/sub.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/where.h>

#include <limits>

namespace torch_ffi {
namespace {

using at::Tensor;

constexpr std::int64_t FLIP = std::numeric_limits<std::int64_t>::min();  // the highest bit

// --- u16, u32 and u64, which torch can hold but hardly compute with: signed integers do it for them

bool is_foreign(at::ScalarType dtype) {
    return dtype == at::kUInt16 || dtype == at::kUInt32 || dtype == at::kUInt64;
}

// u16 and u32 widened, u64 as its bits.
Tensor as_signed(const Tensor& x) {
    if (x.scalar_type() == at::kUInt64) return x.view(at::kLong);
    return x.to(x.scalar_type() == at::kUInt16 ? at::kInt : at::kLong);
}

// Signed integers in the order of the unsigned ones.
Tensor as_ordered(const Tensor& x) {
    const Tensor bits = as_signed(x);
    return x.scalar_type() == at::kUInt64 ? bits.bitwise_xor(FLIP) : bits;
}

void put_signed(const Tensor& out, const Tensor& result) {
    (out.scalar_type() == at::kUInt64 ? out.view(at::kLong) : out).copy_(result, /*non_blocking=*/true);
}

void put_ordered(const Tensor& out, const Tensor& result) {
    const bool is_flipped = out.scalar_type() == at::kUInt64;
    put_signed(out, is_flipped ? result.bitwise_xor(FLIP) : result);
}

// --- integer division: towards zero, by 0 it is 0, and nothing traps

Tensor quotient(const Tensor& a, const Tensor& b) {
    const bool is_signed = b.scalar_type() != at::kByte;
    const Tensor by_zero = b.eq(0);
    // The least number by -1 does not fit; taken as a negation it wraps.
    const Tensor by_minus_one = is_signed ? b.eq(-1) : Tensor();
    const Tensor safe = b.masked_fill(is_signed ? by_zero.logical_or(by_minus_one) : by_zero, 1);
    const Tensor plain = a.div(safe, "trunc");
    const Tensor result = is_signed ? at::where(by_minus_one, a.neg(), plain) : plain;
    return result.masked_fill(by_zero, 0);
}

// Of 64 bits: half the numerator by the signed division, twice that, and what is missing.
Tensor unsigned_quotient(const Tensor& a, const Tensor& b) {
    const auto at_least = [](const Tensor& x, const Tensor& y) {
        return x.bitwise_xor(FLIP).ge(y.bitwise_xor(FLIP)).to(at::kLong);
    };
    const Tensor half = a.bitwise_right_shift(1).bitwise_and(~FLIP);
    const Tensor estimate = quotient(half, b).mul(2);
    const Tensor result = estimate.add(at_least(a.sub(estimate.mul(b)), b));
    return at::where(b.lt(0), at_least(a, b), result).masked_fill(b.eq(0), 0);
}

void divide(Tensor& out, const Tensor& a, const Tensor& b) {
    if (out.is_floating_point()) {
        at::div_out(out, a, b);
        return;
    }
    // A number in host memory is brought to the device: not all that is needed takes one from there.
    const Tensor x = a.to(out.device()), y = b.to(out.device());
    if (out.scalar_type() == at::kUInt64) {
        put_signed(out, unsigned_quotient(as_signed(x), as_signed(y)));
    } else if (is_foreign(out.scalar_type())) {
        put_signed(out, quotient(as_signed(x), as_signed(y)));
    } else {
        out.copy_(quotient(x, y), /*non_blocking=*/true);
    }
}

// --- what each operation is called in torch

using UnaryOut = Tensor& (*)(Tensor&, const Tensor&);
using BinaryOut = Tensor& (*)(Tensor&, const Tensor&, const Tensor&);

UnaryOut torchs(Unary op) {
    switch (op) {
        case Unary::neg: return at::neg_out;
        case Unary::abs: return at::abs_out;
        case Unary::exp: return at::exp_out;
        case Unary::log: return at::log_out;
        case Unary::sqrt: return at::sqrt_out;
        case Unary::relu: return at::relu_out;
        case Unary::sigmoid: return at::sigmoid_out;
        case Unary::tanh: return at::tanh_out;
    }
    TORCH_CHECK_VALUE(false, "there is no such operation");
}

BinaryOut torchs(Binary op) {
    switch (op) {
        case Binary::add: return [](Tensor& out, const Tensor& a, const Tensor& b) -> Tensor& { return at::add_out(out, a, b); };
        case Binary::sub: return [](Tensor& out, const Tensor& a, const Tensor& b) -> Tensor& { return at::sub_out(out, a, b); };
        case Binary::mul: return at::mul_out;
        case Binary::div: return [](Tensor& out, const Tensor& a, const Tensor& b) -> Tensor& { return divide(out, a, b), out; };
        case Binary::pow: return [](Tensor& out, const Tensor& a, const Tensor& b) -> Tensor& { return at::pow_out(out, a, b); };
        case Binary::maximum: return at::maximum_out;
        case Binary::minimum: return at::minimum_out;
        case Binary::eq: return at::eq_out;
        case Binary::ne: return at::ne_out;
        case Binary::lt: return at::lt_out;
        case Binary::le: return at::le_out;
        case Binary::gt: return at::gt_out;
        case Binary::ge: return at::ge_out;
    }
    TORCH_CHECK_VALUE(false, "there is no such operation");
}

void foreign_unary(Unary op, const Tensor& out, const Tensor& x) {
    if (op == Unary::neg) {
        put_signed(out, as_signed(x).neg());
    } else {  // what is not negative is its own abs and relu
        TORCH_CHECK_VALUE(op == Unary::abs || op == Unary::relu, "this operation is for floating-point numbers");
        out.copy_(x, /*non_blocking=*/true);
    }
}

void foreign_binary(Binary op, Tensor& out, const Tensor& a, const Tensor& b) {
    switch (op) {
        case Binary::div: divide(out, a, b); break;
        case Binary::add: put_signed(out, as_signed(a).add(as_signed(b))); break;
        case Binary::sub: put_signed(out, as_signed(a).sub(as_signed(b))); break;
        case Binary::mul: put_signed(out, as_signed(a).mul(as_signed(b))); break;
        case Binary::pow: put_signed(out, as_signed(a).pow(as_signed(b))); break;
        case Binary::maximum: put_ordered(out, at::maximum(as_ordered(a), as_ordered(b))); break;
        case Binary::minimum: put_ordered(out, at::minimum(as_ordered(a), as_ordered(b))); break;
        default: torchs(op)(out, as_ordered(a), as_ordered(b));
    }
}

// --- checks, at once: torch would make another output of the right shape

void check_shape(const char* what, const Tensor& x, const Tensor& out) {
    TORCH_CHECK_VALUE(x.dim() == 0 || x.sizes() == out.sizes(), what, " has shape ", x.sizes(), ", and the output ",
                      out.sizes());
}

void check_dtype(const char* what, const Tensor& x, at::ScalarType dtype) {
    TORCH_CHECK_TYPE(x.scalar_type() == dtype, what, " has dtype ", x.scalar_type(), ", not ", dtype);
}

}  // namespace

void upload(const Queue& queue, const Memory& to, std::size_t offset, std::string_view data) {
    queue.upload(bytes_of(to, offset, data.size()), data);
}

void download(const Queue& queue, void* data, std::size_t size, const Memory& from, std::size_t offset) {
    queue.download(data, bytes_of(from, offset, size));
}

void copy(const Queue& queue, const Memory& to, std::size_t to_offset, const Memory& from, std::size_t from_offset,
          std::size_t size) {
    const Tensor written = bytes_of(to, to_offset, size);
    cast(queue, written, bytes_of(from, from_offset, size));
}

void set_bytes(const Queue& queue, const Memory& to, std::size_t offset, std::uint8_t value, std::size_t size) {
    queue.run([value](const Tensor& out) { out.fill_(value); }, bytes_of(to, offset, size));
}

void fill(const Queue& queue, const Tensor& out, const Tensor& value) {
    TORCH_CHECK_VALUE(value.dim() == 0, "the value has no dimensions, not ", value.dim());
    check_dtype("the value", value, out.scalar_type());
    queue.run([](const Tensor& to, const Tensor& number) { to.fill_(number); }, out, value);
}

void cast(const Queue& queue, const Tensor& out, const Tensor& x) {
    check_shape("the input", x, out);
    queue.run([](const Tensor& to, const Tensor& from) { to.copy_(from, /*non_blocking=*/true); }, out, x);
}

void unary(const Queue& queue, Unary op, const Tensor& out, const Tensor& x) {
    check_shape("the input", x, out);
    check_dtype("the input", x, out.scalar_type());
    if (is_foreign(x.scalar_type())) {
        queue.run([op](const Tensor& to, const Tensor& from) { foreign_unary(op, to, from); }, out, x);
        return;
    }
    queue.run([f = torchs(op)](Tensor to, const Tensor& from) { f(to, from); }, out, x);
}

void binary(const Queue& queue, Binary op, const Tensor& out, const Tensor& a, const Tensor& b) {
    check_shape("the first input", a, out);
    check_shape("the second input", b, out);
    check_dtype("the second input", b, a.scalar_type());
    check_dtype("the output", out, op < Binary::eq ? a.scalar_type() : at::kBool);
    if (is_foreign(a.scalar_type())) {
        queue.run([op](Tensor to, const Tensor& x, const Tensor& y) { foreign_binary(op, to, x, y); }, out, a, b);
        return;
    }
    queue.run([f = torchs(op)](Tensor to, const Tensor& x, const Tensor& y) { f(to, x, y); }, out, a, b);
}

void where(const Queue& queue, const Tensor& out, const Tensor& condition, const Tensor& a, const Tensor& b) {
    check_shape("the condition", condition, out);
    check_shape("the first input", a, out);
    check_shape("the second input", b, out);
    check_dtype("the condition", condition, at::kBool);
    check_dtype("the first input", a, out.scalar_type());
    check_dtype("the second input", b, out.scalar_type());
    const auto choose = [](Tensor to, const Tensor& c, const Tensor& x, const Tensor& y) { at::where_out(to, c, x, y); };
    queue.run(choose, out, condition, a, b);
}

void matmul(const Queue& queue, const Tensor& out, const Tensor& a, const Tensor& b) {
    TORCH_CHECK_VALUE(a.dim() == 2 && b.dim() == 2 && out.dim() == 2, "a matrix product is of two dimensions");
    TORCH_CHECK_VALUE(a.size(1) == b.size(0) && out.size(0) == a.size(0) && out.size(1) == b.size(1), "shapes ",
                      a.sizes(), " and ", b.sizes(), " do not give ", out.sizes());
    check_dtype("the first input", a, out.scalar_type());
    check_dtype("the second input", b, out.scalar_type());
    queue.run([](Tensor to, const Tensor& x, const Tensor& y) { at::mm_out(to, x, y); }, out, a, b);
}

void reduce(const Queue& queue, Reduction op, const Tensor& out, const Tensor& x, std::optional<std::int64_t> dim) {
    TORCH_CHECK_INDEX(!dim || (*dim >= 0 && *dim < x.dim()), "there is no dimension ", dim.value_or(0), " of ", x.dim());
    std::vector<std::int64_t> left;
    for (std::int64_t i = 0; dim && i < x.dim(); ++i) {
        if (i != *dim) left.push_back(x.size(i));
    }
    TORCH_CHECK_VALUE(out.sizes() == c10::IntArrayRef(left), "the output has shape ", out.sizes(), ", not ",
                      c10::IntArrayRef(left));
    if (op == Reduction::max || op == Reduction::min) check_dtype("the output", out, x.scalar_type());
    queue.run(
        [op, dim](Tensor to, const Tensor& from) {
            const c10::IntArrayRef dims = dim ? c10::IntArrayRef(*dim) : c10::IntArrayRef();
            const bool is_max = op == Reduction::max;
            if (op == Reduction::sum && to.scalar_type() == at::kUInt64) {
                Tensor bits = to.view(at::kLong);
                at::sum_out(bits, is_foreign(from.scalar_type()) ? as_signed(from) : from, dims, false, at::kLong);
            } else if (op == Reduction::sum) {
                at::sum_out(to, from, dims, false, to.scalar_type());
            } else if (op == Reduction::mean) {
                at::mean_out(to, from, dims, false, to.scalar_type());
            } else if (is_foreign(from.scalar_type())) {
                const Tensor ordered = as_ordered(from);
                put_ordered(to, is_max ? at::amax(ordered, dims) : at::amin(ordered, dims));
            } else {
                is_max ? at::amax_out(to, from, dims) : at::amin_out(to, from, dims);
            }
        },
        out, x);
}

}  // namespace torch_ffi
