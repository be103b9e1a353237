// Points in time: those of std::chrono::system_clock, and numbers of seconds since its epoch, which Python has in microseconds.
// Static: the same for all packages. Included by generated C++ only, of specs with such a type.
#ifndef WG_TYPES_DATETIMES_HPP
#define WG_TYPES_DATETIMES_HPP

#include "wg/types/durations.hpp"

namespace wg {

template <class D>
using SystemTime = std::chrono::time_point<std::chrono::system_clock, D>;

template <class T>
struct is_system_time : std::false_type {};
template <class D>
struct is_system_time<SystemTime<D>> : std::true_type {};

/// A point in time as Python has it: within its years 1 to 9999. It converts to whatever time_point of the system's clock C++ wants.
class DateTime {
public:
    static constexpr i64 first = -62135596800000000, last = 253402300799999999;

    DateTime() = default;
    explicit DateTime(std::chrono::microseconds since_epoch) : since_epoch_(since_epoch) {
        if (since_epoch.count() < first || since_epoch.count() > last) throw Own<std::overflow_error>("the point in time is not within the years 1 to 9999 of a datetime");
    }

    std::chrono::microseconds time_since_epoch() const { return since_epoch_; }
    i64 count() const { return static_cast<i64>(since_epoch_.count()); }
    template <class D>
    operator SystemTime<D>() const {
        return SystemTime<D>(in<D>());
    }
    template <class D>
    D in() const {
        return duration_as<D>(since_epoch_, "the point in time");
    }

    friend bool operator==(const DateTime &a, const DateTime &b) { return a.since_epoch_ == b.since_epoch_; }
    friend bool operator!=(const DateTime &a, const DateTime &b) { return a.since_epoch_ != b.since_epoch_; }
    friend bool operator<(const DateTime &a, const DateTime &b) { return a.since_epoch_ < b.since_epoch_; }

private:
    std::chrono::microseconds since_epoch_{0};
};

/// One of which C++ may have a number since the epoch, in units of `Period`.
template <class Period>
class DateTimeIn {
public:
    DateTimeIn() = default;
    DateTimeIn(DateTime value) : value_(value) {}

    i64 count() const { return static_cast<i64>(*this); }
    std::chrono::microseconds time_since_epoch() const { return value_.time_since_epoch(); }
    operator DateTime() const { return value_; }
    template <class D>
    operator SystemTime<D>() const {
        return value_;
    }
    // Not of constant ones: std::chrono::seconds(x) would take the number of another unit for seconds.
    template <class N, class = std::enable_if_t<is_count<N>>>
    operator N() {
        return value_.template in<std::chrono::duration<N, Period>>().count();
    }
    template <class N, class = std::enable_if_t<is_count<N>>>
    explicit operator N() const {
        return value_.template in<std::chrono::duration<N, Period>>().count();
    }

    friend bool operator==(const DateTimeIn &a, const DateTimeIn &b) { return a.value_ == b.value_; }
    friend bool operator!=(const DateTimeIn &a, const DateTimeIn &b) { return a.value_ != b.value_; }
    friend bool operator<(const DateTimeIn &a, const DateTimeIn &b) { return a.value_ < b.value_; }

private:
    DateTime value_;
};

namespace types {

struct DateTime {
    using Value = wg::DateTime;
};
template <class Period>
struct DateTimeIn {
    using Value = wg::DateTimeIn<Period>;
};

}  // namespace types

namespace sorts {
struct DateTime {};
}  // namespace sorts

template <class T>
struct SortOf<T, std::enable_if_t<is_system_time<T>::value || std::is_same_v<T, DateTime>>> {
    using type = sorts::DateTime;
};
template <class Period>
struct SortOf<DateTimeIn<Period>> {
    using type = sorts::DateTime;
};

template <>
struct OutTypes<types::DateTime> {
    using type = Types<std::chrono::system_clock::time_point, SystemTime<std::chrono::nanoseconds>, SystemTime<std::chrono::microseconds>,
                       SystemTime<std::chrono::milliseconds>, SystemTime<std::chrono::seconds>>;
};
template <class Period>
struct OutTypes<types::DateTimeIn<Period>> {
    using type = Counts;
};

template <>
struct KeyBytes<types::DateTime> {
    static void append(std::string &out, const DateTime &key) { KeyBytes<types::Duration>::append(out, key.time_since_epoch()); }
};
template <class Period>
struct KeyBytes<types::DateTimeIn<Period>> : KeyBytes<types::DateTime> {};

template <>
struct Convert<DateTime> {
    template <class From>
    static DateTime from(const From &value) {
        if constexpr (std::is_same_v<From, DateTime>) {
            return value;
        } else if constexpr (is_system_time<From>::value) {
            return DateTime(duration_as<std::chrono::microseconds>(value.time_since_epoch(), "the point in time"));
        } else {
            static_assert(!is_count<From>, "wrapper-gen: the result is a number, and nothing says of what; declare the unit, such as datetime[s]");
            static_assert(!is_time_point<From>::value || is_count<From>, "wrapper-gen: the result is a std::chrono::time_point of another clock than the system's, "
                                                                         "which no calendar knows; declare duration, with `result: value.time_since_epoch()`");
            static_assert(is_count<From> || is_time_point<From>::value, "wrapper-gen: the result is no std::chrono::time_point; make it one in the spec, so that its "
                                                                        "unit is plain");
            return DateTime();
        }
    }
};
template <class Period>
struct Convert<DateTimeIn<Period>> {
    template <class From>
    static DateTimeIn<Period> from(const From &value) {
        if constexpr (std::is_same_v<From, DateTimeIn<Period>>)
            return value;
        else if constexpr (is_count<From>)
            return DateTime(duration_as<std::chrono::microseconds>(std::chrono::duration<From, Period>(value), "the point in time"));
        else
            return Convert<DateTime>::from(value);
    }
};

template <>
struct Wire<types::DateTime> : WireOfMicroseconds<DateTime, DateTime> {};
template <class Period>
struct Wire<types::DateTimeIn<Period>> : WireOfMicroseconds<DateTimeIn<Period>, DateTime> {};

}  // namespace wg

#endif  // WG_TYPES_DATETIMES_HPP
