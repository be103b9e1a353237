"""Memory that a library exports by DLPack itself: capsules as results, over both engines."""

from __future__ import annotations

import ctypes
import gc
import inspect
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.interrupts import interrupted
from tests.behaviour.objects import let_go

numpy = pytest.importorskip("numpy")
pytestmark = pytest.mark.skipif(sys.implementation.name != "cpython", reason="capsules need CPython")
SPEC = packages.HERE / "arrays" / "arrays.wrapper_spec"


@pytest.fixture(scope="session")
def built(engine: str) -> Any:
    return packages.build(SPEC).load(engine)


@pytest.fixture
def package(built: Any) -> Iterator[Any]:
    """The package; nothing that it exported may be left after a test."""
    yield built
    let_go()
    gc.collect()
    assert built.exported() == 0


def name_of(capsule: Any) -> bytes:
    ask = ctypes.pythonapi.PyCapsule_GetName
    ask.restype, ask.argtypes = ctypes.c_char_p, [ctypes.py_object]
    found: bytes = ask(capsule)
    return found


def test_a_consumer_has_the_memory(package: Any) -> None:
    own = package.Shared([1.0, 2.0, 3.0])
    assert own.__dlpack_device__() == (1, 0)
    taken = numpy.from_dlpack(own)
    assert package.exported() == 1
    own.close()
    assert taken.tolist() == [1, 2, 3]
    part = taken[1:]
    del taken
    gc.collect()
    assert part.tolist() == [2, 3] and package.exported() == 1


def test_capsules_have_the_name_of_their_version(package: Any) -> None:
    own = package.Shared([1.0])
    asked: list[dict[str, Any]] = [{}, {"max_version": None}, {"max_version": (0, 8)}, {"stream": -1, "copy": True}]
    for keywords in asked:
        assert name_of(own.__dlpack__(**keywords)) == b"dltensor"
    for version in ((1, 0), (1, 1), (2, 0)):
        assert name_of(own.__dlpack__(max_version=version, dl_device=(1, 0))) == b"dltensor_versioned"
    assert name_of(package.plain([1.0])) == b"dltensor"


def test_a_capsule_that_nobody_takes_releases_the_memory(package: Any) -> None:
    own = package.Shared([1.0])
    kept = [own.__dlpack__(), own.__dlpack__(max_version=(1, 1))]
    assert package.exported() == 2
    kept.clear()
    assert package.exported() == 0


@pytest.mark.torch
def test_torch_takes_the_memory(package: Any) -> None:
    torch = pytest.importorskip("torch")
    taken = torch.from_dlpack(package.Shared([1.0, 2.0]))
    assert taken.tolist() == [1, 2] and package.exported() == 1
    del taken
    assert torch.from_dlpack(package.plain([3.0])).tolist() == [3]


def test_what_is_refused(package: Any) -> None:
    own = package.Shared([1.0])
    refused: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"stream": "a"}, TypeError, "^stream: an int is wanted, not str$"),
        ({"max_version": 1}, TypeError, "^max_version: a tuple of 2 is wanted, not int$"),
        ({"max_version": (1,)}, TypeError, "^max_version: a tuple of 2 is wanted, not one of 1$"),
        ({"dl_device": ("cpu", 0)}, TypeError, r"^dl_device\[0\]: an int is wanted, not str$"),
        ({"copy": 1}, TypeError, "^copy: a bool is wanted, not int$"),
        ({"stream": 2**70}, OverflowError, "stream: .* does not fit i64"),
        ({"stream": 5}, ValueError, "^stream$"),
        ({"dl_device": (2, 0)}, ValueError, "^dl_device$"),
        ({"copy": False}, ValueError, "^copy$"),
        ({"device": 1}, TypeError, "unexpected keyword argument 'device'"),
    ]
    for keywords, error, why in refused:
        with pytest.raises(error, match=why):
            own.__dlpack__(**keywords)
    with pytest.raises(TypeError, match="positional argument"):
        own.__dlpack__(None)
    with pytest.raises(TypeError):
        own.__dlpack_device__(1)
    own.close()
    for call in (own.__dlpack__, own.__dlpack_device__):
        with pytest.raises(package.ClosedHandleError):
            call()


def test_failures(package: Any) -> None:
    with pytest.raises(package.ArraysError, match=r"^the memory that is returned is null$"):
        package.no_memory()
    with pytest.raises(ValueError, match=r"^none$"):
        package.no_export()


def test_the_signature_is_that_of_python(package: Any) -> None:
    found = inspect.signature(package.Shared.__dlpack__)
    assert list(found.parameters) == ["self", "stream", "max_version", "dl_device", "copy"]
    assert all(p.kind is p.KEYWORD_ONLY and p.default is None for p in list(found.parameters.values())[1:])


def test_ctrl_c_releases_once(package: Any, built: Any) -> None:
    if built.ENGINE != "cffi":
        pytest.skip("the cpython engine makes a capsule in one step, which no signal interrupts")
    came, line = True, 1  # before the first one, the memory is nobody's yet
    while came:
        made, error, came = interrupted(lambda: package.plain([1.0, 2.0]), "capsule_out", line)
        assert isinstance(error, KeyboardInterrupt) if came else made is not None
        del made, error
        gc.collect()
        assert package.exported() == 0
        line += 1
    assert line > 3
