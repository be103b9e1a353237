// The library that every contender of calls.py binds. Its functions cost next to nothing: what is timed is the binding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tiny {

class Counter {
public:
    explicit Counter(std::int64_t start = 0);
    Counter(const Counter &other);
    Counter &operator=(const Counter &) = default;
    ~Counter();
    std::int64_t get() const;
    void set(std::int64_t value);
    std::int64_t add(std::int64_t step);
    bool positive() const;
    Counter clone() const;
    void need(std::int64_t least) const;  // throws std::runtime_error when the counter is below

private:
    std::int64_t value_;
};

std::int64_t alive();  // how many counters there are
std::int64_t add(std::int64_t a, std::int64_t b);
std::int64_t pick(std::int64_t value);
std::string pick(const std::string &value);
double pick(double value);
double scale(double x, double factor);
double total(const double *values, std::size_t size);
std::string upper(const std::string &text);  // ASCII letters only

}  // namespace tiny
