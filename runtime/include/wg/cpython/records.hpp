// Records of the cpython engine: Python types around the C++ values of structs.
// Static: the same for all packages. Included by generated C++ only.
//
// A value never changes, and is converted and checked when it is made: a record needs no lock and no collector of cycles.
// What is said of it in Python (comparing, hashing, pickling, its repr) is `_records.py`'s, for both engines alike.
#ifndef WG_CPYTHON_RECORDS_HPP
#define WG_CPYTHON_RECORDS_HPP

#include "wg/cpython/unions.hpp"

namespace wg::cpython {

/// A field whose value the record has as a Python object, and not in the struct: a callable (wg/cpython/callable_fields.hpp).
template <class D>
struct ObjectField {
    static constexpr bool is_one = false;
};
template <class... F>
constexpr bool has_objects(Fields<F...>) {
    return (ObjectField<typename F::Type>::is_one || ...);
}

/// The struct that a struct extends, which C++ derives from; void without.
template <class S, class = void>
struct BaseOf {
    using type = void;
};
template <class S>
struct BaseOf<S, std::void_t<typename S::Base>> {
    using type = typename S::Base;
};

/// Whether another struct extends it.
template <class S, class = void>
struct IsExtended : std::false_type {};
template <class S>
struct IsExtended<S, std::void_t<typename S::Extended>> : std::true_type {};

/// What makes a record where its class is called.
using MadeBy = PyObject *(PyObject *, PyObject *const *, Py_ssize_t, PyObject *);

/// The Python type of a struct; `S` is its description (wg/types/structs.hpp).
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

    /// A struct that extends this one: its type, and what copies the part of its records that is one of these.
    struct Extending {
        PyTypeObject *type;
        void (*part)(PyObject *, Struct &);
    };

    /// Gives the part of a record whose struct extends this one; false for anything else.
    [[gnu::noinline]] static bool copy_part(PyObject *record, Struct &out) {
        for (const Extending &each : extending_) {
            if (each.type != Py_TYPE(record)) continue;
            each.part(record, out);
            return true;
        }
        return false;
    }

    /// Lets records of what extends this one be taken for such ones; `D` is its description.
    template <class D>
    static void add_extending() {
        extending_.push_back({Record<D>::type, [](PyObject *record, Struct &out) { take_part(Record<D>::value(record), out); }});
        if constexpr (!std::is_void_v<typename BaseOf<S>::type>) Record<typename BaseOf<S>::type>::template add_extending<D>();
    }

    /// Makes the type; `signature` has the parameters of its constructor, or of the one that takes the fields: `maker` then chooses.
    static bool make(const char *qualified, const char *doc, Signature &signature, MadeBy *maker) {
        if (maker != nullptr) maker_ = maker;
        if (!make(qualified, doc, signature, typename S::Fields())) return false;
        if constexpr (!std::is_void_v<Base>) Record<Base>::template add_extending<S>();
        return true;
    }

    static PyObject *make_of_fields(PyObject *, PyObject *const *arguments, Py_ssize_t given, PyObject *keywords) {
        return make(arguments, given, keywords, typename S::Fields());
    }

private:
    using Base = typename BaseOf<S>::type;

    /// The base of a C++ object; with what its members point to, which they share.
    template <class From>
    static void take_part(const From &from, Struct &out) {
        if constexpr (std::is_same_v<Struct, typename S::Value>) {
            out = static_cast<const Struct &>(from);
        } else {
            out = Struct(static_cast<const typename S::Value &>(from));
            out.keep_all(from.kept);
        }
    }
    static PyObject *base_type() {
        if constexpr (std::is_void_v<Base>) return nullptr;
        else return reinterpret_cast<PyObject *>(Record<Base>::type);
    }

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
        constexpr unsigned int flags = IsExtended<S>::value ? Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE : Py_TPFLAGS_DEFAULT;
        static PyType_Spec spec = {qualified, sizeof(Object), 0, is_tracked ? flags | Py_TPFLAGS_HAVE_GC : flags, slots};
        signature_ = &signature;
        type = reinterpret_cast<PyTypeObject *>(PyType_FromSpecWithBases(&spec, base_type()));
#ifndef Py_LIMITED_API
        if (type != nullptr) type->tp_vectorcall = maker_ == &make_of_fields ? &call : &call_maker;
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
            if constexpr (IsExtended<S>::value)
                if (Py_TYPE(record) != type) return get_of_part<F>(record);
            const Struct &kept = value(record);  // as it is: what may change is moved out of
            return with_field<F>(kept, [](auto &field) { return ToPython<typename F::Type>::give(field, no_owners); });
        }
        WG_RAISED
    }

    /// The same of a record whose struct extends this one, which `Point.x.__get__(pixel)` asks for.
    template <class F>
    [[gnu::cold, gnu::noinline]] static PyObject *get_of_part(PyObject *record) {
        Struct part{};
        if (!copy_part(record, part)) {
            PyErr_SetString(PyExc_TypeError, "the record is not complete");
            return nullptr;
        }
        const Struct &kept = part;
        return with_field<F>(kept, [](auto &field) { return ToPython<typename F::Type>::give(field, no_owners); });
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
        return make(arguments, PyVectorcall_NARGS(flags), keywords, typename S::Fields());
    }
    static PyObject *call_maker(PyObject *, PyObject *const *arguments, std::size_t flags, PyObject *keywords) {
        return maker_(nullptr, arguments, PyVectorcall_NARGS(flags), keywords);
    }
#endif
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
        std::tuple<Value<typename F::Type>...> values;
        return (take_value<F>(given[i], std::get<i>(values)) && ...) ? wrap(StructMadeOf<S, Struct>::made(std::move(values))) : nullptr;
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
        return maker_(nullptr, arguments.data(), given, keywords.get());
    }

    static inline std::vector<Extending> extending_;
    static inline Signature *signature_ = nullptr;
    static inline MadeBy *maker_ = &make_of_fields;
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
    /// One whose struct extends this one, too, except where a union looks for the exact type.
    static bool take(PyObject *value, Value<types::Struct<S>> &out, Call &call) {
        if constexpr (IsExtended<S>::value)
            if (!call.is_strict && Record<S>::copy_part(value, out)) return true;
        return call.refuse(wanted, value);
    }
};

template <class S>
struct ToPython<types::Struct<S>> {
    /// What has its memory beside it is a copy of its fields already; of others that are made of their fields, that is made here.
    static constexpr bool is_made_here = is_made_at_once<S>::value && std::is_same_v<Value<types::Struct<S>>, typename S::Value>;

    static PyObject *give(Value<types::Struct<S>> &value, const Owners &) {
        if constexpr (is_made_here) return Record<S>::wrap(made_anew<S>(value, typename S::Fields()));
        else return Record<S>::wrap(std::move(value));
    }
    static PyObject *give(const Value<types::Struct<S>> &value, const Owners &) {
        if constexpr (is_made_here) return Record<S>::wrap(made_anew<S>(value, typename S::Fields()));
        else return Record<S>::wrap(value);
    }
};

/// Puts the type of a struct into the package.
template <class S>
bool add_record(PyObject *namespace_, const char *qualified, const char *doc, Signature &signature, MadeBy *maker = nullptr) {
    if (Record<S>::type == nullptr && !Record<S>::make(qualified, doc, signature, maker)) return false;
    return add(namespace_, S::name, Py_NewRef(reinterpret_cast<PyObject *>(Record<S>::type)));
}

}  // namespace wg::cpython

#endif  // WG_CPYTHON_RECORDS_HPP
