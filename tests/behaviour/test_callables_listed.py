"""Callbacks whose arguments a spec lists: what Python sees of them, and where in C its result and its exceptions go."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.behaviour import objects
from tests.behaviour.callables.shared import Once, fails, load, raise_once
from tests.behaviour.interrupts import interrupted
from tests.behaviour.leak_scale import Scale, loop

BROKEN = -9
"""What C gets of an exception that no status stands for."""


@pytest.fixture(scope="module")
def lib(engine: str) -> Any:
    return load(engine)


def giving(*pieces: bytes) -> Callable[[int], bytes]:
    """A reader of these pieces, then of nothing."""
    rest = iter(pieces)
    return lambda size: next(rest, b"")


def test_the_elements_of_a_list_are_arguments_without_a_list_of_those_of_c(lib: Any) -> None:
    for call in (lib.spread, lib.spread_by_name):
        assert call(lambda a, b: a * 10 + b) == 17
        assert call(lambda *given: len(given)) == 2
        with pytest.raises(TypeError):
            call(lambda given: 1.0)


def test_a_length_that_has_a_name_is_shared_and_spoken_of(lib: Any) -> None:
    seen: list[object] = []
    assert lib.each_shared_row(1, lambda values, names: seen.append((values, names)) or True) == 0
    assert seen == [(["one", None], ["id", "näme"])]
    assert lib.each_shared_row(1, lambda values, names: False) == -2  # what `result` makes of the length


# --- lists of texts, and one length for several lists ----------------------------------------------------------------


def test_rows_of_texts(lib: Any) -> None:
    rows: list[Any] = []

    def row(values: list[str | None], names: list[str]) -> bool:
        rows.append(dict(zip(names, values, strict=True)))
        return len(rows) < 3

    assert lib.each_row(2, row) == 0
    assert rows == [{"id": "one", "n\xe4me": None}, {"id": "one", "n\xe4me": "one"}]
    assert lib.each_row(9, row) == -1
    assert len(rows) == 3
    assert lib.each_row(0, row) == 0
    with pytest.raises(Once, match="as it says"):
        lib.each_row(2, raise_once)


def test_a_length_of_several_lists_has_a_name(lib: Any) -> None:
    seen: list[Any] = []
    assert lib.odd_rows(lambda *given: seen.append(given) or 7, 2) == 72
    assert lib.odd_rows(lambda *given: seen.append(given) or 7, 0) == 70
    assert lib.odd_rows(lambda *given: seen.append(given) or 7, 0, has_words=False) == 70
    assert seen == [(["a", "b"], [1.5, 2.5]), ([], []), ([], [])]


def test_lengths_that_are_none(lib: Any) -> None:
    fails(ValueError, "the library gave a negative length", lambda: lib.odd_rows(lambda *given: 0, -1))
    words = "the library gave a length and a null pointer"
    fails(ValueError, words, lambda: lib.odd_rows(lambda *given: 0, 1, has_words=False))


def test_a_null_text_where_there_is_none(lib: Any) -> None:
    seen: list[Any] = []
    assert lib.words_of(lambda words: seen.extend(words) or len(words)) == 2
    assert seen == ["a", None]
    fails(ValueError, "the library returned a null string", lambda: lib.all_words_of(len))


# --- results go where C has room for them ----------------------------------------------------------------------------


def test_a_buffer_is_filled_and_its_length_returned(lib: Any) -> None:
    assert lib.read_all(giving(b"abcd", b"e\0", b"f")) == b"abcde\0f"
    assert lib.read_all(giving(memoryview(b"views"), bytearray(b"too")), size=5) == b"viewstoo"
    sizes: list[int] = []
    lib.read_all(lambda size: sizes.append(size) or b"", size=7)
    assert sizes == [7]


def test_a_variadic_function_gets_the_declared_type(lib: Any) -> None:
    assert lib.set_option(10, lambda size: b"x" * (size - 1)) == 30


def test_lengths_stand_before_and_counts_are_changed(lib: Any) -> None:
    assert lib.transform(lambda data: data[::-1] + b"!", 5) == b"c\0a!"
    assert lib.transform(lambda data: b"", 5) == b""
    assert lib.last_status() == 0


def test_all_of_a_buffer_is_filled(lib: Any) -> None:
    assert lib.filled(lambda: [1.5, 2.5], 2) and lib.filled(list, 0)


def test_a_text_ends_with_nul(lib: Any) -> None:
    assert lib.line(lambda size: "x" * (size - 1)) == "x" * 7
    assert lib.line(lambda size: "") == ""


def test_several_results_and_a_status(lib: Any) -> None:
    assert lib.measured(lambda name: (len(name), 2.5)) == (3, 2.5)
    assert lib.named(lambda number: ("a" * number, "b", True)) == "aaa/b"
    assert lib.named(lambda number: ("a", "b", False)) == "failed"


def test_a_context_takes_the_result(lib: Any) -> None:
    assert lib.evaluated(lambda a, b, c: a + b + c, 3) == "7.500000"
    assert lib.evaluated(lambda: 0, 0) == "0.000000"
    assert lib.evaluated(lambda *all_: None, 2) == "error: none"


def test_a_function_of_cpp(lib: Any) -> None:
    assert lib.of_cpp(lambda name: (4, len(name))) == 7


def test_c_is_told_how_long_what_it_got_is(lib: Any) -> None:
    for fed in (lib.fed_void, lib.fed_chars):
        pieces = iter([b"abc", b"d" * 100, b""])
        assert fed(lambda pieces=pieces: next(pieces)) == b"abc" + b"d" * 100
    binary = iter([b"a\0b", b""])
    assert lib.fed_void(lambda: next(binary)) == b"a\0b"
    with pytest.raises(Once):
        lib.fed_void(raise_once)


def test_several_callbacks_share_their_user_data(lib: Any) -> None:
    seen: list[object] = []
    with lib.Volume() as volume:
        opened = volume.open(lambda data: seen.append(data) or len(data), lambda: seen.append("opened") or 7, lambda: 3)
        assert opened == 7
        assert volume.write(b"abc") == 3
        assert volume.open(lambda data: -len(data)) == 0 and volume.write(b"d") == -1
        assert volume.open(None, closes=lambda: seen.append("closed") or 0) == 0 and volume.write(b"") == -1
    assert seen == ["opened", b"abc", "closed"]
    with lib.Volume() as volume:
        assert volume.open(None) == 0
        with pytest.raises(Once):
            volume.open(len, raise_once)
    assert lib.volume_both(lambda: 1, lambda ten: ten + 1) == 12
    assert [lib.volume_both(None, lambda ten: ten), lib.volume_both(lambda: 5, None), lib.volume_both(None, None)] == [
        10,
        5,
        0,
    ]


def test_a_callback_computes_the_user_data_that_it_shares(lib: Any) -> None:
    seen: list[object] = []
    with lib.Siren() as siren:
        siren.set(seen.append, None)
        assert (siren.run(), seen) == (0, [1])
        siren.set(None, lambda after: after + 5)
        assert (siren.run(), seen) == (7, [1])
        siren.set(seen.append, lambda after: seen.append("stops") or after)
        assert (siren.run(), seen) == (2, [1, 1, "stops"])


def test_the_user_data_of_another_callable_is_refused(lib: Any) -> None:
    with lib.Siren() as siren:
        siren.set(print, None)
        siren.set_stops(lambda after: after + 8)
        with pytest.raises(RuntimeError, match=r"^starts: C calls it with the user data of another callable; "):
            siren.run()


def test_calls_with_several_callbacks_leave_nothing_to_a_later_one(lib: Any) -> None:
    assert (
        lib.volume_both(lambda: lib.volume_both(lambda: 2, None), lambda ten: lib.volume_both(None, lambda same: same))
        == 12
    )
    assert lib.summed(2, lambda number: number) == 1


def test_no_user_data(lib: Any) -> None:
    assert lib.without(lambda values: int(sum(values))) == 3


# --- bad input -------------------------------------------------------------------------------------------------------


def test_more_than_there_is_room_for(lib: Any) -> None:
    def line(text: str) -> Any:
        return lib.line(lambda size: text)

    room = "elements that C has room for"
    fails(ValueError, f"read(): 8 do not fit the 4 {room}", lambda: lib.read_all(lambda size: b"too long"))
    fails(ValueError, f"f(): 9 do not fit the 5 {room}", lambda: lib.transform(lambda data: data * 3, 5))
    assert lib.last_status() == BROKEN
    fails(ValueError, f"f(): 8 do not fit the 8 {room}", lambda: line("x" * 8))
    fails(ValueError, "f(): 1 are not the 2 elements that C wants", lambda: lib.filled(lambda: [1.5], 2))


def test_the_wrong_result(lib: Any) -> None:
    fails(TypeError, "f(): a tuple of 2 is wanted, not one of 1", lambda: lib.measured(lambda name: (1,)))
    fails(TypeError, "f()[1]: a float is wanted, not str", lambda: lib.measured(lambda name: (1, "x")))
    assert lib.last_status() == BROKEN
    fails(ValueError, "f(): embedded null character", lambda: lib.named(lambda number: ("a\0", "b", True)))
    with pytest.raises(TypeError, match=r"^read\(\): a contiguous bytes-like object is wanted, not int$"):
        lib.read_all(lambda size: 3)


def test_the_wrong_number_of_arguments(lib: Any) -> None:
    with pytest.raises(TypeError, match=r"^read: .*takes 0 positional arguments but 1 was given$"):
        lib.read_all(lambda: b"")
    with pytest.raises(TypeError, match=r"^f: .*takes 1 positional argument but 3 were given$"):
        lib.evaluated(lambda one: 1.0, 3)


def test_what_is_not_callable(lib: Any) -> None:
    fails(TypeError, "read: a callable is wanted, not bytes", lambda: lib.read_all(b""))
    fails(TypeError, "read: a callable is wanted, not None", lambda: lib.read_all(None))


# --- exceptions ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "status"),
    [
        (lambda lib: lib.End("no more"), 1),
        (lambda lib: lib.CallError("without a code"), BROKEN),
        (lambda lib: PermissionError("no"), -2),
        (lambda lib: lib.CallPermissionError("no"), -2),
        (lambda lib: ZeroDivisionError("other"), BROKEN),
    ],
    ids=["of its own", "the base", "a builtin", "a mapped one", "any other"],
)
def test_the_status_of_an_exception(lib: Any, make: Callable[[Any], BaseException], status: int) -> None:
    raised = make(lib)

    def f(data: bytes) -> bytes:
        raise raised

    with pytest.raises(type(raised)) as found:
        lib.transform(f, 5)
    assert found.value is raised and lib.last_status() == status


@pytest.mark.parametrize(("code", "status"), [(-77, -77), (0, BROKEN), ("x", BROKEN), (None, BROKEN)])
def test_the_code_of_an_exception(lib: Any, code: object, status: int) -> None:
    """It is what C gets, unless it would mean that all is well."""
    raised = lib.CallError("with a code")
    raised.code = code

    def f(data: bytes) -> bytes:
        raise raised

    with pytest.raises(lib.CallError):
        lib.transform(f, 5)
    assert lib.last_status() == status


@pytest.mark.parametrize("has_text", [True, False])
def test_the_status_of_an_exception_that_cannot_be_shown(lib: Any, has_text: bool) -> None:
    class Unshown(PermissionError):
        def __str__(self) -> str:
            return "\ud800" if has_text else str(1 / 0)

        @property
        def code(self) -> int:
            raise ValueError("no code")

    def f(*_arguments: object) -> Any:
        raise Unshown

    with pytest.raises(Unshown):
        lib.transform(f, 5)
    assert lib.last_status() == -2
    with pytest.raises(Unshown):
        lib.checked_text(f)


def test_the_text_of_an_exception(lib: Any) -> None:
    seen: list[str] = []

    def told(*_arguments: object) -> Any:
        seen.append("called")
        raise Once("as it says")

    fails(Once, "as it says", lambda: lib.checked_text(told))
    fails(Once, "as it says", lambda: lib.evaluated(told, 1))
    assert seen == ["called"] * 2
    assert lib.checked_text(lambda text: text == "some") == "fine"
    assert lib.checked_text(lambda text: False) == "bad"


@pytest.mark.parametrize("function", ["_call", "_tell", "_close"])
def test_ctrl_c_beside_a_callable_is_raised(lib: Any, function: str, capfd: pytest.CaptureFixture[str]) -> None:
    if lib.ENGINE != "cffi":
        pytest.skip(
            "the cpython engine runs no Python of its own between a callable and C, which a signal could interrupt"
        )

    def raises(_text: str) -> bool:
        raise ValueError("its own")

    came, line = True, 0
    while came:
        _, error, came = interrupted(lambda: lib.checked_text(raises), function, line)
        assert isinstance(error, KeyboardInterrupt if came else ValueError)
        line += 1
    assert line > 2
    assert capfd.readouterr().err == ""
    assert lib.checked_text(lambda text: text == "some") == "fine"


def test_an_exception_that_has_no_text(lib: Any) -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise ValueError("no text")

    def f(*_arguments: object) -> Any:
        raise Mute

    with pytest.raises(Mute):
        lib.evaluated(f, 1)
    with pytest.raises(Mute):
        lib.transform(f, 1)
    assert lib.last_status() == BROKEN


def test_recursion_has_an_end(lib: Any) -> None:
    def deeper(data: bytes) -> bytes:
        return bytes(lib.transform(deeper, 5))

    with pytest.raises(RecursionError):
        lib.transform(deeper, 5)
    assert lib.last_status() == BROKEN
    assert lib.transform(bytes, 5) == b"a\0c"


def test_from_another_thread(lib: Any) -> None:
    assert lib.elsewhere(giving(b"from", b" it")) == "from it"
    fails(Once, "as it says", lambda: lib.elsewhere(raise_once))


# --- leaks -----------------------------------------------------------------------------------------------------------

QUICK = (
    "lib.read_all(read)", "lib.transform(data, 5)", "lib.measured(pair)", "lib.named(names)", "lib.line(text)",
    "lib.evaluated(add, 3)", "lib.checked_text(truth)", "lib.of_cpp(both)", "lib.without(len)",
)  # fmt: skip
FAILING = (
    "lib.read_all(raise_once)", "lib.transform(raise_once, 5)", "lib.checked_text(raise_once)", "lib.line(read)",
    "lib.evaluated(raise_once, 3)", "lib.read_all(long)", "lib.measured(truth)",
)  # fmt: skip


@pytest.mark.skipif(not objects.COUNTS_REFERENCES, reason="this Python counts no references")
@pytest.mark.parametrize("fails", [False, True])
@pytest.mark.parametrize("calls", [2000, pytest.param(100_000, marks=pytest.mark.long)])
def test_nothing_stays_of_a_call(lib: Any, fails: bool, calls: int) -> None:
    values: dict[str, Any] = {
        "lib": lib,
        "raise_once": raise_once,
        "read": lambda size: b"",
        "long": lambda size: b"x" * 100,
        "data": lambda data: data,
        "pair": lambda name: (1, 2.5),
        "names": lambda number: ("a", "b", True),
        "text": lambda size: "text",
        "add": lambda *values: sum(values),
        "truth": lambda text: True,
        "both": lambda name: (1, 2),
    }
    scale = Scale([None, *values.values(), lib.CallError, lib.End])
    growth = {each: scale.measure(loop(each, values, fails=fails), calls) for each in (FAILING if fails else QUICK)}
    assert {each: what for each, what in growth.items() if what} == {}
