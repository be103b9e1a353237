"""Arrays: what goes up comes down, whatever its shape and dtype, and what does not fit is refused."""

from __future__ import annotations

import array
import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests import processes
from unified_gpu import ClosedError, Context, GpuArray, MixedContextsError
from unified_gpu.dtypes import DTYPES, as_dtype

NUMPY_DTYPES = [name for name, dtype in DTYPES.items() if dtype.numpy]


def some(name: str, *shape: int) -> np.ndarray:
    """Numbers that every dtype has."""
    return np.arange(np.prod(shape)).reshape(shape).astype(DTYPES[name].numpy)


@pytest.mark.parametrize("name", NUMPY_DTYPES)
def test_every_dtype_goes_up_and_down(ctx: Context, name: str) -> None:
    data = some(name, 3, 5)
    up = ctx.alloc_upload(data)
    assert (up.dtype.name, up.shape, up.ndim, len(up), up.size, up.size_bytes) == (name, (3, 5), 2, 3, 15, data.nbytes)
    down = up.download()
    assert down.dtype == data.dtype
    np.testing.assert_array_equal(down, data)
    assert up.tolist() == data.tolist()
    assert up[2][4].item() == data[2, 4].item()


def test_lists_become_the_contexts_dtype(ctx: Context) -> None:
    assert ctx.alloc_upload([1.0, 2]).dtype.name == "f32"
    assert ctx.alloc_upload([1, 2]).dtype.name == "i64"
    assert ctx.alloc_upload([True, False]).dtype.name == "bool"
    assert ctx.alloc_upload([1, 2], dtype="u8").tolist() == [1, 2]
    assert ctx.alloc_upload([[1.5, 2.5], [3.5, 4.5]], dtype="f16").tolist() == [[1.5, 2.5], [3.5, 4.5]]
    assert ctx.alloc_upload(7.5).item() == 7.5
    assert ctx.alloc_upload(np.float64(7.5)).item() == 7.5
    with Context(backend=ctx.backend_name, dtype="f64") as other:
        assert other.alloc_upload([1.0]).dtype.name == other.alloc(1).dtype.name == "f64"


@pytest.mark.parametrize("kind", [bytes, bytearray, lambda data: array.array("B", data), np.uint8])
def test_buffers_are_taken(ctx: Context, kind: Callable[[list[int]], object]) -> None:
    assert ctx.alloc_upload(kind([1, 2, 3])).tolist() == [1, 2, 3]


def test_arrays_with_gaps_are_taken_in_their_order(ctx: Context) -> None:
    data = np.arange(24, dtype="f4").reshape(4, 6)
    for part in (data[::2], data[:, 1:3], data.T, data[::-1]):
        np.testing.assert_array_equal(ctx.alloc_upload(part).download(), part)


@pytest.mark.torch
def test_a_tensor_of_the_cpu_is_taken(ctx: Context) -> None:
    torch = pytest.importorskip("torch")
    assert ctx.alloc_upload(torch.tensor([1.0, 2.0])).tolist() == [1.0, 2.0]
    with pytest.raises((TypeError, BufferError, RuntimeError), match="grad"):
        ctx.alloc_upload(torch.ones(2, requires_grad=True))


@pytest.mark.torch
@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_halves_of_torch_keep_their_dtype(ctx: Context, name: str) -> None:
    torch = pytest.importorskip("torch")
    halves = torch.tensor([1.0, 1.5, -2.0], dtype=getattr(torch, name))
    up = ctx.alloc_upload(halves)
    assert (up.dtype, up.tolist()) == (as_dtype(name), [1.0, 1.5, -2.0])
    assert ctx.alloc(3, name).upload(halves).tolist() == [1.0, 1.5, -2.0]
    assert torch.equal(up.download(torch.empty_like(halves)), halves)


def test_bf16_comes_down_as_f32(ctx: Context) -> None:
    up = ctx.alloc_upload([1.0, 1.5, -2.0], dtype="bf16")
    assert up.dtype.name == "bf16"
    assert up.size_bytes == 6
    down = up.download()
    assert (down.dtype, down.tolist(), up.tolist(), up[1].item()) == (np.float32, [1, 1.5, -2], [1, 1.5, -2], 1.5)
    bits = up.download(np.empty(3, "u2"))
    assert bits.tolist() == [0x3F80, 0x3FC0, 0xC000]


def test_upload_into_an_array(ctx: Context) -> None:
    there = ctx.alloc((2, 2))
    assert there.upload([[1, 2], [3, 4]]).tolist() == [[1, 2], [3, 4]]
    assert there.upload(np.arange(4, dtype="f4")).tolist() == [[0, 1], [2, 3]]


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        ([1.0, 2.0, 3.0], ValueError, r"data of shape \[3\] cannot be uploaded to an array of shape \[2, 2\]"),
        ([[1.0, 2.0], [3.0]], ValueError, "ragged data: rows along axis 1 have 1 to 2 elements"),
        ([[1.0, 2.0], 3.0], ValueError, "ragged data"),
        (np.zeros((2, 2)), TypeError, r"f64 data cannot be uploaded to a f32 array; convert it .*cast\('f32'\)"),
        (np.zeros((4, 1), "f4"), ValueError, r"shape \[4, 1\]"),
        (np.zeros((2, 2), "c8"), TypeError, "elements of format 'Zf' have no dtype"),
        (["a", "b"], TypeError, "'a' is no number"),
        ([np.zeros(2), np.zeros(2)], TypeError, "a ndarray is not a single number; make one array of several first"),
        ({1: 2}, TypeError, "a dict cannot be uploaded; make it a list or a NumPy array"),
        (None, TypeError, "a NoneType cannot be uploaded"),
        (np.zeros(2, "c8"), TypeError, "; complex numbers are left out: use DLPack with CuPy or torch$"),
        (np.zeros((2, 2), ">f4"), TypeError, r"elements of format '>f' have no dtype; .*newbyteorder\('='\)"),
        (np.zeros((2, 2), "M8[s]"), TypeError, "cannot include dtype 'M' in a buffer; convert to one of f16"),
    ],
)
def test_what_cannot_be_uploaded(ctx: Context, data: object, error: type[Exception], message: str) -> None:
    there = ctx.alloc_zeros((2, 2))
    with pytest.raises(error, match=message):
        there.upload(data)
    assert there.tolist() == [[0, 0], [0, 0]]


@pytest.mark.parametrize("data", [[], [[]], np.zeros((0, 3), "f4"), b""])
def test_empty_data_is_refused(ctx: Context, data: object) -> None:
    with pytest.raises(ValueError, match=r"no data in an array of shape .*; ctx.alloc makes an empty array"):
        ctx.alloc_upload(data)


def test_empty_arrays_work(ctx: Context) -> None:
    empty = ctx.alloc((0, 3))
    assert (empty.download().shape, empty.tolist(), len(empty), empty.size_bytes) == ((0, 3), [], 0, 0)
    assert empty.fill(1).upload(np.zeros((0, 3), "f4")).copy().reshape(3, 0).tolist() == [[], [], []]
    assert (empty + 1).shape == (0, 3)


def test_numbers_that_do_not_fit(ctx: Context) -> None:
    with pytest.raises(OverflowError, match="300 does not fit in u8"):
        ctx.alloc_upload([1, 300], dtype="u8")
    with pytest.raises(TypeError, match=r"1\.5 is not a whole number"):
        ctx.alloc_upload([1, 1.5], dtype="i32")
    with pytest.raises(OverflowError, match="1e\\+300 does not fit in f32"):
        ctx.alloc_zeros(3) + 1e300
    with pytest.raises(OverflowError, match=r"100000\.0 does not fit in f16"):
        ctx.alloc_zeros(3, "f16").fill(1e5)
    with pytest.raises(OverflowError, match="a whole number of 2001 bits does not fit in f32"):
        ctx.alloc_zeros(3).fill(2**2000)
    with pytest.raises(TypeError, match="None is neither true nor false, nor a number"):
        ctx.alloc_zeros(3, "bool").fill(None)  # type: ignore[arg-type]
    with pytest.raises(OverflowError, match="-1 does not fit in u32"):
        ctx.alloc_zeros(3, "u32").fill(-1)


CONTAINERS: dict[str, Callable[[list[Any], str], Any]] = {
    "list": lambda numbers, dtype: numbers,
    "numpy": lambda numbers, dtype: np.array(numbers, dtype),
    "gaps": lambda numbers, dtype: np.array(numbers * 2, dtype).reshape(2, -1).T,
    "buffer": lambda numbers, dtype: memoryview(np.array(numbers, dtype)),
    "tensor": lambda numbers, dtype: pytest.importorskip("torch").tensor(np.array(numbers, dtype)),
}
KINDS = [pytest.param(name, marks=[pytest.mark.torch] if name == "tensor" else []) for name in CONTAINERS]


@pytest.mark.parametrize("container", KINDS)
def test_data_that_does_not_fit_whatever_holds_it(ctx: Context, container: str) -> None:
    made = CONTAINERS[container]
    cases = [
        ([1, 2**40], "i8", "i32", "1099511627776 does not fit in i32"),
        ([-1, 1], "i8", "u8", "-1 does not fit in u8"),
        ([0, -(2**63)], "i8", "u64", "-9223372036854775808 does not fit in u64"),
        ([1.0, 1e300], "f8", "f32", "does not fit in f32"),
        ([-1e300, math.nan], "f8", "bf16", "does not fit in bf16"),
        ([7e4, math.inf], "f8", "f16", "does not fit in f16"),
        ([70000, 1], "i8", "f16", "does not fit in f16"),
        ([300.0, 1], "f8", "u8", "300 does not fit in u8"),
    ]
    for numbers, kind, dtype, message in cases:
        with pytest.raises(OverflowError, match=message) as refused:
            ctx.alloc_upload(made(numbers, kind.replace("i8", "int64")), dtype)
        assert container == "list" or "casting='unsafe'" in str(refused.value)
    for numbers in ([1.5, 2.0], [1.0, math.nan], [1.0, -math.inf]):
        with pytest.raises(TypeError, match="is not a whole number"):
            ctx.alloc_upload(made(numbers, "f8"), "i32")
    fits = ctx.alloc_upload(made([math.inf, -math.inf, 3.4e38, math.nan], "f8"), "f32")
    assert set(fits.reshape(-1).tolist()) >= {math.inf, -math.inf}
    assert ctx.alloc_upload(made([-128, 127], "int64"), "i8").reshape(-1).tolist()[0] == -128
    assert ctx.alloc_upload(made([2.0, 255.0], "f8"), "u8").reshape(-1).tolist()[-1] == 255
    assert ctx.alloc_upload(made([0.5, 0.0], "f8"), "bool").reshape(-1).tolist()[0] is True


def test_the_ranges_of_data_are_known_without_numpy(cpu: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unified_gpu.arrays.ranges.load_numpy", lambda: None)
    for data, dtype in ((array.array("q", [1, 2**40]), "i32"), (array.array("d", [1, -1e300]), "f32")):
        with pytest.raises(OverflowError, match=f"does not fit in {dtype}"):
            cpu.alloc_upload(data, dtype)
    with pytest.raises(OverflowError, match="does not fit in u8"):
        cpu.alloc_upload(np.array([1, 256], "f2"), "u8")
    assert cpu.alloc_upload(array.array("d", [1, math.inf]), "f32").tolist() == [1, math.inf]


@pytest.mark.parametrize("container", KINDS)
def test_conversions_that_were_asked_for(ctx: Context, container: str) -> None:
    made = CONTAINERS[container]
    wrapped = ctx.alloc_upload(made([2**32 + 5, 258], "int64"), "u8", casting="unsafe").reshape(-1).tolist()
    assert {wrapped[0], wrapped[-1]} == {5, 2}
    large = ctx.alloc_upload(made([1e300, 1.0], "f8"), "f32", casting="unsafe").reshape(-1).tolist()
    assert {large[0], large[-1]} == {math.inf, 1.0}
    whole = ctx.alloc_upload(made([1.75, -1.75], "f8"), "i32", casting="unsafe").reshape(-1).tolist()
    assert {whole[0], whole[-1]} == {1, -1}
    wrong: Any = "safe"
    with pytest.raises(ValueError, match="casting is 'checked' or 'unsafe', not 'safe'"):
        ctx.alloc_upload([1.0], casting=wrong)


@pytest.mark.torch
def test_a_tensor_of_bf16_that_does_not_fit(ctx: Context) -> None:
    torch = pytest.importorskip("torch")
    with pytest.raises(OverflowError, match="does not fit in f16"):
        ctx.alloc_upload(torch.tensor([1.0, 1e38], dtype=torch.bfloat16), "f16")
    with pytest.raises(OverflowError, match="does not fit in u8"):
        ctx.alloc_upload(torch.tensor([1.0, 512], dtype=torch.bfloat16), "u8")
    assert ctx.alloc_upload(torch.tensor([1.0, 256], dtype=torch.bfloat16), "f16").tolist() == [1, 256]


PLACES: list[Callable[[GpuArray, Any], object]] = [
    lambda array, number: array.fill(number),
    lambda array, number: array + number,
    lambda array, number: number * array,
    lambda array, number: array.__setitem__(0, number),
    lambda array, number: array.upload([number] * 3),
    lambda array, number: array.context.alloc_upload(number, array.dtype),
]


@pytest.mark.parametrize("place", PLACES)
def test_single_numbers_that_do_not_fit(ctx: Context, place: Callable[[GpuArray, Any], object]) -> None:
    large = [(dtype, number) for dtype in ("f32", "bf16", "f16") for number in (1e300, np.float64(-1e300))]
    for dtype, number in [*large, ("u8", 300), ("u8", -1), ("u8", np.int64(300))]:
        array = ctx.alloc(3, dtype)
        with pytest.raises(OverflowError, match=f"does not fit in {dtype}"):
            place(array, number)


def test_numbers_of_numpy_are_numbers(ctx: Context) -> None:
    x = ctx.alloc(2)
    x[0] = np.int64(5)
    x[1] = np.float32(0.5)
    assert x.tolist() == [5, 0.5]


def test_pinned_memory_that_does_not_fit(ctx: Context) -> None:
    pinned, floats = ctx.alloc_pinned(2, "i32"), ctx.alloc_pinned(2)
    with pytest.raises(OverflowError, match="1099511627776 does not fit in i32"):
        pinned[0] = 2**40
    with pytest.raises(OverflowError, match="does not fit in f32"):
        floats[0] = 1e300
    pinned[0], pinned[1] = 1, -1
    with pytest.raises(OverflowError, match="-1 does not fit in u8"):
        ctx.alloc_upload(pinned, "u8")
    assert ctx.alloc_upload(pinned, "i8").tolist() == [1, -1]


@pytest.mark.parametrize("shape", [-1, (2, -3)])
def test_shapes_that_cannot_be(ctx: Context, shape: Any) -> None:
    with pytest.raises(ValueError, match="an array cannot have the shape"):
        ctx.alloc(shape)


@pytest.mark.parametrize("shape", ["x", 1.5, None, (1, None), np.zeros(2)])
def test_shapes_that_are_no_whole_numbers(ctx: Context, shape: Any) -> None:
    for make in (ctx.alloc, ctx.alloc_zeros, ctx.alloc_pinned, ctx.alloc(1).reshape):
        with pytest.raises(TypeError, match="a shape is a whole number, or one for each axis, not"):
            make(shape)


@pytest.mark.parametrize("shape", [2**50, 2**62, (2**40, 2**40)])
def test_shapes_beyond_all_memory(ctx: Context, shape: Any) -> None:
    with pytest.raises(MemoryError, match=r"GiB do not fit on .* GiB are free"):
        ctx.alloc(shape)
    with pytest.raises(MemoryError, match="of the host cannot be pinned"):
        ctx.alloc_pinned(shape)
    assert ctx.alloc_zeros(3).tolist() == [0, 0, 0]


def test_download_into_memory_of_the_caller(ctx: Context) -> None:
    up = ctx.alloc_upload(np.arange(6, dtype="f4").reshape(2, 3))
    there = np.zeros((2, 3), "f4")
    assert up.download(there) is there
    np.testing.assert_array_equal(there, [[0, 1, 2], [3, 4, 5]])
    raw = bytearray(24)
    up.download(raw)
    assert np.frombuffer(raw, "f4").tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("out", "error", "message"),
    [
        (np.zeros(5, "f4"), ValueError, r"24 bytes of shape \[2, 3\] do not fit 20 bytes"),
        (np.zeros((2, 3), "i4"), TypeError, "an array of f32 cannot be downloaded to i32"),
        (np.zeros((3, 2), "f4").T, ValueError, "gaps"),
        (bytes(24), TypeError, "read-only"),
        ([0.0] * 6, TypeError, "a list cannot be downloaded to; give a writable buffer"),
    ],
)
def test_what_cannot_be_downloaded_to(ctx: Context, out: object, error: type[Exception], message: str) -> None:
    up = ctx.alloc_upload(np.arange(6, dtype="f4").reshape(2, 3))
    with pytest.raises(error, match=message):
        up.download(out)


def test_pinned_memory_and_copies_beside_python(ctx: Context) -> None:
    source, target = ctx.alloc_pinned((2, 3)), ctx.alloc_pinned((2, 3), "f32")
    source.numpy()[:] = [[1, 2, 3], [4, 5, 6]]
    up = ctx.alloc_upload(source, non_blocking=True)
    up.download(target, non_blocking=True)
    later = up.download(non_blocking=True)
    ctx.sync()
    assert target.tolist() == later.tolist() == [[1, 2, 3], [4, 5, 6]]
    assert np.asarray(target)[1, 1] == 5
    assert (len(target), target.shape, target.size_bytes, target.view[1, 2]) == (2, (2, 3), 24, 6.0)
    target.close()
    target.close()
    assert target.tolist() == [[1, 2, 3], [4, 5, 6]]


def test_what_pinned_memory_leaves_to_numpy(cpu: Context) -> None:
    flat, square = cpu.alloc_pinned(3), cpu.alloc_pinned((2, 2))
    flat[0], square[1, 1] = 1.0, 2.0
    assert (next(iter(flat)), square.numpy()[1].tolist()[1]) == (1.0, 2.0)

    def assign(array: Any, key: object, value: object) -> None:
        array[key] = value

    uses: list[Callable[[], object]] = [
        lambda: square[0], lambda: list(square), lambda: assign(square, 0, [1.0, 2.0]), lambda: assign(flat, 0, None),
        lambda: assign(flat, slice(None), [1.0, 2.0, 3.0]),
        lambda: assign(cpu.alloc_pinned(1, "i32"), slice(None), [1]),
    ]  # fmt: skip
    for use in uses:
        with pytest.raises(TypeError, match=r"rows and whole arrays by numpy\(\)"):
            use()
    for dtype, value in (("i32", 2**40), ("f32", 1e300)):
        with pytest.raises(OverflowError):
            assign(cpu.alloc_pinned(1, dtype), 0, value)


def test_memory_of_a_copy_lives_until_its_turn(ctx: Context) -> None:
    arrays = []
    for i in range(50):
        source = ctx.alloc_pinned(1000, "i32")
        source.numpy()[:] = i
        arrays.append(ctx.alloc_upload(source.numpy(), non_blocking=True))
        del source
    ctx.sync()
    assert [a[999].item() for a in arrays] == list(range(50))


def test_views_share_memory_and_keep_it(ctx: Context) -> None:
    whole = ctx.alloc_upload(np.arange(12, dtype="i4").reshape(4, 3))
    rows, row = whole[1:3], whole[-1]
    rows.fill(7)
    assert whole.tolist() == [[0, 1, 2], [7, 7, 7], [7, 7, 7], [9, 10, 11]]
    flat = whole.reshape(-1)
    del whole
    assert flat.tolist()[3:9] == [7] * 6
    assert (rows.shape, row.tolist(), rows[1:][0].tolist()) == ((2, 3), [9, 10, 11], [7, 7, 7])
    assert [r.tolist() for r in flat.reshape(4, 3)] == flat.reshape((4, 3)).tolist()
    assert flat[20:].shape == flat[5:2].shape == (0,)


INDICES: list[Any] = [
    (slice(None), 1), (1, 2), (-1, -1), (Ellipsis, 0), (0, Ellipsis), (slice(1, 3), slice(2, None)),
    slice(None, None, 2), (slice(None), slice(3, 0)), (slice(None), slice(1, 4, 2), 0), (None, 1),
    (slice(None), None, slice(0, 1)), (1, 2, 1), (slice(0, 1), Ellipsis, slice(1, 2)), (), np.int64(1),
    (slice(1, 2), slice(0, 1), slice(0, 1)),
]  # fmt: skip


def test_indices_of_several_axes(ctx: Context) -> None:
    data = np.arange(24, dtype="f4").reshape(3, 4, 2)
    up = ctx.alloc_upload(data)
    for key in INDICES:
        view, expected = up[key], data[key]
        assert view.shape == expected.shape, key
        np.testing.assert_array_equal(view.download(), expected, err_msg=str(key))
        np.testing.assert_array_equal((view + 1).download(), expected + 1, err_msg=str(key))
        np.testing.assert_array_equal(view.sum().download(), expected.sum(), err_msg=str(key))
        assert view.contiguous().tolist() == expected.tolist(), key
        if expected.ndim:
            assert [row.tolist() for row in view] == expected.tolist(), key
    assert up[:, 1][1:, 0].tolist() == data[:, 1][1:, 0].tolist()
    assert up[1, 2].is_contiguous
    assert not up[:, 1].is_contiguous
    up[1, 2] = [7, 8]
    up[0, 0, 0] = 5
    assert up[1, 2].tolist() == [7, 8]
    assert up[0, 0].tolist() == [5, 1]
    with pytest.raises(ValueError, match=r"an array with gaps between its elements; use its contiguous"):
        up[:, 1].reshape(-1)


def test_single_elements_as_numbers(ctx: Context) -> None:
    x = ctx.alloc_upload([[1.5, 2.25]])
    assert (float(x[0, 0]), int(x[0, 1]), f"{x[0, 0]:.2f}", f"{x[0][1]:8.3f}") == (1.5, 2, "1.50", "   2.250")
    assert f"{x}" == str(x)
    assert f"{ctx.alloc_upload([7])[0]:d}" == "7"
    assert math.sqrt(x[0, 1]) == 1.5
    for wrong in (float, int):
        with pytest.raises(ValueError, match=r"an array of shape \[1, 2\] is not a single number"):
            wrong(x)
    with pytest.raises(TypeError, match=r"the format '.2f' is for a single number, not for shape \[1, 2\]"):
        f"{x:.2f}"


def test_what_other_libraries_call_otherwise(ctx: Context) -> None:
    x: Any = ctx.alloc_zeros((2, 3))
    for name, way in {"astype": "cast", "numpy": "download", "cpu": "download", "flatten": "reshape"}.items():
        with pytest.raises(AttributeError, match=rf"a GpuArray has no '{name}'; use {way}"):
            getattr(x, name)
    with pytest.raises(AttributeError, match=r"a GpuArray has no 'nonsense'$"):
        _ = x.nonsense
    assert not hasattr(x, "__length_hint__")


def test_what_cannot_be_set_says_what_to_do(ctx: Context) -> None:
    x: Any = ctx.alloc_upload([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    pinned: Any = ctx.alloc_pinned((2, 3))
    ways = {
        (x, "shape"): r"shape of a GpuArray cannot be set; x\.reshape\(…\) is a view in another shape",
        (x, "ndim"): r"ndim of a GpuArray cannot be set; x\.reshape",
        (x, "size"): r"x\.reshape",
        (x, "size_bytes"): r"x\.reshape",
        (x, "strides"): r"x\.T, x\.permute_dims",
        (x, "dtype"): r"x\.cast\(dtype\)",
        (x, "context"): r"ctx\.alloc_upload\(x\.download\(\)\)",
        (pinned, "shape"): r"shape of a PinnedArray cannot be set; x\.numpy\(\)\.reshape",
        (pinned, "dtype"): r"x\.numpy\(\)\.astype",
    }
    for (of, name), way in ways.items():
        before = getattr(of, name)
        with pytest.raises(AttributeError, match=way):
            setattr(of, name, before)
        with pytest.raises(AttributeError):
            delattr(of, name)
        assert getattr(of, name) is before or getattr(of, name) == before
    for name in ("T", "mT", "device", "is_contiguous", "pointer", "offset"):
        with pytest.raises(AttributeError):
            setattr(x, name, 0)
    assert x.reshape(3, 2).tolist() == [[1, 2], [3, 4], [5, 6]]


def test_putting_something_into_a_view(ctx: Context) -> None:
    a = ctx.alloc_zeros((3, 2))
    a[0] = 5
    a[1:2] = [[1, 2]]
    a[2] = a[1]
    assert a.tolist() == [[5, 5], [1, 2], [1, 2]]
    a[...] = 0
    assert a.tolist() == [[0, 0]] * 3


def test_indices_that_are_not_there(ctx: Context) -> None:
    a = ctx.alloc((3, 2))
    for wrong in (3, -4):
        with pytest.raises(IndexError, match=rf"row {wrong} of an array of shape \[3, 2\]"):
            a[wrong]
    with pytest.raises(IndexError, match=r"index 2 along axis 1 of an array of shape \[3, 2\]"):
        a[0, 2]
    with pytest.raises(IndexError, match=r"3 indices of an array of shape \[3, 2\]"):
        a[0, 0, 0]
    with pytest.raises(IndexError, match=r"one `\.\.\.` at the most"):
        a[..., 0, ...]
    with pytest.raises(ValueError, match="slice step cannot be zero"):
        a[::0]
    wrong: Any
    for wrong in (np.array([True, False]), (slice(None), a > 0)):
        with pytest.raises(IndexError, match="a mask of shape"):
            a[wrong]
    with pytest.raises(TypeError, match="indexed by whole numbers or bools, not by f32"):
        a[a]
    for wrong in ("x", 1.0, (0, 1.0), slice(0, "x")):
        with pytest.raises(TypeError, match=r"integers, slices|made of whole numbers"):
            a[wrong]
    with pytest.raises(IndexError, match="use item"):
        a[0][0][0]
    with pytest.raises(TypeError, match="no length"):
        len(a[0][0])
    with pytest.raises(ValueError, match="not a single number"):
        a.item()
    with pytest.raises(ValueError, match="neither true nor false"):
        bool(a)


def test_reshape(ctx: Context) -> None:
    a = ctx.alloc_upload(np.arange(6, dtype="f4"))
    assert a.reshape(2, -1).tolist() == a.reshape((2, 3)).tolist() == [[0, 1, 2], [3, 4, 5]]
    for wrong in ((4, 2), (-1, 4), (-1, -1), (-2, -3)):
        with pytest.raises(ValueError, match=r"an array of shape \[6\] cannot be reshaped"):
            a.reshape(wrong)


def test_transposes(ctx: Context) -> None:
    data = np.arange(6, dtype="f4").reshape(2, 3)
    t = ctx.alloc_upload(data).T
    assert (t.shape, t.strides, t.is_contiguous) == ((3, 2), (1, 3), False)
    np.testing.assert_array_equal(t.download(), data.T)
    np.testing.assert_array_equal(t[1].download(), data.T[1])
    np.testing.assert_array_equal(t[1:].download(), data.T[1:])
    np.testing.assert_array_equal((t + t).download(), data.T * 2)
    np.testing.assert_array_equal(t.copy().reshape(-1).download(), data.T.reshape(-1))
    np.testing.assert_array_equal(t.copy_to(ctx.alloc(6)).download(), data.T.reshape(-1))
    assert t.T.is_contiguous
    with pytest.raises(ValueError, match="a transposed array; use its contiguous"):
        t.reshape(6)
    with pytest.raises(ValueError, match="only a matrix has a transpose"):
        _ = ctx.alloc(3).T


def test_copies_on_the_device(ctx: Context) -> None:
    a = ctx.alloc_upload([1.0, 2.0, 3.0])
    b = a.copy()
    a.fill(0)
    assert b.tolist() == [1, 2, 3]
    b[1:].copy_to(a[:2])
    assert a.tolist() == [2, 3, 0]
    with pytest.raises(TypeError, match=r"an array of a device is wanted, not a ndarray; use array.download\(out\)"):
        a.copy_to(np.zeros(3, "f4"))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"f32 cannot be copied to f64; use array.cast\('f64', out=out\)"):
        a.copy_to(ctx.alloc(3, "f64"))
    with pytest.raises(ValueError, match=r"shape \[3\] cannot be copied to shape \[2\]"):
        a.copy_to(ctx.alloc(2))
    with Context(backend=ctx.backend_name) as other, pytest.raises(MixedContextsError, match=r"out.upload\(array.down"):
        a.copy_to(other.alloc(3))


@pytest.mark.quick(12)
@pytest.mark.parametrize("name", DTYPES)
def test_fill(ctx: Context, name: str) -> None:
    a = ctx.alloc(1000, name).fill(1)
    a[3:5] = 0
    assert a.cast("i32").tolist() == [1, 1, 1, 0, 0] + [1] * 995


def test_what_it_says(ctx: Context) -> None:
    a = ctx.alloc((2, 3), "u8")
    assert a.pointer
    assert a[1].pointer == a.pointer + 3
    assert isinstance(a, GpuArray)
    assert len({a, a[:]}) == 2


def test_after_close_everything_raises(backend: str) -> None:
    with Context(backend=backend) as ctx:
        a, pinned = ctx.alloc_upload([1.0, 2.0]), ctx.alloc_pinned(2)
        view, stream, event = a[1:], ctx.create_stream(), ctx.create_event()
    uses = [
        a.download, view.item, a.tolist, a.copy, lambda: a + 1, lambda: a.fill(0), lambda: a.upload([1.0, 2.0]),
        lambda: a.cast("i32"), lambda: view.download(), lambda: ctx.alloc(1), lambda: ctx.alloc_pinned(1), ctx.sync,
        ctx.create_stream, ctx.create_event, ctx.memory_info, ctx.trim, ctx.memory_statistics, stream.synchronize,
        stream.query, stream.record, event.query, event.synchronize, lambda: a.pointer, lambda: ctx.__enter__(),
    ]  # fmt: skip
    for use in uses:
        with pytest.raises(ClosedError, match="was closed"):
            use()
    assert (view.shape, len(view), ctx.closed, stream.closed) == ((1,), 1, True, True)
    pinned.numpy()[:] = 3
    for made in (ctx, stream, event, pinned):
        made.close()


def test_without_numpy() -> None:
    code = """
import sys
from collections.abc import Callable
sys.modules["numpy"] = None
from unified_gpu import Context
with Context(backend="cpu") as ctx:
    a = ctx.alloc_upload([[1.5, 2.5], [3.5, 4.5]])
    down = a.download()
    assert type(down).__name__ == "array" and list(down) == [1.5, 2.5, 3.5, 4.5], down
    assert a.tolist() == [[1.5, 2.5], [3.5, 4.5]]
    assert a.cast("f16").download().tolist() == [1.5, 2.5, 3.5, 4.5]
    assert a.gt(2).download().tolist() == [[False, True], [True, True]]
    out = a.download(non_blocking=True)
    ctx.sync()
    assert out.tolist() == [[1.5, 2.5], [3.5, 4.5]]
    try:
        ctx.alloc_pinned(1).numpy()
    except ImportError as error:
        assert "NumPy is not installed" in str(error)
"""
    done = processes.run([sys.executable, "-c", code])
    assert done.returncode == 0, done.stderr
