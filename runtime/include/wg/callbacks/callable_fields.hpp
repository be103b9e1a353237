// Callables in the fields of structs: a std::function, or a function pointer of C with its user data in another member.
// Static: the same for all packages. Included by generated C++ only, of specs with such structs.
#ifndef WG_CALLBACKS_CALLABLE_FIELDS_HPP
#define WG_CALLBACKS_CALLABLE_FIELDS_HPP

#include "wg/callbacks/callables_within.hpp"
#include "wg/types/fields.hpp"

namespace wg {

template <class D>
struct DescribedBy;
template <class F, bool is_optional>
struct DescribedBy<types::Function<F, is_optional>> {
    using type = F;
};

/// Whether a member of the struct has the user data of a field.
template <class F, class S, class = void>
struct has_data_member : std::false_type {};
template <class F, class S>
struct has_data_member<F, S, std::void_t<decltype(F::user_data_of(std::declval<S &>()))>> : std::true_type {};

/// A std::function: whatever the result of the callable is, so that what it makes of that tells in words of ours what it cannot.
template <class F, class R, class... C>
struct Member<F, std::function<R(C...)>, std::void_t<typename DescribedBy<typename F::Type>::type>> {
    template <class S>
    static Value<typename F::Type> read(S &from) {
        return wg::convert<Value<typename F::Type>>(F::of(from));
    }
    template <class S>
    static void write(S &to, Value<typename F::Type> &&value) {
        if constexpr (Taking<typename DescribedBy<typename F::Type>::type::Listed, C...>::is_clear()) F::of(to) = function_of<R, C...>(value.callable());
        else assign(F::of(to), std::move(value), F::name);
    }
};

/// A function pointer. The struct keeps the callable, and copies of it do; several may have their user data in one member.
template <class F, class R, class... C>
struct Member<F, R (*)(C...)> {
    using Described = typename DescribedBy<typename F::Type>::type;

    /// A struct of C's has no callables of Python's.
    template <class S>
    static Value<typename F::Type> read(const S &) {
        return {};
    }

    template <class S>
    static void write(S &to, Value<typename F::Type> &&value) {
        static_assert(is_for_c<Described>, "wrapper-gen: the spec does not say how long C calls a callable of this struct: say scope: call, once or object on the field");
        F::of(to) = nullptr;
        if (!value) return;
        const Callable<Described> &callable = to.keep(std::move(value)).callable();
        if constexpr (has_data_member<F, S>::value) {
            static_assert(has_user_data<Described, C...> && Trampoline<Described, R, C...>::is_clear(),
                          "wrapper-gen: the callable of this field is not clear: with `user_data`, C calls it with one void * and what its type says");
            F::of(to) = Trampoline<Described, R, C...>::checked();
            set_user_data(F::user_data_of(to), *callable.target());
        } else {
            static_assert(!has_user_data<Described, C...>, "wrapper-gen: say which member of the struct has the user data of this field: user_data: MEMBER");
            F::of(to) = callable;
        }
    }

private:
    /// Its number, or that of the first of those that share it: the struct is a copy of one that had none.
    template <class P>
    static void set_user_data(P &data, Target &target) {
        static_assert(std::is_same_v<P, void *> || std::is_same_v<P, const void *>, "wrapper-gen: the member that `user_data` names is no void *");
        auto first = reinterpret_cast<std::uintptr_t>(data);
        if ((first & 1) == 0) {
            first = Registry::instance().reserve(F::sharing);
            data = reinterpret_cast<void *>(first);
        }
        target.take_token(first + 2 * Described::place);
    }
};

}  // namespace wg

#endif  // WG_CALLBACKS_CALLABLE_FIELDS_HPP
