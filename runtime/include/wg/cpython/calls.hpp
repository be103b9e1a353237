// Python's calling conventions: what CPython calls, and how its arguments become a row of objects.
// Static: the same for all packages. Included by generated C++ only, after Python.h.
#ifndef WG_CPYTHON_CALLS_HPP
#define WG_CPYTHON_CALLS_HPP

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "wg/base/once.hpp"
#include "wg/cpython/failures.hpp"
#include "wg/base/pack.hpp"

namespace wg::cpython {

/// The keywords of a call that had them in order, after so many other arguments: a call site has the same ones each time.
class KnownKeywords {
public:
#ifdef Py_GIL_DISABLED
    /// Of the first such call: other threads look at them without a lock. `count` is how many arguments there have to be.
    bool are(Py_ssize_t given, PyObject *keywords, Py_ssize_t count) const {
        return keywords != nullptr && keywords == python::get(keywords_) && given + python::tuple_size(keywords) == count;
    }
    void store(Py_ssize_t, PyObject *keywords) {
        if (keywords == nullptr || python::get(keywords_) != nullptr) return;
        if (!python::set_once(keywords_, Py_NewRef(keywords))) Py_DECREF(keywords);
    }

private:
    python::Shared<PyObject *> keywords_{nullptr};
#else
    /// Of the latest one.
    bool are(Py_ssize_t given, PyObject *keywords, Py_ssize_t) const { return keywords == keywords_ && given == given_; }
    void store(Py_ssize_t given, PyObject *keywords) {
        PyObject *before = keywords_;
        keywords_ = Py_XNewRef(keywords);
        given_ = given;
        Py_XDECREF(before);
    }

private:
    PyObject *keywords_ = nullptr;
    Py_ssize_t given_ = -1;
#endif
};

/// One function's parameters: positional and keyword arguments become one row of objects, as Python itself does it.
struct Signature {
    const char *name;
    const char *const *parameters;
    Py_ssize_t count;        // -1 - `size()` where some are gathered: no arguments are a row as they are then
    Py_ssize_t required;
    Py_ssize_t implied;      // 1 when Python counts an instance or a class too
    const char *defaults;    // a tuple of Python, for the parameters after `required`
    const char *const *former = nullptr;  // a keyword that a parameter had formerly, or null; none at all where null
    Py_ssize_t unnamed = 0;                // so many are given without a name only
    Py_ssize_t most = PY_SSIZE_T_MAX;      // and at most so many may be
    Py_ssize_t rest = -1;                  // the parameter that gathers all others, and
    Py_ssize_t others = -1;                // the one that gathers all other keywords: `count` is below 0 then, by `size()`
    python::Shared<PyObject **> interned{nullptr};  // `count` of them, made at the first call with keywords
    python::Shared<PyObject *> values{nullptr};     // of `defaults`, made when one is first needed
    KnownKeywords known{};

    /// The arguments in a row, all of them; `row` has room for it. Null where they cannot be one.
    PyObject *const *arrange(PyObject *const *args, Py_ssize_t given, PyObject *keywords, PyObject **row) {
        return is_row(given, keywords) ? args : arrange_others(args, given, keywords, row);
    }

    /// Whether the arguments are one as they are.
    bool is_row(Py_ssize_t given, PyObject *keywords) const {
        return keywords == nullptr ? given == count : known.are(given, keywords, count);
    }

    Py_ssize_t size() const { return count < 0 ? -1 - count : count; }

    /// Ends what was gathered in a row.
    void release(PyObject *const *row) const {
        if (rest >= 0) Py_XDECREF(row[rest]);
        if (others >= 0) Py_XDECREF(row[others]);
    }

    /// Fails as Python does where only `positional` arguments may stand without a name, and more do.
    [[gnu::cold, gnu::noinline]] WG_ONCE bool refuse(PyObject *const *args, Py_ssize_t given, PyObject *keywords, Py_ssize_t positional, PyObject **row) WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        for (Py_ssize_t i = 0; i < count; ++i) row[i] = i < positional ? args[i] : nullptr;
        const Py_ssize_t named = keywords == nullptr ? 0 : python::tuple_size(keywords);
        for (Py_ssize_t i = 0; i < named; ++i)
            if (!place(keywords, i, args[given + i], positional, row)) return false;
        return too_many(given, positional, named);
    }
#endif

private:
    [[gnu::noinline]] WG_ONCE PyObject *const *arrange_others(PyObject *const *args, Py_ssize_t given, PyObject *keywords, PyObject **row) WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        if (count < 0) return gather(args, given, keywords, row) ? row : nullptr;
        if (in_order(given, keywords)) {
            known.store(given, keywords);
            return args;
        }
        if (keywords == nullptr && given >= required && given < count && with_defaults(args, given, row)) return row;
        return bind(args, given, keywords, row) ? row : nullptr;
    }
#endif

    /// Those that are given, and defaults, which are there from the first call on that needs one; false where one has none.
    WG_ONCE bool with_defaults(PyObject *const *args, Py_ssize_t given, PyObject **row) const WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        PyObject *const own = python::get(values);
        if (own == nullptr) return false;
        for (Py_ssize_t i = 0; i < given; ++i) row[i] = args[i];
        for (Py_ssize_t i = given; i < count; ++i) {
            row[i] = python::tuple_item(own, i - required);
            if (row[i] == Py_NotImplemented) return false;
        }
        return true;
    }
#endif

    /// Whether all of them are there, those with a keyword in the parameters' order.
    bool in_order(Py_ssize_t given, PyObject *keywords) const {
        if (keywords == nullptr) return false;
        PyObject *const *own = python::get(interned);
        if (own == nullptr || given < unnamed || given + python::tuple_size(keywords) != count) return false;
        for (Py_ssize_t i = given; i < count; ++i)
            if (python::tuple_item(keywords, i - given) != own[i]) return false;
        return true;
    }

    [[gnu::noinline]] WG_ONCE bool bind(PyObject *const *args, Py_ssize_t given, PyObject *keywords, PyObject **row) WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        for (Py_ssize_t i = 0; i < count; ++i) row[i] = i < given ? args[i] : nullptr;
        const Py_ssize_t named = keywords == nullptr ? 0 : python::tuple_size(keywords);
        for (Py_ssize_t i = 0; i < named; ++i)
            if (!place(keywords, i, args[given + i], given, row)) return false;
        if (given > count) return too_many(given, count, 0);
        return fill(given, row);
    }
#endif

    /// The same where some arguments are gathered, which the row has references to.
    [[gnu::noinline]] WG_ONCE bool gather(PyObject *const *args, Py_ssize_t given, PyObject *keywords, PyObject **row) WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        const Py_ssize_t placed = std::min(given, most), named = keywords == nullptr ? 0 : python::tuple_size(keywords);
        for (Py_ssize_t i = 0; i < size(); ++i) row[i] = i < placed ? args[i] : nullptr;
        if (rest < 0 && given > most) return too_many(given, most, 0);
        if (rest >= 0) row[rest] = PyTuple_New(given - placed);
        if (others >= 0) row[others] = PyDict_New();
        bool is_fine = (rest < 0 || row[rest] != nullptr) && (others < 0 || row[others] != nullptr);
        for (Py_ssize_t i = placed; is_fine && rest >= 0 && i < given; ++i) is_fine = PyTuple_SetItem(row[rest], i - placed, Py_NewRef(args[i])) == 0;
        for (Py_ssize_t i = 0; is_fine && i < named; ++i) is_fine = place(keywords, i, args[given + i], placed, row);
        is_fine = is_fine && fill(placed, row);
        if (!is_fine) release(row);
        return is_fine;
    }
#endif

    /// Adds defaults to a row; false where an argument is missing.
    WG_ONCE bool fill(Py_ssize_t given, PyObject **row) WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        bool lacks = false;
        for (Py_ssize_t i = given; i < required; ++i) lacks = lacks || row[i] == nullptr;
        if (size() > required) {
            if (python::get(values) == nullptr && !evaluate()) return false;
            for (Py_ssize_t i = required; i < size(); ++i) {
                if (row[i] != nullptr) continue;
                PyObject *value = python::tuple_item(python::get(values), i - required);
                if (value == Py_NotImplemented) lacks = true;  // which no default is: it has to be given, by name
                else row[i] = value;
            }
        }
        return !lacks || missing(row);
    }
#endif

    /// Puts keyword number `i` into the row.
    WG_ONCE bool place(PyObject *keywords, Py_ssize_t i, PyObject *value, Py_ssize_t given, PyObject **row) WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        if (python::get(interned) == nullptr && !intern()) return false;
        PyObject *const keyword = python::tuple_item(keywords, i), *const *own = python::get(interned);
        const Py_ssize_t all = size();
        Py_ssize_t at = unnamed;
        while (at < all && own[at] != keyword) ++at;
        if (at == all)
            for (at = unnamed; at < all; ++at)
                if (PyUnicode_Compare(own[at], keyword) == 0) break;
        if (others >= 0 && (at == all || at == rest || at == others)) return PyDict_SetItem(row[others], keyword, value) == 0;
        if (at == rest || (at == all && !formerly(keyword, at))) {
            if (unnamed > 0 && !PyErr_Occurred() && names_unnamed(keywords)) return false;
            if (!PyErr_Occurred()) PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", name, keyword);
            return false;
        }
        if (at < given || row[at] != nullptr) {
            PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%s'", name, parameters[at]);
            return false;
        }
        row[at] = value;
        return true;
    }
#endif

    /// Whether keywords are those of parameters that are given without a name only, which it says then.
    WG_ONCE bool names_unnamed(PyObject *keywords) const WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        PyObject *const *own = python::get(interned);
        std::string listed;
        for (Py_ssize_t at = 0; at < unnamed; ++at)
            for (Py_ssize_t i = 0; i < python::tuple_size(keywords); ++i)
                if (PyUnicode_Compare(own[at], python::tuple_item(keywords, i)) == 0) listed += (listed.empty() ? "" : ", ") + std::string(parameters[at]);
        if (!listed.empty())
            PyErr_Format(PyExc_TypeError, "%s() got some positional-only arguments passed as keyword arguments: '%s'", name, listed.c_str());
        return !listed.empty();
    }
#endif

    /// Whether a parameter had this keyword formerly, and at which place; it says so in a warning, which may be an error.
    WG_ONCE bool formerly(PyObject *keyword, Py_ssize_t &at) const WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        if (former == nullptr) return false;
        for (at = 0; at < count; ++at)
            if (former[at] != nullptr && PyUnicode_CompareWithASCIIString(keyword, former[at]) == 0)
                return PyErr_WarnFormat(PyExc_DeprecationWarning, 1, "%s(): the argument '%s' is called '%s' now", name,
                                        former[at], parameters[at]) == 0;
        return false;
    }
#endif

    WG_ONCE bool intern() WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        std::vector<PyObject *> found;
        for (Py_ssize_t i = 0; i < size(); ++i) {
            found.push_back(PyUnicode_InternFromString(parameters[i]));
            if (found.back() == nullptr) return false;
        }
        PyObject **own = new PyObject *[found.size()];
        std::copy(found.begin(), found.end(), own);
        if (!python::set_once(interned, own)) delete[] own;  // another thread was first, with the same interned strs
        return true;
    }
#endif

    /// `named` are arguments that have to be named, and are.
    WG_ONCE bool too_many(Py_ssize_t given, Py_ssize_t positional, Py_ssize_t named) const WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        const Py_ssize_t highest = positional + implied, lowest = std::min(required, positional) + implied, all = given + implied;
        std::string more;
        if (named > 0)
            more = std::string(" positional argument") + (all == 1 ? "" : "s") + " (and " + std::to_string(named) + " keyword-only argument" +
                   (named == 1 ? "" : "s") + ")";
        const char *const were = all == 1 && named == 0 ? "was" : "were";
        if (highest == lowest)
            PyErr_Format(PyExc_TypeError, "%s() takes %zd positional argument%s but %zd%s %s given", name, highest, highest == 1 ? "" : "s", all,
                         more.c_str(), were);
        else
            PyErr_Format(PyExc_TypeError, "%s() takes from %zd to %zd positional arguments but %zd%s %s given", name, lowest, highest, all,
                         more.c_str(), were);
        return false;
    }
#endif

    WG_ONCE bool missing(PyObject *const *row) const WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        std::vector<const char *> absent, named;
        for (Py_ssize_t i = 0; i < size(); ++i)
            if (row[i] == nullptr) (i < most ? absent : named).push_back(parameters[i]);
        const bool is_named = absent.empty();
        if (is_named) absent.swap(named);
        std::string listed;
        for (std::size_t i = 0; i < absent.size(); ++i) {
            if (i > 0) listed += absent.size() == 2 ? " and " : i + 1 == absent.size() ? ", and " : ", ";
            listed += std::string("'") + absent[i] + "'";
        }
        PyErr_Format(PyExc_TypeError, "%s() missing %zd required %s argument%s: %s", name,
                     static_cast<Py_ssize_t>(absent.size()), is_named ? "keyword-only" : "positional", absent.size() == 1 ? "" : "s", listed.c_str());
        return false;
    }
#endif

    WG_ONCE bool evaluate() WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        PyObject *code = Py_CompileString(defaults, name, Py_eval_input);
        if (code == nullptr) return false;
        PyObject *locals = PyDict_New();
        PyObject *found = locals == nullptr ? nullptr : PyEval_EvalCode(code, package().globals, locals);
        Py_XDECREF(locals);
        Py_DECREF(code);
        if (found != nullptr && !python::set_once(values, found)) Py_DECREF(found);
        return found != nullptr;
    }
#endif
};

template <class... A, std::size_t... I>
bool take_all([[maybe_unused]] PackOf<std::index_sequence<I...>, A...> &taken, PyObject *const *args, const char *const *names) {
    return (packs::at<I>(taken).take(args[I], names[I]) && ...);
}
/// Calls `body` with what was taken.
template <class... A, std::size_t... I>
PyObject *with_all(PyObject *(*body)(PyObject *, A &...), PyObject *self, [[maybe_unused]] PackOf<std::index_sequence<I...>, A...> &taken) {
    return body(self, packs::at<I>(taken)...);
}

/// The result of a call that refused an argument, after the handles before it: a closed one is reported first.
[[gnu::cold, gnu::noinline]] inline PyObject *refused([[maybe_unused]] bool is_earlier) { return nullptr; }

/// Whether an argument that was taken is a closed handle after all, which is raised then; false for other arguments.
template <class A>
auto blame(const A &argument, const char *name, int) -> decltype(argument.blame(name)) {
    return argument.blame(name);
}

template <class A>
bool blame(const A &, const char *, long) {
    return false;
}

template <class... A, std::size_t... I>
[[gnu::cold]] bool blame_any([[maybe_unused]] PackOf<std::index_sequence<I...>, A...> &taken, const char *const *names) {
    return (blame(packs::at<I>(taken), names[I], 0) || ...);
}

/// What a call has gathered ends with it.
class Gathered {
public:
    Gathered(const Signature &signature, PyObject *const *row) : signature_(signature), row_(row) {}
    Gathered(const Gathered &) = delete;
    ~Gathered() {
        if (signature_.count < 0 && row_ != nullptr) signature_.release(row_);
    }

private:
    const Signature &signature_;
    PyObject *const *row_;
};

/// The thorough half of `call`.
template <class... A>
[[gnu::noinline]] PyObject *call_thoroughly(PyObject *(*body)(PyObject *, A &...), Signature &signature, PyObject *self,
                                            PyObject *const *args, Py_ssize_t given, PyObject *keywords) {
    PyObject *row[sizeof...(A)];
    try {
        PyObject *const *const all = signature.arrange(args, given, keywords, row);
        if (all == nullptr) return nullptr;
        const Gathered gathered(signature, all);
        Pack<A...> taken{};
        if (!take_all(taken, all, signature.parameters)) return refused(blame_any(taken, signature.parameters));
        return with_all(body, self, taken);
    }
    WG_RAISED
}

/// Whether an argument of this class can be taken by looking at the object alone, which calls nothing and throws nothing.
template <class A, class = void>
struct HasGlance : std::false_type {};
template <class A>
struct HasGlance<A, std::void_t<decltype(std::declval<A &>().glance(nullptr))>> : std::true_type {};

template <class... A, std::size_t... I>
bool glance_at_all([[maybe_unused]] PackOf<std::index_sequence<I...>, A...> &taken, PyObject *const *args) {
    return (packs::at<I>(taken).glance(args[I]) && ...);
}

/// Calls `body` with its arguments converted. One for all functions with such arguments: it is most of their code. What most
/// calls have is taken without a call on the way, so that nothing has to be saved for one.
template <class... A>
[[gnu::noinline]] PyObject *call(PyObject *(*body)(PyObject *, A &...), Signature &signature, PyObject *self,
                                 PyObject *const *args, Py_ssize_t given, PyObject *keywords) {
    if constexpr ((HasGlance<A>::value && ...)) {
        if (signature.is_row(given, keywords)) {
            try {
                Pack<A...> taken{};
                if (glance_at_all(taken, args)) return with_all(body, self, taken);
            }
            WG_RAISED
        }
    }
    return call_thoroughly(body, signature, self, args, given, keywords);
}

/// The same where all arguments but the first `most` are given by name only.
template <Py_ssize_t most, class... A>
PyObject *call_by_name(PyObject *(*body)(PyObject *, A &...), Signature &signature, PyObject *self, PyObject *const *args, Py_ssize_t given,
                       PyObject *keywords) {
    if (given <= most) return call(body, signature, self, args, given, keywords);
    PyObject *row[sizeof...(A)];
    signature.refuse(args, given, keywords, most, row);
    return nullptr;
}

}  // namespace wg::cpython

#endif  // WG_CPYTHON_CALLS_HPP
