"""Kernels in Python in what `gpu.py` shows, on the CPU and over Vulkan: how they are measured, what is wanted, tables.

The programs that measure are `gpu_kernels.py`, `gpu_vulkan.py` and `gpu_graphs.py`.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from statistics import geometric_mean

from common import ENVIRONMENT, REPOSITORY, Summary, Wanted, summarize, table
from gpu_measuring import CPU, VULKAN, Results, by_hand
from peers import ENVIRONMENT as PEERS_ENVIRONMENT
from peers import Missing, installed

KERNELS_PROGRAM = REPOSITORY / "benchmarks" / "gpu_kernels.py"
VULKAN_PROGRAM = REPOSITORY / "benchmarks" / "gpu_vulkan.py"
GRAPHS_PROGRAM = REPOSITORY / "benchmarks" / "gpu_graphs.py"
GRAPHS = {"graphs cpu": CPU, "graphs": VULKAN}
"""Where graphs are measured, by the key of the figures."""
GRAPH_TIMES = ("until done", "thread")
KERNELS = ("saxpy", "stencil", "reduction", "nbody", "nbody fast", "Monte Carlo", "histogram", "transpose")
KERNEL_PEERS = ("numba", "Taichi", "Warp")
FRONT_ENDS = ("C++", "CUDA C", "SPIR-V")
"""What the front end makes: the keys of `gpu_front_end.PRINTED`."""
NEEDED = {"numpy": "2.4.6", "numba": "0.68.1", "taichi": "1.7.4", "warp-lang": "1.19.0"}
"""What the peers' environment has to have for the peers of kernels on the CPU."""
VULKAN_KERNELS = {"saxpy": 1e3, "stencil": 1e3, "reduction": 1e3, "launch": 1e6, "batched": 1e6}
"""What is measured over Vulkan: the kernels in milliseconds, and launches in microseconds each."""
VULKAN_PEERS = ("wgpu-py", "Taichi")
VULKAN_COLUMNS = ("ours", "by hand", *VULKAN_PEERS)
VULKAN_LAUNCHES = {"launch": 20.0, "batched": 3.0}
"""Microseconds that a launch may take."""
VULKAN_PEERS_FOLDER = REPOSITORY / "build" / "benchmarks" / "vulkan_peers"
VULKAN_PACKAGES = ("wgpu==0.32.0", "taichi==1.7.4", "colorama", "dill", "rich", "markdown-it-py", "mdurl", "pygments")
"""The peers with what they import, but for NumPy and cffi, which are here."""

NOTES = """\
Kernels in Python (`gpu_kernels.py`) are launched and waited for, on two threads, beside loops by
hand in C++ (`kernels_by_hand.cpp`, with the same flags) and numba's `prange`, Taichi and Warp on the CPU
(`gpu_kernel_peers.py`): saxpy of 10 million, a stencil of 1024x1024, sums of blocks of 256 with barriers, 4096 bodies
(exact and fast mathematics), 4 million random points, a histogram of a million, a transposition of 1024x1024. The
first launch is of a stencil that was never compiled, until it is done. The front end is our compiler alone, from a
function of 50 lines (`gpu_front_end.py`) to what the next compiler or the driver reads.
Over Vulkan (`gpu_vulkan.py`) the driver is Mesa's lavapipe, unless `VK_ICD_FILENAMES` chooses another: the same saxpy
and sums, ten stencils, and 200 launches of 64 threads, each submitted by itself where a library asks for submits, until
the last is done; `batched` is in one submit. Ours makes submits of what is launched while a stream works, so that both
are the same. By hand in C++ (`vulkan_by_hand.cpp`) launches of the same kernel are the driver's alone. wgpu-py, whose
kernels are in WGSL, and Taichi are measured where pip can install them, into
`build/benchmarks`. A step of a small network has 25 launches, one by one and as a graph (`gpu_graphs.py`): `thread` is
the processor's time of the calling thread, and the rest of `until done` that of the device."""

# --- how they are measured ----------------------------------------------------------------------------------


def measure_kernels(results: Results, install: bool, settings: Mapping[str, str]) -> None:
    """With `settings` of the CPU device."""
    level = results.devices.get(CPU, "").rpartition(" ")[2]  # what ours are compiled for
    machine_flags = [f"-march={level}"] if level.startswith("x86-64-v") else []
    library = by_hand("kernels_by_hand", "-ffp-contract=off", *machine_flags)
    hand = {"KERNELS_BY_HAND": library, "CPU_FFI_THREADS": "2"}
    python = kernel_peers(install)
    results.measure(
        CPU, "kernels in Python", "kernels", {**settings, **hand}, kernels=str(KERNELS_PROGRAM), python=python
    )
    peers = vulkan_peers(install)
    over_vulkan = {**lavapipe(), "VULKAN_BY_HAND": by_hand("vulkan_by_hand", "-Wl,--no-as-needed", "-lvulkan")}
    results.measure(VULKAN, "kernels and launches", "vulkan", over_vulkan, kernels=str(VULKAN_PROGRAM), packages=peers)
    for key, place in GRAPHS.items():
        chosen = settings if place == CPU else {**lavapipe(), "DL_BACKEND": "vulkan"}
        results.measure(place, "graphs", key, chosen, kernels=str(GRAPHS_PROGRAM))


def kernel_peers(install: bool) -> str:
    """The Python that has the peers of kernels; this one where they are not installed."""
    for package, version in NEEDED.items():
        found = installed(package, version, install)
        if isinstance(found, Missing):
            print(f"not available: {package}: {found.why}", file=sys.stderr)
            if package == "numpy":
                return sys.executable
    return str(PEERS_ENVIRONMENT / "bin" / "python")


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


# --- what is wanted -----------------------------------------------------------------------------------------


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
        *(
            Wanted(
                f"kernel in Python, front end of 50 lines, to {language}",
                5.0,
                _front_end(results, language),
                unit=" ms",
            )
            for language in FRONT_ENDS
        ),
    ]


def _front_end(results: Results, language: str) -> Summary | None:
    seconds = results.figures.get("kernels", {}).get(f"front end: {language}")
    return summarize([each * 1e3 for each in seconds]) if seconds else None


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
    for name, bound in VULKAN_LAUNCHES.items():
        values = results.figures.get("vulkan", {}).get(f"{name}: ours")
        each = summarize([value * 1e6 for value in values]) if values else None
        found.append(Wanted(f"{VULKAN}: {name}, each until all are done", bound, each, unit=" µs"))
        found.append(Wanted(f"{VULKAN}: {name}, time of the faster by hand", 1.1, _against_by_hand(results, name)))
    return [
        *found,
        *(
            Wanted(
                f"{place}: a graph of 25 launches, {what}, time of them one by one",
                0.2,
                results.ratio(key, f"{what}: graph", f"{what}: launches"),
            )
            for key, place in GRAPHS.items()
            for what in GRAPH_TIMES
        ),
        Wanted(f"{VULKAN}: launch, time of wgpu-py", 0.5, results.ratio("vulkan", "launch: ours", "launch: wgpu-py")),
        Wanted(
            f"{VULKAN}: batched, time of wgpu-py", 1.0, results.ratio("vulkan", "batched: ours", "batched: wgpu-py")
        ),
    ]


def _against_by_hand(results: Results, name: str) -> Summary | None:
    """Ours makes as few submits as it can of both kinds of launches."""
    found = results.figures.get("vulkan", {})
    by_hand = [found[f"{each}: by hand"] for each in VULKAN_LAUNCHES if f"{each}: by hand" in found]
    if not by_hand:
        return None
    return summarize([ours / min(each) for ours, *each in zip(found[f"{name}: ours"], *by_hand, strict=True)])


# --- tables -------------------------------------------------------------------------------------------------


def graph_table(results: Results) -> str:
    rows = [
        [f"{place}, {what}", *(results.median(key, f"{what}: {how}", 1e6, "{:.1f}") for how in ("launches", "graph"))]
        for key, place in GRAPHS.items()
        for what in GRAPH_TIMES
    ]
    return table(("a step of a network, µs", "25 launches", "a graph"), rows)


def kernel_tables(results: Results) -> list[str]:
    rows = [
        [
            name,
            *(results.median("kernels", f"{name}: {who}", 1e3, "{:.2f}") for who in ("ours", "by hand", *KERNEL_PEERS)),
        ]
        for name in (*KERNELS, "first launch")
    ]
    kernels = table(("kernel in Python, ms", "two threads", "by hand", *KERNEL_PEERS), rows)
    spent = [[name, results.median("kernels", f"front end: {name}", 1e3, "{:.2f}")] for name in FRONT_ENDS]
    kernels = f"{kernels}\n\n{table(('front end of 50 lines to', 'ms'), spent)}\n\n{graph_table(results)}"
    if "vulkan" not in results.figures:
        return [kernels, f"Not measured: kernels over Vulkan ({results.reasons.get('vulkan', '')})."]
    rows = [
        [
            f"{name}, {'ms' if scale == 1e3 else 'µs each'}",
            *(results.median("vulkan", f"{name}: {who}", scale, "{:.2f}") for who in VULKAN_COLUMNS),
        ]
        for name, scale in VULKAN_KERNELS.items()
    ]
    queued = results.median("vulkan", "queued: ours", 1e6, "{:.2f}")
    rows.append(["launch, processor time of the thread, µs each", queued, *("-" for _ in VULKAN_COLUMNS[1:])])
    return [kernels, table((f"{VULKAN}, {results.devices[VULKAN]}", *VULKAN_COLUMNS), rows)]
