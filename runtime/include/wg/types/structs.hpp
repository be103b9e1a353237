// Structs by value: their fields, one by one. Generated code says which there are (`Fields`), nothing else.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_TYPES_STRUCTS_HPP
#define WG_TYPES_STRUCTS_HPP

#include "wg/conversion/arguments.hpp"
#include "wg/conversion/copied.hpp"
#include "wg/wire/containers.hpp"

namespace wg {

/// The fields of a struct. Each has the descriptor of its type (`Type`), a name, and `of`, the member of a struct.
template <class... F>
struct Fields {};

/// What holds a value of a struct: itself. For members that are pointers, wg/types/fields.hpp has something that keeps what they point to.
template <class S, class = void>
struct RecordOf {
    using type = typename S::Value;
};
/// The C++ struct in that.
template <class V>
struct RawOf {
    using type = V;
};

namespace types {

/// `S` is generated: the C++ type (`Value`), a name, and the fields.
template <class S>
struct Struct {
    using Value = typename RecordOf<S>::type;
};

}  // namespace types

/// Whether the member of a field has the very type that the spec declares.
template <class F, class S>
constexpr bool is_as_declared = std::is_same_v<std::decay_t<decltype(F::of(std::declval<S &>()))>, Value<typename F::Type>>;

/// Whether a field is a handle, or one that may be missing (wg/calls/handle_fields.hpp).
template <class D>
struct is_handle_type : std::false_type {};
template <class H>
struct is_handle_type<types::Handle<H>> : std::true_type {};
template <class H>
struct is_handle_type<types::Optional<types::Handle<H>>> : std::true_type {};
template <class F>
constexpr bool is_handle_field = is_handle_type<typename F::Type>::value;

/// Stands for the member of such a field.
struct HandleMember {};

/// The C++ type of the member of a field.
template <class F, class S>
using MemberOf = std::conditional_t<is_handle_field<F>, HandleMember, std::remove_cv_t<std::remove_reference_t<decltype(F::of(std::declval<S &>()))>>>;

/// How a field is read from, and put into, a member of another type. What C has for members is in wg/types/fields.hpp.
template <class F, class M, class = void>
struct Member;

/// Whether a value that is put into the member of a field has to live as long as the struct, beside what pointers point to.
template <class F, class S, class M, class = void>
struct KeepsWhatIsSet : std::false_type {};

/// Whether what such a function reads refers to what was set.
template <class F, class S, class M, class = void>
struct RefersToWhatIsSet : std::false_type {};

/// Whether a struct keeps what was set beside it, and is not known to refer to it: C++ can have it, while that is kept.
template <class V, class = void>
struct KeptBeside : std::false_type {};

/// Stands for the member of a field that functions read and write (wg/calls/field_accessors.hpp).
template <class F>
struct ByFunctions {};
template <class M>
struct is_by_functions : std::false_type {};
template <class F>
struct is_by_functions<ByFunctions<F>> : std::true_type {};

/// Whether C++ makes a struct of the values of all fields: generated code has `make` then.
template <class S, class = void>
struct is_made_at_once : std::false_type {};
template <class S>
struct is_made_at_once<S, std::void_t<typename S::MadeAtOnce>> : std::true_type {};

/// Calls `use` with a field's value, as the spec declares it.
template <class F, class S, class Use>
decltype(auto) with_field(S &value, Use &&use) {
    if constexpr (is_as_declared<F, S>) {
        return use(F::of(value));
    } else {
        Value<typename F::Type> field = Member<F, MemberOf<F, S>>::read(value);
        return use(field);
    }
}

/// Whether a member of this type can be set; `M` is a reference.
template <class M>
constexpr bool can_be_set = !std::is_const_v<std::remove_reference_t<M>>;
/// A struct that C++ makes of all its fields, and may refer to them where it keeps them (wg/types/fields.hpp).
template <class S, class V>
struct StructMadeOf {
    template <class... T>
    static V made(std::tuple<T...> &&values) {
        return std::apply([](auto &...each) { return S::make(each...); }, values);
    }
};
/// A field's value, to keep.
template <class F, class S>
Value<typename F::Type> field_of(const S &from) {
    return with_field<F>(from, [](auto &field) -> Value<typename F::Type> { return std::move(field); });
}
/// The same struct made anew of what its fields are now.
template <class S, class... F>
Value<types::Struct<S>> made_anew(const typename S::Value &from, Fields<F...>) {
    return StructMadeOf<S, Value<types::Struct<S>>>::made(std::tuple<Value<typename F::Type>...>{field_of<F>(from)...});
}

/// Puts a value into a member of another type; a number has to fit. `name` is the field's.
template <class M, class V>
void assign(M &member, V &&value, const char *name) {
    using From = std::decay_t<V>;
    static_assert(!becomes_bool<From, M>(), "wrapper-gen: the spec declares a handle for a field of which C++ would make a bool");
    static_assert(is_copied<M>, "wrapper-gen: a field whose member only refers to memory would refer to what is gone after the call");
    if constexpr (is_number_v<M> && is_number_v<From>) {
        member = checked<M>(value, name);
    } else if constexpr (std::is_same_v<M, f32> && std::is_same_v<From, f64>) {
        member = checked<M>(value, name);
    } else if constexpr (is_fitted<M, From>()) {
        member = fit<M>(std::forward<V>(value), Where(name));
    } else if constexpr (std::is_enum_v<M> && is_number_v<From>) {
        static_assert(always_false<M>::value, "wrapper-gen: the spec declares a number for a field that holds an enum of C++; declare that under `enums`, and the field as it");
    } else {
        static_assert(!std::is_integral_v<M> || !std::is_floating_point_v<From>,
                      "wrapper-gen: the spec declares a floating-point number for a field that holds an integer");
        member = std::forward<V>(value);
    }
}

template <class F, class M, class>
struct Member {
    template <class S>
    static Value<typename F::Type> read(S &from) {
        return wg::convert<Value<typename F::Type>>(F::of(from));
    }
    template <class S>
    static void write(S &to, Value<typename F::Type> &&value) {
        assign(F::of(to), std::move(value), F::name);
    }
};

// --- equal keys -----------------------------------------------------------------------------------

template <class S>
struct KeyBytes<types::Struct<S>> {
    static void append(std::string &out, const typename S::Value &key) { append(out, key, typename S::Fields()); }

private:
    template <class... F>
    static void append(std::string &out, const typename S::Value &key, Fields<F...>) {
        (with_field<F>(key, [&out](const auto &field) { append_key<typename F::Type>(out, field); }), ...);
    }
};

// --- results --------------------------------------------------------------------------------------

/// Specialised by generated code for the C++ types of structs.
template <class T>
struct is_record : std::false_type {};

/// From the struct, what converts to it, or what points to one.
template <class To>
struct Convert<To, std::enable_if_t<is_record<To>::value>> {
    template <class From>
    static To from(From &&value) {
        if constexpr (is_pointer_like<std::decay_t<From>>::value) {
            if (!value) throw Null("the library returned a null pointer where the spec declares a struct");
            return *value;
        } else {
            static_assert(std::is_convertible_v<From, To>, "wrapper-gen: the result is not the struct that the spec declares");
            return std::forward<From>(value);
        }
    }
};

/// Whether values have to stay where they are while they are written (wg/types/recursive.hpp).
template <class D>
struct IsReadOnce : std::false_type {};
template <template <class...> class T, class... D>
struct IsReadOnce<T<D...>> : std::disjunction<IsReadOnce<D>...> {};

// --- the wire: a run of each field ----------------------------------------------------------------

template <class S>
struct Wire<types::Struct<S>> {
    template <class Each>
    static void write(WireOut &out, std::size_t count, Each &&each) {
        write(out, count, each, typename S::Fields());
    }
    template <class Each>
    static void read(WireIn &in, std::size_t count, Each &&each) {
        read(in, count, each, typename S::Fields());
    }

private:
    template <class Each, class... F>
    static void write(WireOut &out, std::size_t count, Each &each, Fields<F...>) {
        (write_field<F>(out, count, each), ...);
    }
    template <class F, class Each>
    static void write_field(WireOut &out, std::size_t count, Each &each) {
        if constexpr (IsReadOnce<typename F::Type>::value && !is_as_declared<F, typename S::Value>) {
            std::vector<Value<typename F::Type>> fields;
            fields.reserve(count);
            each([&fields](auto &value) { with_field<F>(value, [&fields](auto &field) { fields.push_back(std::move(field)); }); });
            Wire<typename F::Type>::write(out, count, [&fields](auto &&use) {
                for (auto &field : fields) use(field);
            });
        } else {
            Wire<typename F::Type>::write(out, count, [&each](auto &&use) { each([&use](auto &value) { with_field<F>(value, use); }); });
        }
    }
    template <class Each, class... F>
    static void read(WireIn &in, std::size_t count, Each &each, Fields<F...>) {
        if constexpr (is_made_at_once<S>::value)
            make_each(each, std::tuple<decltype(column<F>(in, count))...>{column<F>(in, count)...});
        else
            (read_field<F>(in, count, each), ...);
    }
    /// The values of a field that are no members: the whole run first.
    template <class F>
    static auto column(WireIn &in, std::size_t count) {
        struct Field {
            Value<typename F::Type> value{};
        };
        std::vector<Field> fields(count);
        Wire<typename F::Type>::read(in, count, [&fields](auto &&use) {
            for (Field &field : fields) use(field.value);
        });
        return fields;
    }
    template <class Each, class Columns>
    static void make_each(Each &each, Columns &&columns) {
        std::size_t i = 0;
        each([&](auto &value) {
            using Made = StructMadeOf<S, std::decay_t<decltype(value)>>;
            value = std::apply([i](auto &...column) { return Made::made(std::make_tuple(std::move(column[i].value)...)); }, columns);
            ++i;
        });
    }
    template <class F, class Each>
    static void read_field(WireIn &in, std::size_t count, Each &each) {
        if constexpr (is_as_declared<F, typename S::Value>) {
            Wire<typename F::Type>::read(in, count, [&each](auto &&use) { each([&use](auto &value) { use(F::of(value)); }); });
        } else {
            auto fields = column<F>(in, count);
            auto field = fields.begin();
            each([&field](auto &value) { Member<F, MemberOf<F, typename S::Value>>::write(value, std::move((field++)->value)); });
        }
    }
};

}  // namespace wg

#endif  // WG_TYPES_STRUCTS_HPP
