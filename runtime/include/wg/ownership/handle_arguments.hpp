// Handles as arguments of the C ABI: they stay open while the call runs, or it takes them.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_OWNERSHIP_HANDLE_ARGUMENTS_HPP
#define WG_OWNERSHIP_HANDLE_ARGUMENTS_HPP

#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "wg/ownership/handles.hpp"

namespace wg {

[[noreturn]] inline void fail_closed(const std::string &name, const char *kind) {
    throw Closed(name + ": this " + kind + " is closed");
}

/// What is said of a handle that a call would take, after the argument's name.
inline constexpr const char *not_owned_message = ": this handle does not own its object, so no call can take it";

[[noreturn]] inline void fail_other_type(const std::string &name) {
    throw Misfit(name + ": this handle is of another type, which does not extend the one that is wanted");
}

/// Keeps a handle alive and usable for one call.
template <class C>
class Pin {
public:
    Pin(C *cell, const char *name, const char *kind = "handle") : cell_(cell) {
        if (cell == nullptr || !enter(held(cell))) fail_closed(name, kind);
        if (see(cell, seen_)) return;
        leave(held(cell));
        fail_other_type(name);
    }
    Pin(const Pin &) = delete;
    Pin &operator=(const Pin &) = delete;
    ~Pin() {
        seen_.end();
        leave(held(cell_));
    }

    typename C::Struct &operator*() const { return seen_value(cell_, seen_); }

private:
    C *cell_;
    Seen<typename C::Struct> seen_;
};

/// The same for a handle that may be null.
template <class C>
class OptionalPin {
public:
    OptionalPin(C *cell, const char *name, const char *kind = "handle") : cell_(cell) {
        if (cell == nullptr) return;
        if (!enter(held(cell))) fail_closed(name, kind);
        if (see(cell, seen_)) return;
        leave(held(cell));
        fail_other_type(name);
    }
    OptionalPin(const OptionalPin &) = delete;
    OptionalPin &operator=(const OptionalPin &) = delete;
    ~OptionalPin() {
        seen_.end();
        if (cell_ != nullptr) leave(held(cell_));
    }

    typename C::Struct *pointer() const { return cell_ == nullptr ? nullptr : &seen_value(cell_, seen_); }

private:
    C *cell_;
    Seen<typename C::Struct> seen_;
};

/// A list of handles, as the spec's code wants it: the structs, or what they hold.
template <class H>
class Handles {
public:
    void reserve(std::size_t size) { handles_.reserve(size); }
    void push_back(H *handle) { handles_.push_back(handle); }
    std::size_t size() const { return handles_.size(); }

    const std::vector<H *> &pointers() const { return handles_; }
    std::vector<H> structs() const {
        std::vector<H> out;
        out.reserve(handles_.size());
        for (H *handle : handles_) out.push_back(*handle);
        return out;
    }
    std::vector<decltype(H::inner)> inners() const {
        std::vector<decltype(H::inner)> out;
        out.reserve(handles_.size());
        for (H *handle : handles_) out.push_back(handle->inner);
        return out;
    }

private:
    std::vector<H *> handles_;
};

/// Keeps a list of handles alive and usable for one call.
template <class C>
class Pins {
public:
    Pins(C *const *cells, std::size_t size, const char *name, const char *kind = "handle") {
        cells_.reserve(size);
        handles_.reserve(size);
        for (std::size_t i = 0; i < size; ++i) {
            if (cells[i] == nullptr || !enter(held(cells[i]))) {
                release_all();
                fail_closed(std::string(name) + "[" + std::to_string(i) + "]", kind);
            }
            cells_.push_back(cells[i]);
            if (!see(cells[i], seen_.next())) {
                release_all();
                fail_other_type(std::string(name) + "[" + std::to_string(i) + "]");
            }
            handles_.push_back(&seen_value(cells[i], seen_.last()));
        }
    }
    Pins(const Pins &) = delete;
    Pins &operator=(const Pins &) = delete;
    ~Pins() { release_all(); }

    const Handles<typename C::Struct> &handles() const { return handles_; }

private:
    void release_all() noexcept {
        seen_.end();
        for (C *cell : cells_) leave(held(cell));
    }
    std::vector<C *> cells_;
    Handles<typename C::Struct> handles_;
    SeenList<typename C::Struct> seen_;
};

/// A handle that a call takes. It stays where it is until the spec's code is given it, and is consumed from then on.
template <class H>
class Taken {
public:
    explicit Taken(H &value) : value_(value) {}

    H &consume() noexcept {
        is_consumed_ = true;
        return value_;
    }
    bool is_consumed() const { return is_consumed_; }
    /// Of the object of a call: what checks of its arguments look at before it is consumed.
    H &value() const noexcept { return value_; }

    /// The call has failed before the library had it.
    void give_back() noexcept {
        static_assert(std::is_trivially_copyable_v<decltype(H::inner)>,
                      "wrapper-gen: `on_failure: unchanged` is for handles that hold a pointer, or another value of C: any other object is moved into the call");
        is_consumed_ = false;
    }

private:
    H &value_;
    bool is_consumed_ = false;
};

/// Takes a handle, which no other call may be using, out of its cell. If the call fails before that, the handle stays open.
template <class C>
class Take : private Seen<typename C::Struct>, private ValueClaim, public Taken<typename C::Struct> {
public:
    Take(C *cell, const char *name, const char *kind = "handle") : Taken<Struct>(claim(cell, name, kind)), cell_(cell) {}
    Take(const Take &) = delete;
    Take &operator=(const Take &) = delete;
    ~Take() {
        if (this->is_consumed()) {
            if (!this->end_taken(*cell_)) InOwnedCells::end<Struct>(*cell_);
            consume_value();
            release_kept(cell_->kept.exchange(nullptr));
            cell_->OwnedCell::end();
        } else {
            Seen<Struct>::end();
            give_back_value();
        }
    }

    /// A result may hold what was taken: it needs what that was keeping alive.
    const KeptList *kept() const { return cell_->kept; }

private:
    using Struct = typename C::Struct;

    Struct &claim(C *cell, const char *name, const char *kind) {
        if (cell == nullptr) fail_closed(name, kind);
        const Users::Claim claim = claim_value<Struct>(*cell);
        if (claim == Users::Claim::closed) fail_closed(name, "handle");  // the call takes it twice
        if (claim == Users::Claim::in_use)
            throw Own<std::invalid_argument>(std::string(name) + ": this handle is in use, or kept alive for another one");
        if (claim == Users::Claim::not_owned) throw Own<std::invalid_argument>(std::string(name) + not_owned_message);
        if (see(cell, *this)) return seen_value(cell, *this);
        give_back_value();
        fail_other_type(name);
    }
    C *cell_;
};

/// An optional handle's inner value, for code that wants an optional, or the value itself with a null default.
template <class Inner, class = void>
struct MaybeInner : std::optional<Inner> {
    using std::optional<Inner>::optional;
    MaybeInner(Inner &of_handle) : std::optional<Inner>(of_handle), held(&of_handle) {}
    Inner *held = nullptr;  // where it is, of a handle
    operator Inner() const { return this->has_value() ? **this : Inner{}; }
};
/// A pointer converts to pointers, and to no bool.
template <class T>
struct MaybeInner<T *> : std::optional<T *> {
    using std::optional<T *>::optional;
    template <class U, class = std::enable_if_t<std::is_pointer_v<U> && std::is_convertible_v<T *, U>>>
    operator U() const {
        return this->has_value() ? **this : nullptr;
    }
};

/// What cannot be copied stays where it is; code gets its address, or the one that a smart pointer has.
template <class Inner>
struct MaybeInner<Inner, std::enable_if_t<!std::is_copy_constructible_v<Inner>>> {
    MaybeInner() = default;
    MaybeInner(Inner &held) : held_(&held) {}
    bool has_value() const { return held_ != nullptr; }
    explicit operator bool() const { return has_value(); }
    Inner &operator*() const { return *held_; }
    Inner *operator->() const { return held_; }
    template <class U, class = std::enable_if_t<std::is_pointer_v<U> && !std::is_void_v<std::remove_pointer_t<U>> &&
                                                std::is_convertible_v<decltype(&object(std::declval<Inner &>())), U>>>
    operator U() const {
        return has_value() ? &object(*held_) : nullptr;
    }

private:
    Inner *held_ = nullptr;
};

template <class H>
MaybeInner<std::remove_cv_t<decltype(H::inner)>> maybe_inner(H *handle) {
    if (handle == nullptr) return {};
    return {handle->inner};
}

/// What an expression has of a handle that may be missing: the pointer that it holds, or one to the value that it holds; or null.
template <class H>
auto held_or_null(H *handle) {
    using Inner = std::remove_cv_t<decltype(H::inner)>;
    if constexpr (!std::is_constructible_v<Inner, std::nullptr_t> || std::is_aggregate_v<Inner>)  // which C++20 makes of anything
        return handle == nullptr ? nullptr : &handle->inner;
    else if constexpr (std::is_copy_constructible_v<Inner>)
        return handle == nullptr ? Inner(nullptr) : Inner(handle->inner);
    else
        return handle == nullptr ? nullptr : handle->inner.get();
}

template <class H>
std::optional<H> maybe_struct(H *handle) {
    if (handle == nullptr) return std::nullopt;
    return *handle;
}

}  // namespace wg

#endif  // WG_OWNERSHIP_HANDLE_ARGUMENTS_HPP
