"""Kernels written in Python: the same bits on every backend as in the reference, and errors that show the place."""

from __future__ import annotations

import math
import os
import pickle
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
import pytest

import unified_gpu
from tests.gpu.places import ROOT
from tests.gpu.python_kernels import (
    CASES,
    Case,
    below,
    changed_once,
    counted_and_read,
    generic,
    histogram,
    in_order,
    long_steps,
    narrow_numbers,
    only,
    saxpy,
    seen,
    third_axis,
    ticket,
)
from tests.limits import HANGS
from unified_gpu import (
    Array,
    Context,
    KernelSourceError,
    PythonKernel,
    barrier,
    f16,
    f32,
    f64,
    global_id,
    i8,
    i32,
    i64,
    kernel,
    local_id,
    shared,
    u16,
)
from unified_gpu.kernels.compiler.spirv.printer import SpirvPrinter
from unified_gpu.kernels.compiler.spirv.values import pushed
from unified_gpu.kernels.language import DeviceFunction


def launched(ctx: Context, case: Case, args: list[Any]) -> list[Any]:
    """What the arrays hold after the launch."""
    places = [upload(ctx, arg) if isinstance(arg, np.ndarray) else arg for arg in args]
    ctx.launch(case.kernel, case.global_size, places, local_size=case.local_size)
    return [place.download() for place in places if hasattr(place, "download")]


def upload(ctx: Context, array: Any) -> Any:
    """The array with the strides it has."""
    if array.flags.c_contiguous:
        return ctx.alloc_upload(array, array.dtype)
    if array.ndim == 2:
        return ctx.alloc_upload(np.ascontiguousarray(array.T), array.dtype).T
    step = array.strides[0] // array.itemsize
    wide = ctx.alloc_zeros((array.size, step), array.dtype)
    wide[:, 0] = np.ascontiguousarray(array)
    return wide[:, 0]


FEW = [case for case in CASES if str(case) in ("saxpy", "blur.T", "block_sum", "histogram", "halves", "nested")]
FEW += [case for case in CASES if str(case) in ("subgroup_block_sum", "subgroup_votes", "subgroup_exchanges f4")]
FEW += [case for case in CASES if case.kernel.name.startswith(("of_blocks", "over_tuples", "medians", "kept_over"))]


@pytest.mark.quick(25)
@pytest.mark.parametrize("case", FEW, ids=str)
def test_on_every_backend(ctx: Context, case: Case) -> None:
    check(ctx, case)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_same_as_the_reference(cpu: Context, case: Case) -> None:
    check(cpu, case)


def check(ctx: Context, case: Case) -> None:
    args = case.make(np.random.default_rng(7))
    wanted = [arg.copy() if isinstance(arg, np.ndarray) else arg for arg in args]
    case.kernel.reference(case.global_size, wanted, local_size=case.local_size, subgroup_size=ctx.subgroup_size)
    found = launched(ctx, case, args)
    for mine, theirs in zip(found, [each for each in wanted if isinstance(each, np.ndarray)], strict=True):
        if case.exact:
            np.testing.assert_array_equal(mine, theirs)
        else:
            np.testing.assert_allclose(mine, theirs, rtol=1e-12)


NVRTC = """
import numpy as np, nvrtc_ffi
from tests.gpu.python_kernels import CASES
from unified_gpu.backends.cuda_kernels.compiler import compile_kernel
from unified_gpu.kernels.compiler.printers.c_printer import entry_name
try:
    nvrtc_ffi.version()
except nvrtc_ffi.LibraryUnavailable as missing:
    raise SystemExit(f"no NVRTC: {missing}")
for case in CASES:
    rank = len(case.global_size) if isinstance(case.global_size, tuple) else 1
    made = case.kernel.specialised(case.kernel.types_of(case.make(np.random.default_rng(0))), rank)
    text = case.kernel.printed(made, "cuda")
    image, name, _ = compile_kernel(text, entry_name(case.kernel.name), 90, ["--fmad=false"])
    assert name == entry_name(case.kernel.name) and len(image) > 500
print("compiled", len(CASES))
"""


def test_nvrtc_compiles_them(tmp_path: Path) -> None:
    """In a process of its own: this one may have the stand-in for NVRTC."""
    fake = os.environ.get("CUDA_FFI_LIBRARY")
    clean = {n: v for n, v in os.environ.items() if n != "NVRTC_FFI_LIBRARY" or v != fake}
    chosen = {"UNIFIED_GPU_CACHE": str(tmp_path), "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'generated'}"}
    settings = {**clean, **chosen}
    command = [sys.executable, "-c", NVRTC]
    done = subprocess.run(command, env=settings, cwd=ROOT, capture_output=True, text=True, timeout=HANGS, check=False)
    if "no NVRTC" in done.stderr or "is not built" in done.stderr:
        pytest.skip(done.stderr.strip().splitlines()[-1])
    assert done.stdout == f"compiled {len(CASES)}\n", done.stderr


def test_what_was_compiled_can_be_looked_at() -> None:
    text = saxpy.ir()
    assert text.splitlines()[0] == "kernel saxpy(a: f32, x: Array[f32, 1], y: Array[f32, 1])"
    assert "y[i] = ((a * x[i]) + y[i])" in text
    assert 'extern "C" __global__ void saxpy(' in saxpy.source("cuda")
    assert "cpu_kernel_saxpy" in saxpy.source("cpu")
    assert "double" in generic.source("cuda", Array[f64, 1], Array[f32, 1], Array[f64, 1], f32)
    with pytest.raises(ValueError, match="'cuda' and 'cpu', not for 'metal'"):
        saxpy.source("metal")  # type: ignore[arg-type]


@unified_gpu.device
def calls_8(x: f32) -> f32:
    return x + x + x + x + x + x + x + x


@unified_gpu.device
def calls_64(x: f32) -> f32:
    y = calls_8(calls_8(calls_8(calls_8(x))))
    return calls_8(calls_8(calls_8(calls_8(y))))


@kernel
def calls_few(x: Array[f32, 1]):
    x[global_id(0)] = calls_64(x[global_id(0)])


@kernel
def calls_many(x: Array[f32, 1]):
    y = calls_64(calls_64(x[global_id(0)]))
    x[global_id(0)] = calls_64(calls_64(y))


@kernel
def much_shared(x: Array[f64, 1]):
    part = shared(f64, 2049)
    part[local_id(0)] = x[global_id(0)]
    barrier()
    x[global_id(0)] = part[0]


@kernel
def less_shared(x: Array[f64, 1]):
    part = shared(f64, 2048)
    part[local_id(0)] = x[global_id(0)]
    barrier()
    x[global_id(0)] = part[0]


@kernel
def much_kept(x: Array[f64, 1]):
    a = x[global_id(0)]
    b = a * a
    c = b + a
    barrier()
    x[global_id(0)] = a + b * c


@pytest.mark.parametrize(
    ("which", "short"),
    [
        (saxpy, True), (long_steps, False), (calls_few, True), (calls_many, False),
        (less_shared, True), (much_shared, False), (much_kept, False),
    ],
    ids=lambda each: getattr(each, "name", None),
)  # fmt: skip
def test_who_waits_only_runs_kernels_that_need_little_time_and_stack(which: PythonKernel, short: bool) -> None:
    found = re.search(r"\{CPU_KERNEL_VERSION, 0, \d+, (\d),", which.source("cpu"))
    assert found and found[1] == str(int(short))


def test_annotations_may_be_texts_within_texts() -> None:
    """As where a module imports `annotations` and has quotes around them too."""

    @kernel
    def scaled(x: "Array[f32, 1]", by: "unified_gpu.f32", n: i32):  # noqa: UP037 -- what is tested
        x[global_id(0)] *= by * n

    assert scaled.annotations == {"x": Array[f32, 1], "by": f32, "n": i32}


def test_a_kernel_is_compiled_once_for_each_set_of_types(cpu: Context) -> None:
    x, wide = cpu.alloc_zeros(8), cpu.alloc_zeros(8, "f64")
    before = len({id(each) for each in cpu.kernels.values()})
    for _ in range(3):
        cpu.launch(generic, 8, [x, x, x, 2.0])
        cpu.launch(generic, 8, [x, x, wide, 2.0])
    cpu.launch(generic, 8, [x, x, x, np.float32(2)])
    assert len({id(each) for each in cpu.kernels.values()}) == before + 2


def test_blocks_of_other_sizes_than_the_first(cpu: Context) -> None:
    """What a kernel with barriers is compiled for first are the blocks of its first launch."""
    numbers = np.arange(600, dtype="u4") * 2654435761
    x = cpu.alloc_upload(numbers, "u32")
    before = len({id(each) for each in cpu.kernels.values()})
    for size in (128, 64, 192, 128, 64):
        out = cpu.alloc_zeros(64, "u32")
        cpu.launch(histogram, 768, [x, out], local_size=size)
        np.testing.assert_array_equal(out.download(), np.bincount(numbers % 64, minlength=64))
    assert len({id(each) for each in cpu.kernels.values()}) <= before + 2


def test_counts_in_memory_that_is_read(cpu: Context) -> None:
    """A thread sees what it has added, also where the same memory is passed as two arrays."""
    x, out = cpu.alloc_upload(np.arange(1, 9, dtype="i4"), "i32"), cpu.alloc_zeros(8, "i32")
    cpu.launch(counted_and_read, 8, [x, x, out])
    assert x.tolist() == out.tolist() == [2, 4, 6, 8, 10, 12, 14, 16]
    cpu.launch(counted_and_read, 8, [out, x, out])
    assert x.tolist() == [4, 8, 12, 16, 20, 24, 28, 32]


def test_numbers_of_the_source_as_conditions() -> None:
    @kernel
    def conditions(x: Array[f32, 1]):
        some = 0.5
        if x[0] > 1:
            some = 1.5
        if some:
            x[1] = 3
        if 1 if x[0] > 1 else 0:
            x[2] = 4

    text = conditions.ir()
    assert "if (some != f32(0.0))" in text
    assert "if (select((x[i32(0)] > f32(1.0)), i32(1), i32(0)) != i32(0))" in text


def test_device_functions_of_one_name_that_call_each_other() -> None:
    def made(by: int) -> DeviceFunction:
        @unified_gpu.device
        def scaled(x):
            return x * by

        return scaled

    inner = made(3)

    @unified_gpu.device
    def scaled(x):
        return inner(x) * 2

    @kernel
    def scales(x: Array[f32, 1]):
        x[0] = scaled(x[0])

    text = scales.ir()
    assert "device scaled.1(x: f32)" in text
    assert "scaled.1(x) * f32(2.0)" in text
    assert "x[i32(0)] = scaled.0(x[i32(0)])" in text


def test_a_kernel_is_pickled_by_its_name() -> None:
    assert pickle.loads(pickle.dumps(saxpy)) is saxpy


def test_a_bound_that_cannot_be_a_size_runs_no_thread(cpu: Context) -> None:
    x = cpu.alloc_zeros(64, "i32")
    for bound in (-(2**31), -1, 0, 5, 2**31 - 1):
        cpu.launch(below, 64, [x, bound], local_size=16)
    cpu.launch(only, 64, [x, -(2**31)], local_size=16)
    cpu.launch(only, 64, [x, 2**31 - 1], local_size=16)
    cpu.launch(only, 64, [x, 3], local_size=16)
    wanted = np.ones(64, "i4")
    wanted[:5] += 1
    wanted[3::16] += 10
    np.testing.assert_array_equal(x.download(), wanted)


def test_axes_beyond_the_launch_are_one_thread(cpu: Context) -> None:
    x = cpu.alloc_zeros(8, "i32")
    cpu.launch(third_axis, 8, [x])
    assert x.tolist() == [100, 101, 102, 103, 104, 105, 106, 107]


def test_atomics_are_evaluated_from_left_to_right(cpu: Context) -> None:
    """The oracle is Python, with atomics of lists."""
    python = in_python(in_order)
    wanted: list[Any] = [[0] * 20, [0, 1, 0, 0], [math.nan]]
    python(*wanted)
    args = [np.zeros(20, "i4"), np.array([0, 1, 0, 0], "i4"), np.array([math.nan], "f4")]
    assert [each.tolist() for each in launched(cpu, Case(in_order, 1, None), args)] == wanted  # type: ignore[arg-type]
    in_order.reference(1, args)
    assert [each.tolist() for each in args] == wanted


def test_values_are_computed_before_any_name_is_assigned(cpu: Context) -> None:
    @kernel
    def swaps(out: Array[i32, 1], a: i32, b: i32):
        a, b = b, a
        pair = (a, b)
        pair = (pair[1], pair[0])
        c, (d, e) = pair[0], (pair[1], a)
        d, (c, e) = c, (d, e + 1)
        both = f, out[5] = out[5], out[6] - a
        out[0], out[1], out[2], out[3], out[4] = (
            a * 10 + b,
            pair[0] * 10 + pair[1],
            c * 10 + d,
            e,
            both[0] * 10 + both[1],
        )
        out[5], out[6] = out[6], out[5] + f

    out = cpu.alloc_upload(np.arange(7, dtype="i4"), "i32")
    cpu.launch(swaps, 1, [out, 1, 2])
    assert out.tolist() == [21, 12, 21, 3, 54, 6, 9]


def test_the_index_of_what_is_changed_is_evaluated_once(cpu: Context) -> None:
    out, c = [0] * 20, [0]
    table = np.zeros((3, 3), "i4")
    in_python(changed_once)(out, table, c)
    args = [np.zeros(20, "i4"), np.zeros((3, 3), "i4"), np.zeros(1, "i4")]
    found = launched(cpu, Case(changed_once, 1, None), args)  # type: ignore[arg-type]
    assert [each.tolist() for each in found] == [out, table.tolist(), c]
    assert c == [9]


def in_python(kernel: PythonKernel) -> Callable[..., None]:
    """The function that a kernel is made of, for lists."""

    def add(array: list[Any], at: int, value: Any) -> Any:
        old, array[at] = array[at], array[at] + value
        return old

    def exchange(array: list[Any], at: int, value: Any) -> Any:
        old, array[at] = array[at], value
        return old

    names = {**kernel.python.__globals__, "atomic_add": add, "atomic_exchange": exchange, "i32": int, "f32": float}
    for device in (ticket, seen):
        names[device.name] = FunctionType(device.python.__code__, names)
    return FunctionType(kernel.python.__code__, names)


def test_a_step_that_overflows_ends_its_loop_as_in_python(cpu: Context) -> None:
    out = cpu.alloc_zeros((8, 1), "i64")
    cpu.launch(long_steps, 1, [out, 10, 250, 2 * 10**9, -128, 2**64 - 1, -(2**63)])
    turns = [
        range(10, 0, -3),
        range(0, 250, 100),
        range(0, 2 * 10**9, 1500000000),
        range(100, -128, -90),
        range(3, 2**64 - 1, 2**63),
        range(2**63 - 1, -(2**63), -(2**64)),
    ]
    wanted = [sum((i if at in (0, 1, 3) else i % 1000) + 1000 for i in each) for at, each in enumerate(turns)]
    assert out.reshape(8).tolist() == [*wanted, 1, 0]
    text = long_steps.source("cuda")
    assert text.count("_turns = ") == 6
    assert "counter_made_7 > counter_made_7_stop; counter_made_7 -= 2" in text


@pytest.mark.parametrize("case", CASES, ids=str)
def test_spirv_is_valid(case: Case, tmp_path: Path) -> None:
    validator = shutil.which("spirv-val")
    if validator is None:
        pytest.skip("no spirv-val here; apt install spirv-tools")
    rank = len(case.global_size) if isinstance(case.global_size, tuple) else 1
    made = case.kernel.specialised(case.kernel.types_of(case.make(np.random.default_rng(0))), rank)
    if case.kernel.name == "functions":
        with pytest.raises(KernelSourceError, match=r"python_kernels.py:\d+: Vulkan has no erf for f64"):
            SpirvPrinter(made.function).words()
        return
    file = tmp_path / "kernel.spv"
    file.write_bytes(SpirvPrinter(made.function).words())
    command = [validator, "--target-env", "vulkan1.2", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANGS, check=False)
    assert done.returncode == 0, done.stderr
    assert not done.stderr


def test_push_constants_widen_what_is_narrow() -> None:
    made = narrow_numbers.specialised(((f32, 1, False), f16, i8, i64, u16), 1)
    assert [(field.name, dtype.name, at) for field, dtype, at in pushed(made.function).places] == [
        ("x", "u64", 0),
        ("x.n0", "i32", 8),
        ("a", "f32", 12),
        ("b", "i32", 16),
        ("c", "i64", 24),
        ("d", "u32", 32),
        ("global_size.0", "i32", 36),
    ]
    assert narrow_numbers.spirv(Array[f32, 1], f16, i8, i64, u16)[:4] == b"\x03\x02\x23\x07"
