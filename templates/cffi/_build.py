"""Builds the extension module of its package; needs a C++ compiler, not wrapper-gen.

Exit codes: 0 built or up to date, 1 compiling failed, 3 a tool is missing, 4 the library is missing, 5 it has not all
functions that are called.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import importlib.util
import json
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any, NoReturn

HERE = Path(__file__).resolve().parents[1]
SUFFIX: str = sysconfig.get_config_var("EXT_SUFFIX") or ".so"
ABI3_SUFFIX = ".abi3.so"
BUILD = HERE / "build"
LINUX = sys.platform.startswith("linux")
FAILED, NO_TOOL, NO_LIBRARY, UNDEFINED, INTERRUPTED = 1, 3, 4, 5, 130
_NOT_FOUND = re.compile(r"fatal error: '?(.+?)'?(?:: No such file or directory| file not found)$", re.MULTILINE)
_PLACE = re.compile(r"^((?:In file included from | +from )?)([^\s:/<][^:\n]*):(?=\d| In )", re.MULTILINE)
_UNDEFINED = re.compile(r"^(?!.*\.so[.\d]*: ).*undefined (?:reference to|symbol:) [`']?([^'\n]+)'?$", re.MULTILINE)
_CALLED = re.compile(r"^(?:.*?ld[.\w]*: )?([^:\n]+):(\d+): undefined reference to [`']([^'\n]+)'$", re.MULTILINE)
_NOT_OURS = re.compile(r"_*Py[A-Z_]|__")
"""Functions that come with the interpreter, or with what the compiler puts in."""


@dataclass(frozen=True)
class Extension:
    """What `ffi_build.py` says about the library; relative paths are relative to the spec's folder."""

    package: str
    spec: str
    guard: str
    optional: bool
    headers: Sequence[str]
    sources: Sequence[str]
    include_paths: Sequence[str]
    search_paths: Sequence[str]
    link: Sequence[str]
    requires: Sequence[Mapping[str, Any]]
    dynamic: bool
    symbols: Sequence[str]
    cpp_std: int
    units: int
    compile_args: Sequence[str]
    link_args: Sequence[str]


@dataclass
class Library:
    """Where the library was looked for on this machine, in order, and the flags that came with it."""

    include: list[Path] = field(default_factory=list)
    own: list[Path] = field(default_factory=list)
    """Folders with the user's own headers, beside the spec."""
    lib: list[Path] = field(default_factory=list)
    compile_args: list[str] = field(default_factory=list)
    link_args: list[str] = field(default_factory=list)
    tried: list[str] = field(default_factory=list)

    @property
    def looked(self) -> str:
        return "looked in " + ", ".join([*self.tried, "the compiler's own folders"])


@dataclass(frozen=True)
class Tools:
    """The compilers, each as the start of a command, and whether what they make is for every later CPython."""

    cxx: list[str]
    cc: list[str]
    abi3: bool

    @property
    def suffix(self) -> str:
        return ABI3_SUFFIX if self.abi3 else SUFFIX

    @property
    def folder(self) -> Path:
        """What is compiled on the way, and what was done the last time."""
        return BUILD / self.suffix.strip(".").removesuffix(".so")


def main(description: Mapping[str, Any]) -> None:
    """Build what `ffi_build.py` describes, unless nothing changed since the last time."""
    extension = Extension(**description)
    parser = argparse.ArgumentParser(description=f"Build the extension module of {extension.package}.")
    parser.add_argument("--stub", action="store_true", help="build without the library, even where it is")
    parser.add_argument("--allow-stub", action="store_true", help="build without the library if it is not there")
    parser.add_argument(
        "--require", action="store_true", help="a missing library is an error, even one that is optional"
    )
    parser.add_argument(
        "--engine",
        type=lambda name: "cpython" if name == "native" else name,  # its former name
        choices=("both", "cpython", "cffi"),
        default="both",
        help="what to build (default: both)",
    )
    parser.add_argument("--abi3", action="store_true", help="one extension for CPython 3.11 and all later versions")
    parser.add_argument("--force", action="store_true", help="build even when nothing changed")
    options = parser.parse_args()
    try:
        BUILD.mkdir(parents=True, exist_ok=True)
        _hold_package()
        tools = _tools(extension, options.abi3)
        if "cffi" in _engines(options):
            _need_cffi("a stub has no other engine" if options.stub else "'--engine cpython' builds without it")
        _build(extension, tools, options)
    except _Stopped as stopped:
        for line in filter(None, (stopped.message, stopped.hint and f"hint: {stopped.hint}")):
            _say(extension, line)
        raise SystemExit(stopped.code) from None
    except OSError as error:
        _say(extension, str(error))
        raise SystemExit(FAILED) from None
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None


def _build(extension: Extension, tools: Tools, options: argparse.Namespace) -> None:
    tools.folder.mkdir(exist_ok=True)
    library = Library() if options.stub else _discover(extension)
    engines = _engines(options)
    key = _key(extension, tools, library, options.stub, engines)
    target = HERE / f"_{extension.package}{tools.suffix}"
    last = _last_time(tools)
    if last.get("key") != key or not _is_intact(target, last):
        last = {}
    if last and not options.force and (options.stub or not last["missing"]):
        _done(extension, f"up to date, {last['how']}", target, last["missing"], rebuilt=False)
        return
    with _leaving_nothing_else(extension, last):
        _check_flags(extension, tools, library, options.stub)
        missing = "--stub left it out" if options.stub else _missing(extension, tools, library)
        if missing and not options.stub and (options.require or not (extension.optional or options.allow_stub)):
            _refuse_stub(extension, library, missing)
        if last and not options.force and missing == last["missing"]:
            _done(extension, f"up to date, {last['how']}", target, missing, rebuilt=False)
            return
        how = _origin(extension, library)
        if missing:
            how = f"stub mode: {missing}" + ("" if options.stub else f" ({library.looked})")
        _say(extension, how)
        started = time.monotonic()
        chosen = {"cffi"} if missing else engines
        if missing:
            _need_cffi("a stub has no other engine")
        _compile_and_link(extension, tools, Library() if missing else library, missing, chosen, target)
        stamp = {"key": key, "missing": missing, "how": how, "size": target.stat().st_size, "sha256": _hash(target)}
        (tools.folder / "stamp.json").write_text(json.dumps(stamp), encoding="utf-8")
    took = time.monotonic() - started
    _done(extension, f"built {target.name} in {took:.1f} s", target, missing, rebuilt=True)


@contextmanager
def _leaving_nothing_else(extension: Extension, last: Mapping[str, Any]) -> Iterator[None]:
    """When a build fails, remove what Python would import instead: it was built from something else."""
    try:
        yield
    except BaseException as failure:
        is_missing = isinstance(failure, _Stopped) and failure.code == NO_LIBRARY
        for suffix in EXTENSION_SUFFIXES if is_missing or not last else ():
            path = HERE / f"_{extension.package}{suffix}"
            if path.exists():
                path.unlink()
                _say(extension, f"removed {path.name}, which an earlier build made of something else")
        raise


def _refuse_stub(extension: Extension, library: Library, missing: str) -> NoReturn:
    option = "--stub" if extension.optional else "--allow-stub"
    hint = (
        "install the library with its headers, or say where it is: with 'requires', 'include_paths' and "
        f"'search_paths' in {_shown(extension.spec)}, or with CPPFLAGS=-I... and LDFLAGS=-L... in the environment; "
        f"{option} builds a package without it"
    )
    raise _Stopped(f"{missing} ({library.looked})", NO_LIBRARY, hint)


def _engines(options: argparse.Namespace) -> set[str]:
    """The engines to build: the cpython one is CPython's, and needs the library."""
    wanted = {"cpython", "cffi"} if options.engine == "both" else {options.engine}
    possible = {"cffi"} if options.stub or sys.implementation.name != "cpython" else wanted
    return wanted & possible or {"cffi"}


# --- finding the library ---------------------------------------------------------------------------------------------


def _discover(extension: Extension) -> Library:
    """Where the library may be: what it requires, then the spec's paths; the compiler adds its own."""
    library = Library()
    for requirement in extension.requires:
        if "pkg_config" in requirement:
            _ask_pkg_config(requirement["pkg_config"], library, linked=not extension.dynamic)
        else:
            _ask_python(requirement["python"], requirement["include"], requirement["lib"], library)
    for paths, found in ((extension.include_paths, library.include), (extension.search_paths, library.lib)):
        for path in paths:
            # The spec's path is relative to the folder that holds the output folder, which holds this package.
            folder = (HERE.parent.parent / extension.spec).parent / Path(os.path.expandvars(path)).expanduser()
            library.tried.append(path if folder.is_dir() else f"{path} (no such folder)")
            if folder.is_dir() and folder not in found:
                found.append(folder)
                if found is library.include and not Path(os.path.expandvars(path)).expanduser().is_absolute():
                    library.own.append(folder)
    return library


def _ask_pkg_config(name: str, library: Library, *, linked: bool) -> None:
    """What pkg-config says; a library that is loaded when it is needed is not linked."""
    library.tried.append(f"pkg-config {name}")
    command = [*shlex.split(os.environ.get("PKG_CONFIG", "pkg-config")), "--cflags", "--libs", name]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        library.tried[-1] += " (pkg-config is not installed)"
        return
    if done.returncode != 0:
        library.tried[-1] += " (it knows no such package)"
        return
    for word in shlex.split(done.stdout):
        if word.startswith("-I"):
            library.include.append(Path(word[2:]))
        elif word.startswith("-L"):
            library.lib.append(Path(word[2:]))
        elif not word.startswith(("-l", "-Wl")):
            library.compile_args.append(word)
        elif linked:
            library.link_args.append(word)


def _ask_python(name: str, include: Sequence[str], lib: Sequence[str], library: Library) -> None:
    library.tried.append(f"Python package {name}")
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        spec = None
    if spec is None:
        library.tried[-1] += " (not installed)"
        return
    roots = [Path(root) for root in spec.submodule_search_locations or ()]
    for paths, found in ((include, library.include), (lib, library.lib)):
        found.extend(root / path for root in roots for path in paths if (root / path).is_dir())


def _missing(extension: Extension, tools: Tools, library: Library) -> str:
    """What of the library is not here; empty when all of it is."""
    header = _missing_header(extension, _compile(extension, tools.cxx, library, stub=False))
    if header:
        return f"header {header} was not found"
    if extension.dynamic or _links(tools, library, extension.link):
        return ""
    for name in extension.link:
        if not _links(tools, Library(lib=library.lib), [name]):
            return f"library {name} was not found"
    return f"what pkg-config says does not link: {shlex.join(library.link_args)}"


def _missing_header(extension: Extension, compiler: list[str]) -> str:
    """The first header that is not here: one that the spec names, or one that those include; empty when all are."""
    if not extension.headers:
        return ""
    headers = [each if each[:1] in '<"' else f'"{each}"' for each in extension.headers]
    probe = "".join(f"#if !__has_include({header})\nmissing {i}\n#endif\n" for i, header in enumerate(headers))
    absent = re.search(r"^missing (\d+)$", _preprocess(compiler, probe).stdout, re.MULTILINE)
    if absent:
        return extension.headers[int(absent[1])]
    whole = _preprocess([*compiler, "-o", os.devnull], "".join(f"#include {header}\n" for header in headers))
    within = _NOT_FOUND.search(whole.stderr)
    if not within:  # another mistake in them is shown when they are compiled
        return ""
    line = re.findall(r"<stdin>:(\d+)", whole.stderr[: within.start()])
    outer = extension.headers[int(line[-1]) - 1 if line else 0].strip('<>"')
    return f"{within[1]}, which {outer} includes,"


def _preprocess(compiler: list[str], text: str) -> subprocess.CompletedProcess[str]:
    """What the preprocessor makes of a text, and says in English."""
    command = [*compiler, "-E", "-P", "-x", "c++", "-"]
    english = {**os.environ, "LC_ALL": "C"}
    return subprocess.run(
        command, input=text, capture_output=True, encoding="utf-8", errors="replace", cwd=HERE, env=english, check=False
    )


def _links(tools: Tools, library: Library, names: Sequence[str]) -> bool:
    if not names and not library.link_args:
        return True
    command = [*tools.cxx, *_shared(), "-fPIC", "-x", "c++", "-", "-x", "none", *_libraries(library, names)]
    command += ["-o", str(tools.folder / "probe.so")]
    done = subprocess.run(command, input="", capture_output=True, text=True, cwd=HERE, check=False)
    return done.returncode == 0


def _origin(extension: Extension, library: Library) -> str:
    """The line that says what was built against."""
    if not extension.headers and not extension.link:
        return "built from its own sources"
    headers = [each.strip('<>"') for each in extension.headers]
    for folder in library.include:
        if headers and (folder / headers[0]).exists():
            return f"built against {headers[0]} in {folder}"
    return f"built against {', '.join(headers or extension.link)} as the compiler finds it"


# --- the tools -------------------------------------------------------------------------------------------------------


def _tools(extension: Extension, abi3: bool) -> Tools:
    cxx = _tool("CXX", ("c++", "g++", "clang++"))
    cc = _tool("CC", ("cc", "gcc", "clang"))
    if not cxx or (not cc and any(source.endswith(".c") for source in extension.sources)):
        asked = os.environ.get("CXX" if not cxx else "CC")
        what = f"{asked!r} is not there" if asked else "no c++, g++ or clang++ on PATH"
        raise _Stopped(f"no C++ compiler: {what}", NO_TOOL)
    if not (Path(sysconfig.get_path("include")) / "Python.h").exists():
        raise _Stopped(
            "Python.h is missing: install Python's development files (python3-dev)",
            NO_TOOL,
        )
    if abi3 and ABI3_SUFFIX not in EXTENSION_SUFFIXES:  # PyPy; a build without the GIL
        what = f"{platform.python_implementation()} {platform.python_version()}"
        what += " without the GIL" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""
        raise _Stopped(f"--abi3 is for CPython with its GIL, and this is {what}", NO_TOOL)
    return Tools(cxx, cc, abi3)


def _need_cffi(why: str) -> None:
    """Stop where cffi is not installed; only the cffi engine is built with it, and on PyPy it is always there."""
    if importlib.util.find_spec("cffi") is None:
        hint = why if sys.implementation.name == "cpython" else ""
        raise _Stopped(f"cffi is not installed in {sys.executable}: pip install cffi", NO_TOOL, hint)


def _tool(variable: str, names: Sequence[str]) -> list[str]:
    """The compiler of the environment, or the first there is; empty when there is none."""
    chosen = shlex.split(os.environ.get(variable, ""))
    if chosen:
        return chosen if shutil.which(chosen[0]) else []
    return next(([name] for name in names if shutil.which(name)), [])


def _check_flags(extension: Extension, tools: Tools, library: Library, stub: bool) -> None:
    """Stop when the compiler does not take its flags: whatever it is given would fail, and look like another fault."""
    done = _preprocess(_compile(extension, tools.cxx, library, stub=stub), "")
    if done.returncode != 0:
        sys.stderr.write(done.stderr)
        words = next((line for line in done.stderr.splitlines() if "error" in line), f"it exits with {done.returncode}")
        given = "CPPFLAGS or CXXFLAGS" if stub else "CPPFLAGS, CXXFLAGS, compile_args or pkg-config"
        raise _Stopped(f"failed, since the compiler refuses a flag of {given}: {words}", FAILED)


def _compile(
    extension: Extension, compiler: list[str], library: Library, *, stub: bool, c: bool = False, missing: str = ""
) -> list[str]:
    """The compile command without input and output; the user's own flags come after ours and win."""
    flags = [] if c else [f"-std=c++{extension.cpp_std}"]
    flags += ["-O2", "-g0", "-fPIC", "-fvisibility=hidden", "-Werror=return-type"]
    flags += shlex.split(os.environ.get("CPPFLAGS", "")) + shlex.split(
        os.environ.get("CFLAGS" if c else "CXXFLAGS", "")
    )
    flags += [f"-U{extension.guard}" if stub else f"-D{extension.guard}=1"]
    flags += [f"-DWG_MISSING={_c_string(missing)}"] if missing else []
    # The compiler does not warn of others' headers. Its own folders must keep their place: -I changes nothing there.
    folders = [f"-I{folder}" for folder in (Path(), Path("sources"))]
    for folder in library.include:
        is_plain = folder in library.own or str(folder) in ("/usr/include", "/usr/local/include")
        folders += [f"-I{folder}"] if is_plain else ["-isystem", str(folder)]
    own = [] if stub else [*library.compile_args, *extension.compile_args]
    return [*compiler, *flags, *folders, *own]


def _c_string(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _shared() -> list[str]:
    """How this Python's extension modules are linked, without the compiler's name."""
    words = shlex.split(sysconfig.get_config_var("LDSHARED") or "cc -shared")
    start = next((i for i, word in enumerate(words) if word.startswith("-")), len(words))
    return [*words[start:], *shlex.split(os.environ.get("LDFLAGS", ""))]


def _libraries(library: Library, names: Sequence[str]) -> list[str]:
    words = [word for folder in library.lib for word in (f"-L{folder}", f"-Wl,-rpath,{folder}")]
    keep = ["-Wl,--no-as-needed"] if LINUX and names else []  # a library may matter for what it registers when loaded
    return [*words, *keep, *(_library(library, name) for name in names), *library.link_args]


def _library(library: Library, name: str) -> str:
    """`-lname`, or the versioned file where a wheel ships no other."""
    for folder in library.lib:
        if any((folder / f"lib{name}{end}").exists() for end in (".so", ".a", ".dylib", ".tbd")):
            break
        versioned = sorted(folder.glob(f"lib{name}.so.*"))
        if versioned:
            return f"-l:{versioned[-1].name}"
    return f"-l{name}"


# --- compiling -------------------------------------------------------------------------------------------------------


def _compile_and_link(
    extension: Extension, tools: Tools, library: Library, missing: str, engines: set[str], target: Path
) -> None:
    stub = bool(missing)
    cxx = _compile(extension, tools.cxx, library, stub=stub, missing=missing)
    python = [f"-I{sysconfig.get_path(kind)}" for kind in ("include", "platinclude")]
    limited = ["-DPy_LIMITED_API=0x030b0000"] if tools.abi3 else []
    # cffi before 2.1 uses what Python.h includes only with all of its API.
    for_cffi = [*limited, "-include", "string.h"] if tools.abi3 else ["-D_CFFI_NO_LIMITED_API"]
    units = [("bridge.cpp", cxx)]
    if "cpython" in engines:
        whole = [*cxx, *python, *limited, *(() if "cffi" in engines else ("-DWG_CPYTHON_ONLY",))]
        count = min(extension.units, _cores())
        units = [("cpython.cpp", [*whole, f"-DWG_UNITS={count}", f"-DWG_UNIT={i}"]) for i in range(count)]
    if "cffi" in engines:
        units.append((str(_emit(extension, tools)), [*cxx, *python, "-O1", *for_cffi]))
    for source in () if stub else extension.sources:  # the user's code may need the library
        c = source.endswith(".c")
        units.append((source, _compile(extension, tools.cc, library, stub=stub, c=True) if c else cxx))
    try:
        objects = _objects(extension, tools, units, may_fail="cffi" in engines)
    except _CpythonFailed as failed:  # a fault that only the cpython engine has costs speed, not the package
        if f"{_shown(extension.spec)}:" in str(failed):  # the other engine would fail alike
            sys.stderr.write(str(failed))
            raise _Stopped("failed: cpython.cpp does not compile", FAILED) from None
        units = [("bridge.cpp", cxx), *(unit for unit in units if unit[0] != "cpython.cpp")]
        objects = _objects(extension, tools, units, may_fail=False)
        sys.stderr.write(str(failed))
        _say(extension, "the cpython engine does not compile, and is left out; the cffi engine is complete")
    libraries = _libraries(library, () if stub or extension.dynamic else extension.link)
    libraries += [] if stub else list(extension.link_args)
    libraries += ["-ldl"] if LINUX and extension.dynamic else []
    linked = tools.folder / target.name
    _say(extension, "linking")
    _run(extension, [*tools.cxx, *_shared(), *objects, *libraries, "-o", str(linked)])
    undefined = _undefined(tools, objects, libraries)
    if undefined:
        _refuse_undefined(
            extension, tools, library, undefined, [unit for unit in units if unit[0] in extension.sources]
        )
    linked.replace(target)  # never written in place: a running program may have the old one mapped


def _undefined(tools: Tools, objects: Sequence[str], libraries: Sequence[str]) -> list[str]:
    """Functions that are called, and that nothing has which is linked: importing the extension would fail.

    Only linkers of ELF systems are asked. Libraries that the linked ones need are searched as well, as when loading.
    """
    if not LINUX:
        return []
    tolerant = ["-Wl,-z,defs", "-Wl,--warn-unresolved-symbols", "-Wl,--copy-dt-needed-entries"]
    tolerant += ["-Wl,--allow-shlib-undefined"]
    command = [*tools.cxx, *_shared(), *objects, *libraries, *tolerant, "-o", str(tools.folder / "probe.so")]
    done = _quietly(command)
    return sorted({name for name in _UNDEFINED.findall(done.stderr) if not _NOT_OURS.match(name)})


def _refuse_undefined(
    extension: Extension, tools: Tools, library: Library, undefined: Sequence[str], units: list[tuple[str, list[str]]]
) -> NoReturn:
    """Compile once more with line numbers, which the linker then knows, and say where each of them is called."""
    cxx = _compile(extension, tools.cxx, library, stub=False)
    objects = []
    for number, (source, command) in enumerate([("bridge.cpp", cxx), *units]):
        objects.append(str(tools.folder / f"called_{number}.o"))
        _quietly([*command, "-g1", "-O0", "-c", source, "-o", objects[-1]])
    done = _quietly([*tools.cxx, *_shared(), *objects, "-Wl,-z,defs", "-o", str(tools.folder / "probe.so")])
    called: dict[str, tuple[str, int]] = {}
    for path, line, name in _CALLED.findall(done.stderr):
        called.setdefault(name, (path.removeprefix(f"{HERE}/"), int(line)))
    what, hint = _why_undefined(extension, library, undefined)
    places = sorted((*called.get(name, ("bridge.cpp", 1)), name) for name in undefined)
    sys.stderr.write(_located("".join(f"{path}:{line}: error: {name} {what}\n" for path, line, name in places)))
    raise _Stopped(f"failed: {', '.join(name for *_, name in places)} {what}", UNDEFINED, hint)


def _why_undefined(extension: Extension, library: Library, undefined: Sequence[str]) -> tuple[str, str]:
    """What is wrong with functions that are called, and what to do about it."""
    spec = _shown(extension.spec)
    if not extension.dynamic:
        looked = f"; {library.looked}" if library.tried else ""
        return "is called, but no library that is linked has it", f"name its library in 'link' in {spec}{looked}"
    if set(undefined) <= set(extension.symbols):
        what = "is called past 'dynamic', which would load it"
        return what, "call it without '::'; what the library's own headers call can only be linked"
    return "is called, but 'symbols' of 'dynamic' does not name it", f"add it to 'symbols' in {spec}"


def _emit(extension: Extension, tools: Tools) -> Path:
    """Write cffi's part of the extension, from the declarations that `bridge.h` marks."""
    cffi: Any = importlib.import_module("cffi")  # not an import statement: it need not have type information
    text = (HERE / "bridge.h").read_text(encoding="utf-8")
    declarations = text.split("/* cdef: begin */")[1].split("/* cdef: end */")[0]
    ffi = cffi.FFI()
    ffi.cdef(declarations)
    module = f"{extension.package}._{extension.package}"
    ffi.set_source(module, '#define WG_CFFI\n#include "bridge.h"', source_extension=".cpp", compiler_verbose=0)
    path = tools.folder / f"_{extension.package}.cpp"
    ffi.emit_c_code(str(path))
    return path.relative_to(HERE)


class _CpythonFailed(Exception):
    """The cpython engine does not compile; has the compiler's words."""


def _objects(
    extension: Extension, tools: Tools, units: Sequence[tuple[str, list[str]]], *, may_fail: bool
) -> list[str]:
    """Compile sources, each with its command, as many at a time as there are cores."""

    def compile_one(number: int) -> str:
        source, command = units[number]
        started = time.monotonic()
        _say(extension, f"compiling {source}")
        target = tools.folder.relative_to(HERE) / f"{number}_{source.replace('/', '_')}.o"
        full = [*command, "-c", source, "-o", str(target)]
        if may_fail and source == "cpython.cpp":
            done = subprocess.run(full, capture_output=True, text=True, errors="replace", cwd=HERE, check=False)
            if done.returncode != 0:
                raise _CpythonFailed(_located(done.stderr))
            sys.stderr.write(_located(done.stderr))
        else:
            _run(extension, full)
        _say(extension, f"compiled {source} in {time.monotonic() - started:.1f} s")
        return str(target)

    with ThreadPoolExecutor(max_workers=max(2, min(len(units), _cores()))) as pool:
        return list(pool.map(compile_one, range(len(units))))


def _cores() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


# --- running, remembering, telling -----------------------------------------------------------------------------------


def _run(extension: Extension, command: list[str]) -> None:
    """Run a compiler in the package's folder; its warnings are shown, its failure ends the build."""
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        cwd=HERE,
        check=False,
    )
    sys.stderr.write(_located(done.stderr))
    sys.stderr.flush()
    if done.returncode != 0:
        raise _Stopped(f"failed with {done.returncode}: {shlex.join(command)}", FAILED)


def _quietly(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run a compiler whose words in English are wanted, and not shown."""
    return subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        cwd=HERE,
        env={**os.environ, "LC_ALL": "C"},
        check=False,
    )


def _located(text: str) -> str:
    """A compiler's words with paths as the current folder has them; the compiler ran in the package's."""

    def found(place: re.Match[str]) -> str:
        path = HERE / place[2]
        if not path.is_file():
            path = HERE.parent.parent / place[2]
        return f"{place[1]}{_from_here(path) if path.is_file() else place[2]}:"

    return _PLACE.sub(found, text)


def _shown(spec: str) -> str:
    """The spec's path, which is relative to the folder that holds the output folder."""
    path = HERE.parent.parent / spec
    return _from_here(path) if path.is_file() else spec


def _from_here(path: Path) -> str:
    return os.path.relpath(path).replace(os.sep, "/")


def _key(extension: Extension, tools: Tools, library: Library, stub: bool, engines: set[str]) -> str:
    """What the result depends on; a folder's time changes when its package is installed anew."""
    own = (HERE / "ffi_build.py", Path(__file__).resolve())
    sources = sorted({*own, *HERE.glob("**/*.h*"), *HERE.glob("*.cpp"), *HERE.glob("sources/**/*.*")})
    compiler = Path(shutil.which(tools.cxx[0]) or tools.cxx[0]).resolve()
    parts = [
        [
            [str(path.relative_to(HERE)), hashlib.sha256(path.read_bytes()).hexdigest()]
            for path in sources
            if path.is_file()
        ],
        [[str(folder), folder.stat().st_mtime_ns] for folder in (*library.include, *library.lib) if folder.is_dir()],
        [_compile(extension, tools.cxx, library, stub=stub), _shared(), tools.cc, library.link_args],
        [str(compiler), compiler.stat().st_mtime_ns, sys.version, _cffi_version(), sorted(engines)],
        [
            os.environ.get(name, "")
            for name in ("CFLAGS", "CPATH", "CPLUS_INCLUDE_PATH", "C_INCLUDE_PATH", "LIBRARY_PATH")
        ],
    ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _cffi_version() -> str:
    """Empty where it is not installed."""
    if importlib.util.find_spec("cffi") is None:
        return ""
    version: str = importlib.import_module("cffi").__version__
    return version


def _last_time(tools: Tools) -> dict[str, Any]:
    try:
        stamp = json.loads((tools.folder / "stamp.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def _is_intact(target: Path, last: Mapping[str, Any]) -> bool:
    """Whether an extension is what was built then, whole."""
    try:
        return (target.stat().st_size, _hash(target)) == (last["size"], last["sha256"])
    except (OSError, KeyError):
        return False


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _hold_package() -> None:
    """Lock the package's folder until this process ends: one build at a time, and nobody writes what it compiles."""
    try:
        import fcntl
    except ImportError:  # not on Windows
        return
    with suppress(OSError):  # some file systems have no locks
        fcntl.flock(os.open(HERE, os.O_RDONLY), fcntl.LOCK_EX)


def _say(extension: Extension, line: str) -> None:
    sys.stderr.write(f"{extension.package}: {line}\n")
    sys.stderr.flush()


def _done(extension: Extension, line: str, target: Path, missing: str, *, rebuilt: bool) -> None:
    """Tell people on stderr, and programs (one JSON object) on stdout."""
    _remove_others(extension, target)
    _say(extension, line)
    if missing:
        _say(extension, f"THIS IS A STUB, without the library: {missing}; most calls will raise LibraryUnavailable")
    print(json.dumps({"extension": target.name, "stub": bool(missing), "missing": missing, "rebuilt": rebuilt}))


def _remove_others(extension: Extension, target: Path) -> None:
    """Remove extensions of the other kind: Python would import one of two, and nobody would see which."""
    other = r"\.cpython-\d+d?-.+\.so" if target.name.endswith(ABI3_SUFFIX) else re.escape(ABI3_SUFFIX)
    for path in sorted(HERE.glob(f"_{extension.package}.*")):
        if re.fullmatch(other, path.name.removeprefix(f"_{extension.package}")):
            path.unlink()
            _say(extension, f"removed {path.name}, which is of the other kind")


class _Stopped(Exception):
    """The build ends here: why, with which exit code, and what to do about it."""

    def __init__(self, message: str, code: int, hint: str = "") -> None:
        self.message, self.code, self.hint = message, code, hint
        super().__init__(message)
