"""Frames and dictionaries, by the draft of Zstandard."""

from typing import Any

import pytest

m: Any = pytest.importorskip("zstd_ffi")
TEXT = b"as it was written " * 40


def test_frames() -> None:
    packed = m.compress(m.compress_bound(len(TEXT)), TEXT, 3)
    assert m.get_frame_content_size(packed) == len(TEXT)
    assert m.decompress(len(TEXT), packed) == TEXT
    with pytest.raises(m.ZstdError):
        m.decompress(len(TEXT) - 1, packed)


def test_contexts_hold_dictionaries() -> None:
    with m.CCtx() as writer, m.DCtx() as reader:
        writer.c_ctx_ref_c_dict(m.CDict(b"as it was", 3))
        packed = writer.compress2(m.compress_bound(len(TEXT)), TEXT)
        dictionary = m.DDict(b"as it was")
        assert reader.decompress_using_d_dict(len(TEXT), packed, dictionary) == TEXT
        writer.c_ctx_load_dictionary(b"written")
        packed = writer.compress2(m.compress_bound(len(TEXT)), TEXT)
        assert reader.decompress_using_dict(len(TEXT), packed, b"written") == TEXT
