"""The page of `verify`, as text for people and as data for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from wrapper_gen.verify import Verified
from wrapper_gen.verify.facts import Fact
from wrapper_gen.verify.proofs import CalledSymbol

_KINDS = {
    "signature": "signatures",
    "default": "defaults",
    "field": "fields",
    "enum value": "enum values",
    "constant": "constants",
}
_DIFFERENTIAL = "test_both_engines_agree"
_SHOWN = 8
"""Names that a line of the page lists."""


def as_text(verified: Verified, spec: str, *, every: bool) -> str:
    """One page; `spec` is the path to show, and with `every` all that is only counted otherwise is listed."""
    return "\n".join(_page(verified, spec, every))


def _page(verified: Verified, spec: str, every: bool) -> Iterator[str]:
    against = (
        f"{verified.lock}, and the headers of today" if verified.lock else "the headers of today: there is no lock"
    )
    yield f"{spec}: {_plural(verified.entries, 'entry', 'entries')}, compared with {against}"
    yield _line("proven by the compiler", _counted(verified.proven))
    if every:
        yield from (f"    {each.name}: {each.was} ({each.at})" for each in verified.proven)
    if verified.unproven:
        yield _line("as the header has it", f"{_counted([fact for fact, _ in verified.unproven])}")
        if every:
            yield from (f"    {fact.name}: {why}" for fact, why in verified.unproven)
    yield from _linked(verified, every)
    yield from _tested(verified, every)
    yield from _coverage(verified, every)


def _tested(verified: Verified, every: bool) -> Iterator[str]:
    done = verified.tested
    if done is None:
        yield _line(
            "tested", f"nothing: --run builds the package and tests {len(verified.tests.reached)} classes and entries"
        )
    else:
        compared = [each for each in done.passed if each == _DIFFERENTIAL]
        others = [each for each in done.passed if each != _DIFFERENTIAL]
        skipped = f", {len(done.skipped)} skipped" if done.skipped else ""
        yield _line(
            "tested", f"{len(others)} passed, {len(done.failed)} failed{skipped}, by {' and '.join(done.engines)}"
        )
        if every:
            yield from (f"    {name}: {why}" for name, why in done.skipped)
        yield _line("differential", "both engines do the same" if compared else "not compared")
    yield _line("assumed", _plural(len(verified.tests.assumed), "annotation", "annotations") + " that no test reaches")
    for each in verified.tests.assumed:
        yield f"    {each.span.line}: {each.entry}: {each.what}; {each.why}"


def _linked(verified: Verified, every: bool) -> Iterator[str]:
    found = [each for each in verified.linked.symbols if each.library]
    by_library = Counter(each.library for each in found)
    shown = ", ".join(f"{_plural(count, 'symbol', 'symbols')} of {name}" for name, count in by_library.items())
    yield _line("proven by the linker", "; ".join(filter(None, [shown, *verified.linked.unknown])) or "nothing")
    if every:
        yield from (f"    {_symbol(each)}" for each in found)


def _symbol(symbol: CalledSymbol) -> str:
    return f"{symbol.name}: {symbol.library}{f', since {symbol.version}' if symbol.version else ''}"


def _coverage(verified: Verified, every: bool) -> Iterator[str]:
    coverage = verified.coverage
    share = round(100 * len(coverage.wrapped) / coverage.total) if coverage.total else 100
    yield _line("coverage", f"{len(coverage.wrapped)} of {coverage.total} functions of the headers, {share} %")
    reasons: dict[str, list[str]] = {}
    for name, why in coverage.left_out:
        reasons.setdefault(why, []).append(name)
    for why, names in sorted(reasons.items(), key=lambda each: -len(each[1])):
        yield f"    {len(names)} left out, {why}: {_names(names, every)}"
    if coverage.new:
        yield f"    {len(coverage.new)} new since {verified.lock}: {_names(coverage.new, every)}"


def _names(names: Sequence[str], every: bool) -> str:
    shown = names if every else names[:_SHOWN]
    return ", ".join(shown) + (", …" if len(shown) < len(names) else "")


def _counted(facts: Sequence[Fact]) -> str:
    by_kind = Counter(each.kind for each in facts)
    return ", ".join(_plural(by_kind[kind], kind, more) for kind, more in _KINDS.items() if by_kind[kind]) or "nothing"


def _line(head: str, text: str) -> str:
    return f"  {head + ':':24}{text}"


def _plural(count: int, one: str, more: str) -> str:
    return f"{count} {one if count == 1 else more}"


# --- JSON ------------------------------------------------------------------------------------------------------------


def as_data(verified: Verified, spec: str) -> dict[str, object]:
    """All that is known, for JSON."""
    coverage = verified.coverage
    return {
        "spec": spec,
        "package": verified.package,
        "entries": verified.entries,
        "lock": verified.lock,
        "holds": verified.holds,
        "proven": [_fact(each) for each in verified.proven],
        "unproven": [{**_fact(fact), "why": why} for fact, why in verified.unproven],
        "linked": [
            {"name": each.name, "symbol": each.symbol, "library": each.library, "version": each.version}
            for each in verified.linked.symbols
        ],
        "unknown_libraries": list(verified.linked.unknown),
        "tested": _tests(verified),
        "assumed": [
            {"entry": each.entry, "line": each.span.line, "what": each.what, "why": each.why}
            for each in verified.tests.assumed
        ],
        "coverage": {
            "wrapped": list(coverage.wrapped),
            "left_out": [{"name": name, "why": why} for name, why in coverage.left_out],
            "new": list(coverage.new),
        },
    }


def _tests(verified: Verified) -> dict[str, object] | None:
    done = verified.tested
    if done is None:
        return None
    skipped = [{"name": name, "why": why} for name, why in done.skipped]
    failed = [each.message for each in done.failed]
    return {"engines": list(done.engines), "passed": list(done.passed), "skipped": skipped, "failed": failed}


def _fact(fact: Fact) -> dict[str, object]:
    return {
        "kind": fact.kind,
        "name": fact.name,
        "is": fact.was,
        "header": fact.at,
        "entries": list(dict.fromkeys(each.entry for each in fact.uses)),
    }
