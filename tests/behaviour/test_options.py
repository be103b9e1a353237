"""Arguments that a call may leave out because C++ knows better: options of a struct, defaults that are C++."""

from __future__ import annotations

import inspect
import os
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.leak_scale import Scale, loop
from tests.behaviour.objects import COUNTS_REFERENCES
from tests.behaviour.packages import HERE, Package

SPEC = HERE.parent / "cases" / "options" / "spec.wrapper_spec"
COUNT = packages.fewer(int(os.environ.get("WRAPPER_GEN_TEST_CALLS", "100_000")))
"""Calls of each kind that leaks are looked for in."""


@pytest.fixture(scope="module")
def package() -> Package:
    return packages.build(SPEC)


@pytest.fixture
def options(package: Package, engine: str) -> Any:
    return package.load(engine)


def test_what_is_left_out_keeps_what_the_struct_starts_as(options: Any) -> None:
    assert options.print("t") == "t/80wen0-0b"  # an initialiser
    assert options.by_reference() == "3:3:untitled,all"  # a function that fills it
    assert options.quietly() == 9  # an expression
    assert options.quietly(level=3, loud=True) == -3


def test_options_are_put_into_the_members(options: Any) -> None:
    margins = options.Margins(1, 2)
    text = options.print("t", width=3, wraps=False, language="d€", around=margins, left=9, ink=options.Ink.red)
    assert text == "t/3d€9-2r"
    assert options.by_value(paths=["a", "b"], title="x", ratio=1) == "3:3:x,a,b!"
    assert options.by_value(paths=[], context=7) == "3:7:untitled"


def test_c_takes_them_by_pointer_reference_or_value_and_anywhere(options: Any) -> None:
    assert options.by_pointer(1, title="x") == "33:3:x,all"
    assert options.by_pointer(1, b=3, title="x") == "43:3:x,all"
    assert options.by_changed(title="x") == options.by_changed(title="x") == "3:3:x?,all"
    assert options.store().diff(context=5) == 12


def test_a_start_that_fails_raises(options: Any) -> None:
    with pytest.raises(options.DiffError) as caught:
        options.old(3)
    assert caught.value.code == -1
    with pytest.raises(options.DiffError):
        options.store().diff(context=500)


def test_handles_among_options_live_as_long_as_what_the_call_makes(options: Any) -> None:
    assert options.shelf_sum() == options.shelf_sum(far=None) == 3
    cache = options.cache(10)
    assert options.shelf_sum(level=1, near=cache, far=options.cache(100)) == 111
    shelf = options.shelf(near=cache, far=options.cache(100))
    cache.close()  # the shelf still has it
    assert shelf.size() == 113
    for given in ({"near": None}, {"near": shelf}, {"far": shelf}):
        with pytest.raises(TypeError, match=f"{next(iter(given))}: a Cache is wanted, not "):
            options.shelf(**given)
    for name in ("near", "far"):
        with pytest.raises(options.ClosedHandleError, match=f"{name}: this Cache is closed"):
            options.shelf(**{name: cache})


def test_options_are_given_by_name_only(options: Any) -> None:
    store = options.store()
    for call, message in (
        (lambda: store.diff(3), "diff() takes 1 positional argument but 2 were given"),
        (
            lambda: store.diff(3, context=4),
            "diff() takes 1 positional argument but 2 positional arguments (and 1 keyword-only argument) were given",
        ),
        (lambda: options.by_pointer(1, 2, 3), "by_pointer() takes from 1 to 2 positional arguments but 3 were given"),
        (
            lambda: options.by_pointer(1, 2, 3, context=3, ratio=3),
            "by_pointer() takes from 1 to 2 positional arguments but 3 positional arguments "
            "(and 2 keyword-only arguments) were given",
        ),
        (lambda: options.by_pointer(1, 2, 3, a=3), "by_pointer() got multiple values for argument 'a'"),
        (lambda: options.by_pointer(context=3), "by_pointer() missing 1 required positional argument: 'a'"),
        (lambda: store.diff(contex=4), "diff() got an unexpected keyword argument 'contex'"),
    ):
        with pytest.raises(TypeError) as caught:
            call()
        said = str(caught.value).removesuffix(". Did you mean 'context'?")  # CPython 3.13's, of Python functions
        assert said.removeprefix("Store.") == message


def test_options_that_do_not_fit_are_named(options: Any) -> None:
    for error, given, message in (
        (OverflowError, {"width": 2**40}, "width: 1099511627776 does not fit i32"),
        (OverflowError, {"left": 70000}, "left: 70000 does not fit i16"),
        (TypeError, {"width": None}, "width: an int is wanted, not None"),
        (TypeError, {"wraps": 1}, "wraps: a bool is wanted, not int"),
        (TypeError, {"around": None}, "around: a Margins is wanted, not None"),
        (ValueError, {"language": "a\0b"}, "language: embedded null character"),
        (ValueError, {"ink": 3}, "3 is not a valid Ink"),
    ):
        with pytest.raises(error) as caught:
            options.print("t", **given)
        assert str(caught.value) == message
    with pytest.raises(OverflowError, match=r"^right: 70000 does not fit i16$"):
        options.print("t", around=options.Margins(1, 70000))
    with pytest.raises(TypeError, match=r"^paths\[1\]: a str is wanted, not int$"):
        options.by_value(paths=["a", 3])


def test_a_default_of_the_library_may_speak_of_the_object(options: Any) -> None:
    store = options.store()
    family = store.family("f")
    assert store.get() == "usual7key"
    assert store.get(family, "k", 3) == "f3k"
    assert store.get(level=4, family=None) == "usual4key"
    assert store.get(key="") == "usual7"


def test_what_stands_for_none_is_checked_as_other_arguments_are(options: Any) -> None:
    store = options.store()
    assert store.get(None, None, None) == store.get()
    with pytest.raises(TypeError, match=r"^family: a Family is wanted, not Store$"):
        store.get(family=store)
    family = store.family("f")
    family.close()
    with pytest.raises(options.ClosedHandleError):
        store.get(family)
    with pytest.raises(OverflowError, match="level: 1180591620717411303424 does not fit i64"):
        store.get(level=2**70)


def test_signatures_show_what_may_be_left_out(options: Any) -> None:
    shown = inspect.signature(options.print).parameters
    assert [p.kind for p in shown.values()] == [inspect.Parameter.POSITIONAL_OR_KEYWORD] + [
        inspect.Parameter.KEYWORD_ONLY
    ] * 6
    assert shown["width"].default is ...
    assert inspect.signature(options.Store.get).parameters["family"].default is None
    assert "columns of a page" in options.print.__doc__
    assert not hasattr(options, "PrintOptions")
    assert options.Margins(1, 2).right == 2


def test_type_checkers_read_it(package: Package) -> None:
    stub = (package.folder / "__init__.pyi").read_text()
    assert "    *,\n    width: int = ...,\n" in stub
    assert "        family: Family | None = None,\n" in stub


# --- memory whose address a call returns ---


def test_returned_memory_is_read_and_released_once(options: Any) -> None:
    assert options.text_of(0) == "text"
    assert options.maybe_text(0) == "text"
    assert options.maybe_text(-1) is None
    assert options.numbers(4) == [0, 1, 4, 9]
    assert options.numbers(0) == []
    assert options.read_at(0) + options.read_at(1) == b"abcd"
    assert options.or_errno(0) == "fine"
    assert options.still_there() == 0


def test_what_the_library_keeps_is_not_released(options: Any) -> None:
    store = options.store()
    for _ in range(3):
        assert store.kept_text() == "ke"
        assert store.names() == ["one", "two"]
        assert store.column(1) == b"a\0b"
        assert store.column(-1) is None
        assert store.packed(3) == b"pac"
    assert options.still_there() == 0


def test_returned_memory_is_released_where_it_cannot_be_read(options: Any) -> None:
    store = options.store()
    for error, call, message in (
        (UnicodeDecodeError, lambda: options.text_of(1), "can't decode byte 0xff"),
        (ValueError, lambda: options.text_of(-1), "the library returned a null string"),
        (ValueError, lambda: options.numbers(-1), "the library returned a length below 0"),
        (ValueError, lambda: store.column(9), "the library returned a length below 0"),
        (options.ErrnoError, lambda: options.or_errno(5), "the call failed (errno_status)"),
        (OverflowError, lambda: options.numbers(2**40), "count: 1099511627776 does not fit i32"),
        (TypeError, lambda: options.text_of(None), "kind: an int is wanted, not None"),
    ):
        with pytest.raises(error) as caught:
            call()
        assert message in str(caught.value)
    assert options.still_there() == 0


# --- what C takes, in the list of the parameters ---


def test_the_list_of_parameters_says_cs_order(options: Any) -> None:
    assert options.sized(b"abc") == 3031
    assert options.sized(data=b"") == 3000
    assert options.store().sized("bc", 3) == 700 + 2 + 19 + 1
    assert options.store().sized(flags=0, data="a") == 700 + 1 + 16


def test_lengths_in_the_list_of_parameters_are_checked(options: Any) -> None:
    for call in (lambda: options.sized(b"a" * 256), lambda: options.store().sized("a" * 256, 1)):
        with pytest.raises(OverflowError) as caught:
            call()
        assert str(caught.value) == "len(data): 256 does not fit u8"
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'data'"):
        options.sized()
    with pytest.raises(TypeError, match="data: a contiguous bytes-like object is wanted, not str"):
        options.sized("text")


# --- pointers that nobody releases ---


def test_a_pointer_says_who_owns_it(options: Any) -> None:
    store = options.store()
    own, fixed = store.own(), store.fixed()
    del store
    assert (own.name, fixed.name) == ("usual", "fixed")
    own.close()
    fixed.close()
    with pytest.raises(options.ClosedHandleError):
        fixed.name  # noqa: B018 - it is read


# --- leaks -----------------------------------------------------------------------------------------------------------

QUICK = (
    "lib.print('t')", "lib.print('t', width=3, wraps=False, language='de', around=margins, left=9, ink=lib.Ink.red)",
    "lib.by_value(paths=['a', 'b'], title='x', ratio=1)", "lib.by_reference()", "lib.by_changed(title='x')",
    "lib.by_pointer(1, b=3, title='x')", "store.diff(context=5)", "lib.quietly(level=3, loud=True)",
    "lib.shelf(level=3, near=cache).size()", "lib.text_of(0)", "lib.maybe_text(0)", "lib.maybe_text(-1)",
    "lib.read_at(0)", "lib.numbers(4)", "lib.or_errno(0)", "store.packed(3)", "store.kept_text()", "store.names()",
)  # fmt: skip
FAILING = (
    "lib.print('t', width='x')", "lib.print('t', ink=9)", "lib.by_value(paths=['a', 1])", "lib.by_value(nothing=1)",
    "store.diff(context=200)", "lib.old(3)", "lib.shelf(near=store)", "lib.text_of(1)", "lib.text_of(-1)",
    "lib.numbers(-1)", "lib.numbers(1 << 40)", "lib.or_errno(5)", "store.packed(1 << 40)", "store.column(9)",
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.skipif(not COUNTS_REFERENCES, reason="this Python counts no references")
@pytest.mark.parametrize(("calls", "fails"), [(QUICK, False), (FAILING, True)], ids=["quick", "failing"])
def test_nothing_stays_of_a_call(options: Any, calls: tuple[str, ...], fails: bool) -> None:
    values = {"lib": options, "store": options.store(), "margins": options.Margins(1, 2), "cache": options.cache(3)}
    scale = Scale([None, True, options.Margins, options.Ink.red, options.DiffError, *values.values()])
    growth = {each: scale.measure(loop(each, values, fails=fails), COUNT // (5 if fails else 1)) for each in calls}
    assert {each: what for each, what in growth.items() if what} == {}
    assert options.still_there() == 0
