"""Does it explain itself? Each diagnostic as the command prints it: the spec, and `.stderr` beside it."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path, PurePosixPath

import pytest
from click.testing import CliRunner, Result

from tests.golden import Golden
from wrapper_gen import pipeline
from wrapper_gen.cli import main
from wrapper_gen.diagnostics import RULES, Diagnostic, SpecError

ERRORS = Path(__file__).with_name("errors")
SPECS = sorted(path.stem for path in ERRORS.glob("*.wrapper_spec"))
WARNINGS = {
    "WG024",
    "WG025",
    "WG027",
    "WG028",
    "WG037",
    "WG041",
    "WG044",
    "WG064",
    "WG231",
    "WG232",
    "WG294",
    "WG297",
    "WG298",
    "WG332",
    "WG352",
}
TOOLS = {"WG060", "WG061", "WG062", "WG063", "WG370"}
ONLY_AS_DATA = {"WG260", "WG353"}
"""`check` has words of its own for them (`tests/unit/test_cli.py`, `tests/unit/test_versions.py`)."""
OF_VERIFY = {"WG335", "WG336"}
"""Of packages that are built and run: `tests/verify/test_running.py`."""
CHANGED = {"WG330", "WG331"}
"""What does not hold any more: exit code 1, below a page of what does."""
OF_FORMER = {"WG290", "WG291"}
"""Of earlier spellings: `tests/unit/test_former.py`, `tests/unit/test_migrate.py`."""
OF_HEADERS = {"WG300", "WG301", "WG302", "WG303", "WG304", "WG305", "WG306", "WG307", "WG308"}
"""Of headers, and of answers about them: `tests/unit/test_imports.py`, `tests/verify/test_verify.py`."""
OF_BINDINGS = {"WG310", "WG311", "WG312"}
"""Of binding code: `tests/bindings/test_mistakes.py`."""
HEAD = re.compile(r"^\S.*?:[1-9]\d*:[1-9]\d*: (?:error|warning): .+ \[(WG\d{3})\]$", re.MULTILINE)

# --- what no file can hold, or no repository should ------------------------------------------------------------------

Prepared = Callable[[], list[str]]
GOOD = """\
wrapper_lib:
  name: demo
cpp_prelude: |
  inline void run() {}
functions:
  - name: run
    cpp_fn: run
"""
made: dict[str, Prepared] = {}


def case(prepare: Prepared) -> Prepared:
    """A case that is made in an empty folder; returns the arguments of the command."""
    made[prepare.__name__] = prepare
    return prepare


def write(name: str, content: str | bytes = GOOD) -> str:
    Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return name


@case
def WG001_missing() -> list[str]:
    return ["demo.wrapper_spec"]


@case
def WG001_misspelt() -> list[str]:
    write("demo.wrapper_spec")
    return ["demmo.wrapper_spec"]


@case
def WG001_directory() -> list[str]:
    Path("demo.wrapper_spec").mkdir()
    return ["demo.wrapper_spec"]


@case
def WG001_folder_without_specs() -> list[str]:
    Path("specs").mkdir()
    return ["specs"]


@case
def WG002_latin_1() -> list[str]:
    return [write("demo.wrapper_spec", "wrapper_lib:\n  name: demo\n  doc: für alle\n".encode("latin-1"))]


@case
def WG002_utf_16() -> list[str]:
    return [write("demo.wrapper_spec", GOOD.encode("utf-16"))]


@case
def WG003_50_mb() -> list[str]:
    with Path("demo.wrapper_spec").open("wb") as file:
        file.truncate(50 << 20)
    return ["demo.wrapper_spec"]


@case
def WG022_one_package() -> list[str]:
    return [write("first.wrapper_spec"), write("second.wrapper_spec")]


@case
def WG051_output_is_a_file() -> list[str]:
    return [write("demo.wrapper_spec"), "-o", write("generated")]


@case
def WG051_output_below_a_file() -> list[str]:
    write("file")
    return [write("demo.wrapper_spec"), "-o", "file/generated"]


@case
def WG051_folder_in_the_way() -> list[str]:
    Path("generated/demo_ffi/bridge.h").mkdir(parents=True)
    return [write("demo.wrapper_spec")]


@case
def WG051_not_ours() -> list[str]:
    Path("generated/demo_ffi").mkdir(parents=True)
    write("generated/demo_ffi/__init__.py", "import mine\n")
    Path("generated/demo_ffi/bridge.h").symlink_to("../../mine.h")
    return [write("demo.wrapper_spec")]


@case
def WG270_settings() -> list[str]:
    write("pyproject.toml", '[tool.wrapper-gen]\nruntime = "share"\n')
    return [write("demo.wrapper_spec")]


@case
def WG350_record() -> list[str]:
    write(".wrapper-gen.json", '{"options": {"headers": 1}, "files": {}}')
    return ["package", write("demo.wrapper_spec")]


@case
def WG351_version() -> list[str]:
    write("pyproject.toml", '[tool.wrapper-gen]\nruntime = "vendored"\nversion = "0.0"\n')
    return [write("demo.wrapper_spec")]


@case
def WG352_folder() -> list[str]:
    write("demo.wrapper_spec", GOOD.replace("name: demo", "name: demo\n  requires: [{dirs: [../include]}]"))
    return ["package", "demo.wrapper_spec"]


USED = """\
wrapper_lib: {name: geo}
cpp_prelude: "struct Shape {}; struct Lot { Shape shape; }; enum Color { red };"
enums: [{name: Color, cpp_type: Color, values: [red]}]
handle_types:
  - {name: Shape, cpp_type: "::Shape"}
  - {name: Canvas, cpp_type: "::Shape"}
  - {name: Window, cpp_type: "::Shape *", release: nothing, identity: true}
structs: [{name: Lot, cpp_type: "::Lot", fields: {shape: Shape}}]
functions: [{def: "draw(color: Color)", cpp_fn: "[](Color) {}"}]
"""
"""A spec that others use."""


@case
def WG280_uses() -> list[str]:
    write("geo.wrapper_spec", USED)
    write("bad.wrapper_spec", USED.replace("color: Color", "color: Colour").replace("Shape}}", "Form}}"))
    write("ring.wrapper_spec", "wrapper_lib: {name: ring, uses: {demo: demo.wrapper_spec}}\n")
    return [
        write(
            "demo.wrapper_spec",
            """\
wrapper_lib:
  name: demo
  uses:
    gone: gone.wrapper_spec
    bad: bad.wrapper_spec
    ring: ring.wrapper_spec
    self: demo.wrapper_spec
    geo: geo.wrapper_spec
    again: geo.wrapper_spec
    a-b: geo.wrapper_spec
functions:
  - {def: "run(shape: gone.Shape)", cpp_fn: "[](const auto &) {}"}
""",
        )
    ]


@case
def WG280_types() -> list[str]:
    write("pyproject.toml", '[tool.wrapper-gen]\nruntime = "shared"\n')
    write("geo.wrapper_spec", USED)
    return [
        write(
            "demo.wrapper_spec",
            """\
wrapper_lib: {name: demo, uses: {geo: geo.wrapper_spec}}
cpp_prelude: "struct Mine {};"
handle_types:
  - {name: Canvas, cpp_type: Mine, methods: [{def: "draw(on: geo.Canvas)", cpp: "[](auto &, auto &) {}"}]}
  - {name: Square, cpp_type: Mine, extends: geo.Shape}
  - {name: Edge, cpp_type: "Mine *", belongs_to: {owner: geo.Form}}
methods:
  - {def: geo.Shape.grow(), cpp: "[](auto &) {}"}
functions:
  - {def: "paint(shape: geo.Shap, color: Color)", cpp: "[](auto &, auto) {}"}
  - {def: "lot() -> geo.Lot", cpp: "[] { return Lot{}; }"}
  - {def: "wait(shape: geo.Shape)", cpp: "[](auto &) {}", blocking: true}
  - {def: "each(with: fn(geo.Window))", cpp: "[](const std::function<void(::Shape *)> &) {}"}
""",
        )
    ]


@case
def WG280_vendored() -> list[str]:
    write("geo.wrapper_spec", USED)
    uses = "  uses: {geo: geo.wrapper_spec}\n"
    return [write("demo.wrapper_spec", GOOD.replace("  name: demo\n", f"  name: demo\n{uses}"))]


@case
def WG050_special_files() -> list[str]:
    os.mkfifo("pipe.cpp")
    Path("loop.cpp").symlink_to("loop.cpp")
    with Path("huge.cpp").open("wb") as file:
        file.truncate(17 << 20)
    sources = "[pipe.cpp, loop.cpp, huge.cpp, /dev/zero]"
    return [write("demo.wrapper_spec", GOOD.replace("name: demo\n", f"name: demo\n  sources: {sources}\n"))]


def with_python(**files: str) -> list[str]:
    for name, text in files.items():
        write(f"{name}.py", text)
    listed = ", ".join(f"{name}.py" for name in files)
    return [write("demo.wrapper_spec", GOOD.replace("name: demo\n", f"name: demo\n  python_sources: [{listed}]\n"))]


@case
def WG212_syntax_of_python() -> list[str]:
    return with_python(
        extra="def f(:\n    pass\n", other="x = 1\n\n\nüü = (1,\n", _third="if x:\n1\n", odd="x = '\0'\n"
    )


@case
def WG211_names_of_python() -> list[str]:
    return with_python(
        extra="import os\n\n__all__ = ['os', 'missing', 'extra']\n\nextra = 1\n",
        other="__all__ = [x for x in 'ab']\n",
        third="__all__: list[str] = []\n__all__ += ['a']\n",
    )


@case
def WG022_names_of_python() -> list[str]:
    extra = "def run() -> None: ...\n\n\nclass DemoError(Exception): ...\n\n\nö, (STUB, *_a) = 1, (2,)\n"
    return with_python(extra=extra, twice="ö = 1\n", run="")


@case
def WG211_files_of_python() -> list[str]:
    Path("below").mkdir()
    write("below/extra.py", "")
    write("extra.py", "")
    listed = "[extra.py, below/extra.py, extra.pyi, class.py, _demo_ffi.py, __init__.py, missing.py, '.py', ../x.py]"
    return [write("demo.wrapper_spec", GOOD.replace("name: demo\n", f"name: demo\n  python_sources: {listed}\n"))]


@case
def WG370_no_pygls() -> list[str]:
    return ["lsp"]


@case
def WG060_no_compiler() -> list[str]:
    return ["build", write("demo.wrapper_spec")]


@case
def WG061_the_specs_fault() -> list[str]:
    return ["build", write("demo.wrapper_spec")]


@case
def WG061_a_lost_meaning() -> list[str]:
    return ["build", write("demo.wrapper_spec", GOOD.replace("- name: run\n", '- def: "run(a: text)"\n'))]


@case
def WG061_nothing_to_blame() -> list[str]:
    return ["build", write("demo.wrapper_spec")]


@case
def WG061_one_cpp_type_twice() -> list[str]:
    prelude = "cpp_prelude: |\n  struct buf { char *ptr; unsigned long size; };\n  typedef buf chunk;\n"
    entry = "  - {{name: {}, is: {}, cpp_type: {}, data: ptr, length: size}}\n"
    types = "types:\n" + entry.format("Words", "text", "buf") + entry.format("Data", "bytes", "chunk")
    return ["build", write("demo.wrapper_spec", f"wrapper_lib: {{name: demo}}\n{prelude}{types}")]


@case
def WG062_missing_header() -> list[str]:
    library = "  cpp_include: absent.h\n  include_paths: [third/party]\n"
    return ["build", write("demo.wrapper_spec", GOOD.replace("name: demo\n", f"name: demo\n{library}"))]


@case
def WG062_header_within_another() -> list[str]:
    write("outer.h", "#include <absent/inner.h>\n")
    library = "  cpp_include: [<stdlib.h>, outer.h]\n  include_paths: [.]\n"
    return ["build", write("demo.wrapper_spec", GOOD.replace("name: demo\n", f"name: demo\n{library}"))]


@case
def WG062_missing_library() -> list[str]:
    library = "  link:\n    - c\n    - wg_absent\n"
    return ["build", write("demo.wrapper_spec", GOOD.replace("name: demo\n", f"name: demo\n{library}"))]


@case
def WG063_not_linked() -> list[str]:
    write("one.h", "void one(void);\nvoid two(void);\n")
    library = "  lang: c\n  cpp_include: one.h\n  include_paths: [.]\n"
    functions = "functions: [{name: one, cpp_fn: one}, {name: two, cpp_body: two();}]\n"
    return ["build", write("demo.wrapper_spec", f"wrapper_lib:\n  name: demo\n{library}{functions}")]


@case
def WG294_thrown_away() -> list[str]:
    spec = """\
wrapper_lib: {name: demo, lang: c}
cpp_prelude: "inline int demo_set(int n) { return n < 0 ? 5 : 0; }"
errors:
  - {cpp_type: int, ok: 0}
functions:
  - {def: "put(n: i32)", cpp: demo_set, raises: DemoError}
  - {def: "demo_set(n: i32)"}
"""
    return ["build", write("demo.wrapper_spec", spec)]


@case
def WG297_who_frees() -> list[str]:
    spec = """\
wrapper_lib: {name: demo, lang: c}
cpp_prelude: |
  #include <string.h>
  struct box { char *label; };
  inline char *demo_copy(const char *text) { return strdup(text); }
  inline void demo_write(const char *text, char **copy) { *copy = strdup(text); }
  inline int demo_count(const char *text, unsigned char **copy) { return *copy = (unsigned char *)strdup(text), 1; }
  inline int demo_count_owned(const char *text, char **copy) { return *copy = strdup(text), 1; }
  inline void demo_name(const char **name) { *name = "demo"; }
types:
  - {name: Owned, type: text, cpp_type: char *, data: value, release: free(value)}
functions:
  - {def: "copy(text: text) -> text", cpp: demo_copy}
  - {def: "copy_freed(text: text) -> text", cpp: demo_copy, release: free}
  - {def: "copy_kept(text: text) -> text", cpp: demo_copy, release: nothing}
  - {def: "write(text: text) -> text", cpp: demo_write}
  - {def: "write_freed(text: text) -> text", cpp: demo_write, release: free}
  - {def: "write_kept(text: text) -> text", cpp: demo_write, release: nothing}
  - {def: "count(text: text) -> (copy: text, n: i32)", cpp: demo_count}
  - {def: "first(text: text) -> bytes", cpp: "demo_count(text, &out)", length: value}
  - {def: "first_kept(text: text) -> bytes", cpp: "demo_count(text, &out)", length: value, release: nothing}
  - {def: "count_owned(text: text) -> (copy: Owned, n: i32)", cpp: demo_count_owned}
  - {def: "name() -> text", cpp: demo_name(&out)}
handle_types:
  - name: Box
    cpp_type: box *
    release: nothing
    methods:
      - {def: label -> text, cpp: self->label}
      - {def: "copied() -> text?", cpp: demo_copy(self->label)}
"""
    return ["build", write("demo.wrapper_spec", spec)]


@case
def WG295_arguments_that_are_alike() -> list[str]:
    spec = """\
wrapper_lib: {name: demo, lang: c}
errors:
  - {cpp_type: int, ok: 0}
functions:
  - {def: "copy(from: text, to: text) -> i32", cpp: demo_copy, raises: DemoError}
"""
    return ["validate", "--strict", write("demo.wrapper_spec", spec)]


@case
def WG064_slow_order() -> list[str]:
    prelude = "struct node;\n  inline void run(i32, node *) {}\n"
    handle = "handle_types: [{name: Node, cpp_type: node *, release: nothing}]\n"
    spec = GOOD.replace("inline void run() {}\n", prelude).replace("functions:", f"{handle}methods:")
    return ["build", write("demo.wrapper_spec", spec.replace("- name: run\n", '- def: "Node.run(a: i32)"\n'))]


_SLOW = """\
In file included from generated/demo_ffi/bridge.cpp:6,
                 from generated/demo_ffi/cpython.cpp:10:
generated/demo_ffi/_runtime/wg.hpp: In instantiation of 'constexpr bool wg::warns_of(Types<Reading>) \
[with Call = wg_demo::wg_api::demo_node_run<>(wg_demo::Node&, wg::numbers::i32)::<lambda(auto:77&& ...)>; \
long unsigned int asked = 90]':
demo.wrapper_spec:9:26:   required from 'void wg_demo::wg_api::demo_node_run(wg_demo::Node&, wg::numbers::i32)'
generated/demo_ffi/cpython.cpp:55:57:   required from here
generated/demo_ffi/_runtime/wg.hpp:7734:71: warning: 'constexpr bool wg::finds_order_slowly(\
std::index_sequence<__indices ...>) [with Call = wg_demo::wg_api::demo_node_run<>(wg_demo::Node&, \
wg::numbers::i32)::<lambda(auto:77&& ...)>; long unsigned int ...unit = {1, 0}; \
std::index_sequence<__indices ...> = std::integer_sequence<long unsigned int, 1, 0>]' is deprecated: \
wrapper-gen: the compiler takes long to find the order of these arguments [-Wdeprecated-declarations]
 7734 |     if constexpr (asked > most_asked) return !finds_order_slowly<Call>(typename Reading::Units());"""
_LOST = """\
generated/demo_ffi/_runtime/wg/conversion/arguments.hpp: In instantiation of \
'decltype(auto) wg::text(const std::string&)':
demo.wrapper_spec:6:   required from 'void wg_demo::wg_api::demo_run(const std::string&)'
generated/demo_ffi/cpython.cpp:47:56:   required from here
generated/demo_ffi/_runtime/wg/conversion/arguments.hpp:305:62: error: static assertion failed: \
wrapper-gen: an argument would lose its meaning: the function takes a bool where the spec declares text; \
declare what C++ has, or say in a lambda what the text means"""
COUNTED = """\
wrapper_lib:
  name: demo
  lang: c
  cpp_include: demo.h
  requires: [{dirs: [.]}]
functions:
  - {def: "count() -> i32"}
"""


def counted(header: str, spec: str = COUNTED) -> list[str]:
    """`verify` of a spec over one function."""
    write("demo.h", f"#include <stdint.h>\n{header}\n")
    return ["verify", write("demo.wrapper_spec", spec)]


@case
def WG330_changed() -> list[str]:
    arguments = counted("static inline int32_t count(void) { return 1; }")
    assert CliRunner().invoke(main, [*arguments, "--write-lock"]).exit_code == 0
    return counted("static inline int64_t count(void) { return 1; }")


@case
def WG331_not_exported() -> list[str]:
    return counted("int32_t count(void);", COUNTED.replace("  requires", "  link: z\n  requires"))


@case
def WG332_contradicted() -> list[str]:
    return counted("static inline uint32_t count(void) { return 1; }")


@case
def WG333_without_headers() -> list[str]:
    return ["verify", write("demo.wrapper_spec")]


@case
def WG334_neither_spec_nor_package() -> list[str]:
    return ["compare", write("demo.wrapper_spec"), "demo_ffi"]


COMPILERS = {
    **dict.fromkeys(["WG062_missing_header", "WG062_header_within_another", "WG062_missing_library"], ""),
    **dict.fromkeys(["WG063_not_linked", "WG330_changed", "WG331_not_exported", "WG332_contradicted"], ""),
    "WG061_one_cpp_type_twice": "",
    **dict.fromkeys(["WG294_thrown_away", "WG297_who_frees"], ""),
    "WG061_the_specs_fault": "echo \"demo.wrapper_spec:7:13: error: 'run' was not declared in this scope\" >&2; exit 1",
    "WG061_a_lost_meaning": f'echo "{_LOST}" >&2; exit 1',
    "WG064_slow_order": f'echo "{_SLOW}" >&2',
    "WG061_nothing_to_blame": "echo 'internal compiler error: out of luck' >&2; exit 4",
}
"""What stands in for the compiler when it compiles (nothing where it is empty): the words of a real one differ."""

# --- the tests -------------------------------------------------------------------------------------------------------


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Runs the command on one case, in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def run_case(name: str, *options: str) -> Result:
        compiler = tmp_path / "c++"
        if name in COMPILERS:
            words = f'case "$*" in *" -c "*) {COMPILERS[name]};; esac\n' if COMPILERS[name] else ""
            compiler.write_text(f'#!/bin/sh\n{words}exec c++ "$@"\n', encoding="utf-8")
            compiler.chmod(0o755)
        monkeypatch.setenv("CXX", "./c++" if not compiler.exists() else str(compiler))
        if name == "WG370_no_pygls":
            monkeypatch.delitem(sys.modules, "wrapper_gen.lsp.server", raising=False)
            monkeypatch.setitem(sys.modules, "pygls", None)
        if name in made:
            return CliRunner().invoke(main, [*made[name](), *options])
        shutil.copy(ERRORS / f"{name}.wrapper_spec", tmp_path)
        return CliRunner().invoke(main, [f"{name}.wrapper_spec", *options])

    return run_case


def written() -> list[str]:
    return sorted(str(path) for path in Path().rglob("generated/*/*") if path.is_file())


@pytest.mark.parametrize("name", [*SPECS, *made])
def test_diagnostic(name: str, run: Callable[..., Result], golden: Golden) -> None:
    code = name.partition("_")[0]
    result = run(name)
    shown = [line for line in result.stderr.splitlines(keepends=True) if not line.startswith("demo_ffi: ")]
    golden({PurePosixPath(f"{name}.stderr"): "".join(shown)}, ERRORS, whole=False)
    assert f"[{code}]" in result.stderr
    assert result.exit_code == (0 if code in WARNINGS else 4 if code in TOOLS else 1 if code in CHANGED else 3)
    if code not in WARNINGS | TOOLS | CHANGED:
        assert result.stdout == ""
        assert written() == (["generated/demo_ffi/__init__.py"] if name == "WG051_not_ours" else [])


@pytest.mark.parametrize("name", [name for name in SPECS if name.partition("_")[0] in WARNINGS])
def test_a_warning_is_an_error_when_strict(name: str, run: Callable[..., Result]) -> None:
    assert run(name, "--strict").exit_code == 3
    assert written() == []


def test_every_code_has_a_case() -> None:
    others = {*ONLY_AS_DATA, *OF_BINDINGS, *OF_FORMER, *OF_HEADERS, *OF_VERIFY}
    assert {name.partition("_")[0] for name in (*SPECS, *made)} == set(RULES) - others
    assert {path.stem for path in ERRORS.glob("*.stderr")} == {*SPECS, *made}


@pytest.mark.parametrize("name", [*SPECS, *made])
def test_every_diagnostic_says_where_and_what_to_do(name: str) -> None:
    text = (ERRORS / f"{name}.stderr").read_text(encoding="utf-8")
    assert HEAD.findall(text)
    assert len(HEAD.findall(text)) == len(re.findall(r"^  hint: .", text, re.MULTILINE))


WORDS = "iter[i64] array[f64; n] each TODO lent_by lent invalidates for $T fn( -> ? yes * & \\ \" '"
"""What the language and its readers look for."""


@pytest.mark.trial("comment-switches-an-error")
def test_a_comment_changes_no_finding(tmp_path: Path) -> None:
    def findings(spec: Path) -> list[Diagnostic]:
        try:
            return list(pipeline.read(spec, spec.name)[1])
        except SpecError as error:
            return list(error.diagnostics)

    for name in (each for each in SPECS if each >= "WG01"):  # the others are no YAML
        original = ERRORS / f"{name}.wrapper_spec"
        commented = tmp_path / original.name
        text = original.read_text(encoding="utf-8")
        commented.write_text(text if text.endswith("\n") else f"{text}\n", encoding="utf-8")
        before = findings(commented)
        with commented.open("a", encoding="utf-8") as file:
            file.write(f"# {WORDS}\n")
        assert findings(commented) == before, name
