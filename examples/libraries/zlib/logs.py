"""Packs a log piece by piece, each to be read alone; then reads it back in no more memory than is allowed."""

from __future__ import annotations

from collections.abc import Iterator

import zlib_c

COMMON = (
    b"INFO request GET /index.html from 192.168.0.1 took 0.01 s\nWARNING request POST /login from 10.0.0.1 failed\n"
)
"""What entries look like: a dictionary."""


def entries() -> Iterator[bytes]:
    for number in range(200):
        what = b"POST /login" if number % 7 == 0 else b"GET /index.html"
        yield b"INFO request %s from 192.168.0.%d took 0.0%d s\n" % (what, number % 250, number % 10)


def pack(entry: bytes) -> bytes:
    with zlib_c.deflate(level=9) as stream:
        stream.set_dictionary(COMMON)
        return stream.write(entry, zlib_c.Flush.FINISH)


def unpack(packed: bytes, memory: zlib_c.Memory) -> bytes:
    with memory.inflate() as stream:
        header = stream.write(packed)
        if header.status is not zlib_c.Status.NEED_DICT:
            return header.data
        stream.set_dictionary(COMMON)
        return stream.write(packed[header.taken :]).data


def main() -> None:
    log = list(entries())
    alone, common = [zlib_c.compress(each, 9) for each in log], [pack(each) for each in log]
    print(f"zlib {zlib_c.version()}: {sum(map(len, log))} bytes in {len(log)} entries")
    print(f"each alone: {sum(map(len, alone))}, with a dictionary: {sum(map(len, common))}")

    memory = zlib_c.memory(limit=64 * 1024)
    assert [unpack(each, memory) for each in common] == log
    print(f"read back in {memory.peak} bytes of memory at most, {memory.used} are left in use")

    damaged = bytes([common[0][0] ^ 0xFF]) + common[0][1:]
    try:
        unpack(damaged, memory)
    except zlib_c.DataError as error:
        print(f"a damaged entry: {error} ({error.code})")


if __name__ == "__main__":
    main()
