"""Measures unified_gpu: overlap, calls, memory and operations; what needs a GPU is measured where there is one.

python benchmarks/gpu.py [--rounds 5] [--short] [--no-install] [--json FILE]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path
from typing import Any

from common import (
    ENVIRONMENT,
    REPOSITORY,
    SPREAD,
    Wanted,
    machine,
    publish,
    ratios,
    summarize,
    table,
    times,
    write_json,
)
from gpu_kernel_rows import NOTES as KERNEL_NOTES
from gpu_kernel_rows import kernel_tables, measure_kernels, wanted_kernels, wanted_vulkan
from gpu_measuring import CPU, GPU, STANDIN, Results, by_hand
from gpu_process import BATCHES, LARGE, OPERATIONS, STAGE_US

PEERS = ("torch", "CuPy", "cuda.core")
CALLS = {"launch": 2.0, "upload": 2.0, "download": 2.0, "blocking download": 3.0, "one element": 4.0, "copy": 2.0}
"""Calls of `overhead`, and the microseconds that each may take more than the package's own."""

NOTES = f"""\
{SPREAD}
A stage of a pipeline takes {STAGE_US / 1000:.0f} ms: that is the latency of the link in the CPU device's build for
tests, and of the stand-in for the CUDA runtime, and computing is a delay on the CPU, an operation on the stand-in;
{BATCHES} batches go through. Calls are queued on a stream and counted in processor time of the calling thread; in a
round the shortest of five runs counts. NumPy, the operations and those by hand in C++ (`elementwise_by_hand.cpp`,
written past the caches as ours are) use memory that is there already: on arrays so long, what is by hand is as fast
as the memory allows. {KERNEL_NOTES}"""


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
    measure_kernels(results, install, cpu)
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
            shown = [results.median(key, f"{name}: {what}", 1e3, "{:.1f}") for what in ("sequential", "pipeline")]
            gain = results.ratio(key, f"{name}: sequential", f"{name}: pipeline")
            bound = results.median(key, f"{name}: bound", 1, "{:.2f}x")
            rows.append([f"{place}, {name}", *shown, "-" if gain is None else gain.text(times), bound])
    parts.append(table(("pipeline", "one after the other, ms", "three in flight, ms", "gained", "sum/max"), rows))
    calls = [
        [
            name,
            *(
                results.median(key, f"{name}: {whose}", 1e6, "{:.2f}")
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
    parts += kernel_tables(results)
    if "device" in results.figures:
        parts.append(table((f"256 MB on {results.devices[GPU]}", "ours", *PEERS[:2]), copy_rows(results)))
    else:
        reason = results.reasons.get("device", "")
        parts.append(f"Not measured, because there is no GPU: copies of 256 MB, launch, record and query ({reason}).")
    return parts


def elementwise_rows(results: Results) -> list[list[str]]:
    keys = [(f"elementwise {threads}", whose) for threads in (1, 2) for whose in ("ours", "by hand", "NumPy")]
    return [
        [name, *(results.median(key, f"{name}: {whose}", 1e3, "{:.2f}") for key, whose in keys)] for name in OPERATIONS
    ]


def copy_rows(results: Results) -> list[list[str]]:
    """Rates of copies; for those over the link it is the share of the link's rate that counts, so the rate is shown."""
    figures = results.figures["device"]
    rows = []
    for name in ("upload", "download", "copy"):
        shown = [figures.get(f"{name}: {whose}") for whose in ("ours", *PEERS[:2])]
        rows.append([f"{name}, GB/s", *("-" if each is None else f"{LARGE / min(each) / 1e9:.1f}" for each in shown)])
    return rows


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
