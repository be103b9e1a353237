"""The kernel around a function of elements: each thread loads its elements, calls the function, stores the results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from unified_gpu import dtypes
from unified_gpu.dtypes import DType
from unified_gpu.kernels.compiler import ir
from unified_gpu.kernels.compiler.analysis.divergence import Divergence
from unified_gpu.kernels.compiler.front_end.build import build_function
from unified_gpu.kernels.compiler.front_end.scope import Program
from unified_gpu.kernels.compiler.ir import VOID, ArrayInfo, Assign, Expr, Function, Stmt, Store, TupleType, cast
from unified_gpu.kernels.decorated.definition import Mathematics, PythonKernel, Specialised
from unified_gpu.kernels.language import ArrayType

from .source import ElementSource

_RESULT = "result.0"


class OutdatedFunction(Exception):
    """What a function of elements uses was defined anew: its results may have other dtypes, so that all begins anew."""


class ElementFunction:
    """A function of elements, compiled for the types of its parameters.

    Attributes:
        results: the dtype of each result.
        is_tuple: whether it returns several.
    """

    def __init__(self, source: ElementSource, types: Sequence[DType]) -> None:
        """Raises KernelSourceError for what a kernel cannot have, or a function that gives nothing."""
        self.source, self.types = source, tuple(types)
        self.function, self.program = build_function(source, types, f"{source.tree.name}.0")
        returns = self.function.returns
        if returns is VOID:
            raise source.error(source.tree, f"{source.tree.name} returns nothing", "return a number, or several")
        self.is_tuple = isinstance(returns, TupleType)
        self.results: tuple[DType, ...] = returns.items if isinstance(returns, TupleType) else (returns,)
        if any(each is dtypes.bf16 for each in self.results):
            raise source.error(source.tree, "kernels written in Python cannot compute with bf16", "use f32")


class ElementKernel(PythonKernel):
    """The kernel of a function of elements, for arrays and numbers in certain places."""

    def __init__(
        self,
        python: Callable[..., Any],
        mathematics: Mathematics,
        made: ElementFunction,
        outputs: Sequence[DType],
        inputs: Sequence[DType | None],
    ) -> None:
        """`inputs` has the dtype of each array, and None for a number."""
        super().__init__(python, mathematics)
        self.name = made.source.tree.name
        self._function = made
        self._annotations = {f"out{at}": ArrayType(dtype) for at, dtype in enumerate(outputs)}
        for at, (dtype, type_) in enumerate(zip(inputs, made.types, strict=True)):
            self._annotations[f"x{at}"] = type_ if dtype is None else ArrayType(dtype)

    def specialised(self, types: tuple[Any, ...], rank: int) -> Specialised:
        outside = self._function.program.outside
        if outside.are_outdated():
            raise OutdatedFunction
        if known := self._made.get((types, rank)):
            return known[0]
        function = self._built(types, rank)
        program = Program(self._function.program.build, rank, outside=outside)
        found = Specialised(function, Divergence(function, lambda *_: AssertionError("no barriers")), program)
        self._made[types, rank] = [found]
        return found

    def _built(self, types: tuple[Any, ...], rank: int) -> Function:
        made, source = self._function, self._function.source
        at, callee = source.tree, made.function
        params: dict[str, DType | ArrayInfo] = {
            name: ArrayInfo(type_[0], type_[1], None, type_[2]) if isinstance(type_, tuple) else type_
            for name, type_ in zip(self.annotations, types, strict=True)
        }
        arrays = {name: type_ for name, type_ in params.items() if isinstance(type_, ArrayInfo)}
        variables: dict[str, Any] = {name: type_ for name, type_ in params.items() if isinstance(type_, DType)}

        def place() -> tuple[Expr, ...]:
            return tuple(Expr("id", dtypes.i32, value=("global_id", axis)) for axis in range(rank))

        passed = []
        for number, dtype in enumerate(made.types):
            name = f"x{number}"
            array = arrays.get(name)
            loaded = Expr("var", dtype, value=name) if array is None else Expr("load", array.dtype, place(), name)
            passed.append(cast(loaded, dtype))
        call = Expr("call", callee.returns, tuple(passed), callee)
        body: list[Stmt] = []
        if isinstance(callee.returns, TupleType):
            variables[_RESULT] = callee.returns
            body.append(Assign(at, _RESULT, call))
            results = [
                Expr("item", dtype, (Expr("var", callee.returns, value=_RESULT),), number)
                for number, dtype in enumerate(made.results)
            ]
        else:
            results = [call]
        for number, result in enumerate(results):
            name = f"out{number}"
            body.append(Store(at, name, place(), cast(result, arrays[name].dtype)))
        calls = (*callee.calls, callee)
        return ir.Function(
            self.name, True, params, VOID, arrays, variables, body, calls, rank, source.file, source.first_line
        )
