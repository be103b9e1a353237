#include "settings.hpp"

#include <sched.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <fstream>

#include "error.hpp"

namespace cpu {

double number_setting(const char* variable, double least, double otherwise) {
    const char* text = std::getenv(variable);
    if (text == nullptr || *text == '\0') return otherwise;
    char* end = nullptr;
    const double value = std::strtod(text, &end);
    if (*end != '\0' || !(value >= least) || std::isinf(value)) {
        throw Error(std::string(variable) + "=" + text + " is not a number of at least " +
                    std::to_string(static_cast<int>(least)));
    }
    return value;
}

namespace {

int cores() {
#ifdef __linux__
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
#endif
    return static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
}

double machine_megabytes() {
    return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

// Of the last cache of a core. sysfs knows what cores share it; sysconf, in a virtual machine, may count it for each.
double cache_megabytes() {
    double kilobytes = 0;
    for (const char index : {'2', '3'}) {
        const std::string path = std::string("/sys/devices/system/cpu/cpu0/cache/index") + index + "/size";
        std::ifstream(path) >> kilobytes;
    }
    return kilobytes > 0 ? kilobytes / 1024 : 32;
}

Settings read() {
    Settings result;
    result.devices = static_cast<int>(number_setting("CPU_FFI_DEVICES", 0, 1));
    result.threads = static_cast<int>(number_setting("CPU_FFI_THREADS", 1, cores()));
    result.memory = static_cast<std::size_t>(number_setting("CPU_FFI_MEMORY_MB", 0, machine_megabytes()) * (1 << 20));
    result.cache = static_cast<std::size_t>(number_setting("CPU_FFI_CACHE_MB", 0, cache_megabytes()) * (1 << 20));
    const char* level = std::getenv("CPU_FFI_CPU");
    result.level = level == nullptr ? "" : level;
    if (!result.level.empty() && result.level != "baseline" && result.level != "v3" && result.level != "v4") {
        throw Error("CPU_FFI_CPU=" + result.level + " is none of baseline, v3, v4");
    }
    return result;
}

}  // namespace

const Settings& settings() {
    static const Settings* result = new Settings(read());  // never destroyed: worker threads outlive main
    return *result;
}

}  // namespace cpu
