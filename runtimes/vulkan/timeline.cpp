#include "timeline.hpp"

#include "device.hpp"

namespace vulkan {

Timeline::Timeline(Device& device) : device_(device) {
    const Device::Semaphore taken = device.take_semaphore();
    semaphore_ = taken.handle;
    submitted_ = reached_ = taken.value;
}

Timeline::~Timeline() {
    if (!is_forked()) device_.give_back(Device::Semaphore{semaphore_, submitted()});
}

bool Timeline::has_reached(std::uint64_t value) {
    if (reached_.load(std::memory_order_acquire) >= value) return true;
    std::uint64_t now = 0;
    check(device_.call.GetSemaphoreCounterValue(device_.handle, semaphore_, &now), "vkGetSemaphoreCounterValue");
    std::uint64_t before = reached_.load(std::memory_order_relaxed);
    while (before < now && !reached_.compare_exchange_weak(before, now)) {
    }
    return now >= value;
}

bool Timeline::wait(std::uint64_t value, std::uint64_t timeout) {
    if (has_reached(value)) return true;
    VkSemaphoreWaitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
    info.semaphoreCount = 1;
    info.pSemaphores = &semaphore_;
    info.pValues = &value;
    return check(device_.call.WaitSemaphores(device_.handle, &info, timeout), "vkWaitSemaphores") == VK_SUCCESS;
}

}  // namespace vulkan
