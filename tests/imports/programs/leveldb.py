"""A database with batches, iterators and snapshots, by the draft of LevelDB."""

from pathlib import Path
from typing import Any

import pytest

m: Any = pytest.importorskip("leveldb_ffi")


def test_a_database(tmp_path: Path) -> None:
    name = str(tmp_path / "db")
    with m.DB(name, create_if_missing=True, filter_policy=m.new_bloom_filter_policy(10)) as db:
        db.put(b"a", b"1", sync=True)
        before = db.get_snapshot()
        db.put(b"a", b"2")
        assert (db.get(b"a"), db.get(b"a", snapshot=before)) == (b"2", b"1")
        with m.WriteBatch() as batch:
            batch.put(b"b\0", b"3")
            batch.delete(b"a")
            db.write(batch)
        found = db.new_iterator()
        found.seek_to_first()
        assert (found.valid(), found.key(), found.value()) == (True, b"b\0", b"3")
        found.next()
        assert not found.valid()
        with pytest.raises(m.StatusError, match="NotFound"):
            db.get(b"a")
        assert db.get_property(b"leveldb.stats").result
    found.close()
    before.close()  # the last that belongs to the database
    m.destroy_db(name)


def test_batches_are_iterated() -> None:
    class Recorder(m.Handler):  # type: ignore[misc]  # of a package that is built here
        def __init__(self) -> None:
            super().__init__()
            self.seen: list[tuple[bytes, ...]] = []

        def put(self, key: bytes, value_: bytes) -> None:
            self.seen.append((key, value_))

        def delete(self, key: bytes) -> None:
            self.seen.append((key,))

    with m.WriteBatch() as batch, m.WriteBatch() as other:
        batch.put(b"a", b"1")
        other.delete(b"b")
        batch.append(other)
        recorder = Recorder()
        batch.iterate(recorder)
    assert recorder.seen == [(b"a", b"1"), (b"b",)]


def test_keys_and_files(tmp_path: Path) -> None:
    order = m.bytewise_comparator()
    assert order.find_shortest_separator(b"abcdef", b"abzz") == b"abd"
    assert order.find_short_successor(b"abc") == b"b"
    (tmp_path / "one").write_bytes(b"123")
    env = m.Env.default()
    assert "one" in env.get_children(str(tmp_path))
    assert env.get_file_size(str(tmp_path / "one")) == 3
