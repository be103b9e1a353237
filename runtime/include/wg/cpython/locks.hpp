// One call at a time on a handle and on what it was made from, where no GIL sees to that.
// Static: the same for all packages. Included by generated C++ only.
//
// The locks are CPython's critical sections: a thread that waits, runs Python code that others wait for, or enters a blocking
// call releases those that it has, and takes them again before it goes on. Hence no two calls wait for each other, whatever
// handles they have and whatever they call; and what is true of a GIL is true of them, for the handles of one call.
#ifndef WG_CPYTHON_LOCKS_HPP
#define WG_CPYTHON_LOCKS_HPP

#include <algorithm>
#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "wg/base/once.hpp"
#include "wg/cpython/conversion.hpp"

namespace wg::cpython {

inline PyObject *as_python(Cell &cell);

#ifdef Py_GIL_DISABLED

/// Several critical sections at once. A thread that had to wait for one of them has released those before it.
class CriticalSections {
public:
    CriticalSections() = default;
    CriticalSections(const CriticalSections &) = delete;
    CriticalSections &operator=(const CriticalSections &) = delete;
    ~CriticalSections() { end(); }

    /// The objects in one order for all threads, each once.
    void begin(const std::vector<Cell *> &cells) {
        sections_.reset(new PyCriticalSection[cells.size()]);
        do {
            end();
            for (; count_ < cells.size(); ++count_) PyCriticalSection_Begin(&sections_[count_], as_python(*cells[count_]));
        } while (!holds_all());
    }

private:
    void end() {
        while (count_ > 0) PyCriticalSection_End(&sections_[--count_]);
    }

    /// A bit of each section says whether the one before it was released.
    bool holds_all() const {
#if PY_VERSION_HEX < 0x03100000
        for (std::size_t i = 1; i < count_; ++i)
            if ((sections_[i]._cs_prev & 1) != 0) return false;
#endif
        return true;
    }

    std::unique_ptr<PyCriticalSection[]> sections_;
    std::size_t count_ = 0;
};

/// Locks handles of exclusive types for as long as it lives.
class Exclusive {
public:
    /// All handles among the arguments of a call.
    template <class... A>
    explicit Exclusive(const A &...arguments) {
        (arguments.add_to(*this), ...);
        begin();
    }
    /// What a value was made from: to end it is a call, too.
    explicit Exclusive(const KeptList *kept) {
        add(kept);
        begin();
    }
    Exclusive(const Exclusive &) = delete;
    Exclusive &operator=(const Exclusive &) = delete;
    ~Exclusive() {
        if (!many_.empty()) return;
        if (count_ == 2) PyCriticalSection2_End(&two_);
        else if (count_ == 1) PyCriticalSection_End(&one_);
    }

    void add(const Held &held) {
        if (!held.type->is_exclusive) return;
        const KeptList *kept = held.cell->kept;
        if (kept == nullptr || kept->locks.empty()) add(held.cell);
        else add(kept->locks);
    }
    void add(const HeldList &several) {
        for (const Held &each : several) add(each);
    }
    void add(const KeptList *kept) {
        if (kept != nullptr) add(kept->locks);
    }

private:
    void add(const std::vector<Cell *> &cells) {
        for (Cell *cell : cells) {
            add(cell);
            const Held above = owner_of(*cell);  // what owned itself belongs to that now
            if (above.cell != nullptr && above.type->is_exclusive && owns_itself(*above.type)) add(above.cell);
        }
    }
    WG_ONCE void add(Cell *cell) WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        if (count_ > 0 && few_[0] == cell) return;
        if (count_ > 1 && few_[1] == cell) return;
        if (count_ < 2) {
            few_[count_++] = cell;
            return;
        }
        if (many_.empty()) many_.assign(few_, few_ + 2);
        many_.push_back(cell);
    }
#endif

    void begin() {
        if (!many_.empty()) {
            std::sort(many_.begin(), many_.end());
            many_.erase(std::unique(many_.begin(), many_.end()), many_.end());
            sections_.begin(many_);
        } else if (count_ == 2) {
            PyCriticalSection2_Begin(&two_, as_python(*few_[0]), as_python(*few_[1]));
        } else if (count_ == 1) {
            PyCriticalSection_Begin(&one_, as_python(*few_[0]));
        }
    }

    std::size_t count_ = 0;
    Cell *few_[2];
    std::vector<Cell *> many_;  // all of them, where there are more
    CriticalSections sections_;
    union {
        PyCriticalSection one_;
        PyCriticalSection2 two_;
    };
};

/// The same for a method's own handle: most were made from nothing, and are locked without a call of ours.
class ExclusiveOwn {
public:
    template <class H>
    [[gnu::always_inline]] explicit ExclusiveOwn(const H &own) {
        Cell &cell = *own.held().cell;
        const KeptList *kept = cell.kept;
        if (kept != nullptr && !kept->locks.empty()) several_.emplace(own);
        else PyCriticalSection_Begin(&one_, as_python(cell));
    }
    ExclusiveOwn(const ExclusiveOwn &) = delete;
    ExclusiveOwn &operator=(const ExclusiveOwn &) = delete;
    [[gnu::always_inline]] ~ExclusiveOwn() {
        if (!several_) PyCriticalSection_End(&one_);
    }

private:
    std::optional<Exclusive> several_;
    PyCriticalSection one_;
};

#else

struct Exclusive {
    template <class... A>
    explicit Exclusive(const A &...) {}
};
using ExclusiveOwn = Exclusive;

#endif

}  // namespace wg::cpython

#endif  // WG_CPYTHON_LOCKS_HPP
