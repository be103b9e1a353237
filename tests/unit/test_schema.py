"""The quick yes: it never says what jsonschema does not say, and says it of everything that is right."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from wrapper_gen.spec import modern, read_document, schema_text
from wrapper_gen.spec.editor_schema import editor_schema
from wrapper_gen.spec.schema import UnknownKeyword, accepts

ROOT = Path(__file__).parents[2]
SPECS = [*sorted((ROOT / "specs").glob("*.wrapper_spec")), *sorted((ROOT / "tests/cases").glob("*/spec.wrapper_spec"))]
SCHEMA: dict[str, Any] = json.loads(schema_text())
AUTHORITY = Draft202012Validator(SCHEMA)
DATA = {path: modern(read_document(path, path.name))[0].data for path in SPECS}


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.parent.name + "/" + path.name)
def test_it_accepts_what_is_right(path: Path) -> None:
    assert accepts(DATA[path], SCHEMA)


def test_a_right_spec_needs_no_jsonschema() -> None:
    code = (
        "import sys; sys.modules['jsonschema'] = None\n"
        "from pathlib import Path\n"
        "from wrapper_gen.spec import check, modern, read_document\n"
        f"print(check(modern(read_document(Path({str(SPECS[0])!r}), 'x'))[0]).findings)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "()\n"


# --- the two verdicts are one ---

ODD = st.sampled_from(
    [None, True, False, 0, 1, 17, 18, 1.5, "", "cpp", "take", "i64", [], ["a"], [1], {}, {"name": "a"}]
).map(deepcopy)
KEYS = st.sampled_from(["name", "type", "doc", "mode", "lang", "std", "python", "dirs", "ok", "default", "x"])


def containers(data: object) -> list[dict[str, Any] | list[Any]]:
    """Every mapping and list in the data."""
    if isinstance(data, dict):
        return [data, *(inner for value in data.values() for inner in containers(value))]
    if isinstance(data, list):
        return [data, *(inner for value in data for inner in containers(value))]
    return []


def spoil(data: dict[str, Any], draw: st.DataObject) -> None:
    """Change one thing somewhere: drop it, put something else there, or add a key."""
    container = draw.draw(st.sampled_from(containers(data)))
    if isinstance(container, dict) and draw.draw(st.booleans()):
        container[draw.draw(KEYS)] = draw.draw(ODD)
    elif container:
        places: Any = list(container) if isinstance(container, dict) else range(len(container))
        place = draw.draw(st.sampled_from(places))
        if draw.draw(st.booleans()):
            del container[place]
        else:
            container[place] = draw.draw(ODD)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(SPECS), st.integers(1, 3), st.data())
def test_the_verdict_on_a_spec_is_that_of_jsonschema(path: Path, changes: int, draw: st.DataObject) -> None:
    data = deepcopy(DATA[path])
    for _ in range(changes):
        spoil(data, draw)
    assert accepts(data, SCHEMA) == AUTHORITY.is_valid(data)


TYPES = st.sampled_from(["object", "array", "string", "number", "integer", "boolean", "null"])
NAMES = st.sampled_from(["a", "b", "c"])
VALUES = st.recursive(
    st.sampled_from([None, True, False, 0, 1, 0.5, "a", "b"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)
REFERENCES = st.sampled_from([f"#/$defs/{name}" for name in "abc"])


def keywords(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    """Schemas with any of the keywords that are known, in any combination."""
    names = st.lists(NAMES, unique=True, max_size=2)
    return st.fixed_dictionaries(
        {},
        optional={
            "type": TYPES | st.lists(TYPES, unique=True, min_size=1, max_size=3),
            "enum": st.lists(st.sampled_from([None, True, 0, 1, "a"]), min_size=1, max_size=3),
            "items": inner,
            "properties": st.dictionaries(NAMES, inner, max_size=3),
            "additionalProperties": st.booleans() | inner,
            "required": names,
            "dependentRequired": st.dictionaries(NAMES, names, max_size=2),
            "oneOf": st.lists(inner, min_size=1, max_size=2),
            "$ref": REFERENCES,
            "description": st.just("a note"),
        },
    )


# What `$defs` holds refers to nothing: a circle of references without a step into the data has no meaning at all.
LEAVES = st.fixed_dictionaries({}, optional={"type": TYPES, "required": st.lists(NAMES, unique=True, max_size=2)})
SCHEMAS = st.recursive(keywords(LEAVES), keywords, max_leaves=4)


@settings(max_examples=500, deadline=None)
@given(SCHEMAS, st.fixed_dictionaries(dict.fromkeys("abc", LEAVES)), VALUES)
def test_the_verdict_of_any_schema_is_that_of_jsonschema(
    schema: dict[str, Any], defs: dict[str, Any], data: object
) -> None:
    whole = {**schema, "$defs": defs}
    assert accepts(data, whole) == Draft202012Validator(whole).is_valid(data)


# --- what cannot be told here ---


@pytest.mark.parametrize(
    "schema",
    [
        {"minLength": 1},
        {"properties": {"a": {"pattern": "^a"}}},
        {"$defs": {"b": {"format": "uri"}}, "items": {"$ref": "#/$defs/b"}},
        {"$ref": "#/properties/a", "properties": {"a": {"type": "string"}}},
    ],
)
def test_a_schema_with_an_unknown_keyword_is_refused(schema: dict[str, Any]) -> None:
    Draft202012Validator(schema).validate("a")
    with pytest.raises(UnknownKeyword):
        accepts("a", schema)


def test_a_whole_number_with_a_dot_is_left_to_jsonschema() -> None:
    assert AUTHORITY.is_valid({"wrapper_lib": {"name": "a", "std": 17.0}})
    assert not accepts({"wrapper_lib": {"name": "a", "std": 17.0}}, SCHEMA)


def test_a_schema_may_refer_to_itself() -> None:
    tree = {"$ref": "#/$defs/tree", "$defs": {"tree": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}}
    assert accepts([[], [[]]], tree)
    assert not accepts([[], [[1]]], tree)


def test_editors_are_offered_no_null_and_are_told_all_the_rest() -> None:
    told = json.loads(editor_schema())

    def parts(about: object) -> Iterator[dict[str, Any]]:
        if isinstance(about, dict):
            yield about
        for each in about.values() if isinstance(about, dict) else about if isinstance(about, list) else ():
            yield from parts(each)

    kinds = [each["type"] for each in parts(told) if isinstance(each.get("type"), str | list)]
    assert kinds
    assert [each for each in kinds if "null" in each] == []
    assert [each for each in parts(told) if None in (each.get("enum") or ())] == []
    assert told["$defs"].keys() == SCHEMA["$defs"].keys()
    for path in (ROOT / "specs").glob("*.wrapper_spec"):
        Draft202012Validator(told).validate(DATA[path])


@pytest.mark.parametrize(
    "path", [*(ROOT / "specs").glob("*.wrapper_spec"), *(ROOT / "examples").rglob("*.wrapper_spec")]
)
def test_our_specs_name_the_schema_for_editors(path: Path) -> None:
    before = path.read_text(encoding="utf-8").partition("\nwrapper_lib:")[0]
    (named,) = re.findall(r"^# yaml-language-server: \$schema=(\S+)$", before, re.MULTILINE)
    assert (path.parent / named).resolve() == ROOT / "editors" / "wrapper_spec.schema.json"
    assert (path.parent / named).read_text(encoding="utf-8") == editor_schema()
