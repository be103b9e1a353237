"""A spec from binding code of pybind11 or nanobind, and a report of what became of each definition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wrapper_gen.bindings.assembly import Assembly
from wrapper_gen.bindings.cursors import use_texts
from wrapper_gen.bindings.definitions import Finder
from wrapper_gen.bindings.instances import instances_of
from wrapper_gen.bindings.outcomes import ConversionReport
from wrapper_gen.bindings.sources import (
    Prelude,
    binder_folders,
    defined_first,
    header_folders,
    includes,
    missing_includes,
    parsed,
)
from wrapper_gen.diagnostics import Diagnostic, Span, SpecError
from wrapper_gen.drafts.spec_text import spec_text
from wrapper_gen.frozen import frozen
from wrapper_gen.headers.read import HeaderSource


@frozen
class Conversion:
    """The text of a spec, and the report."""

    text: str
    report: ConversionReport


def convert(
    files: Sequence[str],
    lib: str,
    binder: str,
    *,
    folders: Sequence[str] = (),
    defines: Sequence[str] = (),
    standard: str = "",
    beside: str = ".",
) -> Conversion:
    """A spec of the library `lib` from the files of a module.

    Args:
        files: the C++ files with its bindings.
        lib: the name of the library.
        binder: `pybind11` or `nanobind`.
        folders: folders with headers that the files include.
        defines: macros, `NAME` or `NAME=1`.
        standard: of C++, as `gnu++20`; `gnu++17` if it is empty.
        beside: the folder in which the spec will be, which its own folders are relative to.

    Raises:
        SpecError: a file cannot be read or does not parse (WG301), or has no bindings (WG310).
    """
    said = HeaderSource((), "c++", standard, tuple(defines), (*folders, *binder_folders(binder)))
    use_texts({})
    units, clang = parsed(files, said, binder)
    finder = _found(Finder(files), units)
    own = {path: made for path in files if (made := instances_of(path, finder, units)) is not None}
    if own:
        units = [clang.parse_file(path, own[path].text if path in own else None) for path in files]
        use_texts({path: made.text for path, made in own.items()})
        modules = {name: module for made in own.values() for name, module in made.modules.items()}
        finder = _found(Finder(files, modules, {path: made.lines for path, made in own.items()}), units)
        written = {usr for made in own.values() for usr in made.templates}
        finder.bindings |= written
        finder.templates = [each for each in finder.templates if each.get_usr() not in written]
    definitions = finder.definitions()
    if not definitions and not finder.templates:
        hint = "name the files that define a module, or functions that are given one; or the other tool with --from"
        missing = f"no bindings of {binder} in this file"
        raise SpecError([Diagnostic("WG310", missing, Span(each, 1, 1), hint) for each in files])
    prelude = Prelude(units, files)
    assembly = Assembly(lib, files, definitions, finder, prelude.is_dropped, clang.reader().type)
    assembly.run()
    trampolines = {each.trampoline.get_usr() for each in assembly.classes.values() if each.trampoline is not None}
    first = defined_first(units, files)
    text = "\n".join([*first, prelude.text(finder.bindings | assembly.context.inlined | trampolines)])
    named = includes(files)
    included = [] if first else named
    needed = [*missing_includes(said, files, included, text), *included]
    options = [f"-D{each}" for each in defines]
    return Conversion(
        spec_text(assembly.draft(text, needed, header_folders(files, named, folders, beside), options, standard)),
        assembly.report(),
    )


def _found(finder: Finder, units: Sequence[Any]) -> Finder:
    for unit in units:
        finder.read(unit)
    return finder
