"""Threads: calls that would wait for each other."""

from __future__ import annotations

from wrapper_gen.diagnostics import a
from wrapper_gen.lifetimes.running import contended
from wrapper_gen.model import Function, Lasting, Module
from wrapper_gen.resolve.fixes import with_value
from wrapper_gen.resolve.scope import Scope
from wrapper_gen.types.queries import handles_in


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
                if handle in scope.handle_entries and not function.property:
                    about = scope.handle_entries[handle]
                    fixes.append(with_value(about, "thread", "any", f"calls on {a(handle)} run side by side", scope))
                scope.error("WG099", message, p.span, hint, fixes=tuple(fixes))


def _locked(function: Function, lasting: Lasting, module: Module) -> str:
    """A handle type of the call that blocking calls lock: this one, or others while C++ keeps the callable."""
    if lasting is Lasting.CALL and function.lifetime.concurrent:
        return ""
    given = frozenset([function.handle or ""]).union(*(handles_in(p.type) for p in function.parameters))
    return next(iter(sorted(given & contended(module))), "")
