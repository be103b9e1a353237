// C++ values that stand for values of Python's (wg/types/representations.hpp), made for a call, a field, or what a callable returns.
// Static: the same for all packages. Included by generated C++ only, of specs that say how to make some.
#ifndef WG_CALLS_FROM_PYTHON_VALUES_HPP
#define WG_CALLS_FROM_PYTHON_VALUES_HPP

#include <memory>

#include "wg/calls/argument_candidates.hpp"
#include "wg/types/recursive.hpp"
#include "wg/types/structs.hpp"

namespace wg {

/// What made values point to, for as long as they are used.
using MadeMemory = std::vector<std::shared_ptr<void>>;

template <class T>
T &keep(MadeMemory &kept, T &&value) {
    auto made = std::make_shared<T>(std::move(value));
    kept.push_back(made);
    return *made;
}
template <class T>
T *keep_array(MadeMemory &kept, std::size_t count) {
    std::shared_ptr<T[]> made(new T[count]());
    kept.push_back(made);
    return made.get();
}

// --- what can be made -----------------------------------------------------------------------------

/// What makes a `T` of a `V`, as generated code says: void where `T` is none that `types` names.
template <class T, class V>
using Reader = typename Representation<T>::template MadeBy<V>;

template <class V>
constexpr bool is_characters = std::is_convertible_v<const V &, std::string_view>;

/// Whether the spec says how a `T` is made of a `V`.
template <class T, class V>
constexpr bool is_made_of() {
    using R = Reader<T, V>;
    if constexpr (std::is_void_v<R>) {
        return false;
    } else if constexpr (!R::wg_can_be_made) {
        return false;
    } else {
        using Own = typename R::wg_Value;
        if constexpr (std::is_same_v<V, Own> || (is_characters<V> && is_characters<Own>)) return true;
        else if constexpr (is_optional<V>::value) return is_made_of<T, typename V::value_type>();
        else return false;
    }
}

template <class V>
struct is_python_map : std::false_type {};
template <class K, class U>
struct is_python_map<Map<K, U>> : std::true_type {};
template <class V>
struct is_python_set : std::false_type {};
template <class E>
struct is_python_set<Set<E>> : std::true_type {};

template <class T, class = void>
struct has_elements : std::false_type {};
template <class T>
struct has_elements<T, std::void_t<typename T::value_type, decltype(std::declval<T &>().insert(std::declval<T &>().end(), std::declval<typename T::value_type>()))>>
    : std::negation<std::is_same<typename T::value_type, char>> {};

template <class T>
struct is_two : std::false_type {};
template <class A, class B>
struct is_two<std::pair<A, B>> : std::true_type {};

/// Whether a `T` is made of a `V`, or has elements that are.
template <class T, class V>
constexpr bool has_made_of();

template <class T, class V, std::size_t... I>
constexpr bool some_made(std::index_sequence<I...>) {
    return (has_made_of<std::tuple_element_t<I, T>, std::tuple_element_t<I, V>>() || ...);
}

template <class T, class V>
constexpr bool has_made_of() {
    if constexpr (is_made_of<T, V>()) {
        return true;
    } else if constexpr (is_python_map<V>::value && has_elements<T>::value) {
        using E = typename T::value_type;
        if constexpr (is_two<E>::value)
            return has_made_of<typename E::second_type, typename V::value_type::second_type>();
        else
            return false;
    } else if constexpr ((is_vector<V>::value || is_python_set<V>::value) && has_elements<T>::value) {
        return has_made_of<typename T::value_type, typename V::value_type>();
    } else if constexpr (is_tuple<T>::value && is_tuple<V>::value) {
        if constexpr (std::tuple_size_v<T> == std::tuple_size_v<V>)
            return some_made<T, V>(std::make_index_sequence<std::tuple_size_v<T>>());
        else
            return false;
    } else if constexpr (is_optional<T>::value && is_optional<V>::value) {
        return has_made_of<typename T::value_type, typename V::value_type>();
    } else {
        return false;
    }
}

// --- making ---------------------------------------------------------------------------------------

/// One making of a value: what keeps memory, and what is released if it fails.
class Making {
public:
    explicit Making(MadeMemory &kept_) : kept(kept_) {}
    Making(const Making &) = delete;
    Making &operator=(const Making &) = delete;
    ~Making() {
        for (const auto &each : parts_) each->release();
    }

    MadeMemory &kept;

    /// A value that an expression of the spec made. The outermost one is ours to release; that one releases its parts.
    template <class T, class R>
    T own(T &&value) {
        const std::size_t first_taken = std::exchange(first_taken_, none);
        if constexpr (R::wg_is_freed) {
            static_assert(std::is_trivially_copyable_v<T>, "wrapper-gen: what `make` makes and `free` releases has a destructor too: drop `free`");
            auto part = std::make_unique<Part<T, R>>(value);
            if (first_taken != none) parts_.resize(first_taken);
            if (is_within_) {
                parts_.push_back(std::move(part));
            } else {
                kept.push_back(std::shared_ptr<void>(part.get(), [](void *owned) {
                    const std::unique_ptr<Part<T, R>> ended(static_cast<Part<T, R> *>(owned));
                    ended->release();
                }));
                static_cast<void>(part.release());
            }
        }
        return std::move(value);
    }

    /// The parts of a value that an expression is to make of them: until it has, they are released if something fails, or it throws.
    template <class Make>
    auto within(Make &&make) {
        const std::size_t before = parts_.size();
        const bool was = std::exchange(is_within_, true);
        auto made = make();
        is_within_ = was;
        first_taken_ = before;
        return made;
    }

private:
    struct AnyPart {
        virtual void release() = 0;
        virtual ~AnyPart() = default;
    };
    template <class T, class R>
    struct Part final : AnyPart {
        explicit Part(const T &value_) : value(value_) {}
        void release() override { R::wg_free(value); }
        T value;
    };

    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    std::vector<std::unique_ptr<AnyPart>> parts_;
    std::size_t first_taken_ = none;  // of the parts that the expression takes which is evaluated now
    bool is_within_ = false;
};

template <class T, class V>
T made(const V &value, Making &making, const Where &where);

template <class T, class V, std::size_t... I>
T made_tuple(const V &value, Making &making, const Where &where, std::index_sequence<I...>) {
    static constexpr std::size_t at[] = {I...};
    return T(made<std::tuple_element_t<I, T>>(std::get<I>(value), making, Where::item(where, at[I]))...);
}

/// A value whose members are then set.
template <class T>
T blank() {
    static_assert(std::is_default_constructible_v<T>, "wrapper-gen: a C++ value that has no default constructor: say how to make it: `make`");
    return T();
}

/// Puts a value into a member of C's.
template <class M, class V>
void put(M &member, const V &value, Making &making, const Where &where) {
    static_assert(!std::is_array_v<M>, "wrapper-gen: a member that is an array: say how to make the value: `make`");
    if constexpr (std::is_pointer_v<M> && is_characters<V>) {
        static_assert(is_letter<std::remove_pointer_t<M>>, "wrapper-gen: the spec declares text for what points to something else");
        const std::string_view text = value;
        if (text.find('\0') != std::string_view::npos) throw Own<std::invalid_argument>(where.path() + ": embedded null character");
        const char *address = text.data();
        if constexpr (!std::is_convertible_v<const V &, const std::string &>) address = keep(making.kept, std::string(text)).c_str();
        member = reinterpret_cast<M>(const_cast<char *>(address));
    } else if constexpr (is_optional<V>::value && !is_optional<M>::value && !is_made_of<M, V>()) {
        if (value) put(member, *value, making, where);
        else member = M();
    } else {
        member = made<M>(value, making, where);
    }
}

/// The same for an address and a length.
template <class P, class N, class V>
void put_run(P &data, N &length, const V &value, Making &making, const Where &where) {
    static_assert(std::is_pointer_v<P>, "wrapper-gen: `data` with a `length` is no pointer: say how to make the value: `make`");
    if (!fits<N>(value.size())) fail_to_fit<N>(("len(" + where.path() + ")").c_str(), value.size());
    length = static_cast<N>(value.size());
    using T = std::remove_cv_t<std::remove_pointer_t<P>>;
    if constexpr (is_characters<V>) {
        static_assert(is_letter<T> || std::is_void_v<T> || std::is_same_v<T, std::byte>, "wrapper-gen: the spec declares text or bytes for what points to something else");
        data = static_cast<P>(static_cast<void *>(const_cast<char *>(std::string_view(value).data())));
    } else {
        using E = typename V::value_type;
        if constexpr (std::is_same_v<T, E> && !std::is_same_v<E, bool>) {
            data = const_cast<T *>(value.data());
        } else {
            T *const elements = keep_array<T>(making.kept, value.size());
            std::size_t i = 0;
            for (const auto &each : value) {
                put(elements[i], static_cast<const E &>(each), making, Where::item(where, i));
                ++i;
            }
            data = elements;
        }
    }
}

/// The kind that a value is of: alternative `I` of a union, or the only one; -1 for none.
template <class T, class R, int I = 0, class V>
T made_kind(const V &value, Making &making, const Where &where) {
    if constexpr (is_recursive<V>::value) {
        return made_kind<T, R>(value.of, making, where);
    } else if constexpr (is_optional<V>::value) {
        return value ? made_kind<T, R>(*value, making, where) : R::template wg_made<-1>(value, making, where);
    } else if constexpr (is_variant<V>::value) {
        if constexpr (I + 1 < static_cast<int>(std::variant_size_v<V>))
            if (value.index() != I) return made_kind<T, R, I + 1>(value, making, where);
        return R::template wg_made<I>(*std::get_if<static_cast<std::size_t>(I)>(&value), making, where);
    } else {
        return R::template wg_made<I>(value, making, where);
    }
}

template <class T, class V>
T made(const V &value, Making &making, const Where &where) {
    if constexpr (is_made_of<T, V>()) {
        using R = Reader<T, V>;
        if constexpr (is_optional<V>::value && !std::is_same_v<V, typename R::wg_Value>) {
            return value ? made<T>(*value, making, where) : T();
        } else if constexpr (R::wg_has_kinds) {
            return made_kind<T, R>(value, making, where);
        } else if constexpr (is_recursive<V>::value) {
            return R::wg_made(value.of, making, where);
        } else {
            return R::wg_made(value, making, where);
        }
    } else if constexpr (!has_made_of<T, V>()) {
        return fit<T>(V(value), where);
    } else if constexpr (is_python_map<V>::value) {
        T out;
        using E = typename T::value_type;
        for (const auto &[key, item] : value)
            out.insert(out.end(), E(fit<std::remove_const_t<typename E::first_type>>(std::decay_t<decltype(key)>(key), Where::key(where, key)),
                                    made<typename E::second_type>(item, making, Where::value(where, key))));
        return out;
    } else if constexpr (is_vector<V>::value || is_python_set<V>::value) {
        T out;
        std::size_t i = 0;
        for (const auto &each : value) {
            out.insert(out.end(), made<typename T::value_type>(static_cast<const typename V::value_type &>(each), making, Where::item(where, i)));
            ++i;
        }
        return out;
    } else if constexpr (is_optional<V>::value) {
        return value ? T(made<typename T::value_type>(*value, making, where)) : T();
    } else {
        return made_tuple<T>(value, making, where, std::make_index_sequence<std::tuple_size_v<T>>());
    }
}

/// What is made for the arguments of one call, and for the time of it.
class CallMemory {
public:
    CallMemory() : outer_(std::exchange(innermost(), this)) {}
    CallMemory(const CallMemory &) = delete;
    CallMemory &operator=(const CallMemory &) = delete;
    ~CallMemory() { innermost() = outer_; }

    static MadeMemory &current() {
        if (innermost() == nullptr) throw Own<std::invalid_argument>("a value that `types` says how to make is declared as such where it is made");
        return innermost()->kept_;
    }

private:
    static CallMemory *&innermost() {
        static thread_local CallMemory *call = nullptr;
        return call;
    }

    CallMemory *outer_;
    MadeMemory kept_;
};

/// Within containers that convert themselves.
template <class To, class From>
struct StandsFor<To, From, std::enable_if_t<has_made_of<To, From>()>> : std::true_type {
    static To made(const From &value, const Where &where) {
        Making making(CallMemory::current());
        return wg::made<To>(value, making, where);
    }
};

// --- what the spec's own code gets ----------------------------------------------------------------

/// The type of a value in which a type that is a part of itself is what the spec's C++ type for it is.
template <class V>
struct InCpp {
    using type = V;
};
template <class R>
struct InCpp<RecursiveValue<R>> {
    using type = typename R::Cpp;
};
template <class E>
struct InCpp<std::vector<E>> {
    using type = std::vector<typename InCpp<E>::type>;
};
template <class E>
struct InCpp<std::optional<E>> {
    using type = std::optional<typename InCpp<E>::type>;
};
template <class K, class V>
struct InCpp<Map<K, V>> {
    using type = Map<K, typename InCpp<V>::type>;
};
template <class A, class B>
struct InCpp<std::pair<A, B>> {
    using type = std::pair<typename InCpp<A>::type, typename InCpp<B>::type>;
};
template <class... T>
struct InCpp<std::tuple<T...>> {
    using type = std::tuple<typename InCpp<T>::type...>;
};

/// What `make` gets: the value, with others of its own type in it already made.
template <class V>
decltype(auto) parts_made(const V &value, Making &making, const Where &where) {
    using T = typename InCpp<V>::type;
    if constexpr (std::is_same_v<T, V>) return value;
    else return making.within([&] { return made<T>(value, making, where); });
}

}  // namespace wg

#endif  // WG_CALLS_FROM_PYTHON_VALUES_HPP
