// Failures on demand, so that tests can see what becomes of every call that fails.
#pragma once
#include <string>

namespace cpu {

enum class Fault { none, now, queued };

// Count a call of `function`, and say whether this one shall fail: at once, or when its work is done on the stream.
// CPU_FFI_FAIL lists such calls: "malloc:2" is the second malloc, "launch:1=queued" the first launch, on its stream.
Fault count_call(const char* function);

// Throws cpu::Error when this call shall fail at once.
void may_fail(const char* function);

// Let the nth call of `function` from now on fail; nth from 1. Throws std::invalid_argument when it is less.
void fail_at(const std::string& function, long nth, Fault how);

// No call fails any more, and all are counted from 0 again.
void forget_faults();

// What a fault throws.
[[noreturn]] void fail(const char* function);

}  // namespace cpu
