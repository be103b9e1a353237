// Methods of structs: calls of members, with each number as the member takes it.
// Static: the same for all packages. Included by generated C++ only, of specs whose structs have methods.
#ifndef WG_CALLS_RECORD_METHODS_HPP
#define WG_CALLS_RECORD_METHODS_HPP

#include "wg/calls/argument_candidates.hpp"
#include "wg/types/structs.hpp"

#define WG_CALLED(name)                                                                                                        \
    [](auto &wg_s, auto &&...wg_a) -> decltype(wg_s.name WG_NOT_EXPANDED(static_cast<decltype(wg_a)>(wg_a)...)) {              \
        return wg_s.name WG_NOT_EXPANDED(static_cast<decltype(wg_a)>(wg_a)...);                                                \
    }

/// What `&S::name` is, where that is one member.
#define WG_RECORD_MEMBER(name) [](auto *wg_s) -> decltype(&std::remove_pointer_t<decltype(wg_s)>::name) { return nullptr; }

namespace wg {

/// A call of a member, and the member where it is one alone, as `WG_RECORD_MEMBER` tells it.
template <class M, class C>
struct RecordMethod : C {
    using Member = M;
    explicit RecordMethod(C &&call) : C(std::move(call)) {}
    using C::operator();
};
template <class M, class C>
RecordMethod<M, C> record_method(const M &, C &&call) {
    return RecordMethod<M, C>(std::move(call));
}

template <class M>
struct is_const_member : std::false_type {};
template <class R, class S, class... A>
struct is_const_member<R (S::*)(A...) const> : std::true_type {};
template <class R, class S, class... A>
struct is_const_member<R (S::*)(A...) const noexcept> : std::true_type {};

/// Whether the code of a method calls a member that cannot change the struct: a const one, beside which there is no other.
template <class Code, class S, class = void>
struct LeavesAsIs : std::false_type {};
template <class Code, class S>
struct LeavesAsIs<Code, S, std::void_t<std::invoke_result_t<typename Code::Member, S *>>> : is_const_member<std::invoke_result_t<typename Code::Member, S *>> {};

/// The C++ struct of a record; anything else as it is.
template <class T>
auto &raw(T &value) {
    return static_cast<std::conditional_t<std::is_const_v<T>, const typename RawOf<std::remove_const_t<T>>::type, typename RawOf<T>::type> &>(value);
}

/// Whether a call compiles, whatever it gives: what probes are asked.
template <class Way>
struct Probing {
    template <class... A>
    auto operator()(A &&...a) const -> decltype(static_cast<void>(std::declval<const Way &>()(static_cast<A &&>(a)...)));
};

/// One argument: a number as wide as the member takes it, or refused.
template <class Way, class Row, std::size_t At, class T>
decltype(auto) given_to_member(T &value, [[maybe_unused]] const char *name) {
    if constexpr (std::is_arithmetic_v<T>)
        return number_given<Way, Row, At>(value, name);
    else
        return (raw(value));
}

template <class Way, class S, class... A, std::size_t... i>
decltype(auto) call_member_with(S &self, const Way &way, const char *const *names, std::index_sequence<i...>, A &...given) {
    static_cast<void>(names);
    return way(self, given_to_member<Probing<Way>, Given<S &, A &...>, i + 1>(given, names[i])...);
}

/// Calls a member; `names` are those of the parameters.
template <std::size_t count, class Way, class S, class... A>
decltype(auto) call_member(S &self, const Way &way, const char *const (&names)[count], A &&...given) {
    return call_member_with(self, way, names, std::make_index_sequence<count>(), given...);
}
template <std::size_t, class Way, class S>
decltype(auto) call_member(S &self, const Way &way, std::initializer_list<const char *>) {
    return way(self);
}

}  // namespace wg

#endif  // WG_CALLS_RECORD_METHODS_HPP
