#include "pool.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <list>
#include <mutex>
#include <thread>

#include "float_mode.hpp"
#include "settings.hpp"

namespace cpu {
namespace {

// One operation; lies on the stack of the thread that asked for it, which waits until no thread works on it.
struct Job {
    std::int64_t size, grain, parts;
    void (*work)(void*, std::int64_t, std::int64_t);
    void* context;
    std::atomic<std::int64_t> next{0};
    std::atomic<int> helpers{0};  // threads of the pool that are at it; changed under the pool's mutex
    std::mutex mutex;
    std::exception_ptr failure;

    bool is_dealt_out() const { return next.load(std::memory_order_relaxed) >= parts; }

    void help() {
        for (std::int64_t part; (part = next.fetch_add(1, std::memory_order_relaxed)) < parts;) {
            try {
                work(context, part * grain, std::min(size, (part + 1) * grain));
            } catch (...) {
                const std::lock_guard<std::mutex> lock(mutex);
                if (!failure) failure = std::current_exception();
            }
        }
    }
};

void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

// Whether `done` comes true soon. A thread that sleeps is woken late, which takes as long as a small operation does, so
// that it looks for a while first. It keeps its core meanwhile: on a busy machine it would get that back late, too.
template <class Done>
bool soon(const Done& done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(50);
    while (!done()) {
        if (std::chrono::steady_clock::now() >= end) return false;
        for (int i = 0; i < 32; ++i) pause();
    }
    return true;
}

class Pool {
public:
    explicit Pool(int threads) {
        for (int i = 0; i < threads; ++i) std::thread([this] { work(); }).detach();
    }

    void run(Job& job) {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            jobs_.push_back(&job);
            asked_.fetch_add(1, std::memory_order_relaxed);
        }
        if (job.parts > 2) {
            wake_.notify_all();
        } else {
            wake_.notify_one();
        }
        job.help();
        std::unique_lock<std::mutex> lock(mutex_);
        jobs_.remove(&job);
        if (job.helpers != 0) {
            lock.unlock();
            soon([&job] { return job.helpers.load(std::memory_order_relaxed) == 0; });
            lock.lock();
        }
        left_.wait(lock, [&job] { return job.helpers == 0; });
    }

private:
    void work() {
        set_default_float_mode();
        std::unique_lock<std::mutex> lock(mutex_);
        for (;;) {
            Job* job = open_job();
            if (job == nullptr) {
                const std::uint64_t seen = asked_.load(std::memory_order_relaxed);
                lock.unlock();
                soon([&] { return asked_.load(std::memory_order_relaxed) != seen; });
                lock.lock();
                wake_.wait(lock, [&] { return (job = open_job()) != nullptr; });
            }
            ++job->helpers;
            lock.unlock();
            job->help();
            lock.lock();
            if (--job->helpers == 0) left_.notify_all();
        }
    }

    Job* open_job() {
        const auto found = std::find_if(jobs_.begin(), jobs_.end(), [](const Job* job) { return !job->is_dealt_out(); });
        return found == jobs_.end() ? nullptr : *found;
    }

    std::mutex mutex_;
    std::atomic<std::uint64_t> asked_{0};  // how many operations there were
    std::condition_variable wake_, left_;
    std::list<Job*> jobs_;
};

}  // namespace

void parallel_for(std::int64_t size, std::int64_t grain, void (*work)(void*, std::int64_t, std::int64_t),
                  void* context) {
    if (size <= 0) return;
    static const int helpers = settings().threads - 1;
    if (size <= grain) return work(context, 0, size);
    Job job{size, grain, (size + grain - 1) / grain, work, context, {}, {}, {}, nullptr};
    if (helpers == 0) {
        job.help();
    } else {
        static Pool* pool = new Pool(helpers);  // never destroyed: its threads outlive main
        pool->run(job);
    }
    if (job.failure) std::rethrow_exception(job.failure);
}

}  // namespace cpu
