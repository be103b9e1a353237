"""The tolerant outline: of a right spec it is what YAML says, and of half of one it keeps what is there."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from wrapper_gen.diagnostics import Span
from wrapper_gen.lsp.outline import Outline, OutlineNode
from wrapper_gen.lsp.positions import UTF_8, UTF_16, EditorPosition, Lines
from wrapper_gen.lsp.signature_tokens import TokenRole, expected, tokens

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("specs", "examples", "tests/behaviour", "tests/cases")
SPECS = sorted(each for folder in FOLDERS for each in (ROOT / folder).rglob("*.wrapper_spec"))


def differences(node: OutlineNode, theirs: yaml.Node, path: tuple[object, ...]) -> list[object]:
    """Where an outline is not what PyYAML composes; of aliases only that they are there."""
    if isinstance(theirs, yaml.MappingNode) and node.pairs is not None:
        keys = [key.value for key, _ in theirs.value]
        if node.keys != keys:
            return [(path, node.keys, keys)]
        found: list[object] = []
        for pair, (key, value) in zip(node.pairs, theirs.value, strict=True):
            if pair.start != key.start_mark.index:
                found.append((path, pair.key))
            if pair.value is not None:
                found += differences(pair.value, value, (*path, pair.key))
            elif value.value != "":
                found.append((path, pair.key, "is empty"))
        return found
    if isinstance(theirs, yaml.SequenceNode) and node.items is not None:
        if len(node.items) != len(theirs.value):
            return [(path, len(node.items), len(theirs.value))]
        items = zip(node.items, theirs.value, strict=True)
        return [each for i, (own, other) in enumerate(items) for each in differences(own, other, (*path, i))]
    is_block = isinstance(theirs, yaml.ScalarNode) and theirs.style in ("|", ">")
    start = theirs.start_mark.index
    is_anchored = theirs.start_mark.buffer[start] == "&"
    is_same = node.end == theirs.end_mark.index and (node.start == start or is_anchored)
    return [] if is_block or node.text.startswith("*") or is_same else [(path, node.text)]


@pytest.mark.parametrize("path", SPECS, ids=lambda path: str(path.relative_to(ROOT)))
def test_of_right_specs_it_is_what_yaml_says(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    composed = yaml.compose(text, yaml.SafeLoader)
    assert differences(Outline(text).root, composed, ()) == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('functions:\n  - {def: "a(x: \n  - {def: "b()"}\n', ["a(x:", "b()"]),
        ("functions:\n  - {def: 'a()', params: {x: [\n  - def: b()\n", ["a()", "b()"]),
        ("functions:\n  - def: a()\n    do\n  - def: b()\n", ["a()", "b()"]),
        ("functions:\n  - def: a()\n   doc: x\n  - def: b()\n", ["a()", "b()"]),
        ("functions:\n- def: a()\n  cpp_body: |\n    if (x) {\n- def: b()\n", ["a()", "b()"]),
    ],
)
def test_what_is_not_closed_ends_with_its_entry(text: str, names: list[str]) -> None:
    found = Outline(text).root.get("functions")
    assert found is not None
    assert [each.said("def") for each in found.items or ()] == names


def test_a_place_has_the_path_that_leads_there() -> None:
    text = "handle_types:\n  - name: A\n    methods:\n      - {def: 'f()', raises: E}\n"
    cursor = Outline(text).at(text.index("E}"))
    assert cursor.path == ("handle_types", 0, "methods", 0, "raises")
    assert not cursor.is_key
    assert Outline(text).at(text.index("raises")).is_key


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="ab:-,{}[]\"'|>#&*! \n\t\\", max_size=60))
def test_no_text_is_too_odd(text: str) -> None:
    outline = Outline(text)
    for offset in range(len(text) + 1):
        outline.at(offset)


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="aé😀\n\r", max_size=30), st.sampled_from([UTF_8, UTF_16]))
def test_positions_lead_back_to_their_offsets(text: str, encoding: str) -> None:
    lines = Lines(text, encoding)
    for offset in range(len(text) + 1):
        if text[offset - 1 : offset + 1] != "\r\n":  # between the two is no place
            assert lines.offset(lines.position(offset)) == offset


def test_places_of_diagnostics_are_counted_without_the_mark_of_unicode() -> None:
    lines = Lines("\ufeffab: 😀c\n")
    start, end = lines.offsets(Span("x", 1, 6, 7))
    assert lines.text[start:end] == "c"
    assert lines.position(start) == EditorPosition(0, 7)


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("", TokenRole.NAME),
        ("f(", TokenRole.PARAMETER),
        ("f(a: ", TokenRole.TYPE),
        ("f(a: [", TokenRole.TYPE),
        ("f(a: {text: ", TokenRole.TYPE),
        ("f(a: E = ", TokenRole.DEFAULT),
        ("f(a: i64, ", TokenRole.PARAMETER),
        ("f(a: &[f32; ", TokenRole.DIMENSION),
        ("f() -> ", TokenRole.TYPE),
        ('f(a: text = "', TokenRole.TEXT),
        ("f(g: fn(", TokenRole.TYPE),
    ],
)
def test_what_a_signature_goes_on_with(text: str, role: TokenRole) -> None:
    assert expected(text) is role


def test_each_part_of_a_signature_has_its_role() -> None:
    found = [(each.text, each.role) for each in tokens("static open(path: text, mode: Mode = READ) -> (n: i64)")]
    assert [each for each in found if each[1] is not TokenRole.MARK] == [
        ("static", TokenRole.KEYWORD),
        ("open", TokenRole.NAME),
        ("path", TokenRole.PARAMETER),
        ("text", TokenRole.TYPE),
        ("mode", TokenRole.PARAMETER),
        ("Mode", TokenRole.TYPE),
        ("READ", TokenRole.DEFAULT),
        ("n", TokenRole.ITEM),
        ("i64", TokenRole.TYPE),
    ]
