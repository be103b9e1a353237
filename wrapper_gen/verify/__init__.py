"""What of a spec is proven, tested or only assumed, against its headers and libraries: `wrapper-gen verify`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from wrapper_gen.compile import Tick
from wrapper_gen.diagnostics import Diagnostic, SpecError, ToolchainError, in_order
from wrapper_gen.explain import Explained, explain, selected
from wrapper_gen.frozen import frozen, replace
from wrapper_gen.headers import Headers, read
from wrapper_gen.headers.lock import Lock, dumps, lock_path, locked, read_lock
from wrapper_gen.model import Module
from wrapper_gen.verify.assumed import assumed
from wrapper_gen.verify.checks import doubts
from wrapper_gen.verify.checks.answers import SaidOwnership, read_answers
from wrapper_gen.verify.conformance import Conformance, conformance_of
from wrapper_gen.verify.coverage import Coverage, coverage_of
from wrapper_gen.verify.facts import Fact, facts_of
from wrapper_gen.verify.library import SpecLibrary, library_of
from wrapper_gen.verify.proofs import Linked, broken, changes, compiled, linked, unexported
from wrapper_gen.verify.running import Tested, tested
from wrapper_gen.verify.uses import SpecUses, uses_of

__all__ = ["Verified", "dumps", "lock_path", "verify"]


@frozen
class Verified:
    """All that there is to say of one spec."""

    package: str
    entries: int
    lock: str
    """The file of the lock, as it is shown; empty where there is none."""
    proven: tuple[Fact, ...]
    unproven: tuple[tuple[Fact, str], ...]
    """What no static assertion can say, with the reason; the headers say it."""
    linked: Linked
    coverage: Coverage
    tests: Conformance
    tested: Tested | None
    """None where the tests were not run."""
    findings: tuple[Diagnostic, ...]
    """What does not hold, at the spec's lines: errors; and what the headers contradict: warnings."""
    failure: ToolchainError | None
    """What the compiler refuses in the spec."""
    today: Lock

    @property
    def holds(self) -> bool:
        return self.failure is None and not any(each.is_error for each in self.findings)


def verify(
    module: Module,
    spec: Path,
    output: Path,
    lock: Path | None,
    *,
    is_run: bool = False,
    report: Callable[[str], None],
    tick: Tick | None = None,
) -> Verified:
    """Compare a spec with the headers and libraries of this machine, and those with a lock.

    Args:
        module: the spec; its path is relative to `output`.
        spec: its file.
        output: an empty folder for what the compiler reads.
        lock: what the headers were; None for those of today.
        is_run: build the package, and run its conformance tests.
        report: gets each line about progress.
        tick: gets how far a build is, a few times a second.

    Raises:
        SpecError: a header does not parse, or the lock cannot be used.
        ToolchainError: a tool or the library is missing.
    """
    library = library_of(module, spec)
    if not library.source.headers:
        raise SpecError([_without_headers(module)])
    was = read_lock(lock) if lock else None
    library = _as_locked(library, was)
    answers = read_answers(spec)
    with ThreadPoolExecutor(1) as beside:
        reading = beside.submit(read, library.source)
        explained = _explained(module, output, report, tick)
        headers = reading.result()
    now = locked(library.source, headers)
    uses = uses_of(module, explained.entries, headers)
    done = _verified(module, library, headers, explained, uses, was, now, output, lock, answers)
    if not is_run or explained.failure:
        return done
    shown = tested(module, done.tests, output, report=report, tick=tick)
    tests = replace(done.tests, assumed=tuple(assumed(module, shown.reached(done.tests))))
    return replace(done, tests=tests, tested=shown, findings=tuple(in_order([*done.findings, *shown.failed])))


def _explained(module: Module, output: Path, report: Callable[[str], None], tick: Tick | None) -> Explained:
    """The calls of all entries; none of a spec that calls what the library lacks, which is told otherwise."""
    try:
        return explain(module, selected(module, ()), output, report=report, tick=tick)
    except ToolchainError as error:
        if error.diagnostic.code != "WG063":
            raise
        return Explained((), None)


def _verified(
    module: Module,
    library: SpecLibrary,
    headers: Headers,
    explained: Explained,
    uses: SpecUses,
    was: Lock | None,
    now: Lock,
    output: Path,
    path: Path | None,
    answers: SaidOwnership,
) -> Verified:
    facts = facts_of(was or now, uses, now.declarations)
    proofs = compiled(facts, library, output)
    shown = path.name if path else ""
    proven, unproven, findings = list[Fact](), list[tuple[Fact, str]](), list[Diagnostic]()
    for number, fact in enumerate(facts):
        refused = proofs.refused.get(number, "") or proofs.failure
        changed = changes(fact, now.declarations, refused)
        if changed:
            findings += broken(fact, changed, shown)
        elif refused or not fact.statement:
            unproven.append((fact, refused or "no static assertion can say it"))
        else:
            proven.append(fact)
    symbols = linked(module, library, headers, uses)
    for symbol in symbols.missing:
        findings += unexported(symbol, library)
    findings += doubts(module, explained.entries, headers, answers)
    failure = _unexplained(explained.failure, findings)
    return Verified(
        package=module.package,
        entries=len(module.callables),
        lock=shown,
        proven=tuple(proven),
        unproven=tuple(unproven),
        linked=symbols,
        coverage=coverage_of(headers, uses, was.declarations if was else None, answers.reason),
        tests=conformance_of(module),
        tested=None,
        findings=tuple(in_order(findings)),
        failure=failure,
        today=replace(was, declarations=now.declarations) if was else _portable(now),
    )


def _unexplained(failure: ToolchainError | None, findings: Sequence[Diagnostic]) -> ToolchainError | None:
    """What the compiler refuses, without what it refuses because a declaration is another one now."""
    if failure is None:
        return None
    known = {each.span.line for each in findings if each.is_error}
    left = [each for each in (failure.diagnostic, *failure.more) if each.span.line not in known]
    return ToolchainError(left[0], failure.output, left[1:]) if left else None


def _as_locked(library: SpecLibrary, was: Lock | None) -> SpecLibrary:
    """The same headers, read as they were for the lock: of others it has no declarations."""
    if was is None:
        return library
    own = library.source
    folders = tuple(dict.fromkeys([*own.folders, *was.source.folders]))
    return replace(library, source=replace(was.source, folders=folders, ours=was.source.ours or own.ours))


def _portable(lock: Lock) -> Lock:
    """Without folders of this machine, which others do not have."""
    return replace(lock, source=replace(lock.source, folders=(), ours=()))


def _without_headers(module: Module) -> Diagnostic:
    where = dict(module.library.places).get("", module.span)
    what = "the spec names no header of a library, so there is nothing to compare it with"
    return Diagnostic("WG333", what, where, "name the library's headers in `cpp_include`")
