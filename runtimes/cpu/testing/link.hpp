// A simulated link between host memory and device memory: copies of one direction take turns, and each takes its time.
#pragma once
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <chrono>
#include <cstddef>
#include <mutex>
#include <thread>

#include "settings.hpp"

namespace cpu {

struct LinkSettings {
    std::chrono::nanoseconds latency;  // CPU_FFI_LINK_LATENCY_US of a copy, default 0
    double bytes_per_nanosecond;       // CPU_FFI_LINK_GBPS, default 0: as fast as memory is
};

// Throws cpu::Error when a variable is not a number.
inline const LinkSettings& link_settings() {
    static const LinkSettings settings = {
        std::chrono::nanoseconds(static_cast<long long>(number_setting("CPU_FFI_LINK_LATENCY_US", 0, 0) * 1000)),
        number_setting("CPU_FFI_LINK_GBPS", 0, 0)};
    return settings;
}

class Link {
public:
    static bool is_immediate() {
        return link_settings().latency.count() == 0 && link_settings().bytes_per_nanosecond == 0;
    }

    template <class Copy>
    void transfer(std::size_t size, const Copy& copy) {
        if (is_immediate()) return copy();
        const std::lock_guard<std::mutex> turn(mutex_);
        const auto start = std::chrono::steady_clock::now();
#ifdef __linux__
        prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL);  // so that it keeps time to a microsecond
#endif
        copy();
        std::this_thread::sleep_until(start + duration(size));
    }

private:
    static std::chrono::nanoseconds duration(std::size_t size) {
        const LinkSettings& settings = link_settings();
        if (settings.bytes_per_nanosecond == 0) return settings.latency;
        const double transfer = static_cast<double>(size) / settings.bytes_per_nanosecond;
        return settings.latency + std::chrono::nanoseconds(static_cast<long long>(transfer));
    }

    std::mutex mutex_;
};

}  // namespace cpu
