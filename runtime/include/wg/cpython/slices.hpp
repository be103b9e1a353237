// Slices, and keys of what has dimensions, between Python and C++.
// Static: the same for all packages. Included by generated C++ only, of specs with such a type.
#ifndef WG_CPYTHON_SLICES_HPP
#define WG_CPYTHON_SLICES_HPP

#include "wg/base/once.hpp"
#include "wg/cpython/containers.hpp"
#include "wg/cpython/overloads.hpp"
#include "wg/types/slices.hpp"

namespace wg::cpython {

/// Whether it may be a position, which no bool is meant to be.
inline bool is_position(PyObject *value) { return !PyBool_Check(value) && FitsInt::level(value) != 0; }

/// A part of a slice, whose name it is.
WG_ONCE Strong part_of(PyObject *slice, const char *name) WG_ELSEWHERE
#if WG_HAS_BODIES
{
#ifdef Py_LIMITED_API
    return Strong(PyObject_GetAttrString(slice, name));
#else
    const auto *parts = reinterpret_cast<PySliceObject *>(slice);
    return Strong::borrowed(std::strcmp(name, "start") == 0 ? parts->start : std::strcmp(name, "stop") == 0 ? parts->stop : parts->step);
#endif
}
#endif

/// What is too large is as good as a position beyond all that there are. False where it is neither None nor an int itself.
WG_ONCE bool bounded(PyObject *value, std::optional<i64> &out) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    out.reset();
    if (value == Py_None) return true;
    if (value == nullptr || !PyLong_Check(value)) return false;
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    out = overflow == 0 ? number : overflow < 0 ? std::numeric_limits<i64>::min() : std::numeric_limits<i64>::max();
    return true;
}
#endif

template <>
struct FromPython<types::Slice> {
    static constexpr const char *wanted = "a slice";

    static bool quick(PyObject *value, Slice &out, bool = false) {
        if (!PySlice_Check(value)) return false;
        return exact(part_of(value, "start"), out.start) && exact(part_of(value, "stop"), out.stop) && exact(part_of(value, "step"), out.step);
    }
    [[gnu::noinline]] static bool take(PyObject *value, Slice &out, Call &call) {
        if (!PySlice_Check(value)) return call.refuse(wanted, value);
        return part(value, "start", out.start, call) && part(value, "stop", out.stop, call) && part(value, "step", out.step, call);
    }

private:
    static bool exact(const Strong &value, std::optional<i64> &out) {
        return value && (value.get() == Py_None || PyLong_CheckExact(value.get())) && bounded(value.get(), out);
    }
    static bool part(PyObject *slice, const char *name, std::optional<i64> &out, Call &call) {
        const Strong given = part_of(slice, name);
        if (!given) return call.raised();
        if (exact(given, out)) return true;
        const char *const number_wanted = "an int or None";
        const bool may_be = !call.is_strict && PyIndex_Check(given.get());
        const Strong number(may_be ? PyNumber_Index(given.get()) : nullptr);
        if (number) return bounded(number.get(), out);
        return call.refuse(number_wanted, given.get()) || (call.has_raised() ? false : call.in(name));
    }
};

template <>
struct ToPython<types::Slice> {
    static PyObject *give(const Slice &value, const Owners &) {
        const Strong start = part(value.start), stop = part(value.stop), step = part(value.step);
        return start && stop && step ? PySlice_New(start.get(), stop.get(), step.get()) : nullptr;
    }

private:
    static Strong part(const std::optional<i64> &given) { return given ? Strong(PyLong_FromLongLong(*given)) : Strong::borrowed(Py_None); }
};

struct FitsSlice {
    static int level(PyObject *value) { return level_if(PySlice_Check(value), 1); }
};

/// A form that takes just what it is given is the better one.
struct FitsIndex {
    static int level(PyObject *value) {
        if (!PyTuple_Check(value)) return level_if(fits_item(value));
        for (Py_ssize_t i = 0; i < python::tuple_size(value); ++i)
            if (!fits_item(python::tuple_item(value, i))) return 0;
        return 2;
    }
    static bool fits_item(PyObject *value) { return PySlice_Check(value) || value == Py_None || value == Py_Ellipsis || is_position(value); }
};

template <>
struct FromPython<types::Index> {
    static constexpr const char *wanted = "an int, a slice, ... or None";

    static bool quick(PyObject *value, Index &out, bool = false) {
        out.clear();
        if (!PyTuple_Check(value)) return exact(value, out);
        for (Py_ssize_t i = 0; i < python::tuple_size(value); ++i)
            if (!exact(python::tuple_item(value, i), out)) return false;
        return true;
    }
    [[gnu::noinline]] static bool take(PyObject *value, Index &out, Call &call) {
        out.clear();
        if (!PyTuple_Check(value)) return item(value, out, call);
        for (Py_ssize_t i = 0; i < python::tuple_size(value); ++i)
            if (!item(python::tuple_item(value, i), out, call)) return call.has_raised() ? false : call.at(i);
        return true;
    }

private:
    static bool exact(PyObject *value, Index &out) {
        if (value == Py_None) return out.emplace_back(NewAxis()), true;
        if (value == Py_Ellipsis) return out.emplace_back(Ellipsis()), true;
        if (PySlice_Check(value)) return FromPython<types::Slice>::quick(value, std::get<Slice>(out.emplace_back(Slice())));
        return PyLong_CheckExact(value) && FromPython<types::Number<i64>>::quick(value, std::get<i64>(out.emplace_back(i64())));
    }
    static bool item(PyObject *value, Index &out, Call &call) {
        if (value == Py_None || value == Py_Ellipsis) return exact(value, out);
        if (PySlice_Check(value)) return FromPython<types::Slice>::take(value, std::get<Slice>(out.emplace_back(Slice())), call);
        if (!is_position(value) || (call.is_strict && !PyLong_CheckExact(value))) return call.refuse(wanted, value);
        return FromPython<types::Number<i64>>::take(value, std::get<i64>(out.emplace_back(i64())), call);
    }
};

template <>
struct ToPython<types::Index> {
    static PyObject *give(const Index &value, const Owners &owners) {
        Strong out(PyTuple_New(static_cast<Py_ssize_t>(value.size())));
        for (std::size_t i = 0; out && i < value.size(); ++i) {
            PyObject *each = item(value[i], owners);
            if (each == nullptr) return nullptr;
            python::set_tuple_item(out.get(), static_cast<Py_ssize_t>(i), each);
        }
        return out.release();
    }

private:
    static PyObject *item(const IndexItem &value, const Owners &owners) {
        if (const auto *number = std::get_if<i64>(&value)) return PyLong_FromLongLong(*number);
        if (const auto *slice = std::get_if<Slice>(&value)) return ToPython<types::Slice>::give(*slice, owners);
        return Py_NewRef(std::holds_alternative<Ellipsis>(value) ? Py_Ellipsis : Py_None);
    }
};

}  // namespace wg::cpython

#endif  // WG_CPYTHON_SLICES_HPP
