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
