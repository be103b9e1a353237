"""Rewriting a document: its data, its places and its text, whatever the layout of the file is."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.layouts import Layout, some_data
from wrapper_gen import report
from wrapper_gen.diagnostics import Span, SpecError
from wrapper_gen.pipeline import read
from wrapper_gen.spec import former, modern, read_document, repeat
from wrapper_gen.spec.document import Document
from wrapper_gen.spec.former.migrate import is_same, migrate
from wrapper_gen.spec.former.rewriter import Rewriter
from wrapper_gen.spec.former.text import CannotWrite, rewritten
from wrapper_gen.spec.source import SpecText
from wrapper_gen.spec.yaml_reader import read_yaml

Change = Callable[[Rewriter, dict[str, Any]], None]


def document_of(text: str) -> Document:
    """A document of this text."""
    source = SpecText(text, "x.wrapper_spec")
    data, places = read_yaml(source)
    assert isinstance(data, dict)
    return Document(Path("x.wrapper_spec"), "x.wrapper_spec", data, source, places)


def changed(text: str, change: Change) -> str:
    """The text after a change, which says what the document does."""
    document = document_of(text)
    rewriter = Rewriter(document)
    change(rewriter, document.data)
    made = rewritten(rewriter.done(), rewriter.changes)
    again = document_of(made)
    assert is_same(again.data, again, document.data, rewriter.done())
    return made


def rename(rewriter: Rewriter, data: dict[str, Any]) -> None:
    rewriter.rename(data["x"], "b", "new")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x: {a: 1, b: 2}\n", "x: {a: 1, new: 2}\n"),
        ("x: {a: 1,\n    b: 2}  # c\n", "x: {a: 1,\n    new: 2}  # c\n"),
        ("x:\n  a: 1\n  b: 2  # c\n", "x:\n  a: 1\n  new: 2  # c\n"),
        ("x:\n  'b'   : 2\n", "x:\n  'new'   : 2\n"),
        ('x: {"b":2}\n', 'x: {"new":2}\n'),
        ("x:\r\n  a: 1\r\n  b: |\r\n    c\r\n", "x:\r\n  a: 1\r\n  new: |\r\n    c\r\n"),
        ("y: &q {b: 1}\nx: *q\n", "y: &q {b: 1}\nx: {new: 1}\n"),
        ("x:\n  ? b\n  : 2\n", "x:\n  ? new\n  : 2\n"),
        ("x: {b: 2}", "x: {new: 2}"),
    ],
)
def test_a_key_gets_another_name(text: str, expected: str) -> None:
    assert changed(text, rename) == expected


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("x: {b: lib}\n", "lib_free", "x: {b: lib_free}\n"),
        ("x: {b: lib}\n", "f(a, b)", 'x: {b: "f(a, b)"}\n'),
        ("x: {b: lib}\n", "a?", 'x: {b: "a?"}\n'),
        ("x:\n  b: lib # c\n", "f(a, b)", "x:\n  b: f(a, b) # c\n"),
        ("x:\n  b: lib\n", "a: b", 'x:\n  b: "a: b"\n'),
        ("x:\n  b: 'it'\n", "it's", "x:\n  b: 'it''s'\n"),
        ("x:\n  b: 'it'\n", "yes", "x:\n  b: 'yes'\n"),
        ("x:\n  b: it\n", "yes", 'x:\n  b: "yes"\n'),
        ("x:\n  b: it\n", "10", 'x:\n  b: "10"\n'),
        ("x:\n  b: it\n", True, "x:\n  b: true\n"),
        ("x:\n  b:\n", "it", "x:\n  b: it\n"),
        ("x:\n  b: |  # c\n    two\n    lines\n  d: 1\n", "one", "x:\n  b: one  # c\n  d: 1\n"),
        ("x:\n  b: one  # c\n  d: 1\n", "two\nlines\n", "x:\n  b: |  # c\n    two\n    lines\n  d: 1\n"),
        ("x: {b: one}\n", "two\nlines\n", 'x: {b: "two\\nlines\\n"}\n'),
        ("x:\n  b: one\n", {"c": ["d", 1]}, "x:\n  b: {c: [d, 1]}\n"),
        ("x:\n  b:  # c\n    d: 1  # e\n    # f\n    g: 2\n", "one", "x:\n  # c\n  # e\n  # f\n  b: one\n"),
        ("x:\n  b: &q one\nz: *q\n", "two", "x:\n  b: two\nz: one\n"),
        ("z: &q one\nx: {b: *q}\n", "two", "z: &q one\nx: {b: two}\n"),
        ("x:\r\n  b: one\r\n", "two", "x:\r\n  b: two\r\n"),
    ],
)
def test_a_value_is_replaced(text: str, value: object, expected: str) -> None:
    assert changed(text, lambda rewriter, data: rewriter.replace(data["x"], "b", value)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x: {a: 1, b: 2, c: 3}\n", "x: {a: 1, c: 3}\n"),
        ("x: {a: 1, b: 2}\n", "x: {a: 1}\n"),
        ("x: {b: 2, a: 1,}\n", "x: {a: 1,}\n"),
        ("x: {b: 2}\n", "x: {}\n"),
        ("x: {a: 1,\n    b: 2,\n    c: 3}\n", "x: {a: 1,\n    c: 3}\n"),
        ("x: {a: 1, b: 2,\n    c: 3}\n", "x: {a: 1,\n    c: 3}\n"),
        ("x: {a: 1, b: 2, # d\n    c: 3}\n", "x: {a: 1, # d\n    c: 3}\n"),
        ("x:\n  a: 1\n  b: 2\n  c: 3\n", "x:\n  a: 1\n  c: 3\n"),
        ("x:\n  a: 1\n  # of b\n  b: 2  # d\n  c: 3\n", "x:\n  a: 1\n  # of b\n  # d\n  c: 3\n"),
        ("x:\n  b: 2\n", "x:\n  {}\n"),
        ("x:\n  a: 1\n  b:\n    - 1  # d\n    - {e: 1}\n", "x:\n  a: 1\n  # d\n"),
        ("x:\n  a: 1\n  b: 2", "x:\n  a: 1\n"),
        ("x:\n  b: &q 1\n  a: *q\n", "x:\n  a: 1\n"),
        ("x:\n  a: |+\n    t\n\n  b: 1\n", "x:\n  a: |+\n    t\n\n"),
    ],
)
def test_a_key_is_removed(text: str, expected: str) -> None:
    assert changed(text, lambda rewriter, data: rewriter.remove(data["x"], "b")) == expected


def test_the_first_key_behind_a_dash_is_removed() -> None:
    text = "x:\n  - b: 1  # c\n    # d\n    a: 2\n"
    expected = "x:\n  # c\n  # d\n  - a: 2\n"
    assert changed(text, lambda rewriter, data: rewriter.remove(data["x"][0], "b")) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x: {a: 1, b: 2}\n", "x: {a: 1, new: [p, q], b: 2}\n"),
        ("x: {b: 2, a: 1}\n", "x: {b: 2, a: 1, new: [p, q]}\n"),
        ("x:\n  a: 1  # c\n  b: 2\n", "x:\n  a: 1  # c\n  new: [p, q]\n  b: 2\n"),
        ("x:\n  a:\n    d: 1\n    # c\n  # e\n  b: 2\n", "x:\n  a:\n    d: 1\n    # c\n  new: [p, q]\n  # e\n  b: 2\n"),
        ("x:\n  a: |+\n    t\n\nz: 1\n", "x:\n  a: |+\n    t\n\n  new: [p, q]\nz: 1\n"),
        ("x:\n  a: 1", "x:\n  a: 1\n  new: [p, q]\n"),
        ("x:\n  a: |\n    t", "x:\n  a: |-\n    t\n  new: [p, q]\n"),
        ("x:\r\n  a: 1\r\n", "x:\r\n  a: 1\r\n  new: [p, q]\r\n"),
    ],
)  # fmt: skip
def test_a_key_is_put_behind_another(text: str, expected: str) -> None:
    made = changed(text, lambda rewriter, data: rewriter.insert(data["x"], "new", ["p", "q"], because="a"))
    assert made == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x: {a: {b: 1, c: 2}, d: 3}\n", "x: {a: {c: 2}, new: 1, d: 3}\n"),
        ("x:\n  a:\n    b: [1, 2]  # e\n    c: 2\n", "x:\n  a:\n    c: 2\n  new: [1, 2]  # e\n"),
        ("x:\n  a:\n    b:\n      # e\n      f: 1  # g\n    c: 2\n",
         "x:\n  a:\n    c: 2\n  new:\n    # e\n    f: 1  # g\n"),
        ("x:\n  a: {b: 'a, b', c: 2}\n", "x:\n  a: {c: 2}\n  new: 'a, b'\n"),
    ],
)  # fmt: skip
def test_a_key_moves(text: str, expected: str) -> None:
    def move(rewriter: Rewriter, data: dict[str, Any]) -> None:
        rewriter.move(data["x"]["a"], "b", data["x"], "new", after="a")

    assert changed(text, move) == expected


def test_the_items_of_a_list_move_with_their_comments() -> None:
    text = "x:\n  # of a\n  - {a: 1}\n\n  # of b\n  - b: 2  # c\n    d: 3\ny:\n  - {e: 1}\n"
    expected = "y:\n  - {e: 1}\n  # of a\n  - {a: 1}\n\n  # of b\n  - b: 2  # c\n    d: 3\n"
    assert changed(text, lambda rewriter, data: rewriter.append(data, "x", data["y"])) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x:\n  a: 1\n  b: 2\n", "x:\n  a: 1\n  # say which\n  b: TODO\n"),
        ("x:\n  - b: 2\n", "x:\n  # say which\n  - b: TODO\n"),
        ("x: {a: 1,\n  b: 2}\n", "# say which\nx: {a: 1,\n  b: TODO}\n"),
    ],
)
def test_what_is_not_decided_has_a_reason(text: str, expected: str) -> None:
    def leave(rewriter: Rewriter, data: dict[str, Any]) -> None:
        about = data["x"][0] if isinstance(data["x"], list) else data["x"]
        rewriter.undecided(about, "b", "say which")

    assert changed(text, leave) == expected


# --- any layout, any change ---


def containers(value: Any, seen: set[int]) -> Iterator[Any]:
    """Each mapping and list, once."""
    if not isinstance(value, dict | list) or id(value) in seen:
        return
    seen.add(id(value))
    yield value
    for each in value.values() if isinstance(value, dict) else value:
        yield from containers(each, seen)


def change_something(rewriter: Rewriter, data: dict[str, Any], number: int, source: random.Random) -> None:
    """One of the changes, somewhere."""
    mappings = [each for each in containers(data, set()) if isinstance(each, dict)]
    about = source.choice(mappings)
    if not about:
        return
    key = source.choice(list(about))
    values = ["x", "a, b", True, None, {"a": 1, "b": [1, "x, y"]}, ["p"], "l1\nl2\n", "", "1"]
    kind = source.choice(["rename", "replace", "remove", "insert", "move", "comment", "append"])
    if kind == "rename":
        rewriter.rename(about, key, f"new{number}")
    elif kind == "replace":
        rewriter.replace(about, key, source.choice(values))
    elif kind == "remove":
        rewriter.remove(about, key)
    elif kind == "insert":
        rewriter.insert(about, f"new{number}", source.choice(values), because=key)
    elif kind == "comment":
        rewriter.comment(about, key, "said this")
    elif kind == "move":
        into = source.choice([each for each in mappings if each not in list(containers(about[key], set()))])
        rewriter.move(about, key, into, f"new{number}", after=source.choice([None, *(k for k in into if k != key)]))
    elif isinstance(about[key], list):
        inside = {id(each) for each in containers(about[key], set())}
        lists = [each for each in containers(data, set()) if isinstance(each, list) and id(each) not in inside]
        if lists:
            rewriter.append(about, key, source.choice(lists))


@pytest.mark.parametrize("start", range(0, 1500, 100))
def test_a_text_says_what_its_document_does(start: int) -> None:
    refused = 0
    for seed in range(start, start + 100):
        source = random.Random(seed)
        before = Layout(seed).text(some_data(source))
        document = document_of(before)
        rewriter = Rewriter(document)
        for number in range(source.randint(1, 6)):
            change_something(rewriter, document.data, number, source)
        try:
            text = rewritten(rewriter.done(), rewriter.changes)
        except CannotWrite:
            refused += 1
            continue
        again = document_of(text)
        assert is_same(again.data, again, document.data, rewriter.done()), f"seed {seed}\n{before}\n---\n{text}"
        comments = [word for word in before.split("#") if word.startswith((" comment", " trailing", " in braces"))]
        assert all(comment.splitlines()[0].rstrip() in text for comment in comments), f"seed {seed}"
    assert refused <= 5, "a change that cannot be written is rare, and an error"


# --- places ---


def read_modern(path: Path, text: str) -> Document:
    path.write_text(text, encoding="utf-8", newline="")
    return modern(read_document(path, path.name))[0]


def test_places_are_those_of_the_file(tmp_path: Path) -> None:
    text = "wrapper_lib: {name: demo, cpp_prefix: '1bad', cpp_std: 18}\n"
    document = read_modern(tmp_path / "a.wrapper_spec", text)
    lib = document.data["wrapper_lib"]
    assert list(lib) == ["name", "prefix", "std"]  # type: ignore[call-overload]  # a mapping
    assert document.key_span(lib, "prefix") == Span("a.wrapper_spec", 1, 27, 37)
    assert document.span(lib, "prefix") == Span("a.wrapper_spec", 1, 39, 45)
    assert document.span(lib, "std") == Span("a.wrapper_spec", 1, 56, 58)


def test_a_part_of_a_new_text_stands_where_the_former_one_did() -> None:
    document = document_of('x: {free: "lib_free"}\n')
    rewriter = Rewriter(document)
    about: Any = document.data["x"]
    rewriter.replace(about, "free", "(void)lib_free(value)")
    made = rewriter.done()
    assert made.part(about, "free", 6, 14) == Span("x.wrapper_spec", 1, 12, 20)
    rewriter.replace(about, "free", "{(void)lib_free(value);}", ["{", (0, 21), ";}"])
    assert rewriter.done().part(about, "free", 7, 15) == Span("x.wrapper_spec", 1, 12, 20)


def test_a_part_of_a_new_text_stands_there_in_each_copy_too() -> None:
    text = "functions:\n  - {for: {T: [f32]}, def: 'run_$T(x: $T)'}\n"
    document = document_of(text)
    rewriter = Rewriter(document)
    listed: Any = document.data["functions"]
    rewriter.replace(listed[0], "def", "static run_$T(x: $T)")
    made = repeat(rewriter.done())
    entry: Any = made.data["functions"][0]  # type: ignore[index]  # a list
    assert entry["def"] == "static run_f32(x: f32)"
    assert made.part(entry, "def", 18, 21).column == text.splitlines()[1].rindex("$T") + 1


def test_what_an_alias_names_again_is_rewritten_at_each_place(tmp_path: Path) -> None:
    text = """\
wrapper_lib: {name: demo}
errors:
  - {type: state, cpp_type: int, ok: 0, message: f(value), exception: StateError}
functions:
  - {def: "use(p: A)", raises: &tested {type: state, from: result + 1}, params: &taken {p: {mode: take}}}
  - {def: "eat(p: A)", raises: *tested, params: *taken}
  - {def: "see(p: A)", params: &said {p: a pear}}
  - {def: "saw(p: A)", params: *said}
"""
    path = tmp_path / "a.wrapper_spec"
    document = read_modern(path, text)
    use, eat, *_ = document.data["functions"]  # type: ignore[misc]  # a list
    expected = {"raises": "StateError", "status": "value + 1", "takes": "p"}
    assert (use, eat) == ({"def": "use(p: A)", **expected}, {"def": "eat(p: A)", **expected})
    assert document.span(eat, "status") == document.span(use, "status") == Span("a.wrapper_spec", 5, 60, 70)
    after = migrate(path, path.name).after.splitlines()
    assert after[4] == after[5].replace("eat", "use")
    assert after[6:] == text.splitlines()[6:]


def test_a_key_under_both_names_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.wrapper_spec"
    path.write_text("wrapper_lib: {name: demo, prefix: a_, cpp_prefix: b_}\n", encoding="utf-8")
    with pytest.raises(SpecError) as caught:
        read(path, "a.wrapper_spec")
    found = [each for each in caught.value.diagnostics if each.is_error]
    assert [(each.code, each.span.column) for each in found] == [("WG075", 39)]


def test_an_undecided_value_stops_generation_with_its_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def leave(at: former.At) -> None:
        at.rename("std")
        at.undecided("say which standard")

    rule = former.Rule(former.Where.LIBRARY, "cpp_std", leave)
    monkeypatch.setattr(former, "_RULES", former.by_place([rule]))
    path = tmp_path / "a.wrapper_spec"
    path.write_text("wrapper_lib: {name: demo, cpp_std: 17}\n", encoding="utf-8")
    with pytest.raises(SpecError) as caught:
        read(path, "a.wrapper_spec")
    (found,) = [each for each in caught.value.diagnostics if each.is_error]
    assert (found.code, found.span.column, found.hint) == ("WG102", 36, "say which standard")


# --- deprecations ---


def test_earlier_spellings_are_told_of_with_their_fix(tmp_path: Path) -> None:
    path = tmp_path / "a.wrapper_spec"
    path.write_text("wrapper_lib:\n  name: demo\n  cpp_std: 17\n  cpp_prefix: a_\n", encoding="utf-8")
    module, findings = read(path, "a.wrapper_spec")
    assert module.library.cpp_std == 17
    assert [(each.code, each.span.line, each.is_error) for each in findings] == [
        ("WG290", 4, False),
        ("WG290", 3, False),
    ]
    assert [fix.replacement for each in findings for fix in each.fixes] == ["prefix", "std"]
    assert '"replacement": "prefix"' in report.as_json(findings)
    assert '"insertedContent": {' in report.as_sarif(findings, "0")


def test_what_is_read_for_good_is_not_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rule = former.Rule(former.Where.LIBRARY, "cpp_std", lambda at: at.rename("std"), is_silent=True)
    monkeypatch.setattr(former, "_RULES", former.by_place([rule]))
    path = tmp_path / "a.wrapper_spec"
    path.write_text("wrapper_lib: {name: demo, cpp_std: 17}\n", encoding="utf-8")
    assert read(path, "a.wrapper_spec")[1] == []


def test_what_changes_in_parts_is_mended_as_a_whole(tmp_path: Path) -> None:
    text = "wrapper_lib: {name: demo}\nhandle_types:\n  - {name: A, cpp_type: int, blocking_drop: true}  # c\n"
    path = tmp_path / "a.wrapper_spec"
    path.write_text(text, encoding="utf-8")
    (found,) = [each for each in read(path, "a.wrapper_spec")[1] if each.code == "WG290"]
    (fix,) = found.fixes
    line = text.splitlines()[2]
    mended = line[: fix.span.column - 1] + fix.replacement + line[fix.span.end_column - 1 :]
    assert mended == "  - {name: A, cpp_type: int, blocking: release}  # c"
