"""Makes a draft fit: takes the fixes that diagnostics carry, and comments out what has others, with what they say."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from wrapper_gen import compile, files, pipeline
from wrapper_gen.diagnostics import Diagnostic, Fix, SpecError, ToolchainError
from wrapper_gen.drafts.spec_text import Line
from wrapper_gen.fixes import fixes_of
from wrapper_gen.frozen import frozen

_ITEM = re.compile(r"( *)- ")
_LIST = re.compile(r"( *)(methods|functions|structs|enums|types|errors|handle_types|constants):$")
_KEY_OF_CLASS = re.compile(r"    (extends|belongs_to|identity|empty): ")
_ORDER = re.compile(r"say C's order: (cpp: (?:\"[^\"]*\"|\S+))$")
"""What a hint says of a call whose arguments the compiler does not find a place for."""
_OF_A_RUN = re.compile(r"(; )?--verbose shows all that the compiler says")
"""What a hint says of the command that is running, which is no help in a file."""
_ROUNDS = 20

Check = Callable[[Path], Sequence[Diagnostic]]
"""What is wrong with the spec in a file."""


@frozen
class Fitted:
    """A draft that fits: its lines, the entries that are off with why, and what is wrong outside of entries."""

    lines: Sequence[Line]
    off: Mapping[str, str]
    fixed: Mapping[str, str]
    """What was decided by a fix, by the key of the entry."""
    left: Sequence[Diagnostic]

    @property
    def text(self) -> str:
        return "\n".join(line for line, _ in self.lines) + "\n"


def fit(lines: Sequence[Line], name: str, check: Check, anywhere: Callable[[str], str] = lambda text: text) -> Fitted:
    """Check, mend, and check again until nothing is wrong that could be mended.

    `anywhere` makes a text, line by line, of which the folders are found from wherever it is checked.
    """
    work = _Work(lines)
    left: Sequence[Diagnostic] = ()
    with tempfile.TemporaryDirectory(prefix="wrapper-gen-") as folder:
        path = Path(folder).resolve() / f"{name}.wrapper_spec"
        for _ in range(_ROUNDS):
            path.write_text(anywhere(work.text), encoding="utf-8")
            left = [each for each in check(path) if each.is_error]
            if not left or not work.mend(left):
                break
    return Fitted(work.lines, work.off, work.fixed, left)


def reads(path: Path) -> Sequence[Diagnostic]:
    """What the reader of specs finds."""
    try:
        return pipeline.read(path, path.name)[1]
    except SpecError as error:
        return error.diagnostics


def builds(report: Callable[[str], None]) -> Check:
    """What the compiler finds as well."""

    def check(path: Path) -> Sequence[Diagnostic]:
        try:
            made = pipeline.generate(path, path.name)
        except SpecError as error:
            return error.diagnostics
        output = path.parent / "generated"
        files.write(files.compare(made.files, output, packages=[made.module.package]))
        try:
            compile.build(
                output / made.module.package,
                report=report,
                check_only=True,
                engine="cpython",
                fixes=fixes_of(made.module),
                places=made.module.library.places,
                statuses=[each.type for each in made.module.errors],
            )
        except ToolchainError as error:
            return [error.diagnostic, *error.more]
        return []

    return check


class _Work:
    """Lines that are mended."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self.lines = list(lines)
        self.off: dict[str, str] = {}
        self.fixed: dict[str, str] = {}
        self._tried: set[tuple[str, str]] = set()

    @property
    def text(self) -> str:
        return "\n".join(line for line, _ in self.lines) + "\n"

    def mend(self, found: Sequence[Diagnostic]) -> bool:
        """Mend what can be; whether anything was."""
        by_entry: dict[int, Diagnostic] = {}
        for each in found:
            number = each.span.line - 1
            start = number if self._is_key_of_class(number) else self._constant_at(number)
            start = self._item_at(number) if start is None else start
            if start is not None:
                by_entry.setdefault(start, each)
        for start in list(by_entry):
            if re.match(r" +- (\{)?def: \"?abstract ", self.lines[start][0]):  # C++ cannot do without it
                by_entry.setdefault(self._class_of(start), by_entry[start])
        for start in sorted(by_entry, reverse=True):  # from below: the lines above stay where they are
            diagnostic = by_entry[start]
            end = self._end(start)
            fix = self._only_fix(diagnostic, start, end)
            if fix is not None:
                self._apply(fix, self.lines[start][1])
            elif self._say_order(start, end, diagnostic):
                continue
            else:
                self._comment_out(start, end, diagnostic)
        self._close_lists()
        return bool(by_entry)

    def _is_key_of_class(self, number: int) -> bool:
        """Whether a line has a key of a class that it can do without."""
        return 0 <= number < len(self.lines) and _KEY_OF_CLASS.match(self.lines[number][0]) is not None

    def _constant_at(self, number: int) -> int | None:
        """The first line of the constant that a line is of."""
        for at in range(number, -1, -1) if 0 <= number < len(self.lines) else ():
            text = self.lines[at][0]
            if text and not text.startswith((" ", "#")):
                return None
            if re.match(r"  [A-Za-z_]", text):
                above = next((each for each, _ in self.lines[at::-1] if each and not each.startswith((" ", "#"))), "")
                return at if above == "constants:" else None
        return None

    def _item_at(self, number: int) -> int | None:
        """The first line of the item of a list that a line is in."""
        if not 0 <= number < len(self.lines):
            return None
        depth = len(self.lines[number][0]) - len(self.lines[number][0].lstrip())
        for at in range(number, -1, -1):
            text = self.lines[at][0]
            match = _ITEM.match(text)
            if match and (len(match[1]) <= depth or at == number) and len(match[1]) in (2, 6):
                return at
            if text and not text.startswith((" ", "#")) and at != number:
                return None
        return None

    def _class_of(self, start: int) -> int:
        return next((at for at in range(start, -1, -1) if self.lines[at][0].startswith("  - ")), start)

    def _end(self, start: int) -> int:
        depth = len(self.lines[start][0]) - len(self.lines[start][0].lstrip())
        end = start + 1
        while end < len(self.lines):
            text = self.lines[end][0]
            if text.strip() and (len(text) - len(text.lstrip()) <= depth):
                break
            if not text.strip():
                break
            end += 1
        return end

    def _only_fix(self, diagnostic: Diagnostic, start: int, end: int) -> Fix | None:
        """The fix of a finding, where it is the only one and within the entry; each is made once."""
        if len(diagnostic.fixes) != 1:
            return None
        (fix,) = diagnostic.fixes
        tried = (self.lines[start][0], fix.replacement)
        if not start < fix.span.line <= end or tried in self._tried:
            return None
        self._tried.add(tried)
        return fix

    def _say_order(self, start: int, end: int, diagnostic: Diagnostic) -> bool:
        """Write the call in C's order, which the header has, where the hint says it; once for each entry."""
        line, key = self.lines[start]
        order = _ORDER.search(" ".join(diagnostic.hint.split()))
        is_said = any(re.search(r"\bcpp(_body)?: ", each) for each, _ in self.lines[start:end])
        if order is None or is_said or (line, order[1]) in self._tried:
            return False
        self._tried.add((line, order[1]))
        if line.endswith("}") and line.lstrip().startswith("- {"):
            self.lines[start] = (f"{line[:-1]}, {order[1]}}}", key)
        else:
            indent = " " * (len(line) - len(line.lstrip()) + 2)
            self.lines[start + 1 : start + 1] = [(f"{indent}{order[1]}", key)]
        return True

    def _apply(self, fix: Fix, key: str) -> None:
        line, _ = self.lines[fix.span.line - 1]
        start = fix.span.column - 1
        end = (fix.span.end_column or fix.span.column) - 1
        changed = line[:start] + fix.replacement + line[end:]
        self.lines[fix.span.line - 1 : fix.span.line] = [(each, key) for each in changed.split("\n")]
        if key:
            self.fixed[key] = fix.what

    def _comment_out(self, start: int, end: int, diagnostic: Diagnostic) -> None:
        indent = " " * (len(self.lines[start][0]) - len(self.lines[start][0].lstrip()))
        key = self.lines[start][1]
        message = " ".join(f"{diagnostic.code}: {diagnostic.message}".split())
        hint = _OF_A_RUN.sub("", " ".join(diagnostic.hint.split()))
        above = [f"{indent}# {message}"] + ([f"{indent}#   {hint}"] if hint else [])
        off = [f"{indent}# {line.removeprefix(indent)}" for line, _ in self.lines[start:end]]
        keys = [each for _, each in self.lines[start:end]]
        self.lines[start:end] = [*((line, key) for line in above), *zip(off, keys, strict=True)]
        for each in dict.fromkeys([key, *keys]):
            if each:
                self.off[each] = message

    def _close_lists(self) -> None:
        """A list of which every item is a comment has no items: its key is a comment, too."""
        for at, (text, key) in enumerate(self.lines):
            match = _LIST.match(text)
            if match is None:
                continue
            following = (line for line, _ in self.lines[at + 1 :] if line.strip() and not line.lstrip().startswith("#"))
            after = next(following, "")
            if not after.startswith(f"{match[1]}  "):
                self.lines[at] = (f"{match[1]}# {text.lstrip()}", key)
