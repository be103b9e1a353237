// A point in the work of a stream that is reached once: what an event records.
#pragma once
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <utility>

#include "error.hpp"
#include "stream.hpp"

namespace cpu {

// One recording of an event: completed once, waited for by anyone.
class Recording {
public:
    void complete(std::exception_ptr failure) {
        const std::lock_guard<std::mutex> lock(mutex_);
        at_ = Clock::now();
        failure_ = std::move(failure);
        is_complete_ = true;
        changed_.notify_all();
    }

    std::exception_ptr wait() {
        std::unique_lock<std::mutex> lock(mutex_);
        changed_.wait(lock, [this] { return is_complete_; });
        return failure_;
    }

    bool wait_until(Clock::time_point end) {
        std::unique_lock<std::mutex> lock(mutex_);
        return changed_.wait_until(lock, end, [this] { return is_complete_; });
    }

    bool is_reached() {
        const std::lock_guard<std::mutex> lock(mutex_);
        return is_complete_;
    }

    // Reached, and nothing before it has failed.
    bool is_passed() {
        const std::lock_guard<std::mutex> lock(mutex_);
        return is_complete_ && !failure_;
    }

    Clock::time_point at() {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!is_complete_) throw Error("the event is not complete yet: synchronize it before asking for times");
        return at_;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool is_complete_ = false;
    Clock::time_point at_;
    std::exception_ptr failure_;
};

}  // namespace cpu
