"""The caching allocator: memory is used again in the order of streams, and nothing is lost or given away too early."""

from __future__ import annotations

import gc
import sys
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise

import numpy as np
import pytest

from tests import processes
from tests.gpu import reentry_process
from tests.gpu.places import ROOT
from tests.limits import HANGS
from unified_gpu import ClosedError, Context, Stream
from unified_gpu.backends import Device

MIB = 1 << 20


def test_memory_is_used_again_without_asking_the_device(ctx: Context) -> None:
    ctx.alloc(1000)
    before = ctx.memory_statistics()
    for _ in range(100):
        ctx.alloc(1000)
    after = ctx.memory_statistics()
    assert after.device_allocations == before.device_allocations
    assert after == before


KIB = 1 << 10
CHUNK = 16 * KIB
"""What is taken from a device at least, for small arrays to share."""


@pytest.mark.parametrize(
    ("size", "used"),
    [
        (0, 512), (1, 512), (512, 512), (513, 1024), (16 * KIB, 16 * KIB), (16 * KIB + 1, 17 * KIB),
        (512 * KIB + 1, 544 * KIB), (MIB, MIB), (MIB + 1, 2 * MIB), (2 * MIB + 1, 4 * MIB),
    ],
)  # fmt: skip
def test_sizes_are_rounded(cpu: Context, size: int, used: int) -> None:
    array = cpu.alloc(size, "u8")
    reserved = max(used, CHUNK)
    found = cpu.memory_statistics()
    assert (found.reserved, found.used, found.cached) == (reserved, used, reserved - used)
    assert found.peak_reserved == reserved
    assert array.size_bytes == size
    del array
    found = cpu.memory_statistics()
    assert (found.reserved, found.used, found.cached) == (reserved, 0, reserved)


def test_many_small_arrays_share_a_few_allocations(ctx: Context) -> None:
    arrays = [ctx.alloc(7).fill(number) for number in range(20_000)]
    assert ctx.memory_statistics().device_allocations <= 20
    assert {array.pointer % 256 for array in arrays} == {0}, "as cudaMalloc does it"
    places = sorted(array.pointer for array in arrays)
    assert all(after - before >= 28 for before, after in pairwise(places))
    ctx.sync()
    assert [arrays[i].tolist() for i in (0, 777, 19_999)] == [[float(i)] * 7 for i in (0, 777, 19_999)]
    del arrays
    found = ctx.memory_statistics()
    assert found.used == 0
    assert ctx.trim() == found.reserved
    assert ctx.memory_statistics().reserved == 0


def test_arrays_of_all_sizes_share_them_too(ctx: Context) -> None:
    arrays = [ctx.alloc(1 + 97 * number % 5000).fill(number) for number in range(2000)]
    found = ctx.memory_statistics()
    assert found.device_allocations <= 30
    assert found.reserved <= 2 * found.used
    for number, array in enumerate(arrays[::50]):
        assert array.tolist() == [50.0 * number] * array.size


def test_an_allocation_is_given_back_when_all_arrays_on_it_are_gone(ctx: Context) -> None:
    arrays = [ctx.alloc(1000) for _ in range(400)]
    whole = ctx.memory_statistics().reserved
    kept = arrays[200].fill(5)
    del arrays
    given = ctx.trim()
    assert whole // 4 < given < whole
    assert ctx.memory_statistics().reserved == whole - given
    assert kept.tolist() == [5.0] * 1000
    del kept
    assert ctx.trim() == whole - given


def test_when_too_little_is_left_to_share_an_array_gets_its_own(cpu: Context) -> None:
    small = Small(cpu.device, 40 * KIB)
    cpu.memory_pool._segments.device = cpu.memory_pool._device = small  # type: ignore[assignment]
    arrays = [cpu.alloc(size, "u8").fill(1) for size in (10 * KIB, 20 * KIB, 1, 2 * KIB)]
    assert [array.sum().item() for array in arrays[::2]] == [10 * KIB, 1]


def test_one_array_of_several_is_lent(cpu: Context) -> None:
    arrays = [cpu.alloc(1000).fill(number) for number in range(50)]
    views = [np.from_dlpack(array) for array in arrays[::5]]
    lent = cpu.memory_statistics()
    del arrays
    assert cpu.memory_statistics().used == 0
    for _ in range(200):
        cpu.alloc(1000).fill(-1)
    others = [cpu.alloc(1000).fill(-2) for _ in range(100)]
    cpu.sync()
    assert [view[999] for view in views] == list(range(0, 50, 5))
    del views, others
    cpu.trim()
    assert cpu.memory_statistics().reserved == 0
    assert lent.reserved == lent.used + lent.cached


def test_memory_that_is_lent_again_and_again_does_not_grow(cpu: Context) -> None:
    for number in range(2000):
        view = np.from_dlpack(cpu.alloc(1000).fill(number))
        assert view[0] == view[999] == number
        del view
    found = cpu.memory_statistics()
    assert found.used == 0
    assert found.peak_reserved <= 4 * CHUNK
    free, total = cpu.device.memory_info()
    assert total - free <= 4 * CHUNK


def test_what_is_lent_outlives_the_context_and_goes_with_its_last_user(cpu: Context) -> None:
    before, _ = cpu.device.memory_info()
    with Context("cpu") as other:
        small, large = (other.alloc(size).fill(3) for size in (100, 1_000_000))
        views = [np.from_dlpack(small), np.from_dlpack(large)]
        del small, large
    assert all((view == 3).all() for view in views)
    assert cpu.device.memory_info()[0] < before - 4_000_000
    del views
    gc.collect()
    assert cpu.device.memory_info()[0] == before


def test_trim(ctx: Context) -> None:
    kept, stream = ctx.alloc(MIB, "u8"), ctx.create_stream()
    for where in (ctx.default_stream, stream):
        ctx.alloc(3 * MIB, "u8", stream=where)
    assert ctx.trim() == 8 * MIB
    assert ctx.trim() == 0
    found = ctx.memory_statistics()
    assert (found.reserved, found.used, found.peak_reserved) == (MIB, MIB, 9 * MIB)
    assert kept.fill(1).sum().item() == MIB


def test_views_hold_the_memory(ctx: Context) -> None:
    view = ctx.alloc(1000)[10:20]
    assert ctx.memory_statistics().used > 0
    del view
    assert ctx.memory_statistics().used == 0


def test_each_stream_has_its_own(ctx: Context) -> None:
    stream = ctx.create_stream()
    first = ctx.alloc(1000).pointer
    other = ctx.alloc(1000, stream=stream)
    pointer = other.pointer
    del other
    assert ctx.alloc(1000).pointer == first != pointer
    assert ctx.alloc(1000, stream=stream).pointer == pointer


def test_what_a_closed_stream_had_goes_to_whoever_needs_it(ctx: Context) -> None:
    stream = ctx.create_stream()
    kept, freed = ctx.alloc(1000, stream=stream), ctx.alloc(1000, stream=stream)
    pointers = {kept.pointer, freed.pointer}
    del freed
    stream.close()
    del kept
    arrays = [ctx.alloc(1000), ctx.alloc(1000, stream=ctx.create_stream())]
    assert {array.pointer for array in arrays} == pointers
    assert ctx.memory_statistics().device_allocations == 1


def test_a_closed_stream_allocates_nothing(ctx: Context) -> None:
    stream = ctx.create_stream()
    array = ctx.alloc(1000, stream=stream)
    stream.close()
    del array
    with pytest.raises(ClosedError):
        ctx.alloc(1000, stream=stream)


def test_what_a_lost_stream_had_is_given_back(ctx: Context) -> None:
    stream = ctx.create_stream()
    ctx.alloc(MIB, "u8", stream=stream)
    del stream
    gc.collect()
    assert ctx.memory_statistics().reserved == 0


def test_memory_that_another_stream_uses_is_not_given_away(ctx: Context) -> None:
    """Without waiting for the other stream, the array made next would get the memory and overwrite it."""
    other = ctx.create_stream()
    for i in range(20):
        source, there = ctx.alloc_upload(np.full(2 * MIB, i, "f4")), ctx.alloc(2 * MIB, stream=other)
        for _ in range(3):
            source.copy_to(there, stream=other)
        del source
        again = ctx.alloc(2 * MIB).fill(-1)
        assert (there.download(stream=other) == i).all()
        del again, there
    ctx.sync()
    found = ctx.memory_statistics()
    assert found.used == 0
    assert found.device_allocations < 20


def test_out_of_memory_says_how_much(ctx: Context) -> None:
    kept = ctx.alloc(MIB, "u8")
    _, total = ctx.memory_info()
    with pytest.raises(MemoryError) as caught:
        ctx.alloc(64 * total, "u8")
    for part in ("do not fit on", ctx.backend_name, "are free, arrays of this context hold 1.0 MiB", "smaller batches"):
        assert part in str(caught.value)
    assert kept.fill(2).sum().item() == 2 * MIB


class Small:
    """A device with room for a few bytes, in front of a real one."""

    def __init__(self, device: Device, room: int) -> None:
        self._device, self.room = device, room
        self.taken: list[object] = []

    def __getattr__(self, name: str) -> object:
        return getattr(self._device, name)

    def allocate(self, size_bytes: int) -> object:
        used = sum(memory.size() for memory in self.taken if not memory.closed)  # type: ignore[attr-defined]
        if used + size_bytes > self.room:
            raise MemoryError("no room")
        self.taken.append(memory := self._device.allocate(size_bytes))
        return memory


def test_before_giving_up_everything_unused_is_given_back(cpu: Context) -> None:
    small = Small(cpu.device, 10 * MIB)
    cpu.memory_pool._segments.device = cpu.memory_pool._device = small  # type: ignore[assignment]
    other = cpu.create_stream()
    for stream in (cpu.default_stream, other):
        cpu.alloc(2 * MIB, "u8", stream=stream)
    pending = cpu.alloc(4 * MIB, "u8")
    pending.fill(1, stream=other)
    cycle: list[object] = [cpu.alloc(2 * MIB, "u8")]
    cycle.append(cycle)
    del pending, cycle
    whole = cpu.alloc(10 * MIB, "u8")
    assert (whole.fill(1).download() == 1).all()
    with pytest.raises(MemoryError, match=r"4\.0 MiB do not fit on cpu:0 .* hold 10\.0 MiB"):
        cpu.alloc(3 * MIB, "u8")
    del whole
    assert cpu.alloc(3 * MIB, "u8").fill(1).sum().item() == 3 * MIB


def test_many_threads(ctx: Context) -> None:
    stop = threading.Event()
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            with ctx.create_stream() as stream:
                for i in range(200):
                    arrays = [ctx.alloc(100 * (k + i % 3), "i32") for k in range(5)]
                    arrays[-1].fill(number)
                    assert set(arrays[-1].tolist()) <= {number}
                stream.close()
        except BaseException as error:
            failures.append(error)

    def watch() -> None:
        while not stop.is_set():
            ctx.memory_statistics()
            ctx.trim()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    watcher = threading.Thread(target=watch)
    for thread in (*threads, watcher):
        thread.start()
    for thread in threads:
        thread.join(HANGS)
    stop.set()
    watcher.join(HANGS)
    assert not failures
    gc.collect()
    assert ctx.memory_statistics().used == 0


def test_ten_thousand_arrays_leave_nothing(ctx: Context) -> None:
    for i in range(10_000):
        ctx.alloc(1 + i % 700)
    found = ctx.memory_statistics()
    assert found.used == 0
    assert found.device_allocations <= 6


@contextmanager
def interrupted(monkeypatch: pytest.MonkeyPatch, owner: object, name: str) -> Iterator[None]:
    """Ctrl-C comes once within `owner.name`, and has to come out of the block."""
    original = getattr(owner, name)
    gc.collect()  # within the block, finalizers of other objects would run, where Python ignores an interrupt

    def once(*args: object) -> object:
        monkeypatch.undo()
        original(*args)
        raise KeyboardInterrupt

    watchers, gc.callbacks[:] = gc.callbacks[:], []  # hypothesis has one in Python, which ignores an interrupt, too
    try:
        with pytest.raises(KeyboardInterrupt):
            monkeypatch.setattr(owner, name, once)
            yield
            gc.collect()
            for _ in range(1000):
                time.sleep(0.01)
    finally:
        gc.callbacks[:] = watchers


@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("within", ["event", "_reclaim"])
def test_an_interrupt_while_memory_comes_back_is_not_lost(
    ctx: Context, within: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    a = ctx.alloc(1000)
    with ctx.create_stream() as other:
        a.fill(1, stream=other)
        ctx.sync()
        del a
        with interrupted(monkeypatch, ctx.memory_pool, within):
            ctx.memory_statistics()
    ctx.sync()
    assert ctx.memory_statistics().used == 0
    b, c = ctx.alloc(1000), ctx.alloc(1000)
    assert b.pointer != c.pointer


@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupt_while_a_stream_or_pinned_memory_goes_is_not_lost(
    ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = ctx.create_stream()
    with interrupted(monkeypatch, Stream, "_finalize"):
        del stream
    pinned = ctx.alloc_pinned(4)
    with interrupted(monkeypatch, type(pinned.pin), "close"):
        del pinned
    ctx.sync()


def test_a_finalizer_calls_no_device(ctx: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    """It leaves the memory to the pool, which waits for the streams that have used it."""
    calls: list[str] = []
    pool, other = ctx.memory_pool, ctx.create_stream()
    array = ctx.alloc(1000).fill(1, stream=other)
    monkeypatch.setattr(pool, "event", lambda original=pool.event: calls.append("event") or original())
    del array
    assert not calls
    assert len(pool.freed) == 1
    other.synchronize()
    assert calls == ["event"]
    assert ctx.memory_statistics().used == 0


def test_trim_releases_events_too(ctx: Context) -> None:
    streams = [ctx.create_stream() for _ in range(5)]
    array = ctx.alloc(1000)
    for before, stream in pairwise((ctx.default_stream, *streams)):
        stream.wait_stream(before)
        array.fill(1, stream=stream)
    del array
    ctx.sync()
    ctx.sync()  # the events that the first one has recorded
    ctx.memory_statistics()
    assert len(ctx.memory_pool.event_pool) >= 5
    ctx.trim()
    assert not ctx.memory_pool.event_pool


def test_memory_of_others_is_released_when_its_work_is_done(cpu: Context) -> None:
    data = np.arange(1000, dtype="f4")
    owner = weakref.ref(data)
    array = cpu.from_dlpack(data)
    doubled = array * 2
    del array, data
    cpu.sync()
    gc.collect()
    assert owner() is None
    assert doubled.tolist()[-1] == 1998
    for _ in range(100):
        data = np.arange(1000, dtype="f4")
        cpu.from_dlpack(data)
        del data
    assert len(cpu.memory_pool.freed) <= 1


def test_what_a_lost_stream_had_goes_to_whoever_needs_it(ctx: Context) -> None:
    stream = ctx.create_stream()
    kept, freed = ctx.alloc(1000), ctx.alloc(1000, stream=stream)
    pointer = freed.pointer
    for _ in range(20):
        freed.fill(1, stream=stream)
    del freed, stream
    ctx.device.synchronize()
    assert ctx.alloc(1000, stream=ctx.create_stream()).pointer == pointer
    assert kept.fill(2).tolist() == [2.0] * 1000


@pytest.mark.quick(2)
@pytest.mark.parametrize("case", [case.__name__ for case in reentry_process.CASES])
def test_whatever_comes_in_the_middle_of_a_call_waits_for_no_lock(backend: str, case: str) -> None:
    """Finalizers, those of users too, and signal handlers, wherever objects are made; in a process that may hang."""
    if case == "give_away" and backend == "cuda":
        pytest.skip("NumPy does not see memory of a GPU")
    command = [sys.executable, "-m", "tests.gpu.reentry_process", backend, case]
    done = processes.run(command, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr[-6000:]
