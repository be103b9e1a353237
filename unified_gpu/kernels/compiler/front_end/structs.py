"""Structs in a kernel: several values under one name, each of which goes its own way from here on.

`line: Line` is a number a field, `lines: Array[Line, 1]` an array a field, all indexed alike: `lines[i]` is the struct
of their elements. So no analysis and no printer knows structs. A value is an Expr whose `type` is the fields' names.
"""

from __future__ import annotations

from typing import Any

from unified_gpu.dtypes import DType
from unified_gpu.kernels.compiler.ir import ArrayInfo, Expr, TupleType
from unified_gpu.kernels.language import ArrayType
from unified_gpu.structs import Struct, is_struct

Params = dict[str, Any]
"""The types of a function's parameters by name."""


def is_one(value: Any) -> bool:
    """Whether a value is a struct, of numbers or of arrays."""
    return getattr(value, "op", "") == "struct"


def is_array(value: Any) -> bool:
    """Whether it stands for an array of structs, or for rows of one."""
    return is_one(value) and value.args[0].op == "array"


def params_of(name: str, type_: Any) -> Params:
    """What a parameter is passed as: a struct as its fields, with the names `line.slope`."""
    return {f"{name}.{field}": each for field, each in type_.fields.items()} if has_fields(type_) else {name: type_}


def has_fields(type_: Any) -> bool:
    """Whether an annotation is a struct, or an array of them."""
    return is_struct(type_) or (isinstance(type_, ArrayType) and type_.struct is not None)


def grouped(values: dict[str, Expr]) -> dict[str, Expr]:
    """The structs of parameters with such names; where a row begins, `lines.slope.at0`, is a part of its array."""
    found: dict[str, dict[str, Expr]] = {}
    for name, value in values.items():
        outer, _, field = name.partition(".")
        if field and "." not in field:
            found.setdefault(outer, {})[field] = value
    return {name: Expr("struct", (*fields,), (*fields.values(),)) for name, fields in found.items()}


def types_of(value: Expr) -> dict[str, DType]:
    """The dtypes of a struct's numbers, or of its arrays' elements, by name."""
    types = (each.type.dtype if isinstance(each.type, ArrayInfo) else each.type for each in value.args)
    return dict(zip(value.type, types, strict=True))


def is_what(value: Expr, wanted: Any) -> bool:
    """Whether it is what a parameter's annotation says, which may be nothing."""
    if wanted is None:
        return True
    struct: type[Struct] | None = wanted.struct if isinstance(wanted, ArrayType) else wanted
    axes = wanted.ndim if isinstance(wanted, ArrayType) else 0
    if not is_struct(struct) or [*struct.fields.items()] != [*types_of(value).items()]:
        return False
    return axes == (value.args[0].type.ndim if is_array(value) else 0) or (axes is None and is_array(value))


def described(value: Expr) -> str:
    """What it is, for messages."""
    fields = ", ".join(f"{name}: {dtype}" for name, dtype in types_of(value).items())
    return f"{'an array of structs' if is_array(value) else 'a struct'} of {fields}"


def returned(value: Expr) -> Expr:
    """As what a device function gives: a tuple that keeps the names."""
    types = tuple(each.type for each in value.args)
    return Expr("tuple", TupleType(types, value.type), value.args)
