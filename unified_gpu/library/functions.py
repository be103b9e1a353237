"""Elementwise functions beyond those that a backend has of its own, with NumPy's promotion."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any, Literal

from unified_gpu.arrays.array import GpuArray
from unified_gpu.arrays.broadcasting import as_array, context_of, require, result_type
from unified_gpu.dtypes import DType, Number, bf16, bool_, f32
from unified_gpu.elementwise.definition import Elementwise
from unified_gpu.kernels.decorated.launch import lacks_compiler
from unified_gpu.promotion import as_float, common_type
from unified_gpu.runtime.stream import Stream

from . import formulas

Of = Literal["floats", "numbers", "integers", "shifts", "anything"]
"""What it takes: floats, to which whole numbers are converted; all but bool; all but floats; whole numbers; all."""

_DTYPES: dict[Of, str] = {
    "floats": "Floats are computed in their dtype, others in the least one of f16, f32 and f64 that has their numbers.",
    "numbers": "It has the dtype of its operands.\n\nRaises:\n    TypeError: for bools.",
    "integers": "It has the dtype of its operands.\n\nRaises:\n    TypeError: for floats.",
    "shifts": "It has the dtype of its operands.\n\nRaises:\n    TypeError: for floats and bools.",
    "anything": "Operands have any dtypes, the result is bool.",
}
"""What a function says of dtypes; the errors that all of them have stand in the docstring of the library."""


def computed_dtype(name: str, of: Of, dtype: DType) -> DType:
    """The dtype in which a function is computed for operands that meet in `dtype`.

    Raises:
        TypeError: for a dtype that it does not have.
    """
    if of == "floats":
        dtype = as_float(dtype)
    elif of == "numbers":
        require(dtype is not bool_, name, dtype, "numbers")
    elif of == "integers" and dtype.is_float:
        raise TypeError(f"{name} is for whole numbers and bools, not for {dtype}; convert: array.cast('i32')")
    elif of == "shifts":
        require(dtype.kind in ("int", "uint"), name, dtype, "whole numbers", "i32")
    return f32 if dtype is bf16 else dtype


class _Function:
    """A function of elements with a rule for its dtypes."""

    def __init__(self, formula: Callable[..., Any], of: Of, doc: str, name: str = "") -> None:
        self.__name__ = name or formula.__name__
        self.__doc__ = f"{doc}\n\n{_DTYPES[of]}"
        self._of: Of = of
        self._formula = Elementwise[Any](formula)

    def __repr__(self) -> str:
        return f"<function {self.__name__} of arrays>"

    def _apply(self, values: list[Any], dtype: DType, out: Any, stream: Stream | None) -> GpuArray:
        """In the dtype that is computed; a result in f32 becomes bf16 where the arrays are."""
        wanted = computed_dtype(self.__name__, self._of, dtype)
        if dtype is not bf16:
            return _array(self._formula.apply(values, [wanted] * len(values), out, stream))
        found = _array(self._formula.apply(values, [wanted] * len(values), None, stream))
        if found.dtype is not f32:
            return found if out is None else found.copy_to(out, stream=stream)
        return found.cast(bf16, out=out, stream=stream)


class UnaryFunction(_Function):
    """A function of one array."""

    def __call__(self, x: GpuArray, *, out: GpuArray | None = None, stream: Stream | None = None) -> GpuArray:
        return self._apply([as_array(x, "x")], x.dtype, out, stream)


class RoundingFunction(UnaryFunction):
    """A function of one array that gives whole numbers and bools as they are."""

    def __init__(self, formula: Callable[..., Any], doc: str, name: str = "") -> None:
        super().__init__(formula, "floats", doc, name)
        self.__doc__ = f"{doc}\n\nWhole numbers and bools stay as they are."

    def __call__(self, x: GpuArray, *, out: GpuArray | None = None, stream: Stream | None = None) -> GpuArray:
        if as_array(x, "x").dtype.is_float:
            return super().__call__(x, out=out, stream=stream)
        return x.copy(stream=stream) if out is None else x.copy_to(out, stream=stream)


class BinaryFunction(_Function):
    """A function of two operands, of which one may be a number."""

    def __call__(
        self,
        a: GpuArray | Number,
        b: GpuArray | Number,
        *,
        out: GpuArray | None = None,
        stream: Stream | None = None,
    ) -> GpuArray:
        context_of(a, b)
        dtype = result_type(a, b)
        if self._of == "floats":  # in which two arrays meet as floats: a u8 and an i8 in f16
            dtype = reduce(common_type, (as_float(each.dtype) for each in (a, b) if isinstance(each, GpuArray)))
        assert dtype is not None, "context_of has found an array"
        return self._apply([a, b], dtype, out, stream)


class TruthFunction(BinaryFunction):
    """A function of whether elements are true, that is, not 0; of any two dtypes."""

    def __call__(
        self,
        a: GpuArray | Number,
        b: GpuArray | Number,
        *,
        out: GpuArray | None = None,
        stream: Stream | None = None,
    ) -> GpuArray:
        context = context_of(a, b)
        values = [each if isinstance(each, GpuArray) else bool(each) for each in (a, b)]
        if lacks_compiler(context):  # a wheel carries the kernels for bools
            values = [each.cast(bool_, stream=stream) if isinstance(each, GpuArray) else each for each in values]
        types = [each.dtype if isinstance(each, GpuArray) else bool_ for each in values]
        return _array(self._formula.apply(values, [f32 if t is bf16 else t for t in types], out, stream))


def _array(value: Any) -> GpuArray:
    assert isinstance(value, GpuArray)
    return value


sin = UnaryFunction(formulas.sin, "floats", "The sine of radians.")
cos = UnaryFunction(formulas.cos, "floats", "The cosine of radians.")
tan = UnaryFunction(formulas.tan, "floats", "The tangent of radians.")
asin = UnaryFunction(formulas.asin, "floats", "The angle that has this sine, in radians.")
acos = UnaryFunction(formulas.acos, "floats", "The angle that has this cosine, in radians.")
atan = UnaryFunction(formulas.atan, "floats", "The angle that has this tangent, in radians.")
sinh = UnaryFunction(formulas.sinh, "floats", "The hyperbolic sine.")
cosh = UnaryFunction(formulas.cosh, "floats", "The hyperbolic cosine.")
asinh = UnaryFunction(formulas.asinh, "floats", "The inverse of the hyperbolic sine.")
acosh = UnaryFunction(formulas.acosh, "floats", "The inverse of the hyperbolic cosine.")
atanh = UnaryFunction(formulas.atanh, "floats", "The inverse of the hyperbolic tangent.")
exp2 = UnaryFunction(formulas.exp2, "floats", "2 to the power of x.")
expm1 = UnaryFunction(formulas.expm1, "floats", "exp(x) - 1, exact also near 0.")
log2 = UnaryFunction(formulas.log2, "floats", "The logarithm to the base of 2.")
log10 = UnaryFunction(formulas.log10, "floats", "The logarithm to the base of 10.")
log1p = UnaryFunction(formulas.log1p, "floats", "log(1 + x), exact also near 0.")
square = UnaryFunction(formulas.square, "numbers", "x * x.")
reciprocal = UnaryFunction(formulas.reciprocal, "floats", "1 / x.")
signbit = UnaryFunction(formulas.signbit, "floats", "Whether the sign is set, also of -0.0 and NaN.")
isnan = UnaryFunction(formulas.isnan, "floats", "Whether x is NaN.")
isinf = UnaryFunction(formulas.isinf, "floats", "Whether x is infinite.")
isfinite = UnaryFunction(formulas.isfinite, "floats", "Whether x is neither NaN nor infinite.")
logical_not = UnaryFunction(formulas.logical_not, "anything", "Whether x is 0.")
bitwise_invert = UnaryFunction(formulas.bitwise_invert, "integers", "~x; of bools the opposite.")
floor = RoundingFunction(formulas.floor, "The greatest whole number that is not above x.")
ceil = RoundingFunction(formulas.ceil, "The least whole number that is not below x.")
trunc = RoundingFunction(formulas.trunc, "x without what is behind the point.")
round = RoundingFunction(formulas.round_half_even, "The nearest whole number; of a half the even one.", "round")
_sign = UnaryFunction(formulas.sign, "numbers", "", "sign")
_sign_unsigned = UnaryFunction(formulas.sign_unsigned, "numbers", "", "sign")

floor_divide = BinaryFunction(
    formulas.floor_divide, "numbers", "a // b, rounded down; of whole numbers 0 where b is 0."
)
remainder = BinaryFunction(formulas.remainder, "numbers", "a % b, with the sign of b; of whole numbers 0 where b is 0.")
atan2 = BinaryFunction(formulas.atan2, "floats", "The angle of the point (b, a), in radians.")
hypot = BinaryFunction(formulas.hypot, "floats", "The square root of a * a + b * b.")
copysign = BinaryFunction(formulas.copysign, "floats", "The magnitude of a with the sign of b.")
logaddexp = BinaryFunction(formulas.logaddexp, "floats", "log(exp(a) + exp(b)).")
bitwise_and = BinaryFunction(formulas.bitwise_and, "integers", "a & b; of bools whether both are true.")
bitwise_or = BinaryFunction(formulas.bitwise_or, "integers", "a | b; of bools whether one is true.")
bitwise_xor = BinaryFunction(formulas.bitwise_xor, "integers", "a ^ b; of bools whether they differ.")
bitwise_left_shift = BinaryFunction(
    formulas.bitwise_left_shift, "shifts", "a << b; 0 where b is as large as the dtype."
)
bitwise_right_shift = BinaryFunction(formulas.bitwise_right_shift, "shifts", "a >> b, with the sign of a.")
logical_and = TruthFunction(formulas.logical_and, "anything", "Whether both are true, that is, not 0.")
logical_or = TruthFunction(formulas.logical_or, "anything", "Whether one is true, that is, not 0.")
logical_xor = TruthFunction(formulas.logical_xor, "anything", "Whether one alone is true, that is, not 0.")
_clip = {
    (True, True): Elementwise[Any](formulas.clip),
    (True, False): Elementwise[Any](formulas.clip_low),
    (False, True): Elementwise[Any](formulas.clip_high),
}


def sign(x: GpuArray, *, out: GpuArray | None = None, stream: Stream | None = None) -> GpuArray:
    """1 where x is positive, -1 where it is negative, else x: 0 or NaN."""
    found = _sign_unsigned if as_array(x, "x").dtype.kind == "uint" else _sign
    return found(x, out=out, stream=stream)


def positive(x: GpuArray, *, out: GpuArray | None = None, stream: Stream | None = None) -> GpuArray:
    """+x: a copy."""
    require(as_array(x, "x").dtype is not bool_, "positive", x.dtype, "numbers")
    return x.copy(stream=stream) if out is None else x.copy_to(out, stream=stream)


def clip(
    x: GpuArray,
    low: GpuArray | Number | None = None,
    high: GpuArray | Number | None = None,
    *,
    out: GpuArray | None = None,
    stream: Stream | None = None,
) -> GpuArray:
    """x, but not below `low` and not above `high`; NaN where one of them is."""
    values = [as_array(x, "x"), *(each for each in (low, high) if each is not None)]
    if len(values) == 1:
        return positive(x, out=out, stream=stream)
    context_of(*values)
    dtype = result_type(*values)
    assert dtype is not None, "x is an array"
    wanted = computed_dtype("clip", "numbers", dtype)
    values = [
        each.cast(f32, stream=stream) if isinstance(each, GpuArray) and dtype is bf16 else each for each in values
    ]
    found = _clip[low is not None, high is not None]
    if dtype is not bf16:
        return _array(found.apply(values, [wanted] * len(values), out, stream))
    return _array(found.apply(values, [wanted] * len(values), None, stream)).cast(bf16, out=out, stream=stream)


_OF_SIGNS = {
    name: Elementwise[Any](getattr(formulas, f"signed_{name}")) for name in ("eq", "ne", "lt", "le", "gt", "ge")
}
_MIRRORED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


def compare_signs(
    op: str, a: GpuArray, b: GpuArray, *, out: GpuArray | None = None, stream: Stream | None = None
) -> GpuArray:
    """A comparison of i64 and u64, which no dtype has together: exact, as NumPy's."""
    if a.dtype.kind == "uint":
        a, b, op = b, a, _MIRRORED.get(op, op)
    return _array(_OF_SIGNS[op].apply([a, b], None, out, stream))
