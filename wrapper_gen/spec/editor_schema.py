"""The schema as it serves editors that know YAML and JSON Schema: the same keys, with less to choose from."""

from __future__ import annotations

import json
from typing import Any

from wrapper_gen.resources import SCHEMA

FILE = "wrapper_spec.schema.json"
"""The file beside a spec that has it."""
COMMENT = f"# yaml-language-server: $schema={FILE}"
"""The line by which YAML's language server finds that."""


def editor_schema() -> str:
    """The JSON Schema without `null`, which counts as left out and which editors would offer as every key's value.

    Descriptions are said to be Markdown, as YAML's language server wants it.
    """
    return json.dumps(_for_editors(json.loads(SCHEMA.read_text(encoding="utf-8"))), indent=2, ensure_ascii=False) + "\n"


def _for_editors(about: Any) -> Any:
    if isinstance(about, list):
        return [_for_editors(each) for each in about]
    if not isinstance(about, dict):
        return about
    found = {key: value if key == "examples" else _for_editors(value) for key, value in about.items()}
    if isinstance(found.get("type"), list):
        kinds = [each for each in found["type"] if each != "null"]
        found["type"] = kinds[0] if len(kinds) == 1 else kinds
    if isinstance(found.get("enum"), list):
        found["enum"] = [each for each in found["enum"] if each is not None]
    if isinstance(found.get("description"), str):
        found["markdownDescription"] = found["description"]
    return found
