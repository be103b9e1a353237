// Callables within lists, dicts and tuples: a std::function each to C++, for a call or for as long as C++ or an object has it.
// Static: the same for all packages. Included by generated C++ only, of specs with such types.
#ifndef WG_CALLBACKS_CALLABLES_WITHIN_HPP
#define WG_CALLBACKS_CALLABLES_WITHIN_HPP

#include <algorithm>

#include "wg/callbacks/callables.hpp"

namespace wg {

/// The callables in one argument, while its call runs: those of that call end with it, and others where it fails.
class PassedWithin {
public:
    struct Passed {
        Target *target;
        Lasting lasting;
        bool is_waited;
        Passing passing;

        bool is_kept() const { return lasting == Lasting::unsaid || lasting == Lasting::held; }
    };

    /// While an argument is converted on this thread: what is made is its.
    class Collecting {
    public:
        explicit Collecting(PassedWithin &passed) : before_(std::exchange(current(), &passed)) {}
        Collecting(const Collecting &) = delete;
        Collecting &operator=(const Collecting &) = delete;
        ~Collecting() { current() = before_; }

    private:
        PassedWithin *const before_;
    };

    PassedWithin() = default;
    PassedWithin(const PassedWithin &) = delete;
    PassedWithin &operator=(const PassedWithin &) = delete;
    ~PassedWithin() {
        const bool has_thrown = std::uncaught_exceptions() > exceptions_;
        if (is_set_)  // the latest come first there
            for (std::size_t i = all_.size(); i > 0; --i) Passing::forget(all_[i - 1].passing);
        for (Passed &each : all_)
            if (each.is_waited) each.target->end_waiting();
        for (Passed &each : all_) {
            const bool has_failed = has_thrown || each.passing.has_failed;
            if (each.lasting == Lasting::call || (has_failed && !each.is_kept())) each.target->end();
            each.target->drop();
        }
    }

    template <class F>
    static void add_to_current(const Callable<F> &callable) {
        if (PassedWithin *const passed = current()) passed->add(*callable.target(), F::lasting, is_waited_for<F>);
    }

    /// Before the call, with the argument, which stays where it is. A conversion that was given up has left callables.
    template <class V>
    void set(V &value) {
        if (std::exchange(is_set_, true)) return;
        exceptions_ = std::uncaught_exceptions();
        const auto is_left = [](const Passed &each) {
            if (each.target->is_shared(1)) return false;
            each.target->drop();
            return true;
        };
        all_.erase(std::remove_if(all_.begin(), all_.end(), is_left), all_.end());
        for (Passed &each : all_) {
            each.passing = {each.target, Passing::innermost(), enclosing_};
            Passing::innermost() = &each.passing;
        }
        value_ = &value;
        empty_ = [](void *given) { *static_cast<V *>(given) = V(); };
    }

    const std::vector<Passed> &all() const { return all_; }
    /// After the call: what C++ has not taken over is only here.
    void empty() const {
        if (value_ != nullptr) empty_(value_);
    }

private:
    static PassedWithin *&current() noexcept {
        static thread_local PassedWithin *here = nullptr;
        return here;
    }
    void add(Target &target, Lasting lasting, bool is_waited) {
        all_.push_back({&target, lasting, is_waited, {nullptr, nullptr, enclosing_}});
        if (is_waited) target.be_waited_for();
        target.add();
    }

    const Outer *const enclosing_ = Outer::innermost();
    std::vector<Passed> all_;
    bool is_set_ = false;
    void *value_ = nullptr;
    void (*empty_)(void *) = nullptr;
    int exceptions_ = std::uncaught_exceptions();
};

/// A callable as a value among others. It is not called itself: what it becomes checks what Python returns.
template <class F>
class Function {
public:
    Function() = default;
    /// Of a new target, which is among those that the argument that is converted brings.
    explicit Function(TargetOf<F> *target) : callable_(target) {
        if (callable_) PassedWithin::add_to_current(callable_);
    }

    explicit operator bool() const noexcept { return static_cast<bool>(callable_); }
    const Callable<F> &callable() const noexcept { return callable_; }

    template <class R, class... C, class = std::enable_if_t<goes_as_function<F, R, C...>()>>
    operator std::function<R(C...)>() const {
        return AsFunction<F>{callable_};
    }
    /// Of C callbacks without user data.
    template <class R, class... C, class = std::enable_if_t<is_for_c<F> && !has_user_data<F, C...> && Taking<typename F::Listed, C...>::is_clear()>>
    operator FunctionPointer<R, C...>() const {
        return callable_;
    }

private:
    Callable<F> callable_;
};

/// A list of what has callables in it: it converts to any container of what its elements convert to.
template <class T>
class Functions : public std::vector<T> {
public:
    using std::vector<T>::vector;

    static constexpr bool converts_elements = true;

    template <class Other, class = std::enable_if_t<!is_map<Other>::value && !std::is_base_of_v<std::vector<T>, Other> && is_fitting<typename Other::value_type, T>()>>
    operator Other() && {
        return std::move(*this).template into<Other>(Where("list"));
    }
    template <class Other, class = std::enable_if_t<!is_map<Other>::value && !std::is_base_of_v<std::vector<T>, Other> && is_fitting<typename Other::value_type, T>()>>
    operator Other() const & {
        return Functions(*this);
    }

    template <class Other>
    Other into(const Where &where) && {
        Other out;
        for (std::size_t i = 0; i < this->size(); ++i) out.insert(out.end(), fit<typename Other::value_type>(std::move((*this)[i]), Where::item(where, i)));
        return out;
    }
};

namespace types {

/// A callable that `F` describes (wg/callbacks/callable_ref.hpp), within another type.
template <class F, bool is_optional = false>
struct Function {
    using Value = wg::Function<F>;
};

/// A list with callables in its elements.
template <class D>
struct Callables {
    using Value = Functions<wg::Value<D>>;
};

}  // namespace types

namespace hidden {  // from argument-dependent lookup: a library may have a function of this name
/// What an object holds when it is given callables that last as long.
inline Owners as_owners(const PassedWithin &passed) {
    Owners owners;
    for (const auto &each : passed.all())
        if (each.lasting == Lasting::object) owners.add(Held{&each.target->cell, &callable_of_object});
    return owners;
}
}  // namespace hidden
using namespace hidden;

/// Adds the callables that C++ has kept to the object of the call, after the call.
class KeptWithin {
public:
    KeptWithin(const Held &object, const PassedWithin &passed) : object_(object), passed_(passed) {}
    KeptWithin(const KeptWithin &) = delete;
    KeptWithin &operator=(const KeptWithin &) = delete;
    ~KeptWithin() {
        passed_.empty();
        for (const auto &each : passed_.all())
            if (each.lasting != Lasting::call && each.lasting != Lasting::object && !each.target->has_ended() && each.target->is_shared(1)) keep_callable(object_, *each.target);
    }

private:
    const Held object_;
    const PassedWithin &passed_;
};

// --- the wire -------------------------------------------------------------------------------------------

template <class F, bool is_optional>
struct Wire<types::Function<F, is_optional>> {
    template <class Each>
    static void read(WireIn &in, std::size_t count, Each &&each) {
        const char *at = in.run(count, sizeof(u64));
        each([&at](Function<F> &out) {
            u64 address = 0;
            std::memcpy(&address, at, sizeof(address));
            at += sizeof(address);
            out = Function<F>(callable_of_c<F>(reinterpret_cast<void *>(static_cast<std::uintptr_t>(address))));
        });
    }
};

template <class D>
struct Wire<types::Callables<D>> : Wire<types::List<D>> {};

/// Before the argument: what is made while it is decoded is its.
struct CollectsCallables {
    PassedWithin collected;
    std::optional<PassedWithin::Collecting> collecting{std::in_place, collected};
};

/// An argument that crosses encoded, with the callables in it.
template <class D>
class DecodedWithCallables : CollectsCallables, public Decoded<D> {
public:
    DecodedWithCallables(const char *data, std::size_t size) : Decoded<D>(data, size) {
        collecting.reset();
        collected.set(this->get());
    }
    const PassedWithin &passed() const { return collected; }
};

}  // namespace wg

#endif  // WG_CALLBACKS_CALLABLES_WITHIN_HPP
