// The order of a stream's work, as values that a timeline semaphore reaches.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>

#include "api.hpp"

namespace vulkan {

class Device;

// The values that a stream's work reaches: each thing that is queued is one.
class Timeline {
public:
    explicit Timeline(Device& device);
    ~Timeline();
    Timeline(const Timeline&) = delete;
    Timeline& operator=(const Timeline&) = delete;

    VkSemaphore semaphore() const { return semaphore_; }
    std::uint64_t submitted() const { return submitted_.load(std::memory_order_acquire); }
    // Whether the work of a value is done; throws DeviceLost.
    bool has_reached(std::uint64_t value);
    // Wait for a value, in nanoseconds at most; whether it is reached.
    bool wait(std::uint64_t value, std::uint64_t timeout);

private:
    friend class Device;
    Device& device_;
    VkSemaphore semaphore_ = VK_NULL_HANDLE;
    std::atomic<std::uint64_t> submitted_{0}, reached_{0};
};

// A value of a timeline.
struct Mark {
    std::shared_ptr<Timeline> timeline;
    std::uint64_t value;
};

}  // namespace vulkan
