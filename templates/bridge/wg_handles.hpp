// Handles: cells that count who needs them, and what a call holds on to while it runs.
// Static: the same for all packages. Included by generated C++ only.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "wg_calls.hpp"

namespace wg {

/// Counts who needs a handle: its owner, each call that is using it, each handle that it is kept alive for.
struct CellBase {
    static constexpr i32 taken = INT32_MIN / 2;

    std::atomic<i32> users{1};
    std::vector<CellBase *> kept;  // released after this one
    CellBase *next = nullptr;      // while waiting to be destroyed

    CellBase() = default;
    CellBase(const CellBase &) = delete;
    CellBase &operator=(const CellBase &) = delete;
    virtual ~CellBase() = default;

    bool acquire() noexcept {
        if (users.fetch_add(1, std::memory_order_relaxed) > 0) return true;
        users.fetch_sub(1, std::memory_order_relaxed);
        return false;
    }
};

/// One user less; the last one destroys the cell and lets go of what it kept. Iterative: chains may be long.
inline void release(CellBase *cell) noexcept {
    CellBase *doomed = nullptr;
    const auto let_go = [&doomed](CellBase *c) {
        if (c->users.fetch_sub(1, std::memory_order_acq_rel) == 1) {
            c->next = doomed;
            doomed = c;
        }
    };
    let_go(cell);
    while (doomed != nullptr) {
        CellBase *current = doomed;
        doomed = current->next;
        const std::vector<CellBase *> kept = std::move(current->kept);
        delete current;
        for (CellBase *c : kept) let_go(c);
    }
}

/// A null pointer stands for no resource: the library's own function to release one may not accept it.
template <class H>
bool has_resource(const H &handle) {
    if constexpr (is_pointer_like<std::remove_cv_t<decltype(H::inner)>>::value)
        return static_cast<bool>(handle.inner);
    else
        return true;
}

/// Holds one handle struct. `Drop` is what releasing it does, unless a call took the value.
template <class H, void (*Drop)(H &)>
struct Cell : CellBase {
    using Struct = H;

    union {
        H value;
    };

    template <class Make>
    explicit Cell(Make &&make) : value(make()) {}

    ~Cell() override {
        if (users.load(std::memory_order_relaxed) < 0) return;
        try {
            Drop(value);
        } catch (...) {  // releasing has nobody to tell
        }
        value.~H();
    }
};

/// What an exported drop function does.
inline void drop(CellBase *cell) noexcept {
    if (cell == nullptr) return;
    if (cell->users.load(std::memory_order_relaxed) < 0)
        delete cell;
    else
        release(cell);
}

/// Whether a call took the value out of this cell.
inline bool is_taken(const void *cell) {
    return cell != nullptr && static_cast<const CellBase *>(cell)->users.load(std::memory_order_acquire) < 0;
}

[[noreturn]] inline void fail_closed(const std::string &name, const char *kind) {
    throw Closed(name + ": this " + kind + " is closed");
}

/// Keeps a handle alive and usable for one call.
template <class C>
class Pin {
public:
    Pin(C *cell, const char *name, const char *kind = "handle") : cell_(cell) {
        if (cell == nullptr || !cell->acquire()) fail_closed(name, kind);
    }
    Pin(const Pin &) = delete;
    Pin &operator=(const Pin &) = delete;
    ~Pin() { release(cell_); }

    typename C::Struct &operator*() const { return cell_->value; }

private:
    C *cell_;
};

/// The same for a handle that may be null.
template <class C>
class OptionalPin {
public:
    OptionalPin(C *cell, const char *name, const char *kind = "handle") : cell_(cell) {
        if (cell != nullptr && !cell->acquire()) fail_closed(name, kind);
    }
    OptionalPin(const OptionalPin &) = delete;
    OptionalPin &operator=(const OptionalPin &) = delete;
    ~OptionalPin() {
        if (cell_ != nullptr) release(cell_);
    }

    typename C::Struct *pointer() const { return cell_ == nullptr ? nullptr : &cell_->value; }

private:
    C *cell_;
};

/// A list of handles, as the spec's code wants it: the structs, or what they hold.
template <class H>
class Handles {
public:
    void reserve(std::size_t size) { handles_.reserve(size); }
    void push_back(H *handle) { handles_.push_back(handle); }

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
            if (cells[i] == nullptr || !cells[i]->acquire()) {
                release_all();
                fail_closed(std::string(name) + "[" + std::to_string(i) + "]", kind);
            }
            cells_.push_back(cells[i]);
            handles_.push_back(&cells[i]->value);
        }
    }
    Pins(const Pins &) = delete;
    Pins &operator=(const Pins &) = delete;
    ~Pins() { release_all(); }

    const Handles<typename C::Struct> &handles() const { return handles_; }

private:
    void release_all() noexcept {
        for (C *cell : cells_) release(cell);
    }
    std::vector<C *> cells_;
    Handles<typename C::Struct> handles_;
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

private:
    H &value_;
    bool is_consumed_ = false;
};

/// Takes a handle, which nobody else may be using, out of its cell. A call that fails before that gives it back.
template <class C>
class Take : public Taken<typename C::Struct> {
public:
    Take(C *cell, const char *name, const char *kind = "handle") : Taken<Struct>(claim(cell, name, kind)), cell_(cell) {}
    Take(const Take &) = delete;
    Take &operator=(const Take &) = delete;
    ~Take() {
        if (this->is_consumed()) {
            cell_->value.~Struct();
            for (CellBase *kept : cell_->kept) release(kept);
            cell_->kept.clear();
        } else {
            cell_->users.fetch_add(1 - CellBase::taken, std::memory_order_acq_rel);
        }
    }

    /// A result may hold what was taken: it needs what that was keeping alive.
    const std::vector<CellBase *> &kept() const { return cell_->kept; }

private:
    using Struct = typename C::Struct;

    static Struct &claim(C *cell, const char *name, const char *kind) {
        if (cell == nullptr) fail_closed(name, kind);
        i32 only_owner = 1;
        if (!cell->users.compare_exchange_strong(only_owner, CellBase::taken, std::memory_order_acq_rel)) {
            if (only_owner < 0) fail_closed(name, "handle");  // the call takes it twice
            throw Own<std::invalid_argument>(std::string(name) + ": this handle is in use, or kept alive for another one");
        }
        return cell->value;
    }
    C *cell_;
};

/// What the handles of a result keep alive. The call that makes them holds on to it meanwhile.
class Owners {
public:
    Owners &add(CellBase *cell) {
        if (cell != nullptr) cells_.push_back(cell);
        return *this;
    }
    Owners &add(const std::vector<CellBase *> &cells) {
        cells_.insert(cells_.end(), cells.begin(), cells.end());
        return *this;
    }
    template <class C>
    Owners &add(C *const *cells, std::size_t size) {
        cells_.insert(cells_.end(), cells, cells + size);
        return *this;
    }

    /// Lets `cell` keep all of them alive.
    void attach_to(CellBase &cell) const {
        cell.kept.reserve(cell.kept.size() + cells_.size());
        for (CellBase *owner : cells_)
            if (owner->acquire()) cell.kept.push_back(owner);
    }

private:
    std::vector<CellBase *> cells_;
};

struct Release {
    void operator()(CellBase *cell) const noexcept { release(cell); }
};

/// Lets `cell` keep others alive; passes `cell` on, which may be null.
template <class C>
C *keep_alive(C *cell, const Owners &owners) {
    std::unique_ptr<C, Release> made(cell);
    if (cell != nullptr) owners.attach_to(*cell);
    return made.release();
}

/// An optional handle's inner value, for code that wants an optional, or the value itself with a null default.
template <class Inner>
struct MaybeInner : std::optional<Inner> {
    using std::optional<Inner>::optional;
    operator Inner() const { return this->has_value() ? **this : Inner{}; }
};

template <class H>
MaybeInner<std::remove_cv_t<decltype(H::inner)>> maybe_inner(H *handle) {
    if (handle == nullptr) return {};
    return {handle->inner};
}

template <class H>
std::optional<H> maybe_struct(H *handle) {
    if (handle == nullptr) return std::nullopt;
    return *handle;
}

}  // namespace wg
