"""Functions that are the same of f32 and f64: what they call is of the type of their argument."""

from __future__ import annotations

import math

from unified_gpu.kernels.language import device, floor_of, power_of


@device
def asin(x):
    return math.atan(x / math.sqrt((1 - x) * (1 + x)))


@device
def acos(x):
    return 2 * math.atan(math.sqrt((1 - x) / (1 + x)))


@device
def log10(x):
    return math.log(x) * 0.4342944819032518


@device
def pow(x, y):
    """Python's powers of all numbers, with those of numbers above 0 from `power_of`."""
    if x == 1 or y == 0:
        return x.dtype(1)
    if x != x or y != y:
        return x + y
    size = abs(x)
    is_whole = math.isinf(y) or floor_of(y) == y
    is_odd = is_whole and not math.isinf(y) and floor_of(y * 0.5) * 2 != y
    if math.isinf(y):
        result = x.dtype(1) if size == 1 else x.dtype(math.inf) if (size > 1) == (y > 0) else x.dtype(0)
    elif size == 0 or math.isinf(x):
        result = x.dtype(math.inf) if (size > 1) == (y > 0) else x.dtype(0)
    elif x < 0 and not is_whole:
        result = x.dtype(math.nan)
    else:
        result = power_of(size, y)
    return -result if is_odd and math.copysign(x.dtype(1), x) < 0 else result
