"""A repository in a folder of its own: contents, references and configuration, by the draft of libgit2."""

from pathlib import Path
from typing import Any

import pytest

m: Any = pytest.importorskip("git2_ffi")


def test_contents(tmp_path: Path) -> None:
    with m.repository_init(str(tmp_path / "one"), 0) as repository:
        assert repository.repository_is_empty() == 1
        oid = repository.blob_create_from_buffer(b"a\0b")
        assert m.oid_tostr_s(oid) == "20b5be91886d0b6f26dc98a225c0dac05fe2c86e"
        blob = repository.blob_lookup(oid)
        assert blob.rawsize() == 3
    assert blob.rawsize() == 3  # it keeps the repository
    again = m.repository_open(str(tmp_path / "one"))
    assert again.blob_lookup(oid).rawsize() == 3
    with pytest.raises(m.Git2Error):
        again.blob_lookup(m.Oid(bytes(20)))
    with pytest.raises(m.Git2Error):
        m.repository_open(str(tmp_path / "none"))


def test_an_index_and_its_status(tmp_path: Path) -> None:
    repository = m.repository_init(str(tmp_path), 0)
    (tmp_path / "file").write_text("text", encoding="utf-8")
    assert m.status_file(repository, "file") == m.Status.WT_NEW
    index = repository.repository_index()
    index.add_bypath("file")
    assert m.status_file(repository, "file") == m.Status.INDEX_NEW


def test_configuration(tmp_path: Path) -> None:
    repository = m.repository_init(str(tmp_path), 1)
    settings = repository.repository_config()
    settings.set_string("user.name", "a name")
    assert repository.repository_config_snapshot().get_string("user.name") == "a name"


def test_names() -> None:
    author = m.GitSignature("a name", "name@example.org", 0, 60)
    author.close()
    with pytest.raises(m.Git2Error):
        m.GitSignature("", "name@example.org", 0, 60)
