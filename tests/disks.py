"""Small disks, for tests of what is said and left where one is full."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_disk(folder: Path) -> Iterator[None]:
    """A disk of 64 KB at this folder, which is made, or the test is skipped: only root can mount one."""
    folder.mkdir(parents=True)
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k,mode=700", "tmpfs", folder], capture_output=True, check=False
    )
    if made.returncode != 0:
        pytest.skip("no file system can be mounted here")
    try:
        yield
    finally:
        subprocess.run(["umount", folder], check=True)
