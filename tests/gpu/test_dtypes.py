"""Dtypes: their names, sizes and bytes, as NumPy has them."""

from __future__ import annotations

import copy
import math
import pickle
import struct

import numpy as np
import pytest

from unified_gpu.dtypes import DTYPES, as_dtype, bf16, bool_, f32, from_dlpack_type, i8, i64, u8


@pytest.mark.parametrize("name", DTYPES)
def test_sizes_and_formats_are_numpys(name: str) -> None:
    dtype = DTYPES[name]
    if dtype.numpy is None:
        assert dtype is bf16
        return
    theirs = np.dtype(dtype.numpy)
    assert (dtype.size, dtype.numpy_typestr) == (theirs.itemsize, theirs.str)
    assert memoryview(np.zeros(1, theirs)).itemsize == struct.calcsize(dtype.format)
    assert as_dtype(theirs) is as_dtype(theirs.type) is as_dtype(name) is as_dtype(dtype) is dtype


@pytest.mark.parametrize("name", DTYPES)
def test_there_is_one_object_of_each(name: str) -> None:
    dtype = DTYPES[name]
    assert pickle.loads(pickle.dumps(dtype)) is copy.deepcopy(dtype) is dtype
    assert repr(dtype) == name


@pytest.mark.parametrize("name", DTYPES)
def test_pack_and_unpack_are_inverse(name: str) -> None:
    dtype = DTYPES[name]
    assert dtype.unpack(dtype.pack(1)) == 1
    assert len(dtype.pack(1)) == dtype.size


@pytest.mark.torch
def test_other_names() -> None:
    torch = pytest.importorskip("torch")
    assert as_dtype(torch.bfloat16) is bf16
    assert as_dtype(torch.float32) is f32
    assert as_dtype(torch.bool) is bool_
    assert (as_dtype(float), as_dtype(int), as_dtype(bool)) == (f32, i64, bool_)


@pytest.mark.parametrize("value", ["f33", "complex64", None, [], np.dtype("complex64"), object])
def test_what_is_no_dtype_is_told_what_there_is(value: object) -> None:
    with pytest.raises(TypeError, match=r"is no dtype; there are f16 bf16 f32 .* bool"):
        as_dtype(value)


@pytest.mark.parametrize("value", ["complex64", np.complex128, np.dtype("complex64"), complex])
def test_of_complex_numbers_it_is_said_who_has_them(value: object) -> None:
    with pytest.raises(TypeError, match=r"bool; complex numbers are left out: use DLPack with CuPy or torch$"):
        as_dtype(value)


def test_what_does_not_fit() -> None:
    assert u8.check(255) == 255
    assert i8.check(np.int64(-128)) == -128
    assert i8.check(3.0) == 3
    with pytest.raises(OverflowError, match="256 does not fit in u8, which goes from 0 to 255"):
        u8.check(256)
    with pytest.raises(TypeError, match=r"1\.5 is not a whole number"):
        u8.check(1.5)


@pytest.mark.torch
@pytest.mark.parametrize("value", [0.0, -0.0, 1.0, 1.00390625, 1.01171875, -3.5e38, 1e39, 1e-45, math.inf, -math.inf])
def test_bf16_rounds_as_torch_does(value: float) -> None:
    torch = pytest.importorskip("torch")
    theirs = torch.tensor(value, dtype=torch.float64).to(torch.float32).to(torch.bfloat16).item()
    ours = bf16.unpack(bf16.pack(value))
    assert ours == theirs
    assert math.copysign(1, ours) == math.copysign(1, theirs)


def test_bf16_keeps_nan() -> None:
    assert math.isnan(bf16.unpack(bf16.pack(math.nan)))


def test_dlpack_types() -> None:
    assert all(from_dlpack_type(d.dlpack_code, 8 * d.size, 1) is d for d in DTYPES.values())
    with pytest.raises(TypeError, match=r"code 5, 64 bits, 1 lanes"):
        from_dlpack_type(5, 64, 1)
