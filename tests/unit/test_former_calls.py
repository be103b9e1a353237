"""`cpp_fn`, `cpp_method` and `cpp_params` of earlier specs, as `cpp` says them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from wrapper_gen.diagnostics import Diagnostic
from wrapper_gen.spec import Document, modern
from wrapper_gen.spec.source import SpecText
from wrapper_gen.spec.yaml_reader import read_yaml


def modern_document(library: str, entry: str, *, owner: str = "") -> tuple[Document, list[Diagnostic]]:
    """What becomes of a spec with this entry: of a class with these keys, or of the functions."""
    where = f"handle_types:\n  - {{name: Box, cpp_type: box *{owner}, methods: [{entry}]}}\n"
    text = f"wrapper_lib: {{name: demo{library}}}\n" + (where if owner else f"functions: [{entry}]\n")
    data, places = read_yaml(SpecText(text, "x.wrapper_spec"))
    assert isinstance(data, dict)
    return modern(Document(Path("x"), "x.wrapper_spec", data, SpecText(text, "x"), places))


def entry_of(library: str, entry: str, *, owner: str = "") -> dict[str, Any]:
    """What becomes of the entry."""
    document, findings = modern_document(library, entry, owner=owner)
    assert {each.code for each in findings} <= {"WG290"}
    found: Any = document.data["handle_types"] if owner else document.data["functions"]
    made: dict[str, Any] = found[0]["methods"][0] if owner else found[0]
    return made


@pytest.mark.parametrize(
    ("library", "owner", "entry", "expected"),
    [
        ("", "", "{def: 'a()', cpp_fn: f}", "f"),
        ("", "", "{def: 'a(f: i64)', cpp_fn: f}", "::f"),
        ("", ", doc: x", "{def: 'a()', cpp_fn: f}", "::f"),
        ("", ", doc: x", "{def: 'a()', cpp_fn: ns::f}", "ns::f"),
        ("", ", doc: x", "{def: 'a()', cpp_method: f}", "f"),
        ("", ", doc: x", "{def: 'Box()', cpp_fn: f}", "f"),
        ("", ", cpp_prefix: box_", "{def: 'a()', cpp_fn: f}", "f"),
        ("", ", cpp_prefix: box_", "{def: 'a()', cpp_method: f}", ".f"),
        ("", ", cpp_prefix: 'box::'", "{def: 'a()', cpp_method: f}", "f"),
        (", lang: c", ", doc: x", "{def: 'a()', cpp_fn: f}", "f"),
        (", lang: c", ", doc: x", "{def: 'a()', cpp_method: f}", ".f"),
        ("", ", doc: x", "{def: 'a(size: i64)', cpp_method: size}", ".size"),
    ],
)
def test_a_name_means_the_same(library: str, owner: str, entry: str, expected: str) -> None:
    made = entry_of(library, entry, owner=owner)
    assert made["cpp"] == expected
    assert made.keys() <= {"def", "cpp"}


@pytest.mark.parametrize("written", ["::f", "[] { return 1; }", "TODO"])
def test_what_is_no_bare_name_stays(written: str) -> None:
    assert entry_of("", f"{{def: 'a()', cpp_fn: '{written}'}}")["cpp"] == written


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("{def: 'a(x: i64) -> i64', cpp_fn: f, cpp_params: [h, x, out]}", "f(self, x, &out)"),
        ("{def: 'a(x: bytes)', cpp_fn: f, cpp_params: [x, {role: length, of: x}, h]}", "f(x, x.size(), self)"),
        ("{def: 'a(x: text) -> (b: i64, c: i64)', cpp_fn: f, cpp_params: [c, h, x, b]}", "f(&c, self, x, &b)"),
        ("{def: 'a(x: i64)', cpp_fn: f, cpp_params: [h, {name: x, as: long}]}", "f(self, (long)x)"),
        ("{def: 'a()', cpp_fn: f, cpp_params: [h, {out: _, as: int}]}", "f(self, (int *)&_)"),
        ("{def: 'a()', cpp_fn: f, cpp_params: [{value: h.inner->b}, {value: NULL}, h]}", "f(self->b, NULL, self)"),
        ("{def: 'a(x: Box)', cpp_fn: f, cpp_params: [h, {value: x.inner->b}]}", "f(self, x->b)"),
        ("{def: 'a(x: fn(i64))', cpp_fn: f, cpp_params: [h, x, {role: user_data, of: x}]}", "f(self, x, x.user_data)"),
        ("{def: 'a(x: (fn())?)', cpp_fn: f, cpp_params: [h, x, {role: user_data, of: [x]}]}", "f(self, x, user_data)"),
        ("{def: 'a(x: i64)', cpp_method: f, cpp_params: [x, {value: '&limit'}]}", "f(x, (&limit))"),
        ("{def: 'Box(x: i64)', cpp_fn: f, cpp_params: [out, x]}", "f(&self, x)"),
        ("{def: 'a(x: i64)', cpp_params: [{value: 0}, x]}", "a(0, x)"),
        ("{def: 'a()', cpp_fn: f, cpp_params: [h, {role: error, free: g}]}", "f(self, &error)"),
        (
            "{def: 'a(x: Box?)', cpp_fn: f, cpp_params: [h, {value: 'x ? x->inner : usual(x != nullptr)'}]}",
            "f(self, x ? x : usual(x != nullptr))",
        ),
    ],
)  # fmt: skip
def test_an_order_is_a_call(entry: str, expected: str) -> None:
    made = entry_of("", entry, owner=", doc: x")
    assert made["cpp"] == expected
    assert not {"cpp_fn", "cpp_method", "cpp_params"} & made.keys()
    assert made.get("release") == ("g" if "free" in entry else None)


@pytest.mark.parametrize(
    ("library", "entry", "expected"),
    [
        (", lang: c", "{def: 'a(x: bytes)', cpp_fn: f, cpp_params: [x]}", "f(x, x.size())"),
        (", lang: c", "{def: 'a(x: fn())', cpp_fn: f, cpp_params: [x]}", "f(x, x.user_data)"),
        (", lang: c", "{def: 'a(x: &[f64; n])', cpp_fn: f, cpp_params: [x, {value: n}]}", "f(x, n)"),
        ("", "{def: 'a(x: bytes)', cpp_fn: f, cpp_params: [x]}", "f(x)"),
        ("", "{def: 'a(x: [f64])', cpp: f, cpp_params: [x, {role: length, of: x, value: x.size() / 2}]}",
         "f(x, x.size() / 2)"),
        ("", "{def: 'a(n: i64) -> (n: i64, m: text)', cpp: f, cpp_params: [out, n]}", "f(&m, &n)"),
        ("", "{def: 'a(n: i64) -> (b: array[f64; n], c: i64)', cpp: f, cpp_params: [n, b, c]}", "f(n, b, &c)"),
        ("", "{def: 'a(n: i64) -> (b: text, c: text)', cpp: f, cpp_params: [out, out], capacity: {b: n, c: n}}",
         "f(b, c)"),
        ("", "{def: 'a(n: i64) -> (i64, i64)', cpp: f, cpp_params: [n, out, out]}", "f(n, &out, &out)"),
        ("", "{def: 'a(n: i64) -> bytes', cpp: f, cpp_params: [out, n], capacity: n}", "f(out, n)"),
        ("", "{def: 'a(n: i64) -> i64', cpp: f, params: {n: {direction: inout}}, cpp_params: [n]}", "f(&n)"),
        ("", "{def: 'a(n: i64)', cpp: f, cpp_params: [{value: 'pair{n, 2}'}]}", "f(pair{n, 2})"),
    ],
)  # fmt: skip
def test_an_order_of_a_function_is_a_call(library: str, entry: str, expected: str) -> None:
    assert entry_of(library, entry)["cpp"] == expected


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ("{def: 'a(x: bytes, n: i64)', cpp_fn: f, cpp_params: [x, n]}", "write x, x.size()"),
        ("{def: 'a(x: i64)', cpp_fn: f, cpp_params: [h, {value: use(h)}, x]}", "`self` is no object"),
        ("{def: 'a(x: Box)', cpp_fn: f, cpp_params: [h, {value: use(x)}]}", "'x' is no object"),
        ("{def: 'a(x: Box?)', cpp_fn: f, cpp_params: [h, {value: 'use(x ? x->inner : 0, x)'}]}", "'x' is no object"),
        ("{def: 'a(n: i64) -> (n: i64)', cpp_fn: f, cpp_params: [h, n, {out: n}]}", "another name"),
        ("{def: 'a(x: fn(), y: (fn())?)', cpp_fn: f, cpp_params: [h, x, y, {role: user_data, of: [x]}]}", "also by y"),
    ],
)  # fmt: skip
def test_an_order_that_may_be_another_call_is_left_to_a_person(entry: str, reason: str) -> None:
    assert entry_of("", entry, owner=", doc: x")["cpp"] == "TODO"
    document = modern_document("", entry, owner=", doc: x")[0]
    ((_, told),) = document.reasons
    assert reason in told
    assert "; without that it is " in told


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("{def: 'a(x: i64)', cpp_fn: f, cpp_params: [h, y]}", "'y' is no argument of this call"),
        ("{def: 'a(x: i64)', cpp_fn: f, cpp_params: [x, out]}", "the result has no further item for 'out'"),
        ("{def: 'a(x: i64)', cpp_fn: f, cpp_params: [x, {as: long}]}", "an argument of `cpp_params` that says nothing"),
        ("{def: 'a(x: i64)', cpp_fn: f, cpp_params: [{name: x, out: _}]}", "`name` says nothing of what has `out`"),
        ("{def: 'a(x: i64)', cpp_fn: f, cpp_params: [{role: data, of: x}]}", "'data' is no role of an argument"),
        ("{def: 'a(x: i64)', cpp_fn: f, cpp_params: [{role: length, of: x}]}", "'x' has no length"),
        (
            "{def: 'a(x: i64)', cpp_fn: f, cpp_params: [{role: length, of: y}]}",
            "the length of 'y', which is no parameter",
        ),
        ("{def: 'a(x: i64)', cpp_fn: f, cpp_params: [{role: length}]}", "the length of nothing"),
        ("{def: 'a(x: i64)', cpp_fn: f, cpp_params: [{role: length, of: x, free: g}]}", "`free` says nothing"),
        ("{def: 'a(x: fn())', cpp_fn: f, cpp_params: [{role: user_data, of: [x, x]}]}", "user_data is of callables"),
        ("{def: 'a(x: i64)', cpp_fn: f, cpp_params: [{role: user_data, of: []}]}", "user_data is of callables"),
        ("{def: 'a(x: i64)', cpp_fn: f, cpp_params: [{role: error, free: 3}]}", "`free` is what releases"),
        ("{def: 'a(x: i64)', cpp_fn: f, cpp_params: [[x]]}", "is no argument of a call"),
        ("{def: 'a(x: i64)', cpp_fn: f, cpp_params: {x: 1}}", "no list of arguments"),
        ("{def: 'a(x: i64)', cpp_fn: f, cpp_params: [{value: [x]}]}", "C++ that is passed"),
        ("{def: 'a(x: i64)', cpp_fn: f, cpp_params: [{value: 'g(x'}]}", "never closed"),
        ("{def: 'a(x: i64)', cpp_body: 'f();', cpp_params: [x]}", "a function by its name"),
        ("{def: 'a(x: i64)', cpp: 'f(x)', cpp_params: [x]}", "a function by its name"),
        ("{def: 'a(x: i64)', cpp: '[](i64 x) {}', cpp_params: [x]}", "a function by its name"),
    ],
)
def test_an_order_that_is_no_call_is_told_of(entry: str, message: str) -> None:
    document, findings = modern_document("", entry, owner=", doc: x")
    ((code, told),) = [(each.code, each.message) for each in findings if each.code != "WG290"]
    assert code == "WG081"
    assert message in told
    assert "cpp_params" not in document.data["handle_types"][0]["methods"][0]
