"""Did the text change? Each folder of `cases/` has a spec, and what it generates under `expected/`."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path, PurePosixPath

import pytest

from tests.entries import PACKAGE, Entries, Piece, by_entry, shown
from tests.golden import Golden
from wrapper_gen import dump, names, pipeline, report, runtime_files, runtime_modules
from wrapper_gen.explain.reports import marked
from wrapper_gen.model import Module
from wrapper_gen.runtime_files import HEADERS, Runtime
from wrapper_gen.tiers import TIERS

WHOLE = ("docs_and_quotes", "dynamic_library", "errors", "minimal")
"""The cases whose packages are kept as they are; of the others each entry is, by itself."""
CASES = sorted(path.parent for path in Path(__file__).with_name("cases").glob("*/spec.wrapper_spec"))
STATIC = {name: source for tier in TIERS for source, name in tier.STATIC}
"""Files that are the same in every package, and where they come from: not worth a copy in every case."""


SHARING = {"uses"}
"""Cases whose packages share their runtime: those that use the types of others cannot carry it."""
CARRYING = [case for case in CASES if case.name not in SHARING]


def generate(case: Path, tiers: Sequence[int] = (1, 2, 3)) -> pipeline.Generated:
    runtime = Runtime.SHARED if case.name in SHARING else Runtime.VENDORED
    return pipeline.generate(case / "spec.wrapper_spec", "spec.wrapper_spec", tiers, runtime)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_generated_text(case: Path, golden: Golden) -> None:
    generated = generate(case)
    own = own_files(generated)
    expected = own if case.name in WHOLE else texts_of_entries(generated.module, own)
    if generated.warnings:
        expected[PurePosixPath("warnings.txt")] = report.as_text(generated.warnings, lambda path: None)
    golden(expected, case / "expected")


def own_files(generated: pipeline.Generated) -> dict[PurePosixPath, str]:
    """The files of a package that are its own."""
    package = generated.module.package
    return {
        path: text
        for path, text in generated.files.items()
        if str(path.relative_to(package)) not in STATIC and path.parts[1] != names.RUNTIME
    }


def texts_of_entries(module: Module, own: Mapping[PurePosixPath, str]) -> dict[PurePosixPath, str]:
    """A text for each function, class and error, with only what belongs to it; one for what other packages lack."""
    entries, found = Entries(module), by_entry(module, own)
    kinds = dict.fromkeys(entries.classes.values(), ".class")  # some file systems know no case
    texts = {}
    for label, pieces in found.items():
        is_usual = [without_names(piece, label, entries, module) in shown_whole() for piece in pieces]
        left_out = Counter(piece.file for piece, usual in zip(pieces, is_usual, strict=True) if usual)
        text = shown(piece for piece, usual in zip(pieces, is_usual, strict=True) if not usual)
        if left_out and label != PACKAGE:
            text += f"--- as in other packages: {', '.join(f'{file} {count}' for file, count in left_out.items())}\n"
        if text:
            texts[PurePosixPath(f"{label}{kinds.get(label, '')}.txt")] = text
    return texts


@cache
def shown_whole() -> frozenset[Piece]:
    """What the cases show that are kept whole, without names: in the others it is counted."""
    found = set[Piece]()
    for name in WHOLE:
        generated = generate(CASES[0].with_name(name))
        entries = Entries(generated.module)
        for label, pieces in by_entry(generated.module, own_files(generated)).items():
            found |= {without_names(piece, label, entries, generated.module) for piece in pieces}
    return frozenset(found)


def without_names(piece: Piece, label: str, entries: Entries, module: Module) -> Piece:
    """A piece as an entry of any name has it, in a library of any name, wherever the spec has it."""
    text = re.sub(r"@\d+|(?<=spec\.wrapper_spec:)\d+", "0", piece.text)
    for name in (module.name, names.camel(module.name), module.name.upper()):
        text = re.sub(rf"(?<![a-z]){re.escape(name)}(?![a-z])", "LIB", text)
    for name in sorted(entries.names_of(label), key=len, reverse=True):
        text = re.sub(rf"(?<![A-Za-z0-9]){re.escape(name)}(?![A-Za-z0-9])", "NAME", text)
    return Piece(piece.file, text)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_inspect_has_json_for_it(case: Path) -> None:
    module = generate(case).module
    shown = dump.plain(module)
    assert json.loads(json.dumps(shown, allow_nan=False)) == shown


def test_what_every_package_has_lies_in_its_runtime() -> None:
    """The package's own folder shows what the spec makes; type checkers want their marker there."""
    assert {name for name in STATIC if not name.startswith("_runtime/")} == {"py.typed"}
    generated = generate(CASES[0])
    own = {path.name for path in generated.files if len(path.parts) == 2}
    assert own == {
        *("__init__.py", "__init__.pyi", "_cffi_engine.py", "py.typed"),
        *("bridge.cpp", "bridge.h", "cpython.cpp", "docs.hpp", "ffi_build.py", "lines.hpp"),
    }


@cache
def carried(case: Path) -> Mapping[str, str]:
    """The files of the runtime in one case's package, by their names."""
    generated = generate(case)
    return {path.name: text for path, text in generated.files.items() if path.parts[1] == names.RUNTIME}


def headers_in(case: str) -> set[str]:
    """The headers of the runtime that one case's package carries."""
    joined = carried(CASES[0].with_name(case))[HEADERS]
    headers = {name: source for name, source in runtime_files.sources().items() if name.endswith(".hpp")}
    return {
        name for name, source in headers.items() if f"#define {guards_in(runtime_files.text(source))[0]}\n" in joined
    }


def guards_in(text: str) -> list[str]:
    """What keeps headers from being read twice, in order."""
    return re.findall(r"^#ifndef (WG_\w+_HPP)\n#define \1$", text, re.MULTILINE)


def test_a_package_has_the_support_files_that_it_needs() -> None:
    """Headers and modules that only callables, encoded values or owners need are in no other package."""
    plain, calling = (set(carried(CASES[0].with_name(name))) for name in ("minimal", "callables"))
    assert plain == {HEADERS, "__init__.py", "build.py", "cffi.py"}
    assert {"callables.py", "wire.py"} <= calling
    only_there = {"wg/callbacks/callbacks.hpp", "wg/cpython/callables.hpp"}
    assert only_there <= headers_in("callables")
    assert not only_there & headers_in("minimal")
    assert {"wg/cffi/calls.hpp", "wg/cpython/calls.hpp"} <= headers_in("minimal")


def test_every_part_of_the_runtime_is_in_some_package() -> None:
    """One that none has is of no use."""
    there = set[str]().union(*(headers_in(case.name) for case in CARRYING))
    alone = {name for name in runtime_files.sources() if name.endswith(".hpp")} - there
    shared = "".join(text for case in SHARING for text in generate(CASES[0].with_name(case)).files.values())
    module, _ = pipeline.read(CASES[0] / "spec.wrapper_spec", "spec.wrapper_spec")
    explained = "".join(pipeline.rendered(marked(module), (), (1,), Runtime.SHARED).files.values())
    assert alone == {"wg/cpython/imported.hpp", "wg/calls/explained_calls.hpp"}
    assert all(f'#include "{name}"' in shared + explained for name in alone)
    modules = set[str]().union(*(carried(case) for case in CARRYING)) - {HEADERS}
    assert modules == {f"{name or '__init__'}.py" for name in runtime_modules.JOINED if name != "used"}
    assert all(f"wg_runtime.{name} import" in shared for name in runtime_modules.JOINED["used"].modules[1:])


@pytest.mark.parametrize("case", CARRYING, ids=lambda case: case.name)
def test_headers_are_joined_in_the_order_of_their_includes(case: Path) -> None:
    """Each once, with what it includes before it, as the preprocessor would have it."""
    joined = carried(case)[HEADERS]
    assert '#include "wg' not in joined
    for_cffi, others = joined.split("#else  // the bridge\n")
    for guards in (guards_in(for_cffi), guards_in(others)):
        assert len(guards) == len(set(guards)) > 0


def test_one_tier_alone_has_what_it_needs() -> None:
    """And no file that is another with all tiers."""
    spec = CASES[0].with_name("minimal") / "spec.wrapper_spec"
    whole = pipeline.generate(spec, "spec.wrapper_spec").files
    for tier in (1, 2, 3):
        files = pipeline.generate(spec, "spec.wrapper_spec", (tier,)).files
        assert {path: whole[path] for path in files} == files
        modules = {path.name for path in files if path.parts[1] == names.RUNTIME}
        assert modules == [set(), {HEADERS}, {"__init__.py", "build.py"}, {HEADERS, "__init__.py", "cffi.py"}][tier]
