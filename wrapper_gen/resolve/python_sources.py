"""Python that the author wrote, and that is part of the package: those of its `sources` that end in `.py`."""

from __future__ import annotations

import ast
import keyword
import warnings
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from wrapper_gen import names
from wrapper_gen.diagnostics import Span
from wrapper_gen.model import Export, PythonSource
from wrapper_gen.resolve.library import PYTHON, read_source
from wrapper_gen.resolve.scope import Map, Scope

_SUFFIX = ".py"
_BOM, _CRLF, _CR, _LF = "\ufeff", "\r\n", "\r", "\n"
_TAKEN = frozenset({"__init__", "_cffi_engine", names.RUNTIME, "build", "ffi_build", "sources"})
"""What else lies in the folder of a package."""


def resolve_python_sources(lib: Map, package: str, scope: Scope) -> tuple[PythonSource, ...]:
    """The files that the library lists."""
    listed, found = lib.get("sources"), dict[str, PythonSource]()
    for i, path in enumerate(scope.texts(lib, "sources")):
        if not path.endswith(PYTHON):
            continue
        span = scope.document.span(listed, i) if isinstance(listed, list) else scope.span(lib, "sources")
        name = PurePosixPath(path).name.removesuffix(_SUFFIX)
        if not _is_module(name, path, package):
            hint = "a file whose name Python can import, such as extra.py, and that nothing generated has"
            scope.error("WG211", f"{path!r} cannot be a module of the package", span, hint)
        elif name in found:
            hint = "rename one: they come to lie in one folder"
            scope.error(
                "WG022", f"two Python files are named {name + _SUFFIX!r}", span, hint, (found[name].span, "this one")
            )
        elif (text := read_source(path, span, scope)) is not None:
            shown = (PurePosixPath(scope.document.shown).parent / path).as_posix()
            text = f"{text.removeprefix(_BOM).replace(_CRLF, _LF).replace(_CR, _LF).rstrip()}{_LF}"
            found[name] = PythonSource(name, path, text, tuple(_exports(name, text, shown, scope)), span)
    return tuple(found.values())


def _is_module(name: str, path: str, package: str) -> bool:
    if not path.endswith(_SUFFIX) or not name.isidentifier() or not name.isascii() or keyword.iskeyword(name):
        return False
    return name not in _TAKEN | {names.extension(package), package}


def _exports(name: str, text: str, shown: str, scope: Scope) -> Iterator[Export]:
    """The names that the package has of a file; of one whose name starts with `_`, none."""
    before, nul, _ = text.partition("\0")
    if nul:  # versions of Python refuse it as one error or another, and say no place
        where = Span(shown, before.count(_LF) + 1, len(before) - before.rfind(_LF))
        scope.error("WG212", "a NUL character in Python's source", where, "write \\0 in a text that has one")
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the code, which whoever imports it sees
            tree = ast.parse(text, shown)
    except SyntaxError as error:
        where = Span(shown, max(error.lineno or 1, 1), max(error.offset or 1, 1))
        scope.error("WG212", f"{error.msg}", where, f"the Python file {name + _SUFFIX} has to be right")
        return
    except (ValueError, RecursionError, MemoryError) as error:
        scope.error("WG212", f"Python cannot read this file: {error}", Span(shown, 1, 1), "write plain Python")
        return
    if name.startswith("_"):
        return
    bound = {each.name: each for each in _bound(tree.body, shown, text)}
    listed = _listed(tree, shown, text, scope)
    for each in bound.values() if listed is None else listed:
        if listed is None and (each.name.startswith("_") or each.is_imported):
            continue
        if each.name == name:
            hint = "rename the file, or what is in it"
            scope.error("WG211", f"{name!r} would be the name of this and of its module", each.span, hint)
        elif listed is not None and each.name not in bound and "*" not in bound:
            scope.error(
                "WG211", f"`__all__` lists {each.name!r}, which is not there", each.span, "define it, or drop it"
            )
        else:
            yield each


def _listed(tree: ast.Module, shown: str, text: str, scope: Scope) -> list[Export] | None:
    """What `__all__` lists; None where there is none."""
    said = [each for each in tree.body if any(map(_is_all, getattr(each, "targets", [getattr(each, "target", None)])))]
    if not said:
        return None
    value = said[-1].value if isinstance(said[-1], ast.Assign | ast.AnnAssign) and len(said) == 1 else None
    items = value.elts if isinstance(value, ast.List | ast.Tuple) else None
    if items is None or not all(map(_is_text, items)):
        hint = "write one list of texts, which the generator can read"
        scope.error("WG211", "`__all__` is not read without running it", _span(shown, said[-1], text), hint)
        return []
    found = {str(ast.literal_eval(each)): _span(shown, each, text) for each in reversed(items)}
    return [Export(each, span) for each, span in reversed(found.items())]


def _is_all(target: object) -> bool:
    return isinstance(target, ast.Name) and target.id == "__all__"


def _is_text(item: ast.expr) -> bool:
    return isinstance(item, ast.Constant) and isinstance(item.value, str)


def _bound(body: Sequence[ast.stmt], shown: str, text: str) -> Iterator[Export]:
    """The names that these statements bind, where they stand; `*` for all that another module has."""
    for each in body:
        span = _span(shown, each, text)
        match each:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield Export(name, span)
            case ast.Import(names=listed) | ast.ImportFrom(names=listed):
                for alias in listed:
                    yield Export(alias.asname or alias.name.partition(".")[0], span, is_imported=True)
            case ast.If(test=test, body=then, orelse=otherwise):
                if not ast.unparse(test).endswith("TYPE_CHECKING"):
                    yield from _bound(then, shown, text)
                yield from _bound(otherwise, shown, text)
            case ast.Try(body=then, handlers=handlers, orelse=otherwise, finalbody=last):
                caught = [statement for handler in handlers for statement in handler.body]
                yield from _bound([*then, *caught, *otherwise, *last], shown, text)
            case ast.With(body=then) | ast.For(body=then):
                yield from _bound(then, shown, text)
            case ast.Assign(targets=targets):
                for target in targets:
                    yield from _names(target, span)
            case ast.AnnAssign(target=target, value=ast.expr()):
                yield from _names(target, span)
            case _:
                alias_of = getattr(each, "name", None)  # type aliases, from Python 3.12 on
                if isinstance(alias_of, ast.Name):
                    yield Export(alias_of.id, span)


def _names(target: ast.expr, span: Span) -> Iterator[Export]:
    for each in ast.walk(target):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
            yield Export(each.id, span)


def _span(shown: str, node: ast.stmt | ast.expr, text: str) -> Span:
    """Where it stands; Python counts bytes."""
    line = text.split("\n")[node.lineno - 1].encode()
    end = node.end_col_offset if node.end_lineno == node.lineno else len(line)
    column, end_column = (len(line[:offset].decode(errors="replace")) + 1 for offset in (node.col_offset, end))
    return Span(shown, node.lineno, column, end_column)
