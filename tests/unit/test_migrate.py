"""`wrapper-gen migrate`: the text of a spec in the present language, which means what the former one does."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.layouts import Layout
from wrapper_gen import dump
from wrapper_gen.cli import main
from wrapper_gen.diagnostics import Diagnostic, SpecError
from wrapper_gen.pipeline import read
from wrapper_gen.spec import former, modern, read_document
from wrapper_gen.spec.former import migrate as migration
from wrapper_gen.spec.former.migrate import is_same, migrate

ROOT = Path(__file__).parents[2]
SPECS = sorted(
    path
    for folder in ("tests/former", "specs", "examples", "tests/cases", "tests/behaviour", "tests/errors")
    for path in (ROOT / folder).rglob("*.wrapper_spec")
)
FORMER = [path for path in SPECS if path.is_relative_to(ROOT / "tests/former")]
"""Those of the second edition; a present one has the same name in `tests`."""
OLD = "wrapper_lib:  # the library\n  name: demo\n  cpp_prefix: demo_  # all names\n  cpp_std: 20\n"
NEW = "wrapper_lib:  # the library\n  name: demo\n  prefix: demo_  # all names\n  std: 20\n"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Runs the command in a folder that has one old spec and one new one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old.wrapper_spec").write_bytes(OLD.encode())
    (tmp_path / "new.wrapper_spec").write_bytes(NEW.replace("demo", "other").encode())
    return lambda *arguments: CliRunner().invoke(main, ["migrate", *arguments])


def text_of(name: str) -> str:
    return Path(name).read_bytes().decode()


def test_comments_and_layout_stay(run: Callable[..., Result]) -> None:
    result = run("old.wrapper_spec", "new.wrapper_spec")
    assert (result.exit_code, result.stdout) == (0, "old.wrapper_spec: rewritten\n")
    assert text_of("old.wrapper_spec") == NEW
    again = run(".")
    assert (again.exit_code, again.stdout) == (0, "nothing to do\n")
    assert text_of("old.wrapper_spec") == NEW


def test_check_writes_nothing(run: Callable[..., Result]) -> None:
    result = run("--check", ".")
    assert (result.exit_code, result.stdout) == (1, "old.wrapper_spec: to be rewritten\n")
    assert text_of("old.wrapper_spec") == OLD
    assert run("--check", "new.wrapper_spec").exit_code == 0


def test_results_as_data(run: Callable[..., Result]) -> None:
    result = run("--check", "--format", "json", "old.wrapper_spec")
    assert '"changed": true' in result.stdout


@pytest.mark.parametrize("text", [OLD.replace("\n", "\r\n"), "\ufeff" + OLD, OLD.replace("\n", "\r\n") + "\r\n# end"])
def test_line_ends_and_marks_stay(run: Callable[..., Result], text: str) -> None:
    Path("old.wrapper_spec").write_bytes(text.encode())
    assert run("old.wrapper_spec").exit_code == 0
    expected = text.replace("cpp_prefix", "prefix").replace("cpp_std", "std")
    assert text_of("old.wrapper_spec") == expected


def test_a_symbolic_link_stays_one(run: Callable[..., Result]) -> None:
    Path("link.wrapper_spec").symlink_to("old.wrapper_spec")
    assert run("link.wrapper_spec").exit_code == 0
    assert Path("link.wrapper_spec").is_symlink()
    assert text_of("old.wrapper_spec") == NEW


def test_the_mode_of_a_file_stays(run: Callable[..., Result]) -> None:
    Path("old.wrapper_spec").chmod(0o640)
    run("old.wrapper_spec")
    assert Path("old.wrapper_spec").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("wrapper_lib: {name: demo\n", "WG004"),
        ("", "WG005"),
        ("wrapper_lib: {name: demo, prefix: a, cpp_prefix: b}\n", "WG075"),
    ],
)
def test_a_spec_with_a_mistake_stops_all(run: Callable[..., Result], text: str, code: str) -> None:
    Path("bad.wrapper_spec").write_text(text, encoding="utf-8")
    result = run(".")
    assert (result.exit_code, result.stdout) == (3, "")
    assert f"[{code}]" in result.stderr
    assert text_of("old.wrapper_spec") == OLD


def test_what_nobody_knows_is_left_for_the_schema(run: Callable[..., Result]) -> None:
    Path("old.wrapper_spec").write_text(OLD + "  colour: red\nfunctions: 3\n", encoding="utf-8")
    assert run("old.wrapper_spec").exit_code == 0
    assert text_of("old.wrapper_spec") == NEW + "  colour: red\nfunctions: 3\n"


def test_a_text_that_would_say_something_else_is_not_written(
    run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migration, "rewritten", lambda document, changes: NEW.replace("20", "17"))
    result = run("old.wrapper_spec")
    assert (result.exit_code, result.stdout) == (3, "")
    assert "it would not say the same [WG291]" in result.stderr
    assert text_of("old.wrapper_spec") == OLD


def test_a_file_that_cannot_be_written_is_an_error(run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(wanted: dict[Path, str]) -> None:
        raise PermissionError(13, "Permission denied", str(next(iter(wanted))))

    monkeypatch.setattr("wrapper_gen.disk.replace_together", refuse)
    result = run("old.wrapper_spec")
    assert result.exit_code == 3
    assert "[WG051]" in result.stderr


def test_places_that_are_left_open_are_named(run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch) -> None:
    def leave(at: former.At) -> None:
        at.rename("std")
        at.undecided("which standard does the library need?")

    monkeypatch.setattr(former, "_RULES", former.by_place([former.Rule(former.Where.LIBRARY, "cpp_std", leave)]))
    result = run("old.wrapper_spec")
    assert result.stdout.splitlines()[1] == "old.wrapper_spec: TODO: which standard does the library need?"
    assert text_of("old.wrapper_spec").endswith("  # which standard does the library need?\n  std: TODO\n")
    assert CliRunner().invoke(main, ["validate", "old.wrapper_spec"]).exit_code == 3


# --- the same meaning ---

_NO_MEANING = {"span", "places", "line", "column", "literal", "spec", "unsaid_owner", "not_ours"}
"""What a layout decides."""
_LARGE = 6000
"""Characters of a spec that takes long to lay out."""


def meaning(path: Path) -> object:
    """What a spec comes to: its module without places, or the codes of its mistakes."""
    try:
        module, findings = read(path, path.name)
    except SpecError as error:
        return told(error.diagnostics)
    return without_places(dump.plain(module)), told(findings)


def told(findings: Iterable[Diagnostic]) -> list[str]:
    """What is said, but for how it is spelled."""
    return sorted(each.code for each in findings if each.code != "WG290")


def without_places(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_places(each) for key, each in value.items() if key not in _NO_MEANING}
    return [without_places(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize("path", FORMER, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_former_spec_means_what_the_present_one_does(path: Path) -> None:
    present = ROOT / "tests" / path.relative_to(ROOT / "tests/former")
    beside = present.with_name(f".{present.stem}.former.wrapper_spec")  # where the files are that it names
    try:
        shutil.copy(path, beside)
        assert meaning(beside) == meaning(present)
    finally:
        beside.unlink()


@pytest.mark.parametrize("path", SPECS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_each_spec_here_means_the_same(path: Path) -> None:
    before, here = meaning(path), path.with_name(f".{path.stem}.migrated.wrapper_spec")
    try:
        migrated = migrate(path, path.name)
    except SpecError as error:
        assert "WG291" not in {each.code for each in error.diagnostics}, error
        return
    try:
        here.write_bytes(migrated.after.encode())
        if migrated.undecided:
            assert "WG102" in str(meaning(here))
        elif path.stem != "WG037_borrowed_result":  # which is an error where there is a `def`
            assert meaning(here) == before
        again = migrate(here, here.name)
        assert again.after == again.before
    finally:
        here.unlink()


def test_any_layout_means_the_same(tmp_path: Path) -> None:
    readable = [document for path in SPECS if (document := _data(path)) is not None]
    unreadable = 0
    for seed in range(600):
        data = random.Random(seed).choice(readable)
        path = tmp_path / "spec.wrapper_spec"
        text = Layout(seed).text(data)
        path.write_bytes(text.encode())
        try:
            expected = modern(read_document(path, path.name))[0]
        except SpecError as error:
            print(seed, error)
            unreadable += 1
            continue
        migrated = migrate(path, path.name)
        if migrated.undecided:  # which reading leaves alone
            continue
        path.write_bytes(migrated.after.encode())
        made = modern(read_document(path, path.name))[0]  # what is not implemented stays in the original format
        assert is_same(made.data, made, expected.data, expected), f"seed {seed}"
        starts = ("comment ", "trailing ", "in braces ")
        comments = [word.splitlines()[0].rstrip() for word in text.split("# ")[1:] if word.startswith(starts)]
        after = path.read_text(encoding="utf-8")
        assert all(comment in after for comment in comments), f"seed {seed}"
    assert unreadable < 3


def _data(path: Path) -> dict[str, Any] | None:
    """What a small spec says; None for one that cannot be read, or that is large."""
    try:
        document = read_document(path, path.name)
        findings = modern(document)[1]
    except SpecError:
        return None
    if any(each.is_error for each in findings):
        return None
    return read_document(path, path.name).data if len(document.source.text) < _LARGE else None


# --- deprecations of each spec here ---


@pytest.mark.parametrize("path", SPECS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_each_fix_alone_keeps_the_meaning(path: Path, tmp_path: Path) -> None:
    try:
        before = read_document(path, path.name)
    except SpecError:
        return
    text = before.source.text
    expected, findings = modern(before)
    told = [each for each in findings if each.code == "WG290"]
    chosen = random.Random(str(path)).sample(told, min(len(told), 8))
    for found in chosen:
        for fix in found.fixes:
            lines = text.splitlines(keepends=True)
            line = lines[fix.span.line - 1]
            start, end = fix.span.column - 1, fix.span.end_column - 1
            lines[fix.span.line - 1] = line[:start] + fix.replacement + line[end:]
            here = tmp_path / "a.wrapper_spec"
            here.write_bytes("".join(lines).encode())
            made, left = modern(read_document(here, path.name))
            assert is_same(made.data, made, expected.data, expected), fix
            assert sum(each.code == "WG290" for each in left) < len(told)
