"""Where the templates, the runtime and the schema lie: inside the package (a wheel), or beside it (a checkout)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
TEMPLATES, RUNTIME = (
    _PACKAGE / name if (_PACKAGE / name).is_dir() else _PACKAGE.parent / name for name in ("templates", "runtime")
)
SCHEMA = _PACKAGE / "spec" / "wrapper_spec.schema.json"


def own_files() -> Iterator[Path]:
    """The generator itself: what it generates may change with any of its modules, templates and runtime files."""
    for folder in (_PACKAGE, TEMPLATES, RUNTIME):
        yield from sorted(p for p in folder.rglob("*.*") if p.is_file() and "__pycache__" not in p.parts)
