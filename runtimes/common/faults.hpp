// Where calls and queued work may be made to fail. They are not in this build; the build for tests replaces this header
// by runtimes/cpu/testing/faults.hpp.
#pragma once
#include <functional>

namespace cpu {

inline void may_fail(const char*) {}
inline void may_fail(const char*, std::function<void()>&) {}
inline void may_refuse_memory() {}

}  // namespace cpu
