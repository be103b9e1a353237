"""Powers and logarithms of f64, of which Vulkan has none, written as device functions of kernels.

They and those of `f64_angles` stand on operations that are exact or rounded once, and on series; each has an error of a
few units in the last place. Where numbers are split, it is because a product of two short numbers is exact.
"""

from __future__ import annotations

import math

from unified_gpu.dtypes import f64, i32, i64, u64
from unified_gpu.kernels.language import bits_of, device, float_of, floor_of

_LN2, _LN2_REST = float.fromhex("0x1.62e42feep-1"), float.fromhex("0x1.a39ef35793c76p-33")
"""Together log(2); the first has 32 bits, so that its product with an exponent is exact."""
_LOG2_E, _LN_2 = 1.4426950408889634, 0.6931471805599453
_SPLIT = 134217729.0
"""2**27 + 1: what the halves of a number are found with."""


@device
def power_of_two(x):
    return float_of(u64(i64(x) + 1023) << 52)


@device
def scaled(x, power):
    """x * 2**power; in two steps, because the power alone may be too large or too small."""
    half = floor_of(power * 0.5)
    return x * power_of_two(half) * power_of_two(power - half)


@device
def series_of_exp(x, rest):
    """exp(x + rest), for at most log(2) / 2."""
    s = 1.0 / 39916800 + x * (1.0 / 479001600 + x * (1.0 / 6227020800))
    s = 1.0 / 40320 + x * (1.0 / 362880 + x * (1.0 / 3628800 + x * s))
    s = 1.0 / 120 + x * (1.0 / 720 + x * (1.0 / 5040 + x * s))
    return 1 + (x + (x * x * (0.5 + x * (1.0 / 6 + x * (1.0 / 24 + x * s))) + rest))


@device
def exp(x):
    if x > 710:
        return f64(math.inf)
    if x < -746:
        return f64(0)
    if x != x:
        return x
    power = floor_of(x * _LOG2_E + 0.5)
    near = x - power * _LN2
    rest = near - power * _LN2_REST
    return scaled(series_of_exp(rest, near - rest - power * _LN2_REST), power)


@device
def exp2(x):
    if x > 1025:
        return f64(math.inf)
    if x < -1076:
        return f64(0)
    if x != x:
        return x
    power = floor_of(x + 0.5)
    return scaled(series_of_exp((x - power) * _LN_2, f64(0)), power)


@device
def expm1(x):
    if abs(x) > 1:
        return math.exp(x) - 1
    if x == 0 or x != x:
        return x
    s = 1.0 / 6402373705728000 + x * (1.0 / 121645100408832000)
    s = 1.0 / 1307674368000 + x * (1.0 / 20922789888000 + x * (1.0 / 355687428096000 + x * s))
    s = 1.0 / 479001600 + x * (1.0 / 6227020800 + x * (1.0 / 87178291200 + x * s))
    s = 1.0 / 362880 + x * (1.0 / 3628800 + x * (1.0 / 39916800 + x * s))
    s = 1.0 / 720 + x * (1.0 / 5040 + x * (1.0 / 40320 + x * s))
    return x + x * x * (0.5 + x * (1.0 / 6 + x * (1.0 / 24 + x * (1.0 / 120 + x * s))))


@device
def split(x):
    """The exponent, and the fraction less 1, which is from -0.3 to 0.42; of a positive number."""
    if x < 2.2250738585072014e-308:
        exponent, bits = -54, bits_of(x * 18014398509481984.0)
    else:
        exponent, bits = 0, bits_of(x)
    exponent += i32(bits >> 52) - 1023
    fraction = float_of((bits & 0xFFFFFFFFFFFFF) | 0x3FF0000000000000)
    if fraction > 1.4142135623730951:
        fraction *= 0.5
        exponent += 1
    return f64(exponent), fraction - 1


@device
def series_of_log(z):
    """2 / 3 * z + 2 / 5 * z**2 + …, for at most 0.03.

    log(1 + x) is s * (2 + this), with s = x / (2 + x) and z = s * s.
    """
    s = 2.0 / 19 + z * (2.0 / 21 + z * (2.0 / 23 + z * (2.0 / 25)))
    s = 2.0 / 11 + z * (2.0 / 13 + z * (2.0 / 15 + z * (2.0 / 17 + z * s)))
    return z * (2.0 / 3 + z * (2.0 / 5 + z * (2.0 / 7 + z * (2.0 / 9 + z * s))))


@device
def log_of_one_and(x, rest):
    """log(1 + x) + rest, for x from -0.3 to 0.42."""
    s = x / (2 + x)
    half = 0.5 * x * x
    return x - (half - (s * (half + series_of_log(s * s)) + rest))


@device
def logarithm_of_no_number(x):
    """Of 0, of a negative number, of infinity and of NaN."""
    if x == 0:
        return f64(-math.inf)
    return x if x > 0 else f64(math.nan)


@device
def log(x):
    if not 0 < x < math.inf:
        return logarithm_of_no_number(x)
    exponent, rest = split(x)
    return exponent * _LN2 + log_of_one_and(rest, exponent * _LN2_REST)


@device
def log2(x):
    if not 0 < x < math.inf:
        return logarithm_of_no_number(x)
    exponent, rest = split(x)
    return exponent + log_of_one_and(rest, f64(0)) * _LOG2_E


@device
def log1p(x):
    if -0.29 < x < 0.41:
        return x if x == 0 else log_of_one_and(x, f64(0))
    one_more = 1 + x
    if x > 1e17 or not one_more > 0:
        return math.log(one_more)
    return math.log(one_more) + (x - (one_more - 1)) / one_more


# --- powers of any numbers


@device
def product(a, b):
    """a * b, and what was rounded off."""
    both = a * b
    upper, other = a * _SPLIT, b * _SPLIT
    a_high, b_high = upper - (upper - a), other - (other - b)
    a_low, b_low = a - a_high, b - b_high
    return both, a_low * b_low - (((both - a_high * b_high) - a_low * b_high) - a_high * b_low)


@device
def total(a, b):
    """a + b, and what was rounded off."""
    both = a + b
    part = both - a
    return both, (a - (both - part)) + (b - part)


@device
def power_of_positive(x, y):
    """exp(y * log(x)), with the logarithm in two numbers."""
    exponent, f = split(x)
    divisor, divisor_rest = total(f64(2), f)
    s = f / divisor
    back, back_rest = product(s, divisor)
    s_rest = (((f - back) - back_rest) - s * divisor_rest) / divisor
    z, z_rest = product(s, s)
    z_rest += 2 * s * s_rest
    third, third_rest = product(z, f64(2.0 / 3))
    third_rest += z_rest * (2.0 / 3) + z * 3.700743415417188e-17  # what 2 / 3 has beyond 53 bits
    beyond = third_rest + (series_of_log(z) - z * (2.0 / 3))
    cube, cube_rest = product(s, third)
    cube_rest += s * beyond + s_rest * third
    high, low = total(exponent * _LN2, 2 * s)
    high, more = total(high, cube)
    low = low + more + (exponent * _LN2_REST + (2 * s_rest + cube_rest))
    high, low = total(high, low)
    if abs(y) * abs(high) > 800:  # before an infinite product is split
        return f64(math.inf) if (y > 0) == (high > 0) else f64(0)
    if abs(y) > 1e200:  # the logarithm is nearly 0 then
        return math.exp(y * high)
    result, rest = product(y, high)
    rest += y * low
    if result > 710:
        return f64(math.inf)
    if result < -746:
        return f64(0)
    power = floor_of(result * _LOG2_E + 0.5)
    near = result - power * _LN2
    part, part_rest = total(near, rest - power * _LN2_REST)
    return scaled(series_of_exp(part, part_rest), power)
