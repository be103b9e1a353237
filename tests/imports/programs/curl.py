"""Handles that hold others, without a network, by the draft of curl."""

from typing import Any

import pytest

m: Any = pytest.importorskip("curl_ffi")


def test_transfers() -> None:
    with m.Multi() as multi, m.Easy() as easy:
        with pytest.raises(m.CurlError, match="URL"):
            easy.perform()
        multi.add_handle(easy)
        assert multi.perform() == 0  # it has no address, and has failed
        multi.remove_handle(easy)
        multi.wakeup()
        other = easy.duphandle()
        assert easy.escape("a b") == "a%20b"
    other.close()


def test_forms() -> None:
    with m.Easy() as easy:
        form, inner = easy.mime_init(), easy.mime_init()
        part = form.addpart()
        part.name("one")
        part.data(b"1\0")
        inner.addpart().data(b"2")
        form.addpart().subparts(inner)
        assert inner.closed
        form.close()
        part.data(b"3")  # of the form that it keeps


def test_addresses() -> None:
    with m.url() as address:
        address.set(m.UPart.URL, "https://example.org/a", 0)
        with address.dup() as copy, pytest.raises(m.UcodeFailure):
            copy.set(m.UPart.URL, "http://[", 0)
    assert m.easy_strerror(m.Code.CURLE_URL_MALFORMAT)
