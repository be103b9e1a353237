// Streams, each a thread that does its work in order, and events, which are points in that work.
#pragma once
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

namespace cpu {

using Clock = std::chrono::steady_clock;
using Task = std::function<void()>;
// A task that is called again and again until it is true; between two turns another thread may go on with it.
using Turns = std::function<bool()>;

class Event;
class Queue;
class Recording;

// How long queued work takes, or a turn of it. Who waits for a stream does some of its work; when the wait has a limit, only work that
// takes little time.
enum class Takes { little, unknown };

// For work on so many elements: little is well under a millisecond.
inline Takes time_of(std::int64_t elements) { return elements <= (1 << 17) ? Takes::little : Takes::unknown; }

// A stream is the owner of a queue. Destroying it returns at once; its thread still does what was queued, then ends.
class Stream {
public:
    explicit Stream(int device, int priority = 0);
    ~Stream();
    Stream(Stream&&) = default;
    Stream& operator=(Stream&&) = delete;

    int device() const;
    int priority() const { return priority_; }
    std::uintptr_t pointer() const;

    // Queue work of the function of that name, by which tests let it fail; see faults.hpp.
    // The first exception of work is kept, and thrown by the next synchronize or query. Later work is still done.
    // The recording, where there is one, is complete when the work is done, and never without its being done.
    void push(const char* function, Task task, std::shared_ptr<Recording> recording = nullptr,
              Takes takes = Takes::unknown) const;
    void push_turns(const char* function, Turns turns, Takes takes) const;

    // Wait for all that is queued; throws what its work has thrown, once.
    void synchronize() const;
    // Wait for all that is queued; what it has thrown stays with the stream.
    void wait() const;
    // Wait for all that is queued, but no longer than so long; whether it is done, and then throws as synchronize does.
    bool wait_for(std::chrono::milliseconds time) const;
    // Whether all that is queued is done; throws as synchronize does.
    bool query() const;
    // Nothing is queued or being done, so that the caller may as well do the next thing itself.
    bool is_idle() const;
    // What the event's record and block do.
    void record(Event& event) const;
    void wait_event(const Event& event) const;
    // Work that takes so long without using a core.
    void delay(std::chrono::nanoseconds duration) const;

private:
    friend class Event;
    std::shared_ptr<Queue> queue_;
    int priority_;
};

// A point in a stream's work: the latest recording counts.
class Event {
public:
    explicit Event(bool timing = true) : timing_(timing) {}

    // Stand for all that is queued on the stream so far.
    void record(const Stream& stream);
    // Work that is queued on the stream from now on waits for the latest recording before this call.
    // A failure before the event becomes a failure of the waiting stream too.
    void block(const Stream& stream) const;
    // Wait until it is complete, at once when never recorded; throws the failure of work before it.
    void synchronize() const;
    // Wait until it is complete, but no longer than so long; whether it is, and then throws as synchronize does.
    bool wait_for(std::chrono::milliseconds time) const;
    // Whether it is complete, true when never recorded; throws as synchronize does.
    bool query() const;
    // Milliseconds between the two; throws cpu::Error unless both are recorded, complete, and have times.
    double elapsed_time(const Event& end) const;
    std::uintptr_t pointer() const;

private:
    std::shared_ptr<Recording> latest() const;

    bool timing_;
    std::shared_ptr<Recording> recording_;  // accessed by std::atomic_load and std::atomic_store only
};

inline void Stream::record(Event& event) const { event.record(*this); }
inline void Stream::wait_event(const Event& event) const { event.block(*this); }

// The stream that stands for "no stream given": one a device, made when it is first used.
const Stream& default_stream(int device);

// Wait for all streams of a device; throws the first failure that there is.
void synchronize_device(int device);

// Keep something alive until all streams of the process have passed this point.
void after_queued_work(const std::shared_ptr<void>& kept);

// Wait until what was given to after_queued_work is let go; failures stay with their streams.
void wait_for_queued_work();

// Throws cpu::Error in a child process, whose parent had threads that a fork does not copy.
void check_not_forked();
bool is_forked();

}  // namespace cpu
