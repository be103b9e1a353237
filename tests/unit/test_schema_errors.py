"""The shape of a spec: what is accepted as it is, and one diagnostic in our own words for each mistake."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from wrapper_gen.diagnostics import Diagnostic
from wrapper_gen.spec import check, read_document, schema_text

Check = Callable[[str], list[Diagnostic]]
SCHEMA: dict[str, Any] = json.loads(schema_text())
LIB = "wrapper_lib: {name: x}\n"


@pytest.fixture
def shape(tmp_path: Path) -> Check:
    """Checks a text as a spec."""

    def run(text: str) -> list[Diagnostic]:
        path = tmp_path / "lib.wrapper_spec"
        path.write_text(text, encoding="utf-8")
        return list(check(read_document(path, "lib.wrapper_spec")).findings)

    return run


def shown(diagnostic: Diagnostic) -> str:
    where = f"{diagnostic.span.line}:{diagnostic.span.column}"
    return f"{where} {diagnostic.code} {diagnostic.message} | {diagnostic.hint}"


# --- accepted ---

EVERYTHING = """\
wrapper_lib:
  name: cuda
  version: "0.1.0"
  lang: cpp
  doc: Native bindings.
  cpp_include: [cuda_runtime.h]
  link: [cudart]
  package: cuda_ffi
  requires:
    - zlib
    - {python: torch, dirs: [include, lib]}
    - {dirs: /usr/include}
  dynamic: [libcudart.so.13]
  sources: [extra/extra.cpp]
  std: 20
  compile_args: [-O3]
  link_args: -s
cpp_prelude: |
  // text
errors:
  - name: CudaError
    cpp_type: cudaError_t
    ok: [cudaSuccess, 600]
    message: cudaGetErrorString
    fields: {name: {type: text, cpp: cudaGetErrorName(value)}}
    exceptions: [{name: CudaMemoryError, when: cudaErrorMemoryAllocation, also: MemoryError}]
    doc: Its errors.
  - {name: IntError, cpp_type: int, ok: 0}
  - {name: ValueError, cpp_type: "std::logic_error"}
enums:
  - {name: Kind, cpp_type: cudaMemcpyKind, values: {NO: a, ON: 2, 3: b}, flags: true, doc: A kind.}
handle_types:
  - {name: S, cpp_type: cudaStream_t, drop_fn: f, release: g(value), doc: A stream.}
functions:
  - def: "cuda_malloc(n: i64 = 1, s: S? = None, l: [f64] = [1, 2.5], b: bool = false, t: text = \\"x\\") -> S"
    cpp: "[](i64 n) {}"
    params:
      n: bytes
      s: {doc: Its stream.}
      l:
      return: A stream.
    doc: Allocates.
    raises: CudaError
    blocking: true
    stub: [1, ""]
    belongs_to: [n]
methods:
  - def: S.query() -> bool
    cpp: ""
    cpp_body: |
      return true;
    params: {}
    doc: Asks.
    raises: cudaError_t
    blocking: false
    stub: false
    belongs_to: self
"""

IN_THE_WILD = [
    LIB,
    'wrapper_lib:\n  name: "x"\n  version: 0.1.0\n  lang: "cpp"\n\nfunctions:\n  # none\n\nmethods:\n',
    "wrapper_lib:\n    name: x\n    link:\n    - a\n    - b\nfunctions:\n- def: g()\n  params:\n",
    "wrapper_lib: {name: x, version: 0.10, cpp_include: 'x.h', link: []}\nhandle_types: ~\nfunctions: []\n",
    "# top\nwrapper_lib: # a\n  # b\n  name: x # c\n  cpp_include:\n  link:\n  version:\n  doc:\n",
    LIB + "functions:\n  - def: f()\n    cpp:\n    params:\n    doc:\n  - {def: g(), cpp: ''}\n",
    LIB + "handle_types:\n  - name: H\n    cpp_type: 'x::H'\n    drop_fn: rt_x_h_free\n    # the last comment\n",
    LIB + "methods:\n  - {def: H.f(), cpp: f, params: {}}\n",
]


@pytest.mark.parametrize("text", [EVERYTHING, *IN_THE_WILD])
def test_accepted(shape: Check, text: str) -> None:
    assert [shown(d) for d in shape(text)] == []


# --- one mistake, one diagnostic ---

FUNCTION = LIB + "functions:\n  - def: f()\n    "


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # unknown keys
        (LIB + "fuctions: []\n", "2:1 WG010 unknown key 'fuctions' | did you mean 'functions'?"),
        (LIB + "link: [a]\n", "2:1 WG010 unknown key 'link' | it belongs to 'wrapper_lib': indent it"),
        ("wraper_lib: {name: x}\n", "1:1 WG010 unknown key 'wraper_lib' | did you mean 'wrapper_lib'?"),
        ("wrapper_lib:\n  nmae: x\n", "2:3 WG010 unknown key 'nmae' | did you mean 'name'?"),
        (FUNCTION + "Doc: x", "4:5 WG010 unknown key 'Doc' | did you mean 'doc'?"),
        (
            FUNCTION + "return: i64",
            """4:5 WG010 unknown key 'return' | it is a part of the signature: def: "open(path: text) -> File\"""",
        ),
        (FUNCTION + "args: []", "4:5 WG010 unknown key 'args' | did you mean 'params'?"),
        (FUNCTION + "cppp: f", "4:5 WG010 unknown key 'cppp' | did you mean 'cpp'?"),
        (
            LIB + "functions: [{def: f(), cpp_: g}]\n",
            "2:24 WG010 unknown key 'cpp_' | did you mean 'cpp'?",
        ),
        (
            FUNCTION + "params: {n: {dco: how many}}",
            "4:18 WG010 unknown key 'dco' | did you mean 'doc'?",
        ),
        (
            "wrapper_lib: {name: x, requires: [{pyhton: z, dirs: a}]}\n",
            "1:36 WG010 unknown key 'pyhton' | did you mean 'python'?",
        ),
        # wrong types
        (
            "wrapper_lib: [x]\n",
            "1:14 WG011 expected a mapping, found a list | for example wrapper_lib: {name: cuda}",
        ),
        (
            "wrapper_lib:\n",
            "1:1 WG011 expected a mapping, found nothing | for example wrapper_lib: {name: cuda}",
        ),
        ("wrapper_lib: {name: 5}\n", '1:21 WG011 expected a string, found a number | quote it: name: "5"'),
        ("wrapper_lib: {name: True}\n", '1:21 WG011 expected a string, found a boolean | quote it: name: "True"'),
        ("wrapper_lib: {name: ~}\n", "1:21 WG011 expected a string, found nothing | for example name: cuda"),
        (
            "wrapper_lib: {name: x, version: [1]}\n",
            '1:33 WG011 expected a string or a number, found a list | quote it: version: "[1]"',
        ),
        (
            "wrapper_lib: {name: x, link: [a, 1.50]}\n",
            '1:34 WG011 expected a string, found a number | quote it: - "1.50"',
        ),
        (
            "wrapper_lib: {name: x, std: '17'}\n",
            "1:29 WG011 expected a whole number, found a string | write it without quotes: std: 17",
        ),
        (
            "wrapper_lib: {name: x, std: c++17}\n",
            "1:29 WG011 expected a whole number, found a string | for example std: 17",
        ),
        (
            FUNCTION + "raises: [i64]",
            '4:13 WG011 expected a string, found a list | quote it: raises: "[i64]"',
        ),
        (
            FUNCTION + "raises: &mut [f32]",
            '4:13 WG011 expected a string, found a list | quote it: raises: "&mut [f32]"',
        ),
        (
            FUNCTION + "cpp: {return 1;}",
            '4:11 WG011 expected a string, found nothing | quote code that is in braces: "{return 1;}"',
        ),
        (
            FUNCTION + "params: [{name: x, type: i64}]",
            "4:13 WG011 expected a mapping, found a list | "
            'for example params: {size: "in bytes", return: "what was read"}',
        ),
        (
            FUNCTION + "blocking: 'yes'",
            "4:15 WG013 blocking 'yes' is not supported: it can be true, false or overridden | "
            "write blocking: true or blocking: false, without quotes",
        ),
        (
            FUNCTION + "blocking: 1",
            "4:15 WG011 expected true or false or a string, found a number | "
            "write blocking: true; it can be true, false or overridden",
        ),
        (
            FUNCTION + "doc: {a: 1}",
            '4:10 WG011 expected a string, found a mapping | quote it: doc: "{a: 1}"',
        ),
        (
            "wrapper_lib: {name: x, shutdown: {call: end()}}\n",
            '1:34 WG011 expected a string, found a mapping | quote it: shutdown: "{call: end()}"',
        ),
        (
            "wrapper_lib: {name: x, shutdown: {value}}\n",
            '1:34 WG011 expected a string, found a mapping | quote it: shutdown: "{value}"',
        ),
        (
            LIB + "functions:\n  -\n",
            "3:3 WG011 expected a mapping, found nothing | "
            'for example - {def: "device_count() -> i32", cpp: get_device_count}',
        ),
        (
            LIB + "enums: {name: X}\n",
            "2:8 WG011 expected a list, found a mapping | for example enums: "
            "[{name: CopyKind, cpp_type: cudaMemcpyKind, values: {HOST_TO_DEVICE: cudaMemcpyHostToDevice}}]",
        ),
        (
            LIB + "enums: [{name: X, cpp_type: Y, values: {A: 1.5}}]\n",
            '2:44 WG011 expected a string or a whole number, found a number | quote it: A: "1.5"',
        ),
        (
            "wrapper_lib: {name: x, link: [a, ~]}\n",
            "1:34 WG011 expected a string, found nothing | write a string here",
        ),
        (
            FUNCTION + "belongs_to: [{a: 1}]",
            '4:18 WG011 expected a string, found a mapping | quote it: - "{a: 1}"',
        ),
        # missing keys
        ("functions: []\n", "1:1 WG012 missing key 'wrapper_lib' | begin the spec with wrapper_lib: {name: lib}"),
        ("wrapper_lib:\n  version: 1\n", "2:3 WG012 missing key 'name' | add name: cuda"),
        ("wrapper_lib: {}\n", "1:14 WG012 missing key 'name' | add name: cuda"),
        (
            LIB + "methods: [{doc: f}]\n",
            "2:11 WG012 one of 'def' and 'entries' is missing | "
            'for example {def: "CudaStream.is_done() -> bool", cpp: query}',
        ),
        (
            "wrapper_lib: {name: x, requires: [{python: torch}]}\n",
            "1:35 WG012 missing key 'dirs' | add dirs: [include, lib]",
        ),
        # values
        (
            "wrapper_lib: {name: x, lang: rust}\n",
            "1:30 WG013 lang 'rust' is not supported: it can be cpp or c | a library in another language is wrapped "
            'through C: let it export functions as extern "C", write a header for them, and say lang: c',
        ),
        (
            "wrapper_lib: {name: x, lang: C}\n",
            "1:30 WG013 lang 'C' is not supported: it can be cpp or c | did you mean 'c'?",
        ),
        (
            "wrapper_lib: {name: x, std: 14}\n",
            "1:29 WG013 std '14' is not supported: it can be 17, 20 or 23 | for example std: 17",
        ),
        (
            FUNCTION + "blocking: overriden",
            "4:15 WG013 blocking 'overriden' is not supported: it can be true, false or overridden"
            " | did you mean 'overridden'?",
        ),
    ],
)
def test_one_mistake(shape: Check, text: str, expected: str) -> None:
    assert [shown(d) for d in shape(text)] == [expected]


def test_many_mistakes_come_in_order_of_position(shape: Check) -> None:
    text = "functions:\n  - {dfe: f}\n  - def: 1\n    x: 1\n    y: 2\nwrapper_lib: {lang: d}\n"
    found = [(d.code, d.span.line, d.span.column) for d in shape(text)]
    assert found == [
        ("WG010", 2, 6),
        ("WG011", 3, 10),
        ("WG010", 4, 5),
        ("WG010", 5, 5),
        ("WG012", 6, 14),
        ("WG013", 6, 21),
    ]


def test_a_mistake_of_many_items_is_reported_for_each(shape: Check) -> None:
    good = "  - {def: f(), params: {a: {doc: x}}}\n"
    bad = "  - {def: f(), params: {a: {doc: x}, b: {doc: 5}}, doc: x}\n"
    found = shape(LIB + "functions:\n" + (good * 9 + bad) * 20)
    assert [(d.span.line, d.span.column) for d in found] == [(12 + 10 * n, 47) for n in range(20)]


def test_items_of_one_shape_differ_in_their_words(shape: Check) -> None:
    found = shape(LIB + "functions: [{def: 1}, {def: 2}, {def: true}]\n")
    assert [d.hint for d in found] == [f'quote it: def: "{word}"' for word in ("1", "2", "true")]


def test_items_of_one_shape_differ_in_restricted_values(shape: Check) -> None:
    item = "{{name: A, cpp_type: A, thread: {}}}"
    found = shape(LIB + f"handle_types: [{', '.join(item.format(who) for who in ('any', 'x', 'exclusive'))}]\n")
    assert [d.message for d in found] == ["thread 'x' is not supported: it can be exclusive or any"]


def test_a_mistake_in_an_aliased_value_is_reported_where_it_stands(shape: Check) -> None:
    found = shape(FUNCTION + "params: &p {x: {doc: 1}}\n  - {def: g(), params: *p}\n")
    assert [(d.code, d.span.line, d.span.column) for d in found] == [("WG011", 4, 26)]


# --- the schema itself ---


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)


def schemas(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every schema in this one."""
    yield schema
    for inner in [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values()]:
        yield from schemas(inner)
    for keyword in ("items", "additionalProperties"):
        if isinstance(schema.get(keyword), dict):
            yield from schemas(schema[keyword])


def test_the_schema_says_only_what_has_words() -> None:
    """A keyword that `schema_errors` does not know would be a mistake without a diagnostic."""
    silent = {
        "$schema",
        "$defs",
        "$ref",
        "title",
        "description",
        "default",
        "examples",
        "properties",
        "items",
    }
    worded = {"type", "enum", "required", "additionalProperties", "oneOf", "anyOf", "dependentRequired"}
    assert {keyword for schema in schemas(SCHEMA) for keyword in schema} <= silent | worded


def test_every_key_is_described() -> None:
    keys = [
        (key, about | (SCHEMA["$defs"][about["$ref"].split("/")[-1]] if "$ref" in about else {}))
        for schema in schemas(SCHEMA)
        for key, about in schema.get("properties", {}).items()
    ]
    assert len(keys) > 60
    assert [key for key, about in keys if not about.get("description", "").endswith(".")] == []


def test_unknown_keys_are_refused_everywhere() -> None:
    objects = [schema for schema in schemas(SCHEMA) if "properties" in schema]
    assert len(objects) > 8 and all(schema["additionalProperties"] is False for schema in objects)


def test_words_are_texts() -> None:
    """Whatever else is there is of a wrong type, before it is a wrong word."""
    words = [schema for schema in schemas(SCHEMA) if isinstance(schema.get("enum"), list)]
    assert len(words) > 8 and all("type" in schema for schema in words)


@pytest.mark.parametrize("name", [name for name, about in SCHEMA["$defs"].items() if "examples" in about])
def test_examples_are_right(name: str) -> None:
    validator = Draft202012Validator({**SCHEMA["$defs"][name], "$defs": SCHEMA["$defs"]})
    for inner in schemas(SCHEMA["$defs"][name]):
        for example in inner.get("examples", []):
            Draft202012Validator({**inner, "$defs": SCHEMA["$defs"]}).validate(example)
    for example in SCHEMA["$defs"][name]["examples"]:
        validator.validate(example)


# --- any data at all ---

KEYS = st.sampled_from(
    ["name", "belongs_to", "type", "params", "doc", "takes", "handle", "values", "ok", "lang", "requires", "x"]
)
SCALARS = st.sampled_from([None, True, 0, 1.5, "", "take", "cpp"])
DATA = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
SECTIONS = st.sampled_from(["wrapper_lib", "functions", "methods", "enums", "errors", "handle_types", "y"])


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(SECTIONS, DATA, min_size=1, max_size=4))
def test_the_verdict_is_the_schemas(tmp_path_factory: pytest.TempPathFactory, data: dict[str, Any]) -> None:
    path = tmp_path_factory.getbasetemp() / "any.wrapper_spec"
    path.write_text(json.dumps(data), encoding="utf-8")
    found = check(read_document(path, "any.wrapper_spec")).findings
    assert bool(found) == bool(list(Draft202012Validator(SCHEMA).iter_errors(data)))
    assert all(d.hint for d in found)
