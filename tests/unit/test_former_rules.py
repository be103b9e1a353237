"""What each rule for an earlier spelling writes; that it does nothing to what it made."""

from __future__ import annotations

from pathlib import Path

import pytest

from wrapper_gen.pipeline import read
from wrapper_gen.spec.former.migrate import migrate

LIB = "wrapper_lib: {name: demo}\n"
LIB_OF = "wrapper_lib: {name: demo, %s}\n"
INIT = (
    LIB_OF
    + """errors:
  - {name: A, cpp_type: int, ok: 0}
  - {name: B, cpp_type: int, ok: 1}
  - {name: C, cpp_type: long, ok: 0}
"""
)
UNTOLD = "modules, whose documentation has no place"
CLASS = LIB + "handle_types:\n  - {name: File, cpp_type: file *, %s}\n"
BLOCKING = "wrapper_lib: {name: demo, blocking: release}\nhandle_types:\n  - {name: File, cpp_type: file *, %s}\n"
DERIVED = CLASS.replace("file *,", "file *, extends: Base,")
ENTRY = LIB + "functions:\n  - {def: open() -> File, %s}\n"
STRUCT = LIB + "structs:\n  - {name: Span, cpp_type: span, fields: {a: i64, b: i64}, %s}\n"
OPTIONS = STRUCT + 'functions: [{def: "f(**options: Span)"}]\n'
WINDOWS = "{name: flow, input: {data: src, size: n, used: pos}, output: {cpp_type: room, data: to, left: left}}"
STREAMS = LIB + "streams:\n  - " + WINDOWS + "\nfunctions:\n  - {def: f(), %s}\n"
FLOW = "input: [self, src, n, pos], output: [room, to, left]"
FUNCTION = LIB + "functions:\n  - {%s}\n"
METHOD = CLASS % "release: nothing" + "methods:\n  - {%s}\n"
TYPE = LIB + "types:\n  - {name: Names, cpp_type: names, %s}\n"


def migrated(tmp_path: Path, text: str) -> str:
    """The text in the present language; a second run changes nothing."""
    (tmp_path / "other.wrapper_spec").write_text("wrapper_lib: {name: real}\n", encoding="utf-8")
    path = tmp_path / "a.wrapper_spec"
    path.write_text(text, encoding="utf-8")
    after = migrate(path, path.name).after
    path.write_text(after, encoding="utf-8")
    assert migrate(path, path.name).after == after
    return after


@pytest.mark.parametrize(
    ("spec", "before", "after"),
    [
        (ENTRY, "async: {done: end, cancel: stop, result: made}", "async: end, cancel: stop, result: made"),
        (ENTRY, "async: {cancel: stop}", "async: thread, cancel: stop"),
        (METHOD, "def: File.step(), protected: true", "def: protected File.step()"),
        (METHOD, "def: virtual File.step(), protected: true", "def: virtual File.step()"),
        (METHOD, "def: File.step(), protected: false", "def: File.step()"),
        (FUNCTION, "def: g(), py_name: f", "def: f(), cpp: g"),
        (FUNCTION, "def: g(), cpp: h, py_name: f", "def: f(), cpp: h"),
        (FUNCTION, "def: f(), py_name: f", "def: f()"),
        (
            FUNCTION,
            'def: "f(x: i64)", cpp: f(x), params: {x: {cpp_default: LIMIT}}',
            'def: "f(x: i64? = None)", cpp: "f(x ? *x : LIMIT)"',
        ),
        (
            FUNCTION,
            'def: "f(y: text)", cpp: f(y), params: {y: {cpp_default: \'"a"\'}}',
            'def: "f(y: text? = None)", cpp: "f(y ? y->c_str() : \\"a\\")"',
        ),
        (FUNCTION, "name: f, cpp: f", "def: f(), cpp: f"),
        (FUNCTION, "name: f, cpp: f, return: void", "def: f(), cpp: f"),
        (
            FUNCTION,
            'name: f, cpp: f, params: [{name: x, type: "[i64]", default: [1, -2]}, {name: y, type: text}], return: i64',
            'def: "f(x: [i64] = [1, -2], y: text) -> i64", cpp: f',
        ),
        (
            FUNCTION,
            "name: f, cpp: f, params: [{name: x, type: text, default: 'a\"', doc: what}], return_doc: how many",
            r"""def: "f(x: text = \"a\\\"\")", cpp: f, params: {x: what, return: how many}""",
        ),
        (
            FUNCTION,
            'name: f, cpp_fn: f, params: [{role: length, of: x}, {name: x, type: bytes}, {value: 1}], return: i64',
            'def: "f(x: bytes) -> i64", cpp: "f(x.size(), x, 1)"',
        ),
        (FUNCTION, 'def: "f() -> (i64, text)?", names: [a, b]', 'def: "f() -> (a: i64, b: text)?"'),
        (FUNCTION, "def: f() -> i64, return_doc: how many", "def: f() -> i64, params: {return: how many}"),
        (METHOD, "handle: File, name: size, cpp: size, return: i64", "def: File.size() -> i64, cpp: size"),
        (METHOD, "name: static at, handle: File, cpp: at", "def: static File.at(), cpp: at"),
        (METHOD, "handle: File, name: a, cpp: a, property: true, return: i64", "def: File.a -> i64, cpp: a"),
        (METHOD, 'handle: File, def: "size() -> i64"', 'def: "File.size() -> i64"'),
        (METHOD, 'handle: [File, Dir], def: "a()"', 'for: {handle: [File, Dir]}, def: "$handle.a()"'),
        (
            METHOD,
            'for: {T: [a, b]}, handle: [File, Dir], def: "$T()"',
            'for: {T: [a, b], handle: [File, Dir]}, def: "$handle.$T()"',
        ),
        (
            METHOD,
            'for: [{T: a}], handle: [File, Dir], def: "$T()"',
            'for: [{T: a, handle: File}, {T: a, handle: Dir}], def: "$handle.$T()"',
        ),
        (METHOD, 'for: {T: [File]}, handle: $T, def: "a()"', 'for: {T: [File]}, def: "$T.a()"'),
        ("wrapper_lib: {name: demo, %s}\n", "cpp_prefix: a_, cpp_case: camel", "prefix: a_, case: camel"),
        ("wrapper_lib: {name: demo, %s}\n", "cpp_std: 20", "std: 20"),
        ("wrapper_lib: {name: demo, %s}\n", "python_package: demo", "package: demo"),
        ("wrapper_lib: {name: demo, %s}\n", "python_sources: [a.py]", "sources: [a.py]"),
        ("wrapper_lib: {name: demo, %s}\n", "sources: [a.cpp], python_sources: [a.py]", "sources: [a.cpp, a.py]"),
        ("wrapper_lib: {name: demo, %s}\n", "sources:, python_sources: [a.py]", "sources: [a.py]"),
        (LIB_OF, "include_paths: [a], search_paths: [b, a]", "requires: [{dirs: [a, b, a]}]"),
        (LIB_OF, "search_paths: [b], include_paths: [b, c]", "requires: [{dirs: [b, c]}]"),
        (LIB_OF, "include_paths: a, search_paths: b", "requires: [{dirs: [a, b]}]"),
        (LIB_OF, "search_paths: b, requires: [c]", "requires: [c, {dirs: b}]"),
        (LIB_OF, "requires:, search_paths: [b], link: c", "requires: [{dirs: [b]}], link: c"),
        (LIB_OF, "search_paths:, link: c", "link: c"),
        (LIB_OF, "search_paths: [1]", "search_paths: [1]"),
        (LIB_OF, "requires: [{pkg_config: a}]", "requires: [a]"),
        (LIB_OF, "requires: [{python: b, include: c, lib: [d]}]", "requires: [{python: b, dirs: [c, d]}]"),
        (LIB_OF, "requires: [{python: b, lib: [d], import: true}]", "requires: [{python: b, dirs: [d]}]"),
        (LIB_OF, "requires: [{python: b, import: true}]", "requires: [{python: b, dirs: [.]}]"),
        (LIB_OF, "requires: [{pkg_config: a, python: b}]", "requires: [{pkg_config: a, python: b}]"),
        (LIB_OF, "guard: HAS_DEMO, link: a", "link: a"),
        (LIB_OF, "guard: WITH_DEMO", "compile_args: [-DWITH_DEMO]"),
        (LIB_OF, "compile_args: -O3, guard: WITH_DEMO", "compile_args: [-O3, -DWITH_DEMO]"),
        (LIB_OF, "guard: WITH_DEMO, compile_args: [-O3]", "compile_args: [-O3, -DWITH_DEMO]"),
        (LIB_OF, "modules: {io: }, link: a", "link: a"),
        ("wrapper_lib:\n%s", "  name: demo\n  modules: {io: Read., b: }\n", f"  # {UNTOLD}: io: Read.\n  name: demo\n"),
        (LIB_OF, "uses: [geo.wrapper_spec]", "uses: {geo: geo.wrapper_spec}"),
        (LIB_OF, "uses: [other.wrapper_spec]", "uses: {real: other.wrapper_spec}"),
        (LIB_OF, "uses: [geo.wrapper_spec, a/geo.wrapper_spec]", "uses: [geo.wrapper_spec, a/geo.wrapper_spec]"),
        (LIB_OF, "init: {call: f}", "init: f"),
        (INIT, "init: {call: f, raises: A}", "init: wg_check<A>(f())"),
        (INIT, "init: {call: f(), raises: C}", "init: f()"),
        (INIT, "raises: A, init: {call: f(), raises: A}", "raises: A, init: f()"),
        (LIB_OF, "dynamic: {sonames: [a.so], symbols: [f]}", "dynamic: [a.so]"),
        (LIB_OF, "dynamic: {symbols: [f], sonames: a.so}", "dynamic: a.so"),
        ("wrapper_lib: {name: demo, %s}\n", "blocking_drop: true", "blocking: release"),
        ("wrapper_lib: {name: demo%s}\n", ", blocking_drop: false", ""),
        (CLASS, "cpp_drop: file_close(h.inner)", "release: file_close(h.inner)"),
        (CLASS, "cpp_drop: static_cast<void>(h)", "release: nothing"),
        (CLASS, "cpp_drop: '(void) value;'", "release: 'nothing'"),
        (CLASS, "cpp_drop: f(value), drop_fn: a_b", "release: f(value), drop_fn: a_b"),
        (CLASS, "cpp_prefix: a_, blocking_drop: true", "prefix: a_, blocking: release"),
        (CLASS, "blocking_drop: true, blocking: true", "blocking: [true, release]"),
        (CLASS, "blocking: overridden, blocking_drop: true", "blocking: [overridden, release]"),
        (CLASS, "blocking: true, blocking_drop: false", "blocking: true"),
        (CLASS, "blocking_drop: false, doc: x", "doc: x"),
        (BLOCKING, "blocking_drop: false, doc: x", "blocking: [], doc: x"),
        (BLOCKING, "blocking: true, blocking_drop: false", "blocking: [true]"),
        (DERIVED, "blocking_drop: false, doc: x", "blocking: [], doc: x"),
        (ENTRY, "transfer: none", "release: nothing"),
        (ENTRY, "transfer:, doc: x", "doc: x"),
        (ENTRY, "transfer: full", "transfer: full"),
        (STRUCT, "make: geo::span", 'make: "geo::span(a, b)"'),
        (STRUCT, "make: geo::span(a)", "make: geo::span(a)"),
        (STRUCT, "init: span()", "make: span()"),
        (OPTIONS, "init: SPAN_INIT", "make: SPAN_INIT"),
        (TYPE, "tag: t, cases: {A: {type: i64, value: i}, B: {type: i8}}", "tag: t, cases: {A: [i64, i], B: i8}"),
        (TYPE, 'cases: {A: {type: "[i64]", length: n}}', 'cases: {A: ["[i64]", value, n]}'),
        (TYPE, "cases: {A: {type: i64, value: i, make: f(value)}}", "cases: {A: {type: i64, data: i, make: f(value)}}"),
        (TYPE, 'is: "[text]", free: names_free', 'type: "[text]", release: names_free'),
        (LIB + "enums:\n  - {name: A, %s, values: [B]}\n", "cpp_prefix: A_", "prefix: A_"),
        (LIB + "handle_types:\n  - for: {T: [A]}\n    entries:\n      - {name: $T, %s}\n", "cpp_drop: f", "release: f"),
        (CLASS, "methods: [{entries: [{transfer: none}]}]", "methods: [{entries: [{release: nothing}]}]"),
    ],
)  # fmt: skip
def test_a_rule(tmp_path: Path, spec: str, before: str, after: str) -> None:
    assert migrated(tmp_path, spec.replace("%s", before)) == spec.replace("%s", after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("stream: flow", f"stream: {{{FLOW}}}"),
        ("stream: {of: flow, until: a || b}", f"stream: {{{FLOW}, until: drained && (a || b)}}"),
        ("stream: {of: flow, end: a, until: b}", f"stream: {{{FLOW}, until: (drained && b) || a}}"),
        ("stream: {of: flow, end: 'true', limit: n}", f'stream: {{{FLOW}, until: "true"}}, capacity: n'),
    ],
)
def test_a_stream_of_a_function(tmp_path: Path, before: str, after: str) -> None:
    assert migrated(tmp_path, STREAMS.replace("%s", before)) == LIB + f"functions:\n  - {{def: f(), {after}}}\n"


def test_a_stream_of_a_class(tmp_path: Path) -> None:
    methods = "methods: [{def: f(), stream: %s}, {def: g(), stream: %s}]"
    before = CLASS.replace("%s", methods % ("flow", "{of: flow, end: a}")) + "streams:\n  - " + WINDOWS + "\n"
    after = f"stream: {{{FLOW}}}, " + methods % ("true", "{until: drained || a}")
    assert migrated(tmp_path, before) == CLASS.replace("%s", after)


def test_a_start_that_names_a_field_is_left_open(tmp_path: Path) -> None:
    after = migrated(tmp_path, OPTIONS.replace("%s", "init: first(a)"))
    assert "make: TODO" in after and "# say what it starts as without the name of a field" in after


@pytest.mark.parametrize(
    ("library", "base", "own", "is_blocking", "calls_are"),
    [
        ("", "", "", False, False),
        ("blocking: release,", "", "", True, False),
        ("blocking: true,", "", "", False, True),
        ("blocking: [true, release],", "", "blocking: false,", True, False),
        ("blocking: [true, release],", "", "blocking: [],", False, False),
        ("blocking: release,", "", "blocking: true,", True, True),
        ("blocking: release,", "", "blocking: [true],", False, True),
        ("", "blocking: release,", "", True, False),
        ("", "blocking: release,", "blocking: [],", False, False),
        ("blocking_drop: true,", "", "", True, False),
        ("blocking_drop: true,", "", "blocking_drop: false,", False, False),
        ("blocking_drop: true,", "", "blocking: true,", True, True),
        ("blocking_drop: true,", "", "blocking: false,", True, False),
        ("", "blocking_drop: true,", "blocking_drop: false, blocking: true,", False, True),
    ],
)
def test_which_calls_and_releases_are_blocking(
    tmp_path: Path, library: str, base: str, own: str, is_blocking: bool, calls_are: bool
) -> None:
    path = tmp_path / "a.wrapper_spec"
    path.write_text(
        f"wrapper_lib: {{{library} name: demo, lang: c}}\nhandle_types:\n"
        f"  - {{name: Base, cpp_type: base *, {base} release: base_free(value)}}\n"
        f"  - {{name: File, cpp_type: base *, extends: Base, {own} methods: [{{def: size() -> i64}}]}}\n",
        encoding="utf-8",
    )
    module, _ = read(path, path.name)
    assert module.handles[1].blocking_drop is is_blocking
    assert module.methods[0].blocking is calls_are


def test_nothing_releases_what_is_the_librarys(tmp_path: Path) -> None:
    path = tmp_path / "a.wrapper_spec"
    path.write_text(
        "wrapper_lib: {name: demo, lang: c}\n"
        "handle_types:\n  - {name: File, cpp_type: file *, release: nothing}\n"
        "functions:\n"
        '  - {def: "root(of: File) -> File", release: nothing}\n'
        "  - {def: name() -> text, release: nothing}\n",
        encoding="utf-8",
    )
    module, findings = read(path, path.name)
    assert findings == []
    assert module.handles[0].drop is not None
    assert [each.lifetime.result.is_owned for each in module.functions] == [False, True]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("fields: {x: {type: i64, get: across}}", "fields: {x: {type: i64, cpp: across()}}"),
        ("fields: {x: {type: i64, get: value.low}}", "fields: {x: {type: i64, cpp: (value.low)}}"),
        (
            "fields: {x: {type: i64, get: value.low + 1, set: grow}}",
            "fields: {x: {type: i64, cpp: value.low + 1, set: grow}}",
        ),
        ("fields: {x: {type: i64, mut: place}}", "fields: {x: {type: i64, set: place()}}"),
        ("accessors: true, fields: {x: i64 = 3}", "fields: {x: {type: i64 = 3, cpp: x()}}"),
        (
            "accessors: true, fields: {x: {type: i64, default: 3}, y: {type: u8 = 1, cpp: low.y}}",
            "fields: {x: {type: i64, cpp: x(), default: 3}, y: {type: u8 = 1, cpp: low.y}}",
        ),
        ("accessors: false, fields: {x: i64}", "fields: {x: i64}"),
    ],
)
def test_what_reads_and_sets_a_field(before: str, after: str, tmp_path: Path) -> None:
    spec = LIB + "structs:\n  - {name: Span, cpp_type: span, %s}\n"
    assert migrated(tmp_path, spec % before) == spec % after
    read(tmp_path / "a.wrapper_spec", "a.wrapper_spec")
