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

/// A duration in other units: rounded to the nearest, and checked. `what` is what messages call it.
template <class To, class R, class P>
To duration_as(const std::chrono::duration<R, P> &value, [[maybe_unused]] const char *what = "the duration") {
    using Rep = typename To::rep;
    using Factor = std::ratio_divide<P, typename To::period>;
    [[maybe_unused]] const auto refuse = [what] { throw Own<std::overflow_error>(std::string(what) + " does not fit the type that it is converted to"); };
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

/// Whether it can be a number of units: no truth value, and no character.
template <class T>
constexpr bool is_count = std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && !std::is_same_v<T, char> && !std::is_same_v<T, wchar_t> &&
                          !std::is_same_v<T, char16_t> && !std::is_same_v<T, char32_t>;

/// A duration of which C++ may have a number, in units of `Period`. It converts to that and to whatever duration C++ wants.
template <class Period>
class DurationIn {
public:
    DurationIn() = default;
    DurationIn(Duration value) : value_(value) {}

    i64 count() const { return static_cast<i64>(*this); }
    operator Duration() const { return value_; }
    template <class R, class P>
    operator std::chrono::duration<R, P>() const {
        return value_;
    }
    // Not of constant ones: std::chrono::seconds(x) would take the number of another unit for seconds.
    template <class N, class = std::enable_if_t<is_count<N>>>
    operator N() {
        return duration_as<std::chrono::duration<N, Period>>(value_).count();
    }
    template <class N, class = std::enable_if_t<is_count<N>>>
    explicit operator N() const {
        return duration_as<std::chrono::duration<N, Period>>(value_).count();
    }

    friend bool operator==(const DurationIn &a, const DurationIn &b) { return a.value_ == b.value_; }
    friend bool operator!=(const DurationIn &a, const DurationIn &b) { return a.value_ != b.value_; }
    friend bool operator<(const DurationIn &a, const DurationIn &b) { return a.value_ < b.value_; }

private:
    Duration value_;
};

namespace types {

struct Duration {
    using Value = wg::Duration;
};
template <class Period>
struct DurationIn {
    using Value = wg::DurationIn<Period>;
};

}  // namespace types

namespace sorts {
struct Duration {};
}  // namespace sorts

template <class T>
struct SortOf<T, std::enable_if_t<is_duration<T>::value || std::is_same_v<T, Duration>>> {
    using type = sorts::Duration;
};
template <class Period>
struct SortOf<DurationIn<Period>> {
    using type = sorts::Duration;
};

/// By descriptor, what a call may write (`wg/calls/out_parameters.hpp`).
template <class D>
struct OutTypes;
template <>
struct OutTypes<types::Duration> {
    using type = Types<std::chrono::nanoseconds, std::chrono::microseconds, std::chrono::milliseconds, std::chrono::seconds, std::chrono::duration<double>>;
};
using Counts = Types<long, long long, int, unsigned long, unsigned long long, unsigned, double>;
template <class Period>
struct OutTypes<types::DurationIn<Period>> {
    using type = Counts;
};

template <>
struct KeyBytes<types::Duration> {
    static void append(std::string &out, const Duration &key) {
        const i64 count = key.count();
        append_raw(out, &count, sizeof(count));
    }
};
template <class Period>
struct KeyBytes<types::DurationIn<Period>> : KeyBytes<types::Duration> {};

template <>
struct Convert<Duration> {
    template <class From>
    static Duration from(const From &value) {
        if constexpr (std::is_same_v<From, Duration>) {
            return value;
        } else if constexpr (is_time_point<From>::value) {
            static_assert(!is_time_point<From>::value, "wrapper-gen: the result is a std::chrono::time_point, and a duration is declared; declare datetime, or say "
                                                       "how long after its clock's epoch it is: value.time_since_epoch(), in `result` of a call, or in `get`");
            return Duration();
        } else if constexpr (is_count<From>) {
            static_assert(!is_count<From>, "wrapper-gen: the result is a number, and nothing says of what; declare the unit, such as duration[ms]");
            return Duration();
        } else {
            static_assert(is_duration<From>::value, "wrapper-gen: the result is no std::chrono::duration; make it one in the spec, "
                                                    "so that its unit is plain");
            return duration_as<std::chrono::microseconds>(value);
        }
    }
};

template <class Period>
struct Convert<DurationIn<Period>> {
    template <class From>
    static DurationIn<Period> from(const From &value) {
        if constexpr (std::is_same_v<From, DurationIn<Period>>)
            return value;
        else if constexpr (is_count<From>)
            return Duration(duration_as<std::chrono::microseconds>(std::chrono::duration<From, Period>(value)));
        else
            return Convert<Duration>::from(value);
    }
};

/// A `V`, which is made of a `From` and converts to one, as microseconds on the wire.
template <class V, class From>
struct WireOfMicroseconds {
    template <class Each>
    static void write(WireOut &out, std::size_t count, Each &&each) {
        WireNumber<i64, i64>::write(out, count, [&each](auto &&use) {
            each([&use](const V &value) { use(static_cast<i64>(static_cast<From>(value).count())); });
        });
    }
    template <class Each>
    static void read(WireIn &in, std::size_t count, Each &&each) {
        WireNumber<i64, i64>::read(in, count, [&each](auto &&use) {
            each([&use](V &out) {
                i64 microseconds = 0;
                use(microseconds);
                out = From(std::chrono::microseconds(microseconds));
            });
        });
    }
};
template <>
struct Wire<types::Duration> : WireOfMicroseconds<Duration, Duration> {};
template <class Period>
struct Wire<types::DurationIn<Period>> : WireOfMicroseconds<DurationIn<Period>, Duration> {};

}  // namespace wg

#endif  // WG_TYPES_DURATIONS_HPP
