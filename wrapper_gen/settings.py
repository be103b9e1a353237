"""The settings of a project, the same for all of its specs: `[tool.wrapper-gen]` of its `pyproject.toml`."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from wrapper_gen.diagnostics import Diagnostic, Span, SpecError
from wrapper_gen.frozen import frozen
from wrapper_gen.runtime_files import Runtime
from wrapper_gen.version import VERSION

_TABLE = re.compile(r"^\s*\[\s*tool\s*\.\s*\"?wrapper-gen\"?\s*\]", re.MULTILINE)
_AT = re.compile(r"\(at line (\d+), column (\d+)\)")


@frozen
class Settings:
    """The settings of a project, each with what holds where it says nothing."""

    runtime: Runtime = Runtime.VENDORED
    output: Path | None = None
    """The folder of the packages, where none is named."""
    version: str = ""
    """The version of wrapper-gen that the project's packages are made by; any, where it is empty."""


def output_of(folder: Path) -> Path:
    """The folder of the packages that the project of a folder names, `generated` in it where none does.

    Raises:
        SpecError: as `read`.
    """
    named = read(folder / "generated").output
    return Path(os.path.relpath(named, folder)) if named else Path("generated")


def read(output: Path) -> Settings:
    """Those of the nearest project at or above the folder that holds the output folder.

    Raises:
        SpecError: a file that has settings is no TOML, or says what is not known (WG270), or wants another version of
            wrapper-gen (WG351).
    """
    for folder in Path(output.absolute()).parents:
        path = folder / "pyproject.toml"
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            continue
        if _TABLE.search(text) or "wrapper-gen" in text:
            table = _table(path, text)
            if table is not None:
                return _settings(path, text, table)
    return Settings()


def _from_here(path: Path) -> str:
    """A path as diagnostics show it."""
    return os.path.relpath(path).replace(os.sep, "/")


def _table(path: Path, text: str) -> Any:
    import tomllib  # only where there may be settings: not worth its import on every start

    try:
        return tomllib.loads(text).get("tool", {}).get("wrapper-gen")
    except tomllib.TOMLDecodeError as error:
        at = _AT.search(str(error))
        place = Span(_from_here(path), int(at[1]), int(at[2])) if at else Span(_from_here(path), 1, 1)
        message = f"not TOML: {_AT.sub('', str(error)).strip()}"
        raise SpecError([Diagnostic("WG270", message, place, "mend the file: its settings cannot be read")]) from None


def _settings(path: Path, text: str, table: Any) -> Settings:
    known = Settings.__dataclass_fields__
    if not isinstance(table, dict):
        raise SpecError([_wrong(path, text, "", "'tool.wrapper-gen' is no table", "write [tool.wrapper-gen]")])
    for key in table:
        if key not in known:
            import difflib  # as in `did_you_mean`

            near = difflib.get_close_matches(key, known, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"the settings are: {', '.join(known)}"
            raise SpecError([_wrong(path, text, key, f"unknown setting {key!r}", hint)])
    value = table.get("runtime", Settings.runtime)
    if value not in [*Runtime]:
        hint = f"it can be {', '.join(repr(each.value) for each in Runtime)}"
        raise SpecError([_wrong(path, text, "runtime", f"'runtime' is {value!r}", hint)])
    for key, hint in (("output", "write a folder, relative to this file"), ("version", 'write one, as in "0.3.0"')):
        if not isinstance(table.get(key, "-"), str) or table.get(key) == "":
            raise SpecError([_wrong(path, text, key, f"{key!r} is {table[key]!r}", hint)])
    wanted = table.get("version", "")
    if not _is_of(VERSION, wanted):
        message = f"this project wants wrapper-gen {wanted}, and this is {VERSION}"
        hint = f"install wrapper-gen {wanted}; or write {VERSION} here, and generate again"
        raise SpecError([_wrong(path, text, "version", message, hint, "WG351")])
    output = path.parent / table["output"] if "output" in table else None
    return Settings(Runtime(value), output, wanted)


def _is_of(version: str, wanted: str) -> bool:
    """Whether a version is the one that is wanted, or one of its series: 0.3.1 is of 0.3."""
    return not wanted or version.split(".")[: wanted.count(".") + 1] == wanted.split(".")


def _wrong(path: Path, text: str, key: str, message: str, hint: str, code: str = "WG270") -> Diagnostic:
    """A diagnostic at a setting, which stands below the table's name."""
    table = _TABLE.search(text)
    at = table.start() if table else 0
    found = re.compile(rf"^[ \t]*\"?{re.escape(key)}\"?\s*=", re.MULTILINE).search(text, at) if key else None
    line = text.count("\n", 0, found.start() if found else at) + 1
    return Diagnostic(code, message, Span(_from_here(path), line, 1), hint)
