// Fields of structs as C has them: pointers, arrays of a fixed length, and how many elements there are.
// Static: the same for all packages. Included by generated C++ only, of specs whose structs have text, bytes, lists or structs.
#ifndef WG_TYPES_FIELDS_HPP
#define WG_TYPES_FIELDS_HPP

#include <cstring>
#include <memory>

#include "wg/types/representations.hpp"
#include "wg/types/structs.hpp"

namespace wg {

/// A struct with all that its members point to. Copies share that: it never changes.
template <class S>
struct Deep : S::Value {
    std::vector<std::shared_ptr<void>> kept;

    Deep() : S::Value() {}
    explicit Deep(const typename S::Value &members) : S::Value(members) {}

    template <class T>
    T &keep(T &&value) {
        auto made = std::make_shared<T>(std::move(value));
        kept.push_back(made);
        return *made;
    }
    template <class T>
    T *keep_array(std::size_t count) {
        std::shared_ptr<T[]> made(new T[count]());
        kept.push_back(made);
        return made.get();
    }
    void keep_all(const std::vector<std::shared_ptr<void>> &others) { kept.insert(kept.end(), others.begin(), others.end()); }
};
template <class V>
struct is_deep : std::false_type {};
template <class S>
struct is_deep<Deep<S>> : std::true_type {};
template <class S>
struct RawOf<Deep<S>> {
    using type = typename S::Value;
};

template <class D>
constexpr bool is_text_field = std::is_same_v<D, types::Text>;
template <class D>
constexpr bool is_letters_field = is_text_field<D> || std::is_same_v<D, types::Bytes>;
template <class D>
struct PresentOf {
    using type = D;
};
template <class D>
struct PresentOf<types::Optional<D>> : PresentOf<D> {};

/// Whether the member of a field is a view, such as `std::string_view`, of a text, bytes or elements.
template <class F, class M, class D = typename PresentOf<typename F::Type>::type>
constexpr bool is_view_field = std::is_class_v<M> && is_view_of_memory<M>::value && !is_represented<M>::value &&
                               (is_letters_field<D> || is_vector<Value<D>>::value);

/// Whether something has to be kept for the member of a field.
template <class F, class S>
constexpr bool needs_keeping = !is_handle_field<F> && (std::is_pointer_v<MemberOf<F, S>> || is_deep<Value<typename F::Type>>::value ||
                                                       is_view_field<F, MemberOf<F, S>> || KeepsWhatIsSet<F, S, MemberOf<F, S>>::value);
template <class S, class... F>
constexpr bool need_keeping(Fields<F...>) {
    return (needs_keeping<F, typename S::Value> || ...) || (is_made_at_once<S>::value && (!std::is_trivially_copyable_v<Value<typename F::Type>> || ...));
}
template <class S>
struct RecordOf<S, std::enable_if_t<need_keeping<S>(typename S::Fields())>> {
    using type = Deep<S>;
};

template <class S>
struct StructMadeOf<S, Deep<S>> {
    template <class... T>
    static Deep<S> made(std::tuple<T...> &&values) {
        const auto kept = std::make_shared<std::tuple<T...>>(std::move(values));
        Deep<S> made(std::apply([](auto &...each) { return S::make(each...); }, *kept));
        made.kept.push_back(kept);
        return made;
    }
};

/// A copy of what C hands out, and of all that its fields point to.
template <class S>
struct Convert<Deep<S>> {
    template <class From>
    static Deep<S> from(From &&value) {
        using T = std::decay_t<From>;
        if constexpr (std::is_same_v<T, Deep<S>>) {
            return std::forward<From>(value);
        } else if constexpr (is_pointer_like<T>::value) {
            if (!value) throw Null("the library returned a null pointer where the spec declares a struct");
            return copy(*value, typename S::Fields());
        } else {
            static_assert(std::is_convertible_v<From, typename S::Value>, "wrapper-gen: the result is not the struct that the spec declares");
            return copy(value, typename S::Fields());
        }
    }

private:
    template <class... F>
    static Deep<S> copy(const typename S::Value &from, Fields<F...> fields) {
        if constexpr (is_made_at_once<S>::value) {
            return made_anew<S>(from, fields);
        } else {
            Deep<S> made(from);
            (copy_field<F>(from, made), ...);
            return made;
        }
    }
    template <class F>
    static void copy_field(const typename S::Value &from, Deep<S> &made) {
        if constexpr (needs_keeping<F, typename S::Value>) Member<F, MemberOf<F, typename S::Value>>::write(made, Member<F, MemberOf<F, typename S::Value>>::read(from));
    }
};

template <class F, class S, class M = MemberOf<F, S>>
constexpr bool refers_to_kept = std::is_pointer_v<M> || is_deep<Value<typename F::Type>>::value || is_view_field<F, M> || RefersToWhatIsSet<F, S, M>::value;
template <class S, class... F>
constexpr bool refer_to_kept(Fields<F...>) {
    return (refers_to_kept<F, typename S::Value> || ...);
}
template <class S>
struct KeptBeside<Deep<S>, std::enable_if_t<!refer_to_kept<S>(typename S::Fields())>> : std::true_type {};

/// Whether another member says how many elements there are.
template <class F, class S, class = void>
struct is_counted : std::false_type {};
template <class F, class S>
struct is_counted<F, S, std::void_t<decltype(F::length_of(std::declval<S &>()))>> : std::true_type {};

template <class F, class S>
void set_length([[maybe_unused]] S &to, [[maybe_unused]] std::size_t size) {
    if constexpr (is_counted<F, S>::value) {
        auto &length = F::length_of(to);
        length = checked<std::decay_t<decltype(length)>>(size, F::name);
    }
}

[[noreturn]] inline void fail_of_size(const char *name, const char *most, std::size_t wanted, const char *what, std::size_t given) {
    throw Own<std::invalid_argument>(std::string(name) + ": " + most + std::to_string(wanted) + what + " are wanted, not " + std::to_string(given));
}

/// Puts an element of a field that has several of them.
template <class F, class S, class T, class G>
void put_element(S &to, T &element, const G &value) {
    if constexpr (std::is_same_v<G, std::string>) {
        static_assert(std::is_pointer_v<T>, "wrapper-gen: the spec declares text for elements that are something else");
        c_text(value, F::name);
        element = reinterpret_cast<T>(to.keep(std::string(value)).data());
    } else if constexpr (is_deep<G>::value) {
        element = value;
        to.keep_all(value.kept);
    } else {
        assign(element, value, F::name);
    }
}

// --- pointers -------------------------------------------------------------------------------------

template <class F, class E>
struct Member<F, E *> {
    using D = typename PresentOf<typename F::Type>::type;
    using V = Value<D>;
    static constexpr bool is_missing_allowed = !std::is_same_v<D, typename F::Type>;

    template <class S>
    static Value<typename F::Type> read(const S &from) {
        const auto *data = F::of(from);
        if constexpr (is_missing_allowed)
            if (data == nullptr) return std::nullopt;
        if constexpr (is_counted<F, const S>::value) {
            return wg::convert<V>(run_of<is_letters_field<D>>(data, F::length_of(from)));
        } else {
            static_assert(!std::is_same_v<V, std::string> || is_text_field<D>, "wrapper-gen: a field of bytes that is a pointer needs a `length`");
            static_assert(!is_vector<V>::value, "wrapper-gen: a field with several elements that is a pointer needs a `length`");
            return wg::convert<V>(data);
        }
    }

    template <class S>
    static void write(S &to, Value<typename F::Type> &&value) {
        if constexpr (!is_missing_allowed) {
            put(to, std::move(value));
        } else if (value) {
            put(to, std::move(*value));
        } else {
            F::of(to) = nullptr;
            set_length<F>(to, 0);
        }
    }

private:
    template <class S>
    static void put(S &to, V &&value) {
        if constexpr (is_letters_field<D>) {
            constexpr bool is_memory = (std::is_void_v<E> || std::is_same_v<std::remove_const_t<E>, std::byte>)&&is_counted<F, S>::value;
            static_assert(is_letter<E> || is_memory, "wrapper-gen: the spec declares text or bytes for a field that points to something else");
            if constexpr (!is_counted<F, S>::value) c_text(value, F::name);
            set_length<F>(to, value.size());
            F::of(to) = reinterpret_cast<E *>(to.keep(std::move(value)).data());
        } else if constexpr (is_vector<V>::value) {
            using T = std::remove_const_t<E>;
            T *const elements = to.template keep_array<T>(value.size());
            set_length<F>(to, value.size());
            std::size_t i = 0;
            for (auto &&each : value) put_element<F>(to, elements[i++], each);
            F::of(to) = elements;
        } else {
            using Raw = typename RawOf<V>::type;
            static_assert(std::is_same_v<Raw, std::remove_const_t<E>>, "wrapper-gen: a field that is a pointer can be text, a struct, or (with `length`) several elements");
            F::of(to) = &static_cast<Raw &>(to.keep(std::move(value)));
        }
    }
};

// --- views ----------------------------------------------------------------------------------------

template <class F, class M>
struct Member<F, M, std::enable_if_t<is_view_field<F, M>>> {
    using D = typename PresentOf<typename F::Type>::type;
    using V = Value<D>;
    using E = std::remove_pointer_t<decltype(std::declval<M &>().data())>;

    template <class S>
    static Value<typename F::Type> read(const S &from) {
        return wg::convert<Value<typename F::Type>>(F::of(from));
    }

    template <class S>
    static void write(S &to, Value<typename F::Type> &&value) {
        if constexpr (std::is_same_v<D, typename F::Type>) {
            put(to, std::move(value));
        } else {
            if (value) put(to, std::move(*value));
            else F::of(to) = M();
        }
    }

private:
    template <class S>
    static void put(S &to, V &&value) {
        if constexpr (!std::is_constructible_v<M, E *, std::size_t>) {
            F::of(to) = to.keep(std::move(value));
        } else if constexpr (is_letters_field<D>) {
            static_assert(sizeof(E) == 1, "wrapper-gen: the spec declares text or bytes for a field that refers to something else");
            const std::string &kept = to.keep(std::move(value));
            F::of(to) = M(reinterpret_cast<E *>(const_cast<char *>(kept.data())), kept.size());
        } else {
            const std::size_t size = value.size();
            auto *const elements = to.template keep_array<std::remove_const_t<E>>(size);
            std::size_t i = 0;
            for (auto &&each : value) put_element<F>(to, elements[i++], each);
            F::of(to) = M(elements, size);
        }
    }
};

// --- arrays ---------------------------------------------------------------------------------------

template <class F, class E, std::size_t N>
struct Member<F, E[N]> {
    using D = typename F::Type;
    using V = Value<D>;

    template <class S>
    static V read(const S &from) {
        const auto &data = F::of(from);
        if constexpr (is_letters_field<D>) static_assert(is_letter<E>, "wrapper-gen: the spec declares text or bytes for an array of something else");
        if constexpr (is_counted<F, const S>::value) {
            const auto length = F::length_of(from);
            if (length > 0 && static_cast<std::size_t>(length) > N) throw Own<std::invalid_argument>("the library returned a length beyond the end of an array");
            return wg::convert<V>(run_of<is_letters_field<D>>(static_cast<const E *>(data), length));
        } else if constexpr (is_text_field<D>) {
            const void *const end = std::memchr(data, 0, N);
            return V(reinterpret_cast<const char *>(data), end == nullptr ? N : static_cast<std::size_t>(static_cast<const E *>(end) - data));
        } else {
            return wg::convert<V>(run_of<is_letters_field<D>>(static_cast<const E *>(data), N));
        }
    }

    template <class S>
    static void write(S &to, V &&value) {
        constexpr bool is_counted_here = is_counted<F, S>::value;
        constexpr const char *what = is_letters_field<D> ? " bytes" : " elements";
        auto &data = F::of(to);
        const std::size_t size = value.size();
        if constexpr (is_text_field<D> && !is_counted_here) {
            if (size >= N) fail_of_size(F::name, "at most ", N - 1, what, size);
            c_text(value, F::name);
        } else if constexpr (is_counted_here) {
            if (size > N) fail_of_size(F::name, "at most ", N, what, size);
        } else {
            if (size != N) fail_of_size(F::name, "", N, what, size);
        }
        set_length<F>(to, size);
        std::size_t i = 0;
        if constexpr (is_letters_field<D>) {
            std::memcpy(data, value.data(), size);
            i = size;
        } else {
            for (auto &&each : value) assign(data[i++], each, F::name);
        }
        for (; i < N; ++i) data[i] = E();
    }
};

// --- structs within structs -----------------------------------------------------------------------

template <class F, class M>
struct Member<F, M, std::enable_if_t<std::is_class_v<M> && !is_by_functions<M>::value && is_deep<Value<typename F::Type>>::value>> {
    template <class S>
    static Value<typename F::Type> read(S &from) {
        return wg::convert<Value<typename F::Type>>(F::of(from));
    }
    template <class S>
    static void write(S &to, Value<typename F::Type> &&value) {
        to.keep_all(value.kept);
        F::of(to) = std::move(value);
    }
};

}  // namespace wg

#endif  // WG_TYPES_FIELDS_HPP
