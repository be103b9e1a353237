"""The search for the order of C's arguments: which orders may compile, and how many calls the compiler is asked for."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.limits import HANGS
from wrapper_gen.resources import RUNTIME

COMPILERS = [
    pytest.param(each, marks=[pytest.mark.slow] * (each != "g++")) for each in ("g++", "clang++") if shutil.which(each)
]
HEAD = """\
#include "wg/calls/resolved_call.hpp"
#include "wg/ownership/pointers.hpp"
#include "wg/types/struct_arguments.hpp"
struct node;
struct other { other(const char *); };
using wg::TextIn;
using Node = wg::PlainIn<node *&>;
using Number = wg::NumberIn<wg::i32>;
using NumberOut = wg::types::Number<wg::i32>;
/// What C++ finds of a call on a handle that gives a number.
template <class F, class... In>
using Found = wg::Deduced<F, 1, wg::Gives<false, NumberOut>, Node, In...>;
template <class... R>
constexpr std::size_t count(wg::Types<R...>) { return sizeof...(R); }
template <std::size_t... k>
constexpr std::size_t count(std::index_sequence<k...>) { return sizeof...(k); }
"""
TEXTS = ", ".join(["const char *"] * 8)
EIGHT = ", ".join(["TextIn"] * 8)


def compile_text(compiler: str, folder: Path, text: str, *flags: str, before: str = "") -> str:
    """What the compiler says of a text, in a function behind what is declared `before`; empty where it is content."""
    source = folder / "search.cpp"
    source.write_text(f"{HEAD}{before}\nvoid tested() {{\n{text}\n}}\n", encoding="utf-8")
    command = [
        compiler,
        "-std=c++17",
        "-fsyntax-only",
        "-Wall",
        "-Wextra",
        *flags,
        f"-I{RUNTIME / 'include'}",
        str(source),
    ]
    return subprocess.run(command, capture_output=True, text=True, timeout=HANGS, check=False).stderr


@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_function_of_c_is_asked_about_places_and_not_orders(compiler: str, tmp_path: Path) -> None:
    """Eight texts and an object behind them: one order of 9, none of the 90 that write the result."""
    text = f"""
    int eight({TEXTS}, node *);
    const auto call = WG_CALLABLE(eight);
    using Call = Found<decltype(call), {EIGHT}>;
    static_assert(Call::Search<0, 0>::All::count == 9 && Call::Search<1, 0>::All::count == 90);
    static_assert(count(Call::Search<0, 0>::Possible()) == 1 && count(Call::Search<1, 0>::Possible()) == 0);
    static_assert(Call::asked_for() == 0 && count(Call::Found()) == 1 && Call::is_there(8, Call::Found()));
    static_assert(!Call::is_undecided);
    """
    assert compile_text(compiler, tmp_path, text, "-DWG_NO_OVERLOADS", "-Wno-unused") == ""


@pytest.mark.parametrize("compiler", COMPILERS)
def test_overloads_are_asked_about_each_order(compiler: str, tmp_path: Path) -> None:
    """A choice says nothing of places; and which of C++'s functions have overloads, no compiler says."""
    text = """
    int one(int, node *);
    int two(int, node *); int two(node **, node *);
    const auto first = WG_CALLABLE(one); const auto second = WG_CALLABLE(two);
    using One = Found<decltype(first), Number>; using Two = Found<decltype(second), Number>;
    static_assert(One::Search<0, 0>::asked_for == 0 && Two::Search<0, 0>::asked_for == 2);
    static_assert(One::asked_for() == 6 && Two::asked_for() == 8);
    static_assert(count(One::Found()) == 1 && count(Two::Found()) == 1 && Two::is_there(1, Two::Found()));
    """
    assert compile_text(compiler, tmp_path, text, "-Wno-unused") == ""


@pytest.mark.parametrize("flags", [(), ("-DWG_NO_OVERLOADS",)])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_all_orders_that_compile_are_found(compiler: str, flags: tuple[str, ...], tmp_path: Path) -> None:
    """Also of overloads where C has none, and where a text converts to the parameter."""
    text = """
    int choice(int, node *, double); int choice(int, double, node *);
    int converts(other, node *);
    void writes(int *, node *, const std::string &);
    const auto first = WG_CALLABLE(choice); const auto second = WG_CALLABLE(converts);
    const auto third = WG_CALLABLE(writes);
    using Float = wg::NumberIn<wg::f64>;
    static_assert(count(Found<decltype(first), Number, Float>::Found()) == 2);
    using Second = Found<decltype(second), TextIn>;
    static_assert(Second::is_there(1, Second::Found()));
    static_assert(count(Found<decltype(third), TextIn>::Found()) == 1 && Found<decltype(third), TextIn>::writes);
    """
    assert compile_text(compiler, tmp_path, text, *flags, "-Wno-unused") == ""


@pytest.mark.parametrize("compiler", COMPILERS)
def test_no_body_of_a_template_is_looked_into_for_a_stand_in(compiler: str, tmp_path: Path) -> None:
    """Also where its result is `auto`, through smart pointers, and on an object."""
    before = """
    struct Library {
        template <class Data> static auto deduced(const Data &data, node *) { return data.size(); }
        template <class Data> static std::size_t said(node *, const Data &data) { return data.size(); }
        template <class Data> auto on(const Data &data, double) { return data.size(); }
    };
    """
    text = """
    const auto first = WG_CALLABLE(Library::deduced); const auto second = wg::pointing(WG_CALLABLE(Library::said));
    const auto third = wg::pointing(WG_CALLABLE(Library::deduced));
    using Data = wg::PlainIn<const std::vector<int> &>;
    using First = Found<decltype(first), Data>; using Second = Found<decltype(second), Data>;
    using Third = Found<decltype(third), Data>;
    static_assert(count(First::Found()) == 1 && First::is_there(1, First::Found()));
    static_assert(count(Second::Found()) == 1 && Second::is_there(0, Second::Found()));
    static_assert(count(Third::Found()) == 1 && Third::is_there(1, Third::Found()));
    static_assert(First::Search<0, 0>::asked_for == 2 && Second::Search<0, 0>::asked_for == 2);
    static_assert(Third::Search<0, 0>::asked_for == 2);
    Library library;
    const auto on = WG_CALLABLE_MEMBER(library, on);
    static_assert(!wg::takes_anything<std::decay_t<decltype(on)>, 2>);
    """
    assert compile_text(compiler, tmp_path, text, "-Wno-unused", before=before) == ""


@pytest.mark.parametrize("flags", [(), ("-DWG_NO_OVERLOADS",)])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_part_is_asked_about_in_all_its_forms(compiler: str, flags: tuple[str, ...], tmp_path: Path) -> None:
    """A struct by its address, and a value that may be missing, with the object between them and what is written."""
    before = "struct place { int x, y; }; struct Place { using Value = place; };"
    text = """
    int step(place *, node *, const place *);
    void maybe(int *, node *, const char *);
    void whole(int *, node *, std::optional<std::string>);
    const auto first = WG_CALLABLE(step); const auto second = WG_CALLABLE(maybe); const auto third = WG_CALLABLE(whole);
    using Gives = wg::Gives<true, wg::types::Struct<Place>>;
    using Step = wg::Deduced<decltype(first), 1, Gives, Node, wg::StructIn<place, false>>;
    using Maybe = Found<decltype(second), wg::MaybeIn<std::string>>;
    using Whole = Found<decltype(third), wg::MaybeIn<std::string>>;
    static_assert(Step::Search<1, 0>::asked_for == 0 && count(Step::Search<1, 0>::Possible()) == 1);
    static_assert(count(Step::Found()) == 1 && Step::is_there(1, Step::Found()) && Step::writes);
    static_assert(count(Maybe::Found()) == 1 && Maybe::is_there(1, Maybe::Found()));
    static_assert(count(Whole::Found()) == 1 && Whole::is_there(1, Whole::Found()));
    """
    assert compile_text(compiler, tmp_path, text, *flags, "-Wno-unused", before=before) == ""


@pytest.mark.parametrize("compiler", COMPILERS)
def test_the_compiler_warns_of_a_search_that_takes_it_long(compiler: str, tmp_path: Path) -> None:
    text = f"""
    int eight({TEXTS}, node *);
    const auto call = WG_CALLABLE(eight);
    static_assert(!Found<decltype(call), {EIGHT}>::is_undecided);
    """
    assert compile_text(compiler, tmp_path, text, "-DWG_NO_OVERLOADS", "-Wno-unused") == ""
    said = compile_text(compiler, tmp_path, text, "-Wno-unused")
    assert "wrapper-gen: the compiler takes long to find the order of these arguments" in said
    assert "finds_order_slowly" in said
