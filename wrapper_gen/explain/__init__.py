"""The C and C++ calls that the compiler has chosen for the entries of a spec; `wrapper-gen explain` shows them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from wrapper_gen import compile, compiler_errors, files, names
from wrapper_gen.compile import Tick
from wrapper_gen.diagnostics import Diagnostic, Span, ToolchainError
from wrapper_gen.explain.calls import ChosenArgument, ChosenCall, explained_calls, written_call
from wrapper_gen.explain.entries import UnknownEntry, kind_of, selected, shown_name, signature
from wrapper_gen.explain.outcomes import Outcome, outcome
from wrapper_gen.explain.reports import Report, marked, read_reports, read_status_types
from wrapper_gen.explain.sources import given
from wrapper_gen.fixes import fixes_of
from wrapper_gen.frozen import frozen
from wrapper_gen.model import Body, Code, Function, Lambda, Module, Named, NotImplementedYet
from wrapper_gen.pipeline import rendered
from wrapper_gen.render import render_shared
from wrapper_gen.runtime_files import FOLDER, Runtime
from wrapper_gen.tiers.bridge.explained import FILE
from wrapper_gen.tiers.bridge.represented import rows_of

__all__ = ["Explained", "Explanation", "UnknownEntry", "explain", "selected"]

_BRIDGE = (1, 2)
"""The tiers of the bridge, and of what compiles it."""
_WHOLE = (1, 2, 3)


@frozen
class FurtherCall:
    """A call that `cpp` lists beside the first, or has for a type of a parameter."""

    text: str
    when: str
    """The parameter and its type; empty of a call that follows the first."""


@frozen
class Explanation:
    """One entry: what it is in Python, the call behind it, and what becomes of that."""

    name: str
    kind: str
    span: Span
    signature: str
    symbol: str
    """The function of the bridge."""
    code: Code | None
    """The spec's own code, where that is called."""
    calls: tuple[ChosenCall, ...]
    outcome: Outcome
    problem: str
    """Why there is no call; empty where there is one."""
    further: tuple[FurtherCall, ...] = ()
    """The other calls of a list in `cpp`, or those of a map."""


@frozen
class Explained:
    """The entries that were asked for, and what the compiler refuses in the spec."""

    entries: tuple[Explanation, ...]
    failure: ToolchainError | None


def explain(
    module: Module,
    numbers: Sequence[int],
    output: Path,
    *,
    report: Callable[[str], None],
    tick: Tick | None = None,
) -> Explained:
    """Let the compiler read the bridge of a spec, and say which calls it has chosen; nothing is made or run.

    Args:
        module: the spec; its path is relative to `output`.
        numbers: the entries, by their numbers among the callables of the module.
        output: an empty folder for what the compiler reads.
        report: gets each line about progress.
        tick: gets how far a build is, a few times a second.

    Raises:
        ToolchainError: a tool (WG060) or the library (WG062) is missing, or the compiler cannot start (WG061).
    """
    package = _written(marked(module), output / "explained", _BRIDGE)
    said, compiles = compile.read_bridge(package, report=report, tick=tick, places=module.library.places)
    refused = not compiles and any(span.path != FILE for span, _ in compiler_errors.all_blamed(said))
    failure = _failure(module, output, report, tick) if refused else None
    lines = {each.span.line for each in _findings(failure)}
    reports = read_reports(said)
    types = [read_status_types(said).get(i, each.cpp_type) for i, each in enumerate(module.errors)]
    entries = (_explanation(module.callables[i], reports.get(i), lines, module, types) for i in numbers)
    return Explained(tuple(entries), failure)


def _written(module: Module, output: Path, tiers: Sequence[int]) -> Path:
    """The folder of the package, with all that the compiler reads."""
    made = {**rendered(module, (), tiers, Runtime.SHARED).files, **render_shared()}
    files.write(files.compare(made, output, packages=[module.package, FOLDER]))
    return output / module.package


def _failure(module: Module, output: Path, report: Callable[[str], None], tick: Tick | None) -> ToolchainError | None:
    """What a build says of code that the compiler refuses."""
    package = _written(module, output / "built", _WHOLE)
    try:
        compile.build(
            package,
            report=report,
            tick=tick,
            require=True,
            check_only=True,
            fixes=fixes_of(module),
            places=module.library.places,
        )
    except ToolchainError as error:
        return error
    return None


def _findings(failure: ToolchainError | None) -> list[Diagnostic]:
    return [failure.diagnostic, *failure.more] if failure else []


def _explanation(
    function: Function, report: Report | None, refused: set[int], module: Module, status_types: Sequence[str]
) -> Explanation:
    code = _code(function)
    lines = {function.span.line, *((code.span.line,) if code else ())}
    calls: tuple[ChosenCall, ...] = ()
    if isinstance(function.implementation, NotImplementedYet):
        problem = "nothing implements it yet"
    elif lines & refused:
        problem = "it does not compile"
    elif function.cases:
        problem = ""
    else:
        calls = _code_called(function, module) or explained_calls(function, report or Report(), module)
        problem = "" if calls else "not known: the compiler does not come to it"
    is_own = isinstance(function.implementation, Body) or (
        isinstance(function.implementation, Lambda) and not function.implementation.is_implied
    )
    return Explanation(
        name=shown_name(function, module),
        kind=kind_of(function),
        span=function.span,
        signature=signature(function),
        symbol=names.c_symbol(module.name, function),
        code=code if is_own else None,
        calls=calls,
        outcome=outcome(function, calls, module, status_types),
        problem=problem,
        further=tuple(_further(function)),
    )


def _further(function: Function) -> Iterator[FurtherCall]:
    for each in function.then:
        yield FurtherCall(written_call(each), "")
    for each in function.cases:
        type_ = next((str(p.type) for p in each.parameters if p.name == function.by_type), "None")
        yield FurtherCall(written_call(each), f"{function.by_type} is {type_}")


def _code(function: Function) -> Code | None:
    match function.implementation:
        case Named(code) | Lambda(code) | Body(code):
            return code
        case _:
            return None


def _code_called(function: Function, module: Module) -> tuple[ChosenCall, ...]:
    """The call of a `cpp_body`, whose parameters have the types that the bridge declares."""
    if not isinstance(function.implementation, Body):
        return ()
    own = [f"{function.handle} &"] if function.handle else []
    is_expression = function.implementation.is_expression
    types = [*own, *((not is_expression and row.cpp_body) or row.cpp for row in rows_of(function, module))]
    arguments = tuple(
        ChosenArgument(source, type_.strip(), type_.strip())
        for source, type_ in zip(given(function), types, strict=True)
    )
    shown = ", ".join(each.source.text for each in arguments)
    return (ChosenCall("the spec's code", f"code({shown})", "code", "declared", arguments, "", ""),)
