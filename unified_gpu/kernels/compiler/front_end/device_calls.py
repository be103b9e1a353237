"""The front end, second part: calls of what the user has written, device functions and structs."""

from __future__ import annotations

import ast
from typing import Any

from unified_gpu.dtypes import DType
from unified_gpu.kernels.compiler.ir import ArrayInfo, Expr, Function
from unified_gpu.kernels.language import ArrayType, DeviceFunction
from unified_gpu.structs import Struct, is_struct

from . import structs
from .expressions import Expressions
from .promotion import number
from .scope import Value
from .source import annotation, check_parameters, defaults_of, source_of


class DeviceCalls(Expressions):
    """Calls whose arguments have names."""

    def count(self, node: ast.Call, least: int, most: int | None = None, hint: str = "") -> None:
        if not least <= len(node.args) <= (least if most is None else most):
            wanted = str(least) if most in (None, least) else f"{least} to {most}"
            plural = "" if wanted == "1" else "s"
            given = f"{ast.unparse(node.func)} takes {wanted} argument{plural}, not {len(node.args)}"
            raise self.error(node, given, hint)

    def made(self, node: ast.Call, struct: type[Struct]) -> Expr:
        """`Line(0.5, first=x)`: a struct of numbers, each as its field has it."""
        found = self.bound(node, [*struct.fields], {})
        numbers = (
            self.fit(self.one_number(found[n][1], found[n][0]), t, found[n][1], cast=True)
            for n, t in struct.fields.items()
        )
        return Expr("struct", (*struct.fields,), tuple(numbers))

    def bound(self, node: ast.Call, names: list[str], defaults: dict[str, Any]) -> dict[str, tuple[Value, ast.expr]]:
        """The arguments of a call by the names of the parameters, each with its place in the source."""
        least, most = len(names) - len(defaults), len(names)
        self.count(node, 0 if node.keywords else least, None if least == most and not node.keywords else most)
        found = {name: (self.visit(each), each) for name, each in zip(names, node.args, strict=False)}
        for keyword in node.keywords:
            if keyword.arg not in names or keyword.arg in found:
                what = "no parameter" if keyword.arg not in names else "already"
                raise self.error(keyword.value, f"{ast.unparse(node.func)} has {what} {keyword.arg or '**'}")
            found[keyword.arg] = self.visit(keyword.value), keyword.value
        for name in names:
            if name not in found and name not in defaults:
                raise self.error(node, f"{ast.unparse(node.func)} takes {name}, too")
        return {name: found[name] if name in found else (number(defaults[name]), node) for name in names}

    def device_call(self, node: ast.Call, callee: DeviceFunction) -> Expr:
        source = source_of(callee.python)
        check_parameters(source)
        arguments = self.bound(node, [arg.arg for arg in source.tree.args.args], defaults_of(source))
        types: dict[str, Any] = {}
        passed: list[Expr] = []
        for arg in source.tree.args.args:
            value, given = arguments[arg.arg]
            wanted = annotation(source, arg)
            takes = f"{callee.name} takes {arg.arg} as {getattr(wanted, '__name__', wanted)}"
            if structs.is_one(value):
                if not structs.is_what(value, wanted):
                    raise self.error(given, f"this is {structs.described(value)}, and {takes}")
                for name, each in zip(value.type, value.args, strict=True):
                    types |= self.passed(each, f"{arg.arg}.{name}", passed)
                continue
            if isinstance(value, tuple) or not isinstance(value.type, (DType, ArrayInfo)):
                raise self.error(given, "a tuple cannot be passed to a device function", "pass its items")
            if isinstance(value.type, ArrayInfo):
                self.check_array(value.type, wanted, given, takes)
                types |= self.passed(value, arg.arg, passed)
                continue
            is_fixed = isinstance(wanted, DType)
            passed.append(self.fit(value, wanted, given, cast=True) if is_fixed else self.typed(value, given))
            types[arg.arg] = passed[-1].type
        function = self.compiled(node, callee, types)
        return Expr("call", function.returns, tuple(passed), function)

    def check_array(self, found: ArrayInfo, wanted: Any, node: ast.expr, takes: str) -> None:
        axes = getattr(wanted, "ndim", 0)
        fits = not isinstance(wanted, ArrayType) or (wanted.struct is None and wanted.takes(found.dtype, found.ndim))
        if isinstance(wanted, DType) or is_struct(wanted) or not fits:
            hint = f"pass {ast.unparse(node)}[i]" if axes is not None and found.ndim > axes else ""
            raise self.error(node, f"this is {found}, and {takes}", hint)

    def passed(self, value: Expr, name: str, to: list[Expr]) -> dict[str, Any]:
        """The types of what is passed for a parameter, which is appended: of a row the whole array, and its place."""
        if value.op != "array":
            to.append(value)
            return {name: value.type}
        to += [Expr("array", self.arrays[value.value], value=value.value), *value.args]
        return {name: self.arrays[value.value]} | {f"{name}.at{n}": e.type for n, e in enumerate(value.args)}

    def compiled(self, node: ast.Call, callee: DeviceFunction, types: dict[str, Any]) -> Function:
        """A device function for the types of its parameters."""
        program = self.program
        if callee in program.active:
            raise self.error(node, f"{callee.name} calls itself, and a kernel cannot recurse", "write a loop")
        key = (callee, *types.items())
        if key not in program.functions:
            name = f"{callee.name}.{len(program.functions) + len(program.active)}"
            program.active.append(callee)
            source = source_of(callee.python)
            program.functions[key] = program.build(source, program, types, is_kernel=False, name=name)
            program.active.pop()
        return program.functions[key]
