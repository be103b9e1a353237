"""One made-up library of any size, written down in the input language of each generator; it runs nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

CPP = {"i64": "int64_t", "f64": "double", "bool": "bool", "text": "std::string"}
SIGNATURES = (
    ("i64", "i64", "f64"),
    ("text", "text", "i64"),
    ("bool", "f64", "bool"),
    ("f64", "text", "f64"),
)
"""The result and the two parameters of a free function, in turn."""

METHODS = (
    ("size", "i64", ()),
    ("label", "text", (("index", "i64"),)),
    ("put", "void", (("key", "text"), ("value", "f64"))),
)
"""Name, result and parameters of every class's methods."""

FUNCTIONS_PER_CLASS = 10


@dataclass(frozen=True, slots=True)
class Routine:
    """A free function or a method, in the spec's types."""

    name: str
    returns: str
    parameters: tuple[tuple[str, str], ...]

    def declaration(self) -> str:
        """As C++ declares it, without the semicolon."""
        parameters = ", ".join(f"{_parameter(kind)} {name}" for name, kind in self.parameters)
        return f"{CPP.get(self.returns, self.returns)} {self.name}({parameters})"

    def spec(self) -> str:
        """The `params` and `return` that a spec gives it."""
        parameters = ", ".join(f"{{name: {name}, type: {kind}}}" for name, kind in self.parameters)
        return f"    params: [{parameters}]\n    return: {self.returns}\n"


def _parameter(kind: str) -> str:
    return "const std::string&" if kind == "text" else CPP[kind]


def functions(count: int) -> Iterator[Routine]:
    for i in range(count):
        returns, first, second = SIGNATURES[i % len(SIGNATURES)]
        yield Routine(f"compute_{i}", returns, (("first", first), ("second", second)))


def classes(count: int) -> list[str]:
    return [f"Record{i}" for i in range(count // FUNCTIONS_PER_CLASS)]


METHOD_ROUTINES = tuple(Routine(*method) for method in METHODS)


def header(count: int) -> str:
    """The library itself: what SWIG and litgen read, and what all the results would be compiled against."""
    lines = ["#pragma once", "#include <cstdint>", "#include <string>"]
    lines += [f"{routine.declaration()};" for routine in functions(count)]
    for name in classes(count):
        lines += [f"class {name} {{", "public:", f"    {name}();"]
        lines += [f"    {method.declaration()};" for method in METHOD_ROUTINES] + ["};"]
    return "\n".join(lines) + "\n"


def wrapper_spec(count: int) -> str:
    """For wrapper-gen: a constructor is a function that returns the handle."""
    text = ['wrapper_lib:\n  name: bench\n  version: "1.0.0"\n  cpp_include: bench.hpp\nhandle_types:\n']
    text += [f'  - name: {name}\n    cpp_type: "::{name}"\n' for name in classes(count)] or ["  []\n"]
    text.append("functions:\n")
    text += [f"  - name: {r.name}\n    cpp_fn: {r.name}\n{r.spec()}" for r in functions(count)]
    for name in classes(count):
        create = Routine(f"{name.lower()}_create", name, ())
        text.append(f'  - name: {create.name}\n    cpp_fn: "[]() {{ return ::{name}(); }}"\n{create.spec()}')
    text.append("methods:\n")
    for name in classes(count):
        text += [
            f"  - handle: {name}\n    name: {method.name}\n    cpp_method: {method.name}\n{method.spec()}"
            for method in METHOD_ROUTINES
        ]
    return "".join(text)


SWIG_INTERFACE = """\
%module bench
%include <stdint.i>
%include <std_string.i>
%{
#include "bench.hpp"
%}
%include "bench.hpp"
"""
"""For SWIG: its own typemaps for the standard types, then the header."""


def shroud_declarations(count: int) -> str:
    """For Shroud: Python only, no Fortran and no C."""
    lines = ["library: bench", "cxx_header: bench.hpp", "options:"]
    lines += ["  wrap_fortran: false", "  wrap_c: false", "  wrap_python: true", "declarations:"]
    lines += [f"- decl: {routine.declaration()}" for routine in functions(count)]
    for name in classes(count):
        lines += [f"- decl: class {name}", "  declarations:", f"  - decl: {name}()"]
        lines += [f"  - decl: {method.declaration()}" for method in METHOD_ROUTINES]
    return "\n".join(lines) + "\n"


LITGEN_PROGRAM = """\
import sys
import litgen

header, folder = sys.argv[1:]
with open(f"{folder}/bindings.cpp", "w") as file:
    file.write("// <litgen_glue_code>\\n// </litgen_glue_code>\\n// <litgen_pydef>\\n// </litgen_pydef>\\n")
with open(f"{folder}/bindings.pyi", "w") as file:
    file.write("# <litgen_stub>\\n# </litgen_stub>\\n")
litgen.write_generated_code_for_file(
    litgen.LitgenOptions(), header, f"{folder}/bindings.cpp", f"{folder}/bindings.pyi"
)
"""


def write_all(count: int, folder: Path) -> None:
    """Every spelling of the library into one folder."""
    (folder / "bench.hpp").write_text(header(count))
    (folder / "bench.wrapper_spec").write_text(wrapper_spec(count))
    (folder / "bench.i").write_text(SWIG_INTERFACE)
    (folder / "bench.yaml").write_text(shroud_declarations(count))
    (folder / "litgen_program.py").write_text(LITGEN_PROGRAM)
