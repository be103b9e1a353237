"""What the schema says of a place in a spec: the keys that can stand there, their values, and what they mean."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from wrapper_gen.lsp.outline import Path
from wrapper_gen.resources import SCHEMA
from wrapper_gen.spec.key_hints import flow, followed

About = Mapping[str, Any]
"""A part of the schema, without references."""


@lru_cache(maxsize=1)
def _schema() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(SCHEMA.read_text(encoding="utf-8"))
    return loaded


def about(path: Path) -> About | None:
    """What the schema says of the value at these keys and indices."""
    found: dict[str, Any] | None = _schema()
    for key in path:
        if found is None:
            return None
        found = found.get("items") if isinstance(key, int) else _below(found, key)
        found = followed(found, _schema()) if isinstance(found, dict) else None
    return found


def _below(found: Mapping[str, Any], key: str) -> dict[str, Any] | None:
    below = found.get("properties", {}).get(key, found.get("additionalProperties"))
    return below if isinstance(below, dict) else None


def keys(path: Path) -> dict[str, About]:
    """The keys of a mapping at these keys and indices, in the order of the schema."""
    found = about(path)
    return {key: followed(each, _schema()) for key, each in (found or {}).get("properties", {}).items()}


def is_mapping(path: Path) -> bool:
    """Whether there are keys that can stand at these keys and indices."""
    return bool((about(path) or {}).get("properties"))


def types(found: About) -> tuple[str, ...]:
    """The kinds of values, in JSON's words."""
    said = found.get("type", ())
    return (said,) if isinstance(said, str) else tuple(said)


def values(found: About) -> list[str]:
    """The values that can be listed."""
    listed = [each for each in found.get("enum", ()) if isinstance(each, str)]
    return [*(["true", "false"] if "boolean" in types(found) else []), *listed]


def documentation(key: str, found: About) -> str:
    """A key in Markdown: what it means, its default, and examples."""
    parts = [found.get("description", "")]
    if found.get("default") is not None:
        parts.append(f"Default: `{json.dumps(found['default'])}`")
    if found.get("examples"):
        shown = "\n".join(f"{key}: {flow(each)}" for each in found["examples"][:3])
        parts.append(f"```yaml\n{shown}\n```")
    return "\n\n".join(filter(None, parts))
