"""The compilers of this machine: which there are, how they are called, what they say; knows no library."""

from __future__ import annotations

import atexit
import errno
import hashlib
import importlib.util
import os
import platform
import re
import shlex
import shutil
import stat
import struct
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any

from ._msvc import is_msvc
from ._processes import execute

RUNTIME = Path(__file__).resolve().parent
"""The folder of the runtime, with the headers of every package."""
HERE = RUNTIME.parent if RUNTIME.name == "_runtime" else Path(sys.argv[0]).resolve().parent
"""The package's folder, in which compilers run: `ffi_build.py`, which is being run, lies there."""
SUFFIX: str = sysconfig.get_config_var("EXT_SUFFIX") or ".so"
ABI3_SUFFIX = ".pyd" if os.name == "nt" else ".abi3.so"
LINUX = sys.platform.startswith("linux")
FAILED, NO_TOOL, NO_LIBRARY, UNDEFINED, NOT_WRITTEN, STALE, INTERRUPTED = 1, 3, 4, 5, 6, 7, 130
"""Exit codes: compiling failed; a tool is missing; the library is; functions that are called are in no library; a file
cannot be written; the package was generated from another spec or source than the one that is there."""
LOADED_FUNCTIONS = "-DWG_LOADED_FUNCTIONS="
"""How the option starts that names the header with the functions which are loaded at first use."""
OTHER_CACHE = "WRAPPER_GEN_CACHE can name another folder"
OF_ROW = r"(?: \(for [^\n]*?\))?"
"""Follows the spec's path where code stands there once for several rows of a `for`."""
_PLACE = re.compile(rf"^((?:In file included from | +from )?)([^\s:/<][^:\n]*?)({OF_ROW}):(?=\d| In )", re.MULTILINE)


class Stopped(Exception):
    """The build ends here: why, with which exit code, and what to do about it."""

    def __init__(self, message: str, code: int, hint: str = "") -> None:
        self.message, self.code, self.hint = message, code, hint
        super().__init__(message)


@dataclass(frozen=True)
class Extension:
    """What `ffi_build.py` says about the library; relative paths are relative to the spec's folder."""

    package: str
    spec: str
    guard: str
    optional: bool
    headers: Sequence[str]
    sources: Sequence[str]
    link: Sequence[str]
    requires: Sequence[Mapping[str, Any]]
    dynamic: bool
    cpp_std: int
    units: int
    compile_args: Sequence[str]
    link_args: Sequence[str]
    made_from: Mapping[str, str] = field(default_factory=dict)
    """The digest of the spec and of each source as they were when this was generated; paths are relative to the folder
    that holds the output folder."""
    groups: Sequence[str] = ()
    """The groups of functions that may be compiled by themselves, by their last functions; none of few."""
    functions: Sequence[str] = ()
    """The functions of C that the spec names, where a library is linked that should have them."""


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
    absent: list[str] = field(default_factory=list)
    """What the spec requires and this machine does not have, as `tried` names it."""
    loaded_functions: str = ""
    """The header that lists the functions which are loaded at first use; empty where none are."""

    @property
    def looked(self) -> str:
        return "looked in " + ", ".join([*self.tried, "the compiler's own folders"])


@dataclass(frozen=True)
class Tools:
    """The compilers, each as the start of a command, and whether what they make is for every later CPython."""

    cxx: list[str]
    cc: list[str]
    abi3: bool
    target: str
    """The machine that they compile for, as GCC names it; empty where it is this one."""
    state: Path
    """What the last build was, remembered outside the package."""
    work: Path
    """Objects, and what else there is only during a build."""
    jobs: int
    """How many compilers run at a time."""

    @property
    def suffix(self) -> str:
        return ABI3_SUFFIX if self.abi3 else _suffix(self.target)


def wheel_tag(suffix: str, target: str = "") -> str:
    """What a wheel with an extension of this suffix has to be tagged as: pip installs it where it can be loaded."""
    platform_ = f"linux-{_MACHINES[target.partition('-')[0]]}" if target else sysconfig.get_platform()
    machine = re.sub(r"[-.]", "_", platform_)
    if suffix == ABI3_SUFFIX:
        return f"cp311-abi3-{machine}"
    version = f"{sys.version_info.major}{sys.version_info.minor}"
    if windows := re.match(r"\.(cp\d+t?)-.*\.pyd$", suffix):
        return f"cp{version}-{windows[1]}-{machine}"
    implementation, abi, *_ = suffix.strip(".").split("-")  # cpython-313t-..., pypy311-pp80-...
    if implementation == "cpython":
        return f"cp{version}-cp{abi}-{machine}"
    return f"pp{version}-{implementation}_{abi}-{machine}"


# --- the tools -------------------------------------------------------------------------------------------------------


def find_tools(extension: Extension, abi3: bool, *, remembers: bool = True, jobs: int | None = None) -> Tools:
    """The compilers that the environment names, or that are here.

    Args:
        extension: what is built.
        abi3: whether it is for all later versions of CPython.
        remembers: whether the next build is to know of this one.
        jobs: how many run at a time; as many as there are cores where nothing is said.

    Raises:
        Stopped: one is missing, or Python's headers are.
    """
    cxx = _tool("CXX", (*_OF_WINDOWS, "c++", "g++", "clang++"))
    cc = cxx if is_msvc(cxx) and not os.environ.get("CC") else _tool("CC", (*_OF_WINDOWS, "cc", "gcc", "clang"))
    if not cxx or (not cc and any(source.endswith(".c") for source in extension.sources)):
        language, variable, usual = ("C", "CC", "cc, gcc or clang") if cxx else ("C++", "CXX", "c++, g++ or clang++")
        asked = os.environ.get(variable)
        usual = f"cl, {usual}" if _OF_WINDOWS else usual
        what = f"{asked!r}, which {variable} names, is not there" if asked else f"no {usual} on PATH"
        raise Stopped(f"no {language} compiler: {what}", NO_TOOL)
    if not (Path(sysconfig.get_path("include")) / "Python.h").exists():
        raise Stopped(
            "Python.h is missing: install Python's development files (python3-dev)",
            NO_TOOL,
        )
    has_gil = not sysconfig.get_config_var(
        "Py_GIL_DISABLED"
    )  # without one there is no limited API, whatever the suffixes say
    if abi3 and (ABI3_SUFFIX not in EXTENSION_SUFFIXES or not has_gil):
        what = f"{platform.python_implementation()} {platform.python_version()}{'' if has_gil else ' without the GIL'}"
        raise Stopped(f"--abi3 is for CPython with its GIL, and this is {what}", NO_TOOL)
    target = _target(cxx)
    suffix = ABI3_SUFFIX if abi3 else _suffix(target)
    state = _state_folder(extension, suffix, target) if remembers else _passing_folder()
    return Tools(cxx, cc, abi3, target, state, state / "work", jobs or _cores())


def _cores() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_MACHINES = {
    "x86_64": "x86_64",
    "aarch64": "aarch64",
    "powerpc64le": "ppc64le",
    "riscv64": "riscv64",
    "loongarch64": "loongarch64",
}
"""Machines with numbers of 64 bits, lowest byte first, as GCC and wheels name them: Python's headers are the same."""
_SPELLINGS = ((r"i\d86", "i386"), (r"arm.*", "arm"), (r"amd64", "x86_64"), (r"ppc64le", "powerpc64le"))


_OF_WINDOWS = ("cl", "clang-cl") if os.name == "nt" else ()
"""The compilers that Python itself is built with there; a developer prompt of Visual Studio has `cl` on its PATH."""


def _target(cxx: Sequence[str]) -> str:
    """The machine that the compiler makes code for, as Python names it; empty where this Python is for it.

    An environment that describes another Python, as `_PYTHON_SYSCONFIGDATA_NAME` does, counts as this Python.

    Raises:
        Stopped: it is one of which Python's headers here say the wrong things.
    """
    own = sysconfig.get_config_var("MULTIARCH") or ""
    if is_msvc(cxx):
        return ""
    asked = quietly([*cxx, *words_of("CXXFLAGS"), "-dumpmachine"])
    said = asked.stdout.strip()
    if not LINUX or own.count("-") != 2 or asked.returncode != 0 or "-" not in said:
        return ""
    ours, theirs = _machine(own), _machine(said)
    has_own_system = "linux" in said and ("musl" in said) == ("musl" in own)
    if has_own_system and ours == theirs:
        return ""
    if has_own_system and {ours, theirs} <= _MACHINES.keys():
        return own.replace(own.partition("-")[0], theirs, 1)
    raise _foreign(cxx, said, own)


def _machine(target: str) -> str:
    name = target.partition("-")[0]
    return next((ours for pattern, ours in _SPELLINGS if re.fullmatch(pattern, name)), name)


def _foreign(cxx: Sequence[str], target: str, own: str) -> Stopped:
    """The end of a build for a machine of which this Python does not know what its headers have to say."""
    hint = (
        "name a compiler for this machine in CXX; or, for that one, run this as its Python, as crossenv does, or with "
        "_PYTHON_HOST_PLATFORM and _PYTHON_SYSCONFIGDATA_NAME set to those of its Python"
    )
    return Stopped(f"{Path(cxx[0]).name} compiles for {target}, and this Python is for {own}", NO_TOOL, hint)


def _suffix(target: str) -> str:
    """How extensions of this Python end where it runs on that machine."""
    return SUFFIX.replace(sysconfig.get_config_var("MULTIARCH") or "", target) if target else SUFFIX


def _tool(variable: str, names: Sequence[str]) -> list[str]:
    """The compiler of the environment, or the first there is; empty when there is none."""
    chosen = words_of(variable)
    if chosen:
        return chosen if shutil.which(chosen[0]) else []
    return next(([name] for name in names if shutil.which(name)), [])


def words_of(*variables: str) -> list[str]:
    """The words of environment variables; a backslash is a part of a word on Windows."""
    text = " ".join(os.environ.get(name, "") for name in variables)
    return [word.strip('"') for word in shlex.split(text, posix=False)] if os.name == "nt" else shlex.split(text)


def _state_folder(extension: Extension, suffix: str, target: str) -> Path:
    """A folder for this package and kind of extension, outside of it; where no cache can be, one that does not last."""
    kind = suffix.strip(".").removesuffix(".so") + (f"-{target}" if target and suffix == ABI3_SUFFIX else "")
    place = hashlib.sha256(os.fsencode(HERE)).hexdigest()[:16]
    try:
        folder = cache() / "builds" / f"{extension.package}-{place}" / kind
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        problem = _why_not(folder)
        if not problem:
            return folder
    except (OSError, RuntimeError) as error:  # a user without a home
        problem = str(error)
    say(extension, f"the next build cannot know of this one: {problem}; {OTHER_CACHE}")
    return _passing_folder()


def _passing_folder() -> Path:
    """A folder that ends with this process."""
    folder = Path(tempfile.mkdtemp(prefix="wrapper-gen-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _why_not(folder: Path) -> str:
    """Why objects cannot be there: what others can write may be no longer what the compiler wrote when it is linked."""
    if hasattr(os, "geteuid"):
        about, above = folder.stat(), cache().stat()
        if about.st_uid != os.geteuid() or above.st_uid not in (0, os.geteuid()):
            return f"{cache()} belongs to another user"
        if about.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            return f"others can write {folder}"
    return "" if os.access(folder, os.W_OK) else f"{folder} cannot be written"


def cache() -> Path:
    """The folder for what can be made again."""
    chosen = os.environ.get("WRAPPER_GEN_CACHE")
    if chosen:
        return Path(chosen).absolute()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache").absolute() / "wrapper-gen"


def cache_for_all(name: str) -> Path | None:
    """A folder of that which all packages use; None where none can be, or others could write what is linked."""
    folder = cache() / name
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return None if _why_not(folder) else folder
    except (OSError, RuntimeError):  # a user without a home
        return None


def require_cffi() -> None:
    """Stop where cffi is missing, which only its own engine is built with."""
    if importlib.util.find_spec("cffi") is None:
        raise Stopped(f"cffi is not installed in {sys.executable}: pip install cffi", NO_TOOL)


# --- commands --------------------------------------------------------------------------------------------------------


PACKAGE = "-idirafter."
"""Where sources find `bridge.h`, after all other folders: no header of a library is hidden by one of the package."""


def compile_command(
    extension: Extension,
    compiler: list[str],
    library: Library,
    *,
    stub: bool,
    c: bool = False,
    missing: str = "",
    optimise: str = "-O2",
) -> list[str]:
    """The compile command without input and output; the user's own flags come after ours and win."""
    # The spec's line may stand far below the place of an error.
    flags = [] if c else [f"-std=c++{extension.cpp_std}", "-ftemplate-backtrace-limit=0"]
    flags += [optimise, "-g0", "-fPIC", "-fvisibility=hidden", "-Werror=return-type"]
    # clang stops after 20 errors, gcc after none. What refers to what has ended when a call returns is an error.
    flags += (
        ["-ferror-limit=0", "-Werror=return-stack-address"] if is_clang(compiler) else ["-Werror=return-local-addr"]
    )
    flags += words_of("CPPFLAGS", "CFLAGS" if c else "CXXFLAGS")
    flags += [f"-U{extension.guard}" if stub else f"-D{extension.guard}=1"]
    flags += [f"-DWG_MISSING={_c_string(missing)}"] if missing else []
    # The compiler does not warn of others' headers. Its own folders must keep their place: -I changes nothing there.
    elsewhere = [] if RUNTIME.parent == HERE else [relative(RUNTIME, HERE)]
    folders = [f"-I{folder}" for folder in (*elsewhere, "sources")]
    for folder in library.include:
        is_plain = folder in library.own or str(folder) in ("/usr/include", "/usr/local/include")
        folders += [f"-I{folder}"] if is_plain else ["-isystem", str(folder)]
    if library.loaded_functions and not stub and not c:
        flags.append(f"{LOADED_FUNCTIONS}{_c_string(library.loaded_functions)}")
    own = [] if stub else [*library.compile_args, *extension.compile_args]
    return [*compiler, *flags, *folders, *own, PACKAGE]


def is_clang(compiler: Sequence[str]) -> bool:
    """Whether it is called so, or is a link to what is."""
    return any(
        "clang" in name
        for word in compiler
        for name in (Path(word).name, Path(shutil.which(word) or word).resolve().name)
    )


def _c_string(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def shared() -> list[str]:
    """How this Python's extension modules are linked, without the compiler's name."""
    words = shlex.split(sysconfig.get_config_var("LDSHARED") or "cc -shared")
    start = next((i for i, word in enumerate(words) if word.startswith("-")), len(words))
    return [*words[start:], *words_of("LDFLAGS")]


def is_debugged(extension: Extension) -> bool:
    """Whether a flag asks for what debuggers, profilers or sanitizers show: lines of the spec, names of functions."""
    flags = words_of("CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS")
    asking = re.compile(r"-g(?!0$)|[-/]Z[7i]$|-fsanitize|-pg?$|-fno-omit-frame-pointer")
    return any(asking.match(flag) for flag in (*flags, *extension.compile_args))


def libraries(library: Library, names: Sequence[str]) -> list[str]:
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


# --- running, and what compilers say ----------------------------------------------------------------------------------


def run(extension: Extension, command: list[str]) -> str:
    """Run a compiler in the package's folder; its warnings are shown, its failure ends the build.

    Returns:
        what it prints besides.
    """
    done = execute(command, HERE)
    sys.stderr.write(located(done.stderr))
    sys.stderr.flush()
    if done.returncode != 0 and os.strerror(errno.ENOSPC) in done.stderr:  # in English: `build` sees to that
        raise no_room(Path(command[-1]).parent)
    if done.returncode != 0:
        raise Stopped(f"failed with {done.returncode}: {shlex.join(command)}", FAILED)
    return done.stdout


def succeeds(command: list[str]) -> bool:
    """Run a compiler in the package's folder; its warnings are shown, what it says of a failure is not."""
    done = execute(command, HERE)
    if done.returncode == 0:
        sys.stderr.write(located(done.stderr))
        sys.stderr.flush()
    return done.returncode == 0


def no_room(folder: Path) -> Stopped:
    """The end of a build whose objects have no room."""
    return Stopped(f"{folder}: no space left on the disk", NOT_WRITTEN, f"make room; or {OTHER_CACHE}")


def quietly(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run a compiler whose words in English are wanted, and not shown."""
    return execute(command, HERE, environment={**os.environ, "LC_ALL": "C"})


def located(text: str) -> str:
    """A compiler's words with paths as the current folder has them; the compiler ran in the package's."""

    def found(place: re.Match[str]) -> str:
        path = HERE / place[2]
        if not path.is_file():
            path = HERE.parent.parent / place[2]
        return f"{place[1]}{from_here(path) if path.is_file() else place[2]}{place[3]}:"

    return _PLACE.sub(found, text)


def shown(spec: str) -> str:
    """The spec's path, which is relative to the folder that holds the output folder."""
    path = HERE.parent.parent / spec
    return from_here(path) if path.is_file() else spec


def from_here(path: Path) -> str:
    return relative(path, Path.cwd()).replace(os.sep, "/")


def relative(path: Path, folder: Path) -> str:
    """A path as a folder has it; whole, where it lies on another drive."""
    try:
        return os.path.relpath(path, folder)
    except ValueError:
        return str(path)


def preprocess(compiler: list[str], text: str) -> subprocess.CompletedProcess[str]:
    """What the preprocessor makes of a text, and says in English."""
    command = [*compiler, "-E", "-P", "-x", "c++", "-"]
    return execute(command, HERE, text=text, environment={**os.environ, "LC_ALL": "C"})


def check_flags(extension: Extension, tools: Tools, library: Library, stub: bool) -> None:
    """Stop when the compiler does not take its flags: whatever it is given would fail, and look like another fault."""
    done = preprocess(compile_command(extension, tools.cxx, library, stub=stub), "__SIZEOF_POINTER__\n")
    if done.returncode != 0:
        sys.stderr.write(done.stderr)
        words = next((line for line in done.stderr.splitlines() if "error" in line), f"it exits with {done.returncode}")
        given = "CPPFLAGS, CXXFLAGS or CXX" if stub else "CPPFLAGS, CXXFLAGS, CXX, compile_args or pkg-config"
        raise Stopped(f"failed, since the compiler refuses a flag of {given}: {words}", FAILED)
    size = done.stdout.strip()
    if size.isdigit() and int(size) != struct.calcsize("P"):
        raise _foreign(tools.cxx, f"pointers of {size} bytes", f"those of {struct.calcsize('P')}")


def say(extension: Extension, line: str) -> None:
    sys.stderr.write(f"{extension.package}: {line}\n")
    sys.stderr.flush()
