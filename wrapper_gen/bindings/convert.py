"""A spec from binding code of pybind11 or nanobind, and a report of what became of each definition."""

from __future__ import annotations

from collections.abc import Sequence

from wrapper_gen.bindings.assembly import Assembly
from wrapper_gen.bindings.definitions import Finder
from wrapper_gen.bindings.outcomes import Report
from wrapper_gen.bindings.sources import Prelude, binder_folders, includes, parsed
from wrapper_gen.diagnostics import Diagnostic, Span, SpecError
from wrapper_gen.drafts.spec_text import spec_text
from wrapper_gen.frozen import frozen
from wrapper_gen.headers.read import Source


@frozen
class Conversion:
    """The text of a spec, and the report."""

    text: str
    report: Report


def convert(
    files: Sequence[str],
    lib: str,
    binder: str,
    *,
    folders: Sequence[str] = (),
    defines: Sequence[str] = (),
    standard: str = "",
) -> Conversion:
    """A spec of the library `lib` from the files of a module.

    Args:
        files: the C++ files with its bindings.
        lib: the name of the library.
        binder: `pybind11` or `nanobind`.
        folders: folders with headers that the files include.
        defines: macros, `NAME` or `NAME=1`.
        standard: of C++, as `gnu++20`; `gnu++17` if it is empty.

    Raises:
        SpecError: a file cannot be read or does not parse (WG301), or has no bindings (WG310).
    """
    said = Source((), "c++", standard, tuple(defines), (*folders, *binder_folders(binder)))
    units, clang = parsed(files, said, binder)
    finder = Finder(files)
    for unit in units:
        finder.read(unit)
    definitions = finder.definitions()
    if not definitions and not finder.templates:
        hint = f"name the file that has the module: PYBIND11_MODULE, NB_MODULE or a function that is given one; or another --from than {binder}"
        raise SpecError([Diagnostic("WG310", f"no bindings of {binder} in this file", Span(each, 1, 1), hint) for each in files])
    assembly = Assembly(lib, binder, files, definitions, finder, clang.reader().type)
    assembly.run()
    trampolines = {each.trampoline.get_usr() for each in assembly.classes.values() if each.trampoline is not None}
    prelude = Prelude(finder.bindings | assembly.context.inlined, trampolines)
    text = prelude.text(units, files)
    return Conversion(spec_text(assembly.draft(text, includes(files), standard)), assembly.report())
