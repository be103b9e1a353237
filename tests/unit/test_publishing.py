"""What PyPI shows of a project that `new` makes: its people, licence, addresses and README, without a file to edit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from wrapper_gen.cli import main
from wrapper_gen.project import git, licences
from wrapper_gen.resources import TEMPLATES

Run = Callable[..., Result]
JANE = "Jane Doe <jane@example.org>"
SPEC = """\
wrapper_lib:
  name: half
  version: "2.1"
  requires: {requires}
  doc: |
    Halves of numbers,
    exactly. See e.g. Euclid.

    >>> half(3), half_ffi.LIMIT
    (1.5, 7)

    More below.

    >>> [half(each) for each in (1, 2)]
    [0.5, 1.0]
constants: {{LIMIT: {{type: i32, cpp: '7'}}}}
functions:
  - {{def: "half(of: f64) -> f64", cpp: of / 2}}
"""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the command in an empty folder, where git knows nobody."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    monkeypatch.delitem(main.commands, "import", raising=False)

    def run(*arguments: str, code: int = 0) -> Result:
        done = CliRunner().invoke(main, arguments)
        assert done.exit_code == code, done.output
        return done

    return run


def told(done: Result) -> str:
    """All of it on one line, since a terminal's width breaks lines."""
    return " ".join(done.output.split())


def toml(root: Path) -> dict[str, Any]:
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))


def test_what_is_not_known_is_left_out_and_told(run: Run, tmp_path: Path) -> None:
    said = run("new", "notes").output
    assert {*toml(tmp_path / "notes")["project"]} == {
        *("name", "dynamic", "description", "readme", "requires-python"),
    }
    assert said.splitlines()[2:-1] == [
        "to publish it, still wanted; give options to `wrapper-gen package notes/notes.wrapper_spec`:",
        "  --author 'NAME <MAIL>'  # who publishes it",
        "  --url URL  # where its source is; git's remote `origin` does as well",
        "  --license SPDX-ID  # its licence, such as MIT, BSD-3-Clause or Apache-2.0",
    ]
    given = ("--author", JANE, "--url", "https://example.org/notes", "--license", "mit")
    said = run("package", "notes/notes.wrapper_spec", *given).output
    assert "wanted" not in said
    assert "source: https://example.org/notes (--url names another page)" in said.splitlines()
    assert "0 written" in run("new", "notes").output  # the record has it all
    project = toml(tmp_path / "notes")["project"]
    assert project["authors"] == [{"name": "Jane Doe", "email": "jane@example.org"}]
    assert (project["license"], project["license-files"]) == ("MIT", ["LICEN[CS]E*"])
    assert project["urls"] == {"Repository": "https://example.org/notes"}
    assert "Copyright (c) Jane Doe\n" in (tmp_path / "notes" / "LICENSE").read_text(encoding="utf-8")
    assert "\n## Licence\n\nMIT: see `LICENSE`.\n" in (tmp_path / "notes" / "README.md").read_text(encoding="utf-8")


def test_what_is_wanted_is_data_too(run: Run) -> None:
    data = json.loads(run("new", "notes", "--author", JANE, "--license", "ISC", "--format", "json").stdout)
    assert data["wanted"] == [
        {"what": "where its source is; git's remote `origin` does as well", "option": "--url URL"},
    ]


def test_git_proposes_the_author_and_gives_the_address(run: Run, tmp_path: Path) -> None:
    commands = (
        ("init", "-q", "."),
        ("config", "user.name", "Jane Doe"),
        ("config", "user.email", "jane@example.org"),
        ("remote", "add", "origin", "git@github.com:jane/notes.git"),
    )
    for words in commands:
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    said = run("new", "notes").output
    assert f"  --author '{JANE}'  # who publishes it, as git knows you" in said.splitlines()
    project = toml(tmp_path / "notes")["project"]
    assert "authors" not in project  # it is proposed, not taken
    assert project["urls"] == {
        "Repository": "https://github.com/jane/notes",
        "Issues": "https://github.com/jane/notes/issues",
    }
    subprocess.run(["git", "remote", "set-url", "origin", "https://github.com/fork/notes"], cwd=tmp_path, check=True)
    run("new", "notes")
    assert toml(tmp_path / "notes")["project"]["urls"]["Repository"] == "https://github.com/jane/notes"


@pytest.mark.parametrize(
    ("remote", "page"),
    [
        ("https://jane:secret@git.example.org:8443/a/b.git", "https://git.example.org:8443/a/b"),
        ("ssh://git@gitlab.com/group/part/b.git", "https://gitlab.com/group/part/b"),
        ("git@codeberg.org:a/b", "https://codeberg.org/a/b"),
        ("git@git.example.org:a/b.git", ""),  # whether it has pages is not known
        ("/srv/b.git", ""),
        ("../b", ""),
        ("https://[::1/b", ""),
        ("https:///a/b", ""),
        ("https://example.org/a b", ""),
    ],
)
def test_the_page_of_a_remote_repository(remote: str, page: str) -> None:
    assert git.page_of(remote) == page


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--license", "MIT License"), "'MIT License' is no licence of SPDX; did you mean MIT, MIT-0"),
        (("--license", "BSD"), "did you mean BSD-2-Clause, BSD-3-Clause,"),
        (("--license", "GPLv3"), "did you mean GPL-3.0-only, GPL-3.0-or-later or"),
        (("--license", "GPL-3.0"), "SPDX has replaced 'GPL-3.0'; did you mean GPL-3.0-only or GPL-3.0-or-later?"),
        (("--license", "MIT OR Foo-2"), "'Foo-2' is no licence of SPDX; https://spdx.org/licenses/ lists them"),
        (("--license", "MIT AND"), "'MIT AND' is no licence expression of SPDX, such as MIT or"),
        (("--license", ""), "'' is no licence expression"),
        (("--author", "Jane, John"), "'Jane, John' names no author: write NAME <MAIL>"),
        (("--author", "Jane <jane>"), "names no author"),
        (("--author", ""), "names no author"),
        (("--author", "a\nb"), "names no author"),
        (("--url", "git@github.com:a/b"), "is no address of a page: write it as https://"),
        (("--url", "https://jane:secret@example.org"), "a password or name stands in the address"),
        (("--system-package", "lmdb"), "names no manager of packages: write MANAGER=NAME, with dnf, apk, brew, vcpkg"),
        (("--system-package", "apt=lmdb"), "names no manager"),
        (("--system-package", "brew=-x;y"), "'-x;y' is no name of a package"),
    ],
)
def test_what_is_wrong_is_told_and_writes_nothing(
    run: Run, tmp_path: Path, words: tuple[str, str], problem: str
) -> None:
    assert problem in told(run("new", "notes", *words, code=2))
    assert list(tmp_path.iterdir()) == []


def test_licences_are_checked_where_their_list_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "packaging.licenses._spdx", None)
    assert licences.problem_of("Zlib OR Foo-2") == (
        "'Foo-2' is no licence of SPDX; https://spdx.org/licenses/ lists them, and one of your own is LicenseRef-NAME"
    )
    assert "did you mean MIT" in licences.problem_of("MIT License")
    assert licences.problem_of("GPL-2.0-only WITH Classpath-exception-2.0") == ""


@pytest.mark.parametrize("licence", sorted(licences.TEXTS))
def test_the_text_of_a_licence_is_known_again(run: Run, tmp_path: Path, licence: str) -> None:
    run("new", "notes", "--license", licence.lower(), "--author", JANE, "--author", "jo@example.org")
    text = (tmp_path / "notes" / "LICENSE").read_text(encoding="utf-8")
    assert ("Copyright (c) Jane Doe, jo@example.org\n" in text) == licences.needs_holders(licence)
    assert licences.recognized(tmp_path / "notes") == licence
    (tmp_path / "notes" / "LICENSE").write_text(f"The Licence\n\nCopyright (c) 2020 X\n\n{text}", encoding="utf-8")
    if licences.needs_holders(licence):
        assert licences.recognized(tmp_path / "notes") == licence
    (tmp_path / "notes" / "LICENSE").write_text(text + "More.\n", encoding="utf-8")
    assert licences.recognized(tmp_path / "notes") == ""


def test_the_text_of_apache_is_that_of_this_project() -> None:
    text = (TEMPLATES / "project" / "licences" / licences.TEXTS["Apache-2.0"]).read_bytes()
    assert text == (Path(__file__).parents[2] / "LICENSE").read_bytes()


def test_a_text_that_is_not_known_is_asked_for(run: Run, tmp_path: Path) -> None:
    """And the one of the former licence goes."""
    run("new", "notes", "--license", "MIT", "--author", JANE)
    root = tmp_path / "notes"
    said = run("package", "notes/notes.wrapper_spec", "--license", "GPL-3.0-or-later").output
    assert "notes/LICENSE: removed, since the project has no use for it now" in said
    assert "  the text of GPL-3.0-or-later in notes/LICENSE, from https://spdx.org/licenses/; then run it again" in said
    assert not (root / "LICENSE").exists()
    assert "license-files" not in toml(root)["project"]
    (root / "COPYING").write_text("GNU\n", encoding="utf-8")
    said = run("new", "notes").output
    assert "the text of" not in said
    assert toml(root)["project"]["license-files"] == ["COPYING*"]


def test_a_text_that_is_there_stays(run: Run, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "LICENSE.txt").write_text("mine\n", encoding="utf-8")
    said = run("new", "notes", "--license", "MIT").output
    assert "stays" not in said
    assert toml(tmp_path / "notes")["project"]["license-files"] == ["LICEN[CS]E*"]
    assert not (tmp_path / "notes" / "LICENSE").exists()


def test_a_text_that_the_user_has_changed_or_removed_stays_so(run: Run, tmp_path: Path) -> None:
    run("new", "notes", "--license", "MIT", "--author", JANE)
    text = tmp_path / "notes" / "LICENSE"
    text.write_text("mine\n", encoding="utf-8")
    assert "notes/LICENSE: you have changed it, so it stays" in run("new", "notes").output
    text.unlink()
    assert "notes/LICENSE: you have removed it, so it stays away" in run("new", "notes").output
    assert "license-files" not in toml(tmp_path / "notes")["project"]


def test_a_licence_that_names_its_holder_waits_for_the_author(run: Run, tmp_path: Path) -> None:
    said = run("new", "notes", "--license", "MIT").output
    assert "  --author 'NAME <MAIL>'  # who publishes it; LICENSE names its holder" in said.splitlines()
    assert not (tmp_path / "notes" / "LICENSE").exists()


def test_the_readme_is_what_the_spec_documents(run: Run, tmp_path: Path) -> None:
    (tmp_path / "half.wrapper_spec").write_text(SPEC.format(requires="zlib"), encoding="utf-8")
    run("package", "half.wrapper_spec")
    readme = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert readme.startswith("""\
# half-ffi

Halves of numbers,
exactly. See e.g. Euclid.

```pycon
>>> import half_ffi
>>> from half_ffi import half
>>> half(3), half_ffi.LIMIT
(1.5, 7)
```

More below.

```pycon
>>> [half(each) for each in (1, 2)]
[0.5, 1.0]
```

```sh
pip install half-ffi
```
""")
    assert "which takes\na compiler for C++17, and the library with its headers: `zlib`.\n" in readme
    assert "## Licence" not in readme
    assert toml(tmp_path)["project"]["description"] == "Halves of numbers, exactly."


def test_the_readme_has_the_first_example_of_an_entry(run: Run, tmp_path: Path) -> None:
    run("new", "notes", "--lang", "c++")
    readme = (tmp_path / "notes" / "README.md").read_text(encoding="utf-8")
    block = readme.partition("```pycon\n")[2].partition("```")[0]
    assert block == (
        ">>> from notes_ffi import mean\n>>> mean([1, 2.5])\n1.75\n>>> mean([])\n"
        "Traceback (most recent call last):\nnotes_ffi.NotesError: there are no numbers\n"
    )


def test_a_library_that_pkg_config_names_is_installed_where_wheels_are_built(run: Run, tmp_path: Path) -> None:
    """dnf and apk find packages by that name, and the names of Homebrew and vcpkg are known of many libraries."""
    (tmp_path / "half.wrapper_spec").write_text(SPEC.format(requires="[libzstd, zlib]"), encoding="utf-8")
    assert "system-package" not in run("package", "half.wrapper_spec").output
    said = toml(tmp_path)["tool"]["cibuildwheel"]
    assert said["linux"]["before-all"] == "dnf -y install 'pkgconfig(libzstd)' 'pkgconfig(zlib)'"
    assert said["overrides"] == [{"select": "*-musllinux_*", "before-all": "apk add pc:libzstd pc:zlib"}]
    assert said["macos"]["before-all"] == "brew install zstd zlib"
    assert said["macos"]["environment"]["PKG_CONFIG_PATH"] == (
        "$(brew --prefix)/opt/zstd/lib/pkgconfig:$(brew --prefix)/opt/zlib/lib/pkgconfig"
    )
    assert said["windows"]["before-all"].split()[2:4] == [f"{name}:x64-windows-static-md" for name in ("zstd", "zlib")]


def test_packages_that_are_not_known_are_asked_for_and_kept(run: Run, tmp_path: Path) -> None:
    (tmp_path / "half.wrapper_spec").write_text(SPEC.format(requires="rare"), encoding="utf-8")
    said = run("package", "half.wrapper_spec").output
    assert (
        "  --system-package brew=NAME  # what brew calls the library: wheels for macOS are built with its package"
        in said
    )
    assert "  --system-package vcpkg=NAME  #" in said
    assert "dnf" not in said
    assert {"macos", "windows"}.isdisjoint(toml(tmp_path)["tool"]["cibuildwheel"])
    said = run("package", "half.wrapper_spec", "--system-package", "brew=rare2", "--system-package", "vcpkg=a").output
    assert "system-package" not in said
    run("package", "half.wrapper_spec", "--system-package", "vcpkg=b", "--system-package", "vcpkg=c[x]")
    said = toml(tmp_path)["tool"]["cibuildwheel"]
    assert said["macos"]["before-all"] == "brew install rare2"
    assert said["windows"]["before-all"] == (
        "vcpkg install b:x64-windows-static-md c[x]:x64-windows-static-md pkgconf:x64-windows"
    )


@pytest.mark.parametrize(
    ("requires", "managers"),
    [
        ("[], link: [half]", {"dnf", "apk", "brew", "vcpkg"}),
        ("[], link: [m, pthread]", set()),
        ("[{dirs: [lib]}], link: [half]", set()),
        ("[{python: half, dirs: [lib]}], link: [half]", set()),
        ("rare, optional: true", set()),
        ("[]", set()),
    ],
)
def test_which_libraries_need_packages(run: Run, tmp_path: Path, requires: str, managers: set[str]) -> None:
    head = f"wrapper_lib: {{name: half, requires: {requires}}}\n"
    (tmp_path / "half.wrapper_spec").write_text(head + "functions: [{def: f(), cpp: f()}]\n", encoding="utf-8")
    (tmp_path / "lib").mkdir()
    data = json.loads(run("package", "half.wrapper_spec", "--format", "json").stdout)
    options = [each["option"].split() for each in data["wanted"]]
    assert {words[1].partition("=")[0] for words in options if words[:1] == ["--system-package"]} == managers


def test_it_asks_at_a_terminal_for_people_and_licence(tmp_path: Path) -> None:
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": str(tmp_path / "gitconfig"), "GIT_CONFIG_SYSTEM": os.devnull}
    (tmp_path / "gitconfig").write_text("[user]\nname = Jane Doe\nemail = jane@example.org\n", encoding="utf-8")
    try:
        os.write(ours, b"a, b\n\nGPL\nbsd-3-clause\n")
        command = [sys.executable, "-m", "wrapper_gen", "new", "diary", "--lang", "c"]
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, stdin=theirs, capture_output=True, text=True, check=True
        )
    finally:
        os.close(ours)
        os.close(theirs)
    assert f"Author, as NAME <MAIL> (-: not yet) [{JANE}]: " in done.stderr
    assert "'a, b' names no author" in done.stderr
    assert "'GPL' is no licence of SPDX; did you mean GPL-1.0-only" in done.stderr
    project = toml(tmp_path / "diary")["project"]
    assert project["authors"] == [{"name": "Jane Doe", "email": "jane@example.org"}]
    assert project["license"] == "BSD-3-Clause"
