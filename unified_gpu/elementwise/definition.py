"""`@elementwise`: a function of numbers that is called with arrays, for all of their elements."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import cached_property, partial, update_wrapper
from itertools import combinations, product
from numbers import Real
from typing import Any, Generic, TypeVar, cast, overload

from unified_gpu import dtypes
from unified_gpu.arrays import operations
from unified_gpu.arrays.array import GpuArray
from unified_gpu.arrays.broadcasting import (
    as_array,
    broadcast_shapes,
    broadcast_to,
    context_of,
    may_overlap,
    output,
)
from unified_gpu.arrays.indexing import strides_or_none
from unified_gpu.backends import DLPACK_VULKAN, Operand
from unified_gpu.dtypes import DType, Number
from unified_gpu.errors import KernelSourceError, with_article
from unified_gpu.kernels.compiler.front_end.source import annotation
from unified_gpu.kernels.decorated.definition import Mathematics
from unified_gpu.kernels.decorated.launch import lacks_compiler, launch
from unified_gpu.kernels.operations.axes import inner_of, merged, part_of
from unified_gpu.promotion import common_type, with_number
from unified_gpu.runtime.stream import Stream
from unified_gpu.shapes import element_count

from .build import ElementFunction, ElementKernel, OutdatedFunction
from .source import ElementSource

Result = TypeVar("Result")
_LONGEST, _LONGEST_VULKAN, _SIDE = 1 << 30, 1 << 23, 1 << 15
"""Threads of a launch along its fastest axis, and along the others: a device need not run more than 65,535 blocks."""


class Elementwise(Generic[Result]):
    """A function of numbers that is applied to arrays; `@elementwise` makes it.

    Attributes:
        name: of the function.
        mathematics: `exact` or `fast`.
    """

    def __init__(self, python: Callable[..., Any], mathematics: Mathematics = "exact") -> None:
        update_wrapper(self, python)
        self.python = python
        self.name = python.__name__
        self.mathematics = mathematics
        self._functions: dict[tuple[DType, ...], ElementFunction] = {}
        self._kernels: dict[Any, ElementKernel] = {}
        self._plans: dict[Any, tuple[ElementFunction, ElementKernel]] = {}
        """Of calls without views and repeated arrays, by what is given; quicker than to look at everything again."""

    def __reduce__(self) -> str:
        return self.python.__qualname__

    def __repr__(self) -> str:
        return f"<elementwise {self.name}>"

    def __call__(self, *args: Any, out: Any = None, stream: Stream | None = None, **named: Any) -> Result:
        """Apply it to all elements, repeated to one shape as NumPy does.

        Args:
            args: arrays of one context, and numbers, which take the dtype of the arrays, as in NumPy.
            out: an array for the result, or a tuple of them where it has several; new ones by default. It may be
                one of the arguments.
            stream: the current one by default.

        Returns:
            An array, or a tuple of them, of the dtypes that the function returns for the dtypes of its arguments.

        Raises:
            KernelSourceError: for what a kernel cannot have.
            TypeError: for another number of arguments, for one that is neither array nor number, without any array.
            ValueError: for shapes that do not fit, and for arrays of `out` that overlap each other or an argument.
            MixedContextsError: for arrays of several contexts.
        """
        values = list(args) if not named and len(args) == len(self._parameters) else self._bound(args, named)
        try:
            return cast(Result, self.apply(values, None, out, stream))
        except KernelSourceError as error:  # it names a line of the function; those of the compiler say nothing
            raise error.with_traceback(None) from None

    def apply(
        self, values: Sequence[Any], types: Sequence[DType] | None, out: Any = None, stream: Stream | None = None
    ) -> Any:
        """The same for dtypes of the parameters that were decided before."""
        try:
            return self._apply(values, types, out, stream)
        except OutdatedFunction:
            for made in (self._functions, self._kernels, self._plans):
                made.clear()
            return self._apply(values, types, out, stream)

    def _apply(self, values: Sequence[Any], types: Sequence[DType] | None, out: Any, stream: Stream | None) -> Any:
        key = _plan_key(values, types) if out is None else None
        plan = self._plans.get(key) if key is not None else None
        if plan is not None:
            return self._apply_in_order(*plan, values, stream)
        context = context_of(*values)
        arrays = [each for each in values if isinstance(each, GpuArray)]
        is_narrow = types is None and any(each.dtype is dtypes.bf16 for each in arrays)
        values = [_without_bf16(each, stream) for each in values]
        made = self._function(tuple(types or self._types(values)))
        narrowed = is_narrow and _common(arrays) is dtypes.bf16
        results = [dtypes.bf16 if narrowed and each is dtypes.f32 else each for each in made.results]
        shape = broadcast_shapes(*values)
        outs = self._outputs(out, len(results))
        given = [
            output(context, shape, dtype, each, stream, tuple(arrays))
            for dtype, each in zip(results, outs, strict=True)
        ]
        target, outputs = given[0][0], [each for _, each in given]
        inputs = [
            each if isinstance(each, GpuArray) else _number(type_, each)
            for type_, each in zip(made.types, values, strict=True)
        ]
        computed = [
            context.new_array(shape, dtypes.f32, target) if each.dtype is dtypes.bf16 else each for each in outputs
        ]
        if outputs[0].size:
            if lacks_compiler(context):  # a wheel carries the kernels for arrays of one shape and the computed dtypes
                key, pairs = None, zip(inputs, made.types, strict=True)
                inputs = [_like(each, type_, outputs[0], target) for each, type_ in pairs]
            kernel = self._kernel(made, computed, inputs)
            if key is not None:
                self._plans[key] = made, kernel
            self._launch(context, kernel, [*computed, *inputs], shape, target)
            for each, found in zip(outputs, computed, strict=True):
                if each is not found:
                    operations.cast(found, dtypes.bf16, out=each, stream=target)
        return tuple(outputs) if made.is_tuple else outputs[0]

    # --- arguments

    @cached_property
    def _source(self) -> ElementSource:
        return ElementSource(self.python)

    @cached_property
    def _parameters(self) -> dict[str, DType | None]:
        """What each takes: a dtype, or None for that of its argument; `float` and `int` are for type checkers."""
        found = {arg.arg: annotation(self._source, arg) for arg in self._source.tree.args.args}
        return {name: each if isinstance(each, DType) else None for name, each in found.items()}

    @cached_property
    def _signature(self) -> inspect.Signature:
        return inspect.signature(self.python)

    def _bound(self, args: Sequence[Any], named: dict[str, Any]) -> list[Any]:
        try:
            bound = self._signature.bind(*args, **named)
        except TypeError as error:
            raise TypeError(f"{self.name}{self._signature}: {error}") from None
        bound.apply_defaults()
        return [bound.arguments[name] for name in self._parameters]

    def _types(self, values: Sequence[Any]) -> list[DType]:
        """Of the parameters, for arrays and numbers."""
        common = _common([each for each in values if isinstance(each, GpuArray)])
        types = []
        for (name, wanted), value in zip(self._parameters.items(), values, strict=True):
            found = value.dtype if isinstance(value, GpuArray) else with_number(common, value)
            if wanted is not None and isinstance(value, GpuArray) and common_type(found, wanted) is not wanted:
                raise TypeError(
                    f"`{name}` of {self.name} takes {wanted}, and the array is {found}; "
                    f"convert it: array.cast({wanted.name!r})"
                )
            types.append(wanted or found)
        return types

    def _function(self, types: tuple[DType, ...]) -> ElementFunction:
        found = self._functions.get(types)
        if found is not None and found.program.outside.are_outdated():
            raise OutdatedFunction
        if found is None:
            found = self._functions[types] = ElementFunction(self._source, types)
        return found

    def _outputs(self, out: Any, count: int) -> Sequence[Any]:
        if out is None:
            return (None,) * count
        outs = out if isinstance(out, tuple) else (out,)
        if len(outs) != count:
            raise TypeError(f"{self.name} has {count} results, and `out` {len(outs)} arrays; give a tuple of as many")
        for a, b in combinations([as_array(each, "out") for each in outs if each is not None], 2):
            if a._allocation is b._allocation and may_overlap(a, b):
                raise ValueError(f"two results of {self.name} would be written over each other; give an array for each")
        return outs

    # --- launches

    def _apply_in_order(
        self, made: ElementFunction, kernel: ElementKernel, values: Sequence[Any], stream: Stream | None
    ) -> Any:
        """For arrays of one shape whose elements lie in order."""
        first = next(each for each in values if each.__class__ is GpuArray)
        context, shape, size = first._context, first._shape, first.size
        target = context.stream_for(stream)
        outputs: list[GpuArray] = [context.new_array(shape, dtype, target) for dtype in made.results]
        everything = [*outputs, *values]
        args = [
            (each if len(shape) == 1 else each._view((size,), each._offset, None))
            if each.__class__ is GpuArray
            else _number(made.types[at - len(outputs)], each)
            for at, each in enumerate(everything)
        ]
        launch(context, kernel, (size,), args, None, target)
        return tuple(outputs) if made.is_tuple else outputs[0]

    def _kernel(self, made: ElementFunction, outputs: Sequence[GpuArray], inputs: Sequence[Any]) -> ElementKernel:
        kinds = tuple(each._dtype if isinstance(each, GpuArray) else None for each in inputs)
        written = tuple(each._dtype for each in outputs)
        kernel = self._kernels.get((made.types, written, kinds))
        if kernel is None:
            kernel = ElementKernel(self.python, self.mathematics, made, written, kinds)
            self._kernels[made.types, written, kinds] = kernel
        return kernel

    def _launch(
        self, context: Any, kernel: ElementKernel, everything: Sequence[Any], shape: tuple[int, ...], stream: Stream
    ) -> None:
        arrays = [each for each in everything if isinstance(each, GpuArray)]
        longest = _LONGEST_VULKAN if context.device.dlpack_type == DLPACK_VULKAN else _LONGEST
        operands = [broadcast_to(each, shape, stream) for each in arrays]
        for sizes, parts in pieces(operands, longest):
            views = iter([
                array._view(each.shape, each.offset, strides_or_none(each.shape, each.strides))
                for array, each in zip(arrays, parts, strict=True)
            ])  # fmt: skip
            args = [next(views) if isinstance(each, GpuArray) else each for each in everything]
            launch(context, kernel, sizes, args, None, stream)


def _plan_key(values: Sequence[Any], types: Sequence[DType] | None) -> Any:
    """What a call without views and repeated arrays depends on; None for another one."""
    shape: tuple[int, ...] | None = None
    context: Any = None
    kinds: list[object] = []
    for each in values:
        if each.__class__ is not GpuArray:
            kinds.append(each.__class__)
            continue
        if shape is None:
            shape, context = each._shape, each._context
        if each._strides is not None or each._shape != shape or each._context is not context:
            return None
        kinds.append(each._dtype)
    if shape is None or dtypes.bf16 in kinds or not 0 < element_count(shape) <= _LONGEST_VULKAN:
        return None
    return *kinds, None if types is None else tuple(types)


def pieces(operands: Sequence[Operand], longest: int) -> Any:
    """The launches for all elements of operands of one shape: the sizes of each, and the operands' parts."""
    shape, strides = merged(operands)
    views = [
        Operand(each.memory, each.offset, each.dtype, shape, steps)
        for each, steps in zip(operands, strides, strict=True)
    ]
    if len(shape) == 1 and all(steps == (1,) for steps in strides):
        limits: tuple[int, ...] = (longest,)
        outers: Any = [views]
    else:
        limits = (_SIDE, _SIDE, longest)
        outers = ([inner_of(each, outer) for each in views] for outer in product(*map(range, shape[:-3])))
    for group in outers:
        sizes = group[0].shape
        for starts in product(*(range(0, n, piece) for n, piece in zip(sizes, limits, strict=True))):
            found = [part_of(each, starts, limits) for each in group]
            yield found[0].shape, found


def _common(arrays: Sequence[GpuArray]) -> DType:
    common = arrays[0].dtype
    for each in arrays[1:]:
        common = common_type(common, each.dtype)
    return common


def _without_bf16(value: Any, stream: Stream | None) -> Any:
    if isinstance(value, GpuArray):
        return value.cast(dtypes.f32, stream=stream) if value.dtype is dtypes.bf16 else value
    return value


def _like(value: Any, dtype: DType, out: GpuArray, stream: Stream) -> GpuArray:
    """An operand as an array of the dtype that is computed, in order and in the shape of the result."""
    if not isinstance(value, GpuArray):
        made: GpuArray = out.context.new_array(out.shape, dtype, stream)
        return made.fill(value, stream=stream)
    same = operations.cast(value, dtype, stream=stream) if value.dtype is not dtype else value
    if same.shape == out.shape and same.is_contiguous:
        return same
    repeated: GpuArray = out.context.new_array(out.shape, dtype, stream)
    operations.assign(repeated, same, stream=stream)
    return repeated


def _number(dtype: DType, value: Number) -> Number:
    if not isinstance(value, Real):
        raise TypeError(f"an operand is a {type(value).__name__}, neither an array nor a number")
    return dtype.unpack(dtype.pack(dtype.check(value)))


@overload
def elementwise(python: Callable[..., float], /) -> Elementwise[GpuArray]: ...
@overload
def elementwise(python: Callable[..., tuple[Any, ...]], /) -> Elementwise[tuple[GpuArray, ...]]: ...
@overload
def elementwise(*, math: Mathematics = "exact") -> Callable[[Callable[..., Any]], Elementwise[Any]]: ...
def elementwise(python: Any = None, /, *, math: Mathematics = "exact") -> Any:
    """Make a function of numbers one of arrays: `elementwise(lambda x: x * x + 1)(array)`.

    The function is what `@device` takes: it is compiled for the dtypes of its arguments, and returns a number, or a
    tuple of numbers for several results.

    Args:
        math: as of `kernel`.

    Raises:
        TypeError: for anything but a function.
        ValueError: for another `math`.
    """
    if math not in ("exact", "fast"):
        raise ValueError(f"the mathematics of a kernel is 'exact' or 'fast', not {math!r}")
    if python is None:
        return partial(_made, mathematics=math)
    return _made(python, math)


def _made(python: Any, mathematics: Mathematics) -> Elementwise[Any]:
    if not hasattr(python, "__code__"):
        raise TypeError(f"@elementwise decorates a function, not {with_article(type(python).__name__)}")
    return Elementwise(python, mathematics)
