"""Arrays that are made, put together, taken apart and indexed by arrays, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unified_gpu as ug
from tests.gpu.places import skip_on_the_stand_in
from tests.gpu.test_random_operations import check_bits
from unified_gpu import Context, GpuArray, MixedContextsError


def both(ctx: Context, *shape: int, dtype: str = "f4") -> tuple[Any, GpuArray]:
    x = np.random.default_rng(1).integers(0, 100, shape).astype(dtype)
    return x, ctx.alloc_upload(x)


def test_creation(ctx: Context) -> None:
    check_bits(ctx.arange(7), np.arange(7), "arange")
    check_bits(ctx.arange(9, -3, -2), np.arange(9, -3, -2), "arange")
    check_bits(ctx.arange(5, 0, -1, "u8"), np.arange(5, 0, -1, "u1"), "arange")
    check_bits(ctx.arange(0.5, 100, 0.3), np.arange(0.5, 100, 0.3, "f4"), "arange")
    check_bits(ctx.arange(0, 3, 0.25, "f64"), np.arange(0, 3, 0.25), "arange")
    assert ctx.arange(3, 3).shape == ctx.arange(5, 1).shape == (0,)
    for arguments in ((0, 1, 50), (-3.5, 2, 7), (1, 1, 1), (2, 3, 0)):
        check_bits(ctx.linspace(*arguments), np.linspace(*arguments).astype("f4"), f"{arguments}")
        wanted = np.linspace(*arguments, endpoint=False)
        check_bits(ctx.linspace(*arguments, "f64", endpoint=False), wanted, f"{arguments}")
    check_bits(ctx.full((2, 3), 7), np.full((2, 3), 7), "full")
    check_bits(ctx.ones(3, "i8"), np.ones(3, "i1"), "ones")
    for k in (-1, 0, 2):
        check_bits(ctx.eye(3, 4, k=k), np.eye(3, 4, k, dtype="f4"), f"eye {k}")
        x, g = both(ctx, 2, 4, 5)
        check_bits(ug.tril(g, k=k), np.tril(x, k), "tril")
        check_bits(ug.triu(g, k=k), np.triu(x, k), "triu")
    x, g = both(ctx, 2, 3)
    check_bits(ctx.zeros_like(g), np.zeros_like(x), "zeros")
    check_bits(ctx.full_like(g, 3, "i32"), np.full_like(x, 3, "i4"), "full")
    with pytest.raises(ValueError, match="the step of arange is not 0"):
        ctx.arange(1, 2, 0)


def test_joining_and_splitting(ctx: Context) -> None:
    x, g = both(ctx, 3, 4, 2)
    y, h = both(ctx, 3, 5, 2, dtype="i4")
    check_bits(ug.concatenate([g, h], 1), np.concatenate([x, y], 1), "concatenate")
    check_bits(ug.concatenate([g, h[:, :2].mT.mT], -2), np.concatenate([x, y[:, :2]], -2), "concatenate")
    check_bits(ug.concatenate([g, h], None), np.concatenate([x, y], None), "flat")
    for axis in (0, 1, -1):
        check_bits(ug.stack([g, g * 2], axis), np.stack([x, x * 2], axis), "stack")
    for found, wanted in zip(ug.split(g, 2, 1), np.split(x, 2, 1), strict=True):
        check_bits(found, wanted, "split")
    for found, wanted in zip(ug.split(h, [1, 3], 1), np.split(y, [1, 3], 1), strict=True):
        check_bits(found, wanted, "split")
    assert [each.shape for each in ug.unstack(g, 1)] == [(3, 2)] * 4
    with pytest.raises(ValueError, match=r"shapes \[3, 4, 2\] and \[3, 5, 2\] cannot be concatenated along axis 0"):
        ug.concatenate([g, h])
    with pytest.raises(ValueError, match="4 elements along axis 1 do not divide into 3 parts"):
        ug.split(g, 3, 1)
    with pytest.raises(ValueError, match="no arrays to concatenate"):
        ug.concatenate([])


def test_other_shapes(ctx: Context) -> None:
    x, g = both(ctx, 3, 1, 4)
    check_bits(ug.squeeze(g), x.squeeze(), "squeeze")
    check_bits(ug.squeeze(g, -2), x.squeeze(-2), "squeeze")
    check_bits(ug.expand_dims(g, (0, -1)), np.expand_dims(x, (0, -1)), "expand_dims")
    check_bits(ug.permute_dims(g, (2, 0, 1)), x.transpose(2, 0, 1), "permute")
    check_bits(ug.moveaxis(g, 0, -1), np.moveaxis(x, 0, -1), "moveaxis")
    check_bits(ug.broadcast_to(g, (2, 3, 5, 4)), np.broadcast_to(x, (2, 3, 5, 4)), "broadcast")
    check_bits(ug.reshape(g.permute_dims(2, 1, 0), (6, -1)), x.transpose(2, 1, 0).reshape(6, -1), "reshape")
    check_bits(ug.repeat(g, 3, 0), np.repeat(x, 3, 0), "repeat")
    check_bits(ug.tile(g, (2, 1, 3, 1)), np.tile(x, (2, 1, 3, 1)), "tile")
    for axis in (None, 0, (0, 2), -1):
        check_bits(ug.flip(g, axis), np.flip(x, axis), "flip")
    for shift, along in ((2, None), (-1, 0), (5, 2), ((1, 2), (0, 2)), (0, 1)):
        check_bits(ug.roll(g, shift, along), np.roll(x, shift, along), "roll")
    for found, wanted in zip(ug.meshgrid(g[0, 0], g[:, 0, 0]), np.meshgrid(x[0, 0], x[:, 0, 0]), strict=True):
        check_bits(found, wanted, "meshgrid")
    with pytest.raises(ValueError, match="axis 0 of an array of shape"):
        ug.squeeze(g, 0)
    with pytest.raises(ValueError, match=r"shape \[3, 1, 4\] cannot be repeated to \[3, 4\]"):
        ug.broadcast_to(g, (3, 4))


BACKWARDS = [np.s_[::-1], np.s_[:, ::-2], np.s_[3:0:-1, 1], np.s_[..., ::-1, None], np.s_[2, ::-1], np.s_[0:3:-1]]


def test_negative_steps(ctx: Context) -> None:
    x, g = both(ctx, 5, 6)
    for key in BACKWARDS:
        check_bits(g[key], x[key], f"{key}")
        y, h = x.copy(), g.copy()
        values = np.arange(x[key].size, dtype="f4").reshape(x[key].shape)
        y[key] = values
        h[key] = values
        check_bits(h, y, f"{key} =")
        y[key] = 7
        h[key] = 7
        check_bits(h, y, f"{key} = 7")


FIRST, SECOND = np.array([2, 0, -1, 2]), np.array([[1], [3]])
MASK = np.arange(5) % 2 == 0
KEYS = [
    np.s_[FIRST], np.s_[:, FIRST], np.s_[FIRST, FIRST], np.s_[SECOND, FIRST], np.s_[FIRST, :, FIRST],
    np.s_[:, FIRST, 1], np.s_[1, :, FIRST], np.s_[..., FIRST], np.s_[None, FIRST, ::2], np.s_[MASK], np.s_[MASK, 1],
    np.s_[MASK, :, FIRST[:3]], np.s_[[0, 1]], np.s_[1:, SECOND], np.s_[[]],
    np.s_[:, 3:0:-1, [4, 0]], np.s_[[0], ::-1], np.s_[..., ::-2, [1, 2]], np.s_[::-1, FIRST, ::-3],
    np.s_[None, 1, ..., [0, 2]], np.s_[1, ..., [0, 2], :], np.s_[FIRST, ..., FIRST, :],
]  # fmt: skip


@pytest.mark.parametrize("dtype", ["f4", "i8", "?", "f2"])
def test_indexing_by_arrays(ctx: Context, dtype: str) -> None:
    skip_on_the_stand_in(ctx.backend_name, unless=dtype == "f4")
    x, g = both(ctx, 5, 4, 6, dtype=dtype)
    for key in KEYS:
        ours = on_device(ctx, key)
        if np.size(key if not isinstance(key, tuple) else 1) == 0:
            key = np.array([], int)
        check_bits(g[ours], x[key], f"{key}")
        y, h = x.copy(), g.copy()
        values = np.arange(x[key].size).reshape(x[key].shape).astype(dtype)
        y[key] = values
        h[ours] = values
        check_bits(h, y, f"{key} =")
        y[key] = 1
        h[ours] = 1
        check_bits(h, y, f"{key} = 1")
        y[key] += y.dtype.type(1)
        if dtype != "?":
            h[ours] += 1
            check_bits(h, y, f"{key} += 1")


def on_device(ctx: Context, key: Any) -> Any:
    """Some of the arrays on the device, others as they are."""
    if isinstance(key, tuple):
        return tuple(on_device(ctx, each) for each in key)
    return ctx.alloc_upload(key) if isinstance(key, np.ndarray) and key.size % 2 == 0 else key


def test_masks_of_all_axes(ctx: Context) -> None:
    x, g = both(ctx, 50, 70)
    mask = g > 30
    check_bits(g[mask], x[x > 30], "mask")
    check_bits(g.T[mask.T], x.T[x.T > 30], "transposed")
    for found, wanted in zip(ug.nonzero(mask), np.nonzero(x > 30), strict=True):
        check_bits(found, wanted, "nonzero")
    assert ug.count_nonzero(mask).item() == (x > 30).sum()
    g[mask], x[x > 30] = -1, -1
    check_bits(g, x, "mask =")
    g[g < 0], x[x < 0] = g[g < 0] * 2, x[x < 0] * 2
    check_bits(g, x, "mask = array")
    assert g[g > 1000].shape == (0,)
    with pytest.raises(IndexError, match=r"a mask of shape \[50\] does not fit an array of shape \[70, 50\] at axis 0"):
        g.T[mask[:, 0]]


def test_take_and_put(ctx: Context) -> None:
    x, g = both(ctx, 5, 7)
    i = np.array([[0, -1], [4, 2]])
    j = ctx.alloc_upload(i)
    for axis in (None, 0, 1, -1):
        check_bits(ug.take(g, j, axis), x.take(i, axis), f"take {axis}")
        check_bits(ug.take(g.T, j, axis), x.T.take(i, axis), f"take {axis}")
    order = np.argsort(x, 1, kind="stable")
    check_bits(ug.take_along_axis(g, ctx.alloc_upload(order), 1), np.take_along_axis(x, order, 1), "along")
    repeated = np.array([3, 3, 8, 3, 0, 8])
    ug.put(g, ctx.alloc_upload(repeated), ctx.alloc_upload(np.arange(6, dtype="f4")))
    np.put(x, repeated, np.arange(6))
    check_bits(g, x, "put")
    backwards = np.arange(35)[::-1].reshape(5, 7).copy()
    ug.put(g, ctx.alloc_upload(backwards), g)
    np.put(x, backwards, x)
    check_bits(g, x, "put an array into itself")
    with pytest.raises(TypeError, match="an array is indexed by whole numbers or bools, not by f32"):
        g[g]
    if ctx.device.dlpack_type == 1:
        for wrong in ([7], [-8]):
            with pytest.raises(IndexError, match=f"index {wrong[0]} along axis 1, which has 7 elements"):
                g[:, wrong]


@pytest.mark.parametrize("dtypes", [("f4", "f4"), ("i4", "i4"), ("u1", "i2"), ("i4", "f4")])
def test_products_of_matrices(ctx: Context, dtypes: tuple[str, str]) -> None:
    skip_on_the_stand_in(ctx.backend_name, unless=dtypes[0] == "i4")
    shapes = [((3, 4), (4, 5)), ((2, 3, 4), (4, 5)), ((2, 1, 3, 4), (6, 4, 2)), ((4,), (2, 4, 3)), ((5, 2, 4), (4,)),
              ((4,), (4,)), ((2, 0, 4), (4, 3)), ((2, 3, 0), (0, 3)), ((0, 2, 2), (2, 2))]  # fmt: skip
    for first, second in shapes:
        rng = np.random.default_rng(1)
        x, y = rng.integers(0, 9, first).astype(dtypes[0]), rng.integers(0, 9, second).astype(dtypes[1])
        g, h = (
            ctx.alloc_upload(each) if each.size else ctx.alloc(each.shape, f"{each.dtype.kind}{8 * each.itemsize}")
            for each in (x, y)
        )
        check_bits(g @ h, np.asarray(x @ y), f"{first} {second}")
        if x.ndim > 2 and x.size:
            check_bits(g.mT.mT[::-1] @ h, np.asarray(x[::-1] @ y), f"{first} {second} backwards")


def test_what_does_not_fit(cpu: Context) -> None:
    x = cpu.alloc_upload(np.arange(12).reshape(3, 4))
    ug.put(x, cpu.alloc_upload([0, -1]), 5)
    assert (x[0, 0].item(), x[2, 3].item(), x[cpu.arange(3)[1]].tolist()) == (5, 5, [4, 5, 6, 7])
    wrong: list[tuple[Any, type[Exception], str]] = [
        (lambda: x["a"], TypeError, "not by a str"),
        (lambda: x[{}], TypeError, "not by a dict"),
        (lambda: x[True], TypeError, r"indexed by arrays of bools, not by True; use int\(True\) for a row"),
        (lambda: x[[0, 1], False], TypeError, "indexed by arrays of bools, not by False"),
        (lambda: x[[1.5]], TypeError, "indexed by whole numbers or bools, not by f32"),
        (lambda: x[[0, 1], [0, 1, 2]], ValueError, r"shapes \[2\] and \[3\] cannot be combined"),
        (lambda: x[x > 1, 0], IndexError, r"3 indices of an array of shape \[3, 4\]"),
        (lambda: x.__setitem__([0, 1], [1, 2, 3]), ValueError, r"shape \[3\] cannot be assigned to shape \[2, 4\]"),
        (lambda: ug.take(x, [1]), TypeError, "an index is a list, not an array of a device"),
        (lambda: cpu.linspace(0, 1, 2.5), TypeError, "the count of linspace is a whole number, not 2.5"),
        (lambda: cpu.linspace("a", 1, 2), TypeError, "the start of linspace is a number, not 'a'"),
        (lambda: cpu.linspace(0, 1, -1), ValueError, "linspace makes no -1 numbers"),
        (lambda: cpu.eye(-1), ValueError, "an array cannot have the shape"),
        (lambda: cpu.eye(2, k="a"), TypeError, "the diagonal k is a whole number, not 'a'"),
        (lambda: ug.tril(x, k=0.5), TypeError, "the diagonal k is a whole number, not 0.5"),
        (lambda: cpu.arange("a"), TypeError, "arange goes over numbers, not over 'a'"),
        (lambda: cpu.arange(float("inf")), ValueError, "arange does not end at inf"),
        (lambda: ug.meshgrid(x[0], 3), TypeError, "an operand is an int, not an array"),
        (lambda: x.permute_dims(0), ValueError, "the axes of an array of shape"),
        (lambda: x.permute_dims(0.5, 1), TypeError, "an axis is a whole number"),
        (lambda: ug.take_along_axis(x, cpu.arange(2)), ValueError, r"indices of shape \[2\] do not fit shape \[3, 4\]"),
        (lambda: ug.roll(x, 1.5), TypeError, "a shift is a whole number, or one for each axis, not 1.5"),
        (lambda: x.repeat(-1), ValueError, "each element is repeated 0 times or more, not -1 times"),
        (lambda: x.repeat(1.5), TypeError, "a count of repeats is a whole number, not 1.5"),
        (lambda: ug.repeat(x, cpu.arange(-1, 2), 0), ValueError, "repeated 0 times or more, not -1 times"),
        (lambda: ug.tile(x, (1, -1)), ValueError, r"an array is repeated 0 times or more, not \[1, -1\] times"),
        (lambda: ug.clip(x, "a", 2), TypeError, "an operand is a str, neither an array of a device nor a number"),
        (lambda: x.cast("f32") << 1, TypeError, r"is for whole numbers, not for f32; convert: array.cast\('i32'\)"),
        (lambda: ug.put(x, cpu.arange(2), cpu.ones(2)), TypeError, "f32 is not assigned to i64; convert it: array"),
        (lambda: ug.take(x, cpu.full((1,), 1 << 63, "u64")), IndexError, "index 9223372036854775808 along axis 0"),
        (lambda: ug.expand_dims(x, 3), ValueError, r"of shape \[3, 4\] cannot have a new axis 3: it gets 3 axes"),
        (lambda: x.var(correction="a"), TypeError, "the correction is a number, not 'a'"),
        (lambda: ug.concatenate(5), TypeError, "several arrays are wanted, as a list or a tuple, not an int"),
        (lambda: ug.stack([x, 1]), TypeError, "an operand is an int, not an array of a device"),
        (lambda: x.view("i4"), AttributeError, r"cast\(dtype\) for another dtype"),
    ]
    for call, error, told in wrong:
        with pytest.raises(error, match=told):
            call()


def test_indices_of_another_context(cpu: Context) -> None:
    x = cpu.arange(4)
    with Context(backend="cpu") as other:
        for key in (other.arange(2), other.ones(4, "bool")):
            for use in (
                lambda key=key: x[key],
                lambda key=key: x.__setitem__(key, 1),
                lambda key=key: ug.take(x, key.cast("i64")),
                lambda key=key: ug.put(x, key.cast("i64"), 1),
                lambda key=key: ug.put(x, cpu.arange(2), key),
                lambda key=key: ug.repeat(x, key.cast("i64")),
            ):
                with pytest.raises(MixedContextsError, match=r"arrays of .* cannot be combined; bring one"):
                    use()


def test_arguments_of_random_numbers_that_do_not_fit(cpu: Context) -> None:
    random = cpu.random
    wrong: list[tuple[Any, type[Exception], str]] = [
        (lambda: random.seed("a"), TypeError, "a seed is a whole number, not 'a'"),
        (lambda: random.seed(-1), ValueError, "a seed is a whole number from 0 to"),
        (lambda: random.normal(3, 0, -1), ValueError, "the deviation of normal is 0 or more, not -1"),
        (lambda: random.normal(3, "a"), TypeError, "the mean of normal is a number, not 'a'"),
        (lambda: random.uniform(3, 0, None), TypeError, "`high` of uniform is a number, not None"),
        (lambda: random.integers(0.5, 3, 3), TypeError, "`low` of integers is a whole number, not 0.5"),
        (lambda: random.permutation(-1), ValueError, "a permutation has 0 numbers or more, not -1"),
        (lambda: random.permutation(2.5), TypeError, "the count of a permutation is a whole number, not 2.5"),
    ]
    for call, error, told in wrong:
        with pytest.raises(error, match=told):
            call()
    assert random.permutation(0).shape == (0,)
    assert (random.normal(3, 2, 0) == 2).all().item()
