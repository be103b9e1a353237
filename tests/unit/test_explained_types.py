"""C++ types and warnings as g++ and clang++ print them, read by `explain`."""

from __future__ import annotations

import pytest

from wrapper_gen.explain.cpp_types import spelled, split
from wrapper_gen.explain.reports import read_reports, read_status_types

_STRING = "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >"


@pytest.mark.parametrize(
    ("gcc", "clang", "ours"),
    [
        ("long unsigned int", "unsigned long", "unsigned long"),
        ("short int", "short", "short"),
        ("long long unsigned int&", "unsigned long long &", "unsigned long long &"),
        ("unsigned char", "unsigned char", "unsigned char"),
        ("unsigned int", "unsigned int", "unsigned int"),
        ("const char*", "const char *", "const char *"),
        ("char* const*", "char *const *", "char *const *"),
        ("CUstream_st**", "CUstream_st **", "CUstream_st **"),
        (f"const {_STRING}&", "const std::basic_string<char> &", "const std::string &"),
        ("std::basic_string_view<char, std::char_traits<char> >", "std::basic_string_view<char>", "std::string_view"),
        (f"std::vector<{_STRING}, std::allocator<{_STRING} > >&&", "std::vector<std::basic_string<char>> &&",
         "std::vector<std::string> &&"),
        ("std::basic_ostream<char, std::char_traits<char> >&", "std::basic_ostream<char> &",
         "std::basic_ostream<char> &"),
        ("std::unique_ptr<Node, std::default_delete<Node> >", "std::unique_ptr<Node>", "std::unique_ptr<Node>"),
        ("std::unique_ptr<Node, Free>", "std::unique_ptr<Node, Free>", "std::unique_ptr<Node, Free>"),
        ("std::map<int, Node, std::less<int>, std::allocator<std::pair<const int, Node> > >",
         "std::map<int, Node>", "std::map<int, Node>"),
        ("std::function<long int(void*, unsigned int)>", "std::function<long (void *, unsigned int)>",
         "std::function<long (void *, unsigned int)>"),
        ("int (*)(void*, const char*)", "int (*)(void *, const char *)", "int (*)(void *, const char *)"),
        ("int (&)[3]", "int (&)[3]", "int (&)[3]"),
        ("std::array<float, 3>", "std::array<float, 3UL>", "std::array<float, 3>"),
        ("{anonymous}::Node&", "(anonymous namespace)::Node &", "Node &"),
        ("<unnamed enum>", "(unnamed enum at ../a/reader.h:24:1)", "unnamed"),
        ("f(int)::<lambda(int)>", "(lambda at a.wrapper_spec (for entry 3):9:61)", "lambda"),
        ("std::filesystem::__cxx11::path", "std::filesystem::path", "std::filesystem::path"),
        ("wg::Span<const double>", "wg::Span<const double, 1, wg::Order::C>", "wg::Span<const double>"),
    ],
)  # fmt: skip
def test_a_type_has_one_spelling(gcc: str, clang: str, ours: str) -> None:
    assert (spelled(gcc), spelled(clang)) == (ours, ours)


def test_arguments_of_a_template_are_split_at_its_own_commas() -> None:
    assert split("A<1, 2>, void (*)(int, B<C, D>), E") == ["A<1, 2>", "void (*)(int, B<C, D>)", "E"]
    assert split("") == []


GCC = """\
In file included from bridge.cpp:5:
wg/calls/explained_calls.hpp: In instantiation of 'constexpr bool wg::explains_as_given() [with Call = f()::<lambda>]':
a.wrapper_spec (for entry 4):7:12:   required from 'void wg_api::wg_do_f() [with wg_T = {}]'
bridge.cpp:90:1:   required from here
wg/calls/explained_calls.hpp:52:12: warning: 'wg::explained_call<wg::explained::Units<1, 0>, \
wg::explained::Sizes<2, 1>, wg::explained::Way<0>, long int, \
wg::explained::Given<const char*, long unsigned int, Node*&> >' is deprecated: \
wg-explain [-Wdeprecated-declarations]
wg/calls/explained_calls.hpp:35:45: note: declared here
wg-explain (for entry 4):1:1:   required from here
wg/calls/explained_calls.hpp:60:12: warning: 'wg::explained_signature<long int, \
wg::explained::Given<const Node&, int>, wg::explained::Member>' is deprecated: wg-explain [-Wdeprecated-declarations]
"""
CLANG = """\
wg/calls/explained_calls.hpp:52:12: warning: 'explained_call<wg::explained::Units<1, 0>, wg::explained::Sizes<2, 1>, \
wg::explained::Way<0>, long, wg::explained::Given<const char *, unsigned long, Node *&>>' is deprecated: wg-explain \
[-Wdeprecated-declarations]
a.wrapper_spec (for entry 4):7:12: note: in instantiation of function template specialization 'wg::f<(lambda at \
a.wrapper_spec (for entry 5):8:3)>' requested here
wg/calls/explained_calls.hpp:60:12: warning: 'explained_signature<long, wg::explained::Given<const Node &, int>, \
wg::explained::Member>' is deprecated: wg-explain [-Wdeprecated-declarations]
wg-explain (for entry 4):1:1: note: in instantiation of function template specialization 'wg::g' requested here
"""


@pytest.mark.parametrize("output", [GCC, CLANG], ids=["g++", "clang++"])
def test_warnings_are_read_for_the_entry_that_led_to_them(output: str) -> None:
    (number,) = reports = read_reports(output)
    (call,) = reports[number].calls
    assert number == 4
    assert (call.units, call.sizes, call.result) == ((1, 0), (2, 1), "long")
    assert call.given == ("const char *", "unsigned long", "Node *&")
    signature = reports[number].signature
    assert signature is not None
    assert (signature.of, signature.text) == ("const Node", "long (int) const")


def test_other_words_of_a_compiler_say_nothing() -> None:
    assert read_reports("a.cpp:1:1: warning: 'f' is deprecated: use g [-Wdeprecated-declarations]\n") == {}


def test_the_types_of_statuses_as_both_compilers_name_them() -> None:
    said = (
        "a.hpp:1:2: warning: 'wg::explained_status<wg::explained::Way<0>, cudaError>' is deprecated: wg-explain [-W]\n"
        "a.hpp:1:2: warning: 'explained_status<wg::explained::Way<1ul>, unsigned int>' is deprecated: wg-explain [-W]\n"
    )
    assert read_status_types(said) == {0: "cudaError", 1: "unsigned int"}
