// Calls that wait for what C++ does with an object whose methods Python overrides: one raises what these raise on threads of the library.
// Static: the same for all packages. Included by generated C++ of specs with interfaces.
#ifndef WG_CALLBACKS_WAITING_CALLS_HPP
#define WG_CALLBACKS_WAITING_CALLS_HPP

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "wg/base/call_stack.hpp"
#include "wg/base/once.hpp"
#include "wg/ownership/owners.hpp"

namespace wg {

/// A call that waits for an object, in the list of that.
struct WaitingCall {
    const CallsOfThread *thread = nullptr;
    std::uintptr_t kept = 0;  // what it raises when it ends, as the engine keeps that
    WaitingCall *next = nullptr;
};

/// The calls that wait for an object. What a method raises on a thread that is in no call may have changed the result of any of these: each raises it.
/// Nobody waits for the GIL while the list is locked.
class Waited {
public:
    Waited() = default;
    Waited(const Waited &) = delete;
    Waited &operator=(const Waited &) = delete;
    virtual ~Waited() = default;

    bool is_waited() const noexcept { return waiting_.load(std::memory_order_relaxed) != 0; }

    /// Whether Python is not asked again: by a call that raises already, or by a thread that all calls that wait have an exception of.
    bool stops(const CallsOfThread &calls) const noexcept {
        if (raising_.load(std::memory_order_acquire) == 0) return false;
        const std::lock_guard<std::mutex> lock(mutex_);
        if (calls.outer == nullptr) return !calls.is_beside && raising_ != 0 && raising_ == waiting_;
        for (const WaitingCall *each = first_; each != nullptr; each = each->next)
            if (each->thread == &calls) return each->kept != 0;
        return false;
    }

    /// Keeps an exception for all of them; false where each has one already, or no call waits any more.
    WG_ONCE bool keep(std::uintptr_t raised) noexcept WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        while (missing() > 1) {
            const std::uintptr_t same = share(raised);
            if (give(same)) continue;
            forget(same);
            break;
        }
        return give(raised);
    }
#endif

    void enter(WaitingCall &call) noexcept {
        const std::lock_guard<std::mutex> lock(mutex_);
        call.next = std::exchange(first_, &call);
        ++waiting_;
    }
    /// At the end of a call, which raises what was kept for it.
    void leave(WaitingCall &call) noexcept {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            WaitingCall **at = &first_;
            while (*at != &call) at = &(*at)->next;
            *at = call.next;
            --waiting_;
            if (call.kept != 0) --raising_;
        }
        if (call.kept != 0) raise_kept(call.kept, Outer::innermost());
    }

protected:
    /// The same exception for one call more, and the end of one that no call raises.
    virtual std::uintptr_t share(std::uintptr_t raised) noexcept = 0;
    virtual void forget(std::uintptr_t raised) noexcept = 0;
    /// Lets a call raise what was kept; where it raises already, that is reported.
    virtual void raise_kept(std::uintptr_t kept, Outer *outer) noexcept = 0;

private:
    std::size_t missing() const noexcept {
        const std::lock_guard<std::mutex> lock(mutex_);
        return waiting_ - raising_;
    }
    bool give(std::uintptr_t raised) noexcept {
        const std::lock_guard<std::mutex> lock(mutex_);
        for (WaitingCall *each = first_; each != nullptr; each = each->next) {
            if (each->kept != 0) continue;
            each->kept = raised;
            ++raising_;
            return true;
        }
        return false;
    }

    mutable std::mutex mutex_;
    WaitingCall *first_ = nullptr;
    std::atomic<std::size_t> waiting_{0};  // changed under the lock
    std::atomic<std::size_t> raising_{0};
};

/// A call that raises what methods of its object, and of those that it is passed, raise meanwhile on threads that are in no call. It waits for
/// nothing itself.
class RaisesOf {
public:
    RaisesOf(const Held &own, const Owners &others) {
        std::vector<std::shared_ptr<Waited>> found;
        add(found, own);
        for (const Held &each : others.held()) add(found, each);
        calls_.reserve(found.size());
        for (auto &each : found) calls_.push_back({std::move(each), {&CallsOfThread::here(), 0, nullptr}});
        for (One &each : calls_) each.object->enter(each.call);
    }
    RaisesOf(const RaisesOf &) = delete;
    RaisesOf &operator=(const RaisesOf &) = delete;
    ~RaisesOf() {
        for (One &each : calls_) each.object->leave(each.call);
    }

private:
    struct One {
        std::shared_ptr<Waited> object;
        WaitingCall call;
    };

    static void add(std::vector<std::shared_ptr<Waited>> &found, const Held &object) {
        if (object.cell == nullptr || object.type->waited == nullptr) return;
        std::shared_ptr<Waited> one = object.type->waited(*object.cell);
        if (one != nullptr && std::find(found.begin(), found.end(), one) == found.end()) found.push_back(std::move(one));
    }

    std::vector<One> calls_;
};

}  // namespace wg

#endif  // WG_CALLBACKS_WAITING_CALLS_HPP
