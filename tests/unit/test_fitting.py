"""A draft that does not hold: fixes are made, and what else is wrong becomes a comment with the message above it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml

from wrapper_gen.diagnostics import Diagnostic, Fix, Span
from wrapper_gen.drafts.fitting import fit, reads
from wrapper_gen.drafts.spec_text import ClassDraft, Entry, SpecDraft, spec_lines

LIBRARY = {"name": "demo", "lang": "c", "cpp_include": ["demo.h"]}


def test_a_draft_that_holds_stays() -> None:
    lines = spec_lines(SpecDraft(LIBRARY, functions=[Entry({"def": "run()"}, key="run")]))
    fitted = fit(lines, "demo", reads)
    assert (list(fitted.lines), dict(fitted.off)) == (lines, {})


def test_what_is_wrong_becomes_a_comment() -> None:
    functions = [Entry({"def": "run(what: Nothing)"}, key="run"), Entry({"def": "stop()"}, key="stop")]
    fitted = fit(spec_lines(SpecDraft(LIBRARY, functions=functions)), "demo", reads)
    assert fitted.off["run"].startswith("WG030: unknown type 'Nothing'")
    assert "  # WG030: unknown type 'Nothing'\n" in fitted.text
    assert '  # - {def: "run(what: Nothing)"}\n  - {def: stop()}\n' in fitted.text
    assert fitted.left == []


def test_a_list_of_comments_has_no_key() -> None:
    entry = Entry({"def": "run(what: Nothing)"}, key="run")
    plain = ClassDraft({"name": "Box", "cpp_type": "box *", "release": "box_free"}, [entry])
    fitted = fit(spec_lines(SpecDraft(LIBRARY, classes=[plain], functions=[entry])), "demo", reads)
    assert "    # methods:\n" in fitted.text
    assert "\n# functions:\n" in fitted.text
    assert fitted.left == []


def test_an_entry_of_several_lines_is_one_comment() -> None:
    entry = Entry({"def": "run(what: Nothing)", "cpp": "run(what)", "doc": "It runs. " * 15}, key="run")
    fitted = fit(spec_lines(SpecDraft(LIBRARY, functions=[entry, Entry({"def": "stop()"})])), "demo", reads)
    off = [line for line in fitted.text.splitlines() if line.startswith("  # ") and "WG030" not in line]
    assert [line.split(":")[0] for line in off if not line.startswith("  #   ")] == ["  # - def"]
    assert "  #   cpp: run(what)" in off


def test_the_only_fix_is_made_and_of_several_none() -> None:
    lines = spec_lines(
        SpecDraft(LIBRARY, functions=[Entry({"def": "one()"}, key="one"), Entry({"def": "two()"}, key="two")])
    )
    numbers = {text.strip(): number for number, (text, _) in enumerate(lines, 1)}

    def check(path: Path) -> Sequence[Diagnostic]:
        found = []
        for line in path.read_text(encoding="utf-8").splitlines():
            if line == "  - {def: one()}":
                span = Span(path.name, numbers["- {def: one()}"], 6)
                found.append(Diagnostic("WG080", "not decided", span, fixes=(Fix("mended", span, "cpp: first, "),)))
            if line == "  - {def: two()}":
                span = Span(path.name, numbers["- {def: two()}"], 6)
                fixes = (Fix("a way", span, "cpp: a, "), Fix("another", span, "cpp: b, "))
                found.append(Diagnostic("WG080", "not decided", span, "say which", fixes=fixes))
        return found

    fitted = fit(lines, "demo", check)
    assert "  - {cpp: first, def: one()}\n" in fitted.text
    assert "  # WG080: not decided\n  #   say which\n  # - {def: two()}" in fitted.text
    assert (dict(fitted.fixed), list(fitted.off)) == ({"one": "mended"}, ["two"])


def test_a_class_that_lacks_what_cpp_needs_is_off_as_a_whole() -> None:
    methods = [Entry({"def": "abstract run(what: Nothing)"}, key="run"), Entry({"def": "abstract stop()"}, key="stop")]
    visitor = ClassDraft({"name": "Visitor", "cpp_type": "lib::Visitor"}, methods)
    library = {"name": "demo", "cpp_include": ["demo.hpp"]}
    fitted = fit(spec_lines(SpecDraft(library, classes=[visitor])), "demo", reads)
    assert set(fitted.off) == {"run", "stop"}
    assert fitted.left == []


@pytest.mark.parametrize("is_long", [False, True])
def test_an_order_that_the_compiler_does_not_find_is_said(is_long: bool) -> None:
    data = {"def": "at(flags: i32, p: Point)", "doc": "Long. " * 20 if is_long else "Short."}
    lines = spec_lines(SpecDraft(LIBRARY, functions=[Entry(data, key="f"), Entry({"def": "stop()"}, key="g")]))
    hint = 'declare it as C++ has it; or say C\'s order: cpp: ".at(flags, p)"'

    def check(path: Path) -> list[Diagnostic]:
        text = path.read_text(encoding="utf-8")
        line = 1 + next(at for at, each in enumerate(text.splitlines()) if "at(flags" in each)
        wrong = Diagnostic("WG061", "p is declared as Point", Span(path.name, line, 9), hint)
        return [] if 'cpp: ".at(flags, p)"' in text else [wrong]

    fitted = fit(lines, "demo", check)
    assert (fitted.off, fitted.left) == ({}, [])
    found = yaml.safe_load(fitted.text)["functions"]
    assert found == [{**data, "cpp": ".at(flags, p)"}, {"def": "stop()"}]


def test_a_comment_says_nothing_of_the_run_that_wrote_it() -> None:
    lines = spec_lines(SpecDraft(LIBRARY, functions=[Entry({"def": "one()"}, key="one")]))

    def check(path: Path) -> list[Diagnostic]:
        hint = "--verbose shows all that the compiler says"
        is_there = "\n  - {def: one()}" in path.read_text(encoding="utf-8")
        return [Diagnostic("WG061", "it does not compile", Span(path.name, len(lines), 5), hint)] if is_there else []

    text = fit(lines, "demo", check).text
    assert "  # WG061: it does not compile\n  # - {def: one()}\n" in text
