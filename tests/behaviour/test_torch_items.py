"""Tensors are used as torch's own are: items, numbers, text, attributes, gradients."""

from __future__ import annotations

import array
import math
import operator
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.packages import Package
from tests.behaviour.torch_agreement import (
    NOISE,
    ROOT,
    SPEC,
    agree,
    give,
    given,
    memory_in_use,
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


def test_a_tensor_as_a_key(ffi: ModuleType) -> None:
    one, other = ffi.ones([2]), ffi.ones([2])
    assert {one: 1, other: 2}[other] == 2
    assert hash(one) == hash(one) != hash(other)


NESTED: list[Any] = [
    1,
    1.5,
    True,
    2**62,
    [],
    [1, 2],
    (1, 2),
    [1, 2.5],
    [True, False],
    [[1, 2], [3, 4]],
    [[]],
    [[[0.5], [2]]],
    [True, 2],
    [False, 0.5],
]


def test_tensors_of_numbers(ffi: ModuleType) -> None:
    for make in (ffi.TorchTensor, ffi.tensor, ffi.TorchTensor.tensor):
        for data in NESTED:
            agree(make(data), torch.tensor(data))
            agree(make(data, dtype=ffi.DType.FLOAT64), torch.tensor(data, dtype=torch.float64))
        for ragged in ([[1, 2], [3]], [[1.5], []], [[[1], [2]], [[1]]]):
            with pytest.raises(ValueError, match="expected sequence of length"):
                make(ragged)
        for wrong in ("1", None, [None], [1, [2]], [["1"]], object()):
            with pytest.raises(TypeError, match="takes no"):
                make(wrong)
    with pytest.raises(ffi.TorchError, match="nowhere"):
        ffi.tensor(1, device="nowhere")
    with pytest.raises(OverflowError):
        ffi.tensor([2**64])
    for numbers_given in (
        range(3),
        array.array("d", [1, 2.5]),
        np.arange(3),
        np.array([1.5, 2], np.float32),
        np.array([True]),
    ):
        agree(ffi.tensor(numbers_given), torch.tensor(list(numbers_given)))


class Own(Exception):
    """Raised in the middle of an iteration."""


def test_items(ffi: ModuleType) -> None:
    theirs = torch.arange(24.0).reshape(2, 3, 4)
    ours = give(ffi, theirs)
    keys: list[Any] = [0, 1, -1, -2, (0, 2), (1, -3), (-1, 0, 3), 2, -3, (0, 3), (1, 1, -5), 2**40]
    keys += [(0, 0, 0, 0)[:count] for count in (1, 2, 3)][1:]
    for key in keys:
        assert same(outcome(lambda: ours[key]), outcome(lambda: theirs[key])), key  # noqa: B023
    assert same(outcome(lambda: ours[0][0][0][0]), outcome(lambda: theirs[0][0][0][0]))
    for refused in ("a", 1.5, (0, "a"), (0, 1.5), (ours, 0)):
        with pytest.raises(TypeError, match="__getitem__"):
            ours[refused]
    where = theirs > 10
    agree(ours[ours > 10], theirs[where])
    agree(ours[ffi.tensor([1, 0, -1])], theirs[torch.tensor([1, 0, -1])])
    for bad in (torch.tensor([5]), torch.tensor([True]), torch.tensor([1.5])):
        assert same(outcome(lambda: ours[give(ffi, bad)]), outcome(lambda: theirs[bad]))  # noqa: B023
    assert len(ours) == 2 and len(ours[0]) == 3
    assert [row.to_list() for row in ours[0]] == [row.tolist() for row in theirs[0]]
    assert [element.item() for element in ours[0, 0]] == [0, 1, 2, 3]
    first, *_ = ours[1]
    assert first.data_ptr() == ours[1, 0].data_ptr(), "parts share the memory"
    for without in (len, iter, list):
        assert same(outcome(lambda: without(ffi.tensor(1))), outcome(lambda: without(torch.tensor(1))))  # noqa: B023
    with pytest.raises(Own):
        for _ in ours:
            raise Own


def test_items_are_set(ffi: ModuleType) -> None:
    theirs = torch.arange(24.0).reshape(2, 3, 4)
    ours = give(ffi, theirs)
    rows: list[tuple[Any, Any]] = [
        (0, 1),
        (-1, 2.5),
        ((0, 1), True),
        ((1, 2, 3), torch.tensor(7)),
        ((1, 0), torch.arange(4)),
    ]
    rows += [(5, 1), ((0, 9), 1.5), (0, torch.ones(7)), ((0, 0, 0), torch.ones(1, 1))]
    rows += [(torch.tensor([1]), 4), (theirs > 100, 5), (torch.tensor([0]), torch.ones(3, 4))]
    for key, value in rows:
        expected = outcome(lambda: operator.setitem(theirs, key, value))  # noqa: B023
        found = outcome(lambda: operator.setitem(ours, given(ffi, key), given(ffi, value)))  # noqa: B023
        assert found == expected, (key, value)
        agree(ours, theirs)
    with pytest.raises(TypeError, match="__setitem__"):
        ours[0] = "1"
    with pytest.raises((AttributeError, TypeError)):
        del ours[0]


def test_membership(ffi: ModuleType) -> None:
    tensor = ffi.tensor([1, 2, 3])
    assert 2 in tensor and 2.0 in tensor and 2.5 not in tensor and 4 not in tensor
    with pytest.raises(TypeError):
        "2" in tensor  # noqa: B015


def test_tensors_as_numbers(ffi: ModuleType) -> None:
    values = [
        torch.tensor(0),
        torch.tensor([2]),
        torch.tensor([[2.5]]),
        torch.tensor(True),
        torch.tensor([]),
        torch.ones(2),
    ]
    values += [torch.tensor(-0.0), torch.tensor(math.nan), torch.tensor(2**62)]
    for theirs in values:
        ours = give(ffi, theirs)
        for convert in (bool, float, int, operator.index):
            if convert is int and theirs.isnan().any():
                continue
            found, expected = outcome(lambda: convert(ours)), outcome(lambda: convert(theirs))  # noqa: B023
            assert found == expected or (found != found and expected != expected), (theirs, convert)
    assert list(range(3))[ffi.tensor(1)] == 1
    with pytest.raises(ffi.TorchError, match="overflow"):
        int(ffi.tensor(1e30))


def test_tensors_print_as_torchs(ffi: ModuleType) -> None:
    torch.manual_seed(3)
    makers: list[Callable[[Any], Any]] = [
        torch.randn,
        torch.zeros,
        lambda shape: torch.randn(shape) * 1e9,
        lambda shape: torch.randn(shape, dtype=torch.float64) * 1e-6,
        lambda shape: torch.zeros(shape) / torch.randn(shape).round(),
        lambda shape: torch.arange(math.prod(shape)).reshape(shape) - 3,
        lambda shape: torch.randn(shape) > 0,
        lambda shape: (torch.randn(shape) * 50).to(torch.uint8),
        lambda shape: torch.randn(shape).bfloat16(),
    ]
    for shape in [[], [1], [0], [2, 0], [3, 4], [2, 3, 4], [2, 1, 2, 2], [40], [1001], [7, 200], [8, 9, 20]]:
        for make in makers:
            theirs = make(shape)
            assert repr(give(ffi, theirs)) == repr(theirs)
    assert str(ffi.tensor([1.5])) == "tensor([1.5000])"
    assert repr(ffi.zeros([2], device="meta")) == repr(torch.zeros(2, device="meta"))


def test_parts_along_a_dimension(ffi: ModuleType) -> None:
    theirs = torch.arange(12).reshape(3, 4)
    ours = give(ffi, theirs)
    for key in [(0, 1, 2), (-1, 0, 4), (1, -2, 2), (0, 3, 0), (0, 2, 2), (2, 0, 1), (0, -4, 1), (0, 0, -1)]:
        assert same(outcome(lambda: ours.narrow(*key)), outcome(lambda: theirs.narrow(*key))), key  # noqa: B023
    agree(ours.narrow(0, 1, 2), theirs[1:3])


def test_the_example_of_the_documentation(package: Package, engine: str) -> None:
    text = (ROOT / "docs" / "gpu" / "other-libraries.md").read_text(encoding="utf-8")
    program = text[text.index("import torch_ffi") :]
    code, _, after = program.partition("```\n")
    assert package.python(code, engine=engine).stdout == after.partition("```text\n")[2].partition("```\n")[0]


def test_attributes(ffi: ModuleType) -> None:
    for theirs in (torch.arange(6.0).reshape(2, 3), torch.tensor(1), torch.zeros(0, 2, dtype=torch.int16)):
        ours = give(ffi, theirs)
        assert (ours.dim(), ours.ndim, ours.numel()) == (theirs.dim(), theirs.ndim, theirs.numel())
        assert (ours.itemsize, ours.nbytes, ours.is_leaf) == (theirs.itemsize, theirs.nbytes, theirs.is_leaf)
        for dim in (0, -1, 5):
            assert same(outcome(lambda: ours.size(dim)), outcome(lambda: theirs.size(dim)))  # noqa: B023
    tensor = ffi.tensor([[1, 2], [3, 4]])
    agree(tensor.T, torch.tensor([[1, 3], [2, 4]]))
    assert not tensor.T.is_contiguous() and tensor.T.contiguous().is_contiguous()
    copy = tensor.clone()
    copy[0] = 9
    assert tensor.to_list() == [1, 2, 3, 4]
    for name, value in (("shape", [4]), ("dtype", ffi.DType.INT8), ("T", tensor)):
        with pytest.raises(AttributeError):
            setattr(tensor, name, value)


def test_gradients(ffi: ModuleType) -> None:
    x = ffi.tensor([1.0, 2.0, 3.0])
    assert not x.requires_grad and x.grad is None
    x.requires_grad = True
    total = (2 * x * x + x).sum()
    assert total.requires_grad and not total.is_leaf and x.is_leaf
    assert repr(x) == "tensor([1., 2., 3.], requires_grad=True)"
    total.backward()
    assert x.grad.to_list() == [5, 9, 13]
    (x * x).backward(ffi.tensor([1.0, 0.0, 2.0]))
    assert x.grad.to_list() == [7, 9, 25]
    assert not x.detach().requires_grad
    for refused in (
        total.backward,  # twice
        ffi.tensor([1.0]).backward,
        (x * x).backward,
        lambda: setattr(ffi.tensor([1]), "requires_grad", True),
        lambda: setattr(total, "requires_grad", False),
        lambda: operator.setitem(x, 0, 1.0),
    ):
        with pytest.raises(ffi.TorchError):
            refused()
    with pytest.raises(TypeError):
        x.requires_grad = 1


def test_operators_and_items_leak_nothing(ffi: ModuleType) -> None:
    tensor, other = ffi.ones([8]), ffi.ones([9])

    def work(times: int) -> None:
        for _ in range(times):
            made = -(tensor + 1) * 2.0 / tensor
            made += tensor
            made[0] = made[1]
            list(made)
            with pytest.raises(ffi.TorchError):
                tensor + other
            with pytest.raises(IndexError):
                tensor[8]
            tracked = ffi.tensor([1.0])
            tracked.requires_grad = True
            (tracked * tracked).backward()

    work(100)
    before = memory_in_use()
    work(1000)
    assert memory_in_use() - before < NOISE
