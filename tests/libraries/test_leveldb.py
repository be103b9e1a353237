"""LevelDB over our package, by what its own documentation says."""

from __future__ import annotations

import asyncio
import gc
import random
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from weakref import ref

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


# --- classes that Python derives --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def backwards(lib: Any) -> Any:
    class Backwards(lib.Comparator):  # type: ignore[misc]
        fails = False

        def compare(self, a: bytes, b: bytes) -> int:
            if self.fails:
                raise LookupError("cannot compare")
            return (a < b) - (a > b)

        def name(self) -> str:
            return "tests.Backwards"

    return Backwards


def test_the_order_of_a_comparator_is_abstract(lib: Any, backwards: Any) -> None:
    with pytest.raises(NotImplementedError, match=r"^Comparator\.compare\(\) is abstract$"):
        lib.Comparator.compare(backwards(), b"a", b"b")


def test_a_comparator_of_python_orders_the_keys(lib: Any, backwards: Any, tmp_path: Path) -> None:
    with lib.DB(tmp_path / "db", create_if_missing=True, comparator=backwards(), write_buffer_size=1 << 16) as db:
        gc.collect()  # the database keeps it alive
        for number in range(2000):
            db[b"%06d" % (number * 7 % 2000)] = b"v" * 100
        db.compact_range()
        assert list(db) == [b"%06d" % number for number in reversed(range(2000))]
        cursor = db.iterator()
        cursor.seek(b"001000")
        cursor.next()
        assert cursor.key == b"000999"
    with pytest.raises(lib.InvalidArgument, match=r"tests\.Backwards does not match existing comparator"):
        lib.DB(tmp_path / "db")


def test_a_database_keeps_what_it_was_given(lib: Any, backwards: Any, tmp_path: Path) -> None:
    comparator = backwards()
    alive = ref(comparator)
    db = lib.DB(tmp_path / "db", create_if_missing=True, comparator=comparator)
    del comparator
    gc.collect()
    assert alive() is not None
    cursor = db.iterator()
    del db
    gc.collect()
    cursor.seek(b"x")  # it keeps the database, which keeps the comparator
    assert alive() is not None
    del cursor
    gc.collect()
    assert alive() is None


def test_what_a_comparator_raises_is_raised_by_the_call(lib: Any, backwards: Any, tmp_path: Path) -> None:
    comparator = backwards()
    with lib.DB(tmp_path / "db", create_if_missing=True, comparator=comparator) as db:
        for key in (b"a", b"b", b"c"):
            db[key] = key
        comparator.fails = True
        for call in (lambda: db.get(b"b"), lambda: db.iterator().seek(b"b"), lambda: list(db)):
            with pytest.raises(LookupError, match="cannot compare"):
                call()
        comparator.fails = False
        assert (list(db), db[b"b"]) == ([b"c", b"b", b"a"], b"b")


def test_threads_share_a_database_with_a_comparator(lib: Any, backwards: Any, tmp_path: Path) -> None:
    def work(thread: int) -> None:
        for number in range(300):
            db[b"%d%06d" % (thread, number)] = b"v" * 200
            assert db.get(b"%d%06d" % (thread, number // 2)) is not None
            if number % 100 == 0:
                with db.iterator(snapshot=db.snapshot()) as cursor:
                    cursor.seek_to_first()
                assert sum(1 for _ in db.items()) > 0

    with lib.DB(tmp_path / "db", create_if_missing=True, comparator=backwards(), write_buffer_size=1 << 16) as db:
        with ThreadPoolExecutor(4) as threads:
            list(threads.map(work, range(4)))
        assert list(db) == sorted(db, reverse=True)


def test_a_filter_policy_of_python_is_asked(lib: Any, tmp_path: Path) -> None:
    class Exact(lib.FilterPolicy):  # type: ignore[misc]
        def name(self) -> str:
            return "tests.Exact"

        def create_filter(self, keys: list[bytes]) -> bytes:
            made.extend(keys)
            return b"|".join(keys)

        def key_may_match(self, key: bytes, filter: bytes) -> bool:
            asked.append(key)
            return key in filter.split(b"|")

    made: list[bytes] = []
    asked: list[bytes] = []
    with lib.DB(tmp_path / "db", create_if_missing=True, filter_policy=Exact()) as db:
        for number in range(0, 500, 2):
            db[b"%03d" % number] = b"v"
        db.compact_range()
        assert set(made) == set(db)
        assert (db.get(b"100"), db.get(b"101")) == (b"v", None)
    assert asked[-2:] == [b"100", b"101"]
    with pytest.raises(NotImplementedError, match="is for C"):
        lib.bloom_filter().create_filter([b"key"])


def test_a_logger_of_python_gets_lines_of_all_threads(lib: Any, tmp_path: Path) -> None:
    class Log(lib.Logger):  # type: ignore[misc]
        def log(self, line: str) -> None:
            lines.append((threading.get_ident(), line))

    lines: list[tuple[int, str]] = []
    with lib.DB(tmp_path / "db", create_if_missing=True, info_log=Log(), write_buffer_size=1 << 16) as db:
        for number in range(2000):
            db[b"%06d" % number] = b"v" * 100
        db.compact_range()
    assert any("Manual compaction" in line for _, line in lines)
    assert len({thread for thread, _ in lines}) > 1
    assert all(line.isprintable() for _, line in lines if not line.endswith("\n"))


def test_the_interpreter_ends_while_a_comparator_is_in_use(engine: str, tmp_path: Path) -> None:
    code = f"""
        import leveldb_cpp
        class Backwards(leveldb_cpp.Comparator):
            def compare(self, a, b):
                return (a < b) - (a > b)
            def name(self):
                return "tests.Backwards"
        options = dict(create_if_missing=True, comparator=Backwards(), write_buffer_size=1 << 16)
        db = leveldb_cpp.DB({str(tmp_path / "db")!r}, **options)
        for number in range(2000):
            db[b"%06d" % (number * 7 % 2000)] = b"v" * 200
        items = db.items()
        print(next(items)[0])
    """
    code = textwrap.dedent(code)
    assert library.package("leveldb").python(code, engine=engine).stdout.strip() == "b'001999'"
    code = code.split("for number")[0] + "print(list(db) == sorted(db, reverse=True), len(list(db)))"
    assert library.package("leveldb").python(code, engine=engine).stdout.strip() == "True 2000"


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
