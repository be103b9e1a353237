"""Signs of zeros in kernels: what NumPy gives, where compilers and drivers take one zero for the other."""

from __future__ import annotations

import math

import numpy as np
import pytest

from unified_gpu import Array, Context, f16, f32, f64, global_id, kernel

ROWS = 27


@kernel
def zeros(out: Array, x: Array, n: Array):
    i = global_id(0)
    v = x[i]
    nothing, one, count = x.dtype(0.0), x.dtype(1.0), 0
    out[0, i] = x.dtype(0.0) - x.dtype(n[i])
    out[1, i] = x.dtype(0.0) - abs(v)
    out[2, i] = v + x.dtype(0.0)
    out[3, i] = x.dtype(-0.0) + v
    out[4, i] = v - x.dtype(-0.0)
    out[5, i] = v * x.dtype(0.0)
    out[6, i] = x.dtype(-0.0) * v
    out[7, i] = x.dtype(0.0) / v
    out[8, i] = v / x.dtype(0.0)
    out[9, i] = abs(math.sqrt(v))
    out[10, i] = x.dtype(math.trunc(v) if math.isfinite(v) else 7)
    out[11, i] = x.dtype(math.floor(v) if math.isfinite(v) else 7)
    out[12, i] = (one - x.dtype(1.0)) * v
    out[13, i] = nothing + v
    out[14, i] = x.dtype(count) * v
    out[15, i] = x.dtype(v > v) * v
    out[16, i] = v - v
    out[17, i] = -(v * v) + x.dtype(0.0)
    out[18, i] = x.dtype(0.0) - v
    for k in range(2):
        out[19 + k, i] = x.dtype(k) * v
        nothing -= x.dtype(k * n[i])
    out[21, i] = nothing
    out[22, i] = math.fabs(-math.sqrt(v))
    out[23, i] = (x.dtype(2.0) - x.dtype(2.0)) - v
    out[24, i] = x.dtype(0.0) - (v if v > 0 else -v)
    out[26, i] = abs(x.dtype(0.0)) / v
    out[25, i] = x.dtype(math.ceil(v) if math.isfinite(v) else 7) * x.dtype(-1.0)


def by_numpy(x: np.ndarray, n: np.ndarray) -> list[np.ndarray]:
    t = x.dtype.type
    zero, minus = t(0.0), t(-0.0)

    def whole(rounded: np.ndarray) -> np.ndarray:
        return np.where(np.isfinite(x), np.where(np.isfinite(x), rounded, 0).astype("i8"), 7).astype(x.dtype)

    return [
        zero - n.astype(x.dtype), zero - abs(x), x + zero, minus + x, x - minus, x * zero, minus * x, zero / x,
        x / zero, abs(np.sqrt(x)), whole(np.trunc(x)), whole(np.floor(x)), zero * x, zero + x, zero * x, zero * x,
        x - x, -(x * x) + zero, zero - x, zero * x, t(1) * x, zero - zero - n.astype(x.dtype), abs(np.sqrt(x)),
        zero - x, zero - np.where(x > 0, x, -x), whole(np.ceil(x)) * t(-1), zero / x,
    ]  # fmt: skip


@pytest.mark.trial("cpu-zero-minus-int")
@pytest.mark.trial("vulkan-abs-sqrt-minus-zero")
@pytest.mark.parametrize("dtype", [f16, f32, f64], ids=str)
@pytest.mark.parametrize("checked", [False, True], ids=["", "checked"])
def test_kernels_have_the_signs_of_numpy(
    backend: str, dtype: object, checked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if checked and backend != "cpu":
        return  # only the CPU has the checked mode
    if checked:
        monkeypatch.setenv("DL_CHECK", "1")
    x = np.array([0.0, -0.0, 1.0, -1.0, 0.25, -0.25, 3.5, -3.5, math.inf, -math.inf, math.nan] * 3)
    x = x.astype({"f16": "f2", "f32": "f4", "f64": "f8"}[str(dtype)])
    n = (np.arange(len(x)) % 3).astype("i4")
    with Context(backend) as ctx:
        out = ctx.alloc((ROWS, len(x)), dtype)
        ctx.launch(zeros, len(x), [out, ctx.alloc_upload(x), ctx.alloc_upload(n)])
        found = np.asarray(out.download())
    with np.errstate(all="ignore"):
        wanted = np.stack(by_numpy(x, n))
    same = ((found == wanted) & (np.signbit(found) == np.signbit(wanted))) | (np.isnan(found) & np.isnan(wanted))
    rows, at = np.nonzero(~same)
    told = [
        f"row {row}, x {x[i]}, n {n[i]}: {found[row, i]} for {wanted[row, i]}" for row, i in zip(rows, at, strict=True)
    ]
    assert not told, "\n".join(told[:20])
