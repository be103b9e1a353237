// Every address that the stand-in gave out: what it is, how large, and whether it is still alive.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <shared_mutex>
#include <vector>

namespace standin {

enum class MemoryKind {
    Device,
    Pinned,      // host memory that we allocated
    Registered,  // host memory of the caller's that is treated as pinned
};

enum class BlockState {
    Alive,
    Freeing,  // the release is under way: no new work may use it, what was queued before still does
    Freed,
};

struct Block {
    std::size_t size;
    MemoryKind kind;
    int device;
    BlockState state;
};

// New memory is filled with 0xCD and freed memory with 0xDD, so that reading either gives visible nonsense.
// Freed blocks are kept for a while: their addresses do not come back at once and hide a use after free.
class Memory {
public:
    // Null when the device (or this machine) has not so much left.
    void* allocate(std::size_t size, MemoryKind kind, int device);
    bool register_host(void* start, std::size_t size, int device);  // false when part of it is known already

    // Freeing is two steps, so that what was queued earlier can still run between them.
    bool claim(const void* start, MemoryKind kind);  // false unless `start` is where such a live block begins
    void release(const void* start);
    void release_all(int device);

    std::optional<Block> find(const void* address) const;  // the live block it lies in
    bool is_alive(const void* start, std::size_t size, MemoryKind kind) const;
    bool is_host(const void* start, std::size_t size) const;  // the caller's own, or live pinned memory

    // The work itself. False, with nothing written, when a block behind these addresses has been freed since.
    // `tracked` says that the address was one of ours when the work was queued.
    bool copy(void* to, bool to_tracked, const void* from, bool from_tracked, std::size_t size) const;
    bool fill(void* to, int value, std::size_t size) const;

    // Runs `work` unless a block behind one of these addresses has been freed since; false then.
    template <typename Work>
    bool use(const std::vector<const void*>& addresses, const Work& work) const {
        std::shared_lock<std::shared_mutex> until_it_is_done(running_);
        if (!are_usable(addresses)) return false;
        work();
        return true;
    }

    std::size_t used(int device) const;
    int count(MemoryKind kind) const;

private:
    using Address = std::uintptr_t;
    using Blocks = std::map<Address, Block>;

    mutable std::shared_mutex running_;  // shared while kernels run, exclusive while memory is freed; taken before mutex_
    mutable std::shared_mutex mutex_;    // exclusive while blocks come and go, which kernels do not hold up
    Blocks blocks_;
    std::map<int, std::size_t> used_;
    std::deque<Address> freed_;
    std::size_t freed_bytes_ = 0;

    const Block* containing(const void* start, std::size_t size) const;
    bool is_usable(const void* start, std::size_t size) const;
    bool are_usable(const std::vector<const void*>& addresses) const;
    bool overlaps_block(const void* start, std::size_t size) const;
    void free_block(Blocks::iterator block);
};

}  // namespace standin
