#include "queue.hpp"

#include <utility>

#include "submitter.hpp"

namespace vulkan {
namespace {

constexpr std::uint64_t forever = ~std::uint64_t{0};
constexpr std::size_t most_running = 256;   // then a stream waits for the first, so that memory is bounded
constexpr std::size_t most_recorded = 128;  // commands that are submitted together: a submit is nothing beside them
constexpr std::size_t most_bytes = 1 << 20;

[[noreturn]] void throw_recording() {
    throw Error("the stream is recording: end_capture comes before waiting for it, and before events");
}

}  // namespace

Queue::Queue(Device& device) : device_(device), timeline_(std::make_shared<Timeline>(device)), pool_(device.take_pool()) {}

// All its work is done, or the device is lost.
Queue::~Queue() {
    if (is_forked()) return;
    for (const Running& each : running_) {
        if (each.commands != VK_NULL_HANDLE) pool_.unused.push_back(each.commands);
    }
    if (recorded_.commands != VK_NULL_HANDLE) {
        device_.call.EndCommandBuffer(recorded_.commands);  // one that is still recorded must not begin again
        pool_.unused.push_back(recorded_.commands);
    }
    device_.give_back(std::move(pool_));
}

VkCommandBuffer Queue::take_commands() {
    if (!pool_.unused.empty()) {
        const VkCommandBuffer result = pool_.unused.back();
        pool_.unused.pop_back();
        return result;
    }
    VkCommandBufferAllocateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
    info.commandPool = pool_.handle;
    info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    info.commandBufferCount = 1;
    VkCommandBuffer result = VK_NULL_HANDLE;
    check(device_.call.AllocateCommandBuffers(device_.handle, &info, &result), "vkAllocateCommandBuffers");
    return result;
}

// What is done, for the caller to release without the lock.
std::vector<Queue::Running> Queue::done() {
    std::vector<Running> result;
    while (!running_.empty() && timeline_->has_reached(running_.front().value)) {
        if (running_.front().commands != VK_NULL_HANDLE) pool_.unused.push_back(running_.front().commands);
        result.push_back(std::move(running_.front()));
        running_.pop_front();
    }
    return result;
}

void Queue::recycle() {
    std::vector<Running> released;
    const std::lock_guard<std::mutex> lock(mutex_);
    released = done();
}

void Queue::raise_failure() {
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

// Make place for the next command, which comes after those before.
void Queue::begin() {
    if (recorded_.commands != VK_NULL_HANDLE) {
        device_.order(recorded_.commands);
        return;
    }
    const VkCommandBuffer commands = take_commands();
    VkCommandBufferBeginInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    const VkResult begun = device_.call.BeginCommandBuffer(commands, &info);
    if (begun != VK_SUCCESS) pool_.unused.push_back(commands);  // it is reset when it begins again
    check(begun, "vkBeginCommandBuffer");
    recorded_.commands = commands;
}

// Submit what is recorded, and waits that nothing is recorded behind.
void Queue::submit() {
    Recorded recorded = std::exchange(recorded_, {});
    if (recorded.commands == VK_NULL_HANDLE && marks_.empty()) return;
    for (const Mark& each : marks_) recorded.kept.push_back(each.timeline);
    try {
        if (recorded.commands != VK_NULL_HANDLE) {
            VkMemoryBarrier barrier{};  // what the host reads when it has waited
            barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
            barrier.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
            barrier.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
            device_.call.CmdPipelineBarrier(recorded.commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                                            &barrier, 0, nullptr, 0, nullptr);
            check(device_.call.EndCommandBuffer(recorded.commands), "vkEndCommandBuffer");
        }
        running_.push_back({recorded.commands, 0, std::move(recorded.kept)});
        try {
            running_.back().value = device_.submit(*timeline_, recorded.commands, marks_);
        } catch (...) {
            running_.pop_back();
            throw;
        }
    } catch (...) {
        if (recorded.commands != VK_NULL_HANDLE) pool_.unused.push_back(recorded.commands);
        throw;
    }
    marks_.clear();
}

void Queue::push(const std::function<void(VkCommandBuffer)>& record, std::vector<std::shared_ptr<void>> kept, std::size_t bytes) {
    check_not_forked();
    std::vector<Running> released;
    const std::lock_guard<std::mutex> lock(mutex_);
    raise_failure();
    if (recording_) {
        recording_->add(record, std::move(kept));
        return;
    }
    if (running_.size() >= most_running) timeline_->wait(running_.front().value, forever);
    released = done();
    begin();
    record(recorded_.commands);
    for (auto& each : kept) recorded_.kept.push_back(std::move(each));
    recorded_.bytes += bytes;
    const bool is_first = ++recorded_.count == 1;
    const bool is_long = recorded_.count >= most_recorded || recorded_.bytes >= most_bytes;
    if (is_long || running_.empty() || (is_first && !device_.submitter().wake())) submit();
}

void Queue::wait_for(Mark mark) {
    check_not_forked();
    const std::lock_guard<std::mutex> lock(mutex_);
    if (recording_) throw_recording();
    if (mark.timeline == timeline_) return;
    if (recorded_.commands != VK_NULL_HANDLE) submit();  // that need not wait
    marks_.push_back(std::move(mark));
}

std::uint64_t Queue::last() {
    check_not_forked();
    std::vector<Running> released;
    const std::lock_guard<std::mutex> lock(mutex_);
    raise_failure();
    if (recording_) throw_recording();
    submit();
    released = done();
    return timeline_->submitted();
}

void Queue::require_submitting() {
    if (is_capturing()) throw_recording();
}

void Queue::begin_capture() {
    check_not_forked();
    const std::lock_guard<std::mutex> lock(mutex_);
    if (recording_) throw Error("the stream is recording already");
    recording_ = std::make_shared<Commands>(device_);
}

std::shared_ptr<Commands> Queue::end_capture() {
    check_not_forked();
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!recording_) throw Error("the stream is not recording: call begin_capture first");
    auto result = std::exchange(recording_, nullptr);
    result->end();
    return result;
}

bool Queue::is_capturing() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return recording_ != nullptr;
}

void Queue::check_submitted() {
    const std::lock_guard<std::mutex> lock(mutex_);
    raise_failure();
}

bool Queue::is_idle() { return timeline_->has_reached(last()); }

bool Queue::submit_recorded(bool only_waiting) {
    std::vector<Running> released;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (recorded_.commands == VK_NULL_HANDLE) return false;
    if (!std::exchange(recorded_.is_waiting, true) && only_waiting) return true;
    try {
        submit();
        released = done();
    } catch (...) {
        failure_ = std::current_exception();
    }
    return true;
}

}  // namespace vulkan
