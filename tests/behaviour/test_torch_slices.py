"""Slices of tensors of the generated torch package, and their memory for other libraries: as in torch's own Python."""

from __future__ import annotations

import itertools
import operator
from types import ModuleType
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.packages import Package
from tests.behaviour.torch_agreement import (
    NAMES,
    SPEC,
    UNSIGNED,
    agree,
    dtype_of,
    give,
    given,
    outcome,
    same,
)

torch = pytest.importorskip("torch")
np = pytest.importorskip("numpy")

pytestmark = pytest.mark.torch


@pytest.fixture(scope="module")
def package() -> Package:
    return packages.build(SPEC)


@pytest.fixture(scope="module")
def ffi(package: Package, engine: str) -> ModuleType:
    return package.load(engine)


SLICES: list[Any] = [
    slice(None), slice(1, None), slice(-5, 10), slice(1, 1), slice(2**70), slice(None, None, -1), slice(None, None, 0),
    (slice(None), 1), (slice(None), slice(None, None, 2)), (1, slice(0, 2), slice(None, None, 3)), (slice(None),) * 4,
    ..., (..., 0), (0, ..., 1), (..., slice(1, 3)), (..., ...), None, (None, 0), (0, None, ..., 1), (None,) * 5, (),
    (0, 0, 0, 0), (slice(None), 3), (slice(None), -4, 0), (0, slice(None), 4),
]  # fmt: skip


def test_slices(ffi: ModuleType) -> None:
    theirs = torch.arange(24.0).reshape(2, 3, 4)
    ours = give(ffi, theirs)
    for key in SLICES:
        assert same(outcome(lambda: ours[key]), outcome(lambda: theirs[key])), key  # noqa: B023
    assert ours[:, 1].data_ptr() == theirs[:, 1].data_ptr() - theirs.data_ptr() + ours.data_ptr()
    with pytest.raises(TypeError, match=r"^key\.stop: an int or None is wanted, not str$"):
        ours[:"a"]
    scalar = ffi.tensor(3)
    assert outcome(lambda: scalar[:]) == outcome(lambda: torch.tensor(3)[:])
    assert scalar[...].item() == 3 and scalar[None].shape == (1,)


def test_slices_are_set(ffi: ModuleType) -> None:
    theirs = torch.arange(24.0).reshape(2, 3, 4)
    ours = give(ffi, theirs)
    values: list[Any] = [1, 2.5, True, torch.tensor(7), torch.arange(4.0), torch.ones(7)]
    for key, value in itertools.product(SLICES, values):
        expected = outcome(lambda: operator.setitem(theirs, key, value))  # noqa: B023
        found = outcome(lambda: operator.setitem(ours, key, given(ffi, value)))  # noqa: B023
        assert found == expected, (key, value)
        agree(ours, theirs)


# --- DLPack


@pytest.mark.parametrize("name", NAMES + UNSIGNED)
def test_other_libraries_take_the_memory(ffi: ModuleType, name: str) -> None:
    ours = ffi.zeros([2, 3], ffi.DType[name])
    theirs = torch.from_dlpack(ours)
    assert (theirs.dtype, tuple(theirs.shape)) == (dtype_of(name), ours.shape)
    assert theirs.data_ptr() == ours.data_ptr()
    part = ours[:, 1]
    assert torch.from_dlpack(part).stride() == (3,) and part.data_ptr() != ours.data_ptr()
    if name != "BFLOAT16":
        assert np.from_dlpack(ours).dtype.name == name.lower()
    ours.close()
    theirs.fill_(1)
    assert theirs.tolist() == [[1] * 3] * 2


def test_what_is_asked_of_dlpack(ffi: ModuleType) -> None:
    ours = ffi.ones([3])
    assert ours.__dlpack_device__() == torch.ones(3).__dlpack_device__() == (1, 0)
    kinds = [repr(ours.__dlpack__(max_version=each)).split('"')[1] for each in (None, (0, 8), (1, 0), (1, 1))]
    assert kinds == ["dltensor", "dltensor", "dltensor_versioned", "dltensor_versioned"]
    assert np.from_dlpack(ours, copy=True).__array_interface__["data"][0] != ours.data_ptr()
    assert torch.from_dlpack(ours, copy=True).data_ptr() != ours.data_ptr()
    ours.__dlpack__(stream=-1, dl_device=(1, 0), copy=False)
    learning = ffi.ones([2])
    learning.requires_grad = True
    refused = [(ours, {"stream": 1}, "which has no streams"), (learning, {}, "require gradient")]
    for tensor, keywords, why in refused:
        with pytest.raises(BufferError, match=why):
            tensor.__dlpack__(**keywords)
    with pytest.raises(TypeError, match=r"^stream: an int is wanted, not str$"):
        ours.__dlpack__(stream="1")
