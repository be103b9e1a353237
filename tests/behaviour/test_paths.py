"""Paths: str, os.PathLike and std::filesystem::path, over both engines alike."""

from __future__ import annotations

import os
import sys
from pathlib import Path, PurePosixPath
from types import ModuleType

import pytest

from tests.behaviour import packages
from tests.behaviour.packages import ENGINES

SPEC = """
wrapper_lib: {name: paths, cpp_include: [cstring, filesystem, optional, string, vector]}
cpp_prelude: |
  namespace fs = std::filesystem;
  struct Entry {
    fs::path file;
    i64 size;
  };
  inline i64 length_of(const char *path) { return i64(std::strlen(path)); }
  inline i64 size_or_none(const char *path) { return path == nullptr ? -1 : length_of(path); }
  inline std::string text_of(const std::string &path) { return path; }
  inline fs::path parent(const fs::path &path) { return path.parent_path(); }
  inline const char *root() { return "/"; }
structs:
  - {name: Entry, cpp_type: Entry, fields: {file: path, size: {type: i64, default: 0}}}
functions:
  - {name: echo, cpp_body: return value;, params: [{name: value, type: path}], return: path}
  - {name: length_of, cpp_fn: length_of, params: [{name: path, type: path}], return: i64}
  - {name: text_of, cpp_fn: text_of, params: [{name: path, type: path}], return: text}
  - {name: parent, cpp_fn: parent, params: [{name: path, type: path}], return: path}
  - {name: root, cpp_fn: root, return: path}
  - {name: raw, cpp_fn: "[] { return std::string(\\"a\\\\xff\\"); }", return: path}
  - {name: is_here, cpp_body: "return value == \\"here\\" && value != \\"there\\";", params: [{name: value, type: path}], return: bool}
  - {name: size_or_none, cpp_fn: "[](const char *path) { return path ? i64(std::strlen(path)) : -1; }", params: [{name: path, type: "path?"}], return: i64}
  - {name: size_by_name, cpp_fn: size_or_none, params: [{name: path, type: "path?"}], return: i64}
  - {name: holes, cpp_body: return paths;, params: [{name: paths, type: "[path?]"}], return: "[path?]"}
  - name: files
    cpp_fn: "[](const fs::path &folder) { return fs::directory_iterator(folder); }"
    params: [{name: folder, type: path}]
    return: "[path]"
  - name: maybe
    cpp_fn: "[](const std::optional<fs::path> &path) { return path; }"
    params: [{name: path, type: "path?", default: null}]
    return: "path?"
  - {name: joined, cpp_body: "fs::path all; for (auto &each : paths) all /= each; return all;", params: [{name: paths, type: "[path]"}], return: path}
  - {name: rows, cpp_body: return rows;, params: [{name: rows, type: "[(i64, path)]"}], return: "[(i64, path)]"}
  - {name: by, cpp_body: return m;, params: [{name: m, type: "{path: set[path]}"}], return: "{path: set[path]}"}
  - {name: either, cpp_body: return v;, params: [{name: v, type: "i64 | path | [path]"}], return: "i64 | path | [path]"}
  - {name: which, cpp_body: return v.index();, params: [{name: v, type: "text | path | bytes"}], return: u8}
  - {name: from_variant, cpp_fn: "[] { return std::variant<int, fs::path>(fs::path(\\"a\\")); }", return: "i64 | [path] | path"}
  - {name: larger, cpp_body: "entry.size += 1; return entry;", params: [{name: entry, type: Entry}], return: Entry}
"""  # noqa: E501 - one entry a line


class Own:
    """Anything with a path."""

    def __init__(self, path: object) -> None:
        self.path = path

    def __fspath__(self) -> object:
        if isinstance(self.path, Exception):
            raise self.path
        return self.path


class Text(str):
    """A str with an encoding of its own."""

    __slots__ = ()

    def encode(self, *_: object) -> bytes:  # type: ignore[override]
        raise ZeroDivisionError

    __str__ = __fspath__ = encode  # type: ignore[assignment]


@pytest.fixture(scope="module", params=ENGINES)
def paths(request: pytest.FixtureRequest) -> ModuleType:
    return packages.build_text(SPEC, name="paths").load(request.param)


@pytest.mark.parametrize("text", ["", "a", "/tmp/x y", "é/ü", "\U0001f600", "a\udcff", "a/../b", "a//b/"])
def test_a_path_comes_back(paths: ModuleType, text: str) -> None:
    for value in (text, Path(text), PurePosixPath(text), Own(text), Text(text), Own(Text(text))):
        plain = os.fspath(value) if isinstance(value, os.PathLike) and not isinstance(value, str) else text
        found = paths.echo(value)
        assert found == Path(str.__str__(plain))
        assert type(found) is type(Path())
        assert paths.length_of(value) == len(str.encode(plain, sys.getfilesystemencoding(), "surrogateescape"))


def test_cpp_gets_what_it_wants(paths: ModuleType) -> None:
    assert paths.text_of(Path("a/b")) == "a/b"
    assert paths.parent("/usr/lib") == Path("/usr")
    assert paths.root() == Path("/")
    assert paths.raw() == Path("a\udcff")
    assert paths.is_here(Path("here"))
    assert not paths.is_here("there")


def test_c_gets_null_for_a_path_that_is_missing(paths: ModuleType) -> None:
    for size in (paths.size_or_none, paths.size_by_name):
        assert [size(each) for each in (None, "", "a/b", Path("c"))] == [-1, 0, 3, 1]
        with pytest.raises(ValueError, match=r"^path: embedded null character$"):
            size("a\0b")
    assert paths.holes([None, "a", Path("b")]) == [None, Path("a"), Path("b")]


def test_files_of_a_folder(paths: ModuleType, tmp_path: Path) -> None:
    for name in ("a", "é", "b\udcff"):
        (tmp_path / name).touch()
    assert sorted(paths.files(tmp_path)) == sorted(tmp_path.iterdir())


def test_a_null_character_is_an_error(paths: ModuleType) -> None:
    for value in ("a\0b", Path("a\0b"), "\0", "é\0", Own("\0")):
        with pytest.raises(ValueError, match=r"^value: embedded null character$"):
            paths.echo(value)
    with pytest.raises(ValueError, match=r"^rows\[1\]\[1\]: embedded null character$"):
        paths.rows([(1, "a"), (2, "b\0")])
    with pytest.raises(ValueError, match=r"^v: embedded null character$"):
        paths.either("a\0")


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (b"a", "bytes"),
        (Own(b"a"), "bytes"),
        (5, "int"),
        (None, "None"),
        (1.5, "float"),
        (["a"], "list"),
        (Path, "type"),
    ],
)
def test_nothing_else_is_a_path(paths: ModuleType, value: object, kind: str) -> None:
    with pytest.raises(TypeError) as failure:
        paths.echo(value)
    assert str(failure.value) == f"value: a str or os.PathLike is wanted, not {kind}"
    with pytest.raises(TypeError) as failure:
        paths.joined(["a", value])
    assert str(failure.value) == f"paths[1]: a str or os.PathLike is wanted, not {kind}"


def test_what_its_own_code_raises_stays(paths: ModuleType) -> None:
    for failure in (ZeroDivisionError("own"), TypeError("own"), OSError("own")):
        with pytest.raises(type(failure), match=r"^own$"):
            paths.echo(Own(failure))
    with pytest.raises(TypeError, match=r"__fspath__\(\)"):
        paths.echo(Own(5))
    with pytest.raises(UnicodeEncodeError):
        paths.echo("\ud800")


def test_paths_nest(paths: ModuleType) -> None:
    a, b = Path("a"), Path("b")
    assert paths.maybe() is None
    assert paths.maybe("a") == a
    assert paths.joined(("a", b, Own("c"))) == Path("a/b/c")
    assert paths.by({"a": {"b", a}, b: set()}) == {a: {a, b}, b: set()}
    assert [paths.either(v) for v in (3, "a", a, ["a", b])] == [3, a, a, [a, b]]
    assert [paths.which(v) for v in ("a", a, b"a", Own("a"))] == [0, 1, 2, 1]
    assert paths.from_variant() == a
    assert paths.larger(paths.Entry("a")) == paths.Entry(a, 1)
    assert type(paths.Entry("a").file) is type(a)
    with pytest.raises(TypeError, match=r"^file: a str or os.PathLike is wanted, not bytes$"):
        paths.Entry(b"a")


def test_equal_paths_are_one_key(paths: ModuleType) -> None:
    for twice in ({"a": [], Path("a"): []}, {"é": [], "\udcc3\udca9": []}):
        with pytest.raises(ValueError, match=r"^m: two keys become the same: "):
            paths.by({key: set() for key in twice})
    assert paths.by({"a": {"b", Path("b"), Own("b")}}) == {Path("a"): {Path("b")}}
