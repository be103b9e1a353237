"""What would change on disk, as a unified diff."""

from __future__ import annotations

import difflib
import io
from collections.abc import Iterator
from pathlib import Path

from wrapper_gen import disk
from wrapper_gen.files import Comparison

_MOST_BYTES = 1 << 30  # of a file that is shown


def unified(comparison: Comparison) -> Iterator[str]:
    """Lines (with their ends) of a unified diff from the disk to what is rendered, as `git apply` takes it."""
    for path in sorted((*comparison.to_write, *comparison.blocked, *comparison.stale)):
        old = _read(comparison.root / path)
        new = comparison.rendered.get(path)
        name = (comparison.root / path).as_posix().lstrip("/")
        yield from _diff_one(name, old, new)
    for path in comparison.foreign:
        where = comparison.root / path
        yield f"Only in {where.parent.as_posix()}: {where.name}\n"


def _diff_one(name: str, old: bytes | None, new: str | None) -> Iterator[str]:
    before = "/dev/null" if old is None else f"a/{name}"
    after = "/dev/null" if new is None else f"b/{name}"
    try:
        left = _lines((old or b"").decode())
    except UnicodeDecodeError:
        yield f"Binary files {before} and {after} differ\n"
        return
    for line in difflib.unified_diff(left, _lines(new or ""), before, after):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _lines(text: str) -> list[str]:
    """Lines with their ends; only LF ends one (str.splitlines knows many more)."""
    return list(io.StringIO(text, newline="\n"))


def _read(target: Path) -> bytes | None:
    """The bytes of a file; None when there is none (or a symbolic link to none)."""
    try:
        return disk.read_regular(target, _MOST_BYTES)
    except FileNotFoundError:
        return None
