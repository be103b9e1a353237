"""`verify`: its page, its data, and what it says of bad input."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from click.testing import CliRunner, Result

from tests.verify.lies import ROOT, Verdict, lines_of, listed, told, verdicts
from wrapper_gen.cli import main
from wrapper_gen.headers import Headers
from wrapper_gen.headers.lock import loads, parts_of
from wrapper_gen.model import Module
from wrapper_gen.verify.checks.enums import of_enums

SPECS = [*(ROOT / "examples" / "libraries").glob("*/*.wrapper_spec"), *(ROOT / "specs").glob("*.wrapper_spec")]


def verify(spec: Path, *options: str) -> Result:
    return CliRunner().invoke(main, ["verify", str(spec), *options])


def test_the_page_says_what_is_proven(libraries: Path) -> None:
    done = verify(libraries / "tapes.wrapper_spec")
    assert (done.exit_code, done.stderr) == (0, "")
    page = done.stdout
    assert "proven by the compiler: 27 signatures, 4 fields, 6 enum values, 1 constant" in page
    assert "proven by the linker:   27 symbols of libtapes" in page
    assert "50: Tape.on_change: `changed` is called so long: object" in page
    assert "27 of 27 functions of the headers, 100 %" in page


def test_a_count_that_nothing_looks_at(libraries: Path) -> None:
    spec = libraries / "pixels.wrapper_spec"
    spec.write_text(spec.read_text(encoding="utf-8").replace("length: value, ", "", 1), encoding="utf-8")
    done = verify(spec)
    assert "warning: Image.encode: nothing looks at how much of the buffer is filled: its comment says" in done.stderr
    assert "hint: say `length: value`; pixels.h:" in done.stderr


def test_an_object_that_a_call_frees_by_its_comment(tmp_path: Path) -> None:
    header = (
        "typedef struct txn txn;\ntxn *txn_new(void);\n\n/** Ends it. The transaction handle is freed. */\n"
        "int txn_commit(txn *t);\n\n/** Joins both. The handle `t` stays. The other is then freed. */\n"
        "int txn_join(txn *t, txn *other);\nvoid txn_free(txn *t);\n"
    )
    (tmp_path / "kv.h").write_text(header, encoding="utf-8")
    spec = tmp_path / "kv.wrapper_spec"
    lines = (
        "wrapper_lib: {name: kv, lang: c, cpp_include: [kv.h], requires: [{dirs: [.]}], prefix: txn_}",
        "handle_types:",
        "  - name: Txn",
        "    cpp_type: txn *",
        "    release: txn_free",
        "    methods:",
        "      - {def: Txn(), cpp: txn_new}",
        "      - {def: commit() -> i32}",
        '      - {def: "join(other: Txn) -> i32"}',
    )
    spec.write_text("\n".join(lines) + "\n", encoding="utf-8")
    said = verify(spec).stderr
    assert "Txn.commit: its object stays open, and the comment says that the call frees it [WG332]" in said
    assert "Txn.join: `other` stays open, and the comment says that the call frees it [WG332]" in said
    assert "hint: say `takes: self`; kv.h:5: int txn_commit(" in said
    right = "\n".join(lines).replace("commit() -> i32", "commit() -> i32, takes: self")
    spec.write_text(right.replace('-> i32"', '-> i32", takes: other') + "\n", encoding="utf-8")
    assert "WG332" not in verify(spec).stderr


@pytest.mark.parametrize("is_enum", [True, False], ids=["enum", "macros"])
@pytest.mark.parametrize("name", ["MapFull", "MapFullError"])
def test_an_exception_for_a_status_that_shares_a_word_with_its_own(name: str, is_enum: bool, tmp_path: Path) -> None:
    names = ("KV_OK", "KV_MAP_FULL", "KV_DBS_FULL")
    macros = "".join(f"#define {each} {at}\n" for at, each in enumerate(names))
    type_ = "kv_status" if is_enum else "int"
    header = f"typedef enum {{ {', '.join(names)} }} kv_status;\n" if is_enum else macros
    (tmp_path / "kv.h").write_text(f"{header}{type_} kv_put(int a);\n", encoding="utf-8")
    spec = tmp_path / "kv.wrapper_spec"
    lines = (
        "wrapper_lib: {name: kv, lang: c, cpp_include: [kv.h], requires: [{dirs: [.]}], prefix: kv_}",
        "errors:",
        f"  - {{name: KvError, cpp_type: {type_}, ok: [KV_OK], exceptions: [{{name: {name}, when: KV_DBS_FULL}}]}}",
        "functions:",
        '  - {def: "put(a: i32)", raises: KvError}',
    )
    spec.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert f"warning: {name}: it is raised for KV_DBS_FULL, and C has KV_MAP_FULL [WG332]" in verify(spec).stderr
    spec.write_text("\n".join(lines).replace("KV_DBS_FULL", "KV_MAP_FULL") + "\n", encoding="utf-8")
    assert "WG332" not in verify(spec).stderr


def test_data_tells_where_each_fact_is_used(libraries: Path) -> None:
    done = verify(libraries / "tapes.wrapper_spec", "--format", "json")
    data = json.loads(done.stdout)
    assert data["holds"] is True
    (fact,) = [each for each in data["proven"] if each["name"] == "tape_append"]
    assert fact["is"] == "tape_status (struct tape *, const void *, unsigned long)"
    assert fact["header"].startswith("tapes.h:")
    assert fact["entries"] == ["Tape.append"]


@pytest.mark.slow
def test_a_lock_has_no_paths_of_this_machine(libraries: Path) -> None:
    spec = libraries / "graphs.wrapper_spec"
    assert verify(spec, "--write-lock").exit_code == 0
    text = (libraries / "graphs.import.lock").read_text(encoding="utf-8")
    assert str(libraries) not in text
    assert loads(text, "x").source.headers == ("graphs.hpp",)
    assert "compared with graphs.import.lock" in verify(spec).stdout


def test_sarif_has_the_places(libraries: Path) -> None:
    spec = libraries / "tapes.wrapper_spec"
    spec.write_text(spec.read_text(encoding="utf-8").replace("count -> u32", "count -> i32"), encoding="utf-8")
    done = verify(spec, "--format", "sarif", "--strict")
    (result,) = json.loads(done.stderr)["runs"][0]["results"]
    assert done.exit_code == 1
    assert (result["ruleId"], result["level"]) == ("WG332", "error")
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == 40


@pytest.mark.parametrize(
    ("lock", "says"),
    [
        ("{", "is no JSON"),
        ("{}", "is not one of ours"),
        ('{"lock": 99, "source": {"headers": ["tapes.h"]}, "declarations": []}', "is of version 99"),
    ],
)
def test_a_lock_that_cannot_be_used(libraries: Path, lock: str, says: str) -> None:
    (libraries / "tapes.import.lock").write_text(lock, encoding="utf-8")
    done = verify(libraries / "tapes.wrapper_spec")
    assert done.exit_code == 3
    assert says in done.stderr and "[WG303]" in done.stderr


def test_a_lock_that_is_not_there(libraries: Path) -> None:
    done = verify(libraries / "tapes.wrapper_spec", "--lock", str(libraries / "other.lock"))
    assert done.exit_code == 3
    assert "the lock cannot be read" in done.stderr
    header = libraries / "tapes.h"
    done = verify(libraries / "tapes.wrapper_spec", "--lock", str(header))
    assert f"{header}:1:1: error: the lock is no JSON" in done.stderr
    assert "delete it" not in done.stderr  # it is no lock, but what somebody needs


def test_tests_that_cannot_be_written(libraries: Path) -> None:
    done = verify(libraries / "tapes.wrapper_spec", "--tests", str(libraries / "nowhere" / "test_tapes.py"))
    assert (done.exit_code, "[WG051]" in done.stderr) == (3, True)


@pytest.mark.parametrize("content", ["no library", b"\x7fELF\x02\x02\x01" + bytes(57)])
def test_a_library_that_is_none(libraries: Path, content: str | bytes) -> None:
    """Text, or of another architecture."""
    data = content if isinstance(content, bytes) else content.encode()
    (libraries / "libtapes.so").write_bytes(data)
    done = verify(libraries / "tapes.wrapper_spec")
    assert done.exit_code == 4
    assert "tapes.wrapper_spec:5:9: error: library tapes was not found" in done.stderr


def test_a_library_that_exports_nothing(libraries: Path) -> None:
    (libraries / "libtapes.so").write_bytes(b"")  # which linkers take for a script
    done = verify(libraries / "tapes.wrapper_spec")
    assert done.exit_code == 0
    assert "proven by the linker:   libtapes.so" in done.stdout


def test_a_library_that_is_not_there(libraries: Path) -> None:
    (libraries / "libtapes.so").unlink()
    assert verify(libraries / "tapes.wrapper_spec").exit_code == 4


@pytest.mark.slow
def test_a_stripped_library_still_exports(libraries: Path) -> None:
    if not shutil.which("strip"):
        pytest.skip("there is no strip")
    import subprocess

    subprocess.run(["strip", "libtapes.so"], cwd=libraries, check=True)
    assert "27 symbols of libtapes" in verify(libraries / "tapes.wrapper_spec").stdout


@pytest.mark.slow
def test_a_header_that_does_not_parse(libraries: Path) -> None:
    header = libraries / "tapes.h"
    header.write_text(header.read_text(encoding="utf-8").replace("typedef struct tape tape;", ""), encoding="utf-8")
    done = verify(libraries / "tapes.wrapper_spec")
    assert done.exit_code in (3, 4)
    assert "tapes.h:" in done.stderr


def test_a_spec_that_the_compiler_refuses(libraries: Path) -> None:
    spec = libraries / "tapes.wrapper_spec"
    spec.write_text(spec.read_text(encoding="utf-8").replace('"count -> u32"', '"count -> [text]"'), encoding="utf-8")
    done = verify(spec)
    assert done.exit_code == 4
    assert "tapes.wrapper_spec:40:" in done.stderr


def test_signatures_are_taken_apart() -> None:
    assert parts_of("void (*)(int) (char, void (*)(int))") == ("void (*)(int)", ["char", "void (*)(int)"], False)
    assert parts_of("static int ()") == ("int", [], False)
    assert parts_of("const std::map<int, int> & (int, ...) const") == (
        "const std::map<int, int> &",
        ["int", "..."],
        True,
    )


@pytest.mark.quick(0, slow=1)
@pytest.mark.parametrize(
    ("which", "least"), [("seen", 95), ("second", 90), ("third", 85), ("fourth", 85), ("fifth", 95), ("sixth", 85)]
)
def test_seeded_lies_are_found(which: str, least: int, libraries: Path) -> None:
    found: list[Verdict] = list(verdicts(listed(which), libraries))
    elsewhere = [each for each in found if each.code and not each.is_caught]
    assert not elsewhere, [(each.lie, sorted(each.lines), each.told_at) for each in elsewhere]
    caught = sum(each.is_caught for each in found)
    assert 100 * caught >= least * len(found), [each.lie for each in found if not each.is_caught]


def test_a_lie_is_found_at_its_line(libraries: Path) -> None:
    """One of each list: the lines that are counted as its own are those of its entry, and no others."""
    lies = [listed(which)[0] for which in ("seen", "second", "fifth")]
    for each in verdicts(lies, libraries):
        assert each.is_caught, each
        assert replace(each, lines=frozenset({1})).is_caught is False


@pytest.mark.parametrize(
    ("right", "wrong", "lines"),
    [
        ("    belongs_to: B\n", "", {3, 4, 5, 6, 9}),
        ("take()", "give()", {7}),
        ("first: i32", "first: i64", {9}),
        ("name: lib", "name: other", {1}),
    ],
)
def test_the_lines_of_a_lie(right: str, wrong: str, lines: set[int]) -> None:
    text = (
        "wrapper_lib: {name: lib}\nhandle_types:\n  - name: A\n    cpp_type: a\n    belongs_to: B\n    methods:\n"
        '      - {def: "take()"}\nfunctions:\n  - {def: "first: i32"}\n  - {def: "make() -> A"}\n'
    )
    found = lines_of(text.replace(right, wrong), text.index(right), wrong)
    assert found == lines


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ({"FRAME": "LIB_frame", "SKIPPABLE": "LIB_skippableFrame"}, []),
        ({"FRAME": "LIB_skippableFrame", "SKIPPABLE": "LIB_frame"}, ["SKIPPABLE is LIB_frame"]),
        ({"START": "SEEK_SET", "CURRENT": "SEEK_CUR", "END": "SEEK_END"}, []),
        ({"START": "SEEK_CUR", "CURRENT": "SEEK_SET", "END": "SEEK_END"}, ["START is SEEK_CUR"]),
        ({"NONE": "kNoCompression", "SNAPPY": "kSnappyCompression"}, []),
        ({"NONE": "kSnappyCompression", "SNAPPY": "kNoCompression"}, ["NONE is kSnappyCompression"]),
        ({"BREADTH_FIRST": "BreadthFirst", "DEPTH_FIRST": "DepthFirst"}, []),
        ({"BREADTH_FIRST": "DepthFirst", "DEPTH_FIRST": "BreadthFirst"}, ["BREADTH_FIRST is D", "DEPTH_FIRST is B"]),
        ({"RGB": "PX_RGB", "RGBA": "PX_RGBA"}, []),
        ({"RGB": "PX_RGBA", "RGBA": "PX_RGB"}, ["RGB is PX_RGBA", "RGBA is PX_RGB"]),
        ({"TWO": "LIB_ONE", "ONE": "LIB_ONE"}, ["TWO is LIB_ONE"]),
        ({"RED": "LIB_RED", "DARK_RED": "LIB_DARK_RED", "RED_2": "LIB_OTHER"}, []),
        ({"READ": "LIB_READ", "WRITE": "LIB_FAILED"}, ["WRITE is LIB_FAILED, and C has LIB_WRITE"]),
        ({"READ": "LIB_READ", "STORE": "LIB_WRITE"}, []),
    ],
)
def test_values_of_an_enum_under_the_name_of_another(values: dict[str, str], found: list[str]) -> None:
    members = [SimpleNamespace(name=name, cpp=cpp, span=("lib.wrapper_spec", 1, 1)) for name, cpp in values.items()]
    module = SimpleNamespace(enums=[SimpleNamespace(name="Kind", members=members)])
    headers = SimpleNamespace(constants=dict.fromkeys(["LIB_READ", "LIB_WRITE", "LIB_FAILED"]), enums={})
    said = [each.what for each in of_enums(cast(Module, module), cast(Headers, headers))]
    assert len(said) == len(found), said
    assert all(each.startswith(start) for each, start in zip(said, found, strict=True)), said


@pytest.mark.quick(1, slow=4)
@pytest.mark.parametrize("spec", SPECS, ids=lambda each: each.stem)
def test_no_false_alarm_on_the_specs_of_the_project(spec: Path) -> None:
    code, said = told(spec)
    if "[WG062]" in said:
        pytest.skip("the library is not here")
    assert (code, "[WG" in said) == (0, False), said


def test_text_that_may_be_ours_to_free(tmp_path: Path) -> None:
    """C hands over what may be changed; where it keeps that, the spec says so."""
    give = '#include <string.h>\nstatic inline char *lib_give(void) { return strdup("a"); }\n'
    (tmp_path / "lib.h").write_text(give, encoding="utf-8")
    spec = tmp_path / "lib.wrapper_spec"
    for release, is_told in (("", True), (", release: nothing", False), (", release: free", False)):
        spec.write_text(
            "wrapper_lib: {name: lib, lang: c, cpp_include: [lib.h, stdlib.h], prefix: lib_, requires: [{dirs: [.]}]}\n"
            f'functions:\n  - {{def: "give() -> text"{release}}}\n',
            encoding="utf-8",
        )
        assert ("who releases what it returns, char *" in verify(spec).stderr) == is_told, release


def test_names_that_end_in_a_number_and_constructors(tmp_path: Path) -> None:
    """`lat1` is not `lon1`, though both end in 1, and `azi1` not `azi2`; a constructor is called, too."""
    declared = "Line(double lat1, double lon1); Line(const Line &); void turn(double azi1, double azi2, double lat1);"
    (tmp_path / "lib.hpp").write_text(f"namespace lib {{ struct Line {{ {declared} }}; }}\n", encoding="utf-8")
    spec = tmp_path / "lib.wrapper_spec"
    for made, turned, found in (
        ("lat_1: f64, lon_1: f64", "azi: f64, azi_2: f64, other1: f64", []),
        ("lon1: f64, lat1: f64", "azi2: f64, azi1: f64, lat1: f64", ["lat1", "lon1", "azi1", "azi2"]),
    ):
        methods = f'      - {{def: "Line({made})"}}\n      - {{def: "turn({turned})"}}\n'
        library = "wrapper_lib: {name: lib, cpp_include: lib.hpp, requires: [{dirs: [.]}]}\n"
        spec.write_text(f"{library}handle_types:\n  - name: Line\n    cpp_type: lib::Line\n    methods:\n{methods}")
        said = re.findall(r"warning: Line[.a-z]*: `(\w+)` stands where C has .* \[WG332\]", verify(spec).stderr)
        assert said == found, (made, turned)


def test_what_is_taken_by_a_reference_to_const(tmp_path: Path) -> None:
    """C++ can only look at it, or keep a reference to what Python has destroyed then."""
    declared = "struct Earth {}; struct Line { Line(const Earth &earth); void own(Earth earth); };"
    (tmp_path / "lib.hpp").write_text(f"namespace lib {{ {declared} }}\n", encoding="utf-8")
    spec = tmp_path / "lib.wrapper_spec"
    spec.write_text(
        "wrapper_lib: {name: lib, cpp_include: lib.hpp, requires: [{dirs: [.]}]}\nhandle_types:\n"
        '  - {name: Earth, cpp_type: "lib::Earth", methods: [{def: "Earth()"}]}\n'
        '  - name: Line\n    cpp_type: "lib::Line"\n    methods:\n'
        '      - {def: "Line(earth: Earth)", takes: earth}\n      - {def: "own(earth: Earth)", takes: earth}\n',
        encoding="utf-8",
    )
    said = [each for each in verify(spec).stderr.splitlines() if "[WG" in each]
    assert len(said) == 1 and ": warning: Line: it takes `earth`, and C++ has const Earth &, which " in said[0], said


def test_a_number_of_which_a_comment_says_the_contrary(tmp_path: Path) -> None:
    comments = (
        (
            "Returns 1 on success, 0 on failure.",
            "Zero",
            "`ok` counts 1 as an error, and the comment says '1 on success'",
        ),
        ("Returns 1 on success, 0 on failure.", "One", ""),
        ("Gives 0 if the disk failed.", "Zero", "`ok` counts 0 as fine, and the comment says '0 if the disk failed'"),
        ("Gives 0 for no error, -1 if it fails.", "Zero", ""),
        ("Puts one of 1 or more.", "Zero", ""),
    )
    header, entries = "", ""
    for at, (comment, error, _) in enumerate(comments):
        header += f"/** {comment} */\nstatic inline int lib_put{at}(int at) {{ return at; }}\n\n"
        entries += f'  - {{def: "put{at}(at: i32)", raises: {error}}}\n'
    (tmp_path / "lib.h").write_text(header, encoding="utf-8")
    spec = tmp_path / "lib.wrapper_spec"
    spec.write_text(
        "wrapper_lib: {name: lib, lang: c, cpp_include: [lib.h], prefix: lib_, requires: [{dirs: [.]}]}\n"
        "errors:\n  - {name: Zero, cpp_type: int, ok: [0]}\n  - {name: One, cpp_type: int, ok: [1]}\n"
        f"functions:\n{entries}",
        encoding="utf-8",
    )
    lines = [line for line in verify(spec).stderr.splitlines() if "`ok` counts" in line]
    wanted = [f"put{at}: {told}" for at, (*_, told) in enumerate(comments) if told]
    assert len(lines) == len(wanted)
    assert all(each in line for each, line in zip(wanted, lines, strict=True)), lines
