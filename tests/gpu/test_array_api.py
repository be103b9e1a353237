"""The names of the Python array API standard."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import unified_gpu
from tests.gpu.places import ROOT
from tests.gpu.test_random_operations import check_bits
from unified_gpu import Context, elsewhere, library

NAMES = """
abs acos acosh add all any arange argmax argmin argsort asarray asin asinh astype atan atan2 atanh bitwise_and
bitwise_invert bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor bool broadcast_arrays
broadcast_shapes broadcast_to can_cast ceil clip concat conj copysign cos cosh count_nonzero cumulative_prod
cumulative_sum diff divide e empty empty_like equal exp expand_dims expm1 eye flip float32 float64 floor
finfo floor_divide from_dlpack full full_like greater greater_equal hypot iinfo inf int16 int32 int64 int8 isdtype
isfinite isin isinf isnan less less_equal linspace log log10 log1p log2 logaddexp logical_and logical_not
logical_or logical_xor matmul matrix_transpose max maximum mean meshgrid min minimum moveaxis multiply nan
negative newaxis nonzero not_equal ones ones_like permute_dims pi positive pow prod reciprocal remainder
repeat reshape result_type roll round searchsorted sign signbit sin sinh sort sqrt square squeeze stack std
subtract sum take take_along_axis tan tanh tensordot tile tril triu trunc uint16 uint32 uint64 uint8 unique_all
unique_counts unique_inverse unique_values unstack var vecdot where zeros zeros_like
__array_namespace_info__
""".split()
LEFT_OUT = "complex64 complex128 imag real nextafter".split()


def test_names(cpu: Context) -> None:
    xp = cpu.alloc(1).__array_namespace__(api_version="2025.12")
    assert [name for name in NAMES if not hasattr(xp, name)] == []
    for name in LEFT_OUT:
        with pytest.raises(AttributeError, match=f"have no {name}; use DLPack with CuPy or torch"):
            getattr(xp, name)


def test_a_program_in_names_of_the_standard(ctx: Context) -> None:
    with ctx:
        xp = ctx.alloc(1).__array_namespace__()
        x = xp.reshape(xp.arange(12, dtype=xp.float32), (3, 4))
        mean = xp.mean(x, axis=0, keepdims=True)
        scaled = xp.divide(xp.subtract(x, mean), xp.std(x, axis=0))
        y = np.arange(12, dtype="f4").reshape(3, 4)
        np.testing.assert_allclose(scaled.download(), (y - y.mean(0)) / y.std(0), rtol=1e-6, atol=1e-6)
        check_bits(xp.concat([x, xp.ones((1, 4))]), np.concatenate([y, np.ones((1, 4), "f4")]), "concat")
        check_bits(xp.diff(x, axis=0), np.diff(y, axis=0), "diff")
        values, counts = xp.unique_counts(xp.asarray([3, 1, 3]))
        assert (values.tolist(), counts.tolist()) == ([1, 3], [1, 2])
        assert xp.isdtype(x.dtype, "real floating")
        assert xp.result_type(xp.int32, x) == xp.float64
        assert not xp.can_cast(xp.float64, xp.float32)
        assert x.device == f"{ctx.backend_name}:0"


def test_limits_and_dtypes(ctx: Context) -> None:
    with ctx:
        xp = ctx.array_namespace
        for ours, theirs in ((xp.float32, np.finfo("f4")), (xp.float64, np.finfo("f8"))):
            found = xp.finfo(ours)
            assert (found.bits, found.eps, found.max, found.min) == (theirs.bits, theirs.eps, theirs.max, theirs.min)
            assert (found.smallest_normal, found.dtype) == (theirs.smallest_normal, ours)
        assert xp.iinfo(ctx.alloc(1, "i8"))[:3] == (8, 127, -128)
        with pytest.raises(TypeError, match="finfo is for floats, not for i8; use iinfo"):
            xp.finfo("i8")
        with pytest.raises(TypeError, match="iinfo is for whole numbers, not for bool; use finfo"):
            xp.iinfo(xp.bool)
        with pytest.raises(ValueError, match="a dtype follows from arrays and dtypes; there are none"):
            xp.result_type(1, 2.0)
        info = xp.__array_namespace_info__()
        assert info.devices() == (info.default_device(),) == (ctx.alloc(1).device,)
        assert info.dtypes(kind=("bool", "unsigned integer")).keys() == {"bool", "uint8", "uint16", "uint32", "uint64"}
        assert info.default_dtypes() == {"real floating": "f32", "integral": "i64", "indexing": "i64"}
        assert info.capabilities()["boolean indexing"]


def test_arguments_of_the_standard(ctx: Context) -> None:
    with ctx:
        xp, x, y = ctx.array_namespace, ctx.alloc_upload([[3, 1, 2], [1, 3, 4]], "i32"), [[3, 1, 2], [1, 3, 4]]
        assert (xp.sum(x, axis=0, dtype=xp.int8).dtype, xp.prod(x, dtype=xp.float32).item()) == ("i8", 72)
        assert xp.clip(x, min=2, max=None).tolist() == np.clip(y, 2, None).tolist()
        assert xp.argsort(x, descending=True, stable=True).tolist() == [[0, 2, 1], [2, 1, 0]]
        assert xp.searchsorted(x[0], xp.asarray([2, 3]), sorter=xp.argsort(x[0])).tolist() == [1, 2]
        assert xp.searchsorted(xp.asarray([1, 2, 4]), 3).item() == 2
        assert (
            xp.diff(x, prepend=x[:, :1], append=x).tolist()
            == np.diff(y, prepend=x.download()[:, :1], append=y).tolist()
        )
        assert [xp.repeat(x, n, axis=1).tolist() for n in (xp.asarray([0, 2, 1]), xp.asarray([2]))] == [
            np.repeat(y, n, axis=1).tolist() for n in ([0, 2, 1], [2])
        ]
        with pytest.raises(ValueError, match=r"repeats of shape \[2\] do not fit 3 elements along axis 1"):
            xp.repeat(x, xp.asarray([1, 2]), axis=1)
        assert xp.isin(x, xp.asarray([4, 1])).tolist() == np.isin(y, [4, 1]).tolist()
        assert xp.isin(x, 3, invert=True).tolist() == np.isin(y, 3, invert=True).tolist()
        assert not xp.any(xp.isin(x, xp.asarray([])))
        for axes in (0, 1, ((1, 0), (0, 1))):
            assert xp.tensordot(x, x.T, axes=axes).tolist() == np.tensordot(y, np.transpose(y), axes).tolist()
        with pytest.raises(ValueError, match=r"shapes \[2, 3\] and \[2, 3\] differ along axes \[1\] and \[0\]"):
            xp.tensordot(x, x, axes=1)
        assert (xp.vecdot(x, x[:1]).tolist(), xp.vecdot(x, x, axis=0).dtype, xp.conj(x) is x) == ([14, 14], "i32", True)
        with pytest.raises(ValueError, match=r"shapes \[2, 3\] and \[2, 1\] differ along axis -1"):
            xp.vecdot(x, x[:, :1])
        assert isinstance(xp.meshgrid(x[0]), tuple)
        assert (xp.broadcast_shapes(), isinstance(xp.broadcast_arrays(x, x), tuple)) == ((), True)


def test_empty_data_and_copies(ctx: Context) -> None:
    with ctx:
        xp, x = ctx.array_namespace, ctx.alloc((2, 3))
        empty: tuple[Any, ...] = ([], [[], []], np.zeros((3, 0)))
        assert [xp.asarray(each).shape for each in empty] == [(0,), (2, 0), (3, 0)]
        assert xp.asarray([], dtype=xp.uint8).dtype == "u8"
        assert xp.asarray(x, copy=False) is x
        assert xp.from_dlpack(x) is x
        for copied in (
            xp.from_dlpack(x, copy=True),
            xp.asarray(x, copy=True),
            xp.reshape(x, (2, 3), copy=True),
            xp.astype(x, xp.float32),
        ):
            assert copied._allocation is not x._allocation
        with pytest.raises(ValueError, match="data of the host, a list, comes to a device by a copy alone"):
            xp.asarray([1], copy=False)
        with pytest.raises(ValueError, match="an array of f32 becomes one of i8 by a copy alone"):
            xp.asarray(x, dtype=xp.int8, copy=False)
        with pytest.raises(ValueError, match="cannot reshape a transposed array"):
            xp.reshape(x.T, (6,), copy=False)


def test_devices(ctx: Context) -> None:
    with ctx:
        xp, x = ctx.array_namespace, ctx.alloc(3)
        assert xp.ones_like(x, device=x.device).tolist() == [1, 1, 1]
        with pytest.raises(ValueError, match=r"the array is on .*, not on 'mars:0'"):
            xp.ones_like(x, device="mars:0")
        assert x.to_device(x.device) is x
        with pytest.raises(ValueError, match=r"the current context is on .*, not on 'mars:0'; open another"):
            xp.zeros(3, device="mars:0")
        with pytest.raises(ValueError, match=r"the array is on .*, not on 'mars:0'; upload it there"):
            x.to_device("mars:0")


def test_a_single_element_as_a_number(ctx: Context) -> None:
    x: Any = ctx.alloc_upload([4, 7])
    assert (range(9)[x[0]], complex(x[1])) == (4, 7)
    for wrong in (x, x[0].cast("f32"), x[0] > 1):
        with pytest.raises(TypeError, match="is not a single whole number"):
            range(9)[wrong]
    half = x[1].cast("f32") / 2
    assert ctx.alloc_upload([half, half]).tolist() == ctx.full(2, half).tolist() == [3.5, 3.5]
    assert ctx.full(2, x[1]).dtype == "i64"


def test_a_mask_without_axes(ctx: Context) -> None:
    x, y = ctx.alloc_upload([[1, 2]]), np.array([[1, 2]])
    for number in (0, 3):
        mask = ctx.full((), number) > 1
        assert x[mask].tolist() == y[np.array(number) > 1].tolist()
        assert x[0, 0][mask].shape == y[0, 0][np.array(number) > 1].shape
    x[mask] = [[5, 6]]
    assert x.tolist() == [[5, 6]]


def test_what_is_elsewhere(cpu: Context) -> None:
    for name in ("fft", "linalg", "einsum"):
        with pytest.raises(AttributeError, match=f"has no '{name}'; use DLPack with CuPy or torch"):
            getattr(unified_gpu, name)
    with pytest.raises(AttributeError, match=r"module 'unified_gpu' has no 'nonsense'$"):
        unified_gpu.nonsense  # type: ignore[attr-defined]  # noqa: B018
    ways = {
        "conj": "DLPack", "ravel": r"reshape\(-1\)", "median": "unified_gpu.sort", "fft": "DLPack with CuPy or torch",
        "tobytes": r"download\(\).tobytes\(\)", "searchsorted": r"unified_gpu.searchsorted\(array\)",
        "sin": r"unified_gpu.sin\(array\)",
    }  # fmt: skip
    for name, way in ways.items():
        with pytest.raises(AttributeError, match=f"a GpuArray has no '{name}'; use .*{way}"):
            getattr(cpu.alloc(1), name)
    with pytest.raises(AttributeError, match=r"a Context has no 'asarray'; use ctx\.alloc_upload\(data\)$"):
        cpu.asarray  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(AttributeError, match=r"ctx.random has no 'randn'; use normal\(shape\)$"):
        cpu.random.randn  # type: ignore[attr-defined]  # noqa: B018


def test_what_is_elsewhere_is_not_here(cpu: Context) -> None:
    """And what is named instead of it is."""
    x = cpu.alloc(1)
    assert [name for name in elsewhere.FUNCTIONS if name in vars(unified_gpu)] == []
    assert [name for name in elsewhere.ATTRIBUTES if hasattr(x, name)] == []
    places = {"unified_gpu": unified_gpu, "ctx.array_namespace": cpu.array_namespace, "ctx": cpu}
    for way in (*elsewhere.FUNCTIONS.values(), *elsewhere.ATTRIBUTES.values()):
        for place, name in re.findall(r"\b(unified_gpu|ctx\.array_namespace|ctx)\.(\w+)", way):
            assert hasattr(places[place], name), way
        for name in re.findall(r"^(\w+)\(", way):
            assert hasattr(x, name), way
    for ways, owner in ((elsewhere.CONTEXT, cpu), (elsewhere.RANDOM, cpu.random)):
        assert [name for name in ways if hasattr(owner, name)] == []
        for way in ways.values():
            for name in re.findall(r"^(\w+)[(.]|ctx\.random\.(\w+)", way):
                assert hasattr(owner, name[0] or name[1]), way


def test_what_is_said_instead_computes_it(cpu: Context) -> None:
    x = np.arange(6, dtype="f8").reshape(2, 3)
    powers = np.exp(x - x.max())
    wanted = {
        "softmax": powers / powers.sum(-1, keepdims=True),
        "logsumexp": np.log(np.exp(x).sum(-1, keepdims=True)),
        "pad": np.pad(x, 1),
        "ravel": x.ravel(),
        "outer": np.outer(x[0], x[1]),
        "dot": x[0] @ x[1],
        "vecdot": np.array(x[0] @ x[1]),
        "tensordot": np.tensordot(x, x, 2),
        "isin": np.isin(x[0], x[1]),
        "diff": np.diff(x),
    }
    for name, result in wanted.items():
        given = cpu.alloc_upload(x)
        names: dict[str, Any] = {"ctx": cpu, "unified_gpu": unified_gpu, "x": given, "rows": 2, "columns": 3}
        names["a"], names["b"] = (given, given) if name == "tensordot" else (given[0], given[1])
        *steps, last = elsewhere.FUNCTIONS[name].split("; ")
        for step in steps:
            exec(step, names)
        if name == "pad":
            exec(last, names)
        found = names["padded"] if name == "pad" else eval(last, names)
        np.testing.assert_allclose(found.download(), result, err_msg=name)


def test_the_docs_name_every_function() -> None:
    text = (ROOT / "docs" / "gpu" / "arrays.md").read_text(encoding="utf-8").split("\n## What there is\n")[1]
    text = text.split("\n## ")[0]
    missing = [name for name in library.__all__ if not re.search(rf"\b{name}\b", text)]
    assert missing == []


def test_an_array_like_another_is_in_its_context(ctx: Context) -> None:
    xp, x = ctx.array_namespace, ctx.ones(3)
    with Context("cpu"):  # which is the current one, and not that of x
        for like in (xp.empty_like(x), xp.zeros_like(x), xp.ones_like(x), xp.full_like(x, 2), xp.astype(x, xp.int32)):
            assert like.context is x.context
    assert xp.zeros_like(x).tolist() == [0, 0, 0]  # where none is current, too
