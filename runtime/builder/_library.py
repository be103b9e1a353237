"""Where the library is on this machine: what the spec names, the environment and the compiler's own folders."""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import NoReturn

from ._processes import execute
from ._toolchain import (
    HERE,
    LINUX,
    NO_LIBRARY,
    UNDEFINED,
    Extension,
    Library,
    Stopped,
    Tools,
    compile_command,
    libraries,
    located,
    preprocess,
    quietly,
    shared,
    shown,
)

_LIBRARY = re.compile(r"\.(so(\.\d+)*|a|dylib|tbd|lib)$")
"""What the names of libraries end in."""
_NOT_FOUND = re.compile(r"fatal error: '?(.+?)'?(?:: No such file or directory| file not found)$", re.MULTILINE)
_SIGNATURE = re.compile(r"(\[abi:\w+\])?\(.*")
"""What follows the name of a function of C++ where a linker shows it."""
_OF_COMPILER = ("vtable ", "typeinfo ", "VTT ", "non-virtual ", "virtual ")
"""How names begin that nobody writes."""
_UNDEFINED = re.compile(r"^(?!.*\.so[.\d]*: ).*undefined (?:reference to|symbol:) [`']?([^'\n]+)'?$", re.MULTILINE)
_UNDEFINED_AT = re.compile(r"^ +U (.+?)\t(.+):(\d+)$", re.MULTILINE)
"""A name that an object lacks, and where its code is that uses it, as nm shows them."""
_MOST_NAMED = 4
"""How many functions a message names."""
_NOT_OURS = re.compile(r"_*Py[A-Z_]|__")
"""Functions that come with the interpreter, or with what the compiler puts in."""


def discover(extension: Extension) -> Library:
    """Where the library may be: what it requires, in order; the compiler adds its own folders."""
    library = Library()
    for requirement in extension.requires:
        if "pkg_config" in requirement:
            _ask_pkg_config(requirement["pkg_config"], library, linked=not extension.dynamic)
        elif "python" in requirement:
            _ask_python(requirement["python"], requirement["dirs"], library)
        else:
            _look_in(requirement["dirs"], extension, library)
    return library


def _look_in(dirs: Sequence[str], extension: Extension, library: Library) -> None:
    """Search folders of the spec, of which some may be those of other machines."""
    before = len(library.tried)
    is_there = False
    for path in dirs:
        # The spec's path is relative to the folder that holds the output folder, which holds this package.
        expanded = Path(os.path.expandvars(path)).expanduser()
        folder = (HERE.parent.parent / extension.spec).parent / expanded
        library.tried.append(path if folder.is_dir() else f"{path} (no such folder)")
        is_there = is_there or folder.is_dir()
        if folder.is_dir() and folder not in library.include:
            _add(folder, library)
            library.own += [] if expanded.is_absolute() else [folder]
    library.absent += [] if is_there else library.tried[before:]


def _add(folder: Path, library: Library) -> None:
    """Search a folder for headers, and for libraries where it has some: there the extension looks for them, too."""
    library.include.append(folder)
    if any(_LIBRARY.search(each.name) for each in folder.iterdir()):
        library.lib.append(folder)


def _ask_pkg_config(name: str, library: Library, *, linked: bool) -> None:
    """What pkg-config says; a library that is loaded when it is needed is not linked."""
    library.tried.append(f"pkg-config {name}")
    command = [*shlex.split(os.environ.get("PKG_CONFIG", "pkg-config")), "--cflags", "--libs", name]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        _is_absent("pkg-config is not installed", library)
        return
    if done.returncode != 0:
        _is_absent("it knows no such package", library)
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


def _is_absent(why: str, library: Library) -> None:
    """Say of what was asked last that it is not here."""
    library.tried[-1] += f" ({why})"
    library.absent.append(library.tried[-1])


def _ask_python(name: str, dirs: Sequence[str], library: Library) -> None:
    library.tried.append(f"Python package {name}")
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        spec = None
    if spec is None:
        _is_absent("not installed", library)
        return
    roots = [Path(root) for root in spec.submodule_search_locations or ()]
    for folder in (root / path for path in dirs for root in roots):
        if folder.is_dir():
            _add(folder, library)


def missing_part(extension: Extension, tools: Tools, library: Library) -> str:
    """What of the library is not here; empty when all of it is."""
    header = _missing_header(extension, compile_command(extension, tools.cxx, library, stub=False))
    if header:
        return f"header {header} was not found"
    if extension.dynamic or _refused(tools, library, extension.link) is None:
        return ""
    for name in extension.link:
        said = _refused(tools, Library(lib=library.lib), [name])
        if said is not None:
            return f"library {name} was not found{_why_refused(said)}"
    return f"what pkg-config says does not link: {shlex.join(library.link_args)}"


def _missing_header(extension: Extension, compiler: list[str]) -> str:
    """The first header that is not here: one that the spec names, or one that those include; empty when all are."""
    if not extension.headers:
        return ""
    headers = _quoted(extension.headers)
    probe = "".join(f"#if !__has_include({header})\nmissing {i}\n#endif\n" for i, header in enumerate(headers))
    absent = re.search(r"^missing (\d+)$", preprocess(compiler, probe).stdout, re.MULTILINE)
    if absent:
        return extension.headers[int(absent[1])]
    whole = preprocess([*compiler, "-o", os.devnull], "".join(f"#include {header}\n" for header in headers))
    within = _NOT_FOUND.search(whole.stderr)
    if not within:  # another mistake in them is shown when they are compiled
        return ""
    line = re.findall(r"<stdin>:(\d+)", whole.stderr[: within.start()])
    outer = extension.headers[int(line[-1]) - 1 if line else 0].strip('<>"')
    return f"{within[1]}, which {outer} includes,"


def _quoted(headers: Sequence[str]) -> list[str]:
    """Each as it is included."""
    return [each if each[:1] in '<"' else f'"{each}"' for each in headers]


_OF_ANOTHER = re.compile(r"skipping incompatible (\S+) when searching")
_UNKNOWN = re.compile(r"^(?:\S*ld[\w.]*: )?(\S+): file (?:format )?not recognized", re.MULTILINE)


def _why_refused(said: str) -> str:
    """What the linker says of a library that it finds and does not take; empty where it finds none."""
    if found := _OF_ANOTHER.search(said):
        return f": {found[1]} is of another machine than the compiler makes code for"
    found = _UNKNOWN.search(said)
    return f": {found[1]} is no library that the linker knows" if found else ""


def _refused(tools: Tools, library: Library, names: Sequence[str]) -> str | None:
    """What the linker says where it cannot link these; None where it can."""
    if not names and not library.link_args:
        return None
    command = [*tools.cxx, *shared(), "-fPIC", "-x", "c++", "-", "-x", "none", *libraries(library, names)]
    command += ["-o", str(tools.work / "probe.so")]
    done = execute(command, HERE, text="")
    return done.stderr if done.returncode else None


def origin(extension: Extension, library: Library) -> str:
    """The line that says what was built against."""
    if not extension.headers and not extension.link:
        return "built from its own sources"
    headers = [each.strip('<>"') for each in extension.headers]
    for folder in library.include:
        if headers and (folder / headers[0]).exists():
            return f"built against {headers[0]} in {folder}"
    return f"built against {', '.join(headers or extension.link)} as the compiler finds it"


def refuse_stub(extension: Extension, library: Library, missing: str) -> NoReturn:
    option = "--stub" if extension.optional else "--allow-stub"
    hint = (
        "install the library with its headers, or say where it is: with 'requires' in "
        f"{shown(extension.spec)}, or with CPPFLAGS=-I... and LDFLAGS=-L... in the environment; "
        f"{option} builds a package without it"
    )
    raise Stopped(f"{missing} ({library.looked})", NO_LIBRARY, hint)


# --- what no library has ----------------------------------------------------------------------------------------------


def undefined_functions(tools: Tools, objects: Sequence[str], libraries: Sequence[str]) -> list[str]:
    """Functions that are called, and that nothing has which is linked: importing the extension would fail.

    Only linkers of ELF systems are asked. Libraries that the linked ones need are searched as well, as when loading.
    """
    if not LINUX:
        return []
    tolerant = ["-Wl,-z,defs", "-Wl,--warn-unresolved-symbols", "-Wl,--copy-dt-needed-entries"]
    tolerant += ["-Wl,--allow-shlib-undefined"]
    command = [*tools.cxx, *shared(), *tolerant, *objects, *libraries, "-o", str(tools.work / "probe.so")]
    done = _linked(command)
    return sorted({name for name in _UNDEFINED.findall(done.stderr) if not _NOT_OURS.match(name)})


def _linked(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """By GNU's linker where it can: others refuse some of these options (mold), or name no lines."""
    done = quietly([*command, "-fuse-ld=bfd"])
    has_failed = done.returncode != 0 and not _UNDEFINED.search(done.stderr)
    return quietly(command) if has_failed else done


def refuse_undefined(
    extension: Extension, tools: Tools, library: Library, undefined: Sequence[str], units: list[tuple[str, list[str]]]
) -> NoReturn:
    """Compile once more with line numbers, and say where each of these functions is called."""
    cxx = compile_command(extension, tools.cxx, library, stub=False)
    objects = []
    for number, (source, command) in enumerate([("bridge.cpp", cxx), *units]):
        objects.append(str(tools.work / f"called_{number}.o"))
        quietly([*command, "-g1", "-O0", "-c", source, "-o", objects[-1]])
    _refuse(extension, library, undefined, {**_named_in_bridge(undefined), **_called(objects)})


def refuse_missing(extension: Extension, tools: Tools, library: Library) -> None:
    """Stop before anything is compiled where the library that is linked lacks a function of C which the spec names.

    What its files export is seen at once. Only where that lacks some, or what is required is not here, the headers are
    asked which of these they define themselves, and the linker which of them other libraries have.
    """
    linked = libraries(library, extension.link)
    files = [_file_of(tools, library, name) for name in _names_of(extension, library)]
    if not LINUX or not extension.functions or not (files or library.absent) or None in files:
        return
    exported = set[str]().union(*(_exported(str(file)) for file in files))
    lacking = set(extension.functions) - exported
    if not lacking or not (exported or library.absent):
        return
    uses = "".join(
        f"#ifndef {name}\nvoid *wg_used_{i} = reinterpret_cast<void *>(&::{name});\n#endif\n"
        for i, name in enumerate(sorted(lacking))
    )
    probe, source = str(tools.work / "named.o"), tools.work / "named.cpp"
    includes = "".join(f"#include {header}\n" for header in _quoted(extension.headers))
    source.write_text(includes + uses, encoding="utf-8")
    command = compile_command(extension, tools.cxx, library, stub=False, optimise="-O0")
    if quietly([*command, "-c", str(source), "-o", probe]).returncode != 0:
        return  # what is wrong with them is shown when all is compiled
    undefined = [name for name in undefined_functions(tools, [probe], linked) if name in lacking]
    if undefined:
        _refuse(extension, library, undefined, _named_in_bridge(undefined))


def _names_of(extension: Extension, library: Library) -> list[str]:
    return [*extension.link, *(word[2:] for word in library.link_args if word.startswith("-l"))]


def _file_of(tools: Tools, library: Library, name: str) -> Path | None:
    """The file that the linker takes for this library, as far as that is to be seen."""
    names = [f"lib{name}.so", f"lib{name}.a"]
    found = [folder / each for folder in library.lib for each in names if (folder / each).is_file()]
    asked = (quietly([*tools.cxx, f"-print-file-name={each}"]).stdout.strip() for each in names)
    return next(iter(found), None) or next((Path(each) for each in asked if each.startswith(os.sep)), None)


def _exported(file: str) -> set[str]:
    """The names that a library defines for others; none where no tool shows them."""
    shown = _nm(["--defined-only", "-P", *(() if file.endswith(".a") else ("-D",)), file])
    return {line.partition(" ")[0].partition("@")[0] for line in shown.splitlines()}


def _nm(options: Sequence[str]) -> str:
    """What nm prints; nothing where there is none."""
    tool = shutil.which(os.environ.get("NM", "nm"))
    return quietly([tool, *options]).stdout if tool else ""


def _called(objects: Sequence[str]) -> dict[str, tuple[str, int]]:
    """Where functions are called that these objects lack: a file and a line, by the name."""
    found: dict[str, tuple[str, int]] = {}
    for each in objects:
        for name, path, line in _UNDEFINED_AT.findall(_nm(["-u", "-l", "-C", each])):
            found.setdefault(name, (path.removeprefix(f"{HERE}/"), int(line)))
    return found


def _named_in_bridge(names: Sequence[str]) -> dict[str, tuple[str, int]]:
    """The first line of the spec whose code has this name, or the spec's first."""
    found: dict[str, tuple[str, int]] = {}
    file, number = "bridge.cpp", 0
    lines = (HERE / "lines.hpp").read_text(encoding="utf-8")
    defined: dict[str, str] = dict(re.findall(r"^#define (\w+) (.+)$", lines, re.MULTILINE))
    for text in (HERE / "bridge.cpp").read_text(encoding="utf-8").split("\n"):
        if directive := re.match(r'#line (\w+) (".*"|\w+)', text):
            line, path = (defined.get(each, each) for each in (directive[1], directive[2]))
            file, number = path[1:-1], int(line)
        elif file != "bridge.cpp":
            found |= {name: (file, number) for name in names if name not in found and _has_word(text, name)}
            number += 1
    return found


def _has_word(text: str, function: str) -> bool:
    name = function.partition("(")[0].rpartition("::")[2]
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _refuse(
    extension: Extension, library: Library, undefined: Sequence[str], called: Mapping[str, tuple[str, int]]
) -> NoReturn:
    if _is_of_absent(extension, library, undefined):
        _refuse_absent(extension, library, undefined)
    what, hint = _why_undefined(extension, library, undefined)
    places = sorted((*called.get(name, (extension.spec, 1)), name) for name in undefined)
    sys.stderr.write(located("".join(f"{path}:{line}: error: {name} {what}\n" for path, line, name in places)))
    raise Stopped(f"failed: {', '.join(name for *_, name in places)} {what}", UNDEFINED, hint)


def _is_of_absent(extension: Extension, library: Library, undefined: Sequence[str]) -> bool:
    """Whether functions are undefined since what has them is required, and not here."""
    is_all_absent = not (library.lib or library.link_args or extension.link)
    return not extension.dynamic and bool(library.absent) and (is_all_absent or len(undefined) > _MOST_NAMED)


def _refuse_absent(extension: Extension, library: Library, undefined: Sequence[str]) -> NoReturn:
    """Say it once, and not of each function."""
    plain = [
        _SIGNATURE.sub("", name) for name in sorted(undefined) if not name.startswith(_OF_COMPILER) and "~" not in name
    ]
    names = [*dict.fromkeys(plain)] or sorted(undefined)
    named = ", ".join(names[:_MOST_NAMED])
    more = f" and {len(names) - _MOST_NAMED} more functions" if len(names) > _MOST_NAMED else ""
    what = f"`requires` does not find {', '.join(library.absent)}, and no library that is linked has {named}{more}"
    alike = _packages_alike(extension)
    near = f", which may be {' or '.join(alike)}" if alike else ""
    raise Stopped(
        what,
        NO_LIBRARY,
        f"correct the name{near}, or install it; or name the library in 'link' in {shown(extension.spec)}",
    )


def _packages_alike(extension: Extension) -> list[str]:
    """Packages that pkg-config knows, with names like those that the spec requires."""
    command = [*shlex.split(os.environ.get("PKG_CONFIG", "pkg-config")), "--list-all"]
    if shutil.which(command[0]) is None:
        return []
    known = [line.split(None, 1)[0] for line in quietly(command).stdout.splitlines() if line.strip()]
    wanted = [each["pkg_config"] for each in extension.requires if "pkg_config" in each]
    return [near for name in wanted if name not in known for near in get_close_matches(name, known, 1)]


def _why_undefined(extension: Extension, library: Library, undefined: Sequence[str]) -> tuple[str, str]:
    """What is wrong with functions that are called, and what to do about it."""
    spec = shown(extension.spec)
    if not extension.dynamic:
        looked = f"; {library.looked}" if library.tried else ""
        newer = f", or install a version of {' or '.join(extension.link)} that has it" if extension.link else ""
        return "is called, but no library that is linked has it", f"name its library in 'link' in {spec}{newer}{looked}"
    hint = f"call it in an entry of {spec}, without '::'; what cpp_prelude, sources and headers call has to be linked"
    return "is called past 'dynamic', which would load it", hint
