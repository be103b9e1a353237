// Callables of the cpython engine: called with converted arguments, from any thread; what they raise waits for the outer call's end.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_CPYTHON_CALLABLES_HPP
#define WG_CPYTHON_CALLABLES_HPP

#include "wg/base/once.hpp"
#include "wg/callbacks/callables.hpp"
#include "wg/cpython/passing_calls.hpp"
#include "wg/cpython/raised.hpp"
#include "wg/cpython/results.hpp"

namespace wg::cpython {

// --- calls of the package's --------------------------------------------------------------------------

/// A call of the package's: what a callable raised while it ran is raised in place of its result or failure. One that passes
/// a callable looks first who may run it; others, which may only run what C++ keeps, leave that to when they do.
template <bool Passes, class Call>
[[gnu::always_inline]] inline auto outer(Call &&call) -> decltype(call()) {
    [[maybe_unused]] const std::conditional_t<Passes, PassingCall, NoPassingCall> counted;
    Outer here;
    if constexpr (Passes) {
        if (!is_finalizing()) here.thread = running_thread();
    }
    decltype(call()) made{};
    try {
        made = call();
    } catch (const Unwinding &) {
        throw;
    } catch (...) {
        if constexpr (Passes) Passing::each_of(here.enclosing(), [](Passing &each) { each.target->end_waiting(); });
        if (!here.has_raised) throw;
        if constexpr (Passes) Passing::each_of(here.enclosing(), [](Passing &each) { each.has_failed = true; });  // C++ has not taken over the callables
    }
    if constexpr (Passes) Passing::each_of(here.enclosing(), [](Passing &each) { each.target->end_waiting(); });
    if (here.keeps()) let_go_after(here);
    if (!here.has_raised) return made;
    constexpr bool is_object = std::is_pointer_v<decltype(made)>;
    if constexpr (is_object) Py_XDECREF(made);
    PyErr_Clear();
    raise_again(static_cast<PyObject *>(here.exception));
    if constexpr (is_object) return nullptr;
    else return -1;
}

template <class Call>
[[gnu::noinline]] auto inner(Call &call) -> decltype(call()) {
    return outer<false>(call);
}

/// The same of a call that is passed none, in a package of which C++ keeps none: it may run those of calls that run now.
template <class Call>
auto outer_beside(Call &&call) -> decltype(call()) {
    return passing_calls.load(std::memory_order_relaxed) == 0 ? call() : inner(call);
}

/// How the body of a call on an object runs (wg/cpython/own_calls.hpp): as a call that callables run under, which it may pass itself, or beside those.
template <bool passes>
struct Outermost {
    template <class Body>
    static auto run(Body &&body) -> decltype(body()) {
        return outer<passes>(std::forward<Body>(body));
    }
};
struct BesideOthers {
    template <class Body>
    static auto run(Body &&body) -> decltype(body()) {
        return outer_beside(std::forward<Body>(body));
    }
};

// --- calls ------------------------------------------------------------------------------------------

/// Says whose arguments are meant where the callable refused them, which runs no code of its own.
[[gnu::cold, gnu::noinline]] WG_ONCE void name_refusal(const char *name) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) return;
    PyObject *raised = take_raised(), *trace = PyException_GetTraceback(raised);
    if (trace == nullptr) {
        PyErr_Format(PyExc_TypeError, "%s: %S", name, raised);
        Py_DECREF(raised);
    } else {
        Py_DECREF(trace);
        raise_again(raised);
    }
}
#endif

WG_ONCE PyObject *call_row(PyObject *callable, PyObject **row, std::size_t size) WG_ELSEWHERE
#if WG_HAS_BODIES
{
#if !defined(Py_LIMITED_API) || Py_LIMITED_API + 0 >= 0x030C0000
    return PyObject_Vectorcall(callable, row, size | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr);
#else
    const Strong arguments(PyTuple_New(static_cast<Py_ssize_t>(size)));
    if (!arguments) return nullptr;
    for (std::size_t i = 0; i < size; ++i) PyTuple_SetItem(arguments.get(), static_cast<Py_ssize_t>(i), Py_NewRef(row[i]));
    return PyObject_CallObject(callable, arguments.get());
#endif
}
#endif

/// A call whose last argument is a list of arguments.
WG_ONCE PyObject *call_spread(PyObject *callable, PyObject **row, std::size_t size) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    const Strong last(PySequence_Tuple(row[size - 1]));
    const auto before = static_cast<Py_ssize_t>(size) - 1;
    const Strong first(PyTuple_New(before));
    if (!last || !first) return nullptr;
    for (Py_ssize_t i = 0; i < before; ++i) PyTuple_SetItem(first.get(), i, Py_NewRef(row[i]));
    const Strong all(PySequence_Concat(first.get(), last.get()));
    return all ? PyObject_CallObject(callable, all.get()) : nullptr;
}
#endif

/// The arguments of a call, and what lies before them, which CPython may use.
template <std::size_t size>
struct Row {
    PyObject *items[size + 1] = {};

    Row() = default;
    Row(const Row &) = delete;
    Row &operator=(const Row &) = delete;
    ~Row() {
        for (std::size_t i = 1; i <= size; ++i) Py_XDECREF(items[i]);
    }
};

template <class Listed>
struct RowOf;
template <class... D>
struct RowOf<Types<D...>> {
    static constexpr std::size_t size = sizeof...(D);

    template <class Values>
    static bool fill(Row<size> &row, Values &values) {
        return fill(row, values, std::index_sequence_for<D...>());
    }

private:
    template <class Values, std::size_t... I>
    static bool fill([[maybe_unused]] Row<size> &row, [[maybe_unused]] Values &values, std::index_sequence<I...>) {
        return (((row.items[I + 1] = ToPython<D>::give(packs::at<I>(values), no_owners)) != nullptr) && ...);
    }
};

/// A result whose handles have to stay usable while C++ has them. It is released wherever the outer call ends.
template <class D>
struct LastingResult {
    Strong object;
    Call call;
};

/// A call with what C++ gives, of whatever `invoke` calls with a row of arguments.
template <class F>
class PythonCall {
public:
    using Result = typename F::Result;
    using Taken = RowOf<typename F::Arguments>;

    template <class Invoke>
    static bool make([[maybe_unused]] const Target *called, Invoke &&invoke, ArgumentsOf<F> &arguments, Answer<Result> &answer) {
        [[maybe_unused]] const LentFor<F> lent(called);
        Row<Taken::size> row;
        if (!Taken::fill(row, arguments)) return false;
        Strong result(invoke(row.items));
        if (!result) name_refusal(F::name);
        return result && read(std::move(result), answer);
    }

private:
    static bool read([[maybe_unused]] Strong &&result, [[maybe_unused]] Answer<Result> &answer) {
        if constexpr (std::is_void_v<Result>) {
            return true;
        } else if constexpr (returns_handles<Result>) {
            auto kept = std::shared_ptr<LastingResult<Result>>(new LastingResult<Result>{std::move(result), {}}, [](auto *lasting) {
                if (const Entered python(Outer::innermost()); python) delete lasting;
            });
            answer.alive = kept;
            return from_python<Result>(kept->object.get(), answer.value, kept->call) || kept->call.fail(F::returned);
        } else {
            if (FromPython<Result>::quick(result.get(), answer.value)) return true;
            Call call;
            return FromPython<Result>::take(result.get(), answer.value, call) || call.fail(F::returned);
        }
    }
};

template <class F>
class PythonTarget final : public TargetOf<F> {
public:
    explicit PythonTarget(PyObject *callable) : callable_(Py_NewRef(callable)) {}

    bool call(Outer *outer, ArgumentsOf<F> &arguments, AnswerOf<F> &answer) override {
        const Entered python(outer);
        if (!python) return false;
        if (outer == nullptr && this->has_raised_elsewhere()) return false;  // while this thread waited for the GIL
        const Strong callable(own());
        if (!callable) return false;
        const bool good = call(callable.get(), arguments, answer);
        if constexpr (F::answers_failure)
            if (!good) tell_raised(answer.failure);
        if (!good) keep_raised(callable.get(), this);
        return good;
    }

private:
    bool call(PyObject *callable, ArgumentsOf<F> &arguments, Answer<typename F::Result> &answer) {
        constexpr std::size_t size = PythonCall<F>::Taken::size;
        const auto invoke = [callable](PyObject **row) { return F::is_spread ? call_spread(callable, row + 1, size) : call_row(callable, row + 1, size); };
        return PythonCall<F>::make(this, invoke, arguments, answer);
    }

    /// What it is, for one call; none any more where it has ended.
    PyObject *own() {
#ifdef Py_GIL_DISABLED
        const std::lock_guard<std::mutex> lock(mutex_);
#endif
        return Py_XNewRef(callable_);
    }

    void *object() noexcept override { return callable_; }
    void raise_kept(std::uintptr_t kept, Outer *outer) noexcept override { raise_kept_by(kept, outer); }

    void release() noexcept override {
        const Entered python(Outer::innermost());
        if (!python) return;
        PyObject *before = nullptr;
        {
#ifdef Py_GIL_DISABLED
            const std::lock_guard<std::mutex> lock(mutex_);
#endif
            before = std::exchange(callable_, nullptr);
        }
        Py_XDECREF(before);
    }

    PyObject *callable_;
#ifdef Py_GIL_DISABLED
    std::mutex mutex_;
#endif
};

/// A callable as an argument.
template <class F, bool is_optional>
class CallableArgument {
public:
    bool take(PyObject *value, const char *name) {
        if (is_optional && value == Py_None) return true;
        object_ = value;
        return PyCallable_Check(value) != 0 || wrong_type(name, "a callable", value);
    }
    const wg::Callable<F> &value() {
        if (object_ != nullptr && !passed_.callable()) passed_.set(new PythonTarget<F>(object_));
        return passed_.callable();
    }

private:
    PyObject *object_ = nullptr;  // the caller's, during the call
    Passed<F> passed_;
};

// --- handles ----------------------------------------------------------------------------------------

template <class H>
struct ToPython<types::LentHandle<H>> {
    static PyObject *give(H &value, const Owners &) {
        if constexpr (Identity<H>::is_kept)
            if (PyObject *there = object_there(value)) return there;
        return cpython::give<H>(Traits<H>::type, [&value] { return H(std::move(value)); }, [](const Held &made, auto &own) {
            lend_for_call(made, own, [](const Held &lent, const Held &owner) {
                if (!attach_simple_owner<std::decay_t<decltype(own)>>(*lent.cell, owner)) SoleLender(owner).attach_to(lent);
            });
        });
    }
};

// --- the interpreter's end --------------------------------------------------------------------------

WG_ONCE PyObject *end_callables(PyObject *, PyObject *) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    may_unwind = true;
    PyThreadState *state = PyEval_SaveThread();
    Open::end();
    PyEval_RestoreThread(state);
    Py_RETURN_NONE;
}
#endif

/// At import: what is called at the interpreter's end.
inline bool start_callables() {
    static PyMethodDef definition = {"end_callables", &end_callables, METH_NOARGS, nullptr};
    keep_thrown = &keep_thrown_by_call;
    return be_alone_until(definition);
}

}  // namespace wg::cpython

#endif  // WG_CPYTHON_CALLABLES_HPP
