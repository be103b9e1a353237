"""Structs that extend others: which, and whether the two go together."""

from __future__ import annotations

from collections.abc import Sequence

from wrapper_gen.diagnostics import Nearest, a, did_you_mean
from wrapper_gen.model import StructField, StructType
from wrapper_gen.model.inheritance import bases
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.types.queries import handles_in, has_callables


def read_base(entry: Map, scope: Scope, name: str, own: Sequence[StructField]) -> StructType | None:
    """The struct that an entry extends, which stands before it; None where it extends none."""
    wanted, span = entry.get("extends"), scope.span(entry, "extends")
    if not wanted:
        return None
    base = scope.records.get(str(wanted))
    if base is None or base.name == name:
        message, hint = _unknown(str(wanted), scope, name)
        scope.error("WG140", message, span, hint)
        return None
    _check_base(entry, scope, name, base, own)
    known = {f.name for f in base.fields}
    for each in own:
        if each.name in known:
            hint = f"drop it: {a(name)} has what {a(base.name)} has; or name it otherwise, with `cpp` for the member"
            scope.error("WG022", f"{base.name}, which {name} extends, has the field {each.name!r}", each.span, hint)
    return base


def _unknown(wanted: str, scope: Scope, name: str) -> tuple[str, str | Nearest]:
    """Why a struct cannot extend this, and what to do."""
    extends = {n: str(e["extends"]) for n, e in scope.named("structs", "name") if e.get("extends")}
    above = bases(name, extends)
    if name in above:
        circle = ", which extends ".join(above[: above.index(name) + 1])
        return f"{name} extends {circle}", "drop `extends` from the one that has no base in C++"
    if any(wanted == n for n, _ in scope.named("structs", "name")):
        return f"{name} extends {wanted}, which stands after it", f"move {wanted} before {name}"
    if wanted in scope.handles:
        return f"{name} extends {wanted}, which is a handle type", f"declare {name} under `handle_types`, too"
    known = did_you_mean(wanted, scope.records) or "declare it under `structs`, before this one"
    return f"no struct {wanted!r} that {a(name)} could extend", known


def _check_base(entry: Map, scope: Scope, name: str, base: StructType, own: Sequence[StructField]) -> None:
    """Whether what makes the one can make the other, and whether a part of it is a value."""
    span = scope.span(entry, "extends")
    if base.make and entry.get("make") is None:
        hint = f"say `make` for {a(name)} too: it has the fields of both by their names"
        scope.error("WG141", f"{base.name} has `make`, and {name} has none", span, hint)
    for owner, fields in ((base.name, base.fields), (name, own)):
        found = next((f for f in fields if handles_in(f.type) or has_callables(f.type)), None)
        if found:
            hint = f"drop `extends`, and list the fields of {a(base.name)} here"
            what = "a handle" if handles_in(found.type) else "a callable"
            message = f"{name} cannot extend {base.name}: the field {found.name!r} of {owner} is {what}"
            scope.error("WG141", message, span, hint)
            return
