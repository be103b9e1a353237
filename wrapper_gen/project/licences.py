"""Licences of projects: their SPDX identifiers, their texts, and the files that have them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

LICENCE_FILE = "LICENSE"
TEXTS = {
    "Apache-2.0": "Apache-2.0.txt",
    "BSD-2-Clause": "BSD-2-Clause.jinja",
    "BSD-3-Clause": "BSD-3-Clause.jinja",
    "ISC": "ISC.jinja",
    "MIT": "MIT.jinja",
}
"""The licences whose text is known, and its template; one that names its holders is a template of Jinja."""
_FILES = ("LICEN[CS]E*", "COPYING*", "NOTICE*")
"""Which files of a project are of its licence, as build backends search for them, too."""
_MOST_NEAR = 5
_NOISE = re.compile(r"\b(?:the|licen[cs]e)\b|[^a-z0-9]|v(?=\d)")
_HOLDERS = re.compile(r"^ *Copyright (?:\(c\)|\[|\d).*$", re.MULTILINE)
_BEGINNINGS = ("Permission is", "Permission to use", "Redistribution and use")
"""How texts begin below the lines that differ between projects."""


def problem_of(expression: str) -> str:
    """Why that is no licence expression of SPDX, with identifiers like it; empty where it is one."""
    from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

    if former := [word for word in _identifiers(expression) if _is_deprecated(word)]:
        return f"SPDX has replaced {former[0]!r}{_or_one_of(_near(former[0]))}"
    try:
        canonicalize_license_expression(expression)
    except InvalidLicenseExpression:
        parts = re.split(r"[()]|(?:^|\s)(?:and|or|with)(?=\s|$)", expression, flags=re.IGNORECASE)
        unknown = next((part for each in parts if (part := each.strip()) and not _is_known(part)), "")
        if not unknown:
            return f"{expression!r} is no licence expression of SPDX, such as MIT or GPL-2.0-only OR Apache-2.0"
        return f"{unknown!r} is no licence of SPDX{_or_one_of(_near(unknown))}"
    return ""


def canonical(expression: str) -> str:
    """A licence expression as SPDX spells it."""
    from packaging.licenses import canonicalize_license_expression

    return str(canonicalize_license_expression(expression))


def needs_holders(licence: str) -> bool:
    """Whether the text of a licence is known, and names who holds the copyright."""
    return TEXTS.get(licence, "").endswith(".jinja")


def recognized(root: Path) -> str:
    """The licence whose text the file of a project has; empty where it is another text, or none."""
    from wrapper_gen.resources import TEMPLATES

    found = next((root / name for name in _names(root) if fnmatchcase(name, _FILES[0])), None)
    text = _words(found.read_text(encoding="utf-8", errors="replace")) if found and found.is_file() else ""
    folder = TEMPLATES / "project" / "licences"
    known = {licence: _words((folder / name).read_text(encoding="utf-8")) for licence, name in TEXTS.items()}
    return next((licence for licence, words in known.items() if words and words == text), "")


def file_patterns(root: Path, *, written: Collection[str] = (), removed: Collection[str] = ()) -> tuple[str, ...]:
    """The patterns of licence files of which the project has some.

    Args:
        root: the folder of the project.
        written: names of files that it is about to have.
        removed: names of files that it is about to lose.
    """
    names = ({*_names(root)} | {*written}) - {*removed}
    return tuple(pattern for pattern in _FILES if any(fnmatchcase(name, pattern) for name in names))


def _names(root: Path) -> list[str]:
    return sorted(each.name for each in root.iterdir() if each.is_file()) if root.is_dir() else []


def _words(text: str) -> list[str]:
    """The words of a licence without those that differ between projects: its title, years and holders."""
    begin = min((text.find(each) for each in _BEGINNINGS if each in text), default=0)
    return _HOLDERS.sub("", text[begin:]).split()


def _identifiers(expression: str) -> list[str]:
    words: list[str] = re.findall(r"[^\s()]+", expression)
    return [word for word in words if word.lower() not in ("and", "or", "with")]


def _is_known(word: str) -> bool:
    from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

    try:
        canonicalize_license_expression(word)
    except InvalidLicenseExpression:
        return word.lower() in _spdx()[1]
    return True


def _is_deprecated(word: str) -> bool:
    found = _spdx()[0].get(word.lower())
    return bool(found and found["deprecated"])


def _current() -> Iterator[str]:
    return (each["id"] for each in _spdx()[0].values() if not each["deprecated"])


def _spdx() -> tuple[Mapping[str, Any], Collection[str]]:
    """SPDX's licences and exceptions; those alone whose text is known where `packaging` keeps its lists elsewhere."""
    try:
        from packaging.licenses._spdx import EXCEPTIONS, LICENSES
    except ImportError:  # it has no public name for them; it checks expressions all the same
        return {each.lower(): {"id": each, "deprecated": False} for each in TEXTS}, ()
    return LICENSES, EXCEPTIONS


def _near(word: str) -> list[str]:
    """Identifiers that begin as this one does, then those like it; the ones that are widely used first."""
    import difflib  # rarely needed: not worth its import on every start

    plain = _plain(word)
    in_order = sorted(_current(), key=lambda each: (each not in TEXTS, len(each), each))
    known = {each: _plain(each) for each in in_order}
    found = [each for each, its in known.items() if plain and its.startswith(plain)]
    alike = difflib.get_close_matches(plain, known.values(), n=_MOST_NEAR, cutoff=0.7)
    return list(dict.fromkeys([*found, *(each for each, its in known.items() if its in alike)]))[:_MOST_NEAR]


def _plain(word: str) -> str:
    return _NOISE.sub("", word.lower())


def _or_one_of(near: list[str]) -> str:
    if near:
        return f"; did you mean {', '.join(near[:-1])}{' or ' if near[1:] else ''}{near[-1]}?"
    return "; https://spdx.org/licenses/ lists them, and one of your own is LicenseRef-NAME"
