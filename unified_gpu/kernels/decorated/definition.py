"""`@kernel`: a kernel written in Python, compiled when its arguments' types are known."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import wraps
from operator import index
from typing import Any, Literal, NoReturn, ParamSpec, SupportsIndex, TypeVar, overload

from unified_gpu import dtypes
from unified_gpu.backends.protocols import EndedLoops
from unified_gpu.dtypes import DType, as_dtype
from unified_gpu.errors import KernelSourceError, count_of, with_article
from unified_gpu.kernels.arguments.reader import arrays_of, check_list, checked_number, types_of
from unified_gpu.kernels.compiler.analysis.divergence import Divergence
from unified_gpu.kernels.compiler.front_end import structs
from unified_gpu.kernels.compiler.front_end.build import build_kernel
from unified_gpu.kernels.compiler.front_end.scope import Program
from unified_gpu.kernels.compiler.front_end.source import (
    ANNOTATIONS,
    annotation,
    check_parameters,
    defaults_of,
    source_of,
)
from unified_gpu.kernels.compiler.ir import ArrayInfo, Function
from unified_gpu.kernels.interactive import current, is_own_struct
from unified_gpu.kernels.kernel import axes, global_axes
from unified_gpu.kernels.language import ArrayType
from unified_gpu.structs import Struct, is_struct, numbers_of

from . import reference
from .sizes import launch_sizes

P = ParamSpec("P")
R = TypeVar("R")
Language = Literal["cuda", "cpu"]
Mathematics = Literal["exact", "fast"]
_MOST_VALUES = 8
"""For how many values of what is outside a kernel is kept, where an interactive session changes them."""


def _ends_here(method: Callable[P, R]) -> Callable[P, R]:
    """The same, but that the traceback of a KernelSourceError has no lines of the compiler."""

    @wraps(method)
    def called(*args: P.args, **named: P.kwargs) -> R:
        try:
            return method(*args, **named)
        except KernelSourceError as error:
            raise error.with_traceback(None) from None

    return called


@dataclass(frozen=True, slots=True, eq=False)
class Specialised:
    """A kernel for certain types of its arguments."""

    function: Function
    divergence: Divergence
    program: Program

    def check_block(self, local_size: Sequence[int] | None) -> None:
        """Raises ValueError where a launch has no `local_size`, and the kernel asks how threads form blocks."""
        if local_size is None and not self.function.is_free:
            name, line = self.program.asks_for_block
            raise ValueError(
                f"{self.function.name} needs local_size, the threads of a block, as in ctx.launch(…, local_size=128): "
                f"it uses {name} at {self.function.file}:{line}"
            )


class PythonKernel:
    """A kernel written in Python; `@kernel` makes it, and `ctx.launch` runs it.

    Attributes:
        name: of the function.
        mathematics: `exact` or `fast`.
    """

    is_kernel = True

    def __init__(self, python: Callable[..., Any], mathematics: Mathematics) -> None:
        self.python = python
        self.name = python.__name__
        self.mathematics = mathematics
        self.defaults: tuple[Any, ...] = python.__defaults__ or ()
        self.__doc__ = python.__doc__
        self.__wrapped__ = python
        self.__module__ = python.__module__
        self.__qualname__ = python.__qualname__
        self._made: dict[Any, list[Specialised]] = {}
        self._annotations: dict[str, ArrayType | DType | None] | None = None
        self._structs: dict[str, type[Struct] | ArrayType] = {}

    def __call__(self, *arguments: Any) -> NoReturn:
        raise TypeError(self._how_to_launch)

    def __getitem__(self, sizes: Any) -> NoReturn:
        raise TypeError(self._how_to_launch)  # `kernel[blocks, threads](x)` of Numba

    @property
    def _how_to_launch(self) -> str:
        return (
            f"{self.name} is a kernel: launch it, ctx.launch({self.name}, global_size, args), or run it on NumPy "
            f"arrays, {self.name}.reference(global_size, args)"
        )

    def __reduce__(self) -> str:
        return self.__qualname__

    def __repr__(self) -> str:
        return f"<kernel {self.name} in Python>"

    @property
    def annotations(self) -> dict[str, ArrayType | DType | None]:
        """What each parameter takes: an array, a number of a dtype, or None for what its argument is.

        Of a struct there are its fields, as `camera.zoom`, and of an array of structs an array for each.

        Raises:
            KernelSourceError: for an annotation that is neither.
        """
        if self._annotations is None:
            source = source_of(self.python)
            check_parameters(source)
            defaults, result = defaults_of(source), dict[str, ArrayType | DType | None]()
            for arg in source.tree.args.args:
                found = annotation(source, arg)
                if structs.has_fields(found):
                    if arg.arg in defaults:
                        what = "a struct" if is_struct(found) else "an array"
                        raise source.error(arg, f"{arg.arg} is {what}, which has no default")
                    self._structs[arg.arg] = found
                    result |= structs.params_of(arg.arg, found)
                    continue
                if found is not None and not isinstance(found, ArrayType):
                    try:
                        found = ArrayType() if getattr(found, "__name__", "") == "Array" else as_dtype(found)
                    except TypeError:
                        raise source.error(
                            arg.annotation or arg,
                            f"{ast.unparse(arg.annotation or arg)} is no type of a kernel's parameter",
                            ANNOTATIONS,
                        ) from None
                if isinstance(found, ArrayType) and arg.arg in defaults:
                    raise source.error(arg, f"{arg.arg} is an array, which has no default")
                if found is dtypes.bf16 or (isinstance(found, ArrayType) and found.dtype is dtypes.bf16):
                    raise source.error(arg, "kernels written in Python cannot compute with bf16", "use f32 or f16")
                result[arg.arg] = found
            self._annotations = result
        return self._annotations

    @property
    def structs(self) -> dict[str, type[Struct] | ArrayType]:
        """The parameters that are structs, or arrays of them."""
        if self._annotations is None:
            self._annotations = self.annotations
        return self._structs

    def renew_structs(self) -> bool:
        """Take the structs of parameters as an interactive session defines them now; whether there are others."""
        if not self.structs:
            return False
        source = source_of(self.python)
        if all(current(self.python, source.lookup, each) is each for each in self.structs.values()):
            return False
        self._annotations, self._structs = None, {}
        return True

    def bound(self, args: Any) -> Any:
        """The arguments in order: those of a dict by name, and the defaults of those that are left out.

        In place of a struct, or of an array of structs, there are its fields.

        Raises:
            TypeError: for a name that is no parameter, and for what is missing.
        """
        try:
            return self._bound(args)
        except TypeError:
            if not self.renew_structs():
                raise
            return self._bound(args)

    def _bound(self, args: Any) -> Any:
        names = [*dict.fromkeys(name.partition(".")[0] for name in self.annotations)]
        if args.__class__ is not dict:
            check_list(self.name, args)
            if len(args) >= len(names):
                return self._with_fields(names, args)
        given = dict(args) if args.__class__ is dict else dict(zip(names, args, strict=False))
        for name in given:
            if name not in names:
                raise TypeError(f"{self.name} has no parameter {name!r}; it has {', '.join(names)}")
        every = defaults_of(source_of(self.python)) | given
        if missing := [name for name in names if name not in every]:
            raise TypeError(
                f"{self.name} takes {', '.join(missing)}, too: it is given {count_of(len(given), 'argument')}"
            )
        return self._with_fields(names, [every[name] for name in names])

    def _with_fields(self, names: Sequence[str], args: Any) -> Any:
        if not self.structs:
            return args
        if len(args) > len(names):
            raise TypeError(
                f"{self.name} takes {count_of(len(names), 'argument')} ({', '.join(names)}), not {len(args)}"
            )
        result: list[Any] = []
        for name, each in zip(names, args, strict=True):
            wanted, where = self.structs.get(name), f"`{name}` of {self.name}"
            if wanted is None:
                result.append(each)
            elif isinstance(wanted, ArrayType):
                result += arrays_of(wanted, where, each)
            else:
                result += numbers_of(wanted, where, each)
        return result

    def types_of(self, args: Sequence[Any]) -> tuple[Any, ...]:
        """The type of each argument: a dtype, or (dtype, axes, whether it is strided) of an array.

        Raises:
            TypeError: for another number of arguments, or one of another kind or dtype.
            ValueError: for an array with another number of axes.
        """
        return types_of(self.name, self.annotations, args)

    def specialised(self, types: tuple[Any, ...], rank: int) -> Specialised:
        """The kernel for types as `types_of` gives them and a launch with `rank` axes, and what is outside as it is.

        Raises:
            KernelSourceError: for what a kernel cannot have, and where what is outside of one in a file has changed.
        """
        known = self._made.setdefault((types, rank), [])
        for found in known:
            if not found.program.outside.are_outdated():
                return found
        params = {
            name: ArrayInfo(type_[0], type_[1], None, type_[2]) if isinstance(type_, tuple) else type_
            for name, type_ in zip(self.annotations, types, strict=True)
        }
        source = source_of(self.python)
        found = Specialised(*build_kernel(source, params, rank))
        for each in self.structs.values():
            struct = each.struct if isinstance(each, ArrayType) else each
            if (
                struct is not None
                and is_own_struct(self.python, struct)
                and source.lookup(struct.__qualname__) is struct
            ):
                found.program.outside.add(source, struct.__qualname__, struct)
        known[_MOST_VALUES - 1 :] = []
        known.insert(0, found)
        return found

    # --- to look at it

    @_ends_here
    def source(self, language: Language, *types: Any, rank: int | None = None) -> str:
        """What is compiled: `cuda` for CUDA C, `cpu` for C++.

        Args:
            types: of the arguments, as annotations have them, where those of the kernel leave them open.
            rank: axes of the launch; by default as many as the kernel uses.
        """
        made = self._for_types(types, rank)
        return self.printed(made, language)

    def printed(
        self, made: Specialised, language: str, *, check: bool = False, block: Sequence[int] | None = None
    ) -> str:
        """`block` is how many threads each block has, where the CPU's code is for that only.

        A printer is imported when a kernel is printed by it: few programs have kernels on several kinds of devices.
        """
        exact = self.mathematics == "exact"
        if language == "cuda":
            from unified_gpu.kernels.compiler.printers.cuda import CudaPrinter

            return CudaPrinter(made.function, exact=exact, check=check).text()
        if language == "cpu":
            from unified_gpu.kernels.compiler.printers.blocks import BlockPrinter

            return BlockPrinter(made.function, made.divergence, exact=exact, block=block).text()
        raise ValueError(f"kernels are printed for 'cuda' and 'cpu', not for {language!r}")

    @_ends_here
    def spirv(self, *types: Any, rank: int | None = None) -> bytes:
        """The words of a SPIR-V module for Vulkan; see `source` for the arguments.

        Raises:
            KernelSourceError: for what Vulkan does not have, such as functions of mathematics of f64.
        """
        return self.module(self._for_types(types, rank))

    def module(self, made: Specialised, ended_loops: EndedLoops | None = None) -> bytes:
        """The words of a SPIR-V module of it."""
        from unified_gpu.kernels.compiler.spirv.printer import SpirvPrinter

        return SpirvPrinter(made.function, exact=self.mathematics == "exact", ended_loops=ended_loops).words()

    @_ends_here
    def ir(self, *types: Any, rank: int | None = None) -> str:
        """The typed form, in words."""
        from unified_gpu.kernels.compiler.printers.dump import dump

        return dump(self._for_types(types, rank).function)

    def _for_types(self, types: tuple[Any, ...], rank: int | None) -> Specialised:
        self.renew_structs()
        flat = [each for type_ in types for each in structs.params_of("", type_).values()]
        wanted = flat or tuple(self.annotations.values())
        if len(wanted) != len(self.annotations):
            raise TypeError(f"{self.name} takes {len(self.annotations)} arguments, and {len(wanted)} types are given")
        result: list[Any] = []
        for name, each in zip(self.annotations, wanted, strict=True):
            if isinstance(each, ArrayType) and each.dtype is not None and each.ndim is not None:
                result.append((each.dtype, each.ndim, False))
            elif each is None or isinstance(each, ArrayType):
                raise TypeError(f"the type of {name} is open: name all types, as in source('cuda', Array[f32, 1], f32)")
            else:
                result.append(as_dtype(each))
        if rank is None:
            used = self.specialised(tuple(result), 3).function.axes_used
            rank = max(used, 1)
        return self.specialised(tuple(result), rank)

    @_ends_here
    def reference(
        self,
        global_size: SupportsIndex | Iterable[SupportsIndex],
        args: Sequence[Any] | dict[str, Any],
        *,
        local_size: SupportsIndex | Iterable[SupportsIndex] | None = None,
        subgroup_size: SupportsIndex = 32,
    ) -> None:
        """Run it on NumPy arrays in Python, one thread after the other: slow, with checked indices, and for a debugger.

        Args:
            subgroup_size: threads of a subgroup, to compare with a device where they are not 32.

        Raises:
            IndexError: for an index outside an array.
            ValueError: for a `subgroup_size` below 1 or above 128.
        """
        self.renew_structs()
        given, lanes = self.bound(args), index(subgroup_size)
        if not 1 <= lanes <= 128:
            raise ValueError(f"subgroup_size {lanes}: a subgroup has 1 to 128 threads")
        types = self.types_of(given)
        sizes = global_axes(global_size)
        local = None if local_size is None else axes("local_size", local_size)
        made = self.specialised(types, len(sizes))
        made.check_block(local)
        blocks = launch_sizes(sizes, local, 256)
        checked = [
            checked_number(f"`{name}` of {self.name}", type_, arg, name) if isinstance(type_, DType) else arg
            for name, type_, arg in zip(self.annotations, types, given, strict=True)
        ]
        reference.run(made.function, blocks.grid, blocks.block, sizes, checked, lanes)


@overload
def kernel(python: Callable[..., Any], /) -> PythonKernel: ...
@overload
def kernel(*, math: Mathematics = "exact") -> Callable[[Callable[..., Any]], PythonKernel]: ...
def kernel(python: Any = None, /, *, math: Mathematics = "exact") -> Any:
    """Make a kernel of a Python function.

    Args:
        math: `exact` rounds each operation as IEEE 754 has it, the same everywhere; `fast` lets the compiler fuse and
            reorder operations, and takes approximations that a device has.

    Raises:
        TypeError: for anything but a function.
        ValueError: for another `math`.
    """
    if math not in ("exact", "fast"):
        raise ValueError(f"the mathematics of a kernel is 'exact' or 'fast', not {math!r}")

    def made(function: Any) -> PythonKernel:
        if not hasattr(function, "__code__"):
            raise TypeError(f"@kernel decorates a function, not {with_article(type(function).__name__)}")
        return PythonKernel(function, math)

    return made if python is None else made(python)
