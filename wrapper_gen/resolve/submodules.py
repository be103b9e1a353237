"""`module: io`: entries that a submodule of the package has."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from wrapper_gen import names
from wrapper_gen.diagnostics import Span
from wrapper_gen.frozen import replace
from wrapper_gen.model import ErrorType, Submodule
from wrapper_gen.resolve.parameters import Signature
from wrapper_gen.resolve.scope import Map, Scope, SpecReader

_TAKEN = {
    "build": "the folder of what is compiled",
    "ffi_build": "the build script",
    "sources": "the folder of sources",
}
"""What else lies in the folder of a package."""


class _Entry(Protocol):
    @property
    def module(self) -> str: ...
    @property
    def span(self) -> Span: ...


def read_submodule(entry: Map, scope: Scope) -> str:
    """The submodule that has what an entry declares; empty where the package itself does."""
    name = scope.text(entry, "module")
    if "module" not in entry or entry["module"] is None:
        return ""
    span = scope.span(entry, "module")
    return name if _check_name(name, span, scope) else ""


def _check_name(name: str, span: Span, spec: SpecReader) -> bool:
    if not names.LIBRARY.match(name) or name in names.PYTHON_KEYWORDS:
        hint = "one name of lower case letters, digits and underscores, starting with a letter; no keyword"
        spec.error("WG210", f"{name!r} cannot be the name of a submodule", span, hint)
        return False
    if name in _TAKEN:
        spec.error("WG210", f"{name!r} is {_TAKEN[name]} of the package", span, "choose another name")
        return False
    return True


def in_submodule(entry: Map, scope: Scope, signature: Signature, labelled: Signature) -> tuple[str, Signature]:
    """The submodule of a function, and the signature with its name in C: submodules may have functions of one name."""
    name = read_submodule(entry, scope)
    if not name:
        return "", labelled
    if signature.is_constructor:
        hint = f"drop it here: the handle type {signature.name} says where it is"
        where = scope.document.key_span(entry, "module")
        scope.error("WG210", "a constructor is where its class is", where, hint)
        return "", labelled
    return name, replace(labelled, name=names.in_submodule(name, names.base(scope.names.lib, labelled.name)))


def found_submodules(scope: Scope, entries: Iterable[_Entry], errors: Iterable[ErrorType]) -> tuple[Submodule, ...]:
    """All submodules, in the order in which entries name them."""
    _check_exceptions(errors, scope)
    first: dict[str, Span] = {}
    for each in sorted((e for e in entries if e.module), key=lambda e: (e.span.line, e.span.column)):
        first.setdefault(each.module, each.span)
    return tuple(Submodule(name, span) for name, span in first.items())


def _check_exceptions(errors: Iterable[ErrorType], scope: Scope) -> None:
    """Several entries may raise one exception, which is in one module."""
    own = names.PYTHON_EXCEPTIONS | {names.library_error(scope.names.lib)}
    first: dict[str, ErrorType] = {}
    for error in errors:
        before = first.setdefault(error.exception, error)
        if error.exception not in own and before.module != error.module:
            message = f"{error.exception} is in two modules"
            hint = "say the same `module` in all entries that raise it"
            scope.error("WG210", message, error.span, hint, (before.span, "the other entry"))
