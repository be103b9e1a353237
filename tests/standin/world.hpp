// The pretended machine: its devices, the streams and events on them, and what must happen before what.
#pragma once
#include <cuda_runtime_api.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "memory.hpp"
#include "settings.hpp"
#include "stream.hpp"

namespace standin {

struct Event {
    int device;
    unsigned flags;
    TicketPtr recorded;  // null until it is recorded for the first time
};

// A part of a device that does one thing at a time, while the other parts go on.
enum class Engine { Upload, Download, Compute };

class World {
public:
    static World& instance();

    Memory memory;

    // Set when work touched memory that was freed under it. As on a real device, every later call then fails
    // until cudaDeviceReset.
    std::atomic<bool> corrupted{false};

    // Handles are numbers that are used once: one that was destroyed never comes to life again.
    cudaStream_t create_stream(int device, unsigned flags, int priority);
    bool destroy_stream(cudaStream_t handle);
    StreamPtr find_stream(cudaStream_t handle);  // null when there is no such stream

    cudaEvent_t create_event(int device, unsigned flags);
    bool destroy_event(cudaEvent_t handle);
    bool find_event(cudaEvent_t handle, Event& event);  // a copy; false when there is no such event
    cudaError_t record(cudaEvent_t handle, const StreamPtr& stream);

    // Queues work. Before it runs, the work that the legacy default-stream rules put first is done. Null while the
    // stream captures.
    TicketPtr submit(const StreamPtr& stream, Task task);

    // Keeps what is submitted from now on, instead of doing it; false when the stream does so already.
    bool begin_capture(const StreamPtr& stream);
    // What was submitted since then, in `tasks`; false when the stream does not capture.
    bool end_capture(const StreamPtr& stream, std::vector<Task>& tasks);
    bool is_capturing(const StreamPtr& stream);

    // Lets the stream wait for the next `release`; false when there is no such stream.
    bool hold(cudaStream_t handle);
    void release();

    // For tasks: keeps the engine busy for as long as so many bytes take, and does the work at the end of that.
    // `work` is false when it met freed memory.
    template <typename Work>
    void occupy(int device, Engine engine, std::size_t bytes, const Work& work) {
        occupy_for(settings().duration(bytes), device, engine, work);
    }

    // The same for as long as is said.
    template <typename Work>
    void occupy_for(std::chrono::nanoseconds duration, int device, Engine engine, const Work& work) {
        hold_engine(device, engine, duration);
        if (!corrupted && !work()) corrupted = true;
    }

    void synchronize(int device);
    void reset(int device);

    int stream_count();
    int event_count();

private:
    using PerThread = std::pair<std::thread::id, int>;

    struct Retired {  // what is left of a destroyed stream that still works
        TicketPtr tail;
        bool is_blocking;
    };

    struct Device {
        StreamPtr null_stream;
        std::vector<Retired> retired;
        std::map<Engine, std::mutex> engines;
    };

    std::mutex mutex_;  // also makes one order of all that is submitted, so that waiting never goes in a circle
    std::map<cudaStream_t, StreamPtr> streams_;
    std::map<PerThread, StreamPtr> thread_streams_;
    std::map<cudaEvent_t, Event> events_;
    std::map<int, Device> devices_;
    std::map<StreamPtr, std::vector<Task>> captured_;
    TicketPtr released_ = std::make_shared<Ticket>();  // what streams that are held wait for
    std::uintptr_t last_handle_ = 0x5000;

    StreamPtr null_stream(int device);
    StreamPtr thread_stream(int device);
    std::vector<StreamPtr> streams_of(int device) const;
    std::vector<TicketPtr> predecessors(const Stream& stream);
    TicketPtr submit_locked(const StreamPtr& stream, Task task);
    void retire(const StreamPtr& stream);
    void hold_engine(int device, Engine engine, std::chrono::nanoseconds duration);
    std::uintptr_t new_handle() { return last_handle_ += 0x10; }
};

int& current_device();  // of the calling thread

}  // namespace standin
