"""What the machine's compiler tells about headers and libraries: its include folders, and what a library exports."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path

from wrapper_gen.diagnostics import Diagnostic, Span, ToolchainError


def command(language: str) -> list[str]:
    """The compiler for `c` or `c++`: what CC or CXX says, else `cc` or `c++`."""
    variable, usual = ("CC", "cc") if language == "c" else ("CXX", "c++")
    return shlex.split(os.environ.get(variable, "")) or [usual]


@lru_cache
def include_folders(language: str) -> Sequence[str]:
    """The folders in which the compiler looks for headers, in its order."""
    said = _run([*command(language), "-E", "-x", language, "-v", os.devnull]).stderr
    listed = said.partition("search starts here:\n")[2].partition("End of search")[0]
    return [line.strip() for line in listed.splitlines() if line.startswith(" ")]


def library_path(name: str, folders: Iterable[str] = ()) -> Path | None:
    """Where the linker would find a library of this name; a shared one first."""
    for suffix in (".so", ".a"):
        options = [f"-L{folder}" for folder in folders]
        said = _run([*command("c++"), *options, f"-print-file-name=lib{name}{suffix}"]).stdout.strip()
        if os.sep in said:
            return Path(said)
    return None


def is_of_another_machine(library: Path) -> bool:
    """Whether a library in the format of ELF is of another machine than this Python; of other formats, none is."""
    ours, theirs = (_machine_of(path) for path in (Path(sys.executable), library))
    return bool(ours and theirs) and ours != theirs


def _machine_of(path: Path) -> bytes:
    """The class, the order of bytes and the machine of a file of ELF; empty of any other."""
    try:
        with path.open("rb") as file:
            head = file.read(20)
    except OSError:
        return b""
    return head[4:6] + head[18:20] if head.startswith(b"\x7fELF") else b""


def library_file(name: str, folders: Iterable[str] = ()) -> Path | None:
    """Where a library with this file name is: in these folders, or in those of the compiler."""
    for folder in folders:
        if (found := Path(folder, name)).is_file():
            return found
    said = _run([*command("c++"), f"-print-file-name={name}"]).stdout.strip()
    return Path(said) if os.sep in said else None


def pkg_config(name: str) -> list[str] | None:
    """What pkg-config says of a package; None where it does not know it, or is not there."""
    program = shlex.split(os.environ.get("PKG_CONFIG", "")) or ["pkg-config"]
    if not shutil.which(program[0]):
        return None
    said = _run([*program, "--cflags", "--libs", name])
    return shlex.split(said.stdout) if said.returncode == 0 else None


def refused(source: Path, options: Sequence[str]) -> str:
    """What the C++ compiler says of a file, in the words of any language setting; nothing is made."""
    return _run([*command("c++"), "-fsyntax-only", *options, str(source)]).stderr


def exported_symbols(library: Path) -> dict[str, str]:
    """What a library exports, each with its version of the symbol; empty where it has none."""
    dynamic = [] if library.suffix == ".a" else ["-D"]
    said = _run(["nm", *dynamic, "--defined-only", "--format=posix", str(library)])
    if said.returncode:
        what = said.stderr.strip().splitlines()[-1:] or ["nm failed"]
        raise ToolchainError(Diagnostic("WG300", what[0], Span(str(library), 1, 1), "name another library"))
    found = {}
    for line in said.stdout.splitlines():
        name, _, version = line.partition(" ")[0].partition("@")
        found[name] = version.lstrip("@")
    return found


def _run(arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            arguments,
            capture_output=True,
            text=True,
            errors="replace",
            env={**os.environ, "LC_ALL": "C"},
            check=False,
        )
    except OSError as error:
        diagnostic = Diagnostic(
            "WG300",
            f"cannot run {arguments[0]}: {error.strerror}",
            Span(arguments[0], 1, 1),
            "install it, or name another one in CC and CXX",
        )
        raise ToolchainError(diagnostic) from error
