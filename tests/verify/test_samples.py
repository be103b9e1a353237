"""Arguments that `verify` tries: every type that is made of no others has some, or a reason why not."""

from __future__ import annotations

import array
import datetime
from pathlib import Path
from typing import Any, get_args

import pytest

from wrapper_gen import pipeline
from wrapper_gen.model import Module
from wrapper_gen.types import model, parse
from wrapper_gen.types.queries import parts
from wrapper_gen.verify.conformance import conformance_of
from wrapper_gen.verify.samples import Samples

RESULTS = {"void", "dlpack"}
COUNTED = {"position", "key"}
"""Integers, which stand for places in another argument or in the object."""
WORDS = sorted(parse.WORDS - RESULTS - COUNTED)
NAMED = {
    "Tool": "m.Tool(1)",
    "Mode": "m.Mode.OFF",
    "Pair": "m.Pair(1, 'a')",
    "Tree": "'a'",
    "fn(i32) -> text": "lambda *_: 'a'",
}
"""Types that a spec declares or spells, and the simplest value of each."""
PYTHON: dict[type, type | tuple[type, ...]] = {
    model.Complex: complex,
    model.Text: str,
    model.Bytes: bytes,
    model.Duration: datetime.timedelta,
    model.DateTime: datetime.datetime,
    model.Path: Path,
    model.AnyObject: object,
    model.DeviceStream: (int, type(None)),
    model.Slice: slice,
    model.Index: (int, slice, tuple, type(...), type(None)),
}
SPEC = """\
wrapper_lib: {name: tried, cpp_include: tried.hpp}
handle_types: [{name: Tool, cpp_type: tool, methods: [{def: "Tool(size: i32)"}]}]
enums: [{name: Mode, cpp_type: mode, values: {OFF: 0, ON: 1}}]
structs: [{name: Pair, cpp_type: pair, fields: {number: i32, name: text}}]
types: [{name: Tree, cpp_type: tree, tag: is_leaf, cases: {"1": [text, value.text], "0": ["[Tree]", value.below]}}]
functions:
"""


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Module:
    """A module with a function for each of these types."""
    spec = tmp_path_factory.mktemp("tried") / "tried.wrapper_spec"
    types = enumerate([*WORDS, *NAMED])
    spec.write_text(SPEC + "".join(f'  - {{def: "f{at}(x: {type_})"}}\n' for at, type_ in types), encoding="utf-8")
    return pipeline.read(spec, spec.name)[0]


def test_every_type_without_parts_is_tried(module: Module) -> None:
    """A new one is a word of the language, or belongs in `NAMED`."""
    tried = {type(function.parameters[0].type) for function in module.functions}
    assert {*get_args(model._Leaf)} - tried == {model.Void}


@pytest.mark.parametrize("word", WORDS)
def test_samples_are_values_of_the_type(word: str, module: Module) -> None:
    type_ = module.functions[WORDS.index(word)].parameters[0].type
    texts = Samples(module).values(type_)
    assert texts
    number = type_.kind.value if isinstance(type_, model.Scalar) else ""
    wanted: Any = {"bool": bool, "float": float}.get(number, int) if number else PYTHON[type(type_)]
    scope = {"array": array, "datetime": datetime, "tmp": Path("folder")}
    assert [text for text in texts if not isinstance(eval(text, dict(scope)), wanted)] == []


@pytest.mark.parametrize(("name", "text"), NAMED.items())
def test_what_a_module_has_is_made_of_it(name: str, text: str, module: Module) -> None:
    function = module.functions[len(WORDS) + list(NAMED).index(name)]
    assert not parts(function.parameters[0].type)
    assert Samples(module).call(function) == f"m.{function.name}({text})"


def test_calls_with_plain_values_are_compared(module: Module) -> None:
    tests = conformance_of(module)
    compared = {WORDS[int(name[1:])] for name in tests.plain if int(name[1:]) < len(WORDS)}
    assert {*WORDS} - compared == {"path", "stream"}  # which are others in each process
    compile(tests.text, "test_tried.py", "exec")
