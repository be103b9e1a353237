"""Where the templates and the schema lie: inside the package (a wheel), or beside it (a checkout)."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
TEMPLATES = _PACKAGE / "templates" if (_PACKAGE / "templates").is_dir() else _PACKAGE.parent / "templates"
SCHEMA = _PACKAGE / "spec" / "wrapper_spec.schema.json"


def headers(folder: str) -> list[str]:
    """The static headers in a folder of the templates, in order."""
    return sorted(path.name for path in (TEMPLATES / folder).glob("wg_*.hpp"))
