#include "submitter.hpp"

#include <chrono>
#include <cstdlib>
#include <system_error>
#include <vector>

#include "device.hpp"

namespace vulkan {
namespace {

constexpr std::chrono::microseconds pause{250};
constexpr int most_idle = 40;  // pauses in which nothing was recorded, until it sleeps

// Submitters whose threads must end before the driver's own state does.
struct Started {
    std::mutex mutex;
    std::vector<Submitter*> all;
};

Started& started() {
    static Started* result = new Started;
    return *result;
}

void stop_all() {
    if (is_forked()) return;
    std::vector<Submitter*> all;
    {
        const std::lock_guard<std::mutex> lock(started().mutex);
        all = started().all;
    }
    for (Submitter* each : all) each->stop();
}

}  // namespace

bool Submitter::wake() {
    if (!is_asleep_.load()) return true;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (is_stopped_) return false;
    if (!thread_.joinable()) {
        try {
            thread_ = std::thread([this] { run(); });
        } catch (const std::system_error&) {
            return false;
        }
        const std::lock_guard<std::mutex> also(started().mutex);
        if (started().all.empty()) std::atexit(stop_all);  // the driver was loaded before, so that its end comes later
        started().all.push_back(this);
    }
    is_asleep_ = false;
    changed_.notify_one();
    return true;
}

void Submitter::stop() {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        is_stopped_ = is_asleep_ = true;
    }
    changed_.notify_one();
    if (thread_.joinable()) thread_.join();
}

void Submitter::run() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (int idle = 0;;) {
        if (is_asleep_) {
            changed_.wait(lock, [this] { return is_stopped_ || !is_asleep_; });
            idle = 0;
        }
        if (is_stopped_ || changed_.wait_for(lock, pause, [this] { return is_stopped_; })) return;
        // Asleep before it looks for the last time: who records after that finds it asleep, and wakes it.
        const bool is_last = ++idle > most_idle;
        if (is_last) is_asleep_ = true;
        lock.unlock();
        const bool found = device_.submit_waiting();
        lock.lock();
        if (is_stopped_) return;
        if (found) {
            idle = 0;
            is_asleep_ = false;
        }
    }
}

}  // namespace vulkan
