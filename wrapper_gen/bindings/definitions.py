"""Finds what binding code defines: every call on a module, a class or an enum of pybind11 or nanobind, in order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from wrapper_gen.bindings.cursors import bare, below, bound, first, is_of_binder, literal, place, written_text
from wrapper_gen.diagnostics import Span
from wrapper_gen.frozen import frozen

CONTAINERS = ("bind_vector", "bind_map")
_MADE = {"class_": "class", "enum_": "enum", "exception": "exception"}
_FREE = {
    "register_exception": "exception",
    "register_local_exception": "exception",
    "register_exception_translator": "translator",
    "register_local_exception_translator": "translator",
    "implicitly_convertible": "conversion",
    "bind_vector": "container",
    "bind_map": "container",
}
_MEMBERS = {"def_submodule": "submodule", "export_values": "export"}
_QUIET = {
    "import_",
    "finalize",
    "disable_signatures",
    "disable_user_defined_docstrings",
    "ptr",
    "none",
    "noconvert",
    "attr",
}
Lines = Mapping[str, Sequence[tuple[int, int, int]]]
"""By the path of a file: first line, last line, and the line that the first one is a copy of."""


@frozen
class BoundDefinition:
    """One definition: `what` it is, the class or enum that it is of (`of`, canonical), or the module that it is in.

    `method` is the name of the binder's function: `def`, `def_readwrite`. `arguments` are cursors.
    """

    what: str
    method: str
    of: str
    type: Any
    module: str
    arguments: Sequence[Any]
    place: Span
    cursor: Any

    @property
    def name(self) -> str:
        """The name in Python, where it is written out."""
        at = 1 if self.what in ("class", "enum", "exception", "container") else 0
        return (written_text(self.arguments[at]) if len(self.arguments) > at else None) or ""


class Finder:
    """Collects the definitions of some translation units; `paths` are the files whose code is looked at.

    `modules` are those of functions that no call tells of, and `lines` tells of which line some lines are copies.
    """

    def __init__(
        self,
        paths: Sequence[str],
        modules: Mapping[str, str] = MappingProxyType({}),
        lines: Lines = MappingProxyType({}),
    ) -> None:
        self._paths = paths
        self._modules = modules
        self._lines = lines
        self._found: dict[tuple[str, int, int, int], BoundDefinition] = {}
        self._calls: defaultdict[str, list[Sequence[Any]]] = defaultdict(list)
        self._functions: list[Any] = []
        self.templates: list[Any] = []
        """Function templates with bindings: what they define depends on their arguments."""
        self.bindings: set[str] = set()
        """The functions (by their USR) that are made of binding code."""

    def read(self, unit: Any) -> None:
        for each in self._declarations(unit.cursor):
            self._functions.append(each)
            for call in below(each):
                if call.kind.name == "CALL_EXPR" and call.referenced is not None:
                    self._calls[call.referenced.get_usr()].append(list(call.get_arguments()))

    def definitions(self) -> list[BoundDefinition]:
        """All, in the order in which they stand."""
        for each in self._functions:
            found = [made for call in below(each) if (made := self._definition(call)) is not None]
            for at, made in enumerate(found):
                key = (*made.place[:3], at if not made.place.line else 0)
                self._found.setdefault((key[0], key[1], key[2], hash(made.name + made.method + made.of)), made)
            if found:
                self.bindings.add(each.get_usr())
        return sorted(self._found.values(), key=lambda each: (self._paths.index(each.place.path), each.place))

    def _declarations(self, cursor: Any) -> Iterator[Any]:
        """Functions with a body, also of namespaces and classes."""
        for each in cursor.get_children():
            file = each.location.file
            if file is None or file.name not in self._paths:
                continue
            kind = each.kind.name
            if kind in ("NAMESPACE", "LINKAGE_SPEC", "UNEXPOSED_DECL", "STRUCT_DECL", "CLASS_DECL"):
                yield from self._declarations(each)
            elif kind in ("FUNCTION_DECL", "CXX_METHOD", "CONSTRUCTOR") and each.is_definition():
                yield each
            elif kind == "FUNCTION_TEMPLATE" and _has_bindings(each):
                self.templates.append(each)

    # --- one call ---

    def _definition(self, call: Any) -> BoundDefinition | None:
        if call.kind.name != "CALL_EXPR" or call.location.file is None or call.location.file.name not in self._paths:
            return None
        if call.spelling in _MADE:
            return self._made(call)
        if call.spelling in CONTAINERS and (made := self._made(call)) is not None:
            return made
        if call.spelling in _FREE:
            scope = list(call.get_arguments())
            module = self.module_of(scope[0]) if scope else ""
            return self._as(_FREE[call.spelling], call, "", None, module, place(call))
        if call.spelling == "operator=":
            return self._attribute(call)
        return self._member(call)

    def _made(self, call: Any) -> BoundDefinition | None:
        kind, arguments = bound(call.type)
        if kind not in _MADE or not arguments or len(list(call.get_arguments())) < 2:
            return None  # a copy
        of = arguments[0].get_canonical().spelling
        scope = next(iter(call.get_arguments()))
        return self._as(
            "class" if call.spelling in CONTAINERS else _MADE[kind],
            call,
            of,
            call.type,
            self.module_of(scope),
            place(call),
        )

    def _member(self, call: Any) -> BoundDefinition | None:
        member = next(iter(call.get_children()), None)
        if member is None or member.kind.name != "MEMBER_REF_EXPR" or call.spelling in _QUIET:
            return None
        base = next(iter(member.get_children()), None)
        if base is None or call.referenced is None or not is_of_binder(call.referenced):
            return None
        kind, arguments = bound(base.type)
        if kind in ("module_", "module"):
            what = _MEMBERS.get(call.spelling, "function" if call.spelling == "def" else "")
            return self._as(what, call, "", base.type, self.module_of(base), place(member)) if what else None
        if kind not in ("class_", "enum_") or not arguments:
            return None
        of = arguments[0].get_canonical().spelling
        what = "value" if call.spelling == "value" else _MEMBERS.get(call.spelling, "member")
        return self._as(what, call, of, base.type, self.module_of(base), place(member))

    def _attribute(self, call: Any) -> BoundDefinition | None:
        """`m.attr("x") = value` and `m.doc() = "…"`."""
        arguments = list(call.get_arguments())
        target = bare(arguments[0]) if len(arguments) == 2 else None
        if target is None or target.kind.name != "CALL_EXPR" or target.spelling not in ("attr", "doc"):
            return None
        base = first(target, "DECL_REF_EXPR")
        kind, of = bound(base.type) if base is not None else ("", ())
        named = list(target.get_arguments())
        what = (
            "documentation" if target.spelling == "doc" or (named and literal(named[0]) == "__doc__") else "attribute"
        )
        owner = of[0].get_canonical().spelling if kind in ("class_", "enum_") else ""
        return BoundDefinition(
            what, "attr", owner, None, self.module_of(base), [*named, arguments[1]], place(call), call
        )

    def _as(self, what: str, call: Any, of: str, type: Any, module: str, where: Span) -> BoundDefinition:
        for first_line, last, own in self._lines.get(where.path, ()):
            if first_line <= where.line <= last:
                where = where._replace(line=where.line - first_line + own)
        return BoundDefinition(what, call.spelling, of, type, module, list(call.get_arguments()), where, call)

    # --- modules ---

    def module_of(self, scope: Any, depth: int = 8) -> str:
        """The submodule that an expression is; empty for the module itself, and for what is in no other one."""
        made = first(scope, "CALL_EXPR", "DECL_REF_EXPR") if scope is not None else None
        while made is not None and made.kind.name == "CALL_EXPR" and made.spelling not in ("def_submodule", *_MADE):
            made = next((each for each in below(made) if each.kind.name in ("CALL_EXPR", "DECL_REF_EXPR")), None)
        if made is None or not depth:
            return ""
        if made.kind.name == "CALL_EXPR":
            arguments = list(made.get_arguments())
            if made.spelling == "def_submodule":
                return literal(arguments[0]) or ""
            return self.module_of(arguments[0], depth - 1) if arguments else ""
        return self._module_of_variable(made.referenced, depth)

    def _module_of_variable(self, variable: Any, depth: int) -> str:
        if variable is None:
            return ""
        if variable.kind.name == "VAR_DECL":
            inside = first(variable, "CALL_EXPR")
            return self.module_of(inside, depth - 1) if inside is not None else ""
        if variable.kind.name != "PARM_DECL" or variable.semantic_parent is None:
            return ""
        function = variable.semantic_parent
        if function.spelling in self._modules:
            return self._modules[function.spelling]
        at = [each.spelling for each in function.get_arguments()].index(variable.spelling)
        for arguments in self._calls[function.get_usr()]:
            if len(arguments) > at and (found := self.module_of(arguments[at], depth - 1)):
                return found
        return ""


def _has_bindings(template: Any) -> bool:
    return any(token.spelling in ("class_", "def", "enum_", "def_rw") for token in template.get_tokens())
