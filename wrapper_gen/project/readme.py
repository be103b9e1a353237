"""What the README of a project says of its package: as its spec documents it, so that nobody has to write it again."""

from __future__ import annotations

import ast
import doctest
import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from wrapper_gen import names
from wrapper_gen.examples import are_examples
from wrapper_gen.model import Module, PkgConfig

_SENTENCE = re.compile(r"(.+?[.!?])(?=\s+[A-Z]|$)")
_LONGEST_SUMMARY = 512
"""What PyPI takes."""
_FEW = 3


def summary(module: Module) -> str:
    """The first sentence of the library's documentation, on one line; empty where there is none."""
    lines = module.doc.strip().splitlines()
    first: list[str] = []
    for line, inside in zip(lines, are_examples(lines), strict=True):
        if inside or not line.strip():
            break
        first.append(_printable(line).strip())
    text = " ".join(first)
    found = _SENTENCE.match(text)
    return (found[1] if found else text)[:_LONGEST_SUMMARY]


def prose(module: Module) -> tuple[str, ...]:
    """The library's documentation as Markdown, with its examples in blocks of their own."""
    lines = [_printable(line).rstrip() for line in module.doc.strip().splitlines()]
    found: list[str] = []
    imported: set[str] = set()
    for inside, block in groupby(zip(lines, are_examples(lines), strict=True), key=lambda each: each[1]):
        text = [line for line, _ in block]
        found += _fenced(text, module, "", imported) if inside else text
    return tuple(found)


def example(module: Module) -> tuple[str, ...]:
    """The first example of an entry, where the library's own documentation has none."""
    if any(are_examples(module.doc.splitlines())):
        return ()
    for doc, submodule in _documentation(module):
        lines = [_printable(line).rstrip() for line in doc.strip().splitlines()]
        for inside, block in groupby(zip(lines, are_examples(lines), strict=True), key=lambda each: each[1]):
            if inside:
                return tuple(_fenced([line for line, _ in block], module, submodule, set()))
    return ()


def needs(module: Module) -> str:
    """What a build from the source archive takes."""
    found = [each.name for each in module.library.requires if isinstance(each, PkgConfig)] or module.library.link
    library = f", and the library with its headers: {', '.join(f'`{name}`' for name in found)}" if found else ""
    return f"a compiler for C++{module.library.cpp_std}{library}"


def over(module: Module) -> str:
    """Which library the package is over."""
    shown = [f"`{header}`" for header in module.library.includes[:_FEW]]
    headers = f" of {', '.join(shown)}{' and others' if len(module.library.includes) > _FEW else ''}" if shown else ""
    return f"the {'C' if module.language == 'c' else 'C++'} library{headers or f' {module.name}'}"


def _documentation(module: Module) -> Iterator[tuple[str, str]]:
    """What the entries of the package say, in the order in which people would look, each with its submodule."""
    of_class = {each.name: each.module for each in module.handles} | {each.name: each.module for each in module.structs}
    yield from ((each.doc, each.module) for each in module.functions)
    yield from ((each.doc, each.module) for each in module.handles)
    members = (*module.constructors, *module.methods, *module.statics, *module.record_methods)
    yield from ((each.doc, of_class.get(each.handle or each.constructs or each.static, "")) for each in members)
    yield from ((each.doc, each.module) for each in module.structs)
    yield from ((each.doc, each.module) for each in module.enums)


def _fenced(lines: Sequence[str], module: Module, submodule: str, imported: set[str]) -> list[str]:
    """An example as a block of Markdown that can be typed as it stands, with what it imports and none has before."""
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    own = [line[margin:] for line in lines]
    return ["```pycon", *_imports("\n".join(own), module, submodule, imported), *own, "```"]


def _imports(text: str, module: Module, submodule: str, imported: set[str]) -> list[str]:
    """The lines that import what an example uses, but for what is imported; that has these then, too."""
    public = {name: its for name, its in _public_names(module).items() if its in ("", submodule)}
    try:
        trees = [ast.parse(each.source) for each in doctest.DocTestParser().get_examples(text)]
    except (SyntaxError, ValueError):
        return []  # the spec's own diagnostics tell of it
    nodes = [each for tree in trees for each in ast.walk(tree) if isinstance(each, ast.Name)]
    used = {each.id for each in nodes if isinstance(each.ctx, ast.Load)} - imported
    imported |= used
    found = [f">>> import {module.package}"] if module.package in used else []
    for part in sorted({public[name] for name in used if name in public}):
        wanted = sorted(name for name in used if public.get(name) == part)
        found.append(f">>> from {module.package}{'.' * bool(part)}{part} import {', '.join(wanted)}")
    return found


def _public_names(module: Module) -> dict[str, str]:
    """The names of the package, each with its submodule."""
    found = {names.of_function(each): each.module for each in module.functions}
    found |= {each.name: each.module for each in module.handles}
    found |= {each.name: each.module for each in module.structs}
    found |= {each.name: each.module for each in module.enums}
    found |= {name: each.module for each in module.errors for name in (each.exception, *(c.name for c in each.cases))}
    return found


def _printable(line: str) -> str:
    return "".join(each if each.isprintable() else " " for each in line.expandtabs())
