// Statuses: what a call returned, tested, and turned into the exception that the spec declares for it.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_ERRORS_STATUSES_HPP
#define WG_ERRORS_STATUSES_HPP

#include <cerrno>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "wg/base/ranges.hpp"
#include "wg/conversion/results.hpp"
#include "wg/conversion/types.hpp"
#include "wg/wire/wire.hpp"

namespace wg {

/// What the spec says of a status: specialised for the name by which code of the spec tests it, with the member `type`. That has
///   wg_Value: the C++ type; wg_is_ok, wg_is_none: what a value means; wg_exception_of: the index of what it raises;
///   wg_Message, wg_Code, wg_Name, wg_Note: what is said of it; wg_attributes: those of its exception;
///   wg_OnNull: says the status of a null pointer; wg_is_labelled: whether only its name means it, where others have its C++ type.
/// Code of the spec stands in it, which may have any other names.
template <class Name>
struct StatusOf {};

/// All statuses of a spec; generated code has them as those of `true`.
template <class... Status>
struct Statuses {};
template <bool>
struct PackageStatuses {
    using type = Statuses<>;
};
/// The same where they are known: when a template is used that `Late` is an argument of.
template <class Late>
using StatusesFor = typename PackageStatuses<(sizeof(Types<Late>) != 0)>::type;

template <class Name, class = void>
struct is_status : std::false_type {};
template <class Name>
struct is_status<Name, std::void_t<typename StatusOf<Name>::type>> : std::true_type {};

/// What most status types have of that: the status is the code, and there is no more to say.
template <class V>
struct UsualStatus {
    using wg_Value = V;
    static constexpr bool wg_is_labelled = false;

    struct wg_Code {
        using wg_Result = std::optional<i64>;
        static wg_Result wg_of(const V &value) { return code_of(value); }
    };
    struct wg_Name {
        using wg_Result = std::string;
        static wg_Result wg_of(const V &) { return {}; }
    };
    using wg_Note = wg_Name;

    template <class... Objects>
    static Attributes wg_attributes(i32, const V &, Objects &...) {
        return nullptr;
    }
};

/// Whether the spec declares this class of exceptions: specialised for each.
template <class E>
struct is_thrown : std::is_base_of<std::exception, E> {};

// --- what is said of a status, by the object of the call ------------------------------------------

template <class Text, class Value, class Object, class = void>
struct speaks_of : std::false_type {};
template <class Text, class Value, class Object>
struct speaks_of<Text, Value, Object, std::void_t<decltype(Text::wg_of(std::declval<const Value &>(), std::declval<Object &>()))>>
    : std::true_type {};

/// Room for the text in which a call says why it failed; `Free` releases what is there, also where nothing failed.
template <class T, class Free>
class ErrorText {
public:
    explicit ErrorText(Free free) : free_(free) {}
    ErrorText(const ErrorText &) = delete;
    ErrorText &operator=(const ErrorText &) = delete;
    ~ErrorText() {
        if (text_ != nullptr) free_(text_);
    }
    T *room() { return &text_; }
    bool is_there() const { return text_ != nullptr; }
    std::string words() const { return describe(static_cast<const char *>(text_)); }

private:
    Free free_;
    T text_ = nullptr;
};

template <class Object>
struct is_error_text : std::false_type {};
template <class T, class Free>
struct is_error_text<ErrorText<T, Free>> : std::true_type {};

/// Room for what a call writes; only a handle in it says something.
template <class Object, class = void>
struct is_slot : std::false_type {};
template <class Object>
struct is_slot<Object, std::void_t<decltype(std::declval<Object &>().take())>> : std::true_type {};
template <class Object, class = void>
struct may_hold_handle : std::false_type {};
template <class Object>
struct may_hold_handle<Object, std::void_t<decltype(std::declval<Object &>().made())>> : std::true_type {};

/// The object that a call returns, until its status, which is asked of the object, has been tested: of a call that failed, it says
/// what went wrong, and is released then if it is ours. `V` is a reference to what the call gave.
template <class H, bool is_ours, class V>
class ReturnedObject {
public:
    explicit ReturnedObject(V value) : value_(&value) {}
    ReturnedObject(const ReturnedObject &) = delete;
    ReturnedObject &operator=(const ReturnedObject &) = delete;
    ~ReturnedObject() {
        if constexpr (is_ours && is_given)
            if (value_ != nullptr)
                if (H *left = made()) CellOf<H>::type::drop_value(*left);
    }
    void keep() noexcept { value_ = nullptr; }

    /// The handle; null where there is none. Only a call that failed asks for it.
    H *made() {
        if constexpr (is_given || (is_there && std::is_copy_constructible_v<T>))
            if (!made_) made_.emplace(Convert<H>::unchecked(static_cast<V>(*value_)));
        return made_ && has_resource(*made_) ? &*made_ : nullptr;
    }

private:
    using T = std::remove_reference_t<V>;
    static constexpr bool is_there = std::is_same_v<std::remove_cv_t<T>, H> || std::is_convertible_v<V, std::remove_cv_t<decltype(H::inner)>>;
    static constexpr bool is_given = is_there && !std::is_lvalue_reference_v<V>;
    T *value_;
    std::optional<H> made_;
};

/// Stands for the value of a call that returned a null pointer, whose status is asked.
struct NullPointer {};

/// What `Text` says, by the first of these objects that it has something for, else without one.
template <class Text, class Value>
typename Text::wg_Result said(const Value &value) {
    return Text::wg_of(value);
}
template <class Text, class Value, class Object, class... More>
typename Text::wg_Result said(const Value &value, Object &object, More &...more) {
    if constexpr (may_hold_handle<Object>::value) {
        if (auto made = object.made()) return said<Text>(value, *made, more...);
        return said<Text>(value, more...);
    } else if constexpr (is_error_text<Object>::value || is_slot<Object>::value)
        return said<Text>(value, more...);
    else if constexpr (speaks_of<Text, Value, Object>::value)
        return Text::wg_of(value, object);
    else
        return said<Text>(value, more...);
}

namespace hidden {  // from argument-dependent lookup: a library may have a function of this name
/// What a call has written of its failure; empty where it wrote nothing.
inline std::string written_by_call() { return {}; }
template <class Object, class... More>
std::string written_by_call(const Object &first, const More &...) {
    if constexpr (is_error_text<Object>::value)
        return first.words();
    else
        return {};
}
}  // namespace hidden
using namespace hidden;

/// The attributes of an exception, of the type that `D` describes. Braces around the values make C++ ask for them in order.
template <class D>
Attributes attributes(Value<D> &&values) {
    return std::make_shared<Value<D>>(std::move(values));
}

/// The same as C gets them; null where there is no memory for them.
template <class D, class B>
B *encoded_attributes(const Attributes &attributes) noexcept {
    try {
        return encoded<D, B>(std::move(*static_cast<Value<D> *>(attributes.get())));
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

/// What an exception has beside its message. An expression of the spec that throws hides nothing of the failure itself.
template <class Tell>
auto told(Tell &&tell, Note &note) -> decltype(tell()) {
    try {
        return tell();
    } catch (const std::exception &e) {
        if (note == nullptr) note = note_of("its attributes cannot be told: " + std::string(e.what()));
        return {};
    }
}

/// What a base of an exception has; nothing where that is no base.
template <class Base, class V, class E, class Tell>
V of_base([[maybe_unused]] const E &value, [[maybe_unused]] Tell &&tell) {
    if constexpr (std::is_convertible_v<const E *, const Base *>)
        return tell(value);
    else
        return std::nullopt;
}

/// What `errno` was when a call had failed: what is said of that may read it, and each may change it.
class Errno {
public:
    void restore() const { errno = value_; }

private:
    int value_ = errno;
};

/// Throws what the spec declares for this status. All is said here: later calls may change what it is said of.
template <class Status, class... Objects>
[[noreturn, gnu::cold, gnu::noinline]] void fail_at(const char *where, const typename Status::wg_Value &value, Objects &...objects) {
    const Errno failed;
    const i32 index = Status::wg_exception_of(value);
    const std::string written = written_by_call(objects...);
    failed.restore();
    std::string words = written.empty() ? said<typename Status::wg_Message>(value, objects...) : written;
    failed.restore();
    const std::optional<i64> code = said<typename Status::wg_Code>(value, objects...);
    if (words.empty()) words = code ? "the call failed with " + std::to_string(*code) : "the call failed";
    const std::string message = where + words;
    failed.restore();
    std::string name = said<typename Status::wg_Name>(value, objects...);
    failed.restore();
    Note note = note_of(said<typename Status::wg_Note>(value, objects...));
    failed.restore();
    Attributes attributes = told([&] { return Status::wg_attributes(index, value, objects...); }, note);
    throw Declared(index, code, message, std::move(name), std::move(note), std::move(attributes));
}

// --- what is tested -------------------------------------------------------------------------------

template <class Status, class... Objects>
void check(const typename Status::wg_Value &value, Objects &...objects) {
    if (!Status::wg_is_ok(value)) fail_at<Status>("", value, objects...);
}

template <class Status, class = void>
struct has_none : std::false_type {};
template <class Status>
struct has_none<Status, std::void_t<decltype(Status::wg_is_none(std::declval<const typename Status::wg_Value &>()))>> : std::true_type {};

/// A status with what an entry says is fine in place of what the spec says.
template <class Status, class Fine>
struct FineAs : Status {
    static bool wg_is_ok(const typename Status::wg_Value &value) { return Fine::wg_is_ok(value); }
};

/// The same where the value is of the C++ type of this status.
template <class Status, class Value, class... Objects>
void check_if_same(const Value &value, Objects &...objects) {
    if constexpr (std::is_same_v<typename Status::wg_Value, Value>) check<Status>(value, objects...);
}

/// The same for a list of statuses; the message says which of them it is.
template <class Status, class List, class... Objects>
void check_each(const List &values, Objects &...objects) {
    static_assert(has_begin<const List>::value, "wrapper-gen: `wg::each` wants a list of statuses, and what it has is none; if it is one status, leave out `wg::each`");
    if constexpr (has_begin<const List>::value) {
        std::size_t i = 0;
        for (const auto &each : values) {
            const typename Status::wg_Value &value = status<typename Status::wg_Value>(each);
            if (!Status::wg_is_ok(value)) fail_at<Status>(("[" + std::to_string(i) + "]: ").c_str(), value, objects...);
            ++i;
        }
    }
}

/// For a call that only says why it failed: with the exception `index`.
template <i32 index, class Text>
void check_text(const Text &text) {
    if (text.is_there()) throw Declared(index, std::nullopt, text.words(), std::string());
}

// --- statuses that the C++ type tells -------------------------------------------------------------

/// Whether nothing but a status may have this type. Numbers and pointers are other things, too.
template <class V>
constexpr bool may_tell_itself = std::is_enum_v<V> || std::is_class_v<V> || std::is_union_v<V>;

template <class V, bool labelled, class... Status>
auto statuses_of(Statuses<Status...>) ->
    typename Joined<Types<>, std::conditional_t<Status::wg_is_labelled == labelled && std::is_same_v<typename Status::wg_Value, V>, Types<Status>, Types<>>...>::type;
template <class V, bool labelled, class... Status>
auto statuses_from(Statuses<Status...>) ->
    typename Joined<Types<>, std::conditional_t<Status::wg_is_labelled == labelled && std::is_convertible_v<const V &, typename Status::wg_Value>, Types<Status>, Types<>>...>::type;
template <class First, class Second>
using FirstNotEmpty = std::conditional_t<std::is_same_v<First, Types<>>, Second, First>;
/// The statuses of a C++ type, as `Types`: those that have a label only where no other one has it.
template <class V>
using StatusesOf = FirstNotEmpty<decltype(statuses_of<V, false>(StatusesFor<V>())), decltype(statuses_of<V, true>(StatusesFor<V>()))>;
template <class V>
using StatusesFrom = FirstNotEmpty<decltype(statuses_from<V, false>(StatusesFor<V>())), decltype(statuses_from<V, true>(StatusesFor<V>()))>;

template <class List>
struct OnlyOf {
    static constexpr std::size_t count = 0;
};
template <class Status, class... More>
struct OnlyOf<Types<Status, More...>> {
    static constexpr std::size_t count = 1 + sizeof...(More);
    using type = Status;
};

/// A status whose name code of the spec has, or its C++ type.
template <class Name, class = void>
struct Named : OnlyOf<StatusesOf<Name>> {
    static_assert(OnlyOf<StatusesOf<Name>>::count != 0, "wg_check: `errors:` has no status of this name");
    static_assert(OnlyOf<StatusesOf<Name>>::count <= 1, "wg_check: several errors have this C++ type; write the name of one");
};
template <class Name>
struct Named<Name, std::void_t<typename StatusOf<Name>::type>> : StatusOf<Name> {};

/// Throws what the spec declares for a status of any C++ type of `errors`, unless it is fine.
struct AnyStatus {
    template <class V>
    AnyStatus(const V &value) {
        using Exactly = StatusesOf<V>;
        using Only = OnlyOf<FirstNotEmpty<Exactly, StatusesFrom<V>>>;
        static_assert(Only::count != 0, "wg_check: `errors:` has no status of this C++ type");
        static_assert(Only::count <= 1, "wg_check: several errors have this C++ type; name one: wg_check<NAME>(status)");
        check<typename Only::type>(value);
    }
};

/// What becomes of a status that means that there is no result.
enum class IfNone { raised, no_result, no_key };

template <class V, class Inherited>
constexpr auto untold_status() {
    using T = std::decay_t<V>;
    if constexpr (std::is_void_v<T>)
        return OnlyOf<Types<>>();
    else if constexpr (std::is_same_v<typename Inherited::wg_Value, T>)
        return OnlyOf<Types<Inherited>>();
    else if constexpr (may_tell_itself<T>)
        return OnlyOf<StatusesOf<T>>();
    else
        return OnlyOf<Types<>>();
}
template <class Status, class = void>
struct has_on_null : std::false_type {};
template <class Status>
struct has_on_null<Status, std::void_t<typename Status::wg_OnNull>> : std::true_type {};
/// A status whose null pointer is no failure of this call.
template <class Status>
struct NullIsNone : Status {};
template <class Status>
struct has_on_null<NullIsNone<Status>, std::void_t<typename Status::wg_OnNull>> : std::false_type {};
template <class Status>
constexpr bool is_null_none = false;
template <class Status>
constexpr bool is_null_none<NullIsNone<Status>> = true;
template <class V, class = void>
struct compares_with_null : std::is_pointer<V> {};
template <class V>
struct compares_with_null<V, std::enable_if_t<std::is_class_v<V>, std::void_t<decltype(std::declval<const V &>() == nullptr)>>> : std::true_type {};
template <class V>
constexpr bool is_nullable = compares_with_null<std::decay_t<V>>::value;

/// Raises the status of a null pointer. Where only an object could say it and the call has none, whoever needs a result raises.
template <class Status, class... Objects>
void fail_at_null(Objects &...objects) {
    if (const auto status = said<typename Status::wg_OnNull>(NullPointer(), objects...)) fail_at<Status>("", *status, objects...);
}

/// Tests what a call returned, which is a status or, of an error with `on_null`, a pointer.
template <class Status, class V, class... Objects>
void check_returned(const V &value, Objects &...objects) {
    if constexpr (has_on_null<Status>::value && is_nullable<V> && !std::is_same_v<V, typename Status::wg_Value>) {
        if (value == nullptr) fail_at_null<Status>(objects...);
    } else {
        static_assert(!is_null_none<Status> || !is_nullable<V> || std::is_same_v<V, typename Status::wg_Value>,
                      "wrapper-gen: a null pointer is None here, so `on_null` of the error has no use: drop `raises`, or the `?` of the result");
        check<Status>(wg::status<typename Status::wg_Value>(value), objects...);
    }
}

/// Stands for no error that is inherited.
struct NoStatus {
    struct wg_Value {};
};

/// The mistake of a call that returns a status of several errors; generated code names them where it sees that they have one C++ type.
template <class V>
struct SeveralOf {
    template <class Late>
    static void tell() {
        static_assert(sizeof(Late) == 0, "wrapper-gen: several errors have the C++ type of what the call returns; say which: raises: NAME, or raises: nothing");
    }
};

/// The status of a call whose entry does not say of which error it is: what `errors` has the C++ type of, or of that of `Inherited`, the
/// error which the class of the entry or the library names. Nothing else is a status.
template <class Inherited = NoStatus, IfNone if_none = IfNone::raised>
struct Untold {
    template <class V>
    using Of = decltype(untold_status<V, Inherited>());
    /// Whether a call that returns this gives a status.
    template <class V>
    static constexpr bool is_status = Of<V>::count != 0;
    /// Whether a null pointer has a status.
    static constexpr bool raises_null = has_on_null<Inherited>::value;

    /// Tests a value that may be one; whether it means that there is no result, where some statuses do.
    template <class V, class... Objects>
    static auto test([[maybe_unused]] const V &value, [[maybe_unused]] Objects &...objects) {
        using Found = Of<V>;
        if constexpr (Found::count > 1) {
            SeveralOf<V>::template tell<Untold>();
        } else if constexpr (Found::count == 1) {
            using Status = typename Found::type;
            if constexpr (if_none != IfNone::raised && has_none<Status>::value) {
                if (Status::wg_is_none(value)) {
                    if constexpr (if_none == IfNone::no_key) throw std::out_of_range("there is no such item");
                    else return true;
                }
            }
            check<Status>(value, objects...);
            if constexpr (if_none == IfNone::no_result && has_none<Status>::value) return false;
        }
    }
    /// The same, with an answer for a value of any type.
    template <class V, class... Objects>
    static bool is_none(const V &value, Objects &...objects) {
        if constexpr (std::is_same_v<decltype(test(value, objects...)), bool>) return test(value, objects...);
        test(value, objects...);
        return false;
    }
    /// Raises the status of a null pointer.
    template <class V, class... Objects>
    static void check_null(const V &value, Objects &...objects) {
        if constexpr (has_on_null<Inherited>::value && is_nullable<V>) {
            if (value == nullptr) fail_at_null<Inherited>(objects...);
        }
    }
};

/// The handle types of a package.
template <class... H>
struct HandleTypes {};

template <class Inner, class H, class... More>
auto holder_of() {
    if constexpr (std::is_same_v<decltype(H::inner), Inner>)
        return static_cast<H *>(nullptr);
    else
        return holder_of<Inner, More...>();
}

/// An object as its handle struct, of which it may be what that holds.
template <class... H, class Object>
decltype(auto) as_handle(HandleTypes<H...>, Object &object) {
    using T = std::remove_const_t<Object>;
    if constexpr ((std::is_same_v<T, H> || ...)) {
        return const_cast<T &>(object);
    } else {
        constexpr int count = (0 + ... + (std::is_same_v<decltype(H::inner), T> ? 1 : 0));
        static_assert(count == 1, "wg_check: the object is none of a handle type, or of what several hold: give it the handle itself");
        return std::remove_pointer_t<decltype(holder_of<T, H...>())>{object};
    }
}

template <class Status, class... Objects>
[[noreturn]] void fail_with_handles(const typename Status::wg_Value &value, Objects &&...objects) {
    fail_at<Status>("", value, objects...);
}

/// What `wg_check<Name>(value, objects...)` does.
template <class Name, class Handles, class Value, class... Objects>
void check_named([[maybe_unused]] Handles handles, const Value &value, Objects &...objects) {
    using Status = typename Named<Name>::type;
    const typename Status::wg_Value &status = value;
    if (!Status::wg_is_ok(status)) fail_with_handles<Status>(status, as_handle(handles, objects)...);
}

// --- values that have a function which says whether they are one ---------------------------------------------

#define WG_HAS_MEMBER(name, expression)                                                                        \
    template <class T, class = void>                                                                           \
    struct name : std::false_type {};                                                                          \
    template <class T>                                                                                         \
    struct name<T, std::void_t<decltype(std::declval<T>().expression)>> : std::true_type {};
WG_HAS_MEMBER(has_ok, ok())
WG_HAS_MEMBER(has_has_value, has_value())
WG_HAS_MEMBER(has_status, status())
WG_HAS_MEMBER(has_error, error())
WG_HAS_MEMBER(has_message, message())
WG_HAS_MEMBER(has_to_string, ToString())
WG_HAS_MEMBER(has_code, code())
WG_HAS_MEMBER(has_value_member, value())
WG_HAS_MEMBER(has_dereference, operator*())
#undef WG_HAS_MEMBER

namespace hidden {  // from argument-dependent lookup: a library may have a function of this name
/// What is said of an error that the spec says nothing about.
template <class E>
std::string message_of(const E &error) {
    if constexpr (has_message<const E &>::value)
        return std::string(error.message());
    else if constexpr (has_to_string<const E &>::value)
        return std::string(error.ToString());
    else if constexpr (std::is_convertible_v<const E &, std::string_view>)
        return std::string(static_cast<std::string_view>(error));
    else if constexpr (code_of_type<E>)
        return "the call failed with " + std::to_string(*code_of(error));
    else
        return "the call failed";
}
template <class E>
std::optional<i64> own_code_of(const E &error) {
    if constexpr (has_code<const E &>::value)
        return code_of(error.code());
    else if constexpr (has_message<const E &>::value && has_value_member<const E &>::value)  // std::error_code
        return code_of(error.value());
    else
        return code_of(error);
}
}  // namespace hidden
using namespace hidden;

/// Throws what the spec declares for the error of a value; the library's own error where it declares nothing.
template <class E, class... Objects>
[[noreturn, gnu::cold, gnu::noinline]] void fail_with(const E &error, Objects &...objects) {
    using Only = OnlyOf<StatusesOf<E>>;
    static_assert(Only::count <= 1, "wrapper-gen: several errors have the C++ type of what the value says went wrong");
    if constexpr (Only::count == 1)
        fail_at<typename Only::type>("", error, objects...);
    else if constexpr (is_thrown<E>::value)
        throw error;
    else
        throw Declared(static_cast<i32>(Kind::other) - static_cast<i32>(Kind::declared), own_code_of(error), message_of(error), std::string());
}

/// Whether a value says itself whether it is one, and what went wrong: std::expected, StatusOr, and a status with a message.
template <class R>
constexpr bool says_what_failed = has_status<R &>::value || has_error<R &>::value || has_message<R &>::value || has_to_string<R &>::value;
template <class R>
constexpr bool tells_itself = (has_has_value<R &>::value && (has_status<R &>::value || has_error<R &>::value)) || (has_ok<R &>::value && says_what_failed<R>);

namespace hidden {  // from argument-dependent lookup: a library may have a function of this name
template <class R, class... Objects>
void check_value(R &result, Objects &...objects) {
    if constexpr (has_ok<R &>::value) {
        if (result.ok()) return;
    } else {
        if (result.has_value()) return;
    }
    if constexpr (has_status<R &>::value)
        fail_with(result.status(), objects...);
    else if constexpr (has_error<R &>::value)
        fail_with(result.error(), objects...);
    else
        fail_with(result, objects...);
}
}  // namespace hidden
using namespace hidden;

/// What such a value holds.
template <class R>
decltype(auto) held_by(R &&result) {
    if constexpr (has_dereference<R>::value)
        return *std::forward<R>(result);
    else if constexpr (has_value_member<R>::value)
        return std::forward<R>(result).value();
    else
        return std::forward<R>(result);
}

template <class T, class R, class = void>
struct is_wanted_whole : std::is_same<T, R> {};
template <class T, class R>
struct is_wanted_whole<T, R, std::enable_if_t<is_handle<R>::value>> : std::is_convertible<T &&, std::remove_cv_t<decltype(R::inner)>> {};

/// Whether a value of type `V` is opened where the result is `R`: not where the spec wants it as it is.
template <class V, class R>
constexpr bool opens() {
    using T = std::decay_t<V>;
    if constexpr (!std::is_class_v<T>) return false;
    else if constexpr (!tells_itself<T> || OnlyOf<StatusesOf<T>>::count != 0) return false;
    else if constexpr (std::is_void_v<R>) return true;
    else return !is_wanted_whole<T, R>::value;
}

template <class R, class V>
decltype(auto) opened_value(V &&value) {
    if constexpr (opens<V, R>()) {
        check_value(value);
        return held_by(std::forward<V>(value));
    } else {
        return std::forward<V>(value);
    }
}

/// Nothing calls it: the compiler's warning names the statuses that have the type of the value.
template <class Found, class Call>
[[deprecated("wrapper-gen: nothing tests a status")]] constexpr bool drops_status() {
    return true;
}
/// Looks at the value of a call that fills memory, which nothing else looks at. The compiler warns as of `drop_value`.
template <class Call>
struct Dropped {
    template <class V, class... Slots>
    void operator()(const V &, Slots &...) const {
        if constexpr (!may_tell_itself<V> && !std::is_same_v<StatusesOf<V>, Types<>>) static_cast<void>(&drops_status<StatusesOf<V>, Call>);
    }
};
namespace hidden {  // from argument-dependent lookup: a library may have a function of this name
/// Makes a call whose value nothing uses. The compiler warns where that has the type of a status, and does not tell that it is one;
/// what an assignment gives is none.
template <class Call>
void drop_value(const Call &call) {
    using V = decltype(call());
    if constexpr (!std::is_void_v<V> && !std::is_reference_v<V> && !may_tell_itself<V>) {
        if constexpr (!std::is_same_v<StatusesOf<V>, Types<>>) static_cast<void>(&drops_status<StatusesOf<V>, Call>);
    }
    static_cast<void>(call());
}
/// What a call gives, opened where it tells itself whether it is a result of type `R`.
template <class R, class Call, class... Objects>
decltype(auto) opened(Call &&call, [[maybe_unused]] Objects &...objects) {
    using V = decltype(call());
    if constexpr (opens<V, R>()) {
        auto &&value = call();
        check_value(value, objects...);
        if constexpr (!std::is_void_v<R>) return std::decay_t<decltype(held_by(static_cast<decltype(value)>(value)))>(held_by(static_cast<decltype(value)>(value)));
    } else if constexpr (std::is_void_v<R>) {
        drop_value(call);
    } else {
        return call();
    }
}
/// A call whose result is needed: a null pointer has a status.
template <class Untold, class Call, class... Objects>
decltype(auto) not_null(Call &&call, [[maybe_unused]] Objects &...objects) {
    if constexpr (is_nullable<decltype(call())>) {
        auto &&value = call();
        Untold::check_null(value, objects...);
        return static_cast<decltype(call())>(static_cast<decltype(value)>(value));
    } else {
        return call();
    }
}
/// A call without a result, whose value may be a status.
template <class Untold, class Call, class... Objects>
void run_untold(Call &&call, [[maybe_unused]] Objects &...objects) {
    if constexpr (std::is_void_v<decltype(call())>)
        call();
    else if constexpr (Untold::template is_status<decltype(call())>)
        static_cast<void>(Untold::test(call(), objects...));
    else
        opened<void>(call, objects...);
}
/// The same of a call that says in words why it fails.
template <class Untold, class Call, class... Objects>
void run_worded(Call &&call, [[maybe_unused]] Objects &...objects) {
    if constexpr (Untold::template is_status<decltype(call())>)
        static_cast<void>(Untold::test(call(), objects...));
    else
        static_cast<void>(call());
}
/// The same of a `cpp_body`: what it returns can be nothing else.
template <class Untold, class Call, class... Objects>
void run_body(Call &&call, Objects &...objects) {
    using V = decltype(call());
    static_assert(std::is_void_v<V> || Untold::template is_status<V> || opens<V, void>(),
                  "wrapper-gen: the body returns a value, and the entry has no result; if it is a status, say of which error: raises: NAME");
    run_untold<Untold>(call, objects...);
}
}  // namespace hidden
using namespace hidden;

}  // namespace wg

#endif  // WG_ERRORS_STATUSES_HPP
