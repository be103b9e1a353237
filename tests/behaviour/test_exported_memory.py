"""`__buffer__` - handles whose memory Python's buffer protocol exports."""

from __future__ import annotations

import gc
import sys
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.packages import HERE

SPEC = HERE / "arrays" / "arrays.wrapper_spec"

pytestmark = pytest.mark.skipif(sys.implementation.name != "cpython", reason="memory with dimensions needs CPython")


@pytest.fixture
def arrays(engine: str) -> Any:
    return packages.build(SPEC).load(engine)


@pytest.fixture
def view(engine: str) -> Any:
    """`memoryview`; where Python does not ask classes of its own for memory yet, what it would call."""
    if engine == "cffi" and sys.version_info < (3, 12):
        return lambda exporter: exporter.__buffer__(0)
    return memoryview


def test_it_is_read_and_written_where_it_lies(arrays: Any, view: Any) -> None:
    picture = arrays.Picture(2, 3)
    with view(picture) as memory:
        assert (memory.shape, memory.strides, memory.format, memory.readonly) == ((2, 3), (24, 8), "d", False)
        before = picture.sum()
        memory[1, 2] += 100
        assert picture.sum() == before + 100
        with view(picture) as again:
            assert again[1, 2] == memory[1, 2]


def test_memory_that_cannot_be_written_and_has_gaps(arrays: Any, view: Any) -> None:
    with view(arrays.Column(3, 2)) as memory:
        assert (memory.shape, memory.strides, memory.readonly, len(memory.tolist())) == ((3,), (16,), True, 3)
        with pytest.raises(TypeError, match="cannot modify read-only memory"):
            memory[0] = 1


def test_it_is_not_closed_while_its_memory_is_in_use(arrays: Any, view: Any) -> None:
    picture = arrays.Picture(2, 2)
    memory = view(picture)
    for end in (picture.close, picture.clear, lambda: picture.__exit__(None, None, None)):
        with pytest.raises(BufferError):
            end()
    part = memory[1:] if memory.ndim == 1 else memory.cast("B")
    memory.release()
    with pytest.raises(BufferError):
        picture.close()
    part.release()
    picture.clear()
    picture.close()
    picture.close()
    with pytest.raises(arrays.ClosedHandleError):
        view(picture)


def test_its_memory_keeps_it_alive(arrays: Any, view: Any) -> None:
    gc.collect()
    before = arrays.living()
    memory = view(arrays.Picture(2, 2))
    gc.collect()
    assert arrays.living() == before + 1
    assert memory.nbytes == 32
    memory.release()
    gc.collect()
    assert arrays.living() == before


def test_what_extends_it_has_it_too(arrays: Any, view: Any) -> None:
    poster = arrays.Poster(3)
    with view(poster) as memory:
        assert memory.shape == (3, 2)
        with pytest.raises(BufferError):
            poster.close()
    poster.close()

    class Own(arrays.Poster):  # type: ignore[misc]
        pass

    with view(Own(4)) as memory:
        assert memory.shape == (4, 2)


def test_what_raises(arrays: Any, view: Any) -> None:
    broken = arrays.Broken()
    for _ in range(3):
        with pytest.raises(ValueError, match="no memory"):
            view(broken)
    broken.close()


def test_numpy_copies_nothing(arrays: Any, engine: str) -> None:
    if engine == "cffi" and sys.version_info < (3, 12):
        pytest.skip("Python asks no class of its own for memory before 3.12")
    numpy = pytest.importorskip("numpy")
    picture = arrays.Picture(2, 3)
    found = numpy.asarray(picture)
    assert found.shape == (2, 3) and found.dtype == numpy.float64 and not found.flags.owndata
    found[:] = 2
    assert picture.sum() == 12
    with pytest.raises(BufferError):
        picture.close()
    assert arrays.sum_c(picture) == 12  # memory of the caller's, as any
    assert not numpy.asarray(arrays.Column(3, 2)).flags.writeable
    del found
    gc.collect()
    picture.close()


def test_numpy_leaves_its_operators_to_it_and_has_its_memory(arrays: Any, view: Any) -> None:
    numpy = pytest.importorskip("numpy")
    for picture in (arrays.Picture(3, 2), arrays.Poster(3)):
        assert numpy.float64(2) * picture == 6.0
        with pytest.raises(TypeError):
            numpy.ones(2) * picture
        if view is memoryview:
            assert numpy.add(picture, 0).shape == (3, 2)
    gc.collect()


def test_numpy_uses_it_where_it_lies(arrays: Any) -> None:
    numpy = pytest.importorskip("numpy")
    picture = arrays.Picture(2, 3)
    cells = numpy.asarray(picture)
    assert (cells.shape, cells.strides, cells.dtype) == ((2, 3), (24, 8), numpy.float64)
    before = picture.sum()
    cells[1, 2] += 100
    assert picture.sum() == before + 100
    with pytest.raises(BufferError):
        picture.close()
    copied, rounded = numpy.array(picture), numpy.asarray(picture, dtype=numpy.float32)
    assert (copied.tolist(), rounded.tolist(), rounded.dtype) == (cells.tolist(), cells.tolist(), numpy.float32)
    del cells
    gc.collect()
    picture.close()
