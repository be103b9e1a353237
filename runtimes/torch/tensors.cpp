#define AT_PER_OPERATOR_HEADERS  // one header an operation compiles much faster
#include "tensors.hpp"

#include <ATen/TensorIndexing.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/floor_divide.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/remainder.h>
#include <ATen/ops/rsub.h>
#include <ATen/ops/scalar_tensor.h>

#include <ATen/ScalarOps.h>

#include <algorithm>
#include <memory>

namespace torch_ffi {
namespace {

using at::indexing::TensorIndex;

at::Tensor got(const at::Tensor& x, std::initializer_list<TensorIndex> where) {
    return at::indexing::get_item(x, where);
}

std::vector<TensorIndex> items(const Key& key) {
    std::vector<TensorIndex> out;
    for (const KeyItem& each : key) {
        switch (each.kind) {
            case ItemKind::integer: out.emplace_back(each.integer); break;
            case ItemKind::slice: out.emplace_back(at::indexing::Slice(each.start, each.stop, each.step)); break;
            case ItemKind::ellipsis: out.emplace_back(at::indexing::Ellipsis); break;
            case ItemKind::new_axis: out.emplace_back(at::indexing::None); break;
        }
    }
    return out;
}

// A number as torch's operators take one: it gives the result no dtype that the tensor does not have already.
at::Tensor number(const at::Scalar& value) {
    at::Tensor out = c10::scalar_to_tensor(value);
    out.unsafeGetTensorImpl()->set_wrapped_number(true);
    return out;
}

at::Scalar only(const at::Tensor& x) {
    TORCH_CHECK_VALUE(x.numel() == 1, "only one element tensors can be converted to Python scalars");
    return x.item();
}

at::Tensor as_value(const at::Tensor& x, const at::Scalar& value) {
    return at::scalar_tensor(value, at::device(at::kCPU).dtype(x.scalar_type()));
}

template <class T>
at::Tensor copied(const std::vector<Number>& numbers, at::ScalarType given, const Shape& shape, at::ScalarType dtype,
                  c10::Device device) {
    const std::unique_ptr<T[]> values(new T[numbers.size() + 1]);
    for (std::size_t i = 0; i < numbers.size(); ++i)
        values[i] = std::visit([](auto number) { return static_cast<T>(number); }, numbers[i]);
    return at::from_blob(values.get(), shape, given).to(at::device(device).dtype(dtype), /*non_blocking=*/false, /*copy=*/true);
}

}  // namespace

at::Tensor reversed_add(const at::Tensor& x, const at::Scalar& other) { return x.add(other); }
at::Tensor reversed_sub(const at::Tensor& x, const at::Scalar& other) { return at::rsub(x, other); }
at::Tensor reversed_mul(const at::Tensor& x, const at::Scalar& other) { return x.mul(other); }
at::Tensor reversed_div(const at::Tensor& x, const at::Scalar& other) { return x.reciprocal().mul(other); }
at::Tensor reversed_floor_divide(const at::Tensor& x, const at::Scalar& other) {
    return at::floor_divide(number(other), x);
}
at::Tensor reversed_remainder(const at::Tensor& x, const at::Scalar& other) { return at::remainder(other, x); }
at::Tensor reversed_pow(const at::Tensor& x, const at::Scalar& other) { return at::pow(other, x); }

std::size_t length(const at::Tensor& x) {
    TORCH_CHECK_TYPE(x.dim() != 0, "len() of a 0-d tensor");
    return static_cast<std::size_t>(x.size(0));
}

std::vector<at::Tensor> elements(const at::Tensor& x) {
    TORCH_CHECK_TYPE(x.dim() != 0, "iteration over a 0-d tensor");
    return x.unbind(0);
}

at::Tensor at_index(const at::Tensor& x, std::int64_t first) { return got(x, {first}); }
at::Tensor at_index(const at::Tensor& x, std::int64_t first, std::int64_t second) { return got(x, {first, second}); }
at::Tensor at_index(const at::Tensor& x, std::int64_t first, std::int64_t second, std::int64_t third) {
    return got(x, {first, second, third});
}
at::Tensor at_key(const at::Tensor& x, const Key& key) { return at::indexing::get_item(x, items(key)); }
void set_key(const at::Tensor& x, const Key& key, const at::Tensor& value) { at::indexing::set_item(x, items(key), value); }
void set_key(const at::Tensor& x, const Key& key, const at::Scalar& value) { set_key(x, key, as_value(x, value)); }
at::Tensor taken(const at::Tensor& x, const at::Tensor& where) { return at::indexing::get_item(x, {where}); }

void set_index(const at::Tensor& x, std::int64_t first, const at::Tensor& value) {
    at::indexing::set_item(x, {first}, value);
}
void set_index(const at::Tensor& x, std::int64_t first, std::int64_t second, const at::Tensor& value) {
    at::indexing::set_item(x, {first, second}, value);
}
void set_index(const at::Tensor& x, std::int64_t first, std::int64_t second, std::int64_t third,
               const at::Tensor& value) {
    at::indexing::set_item(x, {first, second, third}, value);
}
void set_index(const at::Tensor& x, std::int64_t first, const at::Scalar& value) {
    set_index(x, first, as_value(x, value));
}
void set_index(const at::Tensor& x, std::int64_t first, std::int64_t second, const at::Scalar& value) {
    set_index(x, first, second, as_value(x, value));
}
void set_index(const at::Tensor& x, std::int64_t first, std::int64_t second, std::int64_t third,
               const at::Scalar& value) {
    set_index(x, first, second, third, as_value(x, value));
}
void set_taken(const at::Tensor& x, const at::Tensor& where, const at::Tensor& value) {
    at::indexing::set_item(x, {where}, value);
}
void set_taken(const at::Tensor& x, const at::Tensor& where, const at::Scalar& value) {
    set_taken(x, where, as_value(x, value));
}

bool contains(const at::Tensor& x, const at::Tensor& value) { return x.eq(value).any().item().toBool(); }
bool contains(const at::Tensor& x, const at::Scalar& value) { return x.eq(value).any().item().toBool(); }

std::variant<bool, std::int64_t, double> item(const at::Tensor& x) {
    const at::Scalar value = x.item();
    if (value.isBoolean()) return value.toBool();
    if (value.type() == at::kUInt64) return value.to<double>();  // one that is no int64_t
    if (value.isIntegral(/*includeBool=*/false)) return value.toLong();
    return value.toDouble();
}

bool as_bool(const at::Tensor& x) { return x.is_nonzero(); }
std::int64_t as_int(const at::Tensor& x) { return only(x).toLong(); }
double as_float(const at::Tensor& x) { return only(x).toDouble(); }
std::int64_t as_index(const at::Tensor& x) {
    TORCH_CHECK_TYPE(x.numel() == 1 && at::isIntegralType(x.scalar_type(), /*includeBool=*/true),
                     "only integer tensors of a single element can be converted to an index");
    return x.item().toLong();
}

std::uintptr_t identity(const at::Tensor& x) { return reinterpret_cast<std::uintptr_t>(&x); }

std::optional<at::Tensor> gradient(const at::Tensor& x) {
    at::Tensor found = x.grad();
    return found.defined() ? std::optional(std::move(found)) : std::nullopt;
}

void set_requires_grad(const at::Tensor& x, bool value) {
    TORCH_CHECK(value || x.is_leaf(), "you can only change requires_grad flags of leaf variables.");
    x.set_requires_grad(value);
}

void backward(const at::Tensor& x, const std::optional<at::Tensor>& gradient) {
    x.backward(gradient.value_or(at::Tensor()));
}

at::Tensor made_of(const std::vector<Number>& numbers, const Shape& shape, std::optional<at::ScalarType> dtype,
                   c10::Device device) {
    std::size_t widest = 0;
    for (const Number& each : numbers) widest = std::max(widest, each.index());
    if (numbers.empty() || widest == 2) return copied<double>(numbers, at::kDouble, shape, dtype.value_or(at::kFloat), device);
    if (widest == 1) return copied<std::int64_t>(numbers, at::kLong, shape, dtype.value_or(at::kLong), device);
    return copied<bool>(numbers, at::kBool, shape, dtype.value_or(at::kBool), device);
}

void refuse_length(std::size_t wanted, std::size_t dimension, std::size_t given) {
    TORCH_CHECK_VALUE(false, "expected sequence of length ", wanted, " at dim ", dimension, " (got ", given, ")");
    std::abort();  // the check has thrown
}

}  // namespace torch_ffi
