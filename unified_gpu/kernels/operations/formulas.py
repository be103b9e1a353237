"""What operations do with one element, or with two: device functions of kernels, for elements of any dtype.

They mean what the operations of `cpu_ffi` mean: whole numbers wrap, and NaN goes through.
"""

from __future__ import annotations

import math

from unified_gpu.kernels.language import device


@device
def neg(x):
    return -x


@device
def exp(x):
    return math.exp(x)


@device
def log(x):
    return math.log(x)


@device
def relu(x):
    return x if x > 0 or x != x else 0


@device
def sigmoid(x):
    return 1 / (1 + math.exp(-x))


@device
def tanh(x):
    return math.tanh(x)


@device
def absolute(x):
    return abs(x)


@device
def sqrt(x):
    return math.sqrt(x)


@device
def add(a, b):
    return a + b


@device
def sub(a, b):
    return a - b


@device
def mul(a, b):
    return a * b


@device
def div(a, b):
    return a / b


@device
def whole_div(a, b):
    """Towards 0, and 0 for a division by 0."""
    quotient = a // b
    rest = a - quotient * b
    if b != 0 and rest != 0 and (a < 0) != (b < 0):
        quotient += 1
    return quotient


@device
def power(a, b):
    """Of zeros, infinities and NaN too, and of negative numbers to the power of whole ones."""
    return math.pow(a, b)


@device
def whole_power(a, b):
    """By squares; a negative power is 0, but for those of 1 and -1."""
    result = a * 0 + 1
    if b < 0:
        if a == 1:
            return result
        if a == result * 0 - 1:
            return a if b % 2 != 0 else result
        return a * 0
    base, left = a, b
    while left > 0:
        if left % 2 != 0:
            result *= base
        base *= base
        left //= 2
    return result


@device
def maximum(a, b):
    return b if b > a or b != b else a


@device
def minimum(a, b):
    return b if b < a or b != b else a


@device
def eq(a, b):
    return a == b


@device
def ne(a, b):
    return a != b


@device
def lt(a, b):
    return a < b


@device
def le(a, b):
    return a <= b


@device
def gt(a, b):
    return a > b


@device
def ge(a, b):
    return a >= b


UNARY = {
    "neg": neg,
    "exp": exp,
    "log": log,
    "relu": relu,
    "sigmoid": sigmoid,
    "tanh": tanh,
    "abs": absolute,
    "sqrt": sqrt,
}
BINARY = {"add": add, "sub": sub, "mul": mul, "div": div, "pow": power, "maximum": maximum, "minimum": minimum}
BINARY |= {"eq": eq, "ne": ne, "lt": lt, "le": le, "gt": gt, "ge": ge}
OF_WHOLE_NUMBERS = {"div": whole_div, "pow": whole_power}
"""Those that are others for whole numbers."""
COMBINED = {"sum": add, "mean": add, "max": maximum, "min": minimum}
