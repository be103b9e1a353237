"""What functions do with the elements of one place, as NumPy's do; dtypes are decided before."""

from __future__ import annotations

import math

from unified_gpu.dtypes import u64
from unified_gpu.kernels.language import device, floor_of


@device
def floored(x):
    return floor_of(x)


@device
def ceiled(x):
    return -floor_of(-x)


@device
def truncated(x):
    return -floor_of(-x) if x < 0 else floor_of(x)


@device
def rounded(x):
    """To the nearest whole number, halves to the even one; a zero keeps the sign."""
    low = floor_of(x)
    rest = x - low
    is_odd = floor_of(low / 2) * 2 != low
    up = rest > 0.5 or (rest == 0.5 and is_odd)
    return math.copysign(low + 1 if up else low, x)


def floor(x):
    return floored(x)


def ceil(x):
    return ceiled(x)


def trunc(x):
    return truncated(x)


def round_half_even(x):
    return rounded(x)


def sin(x):
    return math.sin(x)


def cos(x):
    return math.cos(x)


def tan(x):
    return math.tan(x)


def asin(x):
    return math.asin(x)


def acos(x):
    return math.acos(x)


def atan(x):
    return math.atan(x)


def sinh(x):
    return math.sinh(x)


def cosh(x):
    return math.cosh(x)


def asinh(x):
    return math.asinh(x)


def acosh(x):
    return math.acosh(x)


def atanh(x):
    return math.atanh(x)


def exp2(x):
    return math.exp2(x)


def expm1(x):
    return math.expm1(x)


def log2(x):
    return math.log2(x)


def log10(x):
    return math.log10(x)


def log1p(x):
    return math.log1p(x)


def square(x):
    return x * x


def reciprocal(x):
    return 1 / x


def sign(x):
    return 1 if x > 0 else (-1 if x < 0 else (0 if x == 0 else x))


def sign_unsigned(x):
    return 1 if x > 0 else x


def signbit(x):
    return math.copysign(1, x) < 0


def isnan(x):
    return x != x


def isinf(x):
    return math.isinf(x)


def isfinite(x):
    return math.isfinite(x)


def logical_not(x):
    return x == 0


def bitwise_invert(x):
    return ~x


def floor_divide(a, b):
    return a // b


def remainder(a, b):
    return a % b


def atan2(a, b):
    return math.atan2(a, b)


def hypot(a, b):
    return math.hypot(a, b)


def copysign(a, b):
    return math.copysign(a, b)


def logaddexp(a, b):
    high, low = max(a, b), min(a, b)
    if a != a or b != b:
        return a + b
    if a == b:
        return a + math.log(a * 0 + 2) if a - a == 0 else a
    return high + math.log1p(math.exp(low - high))


def bitwise_and(a, b):
    return a & b


def bitwise_or(a, b):
    return a | b


def bitwise_xor(a, b):
    return a ^ b


def bitwise_left_shift(a, b):
    return a << b


def bitwise_right_shift(a, b):
    return a >> b


def logical_and(a, b):
    return a != 0 and b != 0


def logical_or(a, b):
    return a != 0 or b != 0


def logical_xor(a, b):
    return (a != 0) != (b != 0)


def clip(x, low, high):
    least = low if x < low or low != low else x
    return high if least > high or high != high else least


def clip_low(x, low):
    return low if x < low or low != low else x


def clip_high(x, high):
    return high if x > high or high != high else x


def signed_lt(a, b):
    return a < 0 or u64(a) < b


def signed_le(a, b):
    return a < 0 or u64(a) <= b


def signed_eq(a, b):
    return a >= 0 and u64(a) == b


def signed_ne(a, b):
    return a < 0 or u64(a) != b


def signed_gt(a, b):
    return a >= 0 and u64(a) > b


def signed_ge(a, b):
    return a >= 0 and u64(a) >= b
