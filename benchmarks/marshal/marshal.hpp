// A library of plain values: each function takes one and tells its size, or makes one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace marshal {

struct Point {
    double x = 0, y = 0;
    std::int64_t id = 0;
};

using Texts = std::vector<std::string>;
using Rows = std::vector<std::vector<double>>;
using Counts = std::map<std::string, std::int64_t>;
using Pair = std::pair<std::int64_t, std::string>;
using Either = std::variant<std::int64_t, std::string>;
using Points = std::vector<Point>;

inline std::int64_t take_texts(const Texts &value) { return static_cast<std::int64_t>(value.size()); }
inline std::int64_t take_rows(const Rows &value) { return static_cast<std::int64_t>(value.size()); }
inline std::int64_t take_counts(const Counts &value) { return static_cast<std::int64_t>(value.size()); }
inline std::int64_t take_pair(const Pair &value) { return value.first; }
inline std::int64_t take_pairs(const std::vector<Pair> &value) { return static_cast<std::int64_t>(value.size()); }
inline std::int64_t take_either(const Either &value) { return static_cast<std::int64_t>(value.index()); }
inline std::int64_t take_eithers(const std::vector<Either> &value) { return static_cast<std::int64_t>(value.size()); }
inline std::int64_t take_point(const Point &value) { return value.id; }
inline std::int64_t take_points(const Points &value) { return static_cast<std::int64_t>(value.size()); }

inline double call_with_number(std::int64_t count, const std::function<double(double)> &callback) {
    double total = 0;
    for (std::int64_t i = 0; i < count; ++i) total += callback(static_cast<double>(i));
    return total;
}
inline double call_with_point(std::int64_t count, const std::function<double(const Point &)> &callback) {
    double total = 0;
    for (std::int64_t i = 0; i < count; ++i) total += callback(Point{static_cast<double>(i), 0.5, i});
    return total;
}

inline std::string word(std::int64_t i) { return "word number " + std::to_string(i); }

template <class T, class Make>
std::vector<T> filled(std::int64_t size, Make make) {
    std::vector<T> out;
    for (std::int64_t i = 0; i < size; ++i) out.push_back(make(i));
    return out;
}

// Made once: what is measured is the conversion, and a copy of the value.
template <class T>
const T &kept(std::int64_t size, T (*make)(std::int64_t)) {
    static const T one = make(1), many = make(1000);
    return size == 1 ? one : many;
}

inline Texts make_texts(std::int64_t size) { return filled<std::string>(size, word); }
inline Rows make_rows(std::int64_t size) {
    return filled<std::vector<double>>(size, [](std::int64_t i) { return std::vector<double>(4, static_cast<double>(i)); });
}
inline Counts make_counts(std::int64_t size) {
    Counts out;
    for (std::int64_t i = 0; i < size; ++i) out[word(i)] = i;
    return out;
}
inline std::vector<Pair> make_pairs(std::int64_t size) {
    return filled<Pair>(size, [](std::int64_t i) { return Pair(i, word(i)); });
}
inline std::vector<Either> make_eithers(std::int64_t size) {
    return filled<Either>(size, [](std::int64_t i) { return i % 2 ? Either(i) : Either(word(i)); });
}
inline Points make_points(std::int64_t size) {
    return filled<Point>(size, [](std::int64_t i) { return Point{static_cast<double>(i), 0.5, i}; });
}

inline const Texts &give_texts(std::int64_t size) { return kept<Texts>(size, make_texts); }
inline const Rows &give_rows(std::int64_t size) { return kept<Rows>(size, make_rows); }
inline const Counts &give_counts(std::int64_t size) { return kept<Counts>(size, make_counts); }
inline const Pair &give_pair() { return kept<std::vector<Pair>>(1, make_pairs)[0]; }
inline const std::vector<Pair> &give_pairs(std::int64_t size) { return kept<std::vector<Pair>>(size, make_pairs); }
inline const Either &give_either() { return kept<std::vector<Either>>(1, make_eithers)[0]; }
inline const std::vector<Either> &give_eithers(std::int64_t size) { return kept<std::vector<Either>>(size, make_eithers); }
inline Point give_point() { return {1, 0.5, 1}; }
inline const Points &give_points(std::int64_t size) { return kept<Points>(size, make_points); }

// As a C library has it: results by out-parameters, a status, room that the caller has, a part of an object.
inline void half(std::int64_t value, std::int64_t *low) { *low = value / 2; }
inline void halves(std::int64_t value, std::int64_t *low, std::int64_t *high) { *low = value / 2, *high = value - *low; }
inline int is_negative(std::int64_t value) { return value < 0; }
inline int (*volatile of_library)(std::int64_t) = is_negative;  // the compiler knows nothing of it
inline void put(std::int64_t value) { of_library(value); }
inline int put_checked(std::int64_t value) { return of_library(value); }
inline std::size_t fill(char *out, std::size_t size) {
    std::memset(out, 'x', size);
    return size;
}

/// Containers that stay, for iteration over them.
inline const std::vector<std::int64_t> &numbers(std::int64_t size) {
    static std::vector<std::int64_t> all;
    if (all.size() != static_cast<std::size_t>(size)) {
        all.clear();
        for (std::int64_t i = 0; i < size; ++i) all.push_back(i * 1000);
    }
    return all;
}
inline const std::vector<std::string> &words(std::int64_t size) {
    static std::vector<std::string> all;
    if (all.size() != static_cast<std::size_t>(size)) all = give_texts(size);
    return all;
}
inline const std::map<std::string, std::int64_t> &sizes(std::int64_t size) {
    static std::map<std::string, std::int64_t> all;
    if (all.size() != static_cast<std::size_t>(size)) all = give_counts(size);
    return all;
}

/// Memory with dimensions: what is read of it does not grow with it.
constexpr std::size_t side = 100;
class Grid {
public:
    std::size_t rows() const { return side; }
    std::size_t columns() const { return side; }
    double *data() { return cells_.data(); }
    double first() const { return cells_.front(); }

private:
    std::vector<double> cells_ = std::vector<double>(side * side, 1.0);
};
inline double corners(const double *cells, std::size_t rows, std::size_t columns) { return cells[0] + cells[rows * columns - 1]; }

struct Page {
    std::int64_t number = 1;
};
struct Book {
    Page page;
};
inline std::int64_t number_of_book(const Book *book) { return book->page.number; }
inline std::int64_t number_of_page(const Page *page) { return page->number; }
inline Page *first_page(Book *book) { return &book->page; }
inline void turn(Book *book) { ++book->page.number; }

}  // namespace marshal
