"""Kernels of random numbers: Philox 4x32 with ten rounds, by which each thread computes its own numbers."""

from __future__ import annotations

import math

from unified_gpu.dtypes import f32, f64, i64, u32, u64
from unified_gpu.kernels.decorated.definition import kernel
from unified_gpu.kernels.language import device, global_id
from unified_gpu.kernels.mathematics import f64_angles, f64_powers

_LOG, _COS = f64_powers.log, f64_angles.cos


@device
def philox(counter: u64, key: u64):
    """Four random numbers, each a u32, that follow from a counter and a key: `a, b, c, d = philox(counter, key)`.

    The generator is Philox 4x32-10, whose numbers are those of `ctx.random` too: of other counters they are others, and
    look independent. `f32(a >> 8) * 2**-24` is a fraction from 0 to below 1.
    """
    a, b, c, d = u32(counter & u64(0xFFFFFFFF)), u32(counter >> u64(32)), u32(0), u32(0)
    low_key, high_key = u32(key & u64(0xFFFFFFFF)), u32(key >> u64(32))
    for _ in range(10):
        first, second = u64(0xD2511F53) * u64(a), u64(0xCD9E8D57) * u64(c)
        a, c = u32(second >> u64(32)) ^ b ^ low_key, u32(first >> u64(32)) ^ d ^ high_key
        b, d = u32(second & u64(0xFFFFFFFF)), u32(first & u64(0xFFFFFFFF))
        low_key += u32(0x9E3779B9)
        high_key += u32(0xBB67AE85)
    return a, b, c, d


@kernel
def random_bits(out, counter: u64, key: u64, first: i64):
    """Four numbers of 32 bits a thread."""
    t = first + i64(global_id(0))
    a, b, c, d = philox(counter + u64(t), key)
    place, count = 4 * t, i64(out.shape[0])
    out[place] = a
    if place + 1 < count:
        out[place + 1] = b
    if place + 2 < count:
        out[place + 2] = c
    if place + 3 < count:
        out[place + 3] = d


def uniform_f32(bits):
    return f32(bits >> 8) * f32(2**-24)


def uniform_f64(high, low):
    return (f64(high >> 5) * 67108864.0 + f64(low >> 6)) * f64(2**-53)


def wide_bits(high, low):
    return (u64(high) << u64(32)) | u64(low)


def below(bits, span):
    return i64(bits % span)


def normal_f64(a, b, c, d):
    """By Box and Muller; of functions that are computed alike on every device."""
    first = (f64(a >> 5) * 67108864.0 + f64(b >> 6) + 1.0) * f64(2**-53)
    second = (f64(c >> 5) * 67108864.0 + f64(d >> 6)) * f64(2**-53)
    return math.sqrt(-2.0 * _LOG(first)) * _COS(6.283185307179586 * second)
