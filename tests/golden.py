"""Expected files: compared with what there is, or rewritten by `pytest --update-golden`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from wrapper_gen import diff, files


@dataclass(frozen=True)
class Golden:
    """Holds expected files against what there should be; with `whole`, a folder has no others."""

    update: bool

    def __call__(self, rendered: Mapping[PurePosixPath, str], folder: Path, *, whole: bool = True) -> None:
        comparison = files.compare(rendered, folder, packages=["."] if whole else (), force=True)
        if self.update:
            files.write(comparison)
            for path in comparison.foreign:
                (folder / path).unlink()
            return
        changes = "".join(diff.unified(comparison))
        assert comparison.up_to_date, f"{changes}\nif this is meant, run: pytest --update-golden"
