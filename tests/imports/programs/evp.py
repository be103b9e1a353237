"""Digests, derived keys, signatures and encryption, by the draft of OpenSSL's EVP."""

import base64
import hashlib
import hmac
from typing import Any

import pytest

m: Any = pytest.importorskip("evp_ffi")
HMAC = 855
"""EVP_PKEY_HMAC, the type of a key for HMAC."""


def test_digests() -> None:
    with m.EvpMdCtx() as context:
        with pytest.raises(m.EvpError):
            context.digest_update(b"nothing says which digest")
        for _ in range(2):
            context.digest_init_ex(m.EvpMd("SHA256", ""))
            context.digest_update(b"a\0")
            context.digest_update(b"b")
            assert context.digest_final_ex() == hashlib.sha256(b"a\0b").digest()
    assert m.sha256().get_size() == 32
    with pytest.raises(ValueError):
        m.EvpMd("no digest", "")


def test_derived_keys_and_base64() -> None:
    derived = m.pkcs5_pbkdf2_hmac("password", b"salt\0", 3, m.EvpMd("SHA256", ""), 20)
    assert derived == hashlib.pbkdf2_hmac("sha256", b"password", b"salt\0", 3, 20)
    assert m.encode_block(b"a\0bc") == base64.b64encode(b"a\0bc")
    assert m.decode_block(base64.b64encode(b"a\0b")) == b"a\0b"


def test_signatures() -> None:
    key = m.EvpPkey(HMAC, b"key")
    with m.EvpMdCtx() as context:
        options = context.digest_sign_init_ex("SHA256", "", key)
        context.digest_sign_update(b"text")
        assert context.digest_sign_final(64) == hmac.digest(b"key", b"text", "sha256")
        del key  # the context has a reference of its own
        assert options.ctx_get0_pkey() is not None
    options.ctx_get_operation()  # what belongs to the context keeps it


def generated(algorithm: str) -> Any:
    context = m.pkey_ctx_new_from_name(algorithm, "")
    context.keygen_init()
    return context.keygen()


def test_encryption() -> None:
    key = generated("RSA")
    size = key.pkey_get_size()
    writer, reader = key.pkey_ctx_new(), key.pkey_ctx_new()
    writer.encrypt_init()
    reader.decrypt_init()
    assert reader.decrypt(size, writer.encrypt(size, b"a\0b")) == b"a\0b"
    with pytest.raises(m.EvpError):
        writer.encrypt(size, bytes(size))  # longer than such a key encrypts


def test_a_shared_secret() -> None:
    keys = generated("X25519"), generated("X25519")
    secrets = set()
    for own, other in (keys, reversed(keys)):
        context = own.pkey_ctx_new()
        context.derive_init()
        context.derive_set_peer(other)
        secrets.add(context.derive(32))
    assert len(secrets) == 1
