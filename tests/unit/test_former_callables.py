"""What becomes of the section `callbacks`, and of what was said of callables beside their types."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.test_former_rules import migrated
from wrapper_gen.spec.former.migrate import migrate

LIB = "wrapper_lib: {name: demo}\n"
CALLBACK = LIB + "callbacks:\n  - {name: F, %s}\n"
TYPE = LIB + "types:\n  - {name: F, %s}\n"
ENTRY = LIB + "functions:\n  - {%s}\n"
STRUCT = LIB + "structs:\n  - {name: S, cpp_type: s, %s}\n"
SPREAD = 'params: [{role: context, name: c}, {role: length, of: x}, {name: x, type: "[f64]", spread: true}]'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("scope: call", "type: fn(), scope: call"),
        ("params: [{name: n, type: i64}], return: bool", 'type: "fn(n: i64) -> bool"'),
        ("params: [{name: n, type: [i64]}, {role: user_data}]", 'type: "fn(n: [i64])", cpp: "(n, user_data)"'),
        ("params: [{name: n, type: i64}], user_data: first", 'type: "fn(n: i64)", cpp: "(user_data, n)"'),
        ("params: [{name: n, type: i64}], user_data: last", 'type: "fn(n: i64)", cpp: "(n, user_data)"'),
        (
            "params: [{role: context, name: c}, {role: context, name: d}, {role: context}], user_data: c->u",
            'type: fn(), cpp: "(c, _, _)", user_data: c->u',
        ),
        (f"{SPREAD}, result: c->x = value", 'type: "fn(*x: f64)", cpp: "(c, x.size(), x)", result: c->x = value'),
        (
            "params: [out, {name: size, type: usize}], out: {capacity: size, length: result}, return: bytes",
            'type: "fn(size: usize) -> bytes", cpp: "(out, size)", capacity: size, result: value.size()',
        ),
        (
            'params: [out, out, {role: capacity}], out: {length: capacity}, return: "(i64, text)"',
            'type: "fn() -> (i64, text)", cpp: "(&out, out, &capacity)"',
        ),
        (
            'params: [out, out, {role: capacity}], out: {length: result}, return: "(i64, text)"',
            'type: "fn() -> (i64, text)", cpp: "(&out, out, capacity)", result: std::get<1>(value).size()',
        ),
        (
            "params: [{name: size, type: usize}, out], out: {capacity: size, length: size}, return: bytes",
            'type: "fn(size: usize) -> bytes", cpp: "(&size, out)", capacity: size',
        ),
        (
            "params: [out, {role: capacity}], out: {length: nul}, return: text",
            'type: fn() -> text, cpp: "(out, capacity)"',
        ),
        (
            'params: [{role: length, of: [a, b]}, {name: a, type: bytes}, {name: b, type: "[text]"}]',
            'type: "fn(a: bytes, b: [text])", cpp: "(count, a, b)", length: {a: count, b: count}',
        ),
        (
            "params: [{role: length, of: a, name: n}, {name: a, type: bytes}], on_exception: n",
            'type: "fn(a: bytes)", cpp: "(n, a)", length: {a: n}, on_exception: n',
        ),
        ("params: [{role: error}], called_on: any", "type: fn(), cpp: (&error), thread: any"),
        (
            "params: [{role: error, copy: strdup(value)}], on_exception: -1",
            "type: fn(), cpp: (message), on_exception: "
            '"(message ? static_cast<void>(*message = strdup(error)) : void(), -1)"',
        ),
        ("params: [{name: out, type: i64}], doc: x", 'doc: x, type: "fn(out: i64)"'),
    ],
)
def test_a_callback_becomes_a_type(tmp_path: Path, before: str, after: str) -> None:
    assert migrated(tmp_path, CALLBACK % before) == TYPE % after


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("params: [out, {role: capacity}], out: {}, return: text", "ends with a NUL"),
        ("params: [out, {role: capacity}], out: {length: nul}, return: bytes", "text alone"),
        ("params: [out, {role: capacity}], out: {length: end}, return: bytes", "'end' does not say"),
        ("params: [{role: error, copy: f(value)}], raises: E, on_exception: 1", "a status is no text"),
        ("params: [{name: out, type: i64}, out], return: i64", "`out` in the list"),
        ("params: [{name: n, type: i64, spread: true}]", "i64 is no list"),
        ("params: [size]", "'size' says nothing"),
    ],
)
def test_a_callback_that_a_person_writes(tmp_path: Path, said: str, why: str) -> None:
    path = tmp_path / "a.wrapper_spec"
    path.write_text(CALLBACK % said, encoding="utf-8")
    made = migrate(path, path.name)
    assert "type: TODO" in made.after
    assert len(made.undecided) == 1
    assert why in made.undecided[0]


@pytest.mark.parametrize(
    ("spec", "before", "after"),
    [
        (ENTRY, 'def: "f(g: fn())", params: {g: {scope: call}}', 'def: "f(g: fn())", scope: call'),
        (ENTRY, 'def: "f(g: fn())", params: {g: {on_exception: -1}}', 'def: "f(g: fn())", on_exception: -1'),
        (ENTRY, 'def: "f(g: fn())", params: {g: {called_on: any}}', 'def: "f(g: fn())", thread: {g: any}'),
        (ENTRY, 'def: "f(g: fn())", params: {g: {called_on: caller}}, doc: x', 'def: "f(g: fn())", doc: x'),
        (
            ENTRY,
            'def: "f(g: fn(), h: fn())", params: {g: {scope: call, doc: x}, h: {on_exception: 1}}',
            'def: "f(g: fn(), h: fn())", params: {g: {doc: x}}, on_exception: {h: 1}, scope: {g: call}',
        ),
        (
            LIB + "handle_types:\n  - {name: C, cpp_type: c *, methods: [{%s}]}\n",
            'def: "f(g: fn())", thread: any, params: {g: {called_on: any}}',
            'def: "f(g: fn())", thread: {self: any, g: any}',
        ),
        (STRUCT, "fields: {f: {type: fn(), scope: call}}", "fields: {f: fn()}, scope: call"),
        (
            STRUCT,
            "scope: call, fields: {f: fn(), g: {type: fn(), scope: once}}",
            "scope: {f: call, g: once}, fields: {f: fn(), g: fn()}",
        ),
        (
            STRUCT,
            "fields: {f: {type: fn(), doc: x, user_data: a, called_on: any}, g: {type: fn(), user_data: a}, n: i64}",
            "fields: {f: {type: fn(), doc: x}, g: fn(), n: i64}, user_data: a, thread: {f: any}",
        ),
        (
            LIB + "handle_types:\n  - {name: C, cpp_type: c, methods: [{%s}]}\n",
            'def: "virtual put(data: bytes)", cpp_params: [{role: length, of: data}, data, to, out, _]',
            'def: "virtual put(data: bytes)", cpp: "(data.size(), data, to, &out, _)"',
        ),
        (
            LIB + "handle_types:\n  - {name: C, cpp_type: c, methods: [{%s}]}\n",
            'def: "virtual put(data: bytes)", cpp_method: Put, cpp_params: [data, to]',
            'def: "virtual put(data: bytes)", cpp: "Put(data, to)"',
        ),
    ],
)
def test_what_is_said_of_callables(tmp_path: Path, spec: str, before: str, after: str) -> None:
    assert migrated(tmp_path, spec % before) == spec % after


def test_callbacks_stand_behind_other_types(tmp_path: Path) -> None:
    types = "types:\n  - {name: N, type: text, cpp_type: n, data: a}\n"
    after = migrated(tmp_path, f"{LIB}{types}callbacks:\n  # c\n  - {{name: F}}\n")
    assert after == f"{LIB}{types}  # c\n  - {{name: F, type: fn()}}\n"


def test_which_of_several_is_the_user_data_is_left_to_a_person(tmp_path: Path) -> None:
    path = tmp_path / "a.wrapper_spec"
    path.write_text(ENTRY % 'def: "f(g: fn(bytes))", params: {g: {user_data: last}}', encoding="utf-8")
    made = migrate(path, path.name)
    assert "user_data: TODO" in made.after
    assert '"(count, user_data, …)"' in made.undecided[0]
