"""Python's type hints: what each type is called in code and in prose, and the names that such a hint needs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import assert_never

from wrapper_gen.frozen import frozen, replace
from wrapper_gen.names import RUNTIME, runtime_module
from wrapper_gen.types.model import (
    AnyObject,
    ArrayOf,
    Bytes,
    Complex,
    DateTime,
    DeviceStream,
    Duration,
    EnumRef,
    Exchange,
    Fn,
    Handle,
    Index,
    Iter,
    Kind,
    List,
    Map,
    Optional,
    Path,
    Recursive,
    Scalar,
    Set,
    Slice,
    SpanOf,
    Struct,
    Text,
    Tuple,
    TupleOf,
    Type,
    Union,
    Void,
)


class Way(StrEnum):
    """Which way a value crosses the border: arguments may be more than results are."""

    ARGUMENT = "argument"
    RESULT = "result"
    LENT = "lent"  # a result whose handles are somebody else's: what a callable is called with
    FIXED = "fixed"  # a result that nobody can change: what a property shows

    __hash__ = str.__hash__  # that of Enum is written in Python


@frozen
class Import:
    """A name that generated Python imports, and what it is called there if not that; alike, for what a stub exports."""

    module: str
    name: str
    alias: str
    is_installed: bool = False
    """Whether another package has it, and not Python."""

    @property
    def is_own(self) -> bool:
        """Whether it is the package's."""
        return self.module.startswith(".")

    @property
    def of_runtime(self) -> str | None:
        """The module of the runtime that has it; None where it is another's."""
        package, _, module = self.module.removeprefix(".").partition(".")
        return module if self.is_own and package == RUNTIME else None

    def __str__(self) -> str:
        return f"from {self.module} import {self.name}{f' as {self.alias}' if self.alias else ''}"


@frozen
class _Word:
    """A name in hints that is no builtin: where Python has it, and what readers call it."""

    imported: Import
    prose: str


CALLABLE = Import("collections.abc", "Callable", "_Callable")
_CALLABLE = _Word(CALLABLE, "Callable")
ITERATOR = Import("collections.abc", "Iterator", "_Iterator")
_ITERATOR = _Word(ITERATOR, "Iterator")
_MAPPING = _Word(Import("collections.abc", "Mapping", "_Mapping"), "Mapping")
_SEQUENCE = _Word(Import("collections.abc", "Sequence", "_Sequence"), "Sequence")
_SET = _Word(Import("collections.abc", "Set", "_AbstractSet"), "Set")
# Beside these may stand functions and methods of the same name, such as `set`, which hide the builtin.
_DICT = _Word(Import("builtins", "dict", "_dict"), "dict")
_PLAIN_SET = _Word(Import("builtins", "set", "_set"), "set")
_FROZEN_SET = _Word(Import("builtins", "frozenset", "_frozenset"), "frozenset")
_TUPLE = _Word(Import("builtins", "tuple", "_tuple"), "tuple")
_ARRAY = _Word(Import(runtime_module("_types"), "Array", "_Array"), "array")
_NDARRAY = _Word(Import(runtime_module("_array_types"), "NDArray", "_NDArray"), "array")
_DEVICE_NDARRAY = _Word(Import(runtime_module("_array_types"), "DeviceNDArray", "_DeviceNDArray"), "device array")
_CAPSULE = _Word(Import("typing", "Any", "_Any"), "capsule")
_DEVICE_ARRAY = _Word(Import(runtime_module("_types"), "DeviceArray", "_DeviceArray"), "device array")
_STREAM = _Word(Import(runtime_module("_types"), "Stream", "_Stream"), "int | stream | None")
_ANY = _Word(Import("typing", "Any", "_Any"), "object")
_BUFFER = _Word(Import(runtime_module("_types"), "Buffer", "_Buffer"), "bytes-like")
_DURATION = _Word(Import("datetime", "timedelta", "_timedelta"), "timedelta")
_DATETIME = _Word(Import("datetime", "datetime", "_datetime"), "datetime")
_PATH = _Word(Import("pathlib", "Path", "_Path"), "Path")
_SLICE = _Word(Import("builtins", "slice", "_slice"), "slice")
_ITEM = "int | slice | ... | None"
_INDEX = _Word(Import(runtime_module("_index_types"), "Index", "_Index"), f"{_ITEM} | tuple of these")
_ITEMS = _Word(Import(runtime_module("_index_types"), "Items", "_Items"), f"tuple[{_ITEM}, ...]")
_PATH_LIKE = _Word(Import("os", "PathLike", "_PathLike"), "PathLike")


@frozen
class Hint:
    """The type hint of one type."""

    code: str
    prose: str
    """As documentation has it."""
    imports: frozenset[Import] = frozenset()


@lru_cache(maxsize=8192)
def hint(type_: Type, way: Way) -> Hint:
    """Python's type hint."""
    ordered = alternatives(type_, way)
    if len(ordered) == 1:
        return ordered[0]
    code, prose = " | ".join(each.code for each in ordered), " | ".join(each.prose for each in ordered)
    return Hint(code, prose, _imports(ordered))


def alternatives(type_: Type, way: Way) -> list[Hint]:
    """What `|` joins in the hint, each once, None last."""
    return sorted(dict.fromkeys(_alternatives(type_, way)), key=lambda each: each.code == "None")


def _alternatives(type_: Type, way: Way) -> list[Hint]:
    is_argument, is_fixed = way is Way.ARGUMENT, way is Way.FIXED
    match type_:
        case Void():
            return [_builtin("None")]
        case Scalar() | Complex():
            return [_builtin(_number(type_))]
        case Text():
            return [_builtin("str")]
        case Bytes():
            return [_name(_BUFFER) if is_argument else _builtin("bytes")]
        case Duration():
            return [_name(_DURATION)]
        case DateTime():
            return [_name(_DATETIME)]
        case DeviceStream():
            return [_name(_STREAM)]
        case Slice():
            return [_name(_SLICE)]
        case Exchange():
            return [_name(_CAPSULE)]
        case Path():
            return [_builtin("str"), _of(_name(_PATH_LIKE), Text(), way=way)] if is_argument else [_name(_PATH)]
        case AnyObject():
            return [_builtin("object")] if is_argument else [_name(_ANY)]
        case Index():
            return [_name(_INDEX if is_argument else _ITEMS)]
        case Handle(name, of=home) | EnumRef(name, of=home) | Struct(name, of=home) if home:
            return [Hint(name, name, frozenset({Import(home, name, "", is_installed=True)}))]
        case Handle(name) | EnumRef(name) | Struct(name) | Recursive(name):
            return [_builtin(name)]
        case Fn(parameters, returns):
            return [_callable(parameters, returns, is_spread=type_.is_spread)]
        case TupleOf(element):
            return [_tuple_of(hint(element, way))]
        case List(element) if is_fixed:
            return [_tuple_of(hint(element, way))]
        case List(element):
            return [_of(_name(_SEQUENCE) if is_argument else _builtin("list"), element, way=way)]
        case SpanOf(element=element, dimensions=dimensions, device=device):
            return [_memory(_name(word), element, dimensions) for word in _words(device, _ARRAY, _DEVICE_ARRAY)]
        case ArrayOf(element=element, dimensions=dimensions, device=device):
            return [_memory(_name(word), element, dimensions) for word in _words(device, _NDARRAY, _DEVICE_NDARRAY)]
        case Optional(of, is_default):
            return [*_alternatives(of, way), *([] if is_default else [_builtin("None")])]
        case Map(key, value):
            return [_of(_name(_MAPPING) if is_argument or is_fixed else _name(_DICT), key, value, way=way)]
        case Set(element):
            plain = _FROZEN_SET if is_fixed else _PLAIN_SET
            return [_of(_name(_SET) if is_argument else _name(plain), element, way=way)]
        case Iter(element):
            return [_of(_name(_ITERATOR), element, way=way)]
        case Tuple(label=label) if label:
            return [_builtin(label)]
        case Tuple(items):
            return [_of(_name(_TUPLE), *items, way=way)]
        case Union(each_of):
            return [found for each in each_of for found in _alternatives(each, way)]
        case _:
            assert_never(type_)


def _number(type_: Scalar | Complex) -> str:
    if isinstance(type_, Complex):
        return "complex"
    return {Kind.BOOL: "bool", Kind.FLOAT: "float"}.get(type_.kind, "int")


def _words(device: str, on_cpu: _Word, elsewhere: _Word) -> Iterator[_Word]:
    """What memory may be that lies there."""
    if not device or "cpu" in device:
        yield on_cpu
    if device:
        yield elsewhere


def _callable(parameters: tuple[Type, ...], returns: Type, *, is_spread: bool) -> Hint:
    """What it returns may be more than what it is called with. Nobody asks for the result of one without."""
    given = [] if is_spread else [hint(each, Way.RESULT) for each in parameters]
    result = _builtin("object") if isinstance(returns, Void) else hint(returns, Way.ARGUMENT)
    name = _name(_CALLABLE)
    code, prose = (f"[{', '.join(listed)}]" for listed in ([h.code for h in given], [h.prose for h in given]))
    return Hint(
        f"{name.code}[{'...' if is_spread else code}, {result.code}]",
        f"{name.prose}[{'...' if is_spread else prose}, {result.prose}]",
        _imports([name, *given, result]),
    )


_KINDS = {Kind.SIGNED: "int", Kind.UNSIGNED: "uint", Kind.FLOAT: "float"}
_DIMENSION = re.compile(r"(\w+)(?:\(\))?")
"""One that a reader of Python understands: a number, a name, or a function without arguments."""


def _memory(name: Hint, element: Scalar | Complex, dimensions: Sequence[str]) -> Hint:
    """Readers see what tells forms of a function apart: the type of the elements as NumPy has it, and the shape."""
    prefix = "complex" if isinstance(element, Complex) else _KINDS.get(element.kind)
    shown = f"{prefix}{element.bits}" if prefix else "bool"
    if dimensions:
        known = [found[1] if (found := _DIMENSION.fullmatch(each)) else "_" for each in dimensions]
        shown += f", ({', '.join(known)}{',' * (len(known) == 1)})"
    return replace(name, prose=f"{name.prose}[{shown}]")


def _builtin(name: str) -> Hint:
    """A name that needs no import."""
    return Hint(name, name)


def _name(word: _Word) -> Hint:
    return Hint(word.imported.alias, word.prose, frozenset({word.imported}))


def _of(container: Hint, *inner: Type, way: Way) -> Hint:
    hints = [hint(each, way) for each in inner]
    return Hint(
        f"{container.code}[{', '.join(each.code for each in hints)}]",
        f"{container.prose}[{', '.join(each.prose for each in hints)}]",
        _imports([container, *hints]),
    )


def _tuple_of(of: Hint) -> Hint:
    """A tuple of any length."""
    code, prose = f"{_TUPLE.imported.alias}[{of.code}, ...]", f"{_TUPLE.prose}[{of.prose}, ...]"
    return Hint(code, prose, _imports([_name(_TUPLE), of]))


def _imports(hints: Iterable[Hint]) -> frozenset[Import]:
    return frozenset[Import]().union(*(each.imports for each in hints))
