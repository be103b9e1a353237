"""What the compiler says of each entry: the call that it has chosen, and the signature of what is called."""

from __future__ import annotations

import re
from collections.abc import Mapping

from wrapper_gen.diagnostics import Span, SpanOfRow
from wrapper_gen.explain.cpp_types import spelled, split
from wrapper_gen.frozen import frozen, replace
from wrapper_gen.model import Body, Code, Function, Lambda, Module, Named

_REPORT = re.compile(r"warning: '(?:wg::)?explained_(call|signature)<(.*)>' is deprecated: wg-explain")
_STATUS = re.compile(
    r"warning: '(?:wg::)?explained_status<(?:wg::)?explained::Way<(\d+)\w*>, (.*)>' is deprecated: wg-explain"
)
_GCC = re.compile(r"\(for entry (\d+)\):\d+:\d+: +(?:recursively )?required")
_CLANG = re.compile(r"\(for entry (\d+)\):\d+:\d+: note: in instantiation")
_NEXT = re.compile(r"^\S[^\n]*: (?:warning|(?:fatal )?error): ", re.MULTILINE)
_LIST = re.compile(r"^[\w:]*<(.*)>$")


@frozen
class ReportedCall:
    """A call: its units in C's order, by number, and how many arguments each is; `way` is how a property is reached."""

    units: tuple[int, ...]
    sizes: tuple[int, ...]
    way: int
    result: str
    given: tuple[str, ...]
    """The C++ type of each argument."""


@frozen
class ReportedSignature:
    """A function that has no overloads."""

    result: str
    parameters: tuple[str, ...]
    takes_more: bool
    """Whether it takes whatever follows, as printf does."""
    of: str
    """The class that it is a member of, `const` where the member is; empty of other functions."""

    @property
    def text(self) -> str:
        """How C++ writes its type."""
        more = ["..."] * self.takes_more
        is_const = self.of.startswith("const ")
        return f"{self.result} ({', '.join([*self.parameters, *more])}){' const' * is_const}"


@frozen
class Report:
    """All that is said of one entry."""

    calls: tuple[ReportedCall, ...] = ()
    signature: ReportedSignature | None = None


def marked(module: Module) -> Module:
    """The same module for a compiler that is to say of which entry it speaks: `read_reports` finds the mark.

    Several entries can stand on one line, and a getter and its setter at one place.
    """
    numbers = {id(function): i for i, function in enumerate(module.callables)}

    def marks(functions: tuple[Function, ...]) -> tuple[Function, ...]:
        return tuple(_marked(function, numbers[id(function)]) for function in functions)

    return replace(
        module,
        functions=marks(module.functions),
        statics=marks(module.statics),
        constructors=marks(module.constructors),
        methods=marks(module.methods),
        record_methods=marks(module.record_methods),
        is_explained=True,
    )


def _marked(function: Function, number: int) -> Function:
    def at(code: Code) -> Code:
        return replace(code, span=SpanOfRow.at(Span(*code.span), f"entry {number}"))

    match function.implementation:
        case Named() as named:
            return replace(function, implementation=replace(named, name=at(named.name)))
        case Lambda() | Body() as written:
            return replace(function, implementation=replace(written, code=at(written.code)))
        case _:
            return function


def read_reports(output: str) -> Mapping[int, Report]:
    """What a compiler has said of each entry, by its number among the callables of the module."""
    reports = [*_REPORT.finditer(output)]
    is_gcc = " required from " in output
    found: dict[int, Report] = {}
    for i, report in enumerate(reports):
        if is_gcc:
            before = output[reports[i - 1].end() if i else 0 : report.start()]
            marks = _GCC.findall(before)[-1:]
        else:
            stop = _NEXT.search(output, report.end())
            marks = _CLANG.findall(output, report.end(), stop.start() if stop else len(output))[:1]
        for mark in marks:
            found[int(mark)] = _with(found.get(int(mark), Report()), report[1], split(report[2]))
    return found


def read_status_types(output: str) -> Mapping[int, str]:
    """The C++ type of each error, by its number in the spec, as the results of calls are named."""
    return {int(found[1]): spelled(found[2]) for found in _STATUS.finditer(output)}


def _with(report: Report, kind: str, said: list[str]) -> Report:
    if kind == "signature":
        result, parameters, rest = said
        types, is_member = _types(parameters), rest.endswith("Member")
        of = types[0].removesuffix(" &") if is_member else ""
        made = ReportedSignature(spelled(result), types[is_member:], rest.endswith("More"), of)
        return replace(report, signature=made)
    units, sizes, way, result, given = said
    call = ReportedCall(_numbers(units), _numbers(sizes), _numbers(way)[0], spelled(result), _types(given))
    return report if call in report.calls else replace(report, calls=(*report.calls, call))


def _inner(text: str) -> list[str]:
    found = _LIST.match(text.strip())
    return split(found[1]) if found else []


def _types(text: str) -> tuple[str, ...]:
    return tuple(map(spelled, _inner(text)))


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(re.sub(r"\D", "", each)) for each in _inner(text))
