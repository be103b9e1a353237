"""Drafts of what a C function may be in a spec: its signature in a `def`, where `TODO` stands for what C does not tell,
and a call of it in `cpp`."""

from __future__ import annotations

import keyword
from collections.abc import Sequence

from wrapper_gen.drafts.types import is_string, number
from wrapper_gen.drafts.uses import is_chars, pointee
from wrapper_gen.headers import CFunction, CKind, FunctionKind, Headers, Type
from wrapper_gen.lsp import spec_names
from wrapper_gen.lsp.spec_names import SpecNames
from wrapper_gen.spec.todo import OPEN

_ARITHMETIC = frozenset("signed unsigned char short int long float double bool size_t".split())


def draft(name: str, function: CFunction, owner: str, types: TypesOfC) -> str:
    """`name` with the parameters and the result of this function, of a class or of the module."""
    taken: list[str] = []
    written: list[str] = []
    parameters = list(function.parameters)
    if owner and function.kind is FunctionKind.FUNCTION and parameters and types.own(parameters[0].type) == owner:
        del parameters[0]  # the object
    while parameters:
        each = parameters.pop(0)
        own = _python(each.name, len(taken) + len(written))
        if types.is_bytes(each.type) and parameters and parameters[0].type.kind is CKind.INTEGER:
            del parameters[0]  # its length
            taken.append(f"{own}: bytes")
        elif (item := types.written(each.type)) and name != owner:
            written.append(f"{own}: {item}")
        elif not (item and types.own_target(each.type) == owner):  # a constructor's object
            taken.append(f"{own}: {types.spelled(each.type)}")
    returned = "" if function.kind is FunctionKind.CONSTRUCTOR or name == owner else types.result(function.result)
    return f"{name}({', '.join(taken)}){_arrow(returned, written)}"


def draft_call(
    function: CFunction, owner: str, taken: Sequence[str], items: Sequence[str], types: TypesOfC, *, is_made: bool
) -> list[str]:
    """The arguments of a call in an entry with these parameters and items of its result; `is_made`: in a constructor.

    An argument that the entry does not tell has the name that C has for it.
    """
    arguments: list[str] = []
    data = ""
    for i, each in enumerate(function.parameters):
        is_object = bool(owner) and types.own(each.type) == owner
        if data and each.name not in taken and each.type.kind is CKind.INTEGER:
            argument = f"{data}.size()"
        elif is_object and is_made:
            argument = "&self"
        elif is_object and i == 0:
            argument = "self"
        elif each.name in taken:
            argument = each.name
        elif types.written(each.type):
            argument = f"&{each.name}" if each.name in items else "&out"
        else:
            argument = _python(each.name, i)
        data = argument if argument in taken and types.is_bytes(each.type) else ""
        arguments.append(argument)
    return arguments


def _arrow(returned: str, written: list[str]) -> str:
    items = [*written, f"result: {returned}"] if returned else written
    if not items:
        return ""
    if len(items) == 1:
        return f" -> {items[0].partition(': ')[2]}"
    return f" -> ({', '.join(items)})"


def _python(name: str, number: int) -> str:
    if not name:
        return f"arg{number + 1}"
    return f"{name}_" if keyword.iskeyword(name) or name == "self" else name


class TypesOfC:
    """The types of C in the words of one spec."""

    def __init__(self, spec: SpecNames, headers: Headers) -> None:
        declared = [each for each in spec.of(*spec_names.TYPES) if not _ARITHMETIC.issuperset(each.detail.split())]
        self._names = {_bare(each.detail): each.name for each in declared}
        for each in declared:
            if (typedef := headers.typedefs.get(each.detail)) is not None:
                self._names.setdefault(_bare(typedef.type.canonical), each.name)
        self._statuses = {_bare(each.detail) for each in spec.statuses}

    def own(self, type_: Type) -> str:
        """The name in the spec of a type, or of what it points to; empty where there is none."""
        for each in (type_.spelling, type_.canonical, type_.name):
            if found := self._names.get(_bare(each)):
                return found
        return self.own_target(type_)

    def own_target(self, type_: Type) -> str:
        """The name in the spec of what a pointer or reference is to."""
        is_to = type_.kind in (CKind.POINTER, CKind.REFERENCE, CKind.RVALUE)
        return self.own(type_.target) if is_to and type_.target is not None else ""

    def is_bytes(self, type_: Type) -> bool:
        """Whether it is the address of data, before its length."""
        to = pointee(type_)
        return to is not None and to.is_const and (to.kind is CKind.VOID or to.canonical == "const unsigned char")

    def written(self, type_: Type) -> str:
        """What the call writes through a pointer; empty where it writes nothing that is known."""
        target = pointee(type_)
        if target is None or target.is_const:
            return ""
        is_number = target.kind in (CKind.INTEGER, CKind.FLOAT, CKind.BOOL) and not is_chars(target)
        return self.spelled(target) if is_number else self.own(target) if target.kind is CKind.POINTER else ""

    def result(self, type_: Type) -> str:
        """The type of a result; empty of nothing, and of a status."""
        if type_.kind is CKind.VOID or _bare(type_.spelling) in self._statuses:
            return ""
        return self.spelled(type_)

    def spelled(self, type_: Type) -> str:
        """A type of a parameter or result."""
        is_text = is_string(type_) or ((to := pointee(type_)) is not None and to.canonical in ("char", "const char"))
        return self.own(type_) or number(type_) or ("text" if is_text else OPEN)


def _bare(spelling: str) -> str:
    """A type without what C lets one leave out."""
    words = spelling.replace("*", " * ").split()
    return " ".join(each for each in words if each not in ("const", "struct", "enum", "class")).replace(" *", "*")
