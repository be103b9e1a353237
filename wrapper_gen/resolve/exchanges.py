"""Methods by which other libraries take an object's memory, by DLPack: what their signatures have to be."""

from __future__ import annotations

from wrapper_gen.model import Parameter
from wrapper_gen.model.protocols import EXCHANGED
from wrapper_gen.resolve.parameters import Signature
from wrapper_gen.resolve.scope import Scope
from wrapper_gen.types.memory import is_exchange
from wrapper_gen.types.queries import are_integers

_WHOLE = (
    "__dlpack__(*, stream: i64? = null, max_version: (i64, i64)? = null, dl_device: (i64, i64)? = null, "
    "copy: bool? = null) -> dlpack"
)
_DEVICE = "__dlpack_device__() -> (i32, i32)"


def check_exchange(scope: Scope, signature: Signature) -> None:
    """Report what `__dlpack__` and `__dlpack_device__` cannot have."""
    name, is_device = signature.name, signature.name == "__dlpack_device__"
    example = f"for example {_DEVICE if is_device else _WHOLE}"
    if signature.is_property:
        scope.error("WG129", f"{name} is a method, and no property", signature.span, example)
    unknown = next((p for p in signature.parameters if is_device or not _is_known(p)), None)
    if unknown:
        what = "no arguments" if is_device else f"{', '.join(EXCHANGED)}, by name, or without them"
        scope.error("WG129", f"{name} is called with {what}", unknown.span, example)
    if signature.is_whole and not (are_integers(signature.returns, 2) if is_device else is_exchange(signature.returns)):
        wanted = "the kind of device and its number" if is_device else "dlpack"
        message = f"{name} returns {signature.returns}, where libraries want {wanted}"
        scope.error("WG130", message, signature.returns_span, example)


def _is_known(p: Parameter) -> bool:
    return p.name in EXCHANGED and p.is_keyword and p.default is None
