"""A second `wrapper-gen import`: what a person has written stays; what is new, changed or gone is marked."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
import yaml

from tests.unit.test_imports import importing, run, spec
from wrapper_gen import pipeline
from wrapper_gen.drafts import imported
from wrapper_gen.drafts.spec_entries import spec_entries
from wrapper_gen.headers import compilers
from wrapper_gen.spec import read_document

pytest.importorskip("clang.cindex")

HEADER = """\
typedef struct demo_thing demo_thing;
enum demo_mode { DEMO_FAST, DEMO_SLOW };
enum { DEMO_OK = 0, DEMO_FAILED = 1 };
/** Opens one. Returns DEMO_OK or an error code. */
int demo_open(const char *path, demo_thing **out);
void demo_close(demo_thing *t);
long demo_size(demo_thing *t);
/** Puts something. Returns DEMO_OK or an error code. */
int demo_put(demo_thing *t, const void *data, int data_len);
/** Sets it. Returns DEMO_OK or an error code. */
int demo_set(demo_thing *t, enum demo_mode mode);
int demo_last(void);
"""
NEXT = (
    HEADER.replace("long demo_size(demo_thing *t);", "double demo_size(demo_thing *t);")
    .replace("int data_len);", "int data_len, int level);")
    .replace("enum demo_mode mode);", "enum demo_mode mode, int now);")
    .replace("int demo_last(void);", "const char *demo_name(demo_thing *t);\nvoid demo_other(int x, int y);")
    .replace("DEMO_SLOW }", "DEMO_SLOW, DEMO_LAZY }")
)


def edit(tmp_path: Path, *pairs: tuple[str, str]) -> str:
    """The draft with texts replaced, each of which is there."""
    path = tmp_path / "demo.wrapper_spec"
    text = path.read_text(encoding="utf-8")
    for old, new in pairs:
        assert old in text, (old, text)
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")
    return text


def test_nothing_changes_where_nothing_has(tmp_path: Path) -> None:
    importing(tmp_path, HEADER)
    text = edit(tmp_path, ("handle_types:", "# by hand\nhandle_types:"), ("put(data: bytes)", "put(content: bytes)"))
    text = edit(tmp_path, ("demo_put(self, data, data.size())", "demo_put(self, content, content.size())"))
    outcome = importing(tmp_path, HEADER)
    assert spec(tmp_path) == text
    assert outcome.changes == []


def test_a_draft_that_nobody_has_touched_is_written_anew(tmp_path: Path) -> None:
    importing(tmp_path, HEADER)
    outcome = importing(tmp_path, NEXT)
    assert "# CHECK" not in spec(tmp_path)
    assert "name() -> text?" in spec(tmp_path)
    assert {each.what for each in outcome.changes} == {"new", "changed", "gone"}


def test_new_changed_and_gone_are_marked(tmp_path: Path) -> None:
    importing(tmp_path, HEADER)
    edit(
        tmp_path,
        ("wrapper_lib:", "# my notes\nwrapper_lib:"),
        ("      - {def: size() -> i64}\n", "      - {def: size() -> i64, doc: Mine.}   # and this\n"),
    )
    importing(tmp_path, NEXT)
    lines = [line.strip() for line in spec(tmp_path).splitlines()]
    assert lines[1] == "# my notes"
    at = next(at for at, line in enumerate(lines) if "doc: Mine." in line)
    assert lines[at] == "- {def: size() -> i64, doc: Mine.}   # and this"
    assert lines[at - 1].startswith("# CHECK demo_size (demo.h:7): it was long (struct demo_thing *); it is double")
    assert "a draft says: - {def: size() -> f64}" in lines[at - 1]
    at = next(at for at, line in enumerate(lines) if "put(data: bytes, level: i32)" in line)
    assert lines[at - 1].startswith("# CHECK demo_put")  # replaced: it was as it was written
    at = next(at for at, line in enumerate(lines) if "last() -> i32" in line)
    assert lines[at - 1].startswith("# GONE demo_last")
    at = next(at for at, line in enumerate(lines) if "name() -> text?" in line)
    assert lines[at - 1] == "# NEW demo_name (demo.h:12)"
    assert any(line.startswith("# CHECK demo_mode") for line in lines)
    text = spec(tmp_path)
    importing(tmp_path, NEXT)
    assert spec(tmp_path) == text  # what is marked is marked once
    pipeline.read(tmp_path / "demo.wrapper_spec", "demo.wrapper_spec")


@pytest.mark.parametrize("is_touched", [False, True])
def test_parameters_that_change_places_are_marked(tmp_path: Path, is_touched: bool) -> None:
    before = HEADER + "void demo_pad(demo_thing *t, int left, int right);\n"
    after = before.replace("int left, int right", "int right, int left")
    importing(tmp_path, before)
    if is_touched:
        edit(tmp_path, ("wrapper_lib:", "# mine\nwrapper_lib:"))
    renamed = importing(tmp_path, before.replace("int left", "int start"))
    assert not any("places" in each.done for each in renamed.changes)  # another name alone
    importing(tmp_path, before)
    result = run("--lib", "demo", "-o", str(tmp_path), "--check")
    assert "parameters have changed places" not in result.output
    (tmp_path / "demo.h").write_text(after, encoding="utf-8")
    result = run("--lib", "demo", "-o", str(tmp_path), "--check")
    assert result.exit_code == 1
    assert "changed: demo_pad: " in result.output
    importing(tmp_path, after)
    lines = spec(tmp_path).splitlines()
    (at,) = (at for at, line in enumerate(lines) if "# CHECK demo_pad" in line)
    assert "parameters have changed places; it was void demo_pad(demo_thing *t, int left, int right" in lines[at]
    importing(tmp_path, after)
    assert lines == spec(tmp_path).splitlines()  # until a person deletes it


def test_a_long_enum_is_told_by_what_is_another(tmp_path: Path) -> None:
    header = HEADER.replace("DEMO_SLOW }", ", ".join(["DEMO_SLOW", *(f"DEMO_MODE_{n}" for n in range(99))]) + " }")
    importing(tmp_path, header)
    edit(tmp_path, ("wrapper_lib:", "# mine\nwrapper_lib:"), ("cpp_type: demo_mode", "cpp_type: enum demo_mode"))
    importing(tmp_path, header.replace("DEMO_MODE_98", "DEMO_MODE_98 = 500, DEMO_MODE_99"))
    (line,) = (line for line in spec(tmp_path).splitlines() if "# CHECK demo_mode" in line)
    assert "it was DEMO_MODE_98 = 100; it is DEMO_MODE_98 = 500, DEMO_MODE_99 = 501" in line
    assert len(line) < 600


def test_entries_are_found_by_what_c_calls_them(tmp_path: Path) -> None:
    importing(tmp_path, HEADER)
    edit(
        tmp_path,
        ("      - {def: size() -> i64}\n", ""),
        ("    prefix: demo_\n    methods:", "    prefix: demo_\n    fields: {size: i64}\n    methods:"),
        ('def: "set(mode: Mode)"', 'def: "switch(to: Mode)", cpp: demo_set'),
    )
    importing(tmp_path, NEXT)
    lines = [line.strip() for line in spec(tmp_path).splitlines()]
    assert lines[next(at for at, line in enumerate(lines) if line == "fields: {size: i64}") - 1].startswith(
        "# CHECK demo_size"
    )
    assert lines[next(at for at, line in enumerate(lines) if "switch(to: Mode)" in line) - 1].startswith(
        "# CHECK demo_set"
    )
    assert not any(line.startswith("- {def: size()") for line in lines)


BY_HAND = """\
# Written by hand, before there was an import.
wrapper_lib: {name: demo, lang: c, cpp_include: demo.h, prefix: demo_, raises: Failed}
errors: [{name: Failed, cpp_type: int, ok: [DEMO_OK]}]
enums:
- {name: Mode, cpp_type: demo_mode, prefix: DEMO_, values: [FAST, SLOW]}

handle_types:
- name: Thing
  cpp_type: demo_thing *
  release: demo_close
  methods:
  - def: 'Thing(path: path)'
    cpp: demo_open(path, &self)
  - for: {F: [put]}
    def: "$F(data: bytes)"
  - {def: "set_now(mode: Mode)", cpp: demo_set}
"""


def test_a_spec_that_no_import_wrote_is_kept_and_then_followed(tmp_path: Path) -> None:
    path = tmp_path / "demo.wrapper_spec"
    path.write_text(BY_HAND, encoding="utf-8")
    outcome = importing(tmp_path, HEADER)
    assert spec(tmp_path) == BY_HAND
    assert outcome.changes == []
    importing(tmp_path, NEXT)
    text = spec(tmp_path)
    assert text.startswith("# Written by hand, before there was an import.\n")
    assert "  # CHECK demo_set (demo.h:11)" in text
    assert "  # CHECK demo_put (demo.h:9)" in text
    assert '  # NEW demo_name (demo.h:12)\n  - {def: "name() -> text?"}' in text
    assert "functions:\n  # NEW demo_other (demo.h:13)" in text
    pipeline.read(path, "demo.wrapper_spec")


def test_answers_change_what_is_as_it_was_written(tmp_path: Path) -> None:
    header = HEADER + "char *demo_dump(demo_thing *t);\n"
    importing(tmp_path, header)
    edit(tmp_path, ("wrapper_lib:", "# mine\nwrapper_lib:"))
    answers = (tmp_path / "demo.import").read_text(encoding="utf-8")
    answers = answers.replace('char *: "?"', "char *: {release: free, of: [demo_dump]}")
    importing(tmp_path, header, answers)
    assert "# NEW demo_dump (demo.h:13)" in spec(tmp_path)
    assert "release: free" in spec(tmp_path)


def test_check_finds_new_declarations(tmp_path: Path) -> None:
    importing(tmp_path, HEADER)
    assert run("--lib", "demo", "-o", str(tmp_path), "--check").exit_code == 0
    (tmp_path / "demo.h").write_text(NEXT, encoding="utf-8")
    before = spec(tmp_path)
    result = run("--lib", "demo", "-o", str(tmp_path), "--check")
    assert result.exit_code == 1
    assert "new: demo_name" in result.stdout
    assert spec(tmp_path) == before


def test_check_finds_other_defaults_and_another_order_of_names(tmp_path: Path) -> None:
    header = (
        "namespace demo { int at(double lat, double lon, int zone = -1, int n = 2); int other(int a, int b = 3); }\n"
    )
    importing(tmp_path, header, lang="cpp", link=["c"])
    edit(tmp_path, ("at(lat: f64, lon: f64, zone: i32 = -1", "at(lat: f64, lon: f64, zone: i32 = -5"))
    changed = header.replace("lat, double lon", "lon, double lat").replace("b = 3", "b = 4")
    outcome = importing(tmp_path, changed, lang="cpp", link=["c"])
    told = {each.name: each.what for each in outcome.changes}
    assert told == {"demo::at": "changed", "demo::other": "changed"}
    moved = (
        "# CHECK demo::at (demo.hpp:1): parameters have changed places; it was int demo::at(double lat, double lon, "
    )
    assert moved in spec(tmp_path)
    assert '# CHECK demo::other (demo.hpp:1): it was b = 3; it is b = 4\n  - {def: "other(a: i32, b: i32 = 4)' in spec(
        tmp_path
    )
    renamed = changed.replace("lon, double lat", "first, double second").replace("int b = 4", "int b")
    again = importing(tmp_path, renamed, lang="cpp", link=["c"])
    assert [each.name for each in again.changes] == ["demo::other"]  # names that are just others are not told
    assert "it was b = 4; it is without defaults" in spec(tmp_path)


LAYOUTS = (
    ("    methods:\n", "    methods:   # all of them\n\n"),
    ("handle_types:", "\n\nhandle_types:  # classes"),
    ("functions:\n", "functions:\n  # none of these\n"),
    (
        "      - {def: size() -> i64}",
        "      - def: size() -> i64\n        # its bytes\n        doc: |\n          Bytes\n          of it.",
    ),
    ("release: demo_close", "release: demo_close   # once"),
    ("raises: DemoError", "raises:   DemoError"),
)


@pytest.mark.parametrize("seed", range(8))
def test_any_layout_is_kept(tmp_path: Path, seed: int) -> None:
    importing(tmp_path, HEADER)
    chosen = random.Random(seed).sample(LAYOUTS, 3)
    text = edit(tmp_path, *chosen)
    importing(tmp_path, HEADER)
    assert spec(tmp_path) == text
    importing(tmp_path, NEXT)
    marked = spec(tmp_path)
    kept = [line for line in marked.splitlines() if line in text.splitlines()]
    lost = [line for line in text.splitlines() if line not in marked.splitlines()]
    assert len(kept) >= len(text.splitlines()) - 8, lost  # the entries that were replaced
    pipeline.read(tmp_path / "demo.wrapper_spec", "demo.wrapper_spec")


HEAD = """\
wrapper_lib: {name: demo, lang: c, cpp_include: demo.h, prefix: demo_, raises: DemoError}
errors: [{name: DemoError, cpp_type: int, ok: [DEMO_OK]}]
handle_types:
  - name: Thing
    cpp_type: demo_thing *
    release: demo_close
"""
OF_NOTHING = (
    ("    methods: []   # none yet\n", "functions: []\n", "    methods:  # none yet\n      # NEW demo_put"),
    ("    methods:\n", "functions:\n", "    methods:\n      # NEW demo_put"),
    ('    "methods": ~\n', "", '    "methods":\n      # NEW demo_put'),
    ("", "...\n", "    methods:\n      # NEW demo_put"),
    ("    methods: []\n", "functions: [\n  ]\n", ""),
)


@pytest.mark.parametrize(("methods", "functions", "added"), OF_NOTHING)
def test_lists_without_items_get_what_is_new(tmp_path: Path, methods: str, functions: str, added: str) -> None:
    path = tmp_path / "demo.wrapper_spec"
    text = HEAD + methods + functions
    path.write_text(text, encoding="utf-8")
    old = "\n".join(line for line in HEADER.splitlines() if "demo_put" not in line and "demo_last" not in line)
    importing(tmp_path, old)
    (tmp_path / "demo.h").write_text(HEADER, encoding="utf-8")
    result = run("--lib", "demo", "-o", str(tmp_path))
    if not added:
        assert "demo.wrapper_spec:8:12: error: demo_last is new" in result.stderr
        assert (result.exit_code, spec(tmp_path)) == (3, text)
        return
    assert result.exit_code == 0, result.stderr
    assert added in spec(tmp_path)
    assert "functions:\n  # NEW demo_last" in spec(tmp_path)
    assert spec(tmp_path).endswith("...\n") == (functions == "...\n")
    module, _ = pipeline.read(path, "demo.wrapper_spec")
    assert [each.name for each in module.functions] == ["last"]


IN_BRACES = """\
wrapper_lib: {name: demo, lang: c, cpp_include: demo.h, prefix: demo_, raises: Failed}
errors: [{name: Failed, cpp_type: int, ok: [DEMO_OK]}]
handle_types:
  - {name: Thing, cpp_type: demo_thing *, release: demo_close, methods: [{def: size() -> i64},
     {def: "put(data: bytes)", doc: "A text
     of two lines."}]}
functions: [{def: last() -> i32}]
"""


@pytest.mark.parametrize("is_json", [False, True])
def test_what_is_in_braces_is_marked_and_never_broken(tmp_path: Path, is_json: bool) -> None:
    path = tmp_path / "demo.wrapper_spec"
    text = json.dumps(yaml.safe_load(IN_BRACES), indent=2) if is_json else IN_BRACES
    path.write_text(text, encoding="utf-8")
    importing(tmp_path, HEADER)
    changed = HEADER.replace("long demo_size", "double demo_size").replace("int demo_last(void);", "")
    importing(tmp_path, changed)
    lines = spec(tmp_path).splitlines()
    assert [line for line in lines if not line.lstrip().startswith("#")] == text.splitlines()
    (at,) = (at for at, line in enumerate(lines) if "# CHECK demo_size" in line)
    assert lines[0 if is_json else at + 1].lstrip().startswith("# CHECK" if is_json else "- {name: Thing")
    pipeline.read(path, "demo.wrapper_spec")
    before = spec(tmp_path)
    (tmp_path / "demo.h").write_text(NEXT, encoding="utf-8")
    result = run("--lib", "demo", "-o", str(tmp_path))
    assert (result.exit_code, spec(tmp_path)) == (3, before)
    place = "3:1" if is_json else "5:5"
    assert f"demo.wrapper_spec:{place}: error: demo_name" in result.stderr, result.stderr
    assert "hint: write each item on lines of its own, after `- `, and import again" in result.stderr


def test_methods_of_the_last_class_stay_its_own_where_a_class_is_new(tmp_path: Path) -> None:
    importing(tmp_path, HEADER)
    edit(tmp_path, ("wrapper_lib:", "# mine\nwrapper_lib:"))
    more = "typedef struct demo_aim demo_aim;\nvoid demo_aim_free(demo_aim *a);\nint demo_aim_at(demo_aim *a);\n"
    importing(tmp_path, more + HEADER + "int demo_more(demo_thing *t, double a);\n")
    data = yaml.safe_load(spec(tmp_path))
    methods = {each["name"]: str(each["methods"]) for each in data["handle_types"]}
    assert ("at()" in methods["Aim"], "more(" in methods["Aim"], "more(" in methods["Thing"]) == (True, False, True)


def test_a_spec_that_is_no_yaml_is_an_error_and_nothing_is_written(tmp_path: Path) -> None:
    importing(tmp_path, HEADER)
    path = tmp_path / "demo.wrapper_spec"
    path.write_text("wrapper_lib: {name: demo\n", encoding="utf-8")
    lock = (tmp_path / "demo.import.lock").read_text(encoding="utf-8")
    (tmp_path / "demo.h").write_text(NEXT, encoding="utf-8")
    result = run("--lib", "demo", "-o", str(tmp_path))
    assert result.exit_code == 3
    assert path.read_text(encoding="utf-8") == "wrapper_lib: {name: demo\n"
    assert (tmp_path / "demo.import.lock").read_text(encoding="utf-8") == lock


# --- specs and answers of the project ---------------------------------------------------------------------------------

ROOT = Path(__file__).parents[2]
EXAMPLES = {
    "zlib": ["zlib.h"],
    "zstd": ["zstd.h", "zdict.h", "zstd_errors.h"],
    "leveldb": [
        *("leveldb/db.h", "leveldb/write_batch.h", "leveldb/cache.h", "leveldb/filter_policy.h"),
        *("leveldb/comparator.h", "leveldb/env.h", "leveldb/helpers/memenv.h"),
    ],
    "yaml_cpp": ["yaml-cpp/yaml.h", "yaml-cpp/eventhandler.h"],
}
FLAGS_OF_ZLIB = '  - {def: "compile_flags() -> u64", cpp: zlibCompileFlags, doc: How the library was compiled.}\n'
LEFT: dict[str, list[str]] = yaml.safe_load((ROOT / "tests/imports/examples.yaml").read_text(encoding="utf-8"))


def example(name: str, folder: Path, *edits: tuple[str, str]) -> tuple[imported.ImportOutcome, set[str]]:
    """An import of an example's headers into its spec, with texts replaced; and what is missing there, or too much.

    Those are the functions without an entry that `examples.yaml` does not list, and those that it lists and have one.
    """
    skip_without(EXAMPLES[name][0])
    text = (ROOT / "examples" / "libraries" / name / f"{name}.wrapper_spec").read_text(encoding="utf-8")
    for old, new in edits:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    path = folder / f"{name}.wrapper_spec"
    path.write_text(text, encoding="utf-8")
    said = {"headers": EXAMPLES[name], "lang": "c" if name in ("zlib", "zstd") else "cpp", "link": ["z"]}
    outcome = imported.import_(name, folder, said, builds=False, report=print)
    written = spec_entries(read_document(path, name))
    left = {
        each.qualified
        for each in outcome.imported.headers.all_functions()
        if not written.of(each.name, each.owner if each.owner in written.records else "")
        and not written.speaks_of(each.name)
    }
    return outcome, left ^ set(LEFT[name])


@pytest.mark.quick(1)
@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_finds_nothing_new_in_its_headers(name: str, tmp_path: Path) -> None:
    for _ in range(2):
        outcome, others = example(name, tmp_path)
        assert (outcome.changes, others) == ([], set())
        text = (tmp_path / f"{name}.wrapper_spec").read_text(encoding="utf-8")
        outcome.write()
        assert spec(tmp_path, name) == text


def test_an_example_without_one_of_its_entries_is_told(tmp_path: Path) -> None:
    assert example("zlib", tmp_path, (FLAGS_OF_ZLIB, ""))[1] == {"zlibCompileFlags"}


def test_an_entry_that_no_header_has_is_gone_also_without_a_lock(tmp_path: Path) -> None:
    added = '  - {def: "none_of_these() -> i32", cpp: "gznone(3)"}\n'
    edited = (FLAGS_OF_ZLIB, FLAGS_OF_ZLIB + added)
    outcome, _ = example("zlib", tmp_path, edited)
    assert [(each.what, each.name) for each in outcome.changes] == [("gone", "gznone")]
    outcome.write()
    assert f"  # GONE gznone: no header declares it\n{added}" in spec(tmp_path, "zlib")
    assert example("zlib", tmp_path, edited)[0].changes  # with the lock that it has written, too


def test_lines_end_as_before_and_what_is_gone_is_told_once(tmp_path: Path) -> None:
    header = "int demo_count(void);\nint demo_keep(void);\nint demo_size(void);\n"
    importing(tmp_path, header)
    for path in (tmp_path / "demo.wrapper_spec", tmp_path / "demo.import"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n") + b"# mine\r\n")
    header = header.replace("demo_count", "demo_grow")
    outcome = importing(tmp_path, header)
    assert [(each.what, each.name) for each in outcome.changes] == [("gone", "demo_count"), ("new", "demo_grow")]
    for path in (tmp_path / "demo.wrapper_spec", tmp_path / "demo.import"):
        content = path.read_bytes()
        assert content.count(b"\n") == content.count(b"\r\n") > 3
    outcome = importing(tmp_path, header)  # the lock does not know it any more
    assert [(each.what, each.name) for each in outcome.changes] == [("gone", "demo_count")]


ANSWERS = sorted((ROOT / "tests" / "imports").glob("*.import"))


@pytest.mark.quick(2)
@pytest.mark.parametrize("answers", ANSWERS, ids=lambda path: path.stem)
def test_the_kept_answers_make_drafts_that_hold(answers: Path, tmp_path: Path) -> None:
    text = answers.read_text(encoding="utf-8")
    skip_without(text.partition("headers: [")[2].partition("]")[0].split(", ")[0])
    (tmp_path / answers.name).write_text(text, encoding="utf-8")
    outcome = imported.import_(answers.stem, tmp_path, {}, builds=False, report=print)
    outcome.write()
    assert outcome.findings == []
    assert len(outcome.off) <= len(outcome.entries) // 33  # of a hundred entries, 97 hold
    again = imported.import_(answers.stem, tmp_path, {}, builds=False, report=print)
    assert again.changes == []
    assert (tmp_path / answers.name).read_text(encoding="utf-8").startswith(text.partition("\n")[0][:20])


def skip_without(header: str) -> None:
    if not any((folder / header).exists() for folder in map(Path, compilers.include_folders("c"))):
        pytest.skip(f"{header} is not here")
