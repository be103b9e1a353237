// What threads.py binds: a call that costs next to nothing, and one that waits.
#pragma once

#include <chrono>
#include <cstdint>
#include <thread>

namespace waiting {

inline std::int64_t add(std::int64_t a, std::int64_t b) {
    return a + b;
}

inline void wait(std::int64_t microseconds) {
    std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
}

}  // namespace waiting
