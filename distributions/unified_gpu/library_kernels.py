"""Compiles the CPU's kernels of the library's own functions for a wheel: a program that calls them all records them.

    python library_kernels.py FOLDER

writes `library_kernels.so` and `library_kernels.txt`, the list of what it has, to FOLDER, which also has the compiled
package cpu_ffi. The text of each kernel is what would be compiled without them; see
unified_gpu/backends/library_kernels.py. They run on every processor of the machine's kind.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import unified_gpu as ug
from unified_gpu import Context, library
from unified_gpu.backends import cpu_kernels, library_kernels
from unified_gpu.library import functions, sorting_kernels

DTYPES = "f16 f32 f64 i8 i16 i32 i64 u8 u16 u32 u64 bool".split()
"""All but bf16, which is computed as f32."""
MANY = 2 * sorting_kernels.RUN + 600
"""Elements of which several threads take parts, which are put together afterwards."""


class Recorder:
    """In the place of `library_kernels.find`: compiles each kernel that is asked for, and keeps it."""

    def __init__(self, folder: Path, include: Path) -> None:
        self.folder, self.include = folder, include
        self.tool = cpu_kernels._compiler()

    def find(self, source: str, name: str, headers: Sequence[str], *, fast: bool) -> tuple[Path, str]:
        called = library_kernels.key(source, headers, fast=fast)
        compiled, output = self.folder / f"{called}.o", self.folder / f"{called}.so"
        if not output.exists():
            command = cpu_kernels.blocks_command(self.tool, "baseline", fast=fast)
            renamed = f"-Dcpu_kernel_{name}=cpu_kernel_{called}"
            read = [f"-I{self.include}", renamed, "-x", "c++", "-c", "-", "-o", str(compiled)]
            subprocess.run([*command, *read], input=source, text=True, check=True)
            self.link([compiled], output)
        return output, called

    def link(self, compiled: Sequence[Path], output: Path) -> None:
        small = ("-Wl,-s", "-Wl,--build-id=none") if sys.platform == "linux" else ()
        command = [*self.tool, "-shared", *cpu_kernels.LINKED, *small, *map(str, compiled), "-o", str(output)]
        subprocess.run([*command, "-lc", "-lm"], check=True)


def calls(ctx: Context, name: str) -> Iterator[Callable[[], Any]]:
    """Everything that is done with arrays of one dtype; what a function refuses is no call of it."""
    x = ctx.alloc_upload([1, 0, 1, 0]).cast(name)
    many, matrix, i = ctx.ones(MANY, name), ctx.ones((2, 3), name), ctx.arange(4)
    for each in map(library.__dict__.get, (*library.__all__, "round")):
        if isinstance(each, functions.BinaryFunction):
            yield partial(each, x, x)
        elif isinstance(each, functions.UnaryFunction):
            yield partial(each, x)
    for part in (x, many):
        for each in (ug.any, ug.all, ug.prod, ug.argmax, ug.argmin, ug.cumulative_sum, ug.cumulative_prod):
            yield partial(each, part)
    yield partial(ug.cumulative_sum, many.reshape(2, MANY // 2), 1)
    for limits in ((x, x), (x, None), (None, x)):
        yield partial(ug.clip, x, *limits)
    for descending in (False, True):
        yield partial(ug.sort, many, descending=descending)
        yield partial(ug.argsort, many, descending=descending)
    yield partial(ug.sign, x)
    yield partial(ug.searchsorted, x, x)
    yield partial(ug.searchsorted, x, x, side="right")
    yield partial(ug.unique, x, return_index=True, return_inverse=True, return_counts=True)
    yield lambda: (ug.take(x, i), ug.take_along_axis(x, i), ug.put(x.copy(), i, x), x[x > 0], x[::-1], ug.nonzero(x))
    yield lambda: (ug.repeat(x, i), ug.roll(x, 1), ug.tril(matrix), ctx.linspace(0, 1, 3, name))
    yield lambda: ctx.arange(0, 3, 1, name)
    yield lambda: (matrix @ matrix.T, ctx.array_namespace.vecdot(x, x), ctx.array_namespace.isin(x, x))


def calls_of_any_dtype(ctx: Context) -> Iterator[Callable[[], Any]]:
    """What has dtypes of its own."""
    signed, unsigned = ctx.ones(3, "i64"), ctx.ones(3, "u64")
    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        yield partial(getattr(ug, name), signed, unsigned)
    random = ctx.random
    yield lambda: (random.bits(3), random.uniform(3), random.uniform(3, dtype="f64"), random.normal(3))
    yield lambda: (random.integers(0, 9, 3), random.permutation(3))


def main() -> None:
    folder = Path(sys.argv[1])
    with TemporaryDirectory() as temporary:
        recorder = Recorder(Path(temporary), folder / "cpu_ffi" / "sources")
        cpu_kernels.has_compiler = lambda: False
        library_kernels.find = recorder.find
        with Context("cpu") as ctx:
            for dtype in DTYPES:
                for call in calls(ctx, dtype):
                    with suppress(TypeError):
                        call()
            for call in calls_of_any_dtype(ctx):
                call()
        made = sorted(recorder.folder.glob("*.o"))
        recorder.link(made, folder / f"{library_kernels.NAME}.so")
        (folder / f"{library_kernels.NAME}.txt").write_text("".join(f"{each.stem}\n" for each in made), "ascii")


if __name__ == "__main__":
    main()
