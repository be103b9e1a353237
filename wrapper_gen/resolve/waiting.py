"""`async` of an entry: what a task can await, and what ends the call when the task is cancelled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wrapper_gen import names
from wrapper_gen.diagnostics import Fix, Nearest, Span, a, did_you_mean
from wrapper_gen.frozen import replace
from wrapper_gen.lifetimes.running import locked_by_calls
from wrapper_gen.model import NO_DEFAULT, Awaited, Function, HandleType, Lasting, Module, Thread
from wrapper_gen.model.inheritance import bases
from wrapper_gen.resolve import protocols
from wrapper_gen.resolve.fixes import with_value
from wrapper_gen.resolve.parameters import Signature
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.resolve.signatures import OVERRIDDEN
from wrapper_gen.types.model import Type
from wrapper_gen.types.queries import callable_of, handle_of, handles_in, is_iterator, is_void

_IN_THREAD = "thread"


def runs_in_thread(entry: Map) -> bool:
    """Whether `async` of the entry means that the call runs in a thread, so that it has to release the GIL."""
    return entry.get("async") == _IN_THREAD


def names_its_end(entry: Map) -> bool:
    """Whether a parameter, which the library calls, ends the call: `result` makes the task's result of its values."""
    return entry.get("async") not in (None, _IN_THREAD)


def read_awaited(entry: Map, scope: Scope, signature: Signature) -> Awaited | None:
    """What the entry says, as far as it can be told without the other entries."""
    said = entry.get("async")
    if said is None:
        if entry.get("cancel") is not None:
            hint = "say how it waits, too: async: thread; or drop `cancel`"
            where = scope.document.key_span(entry, "cancel")
            scope.error("WG171", "`cancel` of a call that no task awaits", where, hint)
        return None
    where = scope.document.key_span(entry, "async")
    if not _can_be(entry, scope, signature, where):
        return None
    done = "" if said == _IN_THREAD else scope.text(entry, "async")
    found = Awaited(where, done, scope.text(entry, "cancel"), result=scope.text(entry, "result") if done else "")
    if not done:
        return found
    values = _values_of_done(found, entry, scope, signature)
    return None if values is None else replace(found, values=values)


def _can_be(entry: Map, scope: Scope, signature: Signature, where: Span) -> bool:
    """Whether Python could await the call."""
    name, returns = signature.name, signature.returns
    if signature.is_property:
        problem, hint = "a property cannot be awaited", f'write it as a method: def: "{name}() -> T"'
    elif signature.is_constructor:
        problem, hint = "a constructor cannot be awaited", f'use a function: def: "open() -> {name}"'
    elif protocols.protocol_of(signature):
        problem, hint = f"Python calls {name!r} and does not await it", "give the method a name of its own"
    elif signature.static:
        problem, hint = "a static method cannot be awaited", "use a function"
    elif signature.kind in OVERRIDDEN:
        problem, hint = f"classes of Python override {name!r}", "write a function that takes the object and calls it"
    elif is_iterator(returns):
        problem, hint = "an iterator waits for each element, which Python would not await", "return a list: [T]"
    elif entry.get("blocking") is False and runs_in_thread(entry):
        problem, hint = "a call in a thread that keeps the GIL stops all other threads", "drop `blocking: false`"
    else:
        return True
    scope.error("WG170", problem, where, hint)
    return False


def _values_of_done(found: Awaited, entry: Map, scope: Scope, signature: Signature) -> tuple[Type, ...] | None:
    """What the callback is called with; None where it cannot end a call."""
    where = scope.span(entry, "async")
    p = next((p for p in signature.parameters if p.name == found.done), None)
    fn = callable_of(p.type) if p else None
    if p is None or fn is None or p.callback is None:
        callables = [p.name for p in signature.parameters if callable_of(p.type)]
        near = did_you_mean(found.done, [*callables, _IN_THREAD])
        way = near or "say async: thread; or name the parameter that the library calls at the end"
        fixes = () if callables else (Fix("the call runs in a thread", where, _IN_THREAD),)
        scope.error("WG171", f"{found.done!r} is no callable of this call", where, way, fixes=fixes)
        return None
    if not is_void(fn.returns):
        hint = "a callback without a result: fn(A)"
        scope.error("WG171", f"nothing would give {found.done!r} its result {fn.returns}", where, hint)
    elif p.callback.scope is Lasting.CALL:
        hint = "say async: thread; or how long C keeps the callable: scope: once"
        scope.error("WG171", f"{found.done!r} is called while the call runs, and not after it", where, hint)
    elif fn.is_spread:
        hint = "pass the elements as one list: drop `spread`"
        scope.error("WG171", f"how many values {found.done!r} gives is not decided", where, hint)
    elif not found.result and any(map(handles_in, fn.parameters)):
        hint = "name a function of the spec that makes the result of it: result: FUNCTION"
        scope.error("WG171", f"a handle that {found.done!r} gets is closed when the task gets it", where, hint)
    else:
        return fn.parameters
    return None


# --- among all entries ------------------------------------------------------------------------------------------------


def with_awaited(
    scope: Scope, handles: Sequence[HandleType], functions: Sequence[Function], methods: Sequence[Function]
) -> tuple[tuple[Function, ...], tuple[Function, ...]]:
    """The same functions and methods: what `async` of each names is found among them, or reported."""
    found = _Others(scope, handles, functions, methods)
    return tuple(map(found.resolved, functions)), tuple(map(found.resolved, methods))


def awaited_once(functions: Sequence[Function]) -> tuple[Function, ...]:
    """Those that tasks can await; of several forms of one name, the first."""
    found = {
        (f.handle, f.module, names.of_function(f), f.is_form or f.span): f for f in reversed(functions) if f.awaited
    }
    return tuple(reversed(found.values()))


class _Others:
    """What an entry can name."""

    def __init__(
        self, scope: Scope, handles: Sequence[HandleType], functions: Sequence[Function], methods: Sequence[Function]
    ) -> None:
        self._scope = scope
        self._threads: Mapping[str, Thread] = {h.name: h.thread for h in handles}
        self._functions = {(f.module, f.name): f for f in functions}
        self._modules = {h.name: h.module for h in handles}
        self._methods = {(m.handle or "", m.name): m for m in methods if _is_plain(m)}

    def resolved(self, function: Function) -> Function:
        awaited = function.awaited
        if awaited is None:
            return function
        if awaited.done and function.is_form:
            hint = "give this one a name of its own"
            self._error(awaited, f"{function.name!r} has several forms, which one callable does not end", hint)
        if awaited.result:
            awaited = self._with_result(awaited, self._modules.get(function.handle or "", function.module))
        if awaited.cancel:
            awaited = self._with_cancel(function, awaited)
        return replace(function, awaited=awaited)

    def _with_result(self, awaited: Awaited, module: str) -> Awaited:
        made, count = self._functions.get((module, awaited.result)), len(awaited.values)
        if made is None:
            known = [name for where, name in self._functions if where == module]
            hint = did_you_mean(awaited.result, known) or "declare it under `functions`"
            what = f"the submodule {module!r}" if module else "this spec"
            self._error(awaited, f"{awaited.result!r} is no function of {what}", hint)
            return awaited
        needed = [p for p in made.parameters if p.default is NO_DEFAULT or p.is_keyword]
        if not len(needed) <= count <= len(made.parameters):
            hint = "a parameter for each argument of the callback"
            self._error(awaited, f"{awaited.result!r} does not take the {count} values of {awaited.done!r}", hint)
        return replace(awaited, result=names.of_function(made), made=made.returns)

    def _with_cancel(self, function: Function, awaited: Awaited) -> Awaited:
        made = handle_of(function.returns) if awaited.done else None
        owners = [each for each in (made, function.handle) if each]
        for owner in owners:
            for handle in (owner, *bases(owner, self._scope.names.extends)):
                if method := self._methods.get((handle, awaited.cancel)):
                    self._check_cancel(function, awaited, method, handle)
                    return replace(awaited, cancel=names.of_function(method), cancels_result=owner == made)
        known = [name for handle, name in self._methods if handle in owners]
        hint = did_you_mean(awaited.cancel, known) if owners else "make it a method of the handle that it uses"
        hint = hint or "declare a method without parameters"
        message = f"{awaited.cancel!r} is no method of {' or '.join(owners)}"
        self._error(awaited, message if owners else f"there is no handle that has {awaited.cancel!r}", hint)
        return awaited

    def _check_cancel(self, function: Function, awaited: Awaited, method: Function, handle: str) -> None:
        if any(p.default is NO_DEFAULT for p in method.parameters):
            self._error(awaited, f"{awaited.cancel!r} needs arguments", "name a method that needs none")
        if not awaited.done and not method.lifetime.concurrent and self._threads.get(handle) is not Thread.ANY:
            hint = f"say that the library allows it beside other calls: thread: any on {method.name!r}"
            self._error(awaited, f"{awaited.cancel!r} would wait for the call that it ends", hint)

    def _error(self, awaited: Awaited, message: str, hint: str | Nearest) -> None:
        self._scope.error("WG171", message, awaited.span, hint)


def _is_plain(method: Function) -> bool:
    return not (method.property or method.sets or method.protocol)


# --- callables on other threads ---------------------------------------------------------------------------------------


def check_waiting(scope: Scope, module: Module) -> None:
    """No other thread has to call a callable while the call that waits for that thread has the lock."""
    for function in module.callables:
        for p in function.parameters:
            lasting = next((each.scope for each in p.callbacks if each.any_thread), None)
            if lasting and (handle := _locked(function, lasting, module)):
                message = (
                    f"another thread may call {p.name!r}, and wait for {a(handle)} that a blocking call has locked"
                )
                others = ", or on this entry" * (lasting is Lasting.CALL)
                hint = f"if the library allows calls side by side, say so: thread: any on {handle}{others}"
                fixes = []
                if handle in scope.names.handle_entries and not function.property:
                    about = scope.names.handle_entries[handle]
                    fixes.append(with_value(about, "thread", "any", f"calls on {a(handle)} run side by side", scope))
                scope.error("WG099", message, p.span, hint, fixes=tuple(fixes))


def _locked(function: Function, lasting: Lasting, module: Module) -> str:
    """A handle type of the call that blocking calls lock: this one, or others while C++ keeps the callable."""
    if lasting is Lasting.CALL and function.lifetime.concurrent:
        return ""
    given = frozenset([function.handle or ""]).union(*(handles_in(p.type) for p in function.parameters))
    return next(iter(sorted(given & locked_by_calls(module))), "")
