"""A function's code is called as it is spelled: lambdas, names, members and macros, with what their parameters want."""

from __future__ import annotations

from typing import Any

import pytest

from tests.behaviour import packages

SPEC = packages.HERE / "lambdas" / "lambdas.wrapper_spec"
WAYS = packages.HERE.parent / "cases" / "bodies_and_lambdas" / "spec.wrapper_spec"


@pytest.fixture(scope="module")
def lam(engine: str) -> Any:
    return packages.build(SPEC).load(engine)


def test_lambda_gets_what_its_parameter_spells(lam: Any) -> None:
    structs = "struct unnamed_struct elaborate_struct east_struct"
    inners = "auto plain_auto inner copied_inner a_name_like_it"
    for how in (*structs.split(), *inners.split()):
        assert getattr(lam, f"by_{how}")(lam.cell(1)) == 1, how
    cell = lam.cell(1)
    assert [lam.by_mutable_struct(cell), lam.by_forwarded_auto(cell), lam.by_copied_struct(cell)] == [2, 3, 4]
    assert cell.get() == 3, "a copy was changed, not the handle"
    assert lam.by_pointer(lam.raw(4)) == 4
    assert lam.by_number(lam.opaque(4)) == 5
    assert lam.by_shared(lam.shared(6)) == lam.by_shared_struct(lam.shared(6)) == 6


def test_a_lambda_may_mix_both(lam: Any) -> None:
    assert lam.subtract(lam.cell(10), lam.cell(3), 2) == 5
    assert lam.subtract_too(lam.cell(10), lam.cell(3), lam.cell(2)) == 5
    assert lam.kinds(lam.raw(1), lam.raw(20), lam.shared(300), lam.shared(4000), lam.opaque(50000)) == 54321


def test_lambda_as_method_gets_the_handle_first(lam: Any) -> None:
    cell = lam.cell(10)
    assert [cell.struct_first(1), cell.inner_first(2), cell.type_first(3)] == [11, 12, 13]
    assert cell.get() == 13
    assert [cell.both(lam.cell(3)), cell.both_too(lam.cell(4))] == [10, 9]
    assert cell.without(21) == 42
    assert cell.with_pack(1, 2) == 16
    assert cell.with_default(2) == 150
    assert cell.captured() == 14
    assert cell.h(7) == 20
    assert cell.read_only == 13
    other = cell.another()
    assert cell.nothing(0) is None
    assert [cell.get(), other.get()] == [0, 13]
    assert lam.shared(5).struct_first() == lam.shared(5).inner_first() == 5
    raw = lam.raw(1)
    assert [raw.struct_first(1), raw.pointer_first(1), raw.get()] == [2, 3, 3]


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("templates", ["cell"], 11),
        ("nested", [[], 3], 3),
        ("defaulted", [1], 10),
        ("string_default", [1], 6),
        ("pack", ["cell", 1, 2], 13),
        ("packed_structs", ["cell", "cell"], 20),
        ("captures_by_value", [1], 2),
        ("captures_by_reference", [1], 3),
        ("captures_with_value", [1], 8),
        ("trailing", [5], 5),
        ("trailing_decltype", ["cell"], 10),
        ("mutable_one", [5], 5),
        ("constexpr_one", [5], 5),
        ("no_parameters", [], 5),
        ("void_parameters", [], 6),
        ("empty_parameters", [], 7),
        ("commented", [3], 3),
        ("many_lines", ["cell", 1], 12),
        ("folded", ["cell", 2], 20),
        ("ends_with_semicolon", [4], 4),
    ],
)
def test_all_that_a_lambda_can_be(lam: Any, name: str, arguments: list[Any], expected: int) -> None:
    given = [lam.cell(10) if a == "cell" else a for a in arguments]
    for _ in range(2):
        assert getattr(lam, name)(*given) == expected


def test_a_lambda_keeps_its_statics(lam: Any) -> None:
    first = lam.counts()
    assert [lam.counts(), lam.counts()] == [first + 1, first + 2]


def test_optional_handles(lam: Any) -> None:
    for i, name in enumerate(("pointer", "auto", "inner", "struct", "raw"), 1):
        function = getattr(lam, f"optional_{name}")
        assert function(None) == -i
        assert function(lam.raw(8) if name == "raw" else lam.cell(8)) == 8


def test_lists_of_handles(lam: Any) -> None:
    for name in ("structs", "inners", "auto"):
        function = getattr(lam, f"list_of_{name}")
        assert [function([]), function([lam.cell(1), lam.cell(2)])] == [0, 3]


def test_functions_by_name(lam: Any) -> None:
    assert lam.named(lam.cell(3)) == 3
    assert [lam.overloaded_number(4), lam.overloaded_handle(lam.cell(5))] == [8, 10]
    assert [lam.named_with_default(2), lam.named_with_both(2, 3)] == [42, 5]
    assert [lam.named_template(1, 2), lam.named_deduced(1.5, 2)] == [3, 3]
    assert lam.named_static() == 1
    assert lam.named_object(1) == 1001
    assert lam.named_std(3, 8) == 8
    assert lam.of_text("42") == 42


def test_macros(lam: Any) -> None:
    assert lam.macro(1, 20, 300) == 321
    assert lam.macro_constant() == 77
    assert lam.macro_alias(4) == 8


def test_a_lambda_calls_what_ends_in_a_longjmp(engine: str) -> None:
    decoder = packages.build(WAYS).load(engine).decoder()
    for _ in range(100):
        with pytest.raises(Exception, match=r"\Ano size\Z") as caught:
            decoder.read(-1)
        assert caught.type.__name__ == "CodeError"
    assert [decoder.read(2), decoder.read(3)] == [4, 10]
    with pytest.raises(OverflowError, match="size: 1099511627776 does not fit i32"):
        decoder.read(2**40)


def test_a_name_that_equals_one_of_ours(lam: Any) -> None:
    """The library's `lam_labs` and the C++ function that wraps it have the same name."""
    assert lam.labs(-5) == 5
    assert lam.same(1) == 6


def test_members(lam: Any) -> None:
    cell, shared, raw = lam.cell(1), lam.shared(2), lam.raw(3)
    assert [cell.get(), shared.get(), raw.get()] == [1, 2, 3]
    assert [cell.add(10), shared.add(10)] == [11, 12]
    assert [cell.plus(lam.cell(1)), cell.plus_more(lam.cell(1), 5), raw.plus(cell)] == [112, 17, 114]
    assert [cell.label("c"), shared.label("s")] == ["c11", "s12"]
    assert cell.as_f64() == 11.0
