"""Finds which functions a package loads at first use: those that its code names, and that nothing linked has.

The compiler says what they are. The bridge is preprocessed once; each name in its code that is declared before it, like
a function, is tried.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence

from ._library import undefined_functions
from ._processes import execute
from ._toolchain import HERE, Extension, Library, Tools, compile_command, libraries, quietly

_FUNCTIONS_HERE = "struct wg_loaded_functions;"
"""Stands in the bridge where they are defined, behind the library's own declarations."""
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_DECLARED = re.compile(r"([A-Za-z_]\w*)\)?\s*\(")
_AT_PROBE = re.compile(r"^probe\.cpp:(\d+):", re.MULTILINE)
_MOST_PROBES = 4
"""So often names are left out that are none of functions: a mistake in a line may hide one in another."""
_KEYWORDS = frozenset(
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char class co_await co_return co_yield"
    " compl concept const const_cast consteval constexpr constinit continue decltype default delete do double"
    " dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace"
    " new noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires"
    " return short signed sizeof static static_assert static_cast struct switch template this thread_local throw true"
    " try typedef typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq".split()
)


def list_loaded_functions(extension: Extension, tools: Tools, library: Library) -> str:
    """The header that names them, which the bridge includes; empty where nothing is loaded."""
    if not extension.dynamic:
        return ""
    command = compile_command(extension, tools.cxx, library, stub=False, optimise="-O0")
    whole = execute([*command, "-E", "bridge.cpp"], HERE).stdout
    before, _, after = whole.partition(_FUNCTIONS_HERE)  # where it does not compile, that is shown when it is compiled
    own = {*_DECLARED.findall((HERE / "bridge.h").read_text(encoding="utf-8"))}
    declared = {*_DECLARED.findall(before)} - own - _KEYWORDS
    names = sorted(declared.intersection(_IDENTIFIER.findall(after)))
    key = hashlib.sha256(json.dumps([command, before, names]).encode()).hexdigest()
    path = tools.state / "loaded_functions.hpp"
    head = f"// Written by the build, of {key}.\n"
    if not path.is_file() or not path.read_text(encoding="utf-8").startswith(head):
        listed = _loaded(tools, library, command, before, names)
        path.write_text(head + "".join(f"WG_LOADED({name})\n" for name in listed), encoding="utf-8")
    return str(path)


def _loaded(tools: Tools, library: Library, command: Sequence[str], before: str, names: Sequence[str]) -> list[str]:
    """Which of these names are those of functions that nothing has; `before` is what declares them."""
    source, probe = tools.work / "probe.cpp", str(tools.work / "probe.o")
    compiled = [*command, "-w", "-x", "c++-cpp-output", "-c", str(source), "-o", probe]
    for _ in range(_MOST_PROBES):
        source.write_text(f'{before}}}\n# 1 "probe.cpp"\n{_probes(names)}', encoding="utf-8")
        done = quietly(compiled)
        if done.returncode == 0:
            return [name for name in undefined_functions(tools, [probe], libraries(library, ())) if name in names]
        refused = {int(line) - 1 for line in _AT_PROBE.findall(done.stderr)}
        if not refused:
            break
        names = [name for i, name in enumerate(names) if i not in refused]
    return []


def _probes(names: Sequence[str]) -> str:
    """A line for each name, which does not compile where that is no function, or one of several."""
    probe = (
        "extern const auto wg_probe_{0} = static_cast<std::enable_if_t<std::is_function_v<std::remove_pointer_t<"
        "decltype(&::{1})>>, decltype(&::{1})>>(&::{1});\n"
    )
    return "".join(probe.format(i, name) for i, name in enumerate(names))
