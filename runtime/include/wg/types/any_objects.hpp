// Objects of Python of which nothing is known: C++ keeps them alive, and gives them back.
// Static: the same for all packages. Included by generated C++ only, of specs with such a type.
#ifndef WG_TYPES_ANY_OBJECTS_HPP
#define WG_TYPES_ANY_OBJECTS_HPP

#include <cstdint>
#include <functional>
#include <memory>

#include "wg/conversion/containers.hpp"
#include "wg/ownership/kept_memory.hpp"
#include "wg/wire/wire.hpp"

namespace wg {

/// An object of Python, kept alive by all copies together. C++ can pass it on, and tell whether two are one object. What C++ has made
/// of nothing is None in Python.
class Object {
public:
    Object() = default;
    explicit Object(std::shared_ptr<void> held) : held_(std::move(held)) {}

    explicit operator bool() const { return held_ != nullptr; }
    void *get() const { return held_.get(); }
    friend bool operator==(const Object &a, const Object &b) { return a.get() == b.get(); }
    friend bool operator!=(const Object &a, const Object &b) { return a.get() != b.get(); }
    friend bool operator<(const Object &a, const Object &b) { return std::less<void *>()(a.get(), b.get()); }

private:
    std::shared_ptr<void> held_;
};

namespace types {
struct AnyObject {
    using Value = Object;
};
}  // namespace types

template <class D>
struct OutTypes;
template <>
struct OutTypes<types::AnyObject> {
    using type = Types<Object>;
};

namespace sorts {
struct AnyObject {};
}  // namespace sorts
template <>
struct SortOf<Object> {
    using type = sorts::AnyObject;
};

template <>
struct Convert<Object> {
    template <class From>
    static Object from(From &&value) {
        static_assert(std::is_convertible_v<From, Object>, "wrapper-gen: the result is no object of Python, which is a wg::Object in C++");
        if constexpr (std::is_convertible_v<From, Object>) return std::forward<From>(value);
        else return {};
    }
};

/// By its number, as the caller has it.
template <>
struct Wire<types::AnyObject> {
    template <class Each>
    static void write(WireOut &out, std::size_t count, Each &&each) {
        char *at = out.room(count * sizeof(u64));
        each([&](const Object &value) {
            const u64 number = static_cast<u64>(reinterpret_cast<std::uintptr_t>(value.get()));
            if (number != 0) out.own(hold(number), &release);  // until the caller has it
            std::memcpy(at, &number, sizeof(number));
            at += sizeof(number);
        });
    }
    template <class Each>
    static void read(WireIn &in, std::size_t count, Each &&each) {
        const char *at = in.run(count, sizeof(u64));
        each([&at](Object &out) {
            u64 number = 0;
            std::memcpy(&number, at, sizeof(number));
            at += sizeof(number);
            out = number == 0 ? Object() : Object(std::shared_ptr<void>(hold(number), &release));
        });
    }

private:
    static void *hold(u64 number) {
        const MemoryOpen open;
        const bool is_held = !open || memory_functions().hold == nullptr || memory_functions().hold(static_cast<std::size_t>(number)) == 0;
        if (!is_held) throw Own<std::runtime_error>("the object cannot be held");  // Python raises what came meanwhile
        return reinterpret_cast<void *>(static_cast<std::uintptr_t>(number));
    }
    static void release(void *number) noexcept {
        const MemoryOpen open;
        if (open && memory_functions().release != nullptr) memory_functions().release(reinterpret_cast<std::uintptr_t>(number));
    }
};

}  // namespace wg

template <>
struct std::hash<wg::Object> {
    std::size_t operator()(const wg::Object &value) const noexcept { return std::hash<void *>()(value.get()); }
};

#endif  // WG_TYPES_ANY_OBJECTS_HPP
