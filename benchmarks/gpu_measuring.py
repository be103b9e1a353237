"""How `gpu.py` measures: a process for each thing, the figures that it prints, and what is by hand beside ours."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from common import ENVIRONMENT, REPOSITORY, Summary, progress, ratios, summarize

PROGRAM = REPOSITORY / "benchmarks" / "gpu_process.py"
CPU, STANDIN, GPU, VULKAN = "cpu backend", "stand-in", "GPU", "Vulkan"

Figures = Mapping[str, Sequence[float]]


@dataclass
class Results:
    """What was measured, by the place and the measurement; what was not is missing."""

    rounds: int
    figures: dict[str, Figures] = field(default_factory=dict)
    devices: dict[str, str] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)

    def measure(
        self,
        place: str,
        what: str,
        key: str,
        settings: Mapping[str, str],
        *,
        packages: str = "",
        kernels: str = "",
        python: str = sys.executable,
    ) -> None:
        """Measure one thing; with `packages`, a folder whose packages are used before the shipped ones.

        Args:
            kernels: the program that measures kernels, where it is one.
            python: what runs it.
        """
        progress(f"{place}: {what}")
        paths = ":".join([str(REPOSITORY), *filter(None, [packages]), str(REPOSITORY / "generated")])
        command = [sys.executable, str(PROGRAM), what, str(self.rounds)]
        if kernels:
            command = [python, kernels, str(self.rounds), "2"]
        environment = {**ENVIRONMENT, "PYTHONPATH": paths, **settings}
        try:
            done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=900, check=True)
        except subprocess.CalledProcessError as error:
            self.reasons[key] = error.stderr.strip().splitlines()[-1] if error.stderr.strip() else "it ended"
            return
        finally:
            progress("")
        answer = json.loads(done.stdout.splitlines()[-1])
        self.figures[key] = answer["figures"]
        self.devices[place] = answer["device"]

    def ratio(self, key: str, above: str, below: str) -> Summary | None:
        """Round by round; None when one of them was not measured."""
        found = self.figures.get(key, {})
        return ratios(found[above], found[below]) if above in found and below in found else None

    def median(self, key: str, what: str, scale: float, form: str) -> str:
        """For a table; a dash where it was not measured."""
        values = self.figures.get(key, {}).get(what)
        return form.format(summarize(values).median * scale) if values else "-"


def by_hand(name: str, *more: str) -> str:
    """What is by hand, compiled; nothing where there is no compiler."""
    library = REPOSITORY / "build" / "benchmarks" / f"{name}.so"
    library.parent.mkdir(parents=True, exist_ok=True)
    flags = (
        "-std=c++17",
        "-O3",
        "-march=native",
        "-fno-math-errno",
        "-fno-trapping-math",
        "-shared",
        "-fPIC",
        "-pthread",
        *more,
    )
    command = ["c++", *flags, str(REPOSITORY / "benchmarks" / f"{name}.cpp"), "-o", str(library)]
    return str(library) if subprocess.run(command, env=ENVIRONMENT, check=False).returncode == 0 else ""
