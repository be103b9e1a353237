#include "memory.hpp"

#include <cstdlib>
#include <cstring>
#include <mutex>

#include "settings.hpp"

namespace standin {
namespace {

constexpr int fresh_byte = 0xCD;
constexpr int freed_byte = 0xDD;
constexpr std::size_t alignment = 256;  // what cudaMalloc promises
constexpr std::size_t freed_bytes_kept = 16 << 20;

using Shared = std::shared_lock<std::shared_mutex>;
using Exclusive = std::unique_lock<std::shared_mutex>;

std::uintptr_t address_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

}  // namespace

void* Memory::allocate(std::size_t size, MemoryKind kind, int device) {
    Exclusive lock(mutex_);
    bool on_device = kind == MemoryKind::Device;
    if (on_device && size > settings().memory - used_[device]) return nullptr;
    void* start = nullptr;
    if (posix_memalign(&start, alignment, size) != 0) return nullptr;
    std::memset(start, fresh_byte, size);
    blocks_[address_of(start)] = {size, kind, device, BlockState::Alive};
    if (on_device) used_[device] += size;
    return start;
}

bool Memory::register_host(void* start, std::size_t size, int device) {
    Exclusive lock(mutex_);
    if (overlaps_block(start, size)) return false;
    blocks_[address_of(start)] = {size, MemoryKind::Registered, device, BlockState::Alive};
    return true;
}

bool Memory::claim(const void* start, MemoryKind kind) {
    Exclusive lock(mutex_);
    auto found = blocks_.find(address_of(start));
    if (found == blocks_.end()) return false;
    Block& block = found->second;
    if (block.kind != kind || block.state != BlockState::Alive) return false;
    block.state = BlockState::Freeing;
    return true;
}

void Memory::release(const void* start) {
    Exclusive nothing_runs(running_);
    Exclusive lock(mutex_);
    auto found = blocks_.find(address_of(start));
    if (found != blocks_.end()) free_block(found);
}

void Memory::release_all(int device) {
    Exclusive nothing_runs(running_);
    Exclusive lock(mutex_);
    for (auto block = blocks_.begin(); block != blocks_.end();) {
        auto next = std::next(block);
        if (block->second.device == device) free_block(block);
        block = next;
    }
}

void Memory::free_block(Blocks::iterator found) {
    auto& [address, block] = *found;
    if (block.state == BlockState::Freed) return;  // cudaDeviceReset was faster
    if (block.kind == MemoryKind::Registered) {
        blocks_.erase(found);
        return;
    }
    if (block.kind == MemoryKind::Device) used_[block.device] -= block.size;
    std::memset(reinterpret_cast<void*>(address), freed_byte, block.size);
    block.state = BlockState::Freed;
    freed_.push_back(address);
    freed_bytes_ += block.size;
    while (freed_bytes_ > freed_bytes_kept) {
        auto oldest = blocks_.find(freed_.front());
        freed_.pop_front();
        freed_bytes_ -= oldest->second.size;
        std::free(reinterpret_cast<void*>(oldest->first));
        blocks_.erase(oldest);
    }
}

std::optional<Block> Memory::find(const void* address) const {
    Shared lock(mutex_);
    const Block* block = containing(address, 1);
    if (block == nullptr || block->state != BlockState::Alive) return std::nullopt;
    return *block;
}

bool Memory::is_alive(const void* start, std::size_t size, MemoryKind kind) const {
    Shared lock(mutex_);
    const Block* block = containing(start, size);
    return block != nullptr && block->kind == kind && block->state == BlockState::Alive;
}

bool Memory::is_host(const void* start, std::size_t size) const {
    Shared lock(mutex_);
    const Block* block = containing(start, size);
    if (block != nullptr) return block->kind != MemoryKind::Device && block->state == BlockState::Alive;
    return !overlaps_block(start, size);
}

bool Memory::copy(void* to, bool to_tracked, const void* from, bool from_tracked, std::size_t size) const {
    Shared lock(mutex_);
    if (to_tracked && !is_usable(to, size)) return false;
    if (from_tracked && !is_usable(from, size)) return false;
    std::memmove(to, from, size);
    return true;
}

bool Memory::fill(void* to, int value, std::size_t size) const {
    Shared lock(mutex_);
    if (!is_usable(to, size)) return false;
    std::memset(to, value, size);
    return true;
}

std::size_t Memory::used(int device) const {
    Shared lock(mutex_);
    auto found = used_.find(device);
    return found == used_.end() ? 0 : found->second;
}

int Memory::count(MemoryKind kind) const {
    Shared lock(mutex_);
    int result = 0;
    for (const auto& [start, block] : blocks_) {
        if (block.kind == kind && block.state != BlockState::Freed) ++result;
    }
    return result;
}

// The block, alive or not, that all of these bytes lie in.
const Block* Memory::containing(const void* start, std::size_t size) const {
    auto after = blocks_.upper_bound(address_of(start));
    if (after == blocks_.begin()) return nullptr;
    const auto& [first, block] = *std::prev(after);
    std::size_t offset = address_of(start) - first;
    return offset <= block.size && size <= block.size - offset ? &block : nullptr;
}

bool Memory::is_usable(const void* start, std::size_t size) const {
    const Block* block = containing(start, size);
    return block != nullptr && block->state != BlockState::Freed;
}

bool Memory::are_usable(const std::vector<const void*>& addresses) const {
    Shared lock(mutex_);
    for (const void* address : addresses) {
        if (!is_usable(address, 1)) return false;
    }
    return true;
}

bool Memory::overlaps_block(const void* start, std::size_t size) const {
    auto next = blocks_.lower_bound(address_of(start));
    if (next != blocks_.end() && next->first - address_of(start) < size) return true;
    if (next == blocks_.begin()) return false;
    const auto& [first, block] = *std::prev(next);
    return address_of(start) - first < block.size;
}

}  // namespace standin
