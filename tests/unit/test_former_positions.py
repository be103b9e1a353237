"""What earlier versions said of positions, keys and offsets beside a signature is in it now."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.test_former_rules import migrated

CLASS = """\
wrapper_lib: {name: demo}
handle_types:
  - name: Vec
    cpp_type: %s
    methods:
      - {def: __len__() -> usize}
      - {%s}
"""
ALONE = CLASS.replace("      - {def: __len__() -> usize}\n", "")
FUNCTION = "wrapper_lib: {name: demo}\nfunctions:\n  - {%s}\n"
VALUE = "std::vector<i64>"


@pytest.mark.parametrize(
    ("spec", "type_", "before", "after"),
    [
        (CLASS, VALUE, 'def: "__getitem__(i: usize) -> i64"', 'def: "__getitem__(i: position) -> i64"'),
        (CLASS, VALUE, 'def: "__delitem__(i: i64)", cpp: f', 'def: "__delitem__(i: position)", cpp: f'),
        (CLASS, VALUE, 'def: "__setitem__(i: i64, v: i64)"', 'def: "__setitem__(i: position, v: i64)"'),
        (CLASS, VALUE, 'def: "__getitem__(i: text) -> i64"', 'def: "__getitem__(i: text) -> i64"'),
        (CLASS, VALUE, 'def: "at(i: i64) -> i64"', 'def: "at(i: i64) -> i64"'),
        (
            CLASS,
            VALUE,
            "name: __delitem__, params: [{name: i, type: i64}]",
            'def: "__delitem__(i: position)"',
        ),
        (
            CLASS,
            VALUE,
            'def: "__getitem__(i: i64) -> i64", params: {i: {position: true}}',
            'def: "__getitem__(i: position) -> i64"',
        ),
        (
            CLASS,
            VALUE,
            'def: "__getitem__(i: i64) -> i64", params: {i: {position: false}}',
            'def: "__getitem__(i: key) -> i64"',
        ),
        (
            CLASS,
            VALUE,
            'def: "__getitem__(i: i64) -> i64", params: {i: {position: cpp, doc: x}}',
            'def: "__getitem__(i: position[...]) -> i64", params: {i: {doc: x}}',
        ),
        (
            CLASS,
            VALUE,
            'def: "__getitem__(i: u8) -> i64", params: {i: {position: cpp}}, cpp_body: return 1;',
            'def: "__getitem__(i: u8) -> i64", params: {i: {position: TODO}}, cpp_body: return 1;',
        ),
        (ALONE, VALUE, 'def: "__getitem__(i: i64) -> i64"', 'def: "__getitem__(i: position[...]) -> i64"'),
        (ALONE, VALUE, 'def: "__setitem__(i: i64, v: i64)"', 'def: "__setitem__(i: i64, v: i64)"'),
        (
            ALONE,
            VALUE,
            'def: "__getitem__(i: i64) -> i64", cpp: "operator[]"',
            'def: "__getitem__(i: i64) -> i64", cpp: "operator[]"',
        ),
        (
            ALONE,
            VALUE,
            'def: "__getitem__(i: u32) -> i64", cpp_body: return 1;',
            'def: "__getitem__(i: u32) -> i64", cpp_body: return 1;',
        ),
        (ALONE, VALUE, 'def: "__getitem__(i: i64, j: i64) -> i64"', 'def: "__getitem__(i: i64, j: i64) -> i64"'),
        (
            ALONE,
            VALUE,
            'def: "__getitem__(i: i64, j: i64) -> i64", cpp: cell',
            'def: "__getitem__(i: position[...], j: position[...]) -> i64", cpp: cell',
        ),
        (
            ALONE,
            VALUE,
            'def: "__getitem__(i: i64, j: i64) -> i64", params: {i: {position: cpp}}',
            'def: "__getitem__(i: position[...], j: position[...]) -> i64"',
        ),
        (
            ALONE,
            VALUE,
            'def: "row(i: i64) -> i64", params: {i: {position: size()}}',
            'def: "row(i: position[self.size()]) -> i64"',
        ),
        (
            ALONE,
            "vec *",
            'def: "row(i: i64 = 1) -> i64", params: {i: {position: size}}',
            'def: "row(i: position[self->size] = 1) -> i64"',
        ),
        (
            ALONE,
            "vec *",
            'def: "row(i: i64) -> i64", params: {i: {position: "rows(h.inner)"}}',
            'def: "row(i: position[rows(self)]) -> i64"',
        ),
        (
            ALONE,
            "vec *",
            'def: "row(i: i64) -> i64", params: {i: {position: rows(h)}}',
            'def: "row(i: i64) -> i64", params: {i: {position: TODO}}',
        ),
        (
            FUNCTION,
            "",
            'def: "find(s: text, at: usize? = null) -> i64", params: {at: {byte_offset: s}}, byte_offset: s',
            'def: "find(s: text, at: position[s]? = null) -> position[s]"',
        ),
        (
            FUNCTION,
            "",
            'def: "all(s: text) -> [(a: i64, b: i64)]?", byte_offset: s',
            'def: "all(s: text) -> [(a: position[s], b: position[s])]?"',
        ),
        (
            FUNCTION,
            "",
            "name: f, params: [{name: at, type: i64, byte_offset: s}, {name: s, type: text}], return: i64, cpp: f",
            'def: "f(at: position[s], s: text) -> i64", cpp: f',
        ),
        (
            FUNCTION,
            "",
            'def: "find(s: text) -> usize", byte_offset: s',
            'def: "find(s: text) -> usize", byte_offset: TODO',
        ),
    ],
)
def test_a_rule(tmp_path: Path, spec: str, type_: str, before: str, after: str) -> None:
    def of(text: str) -> str:
        return spec.replace("%s", type_, spec.count("%s") - 1).replace("%s", text)

    found = [line for line in migrated(tmp_path, of(before)).splitlines() if not line.lstrip().startswith("#")]
    assert found == of(after).splitlines()


def test_what_entries_share_is_said_by_each(tmp_path: Path) -> None:
    text = ALONE.replace("%s", VALUE, 1).replace(
        "      - {%s}\n",
        '      - {def: "a(i: i64)", params: {i: &i {position: size(), doc: x}}}\n'
        '      - {def: "b(i: i64)", params: {i: *i}}\n',
    )
    after = migrated(tmp_path, text)
    assert 'def: "a(i: position[self.size()])", params: {i: &i {doc: x}}' in after
    assert 'def: "b(i: position[self.size()])", params: {i: *i}' in after
