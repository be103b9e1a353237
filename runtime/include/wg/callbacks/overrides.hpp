// Virtual functions of C++ classes that methods of Python override.
// Static: the same for all packages. Included by generated C++ of specs with interfaces.
#ifndef WG_CALLBACKS_OVERRIDES_HPP
#define WG_CALLBACKS_OVERRIDES_HPP

#include <atomic>
#include <cstdlib>

#include "wg/base/once.hpp"
#include "wg/callbacks/callables.hpp"
#include "wg/callbacks/waiting_calls.hpp"
#include "wg/ownership/handle_arguments.hpp"
#include "wg/ownership/pointers.hpp"

namespace wg {

/// The Python object whose methods override virtual functions. C++ does not keep it alive by this.
class PythonObject : public Waited {
public:
    /// What keeps it alive; null where it is gone.
    virtual std::shared_ptr<void> alive() = 0;
};

/// What every object of a generated class has beside what the library's class has.
class Overriding {
public:
    Overriding() = default;
    Overriding(const Overriding &) = delete;
    Overriding &operator=(const Overriding &) = delete;

    void set_python(std::shared_ptr<PythonObject> python) noexcept {
        if (python_ == nullptr) alive_count().fetch_add(1);
        python_ = std::move(python);
    }
    /// Whether Python overrides something of some object: only then C++ may wait for the GIL.
    static bool are_alive() noexcept { return alive_count().load(std::memory_order_relaxed) != 0; }
    /// Null where no method is overridden.
    const std::shared_ptr<PythonObject> &python() const noexcept { return python_; }
    std::shared_ptr<void> alive() const { return python_ == nullptr ? nullptr : python_->alive(); }

    /// Which generated class an object is of: one that extends another is passed as that, too.
    template <class Own>
    void set_class() noexcept {
        class_ = &class_mark<Own>;
    }
    template <class Own>
    Own *as() noexcept {
        return class_ == &class_mark<Own> ? static_cast<Own *>(this) : nullptr;
    }

protected:
    ~Overriding() {
        if (python_ == nullptr) return;
        python_.reset();  // first, since that waits for the GIL
        alive_count().fetch_sub(1);
    }

private:
    template <class Own>
    static inline char class_mark = 0;  // not const: a linker may make one of equal constants

    static std::atomic<std::size_t> &alive_count() noexcept {
        static std::atomic<std::size_t> count{0};
        return count;
    }

    std::shared_ptr<PythonObject> python_;
    const void *class_ = nullptr;
};

/// What keeps both alive. Of no type of the library's: clang 14 leaves out what it takes to destroy one.
WG_ONCE std::shared_ptr<void> kept_with_python(std::shared_ptr<void> object, std::shared_ptr<void> python) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    struct Kept {
        std::shared_ptr<void> object;
        std::shared_ptr<void> python;  // goes first: its end may be the end of its own pointer to the object
    };
    return std::make_shared<Kept>(Kept{std::move(object), std::move(python)});
}
#endif

/// What a handle of an interface holds. A shared pointer that is made of it keeps the Python object alive, too.
template <class T>
class Overridable {
public:
    using element_type = T;

    Overridable() = default;
    Overridable(std::nullptr_t) {}
    template <class U, std::enable_if_t<std::is_convertible_v<U *, T *>, int> = 0>
    Overridable(std::shared_ptr<U> object) : object_(std::move(object)) {}
    template <class U, class D, std::enable_if_t<std::is_convertible_v<U *, T *>, int> = 0>
    Overridable(std::unique_ptr<U, D> object) : object_(std::move(object)) {}
    /// Python has no const.
    template <class U, class D, std::enable_if_t<!std::is_convertible_v<const U *, T *> && std::is_convertible_v<U *, T *>, int> = 0>
    Overridable(std::unique_ptr<const U, D> object) : object_(std::const_pointer_cast<U>(std::shared_ptr<const U>(std::move(object)))) {}
    template <class U>
    Overridable(std::shared_ptr<U> object, Overriding *own) : object_(std::move(object)), own_(own) {}
    template <class U, std::enable_if_t<std::is_convertible_v<U *, T *>, int> = 0>
    Overridable(const Overridable<U> &derived) : object_(derived.pointer()), own_(derived.own()) {}

    T *get() const noexcept { return object_.get(); }
    T *operator->() const noexcept { return object_.get(); }
    T &operator*() const noexcept { return *object_; }
    explicit operator bool() const noexcept { return object_ != nullptr; }

    operator T &() const { return object(*this); }
    template <class U, std::enable_if_t<std::is_class_v<U> && std::is_convertible_v<T *, U *>, int> = 0>
    operator U *() const noexcept {
        return object_.get();
    }
    template <class U, std::enable_if_t<std::is_convertible_v<T *, U *>, int> = 0>
    operator std::shared_ptr<U>() const {
        return shared();
    }
    template <class U, std::enable_if_t<std::is_convertible_v<T *, U *>, int> = 0>
    operator std::weak_ptr<U>() const {
        return object_;
    }
    /// It has other owners: without this, one could be made of the plain pointer. From 14 on, g++ asks no explicit conversion there;
    /// an implicit one makes calls ambiguous that take a shared pointer as well as a unique one.
    template <class U, class D>
#if defined(__clang__) || __GNUC__ < 14
    explicit
#endif
    operator std::unique_ptr<U, D>() const = delete;

    /// The object that Python made; null where C++ made it.
    Overriding *own() const noexcept { return own_; }
    /// The same as one of the class `Own`; null where it is of another.
    template <class Own>
    Own *own_as() const noexcept {
        return own_ == nullptr ? nullptr : own_->as<Own>();
    }
    const std::shared_ptr<T> &pointer() const noexcept { return object_; }
    /// The object as `found`, which C++ knows it to be, too.
    template <class U>
    Overridable<U> as(U *found) const {
        return {std::shared_ptr<U>(object_, found), own_};
    }

private:
    std::shared_ptr<T> shared() const {
        std::shared_ptr<void> python = own_ == nullptr ? nullptr : own_->alive();
        if (python == nullptr) return object_;
        return std::shared_ptr<T>(kept_with_python(object_, std::move(python)), object_.get());
    }

    std::shared_ptr<T> object_;
    Overriding *own_ = nullptr;
};

template <class T>
struct PythonOf<Overridable<T>> {
    static constexpr bool is_called = true;
    static std::shared_ptr<void> alive(const Overridable<T> &held) { return held.own() == nullptr ? nullptr : held.own()->alive(); }
    static std::shared_ptr<Waited> waited(const Overridable<T> &held) { return held.own() == nullptr ? nullptr : held.own()->python(); }
};

/// Of a handle that may be missing: a null pointer then.
template <class T>
struct MaybeInner<Overridable<T>> : std::optional<Overridable<T>> {
    using std::optional<Overridable<T>>::optional;
    operator Overridable<T>() const { return this->has_value() ? **this : Overridable<T>(); }
    template <class U, std::enable_if_t<std::is_class_v<U> && std::is_convertible_v<T *, U *>, int> = 0>
    operator U *() const noexcept {
        return this->has_value() ? (*this)->get() : nullptr;
    }
    template <class U, std::enable_if_t<std::is_convertible_v<T *, U *>, int> = 0>
    operator std::shared_ptr<U>() const {
        return this->has_value() ? std::shared_ptr<U>(**this) : nullptr;
    }
};

/// `overriding % new T(…)`: C++ converts what T takes as for any other call.
struct MakesOverriding {
    template <class T>
    Overridable<typename T::wg_Class> operator%(T *made) const {
        made->template set_class<T>();
        return {std::shared_ptr<T>(made), made};
    }
};
inline constexpr MakesOverriding overriding{};

/// The first of the generated classes: it overrides nothing.
template <class T>
struct OverridesNothing : T, Overriding {
    using T::T;
    using wg_Class = T;

    template <class Use>
    static void wg_each(OverridesNothing *, Use &&) {}
};

/// Stands for the type of a virtual function that C++ has not.
struct NoFunction {};
template <class F>
constexpr bool is_missing = std::is_same_v<F, NoFunction>;
/// And for what it returns: there is one error, at the line of the spec.
struct UnknownResult {};
template <>
struct Representation<UnknownResult> {
    template <class To>
    static constexpr bool gives = true;
    template <class To, class From>
    static To to(From &&) {
        std::abort();  // nothing makes one
    }
};

/// The type of a member function, without the class.
template <class M>
struct FunctionOf {
    using type = NoFunction;
};
template <class F, class C>
struct FunctionOf<F C::*> {
    using type = F;
};

template <class R, class F, class... A>
R call_override(const Callable<F> &callable, A &&...a) {
    return callable.template call_as<R>(std::forward<A>(a)...);
}

/// The same where C++ takes no exception: it gets what the spec says for one, and Python raises it when the outer call ends.
template <class R, class F, class... A>
R call_override_noexcept(const Callable<F> &callable, A &&...a) noexcept {
    try {
        return callable.template call_as<R>(std::forward<A>(a)...);
    } catch (const Raised &) {  // is kept already
    } catch (...) {
        keep_thrown.load()(callable.target());
    }
    return F::template fallback<R>();
}

[[noreturn]] inline void fail_abstract(const char *name) { throw NotImplemented(std::string(name) + "() is abstract"); }
[[noreturn]] inline void fail_mirrored(const char *name) {
    throw NotImplemented(std::string(name) + "() is for C++ to call: its arguments or its result are others there than in Python");
}
[[noreturn]] inline void fail_of_base(const char *name) {
    throw NotImplemented(std::string(name) + "() of an object of a class that extends this one: call it by super()");
}
[[noreturn]] inline void fail_protected(const char *name) {
    throw NotImplemented(std::string(name) + "() is protected: C++ made this object, and calls it itself");
}

// The type of a virtual function, `tag##_type`, where C++ has it, told by a pointer to it in a class `wg_T` that derives from its own;
// and the class template that will override it.
#define WG_VIRTUAL(tag, of, ...)                                                    \
    struct tag##_found : of {                                                       \
        template <class wg_T>                                                       \
        static wg::FunctionOf<decltype(__VA_ARGS__)> wg_type_of(int);               \
        template <class>                                                            \
        static wg::FunctionOf<void> wg_type_of(long);                               \
    };                                                                              \
    using tag##_type = decltype(tag##_found::wg_type_of<tag##_found>(0))::type;     \
    template <class wg_Base, class wg_Function>                                     \
    struct tag;
/// The same of one whose type only the spec can say.
#define WG_VIRTUAL_SAID(tag)                    \
    using tag##_type = tag##_said;              \
    template <class wg_Base, class wg_Function> \
    struct tag;
/// A pointer to one of several with this name in a class `wg_T`, for what calls it.
#define WG_VIRTUAL_POINTER(tag, ...)                \
    template <class wg_T>                           \
    auto tag##_pointer() -> decltype(__VA_ARGS__) { \
        return __VA_ARGS__;                         \
    }

// The function by which Python calls what C++ has: that of the class `overriding`, whose methods are of Python; of an object that C++
// made, what `in_cpp` calls; and of one of a class that extends `of`, whose methods are of Python, what `as_base` does.
#define WG_CALL_VIRTUAL_OR(call, of, overriding, tag, callback, in_cpp, as_base)                                                 \
    template <class... wg_A>                                                                                                     \
    auto call(wg::Overridable<of> &wg_object, wg_A &&...wg_a)                                                                    \
        -> decltype(std::declval<overriding &>().tag##_own(std::forward<wg_A>(wg_a)...)) {                                       \
        if (auto *const wg_own = wg_object.template own_as<overriding>()) return wg_own->tag##_own(std::forward<wg_A>(wg_a)...); \
        if constexpr (wg::is_missing<tag##_type>) {                                                                              \
            return wg::UnknownResult();                                                                                          \
        } else {                                                                                                                 \
            const auto wg_made = [](auto &wg_of, auto &&...wg_p) -> decltype((in_cpp)(std::forward<decltype(wg_p)>(wg_p)...)) {  \
                return (in_cpp)(std::forward<decltype(wg_p)>(wg_p)...);                                                          \
            };                                                                                                                   \
            if constexpr (!std::is_invocable_v<decltype(wg_made), of &, wg_A...>) wg::fail_protected(callback::name);            \
            else if (wg_object.own() == nullptr) return wg_made(*wg_object, std::forward<wg_A>(wg_a)...);                        \
            else as_base                                                                                                         \
        }                                                                                                                        \
    }
/// A function that has an implementation, one that has none, and one of several with its name.
#define WG_CALL_VIRTUAL(call, of, overriding, tag, callback, member)            \
    WG_CALL_VIRTUAL_OR(call, of, overriding, tag, callback, wg_of.member, return wg::late<wg_A...>(wg_object)->of::member(std::forward<wg_A>(wg_a)...);)
#define WG_CALL_ABSTRACT(call, of, overriding, tag, callback, member) \
    WG_CALL_VIRTUAL_OR(call, of, overriding, tag, callback, wg_of.member, wg::fail_abstract(callback::name);)
#define WG_CALL_VIRTUAL_SAID(call, of, overriding, tag, callback) \
    WG_CALL_VIRTUAL_OR(call, of, overriding, tag, callback, wg_of.*tag##_pointer<std::decay_t<decltype(wg_of)>>(), wg::fail_of_base(callback::name);)
/// One that only C++ calls, whose arguments or result are others than those of the method: Python gets an exception.
#define WG_CALLED_BY_CPP_ALONE(call, of, callback)            \
    template <class... wg_A>                                    \
    wg::UnknownResult call(wg::Overridable<of> &, wg_A &&...) { \
        wg::fail_mirrored(callback::name);                      \
    }

// One generated class overrides one virtual function of its base. Declared before: `template <class Base, class F> struct tag;`.
#define WG_OVERRIDE_AS(tag, method, at, python_name, callback, is_abstract, otherwise, constness, throwing, call)                      \
    template <class Base, class R, class... A>                                                                                         \
    struct tag<Base, R(A...) constness throwing> : Base {                                                                              \
        using Base::Base;                                                                                                              \
        R method([[maybe_unused]] A... a) constness throwing override {                                                                \
            static_assert(!std::is_reference_v<R>, "wrapper-gen: Python cannot override a virtual function that returns a reference"); \
            static_assert(wg::Taking<typename callback::Listed, A &&...>::is_clear(),                                                  \
                          "wrapper-gen: the parameters of this virtual function are not those that the spec declares");                \
            wg::check_no_copies<callback, A...>();                                                                                     \
            if (tag##_override) return wg::call<R>(tag##_override, std::forward<A>(a)...);                                             \
            return tag##_own(std::forward<A>(a)...);                                                                                   \
        }                                                                                                                              \
        R tag##_own([[maybe_unused]] A... a) constness { otherwise }                                                                   \
        template <class Use>                                                                                                           \
        static void wg_each(tag *own, Use &&use) {                                                                                     \
            Base::wg_each(own, use);                                                                                                   \
            use(own == nullptr ? nullptr : &own->tag##_override, at, python_name, is_abstract);                                        \
        }                                                                                                                              \
        wg::Callable<callback> tag##_override;                                                                                         \
    };
#define WG_OVERRIDE_NONE(tag, ...)                     \
    template <class Base>                              \
    struct tag<Base, wg::NoFunction> : Base {          \
        using Base::Base;                              \
        template <class... A>                          \
        wg::UnknownResult tag##_own(A &&...) const;         \
    };
#define WG_OVERRIDE_ALL(...)                                          \
    WG_OVERRIDE_NONE(__VA_ARGS__)                                     \
    WG_OVERRIDE_AS(__VA_ARGS__, , , call_override)                    \
    WG_OVERRIDE_AS(__VA_ARGS__, const, , call_override)               \
    WG_OVERRIDE_AS(__VA_ARGS__, , noexcept, call_override_noexcept)   \
    WG_OVERRIDE_AS(__VA_ARGS__, const, noexcept, call_override_noexcept)
/// A function that has an implementation, one that has none, and one that needs none.
#define WG_OVERRIDE(tag, method, at, python_name, callback) \
    WG_OVERRIDE_ALL(tag, method, at, python_name, callback, false, return this->Base::wg_Class::method(std::forward<A>(a)...);)
#define WG_OVERRIDE_ABSTRACT(tag, method, at, python_name, callback) \
    WG_OVERRIDE_ALL(tag, method, at, python_name, callback, true, wg::fail_abstract(callback::name);)
#define WG_OVERRIDE_OPTIONAL(tag, method, at, python_name, callback) \
    WG_OVERRIDE_ALL(tag, method, at, python_name, callback, false, return R();)

// --- the C ABI ----------------------------------------------------------------------------------

/// What a Python object is asked across the C ABI: to stay alive, or not any more; whether it is there.
struct StayAlive : Callback<types::Number<bool>, types::Number<bool>> {
    static constexpr const char *name = "an object";
    static constexpr const char *returned = "an object";
    static constexpr Lasting lasting = Lasting::held;
};

class CPythonObject final : public PythonObject, public std::enable_shared_from_this<CPythonObject> {
public:
    explicit CPythonObject(void *object) : asked_(new CTarget<StayAlive>(object)) {}

    std::shared_ptr<void> alive() override {
        if (!ask(true)) return nullptr;
        return std::shared_ptr<void>(this, [own = shared_from_this()](void *) { own->ask(false); });
    }

private:
    std::uintptr_t share(std::uintptr_t raised) noexcept override {
        const usize same = Outer::number_elsewhere();
        c_functions().share(raised, same);
        return same;
    }
    void forget(std::uintptr_t raised) noexcept override { c_functions().share(raised, 0); }
    void raise_kept(std::uintptr_t kept, Outer *outer) noexcept override { raise_kept_for_c(kept, outer); }

    bool ask(bool stays) {
        Pack<bool> question{{stays}};
        Answer<types::Number<bool>> answer;
        Outer *const outer = stays ? Outer::innermost() : nullptr;  // which raises what comes meanwhile, such as Ctrl-C
        return asked_.target()->call(outer, question, answer) && answer.value;
    }

    const Callable<StayAlive> asked_;
};

template <class F>
void override_by(Callable<F> *overridden, void *callable, const std::shared_ptr<PythonObject> &object) {
    *overridden = Callable<F>(callable_of_c<F>(callable));
    if (*overridden) overridden->target()->be_override_of(object);
}

/// Lets a callable override function number `wanted` of an object that Python has just made; -1 is the Python object. Throws where
/// Python cannot keep what is called.
template <class H, class Own>
void override_for_c(void *cell, i32 wanted, void *callable) {
    auto *own = static_cast<Own *>(static_cast<typename CellOf<H>::type *>(cell)->value.inner.own());
    if (wanted < 0) own->set_python(std::make_shared<CPythonObject>(callable));
    Own::wg_each(own, [&](auto *overridden, i32 at, const char *, bool) {
        if (at == wanted) override_by(overridden, callable, own->python());
    });
}

}  // namespace wg

#endif  // WG_CALLBACKS_OVERRIDES_HPP
