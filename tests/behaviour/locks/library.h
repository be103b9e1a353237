// Machines that notice when two threads are inside at once, and whose runs last until somebody lets them end.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace workshop {

inline std::int64_t &live() {
    static std::int64_t here = 0;
    return here;
}

struct machine {
    std::mutex mutex;
    std::condition_variable changed;
    std::thread::id thread;
    std::int64_t inside = 0, overlaps = 0, ends = 0, parts = 0;
    std::vector<std::int64_t> numbers = {7};
};

/// A thread inside; it may come in again.
class entered {
public:
    explicit entered(machine *m) : of_(m) {
        const std::lock_guard<std::mutex> locked(of_->mutex);
        if (of_->inside != 0 && of_->thread != std::this_thread::get_id()) ++of_->overlaps;
        of_->thread = std::this_thread::get_id();
        ++of_->inside;
        of_->changed.notify_all();
    }
    ~entered() {
        const std::lock_guard<std::mutex> locked(of_->mutex);
        --of_->inside;
        of_->changed.notify_all();
    }

private:
    machine *of_;
};

inline machine *&latest() {
    static machine *here = nullptr;
    return here;
}
inline machine *machine_new() { return ++live(), latest() = new machine; }
inline void machine_free(machine *m) {
    if (m->inside != 0 || m->parts != 0) std::terminate();
    delete m;
    --live();
}
/// Stays inside until `machine_end`.
inline void machine_run(machine *m) {
    const entered here(m);
    std::unique_lock<std::mutex> locked(m->mutex);
    m->changed.wait(locked, [m] { return m->ends > 0; });
    --m->ends;
}
inline void machine_end(machine *m) {
    const std::lock_guard<std::mutex> locked(m->mutex);
    ++m->ends;
    m->changed.notify_all();
}
/// Stays inside until `machine_end`, but not for ever: whether that was called.
inline bool machine_wait(machine *m, std::int64_t milliseconds) {
    const entered here(m);
    std::unique_lock<std::mutex> locked(m->mutex);
    return m->changed.wait_for(locked, std::chrono::milliseconds(milliseconds), [m] { return m->ends > 0; });
}
/// The same of the latest machine, which may be closed.
inline void end_any() { machine_end(latest()); }
inline void machine_poke(machine *m) { const entered here(m); }
inline const std::vector<std::int64_t> &machine_numbers(machine *m) { return m->numbers; }
inline void machine_both(machine *a, machine *b) {
    const entered one(a), other(b);
    std::this_thread::yield();
}
inline void machine_yield(machine *m) {
    const entered here(m);
    std::this_thread::yield();
}
template <class F>
void machine_call(machine *m, const F &f) {
    const entered here(m);
    f();
}
inline std::int64_t machine_inside(machine *m) {
    const std::lock_guard<std::mutex> locked(m->mutex);
    return m->inside;
}
inline std::int64_t machine_overlaps(machine *m) {
    const std::lock_guard<std::mutex> locked(m->mutex);
    return m->overlaps;
}

struct part {
    machine *of;
};
inline part *machine_part(machine *m) {
    const entered here(m);
    ++m->parts;
    return new part{m};
}
inline void part_free(machine *m, part *p) {
    const entered here(m);
    --m->parts;
    delete p;
}
inline void part_poke(part *p) { machine_poke(p->of); }
inline void part_run(part *p) { machine_run(p->of); }

}  // namespace workshop
