"""What a package has that carries its runtime: few files, with all that they import."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import Counter
from pathlib import Path, PurePosixPath

import pytest

from tests.limits import HANGS
from wrapper_gen import names, pipeline, runtime_files, runtime_modules
from wrapper_gen.resources import RUNTIME
from wrapper_gen.runtime_files import HEADERS

ONE_FUNCTION = """\
wrapper_lib: {name: one}
cpp_prelude: "#include <cmath>"
functions:
  - {def: "hypot(x: f64, y: f64) -> f64"}
"""
MODULES = sorted(path.stem for folder in ("python", "builder") for path in (RUNTIME / folder).glob("*.py"))


def joined(name: str) -> str:
    return runtime_modules.join(runtime_modules.JOINED[name], lambda module: text_of(module))


def text_of(module: str) -> str:
    return runtime_files.text(runtime_files.sources()[f"{module}.py"])


def generated(folder: Path, spec: str = ONE_FUNCTION) -> dict[PurePosixPath, str]:
    path = folder / "one.wrapper_spec"
    path.write_text(spec, encoding="utf-8")
    files = pipeline.generate(path, path.name).files
    return {path.relative_to("one_ffi"): text for path, text in files.items()}


def test_a_package_of_one_function_is_small(tmp_path: Path) -> None:
    files = generated(tmp_path)
    own = {path: text for path, text in files.items() if path.parts[0] != names.RUNTIME}
    assert len(files) <= 14, sorted(map(str, files))
    assert sum(text.count("\n") for text in own.values()) <= 900
    assert {path.name for path in {*files} - {*own}} == {HEADERS, "__init__.py", "build.py", "cffi.py"}


def test_the_python_of_the_runtime_is_the_same_in_every_package(tmp_path: Path) -> None:
    other = ONE_FUNCTION.replace("f64", "[[text]]").replace("hypot", "other")
    first, second = generated(tmp_path), generated(tmp_path, other)
    both = [path for path in first if path.parts[0] == names.RUNTIME and path.suffix == ".py" and path in second]
    assert len(both) == 3
    assert {path: first[path] for path in both} == {path: second[path] for path in both}


def test_every_module_is_in_one_file() -> None:
    counted = Counter(module for each in runtime_modules.JOINED.values() for module in each.modules)
    assert counted == Counter(MODULES), "name it in JOINED of wrapper_gen/runtime_modules.py, beside those with it"


@pytest.mark.parametrize("name", runtime_modules.JOINED)
def test_a_name_of_a_file_is_one_thing(name: str) -> None:
    """Of two modules that are joined, none hides a name of the other's."""
    owners: dict[str, set[str]] = {}
    for module in runtime_modules.JOINED[name].modules:
        for statement in ast.parse(text_of(module)).body:
            for defined in _defined(statement):
                owners.setdefault(defined, set()).add(module)
    assert {defined: found for defined, found in owners.items() if len(found) > 1} == {}


def _defined(statement: ast.stmt) -> set[str]:
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return {statement.name}
        case ast.Assign():
            return {each.id for target in statement.targets for each in ast.walk(target) if isinstance(each, ast.Name)}
        case ast.AnnAssign(target=ast.Name(id=name)):
            return {name}
    return set()


@pytest.mark.parametrize("name", runtime_modules.JOINED)
def test_a_file_has_all_of_its_modules(name: str) -> None:
    """Each statement once, but for imports and docstrings of modules."""
    rest = [ast.dump(each) for each in ast.parse(joined(name)).body if not _is_head(each)]
    own = [
        ast.dump(each)
        for module in runtime_modules.JOINED[name].modules
        for each in ast.parse(_local_imports(text_of(module), name)).body
        if not _is_head(each)
    ]
    assert rest == own


def _is_head(statement: ast.stmt) -> bool:
    """An import, a docstring, or what only type checkers read."""
    match statement:
        case ast.Import() | ast.ImportFrom():
            return True
        case ast.Expr(value=ast.Constant(value=str())):
            return True  # those of variables are in the text, as its lines
        case ast.If(test=ast.Name(id="TYPE_CHECKING")) | ast.Assign(targets=[ast.Name(id="TYPE_CHECKING")]):
            return True
    return False


def _local_imports(text: str, name: str) -> str:
    """A module's text with its local imports as the file has them."""
    lines = []
    for line in text.splitlines():
        words = line.split()
        if line.startswith(" ") and line.lstrip().startswith("from ._"):
            module = words[1].removeprefix(".")
            if module in runtime_modules.JOINED[name].modules:
                continue
            line = line.replace(words[1], f".{runtime_modules.file_of(module)}")
        lines.append(line)
    return "\n".join(lines)


def test_the_cpython_engine_imports_neither_typing_nor_the_other_engine(tmp_path: Path) -> None:
    """`typing` takes longer to import than the file that every package imports."""
    for path, text in generated(tmp_path).items():
        (tmp_path / "one_ffi" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "one_ffi" / path).write_text(text, encoding="utf-8")
    program = "import sys; import _runtime; print({'typing', 'pathlib', '_runtime.cffi'} & {*sys.modules})"
    command = [sys.executable, "-S", "-c", program]
    done = subprocess.run(command, cwd=tmp_path / "one_ffi", capture_output=True, text=True, timeout=HANGS, check=False)
    assert (done.stdout, done.stderr) == ("set()\n", "")
