"""The record of a project, `.wrapper-gen.json`: what was written there, so that no change of the user's is lost."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from wrapper_gen import disk, files
from wrapper_gen.diagnostics import Diagnostic, Span, SpecError
from wrapper_gen.frozen import frozen, replace
from wrapper_gen.project.options import ProjectOptions
from wrapper_gen.version import VERSION

RECORD = ".wrapper-gen.json"
_MOST = 1 << 24


@frozen
class Update:
    """What became of each file of a project."""

    written: tuple[PurePosixPath, ...]
    same: tuple[PurePosixPath, ...]
    changed: tuple[PurePosixPath, ...]
    """The user has changed them since they were written: they stay."""
    removed: tuple[PurePosixPath, ...]
    """The user has removed them: they stay away."""
    foreign: tuple[PurePosixPath, ...]
    """They were there before, of another making: they stay."""
    dropped: tuple[PurePosixPath, ...]
    """The project has no use for them any more, and nobody has changed them."""

    def text(self, root: Path, *, every_file: bool) -> str:
        """A line for each file that stays as the user has it, after those that were written."""
        lines = [f"written   {root / path}" for path in self.written if every_file]
        kinds = (
            (self.changed, "you have changed it, so it stays"),
            (self.removed, "you have removed it, so it stays away"),
            (self.foreign, "wrapper-gen did not write it, so it stays"),
        )
        lines += [f"{root / path}: removed, since the project has no use for it now" for path in self.dropped]
        lines += [f"{root / path}: {why}" for paths, why in kinds for path in paths]
        return "\n".join([*lines, f"{root.resolve().name}: {len(self.written)} written, {len(self.same)} unchanged"])

    def data(self) -> dict[str, list[str]]:
        """The same as data."""
        return {field: [str(path) for path in getattr(self, field)] for field in self.__dataclass_fields__}


def read_options(root: Path) -> ProjectOptions | None:
    """The options that the project was made from; None where it has no record.

    Raises:
        SpecError: it is no record (WG350).
    """
    found = _read(root)
    if found is None:
        return None
    said = {key: value for key, value in found["options"].items() if key in ProjectOptions.__dataclass_fields__}
    said |= {key: tuple(value) for key, value in said.items() if isinstance(value, list)}
    for key, value in said.items():
        usual = getattr(ProjectOptions(), key)
        if type(value) is not type(usual) or (value and isinstance(value, tuple) and {*map(type, value)} != {str}):
            raise SpecError([_no_record(root, f"its option {key!r} is {value!r}")])
    return replace(ProjectOptions(), **said)


def changed(root: Path, paths: Iterable[PurePosixPath]) -> list[PurePosixPath]:
    """Those of these files that differ from what was written last.

    Raises:
        SpecError: one cannot be read (WG051), or the record is none (WG350).
    """
    recorded = (_read(root) or {"files": {}})["files"]
    known = [path for path in paths if str(path) in recorded]
    return [path for path in known if _state(root / path, "", recorded[str(path)]) == "changed"]


def state(root: Path, path: PurePosixPath) -> str:
    """What became of a file since it was written: `written` as it is, `changed` or `removed`; empty of any other.

    Raises:
        SpecError: it cannot be read (WG051), or the record is none (WG350).
    """
    recorded = (_read(root) or {"files": {}})["files"].get(str(path))
    return _state(root / path, "", recorded) if recorded else ""


def update(
    root: Path, texts: Mapping[PurePosixPath, str], options: ProjectOptions, former: Iterable[PurePosixPath] = ()
) -> Update:
    """Write each file that nobody has changed since it was written last, and the record.

    Of what the project had before, `former`, it removes what it has no more and nobody has changed.

    Raises:
        SpecError: a file cannot be written (WG051), or the record is none (WG350); nothing was written.
    """
    recorded: dict[str, str] = dict((_read(root) or {"files": {}})["files"])
    found: dict[str, list[PurePosixPath]] = {field: [] for field in Update.__dataclass_fields__}
    for path, text in texts.items():
        state = _state(root / path, text, recorded.get(str(path)))
        found[state].append(path)
        if state in ("written", "same"):
            recorded[str(path)] = _digest(text.encode())
    found["dropped"] = [each for each in former if each not in texts and recorded.pop(str(each), "")]
    wanted = {root / path: texts[path] for path in found["written"]}
    wanted[root / RECORD] = _text(options, recorded)
    try:
        for target in wanted:
            target.parent.mkdir(parents=True, exist_ok=True)
        disk.replace_together(wanted)
        for path in found["dropped"]:
            (root / path).unlink(missing_ok=True)
    except OSError as error:
        raise SpecError([files.cannot_write(error, root, "name another project")]) from error
    return Update(**{field: tuple(paths) for field, paths in found.items()})


def _text(options: ProjectOptions, recorded: Mapping[str, str]) -> str:
    said = {key: value for key in ProjectOptions.__dataclass_fields__ if (value := getattr(options, key))}
    record = {"wrapper_gen": VERSION, "options": said, "files": dict(sorted(recorded.items()))}
    return json.dumps(record, indent=2, ensure_ascii=False) + "\n"


def _state(target: Path, text: str, recorded: str | None) -> str:
    try:
        own = disk.read_regular(target, _MOST)
    except FileNotFoundError:
        return "removed" if recorded else "written"
    except OSError as error:
        raise SpecError([files.cannot_write(error, target, "name another project")]) from error
    own = own.replace(b"\r\n", b"\n")  # as git may have it on Windows
    if own == text.encode():
        return "same"
    if recorded is None:
        return "foreign"
    return "written" if _digest(own) == recorded else "changed"


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _read(root: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(disk.read_regular(root / RECORD, _MOST).decode("utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise SpecError([_no_record(root, disk.why_not_read(error))]) from None
    if not isinstance(found, dict) or not all(isinstance(found.get(key), dict) for key in ("options", "files")):
        raise SpecError([_no_record(root, "it has no 'options' or no 'files'")])
    return found


def _no_record(root: Path, why: str) -> Diagnostic:
    hint = "restore it from version control; without it, files that differ from what would be written count as yours"
    message = f"the record of this project cannot be read: {why}"
    return Diagnostic("WG350", message, Span(str(root / RECORD), 1, 1), hint)
