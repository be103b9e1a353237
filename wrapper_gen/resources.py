"""Where the templates and the schema lie: inside the package (a wheel), or beside it (a checkout, an editable install)."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
TEMPLATES = next((p for p in (_PACKAGE / "templates", _PACKAGE.parent / "templates") if p.is_dir()), _PACKAGE / "templates")
SCHEMA = _PACKAGE / "spec" / "wrapper_spec.schema.json"
