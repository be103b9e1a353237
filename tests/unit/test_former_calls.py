"""`cpp_fn`, `cpp_method` and `cpp_params` of earlier specs, as `cpp` says them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from wrapper_gen.spec import Document, modern
from wrapper_gen.spec.source import SpecText
from wrapper_gen.spec.yaml_reader import read_yaml


def entry_of(library: str, entry: str, *, owner: str = "") -> dict[str, Any]:
    """What becomes of an entry: of a class with these keys, or of the functions."""
    where = f"handle_types:\n  - {{name: Box, cpp_type: box *{owner}, methods: [{entry}]}}\n"
    text = f"wrapper_lib: {{name: demo{library}}}\n" + (where if owner else f"functions: [{entry}]\n")
    data, places = read_yaml(SpecText(text, "x.wrapper_spec"))
    assert isinstance(data, dict)
    document, findings = modern(Document(Path("x"), "x.wrapper_spec", data, SpecText(text, "x"), places))
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
    ],
)  # fmt: skip
def test_an_order_is_a_call(entry: str, expected: str) -> None:
    made = entry_of("", entry, owner=", doc: x")
    assert made["cpp"] == expected
    assert not {"cpp_fn", "cpp_method", "cpp_params"} & made.keys()
    assert made.get("release") == ("g" if "free" in entry else None)


@pytest.mark.parametrize(
    "entry",
    [
        "{def: 'a(x: bytes)', cpp_fn: f, cpp_params: [h, x]}",  # which may bring its length
        "{def: 'a(x: i64)', cpp_fn: f, cpp_params: [h, {value: use(h)}, x]}",
        "{def: 'a(x: i64)', cpp_fn: f, cpp_params: [h, y]}",
        "{def: 'a(x: fn(), y: (fn())?)', cpp_fn: f, cpp_params: [h, x, y, {role: user_data, of: [x]}]}",
    ],
)
def test_an_order_that_no_call_says_stays(entry: str) -> None:
    assert "cpp_params" in entry_of("", entry, owner=", doc: x")
