// What has keys, between Python and C++: {K: V} and set[T].
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_CPYTHON_MAPS_HPP
#define WG_CPYTHON_MAPS_HPP

#include <unordered_set>

#include "wg/cpython/containers.hpp"

namespace wg::cpython {

// --- {K: V} ---------------------------------------------------------------------------------------

/// Whether what `quick` takes can come to the same key for different objects of a dict: a double is cut to 32 bits.
template <class D>
struct MayCollide : std::false_type {};
template <>
struct MayCollide<types::Number<f32>> : std::true_type {};
template <class D>
struct MayCollide<types::Optional<D>> : MayCollide<D> {};
template <class D>
struct MayCollide<types::TupleOf<D>> : MayCollide<D> {};
template <class... D>
struct MayCollide<types::Tuple<D...>> : std::disjunction<MayCollide<D>...> {};
template <class... D>
struct MayCollide<types::Union<D...>> : std::disjunction<MayCollide<D>...> {};

/// The keys so far, to see whether a further one is equal to one of them.
template <class D>
class Keys {
public:
    bool add(const Value<D> &key) {
        std::string bytes;
        append_key<D>(bytes, key);
        return seen_.insert(std::move(bytes)).second;
    }

private:
    std::unordered_set<std::string> seen_;
};

template <class K, class V>
struct FromPython<types::Map<K, V>> {
    using Out = Value<types::Map<K, V>>;
    static constexpr const char *wanted = "a dict";

    static bool quick(PyObject *value, Out &out, bool is_strict = false) {
        if (MayCollide<K>::value || !PyDict_CheckExact(value)) return false;
        const Strong dict(python::steady_dict(value, IsContainer<K>::value || IsContainer<V>::value));
        if (!dict) return PyErr_Clear(), false;
        [[maybe_unused]] const python::Alone alone(dict.get());
        out.resize(static_cast<std::size_t>(PyDict_Size(dict.get())));
        PyObject *key = nullptr, *item = nullptr;
        std::size_t i = 0;
        for (Py_ssize_t at = 0; PyDict_Next(dict.get(), &at, &key, &item); ++i)
            if (!FromPython<K>::quick(key, out[i].first, is_strict) || !FromPython<V>::quick(item, out[i].second, is_strict)) return false;
        return true;
    }
    static bool take(PyObject *value, Out &out, Call &call) {
        const Strong copy = copied(value, call);
        if (!copy) return call.refuse(wanted, value);
        Keys<K> keys;
        out.clear();
        PyObject *key = nullptr, *item = nullptr;
        for (Py_ssize_t at = 0; PyDict_Next(copy.get(), &at, &key, &item);) {
            std::pair<Value<K>, Value<V>> pair{};
            if (!from_python<K>(key, pair.first, call)) return call.key(key);
            if (!keys.add(pair.first)) return call.refuse("", key, Refusal::Reason::twice);
            if (!from_python<V>(item, pair.second, call)) return call.of(key);
            out.push_back(std::move(pair));
        }
        return true;
    }

private:
    /// A dict of our own: of a dict, or of what has keys as `dict()` wants them.
    static Strong copied(PyObject *value, const Call &call) {
        if (PyDict_CheckExact(value)) return Strong(PyDict_Copy(value));
        if (call.is_strict || PyObject_HasAttrString(value, "keys") == 0) return {};
        return Strong(PyObject_CallFunctionObjArgs(reinterpret_cast<PyObject *>(&PyDict_Type), value, nullptr));
    }
};

template <class K, class V>
struct ToPython<types::Map<K, V>> {
    template <class M>
    static PyObject *give(M &values, const Owners &owners) {
        const Uncollected uncollected(IsContainer<V>::value ? values.size() : 0);
        Strong out(python::new_dict(values.size()));
        if (!out) return nullptr;
        for (auto &[key, value] : values) {
            const Strong k(ToPython<K>::give(key, owners));
            if (!k) return nullptr;
            const Strong v(ToPython<V>::give(value, owners));
            if (!v || PyDict_SetItem(out.get(), k.get(), v.get()) != 0) return nullptr;
        }
        if (static_cast<std::size_t>(PyDict_Size(out.get())) != values.size()) {
            PyErr_SetString(PyExc_ValueError, "the result has a key twice, and a dict has room for one; declare [(K, V)] to get both");
            return nullptr;
        }
        return out.release();
    }
};

template <class K, class V>
struct IsContainer<types::Map<K, V>> : std::true_type {};

// --- set[T] ---------------------------------------------------------------------------------------

template <class D>
struct FromPython<types::Set<D>> {
    using Out = Value<types::Set<D>>;
    static constexpr const char *wanted = "a set";

    static bool quick(PyObject *value, Out &out, bool is_strict = false) {
        if (MayCollide<D>::value || !PyAnySet_CheckExact(value)) return false;
        out.clear();
        const Strong iterator(PyObject_GetIter(value));
        while (iterator) {
            const Strong item(PyIter_Next(iterator.get()));
            if (!item) break;
            Value<D> element{};
            if (!FromPython<D>::quick(item.get(), element, is_strict)) return false;
            out.push_back(std::move(element));
        }
        const bool good = !PyErr_Occurred();
        PyErr_Clear();
        return good;
    }
    static bool take(PyObject *value, Out &out, Call &call) {
        const bool is_set = call.is_strict ? PyAnySet_CheckExact(value) : PyAnySet_Check(value) || PyDictKeys_Check(value);
        const Strong copy(is_set ? python::elements(value) : nullptr);
        if (!copy) return call.refuse(wanted, value);
        Keys<D> keys;
        out.clear();
        for (Py_ssize_t i = 0; i < python::tuple_size(copy.get()); ++i) {
            Value<D> element{};
            PyObject *item = python::tuple_item(copy.get(), i);
            if (!from_python<D>(item, element, call)) return call.key(item);
            if (keys.add(element)) out.push_back(std::move(element));
        }
        return true;
    }
};

template <class D>
struct ToPython<types::Set<D>> {
    template <class V>
    static PyObject *give(V &values, const Owners &owners) {
        Strong out(PySet_New(nullptr));
        if (!out) return nullptr;
        for (auto &&value : values) {
            const Strong item(ToPython<D>::give(value, owners));
            if (!item || PySet_Add(out.get(), item.get()) != 0) return nullptr;
        }
        return out.release();
    }
};

template <class D>
struct IsContainer<types::Set<D>> : std::true_type {};

}  // namespace wg::cpython

#endif  // WG_CPYTHON_MAPS_HPP
