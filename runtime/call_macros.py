"""Writes `include/wg/entries/call_macros.hpp`: the macros for calls with up to twelve arguments.

python runtime/call_macros.py > runtime/include/wg/entries/call_macros.hpp
"""

from __future__ import annotations

from collections.abc import Sequence

MOST = 12
_HEAD = """\
// The macros for calls in generated code, with up to {most} arguments. Written by `runtime/call_macros.py`.
//
// The number of arguments is plain, so that a callee may be a macro of the library's, and the compiler checks the
// names in it at once. A callee has four forms: called with anything (and a probe of that in braces), with so many
// arguments alone, as it is, and once for each argument that stands in braces, which refuse to narrow.
#ifndef WG_ENTRIES_CALL_MACROS_HPP
#define WG_ENTRIES_CALL_MACROS_HPP

#include "wg/conversion/arguments.hpp"

/// The number of arguments after the first.
#define WG_COUNT(...) WG_COUNTED(__VA_ARGS__, {numbers}, wg_none)
#define WG_COUNTED({counted}, n, ...) n
#define WG_JOINED(a, b) a##b
#define WG_JOIN(a, b) WG_JOINED(a, b)
#define WG_FORWARD(x) static_cast<decltype(x)>(x)
/// A parameter as an argument, with what messages call it.
#ifdef __GNUC__
#define WG_SHOWN(x) (__extension__({{ static constexpr wg::Shown<sizeof(#x)> wg_shown(#x); wg_shown.text; }}))
#else
#define WG_SHOWN(x) [] {{ static constexpr wg::Shown<sizeof(#x)> wg_shown(#x); return wg_shown.text; }}()
#endif
#define WG_IN(x) wg::in(x, WG_SHOWN(x), sizeof(#x) - 1)
"""
_TAIL = """\
/// A call of a function, or of a member of what a handle holds, with its arguments as they stand.
#define WG_CALL(...) WG_JOIN(WG_CALLING_, WG_COUNT(__VA_ARGS__))(wg::OrderAsGiven(), __VA_ARGS__)
#define WG_CALL_ON(o, ...) WG_JOIN(WG_CALLING_ON_, WG_COUNT(__VA_ARGS__))(wg::OrderAsGiven(), o, __VA_ARGS__)

/// C++ finds the order: where the handle stands (the first argument, of a method), what is written, what has a length.
#define WG_FIND(...) WG_JOIN(WG_FINDING_, WG_COUNT(__VA_ARGS__))(wg::OrderFound<0>(), __VA_ARGS__)
#define WG_FIND_METHOD(...) WG_JOIN(WG_FINDING_, WG_COUNT(__VA_ARGS__))(wg::OrderFound<1>(), __VA_ARGS__)
#define WG_FIND_ON(o, ...) WG_JOIN(WG_CALLING_ON_, WG_COUNT(__VA_ARGS__))(wg::OrderFoundOn(), o, __VA_ARGS__)

/// The spec says the order, in which the arguments stand here: `WG_OUT(type)` is what the call writes.
#define WG_ORDERED(...) WG_JOIN(WG_ORDERING_, WG_COUNT(__VA_ARGS__))(wg::OrderStated(), __VA_ARGS__)
#define WG_ORDERED_ON(o, ...) WG_JOIN(WG_ORDERING_ON_, WG_COUNT(__VA_ARGS__))(wg::OrderStatedOn(), o, __VA_ARGS__)

/// The same, where C++ may want a smart pointer among the arguments, or what it points to.
#define WG_CALLEE_VIA(via) [](const auto &call) { return via(call); }
#define WG_FIND_VIA(via, ...) \\
    WG_JOIN(WG_FINDING_, WG_COUNT(__VA_ARGS__))(wg::order_found_via<0>(WG_CALLEE_VIA(via)), __VA_ARGS__)
#define WG_FIND_METHOD_VIA(via, ...) \\
    WG_JOIN(WG_FINDING_, WG_COUNT(__VA_ARGS__))(wg::order_found_via<1>(WG_CALLEE_VIA(via)), __VA_ARGS__)
#define WG_ORDERED_VIA(via, ...) \\
    WG_JOIN(WG_ORDERING_, WG_COUNT(__VA_ARGS__))(wg::order_stated_via(WG_CALLEE_VIA(via)), __VA_ARGS__)

/// Arguments that are no parameters: an expression, the length of a parameter, what the call writes, options.
#define WG_VALUE(...) wg::value_in((__VA_ARGS__), #__VA_ARGS__)
#define WG_LENGTH(x) wg::length_in(x.size(), WG_SHOWN(x) + sizeof(#x) - 1)
/// An expression over parameters, which it calls by the names of the spec.
#define WG_OVER(parameters, arguments, ...) [&] parameters -> decltype(auto) { return (__VA_ARGS__); } arguments
#define WG_OUT(...) (wg::OutIn<__VA_ARGS__>())
#define WG_OPTIONS(type, ...) wg::options_in(wg_options_##type(__VA_ARGS__))
/// What whoever calls the typed function does with a result: called here, so that the compiler names this line.
#define WG_USED [&](auto &&value) -> decltype(auto) { return wg_use(WG_FORWARD(value)); }
/// What the spec says of a value before it is converted: a function of it, and of the object of the call.
#define WG_THEN(f) [&](auto &value) -> decltype(auto) { return f(value); }
#define WG_THEN_OF(f, h) [&](auto &value) -> decltype(auto) { return f(value, h); }

#endif  // WG_ENTRIES_CALL_MACROS_HPP
"""


def callee(count: int, *, member: bool) -> str:
    """The macro for a callee with so many arguments; of a member the object comes first."""
    arguments = [f"wg_a{i}" for i in range(count)]
    own = ["wg_o"] * member + arguments
    function = "wg::object(wg_o.inner).F" if member else "F"

    def call(given: list[str], apart: str = "") -> str:
        return f"{function}{apart}({', '.join(given)})"

    objects, values = own[:member], [f"WG_FORWARD({each})" for each in arguments]
    taken = ", ".join(
        [
            *(f"[[maybe_unused]] auto &{each}" for each in objects),
            *(f"[[maybe_unused]] auto &&{each}" for each in arguments),
        ]
    )
    passed = ", ".join(["auto &wg_o"] * member + [f"auto &&{each}" for each in arguments])
    forwarded = call(values)
    capture = "" if member else "&"
    anything = call(["WG_FORWARD(wg_a)..."], " WG_NOT_EXPANDED ")
    in_braces = call(["{WG_FORWARD(wg_a)}..."], " WG_NOT_EXPANDED ")
    given = "[[maybe_unused]] auto &wg_o, " * member + "[[maybe_unused]] auto &&...wg_a"
    any_form = f"[{capture}]({'auto &wg_o, ' * member}auto &&...wg_a) -> decltype({anything}) {{ return {anything}; }}"
    probe = f"[]({given}) -> decltype(static_cast<void>({in_braces})) {{}}"
    forms = [
        f"wg::AlsoInBraces{{{any_form}, \\\n        {probe}}}",
        f"[]({taken}) -> decltype(static_cast<void>({forwarded})) {{}}",
        f"[{capture}]({passed}) -> decltype(auto) {{ return {forwarded}; }}",
    ]
    probes = ["wg::NoProbe()"] * member  # the object is an argument, and never in braces
    for at in range(count):
        braced = call([f"{{{each}}}" if i == at else each for i, each in enumerate(values)], " WG_NOT_EXPANDED ")
        probes.append(f"[]({taken}) -> decltype(static_cast<void>({braced})) {{}}")
    return _macro(f"WG_{'MEMBER' if member else 'FREE'}_{count}", forms, probes)


def _macro(name: str, forms: Sequence[str], probes: Sequence[str] = ()) -> str:
    """The macro that makes a callee; its braces are within parentheses, since macros divide what they get at commas."""
    braced = "wg::Probes{" + ", \\\n    ".join(probes) + "}" if probes else "wg::Probes<>()"
    return f"#define {name}(F) (wg::Callee{{ \\\n    " + ", \\\n    ".join([*forms, braced]) + "})"


def exact(count: int, *, member: bool) -> str:
    """The macro for a callee whose arguments are in the spec's order: with anything, and with just so many."""
    arguments = [f"wg_a{i}" for i in range(count)]
    function = "wg::object(wg_o.inner).F" if member else "F"
    capture, first = ("", ["auto &wg_o"]) if member else ("&", [])
    anything = f"{function} WG_NOT_EXPANDED (WG_FORWARD(wg_a)...)"
    given = ", ".join([*first, *(f"auto &&{each}" for each in arguments)])
    just = f"{function}({', '.join(f'WG_FORWARD({each})' for each in arguments)})"
    forms = [
        f"[{capture}]({', '.join([*first, 'auto &&...wg_a'])}) -> decltype({anything}) {{ return {anything}; }}",
        "wg::NoProbe()",
        f"[{capture}]({given}) -> decltype({just}) {{ return {just}; }}",
    ]
    return _macro(f"WG_{'MEMBER' if member else 'FREE'}_JUST_{count}", forms)


def without_arguments() -> str:
    """A callee without any, whose order C++ finds: generic, so that what is not called need not compile."""
    form = "[&](auto &&...wg_a) -> decltype({0}) {{ return {0}; }}".format("F WG_NOT_EXPANDED (WG_FORWARD(wg_a)...)")
    return _macro("WG_FOUND_0", [form, "wg::NoProbe()", form])


def calls(count: int) -> str:
    """The macros that make a call with so many arguments."""
    listed = "".join(f", a{i}" for i in range(count))
    arguments = [f"WG_IN(a{i})" for i in range(count)]
    found = f"WG_FREE_{count}" if count else "WG_FOUND_0"

    def made(name: str, parameters: str, called: str, given: list[str]) -> str:
        ins = f"wg::packs::of({', '.join(given)})"
        return f"#define WG_{name}_{count}(how, {parameters}{listed}) (wg::EntryCall{{how, {called}(F), {ins}}})"

    return "\n".join(
        (
            made("CALLING", "F", f"WG_FREE_{count}", arguments),
            made("FINDING", "F", found, arguments),
            made("ORDERING", "F", f"WG_FREE_JUST_{count}", arguments),
            made("ORDERING_ON", "o, F", f"WG_MEMBER_JUST_{count}", ["WG_PLAIN(o)", *arguments]),
            made("CALLING_ON", "o, F", f"WG_MEMBER_{count}", ["WG_PLAIN(o)", *arguments]),
        )
    )


def text() -> str:
    """The whole header."""
    numbers = ", ".join(str(i) for i in range(MOST, -1, -1))
    counted = ", ".join(f"a{i}" for i in range(MOST + 1))
    counts = range(MOST + 1)
    macros = [
        *map(calls, counts),
        without_arguments(),
        *(callee(i, member=False) for i in counts),
        *(callee(i, member=True) for i in counts),
        *(exact(i, member=False) for i in counts),
        *(exact(i, member=True) for i in counts),
    ]
    return "\n".join([_HEAD.format(most=MOST, numbers=numbers, counted=counted), *macros, "", _TAIL])


if __name__ == "__main__":
    print(text(), end="")
