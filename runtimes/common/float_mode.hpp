// The floating-point mode of a thread: how results are rounded, and whether tiny ones become 0.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#else
#include <cfenv>
#endif

namespace cpu {

// For good: a new thread has the mode of the one that made it.
inline void set_default_float_mode() {
#if defined(__x86_64__)
    _mm_setcsr(0x1f80);
#else
    std::fesetenv(FE_DFL_ENV);
#endif
}

// The default mode until the end of the scope. A program may have set another for its own thread (torch's
// set_flush_denormal does), and what is queued must not depend on which thread does it.
class DefaultFloatMode {
public:
    DefaultFloatMode() {
#if defined(__x86_64__)
        before_ = _mm_getcsr();
#else
        std::fegetenv(&before_);
#endif
        set_default_float_mode();
    }

    ~DefaultFloatMode() {
#if defined(__x86_64__)
        _mm_setcsr(before_);
#else
        std::fesetenv(&before_);
#endif
    }

    DefaultFloatMode(const DefaultFloatMode&) = delete;
    DefaultFloatMode& operator=(const DefaultFloatMode&) = delete;

private:
#if defined(__x86_64__)
    unsigned before_;
#else
    std::fenv_t before_;
#endif
};

}  // namespace cpu
