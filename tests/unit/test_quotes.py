"""What a header says of an entry that is not decided stands beside the diagnostic."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from wrapper_gen.cli import main
from wrapper_gen.headers import HeaderSource, lock, read

pytest.importorskip("clang.cindex")

HEADER = """\
typedef struct store store;
typedef struct row row;
store *store_new(void);
void store_free(store *s);
/**
 * The first row of a store, which stays the store's own.
 * @return NULL where there is none
 */
row *store_first(store *s, int from);
void store_each(store *s, void (*visit)(void *data, int at), void *data);
"""
SPEC = """\
wrapper_lib: {name: store, lang: c, cpp_include: store.h, requires: [{dirs: [include]}], prefix: store_}
handle_types:
  - {name: Row, cpp_type: row *, release: nothing}
  - name: Store
    cpp_type: store *
    release: store_free
    methods:
      - {def: "Store()", cpp: store_new()}
      - {def: "first(start: i32) -> Row"}
      - def: "each(visit: fn(i32))"
        cpp: "store_each(self, visit, visit.user_data)"
      - {def: "last() -> Row", cpp: "self == nullptr ? nullptr : store_first(self, -1)"}
"""
SAID = (
    "declared as row *store_first(store *s, int from); its comment: "
    "The first row of a store, which stays the store's own. @return NULL where there is none"
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "store.h").write_text(HEADER, encoding="utf-8")
    (tmp_path / "store.wrapper_spec").write_text(SPEC, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def validated(*arguments: str) -> str:
    """What the command says of the spec, which is not decided."""
    result = CliRunner().invoke(main, ["validate", *arguments, "store.wrapper_spec"])
    assert result.exit_code == 3, result.output
    return result.stderr


def test_the_header_is_quoted_beside_what_is_not_decided(folder: Path) -> None:
    text = validated()
    assert f"include/store.h:9:6: note: {SAID}\n  hint: say what it points into" in text
    assert "note: declared as void store_each(store *s, void (*visit)(void *, int), void *data)\n" in text
    assert text.count("note: declared as row *store_first") == 2  # also where C++ of the spec calls it


def test_the_lock_is_quoted_where_there_is_one(folder: Path) -> None:
    source = HeaderSource(("store.h",), folders=("include",))
    text = lock.dumps(lock.locked(source, read(source)))
    (folder / "store.import.lock").write_text(text, encoding="utf-8")
    (folder / "include" / "store.h").unlink()
    assert f"store.h:9:1: note: {SAID}\n" in validated()


def test_a_header_that_changed_is_quoted_rather_than_the_lock(folder: Path) -> None:
    source = HeaderSource(("store.h",), folders=("include",))
    written = lock.dumps(lock.locked(source, read(source)))
    (folder / "store.import.lock").write_text(written, encoding="utf-8")
    assert f"store.h:9:1: note: {SAID}\n" in validated()
    header = HEADER.replace("int from", "long from").replace("the store's own", "the caller's")
    (folder / "include" / "store.h").write_text(header, encoding="utf-8")
    text = validated()
    assert "include/store.h:9:6: note: declared as row *store_first(store *s, long from)" in text
    assert "which stays the caller's" in text
    (folder / "include" / "store.h").write_text("int broken(", encoding="utf-8")
    assert f"store.h:9:1: note: {SAID}\n" in validated()
    former = {name: value for name, value in json.loads(written).items() if name != "files"}
    (folder / "store.import.lock").write_text(json.dumps(former), encoding="utf-8")
    assert f"store.h:9:1: note: {SAID}\n" in validated()


def test_a_lock_without_comments_has_the_signature(folder: Path) -> None:
    source = HeaderSource(("store.h",), folders=("include",))
    data = json.loads(lock.dumps(lock.locked(source, read(source))))
    for each in data["declarations"]:
        each.pop("shown", None)
        each.pop("doc", None)
    (folder / "store.import.lock").write_text(json.dumps(data), encoding="utf-8")
    assert "store.h:9:1: note: declared as struct row * store_first(struct store *, int)\n" in validated()


def test_quotes_are_data_too(folder: Path) -> None:
    (found, *_) = json.loads(validated("--format", "json"))["diagnostics"]
    assert found["related"] == [
        {"path": "include/store.h", "line": 9, "column": 6, "end_column": 7, "message": SAID},
    ]
    (result, *_) = json.loads(validated("--format", "sarif"))["runs"][0]["results"]
    assert result["relatedLocations"][0]["message"] == {"text": SAID}


def test_what_cannot_be_quoted_is_told_all_the_same(folder: Path) -> None:
    before = validated()
    (folder / "include" / "store.h").write_text("int broken(", encoding="utf-8")
    text = validated()
    assert "note: declared as" not in text
    assert [line for line in before.splitlines() if "note:" not in line] == text.splitlines()
