"""The generators that are compared: how to get each, and the command that runs it; it measures nothing."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from common import REPOSITORY, first_line

ENVIRONMENT = REPOSITORY / "benchmarks" / ".venv-peers"


@dataclass(frozen=True, slots=True)
class Generator:
    """One contender; `command` takes the folder with the inputs and an empty folder for the output."""

    name: str
    command: Callable[[Path, Path], list[str]]


@dataclass(frozen=True, slots=True)
class Missing:
    """A contender that cannot run here, and why."""

    name: str
    why: str


def ours() -> Generator:
    return Generator("wrapper-gen", lambda inputs, output: generate([inputs / "bench.wrapper_spec"], output))


def generate(specs: Sequence[Path], output: Path, command: str = "generate") -> list[str]:
    """Our own command over some specs."""
    return [sys.executable, "-m", "wrapper_gen", command, *map(str, specs), "-o", str(output)]


def peers(install: bool) -> list[Generator | Missing]:
    """SWIG from the system, Shroud and litgen from an environment of their own."""
    return [_swig(), _shroud(install), _litgen(install)]


def _swig() -> Generator | Missing:
    path = shutil.which("swig")
    if path is None:
        return Missing("SWIG", "no `swig` on the PATH (Debian: apt install swig)")
    version = first_line([path, "-version"]).removeprefix("SWIG Version ")
    return Generator(
        f"SWIG {version}",
        lambda inputs, output: [
            *(path, "-c++", "-python", f"-I{inputs}"),
            *("-outdir", str(output), "-o", f"{output}/bench_wrap.cxx", f"{inputs}/bench.i"),
        ],
    )


def _shroud(install: bool) -> Generator | Missing:
    # Its own dependency on pkg_resources is undeclared; newer releases of setuptools no longer have that.
    version = installed("llnl-shroud", "0.14.0", install, extra=("setuptools<81",))
    if isinstance(version, Missing):
        return Missing("Shroud", version.why)
    program = str(ENVIRONMENT / "bin" / "shroud")
    return Generator(
        f"Shroud {version}",
        lambda inputs, output: [
            program,
            "--outdir",
            str(output),
            "--logdir",
            str(output),
            str(inputs / "bench.yaml"),
        ],
    )


def _litgen(install: bool) -> Generator | Missing:
    version = installed("litgen", "0.22.0", install)
    if isinstance(version, Missing):
        return Missing("litgen", version.why)
    python = str(ENVIRONMENT / "bin" / "python")
    return Generator(
        f"litgen {version}",
        lambda inputs, output: [python, f"{inputs}/litgen_program.py", f"{inputs}/bench.hpp", str(output)],
    )


def installed(package: str, version: str, install: bool, extra: tuple[str, ...] = ()) -> str | Missing:
    """The version of a package in the peers' environment, installed first if it may be."""
    python = ENVIRONMENT / "bin" / "python"
    ask = [str(python), "-c", f"import importlib.metadata as m; print(m.version({package!r}))"]
    if first_line(ask) == version:
        return version
    if not install:
        return Missing(package, f"{package} {version} is not installed, and --no-install was given")
    try:
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", str(ENVIRONMENT)], check=True, capture_output=True, text=True)
        command = [str(python), "-m", "pip", "install", "--quiet", f"{package}=={version}", *extra]
        subprocess.run(command, check=True, capture_output=True, text=True)
    except subprocess.CalledProcessError as error:
        lines = (error.stderr or "").strip().splitlines()
        return Missing(package, lines[-1][:160] if lines else f"pip exited with {error.returncode}")
    return first_line(ask) or Missing(package, "installed, but it cannot be found")
