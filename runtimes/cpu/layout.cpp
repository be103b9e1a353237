#include "layout.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

namespace cpu {
namespace {

[[noreturn]] void refuse(const std::string& message) { throw std::invalid_argument(message); }

void check_same_device(const Memory& memory, int device) {
    if (memory.device() != device) {
        refuse("memory of device " + std::to_string(memory.device()) + " cannot be used on a stream of device " +
               std::to_string(device) + ": copy it first");
    }
}

void check_aligned(std::size_t offset, DType dtype) {
    if (offset % size_of(dtype) != 0) {
        refuse("offset " + std::to_string(offset) + " is not a multiple of the " + std::to_string(size_of(dtype)) +
               " bytes of an element");
    }
}

// Throws unless all elements that the strides can reach lie in the memory.
void check_inside(const Input& input, DType dtype, const Sizes& shape) {
    const auto element = static_cast<std::int64_t>(size_of(dtype));
    const auto size = static_cast<std::int64_t>(input.memory->size());
    std::int64_t least = 0, most = 0;  // elements before and behind the first
    bool inside = input.offset <= input.memory->size();
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (shape[i] == 0) return;
        std::int64_t reach = 0;
        std::int64_t& end = input.strides[i] < 0 ? least : most;
        inside = inside && !__builtin_mul_overflow(shape[i] - 1, input.strides[i], &reach) &&
                 !__builtin_add_overflow(end, reach, &end);
    }
    const auto offset = static_cast<std::int64_t>(input.offset);
    inside = inside && least >= -size && most <= size && offset + least * element >= 0 &&
             offset + (most + 1) * element <= size;
    if (!inside) {
        refuse("an array with such an offset, shape and strides does not lie in its memory of " +
               std::to_string(input.memory->size()) + " bytes");
    }
}

template <class T>
void gather_run(char* to, const char* from, std::int64_t stride, std::int64_t count) {
    auto* target = reinterpret_cast<T*>(to);
    const auto* source = reinterpret_cast<const T*>(from);
    if (stride == 0) {
        std::fill_n(target, count, *source);
    } else {
        for (std::int64_t i = 0; i < count; ++i) target[i] = source[i * stride];
    }
}

void gather_run(char* to, const char* from, std::size_t size, std::int64_t stride, std::int64_t count) {
    if (stride == 1) {
        std::memcpy(to, from, static_cast<std::size_t>(count) * size);
        return;
    }
    switch (size) {
        case 1: return gather_run<std::uint8_t>(to, from, stride, count);
        case 2: return gather_run<std::uint16_t>(to, from, stride, count);
        case 4: return gather_run<std::uint32_t>(to, from, stride, count);
        default: return gather_run<std::uint64_t>(to, from, stride, count);
    }
}

template <class T>
void scatter_run(char* to, const char* from, std::int64_t stride, std::int64_t count) {
    auto* target = reinterpret_cast<T*>(to);
    const auto* source = reinterpret_cast<const T*>(from);
    for (std::int64_t i = 0; i < count; ++i) target[i * stride] = source[i];
}

void scatter_run(char* to, const char* from, std::size_t size, std::int64_t stride, std::int64_t count) {
    if (stride == 1) {
        std::memcpy(to, from, static_cast<std::size_t>(count) * size);
        return;
    }
    switch (size) {
        case 1: return scatter_run<std::uint8_t>(to, from, stride, count);
        case 2: return scatter_run<std::uint16_t>(to, from, stride, count);
        case 4: return scatter_run<std::uint32_t>(to, from, stride, count);
        default: return scatter_run<std::uint64_t>(to, from, stride, count);
    }
}

// Call `run(at, stride, count)` for each run of elements along the last dimension: `count` of them from element `at` of
// the source on.
template <class Run>
void for_runs(const Layout& layout, const Source& source, std::int64_t begin, std::int64_t count, const Run& run) {
    const int last = layout.rank - 1;
    if (last < 0) return run(0, 1, count);  // one element
    std::int64_t index[most_dimensions] = {};
    std::int64_t at = 0;
    for (int i = last; i >= 0; --i) {
        index[i] = begin % layout.shape[i];
        begin /= layout.shape[i];
        at += index[i] * source.strides[i];
    }
    while (count > 0) {
        const std::int64_t length = std::min(count, layout.shape[last] - index[last]);
        run(at, source.strides[last], length);
        count -= length;
        at += length * source.strides[last];
        index[last] += length;
        for (int i = last; i > 0 && index[i] == layout.shape[i]; --i) {
            at += source.strides[i - 1] - index[i] * source.strides[i];
            index[i] = 0;
            ++index[i - 1];
        }
    }
}

}  // namespace

std::int64_t element_count(const Sizes& shape) {
    std::int64_t count = 1;
    for (const std::int64_t size : shape) {
        if (size < 0) refuse("a dimension cannot have " + std::to_string(size) + " elements");
        if (__builtin_mul_overflow(count, size, &count)) refuse("such an array has too many elements");
    }
    return count;
}

char* checked_output(const Output& out, DType dtype, std::int64_t count, const Stream& stream) {
    check_same_device(out.memory, stream.device());
    check_aligned(out.offset, dtype);
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(static_cast<std::size_t>(count), size_of(dtype), &bytes)) {
        refuse("such an array has too many elements");
    }
    return out.memory.part(out.offset, bytes);
}

Layout::Layout(const Sizes& sizes) : size(element_count(sizes)), rank(static_cast<int>(sizes.size())) {
    if (rank > most_dimensions) refuse("an array can have 8 dimensions, not " + std::to_string(rank));
    std::copy(sizes.begin(), sizes.end(), shape);
}

void Layout::add(const Input& input, DType dtype, int device) {
    Source& source = sources[source_count++];
    source.dtype = dtype;
    if (input.memory == nullptr) {
        if (input.value.size() != size_of(dtype)) {
            refuse(std::string("a number of ") + name_of(dtype) + " has " + std::to_string(size_of(dtype)) +
                   " bytes, not " + std::to_string(input.value.size()));
        }
        std::memcpy(source.value, input.value.data(), input.value.size());
        return;
    }
    if (input.strides.size() != static_cast<std::size_t>(rank)) {
        refuse("an array of " + std::to_string(rank) + " dimensions needs as many strides, not " +
               std::to_string(input.strides.size()));
    }
    check_same_device(*input.memory, device);
    check_aligned(input.offset, dtype);
    check_inside(input, dtype, Sizes(shape, shape + rank));
    source.data = input.memory->data() + input.offset;
    std::copy(input.strides.begin(), input.strides.end(), source.strides);
}

void Layout::join() {
    int kept = 0;
    for (int i = 0; i < rank; ++i) {
        if (shape[i] == 1) continue;
        const bool joins = kept > 0 && std::all_of(sources, sources + source_count, [&](const Source& source) {
                               return source.strides[kept - 1] == source.strides[i] * shape[i];
                           });
        const int at = joins ? kept - 1 : kept++;
        shape[at] = joins ? shape[at] * shape[i] : shape[i];
        for (Source& source : sources) source.strides[at] = source.strides[i];
    }
    rank = kept;
}

Reader::Reader(const Layout& layout, int source)
    : layout_(layout), source_(layout.sources[source]),
      direct_(layout.is_contiguous(source_) && source_.dtype == computed(source_.dtype)) {
    if (source_.data == nullptr) {  // a tile full of the number, made once
        const std::size_t size = size_of(source_.dtype);
        gather_run(stored_.data, source_.value, size, 0, tile_size);
        if (source_.dtype != computed(source_.dtype)) widen(computed_.data, stored_.data, source_.dtype, tile_size);
    }
}

const void* Reader::read(std::int64_t begin, std::int64_t count) {
    const bool stored_as_computed = source_.dtype == computed(source_.dtype);
    const char* from = stored_.data;
    if (source_.data == nullptr) return stored_as_computed ? stored_.data : computed_.data;
    if (layout_.is_contiguous(source_)) {
        from = source_.data + begin * static_cast<std::int64_t>(size_of(source_.dtype));
    } else {
        gather(stored_.data, begin, count);
    }
    if (stored_as_computed) return from;
    widen(computed_.data, from, source_.dtype, count);
    return computed_.data;
}

void Reader::gather(char* to, std::int64_t begin, std::int64_t count) const {
    const auto size = static_cast<std::int64_t>(size_of(source_.dtype));
    for_runs(layout_, source_, begin, count, [&](std::int64_t at, std::int64_t stride, std::int64_t length) {
        gather_run(to, source_.data + at * size, size_of(source_.dtype), stride, length);
        to += length * size;
    });
}

void scatter(char* to, const Layout& layout, int source, const void* from, std::int64_t begin, std::int64_t count) {
    const Source& target = layout.sources[source];
    const auto size = static_cast<std::int64_t>(size_of(target.dtype));
    const char* next = static_cast<const char*>(from);
    for_runs(layout, target, begin, count, [&](std::int64_t at, std::int64_t stride, std::int64_t length) {
        scatter_run(to + at * size, next, size_of(target.dtype), stride, length);
        next += length * size;
    });
}

void* Writer::room(std::int64_t begin) {
    if (!is_direct()) return computed_.data;
    return data_ + begin * static_cast<std::int64_t>(size_of(dtype_));
}

void Writer::done(std::int64_t begin, std::int64_t count) {
    if (!is_direct()) {
        narrow(data_ + begin * static_cast<std::int64_t>(size_of(dtype_)), computed_.data, dtype_, count);
    }
}

void widen(void* to, const void* from, DType dtype, std::int64_t count) {
    const Loops& all = loops();
    (dtype == DType::f16 ? all.from_f16 : all.from_bf16)(to, from, static_cast<std::size_t>(count));
}

void narrow(void* to, const void* from, DType dtype, std::int64_t count) {
    const Loops& all = loops();
    (dtype == DType::f16 ? all.to_f16 : all.to_bf16)(to, from, static_cast<std::size_t>(count));
}

}  // namespace cpu
