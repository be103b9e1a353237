// Methods of Python's protocols, and constructors, of several forms: which of them a call is meant for.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_CPYTHON_SLOT_FORMS_HPP
#define WG_CPYTHON_SLOT_FORMS_HPP

#include "wg/cpython/overloads.hpp"
#include "wg/cpython/slots.hpp"

namespace wg::cpython {

/// One form of a method that CPython calls by a slot, with `O` beside the object.
template <class R, class... O>
struct SlotForm {
    int (*level)(PyObject *const *);
    R (*call)(PyObject *, O...);
    const char *shown;
};

/// How well a key, which is a tuple where there are several, and the value after it fit a form; or its only operand.
template <Py_ssize_t keys, class... F>
int level_of_operands(PyObject *const *row) {
    if constexpr (keys == 1) {
        return level_of_row<F...>(row);
    } else {
        constexpr Py_ssize_t count = sizeof...(F);
        if (!PyTuple_Check(row[0]) || python::tuple_size(row[0]) != keys) return 0;
        PyObject *all[count];
        for (Py_ssize_t i = 0; i < keys; ++i) all[i] = python::tuple_item(row[0], i);
        for (Py_ssize_t i = keys; i < count; ++i) all[i] = row[i - keys + 1];
        return level_of_row<F...>(all);
    }
}

/// What a slot returns where there is an exception.
template <class R>
R failed() {
    if constexpr (std::is_pointer_v<R>) return nullptr;
    else return -1;
}

/// Calls the form that fits best; where none fits, what `otherwise` makes of the operands.
template <class Otherwise, class R, class... O, std::size_t count>
R call_best_form(const SlotForm<R, O...> (&forms)[count], Otherwise otherwise, PyObject *self, O... operands) {
    PyObject *const row[] = {operands...};
    const SlotForm<R, O...> *best = nullptr;
    int least = beyond_levels;
    for (const SlotForm<R, O...> &form : forms) {
        const int level = form.level(row);
        if (level < 0) return failed<R>();
        if (level == 0 || level >= least) continue;
        best = &form;
        least = level;
        if (level == 1) break;
    }
    return best == nullptr ? otherwise(row) : best->call(self, operands...);
}

/// What no form takes is an error.
template <class R, class... O, std::size_t count>
R slot_best(const char *name, const SlotForm<R, O...> (&forms)[count], PyObject *self, std::common_type_t<O>... operands) {
    const auto otherwise = [&](PyObject *const *row) -> R {
        no_form(name, forms, count, row, static_cast<Py_ssize_t>(sizeof...(O)), nullptr);
        return failed<R>();
    };
    return call_best_form(forms, otherwise, self, operands...);
}

/// What no form takes is NotImplemented: Python asks the other operand.
template <std::size_t count>
PyObject *operate_best(const char *, const SlotForm<PyObject *, PyObject *> (&forms)[count], PyObject *self, PyObject *other) {
    return call_best_form(forms, [](PyObject *const *) { return Py_NewRef(Py_NotImplemented); }, self, other);
}

/// The same of calls, whose arguments may have names.
template <std::size_t count>
PyObject *call_best_with(const char *name, const Form (&forms)[count], PyObject *self, PyObject *arguments, PyObject *keywords) {
    try {
#ifndef Py_LIMITED_API
        if (keywords == nullptr) return call_best(name, forms, self, PySequence_Fast_ITEMS(arguments), PyTuple_GET_SIZE(arguments), nullptr);
#endif
        const Arguments all(arguments, keywords);
        return all.are_good() ? call_best(name, forms, self, all.row(), all.given(), all.names()) : nullptr;
    }
    WG_RAISED
}

/// `__init__` of an object that is there, which may be of a subclass.
template <std::size_t count>
int initialize_best(const char *name, const Form (&forms)[count], PyObject *self, PyObject *arguments, PyObject *keywords) {
    return done(call_best_with(name, forms, self, arguments, keywords));
}

}  // namespace wg::cpython

#endif  // WG_CPYTHON_SLOT_FORMS_HPP
