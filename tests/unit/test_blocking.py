"""Which calls let other threads run: what the entry says, else its class, else the library."""

from __future__ import annotations

from pathlib import Path

import pytest

from wrapper_gen import pipeline

SPEC = """\
wrapper_lib: {name: lib, blocking: %s}
cpp_prelude: |
  #include <functional>
handle_types:
  - name: Box
    cpp_type: box
    blocking: %s
    methods: [{def: "Box()"}, {def: "open()"}, {def: "look()", blocking: false}]
  - {name: Lid, cpp_type: lid, methods: [{def: "shut()"}]}
functions:
  - {def: "each(f: fn(i64))", params: {f: {scope: call, called_on: any}}, cpp_fn: "::each"}
"""


@pytest.mark.parametrize(
    ("library", "box", "expected"),
    [
        ("true", "null", {"Box": True, "open": True, "look": False, "shut": True, "each": True}),
        ("true", "false", {"Box": True, "open": False, "look": False, "shut": True, "each": True}),
        ("null", "true", {"Box": False, "open": True, "look": False, "shut": False, "each": False}),
    ],
)
def test_the_nearest_that_says_it_decides(tmp_path: Path, library: str, box: str, expected: dict[str, bool]) -> None:
    spec = tmp_path / "lib.wrapper_spec"
    text = SPEC % (library, box)
    spec.write_text(text if expected["each"] else text.replace(", called_on: any", ""), encoding="utf-8")
    module, _ = pipeline.read(spec, spec.name)
    assert {each.name: each.blocking for each in module.callables} == expected
