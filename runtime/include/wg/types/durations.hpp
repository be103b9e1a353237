// Durations: std::chrono's, which Python has in microseconds.
// Static: the same for all packages. Included by generated C++ only, of specs with such a type.
#ifndef WG_TYPES_DURATIONS_HPP
#define WG_TYPES_DURATIONS_HPP

#include <chrono>
#include <cmath>
#include <limits>
#include <ratio>

#include "wg/conversion/containers.hpp"
#include "wg/wire/wire.hpp"

namespace wg {

template <class T>
struct is_duration : std::false_type {};
template <class R, class P>
struct is_duration<std::chrono::duration<R, P>> : std::true_type {};

template <class T>
struct is_time_point : std::false_type {};
template <class C, class D>
struct is_time_point<std::chrono::time_point<C, D>> : std::true_type {};

/// A duration in other units: rounded to the nearest, and checked.
template <class To, class R, class P>
To duration_as(const std::chrono::duration<R, P> &value) {
    using Rep = typename To::rep;
    using Factor = std::ratio_divide<P, typename To::period>;
    const auto refuse = [] { throw Own<std::overflow_error>("the duration does not fit the type that it is converted to"); };
    if constexpr (std::is_floating_point_v<Rep>) {
        return To(static_cast<Rep>(static_cast<Rep>(value.count()) * Factor::num / Factor::den));
    } else if constexpr (std::is_floating_point_v<R>) {
        const auto rounded = std::round(static_cast<long double>(value.count()) * Factor::num / Factor::den);
        constexpr auto most = static_cast<long double>(std::numeric_limits<Rep>::max());
        if (!(rounded >= static_cast<long double>(std::numeric_limits<Rep>::min()) && rounded <= most)) refuse();
        return To(static_cast<Rep>(rounded));
    } else {
        static_assert(Factor::num == 1 || Factor::den == 1, "wrapper-gen: units of which none is a multiple of the other");
        if (!fits<i64>(value.count())) refuse();
        const auto count = static_cast<i64>(value.count());
        const i64 rest = count % Factor::den, half = (Factor::den + 1) / 2;
        const i64 whole = count / Factor::den + (Factor::den == 1 ? 0 : rest >= half ? 1 : rest <= -half ? -1 : 0);
        if (whole > std::numeric_limits<i64>::max() / Factor::num || whole < std::numeric_limits<i64>::min() / Factor::num) refuse();
        if (!fits<Rep>(whole * Factor::num)) refuse();
        return To(static_cast<Rep>(whole * Factor::num));
    }
}

/// A duration as Python has it. It converts to whatever duration C++ wants.
struct Duration : std::chrono::microseconds {
    Duration() : std::chrono::microseconds(0) {}
    Duration(std::chrono::microseconds value) : std::chrono::microseconds(value) {}

    template <class R, class P>
    operator std::chrono::duration<R, P>() const {
        return duration_as<std::chrono::duration<R, P>>(static_cast<const std::chrono::microseconds &>(*this));
    }
};

namespace types {

struct Duration {
    using Value = wg::Duration;
};

}  // namespace types

namespace sorts {
struct Duration {};
}  // namespace sorts

template <class T>
struct SortOf<T, std::enable_if_t<is_duration<T>::value || std::is_same_v<T, Duration>>> {
    using type = sorts::Duration;
};

template <>
struct KeyBytes<types::Duration> {
    static void append(std::string &out, const Duration &key) {
        const i64 count = key.count();
        append_raw(out, &count, sizeof(count));
    }
};

template <>
struct Convert<Duration> {
    template <class From>
    static Duration from(const From &value) {
        if constexpr (std::is_same_v<From, Duration>) {
            return value;
        } else if constexpr (is_time_point<From>::value) {
            static_assert(!is_time_point<From>::value, "wrapper-gen: the result is a std::chrono::time_point, and a duration is declared; say how long after its "
                                                       "clock's epoch it is: value.time_since_epoch(), in `result` of a call, or in `get`");
            return Duration();
        } else {
            static_assert(is_duration<From>::value, "wrapper-gen: the result is no std::chrono::duration; make it one in the spec, "
                                                    "so that its unit is plain");
            return duration_as<std::chrono::microseconds>(value);
        }
    }
};

/// Microseconds on the wire.
template <>
struct Wire<types::Duration> {
    template <class Each>
    static void write(WireOut &out, std::size_t count, Each &&each) {
        WireNumber<i64, i64>::write(out, count, [&each](auto &&use) {
            each([&use](const Duration &value) { use(static_cast<i64>(value.count())); });
        });
    }
    template <class Each>
    static void read(WireIn &in, std::size_t count, Each &&each) {
        WireNumber<i64, i64>::read(in, count, [&each](auto &&use) {
            each([&use](Duration &out) {
                i64 microseconds = 0;
                use(microseconds);
                out = Duration(std::chrono::microseconds(microseconds));
            });
        });
    }
};

}  // namespace wg

#endif  // WG_TYPES_DURATIONS_HPP
