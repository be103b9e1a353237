"""What a run of `import` comes to: its three files, and what it tells."""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path, PurePath, PurePosixPath
from typing import Any

from wrapper_gen import disk
from wrapper_gen.diagnostics import Diagnostic, Severity, Span, SpecError
from wrapper_gen.drafts import fitting, importing, merge, report
from wrapper_gen.drafts.answer_rules import OPEN, SCOPES
from wrapper_gen.drafts.answers import Answers, Question, State, read_answers
from wrapper_gen.drafts.changes import changes as changes_since
from wrapper_gen.drafts.draft import requires
from wrapper_gen.drafts.importing import Imported
from wrapper_gen.drafts.questions import entries as entries_questions
from wrapper_gen.drafts.report import Became, Row
from wrapper_gen.drafts.spec_entries import spec_entries
from wrapper_gen.drafts.spec_text import mapping_lines, spec_lines
from wrapper_gen.drafts.unmatched import unmatched
from wrapper_gen.files import cannot_write
from wrapper_gen.frozen import frozen
from wrapper_gen.headers import Access, CFunction
from wrapper_gen.headers.lock import digest
from wrapper_gen.spec import read_document
from wrapper_gen.spec.editor_schema import COMMENT, FILE, editor_schema
from wrapper_gen.spec.former.scalars import flow, scalar

_WRITTEN = (Became.WRITTEN, Became.GUESSED)


@frozen
class MergeChange:
    """A declaration that is not what it was, and what the merge did: `new`, `changed` or `gone`."""

    what: str
    name: str
    done: str


@frozen
class ImportOutcome:
    """One run: the texts of its files, by path, and everything that it tells."""

    imported: Imported
    folder: Path
    texts: Mapping[Path, str]
    rows: Sequence[Row]
    changes: Sequence[MergeChange]
    left: Sequence[Diagnostic]
    """What is wrong with the draft and could not be mended."""
    entries: Mapping[str, str]
    """The entries of the draft, by declaration."""
    off: Mapping[str, str]
    """What is wrong with the entries that are comments now."""
    again_with: Callable[[Answers], ImportOutcome]
    typed: dict[tuple[str, str], str]

    @property
    def asked(self) -> Sequence[Question]:
        return self.imported.questions.asked

    @property
    def pending(self) -> list[Question]:
        """The questions that a person has to look at, those first that most waits for."""
        found = [each for each in self.asked if each.state in (State.OPEN, State.PROPOSED)]
        return sorted(found, key=lambda each: (each.state is not State.OPEN, -each.frees))

    @property
    def findings(self) -> list[Diagnostic]:
        found = unmatched(self.imported.answers, self.asked, self.imported.headers, self.rows)
        return [*found, *self._of_this_machine(), *self._of_bases(), *self.left]

    @property
    def is_settled(self) -> bool:
        """Whether no question is open, no function waits for an answer, and the headers are what they were."""
        is_waiting = any(each.word is Became.ASKED and isinstance(each.declaration, CFunction) for each in self.rows)
        return not self.changes and not is_waiting and not any(each.state is State.OPEN for each in self.asked)

    def _of_this_machine(self) -> Iterator[Diagnostic]:
        """Warnings of what this machine does not have, or has where no folder of the compiler's or the options is."""
        span = Span((self.folder / f"{self.imported.options['name']}.import").as_posix(), 1, 1)
        for what, hint in importing.not_found(self.imported.options):
            yield Diagnostic("WG308", what, span, hint, Severity.WARNING)
        if not any(True for _ in self.imported.headers.declarations()):
            what = "the headers declare nothing that is the library's own"
            hint = "name the headers that do, or say which files are the library's: --only REGEX"
            yield Diagnostic("WG308", what, span, hint, Severity.WARNING)
        for each in self.imported.source.headers:
            header = Path(each)
            if header.is_absolute():
                what = f"no folder of the compiler's has {each}, and the spec names a path of this machine"
                hint = f"name its folder: wrapper-gen import {header.name} --include {header.parent}"
                yield Diagnostic("WG306", what, span, hint, Severity.WARNING)

    def _of_bases(self) -> Iterator[Diagnostic]:
        """Warnings of base classes whose methods are not read, since their header is only included: one for each."""
        decisions, options = self.imported.decisions, self.imported.options
        found: dict[str, tuple[str, str]] = {}
        for name, record in self.imported.headers.records.items():
            role = decisions.role(name)
            for base in record.bases if role is not None and role.is_class else ():
                own, place = PurePath(record.place.path), base.place
                is_read = base.name in self.imported.headers.records or "<" in base.name
                if place is None or is_read or base.access is not Access.PUBLIC:
                    continue
                if PurePath(place.path).parent == own.parent:  # of the library, as far as one can tell
                    header = PurePosixPath(record.place.header).with_name(PurePath(place.path).name).as_posix()
                    found.setdefault(header, (name, base.name))
        span = Span((self.folder / f"{options['name']}.import").as_posix(), 1, 1)
        words = ["wrapper-gen", "import", *self.imported.source.headers, *found, "--lib", options["name"]]
        words += ["-o", str(self.folder)] if self.folder != Path() else []
        for header, (name, base_name) in found.items():
            what = f"{name} derives from {base_name}, whose methods are not read: {header} declares them"
            yield Diagnostic("WG308", what, span, f"name that header, too: {shlex.join(words)}", Severity.WARNING)

    def write(self) -> None:
        """Write the files: all or none.

        Raises:
            SpecError: one cannot be written (WG051).
        """
        texts = {path: _ending_as(path, text) for path, text in self.texts.items()}
        changed = {path: text for path, text in texts.items() if _text_of(path) != text}
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            disk.replace_together(changed)
        except OSError as error:
            raise SpecError([cannot_write(error, next(iter(self.texts)))]) from error

    def text(self, *, lists_all: bool, is_written: bool = True) -> str:
        """What the command tells a person."""
        lines = [report.as_text(self.rows, self.asked, lists_all=lists_all)]
        lines += [f"{each.what}: {each.name}: {each.done}" for each in self.changes]
        lines += [f"{path}: written" for path in self.texts if is_written]
        return "\n".join([*lines, *(self._of_project() if is_written else ())])

    def _of_project(self) -> Iterator[str]:
        """What to do in a project that `wrapper-gen package` made: its test may use what the spec has no more."""
        if (self.folder / "tests" / "test_package.py").is_file() and (self.folder / "pyproject.toml").is_file():
            spec = next((path for path in self.texts if path.suffix == ".wrapper_spec"), None)
            if spec is not None:
                yield f"next: wrapper-gen package {spec.as_posix()}, and tests/test_package.py follows"

    def data(self) -> Mapping[str, object]:
        """The same as data."""
        changes = [{"what": each.what, "name": each.name, "done": each.done} for each in self.changes]
        return {
            **report.as_data(self.rows, self.asked),
            "changes": changes,
            "files": [p.as_posix() for p in self.texts],
        }

    # --- questions at a terminal ---

    @staticmethod
    def shown(question: Question) -> str:
        """The value of a question as its line has it."""
        value = question.value
        return flow(value) if isinstance(value, dict | list) else scalar(value, is_flow=False)

    def answer(self, question: Question, typed: str) -> str:
        """Take an answer; what is wrong with it, if anything."""
        if typed == self.shown(question):
            return ""
        lines = self._lines(question, typed)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "answer"
            path.write_text("\n".join([f"{question.group}:", *lines.values()]) + "\n", encoding="utf-8")
            try:
                read_answers(path, "answer")
            except SpecError as error:
                first = error.diagnostics[0]
                return f"{first.message}: {first.hint}" if first.hint else first.message
        self.typed.update({(question.group, key): line for key, line in lines.items()})
        return ""

    def _lines(self, question: Question, typed: str) -> dict[str, str]:
        """The lines that an answer comes to, by the key of those that they replace.

        What is asked of several at once has lines of its own for what is decided: of callables by how long they are
        called, of buffers by the functions.
        """
        key, group = question.key, question.group
        if (group, key) == ("callables", OPEN) and typed in SCOPES:
            there = next((each.value for each in self.asked if (each.group, each.key) == (group, typed)), None)
            moved = f"  {typed}: {flow([*(there or []), *question.value])}"
            return {key: moved} if there is None else {key: f'  "{OPEN}": []', typed: moved}
        if (group, key) == ("buffers", OPEN):
            return {key: f"  {scalar('|'.join(question.value), is_flow=False)}: {typed}"}
        return {key: f"  {scalar(key, is_flow=False)}: {typed}"}

    def again(self) -> ImportOutcome:
        """The same run with the answers that were given."""
        if not self.typed:
            return self
        path = self.folder / f"{self.imported.options['name']}.import"
        text = self.texts[path]
        for (group, key), line in self.typed.items():
            question = next(each for each in self.asked if (each.group, each.key) == (group, key))
            start = f"\n{text}".index(f"\n{group}:")
            old = f"  {scalar(key, is_flow=False)}: {self.shown(question)}"
            text = text[:start] + text[start:].replace(old, line, 1)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / path.name
            file.write_text(text, encoding="utf-8")
            return self.again_with(read_answers(file, path.as_posix()))


def import_(
    name: str, folder: Path, said: Mapping[str, Any], *, builds: bool, report: Callable[[str], None]
) -> ImportOutcome:
    """Read headers, ask, draft, and merge with what is there.

    Raises:
        SpecError, ToolchainError: as `importing.run`.
    """
    answers, previous, options = importing.read_files(name, folder, said)

    def run(answers: Answers) -> ImportOutcome:
        return _outcome(importing.run(name, answers, previous, options, folder), folder, builds, report, run)

    return run(answers)


def _outcome(
    imported: Imported,
    folder: Path,
    builds: bool,
    report: Callable[[str], None],
    again: Callable[[Answers], ImportOutcome],
) -> ImportOutcome:
    name = imported.options["name"]
    check = fitting.builds(report) if builds else fitting.reads
    fitted = fitting.fit(spec_lines(imported.draft.spec), name, check, _anywhere(imported, folder))
    spec = folder / f"{name}.wrapper_spec"
    entries = merge.entries_of(fitted.lines)
    draft = f"{COMMENT}\n{fitted.text}"
    before, changes, text = _spec_there(spec), [], draft
    written = None
    if before is not None and imported.previous is not None and digest(before) == imported.previous.draft:
        changes = changes_since(imported.previous, imported)
        if any(each.has_moved for each in changes):
            text = merge.marked(read_document(spec, spec.as_posix(), draft), imported, changes)
    elif before is not None:
        document = read_document(spec, spec.as_posix())
        written = spec_entries(document)
        merged = merge.merge(document, imported, entries)
        text, changes = merged.text, list(merged.changes)
    found = list(_rows(imported, fitted))
    rows = entries_questions.ask(imported.questions, imported.headers, found, fitted.off.keys(), written)
    texts = {
        folder / f"{name}.import": imported.answers_text,
        spec: text,
        folder / f"{name}.import.lock": importing.lock_text(imported, entries, draft),
        folder / FILE: editor_schema(),
    }
    shown = [MergeChange(each.what, each.name, each.done) for each in changes]
    return ImportOutcome(imported, folder, texts, rows, shown, fitted.left, entries, fitted.off, again, {})


def _anywhere(imported: Imported, folder: Path) -> Callable[[str], str]:
    """What makes a draft one that can be checked in another folder: with its folders of headers as they are here."""
    shown = requires(imported.options)
    if shown is None or not imported.options.get("include"):
        return lambda text: text
    here = [os.path.normpath(folder.resolve() / each) for each in imported.options["include"]]
    old = "\n".join(mapping_lines({"requires": shown}, "  "))
    new = f"  requires: {flow(requires({**imported.options, 'include': here}))}" + "\n  #" * old.count("\n")
    return lambda text: text.replace(old, new, 1)


def _rows(imported: Imported, fitted: fitting.Fitted) -> Sequence[Row]:
    """What became of each declaration, once the draft fits."""
    found = []
    for row in imported.draft.rows:
        key = row.declaration.key
        if row.word in _WRITTEN and key in fitted.off:
            found.append(Row(row.declaration, Became.ASKED, fitted.off[key]))
        elif row.word in _WRITTEN and key in fitted.fixed:
            found.append(Row(row.declaration, Became.GUESSED, f"{row.why}; {fitted.fixed[key]}".lstrip("; ")))
        else:
            found.append(row)
    known = {row.declaration.key for row in found}
    rest = (each for each in imported.headers.declarations() if each.key not in known)
    return [*found, *(Row(each, Became.FOLLOWS, "of what names it") for each in rest)]


def _spec_there(path: Path) -> str | None:
    """The text of the spec that is there.

    Raises:
        SpecError: it cannot be read (WG001, WG002).
    """
    try:
        return path.read_text(encoding="utf-8") if path.exists() else None
    except (OSError, UnicodeDecodeError):
        read_document(path, path.as_posix())  # says why
        raise


def _text_of(path: Path) -> str | None:
    """The text of a file with its line ends; None where it has none."""
    try:
        return path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def _ending_as(path: Path, text: str) -> str:
    """A text whose lines end as those of the file that is there."""
    plain = text.replace("\r\n", "\n")
    return plain.replace("\n", "\r\n") if "\r\n" in (_text_of(path) or "") else plain
