// Containers between Python and C++: optionals, lists and tuples of whatever converts; what has keys is in wg/cpython/maps.hpp.
// Static: the same for all packages. Included by generated C++ only.
//
// Python code that runs while a container is converted may change it: `take` works on a copy of its own.
#ifndef WG_CPYTHON_CONTAINERS_HPP
#define WG_CPYTHON_CONTAINERS_HPP

#include "wg/conversion/containers.hpp"
#include "wg/cpython/results.hpp"

namespace wg::cpython {

/// Whether values are containers that Python's garbage collector tracks.
template <class D>
struct IsContainer : std::false_type {};

/// Spares what Python's garbage collector costs while many objects are made that cannot be garbage yet. Without a GIL, the
/// collector is not ours alone to pause.
class Uncollected {
public:
    explicit Uncollected(std::size_t containers) : pauses_(python::has_gil && containers >= 64 && PyGC_IsEnabled()) {
        if (pauses_) PyGC_Disable();
    }
    Uncollected(const Uncollected &) = delete;
    Uncollected &operator=(const Uncollected &) = delete;
    ~Uncollected() {
        if (pauses_) PyGC_Enable();
    }

private:
    bool pauses_;
};

/// Whether a C++ value can be given as it is: one that the descriptor has, in a container of the library's choice.
template <class D, class T>
struct IsDirect : std::is_same<Value<D>, T> {};
template <class H, class T>
struct IsDirect<types::OwnedHandle<H>, T> : std::false_type {};  // it is checked, and moved
template <class D, class T>
struct IsDirect<types::Optional<D>, std::optional<T>> : IsDirect<D, T> {};
template <class D, class T, class A>
struct IsDirect<types::List<D>, std::vector<T, A>> : IsDirect<D, T> {};
template <class D, class T>
struct IsDirect<types::TupleOf<D>, T> : IsDirect<types::List<D>, T> {};
template <class D, template <class...> class S, class T, class... Rest>
struct IsDirect<types::Set<D>, S<T, Rest...>> : std::conjunction<std::is_same<typename S<T, Rest...>::value_type, T>, IsDirect<D, T>> {};
template <class K, class V, template <class...> class M, class A, class B, class... Rest>
struct IsDirect<types::Map<K, V>, M<A, B, Rest...>> : std::conjunction<is_map<M<A, B, Rest...>>, IsDirect<K, A>, IsDirect<V, B>> {};
template <class A, class B, class T, class U>
struct IsDirect<types::Tuple<A, B>, std::pair<T, U>> : std::conjunction<IsDirect<A, T>, IsDirect<B, U>> {};
template <class... D, class... T>
struct IsDirect<types::Tuple<D...>, std::tuple<T...>> : std::conjunction<std::bool_constant<sizeof...(D) == sizeof...(T)>, IsDirect<types::Tuple<D>, std::tuple<T>>...> {};
template <class D, class T>
struct IsDirect<types::Tuple<D>, std::tuple<T>> : IsDirect<D, T> {};
template <class Tag, class... D, class T>
struct IsDirect<types::NamedTuple<Tag, D...>, T> : IsDirect<types::Tuple<D...>, T> {};

/// A result that any family of types converts. It is the library's own where the call gave a reference.
template <class D, class From>
PyObject *given(From &&value, const Owners &owners) {
    if constexpr (!IsDirect<D, std::decay_t<From>>::value) {
        Value<D> declared = wg::convert<Value<D>>(std::forward<From>(value));
        return ToPython<D>::give(declared, owners);
    } else if constexpr (std::is_lvalue_reference_v<From>) {
        return ToPython<D>::give(std::as_const(value), owners);
    } else {
        return ToPython<D>::give(value, owners);
    }
}

/// The same as what a call returns. There are two, so that results without handles have no code for those.
template <class D, class From>
PyObject *made(From &&value) {
    return given<D>(std::forward<From>(value), no_owners);
}

/// With the owners of its handles, of which one may be another one of the same result.
template <class D, class From>
PyObject *made(From &&value, const Owners &owners) {
    PyObject *const result = given<D>(std::forward<From>(value), owners);
    if (owners.are_within() && result != nullptr) owners.settle();
    return result;
}

/// Gives an exception its attributes, which `D` describes; the class has None for those that are missing.
template <class D>
[[gnu::cold]] bool set_attributes(PyObject *raised, void *attributes, const char *const *names) {
    PyObject *values = made<D>(std::move(*static_cast<Value<D> *>(attributes)));
    if (values == nullptr) return false;
    bool good = true;
    for (Py_ssize_t i = 0; good && i < python::tuple_size(values); ++i) {
        PyObject *const value = python::tuple_item(values, i);
        good = value == Py_None || PyObject_SetAttrString(raised, names[i], value) == 0;
    }
    Py_DECREF(values);
    return good;
}

// --- leaves as results ----------------------------------------------------------------------------

template <class T>
struct ToPython<types::Number<T>> {
    static PyObject *give(T value, const Owners &) { return number(value); }
};

template <>
struct ToPython<types::Size> : ToPython<types::Number<usize>> {};

template <>
struct ToPython<types::Text> {
    static PyObject *give(const std::string &value, const Owners &) { return text(value); }
};

template <>
struct ToPython<types::Bytes> {
    template <class V>
    static PyObject *give(V &&value, const Owners &) { return bytes(std::move(value)); }
};

template <class E, class Tag>
struct ToPython<types::Enum<E, Tag>> {
    static PyObject *give(E value, const Owners &) { return member<Tag>(value); }
};

template <class H>
struct ToPython<types::OwnedHandle<H>> {
    static PyObject *give(H &value, const Owners &owners) { return keep_alive<H>(cpython::give<H>(std::move(value)), owners); }
};

// --- T? -------------------------------------------------------------------------------------------

template <class D>
struct FromPython<types::Optional<D>> {
    static constexpr const auto &wanted = FromPython<D>::wanted;

    static bool quick(PyObject *value, Value<types::Optional<D>> &out, bool is_strict = false) {
        if (value != Py_None) return FromPython<D>::quick(value, out.emplace(), is_strict);
        out.reset();
        return true;
    }
    static bool take(PyObject *value, Value<types::Optional<D>> &out, Call &call) {
        if (value != Py_None) return FromPython<D>::take(value, out.emplace(), call);
        out.reset();
        return true;
    }
};

template <class D>
struct ToPython<types::Optional<D>> {
    template <class V>
    static PyObject *give(V &value, const Owners &owners) {
        return value ? ToPython<D>::give(*value, owners) : Py_NewRef(Py_None);
    }
};

template <class D>
struct IsContainer<types::Optional<D>> : IsContainer<D> {};

// --- [T] ------------------------------------------------------------------------------------------

template <class D>
struct FromPython<types::List<D>> {
    using Out = Value<types::List<D>>;
    static constexpr const char *wanted = "a sequence";

    static bool quick(PyObject *value, Out &out, bool is_strict = false) {
        if (!PyList_CheckExact(value) && !PyTuple_CheckExact(value)) return false;
        // To convert a container runs no Python code, but without a GIL it lets other threads run.
        const python::Steady sequence(value, IsContainer<D>::value);
        if (sequence.get() == nullptr) return PyErr_Clear(), false;
        [[maybe_unused]] const python::Alone alone(sequence.get());
        const python::Items items(sequence.get());
        return all(items, static_cast<std::size_t>(python::sequence_size(sequence.get())), out, is_strict);
    }
    static bool take(PyObject *value, Out &out, Call &call) {
        const Strong copy = copied(value, call);
        if (!copy) return call.refuse(wanted, value);
        const Py_ssize_t size = python::tuple_size(copy.get());
        out.clear();
        for (Py_ssize_t i = 0; i < size; ++i) {
            Value<D> element{};
            if (!from_python<D>(python::tuple_item(copy.get(), i), element, call)) return call.at(i);
            out.push_back(std::move(element));
        }
        return true;
    }

private:
    static bool all(const python::Items &items, std::size_t size, Out &out, bool is_strict) {
        if constexpr (std::is_arithmetic_v<Value<D>>) {  // each written once
            out.clear();
            out.reserve(size);
            for (std::size_t i = 0; i < size; ++i) {
                Value<D> element{};
                if (!FromPython<D>::quick(items[i], element, is_strict)) return false;
                out.push_back(element);
            }
        } else {
            out.resize(size);
            for (std::size_t i = 0; i < size; ++i)
                if (!FromPython<D>::quick(items[i], out[i], is_strict)) return false;
        }
        return true;
    }
    /// A tuple of what a value iterates over; a str, which iterates over letters, is no sequence.
    static Strong copied(PyObject *value, const Call &call) {
        if (PyUnicode_Check(value)) return {};
        if (call.is_strict && !PyList_CheckExact(value) && !PyTuple_CheckExact(value)) return {};
        if (call.is_choosing && !is_sequence(value)) return {};
        return Strong(python::elements(value));
    }
    /// Whether it has elements by index: in a union an iterator or a mapping is no list.
    static bool is_sequence(PyObject *value) {
        PyObject *type = reinterpret_cast<PyObject *>(Py_TYPE(value));
        return PyObject_HasAttrString(type, "__getitem__") != 0 && PyObject_HasAttrString(type, "keys") == 0;
    }
};

template <class D>
struct ToPython<types::List<D>> {
    template <class V>
    static PyObject *give(V &values, const Owners &owners) {
        const Uncollected uncollected(IsContainer<D>::value ? values.size() : 0);
        return list(values, [&owners](auto &&value) { return ToPython<D>::give(value, owners); });
    }
};

template <class D>
struct IsContainer<types::List<D>> : std::true_type {};

// --- (T, ...) --------------------------------------------------------------------------------------

template <class D>
struct FromPython<types::TupleOf<D>> {
    using Out = Value<types::TupleOf<D>>;
    static constexpr const char *wanted = "a tuple";

    static bool quick(PyObject *value, Out &out, bool is_strict = false) {
        return PyTuple_CheckExact(value) && FromPython<types::List<D>>::quick(value, out, is_strict);
    }
    static bool take(PyObject *value, Out &out, Call &call) {
        const bool is_tuple = PyTuple_CheckExact(value);
        if (!is_tuple && (call.is_strict || !(PyTuple_Check(value) || PyList_Check(value)))) return call.refuse(wanted, value);
        return FromPython<types::List<D>>::take(value, out, call);
    }
};

template <class D>
struct ToPython<types::TupleOf<D>> {
    template <class V>
    static PyObject *give(V &values, const Owners &owners) {
        const Strong made(ToPython<types::List<D>>::give(values, owners));
        return made ? PyList_AsTuple(made.get()) : nullptr;
    }
};

template <class D>
struct IsContainer<types::TupleOf<D>> : std::true_type {};

// --- (A, B) ---------------------------------------------------------------------------------------

template <class... D>
struct FromPython<types::Tuple<D...>> {
    using Out = Value<types::Tuple<D...>>;
    static constexpr Py_ssize_t size = sizeof...(D);
    static inline const std::string wanted = "a tuple of " + std::to_string(size);

    static bool quick(PyObject *value, Out &out, bool is_strict = false) {
        if (!PyTuple_CheckExact(value) || python::tuple_size(value) != size) return false;
        return quick(value, out, is_strict, std::index_sequence_for<D...>());
    }
    static bool take(PyObject *value, Out &out, Call &call) {
        const bool is_tuple = PyTuple_CheckExact(value);
        if (!is_tuple && (call.is_strict || !(PyTuple_Check(value) || PyList_Check(value)))) return call.refuse(wanted, value);
        const Strong tuple(PySequence_Tuple(value));
        if (!tuple) return call.refuse(wanted, value);
        if (python::tuple_size(tuple.get()) != size) return call.refuse(wanted, tuple.get(), Refusal::Reason::size);
        return items(tuple.get(), out, call, std::index_sequence_for<D...>());
    }

private:
    template <std::size_t... I>
    static bool quick(PyObject *tuple, Out &out, bool is_strict, std::index_sequence<I...>) {
        return (FromPython<D>::quick(python::tuple_item(tuple, I), std::get<I>(out), is_strict) && ...);
    }
    template <std::size_t... I>
    static bool items(PyObject *tuple, Out &out, Call &call, std::index_sequence<I...>) {
        return ((from_python<D>(python::tuple_item(tuple, I), std::get<I>(out), call) || call.at(I)) && ...);
    }
};

template <class... D>
struct ToPython<types::Tuple<D...>> {
    template <class V>
    static PyObject *give(V &values, const Owners &owners) {
        return fill(PyTuple_New(sizeof...(D)), values, owners);
    }
    /// A new tuple, of whatever class, with these items.
    template <class V>
    static PyObject *fill(PyObject *tuple, V &values, const Owners &owners) {
        return items(tuple, values, owners, std::index_sequence_for<D...>());
    }

private:
    template <class V, std::size_t... I>
    static PyObject *items(PyObject *tuple, V &values, const Owners &owners, std::index_sequence<I...>) {
        Strong out(tuple);
        if (!out) return nullptr;
        const auto set = [&out](Py_ssize_t i, PyObject *item) {
            if (item != nullptr) python::set_tuple_item(out.get(), i, item);
            return item != nullptr;
        };
        return (set(I, ToPython<D>::give(std::get<I>(values), owners)) && ...) ? out.release() : nullptr;
    }
};

template <class... D>
struct IsContainer<types::Tuple<D...>> : std::true_type {};

/// An instance of a class that Python made of a tuple: as large as one, and with nothing else to fill.
template <class Tag, class... D>
struct ToPython<types::NamedTuple<Tag, D...>> {
    template <class V>
    static PyObject *give(V &values, const Owners &owners) {
        auto *type = reinterpret_cast<PyTypeObject *>(python::get(Tag::type));
        auto *allocate = reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc));
        return ToPython<types::Tuple<D...>>::fill(allocate(type, sizeof...(D)), values, owners);
    }
};

/// Finds the class among the package's names.
template <class Tag>
bool remember_tuple(PyObject *globals, const char *name) {
    PyObject *type = nullptr;
    if (!fetch_global(globals, name, &type)) return false;
    Tag::type = type;
    return true;
}

}  // namespace wg::cpython

#endif  // WG_CPYTHON_CONTAINERS_HPP
