#include "stream.hpp"

#include <cuda_runtime_api.h>

#include <deque>
#include <thread>
#include <utility>

namespace standin {

void Ticket::finish() {
    std::lock_guard<std::mutex> lock(mutex_);
    finished_at_ = Clock::now();
    done_ = true;
    changed_.notify_all();
}

void Ticket::wait() const {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return done_; });
}

bool Ticket::done() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return done_;
}

Clock::time_point Ticket::finished_at() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return finished_at_;
}

struct Stream::Queue {
    struct Entry {
        Task task;
        TicketPtr ticket;
    };

    std::mutex mutex;
    std::condition_variable changed;
    std::deque<Entry> entries;
    TicketPtr tail;
    bool closed = false;

    void work() {
        for (;;) {
            Entry entry;
            {
                std::unique_lock<std::mutex> lock(mutex);
                changed.wait(lock, [this] { return closed || !entries.empty(); });
                if (entries.empty()) return;
                entry = std::move(entries.front());
                entries.pop_front();
            }
            entry.task();
            entry.task = nullptr;  // what the task holds is gone before anyone learns that it is done
            entry.ticket->finish();
        }
    }
};

Stream::Stream(int device_, unsigned flags_, int priority_)
    : device(device_), flags(flags_), priority(priority_), queue_(std::make_shared<Queue>()) {
    std::thread([queue = queue_] { queue->work(); }).detach();
}

Stream::~Stream() {
    std::lock_guard<std::mutex> lock(queue_->mutex);
    queue_->closed = true;
    queue_->changed.notify_one();
}

TicketPtr Stream::push(Task task) {
    auto ticket = std::make_shared<Ticket>();
    std::lock_guard<std::mutex> lock(queue_->mutex);
    queue_->entries.push_back({std::move(task), ticket});
    queue_->tail = ticket;
    queue_->changed.notify_one();
    return ticket;
}

TicketPtr Stream::tail() const {
    std::lock_guard<std::mutex> lock(queue_->mutex);
    return queue_->tail;
}

bool Stream::is_blocking() const { return (flags & cudaStreamNonBlocking) == 0; }

}  // namespace standin
