"""LevelDB over our package, by what its own documentation says."""

from __future__ import annotations

import asyncio
import gc
import random
from pathlib import Path
from typing import Any

import pytest

from tests.libraries import library


@pytest.fixture(scope="module")
def lib(engine: str) -> Any:
    return library.load("leveldb", engine)


@pytest.fixture
def db(lib: Any, tmp_path: Path) -> Any:
    with lib.DB(tmp_path / "db", create_if_missing=True) as opened:
        yield opened


# --- keys and values -------------------------------------------------------------------------------------------------


def test_a_database_is_a_mapping_of_bytes(db: Any) -> None:
    db[b"one"] = b"1"
    db.put(b"two", b"", sync=True)
    assert (db[b"one"], db[b"two"], db.get(b"two"), db.get(b"three")) == (b"1", b"", b"", None)
    del db[b"one"]
    db.delete(b"never there")
    assert db.get(b"one") is None
    with pytest.raises(KeyError):
        db[b"one"]


def test_what_is_there_stays_there(lib: Any, tmp_path: Path) -> None:
    with lib.DB(tmp_path / "db", create_if_missing=True) as db:
        db[b"key"] = bytes(range(256)) * 1000
    with lib.DB(tmp_path / "db") as db:
        assert db[b"key"] == bytes(range(256)) * 1000


def test_a_batch_is_written_at_once(lib: Any, db: Any) -> None:
    db[b"old"] = b"x"
    batch = lib.WriteBatch()
    batch[b"new"] = b"1"
    batch.put(b"newer", b"2")
    del batch[b"old"]
    assert db.get(b"new") is None
    other = lib.WriteBatch()
    other[b"newest"] = b"3"
    batch.append(other)
    db.write(batch, sync=True)
    assert [db.get(key) for key in (b"old", b"new", b"newer", b"newest")] == [None, b"1", b"2", b"3"]
    size = batch.approximate_size
    batch.clear()
    assert batch.approximate_size < size


def test_a_snapshot_sees_what_was_there(lib: Any, db: Any) -> None:
    db[b"key"] = b"before"
    snapshot = db.snapshot()
    db[b"key"] = b"after"
    assert (db.get(b"key", snapshot=snapshot), db.get(b"key", snapshot=None), db[b"key"]) == (
        b"before",
        b"after",
        b"after",
    )
    snapshot.close()
    with pytest.raises(lib.ClosedHandleError, match="snapshot: this Snapshot is closed"):
        db.get(b"key", snapshot=snapshot)


# --- order -----------------------------------------------------------------------------------------------------------


def test_a_cursor_goes_both_ways(db: Any) -> None:
    for number in range(20):
        db[b"%03d" % number] = b"v%d" % number
    cursor = db.iterator(fill_cache=False)
    assert not cursor.valid
    cursor.seek(b"0095")
    assert (cursor.key, cursor.value) == (b"010", b"v10")
    cursor.prev()
    assert cursor.key == b"009"
    cursor.seek_to_last()
    cursor.next()
    assert not cursor.valid
    cursor.check()


def test_iteration_goes_over_keys_or_items_in_order(db: Any) -> None:
    assert list(db) == []
    for number in (2, 0, 1):
        db[b"%d" % number] = b"v%d" % number
    snapshot = db.snapshot()
    db[b"3"] = b"later"
    assert list(db) == [b"0", b"1", b"2", b"3"]
    assert dict(db.items(snapshot=snapshot, fill_cache=False)) == {b"0": b"v0", b"1": b"v1", b"2": b"v2"}


def test_an_iterator_ends_with_its_database(lib: Any, tmp_path: Path) -> None:
    db = lib.DB(tmp_path / "db", create_if_missing=True)
    db[b"key"] = b"value"
    items = db.items()
    db.close()
    with pytest.raises(lib.ClosedHandleError):
        next(items)
    keys = iter(lib.DB(tmp_path / "db"))
    gc.collect()
    assert next(keys) == b"key"  # it keeps its database
    del keys
    gc.collect()
    lib.DB(tmp_path / "db").close()


def test_closing_a_database_ends_its_cursors_and_snapshots(lib: Any, tmp_path: Path) -> None:
    db = lib.DB(tmp_path / "db", create_if_missing=True)
    cursor, snapshot = db.iterator(), db.snapshot()
    db.close()
    assert cursor.closed
    assert snapshot.closed
    lib.DB(tmp_path / "db").close()  # nothing holds its lock


def test_a_cursor_keeps_its_database(lib: Any, tmp_path: Path) -> None:
    db = lib.DB(tmp_path / "db", create_if_missing=True)
    db[b"key"] = b"value"
    cursor = db.iterator(snapshot=db.snapshot())
    del db
    gc.collect()
    cursor.seek_to_first()
    assert cursor.value == b"value"


# --- options ---------------------------------------------------------------------------------------------------------


def test_options_are_kept_alive(lib: Any, tmp_path: Path) -> None:
    cache = lib.Cache(1 << 20)
    options = {
        "env": lib.memory(),
        "block_cache": cache,
        "filter_policy": lib.bloom_filter(),
        "create_if_missing": True,
    }
    db = lib.DB(tmp_path / "nowhere", write_buffer_size=1 << 16, **options)
    del options
    gc.collect()
    for number in range(3000):
        db[b"%06d" % number] = b"v" * 100
    db.compact_range(None, b"001000")
    db.compact_range()
    assert db[b"002999"] == b"v" * 100
    assert db.get(b"none") is None
    assert cache.total_charge > 0
    assert not (tmp_path / "nowhere").exists()


def test_tasks_compact_while_others_read(db: Any) -> None:
    for number in range(2000):
        db[b"%06d" % number] = b"v" * 100

    async def read() -> int:
        return len([await asyncio.sleep(0, db[key]) for key in list(db)[:100]])

    async def main() -> list[Any]:
        return await asyncio.gather(db.compact_range_async(b"000100", b"001000"), read())

    assert asyncio.run(main()) == [None, 100]


def test_properties_are_text_or_none(db: Any) -> None:
    assert db.get_property("leveldb.num-files-at-level0") == "0"
    assert db.get_property("leveldb.no-such-thing") is None


def test_sizes_are_of_what_is_on_disk(lib: Any, db: Any) -> None:
    for number in range(2000):
        db[b"%06d" % number] = random.Random(number).randbytes(200)
    db.compact_range()
    some, all_ = db.approximate_size(b"000500", b"001000"), db.approximate_size(b"", b"~")
    assert 0 < some < all_ < 2 * 2000 * 206
    assert db.approximate_size(b"x", b"y") == 0
    assert lib.version() >= (1, 20)


# --- failures --------------------------------------------------------------------------------------------------------


def test_statuses_are_exceptions(lib: Any, tmp_path: Path) -> None:
    with pytest.raises(lib.InvalidArgument, match="does not exist") as raised:
        lib.DB(tmp_path / "db")
    assert isinstance(raised.value, ValueError)
    assert isinstance(raised.value, lib.LevelDBError)
    with lib.DB(tmp_path / "db", create_if_missing=True):
        with pytest.raises(lib.StorageError, match="lock") as raised:
            lib.DB(tmp_path / "db")
        assert isinstance(raised.value, OSError)
    with pytest.raises(lib.InvalidArgument, match="exists"):
        lib.DB(tmp_path / "db", error_if_exists=True)
    lib.destroy(tmp_path / "db")
    with pytest.raises(lib.InvalidArgument):
        lib.DB(tmp_path / "db")


def test_a_damaged_database_is_repaired(lib: Any, tmp_path: Path) -> None:
    with lib.DB(tmp_path / "db", create_if_missing=True) as db:
        db[b"key"] = b"value"
    (tmp_path / "db" / "CURRENT").unlink()
    with pytest.raises(lib.LevelDBError):
        lib.DB(tmp_path / "db")
    lib.repair(tmp_path / "db")
    with lib.DB(tmp_path / "db") as db:
        assert db[b"key"] == b"value"


def test_arguments_of_other_types_are_refused(lib: Any, db: Any) -> None:
    for call, message in (
        (lambda: db.put("text", b""), "key: a contiguous bytes-like object is wanted, not str"),
        (lambda: db.write(None), "batch: a WriteBatch is wanted, not None"),
        (lambda: db.get(b"", snapshot=1), "snapshot: a Snapshot is wanted, not int"),
        (lambda: lib.Cache(-1), "capacity: -1 does not fit usize"),
    ):
        with pytest.raises((TypeError, OverflowError), match=f"^{message}$"):
            call()
    db.close()
    with pytest.raises(lib.ClosedHandleError, match=r"^DB: this handle is closed$"):
        db[b"key"]


def test_the_program_runs(engine: str) -> None:
    out = library.run("leveldb", "visits.py", engine).stdout
    assert "pages: 6 records: 180" in out
    assert "InvalidArgument: exists (error_if_exists is true)" in out
