// Failures: what went wrong in a call, kept for the thread until it is read; and the number names of the spec.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_BASE_FAILURES_HPP
#define WG_BASE_FAILURES_HPP

#if __has_include(<cxxabi.h>)
#include <cxxabi.h>
#endif
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "wg/base/once.hpp"

namespace wg {

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
    exported = 10,
    declared = 100,
};

/// More about a failure, made when it is read: that may take long, and is rare. Empty where there is no more.
using Note = std::function<std::string()>;

/// The attributes of an exception beside these: of the type that the exception's index stands for.
using Attributes = std::shared_ptr<void>;

/// The last failure of this thread.
struct Failure {
    i32 kind = 0;
    std::optional<i64> code;  // none where the library has none
    std::string message;
    std::string name;
    Note note;
    Attributes attributes;
    std::exception_ptr cause;  // what `std::throw_with_nested` nested in it
};

inline Failure &failure() {
    static thread_local Failure last;
    return last;
}

/// A failure of the package's own: classes that the spec declares, such as `std::exception`, are not meant to catch it.
struct Ours {
    virtual const std::exception &exception() const noexcept = 0;

protected:
    ~Ours() = default;
};

template <class E>
struct Own : E, Ours {
    using E::E;
    const std::exception &exception() const noexcept override { return *this; }
};

/// A handle that was closed or taken, or null where one is needed.
/// A null pointer where the spec declares a value: in `__getitem__`, what is not there.
struct Null : Own<std::invalid_argument> {
    using Own::Own;
};

struct Closed : Own<std::logic_error> {
    using Own::Own;
};

/// The library, or a function of it, is not there.
struct Unavailable : Own<std::runtime_error> {
    using Own::Own;
};

/// The spec gives no implementation.
struct NotImplemented : Own<std::logic_error> {
    using Own::Own;
};

/// What ends a thread by unwinding it, as Python does at exit to one that returns from a call: no failure, so passed on.
#if defined(__GLIBCXX__)
using Unwinding = abi::__forced_unwind;
#else
struct Unwinding {};
#endif

/// An argument of the wrong type: Python's TypeError.
struct Misfit : Own<std::invalid_argument> {
    using Own::Own;
};

/// Memory that arrays use, which the call would release: Python's BufferError.
struct Exported : Own<std::logic_error> {
    using Own::Own;
};
inline constexpr const char *memory_in_use = "this call may release memory that is in use by an array";

/// A status or an exception that the spec declares under `errors:`.
struct Declared : Own<std::runtime_error> {
    i32 kind;
    std::optional<i64> code;
    std::string name;
    Note note;
    Attributes attributes;

    Declared(i32 index, std::optional<i64> code_, const std::string &message, std::string name_, Note note_ = nullptr,
             Attributes attributes_ = nullptr)
        : Own(message), kind(static_cast<i32>(Kind::declared) + index), code(code_), name(std::move(name_)),
          note(std::move(note_)), attributes(std::move(attributes_)) {}
};

/// A note on a status, which is made at once: a later call changes what it is made of.
inline Note note_of(std::string text) {
    if (text.empty()) return nullptr;
    return [text = std::move(text)] { return text; };
}

/// The note on what is caught at present: `describe` makes its text of the exception, which lives as long as the note.
template <class E, class Describe>
Note note_on_caught(Describe describe) {
    return [thrown = std::current_exception(), describe]() -> std::string {
        try {
            std::rethrow_exception(thrown);
        } catch (const E &value) {
            return describe(value);
        }
    };
}

/// A note's text; none where it cannot be made.
WG_ONCE std::string text_of(const Note &note) noexcept WG_ELSEWHERE
#if WG_HAS_BODIES
{
    try {
        return note();
    } catch (...) {
        return {};
    }
}
#endif

inline void record(
    i32 kind, std::optional<i64> code, const char *message, const char *name, const Note &note = nullptr,
    const Attributes &attributes = nullptr) noexcept {
    Failure &last = failure();
    last.note = nullptr;
    last.attributes = attributes;
    last.cause = nullptr;
    try {
        last.message = message;
        last.name = name;
        last.note = note;
        last.kind = kind;
        last.code = code;
    } catch (...) {  // no memory left to say more
        last.message.clear();
        last.name.clear();
        last.kind = static_cast<i32>(Kind::memory);
        last.code.reset();
    }
}

WG_ONCE Kind kind_of(const std::exception &e) noexcept WG_ELSEWHERE
#if WG_HAS_BODIES
{
    if (dynamic_cast<const std::bad_alloc *>(&e) != nullptr || dynamic_cast<const std::length_error *>(&e) != nullptr)
        return Kind::memory;
    if (dynamic_cast<const Closed *>(&e) != nullptr) return Kind::closed;
    if (dynamic_cast<const Unavailable *>(&e) != nullptr) return Kind::unavailable;
    if (dynamic_cast<const NotImplemented *>(&e) != nullptr) return Kind::not_implemented;
    if (dynamic_cast<const Misfit *>(&e) != nullptr) return Kind::misfit;
    if (dynamic_cast<const Exported *>(&e) != nullptr) return Kind::exported;
    if (dynamic_cast<const std::invalid_argument *>(&e) != nullptr || dynamic_cast<const std::domain_error *>(&e) != nullptr)
        return Kind::value;
    if (dynamic_cast<const std::out_of_range *>(&e) != nullptr) return Kind::index;
    if (dynamic_cast<const std::overflow_error *>(&e) != nullptr) return Kind::overflow;
    return Kind::other;
}
#endif

namespace hidden {  // from argument-dependent lookup: a library may have a function of this name
/// What is nested in an exception that is being handled; null where nothing is.
template <class E>
std::exception_ptr nested_in(const E &thrown) noexcept {
    if constexpr (std::is_polymorphic_v<E>) {
        const auto *nested = dynamic_cast<const std::nested_exception *>(std::addressof(thrown));
        return nested == nullptr ? nullptr : nested->nested_ptr();
    } else {
        try {
            throw;
        } catch (const std::nested_exception &nested) {
            return nested.nested_ptr();
        } catch (...) {
            return nullptr;
        }
    }
}
}  // namespace hidden
using namespace hidden;

WG_ONCE void record(const std::exception &e) noexcept WG_ELSEWHERE
#if WG_HAS_BODIES
{
    if (typeid(e) == typeid(std::runtime_error)) {  // the most common one: to ask for all the others takes longer than the rest
        record(static_cast<i32>(Kind::other), std::nullopt, e.what(), "");
    } else if (const auto *declared = dynamic_cast<const Declared *>(&e)) {
        record(declared->kind, declared->code, e.what(), declared->name.c_str(), declared->note, declared->attributes);
        failure().cause = nested_in(e);
    } else {
        record(static_cast<i32>(kind_of(e)), std::nullopt, e.what(), "");
        failure().cause = nested_in(e);
    }
}
#endif

inline void record_unknown() noexcept {
    record(static_cast<i32>(Kind::other), std::nullopt, "a C++ exception that is no std::exception", "");
    struct Any {};
    if (std::current_exception() != nullptr) failure().cause = nested_in(Any());
}

/// How many exceptions that caused one another are shown.
inline constexpr int most_causes = 100;

// --- exceptions that the spec declares ----------------------------------------------------------

/// A class of exceptions, and what keeps one as this thread's failure.
template <class E>
struct Caught {
    using Class = E;
    void (*keep)(const E &) noexcept;
};

/// 1 where one class derives from another.
template <class One, class Other>
constexpr std::int64_t derives = std::is_base_of_v<Other, One> && !std::is_same_v<One, Other> ? 1 : 0;

/// The places of these classes in the spec, bases before what derives from them; of others the later first.
template <class... E>
constexpr std::array<std::size_t, sizeof...(E)> bases_first() {
    constexpr std::size_t count = sizeof...(E);
    constexpr auto bases_of = [](auto derived) {
        using D = typename decltype(derived)::Class;
        return (std::size_t{0} + ... + (std::is_base_of_v<E, D> && !std::is_same_v<E, D> ? 1 : 0));
    };
    const std::array<std::size_t, count> bases = {bases_of(Caught<E>{})...};
    std::array<std::size_t, count> order = {};
    for (std::size_t i = 0; i < count; ++i) {
        std::size_t at = 0;
        for (std::size_t j = 0; j < count; ++j) at += bases[j] < bases[i] || (bases[j] == bases[i] && j > i) ? 1 : 0;
        order[at] = i;
    }
    return order;
}

/// Keeps what is thrown now if it is of one of these classes: of the most derived one, wherever it stands in the spec.
template <std::size_t level = 0, class... E>
void keep_caught(const std::tuple<Caught<E>...> &classes) {
    if constexpr (level == sizeof...(E)) {
        try {
            throw;
        } catch (const Ours &own) {
            record(own.exception());
        }
    } else {
        constexpr std::size_t at = bases_first<E...>()[level];
        using Class = std::tuple_element_t<at, std::tuple<E...>>;
        try {
            keep_caught<level + 1>(classes);
        } catch (const Class &value) {
            std::get<at>(classes).keep(value);
            failure().cause = nested_in(value);
        }
    }
}

}  // namespace wg

#endif  // WG_BASE_FAILURES_HPP
