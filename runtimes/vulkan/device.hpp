// A device as far as all its streams share it: its one queue, limits, allocations, and what is freed later.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api.hpp"
#include "features.hpp"
#include "submitter.hpp"
#include "timeline.hpp"

namespace vulkan {

class Device;
class Queue;

// A buffer with memory of its own.
class Buffer {
public:
    enum class Where { device, host };  // the device's own memory, or the host's, where copies are staged

    Buffer(Device& device, std::size_t size, Where where);
    // Memory of the host, as a buffer that copies use; throws Unsupported when the device cannot have it.
    Buffer(Device& device, void* memory, std::size_t size);
    ~Buffer();
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    Device& device() const { return device_; }
    VkBuffer handle() const { return handle_; }
    VkDeviceSize shift() const { return shift_; }  // of the first byte in the VkBuffer
    VkDeviceAddress address() const { return address_; }
    char* mapped() const { return mapped_; }  // null where the host does not see it
    std::size_t size() const { return size_; }

private:
    void make(std::size_t size, Where where);
    void destroy();

    Device& device_;
    std::size_t size_, allocated_ = 0;
    VkBuffer handle_ = VK_NULL_HANDLE;
    VkDeviceMemory memory_ = VK_NULL_HANDLE;
    VkDeviceSize shift_ = 0;
    VkDeviceAddress address_ = 0;
    char* mapped_ = nullptr;
};

struct MemoryInfo {
    std::size_t free, total;
};

class Device {
public:
    Device(const Instance& instance, int index);

    const int index;
    const VkPhysicalDevice physical;
    DeviceFunctions call;
    VkDevice handle = VK_NULL_HANDLE;
    std::uint32_t queue_family = 0, timestamp_bits = 0;
    double timestamp_period = 0;  // nanoseconds
    VkPhysicalDeviceProperties properties{};
    std::size_t largest_allocation = 0;
    std::size_t host_alignment = 0;  // of memory of the host that it imports; 0 when it imports none
    Features features{};
    // All its memory is the host's as well; then copies with ordinary memory need no staging.
    bool is_unified = false;

    // Let the commands that follow in a command buffer see what those before have written: addresses do not say what a
    // kernel uses.
    void order(VkCommandBuffer commands) const;

    // Submit commands, which may be none, that wait for `marks` and reach the timeline's next value, which is returned.
    std::uint64_t submit(Timeline& timeline, VkCommandBuffer commands, const std::vector<Mark>& marks);

    // Remember a stream's queue, as long as it lives.
    void add(const std::shared_ptr<Queue>& queue);
    // The last value of each timeline that is not reached; all that is queued is submitted.
    std::vector<Mark> busy();
    // Submit what was recorded before the last call of this; whether there is something recorded.
    bool submit_waiting();
    // Raise the error of a submit that was not reported yet.
    void check_submitted();
    Submitter& submitter() { return submitter_; }
    // Release something when all that is queued on the device now is done.
    void free_later(std::shared_ptr<void> kept);
    // Release what can be released; with `wait`, after waiting for the work that keeps it.
    void collect(bool wait = false);

    MemoryInfo memory_info() const;

    // Host memory of at least so many bytes for a copy, used again when it is let go of.
    std::shared_ptr<Buffer> staging(std::size_t size);
    static constexpr std::size_t most_staged = 4 << 20;  // bytes of one copy

    // Semaphores of timelines that ended, with their last value, and pools of streams that were closed: the next ones
    // take them. They are never destroyed, because a driver may look at them for a moment after their work is done.
    struct Semaphore {
        VkSemaphore handle;
        std::uint64_t value;
    };
    struct Pool {
        VkCommandPool handle;
        std::vector<VkCommandBuffer> unused, unused_secondary;
    };
    Semaphore take_semaphore();
    void give_back(Semaphore semaphore);
    Pool take_pool();
    void give_back(Pool pool);

    // A timestamp's place, used again when it is let go of.
    struct Query {
        VkQueryPool pool;
        std::uint32_t number;
    };
    std::shared_ptr<Query> query();

private:
    friend class Buffer;
    std::vector<std::shared_ptr<Queue>> queues();
    std::uint32_t memory_type(std::uint32_t bits, Buffer::Where where) const;

    const Instance& instance_;
    VkPhysicalDeviceMemoryProperties memory_{};
    bool has_budget_ = false;
    std::atomic<std::size_t> allocated_{0};
    VkQueue queue_ = VK_NULL_HANDLE;
    std::mutex queue_mutex_;

    struct Retired {
        std::shared_ptr<void> kept;
        std::vector<Mark> marks;
    };
    std::mutex mutex_;  // of what follows; no call of Vulkan that waits is made within
    std::vector<std::weak_ptr<Queue>> queues_;
    std::deque<Retired> retired_;
    std::multimap<std::size_t, std::unique_ptr<Buffer>> unused_staging_;
    std::vector<Query> unused_queries_;
    std::vector<Semaphore> unused_semaphores_;
    std::vector<Pool> unused_pools_;
    Submitter submitter_{*this};
};

// The device of that number, opened at its first use; throws std::invalid_argument when there is none.
Device& device_at(const Instance& instance, int index);
int device_count(const Instance& instance);
std::string device_name(const Instance& instance, int index);
std::string device_kind(const Instance& instance, int index);  // "discrete", "integrated", "virtual", "cpu", "other"

}  // namespace vulkan
