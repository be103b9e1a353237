// What torch's Python does with tensors, where torch's C++ has no function that does just this.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace torch_ffi {

// --- operators with the other operand first; a number has no dtype of its own there

at::Tensor reversed_add(const at::Tensor& x, const at::Scalar& other);
at::Tensor reversed_sub(const at::Tensor& x, const at::Scalar& other);
at::Tensor reversed_mul(const at::Tensor& x, const at::Scalar& other);
at::Tensor reversed_div(const at::Tensor& x, const at::Scalar& other);
at::Tensor reversed_floor_divide(const at::Tensor& x, const at::Scalar& other);
at::Tensor reversed_remainder(const at::Tensor& x, const at::Scalar& other);
at::Tensor reversed_pow(const at::Tensor& x, const at::Scalar& other);

// --- items

// Throws c10::TypeError for a tensor without dimensions.
std::size_t length(const at::Tensor& x);
std::vector<at::Tensor> elements(const at::Tensor& x);

// All throw c10::IndexError for what lies outside. The results are views, but for `taken`.
at::Tensor at_index(const at::Tensor& x, std::int64_t first);
at::Tensor at_index(const at::Tensor& x, std::int64_t first, std::int64_t second);
at::Tensor at_index(const at::Tensor& x, std::int64_t first, std::int64_t second, std::int64_t third);
at::Tensor taken(const at::Tensor& x, const at::Tensor& where);

// A key of any number of items: integers, slices, `...`, and None for a new dimension.
enum class ItemKind { integer, slice, ellipsis, new_axis };
struct KeyItem {
    ItemKind kind;
    std::int64_t integer = 0;
    std::optional<std::int64_t> start{}, stop{}, step{};
};
using Key = std::vector<KeyItem>;
at::Tensor at_key(const at::Tensor& x, const Key& key);
void set_key(const at::Tensor& x, const Key& key, const at::Tensor& value);
void set_key(const at::Tensor& x, const Key& key, const at::Scalar& value);

void set_index(const at::Tensor& x, std::int64_t first, const at::Tensor& value);
void set_index(const at::Tensor& x, std::int64_t first, std::int64_t second, const at::Tensor& value);
void set_index(const at::Tensor& x, std::int64_t first, std::int64_t second, std::int64_t third,
               const at::Tensor& value);
void set_index(const at::Tensor& x, std::int64_t first, const at::Scalar& value);
void set_index(const at::Tensor& x, std::int64_t first, std::int64_t second, const at::Scalar& value);
void set_index(const at::Tensor& x, std::int64_t first, std::int64_t second, std::int64_t third,
               const at::Scalar& value);
void set_taken(const at::Tensor& x, const at::Tensor& where, const at::Tensor& value);
void set_taken(const at::Tensor& x, const at::Tensor& where, const at::Scalar& value);

bool contains(const at::Tensor& x, const at::Tensor& value);
bool contains(const at::Tensor& x, const at::Scalar& value);

// --- single elements as numbers of Python

// Of bool for BOOL, an integer for integers; beyond 64 bits with a sign, and for other dtypes, a float.
std::variant<bool, std::int64_t, double> item(const at::Tensor& x);
bool as_bool(const at::Tensor& x);
std::int64_t as_int(const at::Tensor& x);
double as_float(const at::Tensor& x);
// Throws c10::TypeError for more than one element, and for dtypes that are no integers.
std::int64_t as_index(const at::Tensor& x);

// --- what it is

// As torch's own Python prints it.
std::string representation(const at::Tensor& x);

// Of the object of Python, as torch has it: equal tensors have different ones.
std::uintptr_t identity(const at::Tensor& x);

// --- gradients

std::optional<at::Tensor> gradient(const at::Tensor& x);
void set_requires_grad(const at::Tensor& x, bool value);
void backward(const at::Tensor& x, const std::optional<at::Tensor>& gradient);

// --- tensors of numbers, of lists of them, and so on

using Shape = std::vector<std::int64_t>;
using Number = std::variant<bool, std::int64_t, double>;

// BOOL where all are bools, INT64 where no number is a float, else FLOAT32; but for `dtype`, if that is given.
at::Tensor made_of(const std::vector<Number>& numbers, const Shape& shape, std::optional<at::ScalarType> dtype,
                   c10::Device device);
// Throws c10::ValueError: lists in one list have one length.
[[noreturn]] void refuse_length(std::size_t wanted, std::size_t dimension, std::size_t given);

// All numbers in order, and the sizes from `dimension` on; the first list says what the others have to have.
inline void flatten(const Number& from, Shape&, std::size_t, std::vector<Number>& to) { to.push_back(from); }
template <class T>
void flatten(const std::vector<T>& from, Shape& shape, std::size_t dimension, std::vector<Number>& to) {
    if (shape.size() == dimension) shape.push_back(static_cast<std::int64_t>(from.size()));
    const auto wanted = static_cast<std::size_t>(shape[dimension]);
    if (from.size() != wanted) refuse_length(wanted, dimension, from.size());
    for (const auto& each : from) flatten(each, shape, dimension + 1, to);
}

template <class T>
at::Tensor made_of(const T& data, std::optional<at::ScalarType> dtype, c10::Device device) {
    Shape shape;
    std::vector<Number> numbers;
    flatten(data, shape, 0, numbers);
    return made_of(numbers, shape, dtype, device);
}

}  // namespace torch_ffi
