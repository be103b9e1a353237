"""Did the text change? Each folder of `cases/` has a spec, and what it generates under `expected/`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path, PurePosixPath

import pytest

from tests.golden import Golden
from wrapper_gen import dump, names, pipeline, report, runtime_files
from wrapper_gen.resources import RUNTIME
from wrapper_gen.tiers import TIERS

CASES = sorted(path.parent for path in Path(__file__).with_name("cases").glob("*/spec.wrapper_spec"))
ON_DEMAND = {names.runtime(name): source for name, source in runtime_files.sources().items() if name.endswith(".py")}
JOINED = {names.runtime(name) for name in ("wg.hpp", "wg_cffi.hpp", "wg_cpython.hpp")}
"""Headers of the runtime in one file, as a package that carries them has them."""
STATIC = {name: source for tier in TIERS for source, name in tier.STATIC} | ON_DEMAND
"""Files that are the same in every package that has them, and where they come from: not worth a copy in every case."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_generated_text(case: Path, golden: Golden) -> None:
    generated = pipeline.generate(case / "spec.wrapper_spec", "spec.wrapper_spec")
    package = generated.module.package
    expected = {
        path: text for path, text in generated.files.items() if str(path.relative_to(package)) not in {*STATIC, *JOINED}
    }
    if generated.warnings:
        expected[PurePosixPath("warnings.txt")] = report.as_text(generated.warnings, lambda path: None)
    golden(expected, case / "expected")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_inspect_has_json_for_it(case: Path) -> None:
    module = pipeline.generate(case / "spec.wrapper_spec", "spec.wrapper_spec").module
    shown = dump.plain(module)
    assert json.loads(json.dumps(shown, allow_nan=False)) == shown


def test_what_every_package_has_lies_in_its_runtime() -> None:
    """The package's own folder shows what the spec makes; type checkers want their marker there."""
    assert {name for name in STATIC if not name.startswith("_runtime/")} == {"py.typed"}
    generated = pipeline.generate(CASES[0] / "spec.wrapper_spec", "spec.wrapper_spec")
    own = {path.name for path in generated.files if len(path.parts) == 2}
    assert own == {
        *("__init__.py", "__init__.pyi", "_cffi_engine.py", f"_{generated.module.package}.pyi", "py.typed"),
        *("bridge.cpp", "bridge.h", "cpython.cpp", "ffi_build.py"),
    }


@cache
def static_files(case: Path) -> Mapping[str, str]:
    """The files of one case's package that are not its own."""
    generated = pipeline.generate(case / "spec.wrapper_spec", "spec.wrapper_spec")
    found = {str(path.relative_to(generated.module.package)): text for path, text in generated.files.items()}
    return {name: text for name, text in found.items() if name in STATIC or name in JOINED}


def headers_in(case: str) -> set[str]:
    """The headers of the runtime that one case's package carries."""
    files = static_files(CASES[0].with_name(case))
    joined = "".join(files.get(name, "") for name in JOINED)
    headers = {name: source for name, source in runtime_files.sources().items() if name.endswith(".hpp")}
    return {
        name for name, source in headers.items() if f"#define {guards_in(runtime_files.text(source))[0]}\n" in joined
    }


def guards_in(text: str) -> list[str]:
    """What keeps headers from being read twice, in order."""
    return re.findall(r"^#ifndef (WG_\w+_HPP)\n#define \1$", text, re.MULTILINE)


def test_a_package_has_the_support_files_that_it_needs() -> None:
    """Headers and modules that only callables, encoded values or owners need are in no other package."""
    plain, calling = (set(static_files(CASES[0].with_name(name))) for name in ("minimal", "callables"))
    only_there = {names.runtime(name) for name in ("_callables.py", "_wire.py")}
    assert only_there <= calling
    assert not only_there & plain
    assert {*JOINED, *(names.runtime(name) for name in ("_build.py", "_support.py"))} <= plain
    only_there = {"wg/callbacks/callbacks.hpp", "wg/cpython/callables.hpp"}
    assert only_there <= headers_in("callables")
    assert not only_there & headers_in("minimal")
    assert {"wg/cffi/calls.hpp", "wg/cpython/calls.hpp"} <= headers_in("minimal")


def test_every_header_is_in_some_package() -> None:
    """One that none has is of no use."""
    there = set[str]().union(*(headers_in(case.name) for case in CASES))
    assert {name for name in runtime_files.sources() if name.endswith(".hpp")} == there


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_headers_are_joined_in_the_order_of_their_includes(case: Path) -> None:
    """Each once, with what it includes before it, as the preprocessor would have it."""
    files = static_files(case)
    assert '#include "wg' not in "".join(files[name] for name in JOINED if name in files)
    both = files[names.runtime("wg.hpp")] + files[names.runtime("wg_cpython.hpp")]
    guards = guards_in(both)
    assert len(guards) == len(set(guards)) > 10


def test_one_tier_alone_has_what_it_needs() -> None:
    generated = pipeline.generate(CASES[0] / "spec.wrapper_spec", "spec.wrapper_spec", (2,))
    found = {str(path.relative_to(generated.module.package)) for path in generated.files}
    modules = ("__init__", "_build", "_dependencies", "_incremental", "_library", "_processes", "_toolchain")
    assert found == {"ffi_build.py", *(names.runtime(f"{name}.py") for name in modules)}


@pytest.mark.parametrize("name", STATIC)
def test_support_files_are_copied_as_they_are(name: str) -> None:
    """Each into some packages: a file that none has is of no use."""
    packages = (static_files(case) for case in CASES)
    text = next(files[name] for files in packages if name in files)
    source = (RUNTIME / STATIC[name]).read_text(encoding="utf-8")
    head = text.removesuffix(source)
    assert head + source == text
    assert head == "" if not source else head.count("\n") == 2
    assert "Generated by wrapper-gen from spec.wrapper_spec. DO NOT EDIT." in head or not source
