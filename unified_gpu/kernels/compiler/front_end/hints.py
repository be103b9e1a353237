"""What to write instead of what a kernel cannot have: for names of NumPy, of CuPy and of this library's operations."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

from unified_gpu.dtypes import DType, as_dtype
from unified_gpu.kernels import language
from unified_gpu.kernels.language import DeviceFunction, Intrinsic

_AS_MATH = {
    "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2", "arcsinh": "asinh", "arccosh": "acosh",
    "arctanh": "atanh", "power": "pow",
}  # fmt: skip
_BUILT_IN = {
    "abs": "abs(…)", "absolute": "abs(…)", "maximum": "max(…, …)", "minimum": "min(…, …)", "fmax": "max(…, …)",
    "fmin": "min(…, …)", "where": "`a if condition else b`", "clip": "min(max(x, low), high)",
    "relu": "max(x, 0)", "add": "+", "subtract": "-", "sub": "-", "multiply": "*", "mul": "*", "divide": "/",
    "div": "/", "negative": "-x", "neg": "-x", "mod": "%", "remainder": "%", "floor_divide": "//",
    "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "square": "x * x",
    "arange": "range(…)", "sigmoid": "1 / (1 + math.exp(-x))",
}  # fmt: skip
REFUSED = {
    "ListComp": "a list", "List": "a list", "Dict": "a dict", "Set": "a set", "Lambda": "a lambda",
    "JoinedStr": "a text", "GeneratorExp": "a generator", "Await": "`await`", "Yield": "`yield`",
    "NamedExpr": "`:=`", "Starred": "`*`", "Slice": "a slice", "Expr": "an expression that is not used",
    "FunctionDef": "a function", "AsyncFunctionDef": "a function", "ClassDef": "a class", "With": "`with`",
    "Try": "`try`", "Raise": "`raise`", "Delete": "`del`", "Import": "`import`", "ImportFrom": "`import`",
    "Assert": "`assert`", "Match": "`match`", "Global": "`global`", "Nonlocal": "`nonlocal`",
}  # fmt: skip
"""What a kernel cannot have, by the class of the node."""
ELSEWHERE = {
    "FunctionDef": "define it outside, with @device", "Global": "a kernel gives its results in arrays",
    "Import": "import it outside", "ImportFrom": "import it outside",
}  # fmt: skip
REDUCTIONS = ("sum", "mean", "max", "min", "prod", "any", "all", "argmax", "argmin", "std", "var", "dot", "matmul")
_NEEDS_CALL = {
    "id": "{}(0)", "lane": "{}()", "subgroup": "{}(value)", "block": "{}(value)", "uniform": "{}(value)",
    "barrier": "barrier()",
    "shared": "tile = {}(f32, 256)", "atomic": "{}(array, index, …)", "math": "{}(x)",
}  # fmt: skip


def instead_of(callee: Any, known: Collection[str]) -> str:
    """What a kernel calls instead of a function of the surroundings; empty where nothing is like it.

    Args:
        known: the functions of `math` that kernels have.
    """
    name = getattr(callee, "__name__", "")
    if isinstance(callee, type):
        try:
            return f"write {as_dtype(callee).name}(…)"
        except TypeError:
            return ""
    module = getattr(callee, "__module__", None) or type(callee).__module__
    if module.partition(".")[0] not in ("numpy", "cupy", "unified_gpu", "torch") or not name:
        return ""
    if (as_math := _AS_MATH.get(name, name)) in known:
        return f"write math.{as_math}(…)"
    if name in REDUCTIONS:
        return "arrays have no reductions in kernels: write a loop, or compute it outside"
    return f"write {_BUILT_IN[name]}" if name in _BUILT_IN else ""


def instead_of_atomic(op: str, dtype: DType) -> str:
    """What a kernel does instead of an atomic that a dtype does not have."""
    if op in ("min", "max") and dtype.is_float:
        return (
            f"let each block store its own {'least' if op == 'min' else 'greatest'} in an array with an element for "
            f"each block (subgroup_{op}, or shared memory and barriers), and take array.{op}() of that after the launch"
        )
    if dtype.is_float and op == "add":
        return "add in an array of f32, and cast that after the launch"
    if dtype.is_float:
        return "keep what several threads change in an array of whole numbers: i32, or of its numbers times a scale"
    return f"use an array of {'i32' if dtype.kind == 'int' else 'u32'}, and cast it after the launch: array.cast(…)"


def undefined(name: str, known: Collection[str]) -> str:
    """What is missing for a name that nothing has."""
    first, _, rest = name.partition(".")
    if first == "math":
        return "write `import math` at the top of the file" if hasattr(math, rest) else ""
    if name in known:
        return f"write math.{name}(…), with `import math` at the top of the file"
    found = getattr(language, name, None)
    if isinstance(found, Intrinsic) and found.kind != "math":
        return f"write `from unified_gpu import {name}` at the top of the file"
    return ""


def uncalled(value: Any) -> str:
    """How a function is called that stands where a number is needed."""
    if isinstance(value, Intrinsic):
        return f"call it: {_NEEDS_CALL[value.kind].format(value.name)}"
    return f"call it: {value.name}(…)" if isinstance(value, DeviceFunction) else ""
