"""Trains a dictionary on small records and packs them with it; then packs all of them as a stream."""

from __future__ import annotations

import json

import zstd_c


def record(number: int) -> bytes:
    user = {"id": number, "name": f"user{number}", "mail": f"user{number}@example.org", "active": number % 3 == 0}
    return json.dumps(user).encode()


RECORDS = [record(number) for number in range(5000)]


def with_a_dictionary() -> None:
    trained = zstd_c.train_dictionary(RECORDS[:2000], size=8192)
    packing, unpacking = zstd_c.cctx(), zstd_c.dctx()
    packing.use(zstd_c.cdict(trained, level=19))
    unpacking.use(zstd_c.ddict(trained))
    packed = [packing.compress(each) for each in RECORDS]
    assert [unpacking.decompress(each) for each in packed] == RECORDS
    alone = sum(len(zstd_c.compress(each, 19)) for each in RECORDS)
    print(f"{sum(map(len, RECORDS))} bytes; each alone: {alone}, with a dictionary: {sum(map(len, packed))}")
    print(f"dictionary {zstd_c.dict_id(trained)}: {zstd_c.frame_header(packed[0]).dict_id == zstd_c.dict_id(trained)}")


def as_a_stream() -> None:
    stream = zstd_c.cctx()
    stream.set(zstd_c.CParam.compressionLevel, zstd_c.cparam_bounds(zstd_c.CParam.compressionLevel).upper)
    stream.set(zstd_c.CParam.checksumFlag, 1)
    packed = [stream.write(each + b"\n") for each in RECORDS]
    progress = stream.progress
    packed.append(stream.finish())
    frame = b"".join(packed)
    print(f"stream: {progress.ingested} bytes in, {progress.produced} out; {len(frame)} in all")

    reading, rest, lines = zstd_c.dctx(), frame, b""
    while rest:
        piece = reading.write(rest, max_length=10_000)
        lines, rest = lines + piece.data, rest[piece.taken :]
        if piece.ended:
            break
    assert lines.splitlines() == RECORDS


def main() -> None:
    print(f"zstd {zstd_c.version()}, levels {zstd_c.min_level()} to {zstd_c.max_level()}")
    with_a_dictionary()
    as_a_stream()
    try:
        zstd_c.decompress(b"this is no frame")
    except ValueError as error:
        print(f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
