// Reductions over one axis, or over all elements.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <string>

#include "layout.hpp"
#include "pool.hpp"
#include "settings.hpp"

namespace cpu {
namespace {

// What a reduction is made of, in terms of loops.
struct Steps {
    Reduce operation;
    DType dtype, accumulator, result;
    bool widens;             // the input to accumulators first: means of 64-bit numbers, whose sums they could not hold
    ReduceLoop reduce;       // of a tile
    AccumulateLoop combine;  // accumulators with accumulators
    AccumulateLoop accumulate;
    double count;  // that are reduced to one

    // Elements as the loops take them; `room` is for those that are converted.
    const void* read(Reader& reader, std::int64_t begin, std::int64_t size, Buffer& room) const {
        const void* values = reader.read(begin, size);
        if (!widens) return values;
        const auto convert = loops().cast[static_cast<int>(accumulator)][static_cast<int>(dtype)];
        convert(room.data, values, static_cast<std::size_t>(size));
        return room.data;
    }

    // Put accumulators, which it changes, into the output.
    void finish(Writer& writer, std::int64_t begin, void* accumulators, std::int64_t size) const;
};

Steps steps_of(Reduce operation, DType dtype, std::int64_t count) {
    const Loops& all = loops();
    const bool sums = operation == Reduce::sum || operation == Reduce::mean;
    const int kind = sums ? 0 : operation == Reduce::max ? 1 : 2;
    const int number = static_cast<int>(computed(dtype));
    const bool widens = operation == Reduce::mean && (dtype == DType::i64 || dtype == DType::u64);
    const DType accumulator = widens ? DType::f64 : sums ? sum_dtype(dtype) : computed(dtype);
    const int read = widens ? static_cast<int>(accumulator) : number;
    return {operation,
            dtype,
            accumulator,
            reduced_dtype(operation, dtype),
            widens,
            all.reduce[kind][read],
            all.accumulate[kind][static_cast<int>(accumulator)],
            all.accumulate[kind][read],
            static_cast<double>(count)};
}

void Steps::finish(Writer& writer, std::int64_t begin, void* accumulators, std::int64_t size) const {
    const Loops& all = loops();
    const auto count_of = static_cast<std::size_t>(size);
    const void* values = accumulators;
    DType held = accumulator;
    Buffer means;
    if (operation == Reduce::mean) {
        auto* mean = reinterpret_cast<double*>(means.data);
        all.cast[static_cast<int>(DType::f64)][static_cast<int>(accumulator)](mean, accumulators, count_of);
        for (std::size_t i = 0; i < count_of; ++i) mean[i] /= count;
        values = mean;
        held = DType::f64;
    }
    all.cast[static_cast<int>(computed(result))][static_cast<int>(held)](writer.room(begin), values, count_of);
    writer.done(begin, size);
}

// All elements to one: each part on its own, then the parts in order, so that the result does not depend on threads.
void reduce_all(const Layout& layout, const Steps& steps, Writer& writer, std::int64_t at) {
    const std::int64_t parts = std::max<std::int64_t>(1, (layout.size + part_size - 1) / part_size);
    std::vector<std::uint64_t> results(static_cast<std::size_t>(parts));
    parallel_for(layout.size, part_size, [&](std::int64_t begin, std::int64_t end) {
        Reader reader(layout, 0);
        Buffer room;
        std::uint64_t& result = results[static_cast<std::size_t>(begin / part_size)];
        for (std::int64_t from = begin; from < end; from += tile_size) {
            const std::int64_t count = std::min(tile_size, end - from);
            std::uint64_t tile = 0;
            steps.reduce(&tile, steps.read(reader, from, count, room), static_cast<std::size_t>(count));
            if (from == begin) {
                result = tile;
            } else {
                steps.combine(&result, &tile, 1);
            }
        }
    });
    for (std::size_t i = 1; i < results.size(); ++i) steps.combine(results.data(), &results[i], 1);
    steps.finish(writer, at, results.data(), 1);
}

}  // namespace

DType reduced_dtype(Reduce operation, DType dtype) {
    if (operation == Reduce::max || operation == Reduce::min || is_float(dtype)) return dtype;
    return operation == Reduce::sum ? sum_dtype(dtype) : DType::f32;
}

namespace {

// The input of one output element: a row along the axis.
Layout row_of(const Layout& outputs, std::int64_t index, std::int64_t length, std::int64_t stride) {
    Layout row(Sizes{length});
    Source source = outputs.sources[0];
    std::int64_t at = 0;
    for (int i = outputs.rank - 1; i >= 0; --i) {
        at += index % outputs.shape[i] * source.strides[i];
        index /= outputs.shape[i];
    }
    source.data += at * static_cast<std::int64_t>(size_of(source.dtype));
    source.strides[0] = stride;
    row.sources[0] = source;
    row.source_count = 1;
    return row;
}

// Rows that lie closely together: each output by itself.
void reduce_rows(const Layout& outputs, const Steps& steps, char* out, std::int64_t length, std::int64_t stride) {
    if (length >= part_size) {  // each is worth all threads
        Writer writer(out, steps.result);
        for (std::int64_t i = 0; i < outputs.size; ++i) {
            reduce_all(row_of(outputs, i, length, stride), steps, writer, i);
        }
        return;
    }
    const std::int64_t grain = std::max<std::int64_t>(1, part_size / length);
    parallel_for(outputs.size, grain, [&](std::int64_t begin, std::int64_t end) {
        Writer writer(out, steps.result);
        for (; begin < end; ++begin) reduce_all(row_of(outputs, begin, length, stride), steps, writer, begin);
    });
}

// Outputs that lie closely together: a tile of them at once, adding one line of inputs after the other.
void reduce_columns(const Layout& outputs, const Steps& steps, char* out, std::int64_t length, std::int64_t stride) {
    // Few parts, but one for each thread: a part goes over all lines, and of short lines most would be calls of the loops.
    const std::int64_t share = (outputs.size + settings().threads - 1) / settings().threads;
    const std::int64_t grain = std::min(tile_size, std::max<std::int64_t>({64, part_size / length, share}));
    parallel_for(outputs.size, grain, [&](std::int64_t begin, std::int64_t end) {
        Writer writer(out, steps.result);
        Buffer accumulators;
        const auto count = static_cast<std::size_t>(end - begin);
        const Loops& all = loops();
        Layout line = outputs;
        Reader reader(line, 0);
        Buffer room;
        for (std::int64_t i = 0; i < length; ++i) {
            const void* values = steps.read(reader, begin, end - begin, room);
            if (i == 0) {
                const DType read = steps.widens ? steps.accumulator : computed(steps.dtype);
                all.cast[static_cast<int>(steps.accumulator)][static_cast<int>(read)](accumulators.data, values, count);
            } else {
                steps.accumulate(accumulators.data, values, count);
            }
            line.sources[0].data += stride * static_cast<std::int64_t>(size_of(steps.dtype));
        }
        steps.finish(writer, begin, accumulators.data, end - begin);
    });
}

void give_nothing(const Layout& outputs, const Steps& steps, char* out) {
    Writer writer(out, steps.result);
    for (std::int64_t i = 0; i < outputs.size; ++i) {
        std::uint64_t zero = 0;
        steps.finish(writer, i, &zero, 1);
    }
}

}  // namespace

void reduce(Reduce operation, DType dtype, Output out, Input x, const Sizes& shape, std::optional<std::int32_t> one,
            const Stream& stream) {
    const int rank = static_cast<int>(shape.size());
    if (one && *one < 0) throw std::invalid_argument("axes are counted from 0, not " + std::to_string(*one));
    if (one && *one >= rank) {
        throw std::invalid_argument("an array of " + std::to_string(rank) + " dimensions has no axis " +
                                    std::to_string(*one));
    }
    const int axis = one.value_or(-1);
    Layout whole(shape);
    whole.add(x, dtype, stream.device());
    const std::int64_t length = axis < 0 ? whole.size : shape[static_cast<std::size_t>(axis)];
    const bool empty = length == 0;
    if (empty && (operation == Reduce::max || operation == Reduce::min)) {
        throw std::invalid_argument("nothing has no max or min: the array is empty along the axis");
    }
    const Steps steps = steps_of(operation, dtype, length);
    const std::int64_t elements = whole.size;
    if (axis < 0) {
        whole.join();
        char* to = checked_output(out, steps.result, 1, stream);
        stream.push("reduce", [=] {
            Writer writer(to, steps.result);
            if (empty) {
                std::uint64_t zero = 0;
                steps.finish(writer, 0, &zero, 1);
            } else {
                reduce_all(whole, steps, writer, 0);
            }
        }, nullptr, time_of(elements));
        return;
    }
    const std::int64_t stride = whole.sources[0].strides[axis];
    Layout outputs = whole;
    outputs.shape[axis] = 1;
    outputs.size = element_count(Sizes(outputs.shape, outputs.shape + rank));
    outputs.join();
    char* to = checked_output(out, steps.result, outputs.size, stream);
    const std::int64_t across = outputs.rank == 0 ? 0 : std::abs(outputs.sources[0].strides[outputs.rank - 1]);
    const bool rows = outputs.rank == 0 || (std::abs(stride) < across && stride != 0);
    stream.push("reduce", [=] {
        if (empty) {
            give_nothing(outputs, steps, to);
        } else if (rows) {
            reduce_rows(outputs, steps, to, length, stride);
        } else {
            reduce_columns(outputs, steps, to, length, stride);
        }
    }, nullptr, time_of(elements));
}

}  // namespace cpu
