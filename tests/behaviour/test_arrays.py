"""Memory of several dimensions: the caller's as arguments, the library's as results, over both engines."""

from __future__ import annotations

import copy
import ctypes
import gc
import hashlib
import pickle
import sys
import weakref
from array import array
from collections.abc import Iterator
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.objects import let_go

numpy = pytest.importorskip("numpy")
pytestmark = pytest.mark.skipif(sys.implementation.name != "cpython", reason="memory with dimensions needs CPython")

SPEC = packages.HERE / "arrays" / "arrays.wrapper_spec"


@pytest.fixture(scope="session")
def arrays_module(engine: str) -> Any:
    return packages.build(SPEC).load(engine)


@pytest.fixture
def arrays(arrays_module: Any) -> Iterator[Any]:
    """The package; no matrix of the library may be left after a test."""
    yield arrays_module
    let_go()
    gc.collect()
    assert arrays_module.living() == 0


def square(*shape: int, dtype: str = "f8") -> Any:
    return numpy.arange(numpy.prod(shape), dtype=dtype).reshape(shape)


# --- arguments


def test_memory_is_read_where_it_lies(arrays: Any) -> None:
    assert arrays.total(square(3, 4)) == 66
    assert arrays.shape_of(square(3, 4)) == (3, 4)
    assert arrays.total(memoryview(array("d", range(6))).cast("B").cast("d", (2, 3))) == 15
    assert arrays.total(((ctypes.c_double * 2) * 3)()) == 0
    assert arrays.sum_i32(square(2, 3, dtype="i4")) == 15
    assert arrays.maybe(square(2, 3)) == 6
    assert arrays.maybe(square(2, 3), square(2, 3)) == 12
    assert arrays.maybe(square(2, 3), None) == 6


def test_memory_is_written_where_it_lies(arrays: Any) -> None:
    image = numpy.zeros((2, 3, 3), "f4")
    arrays.paint(image, 0.5)
    assert image[..., 0].tolist() == [[0.5] * 3] * 2
    assert image[..., 1:].sum() == 0
    out = numpy.empty((2, 2))
    arrays.product(square(2, 3), square(3, 2), out)
    assert out.tolist() == (square(2, 3) @ square(3, 2)).tolist()


def test_orders(arrays: Any) -> None:
    columns = numpy.asfortranarray(square(2, 3))
    assert arrays.fortran(columns) == [0, 3, 1, 4, 2, 5]
    assert arrays.fortran(square(3, 2).T) == [0, 1, 2, 3, 4, 5]
    assert arrays.layout(square(4, 6)[::2, ::3].T) == [2, 2, 3, 12]
    assert arrays.layout(square(4, 6)[::-1]) == [4, 6, -6, 1]
    assert arrays.at(square(4, 6)[::-1, ::-1], 0, 1) == 22
    assert arrays.layout(numpy.broadcast_to(square(3), (2, 3))) == [2, 3, 0, 1]
    whole = square(6)
    assert arrays.line(whole[::-2]) == 5 + 3 + 1
    assert whole.tolist() == [0, 0, 2, 0, 4, 0]


def test_what_takes_a_view_of_its_own(arrays: Any) -> None:
    assert arrays.trace(square(3, 3)) == 12
    assert arrays.trace_f(numpy.asfortranarray(square(3, 3))) == 12
    assert arrays.trace_f(square(3, 3).T) == 12


def test_what_takes_a_view_of_one_dimension(arrays: Any) -> None:
    assert [arrays.view_total(square(4)), arrays.view_total(square(0))] == [6, 0]
    assert [arrays.view_in_a_body(square(4)), arrays.view_in_a_body(square(0))] == [3, -1]
    data = square(3)
    assert arrays.by_index(data, 1) == 1
    assert data.tolist() == [0, 2, 2]


def test_what_takes_a_pointer_and_extents(arrays: Any) -> None:
    assert arrays.sum_c(square(2, 3)) == 15
    assert arrays.sum_int(square(2, 3)) == 15
    assert arrays.sum_square(square(3, 3)) == 36
    data = square(2, 2)
    arrays.scale_c(data, 10)
    assert data.tolist() == [[0, 10], [20, 30]]


def test_extents_beyond_an_int(arrays: Any) -> None:
    nothing = numpy.empty((2**33, 0))
    assert arrays.sum_c(nothing) == 0
    with pytest.raises(OverflowError, match=r"^a\.shape: 8589934592 does not fit i32$"):
        arrays.sum_int(nothing)


def test_dimensions_that_disagree(arrays: Any) -> None:
    def fails(why: str, call: Any, *given: Any) -> None:
        with pytest.raises(ValueError) as caught:
            call(*given)
        assert str(caught.value) == why

    out = numpy.zeros((2, 2))
    fails("b: dimension 0 is 4, not 3 (m, dimension 1 of a)", arrays.product, square(2, 3), square(4, 2), out)
    fails("out: dimension 0 is 2, not 5 (n, dimension 0 of a)", arrays.product, square(5, 3), square(3, 2), out)
    fails("out: dimension 1 is 2, not 1 (k, dimension 1 of b)", arrays.product, square(2, 3), square(3, 1), out)
    fails("a: dimension 1 is 3, not 2 (n, dimension 0 of a)", arrays.trace, square(2, 3))
    fails("image: dimension 2 is 4, not 3", arrays.paint, numpy.zeros((1, 1, 4), "f4"), 1)
    fails("values: dimension 0 is 3, not 4 (n, the argument n)", arrays.first, square(3), 4)
    fails("b: dimension 1 is 2, not 3 (m, dimension 1 of a)", arrays.maybe, square(2, 3), square(2, 2))
    assert out.tolist() == [[0, 0], [0, 0]]


WANTED = "a: a C-contiguous array of float64 with 2 dimensions is wanted"


def odd(values: bytes, shape: tuple[int, ...]) -> Any:
    return numpy.frombuffer(bytearray(b"\0" + values), dtype="f8", offset=1).reshape(shape)


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (square(2, 3, dtype="f4"), ", not one of format 'f'"),
        (square(2, 3, dtype=">f8"), ", not one of format '>d'"),
        (square(2, 3, dtype="O"), ", not one of format 'O'"),
        (square(2, 3, dtype="c16"), ", not one of format 'Zd'"),
        (square(6), ", not one with 1"),
        (square(1, 2, 3), ", not one with 3"),
        (numpy.array(1.0), ", not one with 0"),
        (square(1, 1).reshape((1,) * 32), ", not one with 32"),
        (square(3, 2).T, "; this one is in the other order"),
        (square(4, 6)[::2], "; this one has gaps between its elements"),
        (square(4, 6)[:, ::2], "; this one has gaps between its elements"),
        (square(4, 6)[::-1], "; this one has gaps between its elements"),
        (odd(bytes(48), (2, 3)), "; this one does not start at a multiple of its elements' size"),
        (b"12345678", ", not one of format 'B'"),
        ([[1.0]], ", not list"),
        (None, ", not None"),
        (1.0, ", not float"),
        ("text", ", not str"),
    ],
)
def test_other_memory_is_refused(arrays: Any, value: Any, why: str) -> None:
    with pytest.raises(TypeError) as caught:
        arrays.total(value)
    assert str(caught.value) == WANTED + why


def test_memory_that_may_not_be_written(arrays: Any) -> None:
    frozen = numpy.zeros((1, 1, 3), "f4")
    frozen.flags.writeable = False
    with pytest.raises(TypeError) as caught:
        arrays.paint(frozen, 1)
    wanted = "image: a C-contiguous writable array of float32 with 3 dimensions is wanted; this one is read-only"
    assert str(caught.value) == wanted
    with pytest.raises(TypeError, match="this one is read-only"):
        arrays.line(numpy.broadcast_to(square(1), (3,)))


def test_strides_that_are_no_elements(arrays: Any) -> None:
    records = numpy.zeros(3, dtype=[("a", "f8"), ("b", "i4")])
    with pytest.raises(TypeError, match="strides that are no multiples of its elements' size"):
        arrays.line(records["a"])


def test_memory_without_elements(arrays: Any) -> None:
    for shape in ((0, 3), (3, 0), (0, 0), (2**40, 0)):
        assert arrays.sum_c(numpy.empty(shape)) == 0
        assert arrays.fortran(numpy.empty(shape)) == []
        assert arrays.shape_of(numpy.empty(shape)) == shape
        assert arrays.layout(numpy.empty(shape))[:2] == list(shape)
    assert arrays.total(odd(b"", (0, 3))) == 0


def test_bools_that_are_none(arrays: Any) -> None:
    assert arrays.any_true(numpy.eye(3, dtype="?")) is True
    assert arrays.any_true(numpy.zeros((3, 3), "?")) is False
    with pytest.raises(ValueError, match=r"^the memory has a byte that is no bool: 7 at index 1, 2$"):
        arrays.any_true(numpy.array([[0, 1, 0], [0, 1, 7]], "u1").view("?"))


def test_exporters_that_raise(arrays: Any) -> None:
    class Raises:
        def __dlpack_device__(self) -> tuple[int, int]:
            return (1, 0)

        def __dlpack__(self, **_: Any) -> Any:
            raise self.error

        error: BaseException = BufferError("not today")

    with pytest.raises(TypeError, match=f"{WANTED}; this one refuses: not today"):
        arrays.total(Raises())
    raises = Raises()
    raises.error = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        arrays.total(raises)
    released = memoryview(bytearray(8))
    released.release()
    with pytest.raises(TypeError, match=WANTED):
        arrays.total(released)


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int32 * 2),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
        ("manager", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    )


class Liar:
    """Says of eight bytes whatever shape it is told."""

    def __init__(self, *shape: int, strides: tuple[int, ...] | None = None, code: int = 2, bits: int = 64) -> None:
        self.memory = (ctypes.c_double * 1)(3)
        self.shape = (ctypes.c_int64 * len(shape))(*shape)
        self.strides = (ctypes.c_int64 * len(shape))(*strides) if strides else None
        data = ctypes.cast(self.memory, ctypes.c_void_p)
        self.tensor = _Tensor(data, (1, 0), len(shape), code, bits, 1, self.shape, self.strides, 0, None, None)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)

    def __dlpack__(self) -> Any:
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
        return new(ctypes.addressof(self.tensor), b"dltensor", None)


def test_exporters_that_lie(arrays: Any) -> None:
    assert arrays.total(Liar(1, 1)) == 3
    assert arrays.total(Liar(1, 1, strides=(77, -5))) == 3
    for shape in ((2**62, 4), (2**40, 2**40), (2**63 - 1, 2)):
        with pytest.raises(TypeError, match="extents that no memory has"):
            arrays.total(Liar(*shape))
        with pytest.raises(TypeError, match="extents that no memory has"):
            arrays.layout(Liar(*shape, strides=(0, 0)))
    with pytest.raises(TypeError, match="a negative extent"):
        arrays.total(Liar(-1, 1))
    with pytest.raises(TypeError, match="not one with 2000"):
        arrays.total(Liar(*[1] * 2000))
    with pytest.raises(TypeError, match="not one of int64"):
        arrays.total(Liar(1, 1, code=0))


def test_memory_is_given_back(arrays: Any) -> None:
    data = bytearray(16)
    view = memoryview(data).cast("d", (1, 2))
    arrays.total(view)
    with pytest.raises(ValueError):
        arrays.trace(view)
    with pytest.raises(TypeError):
        arrays.sum_i32(view)
    view.release()
    data += b"e"  # impossible while somebody holds its memory


@pytest.mark.torch
def test_tensors(arrays: Any) -> None:
    torch = pytest.importorskip("torch")
    tensor = torch.arange(6, dtype=torch.float64).reshape(2, 3)
    assert arrays.total(tensor) == 15
    assert arrays.fortran(tensor.T) == [0, 1, 2, 3, 4, 5]
    assert arrays.layout(tensor.T) == [3, 2, 1, 3]
    with pytest.raises(TypeError, match=f"{WANTED}, not one of float32"):
        arrays.total(tensor.float())
    with pytest.raises(TypeError, match=f"{WANTED}; this one is in the other order"):
        arrays.total(tensor.T)
    memory = weakref.ref(tensor)
    del tensor
    gc.collect()
    assert memory() is None


# --- results


def test_an_array_is_used_where_it_lies(arrays: Any) -> None:
    made = arrays.identity(3)
    first, second = numpy.asarray(made), numpy.asarray(made)
    assert first.tolist() == numpy.eye(3).tolist()
    first[0, 1] = 7
    assert second[0, 1] == made[0, 1] == 7
    assert first.flags.writeable and first.flags.c_contiguous
    del made
    gc.collect()
    assert second[0, 1] == 7


def test_what_an_array_says_of_itself(arrays: Any) -> None:
    made = arrays.columns(2, 3)
    assert (made.shape, made.strides, made.ndim) == ((2, 3), (8, 16), 2)
    assert (made.format, made.itemsize, made.nbytes, made.readonly) == ("d", 8, 48, False)
    assert len(made) == 2
    assert made.tolist() == [[0, 2, 4], [1, 3, 5]]
    assert made[1, 2] == 5
    assert list(arrays.integers(2)) == [7, 7]
    assert repr(made).startswith("<Array of 'd' (2, 3) at 0x")
    with pytest.raises(IndexError):
        made[2, 0]
    with pytest.raises(TypeError, match="cannot create"):
        type(made)()
    for refused in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="memory of this process"):
            refused(made)


def test_dimensions(arrays: Any) -> None:
    assert numpy.asarray(arrays.twice(square(2, 3))).tolist() == (2 * square(2, 3)).tolist()
    assert arrays.grid_of(2, 3).shape == (2, 3)
    assert arrays.known(4, 5).shape == (4, 5)
    assert arrays.letters().tolist() == [97, 98, 99]
    every = arrays.every_other(3)
    assert (every.tolist(), every.strides) == ([0, 2, 4], (8,))
    assert arrays.fixed().tolist() == [[1.5] * 3] * 2
    assert arrays.identity(0).shape == (0, 0)
    assert numpy.asarray(arrays.identity(0)).shape == (0, 0)


def test_read_only_arrays(arrays: Any) -> None:
    made = arrays.fixed()
    assert made.readonly and memoryview(made).readonly
    assert not numpy.asarray(made).flags.writeable
    with pytest.raises(TypeError, match="not writable"):
        (ctypes.c_char * 24).from_buffer(made)
    with pytest.raises(BufferError, match="this array is read-only, which DLPack can say from max_version"):
        made.__dlpack__()
    assert not numpy.from_dlpack(made).flags.writeable


def test_buffers_that_are_asked_for_more(arrays: Any) -> None:
    made = arrays.columns(2, 3)
    assert memoryview(made).f_contiguous
    with pytest.raises(BufferError, match="this array is not C-contiguous"):
        hashlib.sha1(made)
    with pytest.raises(TypeError, match="not C contiguous"):
        (ctypes.c_char * 48).from_buffer(made)
    with pytest.raises(TypeError, match=r"_ffi\w*\.Array found"):
        b"".join([made])
    assert bytes(arrays.letters()) == b"abc"
    assert b"".join([arrays.letters()]) == b"abc"


def test_dlpack(arrays: Any) -> None:
    made = arrays.identity(2)
    assert made.__dlpack_device__() == (1, 0)
    view = numpy.from_dlpack(made)
    view[0, 1] = 5
    assert made[0, 1] == 5
    assert '"dltensor"' in repr(made.__dlpack__())
    assert '"dltensor"' in repr(made.__dlpack__(max_version=(0, 8)))
    assert '"dltensor_versioned"' in repr(made.__dlpack__(max_version=(1, 1)))
    assert '"dltensor_versioned"' in repr(
        made.__dlpack__(max_version=(2, 0), stream=None, dl_device=(1, 0), copy=False)
    )
    for keywords, why in (
        ({"stream": 1}, "has no streams"),
        ({"dl_device": (2, 0)}, "not copied"),
        ({"copy": True}, "not copied"),
    ):
        with pytest.raises(BufferError, match=why):
            made.__dlpack__(**keywords)
    for wrong in ({"max_version": 1}, {"dl_device": ("a", 0)}, {"other": 1}):
        with pytest.raises(TypeError):
            made.__dlpack__(**wrong)
    with pytest.raises(TypeError):
        made.__dlpack__(None)


@pytest.mark.torch
def test_torch_uses_arrays(arrays: Any) -> None:
    torch = pytest.importorskip("torch")
    made = arrays.columns(2, 3)
    tensor = torch.from_dlpack(made)
    assert tensor.tolist() == [[0, 2, 4], [1, 3, 5]]
    tensor[0, 0] = 9
    assert made[0, 0] == 9
    del made
    gc.collect()
    assert tensor[0, 0] == 9


def test_an_array_is_an_argument(arrays: Any) -> None:
    assert arrays.total(arrays.identity(4)) == 4
    assert arrays.trace(arrays.identity(4)) == 4
    assert arrays.fortran(arrays.columns(2, 2)) == [0, 1, 2, 3]


def test_results_that_are_no_arrays(arrays: Any) -> None:
    for call, why in (
        (lambda: arrays.too_few(4), "has 3 elements, and its dimensions are of 4"),
        (lambda: arrays.too_few(2), "has 3 elements, and its dimensions are of 2"),
        (lambda: arrays.negative(-1), "has -1 elements in dimension 0"),
        (lambda: arrays.huge(2**40), "has dimensions that no memory has"),
        (lambda: arrays.null(), "is a null pointer"),
        (lambda: arrays.not_owned(), "does not own its memory; the spec has to say what does: belongs_to: self"),
    ):
        with pytest.raises(arrays.ArraysError) as caught:
            call()
        assert str(caught.value) == f"the array that is returned {why}"
    with pytest.raises(ValueError, match=r"^one$"):
        arrays.fails(1)
    assert arrays.too_few(3).tolist() == arrays.too_few(3).tolist()


# --- memory of handles


def test_an_array_keeps_its_handle_alive(arrays: Any) -> None:
    view = numpy.asarray(arrays.matrix(2, 3).view())
    gc.collect()
    assert arrays.living() == 1
    assert view.tolist() == square(2, 3).tolist()
    del view
    assert arrays.living() == 0


def test_arrays_of_one_handle_are_the_same_memory(arrays: Any) -> None:
    matrix = arrays.matrix(2, 3)
    numpy.asarray(matrix.view())[1, 1] = 99
    assert matrix.row(1).tolist() == [3, 99, 5]
    assert matrix.column(1).tolist() == [1, 99]
    assert matrix.column(1).strides == (24,)
    assert matrix.whole.tolist() == [[0, 1, 2], [3, 99, 5]]
    assert matrix.frozen().readonly and matrix.frozen()[1, 1] == 99
    with pytest.raises(IndexError, match="row"):
        matrix.row(2)


def test_arrays_that_own_their_memory(arrays: Any) -> None:
    made = arrays.grid_of(2, 2)
    view = memoryview(made)
    del made
    assert arrays.living() == 1
    assert view.tolist() == [[0, 1], [2, 3]]
    view.release()
    assert arrays.living() == 0


def test_weak_references(arrays: Any) -> None:
    made = arrays.identity(1)
    found = weakref.ref(made)
    assert found() is made
    view = memoryview(made)
    del made
    assert found() is not None
    view.release()
    gc.collect()
    assert found() is None


def test_a_handle_is_not_closed_while_its_memory_is_in_use(arrays: Any) -> None:
    matrix = arrays.matrix(2, 3)
    made = matrix.view()
    view = memoryview(made)
    for end in (matrix.close, lambda: matrix.__exit__(None, None, None)):
        with pytest.raises(BufferError) as caught:
            end()
        assert str(caught.value) == "the memory of this Matrix is in use by an array"
    assert not matrix.closed
    del made
    with pytest.raises(BufferError):
        matrix.close()
    assert view[1, 1] == 4
    view.release()
    caught = None
    gc.collect()
    matrix.close()
    assert matrix.closed
    matrix.close()
    with pytest.raises(arrays.ClosedHandleError):
        matrix.view()
    with arrays.matrix(1, 1) as other:
        assert other.view().tolist() == [[0]]


def test_an_array_of_a_handle_that_is_not_referred_to(arrays: Any) -> None:
    kept = [arrays.matrix(2, 2).row(1) for _ in range(100)]
    assert arrays.living() == 100
    assert all(each.tolist() == [2, 3] for each in kept)
    kept.clear()
    gc.collect()
    assert arrays.living() == 0


GRID = """\
wrapper_lib: {name: exported, cpp_include: vector}
cpp_prelude: |
  struct grid {
    std::vector<double> d;
    explicit grid(long n) : d(n, 1.0) {}
    std::vector<double> &values() { return d; }
    void grow(long n) { d.assign(n, 2.0); }
  };
  struct cell {
    grid *of;
    std::vector<double> &values() { return of->d; }
    void grow(long n) { of->grow(n); }
  };
handle_types:
  - name: Grid
    cpp_type: "::grid"
    methods:
      - {def: "Grid(n: i64)"}
      - {def: "values() -> array[f64; size()]", belongs_to: self}
      - {def: "grow(n: i64)", ends: all}
"""
CELL = """\
      - {def: "cell() -> Cell", cpp_body: "return Cell{::cell{&h.inner}};"}
  - name: Cell
    cpp_type: "::cell"
    lent_by: Grid
    owner: grid
    methods:
      - {def: "values() -> array[f64; size()]", keep_alive: h}
      - {def: "grow(n: i64)", invalidates: lent}
"""


@pytest.mark.parametrize("with_cells", [False, True])
def test_what_arrays_use_is_not_released_by_a_call(engine: str, with_cells: bool) -> None:
    package = packages.build_text(GRID + CELL * with_cells, name="exported").load(engine)
    grid = package.Grid(1000)
    made = [grid] if not with_cells else [grid, grid.cell()]
    for owner in made:
        for caller in made:
            values = owner.values()
            with pytest.raises(BufferError, match="in use by an array"):
                caller.grow(100_000)
            assert memoryview(values).tolist() == [1.0] * 1000
            del values
            let_go()
            gc.collect()
    made[-1].grow(2)
    assert memoryview(made[-1].values()).tolist() == [2.0, 2.0]
