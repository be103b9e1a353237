#include "faults.hpp"

#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "error.hpp"

namespace cpu {
namespace {

struct Faults {
    std::mutex mutex;
    std::map<std::string, long> made;
    std::map<std::pair<std::string, long>, Fault> wanted;
    std::atomic<bool> any{false};
};

void read(Faults& faults) {
    const char* text = std::getenv("CPU_FFI_FAIL");
    std::istringstream items(text == nullptr ? "" : text);
    for (std::string item; std::getline(items, item, ',');) {
        const auto colon = item.find(':');
        char* rest = nullptr;
        const long nth = colon == std::string::npos ? 0 : std::strtol(item.c_str() + colon + 1, &rest, 10);
        const std::string how = rest == nullptr ? "" : rest;
        if (nth < 1 || (how != "" && how != "=queued")) {
            throw Error("CPU_FFI_FAIL has " + item + ", not FUNCTION:NTH or FUNCTION:NTH=queued");
        }
        faults.wanted[{item.substr(0, colon), nth}] = how.empty() ? Fault::now : Fault::queued;
        faults.any = true;
    }
}

Faults& all_faults() {
    static Faults* result = new Faults;  // never destroyed: handles are released while the process exits
    static const bool once = (read(*result), true);
    static_cast<void>(once);
    return *result;
}

// Whether this call shall fail.
Fault count_call(const char* function) {
    Faults& all = all_faults();
    if (!all.any.load(std::memory_order_relaxed)) return Fault::none;
    const std::lock_guard<std::mutex> lock(all.mutex);
    const auto found = all.wanted.find({function, ++all.made[function]});
    return found == all.wanted.end() ? Fault::none : found->second;
}

[[noreturn]] void fail(const char* function) { throw Error(std::string(function) + " fails, as it was told to"); }

}  // namespace

void may_fail(const char* function) {
    if (count_call(function) != Fault::none) fail(function);
}

void may_fail(const char* function, std::function<void()>& task) {
    switch (count_call(function)) {
        case Fault::none: break;
        case Fault::now: fail(function);
        case Fault::queued: task = [function] { fail(function); }; break;
    }
}

void may_refuse_memory() {
    if (count_call("malloc") != Fault::none) throw OutOfMemory("malloc fails, as it was told to");
}

void fail_at(const std::string& function, long nth, Fault how) {
    if (nth < 1) throw std::invalid_argument("calls are counted from 1, not " + std::to_string(nth));
    Faults& all = all_faults();
    const std::lock_guard<std::mutex> lock(all.mutex);
    all.wanted[{function, all.made[function] + nth}] = how;
    all.any = true;
}

void forget_faults() {
    Faults& all = all_faults();
    const std::lock_guard<std::mutex> lock(all.mutex);
    all.made.clear();
    all.wanted.clear();
    all.any = false;
}

}  // namespace cpu
