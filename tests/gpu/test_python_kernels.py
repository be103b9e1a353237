"""Kernels written in Python: the same bits on every backend as in the reference, and errors that show the place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.gpu.python_kernels import CASES, Case
from unified_gpu import Context


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


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_same_as_the_reference(ctx: Context, case: Case) -> None:
    args = case.make(np.random.default_rng(7))
    wanted = [arg.copy() if isinstance(arg, np.ndarray) else arg for arg in args]
    case.kernel.reference(case.global_size, wanted, local_size=case.local_size)
    found = launched(ctx, case, args)
    for mine, theirs in zip(found, [each for each in wanted if isinstance(each, np.ndarray)], strict=True):
        if case.exact:
            np.testing.assert_array_equal(mine, theirs)
        else:
            np.testing.assert_allclose(mine, theirs, rtol=1e-12)
