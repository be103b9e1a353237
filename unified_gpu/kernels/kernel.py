"""Kernels: CUDA C source that a backend compiles, and that is launched with arguments checked against its signature."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from math import ceil, prod
from operator import index
from typing import Any, NoReturn, SupportsIndex

from unified_gpu.backends import KernelHandle
from unified_gpu.errors import KernelCompileError
from unified_gpu.runtime.context import StreamContext

from .arguments.layout import ArgumentLayout, Parameter
from .arguments.reader import LaunchArguments
from .signature import is_template, kernels_in, parameters_of, plain_name, without_comments

MAX_BLOCK = (1024, 1024, 64)
MAX_THREADS = 1024
MAX_GRID = (2**31 - 1, 65535, 65535)
"""What every CUDA device since compute capability 3.0 has; from the CUDA C programming guide."""

PREFERRED_THREADS = 256


class Kernel:
    """A kernel, compiled for a context when it is first launched there; `Kernel.from_source` makes it.

    Attributes:
        name: of the function.
        source: CUDA C.
        options: for the compiler.
    """

    def __init__(self, source: str, name: str, options: tuple[str, ...] = ()) -> None:
        self.name = name
        self.source = source
        self.options = options

    @staticmethod
    def from_source(source: str, name: str, options: Sequence[str] = ()) -> Kernel:
        """The kernel `name` in CUDA C source; the same object for the same source.

        Args:
            source: with `__global__ void name(…)`. Parameters are numbers and pointers to numbers.
            name: the function's name: `saxpy`, `mine::saxpy`, or an instance of a template, `saxpy<float>`.
            options: for the compiler, for example `-DN=4`.

        Raises:
            TypeError: when one of them is no text.
            ValueError: when the source does not mention such a kernel. What else is wrong with it is found when it is
                compiled, for then its parameters are known.
        """
        if not isinstance(source, str) or not isinstance(name, str):
            raise TypeError("a kernel is made of its source and its name, both as text")
        if isinstance(options, str) or not all(isinstance(option, str) for option in options):
            raise TypeError(f"options are a list of texts, as ['-DN=4'], not {options!r}")
        return _kernel(source, name, tuple(options))

    def compile(self, context: StreamContext) -> CompiledKernel:
        """Compile it for a context, if that was not done before.

        Raises:
            KernelCompileError: with the compiler's log.
            ValueError: when it has a parameter that cannot be passed from here, or is a template.
            ClosedError: after the context was closed.
        """
        if not hasattr(context, "check_open"):
            raise TypeError(f"a kernel is compiled for a context, not for a {type(context).__name__}")
        context.check_open()
        found: CompiledKernel | None = context.kernels.get(self)
        if found is None:
            found = context.kernels.setdefault(self, self._compiled(context))
        return found

    def _compiled(self, context: StreamContext) -> CompiledKernel:
        try:
            made = context.device.compile(self.source, self.name, self.options)
        except KernelCompileError:
            if "<" not in self.name and is_template(self.source, self.name):
                raise ValueError(
                    f"kernel {self.name} is a template; name an instance of it: {self.name}<float>"
                ) from None
            raise
        parameters = parameters_of(made.signature, self.source, self.name)
        return CompiledKernel(self.name, parameters, made.handle, is_checked=made.is_checked)

    def __reduce__(self) -> tuple[object, tuple[str, str, tuple[str, ...]]]:
        return Kernel.from_source, (self.source, self.name, self.options)

    def __call__(self, *arguments: Any) -> NoReturn:
        raise TypeError(self._how_to_launch)

    def __getitem__(self, sizes: Any) -> NoReturn:
        raise TypeError(self._how_to_launch)

    @property
    def _how_to_launch(self) -> str:
        return f"{self.name} is a kernel: launch it, ctx.launch(kernel, global_size, args)"

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<Kernel {self}>"


class CompiledKernel:
    """A kernel as one context has it: what it takes is what the compiler has read.

    Attributes:
        name: of the function.
        parameters: what it takes.
        arguments: reads what it is launched with.
        handle: what the backend launches.
    """

    def __init__(
        self, name: str, parameters: Sequence[Parameter], handle: KernelHandle, *, is_checked: bool = False
    ) -> None:
        self.name = name
        self.parameters = parameters
        self.handle = handle
        layout = ArgumentLayout([field for parameter in parameters for field in parameter.fields])
        self.arguments = LaunchArguments(name, parameters, layout, is_checked=is_checked)

    def close(self) -> None:
        """Release it, when no queued launch needs it any more."""
        self.handle.close()

    def __str__(self) -> str:
        return str(self.arguments)

    def __repr__(self) -> str:
        return f"<CompiledKernel {self}>"


@cache
def _kernel(source: str, name: str, options: tuple[str, ...]) -> Kernel:
    word = plain_name(name)
    mentioned = re.search(rf"\b{re.escape(word)}\b", without_comments(source)) if word else None
    elsewhere = "##" in source or "#include" in source or any(word in option for option in options)
    if mentioned is None and not elsewhere:
        kernels = kernels_in(source)
        there = f"; it has {', '.join(kernels)}" if kernels else ""
        raise ValueError(f'the source has no `extern "C" __global__ void {name}(…)`{there}')
    return Kernel(source, name, options)


def axes(called: str, size: SupportsIndex | Iterable[SupportsIndex]) -> tuple[int, ...]:
    """Lengths along each axis.

    Raises:
        TypeError: when they are no whole numbers; a bool is none.
    """
    if size.__class__ is int:
        return (size,)
    if size.__class__ is tuple:
        for each in size:
            if each.__class__ is not int:
                break
        else:
            return size
    try:
        return (_length(size),) if _is_number(size) else tuple(map(_length, size))  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{called} is a whole number, or one for each of up to 3 axes, not {size!r}") from None


def _is_number(size: Any) -> bool:
    return hasattr(size, "__index__") and getattr(size, "ndim", 0) == 0  # arrays of NumPy have it at any length


def _length(size: Any) -> int:
    if isinstance(size, bool):
        raise TypeError
    return index(size)


def global_axes(size: SupportsIndex | Iterable[SupportsIndex]) -> tuple[int, ...]:
    """`global_size`, with 1 to 3 axes: what every kernel has, in whatever it is written.

    Raises:
        TypeError: when they are no whole numbers.
        ValueError: for no axis or more than 3.
    """
    if size.__class__ is int:
        return (size,)
    threads = axes("global_size", size)
    if not 0 < len(threads) < 4:
        raise ValueError(_wrong_axes(threads))
    return threads


def _wrong_axes(threads: Sequence[int]) -> str:
    return f"global_size {list(threads)}: it has 1 to 3 axes of at least one thread"


@lru_cache(4096)
def blocks(
    threads: tuple[int, ...], local_size: tuple[int, ...] | None, *, last_is_first: bool = False
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Blocks along 3 axes, and threads of a block, the first axis the fastest.

    Args:
        threads: in all.
        local_size: of a block; None for one that divides the threads.
        last_is_first: whether the last of the axes that are given is the fastest.

    Raises:
        ValueError: for sizes that no device has.
    """
    order = slice(None, None, -1 if last_is_first else 1)
    if not 1 <= len(threads) <= 3 or any(length < 1 for length in threads):
        raise ValueError(_wrong_axes(threads))
    if local_size is not None and (len(local_size) != len(threads) or any(length < 1 for length in local_size)):
        raise ValueError(
            f"local_size {list(local_size)} does not go with global_size {list(threads)}: it has as many axes, and at "
            "least one thread along each"
        )
    sizes = threads[order]
    block = _dividing(sizes) if local_size is None else local_size[order]
    count = len(block)
    if prod(block) > MAX_THREADS or any(length > most for length, most in zip(block, MAX_BLOCK, strict=False)):
        most = [*MAX_BLOCK[:count]][order]
        raise ValueError(
            f"local_size {list(block[order])}: a block has at most {MAX_THREADS} threads, {most} along its axes"
        )
    grid = [ceil(length / size) for length, size in zip(sizes, block, strict=True)]
    if any(length > most for length, most in zip(grid, MAX_GRID, strict=False)):
        most = [*MAX_GRID[:count]][order]
        raise ValueError(f"global_size {list(threads)} makes {grid[order]} blocks, and {most} are the most")
    missing = (1,) * (3 - count)
    return (*grid, *missing), block + missing


def _dividing(threads: tuple[int, ...]) -> tuple[int, ...]:
    """A block that divides the threads, of at most 256, as long as can be along the first axis."""
    left, block = PREFERRED_THREADS, []
    for length, most in zip(threads, MAX_BLOCK, strict=False):
        size = next(size for size in range(min(left, length, most), 0, -1) if length % size == 0)
        block.append(size)
        left //= size
    return tuple(block)
