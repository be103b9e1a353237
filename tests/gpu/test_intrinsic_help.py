"""`help()` of the functions that only kernels have."""

from __future__ import annotations

import pydoc

import pytest

import unified_gpu
from unified_gpu.kernels.intrinsic_docs import DOCS
from unified_gpu.kernels.language import Intrinsic

PUBLIC = [name for name in unified_gpu.__all__ if isinstance(getattr(unified_gpu, name), Intrinsic)]


def test_each_has_one() -> None:
    assert set(PUBLIC) == set(DOCS)


@pytest.mark.parametrize("name", PUBLIC)
def test_help_says_how_it_is_called(name: str) -> None:
    text = pydoc.plain(pydoc.render_doc(getattr(unified_gpu, name)))
    assert f"{name}(" in text


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("group_id", "In CUDA: blockIdx"),
        ("local_id", "needs `local_size`"),
        ("atomic_add", "one of i32 u32 i64 u64 f32 f64"),
        ("atomic_cas", "expected and value"),
        ("shared", "49,152 bytes"),
        ("barrier", "__syncthreads()"),
        ("lane_id", "32 threads on CUDA"),
        ("subgroup_sum", "needs `local_size`"),
        ("subgroup_shuffle_up", "Where there is no such thread"),
    ],
)
def test_help_says_what_is_needed(name: str, told: str) -> None:
    assert told in pydoc.plain(pydoc.render_doc(getattr(unified_gpu, name)))
