"""Handle types that are cursors or linked lists themselves: `each` on the type gives the class `__iter__`."""

from __future__ import annotations

from collections.abc import Iterator

from wrapper_gen.frozen import replace
from wrapper_gen.model import Code, Function, Lambda, Passing
from wrapper_gen.resolve.functions import resolve_signature
from wrapper_gen.resolve.iteration import read_said
from wrapper_gen.resolve.parameters import Signature
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.resolve.types import parse_type

ITER = "__iter__"
_HELD = "[](auto &wg_own) -> auto & { return wg_own; }"


def resolve_cursor(handle: Map, scope: Scope, owner: str) -> Iterator[Function]:
    """The `__iter__` of a handle type with `each`: it goes over what the handle holds."""
    said = handle.get("each")
    if not isinstance(said, dict):
        return
    span = scope.document.key_span(handle, "each")
    if said.get("type") is None:
        hint = "say what type the elements have: type: text, or type: (text, i64)"
        scope.error("WG151", "`each` of a handle type does not say what its elements are", span, hint)
        return
    if said.get("free"):
        hint = "drop `free`; `release` of its type releases what the handle holds"
        scope.error(
            "WG151", "an iteration does not release the object that it goes over", scope.span(said, "free"), hint
        )
    if ITER in scope.names.protocols.get(owner, ()):
        hint = f"drop `each`, or say it in the entry of {ITER}"
        scope.error("WG151", f"{owner} has a method {ITER} already", span, hint)
        return
    where = scope.span(said, "type")
    returns = parse_type(f"iter[{scope.type_text(said, 'type')}]", where, scope, is_result=True)
    if returns is None:
        return
    signature = Signature(ITER, span, owner, (), returns, where, is_property=False)
    implementation = Lambda(Code(_HELD, span), (Passing.INNER,), takes_handle=True)
    found = resolve_signature(scope.document.nothing(handle, "each"), scope, signature, implementation)
    each = read_said(said, span, scope, returns)
    yield replace(found, each=replace(each, of_object=True))
