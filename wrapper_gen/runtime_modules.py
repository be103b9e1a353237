"""The runtime's Python modules in a package that carries them: a few files, each what is imported together."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache

from wrapper_gen.frozen import frozen

WHOLE = ""
"""The file of what every package imports, which is the folder's `__init__.py`."""


@frozen
class JoinedModules:
    """One such file."""

    about: str
    modules: tuple[str, ...]
    """Those of `runtime/`, in order: each after those of this file that it imports."""


JOINED: Mapping[str, JoinedModules] = {
    WHOLE: JoinedModules(
        "What both engines of a package share: errors, and the choice of the engine.", ("__init__", "_support")
    ),
    "awaitables": JoinedModules("Coroutine functions, over both engines.", ("_awaitables",)),
    "build": JoinedModules(
        "The build of the package's extension: what `ffi_build.py` runs.",
        (
            "_msvc",
            "_processes",
            "_toolchain",
            "_library",
            "_loaded_functions",
            "_dependencies",
            "_incremental",
            "_runtime_object",
            "_build",
        ),
    ),
    "callables": JoinedModules(
        "Functions and classes of Python that C++ calls, in the cffi engine.",
        ("_callables", "_callables_within", "_overrides"),
    ),
    "cffi": JoinedModules(
        "The cffi engine: handles, conversions and failures over cffi.",
        ("_cffi_numbers", "_cffi_texts", "_types", "_uses", "_cffi_handles", "_cffi_failures", "_cffi_support"),
    ),
    "classes": JoinedModules(
        "What classes of the cffi engine have beside their methods: protocols, bases, who lives how long.",
        ("_protocols", "_fixed", "_inheritance", "_lifetimes", "_held_objects"),
    ),
    "deprecations": JoinedModules("Warnings about what is deprecated.", ("_deprecations", "_deprecated_types")),
    "iterators": JoinedModules("Iterators of the cffi engine.", ("_iterators",)),
    "memory": JoinedModules(
        "Memory that the cffi engine lends and borrows: arrays, spans, buffers, offsets into them.",
        (
            *("_array_types", "_index_types", "_byte_offsets", "_cffi_arrays", "_cffi_exchanges"),
            *("_cffi_exports", "_cffi_spans", "_kept_memory", "_any_objects", "_device_streams"),
        ),
    ),
    "overloads": JoinedModules(
        "Functions of several forms, in the cffi engine.", ("_overloads", "_record_constructors")
    ),
    "records": JoinedModules("Records, over both engines.", ("_records", "_record_methods", "_holding_records")),
    "slices": JoinedModules("Slices and their codecs, in the cffi engine.", ("_slices",)),
    "submodules": JoinedModules("Modules below the package.", ("_submodules", "_extend")),
    "unraisable": JoinedModules("Exceptions that nothing can raise.", ("_unraisable",)),
    "used": JoinedModules(
        "What packages have that use the types of others, in both engines; none of them carries its runtime.",
        ("_used_packages", "_used_types"),
    ),
    "wire": JoinedModules(
        "Compound values on their way through the C ABI, in the cffi engine.",
        (
            *("_wire_codec", "_wire_leaves", "_wire_containers", "_wire_recursive", "_wire"),
            *("_wire_made", "_wire_holding"),
        ),
    ),
}
"""By the name of the module that the file is. Which modules are in one was decided by who imports them: the cpython
engine of most packages imports only the first, and nothing in that imports `typing`."""

_FILES = {module: name for name, each in JOINED.items() for module in each.modules}

Statements = dict[str, set[str]]
"""What is imported of each module; of an `import` statement itself, nothing."""

_DOCSTRING = re.compile(r'"""(.*?)(?:\n.*?)?"""\n', re.DOTALL)
_FUTURE = "from __future__ import annotations\n"
_STATEMENT = re.compile(r"( *)(?:from (\S+) )?import (?:\(\s*([^)]*?),?\s*\)|(.*))\n")
_CHECKED = re.compile(r"(?:TYPE_CHECKING = False\n)?if TYPE_CHECKING:\n((?: +.*\n|\n(?= ))+)")
_INSIDE = re.compile(r"^( +)from \.(_\w+) import (.*)\n(\n?)", re.MULTILINE)
_LONG = 120


def file_of(module: str) -> str:
    """The joined file that has a module of the runtime, by its name; empty for that of the folder itself."""
    return _FILES[module]


def needed(files: Iterable[str], text_of: Callable[[str], str]) -> dict[str, str]:
    """These files and all that they import, in order, with their texts.

    Args:
        files: by name, as in `JOINED`.
        text_of: the text of a module of `runtime/`, by its name.
    """
    found: dict[str, str] = {}
    new = {WHOLE, *files}
    while new:
        for name in new:
            found[name] = join(JOINED[name], text_of)
        new = {each for name in new for module in JOINED[name].modules for each in _imported(text_of(module))} - {
            *found
        }
    return dict(sorted(found.items()))


@lru_cache(maxsize=64)  # all packages of a run that carry their runtime have most of them
def join(joined: JoinedModules, text_of: Callable[[str], str]) -> str:
    """The text of a file: what its modules import, once, and then their own lines, one after the other."""
    at_import: Statements = {}
    for_checkers: Statements = {}
    sections = []
    is_future = False
    for module in joined.modules:
        title, has_future, body = _taken_apart(text_of(module), joined, at_import, for_checkers)
        is_future |= has_future
        sections += [_below(f"# --- {title}\n", body) if len(joined.modules) > 1 else body] if body else []
    for name, of_it in for_checkers.items():
        of_it -= at_import.get(name, set())
    checked = _written({name: of_it for name, of_it in for_checkers.items() if of_it}, "    ")
    if not checked and "typing" in at_import:
        at_import["typing"].discard("TYPE_CHECKING")
    parts = [f'"""{joined.about}"""\n', _FUTURE * is_future, *_written(at_import, "")]
    if checked:
        own = "" if "TYPE_CHECKING" in at_import.get("typing", ()) else "TYPE_CHECKING = False\n"
        parts.append(f"{own}if TYPE_CHECKING:\n" + "\n".join(checked))
    return _below("\n".join(filter(None, parts)), "\n\n".join(sections))


def _below(head: str, body: str) -> str:
    """With as many empty lines between them as formatters want."""
    return head + "\n" * (2 if body.startswith(("def ", "async def ", "class ", "@")) else 1) + body


def _imported(text: str) -> set[str]:
    """The files of what a module imports of the runtime, anywhere in it."""
    return {file_of(each or "__init__") for each in re.findall(r"^ *from \.(\w*) import ", text, re.MULTILINE)}


def _taken_apart(
    text: str, joined: JoinedModules, at_import: Statements, for_checkers: Statements
) -> tuple[str, bool, str]:
    """The first line of a module's docstring, whether its hints stay text, and what is left without its imports."""
    docstring = _DOCSTRING.match(text)
    assert docstring is not None
    body = text[docstring.end() :].lstrip("\n")
    has_future = body.startswith(_FUTURE)
    body = body.removeprefix(_FUTURE).lstrip("\n")
    while statement := _STATEMENT.match(body):
        _add(statement, joined, at_import)
        body = body[statement.end() :].lstrip("\n")
    if checked := _CHECKED.match(body):
        for statement in _STATEMENT.finditer(checked[1]):
            _add(statement, joined, for_checkers)
        body = body[checked.end() :].lstrip("\n")

    def placed(inner: re.Match[str]) -> str:
        if inner[2] in joined.modules:
            return ""
        return f"{inner[1]}from .{file_of(inner[2])} import {inner[3]}\n{inner[4]}"

    return docstring[1].rstrip("."), has_future, _INSIDE.sub(placed, body)


def _add(statement: re.Match[str], joined: JoinedModules, found: Statements) -> None:
    _, module, several, names = statement.groups()
    if module is None:
        found.setdefault(names, set())
        return
    if module.startswith("."):
        own = module[1:] or "__init__"
        if own in joined.modules:
            return
        module = f".{file_of(own)}"
    listed = re.split(r",\s*", several or names.partition("  #")[0])
    found.setdefault(module, set()).update(listed)


def _written(statements: Statements, indent: str) -> list[str]:
    """Import statements in sections: of the standard library, and of the runtime."""
    sections = []
    for is_own in (False, True):
        names = sorted(name for name in statements if name.startswith(".") is is_own)
        plain = [f"{indent}import {name}\n" for name in names if not statements[name]]
        several = [_several(name, statements[name], indent) for name in names if statements[name]]
        sections += ["".join([*plain, *several])] if names else []
    return sections


def _several(module: str, listed: set[str], indent: str) -> str:
    """One statement for all names that stay, and one for each that is renamed."""
    renamed = sorted(name for name in listed if " as " in name)
    names = sorted(listed.difference(renamed), key=_rank)
    lines = "".join(f"{indent}from {module} import {each}\n" for each in renamed)
    if not names:
        return lines
    line = f"{indent}from {module} import {', '.join(names)}\n"
    if len(line) > _LONG:
        line = (
            f"{indent}from {module} import (\n" + "".join(f"{indent}    {each},\n" for each in names) + f"{indent})\n"
        )
    return line + lines


def _rank(name: str) -> tuple[int, str]:
    """Constants, then classes, then the rest, as linters want it."""
    return 0 if name.isupper() and len(name) > 1 else 1 if name[0].isupper() else 2, name
