"""Measures what lean includes save in compiling the torch bridge; it changes nothing in the package.

python benchmarks/torch_bridge.py [--package generated/torch_ffi] [--rounds 3] [--json FILE]
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from common import (
    REPOSITORY,
    SPREAD,
    Run,
    RunFailed,
    Wanted,
    alternate,
    machine,
    megabytes,
    progress,
    publish,
    ratios,
    run,
    seconds,
    summarize,
    table,
    times,
    write_json,
)

LEAN, WHOLE = "lean includes, as generated", "<torch/torch.h>"
FLAGS = ("-std=c++20", "-O2", "-g0", "-fPIC", "-DHAS_TORCH")
_TORCH_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*[<\"](?:ATen|c10|torch)/[^>\"\n]*[>\"].*$", re.MULTILINE)


class NotAvailable(Exception):
    """What the measurement needs is not here; the message says what."""


@dataclass
class Build:
    """One way to write the same bridge: every compilation of it, and what came out."""

    source: Path
    runs: list[Run] = field(default_factory=list)
    object_bytes: int = 0
    library_bytes: int = 0


def with_whole_torch(bridge: str) -> str:
    """The bridge with `<torch/torch.h>` for its first torch header and a blank line for each other one.

    Raises:
        NotAvailable: it includes no torch header.
    """
    lines = iter(["#include <torch/torch.h>"])
    text, count = _TORCH_INCLUDE.subn(lambda _match: next(lines, ""), bridge)
    if not count:
        raise NotAvailable("the bridge includes no header of torch's")
    return text


def torch_includes() -> list[str]:
    """The compiler's options for torch's own headers, found without importing torch."""
    found = importlib.util.find_spec("torch")
    if found is None or found.origin is None:
        raise NotAvailable(f"torch is not installed beside {Path(sys.executable).name}")
    root = Path(found.origin).parent / "include"
    return [f"-isystem{root}", f"-isystem{root / 'torch' / 'csrc' / 'api' / 'include'}"]


def prepare(package: Path, work: Path) -> Mapping[str, Build]:
    """Both bridges as files, neither in the package."""
    bridge = package / "bridge.cpp"
    if not bridge.is_file():
        raise NotAvailable(f"there is no {bridge.name} in {package}: generate the package first")
    text = bridge.read_text()
    builds = {LEAN: Build(work / "lean.cpp"), WHOLE: Build(work / "whole.cpp")}
    builds[LEAN].source.write_text(text)
    builds[WHOLE].source.write_text(with_whole_torch(text))
    return builds


def measure(builds: Mapping[str, Build], package: Path, rounds: int) -> None:
    """Compile both in turn, `rounds` times; link each once, unmeasured, for its size.

    Raises:
        NotAvailable: the compiler is missing or rejects a bridge.
    """
    command = [
        "g++",
        *FLAGS,
        f"-I{package}",
        f"-I{package / 'sources'}",
        f"-I{package.parent / 'wg_runtime'}",
        *torch_includes(),
        "-c",
    ]
    for round_number in range(rounds):
        for name, build in alternate(list(builds.items()), round_number):
            progress(f"round {round_number + 1}/{rounds}: {name}")
            target = build.source.with_suffix(".o")
            try:
                build.runs.append(run([*command, str(build.source), "-o", str(target)]))
            except RunFailed as failure:
                raise NotAvailable(f"{name}: {failure}") from None
            build.object_bytes = target.stat().st_size
    progress("")
    for build in builds.values():
        library = build.source.with_suffix(".so")
        subprocess.run(["g++", "-shared", "-s", str(build.source.with_suffix(".o")), "-o", str(library)], check=True)
        build.library_bytes = library.stat().st_size


def rows(builds: Mapping[str, Build]) -> list[list[str]]:
    lean = [one.seconds for one in builds[LEAN].runs]
    found = []
    for name, build in builds.items():
        taken = [one.seconds for one in build.runs]
        peak = max(one.peak_bytes for one in build.runs)
        sizes = [megabytes(build.object_bytes), megabytes(build.library_bytes)]
        found.append(
            [name, summarize(taken).text(seconds), ratios(taken, lean).text(times), megabytes(peak), *sizes],
        )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="Time the torch bridge with lean includes and with <torch/torch.h>.")
    parser.add_argument("--package", type=Path, default=REPOSITORY / "generated" / "torch_ffi")
    parser.add_argument("--rounds", type=int, default=3, help="how often each bridge is compiled")
    parser.add_argument("--json", type=Path, help="write every single run to this file")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        try:
            builds = prepare(options.package.resolve(), Path(folder))
            measure(builds, options.package.resolve(), max(options.rounds, 1))
        except NotAvailable as reason:
            print(f"not available: {reason}")
            return
    taken = {name: [one.seconds for one in build.runs] for name, build in builds.items()}
    wanted = Wanted("lean includes against <torch/torch.h>", 0.4, ratios(taken[LEAN], taken[WHOLE]))
    facts = machine()
    header = ("bridge", "seconds", "times lean", "peak MB", "object MB", "linked, stripped MB")
    page = publish("Compiling the torch bridge", facts, [SPREAD, table(header, rows(builds))], [wanted])
    measured = {name: asdict(build) | {"source": build.source.name} for name, build in builds.items()}
    write_json(options.json, facts, page, [wanted], measured)


if __name__ == "__main__":
    main()
