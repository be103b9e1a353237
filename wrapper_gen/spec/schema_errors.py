"""What is wrong with a document's shape, found by jsonschema, in our own words; the only importer of jsonschema."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

from jsonschema.validators import Draft202012Validator

from wrapper_gen.diagnostics import Diagnostic, Span, in_order
from wrapper_gen.spec.document import DataPath, Document
from wrapper_gen.spec.former.scalars import FOUND
from wrapper_gen.spec.key_hints import Places, either, flow, followed, names_of_scope
from wrapper_gen.spec.todo import OPEN

Keywords = frozenset[str]

_NAMES = {
    "object": "a mapping",
    "array": "a list",
    "string": "a string",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
}
_INSTEAD = {
    "lang": 'a library in another language is wrapped through C: let it export functions as extern "C", write a header '
    "for them, and say lang: c",
}
"""What to do instead where no supported value is near."""
_CODE = frozenset({"cpp", "cpp_body", "release", "get", "set"})
_TRUTH_VALUES = {"true", "false", "yes", "no", "on", "off"}
_SAME = {"c++": "cpp", "cxx": "cpp", "cc": "cpp", "ansi c": "c"}


def schema_errors(
    document: Document, schema: dict[str, Any], refused: dict[str, list[int]]
) -> tuple[list[Diagnostic], frozenset[DataPath]]:
    """All mistakes of shape, in order of position, and the sections, or entries of sections, that have any.

    Args:
        document: the spec.
        schema: what it has to be like.
        refused: for the sections that are lists, the indices of the entries that are wrong; no others are looked at.
    """
    data: Any = document.data
    wrong = data | {section: [data[section][index] for index in indices] for section, indices in refused.items()}
    broken: dict[DataPath, set[str]] = {}
    for error in Draft202012Validator(schema).iter_errors(wrong):
        path = tuple(error.absolute_path)
        if len(path) > 1 and path[0] in refused:
            path = (path[0], refused[path[0]][path[1]], *path[2:])
        broken.setdefault(path, set()).add(str(error.validator))
    mistakes = Mistakes(document, schema)
    findings = in_order(found for path, keywords in broken.items() for found in mistakes.at(path, frozenset(keywords)))
    return findings, frozenset(path[: 2 if path and path[0] in refused else 1] for path in broken)


class Mistakes:
    """Words the mistakes of one document; each broken rule at a path becomes exactly one diagnostic."""

    def __init__(self, document: Document, schema: dict[str, Any]) -> None:
        self._document = document
        self._schema = schema
        self._places = Places(schema)

    def at(self, path: DataPath, broken: Keywords) -> Iterator[Diagnostic]:
        """The diagnostics for the keywords of the schema that do not hold at this path."""
        about = self._about(path)
        container, value = self._values(path)
        if "type" in broken:
            yield self._wrong_type(container, path[-1], value, about)
        elif "enum" in broken:
            yield self._not_supported(container, path[-1], about)
        if isinstance(value, dict):
            yield from self._wrong_keys(path, value, about, broken)

    def _wrong_keys(
        self, path: DataPath, value: dict[str, object], about: dict[str, Any], broken: Keywords
    ) -> Iterator[Diagnostic]:
        known: dict[str, Any] = about.get("properties", {})
        unknown = [key for key in value if key not in known] if "additionalProperties" in broken else []
        if path == () and "wrapper_lib" not in value and not _near("wrapper_lib", unknown):
            yield self._without_library(value, unknown)
            own = followed(known["wrapper_lib"], self._schema)["properties"]
            unknown, broken = [key for key in unknown if key not in own], broken - {"required"}
        if (one := self._as_one_text(value, unknown)) is not None:
            yield one
            return
        section = tuple(step for step in path if isinstance(step, str))
        for key in unknown:
            if value[key] == OPEN:  # it may be of an earlier version; that it is open is told
                continue
            hint = self._places.hint(section, key, known, value[key])
            yield Diagnostic("WG010", f"unknown key {key!r}", self._document.key_span(value, key), hint)
        start = self._document.start(value)
        required = about["required"] if "required" in broken else []
        if "anyOf" in broken:
            required = _begun(about, value, unknown)
            if not required:
                yield from _one_of(about, "anyOf", value, start, unknown)
        missing = [key for key in required if key not in value]
        for key in missing:
            if not any(_near(word, missing) == key for word in unknown):  # else misspelt: one mistake
                hint = f"add {key}: {flow(self._example((*path, key)))}"
                yield Diagnostic("WG012", f"missing key {key!r}", start, hint)
        if "oneOf" in broken:
            yield from _one_of(about, "oneOf", value, start, unknown)
        elif "dependentRequired" in broken:
            yield from self._dependent(path, about, value)

    def _without_library(self, value: dict[str, object], unknown: list[str]) -> Diagnostic:
        """A spec that does not say what its library is called, or says it above the place for it."""
        own = next((key for key in ("name", "cpp_include", "lang") if key in unknown), None)
        span = self._document.key_span(value, own) if own else self._document.start(value)
        name = value.get("name")
        stem = name if isinstance(name, str) else PurePath(self._document.shown).name.partition(".")[0]
        shown = re.sub(r"\W+", "_", stem, flags=re.ASCII).strip("_").lower() or "demo"
        hint = f"begin the spec with wrapper_lib: {{name: {shown}}}"
        if own:
            hint = f"{hint}, and write {own!r} there: it belongs to the library"
        return Diagnostic("WG012", "missing key 'wrapper_lib'", span, hint)

    def _as_one_text(self, value: dict[str, object], unknown: list[str]) -> Diagnostic | None:
        """A text that YAML reads as keys: of a signature without a key, or of code that is not quoted in braces."""
        keys = list(value)
        odd = next((key for key in unknown if not key.isidentifier()), None)
        if odd is None:
            return None
        span = self._document.key_span(value, odd)
        if len(keys) == 1 and "(" in odd and isinstance(value[odd], str):
            written = json.dumps(f"{odd}: {value[odd]}", ensure_ascii=False)
            return Diagnostic("WG010", "a signature without its key", span, f"write {{def: {written}}}")
        before = keys[keys.index(odd) - 1] if keys.index(odd) else ""
        if value[odd] is None and before in _CODE and isinstance(value[before], str):
            text = self._document.text(value, before)
            hint = f"quote all of it: {before}: {json.dumps(f'{text}, {odd}', ensure_ascii=False)}"
            return Diagnostic("WG010", f"the code of {before} ends at this comma", span, hint)
        return None

    def _dependent(self, path: DataPath, about: dict[str, Any], value: dict[str, object]) -> Iterator[Diagnostic]:
        for key, needed in about["dependentRequired"].items():
            for other in needed:
                if key in value and other not in value:
                    span = self._document.key_span(value, key)
                    message = f"{key!r} is for {other!r}, which is missing"
                    hint = f"add {other}: {flow(self._example((*path, other)))}"
                    yield Diagnostic("WG012", message, span, hint)

    def _wrong_type(self, container: Any, key: str | int, value: object, about: dict[str, Any]) -> Diagnostic:
        expected = _types(about)
        names = either([_NAMES[name] for name in expected])
        found = FOUND.get(type(value), "nothing")
        span = self._document.span(container, key)
        hint = _one_of_a_few(key, value, about) or names_of_scope(container)
        hint = hint or self._right_type(container, key, value, expected, span)
        if not hint:
            example = _example(about, self._schema)
            hint = f"write {names} here" if example is None else f"for example {_entry(key, flow(example))}"
        return Diagnostic("WG011", f"expected {names}, found {found}", span, hint)

    def _right_type(self, container: Any, key: str | int, value: object, expected: list[str], span: Span) -> str:
        """The value as it should have been written, when that can be told."""
        if "string" in expected:
            written = self._document.source.line(span.line)[span.column - 1 : span.end_column - 1]
            is_text = isinstance(value, list) or (isinstance(value, dict) and not self._places.are_keys(value))
            is_flow = is_text and written.endswith(("]", "}"))
            if is_flow or isinstance(value, bool | int | float):
                text = written if is_flow else self._document.text(container, key)
                return f"quote it: {_entry(self._written(container, key), json.dumps(text, ensure_ascii=False))}"
        if value is None and isinstance(key, str) and key.endswith(";"):
            return f"quote code that is in braces: {json.dumps(f'{{{key}}}', ensure_ascii=False)}"
        if isinstance(value, str):
            if "object" in expected and isinstance(key, int) and "(" in value:
                return f"write - {{def: {json.dumps(value, ensure_ascii=False)}}}"
            if "object" in expected and key == "wrapper_lib":
                return f"write wrapper_lib: {{name: {value}}}"
            if "boolean" in expected:
                return f"write {_entry(key, 'true')} or {_entry(key, 'false')}, without quotes"
            if "integer" in expected and value.isdecimal():
                return f"write it without quotes: {_entry(key, value)}"
        return ""

    def _written(self, container: Any, key: str | int) -> str | int:
        """A key as the file has it, which may be an earlier spelling."""
        if isinstance(key, int):
            return key
        span = self._document.key_span(container, key)
        return self._document.source.line(span.line)[span.column - 1 : span.end_column - 1]

    def _not_supported(self, container: Any, key: str | int, about: dict[str, Any]) -> Diagnostic:
        supported = _choices(about)
        text = self._document.text(container, key)
        choices = either(supported)
        near = _SAME.get(text.lower()) or _near(text.lower(), supported)
        instead = _INSTEAD.get(str(key)) or f"for example {_entry(key, supported[0])}"
        if text.lower() in _TRUTH_VALUES and "true" in supported:
            instead = f"write {_entry(key, 'true')} or {_entry(key, 'false')}, without quotes"
        hint = f"did you mean {near!r}?" if near in supported else instead
        span = self._document.span(container, key)
        return Diagnostic("WG013", f"{key} {text!r} is not supported: it can be {choices}", span, hint)

    def _example(self, path: DataPath) -> object:
        return _example(self._about(path), self._schema)

    def _values(self, path: DataPath) -> tuple[Any, object]:
        """What stands at this path, and the container that has it."""
        container: Any = None
        value: Any = self._document.data
        for key in path:
            container, value = value, value[key]
        return container, value

    def _about(self, path: DataPath) -> dict[str, Any]:
        """What the schema says of this path, references followed."""
        about = self._schema
        for key in path:
            if isinstance(key, int):
                about = about["items"]
            else:
                about = about.get("properties", {}).get(key) or about["additionalProperties"]
            about = followed(about, self._schema)
        return about


def _example(about: dict[str, Any], schema: dict[str, Any]) -> object:
    if "examples" in about:
        return about["examples"][0]
    if "default" in about:
        return about["default"]
    if "items" in about and "array" in _types(about):
        return [_example(followed(about["items"], schema), schema)]
    return None


def _choices(about: dict[str, Any]) -> list[str]:
    """The few values that a key can have, as YAML writes them; none where it can have any."""
    choices = (choice for choice in about.get("enum", ()) if choice is not None)
    return [str(choice).lower() if isinstance(choice, bool) else str(choice) for choice in choices]


def _one_of_a_few(key: str | int, value: object, about: dict[str, Any]) -> str:
    """What a key can say that has only a few values; empty where it has no such list."""
    supported = _choices(about)
    if not supported or isinstance(value, str):
        return ""
    written = f"write {_entry(key, supported[0])}"
    if len(supported) > 1:
        written += f"; it can be {either(supported)}"
    return f"leave it out, or {written}" if value is False else written


def _types(about: dict[str, Any]) -> list[str]:
    """The types that are worth naming: null only says that the key may be left empty."""
    types = about["type"]
    return [name for name in ([types] if isinstance(types, str) else types) if name != "null"]


def _begun(about: dict[str, Any], value: dict[str, object], unknown: list[str]) -> list[str]:
    """Of the ways to write a mapping, the keys of the one that it has begun, be it misspelt; none where it has not."""
    ways: list[list[str]] = [branch["required"] for branch in about["anyOf"]]
    return next((keys for keys in ways if any(key in value or _near(key, unknown) for key in keys)), [])


def _one_of(
    about: dict[str, Any], how: str, value: dict[str, object], start: Span, unknown: list[str]
) -> Iterator[Diagnostic]:
    keys = [branch["required"][0] for branch in about[how]]
    named = " and ".join(filter(None, [", ".join(map(repr, keys[:-1])), repr(keys[-1])]))
    if any(key in value for key in keys):
        hint = "make an item of each; they are tried in order"
        yield Diagnostic("WG013", f"{named} in one item are not supported", start, hint)
    elif not any(_near(word, keys) for word in unknown):
        hint = f"for example {flow(about['examples'][0])}"
        yield Diagnostic("WG012", f"one of {named} is missing", start, hint)


def _near(word: str, known: list[str]) -> str:
    return next(iter(difflib.get_close_matches(word, known, n=1, cutoff=0.6)), "")


def _entry(key: str | int, value: str) -> str:
    """As it is written in the spec: an entry of a mapping, or an item of a list."""
    return f"- {value}" if isinstance(key, int) else f"{key}: {value}"
