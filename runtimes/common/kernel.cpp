#include "kernel.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

#include "error.hpp"
#include "faults.hpp"
#include "pool.hpp"
#include "settings.hpp"

namespace cpu {
namespace {

constexpr std::uint64_t most_threads = 1024;  // of a block, as in CUDA
constexpr unsigned usual_threads_at_once = 4096;
constexpr std::int64_t most_parts = 64;  // for each thread of ours: enough that all end at nearly the same time

using Sizes3 = std::array<unsigned, 3>;

Sizes3 checked_sizes(const std::vector<std::uint32_t>& sizes, const char* what) {
    if (sizes.size() != 3 || std::find(sizes.begin(), sizes.end(), 0u) != sizes.end()) {
        throw std::invalid_argument(std::string("a ") + what + " has 3 sizes of at least 1");
    }
    return {sizes[0], sizes[1], sizes[2]};
}

std::uint64_t product(const Sizes3& sizes, const char* what) {
    std::uint64_t result = std::uint64_t{sizes[0]} * sizes[1];
    if (__builtin_mul_overflow(result, std::uint64_t{sizes[2]}, &result) || result >> 62 != 0) {
        throw std::invalid_argument(std::string("such a ") + what + " is too large");
    }
    return result;
}

// The arguments of one launch, as they are handed to the kernel.
struct Arguments {
    std::vector<std::uint64_t> room;  // aligned
    std::vector<const void*> pointers;
    std::vector<unsigned long long> extents;  // of a checked kernel: the sizes of the arrays
};

Arguments checked_arguments(const cpu_kernel& kernel, std::string_view packed,
                            const std::vector<std::uint32_t>& offsets) {
    if (offsets.size() != kernel.argument_count) {
        throw std::invalid_argument("the kernel has " + std::to_string(kernel.argument_count) +
                                    " parameters, and there are " + std::to_string(offsets.size()) + " arguments");
    }
    Arguments result;
    if (kernel.is_checked != 0) {
        const std::size_t size = offsets.size() * sizeof(unsigned long long);
        if (packed.size() < size) throw std::invalid_argument("a checked kernel wants the sizes of its arrays as well");
        result.extents.resize(offsets.size());
        std::memcpy(result.extents.data(), packed.data() + packed.size() - size, size);
        packed.remove_suffix(size);
    }
    result.room.resize(packed.size() / sizeof(std::uint64_t) + 1);
    std::memcpy(result.room.data(), packed.data(), packed.size());
    const auto* start = reinterpret_cast<const char*>(result.room.data());
    for (std::size_t i = 0; i < offsets.size(); ++i) {
        if (offsets[i] > packed.size() || kernel.argument_sizes[i] > packed.size() - offsets[i]) {
            throw std::invalid_argument("argument " + std::to_string(i) + " of the kernel has " +
                                        std::to_string(kernel.argument_sizes[i]) + " bytes, which are not there");
        }
        result.pointers.push_back(start + offsets[i]);
    }
    return result;
}

}  // namespace

class Library {
public:
    explicit Library(const std::string& path) : handle(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
        if (handle == nullptr) throw Error(std::string("cannot load the kernels: ") + dlerror());
    }
    ~Library() { dlclose(handle); }
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;

    void* const handle;
};

std::vector<std::uint32_t> Kernel::argument_sizes() const {
    return {entry_->argument_sizes, entry_->argument_sizes + entry_->argument_count};
}

LoadedLibrary::LoadedLibrary(const std::string& path) {
    may_fail("library_load");
    library_ = std::make_shared<Library>(path);
}

Kernel LoadedLibrary::kernel(const std::string& name) const {
    const auto* entry = static_cast<const cpu_kernel*>(dlsym(library_->handle, ("cpu_kernel_" + name).c_str()));
    if (entry == nullptr) throw std::invalid_argument("there is no kernel '" + name + "' in this library");
    if (entry->version != CPU_KERNEL_VERSION) throw Error("the kernel was compiled for another version: compile it again");
    const auto* threads = static_cast<const unsigned*>(dlsym(library_->handle, ("cpu_threads_" + name).c_str()));
    return {library_, entry, name, std::max(1u, threads == nullptr ? usual_threads_at_once : *threads)};
}

void launch(const Kernel& kernel, const std::vector<std::uint32_t>& grid, const std::vector<std::uint32_t>& block,
            std::uint32_t shared_bytes, std::string_view arguments, const std::vector<std::uint32_t>& offsets,
            const Stream& stream) {
    const Sizes3 blocks = checked_sizes(grid, "grid"), threads = checked_sizes(block, "block");
    const std::uint64_t block_count = product(blocks, "grid"), block_size = product(threads, "block");
    if (block_size > most_threads) {
        throw std::invalid_argument("a block can have 1024 threads, not " + std::to_string(block_size));
    }
    if (shared_bytes > CPU_KERNEL_SHARED_BYTES) {
        throw std::invalid_argument("a block can have 49152 bytes of shared memory, not " +
                                    std::to_string(shared_bytes));
    }
    const cpu_kernel* entry = kernel.entry_;
    auto values = checked_arguments(*entry, arguments, offsets);
    const std::uint64_t threads_at_once = kernel.threads_at_once_;
    stream.push("launch", [=, values = std::move(values), library = kernel.library_, name = kernel.name_] {
        const auto count = static_cast<std::int64_t>(block_count);
        const auto worth = static_cast<std::int64_t>(threads_at_once / block_size);
        const std::int64_t grain = std::max({std::int64_t{1}, worth, count / (most_parts * settings().threads)});
        parallel_for(count, grain, [&](std::int64_t begin, std::int64_t end) {
            cpu_kernel_check check{values.extents.data(), ""};
            entry->run(blocks.data(), threads.data(), static_cast<unsigned long long>(begin),
                       static_cast<unsigned long long>(end), values.pointers.data(), entry->is_checked ? &check : nullptr);
            if (check.fault[0] != '\0') throw Error("kernel " + name + " failed at " + check.fault);
        });
    });
}

}  // namespace cpu
