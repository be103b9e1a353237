"""Errors of the second edition: what each spelling becomes, and that nothing becomes anything else then."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from wrapper_gen.spec import read_document
from wrapper_gen.spec.former import modern


def rewritten(text: str, folder: Path) -> Any:
    path = folder / "former.wrapper_spec"
    path.write_text(f"wrapper_lib: {{name: demo}}\n{text}", encoding="utf-8")
    document, found = modern(read_document(path, path.name))
    assert {each.code for each in found} <= {"WG290"}
    before = repr(document.data)
    again, _ = modern(document)
    assert repr(again.data) == before
    return document.data


ENTRIES = [
    ("{type: st, ok: 0, exception: E}", "{cpp_type: st, ok: 0, name: E}"),
    ("{type: fault, exception: E}", "{cpp_type: fault, name: E}"),
    (
        "{type: st, cpp_type: int, ok: 0}",
        "{cpp_type: int, ok: 0, message: '\"the call failed with a st\"'}",
    ),
    (
        "{type: st, ok: 0, exception: PutError, map: {FULL: MemoryError, LOST: KeyError, GONE: KeyError}}",
        "{cpp_type: st, ok: 0, name: PutError, exceptions: [{name: PutMemoryError, when: [FULL], also: MemoryError}, "
        "{name: PutKeyError, when: [LOST, GONE], also: KeyError}]}",
    ),
    (
        "{type: st, ok: 0, name: name_of, note: {Box: h.inner->note}, fields: {at: {type: i64, value: h.inner->at}}}",
        "{cpp_type: st, ok: 0, fields: {name: {type: text, cpp: name_of}, "
        "__notes__: {type: text, cpp: {Box: self->note}}, at: {type: i64, cpp: self->at}}}",
    ),
]


@pytest.mark.parametrize(("former", "now"), ENTRIES)
def test_an_entry_of_errors(former: str, now: str, tmp_path: Path) -> None:
    found, wanted = (rewritten(f"errors:\n  - {each}\n", tmp_path)["errors"] for each in (former, now))
    assert found == wanted


TWO = "errors:\n  - {type: int, ok: 0, exception: E}\n  - {type: st, cpp_type: int, ok: 1, exception: F}\n"
RAISES = [
    ("raises: int", "raises: E"),
    ("raises: st", "raises: F"),
    ("raises: null", "raises: nothing"),
    ("raises: result", ""),
    ("raises: {type: st, from: result.result(h.inner)}", "raises: F, status: value.result(self)"),
    ("raises: {type: st, from: errno}", "raises: F, status: errno"),
    ("raises: {type: st, each: None}", "raises: F, status: wg::each(value)"),
    ("raises: {type: st, from: result.all(), each: true}", "raises: F, status: wg::each(value.all())"),
    ("raises: {type: st, each: false}", "raises: F"),
]


@pytest.mark.parametrize(("former", "now"), RAISES)
def test_what_an_entry_raises(former: str, now: str, tmp_path: Path) -> None:
    errors = "errors: [{cpp_type: int, ok: 0, name: E}, {cpp_type: int, ok: 1, name: F}]\n"
    found = rewritten(f'{TWO}functions:\n  - {{def: "f() -> i64", {former}}}\n', tmp_path)["functions"]
    assert found == rewritten(f'{errors}functions:\n  - {{def: "f() -> i64", {now}}}\n', tmp_path)["functions"]


def test_code_names_what_it_tests(tmp_path: Path) -> None:
    text = 'cpp_prelude: wg_check<st>(1, "wg_check<st>"); wg_check<other>(2);\n'
    found = rewritten(f"{text}{TWO}", tmp_path)["cpp_prelude"]
    assert found == 'wg_check<F>(1, "wg_check<st>"); wg_check<other>(2);'


def test_several_statuses_of_one_exception_have_labels(tmp_path: Path) -> None:
    found = rewritten(
        f"{TWO}  - {{type: also, cpp_type: int, ok: 2, exception: E}}\nfunctions: [{{def: f(), raises: also}}]\n",
        tmp_path,
    )
    assert [each.get("label") for each in found["errors"]] == [None, None, "also"]
    assert found["functions"] == [{"def": "f()", "raises": "also"}]


def test_what_was_silent_stays_so(tmp_path: Path) -> None:
    status = "errors: [{type: st, ok: 0, exception: E}]\n"
    entries = (
        'functions:\n  - {def: "f() -> bool", result: value}\n  - {def: "g() -> bool", result: value, raises: st}\n'
    )
    found = rewritten(f"{status}{entries}", tmp_path)["functions"]
    assert [each["raises"] for each in found] == ["nothing", "E"]
    opening = 'functions:\n  - {def: "f() -> i64", raises: result}\n  - {def: "g()"}\n  - {name: h, return: i64}\n'
    assert [each.get("raises") for each in rewritten(f"{status}{opening}", tmp_path)["functions"]] == [
        None,
        "nothing",
        None,
    ]
