#include "graph.hpp"

#include <stdexcept>
#include <string>
#include <utility>

#include "stream.hpp"

namespace vulkan {

Commands::Commands(Device& device) : device_(device), pool_(device.take_pool()) {
    try {
        if (pool_.unused_secondary.empty()) {
            VkCommandBufferAllocateInfo wanted{};
            wanted.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
            wanted.commandPool = pool_.handle;
            wanted.level = VK_COMMAND_BUFFER_LEVEL_SECONDARY;
            wanted.commandBufferCount = 1;
            check(device.call.AllocateCommandBuffers(device.handle, &wanted, &handle_), "vkAllocateCommandBuffers");
        } else {
            handle_ = pool_.unused_secondary.back();
            pool_.unused_secondary.pop_back();
        }
        VkCommandBufferInheritanceInfo inherited{};
        inherited.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO;
        VkCommandBufferBeginInfo info{};
        info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
        info.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;  // several launches of it may be queued
        info.pInheritanceInfo = &inherited;
        check(device.call.BeginCommandBuffer(handle_, &info), "vkBeginCommandBuffer");
    } catch (...) {
        if (handle_ != VK_NULL_HANDLE) pool_.unused_secondary.push_back(handle_);
        device.give_back(std::move(pool_));
        throw;
    }
}

// No queue has it any more, or the device is lost.
Commands::~Commands() {
    if (is_forked()) return;
    if (!is_ended_) device_.call.EndCommandBuffer(handle_);  // one that is still recorded must not begin again
    pool_.unused_secondary.push_back(handle_);
    device_.give_back(std::move(pool_));
}

void Commands::add(const std::function<void(VkCommandBuffer)>& record, std::vector<std::shared_ptr<void>> kept) {
    if (count_++ > 0) device_.order(handle_);
    record(handle_);
    for (auto& each : kept) kept_.push_back(std::move(each));
}

void Commands::end() {
    is_ended_ = true;
    check(device_.call.EndCommandBuffer(handle_), "vkEndCommandBuffer");
}

void Graph::launch(const Stream& stream) const {
    check_not_forked();
    if (&stream.on() != &commands_->device()) {
        throw std::invalid_argument("a graph of device " + std::to_string(device()) + " cannot run on a stream of device " +
                                    std::to_string(stream.device()));
    }
    if (stream.queue().is_capturing()) throw Error("a graph cannot be launched on a stream that is recording");
    if (commands_->count() == 0) return;
    stream.queue().push(
        [this](VkCommandBuffer commands) {
            const VkCommandBuffer handle = commands_->handle();
            commands_->device().call.CmdExecuteCommands(commands, 1, &handle);
        },
        {commands_});
}

}  // namespace vulkan
