"""The names of the Python array API standard."""

from __future__ import annotations

import re

import numpy as np
import pytest

import unified_gpu
from tests.gpu.places import ROOT
from tests.gpu.test_random_operations import check_bits
from unified_gpu import Context, library

NAMES = """
abs acos acosh add all any arange argmax argmin argsort asarray asin asinh astype atan atan2 atanh bitwise_and
bitwise_invert bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor bool broadcast_arrays
broadcast_shapes broadcast_to can_cast ceil clip concat copysign cos cosh count_nonzero cumulative_prod
cumulative_sum diff divide e empty empty_like equal exp expand_dims expm1 eye flip float32 float64 floor
floor_divide from_dlpack full full_like greater greater_equal hypot inf int16 int32 int64 int8 isdtype
isfinite isinf isnan less less_equal linspace log log10 log1p log2 logaddexp logical_and logical_not
logical_or logical_xor matmul matrix_transpose max maximum mean meshgrid min minimum moveaxis multiply nan
negative newaxis nonzero not_equal ones ones_like permute_dims pi positive pow prod reciprocal remainder
repeat reshape result_type roll round searchsorted sign signbit sin sinh sort sqrt square squeeze stack std
subtract sum take take_along_axis tan tanh tile tril triu trunc uint16 uint32 uint64 uint8 unique_all
unique_counts unique_inverse unique_values unstack var vecdot where zeros zeros_like
""".split()
LEFT_OUT = "complex64 complex128 conj imag real nextafter tensordot finfo iinfo __array_namespace_info__".split()


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


def test_what_is_elsewhere(cpu: Context) -> None:
    for name in ("fft", "linalg", "einsum"):
        with pytest.raises(AttributeError, match=f"has no '{name}'; use DLPack with CuPy or torch"):
            getattr(unified_gpu, name)
    with pytest.raises(AttributeError, match=r"module 'unified_gpu' has no 'nonsense'$"):
        unified_gpu.nonsense  # type: ignore[attr-defined]  # noqa: B018
    for name, way in (("conj", "DLPack"), ("ravel", r"reshape\(-1\)"), ("median", "unified_gpu.sort")):
        with pytest.raises(AttributeError, match=f"a GpuArray has no '{name}'; use .*{way}"):
            getattr(cpu.alloc(1), name)


def test_the_docs_name_every_function() -> None:
    text = (ROOT / "docs" / "gpu" / "arrays.md").read_text(encoding="utf-8").split("\n## What there is\n")[1]
    text = text.split("\n## ")[0]
    missing = [name for name in library.__all__ if not re.search(rf"\b{name}\b", text)]
    assert missing == []
