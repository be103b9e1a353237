// A library of matrices: functions of C over pointers and extents, and classes of C++ over memory.
#pragma once
#include <cstddef>
#include <cstdint>
#include <atomic>
#include <memory>
#include <vector>

inline double grid_sum(const double *values, size_t rows, size_t cols) {
    double sum = 0;
    for (size_t i = 0; i < rows * cols; ++i) sum += values[i];
    return sum;
}
inline double grid_sum_int(const double *values, int rows, int cols) { return grid_sum(values, static_cast<size_t>(rows), static_cast<size_t>(cols)); }
inline double grid_sum_square(const double *values, size_t n) { return grid_sum(values, n, n); }
inline void grid_scale(double *values, size_t rows, size_t cols, double by) {
    for (size_t i = 0; i < rows * cols; ++i) values[i] *= by;
}

/// A view as libraries of matrices have it: rows first, or columns first.
template <class T, bool by_rows>
class matrix_view {
public:
    enum { IsRowMajor = by_rows };
    matrix_view(T *data, std::ptrdiff_t rows, std::ptrdiff_t cols) : data_(data), rows_(rows), cols_(cols) {}
    T &operator()(std::ptrdiff_t i, std::ptrdiff_t j) const { return data_[by_rows ? i * cols_ + j : j * rows_ + i]; }
    std::ptrdiff_t rows() const { return rows_; }

private:
    T *data_;
    std::ptrdiff_t rows_, cols_;
};

template <bool by_rows>
double trace(matrix_view<const double, by_rows> a) {
    double sum = 0;
    for (std::ptrdiff_t i = 0; i < a.rows(); ++i) sum += a(i, i);
    return sum;
}
inline double trace_of(matrix_view<const double, true> a) { return trace(a); }
inline double trace_of_columns(matrix_view<const double, false> a) { return trace(a); }

struct line_view {
    const double *data;
    size_t size;
    line_view(const double *d, size_t n) : data(d), size(n) {}
};
inline double line_total(line_view a) {
    double sum = 0;
    for (size_t i = 0; i < a.size; ++i) sum += a.data[i];
    return sum;
}

class grid {
public:
    grid(size_t rows, size_t cols) : rows_(rows), cols_(cols), data_(rows * cols) {
        for (size_t i = 0; i < data_.size(); ++i) data_[i] = static_cast<double>(i);
        ++count();
    }
    grid(grid &&other) noexcept : rows_(other.rows_), cols_(other.cols_), data_(std::move(other.data_)) { ++count(); }
    ~grid() { --count(); }
    size_t rows() const { return rows_; }
    size_t cols() const { return cols_; }
    double *data() { return data_.data(); }
    const double *data() const { return data_.data(); }
    static int64_t living() { return count(); }

private:
    static std::atomic<int64_t> &count() {
        static std::atomic<int64_t> living{0};
        return living;
    }
    size_t rows_, cols_;
    std::vector<double> data_;
};

struct loose_view {
    double *start;
    double *data() const { return start; }
};

/// Rows and columns, column by column, as libraries of linear algebra have it. What is cut out of it is a view by value.
struct strip;
class board {
public:
    enum { IsRowMajor = false };
    board(std::ptrdiff_t rows, std::ptrdiff_t cols) : rows_(rows), cols_(cols) { resize(rows, cols); }
    void resize(std::ptrdiff_t rows, std::ptrdiff_t cols) {
        rows_ = rows, cols_ = cols;
        cells_.assign(static_cast<size_t>(rows * cols), 0);
        for (std::ptrdiff_t i = 0; i < rows; ++i)
            for (std::ptrdiff_t j = 0; j < cols; ++j) cells_[static_cast<size_t>(j * rows + i)] = static_cast<double>(10 * i + j);
    }
    std::ptrdiff_t rows() const { return rows_; }
    std::ptrdiff_t cols() const { return cols_; }
    std::ptrdiff_t size() const { return rows_ * cols_; }
    double *data() { return cells_.data(); }
    strip row(std::ptrdiff_t i);

private:
    std::ptrdiff_t rows_, cols_;
    std::vector<double> cells_;
};
struct patch {
    enum { IsRowMajor = false };
    double *start;
    std::ptrdiff_t height, width, outer;
    double *data() const { return start; }
    std::ptrdiff_t rows() const { return height; }
    std::ptrdiff_t cols() const { return width; }
    std::ptrdiff_t size() const { return height * width; }
    std::ptrdiff_t rowStride() const { return 1; }
    std::ptrdiff_t colStride() const { return outer; }
};
struct strip {
    double *start;
    std::ptrdiff_t length, step;
    double *data() const { return start; }
    std::ptrdiff_t size() const { return length; }
    std::ptrdiff_t innerStride() const { return step; }
    double sum() const {
        double out = 0;
        for (std::ptrdiff_t i = 0; i < length; ++i) out += start[i * step];
        return out;
    }
};
inline strip board::row(std::ptrdiff_t i) { return {cells_.data() + i, cols_, rows_}; }
