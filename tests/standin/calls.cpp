#include "calls.hpp"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <utility>

namespace standin {
namespace {

using Call = std::pair<std::string, long>;  // a function, and which call of it, from 1

struct Calls {
    std::mutex mutex;
    std::map<std::string, long> made;
    std::map<Call, cudaError_t> to_fail;
};

cudaError_t usual_failure(const std::string& function) {
    bool allocates = function.find("Malloc") != std::string::npos || function == "cudaHostAlloc";
    return allocates ? cudaErrorMemoryAllocation : cudaErrorUnknown;
}

[[noreturn]] void reject(const std::string& item) {
    std::fprintf(stderr, "CUDA stand-in: CUDA_STANDIN_FAIL has %s, not FUNCTION:NTH or FUNCTION:NTH=CODE\n",
                 item.c_str());
    std::abort();
}

std::map<Call, cudaError_t> read_failures() {
    std::map<Call, cudaError_t> result;
    const char* text = std::getenv("CUDA_STANDIN_FAIL");
    std::istringstream items(text == nullptr ? "" : text);
    for (std::string item; std::getline(items, item, ',');) {
        auto colon = item.find(':');
        if (colon == std::string::npos) reject(item);
        std::string function = item.substr(0, colon);
        char* rest = nullptr;
        long nth = std::strtol(item.c_str() + colon + 1, &rest, 10);
        cudaError_t code = usual_failure(function);
        if (*rest == '=') code = static_cast<cudaError_t>(std::strtol(rest + 1, &rest, 10));
        if (*rest != '\0' || nth < 1) reject(item);
        result[{function, nth}] = code;
    }
    return result;
}

Calls& all_calls() {
    static Calls* result = [] {
        auto* calls = new Calls;  // never destroyed: handles are released while the process exits
        calls->to_fail = read_failures();
        return calls;
    }();
    return *result;
}

}  // namespace

cudaError_t count_call(const char* function) {
    Calls& all = all_calls();
    std::lock_guard<std::mutex> lock(all.mutex);
    auto found = all.to_fail.find({function, ++all.made[function]});
    return found == all.to_fail.end() ? cudaSuccess : found->second;
}

long calls(const char* function) {
    Calls& all = all_calls();
    std::lock_guard<std::mutex> lock(all.mutex);
    auto found = all.made.find(function);
    return found == all.made.end() ? 0 : found->second;
}

}  // namespace standin
