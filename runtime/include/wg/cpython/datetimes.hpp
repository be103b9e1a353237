// Points in time between Python and C++: aware datetimes, of which results are in UTC.
// Static: the same for all packages. Included by generated C++ only, of specs with such a type.
#ifndef WG_CPYTHON_DATETIMES_HPP
#define WG_CPYTHON_DATETIMES_HPP

#include "wg/cpython/durations.hpp"
#include "wg/types/datetimes.hpp"

namespace wg::cpython {

inline PyObject *datetime() {
    static Imported kind;
    return kind.get("datetime", "datetime");
}

inline PyObject *timezone_utc() {
    static Imported utc;
    return utc.get([]() -> PyObject * {
        static Imported imported;
        PyObject *kind = imported.get("datetime", "timezone");
        return kind == nullptr ? nullptr : PyObject_GetAttrString(kind, "utc");
    });
}

/// datetime(1970, 1, 1, tzinfo=timezone.utc), from which others count.
inline PyObject *epoch() {
    static Imported made;
    return made.get([]() -> PyObject * {
        PyObject *const kind = datetime(), *const utc = timezone_utc();
        if (kind == nullptr || utc == nullptr) return nullptr;
        return PyObject_CallFunction(kind, "iiiiiiiO", 1970, 1, 1, 0, 0, 0, 0, utc);
    });
}

template <>
struct FromPython<types::DateTime> {
    static constexpr const char *wanted = "a datetime";
    static constexpr const char *naive = "a datetime without a time zone is no point in time: give it a tzinfo, such as datetime.timezone.utc";

    /// One of a fixed time zone: others may have Python code.
    static bool quick(PyObject *value, DateTime &out, bool = false) {
        PyObject *const start = epoch();
        if (start == nullptr || Py_TYPE(value) != Py_TYPE(start)) return PyErr_Clear(), false;
        const Strong zone(PyObject_GetAttrString(value, "tzinfo"));
        if (!zone || Py_TYPE(zone.get()) != Py_TYPE(timezone_utc())) return PyErr_Clear(), false;
        const Strong since(PyNumber_Subtract(value, start));
        if (since && in_range(since.get(), out)) return true;
        return PyErr_Clear(), false;
    }
    [[gnu::noinline]] static bool take(PyObject *value, DateTime &out, Call &call) {
        PyObject *const start = epoch();
        if (start == nullptr) return call.raised();
        if (!PyObject_TypeCheck(value, Py_TYPE(start)) || (call.is_strict && Py_TYPE(value) != Py_TYPE(start))) return call.refuse(wanted, value);
        // datetime's own, whatever a subclass has
        const Strong offset(PyObject_CallMethod(datetime(), "utcoffset", "O", value));
        if (!offset) return call.raised();
        if (offset.get() == Py_None) return call.refuse(naive, value, Refusal::Reason::value);
        const Strong since(PyObject_CallMethod(datetime(), "__sub__", "OO", value, start));
        if (!since) return call.raised();
        if (in_range(since.get(), out)) return true;
        return PyErr_Occurred() ? call.raised() : call.refuse("datetime", value, Refusal::Reason::range);
    }

private:
    static bool in_range(PyObject *since, DateTime &out) {
        PyObject *const unit = microsecond();
        const Strong count(unit == nullptr ? nullptr : PyNumber_FloorDivide(since, unit));
        const long long microseconds = count ? PyLong_AsLongLong(count.get()) : DateTime::last + 1;
        if (microseconds < DateTime::first || microseconds > DateTime::last) return false;
        out = DateTime(std::chrono::microseconds(microseconds));
        return true;
    }
};

template <>
struct ToPython<types::DateTime> {
    static PyObject *give(const DateTime &value, const Owners &owners) {
        PyObject *const start = epoch();
        const Strong since(start == nullptr ? nullptr : ToPython<types::Duration>::give(Duration(value.time_since_epoch()), owners));
        return since ? PyNumber_Add(start, since.get()) : nullptr;
    }
};

/// The same where C++ may have a number.
template <class Period>
struct FromPython<types::DateTimeIn<Period>> {
    static constexpr const char *wanted = FromPython<types::DateTime>::wanted;

    static bool quick(PyObject *value, DateTimeIn<Period> &out, bool = false) {
        DateTime point;
        const bool done = FromPython<types::DateTime>::quick(value, point);
        out = point;
        return done;
    }
    static bool take(PyObject *value, DateTimeIn<Period> &out, Call &call) {
        DateTime point;
        const bool done = FromPython<types::DateTime>::take(value, point, call);
        out = point;
        return done;
    }
};
template <class Period>
struct ToPython<types::DateTimeIn<Period>> {
    static PyObject *give(const DateTimeIn<Period> &value, const Owners &owners) { return ToPython<types::DateTime>::give(value, owners); }
};

}  // namespace wg::cpython

#endif  // WG_CPYTHON_DATETIMES_HPP
