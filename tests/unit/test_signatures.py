"""A `def` is another way to write an entry: whatever form it has, the same function is resolved."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.test_types import LEAVES, containers
from wrapper_gen import dump, pipeline
from wrapper_gen.diagnostics import SpecError
from wrapper_gen.model import Named
from wrapper_gen.types.model import (
    Bytes,
    EnumRef,
    Kind,
    List,
    Map,
    Optional,
    Scalar,
    SpanOf,
    Text,
    Tuple,
    Type,
    Union,
    Void,
)
from wrapper_gen.types.queries import handle_of, walk
from wrapper_gen.types.scalars import limits

HEAD = """\
wrapper_lib: {name: demo}
enums:
  - {name: Color, cpp_type: unsigned, flags: true, values: {RED: 1, GREEN: 2, BLUE: 4}}
handle_types:
  - {name: Canvas, cpp_type: canvas}
structs:
  - {name: Point, cpp_type: point, fields: {x: f64}}
errors:
  - {cpp_type: status, ok: 0}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("signatures")


def functions(folder: Path, text: str) -> list[Any]:
    """The functions and methods that a spec with these sections comes to, without their places."""
    spec = folder / "spec.wrapper_spec"
    spec.write_text(HEAD + text, encoding="utf-8")
    module, _ = pipeline.read(spec, "spec.wrapper_spec")
    return [_without_places(dump.plain(each)) for each in module.callables]


def _without_places(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_places(each) for key, each in value.items() if key not in ("span", "literal")}
    return [_without_places(each) for each in value] if isinstance(value, list) else value


PAIRS = [
    ("def: open(), cpp_fn: f", "name: open, cpp_fn: f"),
    ("def: open(), cpp_fn: f", "name: open, cpp_fn: f, params: [], return: void"),
    ("def: open() -> i64, cpp_fn: f", "name: open, cpp_fn: f, return: i64"),
    ('def: "open()->i64?", cpp_fn: f', 'name: open, cpp_fn: f, return: "i64?"'),
    ("def: open(  ) -> void, cpp_fn: f", "name: open, cpp_fn: f"),
    ('def: "open(a: i64)", cpp_fn: f', "name: open, cpp_fn: f, params: [{name: a, type: i64}]"),
    ('def: "open(a:i64,)", cpp_fn: f', "name: open, cpp_fn: f, params: [{name: a, type: i64}]"),
    (
        'def: "open(a: i64, b: [text] = []) -> {text: [i64]}", cpp_fn: f',
        'name: open, cpp_fn: f, params: [{name: a, type: i64}, {name: b, type: "[text]", default: []}], '
        'return: "{text: [i64]}"',
    ),
    (
        "def: \"open(a: i64 | text = 1, b: (i64, text) = (1, 'a'))\", cpp_fn: f",
        "name: open, cpp_fn: f, params: "
        '[{name: a, type: "i64 | text", default: 1}, {name: b, type: "(i64, text)", default: [1, a]}]',
    ),
    (
        'def: "paint(c: Color = RED | Color.BLUE)", cpp_fn: f',
        "name: paint, cpp_fn: f, params: [{name: c, type: Color, default: RED | BLUE}]",
    ),
    (
        'def: "paint(c: Color = Color.GREEN)", cpp_fn: f',
        "name: paint, cpp_fn: f, params: [{name: c, type: Color, default: Color.GREEN}]",
    ),
    (
        "def: \"paint(c: {Color: i64} = {Color.RED: 1}, d: {i64: text} = {-1: 'x'})\", cpp_fn: f",
        'name: paint, cpp_fn: f, params: [{name: c, type: "{Color: i64}", default: {RED: 1}}, '
        '{name: d, type: "{i64: text}", default: {"-1": x}}]',
    ),
    (
        'def: "take(c: Canvas, xs: &mut [f64])", params: {c: {mode: take, doc: gone}}, cpp_fn: f',
        "name: take, cpp_fn: f, params: [{name: c, type: Canvas, mode: take, doc: gone}, "
        '{name: xs, type: "&mut [f64]"}]',
    ),
    (
        'def: "copy(c: Canvas) -> Canvas?", keep_alive: c, cpp_fn: f, doc: d, return_doc: r, blocking: true',
        'name: copy, params: [{name: c, type: Canvas}], return: "Canvas?", keep_alive: c, cpp_fn: f, doc: d, '
        "return_doc: r, blocking: true",
    ),
    (
        'def: "wait(a: i64, b: i64, c: i64)", params: {a: in ms, b: {doc: in s}, c: }, cpp_fn: f',
        "name: wait, params: [{name: a, type: i64, doc: in ms}, {name: b, type: i64, doc: in s}, "
        "{name: c, type: i64}], cpp_fn: f",
    ),
    ("def: w(), raises: DemoError, cpp: f", "name: wait, raises: DemoError, cpp_fn: f, py_name: w"),
    ("def: count() -> i64, stub: 0, cpp_fn: f", "name: count, return: i64, stub: 0, cpp_fn: f"),
    (
        "def: 'say(a: text = \"it''s\", b: bytes = b\"\\x41\", c: f64? = None, d: bool = true)', cpp_fn: f",
        'name: say, cpp_fn: f, params: [{name: a, type: text, default: "it\'s"}, {name: b, type: bytes, default: A}, '
        '{name: c, type: "f64?", default: null}, {name: d, type: bool, default: true}]',
    ),
    ("def: run()", "name: run, cpp_fn: run"),
]


@pytest.mark.parametrize(("short", "long"), PAIRS)
def test_both_forms_are_the_same_function(short: str, long: str, folder: Path) -> None:
    section = "functions:\n  - {{{}}}\n"
    assert functions(folder, section.format(short)) == functions(folder, section.format(long))


METHODS = [
    ("def: Canvas.clear()", "handle: Canvas, name: clear, cpp_method: clear"),
    ("def: Canvas.width -> i64", "handle: Canvas, name: width, return: i64, property: true, cpp_method: width"),
    ("def: Canvas.width() -> i64", "handle: Canvas, name: width, return: i64, cpp_method: width"),
    (
        'def: "Canvas.at(x: i64, y: i64 = 0) -> Color", cpp_body: return 1;',
        "handle: Canvas, name: at, params: [{name: x, type: i64}, {name: y, type: i64, default: 0}], return: Color, "
        "cpp_body: return 1;",
    ),
]


@pytest.mark.parametrize(("short", "long"), METHODS)
def test_both_forms_are_the_same_method(short: str, long: str, folder: Path) -> None:
    section = "methods:\n  - {{{}}}\n"
    expected = functions(folder, section.format(long))
    assert functions(folder, section.format(short)) == expected
    inside = "handle_types:\n  - name: Canvas\n    cpp_type: canvas\n    methods:\n      - {{{}}}\n"
    head = HEAD.replace("handle_types:\n  - {name: Canvas, cpp_type: canvas}\n", "")
    for entry in (short, short.replace("Canvas.", ""), long.replace("handle: Canvas, ", "")):
        spec = folder / "inside.wrapper_spec"
        spec.write_text(head + inside.format(entry), encoding="utf-8")
        module, _ = pipeline.read(spec, "inside.wrapper_spec")
        assert [_without_places(dump.plain(each)) for each in module.callables] == expected


NAMING = [
    ("", "", "def: set_value()", "set_value", False),
    ("cpp_case: snake", "", "def: set_value()", "set_value", False),
    ("cpp_case: pascal", "", "def: set_value()", "SetValue", False),
    ("cpp_case: camel", "", "def: set_value()", "setValue", False),
    ("cpp_prefix: lib_", "", "def: set_value()", "lib_set_value", False),
    ("cpp_prefix: demo_", "", "def: demo_set_value()", "demo_set_value", False),
    ('cpp_case: pascal, cpp_prefix: "geo::"', "", "def: set_value()", "geo::SetValue", False),
    ("cpp_prefix: lib_", "", "def: set_value(), cpp_fn: other", "other", False),
    ("", "", "def: Canvas.set_value()", "set_value", True),
    ("cpp_prefix: lib_, cpp_case: camel", "", "def: Canvas.set_value()", "setValue", True),
    ("", "cpp_prefix: canvas_", "def: Canvas.set_value()", "canvas_set_value", False),
    ("lang: c, cpp_prefix: lib_", "", "def: Canvas.set_value()", "lib_set_value", False),
    ("lang: c, cpp_prefix: lib_", "cpp_prefix: canvas_", "def: Canvas.set_value()", "canvas_set_value", False),
    ("", "cpp_prefix: canvas_", "def: Canvas.set_value(), cpp_method: other", "other", True),
]


@pytest.mark.parametrize(("library", "handle", "entry", "name", "is_member"), NAMING)
def test_what_an_entry_without_implementation_stands_for(
    library: str, handle: str, entry: str, name: str, is_member: bool, folder: Path
) -> None:
    spec = folder / "naming.wrapper_spec"
    spec.write_text(
        f"wrapper_lib: {{name: demo, {library}}}\nhandle_types:\n  - {{name: Canvas, cpp_type: canvas, {handle}}}\n"
        f"{'methods' if 'Canvas' in entry else 'functions'}:\n  - {{{entry}}}\n",
        encoding="utf-8",
    )
    module, _ = pipeline.read(spec, "naming.wrapper_spec")
    (function,) = module.callables
    assert isinstance(function.implementation, Named)
    assert (function.implementation.name.text, function.implementation.is_member) == (name, is_member)


# --- any entry of the first edition ----------------------------------------------------------------------------------

TEXT = st.text("aé漢 \n\t\"'\\$:,|=#(){}[]", max_size=8)
Default = tuple[str, str]
"""A value as YAML writes it, and as a signature does."""


def _quoted(text: str) -> Default:
    return json.dumps(text, ensure_ascii=False), repr(text)


def _colors(members: list[str]) -> Default:
    return " | ".join(members), " | ".join(f"Color.{each}" for each in members)


def _number(value: float) -> Default:
    text = f"{value!r}".replace("inf", ".inf").replace("nan", ".nan")
    return text, text


@lru_cache
def defaults(type_: Type) -> st.SearchStrategy[Default] | None:
    """Values of a type in both forms; None where a spec has no words for them."""
    match type_:
        case Scalar(kind=Kind.BOOL):
            return st.sampled_from([("true", "True"), ("false", "false")])
        case Scalar(kind=Kind.FLOAT):
            return st.floats(width=32).map(_number)
        case Scalar():
            low, high = limits(type_) or (0, 0)
            return st.integers(low, high).map(lambda value: (str(value), str(value)))
        case Text() | Bytes():
            return TEXT.map(_quoted)
        case EnumRef():
            members = st.lists(st.sampled_from(["RED", "GREEN", "BLUE"]), min_size=1, unique=True)
            return st.one_of(members.map(_colors), st.just(("GREEN", "GREEN")))
        case Optional(of):
            inner = defaults(of)
            nothing = st.sampled_from([("null", "None"), ("null", "null")])
            return nothing if inner is None else st.one_of(nothing, inner)
        case List(element):
            inner = defaults(element)
            return None if inner is None else st.lists(inner, max_size=3).map(lambda items: _listed(items, "[", "]"))
        case Tuple(items):
            each = [defaults(item) for item in items]
            if any(found is None for found in each):
                return None
            return st.tuples(*each).map(lambda found: _listed(list(found), "(", ",)"))
        case Map(Text(), value):
            inner = defaults(value)
            return None if inner is None else st.dictionaries(TEXT, inner, max_size=2).map(_mapped)
        case Union(alternatives) if not any(isinstance(each, EnumRef) for each in walk(type_)):
            return next((found for each in alternatives if (found := defaults(_present(each))) is not None), None)
        case _:
            return None


def _present(type_: Type) -> Type:
    """A union has no null, also where an alternative has."""
    return type_.of if isinstance(type_, Optional) else type_


def _listed(items: list[Default], opening: str, closing: str) -> Default:
    return f"[{', '.join(y for y, _ in items)}]", f"{opening}{', '.join(d for _, d in items)}{closing}"


def _mapped(found: dict[str, Default]) -> Default:
    keys = {key: _quoted(key) for key in found}
    yaml = ", ".join(f"{keys[key][0]}: {value[0]}" for key, value in found.items())
    return f"{{{yaml}}}", f"{{{', '.join(f'{keys[key][1]}: {value[1]}' for key, value in found.items())}}}"


TYPES = st.recursive(LEAVES, containers, max_leaves=4)
PARAMETERS = st.one_of(TYPES, st.sampled_from([SpanOf(Scalar.F64, False), SpanOf(Scalar.U8, True)]))


@st.composite
def entries(draw: st.DrawFn) -> tuple[str, str]:
    """An entry as a `def`, and in the long form."""
    types = draw(st.lists(PARAMETERS, max_size=4))
    first_default = draw(st.integers(0, len(types)))
    listed, signature, about = [], [], []
    for i, type_ in enumerate(types):
        name = f"p{i}"
        keys, text = [f"name: {name}", f"type: {json.dumps(str(type_))}"], f"{name}: {type_}"
        values = defaults(type_)
        if all(defaults(each) is not None for each in types[first_default:]) and i >= first_default:
            assert values is not None
            yaml, written = draw(values)
            keys.append(f"default: {yaml}")
            text += f" = {written}"
        more = [f"doc: {json.dumps(draw(TEXT), ensure_ascii=False)}"] if draw(st.booleans()) else []
        more += ["mode: take"] if handle_of(type_) is not None and draw(st.booleans()) else []
        listed.append(f"{{{', '.join(keys + more)}}}")
        signature.append(text)
        about += [f"{name}: {{{', '.join(more)}}}"] if more else []
    returns = draw(st.one_of(st.just(Void()), TYPES))
    arrow = "" if isinstance(returns, Void) and draw(st.booleans()) else f" -> {returns}"
    rest = 'cpp_body: "return;"'
    written = json.dumps(f"f({', '.join(signature)}){arrow}", ensure_ascii=False)
    short = f"{{def: {written}, params: {{{', '.join(about)}}}, {rest}}}"
    return short, f"{{name: f, params: [{', '.join(listed)}], return: {json.dumps(str(returns))}, {rest}}}"


@given(entry=entries())
@settings(max_examples=60)
def test_any_entry_is_the_same_function_as_a_def(entry: tuple[str, str], folder: Path) -> None:
    short, long = (functions(folder, f"functions:\n  - {text}\n") for text in entry)
    assert short == long


# --- places ----------------------------------------------------------------------------------------------------------


def _styles(signature: str) -> Iterator[str]:
    yield json.dumps(signature, ensure_ascii=False)
    yield "'" + signature.replace("'", "''") + "'"
    yield "|\n      " + signature
    yield ">-\n      " + signature.replace(", ", ",\n      ")
    yield '"' + json.dumps(signature, ensure_ascii=False)[1:-1].replace(", ", ", \\\n        ") + '"'


@settings(max_examples=40)
@given(texts=st.lists(TEXT, min_size=1, max_size=3), style=st.integers(0, 4))
def test_a_mistake_is_found_where_it_stands(texts: list[str], style: int, folder: Path) -> None:
    """Whatever quotes, escapes and lines stand before it."""
    before = "".join(f"p{i}: text = {text!a}, " for i, text in enumerate(texts))
    written = list(_styles(f"f({before}wrong: txet? = None) -> i64"))[style]
    spec = folder / "wrong.wrapper_spec"
    spec.write_text(f"{HEAD}functions:\n  - cpp_fn: f\n    def: {written}\n", encoding="utf-8")
    with pytest.raises(SpecError) as error:
        pipeline.read(spec, "wrong.wrapper_spec")
    (found,) = error.value.diagnostics
    line = spec.read_text(encoding="utf-8").split("\n")[found.span.line - 1]
    assert (found.code, line[found.span.column - 1 : found.span.end_column - 1]) == ("WG030", "txet")


PIECES = st.sampled_from(
    [
        *(
            "f",
            "Canvas",
            ".",
            "(",
            ")",
            "a",
            "b",
            ":",
            ": ",
            ",",
            "=",
            "->",
            "i64",
            "text",
            "Color",
            "[",
            "]",
            "{",
            "}",
        ),
        *(
            "?",
            "|",
            "&",
            "&mut [f64]",
            "*",
            "/",
            "**",
            "self",
            "RED",
            "1",
            "-1.5",
            "1_0",
            "0x1",
            ".inf",
            "'",
            '"',
            "'a'",
        ),
        *(
            'b"a"',
            "'\\x4",
            "'\\u12345'",
            "None",
            "True",
            "set[i64]",
            "std::vector<int>",
            "$T",
            "$",
            "\\",
            "\n",
            " ",
            "é",
        ),
    ]
)


@settings(max_examples=40)
@given(st.lists(PIECES, max_size=12).map("".join), st.booleans(), st.booleans())
def test_whatever_a_def_says_is_read_or_explained(folder: Path, text: str, in_a_method: bool, in_a_for: bool) -> None:
    entry = f"{{{'for: {T: [i64, text]}, ' * in_a_for}def: {json.dumps(text, ensure_ascii=False)}, cpp_body: x}}"
    try:
        functions(folder, f"{'methods' if in_a_method else 'functions'}: [{entry}]\n")
    except SpecError as error:
        for found in error.diagnostics:
            assert found.hint and found.span.line == HEAD.count("\n") + 1


# --- for -------------------------------------------------------------------------------------------------------------


def test_an_entry_with_a_for_is_what_it_would_be_written_out(folder: Path) -> None:
    short = """\
functions:
  - for: {T: [f32, f64], n: [1, 2]}
    def: "scale_${T}_$n(x: $T, by: $T = $n) -> $T"
    doc: Of $T; $$n is not $n.
    cpp_fn: "[]($T x, $T by) { return x * by; }"
  - for: [{name: low, op: <}, {name: high, op: ">"}]
    entries:
      - {name: $name, cpp_body: return a $op b;, params: [{name: a, type: i64}, {name: b, type: i64}], return: bool}
      - for: {U: [i8]}
        name: ${name}_$U
        cpp_fn: $name<$U>
        params: [{name: more, type: [$U], default: [$U_one, 2]}]
        blocking: $yes
"""
    short = short.replace("$U_one", "1").replace("$yes", "true")
    long = "functions:\n"
    for t in ("f32", "f64"):
        for n in (1, 2):
            long += (
                f"  - {{name: scale_{t}_{n}, params: [{{name: x, type: {t}}}, {{name: by, type: {t}, default: {n}}}], "
                f'return: {t}, doc: Of {t}; $n is not {n}., cpp_fn: "[]({t} x, {t} by) {{ return x * by; }}"}}\n'
            )
    for name, op in (("low", "<"), ("high", ">")):
        long += (
            f"  - {{name: {name}, params: [{{name: a, type: i64}}, {{name: b, type: i64}}], return: bool, "
            f'cpp_body: "return a {op} b;"}}\n'
            f"  - {{name: {name}_i8, cpp_fn: {name}<i8>, params: [{{name: more, type: [i8], default: [1, 2]}}], "
            f"blocking: true}}\n"
        )
    assert functions(folder, short) == functions(folder, long)


@pytest.mark.trial("for-within-entries")
def test_a_for_within_entries_of_handle_types(folder: Path) -> None:
    short = """\
handle_types:
  - for: {T: [f32, i8]}
    entries:
      - name: Row_$T
        cpp_type: std::vector<$T>
        methods:
          - {def: "Row_$T()"}
          - for: {F: [size, capacity]}
            def: "$F() -> usize"
          - for: {F: [sum, last]}
            entries:
              - {def: "$F() -> $T", cpp_fn: "$F<$T>"}
      - {name: View_$T, cpp_type: view<$T>}
structs:
  - for: {T: [f32, i8]}
    entries: [{name: "Pair_$T", cpp_type: "pair<$T>", fields: {a: $T, b: $T}}]
"""
    long = "handle_types:\n"
    for t in ("f32", "i8"):
        own = [f'{{def: "Row_{t}()"}}', *(f'{{def: "{f}() -> usize"}}' for f in ("size", "capacity"))]
        own += [f'{{def: "{f}() -> {t}", cpp_fn: "{f}<{t}>"}}' for f in ("sum", "last")]
        long += f'  - {{name: Row_{t}, cpp_type: "std::vector<{t}>", methods: [{", ".join(own)}]}}\n'
        long += f'  - {{name: View_{t}, cpp_type: "view<{t}>"}}\n'
    long += "structs:\n"
    for t in ("f32", "i8"):
        long += f'  - {{name: Pair_{t}, cpp_type: "pair<{t}>", fields: {{a: {t}, b: {t}}}}}\n'
    made = []
    for text in (short, long):
        spec = folder / "spec.wrapper_spec"
        spec.write_text(f"wrapper_lib: {{name: demo}}\n{text}", encoding="utf-8")
        module, _ = pipeline.read(spec, "spec.wrapper_spec")
        found = (*module.handles, *module.structs, *module.callables)
        made.append([_without_places(dump.plain(each)) for each in found])
    assert made[0] == made[1]


def test_values_of_a_for_are_read_as_if_they_were_written_there(folder: Path) -> None:
    """`$d` without quotes may stand for a number or true, in quotes it is text."""
    short = """\
functions:
  - for: [{T: i64, d: 7, l: true}, {T: bool, d: true, l: false}, {T: text, d: '"7"', l: ~x}]
    def: "f_$T(x: $T = $d)"
    cpp_fn: f
  - for: [{T: i64, d: 7}, {T: bool, d: true}]
    name: g_$T
    params: [{name: x, type: $T, default: $d}, {name: y, type: text, default: "$d"}]
    cpp_fn: g
"""
    found = functions(folder, short)
    assert [f["parameters"][0]["default"] for f in found] == [7, True, "7", 7, True]
    assert [f["parameters"][1]["default"] for f in found[3:]] == ["7", "true"]


ANY = st.recursive(
    st.sampled_from(["$T", "${U}", "f", "i64", "$$", "${", 1, True, None, "a $T b"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["T", "U", "for", "entries", "def", "name", "params", "$T"]), inner, max_size=3
        )
    ),
    max_leaves=8,
)


@settings(max_examples=40)
@given(ANY, ANY)
def test_whatever_a_for_says_is_read_or_explained(folder: Path, rows: object, entry: object) -> None:
    text = json.dumps([{"for": rows, "def": "f_$T() -> i64", "doc": entry}, {"for": rows, "entries": entry}])
    try:
        functions(folder, f"functions: {text}\nmethods: {json.dumps(entry)}\n")
    except SpecError as error:
        assert all(found.hint for found in error.diagnostics)


def test_copies_are_counted(folder: Path) -> None:
    """Rows multiply in lists within lists; what that comes to is refused before it is made."""
    rows = "{" + ", ".join(f"v{i}: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]" for i in range(3)) + "}"
    inner = rows.replace("v", "w")
    text = f'functions:\n  - for: {rows}\n    entries:\n      - {{for: {inner}, def: "f()", cpp_fn: f}}\n'
    with pytest.raises(SpecError, match="WG076 the entries of `for` here have more than 200,000 values"):
        functions(folder, text)
