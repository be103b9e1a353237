"""The front end as a whole: a Python function and the types of its arguments become a Function."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from unified_gpu.dtypes import DType
from unified_gpu.errors import KernelSourceError
from unified_gpu.kernels.compiler import ir
from unified_gpu.kernels.compiler.analysis.divergence import Divergence
from unified_gpu.kernels.compiler.ir import VOID, Assign, Expr, Function, Stmt, all_expressions, is_weak
from unified_gpu.kernels.language import DeviceFunction

from .hoisting import Hoisting
from .loops import Loops
from .promotion import default
from .scope import Program
from .source import Source, source_of
from .statements import Statements, ends

_MOST_PASSES = 11


def build_kernel(source: Source, params: dict[str, Any], rank: int) -> tuple[Function, Divergence, Program]:
    """The kernel for the types of its parameters, what of it diverges, and what was compiled into it.

    Raises:
        KernelSourceError: for what a kernel cannot have.
    """
    program = Program(_build, rank)
    function = _build(source, program, params, is_kernel=True, name=source.tree.name)

    def error(barrier: Stmt, why: Stmt) -> KernelSourceError:
        what = ir.called(barrier.op) if isinstance(barrier, ir.Exchange) else getattr(barrier, "name", "barrier")
        return source.error(
            barrier.at,
            f"not every thread of the block reaches this {what}: line {source.line(why.at)} decides, by what differs "
            "between threads",
            f"move the {what} out of the branch or the loop; where all threads have the same there, decide by "
            "uniform(…) of it",
        )

    return function, Divergence(function, error), program


def build_device(written: DeviceFunction, dtype: DType) -> Function:
    """A device function of the compiler's own, all of whose parameters have one type."""
    source = source_of(written.python)
    return build_function(source, [dtype] * len(source.tree.args.args), written.name)[0]


def build_function(source: Source, types: Sequence[DType], name: str) -> tuple[Function, Program]:
    """A device function for the types of its parameters, and what was compiled into it."""
    program = Program(_build, 1)
    params = dict(zip((arg.arg for arg in source.tree.args.args), types, strict=True))
    return _build(source, program, params, is_kernel=False, name=name), program


def _build(source: Source, program: Program, params: dict[str, Any], *, is_kernel: bool, name: str) -> Function:
    types: dict[str, Any] = {}
    for _ in range(_MOST_PASSES):
        builder = Loops(source, program, params, is_kernel, types)
        builder.block(source.tree.body)
        if builder.found == types:
            return _function(builder, name)
        if not types:  # mostly, the first pass finds what is there; else the last one says so
            with suppress(KernelSourceError):
                return _function(builder, name)
        types = builder.found
    raise source.error(source.tree, "the types of the variables do not settle", "begin each with a type: f32(0)")


def _function(found: Statements, name: str) -> Function:
    """With the types that a pass has found; an error where a variable becomes something else as well."""
    source, program, params, is_kernel = found.source, found.program, found.params, found.is_kernel
    returns = None if any(map(is_weak, found.found.values())) else found.returns
    types = {n: default(t) for n, t in found.found.items()}
    builder = Loops(source, program, params, is_kernel, types, strict=True, returns=returns)
    copies = [Assign(source.tree, own, Expr("var", params[n], value=n)) for n, own in builder.own.items()]
    body: list[Stmt] = [*copies, *builder.block(source.tree.body)]
    if builder.returns not in (None, VOID) and not ends(body):
        raise source.error(source.tree, f"{source.tree.name} can end without returning its {builder.returns}")
    hoisting = Hoisting(source.error)
    body = hoisting.block(body)
    variables = builder.found | hoisting.variables
    callees = [e.value for e in all_expressions(body) if e.op == "call"]
    calls = tuple(dict.fromkeys(each for callee in callees for each in (*callee.calls, callee)))
    return Function(
        name, is_kernel, params, builder.returns or VOID, builder.arrays, variables, body, calls, program.rank,
        source.file, source.first_line,
    )  # fmt: skip
