// The checked mode: each access to memory and each division that the compiler has instrumented comes here first.
//
// The compiler calls __asan_load4_noabort and its like (-fsanitize=kernel-address) before each access, and
// __ubsan_handle_… (-fsanitize=bounds,integer-divide-by-zero) when an array or a division fails: no library is needed.
// A kernel may use the arrays of its arguments, its own stack, and the variables of its library. At the first fault it
// is left by a jump, so that destructors of its variables do not run.
#pragma once

#define CPU_UNCHECKED __attribute__((no_sanitize_address, no_sanitize_undefined))

namespace cpu_kernels {

constexpr unsigned most_arguments = 256;

struct Extent {
    std::uintptr_t begin;
    unsigned long long size;
};

// What the kernel that runs on this thread may use.
struct Checks {
    Extent arguments[most_arguments];
    unsigned argument_count;
    Extent others[16];
    unsigned other_count;
    cpu_kernel_check* report;
    std::jmp_buf end;
};
static thread_local Checks checks_of_thread;
// Volatile, because the compiler takes the calls that it makes itself for such as read nothing of ours.
static thread_local Checks* volatile ready;   // null while none is to be checked
static thread_local Checks* volatile checks;  // null while no kernel runs

inline void allow(Checks& all, std::uintptr_t begin, unsigned long long size) {
    if (size > 0 && all.other_count < 16) all.others[all.other_count++] = {begin, size};
}

// The variables of this library, with those that each thread has.
inline int allow_library(dl_phdr_info* library, std::size_t, void* context) {
    auto& all = *static_cast<Checks*>(context);
    const auto own = reinterpret_cast<std::uintptr_t>(&cpu_kernels::allow_library);
    bool is_ours = false;
    for (int i = 0; i < library->dlpi_phnum; ++i) {
        const auto& part = library->dlpi_phdr[i];
        is_ours = is_ours || (part.p_type == PT_LOAD && own - (library->dlpi_addr + part.p_vaddr) < part.p_memsz);
    }
    for (int i = 0; is_ours && i < library->dlpi_phnum; ++i) {
        const auto& part = library->dlpi_phdr[i];
        if (part.p_type == PT_LOAD) allow(all, library->dlpi_addr + part.p_vaddr, part.p_memsz);
        if (part.p_type == PT_TLS && library->dlpi_tls_data != nullptr) {
            allow(all, reinterpret_cast<std::uintptr_t>(library->dlpi_tls_data), part.p_memsz);
        }
    }
    return is_ours ? 1 : 0;
}

inline void allow_stack(Checks& all) {
    pthread_attr_t attributes;
    void* begin = nullptr;
    std::size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
    pthread_attr_getstack(&attributes, &begin, &size);
    pthread_attr_destroy(&attributes);
    allow(all, reinterpret_cast<std::uintptr_t>(begin), size);
}

// The line of an instruction, by the debug information: `kernel.cu:4`.
inline void find_line(const void* instruction, char* line, std::size_t size) {
    Dl_info library{};
    snprintf(line, size, "kernel.cu");
    if (dladdr(instruction, &library) == 0) return;
    const auto offset = static_cast<const char*>(instruction) - static_cast<const char*>(library.dli_fbase) - 1;
    char command[4500];
    snprintf(command, sizeof command, "addr2line -s -e '%s' 0x%zx 2>/dev/null", library.dli_fname,
                  static_cast<std::size_t>(offset));
    FILE* answer = popen(command, "r");
    if (answer == nullptr) return;
    char found[200] = "";
    if (fgets(found, sizeof found, answer) != nullptr && std::strchr(found, '?') == nullptr) {
        found[std::strcspn(found, " \n")] = '\0';
        snprintf(line, size, "%s", found);
    }
    pclose(answer);
}

// Leave the kernel, and say why: WHERE: WHAT, in thread … of block ….
[[noreturn]] CPU_UNCHECKED inline void fail(const char* line, const char* what) {
    Checks& all = *checks;
    checks = nullptr;
    snprintf(all.report->fault, sizeof all.report->fault, "%s: %s, in thread (%u, %u, %u) of block (%u, %u, %u)",
                  line, what, thread_index.x, thread_index.y, thread_index.z, block_index.x, block_index.y, block_index.z);
    _longjmp(all.end, 1);
}

// The argument that an address lies nearest to the end of, else to the beginning of.
[[noreturn]] CPU_UNCHECKED inline void fail_at(std::uintptr_t address, unsigned long long size, const char* verb,
                                                const void* instruction) {
    const Checks& all = *checks;
    checks = nullptr;  // what follows is instrumented as well
    char line[220], what[260] = "";
    unsigned long long nearest = 1 << 20;
    for (unsigned i = 0; i < all.argument_count; ++i) {
        const Extent& extent = all.arguments[i];
        const unsigned long long after = address + size - (extent.begin + extent.size), before = extent.begin - address;
        if (extent.size == 0 || (after > nearest && before > nearest)) continue;
        nearest = after < before ? after : before;
        const auto offset = static_cast<long long>(address - extent.begin);
        snprintf(what, sizeof what, "%llu bytes %s at byte %lld of argument %u, which has %llu", size, verb, offset,
                      i + 1, extent.size);
    }
    if (what[0] == '\0') {
        snprintf(what, sizeof what, "%llu bytes %s at address 0x%zx, which is in none of the arguments", size, verb,
                      static_cast<std::size_t>(address));
    }
    find_line(instruction, line, sizeof line);
    checks = &checks_of_thread;
    fail(line, what);
}

CPU_UNCHECKED inline void check(std::uintptr_t address, unsigned long long size, const char* verb,
                                 const void* instruction) {
    const Checks* all = checks;
    if (all == nullptr) return;
    for (unsigned i = 0; i < all->argument_count; ++i) {
        const Extent& extent = all->arguments[i];
        if (address - extent.begin < extent.size && size <= extent.size - (address - extent.begin)) return;
    }
    for (unsigned i = 0; i < all->other_count; ++i) {
        if (address - all->others[i].begin < all->others[i].size) return;
    }
    if (stack_of_fiber != nullptr && address - reinterpret_cast<std::uintptr_t>(stack_of_fiber) < stack_size) return;
    fail_at(address, size, verb, instruction);
}

// Call `blocks` with checks; `pointers` are those of the launch.
template <class Blocks>
void run_checked(const unsigned* sizes, unsigned count, const void* const* pointers, cpu_kernel_check* report,
                 const Blocks& blocks) {
    Checks& all = checks_of_thread;
    all.report = report;
    all.argument_count = count < most_arguments ? count : most_arguments;
    for (unsigned i = 0; i < all.argument_count; ++i) {
        std::uintptr_t begin = 0;
        if (report->sizes[i] > 0 && sizes[i] == sizeof begin) std::memcpy(&begin, pointers[i], sizeof begin);
        all.arguments[i] = {begin, begin == 0 ? 0 : report->sizes[i]};
    }
    all.other_count = 0;
    stack_of_fiber = nullptr;
    dl_iterate_phdr(allow_library, &all);
    allow_stack(all);
    allow(all, reinterpret_cast<std::uintptr_t>(&block_of_thread().get()), sizeof(Block));
    if (_setjmp(all.end) != 0) {
        block_of_thread().drop();  // its fibers stand in the middle of the kernel
        return;
    }
    ready = &all;
    blocks();
    ready = nullptr;
}

// While it lives, accesses are those of a kernel; the others are the device's own.
struct Checking {
    Checking() { checks = ready; }
    ~Checking() { checks = nullptr; }
};

// What the compiler tells a handler of -fsanitize=undefined.
struct SourceLocation {
    const char* file;
    unsigned line, column;
};

[[noreturn]] CPU_UNCHECKED inline void fail_here(const void* data, const char* what) {
    const auto& location = *static_cast<const SourceLocation*>(data);
    char line[220];
    snprintf(line, sizeof line, "%.200s:%u", location.file, location.line);
    if (checks == nullptr) __builtin_trap();
    fail(line, what);
}

}  // namespace cpu_kernels

#define CPU_CHECKED_ACCESS(size)                                                                      \
    extern "C" CPU_UNCHECKED void __asan_load##size##_noabort(std::uintptr_t address) {               \
        cpu_kernels::check(address, size, "read", __builtin_return_address(0));                       \
    }                                                                                                  \
    extern "C" CPU_UNCHECKED void __asan_store##size##_noabort(std::uintptr_t address) {              \
        cpu_kernels::check(address, size, "written", __builtin_return_address(0));                    \
    }
CPU_CHECKED_ACCESS(1)
CPU_CHECKED_ACCESS(2)
CPU_CHECKED_ACCESS(4)
CPU_CHECKED_ACCESS(8)
CPU_CHECKED_ACCESS(16)
#undef CPU_CHECKED_ACCESS

extern "C" {
CPU_UNCHECKED void __asan_loadN_noabort(std::uintptr_t address, std::size_t size) {
    cpu_kernels::check(address, size, "read", __builtin_return_address(0));
}
CPU_UNCHECKED void __asan_storeN_noabort(std::uintptr_t address, std::size_t size) {
    cpu_kernels::check(address, size, "written", __builtin_return_address(0));
}
CPU_UNCHECKED void __asan_handle_no_return() {}
CPU_UNCHECKED void __ubsan_handle_divrem_overflow(void* data, void*, void*) {
    cpu_kernels::fail_here(data, "a division by 0");
}
CPU_UNCHECKED void __ubsan_handle_out_of_bounds(void* data, void* index) {
    char what[80];
    snprintf(what, sizeof what, "index %lld is not in the array", static_cast<long long>(reinterpret_cast<std::intptr_t>(index)));
    cpu_kernels::fail_here(data, what);
}
}
