// What threads may do until the interpreter ends, after which one may never get the GIL.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_BASE_FINALIZATION_HPP
#define WG_BASE_FINALIZATION_HPP

#include <atomic>
#include <chrono>
#include <thread>

namespace wg {

/// A thread is about to do what `What` stands for, if it may. At the interpreter's end it is waited for, for a while.
template <class What>
class UntilExit {
public:
    UntilExit() noexcept {
        callers().fetch_add(1);
        may_do_ = !has_ended();
    }
    UntilExit(const UntilExit &) = delete;
    UntilExit &operator=(const UntilExit &) = delete;
    ~UntilExit() { callers().fetch_sub(1); }
    explicit operator bool() const noexcept { return may_do_; }

    /// Nothing more of it. The thread must not keep others from what they need to end theirs.
    static void end() noexcept {
        has_ended() = true;
        for (int i = 0; i < 1000 && callers() != 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }

private:
    static std::atomic<bool> &has_ended() noexcept {
        static std::atomic<bool> ended{false};
        return ended;
    }
    static std::atomic<int> &callers() noexcept {
        static std::atomic<int> count{0};
        return count;
    }

    bool may_do_;
};

}  // namespace wg

#endif  // WG_BASE_FINALIZATION_HPP
