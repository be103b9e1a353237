"""Lines of the spec in the bridge: what moves in a spec changes `lines.hpp` alone."""

from __future__ import annotations

import re
from pathlib import Path

from wrapper_gen import pipeline
from wrapper_gen.render import render

SPEC = """\
wrapper_lib: {{name: placed, cpp_include: placed.hpp}}
functions:
  - def: "first(n: i32) -> i32"
    doc: |
      {doc}
    cpp: n + 1
    result: value * 2
  - def: "second(n: i32) -> i32"
    cpp_body: return n;
"""


def rendered(folder: Path, doc: str) -> dict[str, str]:
    spec = folder / "placed.wrapper_spec"
    spec.write_text(SPEC.format(doc=doc), encoding="utf-8")
    module, _ = pipeline.read(spec, spec.name)
    return {path.name: text for path, text in render(module, (1, 2, 3)).items()}


def test_a_longer_doc_changes_no_line_of_the_bridge(tmp_path: Path) -> None:
    short, long = rendered(tmp_path, "What it does."), rendered(tmp_path, "What it does.\n\n      And why.")
    assert short["bridge.cpp"] == long["bridge.cpp"]
    assert "WG_ENTRY_2_IN_first" in short["bridge.cpp"]
    places = (dict(re.findall(r"#define WG_ENTRY_(\w+) (\d+)", each["lines.hpp"])) for each in (short, long))
    assert list(places) == [
        {"1_IN_first": "6", "2_IN_first": "7", "1_IN_second": "9"},
        {"1_IN_first": "8", "2_IN_first": "9", "1_IN_second": "11"},
    ]
