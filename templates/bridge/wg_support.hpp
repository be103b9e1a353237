// What every bridge is made of: number names, failures, handles in cells, conversions of results.
// Static: the same for all packages. Included by generated C++ only.
#pragma once

#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace wg {

// --- numbers: the spec's names, as C++ types ----------------------------------------------------

inline namespace numbers {
using i8 = std::int8_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;
using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using usize = std::size_t;
using f32 = float;
using f64 = double;
}  // namespace numbers

// --- failures -----------------------------------------------------------------------------------

/// What kind of failure a call ended in. From `declared` on, an index into the exceptions that the spec declares.
enum class Kind : i32 {
    none = 0,
    closed = 1,
    memory = 2,
    value = 3,
    index = 4,
    overflow = 5,
    other = 6,
    unavailable = 7,
    not_implemented = 8,
    misfit = 9,
    declared = 100,
};

/// The last failure of this thread.
struct Failure {
    i32 kind = 0;
    i64 code = 0;
    std::string message;
    std::string name;
};

inline Failure &failure() {
    static thread_local Failure last;
    return last;
}

/// A handle that was closed or taken, or null where one is needed.
struct Closed : std::logic_error {
    using std::logic_error::logic_error;
};

/// The library, or a function of it, is not there.
struct Unavailable : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The spec gives no implementation.
struct NotImplemented : std::logic_error {
    using std::logic_error::logic_error;
};

/// An argument that is of no use, whatever its value: Python's TypeError.
struct Misfit : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

/// A status or an exception that the spec declares under `errors:`.
struct Declared : std::runtime_error {
    i32 kind;
    i64 code;
    std::string name;

    Declared(i32 index, i64 code_, const std::string &message, std::string name_)
        : std::runtime_error(message), kind(static_cast<i32>(Kind::declared) + index), code(code_), name(std::move(name_)) {}
};

inline void record(i32 kind, i64 code, const char *message, const char *name) noexcept {
    Failure &last = failure();
    try {
        last.message = message;
        last.name = name;
        last.kind = kind;
        last.code = code;
    } catch (...) {  // no memory left to say more
        last.message.clear();
        last.name.clear();
        last.kind = static_cast<i32>(Kind::memory);
        last.code = 0;
    }
}

inline Kind kind_of(const std::exception &e) noexcept {
    if (dynamic_cast<const std::bad_alloc *>(&e) != nullptr || dynamic_cast<const std::length_error *>(&e) != nullptr)
        return Kind::memory;
    if (dynamic_cast<const Closed *>(&e) != nullptr) return Kind::closed;
    if (dynamic_cast<const Unavailable *>(&e) != nullptr) return Kind::unavailable;
    if (dynamic_cast<const NotImplemented *>(&e) != nullptr) return Kind::not_implemented;
    if (dynamic_cast<const Misfit *>(&e) != nullptr) return Kind::misfit;
    if (dynamic_cast<const std::invalid_argument *>(&e) != nullptr || dynamic_cast<const std::domain_error *>(&e) != nullptr)
        return Kind::value;
    if (dynamic_cast<const std::out_of_range *>(&e) != nullptr) return Kind::index;
    if (dynamic_cast<const std::overflow_error *>(&e) != nullptr) return Kind::overflow;
    return Kind::other;
}

inline void record(const std::exception &e) noexcept {
    if (const auto *declared = dynamic_cast<const Declared *>(&e))
        record(declared->kind, declared->code, e.what(), declared->name.c_str());
    else
        record(static_cast<i32>(kind_of(e)), 0, e.what(), "");
}

inline void record_unknown() noexcept {
    record(static_cast<i32>(Kind::other), 0, "a C++ exception that is no std::exception", "");
}

// --- cells: where handles live ------------------------------------------------------------------

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

/// A null pointer stands for no resource: the library's own function to release one may not bear it.
template <class H>
bool has_resource(const H &handle) {
    if constexpr (std::is_pointer_v<decltype(H::inner)>)
        return handle.inner != nullptr;
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

[[noreturn]] inline void fail_closed(const char *name) {
    throw Closed(std::string(name) + ": this handle is closed");
}

/// Keeps a handle alive and usable for one call.
template <class C>
class Pin {
public:
    Pin(C *cell, const char *name) : cell_(cell) {
        if (cell == nullptr || !cell->acquire()) fail_closed(name);
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
    OptionalPin(C *cell, const char *name) : cell_(cell) {
        if (cell != nullptr && !cell->acquire()) fail_closed(name);
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
    Pins(C *const *cells, std::size_t size, const char *name) {
        cells_.reserve(size);
        handles_.reserve(size);
        for (std::size_t i = 0; i < size; ++i) {
            if (cells[i] == nullptr || !cells[i]->acquire()) {
                release_all();
                fail_closed(name);
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
    Take(C *cell, const char *name) : Taken<Struct>(claim(cell, name)), cell_(cell) {}
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

    /// A result may hold what was taken: it needs what that was keeping alive. Passes the result on.
    template <class R>
    R *pass_on(R *result) const {
        if (result == nullptr) return result;
        try {
            result->kept.reserve(result->kept.size() + cell_->kept.size());
        } catch (...) {
            release(result);
            throw;
        }
        for (CellBase *kept : cell_->kept)
            if (kept->acquire()) result->kept.push_back(kept);
        return result;
    }

private:
    using Struct = typename C::Struct;

    static Struct &claim(C *cell, const char *name) {
        if (cell == nullptr) fail_closed(name);
        i32 only_owner = 1;
        if (!cell->users.compare_exchange_strong(only_owner, CellBase::taken, std::memory_order_acq_rel)) {
            if (only_owner < 0) fail_closed(name);
            throw std::invalid_argument(std::string(name) + ": this handle is in use, or kept alive for another one");
        }
        return cell->value;
    }
    C *cell_;
};

/// Lets `cell` keep `others` alive; passes `cell` on.
template <class C>
C *keep_alive(C *cell, std::initializer_list<CellBase *> others) {
    if (cell == nullptr) return cell;
    try {
        cell->kept.reserve(others.size());
    } catch (...) {
        release(cell);
        throw;
    }
    for (CellBase *other : others)
        if (other != nullptr && other->acquire()) cell->kept.push_back(other);
    return cell;
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

// --- parameters ---------------------------------------------------------------------------------

/// The caller's own memory: a pointer and a count of elements.
template <class T>
class Span {
public:
    using element_type = T;
    using value_type = std::remove_cv_t<T>;
    using iterator = T *;

    Span(T *data, std::size_t size) : data_(data), size_(size) {
        if (size != 0 && reinterpret_cast<std::uintptr_t>(data) % alignof(T) != 0)
            throw Misfit("the memory does not start at a multiple of its elements' size");
    }

    T *data() const { return data_; }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    std::size_t size_bytes() const { return size_ * sizeof(T); }
    T *begin() const { return data_; }
    T *end() const { return data_ + size_; }
    T &operator[](std::size_t i) const { return data_[i]; }

private:
    T *data_;
    std::size_t size_;
};

/// A double as a float; too large is an error, not infinity.
inline float narrow(double value) {
    const float narrowed = static_cast<float>(value);
    if (std::isinf(narrowed) && !std::isinf(value)) throw std::overflow_error("the number is too large for f32");
    return narrowed;
}

template <class T, class C>
std::vector<T> values(const C *data, std::size_t size) {
    std::vector<T> out;
    out.reserve(size);
    for (std::size_t i = 0; i < size; ++i) {
        if constexpr (std::is_same_v<T, float> && std::is_same_v<C, double>)
            out.push_back(narrow(data[i]));
        else
            out.push_back(data[i]);
    }
    return out;
}

inline std::vector<std::string> texts(const char *data, const std::size_t *sizes, std::size_t size) {
    std::vector<std::string> out;
    out.reserve(size);
    for (std::size_t i = 0; i < size; data += sizes[i], ++i) out.emplace_back(data, sizes[i]);
    return out;
}

// --- calls --------------------------------------------------------------------------------------

/// What a C function can take for one of our arguments.
inline const char *c_argument(const std::string &text) { return text.c_str(); }
inline const char *c_argument(std::string_view bytes) { return bytes.data(); }
template <class T>
T *c_argument(Span<T> span) {
    return span.data();
}
template <class T>
T &&c_argument(T &&other) {
    return static_cast<T &&>(other);
}
inline const char *c_argument(std::string &text) { return text.c_str(); }

/// A function called with our arguments as they are, where it takes them so, else as C takes them.
template <class Direct, class AsC>
struct NamedFunction {
    Direct direct;
    AsC as_c;

    template <class... A>
    decltype(auto) operator()(A &&...a) const {
        if constexpr (std::is_invocable_v<Direct, A...>)
            return direct(static_cast<A &&>(a)...);
        else
            return as_c(static_cast<A &&>(a)...);
    }
};

template <class Direct, class AsC>
NamedFunction<Direct, AsC> named(Direct direct, AsC as_c) {
    return {direct, as_c};
}

template <class T, class = void>
struct is_pointer_like : std::is_pointer<T> {};
template <class T>
struct is_pointer_like<T, std::void_t<typename T::element_type, decltype(std::declval<T &>().operator->())>> : std::true_type {};

/// The object whose member a method calls: what a pointer-like handle points to, else the handle itself.
template <class T>
decltype(auto) object(T &inner) {
    if constexpr (is_pointer_like<std::remove_cv_t<T>>::value) {
        if (!inner) throw std::invalid_argument("this handle holds a null pointer");
        return (*inner);
    } else {
        return (inner);
    }
}

/// A function by its name, which may be a macro's: hence the written out arguments, as they are and as C takes them.
#define WG_NAMED(parameters, arguments, c_arguments, ...)                                                          \
    wg::named([] parameters -> decltype(__VA_ARGS__ arguments) { return __VA_ARGS__ arguments; },                  \
              [] parameters -> decltype(auto) { return __VA_ARGS__ c_arguments; })

/// The same for a member of `wg_self`, the first of the parameters.
#define WG_MEMBER(parameters, arguments, c_arguments, ...)                                                         \
    wg::named(                                                                                                     \
        [] parameters -> decltype(wg::object(wg_self).__VA_ARGS__ arguments) {                                     \
            return wg::object(wg_self).__VA_ARGS__ arguments; },                                                   \
        [] parameters -> decltype(auto) { return wg::object(wg_self).__VA_ARGS__ c_arguments; })

// --- results: converted by what they are --------------------------------------------------------

template <class T>
struct always_false : std::false_type {};

template <class T>
constexpr bool is_number_v = std::is_integral_v<T> && !std::is_same_v<T, bool>;

template <class To, class From>
bool fits(From value) {
    if constexpr (std::is_signed_v<From> == std::is_signed_v<To>)
        return value >= std::numeric_limits<To>::min() && value <= std::numeric_limits<To>::max();
    else if constexpr (std::is_signed_v<From>)
        return value >= 0 && static_cast<std::make_unsigned_t<From>>(value) <= std::numeric_limits<To>::max();
    else
        return value <= static_cast<std::make_unsigned_t<To>>(std::numeric_limits<To>::max());
}

/// Turns what a call gave into the declared type `To`. One specialisation a family of types.
template <class To, class = void>
struct Convert;

template <class To, class From>
To convert(From &&value) {
    return Convert<To>::from(std::forward<From>(value));
}

template <>
struct Convert<bool> {
    template <class From>
    static bool from(From &&value) {
        using T = std::decay_t<From>;
        if constexpr (std::is_integral_v<T>) {
            return value != 0;
        } else {
            static_assert(std::is_class_v<T> && std::is_convertible_v<From, bool>,
                          "wrapper-gen: the result is no bool; compare it, so that its meaning is plain");
            return static_cast<bool>(value);
        }
    }
};

template <class To>
struct Convert<To, std::enable_if_t<is_number_v<To>>> {
    template <class From>
    static To from(From &&value) {
        using T = std::decay_t<From>;
        if constexpr (std::is_same_v<T, bool>) {
            return static_cast<To>(value);
        } else if constexpr (std::is_integral_v<T>) {
            if (!fits<To>(value)) throw std::overflow_error("the result does not fit the integer type that the spec declares");
            return static_cast<To>(value);
        } else if constexpr (std::is_enum_v<T>) {
            return from(static_cast<std::underlying_type_t<T>>(value));
        } else {
            static_assert(std::is_class_v<T> && std::is_convertible_v<From, To> && !std::is_convertible_v<From, const void *>,
                          "wrapper-gen: the result is no integer; convert it in the spec if that is meant");
            return static_cast<To>(value);
        }
    }
};

template <class To>
struct Convert<To, std::enable_if_t<std::is_floating_point_v<To>>> {
    template <class From>
    static To from(From &&value) {
        using T = std::decay_t<From>;
        if constexpr (std::is_same_v<To, float> && std::is_same_v<T, double>) {
            return narrow(value);
        } else {
            static_assert(!std::is_same_v<T, bool> && !std::is_enum_v<T> && !std::is_pointer_v<T> &&
                              !std::is_same_v<T, long double> && std::is_convertible_v<From, To>,
                          "wrapper-gen: the result is no floating-point number; convert it in the spec if that is meant");
            return static_cast<To>(value);
        }
    }
};

template <>
struct Convert<std::string> {
    template <class From>
    static std::string from(From &&value) {
        using T = std::decay_t<From>;
        if constexpr (std::is_same_v<T, std::string>) {
            return std::forward<From>(value);
        } else if constexpr (std::is_pointer_v<T> && std::is_convertible_v<T, const char *>) {
            const char *text = value;
            if (text == nullptr) throw std::invalid_argument("the library returned a null string");
            return text;
        } else if constexpr (std::is_convertible_v<From, std::string_view>) {
            return std::string(static_cast<std::string_view>(value));
        } else if constexpr (std::is_convertible_v<From, std::string>) {
            return std::forward<From>(value);
        } else {
            static_assert(sizeof(*value.data()) == 1, "wrapper-gen: the result is neither text nor bytes");
            return std::string(reinterpret_cast<const char *>(value.data()), value.size());
        }
    }
};

template <class To>
struct Convert<To, std::enable_if_t<std::is_enum_v<To>>> {
    template <class From>
    static To from(From &&value) {
        using T = std::decay_t<From>;
        static_assert(std::is_same_v<T, To> || is_number_v<T>, "wrapper-gen: the result is not of the enum's type");
        return static_cast<To>(value);
    }
};

template <class T>
struct is_vector : std::false_type {};
template <class E>
struct is_vector<std::vector<E>> : std::true_type {};

template <class E>
struct Convert<std::vector<E>> {
    template <class From>
    static std::vector<E> from(From &&value) {
        if constexpr (std::is_same_v<std::decay_t<From>, std::vector<E>>) {
            return std::forward<From>(value);
        } else {
            std::vector<E> out;
            for (auto &&element : value) {
                if constexpr (is_vector<From>::value)  // ours alone, elements and all: they may be moved out
                    out.push_back(wg::convert<E>(std::move(element)));
                else
                    out.push_back(wg::convert<E>(std::forward<decltype(element)>(element)));
            }
            return out;
        }
    }
};

template <class T>
struct is_optional : std::false_type {};
template <class T>
struct is_optional<std::optional<T>> : std::true_type {};

template <class E>
struct Convert<std::optional<E>> {
    template <class From>
    static std::optional<E> from(From &&value) {
        using T = std::decay_t<From>;
        if constexpr (std::is_same_v<T, std::nullopt_t> || std::is_same_v<T, std::nullptr_t>) {
            return std::nullopt;
        } else if constexpr (is_optional<T>::value) {
            if (!value) return std::nullopt;
            return wg::convert<E>(*std::forward<From>(value));
        } else if constexpr (is_pointer_like<T>::value) {  // null is none: a C string, a pointer that a handle holds
            if (!value) return std::nullopt;
            return wg::convert<E>(std::forward<From>(value));
        } else {
            return wg::convert<E>(std::forward<From>(value));
        }
    }
};

/// Handle structs: from the struct itself, or from what it holds.
template <class H>
struct Convert<H, std::void_t<decltype(H::inner)>> {
    template <class From>
    static H from(From &&value) {
        if constexpr (std::is_same_v<std::decay_t<From>, H>) {
            return std::forward<From>(value);
        } else {
            static_assert(std::is_convertible_v<From, decltype(H::inner)>,
                          "wrapper-gen: the result is not what the handle type holds");
            return H{std::forward<From>(value)};
        }
    }
};

/// What a `cpp_body` returns: anything that converts to the declared type.
template <class To>
class Returned {
public:
    template <class From, class = std::enable_if_t<!std::is_same_v<std::decay_t<From>, Returned>>>
    Returned(From &&value) : value_(wg::convert<To>(std::forward<From>(value))) {}
    Returned(To &&value) : value_(std::move(value)) {}
    template <class T = To>
    Returned(std::initializer_list<typename T::value_type> values) : value_(values) {}

    To take() { return std::move(value_); }

private:
    To value_;
};

/// What the function of a `cpp_body` has for its result; a type that cannot be moved is made in its place.
template <class To>
using Result = std::conditional_t<std::is_move_constructible_v<To>, Returned<To>, To>;

/// A handle made in place: a type that can be neither copied nor moved is fine, as long as the call returns just that.
template <class H, class Call>
H make(Call &&call) {
    if constexpr (std::is_same_v<decltype(call()), H>)
        return call();
    else if constexpr (std::is_same_v<decltype(call()), decltype(H::inner)>)
        return H{call()};
    else if constexpr (std::is_same_v<decltype(call()), Returned<H>>)
        return call().take();
    else
        return wg::convert<H>(call());
}

/// The status of a call whose spec says `raises:`.
template <class Status, class From>
Status status(From value) {
    static_assert(std::is_same_v<From, Status>, "wrapper-gen: `raises:` names another type than the call returns");
    return value;
}

template <class T>
i64 code_of(const T &value) {
    if constexpr (std::is_enum_v<T> || std::is_integral_v<T>)
        return static_cast<i64>(value);
    else
        return 0;
}

inline std::string describe(const char *text) { return text == nullptr ? std::string() : std::string(text); }
inline std::string describe(std::string text) { return text; }
inline std::string describe(std::string_view text) { return std::string(text); }

// --- results on their way to C ------------------------------------------------------------------

/// A C struct of ours with what it points to; `B` is the package's buffer struct.
template <class B>
struct OwnedBuffer : B {
    OwnedBuffer() : B() {}
    OwnedBuffer(const OwnedBuffer &) = delete;
    OwnedBuffer &operator=(const OwnedBuffer &) = delete;
    virtual ~OwnedBuffer() = default;
};

template <class B, class V>
struct Holding final : OwnedBuffer<B> {
    V values;
    explicit Holding(V &&v) : values(std::move(v)) {
        this->present = true;
        this->data = reinterpret_cast<const char *>(values.data());
        this->size = values.size();
    }
};

template <class B>
struct HoldingTexts final : OwnedBuffer<B> {
    std::string joined;
    std::vector<std::size_t> lengths;
    explicit HoldingTexts(const std::vector<std::string> &texts) {
        for (const std::string &text : texts) {
            joined += text;
            lengths.push_back(text.size());
        }
        this->present = true;
        this->data = joined.data();
        this->size = lengths.size();
        this->sizes = lengths.data();
    }
};

template <class B>
B *buffer(std::string &&value) {
    return new Holding<B, std::string>(std::move(value));
}
template <class B, class T>
B *buffer(std::vector<T> &&value) {
    return new Holding<B, std::vector<T>>(std::move(value));
}
template <class B>
B *buffer(std::vector<bool> &&value) {
    return new Holding<B, std::vector<unsigned char>>(std::vector<unsigned char>(value.begin(), value.end()));
}
template <class B>
B *buffer(std::vector<std::string> &&value) {
    return new HoldingTexts<B>(value);
}

template <class B, class T>
B *optional_buffer(std::optional<T> &&value) {
    if (!value) return new OwnedBuffer<B>();
    if constexpr (std::is_enum_v<T>)
        return buffer<B>(std::vector<i64>{static_cast<i64>(*value)});
    else if constexpr (std::is_arithmetic_v<T>)
        return buffer<B>(std::vector<T>{*value});
    else
        return buffer<B>(std::move(*value));
}

template <class B>
void buffer_free(B *buffer) noexcept {
    delete static_cast<OwnedBuffer<B> *>(buffer);
}

/// A new cell around what `make` returns, constructed in place.
template <class C, class Make>
C *give(Make &&make) {
    return new C(std::forward<Make>(make));
}

template <class C>
C *give_optional(std::optional<typename C::Struct> &&value) {
    if (!value) return nullptr;
    return new C([&value] { return typename C::Struct(std::move(*value)); });
}

template <class C, class B>
B *give_all(std::vector<typename C::Struct> &&values) {
    std::vector<std::unique_ptr<C>> cells;
    for (auto &value : values) cells.push_back(std::make_unique<C>([&value] { return typename C::Struct(std::move(value)); }));
    std::vector<C *> pointers;
    pointers.reserve(cells.size());
    for (auto &cell : cells) pointers.push_back(cell.get());
    B *out = buffer<B>(std::move(pointers));
    for (auto &cell : cells) cell.release();
    return out;
}

}  // namespace wg
