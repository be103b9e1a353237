"""`--strict` has a call written whose arguments are alike: in which order C has them, their types do not tell."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from wrapper_gen import batch, pipeline
from wrapper_gen.cli import main
from wrapper_gen.found_orders import unwritten

HEAD = """\
wrapper_lib: {name: demo, lang: c}
errors: [{cpp_type: int, ok: 0}]
structs: [{name: Point, cpp_type: point, fields: {x: i32}}]
types: [{name: Piece, type: bytes, cpp_type: piece, data: data, length: size, make: "piece{value.data(), 1}"}]
handle_types:
  - name: Node
    cpp_type: node *
    release: node_free
    methods:
"""


def calls(entry: str, tmp_path: Path) -> list[str]:
    """The calls that are shown for a method, in place of its own."""
    spec = tmp_path / "demo.wrapper_spec"
    spec.write_text(f"{HEAD}      - {{{entry}}}\n", encoding="utf-8")
    module, _ = pipeline.read(spec, spec.name)
    return [fix.replacement.removeprefix("cpp: ").rstrip(", ") for each in unwritten(module) for fix in each.fixes]


@pytest.mark.parametrize(
    ("entry", "shown"),
    [
        ('def: "put(from: text, to: text)", cpp: put', ['"put(self, from, to)"', '"put(self, to, from)"']),
        ('def: "put(a: i32, b: text, c: i32)", cpp: put', ['"put(self, a, b, c)"', '"put(self, c, b, a)"']),
        ('def: "put(a: Point, b: Point? = None)", cpp: put', ['"put(self, a, b)"', '"put(self, b, a)"']),
        ('def: "add(child: Node)", cpp: add', ['"add(self, child)"', '"add(child, self)"']),
        (
            'def: "add(child: Node) -> i32", cpp: add, raises: DemoError',
            ['"add(self, child, &out)"', '"add(child, self, &out)"'],
        ),
        (
            'def: "xor(a: bytes, b: bytes)", cpp: xor',
            ['"xor(self, a, a.size(), b, b.size())"', '"xor(self, b, b.size(), a, a.size())"'],
        ),
        ('def: "xor(a: Piece, b: Piece)", cpp: xor', ['"xor(self, a, b)"', '"xor(self, b, a)"']),
        (
            'def: "read(a: u64, b: u64, size: u64) -> bytes", cpp: read, capacity: size',
            ['"read(self, a, b, out, capacity)"', '"read(self, b, a, out, capacity)"'],
        ),
    ],
)
def test_both_calls_are_shown(entry: str, shown: list[str], tmp_path: Path) -> None:
    assert calls(entry, tmp_path) == shown


@pytest.mark.parametrize(
    "entry",
    [
        'def: "put(a: i32, b: text)", cpp: put',
        'def: "put(a: text, b: text)", cpp: "put(self, a, b)"',
        'def: "put(a: text, b: text)", cpp: a + b',
        'def: "read(at: u64, size: u64) -> bytes", cpp: read, capacity: size',
        'def: "put(a: text, b: text)", cpp: "[](auto &&h, auto &&a, auto &&b) {}"',
    ],
)
def test_nothing_is_said_where_one_order_compiles_or_the_spec_says_it(entry: str, tmp_path: Path) -> None:
    assert calls(entry, tmp_path) == []


def test_it_is_an_error_only_when_strict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    spec = Path("demo.wrapper_spec")
    spec.write_text(
        f'{HEAD}      - def: "add(child: Node)"\n        cpp: add\n        raises: DemoError\n', encoding="utf-8"
    )
    assert CliRunner().invoke(main, ["validate", spec.name]).exit_code == 0
    refused = CliRunner().invoke(main, ["validate", "--strict", spec.name])
    assert (refused.exit_code, "[WG295]" in refused.stderr) == (3, True)
    (finding,) = batch.read_all(batch.find([spec.name], Path("generated")), strict=True).findings
    fix = finding.fixes[0]
    lines = spec.read_text(encoding="utf-8").splitlines()
    line = lines[fix.span.line - 1]
    lines[fix.span.line - 1] = line[: fix.span.column - 1] + fix.replacement + line[fix.span.end_column - 1 :]
    spec.write_text("\n".join(lines), encoding="utf-8")
    assert CliRunner().invoke(main, ["validate", "--strict", spec.name]).exit_code == 0
