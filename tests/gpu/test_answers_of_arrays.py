"""What operations and launches answer where NumPy has a value, or where only an error is right."""

from __future__ import annotations

import operator
import re
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import unified_gpu as gpu
from tests.gpu.places import environment
from unified_gpu import Array, Context, KernelSourceError, barrier, f32, f64, i32, kernel, local_id, shared
from unified_gpu.dtypes import DTYPES
from unified_gpu.kernels.compiler.printers.helpers import helpers

NUMBERS = [0, 1, 2, -1, 0.5, 0.0, -0.0, 1.0, 1e300, float("inf"), float("-inf"), float("nan"), True, False, 2**70]
NUMBERS += [np.float32(0.5), np.int64(2)]


@pytest.mark.trial("bool-compared-to-numbers")
@pytest.mark.parametrize("number", NUMBERS, ids=repr)
def test_bools_are_compared_with_any_number(ctx: Context, number: Any) -> None:
    mask = np.array([True, False, True])
    array = ctx.alloc_upload(mask)
    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        compare = getattr(operator, name)
        wanted = [compare(int(each), number) for each in mask]
        assert compare(array, number).tolist() == wanted, name
        assert getattr(gpu, name)(array, number).tolist() == wanted, name
        assert getattr(gpu, name)(number, array).tolist() == [compare(number, int(each)) for each in mask], name


def test_powers_of_bools_are_those_of_whole_numbers(ctx: Context) -> None:
    mask = ctx.alloc_upload(np.array([True, False]))
    for power in (1, 2, 3):
        assert ((mask**power).dtype, (mask**power).tolist()) == ("i64", [1, 0])


def test_a_bool_is_chosen_from_bools(ctx: Context) -> None:
    mask = ctx.alloc_upload(np.array([True, False]))
    assert gpu.where(mask, mask, True).dtype == "bool"
    assert gpu.where(mask, mask, 2).tolist() == [1, 2]


@pytest.mark.trial("mean-of-i64-wraps-on-cpu")
@pytest.mark.parametrize("dtype", ["i8", "u8", "i32", "u32", "i64", "u64"])
@pytest.mark.parametrize("shape", [(11,), (3, 70_000), (70_000, 3)])
def test_means_do_not_wrap(ctx: Context, dtype: str, shape: tuple[int, ...]) -> None:
    kind = np.dtype(f"{dtype[0]}{int(dtype[1:]) // 8}")
    limits = np.iinfo(kind)
    x = np.full(shape, limits.max - limits.max // 5, kind)
    x[::2] = limits.max
    array = ctx.alloc_upload(x)
    for axis in (None, *range(len(shape))):
        found, wanted = np.asarray(array.mean(axis).download()), x.mean(axis)
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, wanted, rtol=1e-5)
    view = array[1:, ...][::2] if len(shape) == 1 else array[:, 1:3]
    theirs = x[1:][::2] if len(shape) == 1 else x[:, 1:3]
    np.testing.assert_allclose(view.mean().download(), theirs.mean(), rtol=1e-5)


@pytest.mark.trial("gpu")
@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_products_of_vectors_whose_elements_lie_apart(ctx: Context, dtype: str) -> None:
    a = np.arange(20, dtype=f"f{int(dtype[1:]) // 8}").reshape(5, 4)
    w = a[:, :3] - 7
    g, h = ctx.alloc_upload(a), ctx.alloc_upload(w)
    np.testing.assert_array_equal((g[:, 1] @ h).download(), a[:, 1] @ w)
    np.testing.assert_array_equal((h.T @ g[:, 2]).download(), w.T @ a[:, 2])
    assert (g[:, 0] @ h[:, 1]).item() == a[:, 0] @ w[:, 1]
    assert (g[::2, 0] @ h[::2, 1]).item() == a[::2, 0] @ w[::2, 1]


def test_dtypes_equal_their_names() -> None:
    for name, dtype in DTYPES.items():
        assert dtype == name
        assert name == dtype
        assert dtype != "f"
        assert dtype != 3
        assert dtype is not None and dtype != None  # noqa: E711 -- which is asked
        assert [each for each in DTYPES.values() if each == dtype] == [dtype]
        if dtype.numpy is not None:
            kind = getattr(np, {"bool": "bool_"}.get(dtype.numpy, dtype.numpy))
            assert dtype == kind
            assert kind == dtype
            assert dtype == np.dtype(kind)
        assert hash(dtype) == hash(DTYPES[name])
        assert {dtype: 1}[DTYPES[name]] == 1


# --- what is told of kernels -----------------------------------------------------------------------------------------


@kernel
def counted(x: Array[f32, 1], n: i32, flag: bool):
    x[0] = f32(n) if flag else 0.0


@pytest.mark.parametrize("number", [0.5, np.float32(0.5), float("nan"), float("inf")])
def test_a_fraction_for_a_whole_number(ctx: Context, number: Any) -> None:
    told = r"`n` of counted: .* is no whole number, which i32 is; pass int\(…\), or declare n: f32"
    with pytest.raises(TypeError, match=told) as caught:
        ctx.launch(counted, 1, [ctx.alloc_zeros(1), number, True])
    assert "array" not in str(caught.value)


@pytest.mark.parametrize(
    ("call", "dtype", "hint"),
    [
        ("atomic_min(x, 0, 1)", f32, "let each block store its own least in an array .* take array.min"),
        ("atomic_max(x, 0, 1)", f64, "let each block store its own greatest in an array .* take array.max"),
        ("atomic_add(x, 0, 1)", gpu.f16, "add in an array of f32"),
        ("atomic_cas(x, 0, 1, 2)", f32, "keep what several threads change in an array of whole numbers"),
        ("atomic_or(x, 0, 1)", gpu.u8, "use an array of u32, and cast it after"),
        ("atomic_add(x, 0, 1)", gpu.i16, "use an array of i32, and cast it after"),
    ],
)
def test_an_atomic_that_a_dtype_does_not_have_has_a_way_out(
    call: str, dtype: object, hint: str, tmp_path: Any, cpu: Context
) -> None:
    file = tmp_path / "drawn.py"
    name = call.partition("(")[0]
    file.write_text(f"from unified_gpu import {name}, kernel\n@kernel\ndef work(x):\n    {call}\n")
    names: dict[str, Any] = {}
    exec(compile(file.read_text(), str(file), "exec"), names)
    with pytest.raises(KernelSourceError, match=f"hint: {hint}"):
        cpu.launch(names["work"], 1, [cpu.alloc_zeros(1, dtype)])


NASTY = ("k", "k_uses", "uses", "K_NAN", "T", "half", "value", "first", "threadIdx", "DEVICE", "size", "begin")


@pytest.mark.parametrize("name", ["k", "uses", "k_read"])
def test_shared_arrays_of_any_name_in_the_checked_mode(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.setenv("DL_CHECK", "1")
    file = tmp_path / "drawn.py"
    file.write_text(
        "from unified_gpu import Array, barrier, f32, kernel, local_id, shared\n@kernel\n"
        f"def turn(x: Array[f32, 1]):\n    {name} = shared(f32, 64)\n    t = local_id(0)\n    {name}[t] = x[t]\n"
        f"    barrier()\n    x[t] = {name}[63 - t]\n"
    )
    names: dict[str, Any] = {}
    exec(compile(file.read_text(), str(file), "exec"), names)
    with Context("cpu") as ctx:
        x = ctx.alloc_upload(np.arange(64, dtype="f4"))
        ctx.launch(names["turn"], 64, [x], local_size=64)
        assert x.tolist() == list(range(63, -1, -1))


@pytest.mark.parametrize("name", NASTY)
def test_no_name_of_a_kernel_meets_one_of_its_helpers(name: str, tmp_path: Any) -> None:
    """Names that the compiler makes of a name of the source, for its lengths, its uses and its sums."""
    file = tmp_path / "drawn.py"
    file.write_text(
        "from unified_gpu import Array, atomic_add, barrier, f32, i32, kernel, local_id, shared\n@kernel\n"
        f"def work({name}: Array[i32, 1], x: Array[f32, 2]):\n    t = local_id(0)\n    atomic_add({name}, t % 8, 1)\n"
        "    x[t, 0] = 1.0\n"
    )
    names: dict[str, Any] = {}
    exec(compile(file.read_text(), str(file), "exec"), names)
    work = names["work"]
    known = set(re.findall(r"\w+", "".join(map(helpers, ("cpu", "arithmetic", "checked", "cuda", "cpu_counters")))))
    printed = work.printed(work._for_types((), 1), "cuda", check=True)
    declared = printed[printed.index("__global__") :]
    own = set(re.findall(rf"[\w*] ({name}_\w*)[,)\[;]", declared))
    assert f"{name}_n0" in own
    assert not own & known


# --- the end of a program --------------------------------------------------------------------------------------------

ENDLESS = """\
from unified_gpu import Array, Context, atomic_add, i32, kernel

@kernel
def spins(x: Array[i32, 1]):
    while atomic_add(x, 0, 0) == 0:
        pass

ctx = Context("cpu")
ctx.launch(spins, 1, [ctx.alloc_zeros(1, "i32")])
"""


@pytest.mark.slow
def test_a_kernel_that_never_ends_is_named_at_exit(tmp_path: Any) -> None:
    (tmp_path / "endless.py").write_text(ENDLESS.replace("        pass\n", "        atomic_add(x, 0, 0)\n"))
    started = subprocess.Popen(
        [sys.executable, str(tmp_path / "endless.py")], env=environment("cpu"), stderr=subprocess.PIPE, text=True
    )
    try:
        assert started.stderr is not None
        told = started.stderr.readline()
    finally:
        started.kill()
        started.wait()
    assert re.search(r"waits for what is queued on a stream of <Context cpu:0>; kernel 'spins' was launched last", told)
    assert "Ctrl-C ends it" in told


@kernel
def turns(x: Array[i32, 1], n: i32):
    part = shared(i32, 64)
    t = local_id(0)
    part[t] = 0
    barrier()
    for _ in range(n):
        part[t] += 1
    x[t] = part[t]


@pytest.mark.parametrize("n", [1000, 65_000, 66_000, 140_000])
def test_loops_of_many_turns_are_right_or_an_error(ctx: Context, n: int) -> None:
    x = ctx.alloc_zeros(64, "i32")
    ctx.launch(turns, 64, [x, n], local_size=64)
    for wait in (x.tolist, ctx.sync):
        try:
            wait()
        except RuntimeError as error:
            assert "llvmpipe" in ctx.device_name and n > 65_000
            told = r"kernel 'turns' has wrong results: llvmpipe.* turned more than 65,532 times in all; use the cpu"
            assert re.search(told, str(error))
            ctx.launch(turns, 64, [x, 7], local_size=64)  # it is told once, and what follows is right
            assert x.tolist() == [7] * 64
            return
    assert x.tolist() == [n] * 64
