"""Kernels: CUDA C source that a backend compiles, and that is launched with arguments checked against its signature."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from math import ceil, prod
from operator import index
from typing import Any, NoReturn, SupportsIndex

from unified_gpu.arrays.array import GpuArray
from unified_gpu.backends import KernelHandle
from unified_gpu.errors import KernelCompileError, MixedContextsError, with_article
from unified_gpu.runtime.context import StreamContext
from unified_gpu.runtime.stream import Stream

from .signature import Parameter, is_template, kernels_in, parameters_of, plain_name, without_comments

MAX_BLOCK = (1024, 1024, 64)
MAX_THREADS = 1024
MAX_GRID = (2**31 - 1, 65535, 65535)
"""What every CUDA device since compute capability 3.0 has; from the CUDA C programming guide."""

PREFERRED_THREADS = 256

_ANY = object()


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
        return (CheckedKernel if made.is_checked else CompiledKernel)(self.name, parameters, made.handle)

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
        handle: what the backend launches.
        offsets: where each argument begins in what `pack` returns.
    """

    def __init__(self, name: str, parameters: tuple[Parameter, ...], handle: KernelHandle) -> None:
        self.name = name
        self.parameters = parameters
        self.handle = handle
        # what arrays have to be, and None for numbers: checked for every argument of every launch
        self._dtypes = [_kind(parameter) for parameter in parameters]
        codes = "".join(parameter.code for parameter in parameters)
        self._packer = struct.Struct(f"@{codes}")
        self.offsets = [struct.calcsize(f"@{codes[: i + 1]}") - struct.calcsize(code) for i, code in enumerate(codes)]

    def close(self) -> None:
        """Release it, when no queued launch needs it any more."""
        self.handle.close()

    def pack(self, context: StreamContext, args: Sequence[Any], stream: Stream) -> bytes:
        """The arguments, each at its place in `offsets`; the arrays count as used by the stream."""
        try:
            count = len(args)
        except TypeError:
            raise TypeError(not_a_list(self, args)) from None
        if isinstance(args, GpuArray):
            raise TypeError(not_a_list(self, args))
        if count != len(self._dtypes):
            raise TypeError(f"{self} takes {len(self._dtypes)} arguments, not {count}")
        values: list[Any] = []
        for dtype, value in zip(self._dtypes, args):  # noqa: B905 -- they are as many, and zip is much slower with a keyword
            if value.__class__ is not GpuArray:
                if dtype is not None:
                    raise self._refusal(self.parameters[len(values)], value, context)
                values.append(value)
                continue
            if (value.dtype is dtype or dtype is _ANY) and value.context is context and value._strides is None:
                allocation = value._allocation
                if allocation.stream is not stream and (
                    allocation.uses is None or stream not in allocation.uses.streams
                ):
                    allocation.record_stream(stream)
                values.append(allocation.memory.pointer() + value._offset)
            else:
                values.append(self._vectors(self.parameters[len(values)], value, context, stream))
        try:
            return self._packer.pack(*values)
        except struct.error:
            return self._packer.pack(*self._checked(values))

    def _vectors(self, parameter: Parameter, value: GpuArray, context: StreamContext, stream: Stream) -> int:
        """The address of an array that is passed as one of several elements at once, as by `float4 *`."""
        fits = value.dtype is parameter.dtype and value.context is context and value.is_contiguous
        if not fits or parameter.lanes == 1:
            raise self._refusal(parameter, value, context)
        lanes, address = parameter.lanes, value.pointer
        vector_bytes = lanes * value.dtype.size
        if value.size % lanes or address % min(16, vector_bytes & -vector_bytes):
            wanted = (
                f"the array has {value.size} elements"
                if value.size % lanes
                else "the array begins in the middle of one"
            )
            raise ValueError(f"`{parameter}` of {self.name} takes {lanes} elements at once, and {wanted}")
        value._record_stream(stream)
        return address

    def _refusal(self, parameter: Parameter, value: Any, context: StreamContext) -> Exception:
        """Why a value cannot be passed."""
        where = f"`{parameter}` of {self.name}"
        if not parameter.pointer:
            return TypeError(f"{where} is a number, and an array was given; use item()")
        if not isinstance(value, GpuArray):
            what = type(value).__name__
            return TypeError(f"{where} is an array, and a {what} was given; bring it to the device by ctx.alloc_upload")
        if value.context is not context:
            return MixedContextsError.between(value.context, context, f"{where}: {value} cannot be used in {context}")
        if parameter.dtype is not None and value.dtype is not parameter.dtype:
            mend = f"convert it: array.cast({parameter.dtype.name!r})"
            return TypeError(f"{where} takes {parameter.dtype}, and the array is {value.dtype}; {mend}")
        how = "transposed" if value._describe_layout() == "a transposed array" else "not contiguous"
        return ValueError(f"{where}: the array is {how}; use its contiguous() copy")

    def _checked(self, values: list[Any]) -> list[Any]:
        """The same, with an error that names the number that does not fit."""
        checked = []
        for parameter, value in zip(self.parameters, values, strict=True):
            if parameter.pointer or parameter.dtype is None:
                checked.append(value)
                continue
            try:
                checked.append(parameter.dtype.check(value))
            except (TypeError, ValueError, OverflowError) as error:
                raise type(error)(f"`{parameter}` of {self.name}: {error}") from None
        return checked

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.parameters))})"

    def __repr__(self) -> str:
        return f"<CompiledKernel {self}>"


class CheckedKernel(CompiledKernel):
    """A kernel of the checked mode: it gets the sizes of the arrays, and reports accesses beyond them."""

    def pack(self, context: StreamContext, args: Sequence[Any], stream: Stream) -> bytes:
        """The arguments, then the size in bytes of each one's array, 0 for numbers."""
        sizes = [arg.size_bytes if isinstance(arg, GpuArray) else 0 for arg in args]
        return super().pack(context, args, stream) + struct.pack(f"={len(sizes)}Q", *sizes)


def not_a_list(kernel: object, args: Any) -> str:
    """The message where `args` is one argument, or none."""
    one = "; write args=[x] for one array" if hasattr(args, "dtype") else ""
    return f"args is a list of what {kernel} takes, not {with_article(type(args).__name__)}{one}"


def _kind(parameter: Parameter) -> object:
    """What `pack` compares the dtype of an array with; nothing is equal to an object that is in no array."""
    if not parameter.pointer:
        return None
    return object() if parameter.lanes > 1 else parameter.dtype or _ANY


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
