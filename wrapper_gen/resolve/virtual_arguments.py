"""What C++ calls a virtual method with, and what it gets, where that is more than the `def` says."""

from __future__ import annotations

from wrapper_gen.expressions import mentions
from wrapper_gen.model import Code, NamedCallback
from wrapper_gen.resolve.cpp import says_several
from wrapper_gen.resolve.lambdas import is_lambda
from wrapper_gen.resolve.mirrored_calls import MirroredCall, Seen, mirrored_call
from wrapper_gen.resolve.parameters import Signature
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.resolve.signatures import OVERRIDDEN
from wrapper_gen.written_calls import BadCall

MIRRORED = ("cpp", "result", "raises")
"""Keys that say of a virtual method how C++ calls Python, and of other entries how Python calls C++."""


def listed_virtual(entry: Map, scope: Scope, signature: Signature, owner: str) -> NamedCallback | None:
    """What the entry says of C++'s arguments and result; None where they are those of the `def`."""
    told = str(entry.get("on_exception") or "")
    uses_arguments = mentions(told, "error", *(p.name for p in signature.parameters))
    if not uses_arguments and not is_mirrored(entry, scope):
        return None
    seen = [Seen(p.name, p.type, p.span) for p in signature.parameters]
    label = f"{owner}_{signature.name}"
    return MirroredCall(entry, scope, label, seen, signature.returns, returns_span=signature.span).resolved()


def is_mirrored(entry: Map, scope: Scope) -> bool:
    """Whether the entry says other arguments or another result of C++ than the `def` has."""
    return any(entry.get(key) is not None for key in ("result", "raises")) or lists_arguments(entry, scope)


def lists_arguments(entry: Map, scope: Scope) -> bool:
    """Whether `cpp` of a virtual method has C++'s arguments."""
    signature = scope.text(entry, "def") or scope.text(entry, "name")
    if not signature.lstrip().startswith(OVERRIDDEN) or says_several(entry) or is_lambda(scope.text(entry, "cpp")):
        return False
    try:
        return mirrored_call(entry, scope) is not None
    except BadCall:
        return True


def listed_member(entry: Map, scope: Scope) -> Code | None:
    """The name of the virtual function, where it stands before its arguments in `cpp`."""
    if not lists_arguments(entry, scope):
        return None
    callee, opening, _ = scope.text(entry, "cpp").partition("(")
    callee = callee.strip().removeprefix(".")
    return Code(callee, scope.span(entry, "cpp")) if opening and callee else None
