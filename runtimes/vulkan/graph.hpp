// Graphs: commands that are recorded once, and launched as often as is wanted.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "device.hpp"

namespace vulkan {

class Stream;

// A secondary command buffer, and what its commands use. The device runs them one after the other.
class Commands {
public:
    explicit Commands(Device& device);
    ~Commands();
    Commands(const Commands&) = delete;
    Commands& operator=(const Commands&) = delete;

    Device& device() const { return device_; }
    VkCommandBuffer handle() const { return handle_; }
    std::size_t count() const { return count_; }

    // Record commands that come after all before; `kept` lives as long as this.
    void add(const std::function<void(VkCommandBuffer)>& record, std::vector<std::shared_ptr<void>> kept);
    // From now on it can be executed, and has no more commands.
    void end();

private:
    Device& device_;
    Device::Pool pool_;
    VkCommandBuffer handle_ = VK_NULL_HANDLE;
    std::size_t count_ = 0;
    bool is_ended_ = false;
    std::vector<std::shared_ptr<void>> kept_;
};

class Graph {
public:
    explicit Graph(std::shared_ptr<Commands> commands) : commands_(std::move(commands)) {}

    // Queue its commands. Throws std::invalid_argument for a stream of another device, and Error for one that is recording.
    void launch(const Stream& stream) const;
    std::size_t count() const { return commands_->count(); }
    int device() const { return commands_->device().index; }

private:
    std::shared_ptr<Commands> commands_;
};

}  // namespace vulkan
