"""The front end as a whole: a Python function and the types of its arguments become a Function."""

from __future__ import annotations

import ast
from typing import Any

from unified_gpu.dtypes import DType
from unified_gpu.errors import KernelSourceError
from unified_gpu.kernels.compiler.analysis.divergence import Divergence
from unified_gpu.kernels.compiler.ir import (
    VOID,
    ArrayInfo,
    Assign,
    Exchange,
    Expr,
    For,
    Function,
    Stmt,
    all_expressions,
    cast,
    is_weak,
    walk,
)
from unified_gpu.kernels.language import DeviceFunction

from .hoisting import Hoisting
from .promotion import default
from .scope import Program, Value
from .source import MISSING, Source
from .statements import Statements, ends

_MOST_PASSES = 11
ANNOTATIONS = "write f32 or Array[f32, 1]"

_sources: dict[Any, Source] = {}


def source_of(python: Any) -> Source:
    found = _sources.get(python)
    if found is None:
        found = _sources[python] = Source(python)
    return found


def build_kernel(source: Source, params: dict[str, Any], rank: int) -> tuple[Function, Divergence, Program]:
    """The kernel for the types of its parameters, what of it diverges, and what was compiled into it.

    Raises:
        KernelSourceError: for what a kernel cannot have.
    """
    program = Program(rank)
    function = _build(source, program, params, is_kernel=True, name=source.tree.name)

    def error(barrier: Stmt, why: Stmt) -> KernelSourceError:
        what = f"subgroup_{barrier.op}" if isinstance(barrier, Exchange) else "barrier"
        return source.error(
            barrier.at,
            f"not every thread of the block reaches this {what}: line {source.line(why.at)} decides, by what differs "
            "between threads",
            f"move the {what} out of the branch or the loop",
        )

    return function, Divergence(function, error), program


def build_device(written: DeviceFunction, dtype: DType) -> Function:
    """A device function of the compiler's own, all of whose parameters have one type."""
    source = source_of(written.python)
    params = dict.fromkeys((arg.arg for arg in source.tree.args.args), dtype)
    return _build(source, Program(1), params, is_kernel=False, name=written.name)


class _Builder(Statements):
    """Statements, with calls of device functions."""

    def device_call(self, node: ast.Call, callee: DeviceFunction, args: list[Value]) -> Expr:
        source = source_of(callee.python)
        check_parameters(source)
        self.count(node, len(source.tree.args.args))
        types: dict[str, Any] = {}
        passed: list[Expr] = []
        for arg, value, given in zip(source.tree.args.args, args, node.args, strict=True):
            if isinstance(value, tuple) or not isinstance(value.type, (DType, ArrayInfo)):
                raise self.error(given, "a tuple cannot be passed to a device function", "pass its items")
            if value.op != "array":
                dtype = annotation(source, arg)
                if isinstance(dtype, DType):
                    value = self.fit(value, dtype, given, cast=True)
                else:
                    value = self.typed(value, given)
                if is_weak(value.type):  # a variable of which an early pass does not know the type
                    value = cast(value, default(value.type))
            types[arg.arg] = value.type
            passed.append(value)
        if callee in self.program.active:
            raise self.error(node, f"{callee.name} calls itself, and a kernel cannot recurse", "write a loop")
        key = (callee, *types.values())
        function = self.program.functions.get(key)
        if function is None:
            self.program.active.append(callee)
            name = f"{callee.name}.{len(self.program.functions)}"
            function = _build(source, self.program, types, is_kernel=False, name=name)
            self.program.active.pop()
            self.program.functions[key] = function
        return Expr("call", function.returns, tuple(passed), function)


def annotation(source: Source, arg: ast.arg) -> Any:
    """What a parameter's annotation means, also where it is a text, as by `from __future__ import annotations`."""
    found, node = source.python.__annotations__.get(arg.arg), arg.annotation
    if node is None or not isinstance(found, str):
        return found
    place = node
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            node = ast.parse(node.value, mode="eval").body
        except SyntaxError:
            raise source.error(place, "the annotation is no expression", ANNOTATIONS) from None
    named = {each.id: source.lookup(each.id) for each in ast.walk(node) if isinstance(each, ast.Name)}
    names = {name: value for name, value in named.items() if value is not MISSING}
    try:
        return eval(compile(ast.Expression(node), source.file, "eval"), {}, names)
    except Exception as error:
        raise source.error(place, f"the annotation cannot be evaluated: {error}", ANNOTATIONS) from None


def check_parameters(source: Source) -> None:
    """Refuse parameters that no kernel has."""
    args = source.tree.args
    for each in (args.vararg, args.kwarg, *args.kwonlyargs):
        if each is not None:
            raise source.error(each, "a kernel has no `*` and no keyword parameters", "name each parameter")
    for node in args.defaults:
        raise source.error(node, "a parameter of a kernel has no default")


def _build(source: Source, program: Program, params: dict[str, Any], *, is_kernel: bool, name: str) -> Function:
    types: dict[str, Any] = {}
    for _ in range(_MOST_PASSES):
        builder = _Builder(source, program, params, is_kernel, types)
        builder.block(source.tree.body)
        if builder.found == types:
            break
        types = builder.found
    else:
        raise source.error(source.tree, "the types of the variables do not settle", "begin each with a type: f32(0)")
    returns = None if any(map(is_weak, types.values())) else builder.returns
    types = {n: default(t) for n, t in types.items()}
    builder = _Builder(source, program, params, is_kernel, types, strict=True, returns=returns)
    copies = [Assign(source.tree, own, Expr("var", params[n], value=n)) for n, own in builder.own.items()]
    body: list[Stmt] = [*copies, *builder.block(source.tree.body)]
    if builder.returns not in (None, VOID) and not ends(body):
        raise source.error(source.tree, f"{source.tree.name} can end without returning its {builder.returns}")
    hoisting = Hoisting(source.error)
    body = hoisting.block(body)
    counters = {s.name for s in walk(body) if isinstance(s, For)}
    variables = {n: t for n, t in builder.found.items() if n not in counters} | hoisting.variables
    callees = [e.value for e in all_expressions(body) if e.op == "call"]
    calls = tuple(dict.fromkeys(each for callee in callees for each in (*callee.calls, callee)))
    return Function(
        name, is_kernel, params, builder.returns or VOID, builder.arrays, variables, body, calls, program.rank,
        source.file, source.first_line,
    )  # fmt: skip
