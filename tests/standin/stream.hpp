// Work that runs in order on a thread of its own, and the tickets that say when a piece of it is done.
#pragma once
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>

namespace standin {

using Clock = std::chrono::steady_clock;
using Task = std::function<void()>;

// Finished once, waited for by anyone: the end of a stream's latest task, or what an event recorded.
class Ticket {
public:
    void finish();
    void wait() const;
    bool done() const;
    Clock::time_point finished_at() const;  // only when done

private:
    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    bool done_ = false;
    Clock::time_point finished_at_;
};
using TicketPtr = std::shared_ptr<Ticket>;

// A queue and its worker thread. Destroying it returns at once; the worker still does what was queued.
class Stream {
public:
    Stream(int device, unsigned flags, int priority);
    ~Stream();
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    const int device;
    const unsigned flags;
    const int priority;

    TicketPtr push(Task task);
    TicketPtr tail() const;  // of the task queued last; null when there never was one

    // Ordered with the null stream of its device, in both directions.
    bool is_blocking() const;

private:
    struct Queue;
    std::shared_ptr<Queue> queue_;  // shared with the worker, which may outlive the stream
};
using StreamPtr = std::shared_ptr<Stream>;

}  // namespace standin
