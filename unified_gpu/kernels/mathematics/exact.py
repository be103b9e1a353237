"""Functions that give the bits that C and NumPy give, of all floats."""

from __future__ import annotations

import math

from unified_gpu.dtypes import DType, i32
from unified_gpu.kernels.language import DeviceFunction, bits_of, device, float_of, floor_of


def exact_functions(number: DType, unsigned: DType, digits: int) -> dict[str, DeviceFunction]:
    """`fmod`, `copysign` and `hypot` of a float with `digits` bits of fraction, whose bits are `unsigned`."""
    width = 8 * number.size
    sign, unit = 1 << (width - 1), 1 << digits
    size, infinite = sign - 1, sign - unit
    step = width - digits - 1
    bias = (1 << (step - 1)) - 1
    large, small = 2.0 ** (bias // 2), 2.0 ** -(bias // 2)
    down, up = 2.0 ** -(bias // 2 + 3), 2.0 ** (bias - 1)

    @device
    def remainder(a, b):
        """Long division of the mantissas, `step` bits at a time."""
        x, y = bits_of(a) & size, bits_of(b) & size
        if x >= infinite or y > infinite or y == 0:
            return number(math.nan)
        if x < y:
            return a
        exponent, ending = i32(x >> digits), i32(y >> digits)
        rest, divisor = x & (unit - 1), y & (unit - 1)
        if exponent > 0:
            rest += unit
        if ending > 0:
            divisor += unit
        exponent, ending = max(exponent, 1), max(ending, 1)
        rest = rest % divisor
        while exponent > ending:
            turn = min(exponent - ending, step)
            rest = (rest << unsigned(turn)) % divisor
            exponent -= turn
        if rest == 0:
            return float_of(bits_of(a) & sign)
        first = i32(bits_of(number(rest)) >> digits) - bias  # a conversion finds the first bit of a whole number
        turn = min(digits - first, ending - 1)
        return float_of((bits_of(a) & sign) | ((rest << unsigned(turn)) + (unsigned(ending - 1 - turn) << digits)))

    @device
    def with_sign(a, b):
        return float_of((bits_of(a) & size) | (bits_of(b) & sign))

    @device
    def hypotenuse(a, b):
        """Scaled by a power of two where a square could overflow, or lose digits."""
        if math.isinf(a) or math.isinf(b):
            return number(math.inf)
        most = max(abs(a), abs(b))
        before, after = number(1), number(1)
        if most > large:
            before, after = number(down), number(1 / down)
        elif most < small:
            before, after = number(up), number(1 / up)
        a, b = a * before, b * before
        return math.sqrt(a * a + b * b) * after

    return {"fmod": remainder, "copysign": with_sign, "hypot": hypotenuse}


@device
def floor_mod(a, b):
    rest = math.fmod(a, b)
    if rest == 0:
        return math.copysign(rest, b)
    return rest + b if (b < 0) != (rest < 0) else rest


@device
def floor_div(a, b):
    if b == 0:
        return a / b
    rest = math.fmod(a, b)
    quotient = (a - rest) / b
    if rest != 0 and (b < 0) != (rest < 0):
        quotient -= 1
    if quotient == 0:
        return math.copysign(quotient, a / b)
    whole = floor_of(quotient)
    return whole + 1 if quotient - whole > 0.5 else whole
