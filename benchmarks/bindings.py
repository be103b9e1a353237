"""One made-up library of any size, bound for each tool, and what compiles each binding; it measures nothing."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from common import first_line
from contenders import CYTHON, NANOBIND, OURS, PYBIND11, PYTHON, SWIG, execute, package_folder
from made_up import FUNCTIONS_PER_CLASS, Routine, functions

OURS_BOTH = "wrapper-gen, both engines"
NANOBIND_ALONE = "nanobind, its library built before"
FLAGS = ("-std=c++17", "-DNDEBUG", "-g0", "-fPIC", "-fvisibility=hidden")
"""For everyone, besides the optimisation."""


@dataclass(frozen=True, slots=True)
class Binding:
    """One tool's binding, written down: what compiles it, the file that makes, what to import from where."""

    name: str
    command: Sequence[str]
    output: Path
    root: Path
    module: str
    again: Sequence[str] = ()  # what the command needs besides, to compile what is up to date

    def compile_once(self) -> None:
        """Compile it unless it is newer than all it is made from; ours looks for itself.

        Raises:
            BuildFailed: the compiler failed.
        """
        sources = [Path(word) for word in self.command if word.endswith(".cpp")]
        sources += [source.with_name("bench.hpp") for source in sources if source.is_relative_to(self.root)]
        current = self.output.exists() and not self.again
        if not current or any(source.stat().st_mtime > self.output.stat().st_mtime for source in sources):
            execute(self.command)


@dataclass(frozen=True, slots=True)
class Library:
    """`count` functions; and, in classes of ten, `methods` methods."""

    count: int
    methods: int

    def classes(self) -> list[tuple[str, list[Routine]]]:
        routines = list(functions(self.methods))
        step = FUNCTIONS_PER_CLASS
        return [(f"Record{i // step}", routines[i : i + step]) for i in range(0, len(routines), step)]


def write(library: Library, folder: Path, optimised: str = "-O2") -> list[Binding]:
    """Write every binding of the library, run the generators where that is new, and say what compiles each.

    Raises:
        BuildFailed: a generator failed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    _update(folder / "bench.hpp", header_of(library))
    python = json.loads(first_line([str(PYTHON), "-c", _ASK_PYTHON]))
    compiler = ["g++", *FLAGS, optimised, f"-I{folder}", f"-I{python['include']}", "-shared", "-s"]

    def one(name: str, module: str, extra: Sequence[str]) -> Binding:
        output = folder / f"{module}{python['suffix']}"
        return Binding(name, [*compiler, *extra, "-o", str(output)], output, folder, module)

    _update(folder / "with_nanobind.cpp", _nanobind(library))
    _update(folder / "with_pybind11.cpp", _pybind11(library))
    if _update(folder / "with_cython.pyx", _cython(library)):
        execute([str(PYTHON), "-m", "cython", "--cplus", "-3", f"{folder}/with_cython.pyx", "-o", f"{folder}/cy.cpp"])
    if _update(folder / "with_swig.i", f"{_SWIG}/* {library} */\n"):
        options = [*_SWIG_OPTIONS, f"-I{folder}", "-outdir", str(folder)]
        execute(["swig", *options, "-o", f"{folder}/sw.cpp", f"{folder}/with_swig.i"])
    own = package_folder("nanobind")
    nanobind = [f"-I{own / 'include'}", f"-I{own / 'ext' / 'robin_map' / 'include'}", "-fno-strict-aliasing"]
    core = own / "src" / "nb_combined.cpp"
    built = folder / "nanobind.o"
    if not built.exists():
        execute([*compiler[:-2], "-O2", *nanobind, "-c", str(core), "-o", str(built)])
    nanobind += [f"{folder}/with_nanobind.cpp"]
    return [
        *_ours(library, folder, python["suffix"], optimised),
        one(NANOBIND, "with_nanobind", [*nanobind, str(core)]),
        one(NANOBIND_ALONE, "with_nanobind", [*nanobind, str(built)]),
        one(PYBIND11, "with_pybind11", [f"-I{package_folder('pybind11') / 'include'}", f"{folder}/with_pybind11.cpp"]),
        one(CYTHON, "with_cython", ["-fno-strict-aliasing", f"{folder}/cy.cpp"]),
        one(SWIG, "_with_swig", [f"{folder}/sw.cpp"]),
    ]


def _ours(library: Library, folder: Path, suffix: str, optimised: str) -> list[Binding]:
    """Our package twice, so that each is built with its engines and nothing else."""
    found = []
    (folder / "bench.wrapper_spec").write_text(spec_of(library))
    for name, engine in ((OURS, "cpython"), (OURS_BOTH, "both")):
        # The package's folder is the output's; the spec finds its header beside itself.
        target = folder / engine
        execute([sys.executable, "-m", "wrapper_gen", f"{folder}/bench.wrapper_spec", "-o", str(target)])
        package = target / "bench_ffi"
        script = [str(PYTHON), str(package / "ffi_build.py"), "--engine", engine]
        command = ["env", "LDFLAGS=-s", "CXX=g++", f"CXXFLAGS=-DNDEBUG {optimised} -I{folder}", *script]
        found.append(Binding(name, command, package / f"_bench_ffi{suffix}", target, "bench_ffi", ["--force"]))
    return found


def _update(file: Path, text: str) -> bool:
    """Write a file unless it already holds the text; whether that was needed."""
    if file.exists() and file.read_text() == text:
        return False
    file.write_text(text)
    return True


_ASK_PYTHON = (
    "import json, sysconfig as s; "
    "print(json.dumps({'include': s.get_path('include'), 'suffix': s.get_config_var('EXT_SUFFIX')}))"
)


# --- the library, and its bindings ----------------------------------------------------------------------------


def _body(routine: Routine) -> str:
    """Uses what it is given: the types of the parameters follow from the result's."""
    (_, first), (_, second) = routine.parameters
    numbers = {"i64": "first", "f64": "first", "bool": "first", "text": "first.size()"}
    if routine.returns == "text":
        return "return first + std::to_string(second);"
    value = {"text": "second.size()"}.get(second, "second")
    kind = routine.declaration().split(" ")[0]
    return f"return static_cast<{kind}>({numbers[first]} + {value});"


def _definition(routine: Routine) -> str:
    return f"inline {routine.declaration()} {{ {_body(routine)} }}"


def header_of(library: Library) -> str:
    lines = ["#pragma once", "#include <cstdint>", "#include <string>"]
    lines += [_definition(each) for each in functions(library.count)]
    for name, routines in library.classes():
        lines += [f"class {name} {{", "public:", f"    {name}() : seen_(0) {{}}"]
        lines += [f"    {_definition(each)}" for each in routines] + ["private:", "    std::int64_t seen_;", "};"]
    return "\n".join(lines) + "\n"


def spec_of(library: Library) -> str:
    text = ["wrapper_lib:\n  name: bench\n  cpp_include: '\"bench.hpp\"'\nhandle_types:\n"]
    text += [f'  - {{name: {name}, cpp_type: "::{name}"}}\n' for name, _ in library.classes()] or ["  []\n"]
    text.append("functions:\n")
    text += [f"  - name: {each.name}\n    cpp_fn: {each.name}\n{each.spec()}" for each in functions(library.count)]
    for name, _ in library.classes():
        text.append(f'  - {{name: {name.lower()}_create, cpp_fn: "[]() {{ return ::{name}(); }}", return: {name}}}\n')
    text.append("methods:\n" if library.methods else "")
    for name, routines in library.classes():
        start = f"  - handle: {name}\n    name: "
        text += [f"{start}{each.name}\n    cpp_method: {each.name}\n{each.spec()}" for each in routines]
    return "".join(text)


def _nanobind(library: Library) -> str:
    lines = ["#include <nanobind/nanobind.h>", "#include <nanobind/stl/string.h>", '#include "bench.hpp"']
    lines += ["namespace nb = nanobind;", "using namespace nb::literals;", "NB_MODULE(with_nanobind, m) {"]
    names = '"first"_a, "second"_a'
    lines += [f'    m.def("{each.name}", &{each.name}, {names});' for each in functions(library.count)]
    for name, routines in library.classes():
        lines.append(f'    nb::class_<{name}>(m, "{name}").def(nb::init<>())')
        lines += [f'        .def("{each.name}", &{name}::{each.name}, {names})' for each in routines] + ["    ;"]
    return "\n".join([*lines, "}"]) + "\n"


def _pybind11(library: Library) -> str:
    lines = ["#include <pybind11/pybind11.h>", '#include "bench.hpp"', "namespace py = pybind11;"]
    lines += ["PYBIND11_MODULE(with_pybind11, m) {"]
    names = 'py::arg("first"), py::arg("second")'
    lines += [f'    m.def("{each.name}", &{each.name}, {names});' for each in functions(library.count)]
    for name, routines in library.classes():
        lines.append(f'    py::class_<{name}>(m, "{name}").def(py::init<>())')
        lines += [f'        .def("{each.name}", &{name}::{each.name}, {names})' for each in routines] + ["    ;"]
    return "\n".join([*lines, "}"]) + "\n"


_CYTHON_TYPES = {"i64": "int64_t", "f64": "double", "bool": "cpp_bool", "text": "string"}
_CYTHON_TAKEN = {"i64": "int64_t", "f64": "double", "bool": "bint", "text": "str"}


def _cython(library: Library) -> str:
    lines = ["from libc.stdint cimport int64_t", "from libcpp cimport bool as cpp_bool"]
    lines += ["from libcpp.string cimport string", 'cdef extern from "bench.hpp":']
    lines += [f"    {_cython_extern(each, 'cpp_' + each.name)}" for each in functions(library.count)]
    for name, routines in library.classes():
        lines += [f'    cdef cppclass Cpp{name} "{name}":', f"        Cpp{name}() except +"]
        lines += [f"        {_cython_extern(each, each.name)}" for each in routines]
    for each in functions(library.count):
        lines += [f"def {each.name}({_cython_taken(each)}):", f"    {_cython_call(each, f'cpp_{each.name}')}"]
    for name, routines in library.classes():
        lines += [f"cdef class {name}:", f"    cdef Cpp{name} *own", "    def __cinit__(self):"]
        lines += [f"        self.own = new Cpp{name}()", "    def __dealloc__(self):", "        del self.own"]
        for each in routines:
            lines += [f"    def {each.name}(self, {_cython_taken(each)}):"]
            lines += [f"        {_cython_call(each, f'self.own.{each.name}')}"]
    return "\n".join(lines) + "\n"


def _cython_extern(routine: Routine, name: str) -> str:
    types = ", ".join(_CYTHON_TYPES[kind] for _, kind in routine.parameters)
    renamed = f'{name} "{routine.name}"' if name != routine.name else name
    return f"{_CYTHON_TYPES[routine.returns]} {renamed}({types}) except +"


def _cython_taken(routine: Routine) -> str:
    return ", ".join(
        f"{_CYTHON_TAKEN[kind]} {name}{' not None' if kind == 'text' else ''}" for name, kind in routine.parameters
    )


def _cython_call(routine: Routine, name: str) -> str:
    given = ", ".join(f"{each}.encode()" if kind == "text" else each for each, kind in routine.parameters)
    return f"return {name}({given})" + (".decode()" if routine.returns == "text" else "")


_SWIG_OPTIONS = ("-c++", "-python", "-builtin", "-O")
_SWIG = """\
%module with_swig
%include <stdint.i>
%include <std_string.i>
%{
#include "bench.hpp"
%}
%include "bench.hpp"
"""
