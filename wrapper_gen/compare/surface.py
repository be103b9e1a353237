"""What callers of a package see: its type stubs and the C functions of its bridge, by name."""

from __future__ import annotations

import ast
import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from wrapper_gen import disk, pipeline
from wrapper_gen.compare.revisions import extracted, is_revision
from wrapper_gen.frozen import frozen, replace
from wrapper_gen.headers.lock import split_arguments
from wrapper_gen.runtime_files import Runtime

_MOST_BYTES = 64 << 20
_PROTOTYPE = re.compile(r"^(?!typedef|extern)([A-Za-z_][\w *]*?[ *])(\w+)\(([^;{}]*)\);$", re.MULTILINE)
_STRUCT = re.compile(r"^typedef struct (\w+) \{\n(.*?)\n\} \1;$", re.MULTILINE | re.DOTALL)
_VERSION = re.compile(r'^__version__ = "(.*)"$', re.MULTILINE)
_LIBRARY = re.compile(r"^namespace wg_(\w+) \{$", re.MULTILINE)
_VALUES = re.compile(r"^const int64_t (\w+)\[\d+\] = \{\n(.*?)^\};$", re.MULTILINE | re.DOTALL)
_CAST = "static_cast<int64_t>"
_CONSTANTS = re.compile(
    r"^inline wg::Result<.*> wg_code_(\w+)\(\) \{\n#line .*\nreturn (.*);\n#line .*\n\}$", re.MULTILINE
)
_INTERNAL = re.compile(r"wg_\w+?_(?!handle)")


class NotComparable(Exception):
    """There is neither a spec nor a generated package; the message says what there is."""


@frozen
class StubParameter:
    """A parameter as the type stub has it; `way` is how it is given: `position`, `either`, `name`, `rest`, `names`."""

    name: str
    type: str
    default: str
    way: str


@frozen
class StubSignature:
    """One form of a function: its parameters, without `self`, and its result."""

    parameters: tuple[StubParameter, ...]
    result: str


@frozen
class Member:
    """Something with a name: a function, a property, a class, a constant."""

    kind: str
    """`function`, `property`, `property that can be set`, `class`, `value` or `constant`."""
    forms: tuple[StubSignature, ...] = ()
    type: str = ""
    """Of a property or a constant; of a class its bases."""
    value: str = ""
    """Of a value of an enum, or a constant, what C++ has for it, as far as the bridge says it in one expression."""


@frozen
class Surface:
    """All of it: names of Python with their classes and submodules, and prototypes of C."""

    name: str
    version: str
    python: Mapping[str, Member]
    c: Mapping[str, str]


def surface_of(argument: str, here: Path) -> Surface:
    """What a spec, a spec of a git revision (`REV:path`), or the folder of a generated package shows.

    Raises:
        NotComparable: it is none of these.
        SpecError: the spec has mistakes.
    """
    path = Path(argument)
    if path.is_dir():
        return _of_package(path, argument)
    if path.is_file():
        return _of_spec(path, argument)
    revision, colon, inside = argument.partition(":")
    if not colon and is_revision(argument, here):
        raise NotComparable(f"{argument} is a revision: which file of it says {argument}:FILE")
    if not colon:
        raise NotComparable(f"there is no spec and no package {argument!r}")
    if not inside:
        raise NotComparable(f"{argument} names no file of the revision {revision!r}")
    with tempfile.TemporaryDirectory(prefix="wrapper-gen-") as folder:
        root = Path(folder).resolve()
        extracted(revision, here, root)
        spec = root / inside
        if spec.is_dir():
            return _of_package(spec, argument)
        if not spec.is_file():
            raise NotComparable(f"revision {revision!r} has no file {inside!r}")
        return _of_spec(spec, argument)


def _of_spec(path: Path, shown: str) -> Surface:
    if path.suffix != ".wrapper_spec":
        raise NotComparable(f"{shown} is no spec: its name ends with {path.suffix or path.name!r}")
    module, findings = pipeline.read(path, shown)
    made = pipeline.rendered(module, findings, (1, 3), Runtime.SHARED)
    return _of_texts(module.package, {each.as_posix(): text for each, text in made.files.items()})


def _is_package(folder: Path) -> bool:
    return (folder / "__init__.pyi").is_file() and (folder / "bridge.h").is_file()


def _of_package(folder: Path, shown: str) -> Surface:
    if not _is_package(folder):
        inner = sorted(each.name for each in folder.iterdir() if _is_package(each))
        what = f"; {', '.join(inner)} in it {'is one' if len(inner) == 1 else 'are some'}" if inner else ""
        raise NotComparable(f"{shown} is no generated package: it has no __init__.pyi with a bridge.h{what}")
    name = Path(os.path.realpath(folder)).name
    wanted = [*folder.rglob("*.pyi"), *(folder / each for each in ("bridge.h", "bridge.cpp", "__init__.py"))]
    texts = {
        f"{name}/{each.relative_to(folder).as_posix()}": disk.read_regular(each, _MOST_BYTES).decode("utf-8")
        for each in wanted
        if "_runtime" not in each.relative_to(folder).parts and each.is_file()
    }
    return _of_texts(name, texts)


def _of_texts(package: str, files: Mapping[str, str]) -> Surface:
    """The surface of the files of a package, by their paths."""
    python: dict[str, Member] = {}
    for path, text in sorted(files.items()):
        if path.endswith(".pyi") and path.startswith(f"{package}/"):
            module = path.removeprefix(f"{package}/").removesuffix(".pyi").replace("/", ".")
            home = "" if module == "__init__" else f"{module.removesuffix('.__init__')}."
            python |= {f"{home}{name}": member for name, member in _members(ast.parse(text).body, "")}
    python |= _valued(python, files.get(f"{package}/bridge.cpp", ""))
    version = _VERSION.search(files.get(f"{package}/__init__.py", ""))
    return Surface(package, version[1] if version else "", python, _prototypes(files.get(f"{package}/bridge.h", "")))


# --- Python ----------------------------------------------------------------------------------------------------------


def _members(body: list[ast.stmt], home: str) -> Iterator[tuple[str, Member]]:
    """The public names of a module or of a class, those of its classes with them."""
    functions: dict[str, list[ast.FunctionDef | ast.AsyncFunctionDef]] = {}
    for each in body:
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
            functions.setdefault(each.name, []).append(each)
        elif isinstance(each, ast.ClassDef) and not each.name.startswith("_"):
            bases = ", ".join(_plain(ast.unparse(base)) for base in each.bases)
            yield f"{home}{each.name}", Member("class", _fields(each), bases)
            yield from _members(each.body, f"{home}{each.name}.")
        elif isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
            kind = "property" if home else "constant"
            yield f"{home}{each.target.id}", Member(kind, type=_plain(ast.unparse(each.annotation)))
        elif isinstance(each, ast.Assign) and isinstance(each.targets[0], ast.Name) and each.targets[0].id != "__all__":
            yield f"{home}{each.targets[0].id}", Member("value")
    for name, forms in functions.items():
        if not name.startswith("_") or (name.startswith("__") and name not in ("__enter__", "__exit__")):
            yield f"{home}{name}", _function(forms, is_method=bool(home))


def _fields(of: ast.ClassDef) -> tuple[StubSignature, ...]:
    """What makes a record or a named tuple, whose fields are in order; nothing of other classes."""
    words = " ".join(map(ast.unparse, (*of.bases, *of.decorator_list)))
    if "NamedTuple" not in words and "dataclass" not in words:
        return ()
    fields = [each for each in of.body if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)]
    found = (_parameter(ast.arg(ast.unparse(each.target), each.annotation), each.value, "either") for each in fields)
    return (StubSignature(tuple(found), ""),)


def _function(forms: list[ast.FunctionDef | ast.AsyncFunctionDef], *, is_method: bool) -> Member:
    words = [ast.unparse(each) for form in forms for each in form.decorator_list]
    if "property" in words:
        is_set = any(word.endswith(".setter") for word in words)
        kind = "property that can be set" if is_set else "property"
        return Member(kind, type=_annotation(forms[0].returns))
    is_static = "staticmethod" in words
    return Member("function", tuple(_signature(each, skips=is_method and not is_static) for each in forms))


def _signature(form: ast.FunctionDef | ast.AsyncFunctionDef, *, skips: bool) -> StubSignature:
    given = form.args
    ordered = [*((a, "position") for a in given.posonlyargs), *((a, "either") for a in given.args)]
    defaults: list[ast.expr | None] = [None] * (len(ordered) - len(given.defaults)) + [*given.defaults]
    found = [_parameter(a, default, way) for (a, way), default in zip(ordered, defaults, strict=True)]
    found = found[1:] if skips else found
    found += [_parameter(given.vararg, None, "rest")] if given.vararg else []
    found += [_parameter(a, d, "name") for a, d in zip(given.kwonlyargs, given.kw_defaults, strict=True)]
    found += [_parameter(given.kwarg, None, "names")] if given.kwarg else []
    result = _annotation(form.returns)
    is_async = isinstance(form, ast.AsyncFunctionDef)
    return StubSignature(tuple(found), f"awaitable {result}" if is_async else result)


def _parameter(argument: ast.arg, default: ast.expr | None, way: str) -> StubParameter:
    shown = "" if default is None else ast.unparse(default)
    return StubParameter(argument.arg, _annotation(argument.annotation), shown, way)


def _annotation(annotation: ast.expr | None) -> str:
    return _plain(ast.unparse(annotation)) if annotation is not None else ""


def _plain(type_: str) -> str:
    """A type without the underscores of our own imports."""
    return re.sub(r"(?<![\w.])_(?=[A-Z])", "", type_)


# --- values ----------------------------------------------------------------------------------------------------------


def _valued(python: Mapping[str, Member], bridge: str) -> dict[str, Member]:
    """The values of enums and the constants among these, with C++'s expressions for them: stubs have none."""
    found: dict[str, Member] = {}
    library = _LIBRARY.search(bridge)
    arrays: dict[str, list[str]] = {}
    for name, text in _VALUES.findall(bridge) if library else ():
        arrays.setdefault(name, _expressions(text))  # a second one is of a build without the library
    for home, member in python.items():
        if member.kind == "class":
            names = [each for each in python if each.rpartition(".")[0] == home and python[each].kind == "value"]
            values = arrays.get(f"wg_{library[1]}_{home.rpartition('.')[2]}", []) if library else []
            if len(names) == len(values):
                found |= {each: replace(python[each], value=value) for each, value in zip(names, values, strict=True)}
    for name, text in _CONSTANTS.findall(bridge):
        if name in python and python[name].kind == "constant":
            found[name] = replace(python[name], value=text)
    return found


def _expressions(text: str) -> list[str]:
    """What is cast in the initialiser of an array of values."""
    lines = " ".join(each for each in text.splitlines() if not each.startswith("#"))
    return [each[1:-1] for each in split_arguments(lines.replace(_CAST, "")) if each.startswith("(")]


# --- C ---------------------------------------------------------------------------------------------------------------


def _prototypes(header: str) -> dict[str, str]:
    """The functions of a bridge by name, without the names of their parameters, and the structs that they use."""
    found = {}
    for result, name, parameters in _PROTOTYPE.findall(header):
        types = [
            re.sub(r"\s*\b\w+$", "", each.strip()) if each.strip() != "void" else "" for each in parameters.split(",")
        ]
        found[name] = f"{result.strip()} ({', '.join(filter(None, types))})"
    for name, fields in _STRUCT.findall(header):
        found[f"struct {name}"] = " ".join(fields.split())
    return {name: text for name, text in found.items() if not _INTERNAL.match(name)}
