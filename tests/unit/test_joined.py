"""A class that stands again: what the later entries add is the class's, and stands where it is written."""

from __future__ import annotations

from pathlib import Path

from wrapper_gen import pipeline
from wrapper_gen.spec import Document, join_classes, read_document

SPEC = """\
wrapper_lib: {name: lib}
shared: &own [{def: "a()"}]
handle_types:
  - {name: Box, cpp_type: box, methods: *own, fields: {x: i64}}
  - {name: Lid, cpp_type: lid, methods: *own}
  - name: Box
    methods: [{def: "b()"}]
    fields: {y: i64}
  - {name: Lid, fields: {z: i64}}
  - {name: Box, methods: [{def: "c()"}]}
"""


def document(tmp_path: Path, text: str) -> Document:
    spec = tmp_path / "lib.wrapper_spec"
    spec.write_text(text, encoding="utf-8")
    return read_document(spec, spec.name)


def test_each_class_has_one_entry_with_all_that_was_added(tmp_path: Path) -> None:
    found = document(tmp_path, SPEC)
    join_classes(found)
    assert found.data["handle_types"] == [
        {
            "name": "Box",
            "cpp_type": "box",
            "methods": [{"def": "a()"}, {"def": "b()"}, {"def": "c()"}],
            "fields": {"x": "i64", "y": "i64"},
        },
        {"name": "Lid", "cpp_type": "lid", "methods": [{"def": "a()"}], "fields": {"z": "i64"}},
    ]


def test_everything_keeps_its_place(tmp_path: Path) -> None:
    found = document(tmp_path, SPEC)
    join_classes(found)
    box, lid = found.data["handle_types"]  # type: ignore[misc]  # what it is, the test above says
    lines = [found.span(each, "def").line for each in box["methods"]]
    assert lines == [2, 7, 10]
    assert [found.span(box["fields"], key).line for key in ("x", "y")] == [4, 8]
    assert found.span(lid["fields"], "z").line == 9


def test_also_for_each_row(tmp_path: Path) -> None:
    spec = tmp_path / "lib.wrapper_spec"
    spec.write_text(
        """\
wrapper_lib: {name: lib}
handle_types:
  - {for: {T: [Box, Lid]}, name: $T, methods: [{def: "rows() -> i64"}]}
  - {for: {T: [Box, Lid]}, name: $T, cpp_type: "::$T", methods: [{def: "$T()"}]}
""",
        encoding="utf-8",
    )
    module, findings = pipeline.read(spec, spec.name)
    assert [(each.handle, each.name) for each in module.methods] == [("Box", "rows"), ("Lid", "rows")]
    assert not findings
