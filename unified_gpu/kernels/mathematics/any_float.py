"""Functions that are the same of f32 and f64: what they call is of the type of their argument."""

from __future__ import annotations

import math

from unified_gpu.kernels.language import device


@device
def asin(x):
    return math.atan(x / math.sqrt((1 - x) * (1 + x)))


@device
def acos(x):
    return 2 * math.atan(math.sqrt((1 - x) / (1 + x)))


@device
def log10(x):
    return math.log(x) * 0.4342944819032518
