// Where C++ values are made of Python's (wg/calls/from_python_values.hpp): arguments, results of callables, fields.
// Static: the same for all packages. Included by generated C++ only, of specs that say how to make some.
#ifndef WG_CALLS_FROM_PYTHON_ARGUMENTS_HPP
#define WG_CALLS_FROM_PYTHON_ARGUMENTS_HPP

#include "wg/calls/from_python_values.hpp"

namespace wg {

// --- arguments ------------------------------------------------------------------------------------

/// In a namespace without functions, and no template itself: C++ looks for functions of the user's names around what they are called with.
namespace stand_ins {
template <class V>
struct For {
    /// Stands for a value, or one that may be missing, and for the C++ value that is made of it: that one, or its address.
    class Represents {
    public:
        Represents(const V &value, const char *name) : value_(value), name_(name) {}
        Represents(Represents &&) = default;

        template <class P, class T = std::remove_cv_t<std::remove_pointer_t<P>>, class = std::enable_if_t<std::is_pointer_v<P> && is_made_of<T, V>()>>
        operator P() const {
            if constexpr (is_optional<V>::value)
                if constexpr (!std::is_same_v<V, typename Reader<T, V>::wg_Value>)
                    if (!value_) return nullptr;
            return &whole<T>();
        }
        template <class T, class = std::enable_if_t<has_made_of<std::remove_const_t<T>, V>()>>
        operator T &() const {
            return whole<std::remove_const_t<T>>();
        }

    private:
        template <class T>
        T &whole() const {
            MadeMemory &kept = CallMemory::current();
            Making making(kept);
            T found = made<T>(value_, making, Where(name_));
            return keep(kept, std::move(found));
        }

        const V &value_;
        const char *name_;
    };
};

/// A number, as code has it.
template <class V>
class Plain {
public:
    explicit Plain(const V &value) : value_(value) {}
    operator const V &() const { return value_; }

private:
    V value_;
};
/// A value as code of the spec has it, which is taken for the C++ value that is made of it, too, or its address.
template <class V>
class AlsoMade : public std::conditional_t<std::is_class_v<V>, V, Plain<V>> {
    using Own = std::conditional_t<std::is_class_v<V>, V, Plain<V>>;

public:
    AlsoMade(const V &value, const char *name) : Own(value), name_(name) {}

    template <class P, class T = std::remove_cv_t<std::remove_pointer_t<P>>, class = std::enable_if_t<std::is_pointer_v<P> && is_made_of<T, V>()>>
    operator P() const {
        return typename For<V>::Represents(*this, name_);
    }
    template <class T, class = std::enable_if_t<has_made_of<std::remove_const_t<T>, V>()>>
    operator T &() const {
        return typename For<V>::Represents(*this, name_);
    }

private:
    const char *name_;
};
}  // namespace stand_ins
template <class V>
using Represents = typename stand_ins::For<V>::Represents;

/// For an expression, and for an operator of C++.
template <class V>
using AlsoMade = stand_ins::AlsoMade<V>;
namespace hidden {  // from argument-dependent lookup: a library may have a function of this name
template <class V>
AlsoMade<V> also_made(const V &value, const char *name) {
    return {value, name};
}
}  // namespace hidden
using namespace hidden;
/// As a result it is the value itself.
template <class V>
struct Representation<stand_ins::AlsoMade<V>> {
    template <class>
    using MadeBy = void;
    template <class To>
    static constexpr bool gives = true;
    template <class To>
    static To to(const V &value) { return wg::convert<To>(value); }
};

/// Stands in a list of types for what is `Asked` of such an argument: the value itself where the call takes that.
template <class Asked, class V>
struct SomeRepresented {};
template <class Asked, class V>
constexpr bool is_maybe<SomeRepresented<Asked, V>> = true;
template <class Asked, class V>
struct AsOptional<SomeRepresented<Asked, V>> {
    using type = Asked;
};
template <class Asked, class V>
struct AsAddress<SomeRepresented<Asked, V>> {
    using type = Represents<V> &&;
};

template <class V, class In>
struct RepresentedIn {
    using Asked = SomeRepresented<typename In::Asked, V>;
    In in;
    Represents<V> made;

    template <class Whole, class Given, std::size_t At>
    decltype(auto) given() {
        if constexpr (std::is_same_v<Nth<Given, At>, Represents<V> &&>) return std::move(made);
        else return in.template given<Whole, Given, At>();
    }
};
template <class V, class In>
RepresentedIn<std::remove_cv_t<V>, In> represented_in(V &value, const char *name, In &&in) {
    return {std::move(in), Represents<std::remove_cv_t<V>>(value, name)};
}
template <class V, class In>
auto parts_of(RepresentedIn<V, In> &&in, std::true_type) {
    return parts_of(std::move(in.in), std::true_type());
}
template <class V, class In>
constexpr bool is_text_in<RepresentedIn<V, In>> = is_text_in<In>;
template <class V, class In>
constexpr bool is_row_in<RepresentedIn<V, In>> = is_row_in<In>;

/// The same for argument `At` of a lambda, which is asked for by its own type; `plain` gives the value itself.
template <class Given, std::size_t At, class V, class Plain>
decltype(auto) represented([[maybe_unused]] V &value, [[maybe_unused]] const char *name, [[maybe_unused]] Plain &&plain) {
    using R = Represents<std::remove_cv_t<V>>;
    if constexpr (std::is_same_v<Nth<Given, At>, R &&>) return R(value, name);
    else return plain();
}

/// For a body: with others in it made already.
template <class V>
typename InCpp<V>::type in_body(const V &value, const char *name) {
    Making making(CallMemory::current());
    return made<typename InCpp<V>::type>(value, making, Where(name));
}

// --- results of callables --------------------------------------------------------------------------

/// It is valid until the callable is called again.
template <class W, class V>
struct MadeAnswer<W, V, std::enable_if_t<has_made_of<std::remove_cv_t<std::remove_pointer_t<W>>, V>()>> : std::true_type {
    static W get(V &value, MadeMemory &kept, const Where &where) {
        kept.clear();
        const V &own = keep(kept, std::move(value));
        Making making(kept);
        using T = std::remove_cv_t<std::remove_pointer_t<W>>;
        if constexpr (std::is_pointer_v<W> && !has_made_of<W, V>()) {
            if constexpr (is_optional<V>::value && !std::is_same_v<V, typename Reader<T, V>::wg_Value>)
                if (!own) return nullptr;
            return &keep(kept, made<T>(own, making, where));
        } else {
            return made<W>(own, making, where);
        }
    }
};

/// What C++ gets of it where it wants nothing else (wg/callbacks/callbacks.hpp).
template <class D>
struct Natural;
template <class R>
struct Natural<types::Recursive<R>> {
    using type = typename R::Cpp;
};

// --- fields ---------------------------------------------------------------------------------------

template <class F, class M>
constexpr bool is_made_field = std::is_class_v<M> && has_made_of<M, Value<typename F::Type>>();

template <class F, class S, class M>
struct KeepsWhatIsSet<F, S, M, std::enable_if_t<is_made_field<F, M>>> : std::true_type {};

template <class F, class M>
struct Member<F, M, std::enable_if_t<is_made_field<F, M>>> {
    template <class S>
    static Value<typename F::Type> read(S &from) {
        return wg::convert<Value<typename F::Type>>(F::of(from));
    }
    template <class S>
    static void write(S &to, Value<typename F::Type> &&value) {
        const auto &own = to.keep(std::move(value));
        Making making(to.kept);
        F::of(to) = made<M>(own, making, Where(F::name));
    }
};

}  // namespace wg

#endif  // WG_CALLS_FROM_PYTHON_ARGUMENTS_HPP
