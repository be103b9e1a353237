"""The generated torch package agrees with torch's own Python: shapes, dtypes, values, and what is refused."""

from __future__ import annotations

import array
import ctypes
import itertools
import math
import shutil
import subprocess
from collections.abc import Callable
from types import ModuleType

import pytest

from tests.behaviour import packages
from tests.behaviour.packages import Package
from tests.behaviour.torch_agreement import (
    NAMES,
    SHAPES,
    SPEC,
    STRICT,
    TORCH,
    UNSIGNED,
    agree,
    both_raise,
    bytes_of,
    cpu_only,
    dtype_of,
    give,
    numbers,
)
from wrapper_gen import pipeline
from wrapper_gen.model import Module
from wrapper_gen.runtime_files import FOLDER

torch = pytest.importorskip("torch")
np = pytest.importorskip("numpy")

pytestmark = pytest.mark.torch


@pytest.fixture(scope="module")
def package() -> Package:
    return packages.build(SPEC)


@pytest.fixture(scope="module")
def ffi(package: Package, engine: str) -> ModuleType:
    return package.load(engine)


@pytest.fixture(scope="session")
def module() -> Module:
    module, warnings = pipeline.read(SPEC, SPEC.name)
    assert warnings == []
    return module


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


# --- shape, type and values ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_what_a_tensor_says_of_itself(ffi: ModuleType, name: str) -> None:
    for shape in SHAPES:
        theirs = numbers(shape, name)
        ours = give(ffi, theirs)
        assert (ours.ndim, ours.shape, ours.numel()) == (theirs.ndim, tuple(theirs.shape), theirs.numel())
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
    assert (meta.shape, meta.device) == ((2, 3), "meta")
    for read in (meta.to_list, meta.to_bytes, meta.cpu):
        with pytest.raises(NotImplementedError, match="meta"):
            read()


# --- the generated code ----------------------------------------------------------------------------------------------


@pytest.mark.slow
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
    command = [compiler, "-std=c++20", "-fsyntax-only", "-DHAS_TORCH=1", *STRICT, "-I.", "-Isources", f"-I../{FOLDER}"]
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
