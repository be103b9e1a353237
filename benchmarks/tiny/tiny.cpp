#include "tiny.hpp"

#include <stdexcept>

namespace tiny {
namespace {
std::int64_t counters = 0;
}

Counter::Counter(std::int64_t start) : value_(start) { ++counters; }
Counter::Counter(const Counter &other) : value_(other.value_) { ++counters; }
Counter::~Counter() { --counters; }
std::int64_t Counter::get() const { return value_; }
void Counter::set(std::int64_t value) { value_ = value; }
std::int64_t Counter::add(std::int64_t step) { return value_ += step; }
bool Counter::positive() const { return value_ > 0; }
Counter Counter::clone() const { return Counter(*this); }

void Counter::need(std::int64_t least) const {
    if (value_ < least) throw std::runtime_error("the counter is too low");
}

std::int64_t alive() { return counters; }
std::int64_t add(std::int64_t a, std::int64_t b) { return a + b; }
std::int64_t pick(std::int64_t value) { return value; }
std::string pick(const std::string &value) { return value; }
double pick(double value) { return 2 * value; }
double scale(double x, double factor) { return x * factor; }

// Sixteen sums side by side: one alone would wait for each addition, and hide what the binding costs.
double total(const double *values, std::size_t size) {
    constexpr std::size_t lanes = 16;
    double sums[lanes] = {};
    std::size_t i = 0;
    for (; i + lanes <= size; i += lanes)
        for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += values[i + lane];
    double sum = 0;
    for (const double each : sums) sum += each;
    for (; i < size; ++i) sum += values[i];
    return sum;
}

std::string upper(const std::string &text) {
    std::string out(text);
    for (char &letter : out)
        if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
    return out;
}

}  // namespace tiny
