// Durations between Python and C++: timedelta, whose resolution is a microsecond.
// Static: the same for all packages. Included by generated C++ only, of specs with such a type.
#ifndef WG_CPYTHON_DURATIONS_HPP
#define WG_CPYTHON_DURATIONS_HPP

#include "wg/cpython/containers.hpp"
#include "wg/types/durations.hpp"

namespace wg::cpython {

inline PyObject *timedelta() {
    static Imported kind;
    return kind.get("datetime", "timedelta");
}

/// timedelta(microseconds=1), which counts the microseconds of others.
inline PyObject *microsecond() {
    static Imported unit;
    return unit.get([] {
        PyObject *kind = timedelta();
        return kind == nullptr ? nullptr : PyObject_CallFunction(kind, "iii", 0, 0, 1);
    });
}

template <>
struct FromPython<types::Duration> {
    static constexpr const char *wanted = "a timedelta";

    static bool quick(PyObject *value, Duration &out, bool = false) {
        PyObject *unit = microsecond();
        if (unit == nullptr || Py_TYPE(value) != Py_TYPE(unit)) return PyErr_Clear(), false;
        const Strong count(PyNumber_FloorDivide(value, unit));
        if (count && in_range(count.get(), out)) return true;
        return PyErr_Clear(), false;
    }
    [[gnu::noinline]] static bool take(PyObject *value, Duration &out, Call &call) {
        PyObject *unit = microsecond();
        if (unit == nullptr) return call.raised();
        if (!PyObject_TypeCheck(value, Py_TYPE(unit)) || (call.is_strict && Py_TYPE(value) != Py_TYPE(unit))) return call.refuse(wanted, value);
        // timedelta's own, whatever a subclass has
        const Strong count(PyObject_CallMethod(timedelta(), "__floordiv__", "OO", value, unit));
        if (!count) return call.raised();
        if (in_range(count.get(), out)) return true;
        const Strong plain(PyNumber_Multiply(unit, count.get()));
        return plain ? call.refuse("duration", plain.get(), Refusal::Reason::range) : call.raised();
    }

private:
    static bool in_range(PyObject *count, Duration &out) {
        int overflow = 0;
        const long long microseconds = PyLong_AsLongLongAndOverflow(count, &overflow);
        out = Duration(std::chrono::microseconds(microseconds));
        return overflow == 0;
    }
};

template <>
struct ToPython<types::Duration> {
    static PyObject *give(const Duration &value, const Owners &) {
        PyObject *unit = microsecond();
        const Strong count(unit == nullptr ? nullptr : PyLong_FromLongLong(value.count()));
        return count ? PyNumber_Multiply(unit, count.get()) : nullptr;
    }
};

/// The same where C++ may have a number.
template <class Period>
struct FromPython<types::DurationIn<Period>> {
    static constexpr const char *wanted = FromPython<types::Duration>::wanted;

    static bool quick(PyObject *value, DurationIn<Period> &out, bool = false) {
        Duration duration;
        const bool done = FromPython<types::Duration>::quick(value, duration);
        out = duration;
        return done;
    }
    static bool take(PyObject *value, DurationIn<Period> &out, Call &call) {
        Duration duration;
        const bool done = FromPython<types::Duration>::take(value, duration, call);
        out = duration;
        return done;
    }
};
template <class Period>
struct ToPython<types::DurationIn<Period>> {
    static PyObject *give(const DurationIn<Period> &value, const Owners &owners) { return ToPython<types::Duration>::give(value, owners); }
};

}  // namespace wg::cpython

#endif  // WG_CPYTHON_DURATIONS_HPP
