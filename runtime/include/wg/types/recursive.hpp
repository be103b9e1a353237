// Types that are a part of themselves, such as a value that is text or a list of values.
// Static: the same for all packages. Included by generated C++ only, of specs with such a type.
#ifndef WG_TYPES_RECURSIVE_HPP
#define WG_TYPES_RECURSIVE_HPP

#include <vector>

#include "wg/types/representations.hpp"
#include "wg/types/structs.hpp"

namespace wg {

/// A value of one. `R::Of` describes what it is made of; with this class around it, that may speak of the type itself.
template <class R>
struct RecursiveValue {
    Value<typename R::Of> of;
};
template <class R>
struct is_recursive<RecursiveValue<R>> : std::true_type {};

namespace types {

template <class R>
struct Recursive {
    using Value = RecursiveValue<R>;
};

}  // namespace types

/// One level deeper into a value, as long as there is one. What is nested further is refused: each level takes some of the stack, in Python too.
template <class T>
class Nested {
public:
    static constexpr int limit = 200;

    Nested() {
        if (++depth() > limit) {
            --depth();
            throw Own<std::invalid_argument>("the library returned a value that is nested deeper than 200 levels");
        }
    }
    Nested(const Nested &) = delete;
    Nested &operator=(const Nested &) = delete;
    ~Nested() { --depth(); }

private:
    static int &depth() {
        static thread_local int levels = 0;
        return levels;
    }
};

/// One level deeper into an argument. Python takes several frames for each level, of which it has 1000.
template <class R>
class Level {
public:
    static constexpr int most = 100;

    Level() : Level(levels() + 1) {}
    explicit Level(int level) : before_(std::exchange(levels(), level)) {}
    Level(const Level &) = delete;
    Level &operator=(const Level &) = delete;
    ~Level() { levels() = before_; }

    bool is_allowed() const { return levels() <= most; }

private:
    static int &levels() {
        static thread_local int count = 0;
        return count;
    }

    int before_;
};

template <class R>
struct Convert<RecursiveValue<R>> {
    template <class From>
    static RecursiveValue<R> from(From &&value) {
        if constexpr (std::is_same_v<std::decay_t<From>, RecursiveValue<R>>) {
            return std::forward<From>(value);
        } else {
            const Nested<RecursiveValue<R>> level;
            return {wg::convert<Value<typename R::Of>>(std::forward<From>(value))};
        }
    }
};

/// A run of them is a run of what they are made of, which has no end but an empty run.
template <class R>
struct Wire<types::Recursive<R>> {
    template <class Each>
    static void write(WireOut &out, std::size_t count, Each &&each) {
        if (count == 0) return;
        std::vector<const RecursiveValue<R> *> all;
        all.reserve(count);
        each([&all](const RecursiveValue<R> &value) { all.push_back(&value); });
        Wire<typename R::Of>::write(out, count, Again<const RecursiveValue<R>>{all});
    }

    template <class Each>
    static void read(WireIn &in, std::size_t count, Each &&each) {
        if (count == 0) return;
        const Level<R> level;
        if (!level.is_allowed()) WireIn::fail();
        std::vector<RecursiveValue<R> *> all;
        all.reserve(count);
        each([&all](RecursiveValue<R> &value) { all.push_back(&value); });
        Wire<typename R::Of>::read(in, count, Again<RecursiveValue<R>>{all});
    }

private:
    /// The same type at every level.
    template <class V>
    struct Again {
        const std::vector<V *> &all;

        template <class Use>
        void operator()(Use &&use) const {
            for (V *each : all) use(each->of);
        }
    };
};

template <class R>
struct IsReadOnce<types::Recursive<R>> : std::true_type {};

template <class R>
struct KeyBytes<types::Recursive<R>> {
    static void append(std::string &out, const RecursiveValue<R> &key) { append_key<typename R::Of>(out, key.of); }
};

}  // namespace wg

#endif  // WG_TYPES_RECURSIVE_HPP
