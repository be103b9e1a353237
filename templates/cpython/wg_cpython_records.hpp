// Records of the cpython engine: Python types around the C++ values of structs.
// Static: the same for all packages. Included by generated C++ only.
//
// A value never changes, and is converted and checked when it is made: a record needs no lock and no collector of cycles.
// What is said of it in Python (comparing, hashing, pickling, its repr) is `_records.py`'s, for both engines alike.
#ifndef WG_CPYTHON_RECORDS_HPP
#define WG_CPYTHON_RECORDS_HPP

#include "wg_cpython_unions.hpp"

namespace wg::cpython {

/// A field whose value the record has as a Python object, and not in the struct: a callable (wg_cpython_callable_fields.hpp).
template <class D>
struct ObjectField {
    static constexpr bool is_one = false;
};
template <class... F>
constexpr bool has_objects(Fields<F...>) {
    return (ObjectField<typename F::Type>::is_one || ...);
}

/// The Python type of a struct; `S` is its description (wg_structs.hpp).
template <class S, class = void>
class Record {
public:
    using Struct = Value<types::Struct<S>>;
    static_assert(alignof(Struct) <= 16, "wrapper-gen: a struct that is aligned to more than 16 bytes cannot be a record");

    /// Whether it has Python objects, and may be part of a cycle.
    static constexpr bool is_tracked = has_objects(typename S::Fields());

    struct Plain {
        PyObject_HEAD
        Struct value;
    };
    struct Tracked : Plain {
        std::vector<PyObject *> objects;  // one for each field; null for those of the struct
    };
    using Object = std::conditional_t<is_tracked, Tracked, Plain>;

    static inline PyTypeObject *type = nullptr;

    static Struct &value(PyObject *record) { return reinterpret_cast<Object *>(record)->value; }
    static std::vector<PyObject *> &objects(PyObject *record) { return reinterpret_cast<Object *>(record)->objects; }

    /// A new record around a copy.
    template <class V>
    static PyObject *wrap(V &&from) {
        Object *made = allocate();
        if (made == nullptr) return nullptr;
        try {
            new (&made->value) Struct(std::forward<V>(from));
            if constexpr (is_tracked) new (&made->objects) std::vector<PyObject *>();
        } catch (...) {
            free(reinterpret_cast<PyObject *>(made));
            throw;
        }
        return reinterpret_cast<PyObject *>(made);
    }

    /// Puts what the record has as Python objects into a copy of its struct.
    template <class... F>
    static void put_objects(PyObject *record, Struct &out, Fields<F...>) {
        PyObject *const *each = objects(record).data();
        (put_object<F>(*each++, out), ...);
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
            {is_tracked ? Py_tp_traverse : 0, is_tracked ? reinterpret_cast<void *>(&traverse) : nullptr},
            {0, nullptr},
        };
        static PyType_Spec spec = {qualified, sizeof(Object), 0, is_tracked ? Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC : Py_TPFLAGS_DEFAULT, slots};
        signature_ = &signature;
        type = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
#ifndef Py_LIMITED_API
        if (type != nullptr) type->tp_vectorcall = &call;
#endif
        return type != nullptr;
    }

    static Object *allocate() {
        if constexpr (is_tracked) return PyObject_GC_New(Object, type);
        else return PyObject_New(Object, type);
    }
    template <class F>
    static void put_object(PyObject *object, Struct &out) {
        if constexpr (ObjectField<typename F::Type>::is_one) Member<F, MemberOf<F, Struct>>::write(out, ObjectField<typename F::Type>::value(object));
    }
    static void free(PyObject *record) {
        PyTypeObject *own = Py_TYPE(record);
        if constexpr (is_tracked) PyObject_GC_Del(record);
        else PyObject_Free(record);
        Py_DECREF(reinterpret_cast<PyObject *>(own));
    }
    static void dealloc(PyObject *record) {
        if constexpr (is_tracked) {
            PyObject_GC_UnTrack(record);
            for (PyObject *each : objects(record)) Py_XDECREF(each);
            objects(record).~vector();
        }
        value(record).~Struct();
        free(record);
    }
    static int traverse(PyObject *record, visitproc visit, void *arg) {
        if constexpr (is_tracked)
            for (PyObject *each : objects(record)) Py_VISIT(each);
        Py_VISIT(Py_TYPE(record));
        return 0;
    }

    template <class F>
    static PyObject *get(PyObject *record, void *) {
        if constexpr (ObjectField<typename F::Type>::is_one) return Py_NewRef(objects(record)[index_of<F>(typename S::Fields())]);
        else return get_member<F>(record);
    }
    template <class F, class... All>
    static constexpr std::size_t index_of(Fields<All...>) {
        std::size_t i = 0;
        static_cast<void>(((std::is_same_v<F, All> || (++i, false)) || ...));
        return i;
    }
    template <class F>
    static PyObject *get_member(PyObject *record) {
        try {
            const Struct &kept = value(record);  // as it is: what may change is moved out of
            return with_field<F>(kept, [](auto &field) { return ToPython<typename F::Type>::give(field, no_owners); });
        }
        WG_RAISED
    }

    template <class F>
    static bool take(PyObject *given, Struct &out) {
        using D = typename F::Type;
        Call call;
        if constexpr (ObjectField<D>::is_one) {
            return ObjectField<D>::take(given, call) || call.fail(F::name);
        } else if constexpr (is_as_declared<F, Struct>) {
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
                PyObject *const *const first = each;
                if (!(take<F>(*each++, out) && ...)) return nullptr;
                PyObject *made = wrap(std::move(out));
                if constexpr (is_tracked)
                    if (made != nullptr) hold<F...>(made, first);
                return made;
            }
        }
        WG_RAISED
    }
    template <class... F>
    static void hold(PyObject *record, PyObject *const *given) {
        std::vector<PyObject *> &held = objects(record);
        held.assign(sizeof...(F), nullptr);
        std::size_t i = 0;
        ((ObjectField<typename F::Type>::is_one ? static_cast<void>(held[i] = Py_NewRef(given[i])) : void(), ++i), ...);
        PyObject_GC_Track(record);
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
        if constexpr (Record<S>::is_tracked) Record<S>::put_objects(value, out, typename S::Fields());
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
