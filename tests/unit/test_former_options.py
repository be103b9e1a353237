"""Options of a struct have a name now."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.test_former_rules import migrated

SPEC = """\
wrapper_lib: {name: demo}
functions:
  - def: "%s"
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("open(name: path, **Options) -> i64?", "open(name: path, **options: Options) -> i64?"),
        ("start( ** lib.Options, )", "start( ** options: lib.Options, )"),
        ("start(*, quick: bool, **Options)", "start(*, quick: bool, **options: Options)"),
        ("start(**opts: Options) -> (i64, i64)", "start(**opts: Options) -> (i64, i64)"),
        ("start(**Options, quick: bool)", "start(**Options, quick: bool)"),
        ("start(a: text = '**b')", "start(a: text = '**b')"),
    ],
)
def test_a_rule(tmp_path: Path, before: str, after: str) -> None:
    assert migrated(tmp_path, SPEC % before) == SPEC % after
