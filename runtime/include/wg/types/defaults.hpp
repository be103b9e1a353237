// Options that may be left out, and whose defaults are in C++ only.
// Static: the same for all packages. Included by generated C++ only, for specs with such parameters.
#ifndef WG_TYPES_DEFAULTS_HPP
#define WG_TYPES_DEFAULTS_HPP

#include "wg/types/structs.hpp"

namespace wg {

namespace types {

/// As an optional value, whose word for nothing is `...` in Python.
template <class D>
struct OrDefault : Optional<D> {};

}  // namespace types

template <class D>
struct Wire<types::OrDefault<D>> : Wire<types::Optional<D>> {};

/// Puts an option that a call gives into the member that has it. What a pointer or a view refers to is valid for the call.
template <class M, class O>
void set_option(M &member, O &given, const char *name) {
    using V = typename O::value_type;
    if (!given) return;
    if constexpr (std::is_const_v<M>)
        return;  // which is an error at the field's own line
    else if constexpr (std::is_same_v<M, V>)
        member = *given;
    else if constexpr (std::is_same_v<M, const char *> && std::is_same_v<V, std::string>)
        member = c_text(*given, name);
    else if constexpr (is_view_of_memory<M>::value && std::is_convertible_v<V &, M>)
        member = *given;
    else if constexpr (std::is_array_v<M>)
        static_assert(always_false<M>::value, "wrapper-gen: a member that is an array cannot be an option: let the call take the struct, as in options: Opts without **");
    else
        assign(member, *given, name);
}
/// The same for what a handle holds, or for a pointer to that. Where there is none, the member keeps what it has.
template <class M, class H>
void set_option(M &member, H *&given, const char *) {
    if (given == nullptr) return;
    if constexpr (std::is_const_v<M>)
        return;
    else if constexpr (std::is_assignable_v<M &, decltype((given->inner))>)
        member = given->inner;
    else if constexpr (std::is_assignable_v<M &, decltype(given->inner.get())>)
        member = given->inner.get();
    else
        member = &given->inner;
}

}  // namespace wg

#endif  // WG_TYPES_DEFAULTS_HPP
