"""A generated package, cut up by what each piece belongs to: a function, a class, an error, or the package itself."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import PurePosixPath

from tests.folding import FOLDINGS
from wrapper_gen import names
from wrapper_gen.model import Function, Module
from wrapper_gen.views.placement import LINES

PACKAGE = "package"
"""What belongs to no entry."""
_STRING = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'')
_RAW_STRING = re.compile(r'R"_\((.*?)\)_"', re.DOTALL)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_COMMENT_LINE = re.compile(r"\s*(?://.*|/\*.*\*/)?|#line.*")
_FRAME = re.compile(
    r'(?:namespace (?:\S+ )?|extern "C" )\{|\}(?:  // (?:namespace \S+|extern "C"))?'
    r"|#(?:if|ifdef|ifndef|else|endif|include|pragma|undef)\b.*"
)
"""Lines that enclose pieces."""
_TABLE = re.compile(r"\[\] = \{\n|return \"\"\n|PyObject \*wg_start\(")
"""Begins what has rows for several entries."""
_LINE = re.compile(r"#line [^\n]*")
_WORD = re.compile(r"\w+")
_DEFINED = re.compile(r"#define (\w+) (\d+)")


@dataclass(frozen=True)
class Piece:
    """Lines of one generated file that belong together."""

    file: str
    text: str


class Entries:
    """The entries of a module, and which of them an identifier of generated code is of."""

    def __init__(self, module: Module) -> None:
        self.functions = {_label(function): function for function in module.callables}
        classes = (*module.handles, *module.structs, *module.options, *module.enums, *module.errors)
        self.classes = {entity.name.lower(): entity.name for entity in classes if isinstance(entity.name, str)}
        lib = re.escape(module.name)
        at = r"WG_(?:ENTRY|CODE|TYPE)_(?:\d+_)?(?:AT|IN)_"
        said = r"_?wg_\w+?_of_|wg_(?:do|python|code|callback|doc)_|_?wg_"
        self._of_function = re.compile(rf"(?:_?rt_{lib}_|{lib}_|{at}|{said})(\w+)\Z")
        places = ((place, label) for label, function in self.functions.items() for place in _places(function))
        self.python = {place: label for place, label in places if place[1]}

    def of(self, text: str) -> str:
        """The entry whose name comes first in a piece's head; functions before the classes of their results."""
        code = _LINE.sub("", _RAW_STRING.sub('""', _COMMENT.sub("", text)))
        head = re.split(r"[{;]", code, maxsplit=1)[0]
        words = _WORD.findall(head)
        for word in words:
            if label := self._function(word):
                return label
        for word in words:
            if name := self._class(word):
                return name
        return PACKAGE

    def names_of(self, label: str) -> set[str]:
        """What generated code calls an entry."""
        function = self.functions.get(label)
        if function is None:
            return {label, label.lower()}
        record = function.member.record if function.member else ""
        classes = (function.handle, function.static, function.constructs, record)
        return {each for each in (label, function.base, function.py_name, *classes) if each}

    def _function(self, word: str) -> str:
        if not (found := self._of_function.match(word)):
            return ""
        parts = found[1].split("_")
        ends = (("_".join(parts[:end])) for end in range(len(parts), 0, -1))
        return next((label for label in ends if label in self.functions), "")

    def _class(self, word: str) -> str:
        return next(
            (self.classes[part.lower()] for part in (word, *word.split("_")) if part.lower() in self.classes), ""
        )


def _label(function: Function) -> str:
    return f"{function.handle.lower()}_{function.base}" if function.handle else function.base


def _places(function: Function) -> Iterator[tuple[str, str]]:
    """Where Python has a function: its class, or nothing, and its name."""
    name = names.of_function(function)
    owner = function.handle or function.static or (function.member.record if function.member else "")
    if function.constructs:
        yield function.constructs, "__init__"
    else:
        yield owner, name
        yield owner, names.awaited(name)
        yield owner, names.former_function(function)
    yield "", names.python_form(function.base)
    if function.module:
        yield "", names.python_in_submodule(function.module, name)


def by_entry(module: Module, files: Mapping[PurePosixPath, str]) -> dict[str, list[Piece]]:
    """The pieces of a package's own files, by the entry that they belong to."""
    entries = Entries(module)
    found: dict[str, list[Piece]] = {}
    docs = next((text for path, text in files.items() if path.name == "docs.hpp"), "")
    documented = " ".join("".join(_RAW_STRING.findall(docs)).split())
    line_of = {
        macro: int(line) for path, text in files.items() if path.name == LINES for macro, line in _DEFINED.findall(text)
    }
    for path, text in files.items():
        if path.name == LINES:  # what it defines stands where it is used
            continue
        folding, is_cpp = FOLDINGS[path.suffix], path.suffix in (".cpp", ".h", ".hpp")
        text = folding.without_comments(_without_prelude(text, module))
        for label, piece in _of_cpp(text, entries) if is_cpp else _of_python(text, entries, documented):
            for own, rows in _rows(label, piece, entries):
                if folded := folding.folded(rows, line_of):
                    found.setdefault(own, []).append(Piece(path.name, folded))
    return found


def _without_prelude(text: str, module: Module) -> str:
    """The text without the spec's own prelude, which the spec shows; of the cases that are kept whole some have one."""
    if module.prelude is None:
        return text
    return text.replace(f"#line WG_CODE_AT_prelude WG_SPEC\n{module.prelude.text.rstrip()}\n", "")


def _rows(label: str, piece: str, entries: Entries) -> Iterator[tuple[str, str]]:
    """A piece; of a table of the package, the rows of each entry by themselves."""
    lines = piece.split("\n")
    if label != PACKAGE or not _TABLE.search(piece):
        yield label, piece
        return
    labels = [entries.of(line.lstrip(" {")) for line in lines]
    for own, rows in groupby(zip(labels, lines, strict=True), key=lambda row: row[0]):
        yield own, "\n".join(line for _, line in rows)


def shown(pieces: Iterable[Piece]) -> str:
    """Pieces, file by file; a line that is alone of its file stands behind the name of that."""
    parts = []
    for file, of_file in groupby(pieces, key=lambda piece: piece.file):
        text = "\n".join(piece.text for piece in of_file)
        parts.append(f"--- {file}:{chr(10) if chr(10) in text else ' '}{text}\n")
    return "".join(parts)


def _of_cpp(text: str, entries: Entries) -> Iterator[tuple[str, str]]:
    lines: list[str] = []
    for line in re.sub(r'#line \d+ "\w+\.cpp"\n', "", text).split("\n"):
        if _FRAME.fullmatch(line) and all(_COMMENT_LINE.fullmatch(each) for each in lines):
            yield from ((PACKAGE, each) for each in (*lines, line) if each)
            lines = []
        elif lines or line:
            lines.append(line)
            if _is_whole(lines):
                piece = "\n".join(lines).strip("\n")
                yield entries.of(piece), piece
                lines = []
    yield from ((PACKAGE, line) for line in lines if line)


def _is_whole(lines: list[str]) -> bool:
    """Whether a piece of C++ ends here: brackets are closed, and it is no comment or `#line` before something else."""
    last = lines[-1]
    if last.startswith("#"):
        is_first = all(_COMMENT_LINE.fullmatch(line) for line in lines[:-1])
        return is_first and not last.startswith("#line") and not last.endswith("\\")
    if lines[0].startswith("#define"):
        return not last.endswith("\\")
    code = _COMMENT.sub("", _STRING.sub('""', _RAW_STRING.sub('""', "\n".join(lines))))
    if 'R"' in code:  # a raw string that goes on
        return False
    is_closed = all(code.count(a) == code.count(b) for a, b in ("{}", "()"))
    return is_closed and code.rstrip().endswith((";", "}", ")"))


def _of_python(text: str, entries: Entries, documented: str) -> Iterator[tuple[str, str]]:
    """The statements of a module, and of its classes; docstrings that `docs.hpp` has as well are left out."""
    lines, after = text.split("\n"), 0
    for node in ast.parse(text).body:
        start, end = _lines(node)
        if isinstance(node, ast.ClassDef):
            yield from _of_class(node, lines, entries, after, documented)
        else:
            own = entries.python.get(("", getattr(node, "name", "")))
            label = own or (PACKAGE if _lists_names(node) else entries.of("\n".join(lines[start:end])))
            yield label, _text([*lines[after:start], *_without_docstring(node, lines, documented)])
        after = end
    yield PACKAGE, _text(lines[after:])


def _lists_names(node: ast.stmt) -> bool:
    """Whether it is `__all__`, which has the names of many entries."""
    return isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == "__all__"


def _of_class(
    node: ast.ClassDef, lines: list[str], entries: Entries, after: int, documented: str
) -> Iterator[tuple[str, str]]:
    label = node.name if node.name in entries.classes.values() else entries.of(f"class {node.name}")
    first, _ = _lines(node.body[0])
    yield label, _text(lines[after:first])
    for member in node.body:
        own = entries.python.get((node.name, getattr(member, "name", "")))
        text = _text(_without_docstring(member, lines, documented))
        yield (own, f"class {node.name}: {text.lstrip()}") if own else (label, text)


def _without_docstring(node: ast.stmt, lines: list[str], documented: str) -> list[str]:
    start, end = _lines(node)
    doc = node.body[0] if isinstance(node, ast.FunctionDef) else node
    match doc:
        case ast.Expr(ast.Constant(str(said))) if " ".join(said.split()) in documented:
            return [*lines[start : doc.lineno - 1], " " * doc.col_offset + "...", *lines[doc.end_lineno : end]]
    return lines[start:end]


def _lines(node: ast.stmt) -> tuple[int, int]:
    decorators = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
    return first - 1, node.end_lineno or first


def _text(lines: list[str]) -> str:
    return "\n".join(lines).strip("\n")
