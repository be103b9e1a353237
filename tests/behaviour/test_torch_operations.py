"""What operations and operators on tensors compute is what torch computes."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.packages import Package
from tests.behaviour.torch_agreement import (
    NAMES,
    SHAPES,
    SPEC,
    agree,
    both_raise,
    give,
    given,
    numbers,
    outcome,
    same,
    same_outcome,
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


# --- operations ------------------------------------------------------------------------------------------------------

OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
}


@pytest.mark.parametrize("operator", OPERATORS)
def test_arithmetic_promotes_dtypes_as_torch_does(ffi: ModuleType, operator: str) -> None:
    for left, right in itertools.product(NAMES, NAMES):
        both_give(ffi, operator, numbers([4], left), numbers([4], right, first=1))


@pytest.mark.parametrize("operator", OPERATORS)
def test_arithmetic_broadcasts_as_torch_does(ffi: ModuleType, operator: str) -> None:
    for left, right in itertools.product([*SHAPES, [3], [2, 1], [1, 3]], repeat=2):
        both_give(ffi, operator, numbers(left, "FLOAT32"), numbers(right, "FLOAT32", first=1))


def both_give(ffi: ModuleType, operator: str, a: Any, b: Any) -> None:
    same_outcome(lambda: getattr(give(ffi, a), operator)(give(ffi, b)), lambda: OPERATORS[operator](a, b))


@pytest.mark.parametrize("name", NAMES)
def test_arithmetic_with_a_number(ffi: ModuleType, name: str) -> None:
    tensor = numbers([2, 3], name)
    agree(give(ffi, tensor).add_scalar(2.5), tensor + 2.5)
    agree(give(ffi, tensor).mul_scalar(-2.0), tensor * -2.0)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ([2, 3], [3, 4]),
        ([3], [3]),
        ([2, 3], [3]),
        ([3], [3, 4]),
        ([5, 2, 3], [3, 4]),
        ([5, 1, 2, 3], [4, 3, 2]),
        ([0, 3], [3, 4]),
        ([2, 0], [0, 4]),
    ],
)
def test_matrix_product(ffi: ModuleType, left: list[int], right: list[int]) -> None:
    for name in ("FLOAT32", "FLOAT64", "INT64"):
        a, b = numbers(left, name), numbers(right, name)
        agree(give(ffi, a).matmul(give(ffi, b)), a @ b)


@pytest.mark.parametrize("left", [[2, 3], [3], [], [5, 2, 3]])
def test_matrix_product_of_shapes_that_do_not_fit(ffi: ModuleType, left: list[int]) -> None:
    a, b = numbers(left, "FLOAT32"), numbers([2, 3], "FLOAT32")
    assert isinstance(both_raise(lambda: give(ffi, a).matmul(give(ffi, b)), lambda: a @ b), ffi.TorchError)
    c = numbers([3, 2], "FLOAT64")
    both_raise(lambda: give(ffi, a).matmul(give(ffi, c)), lambda: a @ c)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("function", ["relu", "sigmoid", "tanh"])
def test_functions_of_each_element(ffi: ModuleType, function: str, name: str) -> None:
    for shape in SHAPES:
        tensor = numbers(shape, name)
        same_outcome(getattr(give(ffi, tensor), function), partial(getattr(torch, function), tensor))


def test_functions_at_the_edges(ffi: ModuleType) -> None:
    edges = torch.tensor([math.inf, -math.inf, math.nan, -0.0, 0.0, 1e-45, 3e38])
    for function in ("relu", "sigmoid", "tanh"):
        agree(getattr(give(ffi, edges), function)(), getattr(torch, function)(edges))
    agree(give(ffi, edges).div(give(ffi, torch.zeros(7))), edges / torch.zeros(7))


@pytest.mark.parametrize("name", NAMES)
def test_sums_and_means(ffi: ModuleType, name: str) -> None:
    tensor = numbers([2, 3, 4], name)
    ours = give(ffi, tensor)
    agree(ours.sum(), tensor.sum())
    for dim in range(-3, 3):
        agree(ours.sum(dim), tensor.sum(dim))
    if tensor.is_floating_point():
        agree(ours.mean(), tensor.mean())
        for dim in range(-3, 3):
            agree(ours.mean(dim), tensor.mean(dim))
    else:
        both_raise(ours.mean, tensor.mean)
    for dim in (3, -4, 2**40):
        both_raise(partial(ours.sum, dim), partial(tensor.sum, dim))


# --- as torch's users write it ---

BINARY = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "eq", "ne", "lt", "le", "gt", "ge"]
BITS = ["and_", "or_", "xor"]


OPERANDS = [
    torch.tensor([1, 2, -3]),
    torch.tensor([[1.5, -2, 0.5], [0, 3, -0.0]]),
    torch.tensor([True, False, True]),
    torch.tensor([3, 4, 250], dtype=torch.uint8),
    torch.tensor([1.5, 7, 9], dtype=torch.bfloat16),
    torch.tensor(2),
    torch.tensor(2.5, dtype=torch.float64),
    *(0, 2, -3, 2**62, 1.5, math.inf, True),
]


@pytest.mark.parametrize("name", [*BINARY, *BITS])
def test_operators_take_tensors_and_numbers(ffi: ModuleType, name: str) -> None:
    compute = getattr(operator, name)
    for a, b in itertools.product(OPERANDS, OPERANDS):
        if not (isinstance(a, torch.Tensor) or isinstance(b, torch.Tensor)):
            continue
        if name in BITS and (isinstance(a, float) or isinstance(b, float)):
            with pytest.raises(TypeError, match="unsupported operand"):
                compute(given(ffi, a), given(ffi, b))
            continue
        ours, theirs = outcome(lambda: compute(given(ffi, a), given(ffi, b))), outcome(lambda: compute(a, b))  # noqa: B023
        assert same(ours, theirs), (a, b, ours, theirs)


@pytest.mark.parametrize("name", ["neg", "pos", "abs", "invert"])
def test_operators_of_one_tensor(ffi: ModuleType, name: str) -> None:
    compute = getattr(operator, name)
    for x in OPERANDS:
        if isinstance(x, torch.Tensor) and not (
            name == "invert" and x.is_floating_point()
        ):  # has words of its own there
            ours, theirs = outcome(lambda: compute(give(ffi, x))), outcome(lambda: compute(x))  # noqa: B023
            assert same(ours, theirs), (x, ours, theirs)


@pytest.mark.parametrize("name", ["iadd", "isub", "imul", "itruediv"])
def test_operators_in_place(ffi: ModuleType, name: str) -> None:
    compute = getattr(operator, name)
    for b in OPERANDS:
        theirs = torch.tensor([1.0, 2.0, -4.0])
        ours = give(ffi, theirs)
        alias = ours.reshape([3])
        expected = outcome(lambda: compute(theirs, b))  # noqa: B023
        found = outcome(lambda: compute(ours, given(ffi, b)))  # noqa: B023
        assert same(found, expected), (b, found, expected)
        agree(alias, theirs)  # in the memory where it lies
    same_object = ours
    same_object += 1
    assert same_object is ours


def test_operators_refuse_what_is_no_number(ffi: ModuleType) -> None:
    tensor = ffi.ones([2])
    for name in [*BINARY, *BITS, "matmul", "iadd"]:
        for foreign in ("2", None, [1, 2], torch, object()):
            if name in ("eq", "ne"):
                assert getattr(operator, name)(tensor, foreign) is (name == "ne")
                continue
            with pytest.raises(TypeError):
                getattr(operator, name)(tensor, foreign)
            assert getattr(type(tensor), f"__{name.strip('_')}__")(tensor, foreign) is NotImplemented
    with pytest.raises(TypeError, match="unsupported operand"):
        tensor @ 2
    with pytest.raises(ffi.TorchError):
        tensor @ give(ffi, torch.ones(3))
    agree(tensor @ tensor, torch.ones(2) @ torch.ones(2))
    for own, theirs in ((tensor + np.float32(2), torch.ones(2) + 2), (tensor * np.int64(2), torch.ones(2) * 2)):
        agree(own, theirs)
    with pytest.raises(OverflowError):
        tensor + 2**70
