// Methods of records in the cpython engine: functions of the package that get the record as their first argument.
// Static: the same for all packages. Included by generated C++ only, of specs whose structs have methods.
#ifndef WG_CPYTHON_RECORD_METHODS_HPP
#define WG_CPYTHON_RECORD_METHODS_HPP

#include <array>
#include <vector>

#include "wg/base/once.hpp"
#include "wg/cpython/operands.hpp"
#include "wg/cpython/records.hpp"
#include "wg/calls/record_methods.hpp"

namespace wg::cpython {

/// A function of the package, as CPython calls it.
using Called = PyObject *(PyObject *, PyObject *const *, Py_ssize_t, PyObject *);

[[gnu::noinline]] WG_ONCE PyObject *with_many_arguments(Called *function, PyObject *record, PyObject *const *arguments, Py_ssize_t given, std::size_t count, PyObject *keywords) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    try {
        std::vector<PyObject *> row(arguments, arguments + count);
        row.insert(row.begin(), record);
        return function(nullptr, row.data(), given + 1, keywords);
    }
    WG_RAISED
}
#endif

template <Called function>
PyObject *record_method(PyObject *record, PyObject *const *arguments, Py_ssize_t given, PyObject *keywords) {
    const std::size_t count = static_cast<std::size_t>(given + (keywords == nullptr ? 0 : python::tuple_size(keywords)));
    std::array<PyObject *, 8> row;
    if (count >= row.size()) return with_many_arguments(function, record, arguments, given, count, keywords);
    row[0] = record;
    for (std::size_t i = 0; i < count; ++i) row[i + 1] = arguments[i];
    return function(nullptr, row.data(), given + 1, keywords);
}

/// The record of a method: its own value, which the call does not change.
template <class D>
class Itself;
template <class S>
class Itself<types::Struct<S>> {
public:
    using Value = wg::Value<types::Struct<S>>;
    bool take(PyObject *value, const char *name) {
        if (Py_TYPE(value) != Record<S>::type) return refuse(value, name);
        value_ = &Record<S>::value(value);
        return true;
    }
    Value &value() { return *value_; }
    template <class Owners>
    void add_to(Owners &) const {}

private:
    [[gnu::cold, gnu::noinline]] static bool refuse(PyObject *value, const char *name) {
        Call call;
        call.refuse(FromPython<types::Struct<S>>::wanted, value);
        return call.fail(name);
    }

    Value *value_ = nullptr;
};

/// Whether it can be a record of that class only.
template <class D>
struct IsOfOneClass;
template <class S>
struct IsOfOneClass<types::Struct<S>> : std::bool_constant<!IsExtended<S>::value> {};

/// The same where `Code`, which calls it, may change it, another thread may call it too, or it may be a part of the record: a copy.
template <class D, class Code>
using RecordArgument =
    std::conditional_t<python::has_gil && IsOfOneClass<D>::value && LeavesAsIs<Code, typename RawOf<wg::Value<D>>::type>::value, Itself<D>, Compound<D>>;

template <Called function>
PyObject *record_operator(PyObject *record, PyObject *other) {
    PyObject *row[] = {record, other};
    return function(nullptr, row, 2, nullptr);
}

/// Calls an operator of a record with its two arguments converted.
template <class R, class A>
PyObject *call_operator(PyObject *(*body)(PyObject *, R &, A &), Signature &signature, PyObject *self, PyObject *const *args, Py_ssize_t, PyObject *) {
    try {
        R record;
        A operand;
        if (!record.take(args[0], signature.parameters[0])) return nullptr;
        if (!operand.take(args[1], signature.parameters[1])) return not_implemented();
        return body(self, record, operand);
    }
    WG_RAISED
}

/// An item at a position, which counts from the end where it is negative.
template <Called function>
PyObject *record_item(PyObject *record, PyObject *key) {
    PyObject *row[] = {record, key};
    if (!PyLong_Check(key)) return function(nullptr, row, 2, nullptr);
    const Py_ssize_t length = PyObject_Size(record);
    if (length < 0) return nullptr;
    Py_ssize_t at = PyLong_AsSsize_t(key);
    if (at == -1 && PyErr_Occurred()) {
        if (!PyErr_ExceptionMatches(PyExc_OverflowError)) return nullptr;
        PyErr_Clear();
        at = length;
    }
    if (at < 0) at += length;
    if (at < 0 || at >= length) {
        PyErr_Format(PyExc_IndexError, "%s index out of range", name_of(Py_TYPE(record)));
        return nullptr;
    }
    const Strong position(PyLong_FromSsize_t(at));
    if (!position) return nullptr;
    row[1] = position.get();
    return function(nullptr, row, 2, nullptr);
}

/// An item with a key: what is not there is a KeyError.
template <Called function>
PyObject *record_lookup(PyObject *record, PyObject *key) {
    PyObject *row[] = {record, key};
    PyObject *made = function(nullptr, row, 2, nullptr);
    if (made != nullptr || !PyErr_ExceptionMatches(PyExc_IndexError)) return made;
    PyErr_Clear();
    PyErr_SetObject(PyExc_KeyError, key);
    return nullptr;
}

template <Called function>
PyObject *record_item_or_lookup(PyObject *record, PyObject *key) {
    return PyLong_Check(key) ? record_item<function>(record, key) : record_lookup<function>(record, key);
}

template <Called function>
PyObject *record_getter(PyObject *record, void *) {
    return function(nullptr, &record, 1, nullptr);
}

/// Gives the class of a record its methods and properties; slots that CPython has for some of them follow.
template <class S>
bool add_members(PyMethodDef *methods, PyGetSetDef *properties, PyMethodDef *functions) {
    PyTypeObject *const type = Record<S>::type;
    const auto put = [type](const char *name, PyObject *made) {
        const Strong member(made);
        return member && PyObject_SetAttrString(reinterpret_cast<PyObject *>(type), name, member.get()) == 0;
    };
    for (; methods->ml_name != nullptr; ++methods)
        if (!put(methods->ml_name, PyDescr_NewMethod(type, methods))) return false;
    for (; properties->name != nullptr; ++properties)
        if (!put(properties->name, PyDescr_NewGetSet(type, properties))) return false;
    if (functions->ml_name == nullptr) return true;
    const Strong builtins(PyImport_ImportModule("builtins"));
    const Strong kind(builtins ? PyObject_GetAttrString(builtins.get(), "staticmethod") : nullptr);
    for (; kind && functions->ml_name != nullptr; ++functions) {
        const Strong function(PyCFunction_NewEx(functions, nullptr, nullptr));
        if (!function || !put(functions->ml_name, PyObject_CallFunctionObjArgs(kind.get(), function.get(), nullptr))) return false;
    }
    return static_cast<bool>(kind);
}

}  // namespace wg::cpython

#endif  // WG_CPYTHON_RECORD_METHODS_HPP
