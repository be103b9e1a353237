"""Kernels in Python for the tests, each with a launch of it: `CASES` has what they get."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from unified_gpu import (
    Array,
    PythonKernel,
    atomic_add,
    atomic_cas,
    atomic_exchange,
    atomic_max,
    atomic_min,
    atomic_or,
    atomic_xor,
    barrier,
    block_all,
    block_any,
    block_max,
    block_min,
    device,
    f16,
    f32,
    f64,
    global_id,
    global_size,
    group_count,
    group_id,
    i8,
    i16,
    i32,
    i64,
    kernel,
    lane_id,
    local,
    local_id,
    local_size,
    rsqrt,
    shared,
    subgroup_all,
    subgroup_any,
    subgroup_ballot,
    subgroup_count,
    subgroup_id,
    subgroup_max,
    subgroup_min,
    subgroup_shuffle,
    subgroup_shuffle_down,
    subgroup_shuffle_up,
    subgroup_shuffle_xor,
    subgroup_size,
    subgroup_sum,
    u8,
    u16,
    u32,
    u64,
)
from unified_gpu import (
    block_sum as whole_sum,
)

TILE = 16
WEIGHTS = (0.25, 0.5, 0.25)


@kernel
def saxpy(a: f32, x: Array[f32, 1], y: Array[f32, 1]):
    i = global_id(0)
    if i < y.shape[0]:
        y[i] = a * x[i] + y[i]


@kernel
def blur(source: Array[f32, 2], target: Array[f32, 2], weight: f32):
    i, j = global_id(0), global_id(1)
    if 0 < i < source.shape[0] - 1 and 0 < j < source.shape[1] - 1:
        target[i, j] = weight * (source[i - 1, j] + source[i + 1, j] + source[i, j - 1] + source[i, j + 1])


@kernel
def heat(source: Array[f32, 3], target: Array[f32, 3]):
    i, j, k = global_id(0), global_id(1), global_id(2)
    a, b, c = source.shape
    if i == 0 or j == 0 or k == 0 or i == a - 1 or j == b - 1 or k == c - 1:
        target[i, j, k] = source[i, j, k]
        return
    near = source[i - 1, j, k] + source[i + 1, j, k] + source[i, j - 1, k]
    target[i, j, k] = (near + source[i, j + 1, k] + source[i, j, k - 1] + source[i, j, k + 1]) / 6


@kernel
def block_sum(x, out):
    tile = shared(x.dtype, 256)
    t = local_id(0)
    tile[t] = x[global_id(0)] if global_id(0) < x.shape[0] else 0
    barrier()
    step = local_size(0) // 2
    while step > 0:
        if t < step:
            tile[t] += tile[t + step]
        barrier()
        step //= 2
    if t == 0:
        out[group_id(0)] = tile[0]


@kernel
def grid_sum(x: Array[f64, 1], out: Array[f64, 1]):
    tile = shared(f64, 64)
    t = local_id(0)
    total = 0.0
    i = global_id(0)
    while i < x.shape[0]:
        total += x[i]
        i += group_count(0) * local_size(0)
    tile[t] = total
    barrier()
    if t == 0:
        total = 0.0
        for k in range(local_size(0)):
            total += tile[k]
        out[group_id(0)] = total


@kernel
def scan(x: Array[i32, 1], out: Array[i32, 1]):
    tile = shared(i32, (2, 128))
    t = local_id(0)
    tile[0, t] = x[global_id(0)]
    now = 0
    step = 1
    while step < local_size(0):
        barrier()
        if t >= step:
            tile[1 - now, t] = tile[now, t] + tile[now, t - step]
        else:
            tile[1 - now, t] = tile[now, t]
        now = 1 - now
        step *= 2
    barrier()
    out[global_id(0)] = tile[now, t]


@kernel
def histogram(x: Array[u32, 1], out: Array[u32, 1]):
    counts = shared(u32, 64)
    t = local_id(0)
    for k in range(t, 64, 64):
        counts[k] = 0
    barrier()
    i = global_id(0)
    if i < x.shape[0]:
        atomic_add(counts, x[i] % 64, 1)
    barrier()
    if t < 64:
        atomic_add(out, t, counts[t])


@device
def counted_once(counts, k):
    atomic_add(counts, k, 1)


@device
def counted(counts, k):
    counted_once(counts, k)


@kernel
def counted_by_functions(x: Array[i32, 1], out: Array[i32, 1]):
    counts = shared(i32, 16)
    t = local_id(0)
    if t < 16:
        counts[t] = 0
    barrier()
    counted(counts, x[global_id(0)])
    barrier()
    if t < 16:
        out[t] = counts[t]


@kernel
def tally(x: Array[i32, 1], small: Array[i32, 1], wide: Array[i64, 1], by_thread: Array[u32, 1]):
    i = global_id(0)
    atomic_add(small, x[i] % 5, -(1 << 30))
    if x[i] % 3 == 0:
        atomic_add(wide, 2, i64(x[i]) << 33)
        return
    atomic_add(by_thread, local_id(0), u32(x[i]))


@kernel
def counted_and_read(x: Array[i32, 1], counts: Array[i32, 1], out: Array[i32, 1]):
    i = global_id(0)
    atomic_add(counts, i % 8, x[i])
    out[i] = x[i]


@kernel
def transpose(source: Array[f32, 2], target: Array[f32, 2]):
    tile = shared(f32, (TILE, TILE + 1))
    y, x = local_id(0), local_id(1)
    row, column = group_id(0) * TILE + y, group_id(1) * TILE + x
    if row < source.shape[0] and column < source.shape[1]:
        tile[y, x] = source[row, column]
    barrier()
    row, column = group_id(1) * TILE + y, group_id(0) * TILE + x
    if row < target.shape[0] and column < target.shape[1]:
        target[row, column] = tile[x, y]


@kernel
def tiled_matmul(a: Array[f32, 2], b: Array[f32, 2], c: Array[f32, 2]):
    left = shared(f32, (8, 8))
    right = shared(f32, (8, 8))
    i, j = global_id(0), global_id(1)
    y, x = local_id(0), local_id(1)
    total = 0.0
    for k in range(0, a.shape[1], 8):
        left[y, x] = a[i, k + x]
        right[y, x] = b[k + y, j]
        barrier()
        for m in range(8):
            total += left[y, m] * right[m, x]
        barrier()
    c[i, j] = total


@device
def pull(dx, dy, dz, soft):
    near = rsqrt(dx * dx + dy * dy + dz * dz + soft)
    return near * near * near


@kernel
def nbody(places: Array[f32, 2], force: Array[f32, 2], soft: f32):
    i = global_id(0)
    x, y, z = places[0, i], places[1, i], places[2, i]
    fx, fy, fz = 0.0, 0.0, 0.0
    for j in range(places.shape[1]):
        dx, dy, dz = places[0, j] - x, places[1, j] - y, places[2, j] - z
        weight = pull(dx, dy, dz, soft)
        fx += dx * weight
        fy += dy * weight
        fz += dz * weight
    force[0, i] = fx
    force[1, i] = fy
    force[2, i] = fz


@device
def xorshift(s: u32):
    s ^= s << 13
    s ^= s >> 17
    return s ^ (s << 5)


@kernel
def monte_carlo(seed: u32, tries: i32, hits: Array[u32, 1]):
    s = seed + u32(global_id(0)) * 2654435769
    if s == 0:
        s = u32(1)
    inside = u32(0)
    for _ in range(tries):
        s = xorshift(s)
        x = f32(s >> 8) * (1.0 / 16777216.0)
        s = xorshift(s)
        y = f32(s >> 8) * (1.0 / 16777216.0)
        if x * x + y * y < 1.0:
            inside += 1
    atomic_add(hits, 0, inside)


@kernel
def mandelbrot(out: Array[i32, 2], most: i32):
    i, j = global_id(0), global_id(1)
    x0 = f64(j) / out.shape[1] * 3.5 - 2.5
    y0 = f64(i) / out.shape[0] * 2.0 - 1.0
    x, y = f64(0), f64(0)
    count = 0
    while x * x + y * y <= 4.0 and count < most:
        x, y = x * x - y * y + x0, 2.0 * x * y + y0
        count += 1
    out[i, j] = count


@kernel
def whole_numbers(a: Array[i32, 1], b: Array[i32, 1], out: Array[i32, 2]):
    i = global_id(0)
    out[0, i] = a[i] // b[i]
    out[1, i] = a[i] % b[i]
    out[2, i] = a[i] >> 3
    out[3, i] = a[i] // 8
    out[4, i] = a[i] % 8
    out[5, i] = a[i] // -7
    out[6, i] = ~a[i] ^ b[i]
    out[7, i] = a[i] * a[i] + b[i] - (-a[i])
    out[8, i] = a[i] << (b[i] & 63)
    out[9, i] = a[i] >> (b[i] & 63)
    out[10, i] = abs(a[i]) ** 3 + a[i] ** 2
    out[11, i] = min(a[i], b[i], 5) + max(a[i], -3)


@kernel
def narrow(a: Array[i8, 1], b: Array[u8, 1], c: Array[i16, 1], d: Array[u16, 1], out: Array[i64, 2]):
    i = global_id(0)
    out[0, i] = a[i] * a[i]
    out[1, i] = b[i] + b[i]
    out[2, i] = a[i] + b[i]
    out[3, i] = c[i] * c[i] - a[i]
    out[4, i] = i64(d[i] * d[i])
    out[5, i] = -b[i] + 1
    out[6, i] = b[i] // 3 + d[i] % 7
    out[7, i] = c[i] // b[i]
    out[8, i] = abs(a[i]) + ~c[i]


@kernel
def wide(a: Array[i64, 1], b: Array[u64, 1], out: Array[i64, 2], more: Array[u64, 2]):
    i = global_id(0)
    out[0, i] = a[i] * 3037000500 + a[i]
    out[1, i] = a[i] // 1000003
    out[2, i] = a[i] % -1000003
    out[3, i] = (a[i] << 5) ^ (a[i] >> 7)
    more[0, i] = b[i] * 6364136223846793005 + 1442695040888963407
    more[1, i] = b[i] // 12345 + b[i] % 77
    more[2, i] = (b[i] >> 33) ^ b[i]


@kernel
def fractions(x: Array[f32, 1], y: Array[f64, 1], k: Array[i32, 1], out: Array[f64, 2]):
    i = global_id(0)
    out[0, i] = x[i] // 0.75
    out[1, i] = x[i] % 0.75
    out[2, i] = y[i] % -1.25
    out[3, i] = x[i] * k[i]
    out[4, i] = k[i] / 3
    out[5, i] = math.floor(x[i]) + math.ceil(y[i])
    out[6, i] = math.sqrt(abs(x[i])) - y[i] ** 2
    out[7, i] = f32(y[i]) + f32(k[i]) / 3
    out[8, i] = i32(x[i]) + int(y[i])
    out[9, i] = math.copysign(math.fabs(y[i]), x[i])
    out[10, i] = 1.0 if math.isnan(x[i]) or math.isinf(y[i]) else -0.0
    out[11, i] = math.inf if k[i] > 0 else -math.inf


@kernel
def halves(x: Array[f16, 1], out: Array[f16, 1], wider: Array[f32, 1], factor: f16):
    i = global_id(0)
    y = x[i] * x[i] + factor
    out[i] = y / 3 - abs(x[i]) if y < 4 else f16(i)
    wider[i] = y * f32(1.0 / 3.0) + math.sqrt(abs(x[i]))


@kernel
def functions(x: Array[f64, 1], out: Array[f64, 2]):
    i = global_id(0)
    out[0, i] = math.sin(x[i]) + math.cos(x[i]) * math.tan(x[i])
    out[1, i] = math.exp(x[i]) + math.log(abs(x[i]) + 1) + math.exp2(x[i])
    out[2, i] = math.tanh(x[i]) + math.atan2(x[i], 2.0) + math.hypot(x[i], 1.0)
    out[3, i] = abs(x[i]) ** 1.5 + math.erf(x[i]) + math.log1p(abs(x[i]))


@kernel
def generic(x, y, out, factor):
    i = global_id(0)
    out[i] = x[i] * factor + y[i]


def scaled(factor: float, times: int, fancy: bool) -> PythonKernel:
    """A kernel with what it closes over."""
    table = (1, factor, 3)

    @kernel
    def closure(x, out):
        i = global_id(0)
        total = x[i]
        for _ in range(times):
            total = total * factor + table[1] + len(table)
        if fancy:
            total += 1
        else:
            total += undefined_there  # noqa: F821
        out[i] = total

    return closure


@device
def both(a, b):
    """Two values."""
    if a < b:
        return a, b
    return b, a


@device
def between(low, x, high):
    least, most = both(low, high)
    return min(max(x, least), most)


@kernel
def uniform_between(x: Array[i32, 1], out: Array[i32, 1], n: i32):
    """What is the same in all threads is computed between two loops over them."""
    i = global_id(0)
    mine = x[i] * 3
    n = n * 2
    n = n + 1
    out[i] = mine + n


@kernel
def names_of_tuples(x: Array[i32, 1], out: Array[i32, 1]):
    """Tuples called as the compiler calls what it makes."""
    i = global_id(0)
    result = both(x[i], 3)
    counter, ordered, swap = (x[i], 5), (x[i] * 2, 6, 7), (1, x[i])
    swap = (swap[1], swap[0])
    for k in range(3):
        counter = (counter[0] + k, counter[1] * 2)
    index = both(result[1], counter[0])
    out[i] += result[0] * 100 + counter[1] * 10 + ordered[0] + swap[0] * 1000 + index[1] + min(ordered[1], swap[1])


@device
def total_of(x, first, last):
    total = x.dtype(0)
    for k in range(first, last):
        total += x[k]
    return total


@kernel
def nested(x: Array[i32, 1], out: Array[i32, 1]):
    i = global_id(0)
    pair = both(x[i], 10)
    low, high = pair
    out[i] = between(low, total_of(x, 0, i + 1), high * 5) + total_of(x, i, x.shape[0])


@kernel
def weighted(x: Array[f32, 1], out: Array[f32, 1]):
    i = global_id(0)
    if i < 1 or i + 1 >= x.shape[0]:
        return
    out[i] = WEIGHTS[0] * x[i - 1] + WEIGHTS[1] * x[i] + WEIGHTS[-1] * x[i + 1]


@kernel
def turns(x: Array[f32, 1], out: Array[f32, 2], n: i32):
    if n == -8:
        return
    i = global_id(0)
    total = f32(0)
    for k in range(n, 0, -2):
        total = total * f32(0.3) + x[i + k]
        if total > 0.5:
            total -= x[i]
    out[0, i] = total
    for k in range(n):
        out[1, i] += x[k] * total


@kernel
def turns_once(x: Array[f32, 1], out: Array[f32, 1], rounds: i64):
    i = global_id(0)
    if i >= out.shape[0]:
        return
    total = x[i]
    for k in range(rounds):
        total = total * total - x[k]
    out[i] = total


@kernel
def jumps(a: Array[i32, 1], out: Array[i32, 1]):
    i = global_id(0)
    k = 0
    total = 0
    while True:
        k += 1
        if k % 3 == 0:
            continue
        if k > 20 or (k < a.shape[0] and a[k] == 12345):
            break
        if total > 1000:
            out[i] = -total
            return
        for m in range(10, 0, -3):
            if m == k:
                break
            total += m
        total += k * (a[i] % 50)
    out[i] = total


@kernel
def uniform_ways(out: Array[i32, 1], n: i32):
    tile = shared(i32, 32)
    t = local_id(0)
    value = t * 3
    n = n + group_id(0)
    for k in range(4):
        if k == 3 and group_id(0) == 1:
            break
        tile[t] = value
        barrier()
        value += tile[(t + k + n) % local_size(0)]
        barrier()
        if group_id(0) == 2:
            continue
        n += 1
    if n > 6:
        out[global_id(0)] = -value
        return
    out[global_id(0)] = value + n


@kernel
def atomics(x: Array[i32, 1], out: Array[i32, 1], wide: Array[i64, 1], order: Array[i32, 1]):
    i = global_id(0)
    atomic_min(out, 0, x[i])
    atomic_max(out, 1, x[i])
    atomic_or(out, 2, 1 << (x[i] & 15))
    atomic_xor(out, 3, x[i])
    atomic_add(wide, 0, x[i])
    atomic_max(wide, 1, x[i])
    atomic_cas(out, 4, 0, 7)
    if i == 0:
        atomic_exchange(out, 5, 9)
    if atomic_add(order, x[i] & 7, 1) == 0:
        atomic_add(out, 6, 1)


@kernel
def sizes(out: Array[i32, 2]):
    i, j = global_id(0), global_id(1)
    out[i, j] = 10000 * i + 100 * j + global_size(0) * 3 + global_size(1)


@kernel
def truth(a: Array[i32, 1], flags: Array[bool, 1], out: Array[bool, 2]):
    i = global_id(0)
    out[0, i] = not flags[i] and a[i] > 0
    out[1, i] = flags[i] | (a[i] == 3)
    out[2, i] = -2 <= a[i] < 2 != flags[i]
    if a[i] * i32(1 if flags[i] else 3):
        out[3, i] = True
    out[4, i] = bool(a[i] & 1) ^ flags[i]


@kernel
def narrow_numbers(x: Array[f32, 1], a: f16, b: i8, c: i64, d: u16):
    x[global_id(0)] = f32(a) + b + c + d


@kernel
def below(x: Array[i32, 1], bound: i32):
    i = global_id(0)
    if i < bound and local_id(0) < 16:
        x[i] += 1


@kernel
def only(x: Array[i32, 1], which: i32):
    if local_id(0) == which:
        x[global_id(0)] += 10


@kernel
def third_axis(x: Array[i32, 1]):
    x[global_id(0)] = global_id(0) + global_id(2) + 100 * local_size(1) * global_size(2)


@device
def ticket(c: Array[i32, 1]):
    return atomic_add(c, 0, 1)


@device
def seen(c: Array[i32, 1], at: i32):
    return c[at]


@kernel
def in_order(out: Array[i32, 1], c: Array[i32, 1], f: Array[f32, 1]):
    out[0] = (atomic_add(c, 0, 1) + 100) // (atomic_add(c, 0, 1) + 1)
    out[1] = min(ticket(c) * 2, ticket(c))
    out[2] = (ticket(c) + 1000) % (ticket(c) + 1)
    out[3] = c[0] * 100 + ticket(c) * 10 + c[0]
    out[4] = ticket(c) if ticket(c) < ticket(c) else seen(c, 0)
    out[11] = seen(c, 0) - ticket(c) * seen(c, 0)
    out[ticket(c)] = ticket(c) * 10
    out[13 + atomic_add(c, atomic_add(c, 1, 1) + 1, ticket(c))] = c[1] + 1000
    for i in range(ticket(c), ticket(c) + ticket(c) - 22):
        out[5] = out[5] * 3 + i
    if ticket(c) * 100 + ticket(c) > 5 and ticket(c) > 0:
        out[6] = ticket(c) - 2 * ticket(c)
    out[7] = math.isnan(atomic_exchange(f, 0, f32(2)))
    out[8] = i32(atomic_exchange(f, 0, f32(0)))
    out[9], out[10] = ticket(c), ticket(c) * ticket(c) - ticket(c)


@kernel
def changed_once(out: Array[i32, 1], table: Array[i32, 2], c: Array[i32, 1]):
    out[ticket(c)] += 7
    out[atomic_add(c, 0, 1)] += 8
    out[ticket(c) + ticket(c) * 0] -= ticket(c)
    table[ticket(c) - 4, ticket(c) - 6] += ticket(c) * 10
    out[c[0]] += ticket(c)
    out[8] += atomic_add(out, 8, 5) + 1
    out[seen(c, 0) + 1] |= 3


@device
def doubled(n):
    return n * 2


@kernel
def calls_by_all(out: Array[i32, 2], n: i32):
    """What a call gives is the same in all threads; each of them makes it."""
    t = global_id(0)
    turns = doubled(n)
    for k in range(turns):
        out[0, t] += k + 1
    for _ in range(3):
        turns = doubled(turns)
        barrier()
    out[1, t] = turns


@kernel
def long_steps(out: Array[i64, 2], down: u32, narrow: u8, far: i32, least: i8, wide: u64, low: i64):
    """Loops of which the last addition overflows; a wrong one ends after 99 turns."""
    t = global_id(0)
    for a in range(down, 0, -3):
        out[0, t] += i64(a) + 1000
        if out[0, t] > 99000:
            break
    for b in range(u8(0), narrow, 100):
        out[1, t] += i64(b) + 1000
        if out[1, t] > 99000:
            break
    for c in range(0, far, 1500000000):
        out[2, t] += i64(c % 1000) + 1000
        if out[2, t] > 99000:
            break
    for d in range(i8(100), least, -90):
        out[3, t] += i64(d) + 1000
        if out[3, t] > 99000:
            break
    for e in range(u64(3), wide, 2**63):
        out[4, t] += i64(e % 1000) + 1000
        if out[4, t] > 99000:
            break
    for f in range(i64(2**63 - 1), low, -(2**64)):
        out[5, t] += i64(f % 1000) + 1000
        if out[5, t] > 99000:
            break
    for g in range(out.shape[1], 0, -2):
        out[6, t] += i64(g)
    for h in range(far, 7, 3):
        out[7, t] += i64(h - far) + 1000


@kernel
def exp(größe: Array[f32, 1], double: f32):
    int_ = global_id(0)
    größe[int_] = math.exp(größe[int_] * 0) + double


@kernel
def remainder(x: Array[f32, 1]):
    x[global_id(0)] %= 3


@kernel
def xor(out: Array[i32, 1]):
    out[global_id(0)] ^= 3


@kernel
def subgroup_block_sum(x, out):
    """Does not depend on how large a subgroup is."""
    parts = shared(x.dtype, 256)
    total = subgroup_sum(x[global_id(0)] if global_id(0) < x.shape[0] else 0)
    if lane_id() == 0:
        parts[subgroup_id()] = total
    barrier()
    t = local_id(0)
    total = x.dtype(0)
    for first in range(0, subgroup_count(), subgroup_size()):
        i = first + lane_id()
        total += subgroup_sum(parts[i] if i < subgroup_count() else 0)
    if t == 0:
        out[group_id(0)] = total


@kernel
def subgroup_scan(x: Array[i32, 1], out: Array[i32, 1]):
    """The sums of all elements of a subgroup up to each, by shuffles."""
    total = x[global_id(0)]
    delta = 1
    while delta < subgroup_size():
        before = subgroup_shuffle_up(total, delta)
        if lane_id() >= delta:
            total += before
        delta *= 2
    out[global_id(0)] = total


@kernel
def subgroup_votes(x: Array[i32, 1], out: Array[i64, 2]):
    i = global_id(0)
    out[0, i] = subgroup_any(x[i] > 90) + 2 * i32(subgroup_all(x[i] < 90))
    out[1, i] = i64(subgroup_ballot(x[i] % 3 == 0) & 0x7FFFFFFF)
    out[2, i] = 1000000 * subgroup_size() + 10000 * subgroup_count() + 100 * subgroup_id() + lane_id()
    if subgroup_any(x[i] == lane_id()) and x[i] > 0:
        out[3, i] = 1
    if 5 <= subgroup_max(x[i]) - subgroup_min(x[i]) <= x[i]:
        out[3, i] += 2


@kernel
def subgroup_exchanges(x, lanes: Array[i16, 1], out):
    """Also of narrow numbers, and with lanes that are not there."""
    i = global_id(0)
    a = subgroup_shuffle(x[i], lanes[i])
    b, c = subgroup_shuffle_down(a, 3), subgroup_shuffle_xor(a, 1)
    for k in range(2):
        a = subgroup_shuffle_up(subgroup_shuffle(b, lane_id() + k), u8(1 + k)) - c
        b = min(a, subgroup_max(b))
    out[0, i] = a
    out[1, i] = b
    out[2, i] = subgroup_min(c)
    out[3, i] = subgroup_shuffle(x[i], -1) + subgroup_shuffle(x[i], 2000000000)


@kernel
def subgroup_of_flags(flags: Array[bool, 1], out: Array[bool, 1]):
    i = global_id(0)
    out[i] = subgroup_shuffle_xor(flags[i], 1) ^ flags[i]


@kernel
def subgroups_of_rows(x: Array[i32, 2], out: Array[i32, 2]):
    """Which threads form a subgroup, where a block has two axes."""
    i, j = global_id(0), global_id(1)
    out[i, j] = subgroup_sum(x[i, j]) * 1000 + subgroup_shuffle(x[i, j], 0) * 100 + subgroup_id() * 50 + lane_id()


@kernel
def subgroup_turns(x: Array[i32, 1], out: Array[i32, 1], n: i32):
    """Among loops, branches and barriers that all threads of a block take together."""
    tile = shared(i32, 64)
    t = local_id(0)
    total = x[global_id(0)]
    for k in range(n):
        tile[t] = total + k
        barrier()
        if k == 2:
            total = subgroup_sum(tile[63 - t] if t < 40 else t)
        else:
            total += subgroup_shuffle_xor(tile[t], 1 + k)
            if group_id(0) == 1:
                out[global_id(0)] = total - subgroup_max(total)
                return
        barrier()
        if subgroup_size() > 100:
            break
    out[global_id(0)] = total


GRID_OF_WEIGHTS = ((0.25, 0.5, 0.0), (1.5, 0.0, -2.0))


@kernel
def over_tuples(x: Array[f32, 1], y: Array[f32, 1], out: Array[f32, 2]):
    i, n = global_id(0), x.shape[0]
    total = f32(0)
    for row, weights in enumerate(GRID_OF_WEIGHTS):
        for column, weight in enumerate(weights):
            if weight == 0:
                continue
            total += weight * x[(i + row + column) % n]
    for at, (array, factor) in enumerate(zip((x, y, x), (2, 3, 4), strict=True)):
        if at == 2:
            break
        out[at, i] = array[i] * factor + total
    for a in (total, x[i]):
        total = total * 0.5 + a
        for power in (1, 2):
            total += a * power
    for factor in (1, x[i], 2):
        total = total * factor + 1
    for at, factor in enumerate((3, 4)):
        scale = factor
        if at == 1 and total > 1:
            scale = x[i]
        total += scale
    for at in (0, 1):
        part = total if at else 2
        total += part
    if total > 0:
        for at, a in enumerate((3, 4)):
            total += a * at
    for length in out.shape:
        total = last = total + f32(length)
    total += last
    out[2, i] = total


@device
def sorted_into(part, n):
    for k in range(1, n):
        value, at = part[k], k
        while at > 0 and part[max(at - 1, 0)] > value:
            part[at] = part[at - 1]
            at -= 1
        part[at] = value


@device
def median_of_three(a, b, c):
    part = local(a.dtype, 3)
    part[0], part[1], part[2] = a, b, c
    sorted_into(part, 3)
    return part[1]


@kernel
def medians(x: Array[f32, 1], out: Array[f32, 2]):
    i, n = global_id(0), x.shape[0]
    part = local(f32, 5)
    for k in range(5):
        part[k] = x[(i + k) % n]
    sorted_into(part, 5)
    out[0, i] = part[2]
    out[1, i] = median_of_three(x[i], x[(i + 1) % n], part[4])


@kernel
def of_blocks(x, out):
    i = global_id(0)
    mine = x[i] if i < x.shape[0] else 0
    out[0, i] = whole_sum(mine)
    out[1, i] = block_min(mine) + block_max(mine * 2) - whole_sum(mine)
    rounds = 0
    while block_any(mine > 1):
        mine -= 1 if mine > 1 else 0
        rounds += 1
        if block_all(mine < 100) and rounds > 5:
            break
    longer = block_all(rounds > 3)
    out[2, i] = mine + 1 if longer else mine


@kernel
def of_blocks_of_rows(x: Array[i32, 2], out: Array[i32, 2]):
    i, j = global_id(0), global_id(1)
    if block_any(x[i, j] > 95):
        out[i, j] = whole_sum(x[i, j]) - block_max(i * 100 + j)


@kernel
def kept_over_barriers(x: Array[i32, 1], out: Array[i32, 1]):
    t, total = local_id(0), i32(0)
    mine = local(i32, (2, 2))
    tile = shared(i32, 64)
    for a in range(2):
        for b in range(2):
            mine[a, b] = x[global_id(0)] * (a + 1) + b
    for turn in range(3):
        tile[t] = mine[turn % 2, 1]
        barrier()
        mine[turn % 2, 0] += tile[(t + turn) % 64]
        barrier()
    flags = local(bool, 2)
    flags[0] = mine[0, 0] > mine[1, 0]
    for a in range(2):
        total += mine[a, 0] - mine[a, 1]
    out[global_id(0)] = -total if flags[0] else total


@dataclass(frozen=True)
class Case:
    """A launch of a kernel.

    Attributes:
        exact: whether its result has the same bits everywhere; else it is compared to a few parts in a million.
    """

    kernel: PythonKernel
    global_size: Any
    make: Callable[[np.random.Generator], list[Any]]
    local_size: Any = None
    exact: bool = True
    name: str = ""

    def __str__(self) -> str:
        return self.name or self.kernel.name


def floats(*shape: int, dtype: str = "f4") -> Callable[[np.random.Generator], Any]:
    return lambda rng: (rng.standard_normal(shape) * 3).astype(dtype)


def whole(low: int, high: int, *shape: int, dtype: str = "i4") -> Callable[[np.random.Generator], Any]:
    return lambda rng: rng.integers(low, high, shape, endpoint=True).astype(dtype)


def zeros(*shape: int, dtype: str = "f4") -> Callable[[np.random.Generator], Any]:
    return lambda rng: np.zeros(shape, dtype)


def of(*makers: Any) -> Callable[[np.random.Generator], list[Any]]:
    return lambda rng: [each(rng) if callable(each) else each for each in makers]


def mixed(rng: np.random.Generator) -> Any:
    """Whole numbers of all sizes, with the least and the greatest."""
    a = rng.integers(-(2**31), 2**31, 96).astype("i4")
    a[::3] = rng.integers(-50, 50, 32)
    a[:4] = [-(2**31), 2**31 - 1, 0, -1]
    return a


def divisors(rng: np.random.Generator) -> Any:
    b = rng.integers(-40, 41, 96).astype("i4")
    b[:4] = [-1, -1, 0, 0]
    return b


def halves_of_whole(rng: np.random.Generator) -> Any:
    """Fractions of which a sum is exact."""
    return (rng.integers(-999, 999, 256) / 2).astype("f4")


CASES = [
    Case(of_blocks, 150, of(floats(150), zeros(3, 192)), 64, name="of_blocks f4"),
    Case(of_blocks, 150, of(whole(-99, 99, 200, dtype="i1"), zeros(3, 150, dtype="i1")), 50, name="of_blocks i1"),
    Case(of_blocks, 96, of(floats(96, dtype="f2"), zeros(3, 96, dtype="f2")), 96, name="of_blocks f2"),
    Case(of_blocks, 35, of(floats(35, dtype="f8"), zeros(3, 35, dtype="f8")), 1, name="of_blocks f8"),
    Case(of_blocks_of_rows, (16, 12), of(whole(-99, 99, 16, 12), zeros(16, 12, dtype="i4")), (8, 3)),
    Case(over_tuples, 50, of(floats(50), floats(50), zeros(3, 50))),
    Case(medians, 70, of(floats(70), zeros(2, 70))),
    Case(kept_over_barriers, 192, of(whole(-99, 99, 192), zeros(192, dtype="i4")), 64),
    Case(saxpy, 1009, of(2.5, floats(1009), floats(1009))),
    Case(saxpy, 1280, of(2.5, floats(1280), floats(1280)), name="saxpy in whole blocks"),
    Case(saxpy, 500, of(2.5, floats(300), floats(300)), 64, name="saxpy with a block"),
    Case(
        saxpy, 100, of(2.5, lambda r: floats(200)(r)[::2], lambda r: floats(300)(r)[1::3][:100]), name="saxpy strided"
    ),
    Case(blur, (37, 53), of(floats(37, 53), zeros(37, 53), 0.25)),
    Case(blur, (53, 37), of(lambda r: floats(37, 53)(r).T, lambda r: np.zeros((37, 53), "f4").T, 0.25), name="blur.T"),
    Case(heat, (5, 7, 9), of(floats(5, 7, 9), zeros(5, 7, 9))),
    Case(block_sum, 1024, of(floats(1000), zeros(4)), 256),
    Case(block_sum, 256, of(whole(-(10**6), 10**6, 256, dtype="i8"), zeros(4, dtype="i8")), 64, name="block_sum i64"),
    Case(grid_sum, 128, of(floats(999, dtype="f8"), zeros(2, dtype="f8")), 64),
    Case(scan, 256, of(whole(-9, 9, 256), zeros(256, dtype="i4")), 128),
    Case(histogram, 640, of(whole(0, 2**32 - 1, 600, dtype="u4"), zeros(64, dtype="u4")), 64),
    Case(counted_by_functions, 256, of(whole(0, 9, 256), zeros(16, dtype="i4")), 256),
    Case(
        tally,
        768,
        of(whole(-999, 999, 768), zeros(5, dtype="i4"), zeros(3, dtype="i8"), zeros(256, dtype="u4")),
        256,
    ),
    *(Case(turns, 40, of(floats(64), zeros(2, 40), n), name=f"turns {n}") for n in (9, 0, -8)),
    *(Case(turns_once, 50, of(floats(64), zeros(45), n), name=f"turns_once {n}") for n in (11, 1, 0, -3)),
    Case(transpose, (48, 32), of(floats(40, 30), zeros(30, 40)), (16, 16)),
    Case(tiled_matmul, (16, 24), of(floats(16, 32), floats(32, 24), zeros(16, 24)), (8, 8)),
    Case(nbody, 60, of(floats(3, 60), zeros(3, 60), 0.01)),
    Case(monte_carlo, 64, of(12345, 20, zeros(1, dtype="u4"))),
    Case(mandelbrot, (24, 40), of(zeros(24, 40, dtype="i4"), 60)),
    Case(whole_numbers, 96, of(mixed, divisors, zeros(12, 96, dtype="i4"))),
    Case(
        narrow,
        64,
        of(
            whole(-128, 127, 64, dtype="i1"),
            whole(0, 255, 64, dtype="u1"),
            whole(-(2**15), 2**15 - 1, 64, dtype="i2"),
            whole(0, 2**16 - 1, 64, dtype="u2"),
            zeros(9, 64, dtype="i8"),
        ),
    ),
    Case(
        wide,
        64,
        of(
            whole(-(2**62), 2**62, 64, dtype="i8"),
            whole(0, 2**62, 64, dtype="u8"),
            zeros(4, 64, dtype="i8"),
            zeros(3, 64, dtype="u8"),
        ),
    ),
    Case(fractions, 64, of(floats(64), floats(64, dtype="f8"), whole(-99, 99, 64), zeros(12, 64, dtype="f8"))),
    Case(halves, 64, of(floats(64, dtype="f2"), zeros(64, dtype="f2"), zeros(64), 0.5)),
    Case(functions, 64, of(floats(64, dtype="f8"), zeros(4, 64, dtype="f8")), exact=False),
    Case(generic, 40, of(floats(40), floats(40), zeros(40), 3), name="generic f32"),
    Case(generic, 40, of(whole(0, 99, 40), whole(0, 9, 40, dtype="i2"), zeros(40, dtype="i8"), 7), name="generic i32"),
    Case(generic, 40, of(whole(0, 99, 40), floats(40), zeros(40, dtype="f8"), np.float64(0.1)), name="generic f64"),
    Case(scaled(1.5, 3, True), 30, of(floats(30), zeros(30))),
    Case(nested, 20, of(whole(-9, 30, 20), zeros(20, dtype="i4"))),
    Case(uniform_between, 5000, of(whole(-99, 99, 5000), zeros(5000, dtype="i4"), 4)),
    Case(names_of_tuples, 20, of(whole(-9, 30, 20), zeros(20, dtype="i4"))),
    Case(weighted, 100, of(floats(100), zeros(100))),
    Case(jumps, 40, of(whole(-99, 999, 40), zeros(40, dtype="i4"))),
    Case(uniform_ways, 128, of(zeros(128, dtype="i4"), 2), 32),
    Case(
        atomics,
        200,
        of(whole(-999, 999, 200), zeros(8, dtype="i4"), zeros(2, dtype="i8"), zeros(8, dtype="i4")),
        50,
    ),
    Case(in_order, 1, of(zeros(20, dtype="i4"), lambda r: np.array([0, 1, 0, 0], "i4"), zeros(1)), name="in order"),
    Case(
        changed_once, 1, of(zeros(20, dtype="i4"), zeros(3, 3, dtype="i4"), zeros(1, dtype="i4")), name="changed once"
    ),
    Case(calls_by_all, 64, of(zeros(2, 64, dtype="i4"), 5), 32, name="calls by all"),
    Case(long_steps, 3, of(zeros(8, 3, dtype="i8"), 10, 250, 2 * 10**9, -128, 2**64 - 1, -(2**63)), name="long steps"),
    Case(long_steps, 2, of(zeros(8, 2, dtype="i8"), 0, 0, -50, 127, 0, 2**63 - 1), name="long steps, few turns"),
    Case(exp, 20, of(floats(20), 2.0), name="names that C has"),
    Case(remainder, 20, of(floats(20)), name="a function of C"),
    Case(xor, 20, of(whole(0, 99, 20)), name="an operator of C++"),
    Case(subgroup_block_sum, 1024, of(whole(-999, 999, 1000), zeros(4, dtype="i4")), 256),
    Case(
        subgroup_block_sum,
        312,
        of(whole(-(10**12), 10**12, 290, dtype="i8"), zeros(3, dtype="i8")),
        104,
        name="subgroup_block_sum i64",
    ),
    Case(subgroup_block_sum, 256, of(halves_of_whole, zeros(4)), 64, name="subgroup_block_sum f32"),
    Case(subgroup_scan, 128, of(whole(-99, 99, 128), zeros(128, dtype="i4")), 64),
    Case(subgroup_votes, 80, of(whole(0, 99, 80), zeros(4, 80, dtype="i8")), 40),
    *(
        Case(
            subgroup_exchanges,
            72,
            of(whole(-99, 99, 72, dtype=dtype), whole(-2, 40, 72, dtype="i2"), zeros(4, 72, dtype=dtype)),
            36,
            name=f"subgroup_exchanges {dtype}",
        )
        for dtype in ("i1", "i8", "f2", "f4", "f8")
    ),
    Case(
        subgroup_exchanges,
        40,
        of(whole(0, 255, 40, dtype="u1"), whole(0, 9, 40, dtype="i2"), zeros(4, 40, dtype="u4")),
        40,
        name="subgroup_exchanges u1",
    ),
    Case(subgroup_of_flags, 64, of(lambda r: r.random(64) < 0.5, zeros(64, dtype="?")), 16),
    Case(subgroups_of_rows, (12, 14), of(whole(0, 9, 12, 14), zeros(12, 14, dtype="i4")), (6, 7)),
    *(
        Case(subgroup_turns, 128, of(whole(-9, 9, 128), zeros(128, dtype="i4"), n), 64, name=f"subgroup_turns {n}")
        for n in (0, 4)
    ),
    Case(sizes, (9, 14), of(zeros(9, 14, dtype="i4"))),
    Case(truth, 40, of(whole(-4, 4, 40), lambda r: r.random(40) < 0.5, zeros(5, 40, dtype="?"))),
]
