// The queued work of a stream: commands that are recorded together, submitted together, and kept until they are done.
#pragma once
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "graph.hpp"

namespace vulkan {

// What a stream and the work that is queued on it share.
//
// What is queued while the device works on the stream is recorded into one command buffer, since a submit costs more than
// a launch. It is submitted when somebody waits or asks, when it is long, when the stream has become idle, and by the
// device's `Submitter` at the latest.
class Queue {
public:
    explicit Queue(Device& device);
    ~Queue();
    Queue(const Queue&) = delete;
    Queue& operator=(const Queue&) = delete;

    Device& device() const { return device_; }
    const std::shared_ptr<Timeline>& timeline() const { return timeline_; }

    // Queue commands that come after all before; `kept` lives until they are done. `bytes` is how much they copy.
    void push(const std::function<void(VkCommandBuffer)>& record, std::vector<std::shared_ptr<void>> kept, std::size_t bytes = 0);
    // Let what is queued from now on wait.
    void wait_for(Mark mark);
    // The value that stands for all that is queued and waited for; all of it is submitted.
    std::uint64_t last();
    // Whether that is reached.
    bool is_idle();
    // Raise the error of a submit that was not reported yet.
    void check_submitted();
    // Record what is queued from now on, instead of submitting it.
    void begin_capture();
    // What was recorded; throws Error unless it is recording.
    std::shared_ptr<Commands> end_capture();
    bool is_capturing();
    // Throws Error while it is recording, when nothing can wait for it.
    void require_submitting();
    // Forget what is done.
    void recycle();
    // Submit what is recorded, or with `only_waiting` what was recorded before the last such call; whether there was
    // something. An error is raised by the next call of `push`, `last` or `check_submitted`.
    bool submit_recorded(bool only_waiting);

private:
    struct Running {
        VkCommandBuffer commands;
        std::uint64_t value;
        std::vector<std::shared_ptr<void>> kept;
    };
    // Of commands that are recorded and not submitted; it has none when `commands` is null.
    struct Recorded {
        VkCommandBuffer commands = VK_NULL_HANDLE;
        std::size_t count = 0, bytes = 0;
        bool is_waiting = false;  // the submitter has seen it
        std::vector<std::shared_ptr<void>> kept;
    };
    VkCommandBuffer take_commands();
    std::vector<Running> done();
    void begin();
    void submit();
    void raise_failure();

    Device& device_;
    std::shared_ptr<Timeline> timeline_;
    std::mutex mutex_;
    Device::Pool pool_;
    std::deque<Running> running_;
    std::vector<Mark> marks_;
    Recorded recorded_;
    std::shared_ptr<Commands> recording_;  // null unless a graph is recorded
    std::exception_ptr failure_;  // of the submitter's call
};

}  // namespace vulkan
