"""Statements, blobs, backups and callables, by the draft of SQLite."""

from pathlib import Path
from typing import Any

import pytest

m: Any = pytest.importorskip("sqlite3_ffi")


def run(db: Any, sql: str) -> None:
    with db.prepare_v2(sql).stmt as statement:
        assert statement.step() in (m.Sqlite.DONE, m.Sqlite.ROW)


def test_statements() -> None:
    with m.Connection(":memory:") as db:
        run(db, "create table t(a integer primary key, b text)")
        with db.prepare_v2("insert into t(b) values(?)").stmt as put:
            for number in range(3):
                put.bind_int(1, number)
                assert put.step() == m.Sqlite.DONE
                put.reset()
        assert (db.last_insert_rowid(), db.total_changes()) == (3, 3)
        found = db.prepare_v2("select a, b from t order by a").stmt
        assert found.step() == m.Sqlite.ROW
        assert (found.column_name(1), found.column_int(0), found.column_text(1)) == ("b", 1, "0")
        assert found.expanded_sql() == "select a, b from t order by a"
        with pytest.raises(m.SqliteError):
            db.prepare_v2("no sql")
        assert "syntax error" in db.errmsg()
    assert found.step() == m.Sqlite.ROW  # of the connection that it keeps
    found.close()


def test_callables() -> None:
    asked: list[int] = []

    def allows(action: int, *_: object) -> int:
        asked.append(action)
        return int(m.Sqlite.OK)

    with m.Connection(":memory:") as db:
        db.set_authorizer(allows)
        run(db, "create table t(a)")
        assert asked
        db.set_authorizer(None)
        before = len(asked)
        run(db, "select * from t")
        assert len(asked) == before


def test_blobs_and_backups(tmp_path: Path) -> None:
    with m.Connection(str(tmp_path / "a.db")) as db, m.Connection(":memory:") as other:
        run(db, "create table t(a)")
        run(db, "insert into t values(zeroblob(8))")
        with db.blob_open("main", "t", "a", 1, 1) as blob:
            blob.write(b"abc", 2)
            assert (blob.bytes_(), blob.read(8, 0)) == (8, b"\0\0abc\0\0\0")
        with other.backup_init("main", db, "main") as backup:
            assert backup.step(-1) == m.Sqlite.DONE
        run(other, "select a from t")
