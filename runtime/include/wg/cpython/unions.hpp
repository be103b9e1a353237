// Unions between Python and C++.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_CPYTHON_UNIONS_HPP
#define WG_CPYTHON_UNIONS_HPP

#include "wg/cpython/maps.hpp"

namespace wg::cpython {

/// As of several functions of one name, what fits best: exact types, then what converts to a number of the same sort, then an int as a float, then
/// whatever converts; of those that fit as well, the first. A number of the right type that does not fit is refused, and never becomes a value of
/// another type.
template <class... D>
struct FromPython<types::Union<D...>> {
    using Out = Value<types::Union<D...>>;
    static inline const std::string wanted = [] {
        std::string all;
        std::size_t i = 0;
        ((all += (i == 0 ? "" : i + 1 == sizeof...(D) ? " or " : ", "), all += FromPython<D>::wanted, ++i), ...);
        return all;
    }();

    static bool quick(PyObject *value, Out &out, bool = false) { return quick(value, out, std::index_sequence_for<D...>()); }

    static bool take(PyObject *value, Out &out, Call &call) {
        const bool was_strict = call.is_strict, was_choosing = std::exchange(call.is_choosing, true);
        const bool had_misfit = std::exchange(call.has_misfit, false);
        const int most = call.worst_fit;
        std::unique_ptr<Refusal> worst;
        bool good = false;
        for (int fit = 1; fit <= most && !good; ++fit) {
            call.is_strict = fit == 1;
            call.worst_fit = fit;
            worst.reset();
            good = attempt(value, out, call, worst, std::index_sequence_for<D...>());
            if (call.has_raised() || (worst && worst->reason != Refusal::Reason::type && worst->reason != Refusal::Reason::size)) break;
        }
        call.is_strict = was_strict;
        call.worst_fit = most;
        call.is_choosing = was_choosing;
        call.has_misfit = had_misfit;
        if (good || call.has_raised()) return good;
        if (!worst || (worst->path.empty() && worst->reason == Refusal::Reason::type)) return call.refuse(wanted, value);
        call.blame(std::move(worst));
        return false;
    }

private:
    template <std::size_t... I>
    static bool quick(PyObject *value, Out &out, std::index_sequence<I...>) {
        return (FromPython<D>::quick(value, out.template emplace<I>(), true) || ...);
    }
    template <std::size_t... I>
    static bool attempt(PyObject *value, Out &out, Call &call, std::unique_ptr<Refusal> &worst, std::index_sequence<I...>) {
        return (attempt_one<D>(value, out.template emplace<I>(), call, worst) || ...);
    }
    template <class A, class T>
    static bool attempt_one(PyObject *value, T &out, Call &call, std::unique_ptr<Refusal> &worst) {
        if (call.has_raised()) return false;
        if (from_python<A>(value, out, call)) return true;
        std::unique_ptr<Refusal> refusal = call.take_refusal();
        // the refusal with the longest path is reported; of those, one of a value of the right type
        const auto rank = [](const Refusal &r) { return 2 * r.path.size() + (r.reason != Refusal::Reason::type); };
        if (refusal && (!worst || rank(*refusal) > rank(*worst))) worst = std::move(refusal);
        return false;
    }
};

template <class... D>
struct ToPython<types::Union<D...>> {
    template <class V>
    static PyObject *give(V &value, const Owners &owners) {
        return give(value, owners, std::index_sequence_for<D...>());
    }

private:
    template <class V, std::size_t... I>
    static PyObject *give(V &value, const Owners &owners, std::index_sequence<I...>) {
        PyObject *out = nullptr;
        static_cast<void>(((value.index() == I && ((out = ToPython<D>::give(*std::get_if<I>(&value), owners)), true)) || ...));
        return out;
    }
};

template <class... D>
struct IsContainer<types::Union<D...>> : std::disjunction<IsContainer<D>...> {};

}  // namespace wg::cpython

#endif  // WG_CPYTHON_UNIONS_HPP
