"""C++ values that `types` makes of Python's where code of the spec and operators of C++ get them, over both engines."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from tests.behaviour import packages

SPEC = Path(__file__).parent / "made_values" / "made_values.wrapper_spec"


@pytest.fixture(scope="module", params=packages.ENGINES)
def made(request: pytest.FixtureRequest) -> ModuleType:
    return packages.build(SPEC).load(request.param)


def test_an_expression_gets_them(made: ModuleType) -> None:
    assert (made.letters(["a", "bc"]), made.letters_of(["a", "bc"])) == (3, 3)
    assert (made.sum([1, [2, 3]]), made.first([[4, 5], 6])) == (6, 9)
    assert (made.worth(7), made.worth_or(7), made.worth_or(None)) == (7, 7, -1)


def test_they_are_still_what_python_gave(made: ModuleType) -> None:
    assert (made.count(["a", "b"]), made.same(["a", "b"])) == (2, ["a", "b"])
    assert (made.doubled(4), made.itself(2**40)) == (8, 2**40)
    assert made.in_a_body(["a", "bc"]) == 23


def test_arguments_of_a_written_call_are_made_of_them(made: ModuleType) -> None:
    assert made.added(3, 4) == 7
    assert made.all_added([1, [2]], ["abc", "d"]) == 9


def test_expressions_call_functions_with_the_names_of_keys(made: ModuleType) -> None:
    assert (made.label_of("abc"), made.label_size("abcd")) == ("abc", 4)
    assert made.live_labels() == 0
    assert tuple(made.duplicate("abc")) == ("abc", 3, 3)


def test_operators_get_them(made: ModuleType) -> None:
    purse = made.Purse()
    purse["a"] = 4
    assert (purse["a"], len(purse), purse.letters(["x", "yz"])) == (4, 1, 4)
    coins = made.Coins()
    coins.append(3)
    coins.append(4)
    coins[0], coins[-1] = 9, 8
    assert [coins[0], coins[1], 8 in coins, 4 in coins] == [9, 8, True, False]


def test_a_mistake_says_where_it_is(made: ModuleType) -> None:
    with pytest.raises(ValueError, match=r"^all\[0\]: embedded null character$"):
        made.letters(["a\0b"])
    with pytest.raises(TypeError, match=r"^all\[1\]: a str is wanted, not int$"):
        made.letters(["a", 3])
    with pytest.raises(TypeError, match=r"^value\[0\]: an int or a sequence is wanted, not None$"):
        made.sum([None])
    with pytest.raises(IndexError):
        made.Coins()[0] = 1
    with pytest.raises(TypeError):
        made.Purse()["a"] = "one"


def test_code_of_types_calls_what_has_the_name_of_a_key(made: ModuleType) -> None:
    assert (made.marks(4), made.kept()) == ([4, 5, 6], 0)
