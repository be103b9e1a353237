// Operations that make each element of the output from those at the same place in the inputs.
#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

#include "layout.hpp"
#include "pool.hpp"
#include "settings.hpp"
#include "uncached.hpp"

namespace cpu {
namespace {

[[noreturn]] void refuse(const char* operation, DType dtype) {
    throw std::invalid_argument(std::string(operation) + " is not for " + name_of(dtype));
}

// Call `loop(out, inputs, count)` for all elements, a tile at a time, or more where nothing has to be gathered. A loop
// that takes numbers looks at the first element of theirs only.
template <class Loop>
void for_tiles(const Layout& layout, char* out, DType dtype, const Loop& loop, bool takes_numbers = false) {
    const std::int64_t most_parts = 16 * settings().threads;  // memory is read and written faster in longer pieces
    const std::int64_t grain = std::max(part_size, layout.size / most_parts / tile_size * tile_size);
    parallel_for(layout.size, grain, [&](std::int64_t begin, std::int64_t end) {
        Writer writer(out, dtype);
        Reader readers[3] = {{layout, 0}, {layout, 1}, {layout, 2}};
        bool direct = writer.is_direct();
        for (int i = 0; i < layout.source_count; ++i) {
            const bool is_number = layout.sources[i].data == nullptr;
            direct = direct && (is_number ? takes_numbers : readers[i].is_direct());
        }
        const std::int64_t step = direct ? part_size : tile_size;
        for (; begin < end; begin += step) {
            const std::int64_t count = std::min(step, end - begin);
            const void* inputs[3] = {};
            for (int i = 0; i < layout.source_count; ++i) inputs[i] = readers[i].read(begin, count);
            loop(writer.room(begin), inputs, static_cast<std::size_t>(count));
            writer.done(begin, count);
        }
    });
}

// The loop that writes past the caches, where there is one and the output has a size for it.
template <class Loop>
Loop better(Loop loop, Loop uncached, DType dtype, std::int64_t size) {
    const bool large = is_uncached(static_cast<std::size_t>(size) * size_of(dtype));
    return large && uncached != nullptr && dtype == computed(dtype) ? uncached : loop;
}

}  // namespace

void unary(Unary operation, DType dtype, Output out, Input x, const Sizes& shape, const Stream& stream) {
    const auto number = static_cast<int>(operation), element = static_cast<int>(computed(dtype));
    const UnaryLoop any = dtype == DType::boolean ? nullptr : loops().unary[number][element];
    if (any == nullptr) refuse("this operation", dtype);
    Layout layout(shape);
    layout.add(x, dtype, stream.device());
    layout.join();
    char* to = checked_output(out, dtype, layout.size, stream);
    const UnaryLoop loop = better(any, loops().unary_uncached[number][element], dtype, layout.size);
    stream.push("unary", [=] {
        for_tiles(layout, to, dtype,
                  [loop](void* tile, const void** in, std::size_t count) { loop(tile, in[0], count); });
    }, nullptr, time_of(layout.size));
}

void binary(Binary operation, DType dtype, Output out, Input a, Input b, const Sizes& shape, const Stream& stream) {
    const bool greater = operation == Binary::gt || operation == Binary::ge;
    const bool turned = greater || (a.memory == nullptr && is_symmetric(operation));
    const Input &first = turned ? b : a, &second = turned ? a : b;
    const Binary done = operation == Binary::gt ? Binary::lt : operation == Binary::ge ? Binary::le : operation;
    const bool left = first.memory == nullptr, right = second.memory == nullptr;
    const Form form = left == right ? Form::arrays : left ? Form::number_array : Form::array_number;
    const auto table = static_cast<int>(form), number = static_cast<int>(done);
    const auto element = static_cast<int>(computed(dtype));
    const BinaryLoop any = loops().binary[table][number][element];
    if (any == nullptr) refuse("arithmetic", dtype);
    const DType result = operation >= Binary::eq ? DType::boolean : dtype;
    Layout layout(shape);
    layout.add(first, dtype, stream.device());
    layout.add(second, dtype, stream.device());
    layout.join();
    char* to = checked_output(out, result, layout.size, stream);
    const BinaryLoop loop = better(any, loops().binary_uncached[table][number][element], dtype, layout.size);
    stream.push("binary", [=] {
        const auto call = [loop](void* tile, const void** in, std::size_t count) { loop(tile, in[0], in[1], count); };
        for_tiles(layout, to, result, call, form != Form::arrays);
    }, nullptr, time_of(layout.size));
}

namespace {

// What has the size of an element, for operations that do not look into it.
DType bits_of(DType dtype) {
    switch (size_of(dtype)) {
        case 1: return DType::u8;
        case 2: return DType::u16;
        case 4: return DType::u32;
        default: return DType::u64;
    }
}

}  // namespace

void where(DType dtype, Output out, Input condition, Input a, Input b, const Sizes& shape, const Stream& stream) {
    const DType bits = bits_of(dtype);
    const int logarithm = size_of(dtype) == 8 ? 3 : static_cast<int>(size_of(dtype) / 2);
    const SelectLoop loop = loops().select[logarithm];
    Layout layout(shape);
    layout.add(condition, DType::boolean, stream.device());
    layout.add(a, bits, stream.device());
    layout.add(b, bits, stream.device());
    layout.join();
    char* to = checked_output(out, bits, layout.size, stream);
    stream.push("where", [=] {
        for_tiles(layout, to, bits,
                  [loop](void* tile, const void** in, std::size_t count) { loop(tile, in[0], in[1], in[2], count); });
    }, nullptr, time_of(layout.size));
}

void cast(DType to, Output out, DType from, Input x, const Sizes& shape, const Stream& stream) {
    const Loops& all = loops();
    UnaryLoop loop = all.cast[static_cast<int>(computed(to))][static_cast<int>(computed(from))];
    DType read = from, written = to;
    if (to == from) {
        read = written = bits_of(to);
        loop = all.cast[static_cast<int>(read)][static_cast<int>(read)];
    } else if (from == DType::f64 && to != computed(to)) {
        written = DType::u16;
        loop = to == DType::f16 ? all.f64_to_f16 : all.f64_to_bf16;
    }
    Layout layout(shape);
    layout.add(x, read, stream.device());
    layout.join();
    char* target = checked_output(out, written, layout.size, stream);
    stream.push("cast", [=] {
        for_tiles(layout, target, written,
                  [loop](void* tile, const void** in, std::size_t count) { loop(tile, in[0], count); });
    }, nullptr, time_of(layout.size));
}

void fill(Output out, std::size_t count, std::string_view value, const Stream& stream) {
    if (value.size() != 1 && value.size() != 2 && value.size() != 4 && value.size() != 8) {
        throw std::invalid_argument("an element has 1, 2, 4 or 8 bytes, not " + std::to_string(value.size()));
    }
    const DType bits = value.size() == 1   ? DType::u8
                       : value.size() == 2 ? DType::u16
                       : value.size() == 4 ? DType::u32
                                           : DType::u64;
    const Sizes none;
    Layout layout({static_cast<std::int64_t>(count)});
    layout.add({nullptr, 0, none, value}, bits, stream.device());
    char* to = checked_output(out, bits, layout.size, stream);
    const UnaryLoop loop = loops().cast[static_cast<int>(bits)][static_cast<int>(bits)];
    stream.push("fill", [=] {
        for_tiles(layout, to, bits,
                  [loop](void* tile, const void** in, std::size_t count) { loop(tile, in[0], count); });
    }, nullptr, time_of(layout.size));
}

void assign(DType dtype, StridedOutput out, Input x, const Sizes& shape, const Stream& stream) {
    const DType bits = bits_of(dtype);
    Layout layout(shape);
    layout.add({&out.memory, out.offset, out.strides, {}}, bits, stream.device());
    layout.add(x, bits, stream.device());
    for (int i = 0; i < layout.rank; ++i) {
        if (layout.shape[i] > 1 && layout.sources[0].strides[i] == 0) {
            throw std::invalid_argument("an output cannot repeat an element: its stride of dimension " +
                                        std::to_string(i) + " is 0");
        }
    }
    layout.join();
    char* to = out.memory.data() + out.offset;
    stream.push("assign", [=] {
        parallel_for(layout.size, part_size, [&](std::int64_t begin, std::int64_t end) {
            Reader reader(layout, 1);
            for (; begin < end; begin += tile_size) {
                const std::int64_t count = std::min(tile_size, end - begin);
                scatter(to, layout, 0, reader.read(begin, count), begin, count);
            }
        });
    }, nullptr, time_of(layout.size));
}

}  // namespace cpu
