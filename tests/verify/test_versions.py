"""A library of another version than the spec was written for: `verify` says which entries that hits."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.verify.lies import told
from wrapper_gen.verify import lock_path

VERSIONS = {
    "an argument after a string": (
        "tapes",
        "tape_append_labelled(tape *of, const char *label, const void *data",
        "tape_append_labelled(tape *of, const char *label, int kind, const void *data",
        ["WG330"],
        {"Tape.append_labelled"},
    ),
    "an argument that has another type of the same size": (
        "tapes",
        "tape_status tape_append(tape *of, const void *data, size_t length);",
        "tape_status tape_append(tape *of, const void *data, int64_t length);",
        ["WG330"],
        {"Tape.append"},
    ),
    "an enum value that moved": (
        "tapes",
        "typedef enum { TAPE_READ = 1, TAPE_WRITE = 2, TAPE_APPEND = 4 } tape_mode;",
        "typedef enum { TAPE_READ = 1, TAPE_WRITE = 4, TAPE_APPEND = 2 } tape_mode;",
        ["WG330", "WG330"],
        {"Mode"},
    ),
    "a constant of another value": ("tapes", "TAPE_VERSION 3", "TAPE_VERSION 4", ["WG330"], {"VERSION"}),
    "a field that grew into padding": (
        "pixels",
        "uint8_t depth;",
        "uint16_t depth;",
        ["WG330", "WG332"],
        {"Info", "Info.depth"},
    ),
    "a field that moved": (
        "pixels",
        "float gamma;\n    px_size size;",
        "px_size size;\n    float gamma;",
        ["WG330", "WG330"],
        {"Info"},
    ),
    "a function that is gone": ("tapes", "int64_t tape_size(const tape *of);", "", ["WG330"], {"Tape.size"}),
    "a member that is gone": ("graphs", "std::size_t size() const;", "", ["WG330"], {"Graph.__len__"}),
    "a member of another signature": (
        "graphs",
        "Graph *clone() const;",
        "Graph *clone(int depth = 1) const;",
        ["WG330", "WG331"],
        {"Graph.clone"},
    ),
}


@pytest.fixture(scope="module")
def locks(compiled_libraries: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lock for each of the libraries."""
    folder = tmp_path_factory.mktemp("locks")
    for spec in compiled_libraries.glob("*.wrapper_spec"):
        assert told(spec, "--write-lock", "--lock", str(folder / lock_path(spec).name))[0] == 0
    return folder


def hit(spec: Path) -> tuple[int, list[str], set[str]]:
    """The exit code, and the codes and entries of what is found."""
    code, said = told(spec, "--format", "json")
    found = json.loads(said[said.index('{\n  "diagnostics"') :])["diagnostics"]
    errors = [each for each in found if each["severity"] == "error"]
    return code, [each["code"] for each in errors], {each["message"].partition(":")[0] for each in errors}


@pytest.mark.quick(1)
@pytest.mark.parametrize("name", VERSIONS)
def test_what_a_new_header_changes_is_told_at_the_entries(name: str, libraries: Path, locks: Path) -> None:
    library, was, now, codes, entries = VERSIONS[name]
    spec = libraries / f"{library}.wrapper_spec"
    shutil.copy(locks / lock_path(spec).name, libraries)
    header = next(libraries.glob(f"{library}.h*"))
    text = header.read_text(encoding="utf-8")
    assert text.count(was) == 1
    header.write_text(text.replace(was, now), encoding="utf-8")
    assert hit(spec) == (1, codes, entries)


def test_what_has_not_changed_holds(libraries: Path, locks: Path) -> None:
    shutil.copy(locks / "tapes.import.lock", libraries)
    code, said = told(libraries / "tapes.wrapper_spec")
    assert code == 0
    assert "compared with tapes.import.lock" in said


def test_a_symbol_that_is_gone(libraries: Path) -> None:
    source = (libraries / "tapes.c").read_text(encoding="utf-8").replace("double tape_weigh(", "double weigh(")
    (libraries / "tapes.c").write_text(source, encoding="utf-8")
    subprocess.run(["cc", "-shared", "-fPIC", "-w", "-o", "libtapes.so", "tapes.c"], cwd=libraries, check=True)
    assert hit(libraries / "tapes.wrapper_spec") == (1, ["WG331"], {"weigh"})


TURNED = """
namespace turns {{
struct Line {{ enum mask {{ NONE = 0, LATITUDE = 128 }}; enum zone {{ STANDARD = {standard} }};
               int turn(double by, int zone = {zone}, int from = STANDARD) const {{ return zone; }} }};
struct Sign {{ enum flag {{ NONE = 0, LATITUDE = {latitude} }}; }};
}}
"""
TURNING = """
wrapper_lib: {name: turns, cpp_include: turns.hpp, requires: [{dirs: [.]}]}
enums:
  - {name: Mask, cpp_type: "turns::Line::mask", values: {NO: "turns::Line::NONE", LATITUDE: "turns::Line::LATITUDE"}}
  - {name: Flag, cpp_type: "turns::Sign::flag", prefix: "turns::Sign::", values: [NONE, LATITUDE]}
handle_types:
  - {name: Line, cpp_type: "turns::Line", methods: [{def: "turn(by: f64, zone: i32 = -1) -> i32"}]}
"""


def test_a_value_that_another_class_has_too_and_a_default(tmp_path: Path) -> None:
    """Only the enum of the class that the spec names has changed; C++ has another default, by itself or by a name."""
    header, spec = tmp_path / "turns.hpp", tmp_path / "turns.wrapper_spec"
    spec.write_text(TURNING, encoding="utf-8")
    header.write_text(TURNED.format(standard=-1, zone=-1, latitude=1), encoding="utf-8")
    assert told(spec, "--write-lock")[0] == 0
    header.write_text(TURNED.format(standard=-4, zone=-2, latitude=5), encoding="utf-8")
    said = told(spec)[1]
    assert [each.partition(": error: ")[2] for each in said.splitlines() if "[WG" in each] == [
        "Flag: turns::Sign::flag::LATITUDE is declared as 5; it was 1 [WG330]",
        "Line.turn: the default of turns::Line::turn(from) is written as STANDARD, which is -4; "
        "it was STANDARD, which is -1 [WG330]",
        "Line.turn: the default of turns::Line::turn(zone) is written as -2; it was -1 [WG330]",
    ]
