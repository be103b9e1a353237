"""Measures unified_gpu: overlap, calls, memory and operations; what needs a GPU is measured where there is one.

python benchmarks/gpu.py [--rounds 5] [--short] [--no-install] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import geometric_mean
from typing import Any

from common import (
    ENVIRONMENT,
    REPOSITORY,
    SPREAD,
    Summary,
    Wanted,
    machine,
    progress,
    publish,
    ratios,
    summarize,
    table,
    times,
    write_json,
)
from gpu_process import BATCHES, LARGE, OPERATIONS, STAGE_US
from peers import ENVIRONMENT as PEERS_ENVIRONMENT
from peers import Missing, installed

PROGRAM = REPOSITORY / "benchmarks" / "gpu_process.py"
KERNELS_PROGRAM = REPOSITORY / "benchmarks" / "gpu_kernels.py"
VULKAN_PROGRAM = REPOSITORY / "benchmarks" / "gpu_vulkan.py"
KERNELS = ("saxpy", "stencil", "reduction", "nbody", "nbody fast", "Monte Carlo", "histogram", "transpose")
KERNEL_PEERS = ("numba", "Taichi", "Warp")
NEEDED = {"numpy": "2.4.6", "numba": "0.68.1", "taichi": "1.7.4", "warp-lang": "1.19.0"}
"""What the peers' environment has to have for the peers of kernels on the CPU."""
VULKAN_KERNELS = {"saxpy": 1e3, "stencil": 1e3, "reduction": 1e3, "launch": 1e6, "batched": 1e6}
"""What is measured over Vulkan: the kernels in milliseconds, and launches in microseconds each."""
CPU, STANDIN, GPU, VULKAN = "cpu backend", "stand-in", "GPU", "Vulkan"
PEERS = ("torch", "CuPy", "cuda.core")
VULKAN_PEERS = ("wgpu-py", "Taichi")
VULKAN_PEERS_FOLDER = REPOSITORY / "build" / "benchmarks" / "vulkan_peers"
VULKAN_PACKAGES = ("wgpu==0.32.0", "taichi==1.7.4", "colorama", "dill", "rich", "markdown-it-py", "mdurl", "pygments")
"""The peers with what they import, but for NumPy and cffi, which are here."""
CALLS = {"launch": 2.0, "upload": 2.0, "download": 2.0, "blocking download": 3.0, "one element": 4.0, "copy": 2.0}
"""Calls of `overhead`, and the microseconds that each may take more than the package's own."""

NOTES = f"""\
{SPREAD}
A stage of a pipeline takes {STAGE_US / 1000:.0f} ms: that is the latency of the link in the CPU device's build for
tests, and of the stand-in for the CUDA runtime, and computing is a delay on the CPU, an operation on the stand-in;
{BATCHES} batches go through. Calls are queued on a stream and counted in processor time of the calling thread; in a
round the shortest of five runs counts. NumPy, the operations and those by hand in C++ (`elementwise_by_hand.cpp`,
written past the caches as ours are) use memory that is there already: on arrays so long, what is by hand is as fast
as the memory allows. Kernels in Python (`gpu_kernels.py`) are launched and waited for, on two threads, beside loops by
hand in C++ (`kernels_by_hand.cpp`, with the same flags) and numba's `prange`, Taichi and Warp on the CPU
(`gpu_kernel_peers.py`): saxpy of 10 million, a stencil of 1024x1024, sums of blocks of 256 with barriers, 4096 bodies
(exact and fast mathematics), 4 million random points, a histogram of a million, a transposition of 1024x1024. The
first launch is of a stencil that was never compiled, until it is done.
Over Vulkan (`gpu_vulkan.py`) the driver is Mesa's lavapipe, unless `VK_ICD_FILENAMES` chooses another: the same saxpy
and sums, ten stencils, and 200 launches of 64 threads, each submitted by itself where a library asks for submits, until
the last is done; `batched` is in one submit. Ours makes submits of what is launched while a stream works, so that both
are the same. wgpu-py, whose kernels are in WGSL, and Taichi are measured where pip can install them, into
`build/benchmarks`."""

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


def testing_packages() -> str:
    """The folder with the CPU device's build for tests, which has a link."""
    command = [sys.executable, "-m", "tests.cpu.testing_package", "-O3"]
    done = subprocess.run(command, cwd=REPOSITORY, env=ENVIRONMENT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def standin() -> dict[str, str]:
    """What lets the cuda backend run without a GPU; nothing where it cannot be built."""
    command = [sys.executable, "tests/standin/build.py", "build/standin"]
    done = subprocess.run(command, cwd=REPOSITORY, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return {}
    library = str(REPOSITORY / done.stdout.strip())
    return {"DL_BACKEND": "cuda", "CUDA_FFI_LIBRARY": library, "NVRTC_FFI_LIBRARY": library}


def vulkan_peers(install: bool) -> str:
    """The folder that wgpu-py and Taichi are installed in; nothing where pip has them not."""
    if not (VULKAN_PEERS_FOLDER / "taichi").is_dir():
        if not install:
            return ""
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(VULKAN_PEERS_FOLDER)]
        done = subprocess.run([*command, *VULKAN_PACKAGES], env=ENVIRONMENT, capture_output=True, check=False)
        if done.returncode != 0:
            return ""
    return str(VULKAN_PEERS_FOLDER)


def lavapipe() -> dict[str, str]:
    """What chooses Mesa's driver for the CPU, where no other is chosen."""
    drivers = sorted(map(str, Path("/usr/share/vulkan/icd.d").glob("lvp_icd.*.json")))
    return {"VK_ICD_FILENAMES": ENVIRONMENT.get("VK_ICD_FILENAMES", drivers[0])} if drivers else {}


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


def kernel_peers(install: bool) -> str:
    """The Python that has the peers of kernels; this one where they are not installed."""
    for package, version in NEEDED.items():
        found = installed(package, version, install)
        if isinstance(found, Missing):
            print(f"not available: {package}: {found.why}", file=sys.stderr)
            if package == "numpy":
                return sys.executable
    return str(PEERS_ENVIRONMENT / "bin" / "python")


def measure(rounds: int, install: bool) -> Results:
    results = Results(rounds)
    cpu = {"DL_BACKEND": "cpu"}
    linked = cpu | {"CPU_FFI_LINK_LATENCY_US": str(STAGE_US)}
    results.measure(CPU, "overlap", "overlap cpu", linked, packages=testing_packages())
    fake = standin()
    if fake:
        results.measure(STANDIN, "overlap", "overlap standin", fake | {"CUDA_STANDIN_LATENCY_US": str(STAGE_US)})
    results.measure(CPU, "overhead", "overhead", cpu)
    results.measure(CPU, "allocation", "allocation", cpu)
    limit = {"GPU_BY_HAND": by_hand("elementwise_by_hand")}
    for threads in (1, 2):
        key = f"elementwise {threads}"
        results.measure(CPU, "elementwise", key, cpu | limit | {"CPU_FFI_THREADS": str(threads)})
    level = results.devices.get(CPU, "").rpartition(" ")[2]  # what ours are compiled for
    machine_flags = [f"-march={level}"] if level.startswith("x86-64-v") else []
    library = by_hand("kernels_by_hand", "-ffp-contract=off", *machine_flags)
    hand = {"KERNELS_BY_HAND": library, "CPU_FFI_THREADS": "2"}
    python = kernel_peers(install)
    results.measure(CPU, "kernels in Python", "kernels", cpu | hand, kernels=str(KERNELS_PROGRAM), python=python)
    peers = vulkan_peers(install)
    results.measure(VULKAN, "kernels and launches", "vulkan", lavapipe(), kernels=str(VULKAN_PROGRAM), packages=peers)
    results.measure(GPU, "device", "device", {"DL_BACKEND": "cuda"})
    if "device" in results.figures:
        results.measure(GPU, "allocation", "allocation gpu", {"DL_BACKEND": "cuda"})
        results.measure(GPU, "overhead", "overhead gpu", {"DL_BACKEND": "cuda"})
    return results


# --- what is wanted -----------------------------------------------------------------------------------------


def wanted(results: Results) -> list[Wanted]:
    return [
        *wanted_overlap(results),
        *wanted_calls(results),
        *wanted_elementwise(results),
        *wanted_kernels(results),
        *wanted_vulkan(results),
        *wanted_gpu(results),
    ]


def wanted_overlap(results: Results) -> list[Wanted]:
    found = []
    for place, key in ((CPU, "overlap cpu"), (STANDIN, "overlap standin")):
        figures = results.figures.get(key, {})
        time = results.ratio(key, "balanced: pipeline", "balanced: sequential")
        short = None
        if time is not None:
            gained = [
                s / p for s, p in zip(figures["balanced: sequential"], figures["balanced: pipeline"], strict=True)
            ]
            short = ratios(figures["balanced: bound"], gained)
        alone = results.ratio(key, "computing twice as long: pipeline", "computing twice as long: computing")
        found += [
            Wanted(f"{place}: three in flight against one after the other", 0.45, time),
            Wanted(f"{place}: the bound sum/max against what was gained (0.85 of it)", 1 / 0.85, short),
            Wanted(f"{place}: computing twice as long, against computing alone", 1.10, alone),
        ]
    return found


def wanted_calls(results: Results) -> list[Wanted]:
    found = []
    for key, place in (("overhead", CPU), ("overhead gpu", GPU)):
        figures = results.figures.get(key, {})
        for name, bound in CALLS.items():
            added = None
            if figures:
                pairs = zip(figures[f"{name}: ours"], figures[f"{name}: package"], strict=True)
                added = summarize([(ours - package) * 1e6 for ours, package in pairs])
            found.append(Wanted(f"{place}: {name}, more than the package's own", bound, added, unit=" µs"))
    made = results.figures.get("allocation", {}).get("ours")
    microseconds = summarize([value * 1e6 for value in made]) if made else None
    found.append(Wanted(f"{CPU}: allocate and free, warm", 1.0, microseconds, unit=" µs"))
    found.append(
        Wanted(f"{GPU}: allocate and free, against CuPy's pool", 1.2, results.ratio("allocation gpu", "ours", "cupy"))
    )
    return found


def wanted_elementwise(results: Results) -> list[Wanted]:
    """The last bound says that what memory allows is reached, where that is less than what is wanted of NumPy."""
    peers = {1: (("NumPy", 1.0),), 2: (("NumPy", 1 / 1.7), ("by hand", 1.1))}
    return [
        Wanted(
            f"{CPU}: {name} of 10 million f32 on {threads} thread{'s' * (threads > 1)}, time of {peer}",
            bound,
            results.ratio(f"elementwise {threads}", f"{name}: ours", f"{name}: {peer}"),
        )
        for threads, bounds in peers.items()
        for peer, bound in bounds
        for name in OPERATIONS
        if not (name == "exp" and peer == "by hand")
    ]


def wanted_kernels(results: Results) -> list[Wanted]:
    """Each against the fastest of the peers, all in the mean, and against loops by hand."""
    against = {name: fastest(results, name) for name in KERNELS}
    rows = [
        Wanted(f"{CPU}: kernel in Python, {name}, time of the fastest peer", 1.0, summary and summarize(summary))
        for name, summary in against.items()
    ]
    all_of_them = [each for each in against.values() if each]
    mean = summarize([geometric_mean(each) for each in zip(*all_of_them, strict=True)]) if all_of_them else None
    return [
        *rows,
        Wanted(f"{CPU}: kernels in Python, in the mean, time of the fastest peer", 0.9, mean),
        *(
            Wanted(
                f"{CPU}: kernel in Python, first launch of a new one, time of {peer}",
                1.0,
                results.ratio("kernels", "first launch: ours", f"first launch: {peer}"),
            )
            for peer in ("Taichi", "Warp")
        ),
        *(
            Wanted(
                f"{CPU}: kernel in Python, {name}, time of by hand",
                1.1,
                results.ratio("kernels", f"{name}: ours", f"{name}: by hand"),
            )
            for name in KERNELS
            if name != "nbody fast"
        ),
    ]


def fastest(results: Results, kernel: str) -> list[float]:
    """Our time of a kernel by that of the fastest peer, round by round; nothing without peers."""
    found = results.figures.get("kernels", {})
    peers = [found[f"{kernel}: {peer}"] for peer in KERNEL_PEERS if f"{kernel}: {peer}" in found]
    return [ours / min(each) for ours, *each in zip(found[f"{kernel}: ours"], *peers, strict=True)] if peers else []


def wanted_vulkan(results: Results) -> list[Wanted]:
    found = [
        Wanted(
            f"{VULKAN}: kernel in Python, {name}, time of {peer}",
            1.0,
            results.ratio("vulkan", f"{name}: ours", f"{name}: {peer}"),
        )
        for peer in VULKAN_PEERS
        for name in KERNELS[:3]
        if (name, peer) != ("reduction", "Taichi")  # which has no shared memory here
    ]
    for name, bound in (("launch", 20.0), ("batched", 3.0)):
        values = results.figures.get("vulkan", {}).get(f"{name}: ours")
        each = summarize([value * 1e6 for value in values]) if values else None
        found.append(Wanted(f"{VULKAN}: {name}, each until all are done", bound, each, unit=" µs"))
    return [
        *found,
        Wanted(f"{VULKAN}: launch, time of wgpu-py", 0.5, results.ratio("vulkan", "launch: ours", "launch: wgpu-py")),
        Wanted(
            f"{VULKAN}: batched, time of wgpu-py", 1.0, results.ratio("vulkan", "batched: ours", "batched: wgpu-py")
        ),
    ]


def wanted_gpu(results: Results) -> list[Wanted]:
    copies = [
        Wanted(
            f"{GPU}: {name} of 256 MB, time of {peer}",
            1 / 0.97,
            results.ratio("device", f"{name}: ours", f"{name}: {peer}"),
        )
        for name in ("upload", "download", "copy")
        for peer in ("torch", "CuPy")
    ]
    calls = [
        Wanted(f"{GPU}: {name}, time of {peer}", 1.0, results.ratio("device", f"{name}: ours", f"{name}: {peer}"))
        for name, peers in (("launch", PEERS[1:]), ("record", PEERS[1:]), ("query", PEERS[1:2]))
        for peer in peers
    ]
    return copies + calls


# --- tables -------------------------------------------------------------------------------------------------


def tables(results: Results) -> list[str]:
    parts = [NOTES]
    rows = []
    for place, key in ((CPU, "overlap cpu"), (STANDIN, "overlap standin")):
        for name in ("balanced", "computing twice as long"):
            shown = [median(results, key, f"{name}: {what}", 1e3, "{:.1f}") for what in ("sequential", "pipeline")]
            gain = results.ratio(key, f"{name}: sequential", f"{name}: pipeline")
            bound = median(results, key, f"{name}: bound", 1, "{:.2f}x")
            rows.append([f"{place}, {name}", *shown, "-" if gain is None else gain.text(times), bound])
    parts.append(table(("pipeline", "one after the other, ms", "three in flight, ms", "gained", "sum/max"), rows))
    calls = [
        [
            name,
            *(
                median(results, key, f"{name}: {whose}", 1e6, "{:.2f}")
                for key in ("overhead", "overhead gpu")
                for whose in ("ours", "package")
            ),
        ]
        for name in CALLS
    ]
    parts.append(table(("µs a call", f"{CPU}", "cpu_ffi itself", GPU, "cuda_ffi itself"), calls))
    parts.append(
        table(
            ("10 million f32, ms", "one thread", "by hand", "NumPy", "two threads", "by hand", "NumPy"),
            elementwise_rows(results),
        )
    )
    kernels = [
        [
            name,
            *(
                median(results, "kernels", f"{name}: {who}", 1e3, "{:.2f}")
                for who in ("ours", "by hand", *KERNEL_PEERS)
            ),
        ]
        for name in (*KERNELS, "first launch")
    ]
    parts.append(table(("kernel in Python, ms", "two threads", "by hand", *KERNEL_PEERS), kernels))
    if "vulkan" in results.figures:
        rows = [
            [
                f"{name}, {'ms' if scale == 1e3 else 'µs each'}",
                *(median(results, "vulkan", f"{name}: {who}", scale, "{:.2f}") for who in ("ours", *VULKAN_PEERS)),
            ]
            for name, scale in VULKAN_KERNELS.items()
        ]
        rows.append(["launch, processor time of the thread, µs each", queued(results), *("-" for _ in VULKAN_PEERS)])
        parts.append(table((f"{VULKAN}, {results.devices[VULKAN]}", "ours", *VULKAN_PEERS), rows))
    else:
        parts.append(f"Not measured: kernels over Vulkan ({results.reasons.get('vulkan', '')}).")
    if "device" in results.figures:
        parts.append(table((f"256 MB on {results.devices[GPU]}", "ours", *PEERS[:2]), copy_rows(results)))
    else:
        reason = results.reasons.get("device", "")
        parts.append(f"Not measured, because there is no GPU: copies of 256 MB, launch, record and query ({reason}).")
    return parts


def queued(results: Results) -> str:
    return median(results, "vulkan", "queued: ours", 1e6, "{:.2f}")


def elementwise_rows(results: Results) -> list[list[str]]:
    keys = [(f"elementwise {threads}", whose) for threads in (1, 2) for whose in ("ours", "by hand", "NumPy")]
    return [
        [name, *(median(results, key, f"{name}: {whose}", 1e3, "{:.2f}") for key, whose in keys)] for name in OPERATIONS
    ]


def copy_rows(results: Results) -> list[list[str]]:
    """Rates of copies; for those over the link it is the share of the link's rate that counts, so the rate is shown."""
    figures = results.figures["device"]
    rows = []
    for name in ("upload", "download", "copy"):
        shown = [figures.get(f"{name}: {whose}") for whose in ("ours", *PEERS[:2])]
        rows.append([f"{name}, GB/s", *("-" if each is None else f"{LARGE / min(each) / 1e9:.1f}" for each in shown)])
    return rows


def median(results: Results, key: str, what: str, scale: float, form: str) -> str:
    values = results.figures.get(key, {}).get(what)
    return form.format(summarize(values).median * scale) if values else "-"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure unified_gpu.")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--short", action="store_true", help="3 rounds, for a quick look")
    parser.add_argument("--no-install", action="store_true", help="compare only with peers that are already there")
    parser.add_argument("--json", type=Path, help="write every single figure to this file")
    options = parser.parse_args()
    if options.short:
        options.rounds = 3
    if options.rounds < 1:
        parser.error("rounds start at 1")
    return options


def main() -> None:
    options = arguments()
    results = measure(options.rounds, not options.no_install)
    facts: dict[str, Any] = {**machine(), **results.devices}
    bounds = wanted(results)
    for reason in results.reasons.items():
        print("not available: {}: {}".format(*reason), file=sys.stderr)
    write_json(options.json, facts, publish("unified_gpu", facts, tables(results), bounds), bounds, results.figures)


if __name__ == "__main__":
    main()
