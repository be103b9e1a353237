#include "memory.hpp"

#include <sys/mman.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "error.hpp"
#include "faults.hpp"
#include "link.hpp"
#include "loops.hpp"
#include "pool.hpp"
#include "settings.hpp"
#include "uncached.hpp"

namespace cpu {

struct Device {
    std::atomic<std::size_t> used{0};
    std::atomic<std::size_t> pending_free{0};  // of that, what only queued work still keeps
    Link up, down;
};

namespace {

constexpr std::size_t alignment = 256;  // as CUDA promises
constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t staged_at_most = std::size_t{64} << 10;  // as much as CUDA takes along before it waits
constexpr std::int64_t copied_at_once = 1 << 20;

thread_local int current = 0;

Device& device_at(int device) {
    static auto* devices = new std::deque<Device>(static_cast<std::size_t>(device_count()));
    return (*devices)[static_cast<std::size_t>(device)];
}

bool reserve(Device& device, std::size_t size) {
    std::size_t used = device.used.load();
    do {
        if (size > settings().memory || used > settings().memory - size) return false;
    } while (!device.used.compare_exchange_weak(used, used + size));
    return true;
}

// Where in a page large memory begins. If all began alike, the same places of two arrays would compete for one place in
// a core's caches, as those that a stencil reads and writes.
std::size_t next_place() {
    static std::atomic<unsigned> count{0};
    return count.fetch_add(1, std::memory_order_relaxed) * 3 * alignment % 4096;  // four in turn are 768 bytes apart
}

// What is freed, and where the data begin. Large memory comes in large pages, where the system has them: fewer to look up.
std::pair<void*, char*> allocate(std::size_t size) {
    const bool is_large = size >= 2 * huge_page;
    const std::size_t unit = is_large ? huge_page : alignment, place = is_large ? next_place() : 0;
    void* start = std::aligned_alloc(unit, (size + place + unit - 1) / unit * unit);
    if (start == nullptr) return {};
#ifdef __linux__
    if (is_large) madvise(start, size / huge_page * huge_page, MADV_HUGEPAGE);  // what follows is small
#endif
    return {start, static_cast<char*>(start) + place};
}

std::string out_of_memory(std::size_t size, int device) {
    const MemoryInfo info = memory_info(device);
    return "cannot allocate " + std::to_string(size) + " bytes on device " + std::to_string(device) + ": " +
           std::to_string(info.free) + " of " + std::to_string(info.total) + " are free";
}

void copy_large(char* to, const char* from, std::size_t size) {
    const bool uncached = is_uncached(size);
    parallel_for(static_cast<std::int64_t>(size), copied_at_once, [=](std::int64_t begin, std::int64_t end) {
        const auto part = static_cast<std::size_t>(end - begin);
        if (uncached) {
            copy_uncached(to + begin, from + begin, part);
            finish_uncached();
        } else {
            std::memcpy(to + begin, from + begin, part);
        }
    });
}

void transfer(Link& link, char* to, const char* from, std::size_t size) {
    link.transfer(size, [=] { copy_large(to, from, size); });
}

// Ranges of registered host memory: end by begin.
struct Registry {
    std::mutex mutex;
    std::map<std::uintptr_t, std::uintptr_t> ranges;

    // The first range that ends behind `begin`.
    std::map<std::uintptr_t, std::uintptr_t>::iterator behind(std::uintptr_t begin) {
        auto found = ranges.upper_bound(begin);
        if (found != ranges.begin() && std::prev(found)->second > begin) --found;
        return found;
    }

    bool holds(const void* data, std::size_t size) {
        const auto begin = reinterpret_cast<std::uintptr_t>(data);
        const std::lock_guard<std::mutex> lock(mutex);
        const auto found = behind(begin);
        return found != ranges.end() && found->first <= begin && begin + size <= found->second;
    }
};

Registry& registry() {
    static Registry* result = new Registry;
    return *result;
}

}  // namespace

int device_count() { return settings().devices; }

std::string device_name(int device) {
    check_device(device);
    const int threads = settings().threads;
    const std::string level = loops_level();
    return "CPU, " + std::to_string(threads) + (threads == 1 ? " thread" : " threads") +
           (level == "baseline" ? "" : ", x86-64-" + level);
}

int current_device() { return current; }

int device_or_current(std::optional<int> device) { return device.value_or(current); }

void check_device(int device) {
    if (device < 0 || device >= device_count()) {
        throw std::invalid_argument("there is no device " + std::to_string(device) + ": there are " +
                                    std::to_string(device_count()) + ", counted from 0");
    }
}

void set_device(int device) {
    check_device(device);
    current = device;
}

// What is freed when nothing uses it any more.
class Block {
public:
    Block(std::size_t size, int device) : size_(size), device_(device_at(device)) {
        if (!reserve(device_, size)) {
            if (device_.pending_free.load() > 0) wait_for_queued_work();
            if (!reserve(device_, size)) throw OutOfMemory(out_of_memory(size, device));
        }
        if (size > 0) std::tie(start_, data_) = allocate(size);
        if (size > 0 && data() == nullptr) {
            device_.used -= size;
            throw OutOfMemory(out_of_memory(size, device) + ", but the system refuses");
        }
    }

    ~Block() {
        std::free(start_);
        device_.used -= size_;
        if (is_free_pending_) device_.pending_free -= size_;
    }

    void free_later() {
        is_free_pending_ = true;
        device_.pending_free += size_;
    }

    char* data() const { return data_; }

private:
    void* start_ = nullptr;  // what is freed
    char* data_ = nullptr;
    std::size_t size_;
    Device& device_;
    bool is_free_pending_ = false;
};

Memory::Memory(std::size_t size, int device) : size_(size), device_(device) {
    check_not_forked();
    check_device(device);
    may_refuse_memory();
    block_ = std::make_shared<Block>(size, device);
    data_ = block_->data();
}

Memory::Memory(char* data, std::size_t size, int device) : data_(data), size_(size), device_(device) {
    check_device(device);
}

Memory::~Memory() {
    if (!block_) return;
    block_->free_later();
    after_queued_work(std::move(block_));
}

char* Memory::part(std::size_t offset, std::size_t size) const {
    if (offset > size_ || size > size_ - offset) {
        throw std::invalid_argument(std::to_string(size) + " bytes at offset " + std::to_string(offset) +
                                    " do not fit in device memory of " + std::to_string(size_) + " bytes");
    }
    return data_ + offset;
}

MemoryInfo memory_info(int device) {
    check_device(device);
    const std::size_t total = settings().memory;
    return {total - device_at(device).used.load(), total};
}

void register_memory(const void* data, std::size_t size) {
    may_fail("host_register");
    if (size == 0) throw std::invalid_argument("memory of 0 bytes cannot be registered");
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    const std::lock_guard<std::mutex> lock(registry().mutex);
    const auto next = registry().behind(begin);
    if (next != registry().ranges.end() && next->first < begin + size) {
        throw Error("part of this memory is registered already");
    }
    registry().ranges[begin] = begin + size;
}

void unregister_memory(const void* data) {
    may_fail("host_unregister");
    const std::lock_guard<std::mutex> lock(registry().mutex);
    if (registry().ranges.erase(reinterpret_cast<std::uintptr_t>(data)) == 0) {
        throw Error("this memory is not registered: give what host_register was called with");
    }
}

void upload(const Memory& to, std::size_t offset, const void* from, std::size_t size, const Stream& stream) {
    constexpr const char* name = "memcpy_host_to_device_async";
    char* target = to.part(offset, size);
    const char* source = static_cast<const char*>(from);
    Link& link = device_at(to.device()).up;
    if (registry().holds(from, size)) {
        stream.push(name, [=, &link] { transfer(link, target, source, size); });
    } else if (link.is_immediate() && stream.is_idle()) {
        may_fail(name);
        copy_large(target, source, size);
    } else if (size <= staged_at_most) {
        auto staged = std::make_shared<std::vector<char>>(source, source + size);
        const Takes takes = link.is_immediate() ? Takes::little : Takes::unknown;
        stream.push(name, [=, &link] { transfer(link, target, staged->data(), size); }, nullptr, takes);
    } else {
        stream.push(name, [=, &link] { transfer(link, target, source, size); });
        stream.wait();
    }
}

void download(void* to, const Memory& from, std::size_t offset, std::size_t size, const Stream& stream) {
    constexpr const char* name = "memcpy_device_to_host_async";
    const char* source = from.part(offset, size);
    char* target = static_cast<char*>(to);
    Link& link = device_at(from.device()).down;
    if (registry().holds(to, size)) {
        stream.push(name, [=, &link] { transfer(link, target, source, size); });
    } else if (link.is_immediate() && stream.query()) {
        may_fail(name);
        copy_large(target, source, size);
    } else {
        stream.push(name, [=, &link] { transfer(link, target, source, size); });
        stream.synchronize();
    }
}

void copy(const Memory& to, std::size_t to_offset, const Memory& from, std::size_t from_offset, std::size_t size,
          const Stream& stream) {
    char* target = to.part(to_offset, size);
    const char* source = from.part(from_offset, size);
    if (target < source + size && source < target + size) {
        stream.push("memcpy_device_to_device_async", [=] { std::memmove(target, source, size); });
    } else {
        stream.push("memcpy_device_to_device_async", [=] { copy_large(target, source, size); });
    }
}

void set_bytes(const Memory& to, std::size_t offset, unsigned char value, std::size_t size, const Stream& stream) {
    char* target = to.part(offset, size);
    stream.push("memset_async", [=] {
        parallel_for(static_cast<std::int64_t>(size), copied_at_once, [=](std::int64_t begin, std::int64_t end) {
            std::memset(target + begin, value, static_cast<std::size_t>(end - begin));
        });
    });
}

}  // namespace cpu
