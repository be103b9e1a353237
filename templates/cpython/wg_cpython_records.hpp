// Records of the cpython engine: Python types around the C++ values of structs.
// Static: the same for all packages. Included by generated C++ only.
//
// A value never changes, and is converted and checked when it is made: a record needs no lock and no collector of cycles.
// What is said of it in Python (comparing, hashing, pickling, its repr) is `_records.py`'s, for both engines alike.
#ifndef WG_CPYTHON_RECORDS_HPP
#define WG_CPYTHON_RECORDS_HPP

#include "wg_cpython_unions.hpp"

namespace wg::cpython {

/// The Python type of a struct; `S` is its description (wg_structs.hpp).
template <class S, class = void>
class Record {
public:
    using Struct = Value<types::Struct<S>>;
    static_assert(alignof(Struct) <= 16, "wrapper-gen: a struct that is aligned to more than 16 bytes cannot be a record");

    struct Object {
        PyObject_HEAD
        Struct value;
    };

    static inline PyTypeObject *type = nullptr;

    static Struct &value(PyObject *record) { return reinterpret_cast<Object *>(record)->value; }

    /// A new record around a copy.
    template <class V>
    static PyObject *wrap(V &&from) {
        Object *made = PyObject_New(Object, type);
        if (made == nullptr) return nullptr;
        try {
            new (&made->value) Struct(std::forward<V>(from));
        } catch (...) {
            free(reinterpret_cast<PyObject *>(made));
            throw;
        }
        return reinterpret_cast<PyObject *>(made);
    }

    /// Makes the type; `signature` has the parameters of its constructor.
    static bool make(const char *qualified, const char *doc, Signature &signature) { return make(qualified, doc, signature, typename S::Fields()); }

private:
    template <class... F>
    static bool make(const char *qualified, const char *doc, Signature &signature, Fields<F...>) {
        static PyGetSetDef fields[] = {{F::name, &get<F>, nullptr, nullptr, nullptr}..., {nullptr, nullptr, nullptr, nullptr, nullptr}};
        static PyType_Slot slots[] = {
            {Py_tp_dealloc, reinterpret_cast<void *>(&dealloc)},
            {Py_tp_new, reinterpret_cast<void *>(&construct)},
            {Py_tp_doc, const_cast<char *>(doc)},
            {Py_tp_getset, fields},
            {0, nullptr},
        };
        static PyType_Spec spec = {qualified, sizeof(Object), 0, Py_TPFLAGS_DEFAULT, slots};
        signature_ = &signature;
        type = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
#ifndef Py_LIMITED_API
        if (type != nullptr) type->tp_vectorcall = &call;
#endif
        return type != nullptr;
    }

    static void free(PyObject *record) {
        PyTypeObject *own = Py_TYPE(record);
        PyObject_Free(record);
        Py_DECREF(reinterpret_cast<PyObject *>(own));
    }
    static void dealloc(PyObject *record) {
        value(record).~Struct();
        free(record);
    }

    template <class F>
    static PyObject *get(PyObject *record, void *) {
        try {
            const Struct &kept = value(record);  // as it is: what may change is moved out of
            return with_field<F>(kept, [](auto &field) { return ToPython<typename F::Type>::give(field, nobody); });
        }
        WG_RAISED
    }

    template <class F>
    static bool take(PyObject *given, Struct &out) {
        using D = typename F::Type;
        Call call;
        if constexpr (is_as_declared<F, Struct>) {
            return from_python<D>(given, F::of(out), call) || call.fail(F::name);
        } else {
            Value<D> field{};
            if (!from_python<D>(given, field, call)) return call.fail(F::name);
            Member<F, MemberOf<F, Struct>>::write(out, std::move(field));
            return true;
        }
    }

#ifndef Py_LIMITED_API
    /// The calling convention without a dict of keywords.
    static PyObject *call(PyObject *, PyObject *const *arguments, std::size_t flags, PyObject *keywords) {
        return make(arguments, PyVectorcall_NARGS(flags), keywords);
    }
#endif
    static PyObject *make(PyObject *const *arguments, Py_ssize_t given, PyObject *keywords) {
        return make(arguments, given, keywords, typename S::Fields());
    }
    template <class... F>
    static PyObject *make(PyObject *const *arguments, Py_ssize_t given, PyObject *keywords, Fields<F...>) {
        try {
            PyObject *row[sizeof...(F)];
            PyObject *const *each = signature_->arrange(arguments, given, keywords, row);
            if (each == nullptr) return nullptr;
            if constexpr (is_made_at_once<S>::value) {
                return make_at_once<F...>(each, std::index_sequence_for<F...>());
            } else {
                Struct out{};
                return (take<F>(*each++, out) && ...) ? wrap(std::move(out)) : nullptr;
            }
        }
        WG_RAISED
    }
    template <class... F, std::size_t... i>
    static PyObject *make_at_once(PyObject *const *given, std::index_sequence<i...>) {
        check_made_at_once<S>();
        std::tuple<Value<typename F::Type>...> values;
        return (take_value<F>(given[i], std::get<i>(values)) && ...) ? wrap(S::make(std::get<i>(values)...)) : nullptr;
    }
    template <class F>
    static bool take_value(PyObject *given, Value<typename F::Type> &out) {
        Call call;
        return from_python<typename F::Type>(given, out, call) || call.fail(F::name);
    }
    /// The other one: what the limited API has for types, and `__new__`.
    static PyObject *construct(PyTypeObject *, PyObject *positional, PyObject *named) {
        std::vector<PyObject *> arguments;
        std::vector<Strong> kept;  // the dict is not ours, and Python code may run
        const Py_ssize_t given = python::tuple_size(positional);
        for (Py_ssize_t i = 0; i < given; ++i) arguments.push_back(python::tuple_item(positional, i));
        const Py_ssize_t count = named == nullptr ? 0 : PyDict_Size(named);
        const Strong keywords(count == 0 ? nullptr : PyTuple_New(count));
        if (count != 0 && !keywords) return nullptr;
        PyObject *key = nullptr, *item = nullptr;
        Py_ssize_t i = 0;
        for (Py_ssize_t at = 0; count != 0 && PyDict_Next(named, &at, &key, &item);) {
            python::set_tuple_item(keywords.get(), i++, Py_NewRef(key));
            arguments.push_back(kept.emplace_back(Strong::borrowed(item)).get());
        }
        return make(arguments.data(), given, keywords.get());
    }

    static inline Signature *signature_ = nullptr;
};

template <class S>
struct FromPython<types::Struct<S>> {
    static inline const std::string wanted = with_article(S::name);

    static bool quick(PyObject *value, Value<types::Struct<S>> &out, bool = false) {
        if (Py_TYPE(value) != Record<S>::type) return false;
        out = Record<S>::value(value);
        return true;
    }
    static bool take(PyObject *value, Value<types::Struct<S>> &, Call &call) { return call.refuse(wanted, value); }
};

template <class S>
struct ToPython<types::Struct<S>> {
    static PyObject *give(Value<types::Struct<S>> &value, const Owners &) { return Record<S>::wrap(std::move(value)); }
    static PyObject *give(const Value<types::Struct<S>> &value, const Owners &) { return Record<S>::wrap(value); }
};

/// Puts the type of a struct into the package.
template <class S>
bool add_record(PyObject *namespace_, const char *qualified, const char *doc, Signature &signature) {
    if (Record<S>::type == nullptr && !Record<S>::make(qualified, doc, signature)) return false;
    return add(namespace_, S::name, Py_NewRef(reinterpret_cast<PyObject *>(Record<S>::type)));
}

}  // namespace wg::cpython

#endif  // WG_CPYTHON_RECORDS_HPP
