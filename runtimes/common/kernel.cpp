#include "kernel.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <stdexcept>

#include "error.hpp"
#include "faults.hpp"
#include "pool.hpp"
#include "settings.hpp"

namespace cpu {
namespace {

constexpr std::uint64_t most_threads = 1024;  // of a block, as in CUDA
constexpr std::int64_t most_parts = 64;  // for each thread of ours: enough that all end at nearly the same time
constexpr std::int64_t most_threads_of_part = 1 << 13;  // of a short kernel: about 2 ms at the most
constexpr auto turn = std::chrono::milliseconds(2);     // of a short kernel

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

// The blocks of one launch, in parts that the threads of the pool share.
class Launch {
public:
    Launch(const cpu_kernel& entry, std::string name, std::shared_ptr<void> library, const Sizes3& blocks,
           const Sizes3& threads, Arguments values)
        : entry_(entry), name_(std::move(name)), library_(std::move(library)), blocks_(blocks), threads_(threads),
          values_(std::move(values)), count_(static_cast<std::int64_t>(product(blocks, "grid"))) {
        const auto block_size = static_cast<std::int64_t>(product(threads, "block"));
        grain_ = std::max(entry_.threads_at_once / block_size, count_ / (most_parts * settings().threads));
        if (is_short()) {  // unless more are worth one of ours, as where each part adds up a table
            const auto most = std::max<std::int64_t>(entry_.threads_at_once, most_threads_of_part);
            grain_ = std::min(grain_, most / block_size);
        }
        grain_ = std::max(grain_, std::int64_t{1});
        share_out((count_ - 1) / grain_ + 1);
    }

    bool is_short() const { return entry_.is_short != 0; }

    // Do the parts that are not done yet, of a short kernel those that a turn has time for; whether none is left.
    bool run() {
        const auto end = is_short() ? Clock::now() + turn : Clock::time_point::max();
        const auto count = static_cast<std::int64_t>(shares_.size());
        parallel_for(count, 1, [&](std::int64_t own, std::int64_t) {
            for (std::int64_t i = 0; i < count; ++i) {
                Share& share = shares_[(own + i) % count];
                run_share(share, i == 0 || share.taken == 0, end);
            }
        });
        return std::all_of(shares_.begin(), shares_.end(), [](const Share& share) { return share.taken >= share.size; });
    }

private:
    // Parts that follow each other. One thread does them from the first on, so that it goes through memory in order, and
    // through the same memory at the next launch, which may still be in its core's caches. Threads that have done
    // their own help from the last on, or from the first where no thread has begun: one thread alone does all in order.
    struct alignas(64) Share {
        std::int64_t first = 0, size = 0;
        std::atomic<std::int64_t> taken{0};  // who has taken one of `size` finds a part at its end of the share
        std::atomic<std::int64_t> from_first{0}, from_last{0};
    };

    void share_out(std::int64_t parts) {
        const auto threads = std::min<std::int64_t>(settings().threads, parts);
        shares_ = std::vector<Share>(static_cast<std::size_t>(threads));
        std::int64_t first = 0;
        for (Share& share : shares_) {
            const std::int64_t left = threads - (&share - shares_.data());
            share.first = first;
            share.size = (parts - first) / left;
            first += share.size;
        }
    }

    void run_share(Share& share, bool is_own, Clock::time_point end) {
        while (Clock::now() < end && share.taken.fetch_add(1) < share.size) {
            run_part(share.first + (is_own ? share.from_first.fetch_add(1) : share.size - 1 - share.from_last.fetch_add(1)));
        }
    }

    void run_part(std::int64_t part) {
        const std::int64_t begin = part * grain_, end = std::min(count_, begin + grain_);
        cpu_kernel_check check{values_.extents.data(), ""};
        entry_.run(blocks_.data(), threads_.data(), static_cast<unsigned long long>(begin),
                   static_cast<unsigned long long>(end), values_.pointers.data(), entry_.is_checked ? &check : nullptr);
        if (check.fault[0] != '\0') throw Error("kernel " + name_ + " failed at " + check.fault);
    }

    const cpu_kernel& entry_;
    const std::string name_;
    const std::shared_ptr<void> library_;
    const Sizes3 blocks_, threads_;
    const Arguments values_;
    const std::int64_t count_;
    std::int64_t grain_;
    std::vector<Share> shares_;
};

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
    return {library_, entry, name};
}

void launch(const Kernel& kernel, const std::vector<std::uint32_t>& grid, const std::vector<std::uint32_t>& block,
            std::uint32_t shared_bytes, std::string_view arguments, const std::vector<std::uint32_t>& offsets,
            const Stream& stream) {
    const Sizes3 blocks = checked_sizes(grid, "grid"), threads = checked_sizes(block, "block");
    const std::uint64_t block_size = product(threads, "block");
    if (block_size > most_threads) {
        throw std::invalid_argument("a block can have 1024 threads, not " + std::to_string(block_size));
    }
    if (shared_bytes > CPU_KERNEL_SHARED_BYTES) {
        throw std::invalid_argument("a block can have 49152 bytes of shared memory, not " +
                                    std::to_string(shared_bytes));
    }
    auto values = checked_arguments(*kernel.entry_, arguments, offsets);
    auto launch = std::make_shared<Launch>(*kernel.entry_, kernel.name_, kernel.library_, blocks, threads, std::move(values));
    const Takes takes = launch->is_short() ? Takes::little : Takes::unknown;
    stream.push_turns("launch", [launch = std::move(launch)] { return launch->run(); }, takes);
}

}  // namespace cpu
