"""The generated torch package agrees with torch's own Python: shapes, dtypes, values, and what is refused."""

from __future__ import annotations

import array
import ctypes
import itertools
import math
import operator
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.packages import Package
from tests.limits import HANGS
from wrapper_gen import pipeline
from wrapper_gen.model import Module

torch = pytest.importorskip("torch")
np = pytest.importorskip("numpy")

ROOT = Path(__file__).resolve().parents[2]
SPEC = ROOT / "specs" / "torch.wrapper_spec"
HERE = Path(__file__).parent
TORCH = Path(torch.__file__).parent
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]

NAMES = ["UINT8", "INT8", "INT16", "INT32", "INT64", "FLOAT16", "FLOAT32", "FLOAT64", "BOOL", "BFLOAT16"]
UNSIGNED = ["UINT16", "UINT32", "UINT64"]  # torch makes, converts and copies these, and has little arithmetic for them
SHAPES = [[], [0], [1], [5], [2, 3], [2, 0, 3], [2, 1, 3, 2]]

cpu_only = pytest.mark.skipif(torch.backends.cuda.is_built(), reason="this torch has CUDA")
needs_gpu = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="torch finds no GPU here"),
]


# --- what the tests need ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def package() -> Package:
    return packages.build(SPEC)


@pytest.fixture(scope="session")
def ffi(package: Package, engine: str) -> ModuleType:
    return package.load(engine)


@pytest.fixture(scope="session")
def module() -> Module:
    module, warnings = pipeline.read(SPEC, SPEC.name)
    assert warnings == []
    return module


def dtype_of(name: str) -> Any:
    return getattr(torch, name.lower())


def bytes_of(tensor: Any) -> bytes:
    """What a torch tensor holds, in order."""
    data: bytes = tensor.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
    return data


def give(ffi: ModuleType, tensor: Any) -> Any:
    """A torch tensor as one of the package's."""
    name = str(tensor.dtype).removeprefix("torch.").upper()
    return ffi.from_buffer(bytes_of(tensor), list(tensor.shape), ffi.DType[name])


def take(tensor: Any) -> Any:
    """One of the package's tensors as torch's."""
    data = torch.tensor(list(tensor.to_bytes()), dtype=torch.uint8)
    return data.view(dtype_of(tensor.dtype.name)).reshape(tensor.shape)


def agree(ours: Any, theirs: Any) -> None:
    """Same shape, dtype and device, and the very same bits."""
    assert ours.shape == list(theirs.shape)
    assert ours.dtype.name == str(theirs.dtype).removeprefix("torch.").upper()
    assert ours.device == str(theirs.device)
    assert ours.to_bytes() == bytes_of(theirs)


def numbers(shape: list[int], name: str, first: float = -3) -> Any:
    """A torch tensor with different small numbers, negative ones too where the dtype has them."""
    count = math.prod(shape)
    start = 0 if name in ("UINT8", "BOOL") else first
    values = torch.arange(start, start + count * 0.75, 0.75, dtype=torch.float64)[:count]
    return values.to(dtype_of(name)).reshape(shape)


def both_raise(ours: Callable[[], object], theirs: Callable[[], object]) -> BaseException:
    """Both are refused with the same message and the same exception, but TorchError for a plain RuntimeError."""
    with pytest.raises(Exception) as expected:
        theirs()
    with pytest.raises(Exception) as caught:
        ours()
    assert str(caught.value) == str(expected.value)
    kind = type(caught.value)
    assert kind is expected.type or (kind.__name__ == "TorchError" and expected.type is RuntimeError)
    return caught.value


def same_outcome(ours: Callable[[], Any], theirs: Callable[[], Any]) -> None:
    """Both give the same tensor, or both are refused with the same message."""
    try:
        expected = theirs()
    except Exception:
        both_raise(ours, theirs)
    else:
        agree(ours(), expected)


# --- the library -----------------------------------------------------------------------------------------------------


def test_it_says_what_it_is(ffi: ModuleType) -> None:
    assert not ffi.STUB
    assert ffi.version() == torch.__version__.split("+")[0]
    assert ffi.cuda_available() is torch.cuda.is_available()
    assert ffi.cuda_device_count() == torch.cuda.device_count()
    assert [d.name for d in ffi.DType] == NAMES + UNSIGNED


def test_everything_is_documented(module: Module) -> None:
    functions = [*module.functions, *module.methods]
    assert len(functions) > 40
    assert module.doc
    assert [h.name for h in module.handles if not h.doc] == []
    assert [e.name for e in module.enums if not e.doc] == []
    assert [f.name for f in functions if not f.doc] == []
    assert [f"{f.name}.{p.name}" for f in functions for p in f.parameters if not (p.doc or f.sets)] == []


# --- making tensors --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_tensors_are_made_as_torch_makes_them(ffi: ModuleType, name: str) -> None:
    dtype, theirs = ffi.DType[name], dtype_of(name)
    for shape in SHAPES:
        agree(ffi.zeros(shape, dtype), torch.zeros(shape, dtype=theirs))
        agree(ffi.ones(shape, dtype), torch.ones(shape, dtype=theirs))
        agree(ffi.full(shape, 2.6, dtype), torch.full(shape, 2.6, dtype=theirs))
    if name != "BOOL":
        agree(ffi.arange(1, 7, 1.5, dtype), torch.arange(1.0, 7.0, 1.5, dtype=theirs))
        agree(ffi.arange(5, 0, -1, dtype), torch.arange(5.0, 0.0, -1.0, dtype=theirs))
    agree(ffi.from_data([0, 1, 2.6, 100], [2, 2], dtype), torch.tensor([[0, 1], [2.6, 100]], dtype=theirs))


def test_what_is_left_out_is_as_in_torch(ffi: ModuleType) -> None:
    tensor = ffi.TorchTensor
    agree(tensor.zeros([2]), torch.zeros(2))
    agree(tensor.ones((2, 1)), torch.ones(2, 1))
    agree(tensor.full([2], math.pi), torch.full([2], math.pi))
    agree(tensor.arange(0, 3), torch.arange(3.0))
    agree(tensor.from_data([1, 2, 3]), torch.tensor([1.0, 2.0, 3.0]))
    agree(tensor.from_buffer(array.array("f", [1, 2])), torch.tensor([1.0, 2.0]))
    agree(tensor.from_data([]), torch.tensor([]))
    agree(tensor.from_buffer(b""), torch.tensor([]))


@pytest.mark.parametrize("name", ["FLOAT16", "FLOAT32", "FLOAT64", "BFLOAT16"])
def test_random_numbers_are_those_of_torchs_generator(ffi: ModuleType, name: str) -> None:
    torch.manual_seed(7)
    ours = ffi.randn([40, 3], ffi.DType[name])
    torch.manual_seed(7)
    agree(ours, torch.randn(40, 3, dtype=dtype_of(name)))
    assert ffi.randn([4]).to_bytes() != ffi.randn([4]).to_bytes()


def test_what_is_given_is_copied(ffi: ModuleType) -> None:
    numpy_array = np.arange(6, dtype=np.float32).reshape(2, 3)
    numbers_given = array.array("d", [1, 2])
    from_buffer, from_data = ffi.from_buffer(numpy_array, [2, 3]), ffi.from_data(numbers_given, dtype=ffi.DType.FLOAT64)
    numpy_array[:] = -1
    numbers_given[0] = -1
    assert from_buffer.to_list() == [0, 1, 2, 3, 4, 5]
    assert from_data.to_list() == [1, 2]


def test_exchange_with_torch_and_numpy(ffi: ModuleType) -> None:
    """What the documentation says about it."""
    theirs = torch.randn(3, 4, dtype=torch.float64)
    ours = ffi.from_buffer(theirs.numpy(), list(theirs.shape), ffi.DType.FLOAT64)
    agree(ours, theirs)
    assert torch.equal(torch.frombuffer(bytearray(ours.to_bytes()), dtype=torch.float64).reshape(ours.shape), theirs)
    single = ours.to(dtype=ffi.DType.FLOAT32)
    assert np.array_equal(
        np.frombuffer(single.to_bytes(), np.float32).reshape(single.shape), theirs.numpy().astype(np.float32)
    )
    in_place = (ctypes.c_double * ours.numel()).from_address(ours.data_ptr())
    assert list(in_place) == ours.to_list()
    with pytest.raises(TypeError, match="contiguous"):
        ffi.from_buffer(np.zeros((4, 4), np.float32)[:, 1:3], [4, 2])


@pytest.mark.parametrize("name", NAMES + UNSIGNED)
def test_other_libraries_take_the_memory(ffi: ModuleType, name: str) -> None:
    ours = ffi.zeros([2, 3], ffi.DType[name])
    theirs = torch.from_dlpack(ours)
    assert (theirs.dtype, list(theirs.shape)) == (dtype_of(name), ours.shape)
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


def given(ffi: ModuleType, value: Any) -> Any:
    return give(ffi, value) if isinstance(value, torch.Tensor) else value


def outcome(compute: Callable[[], Any]) -> Any:
    """What it gives, as torch's; or its error, where TorchError is RuntimeError."""
    try:
        result = compute()
    except Exception as error:
        return (type(error).__name__.replace("TorchError", "RuntimeError"), str(error))
    return take(result) if type(result).__name__ == "TorchTensor" else result


def same(ours: Any, theirs: Any) -> bool:
    if not isinstance(theirs, torch.Tensor):
        return bool(ours == theirs)
    return ours.dtype == theirs.dtype and ours.shape == theirs.shape and bytes_of(ours) == bytes_of(theirs)


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
    for refused in ("a", 1.5, True, (0, "a"), (0, 1.5), (ours, 0)):
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
    assert scalar[...].item() == 3 and scalar[None].shape == [1]


def test_slices_are_set(ffi: ModuleType) -> None:
    theirs = torch.arange(24.0).reshape(2, 3, 4)
    ours = give(ffi, theirs)
    values: list[Any] = [1, 2.5, True, torch.tensor(7), torch.arange(4.0), torch.ones(7)]
    for key, value in itertools.product(SLICES, values):
        expected = outcome(lambda: operator.setitem(theirs, key, value))  # noqa: B023
        found = outcome(lambda: operator.setitem(ours, key, given(ffi, value)))  # noqa: B023
        assert found == expected, (key, value)
        agree(ours, theirs)


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
    text = (ROOT / "docs" / "gpu.md").read_text(encoding="utf-8")
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


# --- shape, type and values ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_what_a_tensor_says_of_itself(ffi: ModuleType, name: str) -> None:
    for shape in SHAPES:
        theirs = numbers(shape, name)
        ours = give(ffi, theirs)
        assert (ours.ndim, ours.shape, ours.numel()) == (theirs.ndim, list(theirs.shape), theirs.numel())
        assert ours.dtype is ffi.DType[name]
        assert (ours.device, ours.is_cuda) == ("cpu", False)
        assert ours.to_list() == theirs.double().flatten().tolist()
        assert ours.to_bytes() == bytes_of(theirs)


def test_the_order_of_elements_is_the_shapes(ffi: ModuleType) -> None:
    theirs = numbers([2, 3, 4], "INT16")
    ours = give(ffi, theirs)
    agree(ours.transpose(), theirs.transpose(-2, -1))
    agree(ours.transpose(0, 2), theirs.transpose(0, 2))
    agree(ours.transpose(0, 2).reshape([4, -1]), theirs.transpose(0, 2).reshape(4, -1))
    assert ours.transpose(0, 2).to_list() == theirs.transpose(0, 2).flatten().tolist()
    for shape in ([24], [-1, 2], [2, 3, 2, 2], [1, 24, 1]):
        agree(ours.reshape(shape), theirs.reshape(shape))


def test_an_only_element(ffi: ModuleType) -> None:
    for name in NAMES + UNSIGNED:
        theirs = torch.ones(1, 1, dtype=dtype_of(name))
        item = give(ffi, theirs).item()
        assert item == 1 and type(item) is type(theirs.item())
    assert give(ffi, torch.tensor(2**63 - 1)).item() == 2**63 - 1
    assert give(ffi, torch.tensor(2**64 - 1, dtype=torch.uint64)).item() == 2.0**64
    assert ffi.from_data([math.pi], [], ffi.DType.FLOAT64).item() == math.pi
    assert math.isnan(ffi.full([], math.nan).item())
    assert ffi.full([], 2**53 - 1, ffi.DType.INT64).item() == 2**53 - 1
    for shape in ([2], [0]):
        tensor = torch.zeros(shape)
        both_raise(give(ffi, tensor).item, tensor.item)


def test_dtypes_are_converted_as_in_torch(ffi: ModuleType) -> None:
    for one, other in itertools.product(NAMES + UNSIGNED, NAMES + UNSIGNED):
        theirs = numbers([5], one, first=0)
        agree(give(ffi, theirs).to(dtype=ffi.DType[other]), theirs.to(dtype_of(other)))


def test_nothing_is_copied_without_need(ffi: ModuleType) -> None:
    tensor = ffi.ones([2, 3])
    for same in (tensor.cpu(), tensor.to(), tensor.to("cpu"), tensor.to(dtype=ffi.DType.FLOAT32), tensor.reshape([6])):
        assert same.data_ptr() == tensor.data_ptr()
    assert tensor.relu().data_ptr() != tensor.data_ptr()
    assert ffi.zeros([0]).data_ptr() == 0


# --- what is refused -------------------------------------------------------------------------------------------------


def test_mistakes_have_torchs_words(ffi: ModuleType) -> None:
    ours, theirs = ffi.ones([2, 3]), torch.ones(2, 3)
    both_raise(lambda: ours.reshape([4]), lambda: theirs.reshape(4))
    both_raise(lambda: ours.reshape([-1, -1]), lambda: theirs.reshape(-1, -1))
    both_raise(lambda: ours.reshape([-2, 3]), lambda: theirs.reshape(-2, 3))
    both_raise(lambda: ours.transpose(0, 2), lambda: theirs.transpose(0, 2))
    both_raise(lambda: ffi.zeros([-1]), lambda: torch.zeros(-1))
    both_raise(lambda: ffi.zeros([2**62, 2**62]), lambda: torch.zeros(2**62, 2**62))
    both_raise(lambda: ffi.arange(0, 5, 0), lambda: torch.arange(0.0, 5.0, 0.0))
    both_raise(lambda: ffi.arange(0, 5, -1), lambda: torch.arange(0.0, 5.0, -1.0))
    both_raise(lambda: ffi.arange(0, math.nan), lambda: torch.arange(0.0, math.nan))
    both_raise(lambda: ffi.from_data([1, 2], [3]), lambda: torch.tensor([1, 2]).reshape(3))
    both_raise(lambda: ffi.from_buffer(bytes(8), [3]), lambda: torch.zeros(2).reshape(3))
    both_raise(
        lambda: ffi.from_buffer(bytes(3), dtype=ffi.DType.INT16),
        lambda: torch.zeros(3, dtype=torch.uint8).view(torch.int16),
    )
    both_raise(lambda: ffi.zeros([1], device="gpu"), lambda: torch.zeros(1, device="gpu"))
    error = both_raise(lambda: ffi.randn([2], ffi.DType.INT32), lambda: torch.randn(2, dtype=torch.int32))
    assert type(error) is NotImplementedError
    error = both_raise(lambda: ours.sum(2), lambda: theirs.sum(2))
    assert type(error) is IndexError


def test_too_much_memory_is_an_error(ffi: ModuleType) -> None:
    both_raise(lambda: ffi.zeros([2**50]), lambda: torch.zeros(2**50))


def test_arguments_are_checked(ffi: ModuleType) -> None:
    tensor = ffi.ones([2])
    for wrong in (torch.ones(2), None, 1, [1, 2]):
        with pytest.raises(TypeError, match="TorchTensor"):
            tensor.add(wrong)
    with pytest.raises(ValueError, match="8 is not a valid DType"):
        ffi.zeros([2], 8)
    for shape in ([2.5], ["2"], 2, "2", [None]):
        with pytest.raises(TypeError):
            ffi.zeros(shape)
    with pytest.raises(OverflowError):
        ffi.zeros([2**63])
    with pytest.raises(OverflowError):
        tensor.cuda(128)
    with pytest.raises(TypeError):
        ffi.from_data([1, "2"])
    with pytest.raises(TypeError, match="TorchTensor"):
        ffi.TorchTensor()


@cpu_only
def test_without_cuda_asking_for_it_says_so(ffi: ModuleType) -> None:
    tensor = ffi.ones([2])
    asked: list[Callable[[], object]] = [
        tensor.cuda,
        lambda: tensor.cuda(0),
        lambda: tensor.cuda(device_id=-2),
        lambda: tensor.to("cuda"),
        lambda: tensor.to("cuda:0", ffi.DType.FLOAT64, non_blocking=True),
        lambda: ffi.zeros([2], device="cuda"),
        lambda: ffi.from_data([1], device="cuda:1"),
        ffi.stream_create,
        lambda: ffi.TorchStream.stream_create(1, priority=-1),
        ffi.current_stream,
    ]
    for ask in asked * 2:  # the second time is not easier
        with pytest.raises(ffi.TorchError, match="Cannot initialize CUDA without ATen_cuda library"):
            ask()
    assert tensor.add(tensor).to_list() == [2, 2], "the rest works"
    with pytest.raises(TypeError, match="TorchStream"):
        tensor.to_stream(0, None)


def test_other_devices_fail_cleanly(ffi: ModuleType) -> None:
    for device in ("xpu", "mps", "hip", "hpu", "mtia", "vulkan", "xla", "ve", "cpu:-1", "cuda:-2", "", ":0", "cuda:x"):
        with pytest.raises((ffi.TorchError, NotImplementedError)):
            ffi.zeros([2], device=device)
    meta = ffi.zeros([2, 3], device="meta")
    assert (meta.shape, meta.device) == ([2, 3], "meta")
    for read in (meta.to_list, meta.to_bytes, meta.cpu):
        with pytest.raises(NotImplementedError, match="meta"):
            read()


# --- memory and threads ----------------------------------------------------------------------------------------------


class _Mallinfo(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_size_t)
        for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()
    ]


def memory_in_use() -> int:
    """Bytes that the C library has given out, which is where torch's CPU memory comes from."""
    if packages.watched():
        pytest.skip("a sanitizer gives out memory of its own")
    try:
        mallinfo = ctypes.CDLL(None).mallinfo2
    except AttributeError:
        pytest.skip("this C library does not say how much memory is in use")
    mallinfo.restype = _Mallinfo
    info = mallinfo()
    return int(info.uordblks + info.hblkhd)


SIZE = 16 << 20
NOISE = 1 << 20


def test_memory_goes_with_the_last_tensor_that_has_it(ffi: ModuleType) -> None:
    ffi.zeros([4]).close()
    before = memory_in_use()
    tensor = ffi.zeros([SIZE], ffi.DType.UINT8)
    same = tensor.reshape([2, -1])
    assert memory_in_use() - before >= SIZE
    tensor.close()
    tensor.close()
    assert memory_in_use() - before >= SIZE
    assert same.shape == [2, SIZE // 2]
    same.close()
    assert abs(memory_in_use() - before) < NOISE
    with ffi.ones([SIZE], ffi.DType.UINT8) as within:
        assert memory_in_use() - before >= SIZE
        assert not within.closed
    assert abs(memory_in_use() - before) < NOISE
    for use in (within.numel, within.to_list, lambda: within.shape, lambda: ffi.ones([1]).add(within)):
        with pytest.raises(ffi.ClosedHandleError):
            use()
    dropped = ffi.ones([SIZE], ffi.DType.UINT8)
    del dropped
    assert abs(memory_in_use() - before) < NOISE


def test_nothing_leaks(ffi: ModuleType) -> None:
    def work(times: int) -> None:
        for _ in range(times):
            tensor = ffi.full([8], 1.0)
            tensor.add(tensor).shape  # noqa: B018 (asked for what it allocates)
            tensor.to_list()

    work(1000)
    before = memory_in_use()
    work(100_000)
    assert memory_in_use() - before < NOISE


def test_errors_leak_nothing(ffi: ModuleType) -> None:
    a, b = ffi.ones([2]), ffi.ones([3])

    def work(times: int) -> None:
        for _ in range(times):
            with pytest.raises(ffi.TorchError):
                a.add(b)

    work(100)
    before = memory_in_use()
    work(2000)
    assert memory_in_use() - before < NOISE


def test_threads_share_tensors(ffi: ModuleType) -> None:
    shared = ffi.arange(0, 64).reshape([8, 8])
    expected = shared.matmul(shared).to_list()
    wrong: list[object] = []

    def work(number: int) -> None:
        mine = ffi.ones([number + 2])
        for _ in range(200):
            if shared.matmul(shared).to_list() != expected:
                wrong.append("another product")
            try:
                mine.add(shared.reshape([-1]))
            except ffi.TorchError as error:
                if f"tensor a ({number + 2})" not in str(error):
                    wrong.append(error)

    threads = [threading.Thread(target=work, args=[n]) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


# --- streams ---------------------------------------------------------------------------------------------------------


def torch_device() -> Path:
    """The device that `torch_device.cpp` is, compiled unless that was done before."""
    source, lib = HERE / "torch_device.cpp", TORCH / "lib"
    folder = packages.CACHE / f"torch_device-{torch.__version__}"
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / "torch_device.so"
    if not target.exists() or target.stat().st_mtime < source.stat().st_mtime:
        ours = folder / f"{os.getpid()}.so"
        command = ["g++", "-std=c++20", "-g0", "-fPIC", "-shared", *STRICT, "-isystem", str(TORCH / "include")]
        command += [str(source), f"-L{lib}", f"-Wl,-rpath,{lib}", "-ltorch_cpu", "-lc10", "-o", str(ours)]
        subprocess.run(command, check=True)
        ours.replace(target)
    return target


@cpu_only
@pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++")
def test_streams_run_beside_the_host(package: Package, engine: str) -> None:
    """On a device of ours, in a process of its own; see `torch_streams.py` for what is checked."""
    result = subprocess.run(
        [sys.executable, str(HERE / "torch_streams.py"), str(package.folder), str(torch_device())],
        env={**os.environ, "WRAPPER_GEN_ENGINE": engine},
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
    )
    assert (result.returncode, result.stderr) == (0, ""), result.stdout + result.stderr


BESIDE = """
import sys
sys.path.insert(0, sys.argv[1])
for name in sys.argv[2:]:
    alone = "torch" not in sys.modules
    package = __import__(name)
    if name == "torch_ffi":
        ffi = package
        assert alone == ("torch" not in sys.modules), "torch's Python was imported"
        assert ffi.zeros([2, 3]).shape == [2, 3]
    else:
        import torch
        assert (torch.ones(3) @ torch.ones(3)).item() == 3
assert ffi.zeros([4]).numel() == 4
loaded = {line.split()[-1] for line in open("/proc/self/maps") if "libtorch_cpu" in line or "libc10.so" in line}
assert len(loaded) == 2, loaded
"""


@pytest.mark.skipif(sys.platform != "linux", reason="what is loaded is asked of Linux")
@pytest.mark.parametrize("order", [["torch_ffi"], ["torch_ffi", "torch"], ["torch", "torch_ffi"]], ids="-".join)
def test_the_libraries_are_loaded_without_torchs_python(package: Package, engine: str, order: list[str]) -> None:
    result = subprocess.run(
        [sys.executable, "-c", BESIDE, str(package.folder.parent), *order],
        env={**os.environ, "WRAPPER_GEN_ENGINE": engine},
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
    )
    assert (result.returncode, result.stderr) == (0, "")


class TestOnGpu:
    """The same spec, built against a CUDA torch."""

    pytestmark = needs_gpu

    def test_tensors_go_there_and_back(self, ffi: ModuleType) -> None:
        host = ffi.randn([64, 64])
        there = host.cuda(0)
        assert (there.device, there.is_cuda, there.shape) == ("cuda:0", True, [64, 64])
        assert there.cpu().to_bytes() == there.to_bytes() == host.to_bytes()
        expected = take(host).cuda()
        assert there.matmul(there).to_bytes() == bytes_of((expected @ expected).cpu())
        assert ffi.zeros([4], device="cuda").device == there.device
        assert host.cuda().device == f"cuda:{torch.cuda.current_device()}"

    def test_streams(self, ffi: ModuleType) -> None:
        host = ffi.arange(0, 1 << 20)
        stream = ffi.stream_create(0)
        there = host.to_stream(0, stream)
        host.close()
        waiting = ffi.stream_create(0)
        waiting.wait_stream(stream)
        waiting.sync()
        assert stream.query()
        assert there.to_list()[-1] == (1 << 20) - 1

    def test_the_33rd_stream_is_the_first_again(self, ffi: ModuleType) -> None:
        streams = [ffi.stream_create(0, -1).native_handle() for _ in range(33)]
        assert len(set(streams)) == 32
        assert streams[32] == streams[0]

    def test_the_current_stream_is_torchs(self, ffi: ModuleType) -> None:
        stream = ffi.stream_create(0)
        before = stream.set_current()
        try:
            assert torch.cuda.current_stream(0).cuda_stream == stream.native_handle()
        finally:
            before.set_current()

    def test_what_is_not_there(self, ffi: ModuleType) -> None:
        count = torch.cuda.device_count()
        with pytest.raises(ffi.TorchError, match=f"there is no device {count}: cuda has {count}"):
            ffi.ones([1]).cuda(count)
        with pytest.raises(ffi.TorchError, match="priority"):
            ffi.stream_create(0, 1)
        with pytest.raises(MemoryError, match="out of memory"):
            ffi.zeros([2**48], device="cuda")


# --- the generated code ----------------------------------------------------------------------------------------------


def test_a_stub_imports(engine: str) -> None:
    ffi = packages.build(SPEC, stub=True).load(engine)
    assert ffi.STUB
    assert ffi.cuda_available() is False
    assert ffi.cuda_device_count() == 0
    with pytest.raises(ffi.LibraryUnavailable):
        ffi.zeros([2])


@pytest.mark.slow
@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_the_bridge_compiles_without_a_warning(package: Package, compiler: str) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"there is no {compiler}")
    command = [compiler, "-std=c++20", "-fsyntax-only", "-DHAS_TORCH=1", *STRICT, "-I.", "-Isources"]
    command += ["-isystem", str(TORCH / "include"), "bridge.cpp"]
    command += [f"sources/{name}.cpp" for name in ("queue", "operations", "tensors", "representation")]
    result = subprocess.run(command, cwd=package.folder, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")


def test_no_header_of_cuda_is_needed(module: Module) -> None:
    assert [header for header in module.library.includes if "cuda" in header.lower()] == []
    assert not any(name.startswith(("torch_cuda", "c10_cuda", "cuda")) for name in module.library.link)


def test_the_backtrace_of_an_error_is_a_note(ffi: ModuleType) -> None:
    one, other = ffi.TorchTensor.from_data([1, 2, 3]), ffi.TorchTensor.from_data([1, 2])
    with pytest.raises(ffi.TorchError) as caught:
        one.add(other)
    assert "\n" not in str(caught.value)
    (note,) = caught.value.__notes__
    assert "frame #0" in note
