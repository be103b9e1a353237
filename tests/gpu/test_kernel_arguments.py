"""Arguments of kernels by name, and those that are left out: of launches, of `reference`, and of device functions."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from unified_gpu import Array, Context, Kernel, KernelSourceError, device, f32, global_id, i32, kernel

NUMBER = 4


@device
def line(x, slope=2, offset=NUMBER):
    return slope * x + offset


@kernel
def scaled(x: Array[f32, 1], out: Array[f32, 1], factor: f32 = 10, offset: i32 = NUMBER):
    i = global_id(0)
    out[i] = x[i] * factor + offset


@kernel
def lines(x: Array[f32, 1], out: Array[f32, 2]):
    i = global_id(0)
    out[0, i] = line(x[i])
    out[1, i] = line(x[i], offset=1)
    out[2, i] = line(offset=x[i], x=3)
    out[3, i] = line(x[i], 5, offset=x[i])


LAUNCHES = [
    (lambda x, out: [x, out], 10, 4),
    (lambda x, out: (x, out, 2), 2, 4),
    (lambda x, out: [x, out, 2, 3], 2, 3),
    (lambda x, out: {"out": out, "x": x}, 10, 4),
    (lambda x, out: {"offset": 7, "out": out, "x": x}, 10, 7),
    (lambda x, out: {"x": x, "out": out, "factor": 0.5, "offset": -1}, 0.5, -1),
]


@pytest.mark.quick(4)
@pytest.mark.parametrize("number", range(len(LAUNCHES)))
def test_arguments_by_name_and_defaults(ctx: Context, number: int) -> None:
    made, factor, offset = LAUNCHES[number]
    data = np.arange(5, dtype="f4")
    x, out = ctx.alloc_upload(data), ctx.empty(5)
    for _ in range(2):
        ctx.launch(scaled, 5, made(x, out))
    assert out.tolist() == (data * np.float32(factor) + offset).tolist()
    found = np.zeros(5, "f4")
    scaled.reference(5, made(data, found))
    assert found.tolist() == out.tolist()


def test_device_functions_are_called_by_name(ctx: Context) -> None:
    data = np.arange(5, dtype="f4")
    out = ctx.empty((4, 5))
    ctx.launch(lines, 5, {"x": ctx.alloc_upload(data), "out": out})
    assert out.tolist() == [list(2 * data + 4), list(2 * data + 1), list(6 + data), list(6 * data)]


WRONG: dict[str, Any] = {
    "scaled has no parameter 'fact'; it has x, out, factor, offset": lambda x: {"x": x, "out": x, "fact": 2},
    "scaled takes out, too: it is given 1 argument": lambda x: {"x": x},
    "scaled takes x, out, too: it is given 0 arguments": lambda x: [],
    "scaled takes 4 arguments (x, out, factor, offset), not 5": lambda x: [x, x, 1, 2, 3],
    "`factor` of scaled is a number, and an array was given": lambda x: {"x": x, "out": x, "factor": x},
    "args is a list of what scaled takes, not an int": lambda x: 3,
}


@pytest.mark.parametrize("told", WRONG)
def test_what_is_wrong(cpu: Context, told: str) -> None:
    x = cpu.ones(5)
    with pytest.raises(TypeError, match=re.escape(told)):
        cpu.launch(scaled, 5, WRONG[told](x))


def test_kernels_in_cuda_c_have_no_names(cpu: Context) -> None:
    source = 'extern "C" __global__ void set(float *x) { x[threadIdx.x] = 1; }'
    with pytest.raises(TypeError, match="args is a list of what"):
        cpu.launch(Kernel.from_source(source, "set"), 5, {"x": cpu.ones(5)})


def test_a_default_has_to_fit(cpu: Context) -> None:
    @kernel
    def wide(x: Array[f32, 1], factor: i32 = 3_000_000_000):
        x[global_id(0)] *= factor

    with pytest.raises(OverflowError, match="`factor` of wide"):
        cpu.launch(wide, 5, [cpu.ones(5)])

    @kernel
    def of_text(x: Array[f32, 1], factor="two"):
        x[global_id(0)] *= factor

    with pytest.raises(KernelSourceError, match="a parameter of a kernel has a number as its default"):
        cpu.launch(of_text, 5, [cpu.ones(5)])
