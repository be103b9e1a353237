"""Document → Module: names, types, defaults, meaning. Knows nothing of any target language's text."""

from __future__ import annotations

from typing import Any, cast

from wrapper_gen import names
from wrapper_gen.diagnostics import Diagnostic, in_order
from wrapper_gen.model import Module
from wrapper_gen.resolve.clashes import check_clashes
from wrapper_gen.resolve.entities import resolve_enum, resolve_error, resolve_handle
from wrapper_gen.resolve.functions import resolve_function, resolve_method
from wrapper_gen.resolve.library import resolve_library
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.resolve.types import WORDS
from wrapper_gen.spec import Document

__all__ = ["resolve"]


def resolve(document: Document) -> tuple[Module, list[Diagnostic]]:
    """The meaning of a document that passed the schema, and everything found on the way, in order of position.

    When a finding is an error the module is not fit for use: stand-ins take the place of what is wrong in it.
    """
    data: dict[str, Any] = document.data
    lib = cast(Map, data["wrapper_lib"])
    scope = Scope(document, lib=document.text(lib, "name"))
    scope.handles = frozenset(scope.text(h, "name") for h in scope.items(data, "handle_types"))
    scope.enums = {scope.text(e, "name"): frozenset(e.get("values") or ()) for e in scope.items(data, "enums")}
    scope.types = WORDS | scope.handles | scope.enums.keys()
    scope.errors = frozenset(scope.text(e, "type") for e in scope.items(data, "errors") if e.get("ok") is not None)
    scope.exceptions = frozenset(scope.text(e, "type") for e in scope.items(data, "errors")) - scope.errors
    package, guard = _check_names(lib, scope)
    errors = tuple(resolve_error(e, scope) for e in scope.items(data, "errors"))
    enums = tuple(resolve_enum(e, scope) for e in scope.items(data, "enums"))
    handles = tuple(resolve_handle(h, scope) for h in scope.items(data, "handle_types"))
    functions = tuple(resolve_function(f, scope) for f in scope.items(data, "functions"))
    methods = tuple(resolve_method(m, scope) for m in scope.items(data, "methods"))
    check_clashes(scope, handles, enums, errors, functions, methods)
    module = Module(
        name=scope.lib,
        version=scope.text(lib, "version", "0"),
        doc=scope.text(lib, "doc"),
        language=scope.text(lib, "lang", "cpp"),
        package=package,
        guard=guard,
        spec=document.shown,
        library=resolve_library(lib, scope),
        prelude=scope.code(data, "cpp_prelude") or scope.code(lib, "cpp_prelude"),
        errors=errors,
        enums=enums,
        handles=handles,
        functions=functions,
        methods=methods,
        span=document.start(lib),
    )
    return module, in_order(scope.findings)


def _check_names(lib: Map, scope: Scope) -> tuple[str, str]:
    """The package's name and the guard, checked like the library's own name."""
    if not names.LIBRARY.match(scope.lib) or scope.lib in names.PYTHON_WORDS or scope.lib in names.CPP_WORDS:
        scope.error(
            "WG020", f"{scope.lib!r} cannot be the name of a library", scope.span(lib, "name"),
            "lower case letters, digits and underscores, starting with a letter, and no word of Python or C++",
        )  # fmt: skip
    package = scope.text(lib, "python_package") or names.package(scope.lib)
    if not package.isidentifier() or not package.isascii() or package in names.PYTHON_WORDS or package.startswith("_"):
        example = names.package(scope.lib if names.LIBRARY.match(scope.lib) else "name")
        hint = f"a name that Python can import, such as {example}"
        scope.error("WG020", f"{package!r} cannot be the name of a package", scope.span(lib, "python_package"), hint)
    guard = scope.text(lib, "guard") or names.guard(scope.lib)
    scope.check_identifier(guard, scope.span(lib, "guard"), "a guard")
    return package, guard
