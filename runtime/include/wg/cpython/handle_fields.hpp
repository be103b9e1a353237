// Records of the cpython engine with handles in fields: they refer to the Python objects, and C++ gets a struct made of these.
// Static: the same for all packages. Included by generated C++ only, of specs that have such structs.
#ifndef WG_CPYTHON_HANDLE_FIELDS_HPP
#define WG_CPYTHON_HANDLE_FIELDS_HPP

#include "wg/cpython/handles.hpp"
#include "wg/cpython/records.hpp"
#include "wg/calls/handle_fields.hpp"

namespace wg::cpython {

/// A reference that a record has.
class Reference {
public:
    Reference() = default;
    explicit Reference(PyObject *owned) : object_(owned) {}
    Reference(Reference &&other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    Reference &operator=(Reference &&other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    ~Reference() { Py_XDECREF(object_); }
    PyObject *get() const { return object_; }

private:
    PyObject *object_ = nullptr;
};

/// Whether a record keeps the Python object of a field, and no value of C++.
template <class F>
constexpr bool is_object_field = !std::is_same_v<typename F::Type, typename F::Result>;
template <class F>
using KeptField = std::conditional_t<is_object_field<F>, Reference, Value<typename F::Type>>;

template <class S>
class Record<S, std::void_t<typename S::HoldsHandles>> {
    template <class Fields>
    struct KeptOf;
    template <class... F>
    struct KeptOf<Fields<F...>> {
        using type = std::tuple<KeptField<F>...>;
    };

public:
    using Kept = typename KeptOf<typename S::Fields>::type;
    using Struct = Value<types::HoldingStruct<S>>;

    struct Object {
        PyObject_HEAD
        Kept kept;
    };

    static inline PyTypeObject *type = nullptr;

    static Kept &kept(PyObject *record) { return reinterpret_cast<Object *>(record)->kept; }

    static PyObject *wrap(Kept &&from) {
        Object *made = PyObject_GC_New(Object, type);
        if (made == nullptr) return nullptr;
        new (&made->kept) Kept(std::move(from));
        PyObject_GC_Track(reinterpret_cast<PyObject *>(made));
        return reinterpret_cast<PyObject *>(made);
    }

    static bool make(const char *qualified, const char *doc, Signature &signature, MadeBy *maker) {
        if (maker != nullptr) maker_ = maker;
        return make(qualified, doc, signature, typename S::Fields());
    }
    static PyObject *make_of_fields(PyObject *, PyObject *const *arguments, Py_ssize_t given, PyObject *keywords) {
        return make(arguments, given, keywords);
    }

    /// The struct of a record, for one call.
    static bool take(PyObject *record, Struct &out, Call &call) { return take(kept(record), out, call, typename S::Fields()); }

    /// A record of what a call gave.
    static PyObject *give(GivenFields<S> &given, const Owners &owners) { return give(given, owners, typename S::Fields()); }

private:
    template <class... F>
    static bool make(const char *qualified, const char *doc, Signature &signature, Fields<F...> fields) {
        static PyGetSetDef getters[sizeof...(F) + 1] = {};
        list(getters, fields, std::index_sequence_for<F...>());
        static PyType_Slot slots[] = {
            {Py_tp_dealloc, reinterpret_cast<void *>(&dealloc)},
            {Py_tp_traverse, reinterpret_cast<void *>(&traverse)},
            {Py_tp_new, reinterpret_cast<void *>(&construct)},
            {Py_tp_doc, const_cast<char *>(doc)},
            {Py_tp_getset, getters},
            {0, nullptr},
        };
        static PyType_Spec spec = {qualified, sizeof(Object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};
        signature_ = &signature;
        type = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
        return type != nullptr;
    }
    template <class... F, std::size_t... I>
    static void list(PyGetSetDef *getters, Fields<F...>, std::index_sequence<I...>) {
        ((getters[I] = {F::name, &get<F, I>, nullptr, nullptr, nullptr}), ...);
    }

    static void dealloc(PyObject *record) {
        PyTypeObject *own = Py_TYPE(record);
        PyObject_GC_UnTrack(record);
        kept(record).~Kept();
        PyObject_GC_Del(record);
        Py_DECREF(reinterpret_cast<PyObject *>(own));
    }
    static int traverse(PyObject *record, visitproc visit, void *arg) {
        Py_VISIT(Py_TYPE(record));
        return std::apply([=](const auto &...each) { return visit_all(visit, arg, each...); }, kept(record));
    }
    template <class... K>
    static int visit_all(visitproc visit, void *arg, const K &...kept) {
        int stopped = 0;
        static_cast<void>(((stopped = visit_one(visit, arg, kept)) || ...));
        return stopped;
    }
    static int visit_one(visitproc visit, void *arg, const Reference &each) { return each.get() == nullptr ? 0 : visit(each.get(), arg); }
    template <class V>
    static int visit_one(visitproc, void *, const V &) {
        return 0;
    }

    template <class F, std::size_t I>
    static PyObject *get(PyObject *record, void *) {
        try {
            const auto &field = std::get<I>(kept(record));
            if constexpr (is_object_field<F>)
                return Py_NewRef(field.get());
            else
                return ToPython<typename F::Type>::give(field, no_owners);
        }
        WG_RAISED
    }

    static PyObject *make(PyObject *const *arguments, Py_ssize_t given, PyObject *keywords) {
        try {
            PyObject *row[std::tuple_size_v<Kept>];
            PyObject *const *each = signature_->arrange(arguments, given, keywords, row);
            Kept out;
            if (each == nullptr || !keep_all(each, out, typename S::Fields())) return nullptr;
            return wrap(std::move(out));
        }
        WG_RAISED
    }
    template <class... F>
    static bool keep_all(PyObject *const *given, Kept &out, Fields<F...>) {
        return keep_all<F...>(given, out, std::index_sequence_for<F...>());
    }
    template <class... F, std::size_t... I>
    static bool keep_all(PyObject *const *given, Kept &out, std::index_sequence<I...>) {
        return (keep<F>(given[I], std::get<I>(out)) && ...);
    }
    template <class F>
    static bool keep(PyObject *given, KeptField<F> &out) {
        Call call;
        if constexpr (is_object_field<F>) {
            Value<typename F::Type> value{};
            if (!from_python<typename F::Type>(given, value, call)) return call.fail(F::name);
            out = Reference(Py_NewRef(given));
            return true;
        } else {
            return from_python<typename F::Type>(given, out, call) || call.fail(F::name);
        }
    }
    static PyObject *construct(PyTypeObject *, PyObject *positional, PyObject *named) {
        std::vector<PyObject *> arguments;
        std::vector<Strong> owned;  // the dict is not ours, and Python code may run
        const Py_ssize_t given = python::tuple_size(positional);
        for (Py_ssize_t i = 0; i < given; ++i) arguments.push_back(python::tuple_item(positional, i));
        const Py_ssize_t count = named == nullptr ? 0 : PyDict_Size(named);
        const Strong keywords(count == 0 ? nullptr : PyTuple_New(count));
        if (count != 0 && !keywords) return nullptr;
        PyObject *key = nullptr, *item = nullptr;
        Py_ssize_t i = 0;
        for (Py_ssize_t at = 0; count != 0 && PyDict_Next(named, &at, &key, &item);) {
            python::set_tuple_item(keywords.get(), i++, Py_NewRef(key));
            arguments.push_back(owned.emplace_back(Strong::borrowed(item)).get());
        }
        return maker_(nullptr, arguments.data(), given, keywords.get());
    }

    template <class... F>
    static bool take(const Kept &kept, Struct &out, Call &call, Fields<F...>) {
        return take<F...>(kept, out, call, std::index_sequence_for<F...>());
    }
    template <class... F, std::size_t... I>
    static bool take(const Kept &kept, Struct &out, Call &call, std::index_sequence<I...>) {
        return (take_field<F>(std::get<I>(kept), out, call) && ...);
    }
    template <class F>
    static bool take_field(const KeptField<F> &kept, Struct &out, Call &call) {
        Value<typename F::Type> field{};
        if constexpr (is_object_field<F>) {
            if (!from_python<typename F::Type>(kept.get(), field, call)) return call.in(F::name);
        } else {
            field = kept;
        }
        if constexpr (is_as_declared<F, Struct>)
            F::of(out) = std::move(field);
        else
            Member<F, MemberOf<F, Struct>>::write(out, std::move(field));
        return true;
    }

    template <class... F>
    static PyObject *give(GivenFields<S> &given, const Owners &owners, Fields<F...>) {
        return give<F...>(given, owners, std::index_sequence_for<F...>());
    }
    template <class... F, std::size_t... I>
    static PyObject *give(GivenFields<S> &given, const Owners &owners, std::index_sequence<I...>) {
        Kept out;
        return (give_field<F>(std::get<I>(given.values), owners, std::get<I>(out)) && ...) ? wrap(std::move(out)) : nullptr;
    }
    template <class F>
    static bool give_field(Value<typename F::Result> &given, const Owners &owners, KeptField<F> &out) {
        if constexpr (is_object_field<F>) {
            out = Reference(ToPython<typename F::Result>::give(given, owners));
            return out.get() != nullptr;
        } else {
            out = std::move(given);
            return true;
        }
    }

    static inline Signature *signature_ = nullptr;
    static inline MadeBy *maker_ = &make_of_fields;
};

template <class S>
struct FromPython<types::HoldingStruct<S>> {
    static inline const std::string wanted = with_article(S::name);

    static bool quick(PyObject *, Value<types::HoldingStruct<S>> &, bool = false) { return false; }  // its handles have to be kept
    static bool take(PyObject *value, Value<types::HoldingStruct<S>> &out, Call &call) {
        if (Py_TYPE(value) != Record<S>::type) return call.refuse(wanted, value);
        return Record<S>::take(value, out, call);
    }
};

template <class S>
struct ToPython<types::GivenStruct<S>> {
    static PyObject *give(Value<types::GivenStruct<S>> &value, const Owners &owners) { return Record<S>::give(value, owners); }
};

}  // namespace wg::cpython

#endif  // WG_CPYTHON_HANDLE_FIELDS_HPP
