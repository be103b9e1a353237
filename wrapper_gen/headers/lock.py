"""Keeps what headers declared on some day, to compare with another: one declaration a line, in the order of keys."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any

from wrapper_gen import disk
from wrapper_gen.diagnostics import Diagnostic, Span, SpecError
from wrapper_gen.frozen import frozen
from wrapper_gen.headers.cursors import without_place
from wrapper_gen.headers.declarations import CFunction, Constant, Declaration, Enum, Headers, Record
from wrapper_gen.headers.read import HeaderSource
from wrapper_gen.headers.shown import first_words, shown_function

_VERSION = 1
_MOST_BYTES = 64 << 20
_DIGITS = 16  # of the digest of a header
FUNCTIONS = frozenset(("function", "method", "constructor"))
"""The kinds of declarations that can be called by name."""
RECORDS = frozenset(("struct", "class", "union"))
_PLACE = re.compile(r".*:[0-9]{1,9}", re.DOTALL)
"""Where a declaration stands: its file and line."""
_BLANKS = re.compile(r"(?<=^[-+~!]) | (?=::|[(),>])|(?<=::) |(?<=[(<]) ")
"""What stands between the tokens of a default, and nobody writes there."""


@frozen
class Locked:
    """A declaration as it was: enough to say in C++ whether it still is.

    `members` are the fields of a record as (name, type, offset in bits), the values of an enum as (name, value), or the
    parameters of a function that have a default as (name, default).
    """

    key: str
    kind: str
    at: str
    signature: str
    size: int = 0
    members: tuple[tuple[str | int, ...], ...] = ()
    is_inline: bool = False
    symbol: str = ""
    shown: str = ""
    """Of a function, the declaration with the names of its parameters."""
    doc: str = ""
    """What the comment of a function begins with; nothing compares it."""


@frozen
class Lock:
    """All declarations of some headers, and how the headers were read."""

    source: HeaderSource
    declarations: Mapping[str, Locked]
    proposals: Mapping[str, Any] = MappingProxyType({})
    """What an import proposed, by question."""
    entries: Mapping[str, str] = MappingProxyType({})
    """The entry that an import wrote of a declaration, by key."""
    files: Mapping[str, str] = MappingProxyType({})
    """The digest of each header that has some of them, by its name."""
    draft: str = ""
    """The digest of the spec that it wrote; empty where it wrote none."""


def locked(source: HeaderSource, headers: Headers) -> Lock:
    """What these headers declare today."""
    found = {each.key: each for each in headers.declarations()}
    paths = {each.place.header: Path(each.place.path) for each in found.values()}
    files = {name: said for name, path in paths.items() if (said := digest_of(path))}
    return Lock(source, {key: _locked(each) for key, each in found.items()}, files=files)


def digest_of(header: Path) -> str:
    """By what a header is known again; empty where it cannot be read."""
    try:
        return sha256(header.read_bytes()).hexdigest()[:_DIGITS]
    except OSError:
        return ""


def _locked(each: Declaration) -> Locked:
    if isinstance(each, CFunction):
        symbol = each.symbol if each.symbol != each.name else ""
        return Locked(
            each.key,
            each.kind.value,
            str(each.place),
            each.signature,
            members=_defaults(each),
            is_inline=each.is_inline,
            symbol=symbol,
            shown=shown_function(each),
            doc=first_words(each.doc),
        )
    if isinstance(each, Record):
        fields = tuple((f.name, f.type.canonical, f.offset) for f in each.fields)
        return Locked(each.key, each.tag, str(each.place), each.signature, each.size, fields)
    if isinstance(each, Enum):
        values = tuple((v.name, v.value) for v in each.values)
        return Locked(each.key, "enum", str(each.place), each.underlying.canonical, each.underlying.size, values)
    kind = "constant" if isinstance(each, Constant) else "typedef"
    return Locked(each.key, kind, str(each.place), each.signature)


def _defaults(function: CFunction) -> tuple[tuple[str, str], ...]:
    """The parameters that have a default, which are the last ones; with the value of a default that is a name."""
    given = ((each, _BLANKS.sub("", each.default)) for each in function.parameters if each.default)
    return tuple(
        (each.name, default if each.value is None else f"{default}, which is {each.value}") for each, default in given
    )


def dumps(lock: Lock) -> str:
    """A lock as JSON, of which a diff shows a line for each declaration that changed."""
    source = {name: value for name, value in _as_data(lock.source).items() if value not in ("", [])}
    rows = [json.dumps(_row(lock.declarations[key]), ensure_ascii=False) for key in sorted(lock.declarations)]
    lines = [f'{{"lock": {_VERSION},', f'"source": {json.dumps(source, ensure_ascii=False)},', '"declarations": [']
    more = [f'"{name}": {_lines(kept)}' for name, kept in _kept(lock).items() if kept]
    more += [f'"draft": "{lock.draft}"'] if lock.draft else []
    return "\n".join([*lines, ",\n".join(rows), "]" + "".join(f",\n{each}" for each in more) + "}"]) + "\n"


def digest(text: str) -> str:
    """By what a text is known again."""
    return sha256(text.encode()).hexdigest()


def _kept(lock: Lock) -> dict[str, Mapping[str, Any]]:
    return {"files": lock.files, "proposals": lock.proposals, "entries": lock.entries}


def _lines(kept: Mapping[str, Any]) -> str:
    rows = (
        f"{json.dumps(key, ensure_ascii=False)}: {json.dumps(kept[key], ensure_ascii=False)}" for key in sorted(kept)
    )
    return "{\n" + ",\n".join(rows) + "}"


def read(file: Path, path: str) -> Lock:
    """The lock that is in a file; `path` is for diagnostics.

    Raises:
        SpecError: it cannot be read, or is not one of ours (WG303).
    """
    try:
        return loads(file.read_text(encoding="utf-8"), path)
    except UnicodeDecodeError as error:
        raise _unusable("is no text in UTF-8", path) from error
    except OSError as error:
        raise _unusable(f"cannot be read: {error.strerror}", path) from error


def loads(text: str, path: str) -> Lock:
    """A lock from its text; `path` is for diagnostics."""
    try:
        data = json.loads(without_place(text))
        said: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in data["source"].items()}
        source = HeaderSource(**said)
        rows = [_unrow(each) for each in data["declarations"]]
        kept = {name: dict(data.get(name, {})) for name in ("files", "proposals", "entries")}
    except json.JSONDecodeError as error:
        raise _unusable(f"is no JSON: {error.msg}", path, error.lineno, error.colno) from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _unusable("is not one of ours", path) from error
    if data.get("lock") != _VERSION:
        raise _unusable(f"is of version {data.get('lock')}, and this program reads {_VERSION}", path)
    return Lock(source, {each.key: each for each in rows}, **kept, draft=str(data.get("draft", "")))


def _unusable(why: str, path: str, line: int = 1, column: int = 1) -> SpecError:
    advice = "run `wrapper-gen import` again, or name another file with --lock"
    if path.endswith(".import.lock"):
        advice = "delete it and run `wrapper-gen import` again, or `wrapper-gen verify --write-lock`"
    return SpecError([Diagnostic("WG303", f"the lock {why}", Span(path, line, column), advice)])


def _row(each: Locked) -> dict[str, Any]:
    row = _as_data(each)
    return {name: value for name, value in row.items() if value not in ("", [], 0, False)}


def _unrow(row: Mapping[str, Any]) -> Locked:
    members = tuple(tuple(each) for each in row.get("members", ()))
    made = Locked(**{**row, "members": members})
    texts = (made.key, made.kind, made.at, made.signature, made.symbol, made.shown, made.doc)
    if not all(isinstance(each, str) for each in texts) or not _PLACE.fullmatch(made.at):
        raise ValueError(made)
    return made


def _as_data(of: Any) -> dict[str, Any]:
    names: Sequence[str] = type(of).__match_args__
    return {name: list(v) if isinstance(v := getattr(of, name), tuple) else v for name in names}


def read_lock(path: Path) -> Lock:
    """The lock in a file.

    Raises:
        SpecError: there is none, or it cannot be used (WG303).
    """
    try:
        text = disk.read_regular(path, _MOST_BYTES).decode("utf-8")
    except (OSError, ValueError) as error:
        what = f"the lock cannot be read: {disk.why_not_read(error)}"
        hint = "name another file with --lock, or write one with --write-lock"
        raise SpecError([Diagnostic("WG303", what, Span(path.as_posix(), 1, 1), hint)]) from None
    return loads(text, path.as_posix())


def lock_path(spec: Path) -> Path:
    """Where the lock of a spec is by itself: `NAME.import.lock` beside it."""
    return spec.with_name(f"{spec.name.partition('.')[0]}.import.lock")


# --- what a lock says of names -------------------------------------------------------------------------------------


def qualified(each: Locked) -> str:
    """The name of a declaration with its namespaces: its key without what tells overloads apart."""
    key = each.key
    if each.kind in RECORDS or each.kind in ("enum", "typedef"):
        return key.partition(" ")[2]
    if each.kind == "constant":
        return key.removeprefix("#define ")
    _, parameters, is_const = parts_of(each.signature)
    key = re.sub(r"<[^<>]*>$", "", key) if key.endswith(">") and ")" in key else key
    key = key.removesuffix(" const") if is_const else key
    taken = f"({', '.join(each for each in parameters if each != '...')})"
    return key.removesuffix(taken)


def parts_of(signature: str) -> tuple[str, list[str], bool]:
    """The result, the parameters, and whether it is const, of the signature of a function."""
    is_const = signature.endswith(") const")
    text = signature.removesuffix(" const").removeprefix("static ").removeprefix("virtual ")
    depth, start = 0, len(text)
    for start in range(len(text) - 1, -1, -1):
        depth += (text[start] == ")") - (text[start] == "(")
        if depth == 0:
            break
    return text[:start].rstrip(), split_arguments(text[start + 1 : -1]), is_const


def split_arguments(text: str) -> list[str]:
    """What commas separate that stand in no brackets."""
    found, depth, start = list[str](), 0, 0
    for i, char in enumerate(text):
        depth += (char in "(<[{") - (char in ")>]}")
        if char == "," and depth == 0:
            found.append(text[start:i].strip())
            start = i + 1
    last = text[start:].strip()
    return [*found, last] if last or found else []


def same_named(declarations: Mapping[str, Locked]) -> Mapping[str, Sequence[Locked]]:
    """Functions by their qualified names."""
    found: defaultdict[str, list[Locked]] = defaultdict(list)
    for each in declarations.values():
        if each.kind in FUNCTIONS:
            found[qualified(each)].append(each)
    return found
