// Lists of texts and handles as arguments of calls by name: as they are, or one after the other, as C has them, with a length.
// Static: the same for all packages. Included by generated C++ only, where a call has such an argument.
#ifndef WG_CALLS_LIST_ARGUMENTS_HPP
#define WG_CALLS_LIST_ARGUMENTS_HPP

#include "wg/base/once.hpp"
#include "wg/calls/argument_candidates.hpp"
#include "wg/ownership/handle_arguments.hpp"

namespace wg {

/// A type of pointers as it is without any `const`.
template <class T>
struct Mutable {
    using type = std::remove_const_t<T>;
};
template <class T>
struct Mutable<T *> {
    using type = typename Mutable<T>::type *;
};
template <class T>
struct Mutable<T *const> : Mutable<T *> {};

/// The address of elements that were made for the call, wherever C has a `const`: it may change them.
template <class T>
struct ElementsAddress {
    T *first;
    template <class P, class = std::enable_if_t<std::is_pointer_v<P> && std::is_same_v<typename Mutable<P>::type, typename Mutable<T *>::type>>>
    operator P() const {
        return const_cast<P>(first);
    }
};
template <class T>
struct ElementsIn {
    using Asked = ElementsAddress<T> &&;
    std::vector<T> values;

    template <class Whole, class Given, std::size_t At>
    ElementsAddress<T> given() {
        return {values.data()};
    }
};

/// A list of handles: what they hold, in a vector, or one after the other. Smart pointers may become others in a container of these.
template <class T>
struct HandlesIn {
    static constexpr bool may_become_others = is_list<std::vector<T>>::value;
    using Asked = std::conditional_t<may_become_others, AlsoFitted<std::vector<T>> &&, std::vector<T> &&>;
    std::vector<T> values;
    const char *name;
    const char *length;

    template <class Whole, class Given, std::size_t At>
    decltype(auto) given() {
        if constexpr (may_become_others)
            return compound<Whole, Whole, Given, At>(values, name);
        else
            return std::move(values);
    }
};
template <class H>
HandlesIn<std::remove_cv_t<decltype(H::inner)>> list_in(const Handles<H> &handles, const char *name, const char *length) {
    return {handles.inners(), name, length};
}

/// A list of texts: itself, or their addresses one after the other.
struct TextsIn {
    using Asked = const std::vector<std::string> &;
    Asked values;
    const char *name;
    const char *length;

    template <class Whole, class Given, std::size_t At>
    Asked given() const {
        return values;
    }
};
inline TextsIn list_in(const std::vector<std::string> &texts, const char *name, const char *length) {
    return {texts, name, length};
}
/// The addresses of texts, and a null pointer after the last: some of C's functions count, and others look for it.
WG_ONCE std::vector<const char *> c_texts(const std::vector<std::string> &texts, const char *name) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    std::vector<const char *> out;
    out.reserve(texts.size() + 1);
    for (const std::string &each : texts) out.push_back(c_text(each, name));
    out.push_back(nullptr);
    return out;
}
#endif

namespace hidden {  // from argument-dependent lookup: a library may have a function of this name
/// A list without its length, which stands elsewhere in the call.
template <class H>
ElementsIn<std::remove_cv_t<decltype(H::inner)>> address_in(const Handles<H> &handles, const char *) {
    return {handles.inners()};
}
inline ElementsIn<const char *> address_in(const std::vector<std::string> &texts, const char *name) { return {c_texts(texts, name)}; }
}  // namespace hidden
using namespace hidden;

/// A list of texts as the type that the spec says: their addresses, and a null pointer after the last.
template <class To>
struct EndedTextsIn {
    static_assert(std::is_same_v<typename Mutable<To>::type, char **>, "wrapper-gen: a list of texts is passed as their addresses: `as: const char *const *`");
    using Asked = To &&;
    std::vector<const char *> values;

    template <class Whole, class Given, std::size_t At>
    To given() {
        return const_cast<To>(values.data());
    }
};
template <class To>
EndedTextsIn<To> cast_in(const std::vector<std::string> &texts, const char *name) {
    return {c_texts(texts, name)};
}
/// What it is to C++, where the call has both: an address and a length.
template <class T>
Pack<ElementsIn<T>, LengthIn> parts_of(HandlesIn<T> &&in, std::true_type) {
    const std::size_t size = in.values.size();
    return {{{std::move(in.values)}}, {{size, in.length}}};
}
inline Pack<ElementsIn<const char *>, LengthIn> parts_of(TextsIn &&in, std::true_type) {
    return {{{c_texts(in.values, in.name)}}, {{in.values.size(), in.length}}};
}

template <class T>
constexpr bool is_row_in<HandlesIn<T>> = true;
template <>
inline constexpr bool is_row_in<TextsIn> = true;

}  // namespace wg

#endif  // WG_CALLS_LIST_ARGUMENTS_HPP
