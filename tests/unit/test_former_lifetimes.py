"""Earlier spellings of lifetimes are read as the present ones, which are read as they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from wrapper_gen.spec import modern, read_document

CLASSES = """\
wrapper_lib: {name: demo}
handle_types:
  - {name: Plug, cpp_type: plug *, cpp_drop: plug_free(value)}
  - {name: Node, cpp_type: node *, lent_by: Doc, owner: doc}
  - {name: Doc, cpp_type: doc *, cpp_drop: doc_free(value)}
"""


def read(folder: Path, text: str) -> dict[str, Any]:
    path = folder / "demo.wrapper_spec"
    path.write_text(text, encoding="utf-8")
    document, findings = modern(read_document(path, path.name))
    assert {each.code for each in findings} <= {"WG290"}
    return document.data


def method(folder: Path, entry: str) -> dict[str, Any]:
    """An entry of the class `Hub`, as it is read."""
    hub = "  - name: Hub\n    cpp_type: hub *\n    cpp_drop: hub_free(value)\n"
    text = f"{CLASSES}{hub}    methods:\n      - {{{entry}}}\n"
    made: dict[str, Any] = read(folder, text)["handle_types"][3]["methods"][0]
    return made


def function(folder: Path, entry: str) -> dict[str, Any]:
    made: dict[str, Any] = read(folder, f"{CLASSES}functions:\n  - {{{entry}}}\n")["functions"][0]
    return made


METHODS = [
    ('def: "a() -> Node", keep_alive: h', 'def: "a() -> Node", belongs_to: self'),
    ('def: "a(b: Doc) -> [Node]", keep_alive: [h, b]', 'def: "a(b: Doc) -> [Node]", belongs_to: [self, b]'),
    ('def: "a() -> Plug", keep_alive: h', 'def: "a() -> Plug", holds: {result: self}'),
    ('def: "a() -> Plug", keep_alive: h, transfer: none', 'def: "a() -> Plug", belongs_to: self, release: nothing'),
    ('def: "a() -> Plug?", keep_alive: [h]', 'def: "a() -> Plug?", holds: {result: [self]}'),
    ('def: "a() -> array[f64; 3]", keep_alive: h', 'def: "a() -> array[f64; 3]", belongs_to: self'),
    ('def: "a() -> Plug", keep_alive: []', 'def: "a() -> Plug", belongs_to: nothing'),
    ('def: "a(b: Plug)", holds: b', 'def: "a(b: Plug)", holds: b'),
    ('def: "a(b: Plug) -> i64", holds: b, cpp_fn: f', 'def: "a(b: Plug) -> i64", holds: b, cpp_fn: f'),
    ('def: "a(b: Plug) -> Plug", holds: b, cpp_fn: f', 'def: "a(b: Plug) -> Plug", holds: {self: b}, cpp_fn: f'),
    (
        'def: "a(b: Plug) -> Plug", holds: b, keep_alive: h, cpp_fn: f',
        'def: "a(b: Plug) -> Plug", holds: {self: b, result: self}, cpp_fn: f',
    ),
    ('def: "a(b: Plug)", holds: [b], replaces: true', 'def: "a(b: Plug)", holds_last: [b]'),
    ('def: "a(b: Plug)", holds: b, replaces: false', 'def: "a(b: Plug)", holds: b'),
    ('def: "a(b: Plug)", releases: b', 'def: "a(b: Plug)", lets_go: b'),
    ('def: "a(b: Plug)", params: {b: {mode: take}}', 'def: "a(b: Plug)", takes: b'),
    ('def: "a(b: Plug)", params: {b: {mode: take, doc: d}}', 'def: "a(b: Plug)", params: {b: {doc: d}}, takes: b'),
    ('def: "a(b: Plug)", params: {b: {mode: share}}', 'def: "a(b: Plug)"'),
    (
        'def: "a(b: Plug, c: Plug)", params: {b: {mode: take}, c: {mode: take}}',
        'def: "a(b: Plug, c: Plug)", takes: [b, c]',
    ),
    (
        'def: "a(b: Plug)", params: {b: {mode: take, owned_on_failure: true}}',
        'def: "a(b: Plug)", takes: b, on_failure: unchanged',
    ),
    (
        'def: "a(b: Plug, c: Plug)", params: {b: {mode: take, owned_on_failure: true}, c: {mode: take}}',
        'def: "a(b: Plug, c: Plug)", takes: [b, c], on_failure: {b: unchanged}',
    ),
    ('def: "a() -> Plug", owned_on_failure: false', 'def: "a() -> Plug", on_failure: garbage'),
    (
        'def: "a(b: Plug) -> Plug", params: {b: {mode: take, owned_on_failure: true}}, owned_on_failure: false',
        'def: "a(b: Plug) -> Plug", takes: b, on_failure: [unchanged, garbage]',
    ),
    ("def: a(), invalidates: lent", "def: a(), ends: all"),
    ("def: a(), invalidates: {lent_by: h}", "def: a(), ends: self"),
    ("def: a(), invalidates: {lent_by: h.owner}", "def: a(), ends: self.owner"),
    ("def: a(), invalidates: {on: success}", "def: a(), ends: all, on_failure: unchanged"),
    (
        'def: "a(b: Hub)", invalidates: {lent_by: [h, b], on: success}',
        'def: "a(b: Hub)", ends: [all, b], on_failure: unchanged',
    ),
    (
        'def: "a(b: Node)", invalidates: {lent_by: [h.owner, b.owner]}',
        'def: "a(b: Node)", ends: [self.owner, b.owner]',
    ),
    ("def: a(), invalidates: {when: x(value)}", "def: a(), ends: {all: x(value)}"),
    ("def: a(), invalidates: {when: {Node: x(value)}}", "def: a(), ends: {Node: x(value)}"),
    (
        "def: a(), invalidates: {lent_by: h.owner, when: {Node: x(value)}}",
        "def: a(), ends: {self.owner: {Node: x(value)}}",
    ),
    (
        'def: "a(b: Plug)", invalidates: lent, params: {b: {mode: take, owned_on_failure: true}}',
        'def: "a(b: Plug)", ends: all, takes: b, on_failure: {b: unchanged}',
    ),
    ('def: "Hub(b: Plug)", keep_alive: b', 'def: "Hub(b: Plug)", holds: b'),
    ('def: "Hub(b: text)", keep_alive: []', 'def: "Hub(b: text)", holds: nothing'),
    ("name: a, return: Node, keep_alive: h", "name: a, return: Node, belongs_to: self"),
    (
        "name: a, params: [{name: b, type: Plug, mode: take}]",
        "name: a, params: [{name: b, type: Plug}], takes: b",
    ),
]

FUNCTIONS = [
    ('def: "a(h: Doc) -> Node", keep_alive: h', 'def: "a(h: Doc) -> Node", belongs_to: h'),
    ('def: "a(b: text) -> Plug", keep_alive: b', 'def: "a(b: text) -> Plug", holds: b'),
    ('def: "a(b: Doc) -> Plug", keep_alive: b, borrow: {until: []}', 'def: "a(b: Doc) -> Plug", holds: b'),
    ('def: "a(b: Doc)", invalidates: {lent_by: b}', 'def: "a(b: Doc)", ends: b'),
    ('def: "a(b: Doc, c: Doc)", invalidates: {lent_by: [b, c]}', 'def: "a(b: Doc, c: Doc)", ends: [b, c]'),
    (
        'def: "Node(b: Doc, c: text)", keep_alive: b',
        'def: "Node(b: Doc, c: text)", belongs_to: b, holds: nothing',
    ),
]


@pytest.mark.parametrize(("earlier", "now"), METHODS)
def test_a_method(earlier: str, now: str, tmp_path: Path) -> None:
    assert method(tmp_path, earlier) == method(tmp_path, now)


@pytest.mark.parametrize(("earlier", "now"), FUNCTIONS)
def test_a_function(earlier: str, now: str, tmp_path: Path) -> None:
    assert function(tmp_path, earlier) == function(tmp_path, now)


@pytest.mark.parametrize("now", [now for _, now in METHODS if "name: a," not in now])
def test_what_is_present_stays_as_it_is(now: str, tmp_path: Path) -> None:
    plain, read_ = tmp_path / "plain.wrapper_spec", method(tmp_path, now)
    plain.write_text(f"wrapper_lib: {{name: demo}}\nfunctions:\n  - {{{now}}}\n", encoding="utf-8")
    as_written: Any = read_document(plain, plain.name).data["functions"]
    assert {key: value for key, value in read_.items() if key not in ("cpp_fn", "cpp")} == {
        key: value for key, value in as_written[0].items() if key not in ("cpp_fn", "cpp")
    }


@pytest.mark.parametrize(
    ("earlier", "now"),
    [
        ("lent_by: Doc, owner: doc", "belongs_to: Doc"),
        ("lent_by: Doc", "belongs_to: {owner: Doc}"),
        ("lent_by: Doc, owner: document", "belongs_to: {document: Doc}"),
        ("lent_by: geo.Doc, owner: doc", "belongs_to: geo.Doc"),
        ("invalidates: lent", "ends: all"),
    ],
)
def test_a_class(earlier: str, now: str, tmp_path: Path) -> None:
    spec = "wrapper_lib: {{name: demo}}\nhandle_types:\n  - {{name: Node, cpp_type: node *, {}}}\n"
    assert read(tmp_path, spec.format(earlier)) == read(tmp_path, spec.format(now))


QUERY = """\
wrapper_lib: {{name: demo}}
handle_types:
  - name: Query
    cpp_type: query *
    {}methods:
      - {{def: "row() -> Row"{}}}
      - {{def: "step(row: i64)"{}}}
      - {{def: "step()"{}}}
      - {{def: "reset()"{}}}
  - {{name: Row, cpp_type: row *, belongs_to: Query}}
"""


@pytest.mark.parametrize(
    ("earlier", "now"),
    [
        (("", ", borrow: {until: reset}", "", "", ""), ("", "", "", "", ", ends: [row]")),
        (("", ", borrow: {until: [step]}", "", "", ""), ("", "", ", ends: [row()]", ", ends: [row]", "")),
        (
            ("", ", borrow: {until: [reset]}", "", "", ", invalidates: lent"),
            ("", "", "", "", ", ends: [all, row]"),
        ),
        (("", ", borrow: {until: []}", "", "", ""), ("ends: nothing\n    ", "", "", "", "")),
        (("", ", borrow: {until: []}", "", "", ", invalidates: lent"), ("", "", "", "", ", ends: all")),
        (
            ("", ", borrow: {until: [reset]}", "", "", ", invalidates: {on: success}"),
            ("", "", "", "", ", ends: [all, row], on_failure: {ends: unchanged}"),
        ),
    ],
)
def test_results_that_calls_end(earlier: tuple[str, ...], now: tuple[str, ...], tmp_path: Path) -> None:
    assert read(tmp_path, QUERY.format(*earlier)) == read(tmp_path, QUERY.format(*now))


def test_forms_that_end_differently_are_left_to_a_person(tmp_path: Path) -> None:
    text = QUERY.format("", ", borrow: {until: [reset]}", "", "", "")
    text += 'methods:\n  - {def: "Query.row(i: i64) -> Row"}\n'
    (tmp_path / "demo.wrapper_spec").write_text(text, encoding="utf-8")
    document, _ = modern(read_document(tmp_path / "demo.wrapper_spec", "demo.wrapper_spec"))
    data: Any = document.data
    assert data["handle_types"][0]["methods"][0]["borrow"] == "TODO"


def test_a_call_that_is_not_there_is_told_of(tmp_path: Path) -> None:
    text = QUERY.format("", ", borrow: {until: [rest]}", "", "", "")
    (tmp_path / "demo.wrapper_spec").write_text(text, encoding="utf-8")
    _, findings = modern(read_document(tmp_path / "demo.wrapper_spec", "demo.wrapper_spec"))
    (finding,) = [each for each in findings if each.code != "WG290"]
    assert (finding.code, finding.span.line, finding.hint) == ("WG091", 6, "known here: row, step, reset")
