"""What is said of a failed status by the owner of the object that the call was made with, over both engines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.packages import ENGINES

SPEC = Path(__file__).parent / "c_calls" / "by_owner.wrapper_spec"
FIRE = "the disk is on fire"


@pytest.fixture(params=ENGINES)
def lib(request: pytest.FixtureRequest) -> Any:
    return packages.build(SPEC).load(request.param)


@pytest.mark.parametrize("made", ("Db", "FileDb"))
@pytest.mark.parametrize("by", ("prepare", "fast"))
def test_the_owner_is_asked(lib: Any, made: str, by: str) -> None:
    stmt = getattr(getattr(lib, made)(), by)()
    stmt.step()
    with pytest.raises(lib.DbError, match=FIRE) as caught:
        stmt.step()
    assert (caught.value.code, caught.value.row) == (4711, 24711)
    with pytest.raises(lib.DbError, match=FIRE):
        lib.step(stmt)  # as an argument
    with pytest.raises(lib.DbError, match=FIRE):
        stmt.check()


def test_the_owner_of_what_c_plus_plus_knows_better(lib: Any) -> None:
    stmt = lib.FileDb().any(True)
    assert type(stmt) is lib.Fast
    stmt.step()
    with pytest.raises(lib.DbError, match=FIRE):
        stmt.step()


def test_a_closed_owner_is_there_as_long_as_what_it_lends(lib: Any) -> None:
    db = lib.Db()
    stmt = db.prepare()
    db.close()
    stmt.step()
    with pytest.raises(lib.DbError, match=FIRE):
        stmt.step()


def test_an_object_without_an_owner_has_what_is_said_otherwise(lib: Any) -> None:
    root = lib.Part("root")
    with pytest.raises(lib.DbError, match=r"\Ano object\Z") as caught:
        root.check()
    assert (caught.value.code, caught.value.row) == (7, None)
    with pytest.raises(lib.DbError, match=r"\Aroot owns leaf\Z"):
        root.part("leaf").check()


def test_what_is_said_otherwise_may_ask_the_object_too(lib: Any) -> None:
    root = lib.Part("root")
    with pytest.raises(lib.LeafError, match=r"\Anobody owns root\Z"):
        root.check_leaf()
    with pytest.raises(lib.LeafError, match=r"\Aroot\Z"):
        root.part("leaf").check_leaf()


def test_what_a_handle_holds_has_no_owner(lib: Any) -> None:
    stmt = lib.Db().prepare()
    stmt.check_inner()
    with pytest.raises(lib.DbError, match="no object"):
        stmt.check_inner()


def test_a_smart_pointer_is_lent_alike(lib: Any) -> None:
    cursor = lib.Db().cursor()
    cursor.step()
    with pytest.raises(lib.DbError, match=FIRE):
        cursor.step()


@pytest.mark.parametrize("by", ("prepare", "fast"))
def test_an_iteration_asks_the_owner_too(lib: Any, by: str) -> None:
    steps = iter(getattr(lib.FileDb(), by)())
    assert next(steps) == 1
    with pytest.raises(lib.DbError, match=FIRE) as caught:
        next(steps)
    assert caught.value.code == 4711
