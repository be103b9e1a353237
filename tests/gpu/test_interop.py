"""Arrays lent to and borrowed from other libraries: the same memory, in the right order, as long as anyone has it."""

from __future__ import annotations

import gc
import importlib.util
import os
import sys
import weakref
from typing import Any

import numpy as np
import pytest

import unified_gpu
from tests import processes
from unified_gpu import ClosedError, Context, MixedContextsError
from unified_gpu.dtypes import DTYPES

LENT = [name for name, dtype in DTYPES.items() if dtype.numpy]


@pytest.fixture
def host(ctx: Context) -> Context:
    """A context whose memory is the CPU's."""
    if ctx.device.dlpack_type != 1:
        pytest.skip("its memory is not the CPU's")
    return ctx


@pytest.fixture
def seen(ctx: Context) -> Context:
    """A context whose memory the host sees, so that other libraries can have it as theirs: also Vulkan on a CPU."""
    if ctx.alloc(1).__dlpack_device__() != (1, 0):
        pytest.skip("the host does not see its memory")
    return ctx


@pytest.mark.parametrize("name", LENT)
def test_numpy_sees_the_memory_itself(seen: Context, name: str) -> None:
    host, array = seen, seen.alloc_zeros((3, 4), name)
    for there in (np.asarray(array), np.from_dlpack(array), np.frombuffer(array.host_view(), DTYPES[name].numpy)):
        array.fill(1)
        host.sync()
        assert there.dtype == DTYPES[name].numpy
        assert (there == 1).all()
        array.fill(0)
        host.sync()
        assert not there.any()
        assert np.shares_memory(there, np.asarray(array))
    assert np.asarray(array.T if name != "bool" else array).shape in ((4, 3), (3, 4))


@pytest.mark.parametrize("name", LENT)
def test_arrays_over_the_memory_of_numpy(host: Context, name: str) -> None:
    data = np.zeros((3, 4), DTYPES[name].numpy)
    array = host.from_dlpack(data)
    assert (array.dtype.name, array.shape) == (name, (3, 4))
    array.fill(1)
    host.sync()
    assert (data == 1).all()
    data[1] = 0
    assert array.tolist()[1] == [0] * 4


@pytest.mark.torch
def test_torch_and_back(host: Context) -> None:
    torch = pytest.importorskip("torch")
    for dtype in (torch.float32, torch.bfloat16, torch.float16, torch.int64, torch.uint8, torch.bool):
        tensor = torch.ones(2, 3, dtype=dtype)
        array = unified_gpu.from_dlpack(tensor, host)
        again = torch.from_dlpack(array)
        assert (again.dtype, again.shape, again.data_ptr()) == (dtype, tensor.shape, tensor.data_ptr())
        array.fill(0)
        host.sync()
        assert not tensor.any()
    strided = torch.arange(12.0).reshape(3, 4)
    assert host.from_dlpack(strided.T).tolist() == strided.T.tolist()
    assert host.from_dlpack(strided[:, 1:3]).sum(1).tolist() == strided[:, 1:3].sum(1).tolist()
    assert torch.from_dlpack(host.alloc_upload(np.arange(6, dtype="f4").reshape(2, 3)).T).tolist() == [
        [0, 3],
        [1, 4],
        [2, 5],
    ]


JAX = """
import gc, sys
import jax
jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp
import numpy as np
from unified_gpu import Context
from unified_gpu.dtypes import DTYPES

with Context(sys.argv[1]) as ctx:
    for name in DTYPES:
        lent = ctx.alloc((3, 4), name).fill(1)
        seen = jnp.from_dlpack(lent)  # waits for what is queued
        assert (seen.shape, seen.unsafe_buffer_pointer()) == ((3, 4), lent.pointer), name
        assert int(seen.astype("int32").sum()) == 12, name
        borrowed = ctx.from_dlpack(seen)
        assert (borrowed.dtype.name, borrowed.shape, borrowed.pointer) == (name, (3, 4), lent.pointer)
    rows = jnp.asarray(np.arange(12, dtype="f4").reshape(3, 4))
    assert ctx.from_dlpack(rows).T.tolist() == rows.T.tolist()
    seen = jnp.from_dlpack(ctx.alloc_upload(np.arange(8, dtype="f4")).reshape(2, 4).T)
    assert seen.tolist() == [[0, 4], [1, 5], [2, 6], [3, 7]]
gc.collect()
assert float(seen.sum()) == 28  # the memory outlives its context
"""


@pytest.mark.torch
@pytest.mark.quick(1)
@pytest.mark.parametrize("name", ["cpu", "torch"])
def test_jax_and_back(name: str) -> None:
    if importlib.util.find_spec("jax") is None:  # not imported here: it warns of every fork afterwards
        pytest.skip("could not import 'jax'")
    if name == "torch":
        pytest.importorskip("torch")
    settings = {**os.environ, "JAX_PLATFORMS": "cpu", "CUDA_VISIBLE_DEVICES": ""}
    done = processes.run([sys.executable, "-c", JAX, name], env=settings)
    assert done.returncode == 0, done.stderr


def test_what_other_libraries_write_is_seen(seen: Context) -> None:
    array = seen.alloc_upload(np.arange(1000, dtype="f4"))
    there = np.from_dlpack(array[10:])
    for turn in range(3):
        there += 1
        assert (array + 0).tolist() == [*range(10), *(i + turn + 1 for i in range(10, 1000))]


def test_work_that_is_queued_is_done_before_anyone_looks(seen: Context) -> None:
    stream = seen.create_stream()
    array = seen.alloc_zeros(4_000_000)
    seen.sync()
    for look in (np.asarray, np.from_dlpack, lambda a: np.frombuffer(a.host_view(), "f4")):
        for value in (1, 2, 3):
            array.fill(value, stream=stream)
        assert (look(array) == 3).all()
        array.fill(0, stream=stream)


def test_lent_memory_outlives_array_and_context(backend: str) -> None:
    with Context(backend) as ctx:
        if ctx.alloc(1).__dlpack_device__() != (1, 0):
            pytest.skip("the host does not see its memory")
        arrays = [ctx.alloc_upload(np.full(1000, i, "f4")) for i in range(3)]
        seen = [np.asarray(arrays[0]), np.from_dlpack(arrays[1]), np.frombuffer(arrays[2].host_view(), "f4")]
        del arrays
        for _ in range(10):
            ctx.alloc(1000).fill(-1)
        ctx.sync()
        assert [s[999] for s in seen] == [0, 1, 2]
    gc.collect()
    with Context(backend) as other:
        other.alloc(1000).fill(-2)
        other.sync()
    assert [s[0] for s in seen] == [0, 1, 2]


def test_lent_memory_is_released_with_its_last_user(cpu: Context) -> None:
    array = cpu.alloc_upload([1.0, 2.0])
    before = cpu.memory_statistics()
    seen = np.from_dlpack(array)
    capsule = array.__dlpack__()
    after = cpu.memory_statistics()
    assert before.reserved - after.reserved == 512
    with_both = sys.getrefcount(array._allocation)
    del seen, capsule
    gc.collect()
    alone = sys.getrefcount(array._allocation)
    assert alone == with_both - 2
    assert array.tolist() == [1, 2]


def test_borrowed_memory_is_kept_until_queued_work_is_done(host: Context) -> None:
    stream = host.create_stream()
    data = np.zeros(4_000_000, "f4")
    there = weakref.ref(data)
    array = host.from_dlpack(data)
    for value in range(5):
        array.fill(value, stream=stream)
    del array, data
    gc.collect()
    stream.synchronize()
    host.sync()
    gc.collect()
    assert there() is None


@pytest.mark.quick(4)
@pytest.mark.parametrize("library", ["numpy", pytest.param("torch", marks=pytest.mark.torch)])
@pytest.mark.parametrize("kept", ["in a module", "in a cycle", "by a thread"])
def test_a_consumer_may_outlive_the_interpreter(backend: str, library: str, kept: str) -> None:
    pytest.importorskip(library)
    with Context(backend=backend) as ctx:
        if ctx.alloc(1).__dlpack_device__() != (1, 0):
            return  # these libraries see no memory of it
    code = f"""
import sys, threading, time
import {library} as library
from unified_gpu import Context
ctx = Context({backend!r})
seen = library.from_dlpack(ctx.alloc_upload([1.0, 2.0]))
capsule = ctx.alloc_upload([1.0, 2.0]).__dlpack__(max_version=(1, 0))
if {kept!r} == "in a module":
    sys.seen, sys.capsule = seen, capsule
elif {kept!r} == "in a cycle":
    seen = [seen, capsule]; seen.append(seen)
else:
    threading.Thread(target=lambda held: time.sleep(30), args=([seen, capsule],), daemon=True).start()
"""
    done = processes.run([sys.executable, "-c", code])
    assert (done.returncode, done.stderr) == (0, "")


def test_the_protocol_of_dlpack(ctx: Context) -> None:
    array = ctx.alloc_upload([1.0, 2.0])
    kind = array.__dlpack_device__()[0]
    assert kind == (2 if ctx.device.dlpack_type == 2 else 1)
    assert array.__dlpack_device__() == (kind, 0)
    assert '"dltensor"' in repr(array.__dlpack__())
    assert '"dltensor"' in repr(array.__dlpack__(max_version=(0, 8)))
    assert '"dltensor_versioned"' in repr(array.__dlpack__(max_version=(1, 1)))
    assert '"dltensor"' in repr(array.__dlpack__(stream=-1, dl_device=(kind, 0)))
    with pytest.raises(BufferError, match="download it to have it on the CPU"):
        array.__dlpack__(dl_device=(99, 0))
    with pytest.raises(BufferError, match="has no stream; leave it out" if kind == 1 else "stream 0 is not allowed"):
        array.__dlpack__(stream=0)
    if kind == 2:
        assert '"dltensor"' in repr(array.__dlpack__(stream=1))
        assert '"dltensor"' in repr(array.__dlpack__(stream=ctx.create_stream().pointer()))


def test_a_copy_for_the_consumer(seen: Context) -> None:
    array = seen.alloc_upload([1.0, 2.0])
    copied = np.from_dlpack(_Wants(array, copy=True))
    array.fill(0)
    seen.sync()
    assert copied.tolist() == [1, 2]


class _Wants:
    """Asks for the capsule with more options than NumPy would."""

    def __init__(self, array: Any, **options: object) -> None:
        self.array, self.options = array, options

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.array.__dlpack_device__()

    def __dlpack__(self, **options: object) -> object:
        return self.array.__dlpack__(**(options | self.options))


def test_producers_made_before_dlpack_1(host: Context) -> None:
    class Old:
        def __init__(self, data: np.ndarray) -> None:
            self.data = data

        def __dlpack_device__(self) -> tuple[int, int]:
            return self.data.__dlpack_device__()

        def __dlpack__(self, stream: int | None = None) -> object:
            return self.data.__dlpack__()

    data = np.zeros(3, "i4")
    host.from_dlpack(Old(data)).fill(5)
    host.sync()
    assert data.tolist() == [5, 5, 5]


def test_what_cannot_be_borrowed(host: Context) -> None:
    read_only = np.zeros(3, "f4")
    read_only.flags.writeable = False
    with pytest.raises(BufferError, match=r"read-?only"):
        host.from_dlpack(read_only)
    with pytest.raises(BufferError, match="negative strides"):
        host.from_dlpack(np.zeros(3, "f4")[::-1])
    with pytest.raises(TypeError, match=r"has no dtype here"):
        host.from_dlpack(np.zeros(3, "c8"))  # complex
    with pytest.raises(TypeError, match=r"a list has no __dlpack__; use ctx.alloc_upload\(data\)"):
        host.from_dlpack([1, 2])


def test_arrays_of_a_device_are_not_uploaded(ctx: Context) -> None:
    array = ctx.alloc_upload([1.0, 2.0])
    if array.__dlpack_device__() == (1, 0):
        assert ctx.alloc_upload(array).tolist() == [1, 2]
        return
    with pytest.raises(TypeError, match=r"this array lies on a device, .*; ctx.from_dlpack\(array\) takes it as it is"):
        ctx.alloc_upload(array)


def test_memory_of_another_device_is_refused(ctx: Context) -> None:
    class Elsewhere:
        def __dlpack_device__(self) -> tuple[int, int]:
            return (14, 3)

        def __dlpack__(self, **options: object) -> object:
            raise AssertionError("not to be asked")

    with pytest.raises(MixedContextsError, match=r"lies on DLPack device \(14, 3\), and <Context"):
        ctx.from_dlpack(Elsewhere())
    if ctx.device.dlpack_type != 1:
        with pytest.raises(MixedContextsError, match=r"ctx.alloc_upload"):
            ctx.from_dlpack(np.zeros(3))


def test_arrays_of_one_context_in_another(host: Context, backend: str) -> None:
    with Context(backend) as other:
        lent = other.from_dlpack(host.alloc_upload([1.0, 2.0]))
        assert (lent + 1).tolist() == [2, 3]


def test_arrays_on_a_device(ctx: Context) -> None:
    array = ctx.alloc_upload([[1.0, 2.0], [3.0, 4.0]])
    assert np.asarray(array).tolist() == [[1, 2], [3, 4]]
    assert np.asarray(array, "f8").dtype == np.float64
    on_cpu = array.__dlpack_device__() == (1, 0)
    assert hasattr(array, "__array_interface__") == on_cpu
    assert hasattr(array, "__cuda_array_interface__") != on_cpu
    if on_cpu:
        return
    other = ctx.create_stream()
    array.fill(1, stream=other)
    lent = array.T.__cuda_array_interface__
    assert (lent["shape"], lent["typestr"], lent["strides"], lent["version"]) == ((2, 2), "<f4", (4, 8), 3)
    assert lent["data"] == (array.pointer, False)
    assert lent["stream"] == ctx.default_stream.pointer()
    other.close()
    assert array.__cuda_array_interface__["stream"] == lent["stream"], "a closed stream has nothing to wait for"
    with pytest.raises(BufferError, match="not in the memory of the CPU"):
        array.host_view()


def test_after_close_nothing_is_lent(backend: str) -> None:
    with Context(backend) as ctx:
        array = ctx.alloc_upload([1.0])
    for use in (array.__dlpack__, array.__dlpack_device__, array.host_view, lambda: np.asarray(array)):
        with pytest.raises((ClosedError, BufferError), match=r"closed|not in the memory"):
            use()


def test_transposed_memory_is_no_buffer(seen: Context) -> None:
    with pytest.raises(BufferError, match=r"use its contiguous\(\) copy"):
        seen.alloc((2, 3)).T.host_view()


@pytest.mark.skipif(sys.version_info < (3, 12), reason="classes can lend buffers from Python 3.12 on")
def test_the_buffer_protocol(seen: Context) -> None:
    for name in LENT:
        array: Any = seen.alloc_upload([0, 1], name)
        view = memoryview(array)
        assert (view.tolist(), view.format) == ([0, 1], DTYPES[name].format)
        assert array.host_view().tolist() == [0, 1]


@pytest.mark.parametrize("look", [np.asarray, np.array])
def test_numpy_is_not_told_that_bf16_is_whole_numbers(seen: Context, look: Any) -> None:
    array = seen.alloc_upload([1.0, 2.0], "bf16")
    there = look(array)
    assert (there.dtype, there.view("u2").tolist()) == ("V2", [0x3F80, 0x4000])
    assert array.host_view().tolist() == [0x3F80, 0x4000]


@pytest.mark.skipif(sys.version_info < (3, 12), reason="classes can lend buffers from Python 3.12 on")
def test_bf16_is_lent_as_bytes(seen: Context) -> None:
    array: Any = seen.alloc_upload([1.0, 2.0], "bf16")
    assert bytearray().join([array]) == b"\x80\x3f\x00\x40"
    with pytest.raises(BufferError, match=r"no format for bf16; host_view\(\) shows its bits"):
        memoryview(array)


def test_without_the_package_that_lends() -> None:
    code = """
import sys
sys.modules["dlpack_ffi"] = None
from unified_gpu import Context
with Context("cpu") as ctx:
    array = ctx.alloc_upload([1.0])
    try:
        array.__dlpack__()
    except BufferError as error:
        assert "wrapper-gen build specs/dlpack.wrapper_spec" in str(error)
    assert array.host_view().tolist() == [1]
"""
    done = processes.run([sys.executable, "-c", code])
    assert (done.returncode, done.stderr) == (0, "")
