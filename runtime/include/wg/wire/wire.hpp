// Compound values across the C ABI, as one encoded buffer: Wire<D>::write and Wire<D>::read, one specialisation a family.
// Static: the same for all packages. Included by generated C++ only. docs/wire.md describes the encoding.
//
// Every type encodes a run of n values; a single value is a run of one. `each` calls what it is given for every value of a
// run, in order; a family makes of it the `each` of its parts.
#ifndef WG_WIRE_WIRE_HPP
#define WG_WIRE_WIRE_HPP

#include "wg/ownership/handle_arguments.hpp"
#include "wg/conversion/packed_results.hpp"
#include "wg/conversion/results.hpp"
#include "wg/conversion/types.hpp"

namespace wg {

class WireOut {
public:
    /// Each handle that is written keeps `owners` alive.
    explicit WireOut(const Owners &owners) : owners_(owners) {}
    WireOut(const WireOut &) = delete;
    WireOut &operator=(const WireOut &) = delete;
    ~WireOut() {
        for (OwnedCell *cell : cells_) drop(cell);
        for (const auto &[owned, release] : others_) release(owned);
    }

    /// Room for `size` bytes, zeroed up to the next multiple of 8; valid until the next call.
    char *room(std::size_t size) {
        const std::size_t at = bytes_.size();
        bytes_.resize(at + ((size + 7) & ~std::size_t(7)));
        return &bytes_[at];
    }

    template <class C>
    C *own(C *cell) {
        std::unique_ptr<C, Release> held(cell);
        owners_.attach_to(wg::held(cell));
        cells_.push_back(cell);
        return held.release();
    }

    /// What is no handle, until the encoded bytes own it.
    template <class T>
    T *own(T *owned, void (*release)(void *) noexcept) {
        others_.emplace_back(owned, release);
        return owned;
    }

    /// The encoded bytes; who gets them owns the handles in them.
    std::string take() {
        owners_.settle();
        cells_.clear();
        others_.clear();
        return std::move(bytes_);
    }

private:
    const Owners &owners_;
    std::string bytes_;
    std::vector<OwnedCell *> cells_;
    std::vector<std::pair<void *, void (*)(void *) noexcept>> others_;
};

/// Reads what a caller wrote: no size is believed before it is checked.
class WireIn {
public:
    WireIn(const char *data, std::size_t size) : at_(data), left_(size) {}
    WireIn(const WireIn &) = delete;
    WireIn &operator=(const WireIn &) = delete;
    ~WireIn() {
        for (const Held &each : pinned_) leave(each);
    }

    const char *run(std::size_t count, std::size_t size) {
        if (count > left_ / size) fail();
        const std::size_t padded = (size * count + 7) & ~std::size_t(7);
        if (padded > left_) fail();
        left_ -= padded;
        return std::exchange(at_, at_ + padded);
    }

    /// A run of sizes, and their sum: what they count takes a byte each, at least.
    std::pair<const char *, std::size_t> sizes(std::size_t count) {
        const char *first = run(count, sizeof(u64));
        std::size_t total = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t size = size_at(first, i);
            if (size > left_ - total) fail();
            total += size;
        }
        return {first, total};
    }

    static std::size_t size_at(const char *sizes, std::size_t i) {
        u64 size = 0;
        std::memcpy(&size, sizes + i * sizeof(size), sizeof(size));
        return static_cast<std::size_t>(size);
    }

    /// Keeps a handle usable for as long as this lives.
    template <class C>
    typename C::Struct *pin(C *cell) {
        if (cell == nullptr || !enter(held(cell))) fail_closed("an element", "handle");
        pinned_.push_back(held(cell));
        using H = typename C::Struct;
        if constexpr (Family<H>::is_one) {
            auto *view = SeenCell<H>::make();
            pinned_.push_back({view, &SeenCell<H>::own_type});
            if (!see(cell, view->seen)) fail_other_type("an element");
            return &seen_value(cell, view->seen);
        } else {
            return &cell->value;
        }
    }

    const HeldList &pinned() const { return pinned_; }

    void end() const {
        if (left_ != 0) fail();
    }
    [[noreturn]] static void fail() { throw Own<std::invalid_argument>("an encoded value does not have the size that it says"); }

private:
    const char *at_;
    std::size_t left_;
    HeldList pinned_;
};

template <class D>
struct Wire;

/// An argument that crosses encoded: decoded for the time of the call.
template <class D>
class Decoded {
public:
    Decoded(const char *data, std::size_t size) : in_(data, size) {
        Wire<D>::read(in_, 1, [this](auto &&use) { use(value_); });
        in_.end();
    }
    Value<D> &get() { return value_; }
    const HeldList &pinned() const { return in_.pinned(); }

private:
    WireIn in_;
    Value<D> value_{};
};

/// A result that crosses encoded.
template <class D, class B>
B *encoded(Value<D> &&value, const Owners &owners = no_owners) {
    WireOut out(owners);
    Wire<D>::write(out, 1, [&value](auto &&use) { use(value); });
    return buffer<B>(out.take());
}

// --- leaves ---------------------------------------------------------------------------------------

/// Values of a fixed size: `As` is what each is on the wire.
template <class T, class As>
struct WireNumber {
    template <class Each>
    static void write(WireOut &out, std::size_t count, Each &&each) {
        char *at = out.room(count * sizeof(As));
        each([&at](const T &value) {
            const As as = static_cast<As>(value);
            std::memcpy(at, &as, sizeof(as));
            at += sizeof(as);
        });
    }
    template <class Each>
    static void read(WireIn &in, std::size_t count, Each &&each) {
        const char *at = in.run(count, sizeof(As));
        each([&at](auto &&out) {
            As as;
            std::memcpy(&as, at, sizeof(as));
            at += sizeof(as);
            if constexpr (std::is_same_v<T, bool>) out = as != 0;
            else out = static_cast<T>(as);
        });
    }
};

template <class T>
struct Wire<types::Number<T>> : WireNumber<T, std::conditional_t<std::is_same_v<T, bool>, u8, T>> {};

template <>
struct Wire<types::Size> : Wire<types::Number<usize>> {};

/// An enum's value is 64 bits wide on the wire, with its sign.
template <class E, class Tag>
struct Wire<types::Enum<E, Tag>> {
    template <class Each>
    static void write(WireOut &out, std::size_t count, Each &&each) {
        WireNumber<i64, i64>::write(out, count, [&each](auto &&use) {
            each([&use](E value) { use(static_cast<i64>(static_cast<Underlying<E>>(value))); });
        });
    }
    template <class Each>
    static void read(WireIn &in, std::size_t count, Each &&each) {
        WireNumber<i64, i64>::read(in, count, [&each](auto &&use) {
            each([&use](E &out) {
                i64 value = 0;
                use(value);
                out = enumerator<E>(value, "an element");
            });
        });
    }
};

template <>
struct Wire<types::Text> {
    template <class Each>
    static void write(WireOut &out, std::size_t count, Each &&each) {
        char *sizes = out.room(count * sizeof(u64));
        std::size_t total = 0;
        each([&](const std::string &value) {
            const u64 size = value.size();
            std::memcpy(sizes, &size, sizeof(size));
            sizes += sizeof(size);
            total += value.size();
        });
        char *at = out.room(total);
        each([&at](const std::string &value) {
            if (!value.empty()) std::memcpy(at, value.data(), value.size());
            at += value.size();
        });
    }
    template <class Each>
    static void read(WireIn &in, std::size_t count, Each &&each) {
        const auto [sizes, total] = in.sizes(count);
        const char *at = in.run(total, 1);
        std::size_t i = 0;
        each([&, all = sizes](std::string &out) {
            const std::size_t size = WireIn::size_at(all, i++);
            out.assign(at, size);
            at += size;
        });
    }
};

template <>
struct Wire<types::Bytes> : Wire<types::Text> {};

template <class H>
struct Wire<types::Handle<H>> {
    template <class Each>
    static void read(WireIn &in, std::size_t count, Each &&each) {
        using C = typename CellOf<H>::type;
        const char *at = in.run(count, sizeof(u64));
        each([&](H *&out) {
            u64 address = 0;
            std::memcpy(&address, at, sizeof(address));
            at += sizeof(address);
            out = in.pin(reinterpret_cast<C *>(static_cast<std::uintptr_t>(address)));
        });
    }
};

template <class H>
struct Wire<types::OwnedHandle<H>> {
    template <class Each>
    static void write(WireOut &out, std::size_t count, Each &&each) {
        using C = typename CellOf<H>::type;
        char *at = out.room(count * sizeof(u64));
        each([&](H &value) {
            const auto address = static_cast<u64>(reinterpret_cast<std::uintptr_t>(
                out.own(cell_for<C>([&value] { return H(std::move(value)); }))));
            std::memcpy(at, &address, sizeof(address));
            at += sizeof(address);
        });
    }
};

}  // namespace wg

#endif  // WG_WIRE_WIRE_HPP
