"""Values for arguments that can be made without knowing what they mean."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from wrapper_gen import names
from wrapper_gen.explain.entries import shown_name
from wrapper_gen.frozen import frozen
from wrapper_gen.model import NO_DEFAULT, EnumType, Function, HandleType, Module, Parameter, StructType
from wrapper_gen.types.memory import has_arrays
from wrapper_gen.types.model import Type
from wrapper_gen.types.queries import (
    alternatives_of,
    callable_of,
    enum_of,
    handle_of,
    handles_in,
    is_text,
    is_void,
    recursive_of,
    struct_of,
)
from wrapper_gen.types.samples import is_alike_everywhere, samples

_OF_FILE = re.compile(r"(^|_)(file_?name|fname|path)$")
"""What a text is called that names a file: one in the folder of a test."""
_DEEPEST = 4


@frozen
class Recipe:
    """How an object is made: an expression over `m`, the package, and `tmp`, a folder."""

    kind: str
    text: str
    entry: str


class Samples:
    """Arguments for the entries of a module."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._enums: Mapping[str, EnumType] = {each.name: each for each in module.enums}
        self._structs: Mapping[str, StructType] = {each.name: each for each in module.structs}
        self._recursive: Mapping[str, Type] = {each.name: each.of for each in module.representations}
        self.handles: Mapping[str, HandleType] = {each.name: each for each in module.handles}
        self._recipes: dict[str, Recipe | None] = {}

    def recipe(self, kind: str, depth: int = 0) -> Recipe | None:
        """The simplest way to make an object of a class; None where there is none without knowledge."""
        if kind not in self._recipes or self._recipes[kind] is None:
            self._recipes[kind] = None  # while it is looked for: no class is made of itself
            self._recipes[kind] = self._found(kind, depth) if depth < _DEEPEST else None
        return self._recipes[kind]

    def _found(self, kind: str, depth: int) -> Recipe | None:
        makers = [f for f in self._module.callables if f.constructs == kind or made_handle(f) == kind]
        for maker in sorted(makers, key=lambda f: (not f.constructs, f.handle is not None, len(f.parameters))):
            is_usual = maker.constructs or (maker.handle != kind and maker.protocol is None)
            called = self.call(maker, depth + 1) if is_usual else None
            if called is not None:
                return Recipe(kind, called, shown_name(maker, self._module))
        return None

    def call(
        self, function: Function, depth: int = 0, of: str = "", given: Mapping[str, str] = MappingProxyType({})
    ) -> str | None:
        """A call with the simplest arguments; `of` is the object, and `given` are arguments, made otherwise."""
        callee = self.callee(function, depth, of)
        if callee is None or function.virtual is not None:
            return None
        if function.property and not function.sets:
            return callee
        needed = [each for each in function.parameters if each.default is NO_DEFAULT or each.name in given]
        arguments = [self.argument(each, depth, given.get(each.name)) for each in needed]
        return None if None in arguments else f"{callee}({', '.join(filter(None, arguments))})"

    def callee(self, function: Function, depth: int = 0, of: str = "") -> str | None:
        """What Python calls."""
        shown = shown_name(function, self._module)
        if function.handle is None or function.constructs or function.static:
            return f"m.{shown}"
        made = of or (recipe.text if (recipe := self.recipe(function.handle, depth)) else "")
        return f"{made}.{shown.rpartition('.')[2]}" if made else None

    def argument(self, parameter: Parameter, depth: int = 0, given: str | None = None) -> str | None:
        """The simplest value of a parameter, or the one that is given."""
        value = given if given is not None else next(iter(self.values(parameter.type, depth)), None)
        if given is None and is_text(parameter.type) and _OF_FILE.search(parameter.name):
            value = "str(tmp / 'file')"
        return f"{names.python(parameter.name)}={value}" if value is not None and parameter.is_keyword else value

    def values(self, type_: Type, depth: int = 0) -> Sequence[str]:
        """Values of a type, the simplest first; none of what takes knowledge."""
        if plain := samples(type_):
            return plain
        if enum := self._enums.get(enum_of(type_) or ""):
            return [f"m.{_home(enum.module)}{enum.name}.{each.name}" for each in enum.members]
        if (fn := callable_of(type_)) is not None:
            return (self.function(fn.returns),)
        if (kind := handle_of(type_)) is not None:
            recipe = self.recipe(kind, depth) if kind in self.handles else None
            return (recipe.text,) if recipe else ()
        if depth < _DEEPEST and (struct := self._structs.get(struct_of(type_) or "")):
            needed = [self.values(each.type, depth + 1) for each in struct.fields if each.default is NO_DEFAULT]
            text = f"m.{_home(struct.module)}{struct.name}({', '.join(each[0] for each in needed if each)})"
            return (text,) if all(needed) else ()
        if depth < _DEEPEST and (made_of := self._recursive.get(recursive_of(type_) or "")):
            found = (self.values(each, depth + 1) for each in alternatives_of(made_of) if each is not None)
            return [each[0] for each in found if each]
        return ()

    def function(self, returns: Type) -> str:
        """A callable that returns the simplest value."""
        value = "None" if is_void(returns) else next(iter(self.values(returns)), "None")
        return f"lambda *_: {value}"


def made_handle(function: Function) -> str:
    """The class of the object that a call gives, or may give; empty where it gives none, or several."""
    shown = str(function.returns).removesuffix("?")
    return shown if shown in handles_in(function.returns) else ""


def _home(module: str) -> str:
    return f"{module}." if module else ""


def is_plain(function: Function) -> bool:
    """Whether an entry takes and gives plain values only, so that its calls can be compared."""
    if (
        function.handle
        or function.constructs
        or function.virtual
        or any(each.callbacks for each in function.parameters)
    ):
        return False
    are_alike = all(is_alike_everywhere(each.type) for each in function.parameters)
    return are_alike and not handle_of(function.returns) and not has_arrays(function.returns)
