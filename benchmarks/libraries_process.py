"""One process of libraries.py: programs over our packages and over others, in turn; prints the times as JSON.

It runs in the peers' environment.

python libraries_process.py FOLDER ROUNDS SEED CPU
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import random
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

SIZES: Mapping[str, int] = {"100 B": 100, "64 KiB": 1 << 16, "16 MiB": 1 << 24}
"""How much data each program works on."""

PIECE = 1 << 16
"""What a stream is given at a time."""

BURST = 3_000_000
"""Nanoseconds that one timing takes at least."""

Program = Callable[[], bytes]
Pair = tuple[Program, Program]
"""The same work by our package and by the other one."""


@lru_cache
def data_of(size: int) -> bytes:
    """Lines of a log, as such data is: a third to a tenth of it stays."""
    chance = random.Random(size)
    words = [f"{chance.getrandbits(32):x}" for _ in range(2000)]
    lines, length = [], 0
    while length < size:
        line = f"{length} {chance.choice(words)} {chance.choice(words)} took {chance.random():.3f} s\n"
        lines.append(line)
        length += len(line)
    return "".join(lines).encode()[:size]


@lru_cache
def packed_by_zlib(data: bytes) -> bytes:
    return zlib.compress(data)


def pieces(data: bytes) -> list[bytes]:
    return [data[i : i + PIECE] for i in range(0, len(data), PIECE)]


def programs(size: int) -> Iterator[tuple[str, Pair]]:
    """What is timed, by its name in the tables; each makes the same of the same data."""
    data = data_of(size)
    yield from (("zstd, " + what, pair) for what, pair in _zstd(data))
    yield from (("zlib, " + what, pair) for what, pair in _zlib(data))


def _zstd(data: bytes) -> Iterator[tuple[str, Pair]]:
    ours, theirs = importlib.import_module("zstd_c"), importlib.import_module("zstandard")
    cctx, dctx = ours.cctx(), ours.dctx()
    compressor, decompressor = theirs.ZstdCompressor(), theirs.ZstdDecompressor()
    packed = compressor.compress(data)
    parts, packed_parts = pieces(data), pieces(packed)

    def compress() -> bytes:
        cctx.reset()
        return b"".join([*map(cctx.write, parts), cctx.finish()])

    def compress_by_peer() -> bytes:
        stream = compressor.compressobj()
        return b"".join([*map(stream.compress, parts), stream.flush()])

    def decompress() -> bytes:
        dctx.reset()
        return b"".join([dctx.write(part).data for part in packed_parts])

    def decompress_by_peer() -> bytes:
        stream = decompressor.decompressobj()
        return b"".join([stream.decompress(part) for part in packed_parts])

    yield "compress", (lambda: cctx.compress(data), lambda: compressor.compress(data))
    yield "decompress", (lambda: dctx.decompress(packed), lambda: decompressor.decompress(packed))
    yield "compress a stream", (compress, compress_by_peer)
    yield "decompress a stream", (decompress, decompress_by_peer)


def _zlib(data: bytes) -> Iterator[tuple[str, Pair]]:
    ours = importlib.import_module("zlib_c")
    packed = packed_by_zlib(data)
    parts, packed_parts = pieces(data), pieces(packed)

    def compress() -> bytes:
        stream = ours.deflate()
        return b"".join([*map(stream.write, parts), stream.finish()])

    def compress_by_peer() -> bytes:
        stream = zlib.compressobj()
        return b"".join([*map(stream.compress, parts), stream.flush()])

    def decompress() -> bytes:
        stream = ours.inflate()
        return b"".join([stream.write(part).data for part in packed_parts])

    def decompress_by_peer() -> bytes:
        stream = zlib.decompressobj()
        return b"".join([stream.decompress(part) for part in packed_parts])

    yield "compress", (lambda: ours.compress(data), lambda: zlib.compress(data))
    yield "decompress", (lambda: ours.uncompress(packed, len(data)), lambda: zlib.decompress(packed, bufsize=len(data)))
    yield "compress a stream", (compress, compress_by_peer)
    yield "decompress a stream", (decompress, decompress_by_peer)
    yield "crc32", (lambda: b"%d" % ours.crc32(data), lambda: b"%d" % zlib.crc32(data))


def whole_programs() -> Iterator[tuple[str, Pair]]:
    """What is timed once a round, whatever the size."""
    yield "leveldb: write, read, iterate, delete", (_leveldb, _leveldb_by_peer)
    document = "".join(
        f"- {{id: {i}, name: user{i}}}\n- tags: [a, b, {i}]\n  score: {i / 8}\n  active: {str(i % 2 > 0).lower()}\n"
        for i in range(1000)
    )
    ours, theirs = importlib.import_module("yaml_cpp"), importlib.import_module("yaml")
    loader = theirs.CSafeLoader
    yield (
        "yaml-cpp: a document as values",
        (lambda: repr(ours.values(document)).encode(), lambda: repr(theirs.load(document, loader)).encode()),
    )


@lru_cache
def records() -> list[tuple[bytes, bytes]]:
    chance = random.Random(1)
    found = [(b"%08d" % number, chance.randbytes(100)) for number in range(20_000)]
    chance.shuffle(found)
    return found


def _leveldb() -> bytes:
    ours = importlib.import_module("leveldb_cpp")
    with tempfile.TemporaryDirectory() as folder, ours.DB(folder, create_if_missing=True) as db:
        batch = ours.WriteBatch()
        for key, value in records()[:10_000]:
            batch.put(key, value)
        db.write(batch)
        for key, value in records()[10_000:]:
            db.put(key, value)
        read = b"".join(db.get(key)[:1] for key, _ in records())
        keys = [key for key, _ in db.items()]
        for key in keys:
            db.delete(key)
    return read + b"".join(keys)


def _leveldb_by_peer() -> bytes:
    theirs = importlib.import_module("plyvel")
    with tempfile.TemporaryDirectory() as folder:
        db = theirs.DB(folder, create_if_missing=True)
        batch = db.write_batch()
        for key, value in records()[:10_000]:
            batch.put(key, value)
        batch.write()
        for key, value in records()[10_000:]:
            db.put(key, value)
        read = b"".join(db.get(key)[:1] for key, _ in records())
        keys = [key for key, _ in db]
        for key in keys:
            db.delete(key)
        db.close()
    return read + b"".join(keys)


def is_same_zstd() -> bool:
    """Whether both compress with one version of the library: then they make the same bytes."""
    theirs: Any = importlib.import_module("zstandard")
    return bool(importlib.import_module("zstd_c").version() == ".".join(map(str, theirs.ZSTD_VERSION)))


def checked(what: str, pair: Pair, size: int) -> int:
    """How many calls one timing takes. No figure is worth anything when the programs make different things."""
    ours, theirs = pair[0](), pair[1]()
    if what.startswith("zstd, compress") and not is_same_zstd():
        decompress = importlib.import_module("zstd_c").decompress_to
        ours, theirs = decompress(ours, size), decompress(theirs, size)
    assert ours == theirs, what
    return max(1, BURST // max(1, timed(pair[1], 1)))


def timed(program: Program, count: int) -> int:
    """Nanoseconds of so many calls."""
    start = time.perf_counter_ns()
    for _ in range(count):
        program()
    return time.perf_counter_ns() - start


def measure(rounds: int, order: random.Random) -> dict[str, list[list[float]]]:
    """By program: nanoseconds a call of ours and of the other, one figure a round, the best of three bursts.

    Each round has contexts of its own, and some memory between them and those before: where a context lies in the
    caches can matter more, a quarter of its time, than who calls.
    """
    found: dict[str, list[list[float]]] = {}
    counts: dict[str, int] = {}
    ballast: list[bytearray] = []
    for name, size in SIZES.items():
        is_large = size >= 1 << 20
        for number in range(max(3, rounds // 3) if is_large else rounds):
            ballast = [*ballast[-8:], bytearray(order.randrange(1 << 18))]
            for what, pair in programs(size):
                row = f"{what}, {name}"
                if row not in counts:
                    counts[row] = checked(what, pair, size)
                which = [0, 1] if (number + order.randrange(2)) % 2 else [1, 0]
                best = [10**18, 10**18]
                for each in which * (1 if is_large else 3):
                    best[each] = min(best[each], timed(pair[each], counts[row]))
                for each in which:
                    found.setdefault(row, [[], []])[each].append(best[each] / counts[row])
    for number in range(max(3, rounds // 3)):
        for what, pair in whole_programs():
            if number == 0:
                checked(what, pair, 0)
            for each in [0, 1] if (number + order.randrange(2)) % 2 else [1, 0]:
                found.setdefault(what, [[], []])[each].append(min(timed(pair[each], 1) for _ in range(3)))
    return found


def main() -> None:
    folder, rounds, seed, cpu = sys.argv[1], *map(int, sys.argv[2:5])
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {cpu})
    sys.path.insert(0, folder)
    gc.disable()
    times = measure(rounds, random.Random(seed))
    zstandard: Any = importlib.import_module("zstandard")
    versions = {
        "zstandard": f"{zstandard.__version__} with zstd {'.'.join(map(str, zstandard.ZSTD_VERSION))}",
        "zstd of ours": importlib.import_module("zstd_c").version(),
        "leveldb": ".".join(map(str, importlib.import_module("leveldb_cpp").version())),
        "plyvel": importlib.import_module("plyvel").__version__,
        "PyYAML": importlib.import_module("yaml").__version__,
        "zlib": f"{importlib.import_module('zlib_c').version()}, of the standard library {zlib.ZLIB_RUNTIME_VERSION}",
    }
    print(json.dumps({"times": times, "versions": versions}))


if __name__ == "__main__":
    main()
