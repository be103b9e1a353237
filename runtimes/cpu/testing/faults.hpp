// Failures on demand, so that tests can see what happens after every call that fails.
#pragma once
#include <functional>
#include <string>

namespace cpu {

enum class Fault { none, now, queued };

// Count a call of `function`; throws cpu::Error when this one shall fail at once.
void may_fail(const char* function);
// The same for a call that queues `task`: it may also fail when the stream comes to the task.
void may_fail(const char* function, std::function<void()>& task);
// Count a call of "malloc"; throws cpu::OutOfMemory when this one shall fail.
void may_refuse_memory();

// Let the nth call of `function` from now on fail; nth from 1. Throws std::invalid_argument when it is less.
// CPU_FFI_FAIL lists such calls: "malloc:2" is the second malloc, "launch:1=queued" the first launch, on its stream.
void fail_at(const std::string& function, long nth, Fault how);

// No call fails any more, and all are counted from 0 again.
void forget_faults();

}  // namespace cpu
