// What C calls a callable with as an address and a length: bytes, numbers, texts.
// Static: the same for all packages. Included by generated C++ of specs with callables.
#ifndef WG_CALLBACKS_CALLBACK_ROWS_HPP
#define WG_CALLBACKS_CALLBACK_ROWS_HPP

#include <stdexcept>
#include <string>
#include <type_traits>

#include "wg/conversion/containers.hpp"

namespace wg {

/// Whether values of this type lie in a row, which C has as an address and a length.
template <class D>
constexpr bool lies_in_a_row = false;
template <>
inline constexpr bool lies_in_a_row<types::Text> = true;
template <>
inline constexpr bool lies_in_a_row<types::Bytes> = true;
template <class T>
constexpr bool lies_in_a_row<types::List<types::Number<T>>> = !std::is_same_v<T, bool>;
template <class C>
constexpr bool points_to_object = std::is_pointer_v<std::decay_t<C>> && std::is_class_v<std::remove_cv_t<std::remove_pointer_t<std::decay_t<C>>>>;
/// Whether it is the address of texts of C: `char **`, with `const` anywhere.
template <class C>
constexpr bool points_to_texts = std::is_convertible_v<std::decay_t<C>, const char *const *> && std::is_pointer_v<std::decay_t<C>>;
/// Whether texts lie in a row, each as C++ spells it.
template <class D, class C>
constexpr bool are_texts = false;
template <class C>
constexpr bool are_texts<types::List<types::Text>, C> = points_to_object<C> || points_to_texts<C>;
template <class C>
constexpr bool are_texts<types::List<types::Optional<types::Text>>, C> = points_to_texts<C>;
template <class C>
constexpr bool are_texts<types::List<types::Bytes>, C> = points_to_object<C>;
/// Whether it is the address of what stands for a `V`, as `types` says.
template <class C, class V>
constexpr bool points_to_represented() {
    using T = std::decay_t<C>;
    if constexpr (std::is_pointer_v<T> && !Representation<T>::template gives<V>)
        return is_represented<std::remove_cv_t<std::remove_pointer_t<T>>>::value || Representation<std::remove_cv_t<std::remove_pointer_t<T>>>::template gives<V>;
    else
        return false;
}
/// Whether such values lie in a row: the elements of a list.
template <class D, class C>
constexpr bool are_represented = false;
template <class D, class C>
constexpr bool are_represented<types::List<D>, C> = points_to_represented<C, Value<D>>();
template <class D>
struct ElementIn;
template <class D>
struct ElementIn<types::List<D>> {
    using type = D;
};

namespace hidden {  // from argument-dependent lookup: a library may have a function of this name
/// The length that C gives with an address.
template <class P, class N>
std::size_t length_of([[maybe_unused]] const P &first, const N &length) {
    if constexpr (std::is_signed_v<N>)
        if (length < 0) throw Own<std::invalid_argument>("the library gave a negative length");
    if constexpr (std::is_pointer_v<P>)
        if (first == nullptr && length != 0) throw Own<std::invalid_argument>("the library gave a length and a null pointer");
    return static_cast<std::size_t>(length);
}
}  // namespace hidden
using namespace hidden;

/// Elements in a row as a `D`.
template <class D, class P>
Value<D> run_of(P first, std::size_t size) {
    if constexpr (are_represented<D, P>) {
        using T = std::remove_cv_t<std::remove_pointer_t<P>>;
        Value<D> found;
        for (std::size_t i = 0; i < size; ++i) found.push_back(Representation<T>::template read_any<Value<typename ElementIn<D>::type>>(first[i]));
        return found;
    } else if constexpr (are_texts<D, P>) {
        Value<D> found;
        for (std::size_t i = 0; i < size; ++i) found.push_back(AsDeclared<typename ElementIn<D>::type>()(first[i]));
        return found;
    } else if constexpr (std::is_same_v<Value<D>, std::string>)
        return size == 0 ? std::string() : std::string(reinterpret_cast<const char *>(first), size);
    else
        return size == 0 ? Value<D>() : Value<D>(first, first + size);
}

}  // namespace wg

#endif  // WG_CALLBACKS_CALLBACK_ROWS_HPP
