// Structs as arguments of calls by name: as they are, or by their address.
// Static: the same for all packages. Included by generated C++ only, where a call has such an argument.
#ifndef WG_TYPES_STRUCT_ARGUMENTS_HPP
#define WG_TYPES_STRUCT_ARGUMENTS_HPP

#include "wg/types/structs.hpp"

namespace wg {

/// Stands for a struct, or one that may be missing: itself where the call takes that, else its address.
template <class V, bool may_change>
struct SomeStruct {};
template <class V, bool may_change>
constexpr bool is_maybe<SomeStruct<V, may_change>> = true;
template <class V, bool may_change>
struct AsOptional<SomeStruct<V, may_change>> {
    using type = V &&;
};

/// The address of a struct, or null where there is none.
template <class V, bool may_change>
class StructPointer {
public:
    using S = typename RawOf<V>::type;

    StructPointer(V &value) : value_(&value) {}
    StructPointer(std::optional<V> &value) : value_(value ? &*value : nullptr) {}

    template <class P, class = std::enable_if_t<std::is_same_v<P, const S *> || (may_change && std::is_same_v<P, S *>)>>
    operator P() const {
        return value_;
    }

protected:
    S *value_;
};
/// The same where there is one: also by reference, or by value beside others by address.
template <class V, bool may_change>
struct StructAddress : StructPointer<V, may_change> {
    using StructPointer<V, may_change>::StructPointer;

    template <class R, class = std::enable_if_t<std::is_same_v<std::remove_const_t<R>, typename RawOf<V>::type>>>
    operator R &() const {
        return *this->value_;
    }
};
template <class V>
struct StructAddress<V, false> : StructPointer<V, false> {
    using StructPointer<V, false>::StructPointer;

    template <class R, class = std::enable_if_t<std::is_same_v<R, typename RawOf<V>::type>>>
    operator const R &() const {
        return *this->value_;
    }
    /// By value: no compiler deduces the reference above for a parameter that is none.
    operator typename RawOf<V>::type() const {
        return *this->value_;
    }
};
template <class V, bool may_change>
struct AsAddress<SomeStruct<V, may_change>> {
    using type = StructAddress<V, may_change> &&;
};
template <class S, bool may_change>
struct AsAddress<SomeStruct<std::optional<S>, may_change>> {
    using type = StructPointer<S, may_change> &&;
};

/// A struct, or one that may be missing. What a call changes in it is lost: it is a copy.
template <class V, bool may_change>
struct StructIn {
    using Asked = SomeStruct<V, may_change>;
    using ByAddress = std::remove_reference_t<typename AsAddress<Asked>::type>;
    V &value;

    template <class Whole, class Given, std::size_t At>
    decltype(auto) given() const {
        if constexpr (std::is_same_v<Nth<Given, At>, V &&>)
            return static_cast<V &&>(value);
        else
            return ByAddress(value);
    }
};
template <bool may_change, class V>
StructIn<V, may_change> struct_in(V &value) {
    return {value};
}

}  // namespace wg

#endif  // WG_TYPES_STRUCT_ARGUMENTS_HPP
