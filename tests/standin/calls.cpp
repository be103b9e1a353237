#include "calls.hpp"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <sstream>
#include <vector>

namespace standin {
namespace {

const std::string any_function = "*";

struct Failure {
    std::string function;
    long nth;
    bool lasts;
    std::optional<cudaError_t> code;

    bool meets(const std::string& called, long count, long count_of_all) const {
        if (function != any_function && function != called) return false;
        long made = function == any_function ? count_of_all : count;
        return lasts ? made >= nth : made == nth;
    }
};
using Plan = std::vector<Failure>;

struct Calls {
    std::mutex mutex;
    std::map<std::string, long> made;
    std::map<std::string, long> made_before_plan;
    Plan plan;

    long since_plan(const std::string& function) { return made[function] - made_before_plan[function]; }
};

cudaError_t usual_failure(const std::string& function) {
    bool allocates = function.find("Malloc") != std::string::npos || function == "cudaHostAlloc";
    return allocates ? cudaErrorMemoryAllocation : cudaErrorUnknown;
}

std::optional<Failure> read_failure(const std::string& item) {
    auto colon = item.find(':');
    if (colon == std::string::npos || colon == 0) return std::nullopt;
    Failure result{item.substr(0, colon), 0, false, std::nullopt};
    char* rest = nullptr;
    result.nth = std::strtol(item.c_str() + colon + 1, &rest, 10);
    if (*rest == '+') {
        result.lasts = true;
        ++rest;
    }
    if (*rest == '=') result.code = static_cast<cudaError_t>(std::strtol(rest + 1, &rest, 10));
    if (*rest != '\0' || result.nth < 1) return std::nullopt;
    return result;
}

bool read_plan(const std::string& text, Plan& plan) {
    std::istringstream items(text);
    for (std::string item; std::getline(items, item, ',');) {
        auto failure = read_failure(item);
        if (!failure) return false;
        plan.push_back(*failure);
    }
    return true;
}

Plan plan_of_environment() {
    Plan result;
    const char* text = std::getenv("CUDA_STANDIN_FAIL");
    if (text != nullptr && !read_plan(text, result)) {
        std::fprintf(stderr, "CUDA stand-in: CUDA_STANDIN_FAIL has %s, not FUNCTION:NTH or FUNCTION:NTH=CODE\n", text);
        std::abort();
    }
    return result;
}

Calls& all_calls() {
    static Calls* result = [] {
        auto* calls = new Calls;  // never destroyed: handles are released while the process exits
        calls->plan = plan_of_environment();
        return calls;
    }();
    return *result;
}

}  // namespace

cudaError_t count_call(const char* function) {
    Calls& all = all_calls();
    std::lock_guard<std::mutex> lock(all.mutex);
    ++all.made[function];
    ++all.made[any_function];
    for (const Failure& failure : all.plan) {
        if (failure.meets(function, all.since_plan(function), all.since_plan(any_function))) {
            return failure.code.value_or(usual_failure(function));
        }
    }
    return cudaSuccess;
}

bool plan_failures(const std::string& text) {
    Plan plan;
    if (!read_plan(text, plan)) return false;
    Calls& all = all_calls();
    std::lock_guard<std::mutex> lock(all.mutex);
    all.plan = std::move(plan);
    all.made_before_plan = all.made;
    return true;
}

long calls(const char* function) {
    Calls& all = all_calls();
    std::lock_guard<std::mutex> lock(all.mutex);
    auto found = all.made.find(function);
    return found == all.made.end() ? 0 : found->second;
}

}  // namespace standin
