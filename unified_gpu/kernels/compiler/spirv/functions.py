"""Which operations of fractions are functions of `formulas` in SPIR-V, rather than instructions."""

from __future__ import annotations

import functools

from unified_gpu import dtypes
from unified_gpu.dtypes import DType
from unified_gpu.kernels.compiler.front_end.build import build_device
from unified_gpu.kernels.compiler.language import DeviceFunction

from . import f64_angles, f64_powers, formulas

_DIVISIONS = {"//": formulas.floor_div, "%": formulas.floor_mod}
_EXACT: dict[DType, dict[str, DeviceFunction]] = {
    dtypes.f32: formulas.exact_functions(dtypes.f32, dtypes.u32, 23) | _DIVISIONS,
    dtypes.f64: formulas.exact_functions(dtypes.f64, dtypes.u64, 52) | _DIVISIONS,
}
_MISSING = {"log1p": formulas.log1p, "expm1": formulas.expm1}
_ROUGH = {
    "asin": formulas.asin, "acos": formulas.acos, "atan": formulas.atan, "atan2": formulas.atan2,
    "sinh": formulas.sinh, "cosh": formulas.cosh, "tanh": formulas.tanh,
    "asinh": formulas.asinh, "acosh": formulas.acosh, "atanh": formulas.atanh,
    "exp": formulas.exp, "log": formulas.log, "log2": formulas.log2, "log10": formulas.log10,
}  # fmt: skip
"""GLSL.std.450 has these too, with errors that are large, or large where the result is small."""

_OF_F64: dict[str, DeviceFunction] = {
    name: getattr(module, name)
    for module, names in (
        (f64_powers, "exp exp2 expm1 log log2 log10 log1p pow"),
        (f64_angles, "sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh"),
    )
    for name in names.split()
}
"""GLSL.std.450 has none of them."""

built_function = functools.cache(build_device)


def computed_as(t: DType) -> DType:
    """The type that these functions compute `t` as: f16 is f32 until the result."""
    return dtypes.f32 if t is dtypes.f16 else t


def written_function(op: str, t: DType, *, exact: bool) -> DeviceFunction | None:
    """What an operation with operands of the type `t` calls; None where it is an instruction."""
    if not t.is_float:
        return None
    found = _EXACT[computed_as(t)].get(op)
    if found is None and t is dtypes.f64:
        return _OF_F64.get(op)
    if found is None:
        found = _MISSING.get(op) or (_ROUGH.get(op) if exact else None)
    return found
