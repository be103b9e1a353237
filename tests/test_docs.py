"""Is what the documents say so? Builds their specs, runs their programs and commands, follows their links."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.behaviour.packages import build
from tests.compilers import quick, quick_linking
from wrapper_gen.cli import main
from wrapper_gen.types.parse import WORDS

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
RUN_AS_A_WHOLE = ROOT / "docs" / "ten-minutes.md"
"""By `tests/test_ten_minutes.py`: its commands follow from each other."""
DOCUMENTS = ROOT / "docs"
LONGEST = 300
"""Lines of a page that is read from its top."""
LOOKED_UP = ("reference.md", "diagnostics.md")
"""Generated from catalogues, and searched."""
ELSEWHERE = ("apt", "git", "cd", "pip")
"""What a document may tell people to run that is not the project's."""

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]+`")
_SECTION_LINK = re.compile(r"\]\(([^)\s#:]*)#([^)\s]+)\)")
_HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)
_LINK = re.compile(r"\]\((?!\w+:)([^)#]+)")
_PATH = re.compile(
    r"`((?:wrapper_gen|templates|runtime/(?:include|python|builder)|tests|docs|specs|runtimes|unified_gpu|examples|benchmarks|\.ci)/[\w./-]+)`"
)
_FILE = re.compile(r"# (\w+\.py)\n")
_OWN_FLAGS = re.compile(r"\b(?:cpp_std|compile_args|requires|modules):")
"""Of a spec that is built in its own way."""
_SPEC = re.compile(
    r"^(?:wrapper_lib|cpp_prelude|errors|enums|structs|types|callbacks|handle_types|interfaces|streams|functions|methods):",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Example:
    """A spec of a page, with the program that uses it and what that prints, where the page has them."""

    page: str
    spec: str
    program: str = ""
    output: str = ""
    refusal: str = ""
    """What is said of a spec that does not hold: the text that follows it."""
    files: tuple[tuple[str, str], ...] = ()
    """Python files beside the spec: their names, in a comment of the first line, and what is in them."""


def examples(page: Path) -> Iterator[Example]:
    blocks = _BLOCK.findall(page.read_text(encoding="utf-8"))
    for i, (language, text) in enumerate(blocks):
        if language == "yaml" and _SPEC.search(text):
            later = blocks[i + 1 :]
            files = list(takewhile(lambda each: each[0] == "python" and _FILE.match(each[1]), later))
            following = [*later[len(files) : len(files) + 2], ("", ""), ("", "")]
            program = following[0][1] if following[0][0] == "python" else ""
            refusal = later[0][1] if later and later[0][0] == "text" else ""
            output = following[1][1] if program and following[1][0] == "text" else ""
            spec = text if "wrapper_lib:" in text else f"wrapper_lib: {{name: demo}}\n{text}"
            named = tuple((found[1], text) for _, text in files if (found := _FILE.match(text)))
            yield Example(page.name, spec, program, output, refusal, named)


def commands() -> Iterator[tuple[str, str]]:
    for page in PAGES:
        for language, text in _BLOCK.findall(page.read_text(encoding="utf-8")):
            if language == "sh" and page != RUN_AS_A_WHOLE:
                yield from ((page.name, line.partition("  #")[0].strip()) for line in text.splitlines() if line.strip())


EXAMPLES = [example for page in PAGES if page != RUN_AS_A_WHOLE for example in examples(page)]


def _is_refused(example: Example) -> bool:
    """Whether a spec does not hold; else a compiler refuses what it says of C++."""
    return bool(example.refusal) and "[WG061]" not in example.refusal


def run(command: list[str], folder: Path, **variables: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(folder / "generated"), "CXXFLAGS": quick(), **variables}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_main_pages_have_examples() -> None:
    for page in (ROOT / "README.md", ROOT / "docs" / "guide" / "cpp-classes.md"):
        assert any(example.output for example in examples(page)), page


@pytest.mark.quick(6, slow=30)
@pytest.mark.parametrize(
    "example",
    [example for example in EXAMPLES if not example.refusal],
    ids=lambda e: f"{e.page}-{' '.join(e.spec.split())[:60]}",
)
def test_a_spec_builds_and_its_program_prints_what_the_page_says(example: Example, tmp_path: Path) -> None:
    (tmp_path / "example.wrapper_spec").write_text(example.spec, encoding="utf-8")
    for name, text in example.files:
        (tmp_path / name).write_text(text, encoding="utf-8")
    for name in re.findall(r"requires: \[?([a-z]\w+)", example.spec):
        if (
            shutil.which("pkg-config") is None
            or subprocess.run(["/usr/bin/env", "pkg-config", name], check=False).returncode
        ):
            pytest.skip(f"pkg-config does not know {name} here")
    generated = tmp_path / "generated"
    if example.page == "README.md" or example.files or _OWN_FLAGS.search(example.spec):
        wrapper_gen(tmp_path, "build", "--strict")
    else:  # as `build` does, with what was compiled before
        with contextlib.chdir(tmp_path):
            validated = CliRunner().invoke(main, ["validate", "--strict", "example.wrapper_spec"])
        assert validated.exit_code == 0, validated.output
        assert not validated.stderr, "a warning"
        generated = build(tmp_path / "example.wrapper_spec", require=True, engine="auto").folder.parent
    if example.program:
        printed = run([sys.executable, "-c", example.program], tmp_path, PYTHONPATH=str(generated))
        assert printed == example.output


def wrapper_gen(folder: Path, *words: str) -> None:
    run([sys.executable, "-m", "wrapper_gen", *words, "example.wrapper_spec"], folder, LDFLAGS=quick_linking("g++"))


@pytest.mark.parametrize(
    ("refused", "mended"),
    [(example, after) for example, after in itertools.pairwise(EXAMPLES) if _is_refused(example)],
    ids=lambda e: e.page,
)
def test_a_spec_is_refused_in_the_words_of_the_page(refused: Example, mended: Example, tmp_path: Path) -> None:
    """The spec after it has the first fix."""
    (tmp_path / "demo.wrapper_spec").write_text(refused.spec, encoding="utf-8")
    command = [sys.executable, "-m", "wrapper_gen", "validate", "demo.wrapper_spec"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (3, refused.refusal)
    as_json = subprocess.run([*command, "--format", "json"], cwd=tmp_path, capture_output=True, text=True, check=False)
    fix = json.loads(as_json.stderr)["diagnostics"][0]["fixes"][0]
    lines = refused.spec.splitlines(keepends=True)
    line = lines[fix["line"] - 1]
    lines[fix["line"] - 1] = line[: fix["column"] - 1] + fix["replacement"] + line[fix["end_column"] - 1 :]
    assert "".join(lines) == mended.spec


@pytest.mark.parametrize("refused", [each for each in EXAMPLES if "[WG061]" in each.refusal], ids=lambda e: e.page)
def test_what_does_not_compile_is_said_in_the_words_of_the_page(refused: Example, tmp_path: Path) -> None:
    (tmp_path / "demo.wrapper_spec").write_text(refused.spec, encoding="utf-8")
    command = [sys.executable, "-m", "wrapper_gen", "build", "demo.wrapper_spec"]
    environment = {**os.environ, "CXX": "g++", "CXXFLAGS": quick()}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    own = re.search(r"^demo\.wrapper_spec:\d+:\d+: error: .* \[WG061\]$.*\Z", done.stderr, re.MULTILINE | re.DOTALL)
    assert own, done.stderr
    assert (done.returncode, own[0]) == (4, refused.refusal)
    assert not list(tmp_path.rglob("*.so"))


def test_the_page_of_the_language_shows_a_spec_that_is_refused() -> None:
    assert any(example.refusal for example in EXAMPLES if example.page == "decisions.md")


def programs() -> Iterator[tuple[str, str]]:
    """Programs that use unified_gpu, each with what it prints; all of them must say that."""
    for page in PAGES:
        blocks = _BLOCK.findall(page.read_text(encoding="utf-8"))
        for (language, program), (_, output) in itertools.pairwise([*blocks, ("", "")]):
            if language == "python" and "unified_gpu" in program:
                yield program, output


@pytest.mark.quick(6)
@pytest.mark.parametrize(("program", "output"), list(programs()), ids=lambda text: " ".join(text.split())[-40:])
def test_a_program_with_unified_gpu_prints_what_its_page_says(program: str, output: str, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "generated"), "DL_BACKEND": "cpu"}
    file = tmp_path / "program.py"  # kernels are compiled from a file
    file.write_text(program, encoding="utf-8")
    command = [sys.executable, "-W", "error", str(file)]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == output


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a user who has generated from the project's specs."""
    folder = tmp_path_factory.mktemp("user") / "project"
    shutil.copytree(ROOT / "specs", folder / "specs")
    shutil.copytree(ROOT / "runtimes", folder / "runtimes")
    run([sys.executable, "-m", "wrapper_gen", "specs"], folder)
    return folder


@pytest.mark.quick(3, slow=12)
@pytest.mark.parametrize(("page", "command"), sorted(set(commands())))
def test_a_command_exists(page: str, command: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    program, *arguments = shlex.split(command)
    match program:
        case "wrapper-gen":
            shutil.copytree(request.getfixturevalue("generated"), tmp_path, dirs_exist_ok=True)
            run([sys.executable, "-m", "wrapper_gen", *arguments], tmp_path)
        case "make":
            run(["make", "-n", *arguments], ROOT)
        case "pytest":
            run([sys.executable, "-m", "pytest", "--collect-only", "-q", *arguments], ROOT)
        case "python":
            assert (ROOT / arguments[0]).is_file(), command
        case _:
            assert program in ELSEWHERE, command


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_and_paths_lead_somewhere(page: Path) -> None:
    text = _BLOCK.sub("", page.read_text(encoding="utf-8"))
    broken = [link for link in _LINK.findall(_CODE.sub("", text)) if not (page.parent / link).exists()]
    broken += [path for path in _PATH.findall(text) if not (ROOT / path).exists()]
    assert not broken


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_to_sections_have_one(page: Path) -> None:
    text = _CODE.sub("", _BLOCK.sub("", page.read_text(encoding="utf-8")))
    broken = []
    for path, section in _SECTION_LINK.findall(text):
        target = (page.parent / path) if path else page
        if target.suffix == ".md" and section not in sections(target):
            broken.append(f"{path}#{section}")
    assert not broken


def sections(page: Path) -> set[str]:
    """The names of a page's sections as links have them."""
    headings = _HEADING.findall(_BLOCK.sub("", page.read_text(encoding="utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def test_generated_pages_are_current() -> None:
    run([sys.executable, "docs/build.py", "--check"], ROOT)


def test_what_is_not_reached_has_a_reason() -> None:
    """Each bound that held in no run says why."""
    wanted = (ROOT / "docs" / "performance" / "misses.md").read_text(encoding="utf-8")
    lines = [line for line in wanted.splitlines() if line.startswith("| ")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert rows[0][2:] == ["why not", "wanted", "measured", "held in"]
    assert not [what for _, what, why, *_ in rows[1:] if not why]


def test_every_page_is_short() -> None:
    pages = [page for page in DOCUMENTS.rglob("*.md") if page.name not in LOOKED_UP]
    assert not {str(page.relative_to(DOCUMENTS)): lines for page in pages if (lines := _lines(page)) > LONGEST}


def test_every_row_is_of_a_table() -> None:
    """A row that stands behind a blank line is shown as text."""
    broken = []
    for page in (ROOT / "README.md", *DOCUMENTS.rglob("*.md")):
        text = re.sub(r"^( *)```.*?^\1```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        for block in re.split(r"\n\s*\n", text):
            rows = [line.strip() for line in block.strip("\n").split("\n")]
            first = next((at for at, row in enumerate(rows) if row.startswith("|")), None)
            if first is not None and not re.fullmatch(r"\|(?: *:?-+:? *\|)+", "".join(rows[first + 1 : first + 2])):
                broken.append(f"{page.relative_to(ROOT)}: {rows[first][:60]}")
    assert broken == []


def test_the_table_of_types_has_each_of_them() -> None:
    table = "\n".join(
        re.findall(r"^\| (.*?) \|", (DOCUMENTS / "guide" / "types.md").read_text(encoding="utf-8"), re.MULTILINE)
    )
    assert not [word for word in WORDS if not re.search(rf"\b{word}\b", table)]


def _lines(page: Path) -> int:
    return page.read_text(encoding="utf-8").count("\n")


def test_every_page_is_in_the_index() -> None:
    listed = (DOCUMENTS / "llms.txt").read_text(encoding="utf-8")
    pages = [page.relative_to(DOCUMENTS).as_posix() for page in DOCUMENTS.rglob("*.md") if "adr" not in page.parts]
    assert not [page for page in pages if page != "index.md" and f"({page})" not in listed]


def test_the_readme_is_short() -> None:
    assert (ROOT / "README.md").read_text(encoding="utf-8").count("\n") < 120
