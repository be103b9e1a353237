"""Angles and hyperbolic functions of f64, of which Vulkan has none, as `f64_powers` has powers."""

from __future__ import annotations

import math

from unified_gpu.dtypes import f64, i64
from unified_gpu.kernels.language import device, floor_of

from .f64_powers import total

_LN_2 = 0.6931471805599453
_PI, _PI_REST = math.pi, 1.2246467991473532e-16
_QUARTERS = tuple(
    map(float.fromhex, ("0x1.921fb544p0", "0x1.0b4611a6p-34", "0x1.3198a2ep-69", "0x1.b839a252049c1p-104"))
)
"""Together pi / 2; the first three have 33 bits at most."""
_FAR = 2147483648.0


@device
def reduced(x):
    """The angle less the nearest multiple of pi / 2, in two numbers, and which multiple that is, from 0 to 3."""
    y = abs(x)
    if y > _FAR:
        y = math.fmod(y, 2 * _PI)
    times = floor_of(y * (2 / _PI) + 0.5)
    most = floor_of(times / 65536.0) * 65536.0  # so that the products are exact
    least = times - most
    near = (y - most * _QUARTERS[0]) - least * _QUARTERS[0]
    near, rest = total(near, -most * _QUARTERS[1])
    near, more = total(near, -least * _QUARTERS[1])
    rest += more
    near, more = total(near, -most * _QUARTERS[2])
    rest += more
    near, more = total(near, -least * _QUARTERS[2])
    rest += more - times * _QUARTERS[3]
    near, rest = total(near, rest)
    if x < 0:
        return -near, -rest, -i64(times) & 3
    return near, rest, i64(times) & 3


@device
def series_of_sin(x, rest):
    """sin(x + rest), for at most pi / 4."""
    z = x * x
    s = 1.0 / 6227020800 - z * (1.0 / 1307674368000 - z * (1.0 / 355687428096000))
    s = 1.0 / 5040 - z * (1.0 / 362880 - z * (1.0 / 39916800 - z * s))
    return x - (x * z * (1.0 / 6 - z * (1.0 / 120 - z * s)) - rest * (1 - 0.5 * z))


@device
def series_of_cos(x, rest):
    z = x * x
    s = 1.0 / 479001600 - z * (1.0 / 87178291200 - z * (1.0 / 20922789888000))
    s = 1.0 / 720 - z * (1.0 / 40320 - z * (1.0 / 3628800 - z * s))
    half = 0.5 * z
    first = 1 - half
    return first + (((1 - first) - half) + (z * z * (1.0 / 24 - z * s) - x * rest))


@device
def sin(x):
    if x == 0 or math.isinf(x) or x != x:
        return x - x if x != 0 else x
    near, rest, quarter = reduced(x)
    result = series_of_cos(near, rest) if quarter & 1 == 1 else series_of_sin(near, rest)
    return -result if quarter > 1 else result


@device
def cos(x):
    if math.isinf(x) or x != x:
        return x - x
    near, rest, quarter = reduced(x)
    result = series_of_sin(near, rest) if quarter & 1 == 1 else series_of_cos(near, rest)
    return -result if quarter == 1 or quarter == 2 else result


@device
def tan(x):
    if x == 0 or math.isinf(x) or x != x:
        return x - x if x != 0 else x
    near, rest, quarter = reduced(x)
    a, b = series_of_sin(near, rest), series_of_cos(near, rest)
    return -b / a if quarter & 1 == 1 else a / b


@device
def atan(x):
    """The Taylor series, for at most tan(pi / 8)."""
    y, base, rest = abs(x), f64(0), f64(0)
    if y > 2.414213562373095:
        y, base, rest = -1 / y, f64(_PI / 2), f64(_PI_REST / 2)
    elif y > 0.41421356237309503:
        y, base, rest = (y - 1) / (y + 1), f64(_PI / 4), f64(_PI_REST / 4)
    z = y * y
    s = 1.0 / 37 - z * (1.0 / 39 - z * (1.0 / 41 - z * (1.0 / 43)))
    s = 1.0 / 29 - z * (1.0 / 31 - z * (1.0 / 33 - z * (1.0 / 35 - z * s)))
    s = 1.0 / 21 - z * (1.0 / 23 - z * (1.0 / 25 - z * (1.0 / 27 - z * s)))
    s = 1.0 / 13 - z * (1.0 / 15 - z * (1.0 / 17 - z * (1.0 / 19 - z * s)))
    s = 1.0 / 5 - z * (1.0 / 7 - z * (1.0 / 9 - z * (1.0 / 11 - z * s)))
    return math.copysign(base + (y - (y * z * (1.0 / 3 - z * s) - rest)), x)


@device
def atan2(y, x):
    a, b = abs(y), abs(x)
    angle = f64(0)
    if a != b:
        angle = math.atan(a / b)
    elif a > 0:
        angle = f64(_PI / 4)
    if math.copysign(f64(1), x) < 0:
        angle = _PI - (angle - _PI_REST)
    return math.copysign(angle, y)


# --- hyperbolic functions


@device
def sinh(x):
    y = abs(x)
    if y < 1:
        z = x * x
        s = 1.0 / 6227020800 + z * (1.0 / 1307674368000 + z * (1.0 / 355687428096000 + z * (1.0 / 121645100408832000)))
        s = 1.0 / 5040 + z * (1.0 / 362880 + z * (1.0 / 39916800 + z * s))
        return x + x * z * (1.0 / 6 + z * (1.0 / 120 + z * s))
    half = math.exp(0.5 * y)  # exp(y) may overflow where half of it does not
    power = math.exp(y)
    return math.copysign(0.5 * power - 0.5 / power if y < 709 else 0.5 * half * half, x)


@device
def cosh(x):
    y = abs(x)
    half, power = math.exp(0.5 * y), math.exp(y)
    return 0.5 * power + 0.5 / power if y < 709 else 0.5 * half * half


@device
def tanh(x):
    y = math.expm1(2 * min(abs(x), 22))
    return math.copysign(y / (y + 2), x)


@device
def asinh(x):
    y = abs(x)
    if y > 3e8:
        return math.copysign(math.log(y) + _LN_2, x)
    return math.copysign(math.log1p(y + y * y / (1 + math.sqrt(y * y + 1))), x)


@device
def acosh(x):
    if x > 3e8:
        return math.log(x) + _LN_2
    y = x - 1
    return f64(math.nan) if y < 0 else math.log1p(y + math.sqrt(2 * y + y * y))


@device
def atanh(x):
    y = abs(x)
    return f64(math.nan) if y > 1 else math.copysign(0.5 * math.log1p(2 * y / (1 - y)), x)
