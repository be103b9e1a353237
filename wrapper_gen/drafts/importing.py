"""From headers to the three files of an import: questions, draft and lock; pure, but for what reads headers."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from wrapper_gen.diagnostics import Diagnostic, Span, SpecError, ToolchainError
from wrapper_gen.drafts.answers import NO_ANSWERS, Answers, Questions, answers_text, read_answers
from wrapper_gen.drafts.asking import ask
from wrapper_gen.drafts.decisions import Decisions, LibraryOptions
from wrapper_gen.drafts.draft import Draft, draft
from wrapper_gen.drafts.naming import common_prefix
from wrapper_gen.frozen import frozen, replace
from wrapper_gen.headers import Headers, HeaderSource, compilers, lock, read

_LISTS = ("headers", "link", "requires", "defines", "include", "only")
_KEYS = ("name", "lang", *_LISTS, "std", "prefix")


@frozen
class Imported:
    """All that one run found and made."""

    options: Mapping[str, Any]
    answers: Answers
    questions: Questions
    headers: Headers
    decisions: Decisions
    draft: Draft
    source: HeaderSource
    previous: lock.Lock | None
    """What the headers declared when they were last imported."""

    @property
    def answers_text(self) -> str:
        return answers_text(self.answers, self.options, self.questions.asked)


def read_files(name: str, folder: Path, said: Mapping[str, Any]) -> tuple[Answers, lock.Lock | None, dict[str, Any]]:
    """The answers and the lock of the last run, and the options: those that are said, else those of the answers.

    Raises:
        SpecError: a file cannot be used, or no header is named.
    """
    path = folder / f"{name}.import"
    answers = read_answers(path, path.as_posix())
    locked = folder / f"{name}.import.lock"
    previous = lock.read(locked, locked.as_posix()) if locked.exists() else None
    given = {key: list(each) if isinstance(each, tuple) else each for key, each in said.items() if each}
    if "include" in given:
        given["include"] = [shown_folder(str(each), folder) for each in given["include"]]
    options = {**answers.options, **given, "name": name}
    _check(answers, options, path.as_posix())
    if not options.get("headers"):
        raise SpecError([Diagnostic("WG304", "no header is named", Span(path.as_posix(), 1, 1), "name one or several")])
    options["headers"] = [_named_from_folder(each, options, folder) for each in options["headers"]]
    return answers, previous, {key: options[key] for key in _KEYS if options.get(key) not in (None, [], "")}


_STANDARD = re.compile(r"(c|gnu|c\+\+|gnu\+\+)\d[\da-z]|iso9899:\d+")
_DEFINE = re.compile(r"[A-Za-z_]\w*(\([\w, .]*\))?(=.*)?", re.DOTALL)


def _check(answers: Answers, options: Mapping[str, Any], path: str) -> None:
    wrong = []
    for key, value in answers.options.items():
        span = answers.span("import", key) if answers.document else Span(path, 1, 1)
        if key not in _KEYS:
            wrong.append(Diagnostic("WG304", f"import has no option {key!r}", span, f"known: {', '.join(_KEYS)}"))
        elif key in _LISTS and not (isinstance(value, list) and all(isinstance(each, str) for each in value)):
            wrong.append(Diagnostic("WG304", f"{key} is a list of texts", span, f"{key}: [{value}]"))
        elif key not in _LISTS and not isinstance(value, str):
            wrong.append(Diagnostic("WG304", f"{key} is a text", span, ""))
    if options.get("name") != answers.options.get("name", options.get("name")):
        span = answers.span("import", "name")
        wrong.append(Diagnostic("WG304", "these are the answers of another library", span, "use another --lib"))
    wrong += [] if wrong else _unusable_values(answers, options, path)
    if wrong:
        raise SpecError(wrong)


def _unusable_values(answers: Answers, options: Mapping[str, Any], path: str) -> Iterator[Diagnostic]:
    """Errors of options that nothing can read; of those that stand in the answers, at their place."""

    def found(key: str, what: str, hint: str) -> Diagnostic:
        is_written = answers.document is not None and options[key] == answers.options.get(key)
        return Diagnostic("WG304", what, answers.span("import", key) if is_written else Span(path, 1, 1), hint)

    for each in options.get("only", ()):
        try:
            re.compile(each)
        except re.error as error:
            yield found("only", f"--only: {each!r} is no pattern: {error}", "a regular expression of Python: store/.*")
    standard = str(options.get("std", ""))
    if standard and not _STANDARD.fullmatch(standard):
        yield found("std", f"--std: {standard!r} is no standard of C or C++", "c11, c17, gnu11, c++17, c++20, …")
    for each in options.get("defines", ()):
        if not _DEFINE.fullmatch(each):
            yield found("defines", f"--define: {each!r} is no macro", "NAME or NAME=VALUE")


def shown_folder(named: str, folder: Path) -> str:
    """A folder of headers as a spec in `folder` names it: by its way from there, if both are of one project.

    Another folder is named as it is, since the way to it differs from machine to machine as well.
    """
    path, start = Path(named).resolve(), folder.resolve()
    above = [start, *start.parents]
    root = next((each for each in above if (each / ".git").exists() or (each / "pyproject.toml").exists()), None)
    if root is None:
        root = Path.cwd() if start.is_relative_to(Path.cwd()) else start
    return Path(os.path.relpath(path, start)).as_posix() if path.is_relative_to(root) else path.as_posix()


def _named_from_folder(header: str, options: Mapping[str, Any], folder: Path) -> str:
    """A header that is named by its whole path, from the folder in which compilers find it; as it is, if there is none.

    The name is the shortest that means this file.
    """
    path = Path(header)
    if not path.is_absolute() or not path.is_file():
        return header
    language = source_of({**options, "headers": [header]}, folder).language
    found = [*include_folders(options, folder), *compilers.include_folders(language)]
    folders = [Path(os.path.normpath(each)) for each in found]
    names = [name for each in folders for name in _below(each, path)]
    for name in sorted(dict.fromkeys(names), key=len):
        first = next((each / name for each in folders if (each / name).is_file()), None)
        if first is not None and first.resolve() == path.resolve():
            return name
    return header


def _below(folder: Path, header: Path) -> Iterator[str]:
    """The way from a folder to a header below it."""
    for start, path in ((folder, Path(os.path.normpath(header))), (folder.resolve(), header.resolve())):
        if path.is_relative_to(start):
            yield path.relative_to(start).as_posix()


def include_folders(options: Mapping[str, Any], folder: Path) -> list[str]:
    """The folders of headers on this machine, also those that pkg-config names for what is required."""
    named = [os.path.normpath(folder.resolve() / each) for each in options.get("include", ())]
    packages = (compilers.pkg_config(each) or () for each in options.get("requires", ()))
    return list(dict.fromkeys([*named, *(word[2:] for said in packages for word in said if word.startswith("-I"))]))


def source_of(options: Mapping[str, Any], folder: Path) -> HeaderSource:
    """How the headers are to be read; `folder` is that of the answers, from which others are named."""
    language = {"c": "c", "cpp": "c++", "c++": "c++"}.get(str(options.get("lang", "")), "")
    headers = tuple(options["headers"])
    return HeaderSource(
        headers,
        language or _language(headers),
        str(options.get("std", "")),
        tuple(options.get("defines", ())),
        tuple(include_folders(options, folder)),
        tuple(options.get("only", ())),
    )


def _language(headers: Sequence[str]) -> str:
    """By their names: `.h` is C, unless a folder without a suffix or another suffix says C++."""
    is_cpp = any(each.endswith((".hpp", ".hh", ".hxx", ".cuh")) or "." not in each for each in headers)
    return "c++" if is_cpp else "c"


def run(name: str, answers: Answers, previous: lock.Lock | None, options: dict[str, Any], folder: Path) -> Imported:
    """Read the headers, ask, and draft.

    Raises:
        SpecError: the headers do not parse.
        ToolchainError: libclang or the compiler is missing.
    """
    source = source_of(options, folder)
    headers = read(source)
    options = _completed(name, options, source, headers)
    proposals = previous.proposals if previous is not None and answers is not NO_ANSWERS else {}
    questions = Questions(answers, proposals)
    language = "c" if source.language == "c" else "cpp"
    said = LibraryOptions(name, language, source.headers, str(options.get("prefix", "")), options)
    decisions = ask(headers, said, questions, _exported(options))
    return Imported(options, answers, questions, headers, decisions, draft(decisions), source, previous)


def _completed(name: str, options: dict[str, Any], source: HeaderSource, headers: Headers) -> dict[str, Any]:
    """The options with what the headers and the machine tell."""
    found = dict(options)
    found["lang"] = "c" if source.language == "c" else "cpp"
    found["headers"] = list(source.headers)
    if "prefix" not in found and source.language == "c":
        prefix = common_prefix([each.name for each in headers.functions])
        found |= {"prefix": prefix} if prefix else {}
    if found.get("include") and not found.get("requires") and (package := _package(name, found, source)):
        found["requires"] = [package]
        del found["include"]
    if not found.get("link") and not found.get("requires"):
        found |= {"link": [name]} if compilers.library_path(name) else {}
    return {key: found[key] for key in _KEYS if key in found}


def _package(name: str, options: Mapping[str, Any], source: HeaderSource) -> str:
    """What pkg-config calls the library, if it names the same folders of headers; empty if it does not."""
    linked = [str(each) for each in options.get("link", ())]
    for each in dict.fromkeys([name, *linked, *(f"lib{one}" for one in (name, *linked))]):
        said = compilers.pkg_config(each) or ()
        if set(source.folders) <= {os.path.normpath(word[2:]) for word in said if word.startswith("-I")}:
            return each
    return ""


def not_found(options: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Libraries to link, and packages, that this machine does not have, with what to do."""
    folders = []
    for each in options.get("requires", ()):
        said = compilers.pkg_config(str(each))
        if said is None:
            yield f"pkg-config does not know {each}", "install the package that has its .pc file, or correct --requires"
        folders += [word[2:] for word in said or () if word.startswith("-L")]
    for each in options.get("link", ()):
        path = compilers.library_path(str(each), folders)
        if path is not None and compilers.is_of_another_machine(path):
            what = f"{path} is a library of another machine than this one, for which nothing can be linked with it"
            yield what, f"install {each} for this machine, or correct --link"
        elif path is None:
            what = f"there is no library {each} on this machine, and which functions it exports is not known"
            yield what, "install it, or correct --link: without lib and .so, as `z` of libz.so"


def _exported(options: Mapping[str, Any]) -> Collection[str]:
    """What the libraries export; empty where one of them is not found."""
    symbols: set[str] = set()
    for each in options.get("link", ()):
        path = compilers.library_path(str(each))
        try:
            symbols |= set(compilers.exported_symbols(path)) if path is not None else set()
        except ToolchainError:  # a script of the linker's
            return ()
        if path is None:
            return ()
    return symbols


def lock_text(imported: Imported, entries: Mapping[str, str], draft: str) -> str:
    """The lock for the next run: the declarations, what is proposed, each entry as it is written now, and the draft."""
    made = lock.locked(replace(imported.source, folders=()), imported.headers)  # the spec names folders
    proposals = imported.questions.proposals()
    return lock.dumps(replace(made, proposals=proposals, entries=dict(entries), draft=lock.digest(draft)))
