"""What a spec says otherwise than the answers beside it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from wrapper_gen.cli import main

ANSWERS = {
    "statuses:\n  uint32_t: {name: E, ok: [0], of: all}": ["Tape.count: nothing tests its status"],
    "statuses:\n  uint32_t: {name: E, ok: [0], of: all, but: [tape_cou.*]}": [],
    "records:\n  tape: {handle: Tape, release: tape_reader_free}": ["Tape: `tape_close` releases it"],
    "records:\n  tape_filter: {handle: Filter, release: nothing}": ["Filter: `tape_filter_free` releases it"],
    "records:\n  tape_index: {handle: Index, release: tape_free}": ["Index: nothing releases it"],
    "results:\n  tape_reader: {borrowed: [tape_reader_new]}": ["Tape.reader: Python releases the Reader"],
    "results:\n  tape_index: {owned: ['tape_get.*']}": ["Tape.index: nothing releases the Index"],
    "memory:\n  char *: {kept: [tape_describe]}": ["Tape.describe: x.import says that the library keeps"],
    "memory:\n  const char *: {release: tape_free, of: [tape_label]}": ["Tape.label: x.import says that tape_free"],
    "records: nothing\nstatuses: [1, 2]\nmemory: {char *: '?'}\nleave: {'(': bad pattern}": [],
}


@pytest.fixture(scope="module")
def alone(compiled_libraries: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A spec, and no other entry than those that answers are about."""
    folder = tmp_path_factory.mktemp("answers")
    for each in compiled_libraries.iterdir():
        (folder / each.name).write_bytes(each.read_bytes())
    return folder / "tapes.wrapper_spec"


@pytest.mark.quick(1)
@pytest.mark.parametrize("answers", ANSWERS)
def test_what_answers_say_otherwise(answers: str, alone: Path) -> None:
    path = alone.with_name("tapes.import")
    path.write_text(f"import: {{name: tapes, lang: c, headers: [tapes.h]}}\n{answers}\n", encoding="utf-8")
    done = CliRunner().invoke(main, ["verify", str(alone)])
    found = re.findall(r"warning: (.*) \[WG332\]", done.stderr)
    assert done.exit_code == 0
    assert len(found) == len(ANSWERS[answers]), found
    for said, expected in zip(found, ANSWERS[answers], strict=True):
        assert said.startswith(expected.replace("x.import", "tapes.import"))


def test_why_a_function_is_left_out(alone: Path) -> None:
    text = alone.read_text(encoding="utf-8")
    spec = alone.with_name("other.wrapper_spec")
    spec.write_text(text.replace('  - {def: "weigh(weights: &[f32]) -> f64"}\n', ""), encoding="utf-8")
    spec.with_name("other.import").write_text("leave:\n  tape_weigh: numbers alone\n", encoding="utf-8")
    assert "1 left out, numbers alone: tape_weigh" in CliRunner().invoke(main, ["verify", str(spec)]).stdout


COUNTED = """
struct doc *doc_new(void);
void doc_delete(struct doc *d);
static inline void doc_decref(struct doc *d) { if (d) doc_delete(d); }
"""


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("release", "found"),
    [
        ("doc_decref", []),
        ("doc_delete", ["Doc: `doc_delete` releases it, also while others refer to it, and the header has doc_decref"]),
        ("free", ["Doc: `free` releases it, also while others refer to it, and the header has doc_decref"]),
        ("nothing", ["Doc: nothing releases it, and the header has doc_decref"]),
    ],
)
def test_what_releases_counted_objects(release: str, found: list[str], tmp_path: Path) -> None:
    (tmp_path / "doc.h").write_text(COUNTED, encoding="utf-8")
    spec = tmp_path / "doc.wrapper_spec"
    kind = f"  - {{name: Doc, cpp_type: struct doc *, release: {release}}}\n"
    library = "wrapper_lib: {name: docs, lang: c, cpp_include: [stdlib.h, doc.h], requires: [{dirs: [.]}]}\n"
    text = f"{library}handle_types:\n{kind}"
    spec.write_text(text + 'functions: [{def: "make() -> Doc", cpp: doc_new}]\n', encoding="utf-8")
    done = CliRunner().invoke(main, ["verify", str(spec)])
    said = re.findall(r"warning: (.*) \[WG332\]", done.stderr)
    assert [each for each in said if each.startswith("Doc:")] == found, done.stderr
