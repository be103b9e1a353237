"""The project keeps its own rules; what it generates is the same everywhere, and no linter or compiler objects."""

from __future__ import annotations

import ast
import builtins
import graphlib
import importlib
import importlib.util
import keyword
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, get_args

import pytest

from tests.compilers import quick
from wrapper_gen import names, pipeline, runtime_modules
from wrapper_gen.batch import SUFFIX
from wrapper_gen.model import Module
from wrapper_gen.tiers import TIERS
from wrapper_gen.types import model, parse

ROOT = Path(__file__).parents[1]
CASES = sorted(each for each in (ROOT / "tests" / "cases").glob(f"*/*{SUFFIX}") if each.parent.name != "uses")
"""Those whose packages carry their runtime; `tests/behaviour/test_uses.py` asks the same of those that cannot."""
SPECS = sorted((ROOT / "specs").glob(f"*{SUFFIX}"))
LIBRARIES = sorted((ROOT / "examples" / "libraries").glob(f"*/*{SUFFIX}"))
WARNINGS = "-std=c++17 -Wall -Wextra -Wpedantic -Werror"
STRICTER = ("-Wshadow", "-Wconversion", "-Wno-error=shadow", "-Wno-error=conversion", "-Wno-error=float-conversion")
"""More warnings, which our own headers have none of."""
SEEDS = ("1", "2")
STATIC = {
    *(name for tier in TIERS for _, name in tier.STATIC),
    *(names.runtime(f"{name or '__init__'}.py") for name in runtime_modules.JOINED),
}
"""Files that are the same in every package that has them."""


def run(*command: str | Path, cwd: Path = ROOT, **environment: str) -> str:
    """What a tool says, which is the message of the failure where it fails."""
    done = subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def tool(module: str) -> Sequence[str]:
    """A tool of the environment that the tests run in."""
    pytest.importorskip(module)
    return (sys.executable, "-m", module)


Packages = tuple[Path, list[Module]]


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Packages:
    """A folder with the package of every case and of every spec of the project."""
    return generated_packages((*CASES, *SPECS), tmp_path_factory.mktemp("packages"))


@pytest.fixture(scope="module")
def typed(tmp_path_factory: pytest.TempPathFactory) -> Packages:
    """The same with the libraries among the examples: what type checkers have to agree with."""
    return generated_packages((*CASES, *SPECS, *LIBRARIES), tmp_path_factory.mktemp("typed"))


def generated_packages(specs: Iterable[Path], folder: Path) -> Packages:
    modules = []
    for spec in specs:
        generated = pipeline.generate(spec, f"specs/{spec.name}")
        modules.append(generated.module)
        for path, text in generated.files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
    return folder, modules


# --- the project -----------------------------------------------------------------------------------------------------


def test_imports_flow_one_way_and_each_library_has_one_owner() -> None:
    pytest.importorskip("importlinter")
    run(Path(sys.executable).with_name("lint-imports"), "--no-cache")


def imports_of(package: Path) -> dict[str, set[str]]:
    """The modules of a package, and which of them each one imports: in functions and for types too."""
    files = {
        ".".join(file.relative_to(package.parent).with_suffix("").parts).removesuffix(".__init__"): file
        for file in package.rglob("*.py")
    }
    found: dict[str, set[str]] = {}
    for name, file in files.items():
        folder = name if file.name == "__init__.py" else name.rpartition(".")[0]
        wanted = set()
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                wanted |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                module = importlib.util.resolve_name("." * node.level + (node.module or ""), folder)
                inner = {f"{module}.{alias.name}" for alias in node.names}
                wanted |= {each if each in files else module for each in inner}
        found[name] = wanted & files.keys() - {name}
    return found


@pytest.mark.parametrize("package", ["unified_gpu", "wrapper_gen"])
def test_no_imports_go_in_a_circle(package: str) -> None:
    """Nor those below `if TYPE_CHECKING` or in functions: what two modules both need is put below them."""
    modules = imports_of(ROOT / package)
    assert any(modules.values())
    graphlib.TopologicalSorter(modules).prepare()


@pytest.mark.parametrize(
    "text", ["from .b import B", "def f():\n    import demo.b", "if TYPE_CHECKING:\n    from . import b"]
)
def test_a_circle_of_imports_is_found(tmp_path: Path, text: str) -> None:
    folder = tmp_path / "demo"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "a.py").write_text(f"{text}\n")
    (folder / "b.py").write_text("from .a import A\n")
    with pytest.raises(graphlib.CycleError, match=r"demo\.[ab]"):
        graphlib.TopologicalSorter(imports_of(folder)).prepare()


def line_counts(*found: Path) -> dict[str, int]:
    return {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8").count("\n") for path in found}


def test_a_module_of_unified_gpu_has_one_subject() -> None:
    """One that passes 400 lines has several: ask where someone would look for each."""
    modules = (ROOT / "unified_gpu").rglob("*.py")
    headers = (ROOT / "runtimes").rglob("*.hpp")
    assert {name: lines for name, lines in line_counts(*modules, *headers).items() if lines > 400} == {}


def long_functions(text: str, most: int) -> list[str]:
    """The functions of more lines than that. Neither docstrings count, nor calls that list the fields of a record."""
    found = []
    for each in ast.walk(ast.parse(text)):
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
            body = each.body[ast.get_docstring(each) is not None :]
            records = (call for call in ast.walk(each) if isinstance(call, ast.Call) and len(call.keywords) > 12)
            listed = max((_height(call) for call in records), default=0)
            if body and (body[-1].end_lineno or 0) - body[0].lineno + 1 - listed > most:
                found.append(each.name)
    return found


def _height(node: ast.expr) -> int:
    return (node.end_lineno or node.lineno) - node.lineno


def test_a_function_does_one_thing() -> None:
    """One of more than 60 lines does several. A file has one subject instead, and is as long as that is."""
    modules = (path for folder in ("wrapper_gen", "unified_gpu", "runtime") for path in (ROOT / folder).rglob("*.py"))
    found = {str(path.relative_to(ROOT)): long_functions(path.read_text(encoding="utf-8"), 60) for path in modules}
    assert {name: functions for name, functions in found.items() if functions} == {}


def test_long_functions_are_found() -> None:
    lines = "\n".join("    pass" for _ in range(4))
    assert long_functions(f"def long():\n{lines}\n", 3) == ["long"]
    assert long_functions(f'def as_it_is():\n    """\n{lines}\n    """\n    pass\n', 3) == []
    fields = ",\n".join(f"        x{i}=1" for i in range(13))
    assert long_functions(f"def view():\n    return View(\n{fields}\n    )\n", 3) == []


def test_a_backend_and_the_compiler_of_kernels_stay_small() -> None:
    """ADR 13 says why the compiler is not smaller."""
    backends = line_counts(*(ROOT / "unified_gpu" / "backends").rglob("*.py"))
    assert {name: lines for name, lines in backends.items() if lines > 300} == {}
    assert sum(line_counts(*(ROOT / "unified_gpu" / "kernels" / "compiler").rglob("*.py")).values()) <= 5100


def questions_about_types(text: str, name: str) -> list[str]:
    """The lines of a module that ask what a type of the spec language is: those of `wrapper_gen.types` answer it."""
    tree = ast.parse(text)
    known: dict[str, object] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("wrapper_gen"):
            origin = importlib.import_module(str(node.module))
            for alias in node.names:
                is_name = hasattr(origin, alias.name)
                value = (
                    getattr(origin, alias.name) if is_name else importlib.import_module(f"{node.module}.{alias.name}")
                )
                known[alias.asname or alias.name] = value

    def asks(node: ast.AST) -> Iterator[ast.expr]:
        match node:
            case ast.Call(ast.Name("isinstance" | "issubclass"), [_, tested]):
                yield tested
            case ast.Compare(_, _, compared):
                yield from compared
            case ast.MatchClass(tested) | ast.MatchValue(tested):
                yield tested

    def is_type(node: ast.AST) -> bool:
        if not isinstance(node, ast.Name | ast.Attribute):
            return False
        try:
            found: Any = eval(ast.unparse(node), {}, known)
        except (NameError, AttributeError):
            return False
        kinds = (model.Scalar, model.Kind)
        return found in get_args(model.Type) or found is model.Type or found in kinds or isinstance(found, kinds)

    lines = text.splitlines()
    found = {
        each.lineno for node in ast.walk(tree) for each in asks(node) if any(is_type(part) for part in ast.walk(each))
    }
    return [f"{name}:{number}: {lines[number - 1].strip()}" for number in sorted(found)]


SPELLINGS = frozenset((*map(str, model.Scalar), "c64", "c128", "duration", "datetime")) - {"bool"}
"""Names of types that mean nothing else in Python."""
INTEGERS = re.compile(r"\[[iuf]+\]\(?(?:\?:)?(?:8\||\\d)")
"""What stands for the names of integers in a regular expression."""
KNOW_SPELLINGS = {
    "bindings/": "specs are written from C++ there",
    "drafts/": "specs are written from headers there",
    "headers/constants.py": "`u8` begins strings of C",
    "lsp/": "texts that are no types yet",
    "other_types.py": "what compilers say of types, by the words of the spec",
    "resolve/entities.py": "C++ types of what handles hold",
    "resolve/protocols.py": "the results that Python's protocols want, as messages show them",
    "spec/former/": "texts of specs in earlier forms of the language",
}
"""Who knows types by their names, besides `types/`, and why."""


def spelled_types(text: str) -> list[int]:
    """The lines of a module that have the name of a type as a value, or compare what a type is called."""
    tree = ast.parse(text)
    documentation = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    found = set[int]()
    for node in ast.walk(tree):
        match node:
            case ast.Constant(str(value)) if id(node) not in documentation:
                words = {word.rstrip("?") for word in value.split()} - {"bool"}
                if (words and words <= SPELLINGS) or INTEGERS.search(value):
                    found.add(node.lineno)
            case ast.Compare(left, _, others) if "str(" in ast.unparse(left):
                compared = (each for one in others for each in ast.walk(one) if isinstance(each, ast.Constant))
                if any(each.value in parse.WORDS for each in compared):
                    found.add(node.lineno)
    return sorted(found)


def test_few_know_how_types_are_spelled() -> None:
    """A new type would have to be added there: CONTRIBUTING names them. Elsewhere `types.queries` is asked."""
    found = {
        str(path.relative_to(ROOT / "wrapper_gen")): lines
        for path in sorted((ROOT / "wrapper_gen").rglob("*.py"))
        if path.parent.name != "types" and (lines := spelled_types(path.read_text(encoding="utf-8")))
    }
    known = {name: next((each for each in KNOW_SPELLINGS if name.startswith(each)), "") for name in found}
    assert {name: found[name] for name, each in known.items() if not each} == {}
    assert {*known.values()} == KNOW_SPELLINGS.keys()


@pytest.mark.parametrize(
    "line",
    [
        'x = {"u8": 1}',
        'A = "i8 u8"',
        'B = r"[iu](8|16)"',
        'y = str(t) == "bool"',
        'z = str(t).rstrip("?") in ("text",)',
    ],
)
def test_a_spelled_type_is_found(line: str) -> None:
    assert spelled_types(f'"""A module."""\n{line}\n"""i8"""\n') == [2]
    assert spelled_types('a = "write u8"\nb = {"text": "bool"}\nc = t == "text"\n') == []


def test_a_class_name_stands_for_one_thing() -> None:
    found: dict[str, list[str]] = {}
    for path in sorted((ROOT / "wrapper_gen").rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).append(str(path.relative_to(ROOT)))
    assert {name: paths for name, paths in found.items() if len(paths) > 1} == {}


def test_what_one_module_uses_alone_stands_there() -> None:
    """A small module of one function has several users, or one in another folder: a newcomer opens fewer files."""
    small = {path for path in (ROOT / "wrapper_gen" / "resolve").glob("*.py") if offers_little(path)}
    users = {
        path: [each for each in path.parent.glob("*.py") if f".{path.stem} import" in each.read_text()]
        for path in small
    }
    assert [path.name for path, found in users.items() if len(found) == 1 and found[0].name != "__init__.py"] == []


def offers_little(path: Path) -> bool:
    text = path.read_text(encoding="utf-8")
    defined = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    return text.count("\n") < 60 and sum(not node.name.startswith("_") for node in defined) == 1


def test_only_types_asks_what_a_type_is() -> None:
    """Elsewhere such a question would be a place that the next type misses: it is asked of `types.queries`."""
    offences = [
        line
        for path in sorted((ROOT / "wrapper_gen").rglob("*.py"))
        if path.parent.name != "types"
        for line in questions_about_types(path.read_text(encoding="utf-8"), str(path.relative_to(ROOT)))
    ]
    assert offences == []


@pytest.mark.parametrize(
    "question",
    [
        "isinstance(x, List)",
        "isinstance(x, str | model.List)",
        "isinstance(x, (Optional, Void))",
        "type(x) is List",
        "x is Scalar.BOOL",
        "x.kind == Kind.FLOAT",
        "[1 for y in x if isinstance(y, Type)]",
    ],
)
def test_a_question_about_a_type_is_found(question: str) -> None:
    of_model = "Kind, List, Optional, Scalar, Type, Void"
    imports = f"from wrapper_gen.types import model\nfrom wrapper_gen.types.model import {of_model}\n"
    assert questions_about_types(f"{imports}{question}\n", "a.py") == [f"a.py:3: {question}"]
    matched = "match x:\n    case List(Scalar.BOOL):\n        pass\n    case y if y is None:\n        pass\n"
    assert questions_about_types(imports + matched, "a.py") == ["a.py:4: case List(Scalar.BOOL):"]
    assert questions_about_types(f"{imports}x = List(Scalar.BOOL)\n", "a.py") == []


def changes_of_names(text: str) -> list[str]:
    """Where a part of resolving assigns to what is known of a spec, rather than to what it finds in it."""
    nodes = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Attribute | ast.Subscript))
    assigned = [ast.unparse(node) for node in nodes if isinstance(node.ctx, ast.Store)]
    return [each for each in assigned if re.match(r"(?:self\._)?scope\.(?!findings\b)", each)]


def test_resolving_changes_no_names() -> None:
    """They are known before the first entry is resolved, so that the order of the parts does not matter for them."""
    modules = sorted((ROOT / "wrapper_gen" / "resolve").glob("*.py"))
    found = {path.name: changes_of_names(path.read_text(encoding="utf-8")) for path in modules}
    assert {name: changes for name, changes in found.items() if changes} == {}


def test_changes_of_names_are_found() -> None:
    text = "scope.names = x\nself._scope.names.lent[a] = b\nscope.row += c\nscope.findings.records[a] = b\n"
    assert changes_of_names(text) == ["scope.names", "self._scope.names.lent[a]", "scope.row"]


def test_what_is_committed_is_what_the_specs_generate() -> None:
    if not (ROOT / "generated").is_dir():
        pytest.skip("nothing is generated here")
    run(sys.executable, "-m", "wrapper_gen", "check", "specs")


def test_nothing_is_silenced_without_a_reason() -> None:
    silenced = re.compile(r"# (?:noqa|type: ignore|pyright: ignore|pragma)\b")
    reasoned = re.compile(r"# (?:noqa|type: ignore|pyright: ignore|pragma)[^#]*(?: - | # )\w+")
    offences = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for folder in ("wrapper_gen", "runtime")
        for path in sorted((ROOT / folder).rglob("*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if silenced.search(line) and not reasoned.search(line)
    ]
    assert offences == []


def test_expected_files_are_not_rewritten_in_ci() -> None:
    command = (sys.executable, "-m", "pytest", "-q", "--collect-only", "--update-golden", "tests/test_cases.py")
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, "CI": "1"}, capture_output=True, text=True, check=False)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "expected files are compared" in done.stderr


# --- what it generates -----------------------------------------------------------------------------------------------


def test_output_depends_on_nothing_but_the_specs(tmp_path: Path) -> None:
    """Two runs, in other folders, by other users, with other hashes: the same bytes."""
    outputs = []
    for seed in SEEDS:
        root = tmp_path / f"run {seed}"
        for spec in CASES:
            shutil.copytree(
                spec.parent, root / "specs" / spec.parent.name, ignore=shutil.ignore_patterns("expected", ".*")
            )
        command = (sys.executable, "-m", "wrapper_gen", "specs")
        run(*command, cwd=root, PYTHONHASHSEED=seed, USER=f"user{seed}", HOME=str(root), PYTHONPATH=str(ROOT))
        files = sorted(path for path in (root / "generated").rglob("*") if path.is_file())
        outputs.append({str(path.relative_to(root)): path.read_bytes() for path in files})
    assert outputs[0] == outputs[1]
    assert len(outputs[0]) > len(CASES)
    everything = b"\n".join(outputs[0].values())
    assert str(tmp_path).encode() not in everything
    assert str(ROOT).encode() not in everything


def test_what_is_known_of_python_is_the_same_on_every_python() -> None:
    """That of the oldest that packages are for: what a later one has more of makes no difference to a spec."""
    here = {name for name in vars(builtins) if not name.startswith("_")} | {*keyword.kwlist}
    added_by_site = {"copyright", "credits", "exit", "license", "quit", "help"}
    assert sys.version_info[:2] != (3, 11) or here <= names.PYTHON_WORDS
    assert names.PYTHON_WORDS - here <= added_by_site
    assert all(issubclass(getattr(builtins, name), Exception) for name in names.PYTHON_EXCEPTIONS)


def test_lines_end_as_they_should(packages: Packages) -> None:
    folder, _ = packages
    for path in folder.rglob("*"):
        text = path.read_bytes().decode() if path.is_file() else ""
        assert "\r" not in text, path
        assert not text or (text.endswith("\n") and not text.endswith("\n\n")), path


def test_ruff_has_no_objections(packages: Packages) -> None:
    config = ("--config", str(ROOT / "pyproject.toml"), "--no-cache")
    run(*tool("ruff"), "check", *config, ".", cwd=packages[0])
    run(*tool("ruff"), "format", "--check", *config, ".", cwd=packages[0])


@pytest.mark.slow
def test_mypy_has_no_objections(typed: Packages, tmp_path: Path) -> None:
    folder, modules = typed
    names = [word for module in modules for word in ("-p", module.package)]
    run(*tool("mypy"), "--strict", "--cache-dir", str(tmp_path), *names, cwd=folder)


@pytest.mark.slow
def test_pyright_has_no_objections(typed: Packages) -> None:
    folder, modules = typed
    files = [
        str(path.relative_to(folder))
        for path in sorted((*folder.rglob("*.py"), *folder.rglob("*.pyi")))
        if "/".join(path.relative_to(folder).parts[1:]) not in STATIC
        or path.is_relative_to(folder / modules[0].package)
    ]
    run(*tool("pyright"), "--level", "error", *files, cwd=folder)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("compiler", "part"),
    [
        *(("g++", 0), ("clang++", 2)),
        *(pytest.param("g++", part, marks=pytest.mark.long) for part in (1, 2, 3)),
        *(pytest.param("clang++", part, marks=pytest.mark.long) for part in (0, 1, 3)),
    ],
)
def test_compilers_have_no_objections(packages: Packages, compiler: str, part: int) -> None:
    """In stub mode; and both engines in one unit, where the library is nothing but the C++ standard library."""
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler} here")
    folder, modules = packages
    python = ("-isystem", sysconfig.get_path("include"))
    flags = ("-fsyntax-only", "-fPIC", "-fvisibility=hidden", *quick(WARNINGS, compiler, is_whole=False).split())
    flags += STRICTER if compiler == "g++" else ()
    jobs = [
        (folder / module.package, (compiler, *flags, *python, *unit))
        for module in modules[part::4]
        for unit in (("bridge.cpp",), (f"-D{module.guard}=1", "cpython.cpp"))[: 2 if _is_standard(module) else 1]
    ]
    with ThreadPoolExecutor(max_workers=2) as pool:
        said = list(pool.map(lambda job: run(*job[1], cwd=job[0]), jobs))
    ours = [line for text in said for line in text.splitlines() if line.startswith("_runtime/") and "warning:" in line]
    assert ours == []  # what stands elsewhere is a case's own code, or repeats its names


def _is_standard(module: Module) -> bool:
    """Headers of the C++ standard library have no suffix."""
    return not any("." in header for header in module.library.includes)
