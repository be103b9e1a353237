// Where the elements of arrays lie: inputs as they are read a tile at a time, whatever their strides and dtype.
#pragma once
#include <cstddef>
#include <cstdint>

#include "operations.hpp"

namespace cpu {

constexpr int most_dimensions = 8;
constexpr std::int64_t tile_size = 1024;           // elements: a few tiles of 8 bytes stay in the nearest cache
constexpr std::int64_t part_size = 32 * tile_size; // elements that are worth a thread's while

// Room for a tile of elements of any dtype.
struct Buffer {
    alignas(64) char data[tile_size * 8];
};

// One input of an operation, checked.
struct Source {
    const char* data = nullptr;  // null for a number
    DType dtype = DType::f32;
    std::int64_t strides[most_dimensions] = {};
    char value[8] = {};
};

// Where an operation's elements are: the shape of its output, with dimensions joined where all inputs allow it.
struct Layout {
    std::int64_t size = 1;
    int rank = 0;
    std::int64_t shape[most_dimensions] = {};
    Source sources[3];
    int source_count = 0;

    explicit Layout(const Sizes& shape);
    void add(const Input& input, DType dtype, int device);
    void join();

    bool is_contiguous(const Source& source) const {
        return source.data != nullptr && (rank == 0 || (rank == 1 && source.strides[0] == 1));
    }
};

// Reads one input in the order of the output.
class Reader {
public:
    Reader(const Layout& layout, int source);

    // The elements from `begin` on, `count` of them, in the dtype that is computed with: in the array itself, or in a
    // buffer that the next call changes. When they are not in the array, there may be at most tile_size of them.
    const void* read(std::int64_t begin, std::int64_t count);

    // Whether `read` gives the array itself.
    bool is_direct() const { return direct_; }

private:
    void gather(char* to, std::int64_t begin, std::int64_t count) const;

    const Layout& layout_;
    const Source& source_;
    bool direct_;
    Buffer stored_, computed_;
};

// Put `count` elements, from `begin` on in the order of the layout, where a source of the layout has them. `to` is the
// address of the source's first element.
void scatter(char* to, const Layout& layout, int source, const void* from, std::int64_t begin, std::int64_t count);

// Writes a contiguous output from elements of the dtype that is computed with.
class Writer {
public:
    Writer(char* data, DType dtype) : data_(data), dtype_(dtype) {}

    // Where to put elements from `begin` on; then `done` puts them into the array, if they are not there already.
    void* room(std::int64_t begin);
    void done(std::int64_t begin, std::int64_t count);
    bool is_direct() const { return dtype_ == computed(dtype_); }

private:
    char* data_;
    DType dtype_;
    Buffer computed_;
};

// From and to the dtype that is computed with, for f16 and bf16.
void widen(void* to, const void* from, DType dtype, std::int64_t count);
void narrow(void* to, const void* from, DType dtype, std::int64_t count);

// The address of a contiguous output of `count` elements, checked.
char* checked_output(const Output& out, DType dtype, std::int64_t count, const Stream& stream);

// The product of a shape; throws std::invalid_argument when a size is negative or the product is too large.
std::int64_t element_count(const Sizes& shape);

}  // namespace cpu
