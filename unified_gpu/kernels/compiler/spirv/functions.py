"""Which operations of fractions are functions of `mathematics` in SPIR-V, rather than instructions."""

from __future__ import annotations

import functools
from types import ModuleType

from unified_gpu import dtypes
from unified_gpu.dtypes import DType
from unified_gpu.kernels.compiler.front_end.build import build_device
from unified_gpu.kernels.language import DeviceFunction
from unified_gpu.kernels.mathematics import any_float, f32_functions, f64_angles, f64_powers
from unified_gpu.kernels.mathematics.exact import exact_functions, floor_div, floor_mod


def _functions(module: ModuleType, names: str) -> dict[str, DeviceFunction]:
    return {name: getattr(module, name) for name in names.split()}


_DIVISIONS = {"//": floor_div, "%": floor_mod}
_OF_ANY = _functions(any_float, "asin acos log10 pow")
_WRITTEN: dict[DType, dict[str, DeviceFunction]] = {
    dtypes.f32: {
        **exact_functions(dtypes.f32, dtypes.u32, 23), **_DIVISIONS, **_functions(f32_functions, "log1p expm1"),
    },
    dtypes.f64: {
        **exact_functions(dtypes.f64, dtypes.u64, 52), **_DIVISIONS, **_OF_ANY,
        **_functions(f64_powers, "exp exp2 expm1 log log2 log1p"), "powr": f64_powers.power_of_positive,
        **_functions(f64_angles, "sin cos tan atan atan2 sinh cosh tanh asinh acosh atanh"),
    },
}  # fmt: skip
"""What GLSL.std.450 does not have, or not by the bit."""
_ROUGH = _OF_ANY | _functions(f32_functions, "atan atan2 sinh cosh tanh asinh acosh atanh exp log log2")
"""GLSL.std.450 has these too for f32, with errors that are large, or large where the result is small."""

built_function = functools.cache(build_device)


def computed_as(t: DType) -> DType:
    """The type that these functions compute `t` as: f16 is f32 until the result."""
    return dtypes.f32 if t is dtypes.f16 else t


def written_function(op: str, t: DType, *, exact: bool) -> DeviceFunction | None:
    """What an operation with operands of the type `t` calls; None where it is an instruction."""
    if not t.is_float:
        return None
    found = _WRITTEN[computed_as(t)].get(op)
    if found is None and exact and t is not dtypes.f64:
        found = _ROUGH.get(op)
    return found
