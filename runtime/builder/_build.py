"""Builds the extension module of its package; needs a C++ compiler, for the cffi engine cffi, and never wrapper-gen.

`ffi_build.py` is what to run; `_library.py` finds the library, `_toolchain.py` the compilers, `_dependencies.py` knows
what was compiled, `_incremental.py` what of that can be used again, `_runtime_object.py` has what all packages
share, and `_processes.py` ends the compilers with the build.
Objects lie in a cache folder; the package gets the extension and nothing else.

Exit codes: 0 built or up to date, 1 compiling failed, 3 a tool is missing, 4 the library is missing, 5 it has not all
functions that are called, 6 a file cannot be written, 7 the spec or a source has changed since it was generated.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import importlib.util
import itertools
import json
import os
import platform
import re
import shutil
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any

from . import ABI
from ._dependencies import RECORD, TRACE, are_current, digest, digests, inputs_here, refuse_stale, write_rule
from ._incremental import Objects, Unit, dealt_out, macros
from ._library import discover, missing_part, origin, refuse_missing, refuse_stub, refuse_undefined, undefined_functions
from ._loaded_functions import list_loaded_functions
from ._msvc import is_msvc
from ._processes import end_compilers, remove_tree, watch
from ._runtime_object import APART, RuntimeObject
from ._toolchain import (
    ABI3_SUFFIX,
    HERE,
    INTERRUPTED,
    LINUX,
    LOADED_FUNCTIONS,
    NO_TOOL,
    NOT_WRITTEN,
    OTHER_CACHE,
    RUNTIME,
    Extension,
    Library,
    Stopped,
    Tools,
    cache,
    check_flags,
    compile_command,
    find_tools,
    from_here,
    is_debugged,
    libraries,
    relative,
    require_cffi,
    run,
    say,
    shared,
    succeeds,
    wheel_tag,
)

_STAMP = "stamp.json"
"""What the last build was made of."""
_OBJECTS = "objects"
"""What groups of functions were compiled to, where a build follows another one."""
_MOST_READ = 32_000_000
"""Bytes of headers: where there are more, to read them for each group takes longer than to compile all at once."""
_UNFINISHED = ".new"
DESCRIBED = tuple(
    "package module std sources include library_include include_after define compile_args cppflags link_args "
    "made_from".split()
)
"""The keys of what is told to other build systems."""


def main(description: Mapping[str, Any], abi: int = ABI) -> None:
    """Build what `ffi_build.py`, made for a runtime of version `abi`, describes, unless nothing changed since then."""
    extension = Extension(**{key: value for key, value in description.items() if key in Extension.__annotations__})
    options = _options(extension)
    try:
        if abi != ABI:
            hint = f"generate it anew with the wrapper-gen that this runtime is of, or install version {abi} of it"
            raise Stopped(f"it was generated for version {abi} of {RUNTIME}, which is {ABI}", NO_TOOL, hint)
        if unknown := [key for key in description if key not in Extension.__annotations__]:
            hint = "generate it anew with the wrapper-gen that this runtime is of, or take the runtime of that"
            raise Stopped(f"a later wrapper-gen made it: this runtime knows no {unknown[0]!r}", NO_TOOL, hint)
        refuse_stale(extension)
        if options.describe is not None and os.name == "nt":  # CMake knows the compiler there
            _describe(extension, None, options)
            return
        _hold(HERE)
        engines = _engines(options)
        tools = find_tools(extension, options.abi3, remembers=not options.check_only, jobs=options.jobs)
        _hold(tools.state)  # another machine or container may have a package at the same place
        end = watch(lambda: _remove_unfinished(extension, tools), ends_with_stdin=options.ends_with_stdin)
        try:
            shutil.rmtree(tools.work, ignore_errors=True)
            tools.work.mkdir(parents=True)
            if options.describe is not None:
                _describe(extension, tools, options)
            else:
                (_check if options.check_only else _build)(extension, tools, options, engines)
        finally:
            shutil.rmtree(tools.work, ignore_errors=True)
            end()
    except Stopped as stopped:
        for line in filter(None, (stopped.message, stopped.hint and f"hint: {stopped.hint}")):
            say(extension, line)
        raise SystemExit(stopped.code) from None
    except OSError as error:
        say(extension, str(error))
        say(extension, f"hint: make room there, or remove what is in the way; of a cache folder, {OTHER_CACHE}")
        raise SystemExit(NOT_WRITTEN) from None
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None


def _remove_unfinished(extension: Extension, tools: Tools) -> None:
    """Remove what only a running build has."""
    remove_tree(tools.work)
    for path in HERE.glob(f"_{extension.package}.*{_UNFINISHED}*"):
        path.unlink(missing_ok=True)


def _options(extension: Extension) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=f"Build the extension module of {extension.package}.")
    parser.add_argument("--stub", action="store_true", help="build without the library, even where it is")
    parser.add_argument("--allow-stub", action="store_true", help="build without the library if it is not there")
    parser.add_argument(
        "--require", action="store_true", help="a missing library is an error, even one that is optional"
    )
    parser.add_argument(
        "--engine",
        type=lambda name: "cpython" if name == "native" else name,  # its former name
        choices=("auto", "both", "cpython", "cffi"),
        default="auto",
        help="what to build (default: auto, the engine that this Python uses)",
    )
    parser.add_argument("--abi3", action="store_true", help="one extension for CPython 3.11 and all later versions")
    parser.add_argument("--force", action="store_true", help="build even when nothing changed")
    parser.add_argument("--check-only", action="store_true", help="only say whether it compiles; makes nothing")
    parser.add_argument(
        "-j", "--jobs", type=_count, metavar="N", help="how many compilers run at a time (default: one for each core)"
    )
    parser.add_argument("--progress", action="store_true", help="say how many files are compiled, for who shows it")
    parser.add_argument(
        "--describe",
        nargs="?",
        const="all",
        choices=("all", *DESCRIBED),
        metavar="KEY",
        help="print, as JSON, what another build system has to compile and to link; of a KEY, one value a line",
    )
    parser.add_argument("--depfile", type=Path, metavar="FILE", help="write a Makefile rule of what it is built from")
    parser.add_argument(
        "--ends-with-stdin", action="store_true", help="end when standard input does, as when what started it is gone"
    )
    return parser.parse_args()


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is less than one")
    return number


def _engines(options: argparse.Namespace) -> set[str]:
    """The engines to build: the cpython one is CPython's, and a stub has only the other."""
    is_cpython = sys.implementation.name == "cpython"
    if options.engine == "cpython" and not is_cpython:
        what = f"{platform.python_implementation()} {platform.python_version()}"
        raise Stopped(f"--engine cpython is for CPython, and this is {what}", NO_TOOL, "build it without --engine")
    if options.stub or not is_cpython:
        return {"cffi"}
    return {"both": {"cpython", "cffi"}, "auto": {"cpython"}}.get(options.engine, {options.engine})


def _build(extension: Extension, tools: Tools, options: argparse.Namespace, engines: set[str]) -> None:
    if "cffi" in engines:
        require_cffi()  # before anything that an earlier build made is removed
    library = Library() if options.stub else discover(extension)
    key = _key(extension, tools, library, options.stub)
    target = HERE / f"_{extension.package}{tools.suffix}"
    last = _last_time(tools)
    is_again = (bool(last) or (tools.state / _OBJECTS).is_dir()) and not options.force
    headers = [Path(name) for name in last.get("files", ()) if not name.endswith(".a")]
    bytes_read = sum(path.stat().st_size for path in headers if path.is_file())
    is_last = last.get("key") == key and are_current(last.get("files", {"": ""}))
    if not is_last or not _is_intact(target, last) or not _has_engines(last, options.engine, engines):
        last = {}
    if last and not options.force and (options.stub or not last["missing"]):
        _done(extension, tools, f"up to date, {last['how']}", target, last, options.depfile, rebuilt=False)
        return
    with _leaving_nothing_else(extension, tools, target):
        missing = _missing(extension, tools, library, options)
        if last and not options.force and missing == last["missing"]:
            _done(extension, tools, f"up to date, {last['how']}", target, last, options.depfile, rebuilt=False)
            return
        how = origin(extension, library)
        if missing:
            how = f"stub mode: {missing}" + ("" if options.stub else f" ({library.looked})")
        say(extension, how)
        if not missing:
            refuse_missing(extension, tools, library)
            library.loaded_functions = list_loaded_functions(extension, tools, library)
        started, date = time.monotonic(), time.time()
        chosen = {"cffi"} if missing else engines
        (tools.state / _STAMP).unlink(missing_ok=True)  # whatever ends this build, nothing counts as built then
        found = Library() if missing else library
        made = _Making(extension, tools, found, missing, chosen, is_again, bytes_read, options.progress)
        linked, read = _compile_and_link(made, target)
        stamp: dict[str, Any] = {"key": key, "missing": missing, "how": how, "engines": sorted(chosen)}
        stamp |= {"size": target.stat().st_size, "sha256": digest(target)}
        stamp["files"] = read | digests(tools.work, linked, date)
        _remember(extension, tools, stamp)
    took = time.monotonic() - started
    _done(extension, tools, f"built {target.name} in {took:.1f} s", target, stamp, options.depfile, rebuilt=True)


def _missing(extension: Extension, tools: Tools, library: Library, options: argparse.Namespace) -> str:
    """Why it will be a stub; empty where it will be none. Stops where neither the spec nor an option allows that."""
    check_flags(extension, tools, library, options.stub)
    missing = "--stub left it out" if options.stub else missing_part(extension, tools, library)
    if missing and not options.stub and (options.require or not (extension.optional or options.allow_stub)):
        refuse_stub(extension, library, missing)
    return missing


def _check(extension: Extension, tools: Tools, options: argparse.Namespace, engines: set[str]) -> None:
    """Let the compiler read all that would be compiled; nothing is made, and an extension that is there stays."""
    library = Library() if options.stub else discover(extension)
    missing = _missing(extension, tools, library, options)
    if not missing:
        refuse_missing(extension, tools, library)
        library.loaded_functions = list_loaded_functions(extension, tools, library)
    started = time.monotonic()
    chosen = {"cffi"} if missing else engines
    units = _units(extension, tools, library, missing, chosen, most=1)
    sources = _sources(extension, tools, library, missing)
    if library.absent and not missing and not extension.dynamic and not is_msvc(tools.cxx):
        _check_linked(extension, tools, library, units, sources)
    else:
        units = [replace(unit, command=[*unit.command, APART]) for unit in units] + sources
        _all_of(tools, [partial(run, extension, [*unit.command, "-fsyntax-only", unit.source]) for unit in units])
    say(extension, f"compiles ({time.monotonic() - started:.1f} s)")
    print(json.dumps({"extension": "", "stub": bool(missing), "missing": missing, "rebuilt": False, "record": ""}))


def _check_linked(
    extension: Extension, tools: Tools, library: Library, units: Sequence[Unit], sources: Sequence[Unit]
) -> None:
    """Compile, where something that the spec requires is not here, to know whether other libraries have what it has."""
    objects = [str(tools.work / f"checked_{number}.o") for number in range(len(units) + len(sources))]
    commands = [
        [*unit.command, "-O0", "-c", unit.source, "-o", path]
        for unit, path in zip([*units, *sources], objects, strict=True)
    ]
    _all_of(tools, [partial(run, extension, command) for command in commands])
    linked = [*libraries(library, extension.link), *extension.link_args]
    if undefined := undefined_functions(tools, objects, linked):
        refuse_undefined(extension, tools, library, undefined, [(unit.source, [*unit.command]) for unit in sources])


def _describe(extension: Extension, tools: Tools | None, options: argparse.Namespace) -> None:
    """Print how the cpython engine is compiled and linked, for a build system of another kind; nothing is made.

    Paths are absolute. Flags of the environment are left to that build system. Without tools, nobody asks whether the
    library is there.
    """
    library = discover(extension)
    if tools:
        _missing(extension, tools, library, argparse.Namespace(stub=False, allow_stub=False, require=True))
        library.loaded_functions = list_loaded_functions(extension, tools, library)
    linked = () if extension.dynamic else extension.link
    link = libraries(library, linked) if tools else [*linked, *library.link_args]
    defined = [f"{extension.guard}=1", "WG_CPYTHON_ONLY", "WG_UNITS=1", "WG_UNIT=0"]
    name = LOADED_FUNCTIONS.removeprefix("-D")
    loaded = [f'{name}"{library.loaded_functions}"'] if library.loaded_functions else []
    include = [str(HERE / "sources"), *([] if RUNTIME.parent == HERE else [str(RUNTIME)])]
    outside = [str(folder.resolve()) for folder in library.include]
    compile_args = [*library.compile_args, *extension.compile_args]
    described: dict[str, Any] = {
        "package": extension.package,
        "module": f"_{extension.package}",
        "std": extension.cpp_std,
        "sources": [str(HERE / source) for source in ("cpython.cpp", *extension.sources)],
        "include": include,
        "library_include": outside,
        "include_after": [str(HERE)],  # as PACKAGE: no header of the library is hidden by one of the package
        "define": [*defined, *loaded],
        "compile_args": compile_args,
        "cppflags": [
            *(f"-D{each}" for each in (*defined, *loaded)),
            *(f"-I{each}" for each in include),
            *(f"-isystem{each}" for each in outside),
            *compile_args,
            f"{'-I' if os.name == 'nt' else '-idirafter'}{HERE}",
        ],
        "link_args": [
            *link,
            *extension.link_args,
            *(["-ldl"] if LINUX and extension.dynamic else []),
        ],
        "made_from": [str(path) for path in inputs_here(extension)],
    }
    if options.describe == "all":
        print(json.dumps(described, indent=2))
        return
    values = described[options.describe]
    print("\n".join(values if isinstance(values, list) else [str(values)]))


def _has_engines(last: Mapping[str, Any], asked: str, engines: set[str]) -> bool:
    """Whether what was built then has the engines that are wanted now; where none is named, more of them do no harm."""
    built = set(last.get("engines", ()))
    return bool(last.get("missing")) or built == engines or (asked == "auto" and built > engines)


@contextmanager
def _leaving_nothing_else(extension: Extension, tools: Tools, target: Path) -> Iterator[None]:
    """When a build fails, remove what Python would import instead: nothing says what it was built from."""
    try:
        yield
    except BaseException:
        (tools.state / _STAMP).unlink(missing_ok=True)
        for name in sorted({target.name, *(f"_{extension.package}{suffix}" for suffix in EXTENSION_SUFFIXES)}):
            path = HERE / name
            if path.exists():
                path.unlink()
                say(extension, f"removed {path.name}, which an earlier build made")
        raise


# --- compiling -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Making:
    """What is compiled, from what, and whether that was done before."""

    extension: Extension
    tools: Tools
    library: Library
    missing: str
    engines: set[str]
    is_again: bool
    bytes_read: int
    """How long the headers are that the last build read."""
    tells_progress: bool


def _compile_and_link(making: _Making, target: Path) -> tuple[str, dict[str, str]]:
    """Make the extension; what the linker says that it reads, and what objects of an earlier build did."""
    extension, tools, library, missing = making.extension, making.tools, making.library, making.missing
    if "cffi" in making.engines:
        require_cffi()
    kept = Objects(tools.state / _OBJECTS, cache() / "prefixes", extension.guard)
    apart = _runtime_apart(making)
    package = _package_units(making, apart)
    sources = _sources(extension, tools, library, missing)
    others = [_declarations(extension, tools, library, missing)] if "cffi" in making.engines else []
    units = [*package, *others, *sources]
    jobs = [apart.make] if apart and not apart.is_there else []
    objects = _objects_by_group(making, units, kept, jobs) if package[0].groups else _objects(making, units, jobs)
    if apart:
        objects.append(apart.path)
    linked_libraries = libraries(library, () if missing or extension.dynamic else extension.link)
    linked_libraries += [] if missing else list(extension.link_args)
    linked_libraries += ["-ldl"] if LINUX and extension.dynamic else []
    linked = tools.work / target.name
    say(extension, "linking")
    trace = [TRACE] if LINUX else []
    stripped = ["-s"] if LINUX and not is_debugged(extension) else []
    stripped += ["-Wl,--gc-sections"] if LINUX and apart else []
    command = [*tools.cxx, *stripped, *shared(), *objects, *linked_libraries, *trace, "-o", str(linked)]
    said = run(extension, command)
    undefined = undefined_functions(tools, objects, linked_libraries)
    if undefined:
        refuse_undefined(extension, tools, library, undefined, [(unit.source, [*unit.command]) for unit in sources])
    _move_into_place(linked, target)
    return said, kept.read


def _runtime_apart(making: _Making) -> RuntimeObject | None:
    """The object with the runtime's own functions, where the package's units are to be linked with one.

    A first build of few functions takes it only where it is there: to make it takes longer than they do. A debugger
    finds the runtime's functions where they are called.
    """
    extension, tools = making.extension, making.tools
    if making.missing or is_debugged(extension) or is_msvc(tools.cxx):  # which leaves out functions that nothing calls
        return None
    libraries_ = (replace(making.library, include=[]), making.library)
    common, own = (_units(extension, tools, each, "", making.engines, most=1)[0] for each in libraries_)
    found = RuntimeObject(extension, tools, making.library.include, (common, own))
    return found if extension.groups or making.is_again or found.is_there else None


def _package_units(making: _Making, apart: RuntimeObject | None) -> list[Unit]:
    """The units of the package: each group of functions where it was built before, else as many as there are cores."""
    extension = making.extension
    most = 1 if _is_by_group(making) else making.tools.jobs
    units = _units(extension, making.tools, making.library, making.missing, making.engines, most)
    if apart:
        units = [replace(unit, command=[*unit.command, APART]) for unit in units]
    if not _is_by_group(making):
        return units
    command = [word for word in units[0].command if not word.startswith(("-DWG_UNITS=", "-DWG_UNIT="))]
    return [Unit(units[0].source, [*command, *macros(dealt)], dealt) for dealt in dealt_out(extension.groups)]


def _is_by_group(making: _Making) -> bool:
    """An object that is used again has the lines of the spec as it was: it is none for a debugger."""
    is_usual = bool(making.extension.groups) and not making.missing and not is_debugged(making.extension)
    return is_usual and making.is_again and making.bytes_read <= _MOST_READ


def _objects_by_group(
    making: _Making, units: Sequence[Unit], kept: Objects, jobs: Sequence[Callable[[], str]]
) -> list[str]:
    """The objects of units, of which those are compiled that are not there; `jobs` are done meanwhile."""
    extension = making.extension
    keys = [kept.key(unit) for unit in units]
    found = [kept.found(key) for key in keys]
    wanted = [number for number, path in enumerate(found) if path is None]
    of_groups = [number for number in wanted if units[number].groups]
    prefix = kept.prefix(units[of_groups[0]]) if of_groups else []
    say(extension, f"compiling {len(wanted)} of {len(units)} parts")
    started, date = time.monotonic(), time.time()

    def compile_one(number: int) -> str:
        unit, target = units[number], making.tools.work / f"{number}_{Path(units[number].source).name}.o"
        made = [*RECORD, f"{target}.d", "-c", unit.source, "-o", str(target)]
        if not (number in of_groups and prefix and succeeds([*unit.command, *prefix, *made])):
            run(extension, [*unit.command, *made])  # also where it has a mistake: others than that are of the header
        return str(kept.keep(keys[number], target, date))

    made = _compiled(making, [*jobs, *(partial(compile_one, number) for number in wanted)])[len(jobs) :]
    kept.forget_others()
    say(extension, f"compiled {len(wanted)} parts in {time.monotonic() - started:.1f} s")
    new = dict(zip(wanted, made, strict=True))
    return [new.get(number, str(path)) for number, path in enumerate(found)]


def _command(extension: Extension, tools: Tools, library: Library, missing: str, optimise: str = "-O2") -> list[str]:
    return compile_command(extension, tools.cxx, library, stub=bool(missing), missing=missing, optimise=optimise)


def _python(tools: Tools) -> list[str]:
    """How a unit is compiled that includes Python's headers."""
    python = [f"-I{sysconfig.get_path(kind)}" for kind in ("include", "platinclude")]
    is_without_gil = os.name == "nt" and sysconfig.get_config_var("Py_GIL_DISABLED")  # its header does not say so there
    macros_ = [
        *(["-DPy_LIMITED_API=0x030b0000"] if tools.abi3 else []),
        *(["-DPy_GIL_DISABLED=1"] * bool(is_without_gil)),
    ]
    return [*python, *macros_]


def _units(
    extension: Extension, tools: Tools, library: Library, missing: str, engines: set[str], most: int
) -> list[Unit]:
    """What is compiled of the package, in `most` units or fewer, each with its command.

    The macros are those of `docs/packages.md`.
    """
    command = _command(extension, tools, library, missing)
    if "cpython" not in engines:
        return [Unit("bridge.cpp", command)]
    whole = [*command, *_python(tools), *(() if "cffi" in engines else ("-DWG_CPYTHON_ONLY",))]
    count = min(extension.units, most)
    return [Unit("cpython.cpp", [*whole, f"-DWG_UNITS={count}", f"-DWG_UNIT={i}"]) for i in range(count)]


def _declarations(extension: Extension, tools: Tools, library: Library, missing: str) -> Unit:
    """What cffi makes of the package's declarations, with its command."""
    # cffi before 2.1 uses what Python.h includes only with all of its API.
    for_cffi = ["-include", "string.h"] if tools.abi3 else ["-D_CFFI_NO_LIMITED_API"]
    command = _command(extension, tools, library, missing, "-O1")
    return Unit(str(_emit(extension, tools)), [*command, *_python(tools), *for_cffi])


def _sources(extension: Extension, tools: Tools, library: Library, missing: str) -> list[Unit]:
    """The user's own sources, each with its command; a stub has none, since they may need the library."""
    cxx, c = (
        compile_command(extension, compiler, library, stub=False, c=is_c)
        for compiler, is_c in ((tools.cxx, False), (tools.cc, True))
    )
    return [Unit(source, c if source.endswith(".c") else cxx) for source in (() if missing else extension.sources)]


def _move_into_place(linked: Path, target: Path) -> None:
    """Replace the extension in one step: a running program may have the old one mapped, and another may import it."""
    near = target.with_name(f"{target.name}{_UNFINISHED}{target.suffix}")
    try:
        shutil.copy(linked, near)  # the cache may lie on another disk
        near.replace(target)
    finally:
        near.unlink(missing_ok=True)


def _emit(extension: Extension, tools: Tools) -> Path:
    """Write cffi's part of the extension, from the declarations that `bridge.h` marks."""
    cffi: Any = importlib.import_module("cffi")  # not an import statement: it need not have type information
    text = (HERE / "bridge.h").read_text(encoding="utf-8")
    declarations = text.split("/* cdef: begin */")[1].split("/* cdef: end */")[0]
    declarations = re.sub(r"/\* cdef only:\n(.*?)\*/", r"\1", declarations, flags=re.DOTALL)
    ffi = cffi.FFI()
    ffi.cdef(declarations)
    module = f"{extension.package}._{extension.package}"
    header = f"../{HERE.resolve().name}/bridge.h"  # by its folder: the library may have one of this name
    ffi.set_source(module, f'#define WG_CFFI\n#include "{header}"', source_extension=".cpp", compiler_verbose=0)
    path = tools.work / f"_{extension.package}.cpp"
    ffi.emit_c_code(str(path))
    return path


def _objects(making: _Making, units: Sequence[Unit], jobs: Sequence[Callable[[], str]]) -> list[str]:
    """Compile sources, each with its command, as many at a time as compilers may run; `jobs` are done meanwhile."""
    extension = making.extension

    def compile_one(number: int) -> str:
        source, command = units[number].source, units[number].command
        name = Path(source).name
        shown = name if Path(source).is_absolute() else source
        started = time.monotonic()
        say(extension, f"compiling {shown}")
        target = str(making.tools.work / f"{number}_{name}.o")
        run(extension, [*command, *RECORD, f"{target}.d", "-c", source, "-o", target])
        say(extension, f"compiled {shown} in {time.monotonic() - started:.1f} s")
        return target

    return _compiled(making, [*jobs, *(partial(compile_one, number) for number in range(len(units)))])[len(jobs) :]


def _compiled(making: _Making, jobs: Sequence[Callable[[], str]]) -> list[str]:
    """What these compile, with how far that is told to who shows it."""

    def tell(done: int) -> None:
        say(making.extension, f"progress: {done} of {len(jobs)}")

    if making.tells_progress:
        tell(0)
    return _all_of(making.tools, jobs, tell if making.tells_progress else None)


def _all_of(
    tools: Tools, jobs: Sequence[Callable[[], str]], progress: Callable[[int], None] | None = None
) -> list[str]:
    """What all of these do, as many at a time as compilers may run; `progress` gets how many are done."""
    done = itertools.count(1)

    def run_one(job: Callable[[], str]) -> str:
        made = job()
        if progress:
            progress(next(done))
        return made

    with ThreadPoolExecutor(max_workers=max(1, min(len(jobs), tools.jobs))) as pool:
        try:
            return list(pool.map(run_one, jobs))
        except KeyboardInterrupt:
            end_compilers()  # the pool waits for them
            raise


# --- remembering, telling --------------------------------------------------------------------------------------------


def _own_files() -> list[Path]:
    """The files of the package that the extension is made of, and those that make it."""
    found = {*HERE.glob("**/*.h*"), *HERE.glob("*.cpp"), *HERE.glob("sources/**/*.*")}
    return sorted(path for path in (HERE / "ffi_build.py", *_builder(), *found) if path.is_file())


def _builder() -> Iterator[Path]:
    """The files of the runtime that are imported here."""
    for name, module in [*sys.modules.items()]:
        if name.startswith(f"{__package__}.") and module.__file__ is not None:
            yield Path(module.__file__)


def _key(extension: Extension, tools: Tools, library: Library, stub: bool) -> str:
    """What the result depends on; a folder's time changes when its package is installed anew."""
    cffi: Any = importlib.import_module("cffi") if importlib.util.find_spec("cffi") else None
    compiler = Path(shutil.which(tools.cxx[0]) or tools.cxx[0]).resolve()
    parts = [
        [[relative(path, HERE), digest(path)] for path in _own_files()],
        [[str(folder), folder.stat().st_mtime_ns] for folder in (*library.include, *library.lib) if folder.is_dir()],
        [
            compile_command(extension, tools.cxx, library, stub=stub),
            tools.target,
            shared(),
            tools.cc,
            library.link_args,
        ],
        [str(compiler), compiler.stat().st_mtime_ns, sys.version, cffi and cffi.__version__],
        [
            os.environ.get(name, "")
            for name in (
                "CFLAGS",
                "CPATH",
                "CPLUS_INCLUDE_PATH",
                "C_INCLUDE_PATH",
                "LIBRARY_PATH",
                "INCLUDE",
                "LIB",
                "CL",
            )
        ],
    ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _remember(extension: Extension, tools: Tools, stamp: Mapping[str, Any]) -> None:
    """Write down what was built; without room for that, the next build builds again."""
    try:
        (tools.state / _STAMP).write_text(json.dumps(stamp), encoding="utf-8")
    except OSError as error:
        say(extension, f"the next build cannot know of this one: {error}; {OTHER_CACHE}")


def _last_time(tools: Tools) -> dict[str, Any]:
    try:
        stamp = json.loads((tools.state / _STAMP).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) and isinstance(stamp.get("files"), dict) else {}


def _is_intact(target: Path, last: Mapping[str, Any]) -> bool:
    """Whether an extension is what was built then, whole."""
    try:
        return (target.stat().st_size, digest(target)) == (last["size"], last["sha256"])
    except (OSError, KeyError):
        return False


def _hold(folder: Path) -> None:
    """Lock a folder until this process ends: one build at a time, and no other writes what it compiles."""
    try:
        import fcntl
    except ImportError:  # not on Windows
        return
    with suppress(OSError):  # some file systems have no locks
        fcntl.flock(os.open(folder, os.O_RDONLY), fcntl.LOCK_EX)


def _done(
    extension: Extension,
    tools: Tools,
    line: str,
    target: Path,
    stamp: Mapping[str, Any],
    depfile: Path | None,
    *,
    rebuilt: bool,
) -> None:
    """Tell people on stderr, and programs (one JSON object) on stdout."""
    _remove_others(extension, target)
    if depfile:
        write_rule(depfile, target, [*map(from_here, _own_files()), *stamp["files"]])
    missing = stamp["missing"]
    say(extension, line)
    if tools.target:
        say(extension, f"cross-compiled: it is for Python {platform.python_version()} on {tools.target}")
    if missing:
        say(extension, f"THIS IS A STUB, without the library: {missing}; most calls will raise LibraryUnavailable")
    suffix = target.name.removeprefix(f"_{extension.package}")
    told = {"extension": target.name, "stub": bool(missing), "missing": missing, "rebuilt": rebuilt}
    print(json.dumps({**told, "tag": wheel_tag(suffix, tools.target), "record": str(tools.state / _STAMP)}))


def _remove_others(extension: Extension, target: Path) -> None:
    """Remove extensions of the other kind: Python would import one of two, and nobody would see which."""
    if ABI3_SUFFIX not in EXTENSION_SUFFIXES:
        return  # this Python looks for one kind only
    other = r"\.(cpython-\d+d?|cp\d+)-.+\.(so|pyd)" if target.name.endswith(ABI3_SUFFIX) else re.escape(ABI3_SUFFIX)
    for path in sorted(HERE.glob(f"_{extension.package}.*")):
        if re.fullmatch(other, path.name.removeprefix(f"_{extension.package}")):
            path.unlink()
            say(extension, f"removed {path.name}, which is of the other kind")
