"""Lets the compiler prove facts, and asks the libraries for what is called."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from wrapper_gen.diagnostics import Diagnostic, Span, ToolchainError
from wrapper_gen.frozen import frozen
from wrapper_gen.headers import CFunction, FunctionKind, Headers, compilers
from wrapper_gen.headers.lock import Locked, same_named
from wrapper_gen.model import Module
from wrapper_gen.verify.facts import Fact, shown_offset
from wrapper_gen.verify.library import SpecLibrary
from wrapper_gen.verify.uses import HeaderUse, SpecUses

_FACT = "wrapper-gen-fact"
_MARK = re.compile(rf"^{_FACT}:(\d+)(?::\d+)?: (?:fatal )?error: (.*)$", re.MULTILINE)
_ELSEWHERE = re.compile(r"^(?!In file|" + _FACT + r")(\S[^\n:]*):(\d+)(?::\d+)?: (?:fatal )?error: (.*)$", re.MULTILINE)


@frozen
class Compiled:
    """What the compiler says of facts, by their numbers."""

    refused: Mapping[int, str]
    """Those that do not hold, with its words."""
    failure: str
    """Why it did not come to them; empty where it did."""


def compiled(facts: Sequence[Fact], library: SpecLibrary, folder: Path) -> Compiled:
    """Let the compiler read the statements of facts after the headers.

    Args:
        facts: those without a statement are not asked for.
        library: how the compiler is called.
        folder: for the file that it reads.
    """
    source = folder / "facts.cpp"
    source.write_text(statements(facts, library), encoding="utf-8")
    options = [*library.options, "-w", *(f"-I{each}" for each in library.source.folders)]
    said = compilers.refused(source, options)
    refused: dict[int, str] = {}
    for number, what in _MARK.findall(said):
        refused.setdefault(int(number) - 1, what)
    others = _ELSEWHERE.findall(said)
    failure = f"{Path(others[0][0]).name}:{others[0][1]}: {others[0][2]}" if others and not refused else ""
    return Compiled(refused, failure)


def statements(facts: Sequence[Fact], library: SpecLibrary) -> str:
    """C++ that compiles only while all facts hold; fact `n` stands at line `n + 1` of a file of ours."""
    lines = [library.source.text, "#include <cstddef>\n#include <type_traits>\n"]
    for number, fact in enumerate(facts, 1):
        if fact.statement:
            lines.append(f'#line {number} "{_FACT}"\n{fact.statement}\n')
    return "".join(lines)


# --- what does not hold ----------------------------------------------------------------------------------------------


def changes(fact: Fact, today: Mapping[str, Locked], why: str) -> str:
    """What became of a fact that does not hold any more; empty where the headers still say it."""
    is_now = today.get(fact.key)
    if fact.kind == "signature":
        if is_now is not None and is_now.signature == fact.was:
            return ""
        now = [is_now] if is_now else same_named(today).get(fact.name, [])
        return _was(fact.name, fact.was, [each.signature for each in now], "declared")
    if is_now is None:
        return f"{fact.name} is gone: no header declares it"
    if fact.kind == "constant":
        return "" if is_now.signature == fact.was else _was(fact.name, fact.was, [is_now.signature], "defined")
    if fact.kind == "default":
        own = is_now.members[fact.place :] if len(is_now.members) >= -fact.place else ()
        now_has = [str(each[1]) for each in own[:1]]
        return "" if now_has == [fact.was] else _was(f"the default of {fact.name}", fact.was, now_has, "written")
    last = fact.name.rpartition("::")[2]
    now_there = [each for each in is_now.members if each[0] == last]
    if fact.kind == "enum value":
        shown = [str(each[1]) for each in now_there]
    else:
        shown = [f"{type_}, at {shown_offset(offset)}" for _, type_, offset in now_there]
    return "" if shown == [fact.was] else _was(fact.name, fact.was, shown, "declared")


def _was(name: str, was: str, now: Sequence[str], verb: str) -> str:
    if not now:
        return f"{name} is gone: no header has it; it was {was}"
    return f"{name} is {verb} as {' and '.join(now)}; it was {was}"


def broken(fact: Fact, what: str, lock: str) -> list[Diagnostic]:
    """A fact that does not hold, at the lines of the spec that rely on it."""
    advice = (
        f"change the entries that need it, then record the header of today: wrapper-gen verify --write-lock ({lock} "
        f"has {fact.at})"
    )
    return [
        Diagnostic("WG330", f"{use.entry}: {what}", Span(*use.span), advice) for use in _first_of_each_line(fact.uses)
    ]


def _first_of_each_line(uses: Sequence[HeaderUse]) -> list[HeaderUse]:
    found: dict[tuple[str, int], HeaderUse] = {}
    for each in uses:
        found.setdefault((each.entry, each.span.line), each)
    return list(found.values())


# --- what libraries export -------------------------------------------------------------------------------------------


@frozen
class CalledSymbol:
    """A function that a spec calls, and the library that exports it; without a library, none does."""

    name: str
    symbol: str
    library: str
    version: str
    uses: tuple[HeaderUse, ...]


@frozen
class Linked:
    """What the libraries export of what is called, and what could not be asked."""

    symbols: tuple[CalledSymbol, ...]
    unknown: tuple[str, ...]
    """Why libraries could not be asked."""

    @property
    def missing(self) -> list[CalledSymbol]:
        return [each for each in self.symbols if not each.library]


def linked(module: Module, library: SpecLibrary, headers: Headers, uses: SpecUses) -> Linked:
    """Ask the libraries of a spec for each function that it calls and that has no code in the headers."""
    if not library.libraries:
        return Linked((), ("the spec links no library",))
    exported: dict[str, dict[str, str]] = {}
    unknown: list[str] = []
    for each in library.libraries:
        if each.path is None:
            unknown.append(f"{each.name} is not on this machine")
            continue
        try:
            found = compilers.exported_symbols(each.path)
        except ToolchainError as error:
            unknown.append(f"{each.path.name}: {error.diagnostic.message}")
            continue
        if found:
            exported[each.name] = found
        else:
            unknown.append(f"{each.path.name} exports nothing that nm can see")
    missing_is_sure = bool(exported) and not unknown
    symbols = []
    for function in headers.all_functions():
        used = uses.chosen.get(function.key) or uses.functions.get(function.qualified, ())
        if used and _is_exported_by_library(function, module):
            where = next((name for name, found in exported.items() if function.symbol in found), "")
            if where or missing_is_sure:
                version = exported[where][function.symbol] if where else ""
                symbols.append(CalledSymbol(function.qualified, function.symbol, where, version, used))
    return Linked(tuple(symbols), tuple(unknown))


def _is_exported_by_library(function: CFunction, module: Module) -> bool:
    """Whether a library has to have it: its code is neither in a header nor in a source of the spec."""
    is_code = function.is_inline or function.template or function.is_pure or function.is_deleted
    if is_code or not function.symbol or function.is_defaulted:
        return False
    if function.kind in (FunctionKind.CONSTRUCTOR, FunctionKind.DESTRUCTOR) or function.is_virtual:
        return False  # under several symbols, or called through a table
    word = re.compile(rf"\b{re.escape(function.name)}\s*\(")
    return not any(word.search(each.text) for each in module.library.sources)


def unexported(symbol: CalledSymbol, library: SpecLibrary) -> list[Diagnostic]:
    """A function that no library has, at the lines of the spec that call it."""
    names = " or ".join(each.path.name for each in library.libraries if each.path)
    what = f"{symbol.name} is declared, and {names} does not export it"
    advice = "leave the entry out, or name the library that has it in `link` or `requires`"
    return [
        Diagnostic("WG331", f"{use.entry}: {what}", Span(*use.span), advice) for use in _first_of_each_line(symbol.uses)
    ]
