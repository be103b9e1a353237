// Streams, each an order of commands with a timeline, and events, which are values of timelines.
#pragma once
#include <chrono>
#include <cstdint>
#include <memory>

#include "queue.hpp"

namespace vulkan {

class Event;

// A stream is the owner of a queue. Destroying it returns at once; what was queued is still done.
class Stream {
public:
    explicit Stream(Device& device, int priority = 0);
    ~Stream();
    Stream(Stream&&) = default;
    Stream& operator=(Stream&&) = delete;

    Device& on() const { return queue_->device(); }
    Queue& queue() const { return *queue_; }
    int device() const { return on().index; }
    int priority() const { return priority_; }
    std::uintptr_t pointer() const { return reinterpret_cast<std::uintptr_t>(queue_.get()); }

    // Wait for all that is queued.
    void synchronize() const;
    // No longer than so long; whether it is done.
    bool wait_for(std::chrono::milliseconds time) const;
    bool query() const;
    void record(Event& event) const;
    void wait_event(const Event& event) const;
    // Record what is queued from now on, until `end_capture` returns it.
    void begin_capture() const { queue_->begin_capture(); }
    Graph end_capture() const { return Graph(queue_->end_capture()); }

private:
    std::shared_ptr<Queue> queue_;
    int priority_;
};

// A point in a stream's work: the latest recording counts.
class Event {
public:
    explicit Event(Device& device, bool timing = true) : device_(&device), timing_(timing) {}

    void record(const Stream& stream);
    void block(const Stream& stream) const;
    void synchronize() const;
    bool wait_for(std::chrono::milliseconds time) const;
    bool query() const;
    // Milliseconds between the two; throws Error unless both are recorded, complete, and have times.
    double elapsed_time(const Event& end) const;
    std::uintptr_t pointer() const { return reinterpret_cast<std::uintptr_t>(this); }

private:
    struct Recording {
        Mark mark;
        std::shared_ptr<Device::Query> query;
    };
    std::shared_ptr<Recording> latest() const { return std::atomic_load(&recording_); }
    std::uint64_t ticks() const;

    Device* device_;
    bool timing_;
    std::shared_ptr<Recording> recording_;  // accessed by std::atomic_load and std::atomic_store only
};

// The stream that stands for "no stream given": one a device, made when it is first used.
const Stream& default_stream(Device& device);

// Wait for all streams of a device.
void synchronize_device(Device& device);

}  // namespace vulkan
