"""Where a key that is unknown at its place belongs: other words for keys, and the schema's other places for them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from wrapper_gen.diagnostics import Nearest, did_you_mean
from wrapper_gen.spec.former.names import RENAMED

Section = tuple[str, ...]
"""The keys that lead to a kind of mapping, list items left out: ("wrapper_lib", "requires")."""

_SYNONYMS: dict[str, tuple[str, ...]] = {
    "args": ("params",),
    "arguments": ("params",),
    "parameters": ("params",),
    "body": ("cpp_body",),
    "cflags": ("compile_args",),
    "classes": ("handle_types",),
    "code": ("cpp_body",),
    "cpp_code": ("cpp_body",),
    "description": ("doc",),
    "drop": ("release",),
    "exceptions": ("errors",),
    "free": ("release",),
    "handles": ("handle_types",),
    "header": ("cpp_include",),
    "headers": ("cpp_include",),
    "include": ("cpp_include",),
    "include_dirs": ("requires",),
    "includes": ("cpp_include",),
    "inner": ("cpp_type",),
    "invalidates": ("ends",),
    "keep_alive": ("belongs_to",),
    "language": ("lang",),
    "ldflags": ("link_args",),
    "lent_by": ("belongs_to",),
    "lib_dirs": ("requires",),
    "libraries": ("link",),
    "library_dirs": ("requires",),
    "library_paths": ("requires",),
    "libs": ("link",),
    "owned_on_failure": ("on_failure",),
    "owner": ("belongs_to",),
    "prelude": ("cpp_prelude",),
    "releases": ("lets_go",),
    "replaces": ("holds_last",),
    "throws": ("raises",),
    "type": ("cpp_type",),
}
"""What people write, and what the key is called; where `difflib` sees no likeness, or another key in it."""

_RENAMED: dict[str, dict[str, str]] = {
    "handle_types": {"null": "empty"},
    "structs": {"defaults": "make"},
    "types": {"drop": "release"},
}
"""Of a section, other words for keys that have the same value."""

_OTHERWISE: dict[str, str] = {
    "handle": "write the method under its class, or its class before its name: Parser.feed(data: bytes)",
    "pkg_config": "requires has the name itself: requires: zlib",
    "unit": "it is a part of the type: duration[ms], datetime[s]",
}
"""Of words that are no keys anywhere, what says the same."""

_IN_SIGNATURES = frozenset({"default", "name", "names", "property", "return", "return_type", "returns", "type"})
"""Words for what the text of a `def` says."""

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./+-]*")


class Places:
    """Every kind of mapping that the schema knows, by section."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self._schema = schema

    @cached_property
    def _known(self) -> dict[Section, dict[str, Any]]:
        """Each section; most mistakes are of another kind, and to list these takes as long as to find the mistake."""
        return dict(_sections(self._schema, self._schema, ()))

    def hint(self, section: Section, key: str, known: dict[str, Any], value: object) -> str | Nearest:
        """What to do about a key that is not one of `known`, in a mapping of this section."""
        word = key.lower().replace("-", "_")
        word = RENAMED.get(word, word)
        if word in _IN_SIGNATURES and {"functions", "methods"} & set(section):
            return 'it is a part of the signature: def: "open(path: text) -> File"'
        renamed = _RENAMED.get(section[0], {}).get(word) if len(section) == 1 else None
        if renamed in known:
            return f"the key is {renamed!r}: write {renamed}: {flow(value)}"
        meant = next((each for each in (word, *_SYNONYMS.get(word, ())) if each in known), "")
        if meant:
            return f"did you mean {meant!r}?"
        places = [each for each, about in self._known.items() if word in about.get("properties", {})]
        if section == () and ("wrapper_lib",) in places:
            return "it belongs to 'wrapper_lib': indent it"
        below = [each for each in places if each[:-1] == section]
        if below:
            return f"it stands under {below[0][-1]!r}: {below[0][-1]}: {self._example(below[0])}"
        if places:
            return f"it belongs to {either([_named(each) for each in _nearest_sections(places, section)])}"
        return _OTHERWISE.get(word) or did_you_mean(word, known)

    def are_keys(self, value: dict[str, object]) -> bool:
        """Whether a mapping seems to be meant as one, by the names of its keys, rather than as text in braces."""
        known = {key for about in self._known.values() for key in about.get("properties", {})}
        return bool(value) and all(key in known and item is not None for key, item in value.items())

    def _example(self, section: Section) -> str:
        example = flow(self._known[section].get("examples", [{}])[0])
        return f"[{example}]" if self._known[section].get("is_item") else example


def _sections(
    about: dict[str, Any], schema: dict[str, Any], section: Section
) -> Iterator[tuple[Section, dict[str, Any]]]:
    """Each mapping of known keys at or below this one."""
    yield section, about
    for key, below in about.get("properties", {}).items():
        inner = followed(below, schema)
        is_item = "items" in inner
        inner = followed(inner["items"], schema) if is_item else inner
        is_same = key == "entries" or section[-1:] == (key,)
        if "properties" in inner and not is_same:  # else those are entries of the same section
            yield from _sections({**inner, "is_item": is_item}, schema, (*section, key))


def followed(about: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """A schema with what it refers to; what it says itself wins."""
    if "$ref" not in about:
        return about
    named = schema["$defs"][about["$ref"].removeprefix("#/$defs/")]
    return {**followed(named, schema), **about}


def _nearest_sections(places: list[Section], section: Section) -> list[Section]:
    """Of these, the ones that share most with where the key stands, and are least deep."""
    shared = [sum(1 for one, other in zip(each, section, strict=False) if one == other) for each in places]
    most = max(shared)
    near = [each for each, count in zip(places, shared, strict=True) if count == most]
    least = min(map(len, near))
    return [each for each in near if len(each) == least]


def _named(section: Section) -> str:
    if section == ():
        return "the top level"
    kind = "" if section[-1] in ("wrapper_lib", "dynamic") else "an entry of "
    return kind + repr(".".join(section))


def names_of_scope(values: object) -> str:
    """Of an enum's values that are the names in a C++ scope, how the spec lists them; empty of any others."""
    match values:
        case {"scope": str(scope), "from": list(listed), **others} if not others:
            return f"list the names: values: {flow(listed)}, prefix: {flow(scope + '::')}"
        case _:
            return ""


def either(words: list[str]) -> str:
    """Words as alternatives."""
    return " or ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def flow(value: object) -> str:
    """A value as YAML on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(flow(item) for item in value) + "]"
    if isinstance(value, str) and _PLAIN.fullmatch(value):
        return value
    return json.dumps(value, ensure_ascii=False)
