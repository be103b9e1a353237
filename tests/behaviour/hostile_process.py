"""Calls every function of a package with arguments of all sorts: one process of test_hostile.py.

python -m tests.behaviour.hostile_process SPEC FOLDER SEED COUNT [ONLY]
    COUNT calls over both engines of the package in FOLDER, or only call ONLY of them; prints where they differ in JSON.
    What is about to run stands in the file that HOSTILE_CALL names, for when the process does not survive it.
"""

from __future__ import annotations

import faulthandler
import gc
import json
import os
import random
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.behaviour.hostile import KINDS, UNSETTLED, Scene
from tests.behaviour.packages import ENGINES, Package
from tests.limits import HANGS
from wrapper_gen import names, pipeline
from wrapper_gen.model import Function, Module, NotImplementedYet, Parameter
from wrapper_gen.model.protocols import Shape
from wrapper_gen.submodules import homes
from wrapper_gen.types.model import Bytes, Complex, EnumRef, Handle, List, Optional, Scalar, SpanOf, Text, Type, Void
from wrapper_gen.views.protocols import has_key, keys

try:
    import numpy
except ImportError:  # not on every Python
    numpy = None  # type: ignore[assignment]  # as there is none

CURRENT = "HOSTILE_CALL"
LEFT_OUT = {"pass", "pass_at_once", "open_any_gate", "live", "big_text", "points", "soles", "counts", "meet"}
LEFT_OUT |= {"__buffer__"} if sys.version_info < (3, 12) else set()
"""They wait, count what both engines made, make as much as they are told to, or are there on one engine only."""
CODES = {"bool": "?", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "u8": "B", "u16": "H", "u32": "I", "u64": "Q"}
CODES |= {"usize": "Q", "f32": "f", "f64": "d"}
HANDLES = ("closed", "of another engine", "of another type", "of a subclass", "not made")
DEPTH = 2
"""How often a call is made again from within itself."""


def module_of(submodule: str, package: Any) -> Any:
    return getattr(package, submodule) if submodule else package


class Maker:
    """Makes fitting values for one engine."""

    def __init__(self, package: Any, module: Module) -> None:
        self.package = package
        self.module = module

    def value(self, type_: Type) -> Any:
        match type_:
            case Optional(of=inner):
                return self.value(inner)
            case Scalar():
                return {"bool": True, "f32": 1.5, "f64": 1.5}.get(str(type_), 1)
            case Complex():
                return 1 + 2j
            case Text():
                return "text"
            case Bytes():
                return b"data"
            case EnumRef(name):
                return next(iter(self.class_of(name)))
            case Handle(name):
                return self.handle(name)
            case List(element):
                return [self.value(element), self.value(element)]
            case SpanOf(Complex(bits), _):
                return numpy.ones(2, f"complex{bits}") if numpy else None
            case SpanOf(element, _):
                return memoryview(bytearray(2 * element.bits // 8)).cast(CODES[str(element)])
            case Void():
                return None

    def class_of(self, name: str) -> Any:
        """A class, whichever module has it."""
        return getattr(module_of(homes(self.module)[name], self.package), name)

    def handle(self, name: str, depth: int = 0) -> Any:
        """A new object, by the first function that makes one; None where nothing does."""
        for function in (*self.module.functions, *self.module.methods):
            needed = [p for p in function.parameters if not isinstance(p.type, Optional)]
            if str(function.returns).rstrip("?") != name or function.name in LEFT_OUT or function.property or depth > 3:
                continue
            if any(_handle_in(p.type) == name for p in needed) or function.handle == name:
                continue
            try:
                owner = (
                    self.handle(function.handle, depth + 1)
                    if function.handle
                    else module_of(function.module, self.package)
                )
                made = getattr(owner, names.of_function(function))(*(self.value(p.type) for p in needed))
            except Exception:  # this one is not to be had so
                continue
            if made is not None:
                return made
        return None

    def odd_handle(self, kind: str, name: str, other: Maker) -> Any:
        match kind:
            case "closed":
                made = self.handle(name)
                if made is not None:
                    made.close()
                return made
            case "of another engine":
                return other.handle(name)
            case "of another type":
                return self.handle(next((h.name for h in self.module.handles if h.name != name), name))
            case "of a subclass":
                return type("Mine", (self.class_of(name),), {})
            case _:
                return self.class_of(name)


def _handle_in(type_: Type) -> str:
    """The name of the handle type that it is made of; empty for none."""
    match type_:
        case Handle(name):
            return name
        case List(element=inner) | Optional(of=inner):
            return _handle_in(inner)
        case _:
            return ""


class Call:
    """One call, the same for every engine: which function, and the kind of each argument."""

    def __init__(self, function: Function, draw: random.Random) -> None:
        self.function = function
        self.kinds = [self._kind(p, draw) for p in function.parameters]
        self.owner = draw.choice(["fits", "fits", "fits", "closed"]) if function.handle else ""
        parameters = [names.python(p.name) for p in function.parameters]
        cut = draw.choice([len(parameters), len(parameters), draw.randint(0, len(parameters))])
        self.keywords = parameters[cut:]
        self.more = draw.choice([0] * 12 + [1])
        self.unknown = draw.choice([False] * 12 + [True])
        protocol = function.protocol
        is_slot = function.is_form or has_key(function)
        self.is_slot = is_slot and protocol is not None and protocol.shape is not Shape.CALL
        if self.is_slot:  # of other calls, Python itself says what is wrong
            self.keywords, self.more, self.unknown = [], 0, False

    @staticmethod
    def _kind(parameter: Parameter, draw: random.Random) -> str:
        odd = list(KINDS) + (list(HANDLES) * 6 if _handle_in(parameter.type) else [])
        return draw.choice(odd) if draw.random() < 0.6 else "fits"

    def __str__(self) -> str:
        count = len(self.kinds) - len(self.keywords)
        kinds = [*self.kinds[:count], *("and more" for _ in range(self.more))]
        kinds += [f"{k}={v}" for k, v in zip(self.keywords, self.kinds[count:], strict=True)]
        kinds += ["unknown=1"] if self.unknown else []
        owner = f"({self.owner}) {self.function.handle}." if self.function.handle else ""
        return f"{owner}{names.of_function(self.function)}({', '.join(f'<{kind}>' for kind in kinds)})"

    @property
    def settled(self) -> bool:
        """Whether both engines have to say the same."""
        if isinstance(self.function.implementation, NotImplementedYet):
            return self.owner != "closed"
        given = [f"{p.type}: {kind}" for p, kind in zip(self.function.parameters, self.kinds, strict=True)]
        return not any(re.match(pattern, each) for pattern in UNSETTLED for each in given)

    def make(self, maker: Maker, other: Maker) -> str:
        """What comes of it with one engine, in words that do not depend on the engine."""
        scene = Scene(maker.package)
        owner = self._owner(maker)
        given = [
            self._argument(p, kind, scene, maker, other)
            for p, kind in zip(self.function.parameters, self.kinds, strict=True)
        ]
        scene.arguments += [*given, owner]
        count = len(given) - len(self.keywords)
        named = dict(zip(self.keywords, given[count:], strict=True)) | ({"unknown": 1} if self.unknown else {})
        positional = given[:count] + [1] * self.more
        if self.is_slot and has_key(self.function) and len(keys(self.function)) > 1:
            positional = [tuple(given[: len(keys(self.function))]), *given[len(keys(self.function)) :]]
        left = DEPTH

        def again() -> Any:
            nonlocal left
            left -= 1
            return getattr(owner, names.of_function(self.function))(*positional, **named) if left > 0 else None

        scene.again = again
        return outcome(lambda: getattr(owner, names.of_function(self.function))(*positional, **named))

    def _owner(self, maker: Maker) -> Any:
        if not self.function.handle:
            return module_of(self.function.module, maker.package)
        made = maker.handle(self.function.handle)
        if self.owner == "closed" and made is not None:
            made.close()
        return made

    @staticmethod
    def _argument(parameter: Parameter, kind: str, scene: Scene, maker: Maker, other: Maker) -> Any:
        if kind == "fits":
            return maker.value(parameter.type)
        if kind in HANDLES:
            made = maker.odd_handle(kind, _handle_in(parameter.type), other)
            return [made] if isinstance(parameter.type, List) else made
        return KINDS[kind](scene)


def outcome(call: Callable[[], Any]) -> str:
    try:
        result = call()
    except BaseException as error:
        notes = getattr(error, "__notes__", ())
        return normal(f"{type(error).__name__}: {_text(error)} {notes}")
    return normal(f"{_text(result, repr)} {type(result).__name__}")


def _text(value: Any, spell: Callable[[Any], str] = str) -> str:
    try:
        return spell(value)[:2000]
    except BaseException as error:
        return f"<no text: {type(error).__name__}>"


def normal(text: str) -> str:
    return re.sub(r"0x[0-9a-f]+|\b\w+_ffi\w*\.| of \w+, another package with another runtime", "", text)


def calls(module: Module, seed: str, count: int, only: int | None) -> Iterator[tuple[int, Call]]:
    asked = [f for f in (*module.functions, *module.methods) if not f.property and f.name not in LEFT_OUT]
    for number in (range(count) if only is None else [only]) if asked else ():
        yield number, Call(asked[number % len(asked)], random.Random(f"{seed}:{number}"))


def main(spec: str, folder: str, seed: str, count: str, only: str | None = None) -> None:
    faulthandler.enable()
    faulthandler.dump_traceback_later(HANGS / 2, exit=True)
    current = os.open(os.environ[CURRENT], os.O_WRONLY | os.O_CREAT) if CURRENT in os.environ else -1
    module = pipeline.read(Path(spec), Path(spec).name)[0]
    package = Package(Path(folder))
    makers = [Maker(package.load(engine), module) for engine in ENGINES]
    sys.unraisablehook = lambda _: None
    differ = []
    for number, call in calls(module, seed, int(count), int(only) if only else None):
        if current >= 0:
            os.pwrite(current, f"{number} {call}".encode().ljust(1000), 0)
        said = [call.make(maker, makers[i - 1]) for i, maker in enumerate(makers)]
        if not call.function.parameters:  # Python's own check, which is the fastest, has words of its own
            said = [re.sub(r"^(TypeError): .*", r"\1", each) for each in said]
        if len(set(said)) > 1 and call.settled:
            differ.append([number, str(call), *said])
        if number % 100 == 0:
            gc.collect()
    json.dump(differ, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
