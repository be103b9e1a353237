#include "loops.hpp"

#include <string>

#include "settings.hpp"

namespace cpu {

namespace {

int best_level() {
#ifdef __x86_64__
    const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    const int best = v4 ? 4 : v3 ? 3 : 0;
    const std::string& wanted = settings().level;
    const int most = wanted == "baseline" ? 0 : wanted == "v3" ? 3 : 4;
    return best < most ? best : most;
#else
    return 0;
#endif
}

int level() {
    static const int result = best_level();
    return result;
}

}  // namespace

const Loops& loops() {
#ifdef __x86_64__
    static const Loops& result = level() == 4 ? v4::loops() : level() == 3 ? v3::loops() : baseline::loops();
    return result;
#else
    return baseline::loops();
#endif
}

const char* loops_level() { return level() == 4 ? "v4" : level() == 3 ? "v3" : "baseline"; }

}  // namespace cpu
