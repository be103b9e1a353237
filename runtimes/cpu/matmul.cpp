// Products of matrices: both are packed into panels that stay in the caches, whatever their strides and dtype.
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

#include "layout.hpp"
#include "pool.hpp"

namespace cpu {
namespace {

constexpr std::int64_t block_inner = 256, block_rows = 96, block_columns = 1536;  // panels of a, of b: 96 KiB, 1.5 MiB

struct Matrix {
    const char* data;
    DType dtype;
    std::int64_t down, right;  // strides in elements
};

using Freed = std::unique_ptr<char, void (*)(void*)>;

Freed room(std::int64_t elements, std::size_t size) {
    const std::size_t bytes = (static_cast<std::size_t>(elements) * size + 63) / 64 * 64;
    Freed result(static_cast<char*>(std::aligned_alloc(64, bytes)), std::free);
    if (!result) throw std::bad_alloc();
    return result;
}

// Element (row, column) of a matrix as it is stored.
template <class T>
T load(const Matrix& matrix, std::int64_t row, std::int64_t column) {
    const std::int64_t at = row * matrix.down + column * matrix.right;
    if constexpr (std::is_same_v<T, float>) {
        if (matrix.dtype != DType::f32) {
            float value = 0;
            widen(&value, matrix.data + at * 2, matrix.dtype, 1);
            return value;
        }
    }
    return reinterpret_cast<const T*>(matrix.data)[at];
}

// Panels of `width` rows each: [panel][column][row in panel], filled up with zeros.
template <class T>
void pack(T* to, const Matrix& matrix, std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t columns,
          int width) {
    for (std::int64_t start = 0; start < rows; start += width, to += columns * width) {
        const int height = static_cast<int>(std::min<std::int64_t>(width, rows - start));
        if (matrix.down == 1 && matrix.dtype == computed(matrix.dtype)) {
            const T* from = reinterpret_cast<const T*>(matrix.data) + row + start + column * matrix.right;
            for (std::int64_t k = 0; k < columns; ++k, from += matrix.right) {
                for (int i = 0; i < height; ++i) to[k * width + i] = from[i];
                for (int i = height; i < width; ++i) to[k * width + i] = T{0};
            }
            continue;
        }
        for (int i = 0; i < width; ++i) {
            for (std::int64_t k = 0; k < columns; ++k) {
                to[k * width + i] = i < height ? load<T>(matrix, row + start + i, column + k) : T{0};
            }
        }
    }
}

template <class T>
void multiply(const Product& product, T* out, Matrix a, Matrix b, std::int64_t rows, std::int64_t inner,
              std::int64_t columns) {
    const Matrix turned{b.data, b.dtype, b.right, b.down};
    std::fill_n(out, rows * columns, T{0});
    const Freed right = room((std::min(columns, block_columns) + product.columns) * std::min(inner, block_inner),
                             sizeof(T));
    auto* panels = reinterpret_cast<T*>(right.get());
    for (std::int64_t column = 0; column < columns; column += block_columns) {
        const std::int64_t width = std::min(block_columns, columns - column);
        for (std::int64_t k = 0; k < inner; k += block_inner) {
            const std::int64_t depth = std::min(block_inner, inner - k);
            const std::int64_t panel_count = (width + product.columns - 1) / product.columns;
            const bool small = rows * width * depth < 64 * 64 * 64;
            parallel_for(panel_count, small ? panel_count : std::max<std::int64_t>(1, panel_count / 16),
                         [&](std::int64_t begin, std::int64_t end) {
                             const std::int64_t first = begin * product.columns;
                             const std::int64_t last = std::min(width, end * product.columns);
                             pack(panels + first * depth, turned, column + first, last - first, k, depth,
                                  product.columns);
                         });
            parallel_for(rows, small ? rows : block_rows, [&](std::int64_t begin, std::int64_t end) {
                const std::int64_t high = end - begin;
                const Freed left = room((high + product.rows) * depth, sizeof(T));
                auto* block = reinterpret_cast<T*>(left.get());
                pack(block, a, begin, high, k, depth, product.rows);
                alignas(64) T tile[32 * 64];
                for (std::int64_t j = 0; j < width; j += product.columns) {
                    const std::int64_t wide = std::min<std::int64_t>(product.columns, width - j);
                    for (std::int64_t i = 0; i < high; i += product.rows) {
                        product.loop(tile, block + i * depth, panels + j * depth, depth);
                        const std::int64_t tall = std::min<std::int64_t>(product.rows, high - i);
                        for (std::int64_t r = 0; r < tall; ++r) {
                            T* to = out + (begin + i + r) * columns + column + j;
                            for (std::int64_t c = 0; c < wide; ++c) to[c] += tile[r * product.columns + c];
                        }
                    }
                }
            });
        }
    }
}

}  // namespace

void matmul(DType dtype, Output out, Input a, Input b, std::int64_t rows, std::int64_t inner, std::int64_t columns,
            const Stream& stream) {
    if (!is_float(dtype)) throw std::invalid_argument(std::string("matmul is not for ") + name_of(dtype));
    if (a.memory == nullptr || b.memory == nullptr) throw std::invalid_argument("matmul needs two matrices");
    Layout left({rows, inner}), right({inner, columns});
    left.add(a, dtype, stream.device());
    right.add(b, dtype, stream.device());
    const std::int64_t size = element_count({rows, columns});
    char* to = checked_output(out, dtype, size, stream);
    const Source &x = left.sources[0], &y = right.sources[0];
    const Matrix first{x.data, dtype, x.strides[0], x.strides[1]}, second{y.data, dtype, y.strides[0], y.strides[1]};
    stream.push("matmul", [=] {
        if (dtype == DType::f64) {
            multiply(loops().product_f64, reinterpret_cast<double*>(to), first, second, rows, inner, columns);
        } else if (dtype == DType::f32) {
            multiply(loops().product_f32, reinterpret_cast<float*>(to), first, second, rows, inner, columns);
        } else {
            const Freed wide = room(size, sizeof(float));
            auto* result = reinterpret_cast<float*>(wide.get());
            multiply(loops().product_f32, result, first, second, rows, inner, columns);
            narrow(to, result, dtype, size);
        }
    });
}

}  // namespace cpu
