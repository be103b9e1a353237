// Tensors as text, in the form that torch's Python prints them.
#include <ATen/core/Tensor.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <type_traits>
#include <vector>

#include "tensors.hpp"

namespace torch_ffi {
namespace {

constexpr std::int64_t most_elements = 1000;  // of more, only the ends of each dimension are shown
constexpr std::int64_t at_each_end = 3;
constexpr std::size_t line_width = 80;

bool is_cut(const at::Tensor& x, std::int64_t dimension) {
    return x.numel() > most_elements && x.size(dimension) > 2 * at_each_end;
}

// The elements that are shown, in the host's memory.
at::Tensor shown_of(at::Tensor x) {
    const at::Tensor whole = x;
    for (std::int64_t i = 0; i < whole.dim(); ++i) {
        if (!is_cut(whole, i)) continue;
        std::vector<std::int64_t> ends;
        for (std::int64_t at = 0; at < at_each_end; ++at) ends.push_back(at);
        for (std::int64_t at = whole.size(i) - at_each_end; at < whole.size(i); ++at) ends.push_back(at);
        x = x.index_select(i, at::tensor(ends, at::device(x.device()).dtype(at::kLong)));
    }
    return x.cpu().contiguous();
}

// How floats are written: all in the form that the largest and the smallest of them need.
struct Form {
    bool is_whole = true;  // then they end in a dot
    bool is_scientific = false;

    explicit Form(const std::vector<double>& values) {
        double least = INFINITY, most = 0;
        for (const double value : values) {
            if (!std::isfinite(value) || value == 0) continue;
            is_whole = is_whole && std::trunc(value) == value;
            least = std::min(least, std::fabs(value));
            most = std::max(most, std::fabs(value));
        }
        is_scientific = most > 0 && (most > 1e8 || least < 1e-4 || most / least > 1000);
    }

    std::string text(double value) const {
        if (!std::isfinite(value)) return std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
        char out[400];
        std::snprintf(out, sizeof out, is_scientific ? "%.4e" : is_whole ? "%.0f." : "%.4f", value);
        return out;
    }
};

// The texts of elements, and how many letters each has at least; as in torch, floats that are 0 or not finite do not count.
struct Texts {
    std::vector<std::string> all;
    std::size_t width = 1;
};

template <class T, class Text>
Texts texts_of(const at::Tensor& elements, at::ScalarType dtype, const Text& text) {
    const at::Tensor converted = elements.to(dtype);
    const T* first = converted.const_data_ptr<T>();
    Texts out;
    for (std::int64_t i = 0; i < converted.numel(); ++i) {
        out.all.push_back(text(first[i]));
        bool counts = true;
        if constexpr (std::is_floating_point_v<T>) counts = first[i] != 0 && std::isfinite(first[i]);
        if (counts) out.width = std::max(out.width, out.all.back().size());
    }
    return out;
}

Texts texts_of(const at::Tensor& elements) {
    const auto whole = [](auto value) { return std::to_string(value); };
    if (elements.scalar_type() == at::kBool)
        return texts_of<bool>(elements, at::kBool, [](bool value) { return value ? "True" : "False"; });
    if (elements.scalar_type() == at::kUInt64) return texts_of<std::uint64_t>(elements, at::kUInt64, whole);
    if (!elements.is_floating_point()) return texts_of<std::int64_t>(elements, at::kLong, whole);
    const at::Tensor doubles = elements.to(at::kDouble);
    const double* first = doubles.const_data_ptr<double>();
    const Form form(std::vector<double>(first, first + doubles.numel()));
    return texts_of<double>(doubles, at::kDouble, [&form](double value) { return form.text(value); });
}

class Printer {
public:
    Printer(const at::Tensor& whole, const at::Tensor& shown) : whole_(whole), shown_(shown), texts_(texts_of(shown)) {}

    std::string text(std::size_t indent) { return shown_.dim() == 0 ? next() : list(0, indent); }

private:
    std::string next() {
        const std::string& text = texts_.all[at_++];
        return std::string(texts_.width - std::min(texts_.width, text.size()), ' ') + text;
    }

    std::string list(std::int64_t dimension, std::size_t indent) {
        const bool is_last = dimension + 1 == shown_.dim();
        const std::size_t room = line_width - std::min(line_width, indent);
        const std::size_t in_line = is_last ? std::max<std::size_t>(1, room / (texts_.width + 2)) : 1;
        const auto lines = is_last ? 1 : static_cast<std::size_t>(shown_.dim() - dimension - 1);
        const std::string wrapped = "," + std::string(lines, '\n') + std::string(indent + 1, ' ');
        std::string out = "[";
        std::size_t count = 0;
        const auto add = [&](const std::string& item) {
            if (count != 0) out += count % in_line == 0 ? wrapped : ", ";
            out += item;
            ++count;
        };
        for (std::int64_t i = 0; i < shown_.size(dimension); ++i) {
            if (i == at_each_end && is_cut(whole_, dimension)) add(is_last ? " ..." : "...");
            add(is_last ? next() : list(dimension + 1, indent + 1));
        }
        return out + "]";
    }

    const at::Tensor& whole_;
    const at::Tensor& shown_;
    Texts texts_;
    std::size_t at_ = 0;
};

std::string size_of(const at::Tensor& x) {
    std::string out;
    for (const std::int64_t each : x.sizes()) out += (out.empty() ? "" : ", ") + std::to_string(each);
    return "size=(" + out + (x.dim() == 1 ? ",)" : ")");
}

std::string name_of(at::ScalarType dtype) {
    switch (dtype) {
        case at::kByte: return "uint8";
        case at::kChar: return "int8";
        case at::kShort: return "int16";
        case at::kInt: return "int32";
        case at::kLong: return "int64";
        case at::kHalf: return "float16";
        case at::kFloat: return "float32";
        case at::kDouble: return "float64";
        case at::kBool: return "bool";
        case at::kBFloat16: return "bfloat16";
        case at::kUInt16: return "uint16";
        case at::kUInt32: return "uint32";
        case at::kUInt64: return "uint64";
        default: return c10::toString(dtype);
    }
}

}  // namespace

std::string representation(const at::Tensor& given) {
    const std::string start = "tensor(";
    const at::Tensor x = given.detach();
    const at::ScalarType dtype = x.scalar_type();
    const bool has_elements = !x.is_meta() && x.numel() != 0;
    std::string out = start + (x.is_meta() ? "..." : "[]");
    if (has_elements) {
        const at::Tensor shown = shown_of(x);
        out = start + Printer(x, shown).text(start.size());
    }
    std::vector<std::string> further;
    if (!x.is_cpu()) further.push_back("device='" + x.device().str() + "'");
    if (!has_elements && (x.is_meta() || x.dim() != 1)) further.push_back(size_of(x));
    const bool is_usual = dtype == at::kFloat || (has_elements && (dtype == at::kLong || dtype == at::kBool));
    if (!is_usual) further.push_back("dtype=torch." + name_of(dtype));
    if (given.requires_grad()) further.push_back("requires_grad=True");
    std::size_t in_line = out.size() - (out.rfind('\n') + 1) + 1;
    for (const std::string& each : further) {
        const bool fits = in_line + each.size() + 2 <= line_width;
        out += fits ? ", " + each : ",\n" + std::string(start.size(), ' ') + each;
        in_line = (fits ? in_line + 2 : start.size()) + each.size();
    }
    return out + ")";
}

}  // namespace torch_ffi
