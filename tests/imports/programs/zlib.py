"""Compression, checksums and files, by the draft of zlib."""

import zlib
from pathlib import Path
from typing import Any

import pytest

m: Any = pytest.importorskip("zlib_ffi")
TEXT = b"as it was written " * 40


def test_memory() -> None:
    packed = m.compress(m.compress_bound(len(TEXT)), TEXT)
    assert zlib.decompress(packed) == m.uncompress(len(TEXT), packed) == TEXT
    with pytest.raises(m.ZlibError):
        m.uncompress(len(TEXT) - 1, packed)
    assert m.crc32(0, TEXT) == zlib.crc32(TEXT)
    assert m.adler32(1, TEXT) == zlib.adler32(TEXT)


def test_files(tmp_path: Path) -> None:
    with m.GzFile(str(tmp_path / "a.gz"), "wb") as file:
        assert (file.write(TEXT), file.puts("end"), file.putc(10)) == (len(TEXT), 3, 10)
    with m.GzFile(str(tmp_path / "a.gz"), "rb") as file:
        assert file.read(len(TEXT)) == TEXT
        assert m.gzungetc(ord("E"), file) == ord("E")
        assert file.read(100) == b"Eend\n"
        assert file.eof() == 1


def test_streams() -> None:
    with m.Deflater(9) as stream, stream.deflate_copy() as copy:
        copy.deflate_set_dictionary(b"written")
        stream.deflate_params(1, m.Z.DEFAULT_STRATEGY)
        assert stream.deflate_bound(1000) > 0
        stream.deflate_reset()
    with m.inflate_init2(15) as stream:
        stream.inflate_reset2(-15)
        stream.inflate_set_dictionary(b"written")
