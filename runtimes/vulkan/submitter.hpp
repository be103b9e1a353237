// A thread that submits what is recorded and what no thread waits for, so that a device does not stand still meanwhile.
#pragma once
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace vulkan {

class Device;

class Submitter {
public:
    explicit Submitter(Device& device) : device_(device) {}
    Submitter(const Submitter&) = delete;
    Submitter& operator=(const Submitter&) = delete;

    // What was just recorded is submitted within a millisecond; false when that cannot be: the process ends, or has no
    // more threads.
    bool wake();
    // Ends the thread, for ever.
    void stop();

private:
    void run();

    Device& device_;
    std::atomic<bool> is_asleep_{true};
    std::mutex mutex_;
    std::condition_variable changed_;
    bool is_stopped_ = false;
    std::thread thread_;
};

}  // namespace vulkan
