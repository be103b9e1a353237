#include "stream.hpp"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "error.hpp"
#include "faults.hpp"
#include "float_mode.hpp"
#include "recording.hpp"

namespace cpu {
namespace {

std::atomic<bool> forked{false};

void watch_for_forks() {
    static const int once = pthread_atfork(nullptr, nullptr, [] { forked = true; });
    static_cast<void>(once);
}

void rethrow(const std::exception_ptr& failure) {
    if (failure) std::rethrow_exception(failure);
}

}  // namespace

bool is_forked() { return forked.load(std::memory_order_relaxed); }

void check_not_forked() {
    if (is_forked()) {
        throw Error("the CPU device was in use when this process was forked, and its threads are only in the parent: "
                    "start processes by spawn, or use the device only in the children");
    }
}

// While threads that wait do the work themselves, as after each of many short launches, the stream's own thread is not
// woken for it: it looks once in so long.
constexpr auto nap = std::chrono::microseconds(200);

// What a stream, its thread and the threads that wait for it share.
class Queue : public std::enable_shared_from_this<Queue> {
public:
    explicit Queue(int device) : device(device) {}

    const int device;

    // The recording, where there is one, is complete in the moment in which the task counts as done.
    void push(Task task, std::shared_ptr<Recording> recording = nullptr, Takes takes = Takes::unknown) {
        push({std::move(task), nullptr, std::move(recording), takes});
    }

    void push_turns(Turns turns, Takes takes) { push({nullptr, std::move(turns), nullptr, takes}); }

    // Wait for all that is queued now, or until `end`; whether it is done. The waiting thread runs what has
    // not begun, instead of waking the worker for it; with an `end`, only what takes little time.
    bool wait(const std::optional<Clock::time_point>& end = std::nullopt) {
        check_not_forked();
        std::unique_lock<std::mutex> lock(mutex_);
        const std::uint64_t last = pushed_;
        const auto may_run = [&] { return !running_ && (!end || entries_.front().takes == Takes::little); };
        const auto may_go_on = [&] { return done_ >= last || may_run(); };
        while (done_ < last) {
            if (may_run()) {
                const DefaultFloatMode mode;
                helped_ = true;
                run_next(lock);
            } else {
                if (!running_ && sleeping_) wake_.notify_one();
                ++waiting_;
                if (end) {
                    progress_.wait_until(lock, *end, may_go_on);
                } else {
                    progress_.wait(lock, may_go_on);
                }
                --waiting_;
            }
            if (end && Clock::now() >= *end) break;
        }
        if (!entries_.empty() && sleeping_) wake_.notify_one();
        return done_ >= last;
    }

    bool is_idle() {
        check_not_forked();
        const std::lock_guard<std::mutex> lock(mutex_);
        return done_ == pushed_;
    }

    // The failure that was not reported yet.
    std::exception_ptr take_failure() {
        const std::lock_guard<std::mutex> lock(mutex_);
        return std::exchange(failure_, nullptr);
    }

    std::exception_ptr failure() {
        const std::lock_guard<std::mutex> lock(mutex_);
        return failure_;
    }

    void close() {
        if (is_forked()) return;
        const std::lock_guard<std::mutex> lock(mutex_);
        closed_ = true;
        wake_.notify_one();
    }

private:
    struct Entry {
        Task task;
        Turns turns;
        std::shared_ptr<Recording> recording;
        Takes takes;
    };

    void push(Entry entry) {
        check_not_forked();
        const std::lock_guard<std::mutex> lock(mutex_);
        entries_.push_back(std::move(entry));
        ++pushed_;
        if (!started_) {
            std::thread([self = shared_from_this()] { self->work(); }).detach();
            started_ = true;
        } else if (sleeping_ && !(napping_ && entries_.back().takes == Takes::little)) {
            wake_.notify_one();
        }
    }

    void work() {
        set_default_float_mode();
        std::unique_lock<std::mutex> lock(mutex_);
        for (;;) {
            sleep(lock);
            if (entries_.empty()) return;
            run_next(lock);
        }
    }

    // Until there is something to do, or nothing any more.
    void sleep(std::unique_lock<std::mutex>& lock) {
        sleeping_ = true;
        while (running_ || (entries_.empty() && !closed_)) {
            napping_ = std::exchange(helped_, false);
            if (napping_) {
                wake_.wait_for(lock, nap);
            } else {
                wake_.wait(lock);
            }
        }
        sleeping_ = napping_ = false;
    }

    // Do the first of the tasks, or a turn of it, on this thread; no other thread may be at one, so that they stay in order.
    void run_next(std::unique_lock<std::mutex>& lock) {
        Entry entry = std::move(entries_.front());
        entries_.pop_front();
        running_ = true;
        lock.unlock();
        std::exception_ptr failure;
        bool is_done = true;
        try {
            if (entry.task) entry.task();
            if (entry.turns) is_done = entry.turns();
        } catch (...) {
            failure = std::current_exception();
        }
        if (is_done) {  // what it holds is gone before anyone learns that it is done
            entry.task = nullptr;
            entry.turns = nullptr;
        }
        lock.lock();
        running_ = false;
        if (closed_) wake_.notify_one();
        if (!is_done) return entries_.push_front(std::move(entry));
        if (failure && !failure_) failure_ = failure;
        ++done_;
        if (entry.recording) entry.recording->complete(failure_);
        if (waiting_ > 0) progress_.notify_all();
    }

    std::mutex mutex_;
    std::condition_variable wake_, progress_;
    std::deque<Entry> entries_;
    std::uint64_t pushed_ = 0, done_ = 0;
    int waiting_ = 0;
    bool started_ = false, sleeping_ = false, running_ = false, closed_ = false;
    bool napping_ = false;  // sleeping, but only for a short time: little work may wait for its end
    bool helped_ = false;   // a thread that waited has done some work
    std::exception_ptr failure_;
};

namespace {

// All queues that there are, those too whose stream is closed and whose thread still works.
struct Queues {
    std::mutex mutex;
    std::vector<std::weak_ptr<Queue>> all;

    void add(const std::shared_ptr<Queue>& queue) {
        const std::lock_guard<std::mutex> lock(mutex);
        all.erase(std::remove_if(all.begin(), all.end(), [](const auto& each) { return each.expired(); }), all.end());
        all.push_back(queue);
    }

    std::vector<std::shared_ptr<Queue>> busy() {
        std::vector<std::shared_ptr<Queue>> result;
        const std::lock_guard<std::mutex> lock(mutex);
        for (const auto& each : all) {
            auto queue = each.lock();
            if (queue && !queue->is_idle()) result.push_back(std::move(queue));
        }
        return result;
    }

    std::vector<std::shared_ptr<Queue>> of_device(int device) {
        std::vector<std::shared_ptr<Queue>> result;
        const std::lock_guard<std::mutex> lock(mutex);
        for (const auto& each : all) {
            auto queue = each.lock();
            if (queue && queue->device == device) result.push_back(std::move(queue));
        }
        return result;
    }
};

Queues& queues() {
    static Queues* result = new Queues;  // never destroyed: threads and handles outlive main
    return *result;
}

}  // namespace

Stream::Stream(int device, int priority) : queue_(std::make_shared<Queue>(device)), priority_(priority) {
    check_not_forked();
    watch_for_forks();
    queues().add(queue_);
}

Stream::~Stream() {
    if (queue_) queue_->close();
}

int Stream::device() const { return queue_->device; }

std::uintptr_t Stream::pointer() const { return reinterpret_cast<std::uintptr_t>(queue_.get()); }

void Stream::push(const char* function, Task task, std::shared_ptr<Recording> recording, Takes takes) const {
    may_fail(function, task);
    queue_->push(std::move(task), std::move(recording), takes);
}

void Stream::push_turns(const char* function, Turns turns, Takes takes) const {
    Task fails;
    may_fail(function, fails);
    if (fails) {
        queue_->push(std::move(fails));
    } else {
        queue_->push_turns(std::move(turns), takes);
    }
}

void Stream::wait() const { queue_->wait(); }

void Stream::synchronize() const {
    wait();
    rethrow(queue_->take_failure());
}

bool Stream::wait_for(std::chrono::milliseconds time) const {
    if (!queue_->wait(Clock::now() + time)) return false;
    rethrow(queue_->take_failure());
    return true;
}

bool Stream::query() const {
    const bool idle = queue_->is_idle();
    rethrow(queue_->take_failure());
    return idle;
}

bool Stream::is_idle() const { return queue_->is_idle(); }

void Stream::delay(std::chrono::nanoseconds duration) const {
    push("stream_delay", [duration] { std::this_thread::sleep_for(duration); });
}

std::shared_ptr<Recording> Event::latest() const { return std::atomic_load(&recording_); }

void Event::record(const Stream& stream) {
    auto recording = std::make_shared<Recording>();
    if (stream.is_idle()) {
        may_fail("record");
        recording->complete(stream.queue_->failure());
    } else {
        stream.push("record", nullptr, recording, Takes::little);
    }
    std::atomic_store(&recording_, std::move(recording));
}

void Event::block(const Stream& stream) const {
    auto recording = latest();
    if (!recording || recording->is_passed()) {
        check_not_forked();
        may_fail("wait_event");
    } else {
        stream.push("wait_event", [recording] { rethrow(recording->wait()); });
    }
}

void Event::synchronize() const {
    check_not_forked();
    if (auto recording = latest()) rethrow(recording->wait());
}

bool Event::wait_for(std::chrono::milliseconds time) const {
    check_not_forked();
    auto recording = latest();
    if (!recording) return true;
    if (!recording->wait_until(Clock::now() + time)) return false;
    rethrow(recording->wait());
    return true;
}

bool Event::query() const {
    check_not_forked();
    auto recording = latest();
    if (!recording) return true;
    if (!recording->is_reached()) return false;
    rethrow(recording->wait());
    return true;
}

double Event::elapsed_time(const Event& end) const {
    check_not_forked();
    auto first = latest(), second = end.latest();
    if (!timing_ || !end.timing_) throw Error("an event with DISABLE_TIMING has no time");
    if (!first || !second) throw Error("the event was never recorded: record it on a stream first");
    return std::chrono::duration<double, std::milli>(second->at() - first->at()).count();
}

std::uintptr_t Event::pointer() const { return reinterpret_cast<std::uintptr_t>(this); }

const Stream& default_stream(int device) {
    static std::mutex* mutex = new std::mutex;
    static auto* streams = new std::map<int, Stream>;  // never destroyed: their threads outlive main
    check_not_forked();
    const std::lock_guard<std::mutex> lock(*mutex);
    return streams->try_emplace(device, device).first->second;
}

void synchronize_device(int device) {
    check_not_forked();
    std::exception_ptr first;
    const auto all = queues().of_device(device);
    for (const auto& queue : all) queue->wait();
    for (const auto& queue : all) {
        auto failure = queue->take_failure();
        if (!first) first = failure;
    }
    rethrow(first);
}

void after_queued_work(const std::shared_ptr<void>& kept) {
    if (is_forked()) return;
    for (const auto& queue : queues().busy()) queue->push([kept] {});
}

void wait_for_queued_work() {
    for (const auto& queue : queues().busy()) queue->wait();
}

}  // namespace cpu
