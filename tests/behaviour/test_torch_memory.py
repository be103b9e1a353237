"""Memory of tensors, threads, streams, and which libraries are loaded."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from types import ModuleType

import pytest

from tests.behaviour import packages
from tests.behaviour.packages import Package
from tests.behaviour.torch_agreement import (
    HERE,
    NOISE,
    SPEC,
    bytes_of,
    cpu_only,
    memory_in_use,
    needs_gpu,
    take,
    torch_device,
)
from tests.limits import HANGS

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.torch


@pytest.fixture(scope="module")
def package() -> Package:
    return packages.build(SPEC)


@pytest.fixture(scope="module")
def ffi(package: Package, engine: str) -> ModuleType:
    return package.load(engine)


# --- memory and threads ----------------------------------------------------------------------------------------------

SIZE = 16 << 20


def test_memory_goes_with_the_last_tensor_that_has_it(ffi: ModuleType) -> None:
    ffi.zeros([4]).close()
    before = memory_in_use()
    tensor = ffi.zeros([SIZE], ffi.DType.UINT8)
    same = tensor.reshape([2, -1])
    assert memory_in_use() - before >= SIZE
    tensor.close()
    tensor.close()
    assert memory_in_use() - before >= SIZE
    assert same.shape == (2, SIZE // 2)
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


@pytest.mark.slow
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
        assert ffi.zeros([2, 3]).shape == (2, 3)
    else:
        import torch
        assert (torch.ones(3) @ torch.ones(3)).item() == 3
assert ffi.zeros([4]).numel() == 4
loaded = {line.split()[-1] for line in open("/proc/self/maps") if "libtorch_cpu" in line or "libc10.so" in line}
assert len(loaded) == 2, loaded
"""


@pytest.mark.quick(2)
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
        assert (there.device, there.is_cuda, there.shape) == ("cuda:0", True, (64, 64))
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
