"""zlib over our package, by what zlib's own documentation says, and against the module of the standard library."""

from __future__ import annotations

import gzip
import os
import random
import threading
import zlib
from pathlib import Path
from typing import Any

import pytest

from tests.libraries import library

DATA = random.Random(1).randbytes(500) * 400
"""200 000 bytes that compress well."""


@pytest.fixture(scope="module")
def lib(engine: str) -> Any:
    return library.load("zlib", engine)


# --- in one call -----------------------------------------------------------------------------------------------------


def test_checksums_are_those_of_zlib(lib: Any) -> None:
    assert (lib.crc32(DATA), lib.adler32(DATA)) == (zlib.crc32(DATA), zlib.adler32(DATA))
    assert lib.crc32(DATA[100:], lib.crc32(DATA[:100])) == zlib.crc32(DATA)
    assert (lib.crc32(b""), lib.adler32(b"")) == (0, 1)


def test_checksums_of_pieces_combine(lib: Any) -> None:
    a, b = DATA[:1000], DATA[1000:]
    assert lib.crc32_combine(lib.crc32(a), lib.crc32(b), len(b)) == lib.crc32(DATA)
    assert lib.adler32_combine(lib.adler32(a), lib.adler32(b), len(b)) == lib.adler32(DATA)
    assert lib.crc32_combine_op(lib.crc32(a), lib.crc32(b), lib.crc32_combine_gen(len(b))) == lib.crc32(DATA)


@pytest.mark.parametrize("level", [-1, 0, 1, 9])
def test_one_call_compresses_and_one_decompresses(lib: Any, level: int) -> None:
    packed = lib.compress(DATA, level)
    assert zlib.decompress(packed) == DATA
    assert lib.uncompress(packed, len(DATA)) == DATA
    assert len(packed) <= lib.compress_bound(len(DATA))


def test_too_little_room_is_an_error_with_zlib_s_words(lib: Any) -> None:
    with pytest.raises(lib.DoesNotFit, match=r"^buffer error$") as raised:
        lib.uncompress(lib.compress(DATA), len(DATA) - 1)
    assert raised.value.code == -5
    assert lib.error_text(-5) == "buffer error"


def test_numbers_that_zlib_does_not_check_are_refused(lib: Any) -> None:
    """Its table of words has no others, and a negative size never ends."""
    for status in (3, -7, 1 << 20):
        with pytest.raises(ValueError, match="no status of zlib"):
            lib.error_text(status)
    for combine in (lib.crc32_combine, lib.adler32_combine):
        with pytest.raises(OverflowError):
            combine(1, 1, -1)


def test_damaged_data_is_a_value_error(lib: Any) -> None:
    with pytest.raises(ValueError, match=r"^data error$") as raised:
        lib.uncompress(b"no zlib data", 100)
    assert isinstance(raised.value, lib.ZlibError)


# --- streams ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 999, 100_000])
@pytest.mark.parametrize("bits", [15, -15, 31])
def test_a_stream_is_that_of_zlib(lib: Any, size: int, bits: int) -> None:
    data = DATA[:20_000] if size == 1 else DATA
    stream = lib.deflate(6, bits)
    packed = b"".join(stream.write(data[i : i + size]) for i in range(0, len(data), size)) + stream.finish()
    assert zlib.decompress(packed, bits) == data
    reading = lib.inflate(bits)
    results = [reading.write(packed[i : i + size]) for i in range(0, len(packed), size)]
    assert b"".join(each.data for each in results) == data
    assert results[-1].status is lib.Status.STREAM_END
    assert (stream.total_in, stream.total_out) == (len(data), len(packed)) == (reading.total_out, reading.total_in)


def test_what_follows_a_stream_is_not_taken(lib: Any) -> None:
    packed = lib.compress(DATA)
    result = lib.inflate().write(packed + b"more")
    assert (result.data, result.taken) == (DATA, len(packed))


def test_output_is_bounded(lib: Any) -> None:
    stream, rest, found = lib.inflate(), lib.compress(DATA), b""
    while len(found) < len(DATA):
        piece = stream.write(rest, max_length=777)
        assert len(piece.data) <= 777
        found, rest = found + piece.data, rest[piece.taken :]
    assert found == DATA


def test_a_flush_gives_all_that_was_written(lib: Any) -> None:
    stream, reading = lib.deflate(), lib.inflate()
    for text in (b"one", b"two", b"three"):
        assert reading.write(stream.write(text, lib.Flush.SYNC_FLUSH)).data == text


def test_level_and_strategy_change_on_the_way(lib: Any) -> None:
    stream = lib.deflate(0)
    packed = stream.write(DATA) + stream.params(9, lib.Strategy.FILTERED) + stream.write(DATA) + stream.finish()
    assert zlib.decompress(packed) == DATA * 2


def test_a_copy_goes_on_from_where_it_was_made(lib: Any) -> None:
    stream = lib.deflate()
    start = stream.write(DATA)
    other = stream.copy()
    assert zlib.decompress(start + stream.write(b"a") + stream.finish()) == DATA + b"a"
    assert zlib.decompress(start + other.write(b"b") + other.finish()) == DATA + b"b"
    reading = lib.inflate()
    reading.write(lib.compress(DATA)[:50])
    assert reading.copy().total_in == reading.total_in == 50


def test_a_reset_starts_anew(lib: Any) -> None:
    stream = lib.deflate()
    packed = stream.write(DATA) + stream.finish()
    stream.reset()
    assert stream.write(DATA) + stream.finish() == packed
    reading = lib.inflate()
    assert reading.write(packed).data == DATA
    reading.reset_to(31)
    assert reading.write(gzip.compress(b"text")).data == b"text"
    reading.reset()
    assert reading.total_in == 0


def test_dictionaries(lib: Any) -> None:
    dictionary, text = b"needles and hay", b"hay and needles"
    stream = lib.deflate()
    stream.set_dictionary(dictionary)
    assert stream.dictionary() == dictionary
    packed = stream.write(text) + stream.finish()
    assert zlib.decompressobj(zdict=dictionary).decompress(packed) == text
    reading = lib.inflate()
    first = reading.write(packed)
    assert (first.data, first.status) == (b"", lib.Status.NEED_DICT)
    with pytest.raises(lib.DataError):
        reading.set_dictionary(b"another")
    reading.set_dictionary(dictionary)
    assert reading.dictionary() == dictionary
    assert reading.write(packed[first.taken :]).data == text


def test_a_stream_of_nonsense_says_what_is_wrong(lib: Any) -> None:
    with pytest.raises(lib.DataError, match=r"^incorrect header check$"):
        lib.inflate().write(b"no zlib data")
    with pytest.raises(lib.ZlibError, match=r"^stream error$"):
        lib.deflate(10)


def test_a_damaged_stream_can_be_read_on(lib: Any) -> None:
    stream = lib.deflate()
    packed = stream.write(b"first" * 100, lib.Flush.FULL_FLUSH)
    second = stream.write(b"second", lib.Flush.FULL_FLUSH) + stream.finish()
    reading = lib.inflate()
    reading.validate(False)
    assert reading.write(packed).data == b"first" * 100
    with pytest.raises(lib.DataError):
        reading.write(b"\xff" * 10)
    taken = reading.sync(b"\xff" * 10 + packed[-4:] + second).taken
    assert taken == 14
    assert reading.write(second).data == b"second"


def test_small_words_about_a_stream(lib: Any) -> None:
    stream = lib.deflate()
    stream.tune(4, 4, 8, 16)
    assert stream.bound(1000) > 1000
    assert stream.pending() == (0, 0)
    raw = lib.deflate(window_bits=-15)
    raw.prime(3, 5)
    assert raw.pending().bits == 3
    reading = lib.inflate(-15)
    reading.prime(3, 0)
    assert (reading.is_at_sync_point, reading.total_out) == (False, 0)
    assert (reading.mark, reading.codes_used) <= (0, 2000)


def test_a_closed_stream_is_refused(lib: Any) -> None:
    stream = lib.deflate()
    stream.close()
    with pytest.raises(lib.ClosedHandleError):
        stream.write(b"")


def test_many_threads_write_to_one_stream(lib: Any) -> None:
    """One at a time: after a full flush, the output of each piece can be read by itself, in any order."""
    with lib.deflate(level=1, window_bits=-15) as stream:
        pieces = [bytes([65 + i]) * 5000 + DATA[:5000] + b"\n" for i in range(4)]
        output: list[bytes] = []

        def work(piece: bytes) -> None:
            for _ in range(50):
                output.append(stream.write(piece, lib.Flush.FULL_FLUSH))

        threads = [threading.Thread(target=work, args=[piece]) for piece in pieces]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert stream.total_in == 50 * sum(map(len, pieces))
        found = zlib.decompress(b"".join(output) + stream.finish(), wbits=-15)
    assert [found.count(piece) for piece in pieces] == [50] * 4
    assert len(found) == 50 * sum(map(len, pieces))


def test_streams_of_many_threads(lib: Any) -> None:
    found: list[bool] = []

    def work() -> None:
        for _ in range(20):
            stream = lib.deflate(1)
            found.append(zlib.decompress(stream.write(DATA) + stream.finish()) == DATA)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert found == [True] * 80


# --- memory ----------------------------------------------------------------------------------------------------------


def test_streams_take_their_memory_where_they_are_told(lib: Any) -> None:
    memory = lib.memory(1 << 20)
    stream = memory.deflate(9)
    assert memory.used > 200_000
    packed = stream.write(DATA) + stream.finish()
    assert memory.inflate().write(packed).data == DATA
    stream.close()
    assert (memory.peak > 200_000, memory.limit) == (True, 1 << 20)


def test_a_limit_of_memory_is_a_memory_error(lib: Any) -> None:
    memory = lib.memory(10_000)
    with pytest.raises(MemoryError, match="insufficient memory") as raised:
        memory.deflate()
    assert isinstance(raised.value, lib.ZlibError)
    assert memory.used == 0


def test_memory_lives_as_long_as_its_streams(lib: Any) -> None:
    stream = lib.memory(1 << 20).deflate()
    assert zlib.decompress(stream.write(DATA) + stream.finish()) == DATA
    stream.close()


# --- files -----------------------------------------------------------------------------------------------------------


def test_a_file_is_written_and_read(lib: Any, tmp_path: Path) -> None:
    path = tmp_path / "text.gz"
    with lib.open(path, "wb9") as file:
        assert file.write(b"one\ntwo\n") == 8
        assert (file.puts("three"), file.putc(33), file.tell) == (5, 33, 14)
        file.flush()
        file.setparams(1)
    assert gzip.decompress(path.read_bytes()) == b"one\ntwo\nthree!"
    with lib.open(path) as file:
        file.buffer(1000)
        assert not file.direct
        assert (file.gets(100), file.getc()) == ("one\n", ord("t"))
        file.ungetc(ord("T"))
        assert file.read(100) == b"Two\nthree!"
        assert (file.eof, file.read(10), file.gets(10), file.getc()) == (True, b"", "", -1)
        file.rewind()
        assert (file.seek(4), file.read(3), file.tell) == (4, b"two", 7)
        file.clearerr()


def test_a_descriptor_is_a_file(lib: Any, tmp_path: Path) -> None:
    path = tmp_path / "text.gz"
    path.write_bytes(gzip.compress(b"text"))
    with path.open("rb") as raw, lib.fdopen(os.dup(raw.fileno())) as file:
        assert (file.read(4), file.offset > 0) == (b"text", True)


def test_a_file_that_is_not_there_is_an_os_error(lib: Any, tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file or directory") as raised:
        lib.open(tmp_path / "missing.gz")
    assert isinstance(raised.value, lib.CannotOpen)


def test_a_file_says_what_is_wrong_with_it(lib: Any, tmp_path: Path) -> None:
    path = tmp_path / "broken.gz"
    path.write_bytes(gzip.compress(DATA)[:100])
    with lib.open(path) as file:
        with pytest.raises(lib.GzError, match="unexpected end of file") as raised:
            for _ in range(100):
                file.read(1 << 20)
        assert raised.value.code == -5


@pytest.mark.parametrize("size", [-1, 1 << 40])
def test_a_size_has_to_fit(lib: Any, tmp_path: Path, size: int) -> None:
    path = tmp_path / "text.gz"
    path.write_bytes(gzip.compress(b"text"))
    with lib.open(path) as file, pytest.raises(OverflowError, match=r"^size: "):
        file.read(size)


def test_the_library_tells_of_itself(lib: Any) -> None:
    assert lib.version() == zlib.ZLIB_RUNTIME_VERSION or lib.version().startswith("1.")
    assert lib.compile_flags() > 0


def test_the_program_runs(engine: str) -> None:
    out = library.run("zlib", "logs.py", engine).stdout
    assert "0 are left in use" in out
    assert "a damaged entry: incorrect header check (-3)" in out
