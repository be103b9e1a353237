"""zstd over our package, by what zstd's own documentation says."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.libraries import library

DATA = random.Random(1).randbytes(500) * 2000
"""1 000 000 bytes that compress well."""
SAMPLES = [b'{"id": %d, "name": "user%d", "active": true}' % (i, i) for i in range(3000)]


@pytest.fixture(scope="module")
def lib(engine: str) -> Any:
    return library.load("zstd", engine)


@pytest.fixture(scope="module")
def dictionary(lib: Any) -> bytes:
    trained: bytes = lib.train_dictionary(SAMPLES, 4096)
    return trained


# --- in one call -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", [-5, 0, 1, 19])
@pytest.mark.parametrize("data", [b"", b"a", DATA], ids=["nothing", "one byte", "much"])
def test_one_call_compresses_and_one_decompresses(lib: Any, data: bytes, level: int) -> None:
    packed = lib.compress(data, level)
    assert lib.decompress(packed) == data
    assert lib.decompress_to(packed, len(data)) == data
    assert len(packed) <= lib.compress_bound(len(data))


def test_frames_follow_each_other(lib: Any) -> None:
    both = lib.compress(b"one") + lib.skippable_frame(b"a note") + lib.compress(b"two")
    assert lib.decompress(both) == b"onetwo"
    assert lib.compressed_size(both) == len(lib.compress(b"one"))


@pytest.mark.parametrize(
    ("make", "exception", "words"),
    [
        (lambda lib: lib.decompress(b"this is no frame"), "NoFrame", "Unknown frame descriptor"),
        (lambda lib: lib.decompress(lib.compress(DATA)[:-10]), "Damaged", "Src size is incorrect"),
        (lambda lib: lib.decompress_to(lib.compress(DATA), 10), "DoesNotFit", "Destination buffer is too small"),
        (lambda lib: lib.cctx().set(lib.CParam.windowLog, 99), "ZstdError", "Parameter is out of bound"),
        (lambda lib: lib.train_dictionary([b"a"]), "DictionaryError", "Src size is incorrect"),
    ],
)
def test_failures_have_zstd_s_words(lib: Any, make: Any, exception: str, words: str) -> None:
    with pytest.raises(lib.ZstdError, match=f"^{words}$") as raised:
        make(lib)
    assert type(raised.value).__name__ == exception


def test_codes_are_those_of_the_header(lib: Any) -> None:
    with pytest.raises(ValueError) as raised:
        lib.decompress(b"this is no frame")
    assert raised.value.code == 10  # ZSTD_error_prefix_unknown


# --- contexts --------------------------------------------------------------------------------------------------------


def test_parameters_stay_set(lib: Any) -> None:
    context = lib.cctx()
    context.set(lib.CParam.checksumFlag, 1)
    assert context.get(lib.CParam.checksumFlag) == 1
    for _ in range(2):
        assert lib.frame_header(context.compress(DATA)).has_checksum
    context.reset(lib.Reset.PARAMETERS)
    assert not lib.frame_header(context.compress(DATA)).has_checksum


def test_parameters_are_set_at_once(lib: Any) -> None:
    params = lib.cctx_params()
    params.init(5)
    params.set(lib.CParam.contentSizeFlag, 0)
    assert params.get(lib.CParam.compressionLevel) == 5
    context = lib.cctx()
    context.set_params(params)
    assert lib.content_size(context.compress(DATA)) is None


def test_bounds_of_parameters(lib: Any) -> None:
    bounds = lib.cparam_bounds(lib.CParam.compressionLevel)
    assert (bounds.lower, bounds.upper) == (lib.min_level(), lib.max_level())
    assert lib.dparam_bounds(lib.DParam.windowLogMax).upper >= 27
    assert lib.min_level() < 0 < lib.default_level() < lib.max_level()


def test_what_a_level_stands_for(lib: Any) -> None:
    parameters = lib.parameters(19)
    assert parameters.window_log > 20
    assert parameters.strategy > lib.Strategy.lazy
    lib.check_parameters(parameters)
    with pytest.raises(lib.ZstdError):
        lib.check_parameters(lib.CompressionParameters(1, 1, 1, 1, 1, 1, lib.Strategy.fast))


def test_memory_is_told(lib: Any) -> None:
    context = lib.cctx()
    before = context.size
    context.compress(DATA)
    assert context.size > before
    assert lib.estimate_cctx_size() > lib.estimate_dctx_size() > 0
    assert lib.dctx().size > 0


# --- frames ----------------------------------------------------------------------------------------------------------


def test_a_frame_tells_of_itself(lib: Any) -> None:
    packed = lib.compress(DATA)
    header = lib.frame_header(packed)
    assert (header.content_size, header.frame_type, header.dict_id) == (len(DATA), lib.FrameType.FRAME, 0)
    assert header.header_size == lib.header_size(packed)
    assert lib.content_size(packed) == lib.decompress_bound(packed) == len(DATA)
    assert lib.is_frame(packed)
    assert not lib.is_frame(b"none")
    assert lib.is_skippable_frame(lib.skippable_frame(b""))


def test_a_header_that_is_not_whole(lib: Any) -> None:
    with pytest.raises(lib.HeaderError, match=r"^the header is not whole$"):
        lib.frame_header(lib.compress(DATA)[:3])
    with pytest.raises(lib.FrameError, match=r"^no valid frame$"):
        lib.content_size(b"this is no frame")


# --- streams ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1000, 131_072, 10_000_000])
def test_a_stream_is_one_frame(lib: Any, size: int) -> None:
    stream = lib.cctx()
    packed = b"".join(stream.write(DATA[i : i + size]) for i in range(0, len(DATA), size)) + stream.finish()
    assert lib.compressed_size(packed) == len(packed)
    assert lib.content_size(packed) is None
    reading = lib.dctx()
    results = [reading.write(packed[i : i + size]) for i in range(0, len(packed), size)]
    assert b"".join(each.data for each in results) == DATA
    assert results[-1].ended


def test_a_pledged_size_is_kept(lib: Any) -> None:
    stream = lib.cctx()
    stream.set_pledged_size(len(DATA))
    assert lib.content_size(stream.write(DATA, lib.End.END)) == len(DATA)
    stream.set_pledged_size(10)
    with pytest.raises(lib.ZstdError, match="Src size is incorrect"):
        stream.write(DATA)


def test_a_flush_gives_all_that_was_written(lib: Any) -> None:
    stream, reading = lib.cctx(), lib.dctx()
    for text in (b"one", b"two", b"three"):
        assert reading.write(stream.write(text, lib.End.FLUSH)).data == text


def test_what_follows_a_frame_is_not_taken(lib: Any) -> None:
    packed = lib.compress(DATA)
    assert lib.dctx().write(packed + b"more") == (DATA, len(packed), True)


def test_output_is_bounded(lib: Any) -> None:
    stream, rest, found = lib.dctx(), lib.compress(DATA), b""
    while True:
        piece = stream.write(rest, max_length=7777)
        assert len(piece.data) <= 7777
        found, rest = found + piece.data, rest[piece.taken :]
        if piece.ended:
            break
    assert found == DATA


def test_several_workers_compress_a_stream(lib: Any) -> None:
    stream = lib.cctx()
    if lib.cparam_bounds(lib.CParam.nbWorkers).upper == 0:
        pytest.skip("this zstd has no threads")
    stream.set(lib.CParam.nbWorkers, 2)
    assert lib.dctx().write(stream.write(DATA * 3) + stream.finish()).data == DATA * 3


def test_progress_of_a_frame(lib: Any) -> None:
    stream = lib.cctx()
    assert stream.progress.ingested == 0
    packed = stream.write(DATA, lib.End.FLUSH)
    progress = stream.progress
    assert (progress.ingested, progress.consumed, progress.flushed) == (len(DATA), len(DATA), len(packed))
    assert stream.to_flush == 0


def test_a_reset_drops_the_frame(lib: Any) -> None:
    stream = lib.cctx()
    stream.write(DATA)
    stream.reset()
    assert lib.decompress(stream.compress(b"text")) == b"text"


def test_windows_can_be_refused(lib: Any) -> None:
    reading = lib.dctx()
    reading.set_max_window(1 << 12)
    stream = lib.cctx()
    with pytest.raises(lib.ZstdError, match="requires too much memory"):
        reading.write(stream.write(DATA) + stream.finish())
    reading.reset(lib.Reset.BOTH)
    reading.set(lib.DParam.windowLogMax, 27)


# --- dictionaries ----------------------------------------------------------------------------------------------------


def test_a_dictionary_is_trained(lib: Any, dictionary: bytes) -> None:
    assert len(dictionary) <= 4096
    assert lib.dict_id(dictionary) != 0
    assert 0 < lib.dict_header_size(dictionary) < len(dictionary)


def test_dictionaries_compress_small_data(lib: Any, dictionary: bytes) -> None:
    packing, unpacking = lib.cdict(dictionary, 19), lib.ddict(dictionary)
    packed = lib.cctx().compress_using(SAMPLES[5], packing)
    assert len(packed) < len(lib.compress(SAMPLES[5], 19)) / 2
    assert lib.dict_id_of_frame(packed) == packing.dict_id == unpacking.dict_id == lib.dict_id(dictionary)
    assert lib.dctx().decompress_using(packed, unpacking) == SAMPLES[5]
    assert min(packing.size, unpacking.size) > 0
    with pytest.raises(lib.WrongDictionary, match="Dictionary mismatch"):
        lib.decompress(packed)


def test_a_context_keeps_the_dictionary_that_it_uses(lib: Any, dictionary: bytes) -> None:
    packing, unpacking = lib.cctx(), lib.dctx()
    for _ in range(3):
        packing.use(lib.cdict(dictionary, 19))  # nobody else has it
        unpacking.use(lib.ddict(dictionary))
    for each in SAMPLES[:100]:
        assert unpacking.decompress(packing.compress(each)) == each


def test_a_dictionary_is_loaded(lib: Any, dictionary: bytes) -> None:
    packing, unpacking = lib.cctx(), lib.dctx()
    packing.load_dictionary(dictionary)
    packed = packing.compress(SAMPLES[7])
    unpacking.load_dictionary(dictionary)
    assert unpacking.decompress(packed) == SAMPLES[7]
    packing.load_dictionary(b"")
    assert lib.dict_id_of_frame(packing.compress(SAMPLES[7])) == 0


def test_samples_are_bytes(lib: Any) -> None:
    with pytest.raises(TypeError, match=r"^samples\[1\]: "):
        lib.train_dictionary([b"a", "b"])


def test_the_library_tells_of_itself(lib: Any) -> None:
    major, minor, release = map(int, lib.version().split("."))
    assert lib.version_number() == major * 10_000 + minor * 100 + release


def test_the_program_runs(engine: str) -> None:
    out = library.run("zstd", "records.py", engine).stdout
    assert ": True" in out
    assert "NoFrame: Unknown frame descriptor" in out
