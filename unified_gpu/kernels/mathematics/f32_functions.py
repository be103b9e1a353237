"""What Vulkan does not have of f32, or only roughly; the relative error is a few units in the last place."""

from __future__ import annotations

import math

from unified_gpu.dtypes import f32, i32, u32
from unified_gpu.kernels.language import bits_of, device, float_of, floor_of


@device
def atan(x):
    """The Taylor series, for at most tan(pi / 8)."""
    y, base = abs(x), f32(0)
    if y > 2.414213562373095:
        y, base = -1 / y, f32(math.pi / 2)
    elif y > 0.41421356237309503:
        y, base = (y - 1) / (y + 1), f32(math.pi / 4)
    z = y * y
    series = 1.0 / 13 - z * (1.0 / 15 - z * (1.0 / 17))
    series = 1.0 / 7 - z * (1.0 / 9 - z * (1.0 / 11 - z * series))
    series = z * (1.0 / 3 - z * (1.0 / 5 - z * series))
    return math.copysign(base + (y - y * series), x)


@device
def atan2(y, x):
    a, b = abs(y), abs(x)
    angle = f32(0)
    if a != b:
        angle = math.atan(a / b)
    elif a > 0:
        angle = f32(math.pi / 4)
    if math.copysign(f32(1), x) < 0:
        angle = math.pi - angle
    return math.copysign(angle, y)


@device
def exp(x):
    """The Taylor series of what is left beside a power of two, for at most log(2) / 2."""
    if x > 89:
        return f32(math.inf)
    if x < -104:
        return f32(0)
    power = floor_of(x * 1.4426950408889634 + 0.5)
    rest = x - power * 0.693359375 - power * -2.1219444005469057e-4  # the first product is exact
    series = 1 + rest / 5 * (1 + rest / 6 * (1 + rest / 7))
    series = 1 + (rest + rest * rest / 2 * (1 + rest / 3 * (1 + rest / 4 * series)))
    half = floor_of(power * 0.5)  # a power of two as small as the smallest result has no bits of its own
    return series * power_of_two(half) * power_of_two(power - half)


@device
def power_of_two(x):
    return float_of(u32(i32(x) + 127) << 23)


@device
def split(x):
    """The exponent, and the fraction less 1, which is from -0.3 to 0.42."""
    if x < 1.1754943508222875e-38:
        exponent, bits = -23, bits_of(x * 8388608.0)
    else:
        exponent, bits = 0, bits_of(x)
    exponent += i32(bits >> 23) - 127
    fraction = float_of((bits & 0x7FFFFF) | 0x3F800000)
    if fraction > 1.4142135623730951:
        fraction *= 0.5
        exponent += 1
    return f32(exponent), fraction - 1


@device
def log_of_one_and(x):
    """The series of atanh(x / (2 + x)), for -0.3 to 0.5."""
    s = x / (2 + x)
    z = s * s
    return 2 * s + 2 * s * z * (1.0 / 3 + z * (1.0 / 5 + z * (1.0 / 7 + z * (1.0 / 9))))


@device
def log(x):
    if not 0 < x < math.inf:
        return logarithm_of_no_number(x)
    exponent, rest = split(x)
    return exponent * 0.693359375 + (exponent * -2.1219444005469057e-4 + log_of_one_and(rest))


@device
def log2(x):
    if not 0 < x < math.inf:
        return logarithm_of_no_number(x)
    exponent, rest = split(x)
    return exponent + log_of_one_and(rest) * 1.4426950408889634


@device
def logarithm_of_no_number(x):
    """Of 0, of a negative number, of infinity and of NaN."""
    if x == 0:
        return f32(-math.inf)
    return x if x > 0 else f32(math.nan)


@device
def log1p(x):
    if x < -0.3 or x > 0.5:
        return math.log(1 + x)
    return x if x == 0 else log_of_one_and(x)


@device
def expm1(x):
    if abs(x) > 0.5:
        return math.exp(x) - 1
    if x == 0:
        return x
    series = 1 + x / 5 * (1 + x / 6 * (1 + x / 7 * (1 + x / 8)))
    return x + x * (x / 2) * (1 + x / 3 * (1 + x / 4 * series))


@device
def sinh(x):
    y = abs(x)
    if y < 1:
        z = x * x
        return x + x * z * (1.0 / 6 + z * (1.0 / 120 + z * (1.0 / 5040 + z * (1.0 / 362880))))
    half = math.exp(y * 0.5)  # exp(y) may overflow where half of it does not
    return math.copysign(0.5 * half * half - 0.5 / half / half, x)


@device
def cosh(x):
    half = math.exp(abs(x) * 0.5)
    return 0.5 * half * half + 0.5 / half / half


@device
def tanh(x):
    y = math.expm1(2 * min(abs(x), 10))
    return math.copysign(y / (y + 2), x)


@device
def asinh(x):
    y = abs(x)
    if y > 1e9:
        return math.copysign(math.log(y) + math.log(2.0), x)
    return math.copysign(math.log1p(y + y * y / (1 + math.sqrt(y * y + 1))), x)


@device
def acosh(x):
    if x > 1e9:
        return math.log(x) + math.log(2.0)
    y = x - 1
    return f32(math.nan) if y < 0 else math.log1p(y + math.sqrt(2 * y + y * y))


@device
def atanh(x):
    y = abs(x)
    return f32(math.nan) if y > 1 else math.copysign(0.5 * math.log1p(2 * y / (1 - y)), x)
