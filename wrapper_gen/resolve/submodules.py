"""`module: io`: entries that a submodule of the package has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from wrapper_gen import names
from wrapper_gen.diagnostics import Span, did_you_mean
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


def read_submodules(lib: Map, spec: SpecReader) -> dict[str, str] | None:
    """The submodules that the library lists, if it does."""
    listed = lib.get("modules")
    if not isinstance(listed, dict):
        return None
    good = [name for name in listed if _check_name(name, spec.document.key_span(listed, name), spec)]
    return {name: spec.text(listed, name) for name in good}


def read_submodule(entry: Map, scope: Scope) -> str:
    """The submodule that has what an entry declares; empty where the package itself does."""
    name = scope.text(entry, "module")
    if "module" not in entry or entry["module"] is None:
        return ""
    span = scope.span(entry, "module")
    if scope.names.submodules is not None and name not in scope.names.submodules:
        hint = did_you_mean(name, scope.names.submodules) or f"list it there: modules: {{{name}: what it is for}}"
        scope.error("WG210", f"`modules` of the library does not list {name!r}", span, hint)
        return ""
    return name if scope.names.submodules is not None or _check_name(name, span, scope) else ""


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
    """All submodules: as the library lists them, or in the order in which entries name them."""
    _check_exceptions(errors, scope)
    first: dict[str, Span] = {}
    for each in sorted((e for e in entries if e.module), key=lambda e: (e.span.line, e.span.column)):
        first.setdefault(each.module, each.span)
    said: Mapping[str, str] = dict.fromkeys(first, "") if scope.names.submodules is None else scope.names.submodules
    unused = [name for name in said if name not in first]
    lib: Any = scope.document.data.get("wrapper_lib")
    for name in unused:
        where = scope.document.key_span(lib["modules"], name)
        scope.error(
            "WG210", f"nothing is in the submodule {name!r}", where, f"give an entry `module: {name}`, or drop it"
        )
    return tuple(Submodule(name, doc, first[name]) for name, doc in said.items() if name in first)


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
