// Tables of pointers to nodes, each found by a key that is part of the node: what wg/ownership/identities.hpp looks up at each step of an iteration.
// Static: the same for all packages. Included by generated C++ only, where a spec has handle types with `identity`.
#ifndef WG_BASE_POINTER_TABLES_HPP
#define WG_BASE_POINTER_TABLES_HPP

#include <cstddef>
#include <cstdint>
#include <new>

namespace wg {

/// Mixes all bits of an address into the upper ones, which a table counts by.
inline std::uint64_t mixed(const void *address) noexcept {
    return (static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(address)) >> 4) * 0x9E3779B97F4A7C15u;
}

/// Open addressing, at most half full. `Of` has `Key`, `key(const Node &)` and `hash(const Key &)`. Constant-initialised, and never destroyed:
/// objects may be released when the process ends.
template <class Node, class Of>
class PointerTable {
    using Key = typename Of::Key;
    struct Slot {
        std::uint64_t hash = 0;
        Node *node = nullptr;
    };

public:
    /// Where the node with this key is; null where there is none. Valid until the next change.
    Node **find(const Key key) const noexcept {
        if (slots_ == nullptr) return nullptr;
        const std::uint64_t hash = Of::hash(key);
        for (std::size_t i = home(hash);; i = (i + 1) & mask_) {
            Slot &slot = slots_[i];
            if (slot.node == nullptr) return nullptr;
            if (slot.hash == hash && Of::key(*slot.node) == key) return &slot.node;
        }
    }

    /// Makes room for one more.
    void reserve() {
        if (slots_ == nullptr || 2 * (count_ + 1) > mask_ + 1) grow();
    }

    /// There is room, and no node with its key.
    void insert(Node *node) noexcept {
        put({Of::hash(Of::key(*node)), node});
        ++count_;
    }

    /// What `find` has found. Those that come after it move up.
    void erase(Node **found) noexcept {
        std::size_t hole = static_cast<std::size_t>(reinterpret_cast<Slot *>(reinterpret_cast<char *>(found) - offsetof(Slot, node)) - slots_);
        for (std::size_t i = (hole + 1) & mask_; slots_[i].node != nullptr; i = (i + 1) & mask_) {
            if (((i - home(slots_[i].hash)) & mask_) < ((i - hole) & mask_)) continue;
            slots_[hole] = slots_[i];
            hole = i;
        }
        slots_[hole].node = nullptr;
        --count_;
    }

private:
    std::size_t home(std::uint64_t hash) const noexcept { return static_cast<std::size_t>(hash >> shift_); }

    void put(const Slot &slot) noexcept {
        std::size_t i = home(slot.hash);
        while (slots_[i].node != nullptr) i = (i + 1) & mask_;
        slots_[i] = slot;
    }

    [[gnu::noinline]] void grow() {
        const std::size_t before = slots_ == nullptr ? 0 : mask_ + 1, size = before == 0 ? 64 : 2 * before;
        Slot *const old = slots_;
        slots_ = new Slot[size];
        mask_ = size - 1;
        shift_ = old == nullptr ? 64 - 6 : shift_ - 1;
        for (std::size_t i = 0; i < before; ++i)
            if (old[i].node != nullptr) put(old[i]);
        delete[] old;
    }

    Slot *slots_ = nullptr;
    std::size_t mask_ = 0, count_ = 0;
    unsigned shift_ = 0;
};

}  // namespace wg

#endif  // WG_BASE_POINTER_TABLES_HPP
