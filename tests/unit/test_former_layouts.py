"""What earlier versions said of how memory lies, beside a signature, is in its types now."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.test_former_rules import migrated
from wrapper_gen.diagnostics import SpecError
from wrapper_gen.pipeline import read

FUNCTION = "wrapper_lib: {name: demo}\nfunctions:\n  - {%s}\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            'def: "f(a: &[f64; n, m]) -> f64", params: {a: {order: F}}',
            'def: "f(a: &[f64; n, m; F]) -> f64"',
        ),
        (
            'def: "f(a: &mut [f64; n, 3]?, b: i64 = 1)", params: {a: {order: any, doc: x}, b: y}',
            'def: "f(a: &mut [f64; n, 3; any]?, b: i64 = 1)", params: {a: {doc: x}, b: y}',
        ),
        ('def: "f(a: &[f64; n, m])", params: {a: {order: null}}', 'def: "f(a: &[f64; n, m])"'),
        ('def: "f() -> array[f64; n(), 2]", order: F', 'def: "f() -> array[f64; n(), 2; F]"'),
        ('def: "f() -> array[f64; a[0], 2]", strides: [ld(), 1]', 'def: "f() -> array[f64; a[0], 2; ld(), 1]"'),
        ('def: "f() -> array[f64; 2]", strides: "2"', 'def: "f() -> array[f64; 2; 2]"'),
        ('def: "f() -> array[f64; 2]", strides: [], order:', 'def: "f() -> array[f64; 2]"'),
        ('def: "f() -> array[f64; 2; F]"', 'def: "f() -> array[f64; 2; F]"'),
        (
            'name: f, cpp: g, params: [{name: a, type: "&[f64; n]", order: any}], return: "array[f64; 2]", strides: s',
            'def: "f(a: &[f64; n; any]) -> array[f64; 2; s]", cpp: g',
        ),
    ],
)
def test_it_is_in_the_type(tmp_path: Path, before: str, after: str) -> None:
    assert migrated(tmp_path, FUNCTION % before) == FUNCTION % after


@pytest.mark.parametrize(
    ("before", "message"),
    [
        ('def: "f(a: i64)", params: {a: {order: F}}', "`order` is for memory with dimensions, and this is i64"),
        ('def: "f(a: &[f64; n; F])", params: {a: {order: F}}', "memory with dimensions, and this is &[f64; n; F]"),
        ('def: "f() -> f64", order: F', "`order` is for memory with dimensions, and this is f64"),
        ('def: "f()", strides: ["2"]', "`strides` is for arrays that are returned, and this is nothing"),
        ('def: "f() -> array[f64; n]", strides: ["2"], order: C', "`strides` stands beside `order`"),
        ('def: "f() -> array[f64; n]", order: G', "unknown key 'order'"),
        ('def: "f() -> array[f64; n]", strides: {a: 1}', "unknown key 'strides'"),
        ('def: "f(a: &[f64; n])", params: {b: {order: F}}', "unknown key 'order'"),
    ],
)
def test_what_means_nothing_is_told(tmp_path: Path, before: str, message: str) -> None:
    path = tmp_path / "a.wrapper_spec"
    path.write_text(FUNCTION % before, encoding="utf-8")
    with pytest.raises(SpecError) as raised:
        read(path, path.name)
    assert any(message in each.message for each in raised.value.diagnostics), raised.value
