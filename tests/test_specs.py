"""How our own specs are written: nearly all of their entries say what there is, and have no code."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from wrapper_gen import pipeline
from wrapper_gen.model import Body, Lambda

ROOT = Path(__file__).parent.parent
SPECS = sorted((ROOT / "specs").glob("*.wrapper_spec"))
MOST_WITH_CODE = 0.25
MOST_LINES = 4.0
"""Of YAML an entry, besides documentation and the lines of a body."""
DOCUMENTATION = ("doc", "return_doc", "params")


@dataclass(frozen=True)
class Counts:
    """What one spec comes to."""

    entries: int
    with_code: int
    lines: int

    def __str__(self) -> str:
        return f"{self.entries} entries, {self.with_code} with code, {self.lines / self.entries:.1f} lines an entry"


def entries_of(spec: Path) -> Iterator[yaml.MappingNode]:
    """The functions and methods of a spec, wherever they stand; one that a `for` repeats is one."""
    root = yaml.compose(spec.read_text(), Loader=yaml.SafeLoader)
    assert isinstance(root, yaml.MappingNode)
    for key, value in root.value:
        if key.value in ("functions", "methods"):
            yield from written(value)
        elif key.value == "handle_types":
            for handle in value.value:
                yield from (each for k, listed in handle.value if k.value == "methods" for each in written(listed))


def written(listed: yaml.SequenceNode) -> Iterator[yaml.MappingNode]:
    """The entries of a list, those of a list within it too."""
    for entry in listed.value:
        within = next((value for key, value in entry.value if key.value == "entries"), None)
        yield from [entry] if within is None else written(within)


def lines_of(entry: yaml.MappingNode, text: list[str]) -> int:
    """The lines that are no documentation, comment, code or blank."""
    left_out: set[int] = set()
    keys = [key for key, _ in entry.value]
    ends = [key.start_mark.line for key in keys[1:]] + [entry.end_mark.line]
    for key, end in zip(keys, ends, strict=True):
        if key.value in DOCUMENTATION:
            left_out |= set(range(key.start_mark.line, end))
        elif key.value == "cpp_body":
            left_out |= set(range(key.start_mark.line + 1, end))
    own = (text[i].strip() for i in range(entry.start_mark.line, entry.end_mark.line) if i not in left_out)
    return sum(bool(line) and not line.startswith("#") for line in own)


def counted(spec: Path) -> Counts:
    text = spec.read_text().split("\n")
    callables = pipeline.generate(spec, f"specs/{spec.name}").module.callables
    entries = list(entries_of(spec))
    starts = sorted(each.start_mark.line + 1 for each in entries)
    places = [bisect_right(starts, each.span.line) for each in callables]
    assert set(places) >= set(range(1, len(starts) + 1)), "each entry is a callable, or several"  # properties are more
    implemented = zip(callables, places, strict=True)
    with_code = len({place for each, place in implemented if isinstance(each.implementation, Lambda | Body)})
    return Counts(len(entries), with_code, sum(lines_of(each, text) for each in entries))


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.stem)
def test_few_entries_have_code(spec: Path) -> None:
    counts = counted(spec)
    print(f"{spec.stem}: {counts}")
    assert counts.with_code <= MOST_WITH_CODE * counts.entries
    assert counts.lines <= MOST_LINES * counts.entries


ENTRY = """\
functions:
  - def: "f(x: i64)"
    # why
    cpp_body: |
      return x;

    params: {x: what}
    doc: |
      a

      b
"""


def test_documentation_code_and_blank_lines_do_not_count(tmp_path: Path) -> None:
    spec = tmp_path / "one.wrapper_spec"
    spec.write_text(ENTRY)
    [entry] = entries_of(spec)
    assert lines_of(entry, ENTRY.split("\n")) == 2
