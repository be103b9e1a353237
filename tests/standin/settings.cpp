#include "settings.hpp"

#include <cstdio>
#include <cstdlib>

namespace standin {
namespace {

// A misspelt setting would let a test pass for the wrong reason: end the process instead.
double number(const char* variable, double otherwise) {
    const char* text = std::getenv(variable);
    if (text == nullptr || *text == '\0') return otherwise;
    char* end = nullptr;
    double value = std::strtod(text, &end);
    if (*end != '\0' || value < 0) {
        std::fprintf(stderr, "CUDA stand-in: %s=%s is not a number of at least 0\n", variable, text);
        std::abort();
    }
    return value;
}

std::chrono::nanoseconds microseconds(double value) {
    return std::chrono::nanoseconds(static_cast<long long>(value * 1000));
}

Settings read() {
    Settings result;
    result.devices = static_cast<int>(number("CUDA_STANDIN_DEVICES", 1));
    result.memory = static_cast<std::size_t>(number("CUDA_STANDIN_MEMORY_MB", 1024) * 1024 * 1024);
    double latency_us = number("CUDA_STANDIN_LATENCY_US", 0);
    result.latency = microseconds(latency_us);
    result.kernel = microseconds(number("CUDA_STANDIN_KERNEL_US", latency_us));
    result.bytes_per_nanosecond = number("CUDA_STANDIN_GBPS", 0);
    return result;
}

}  // namespace

std::chrono::nanoseconds Settings::duration(std::size_t bytes) const {
    if (bytes_per_nanosecond == 0) return latency;
    auto transfer = static_cast<double>(bytes) / bytes_per_nanosecond;
    return latency + std::chrono::nanoseconds(static_cast<long long>(transfer));
}

const Settings& settings() {
    static const Settings* result = new Settings(read());  // never destroyed: worker threads outlive main
    return *result;
}

}  // namespace standin
