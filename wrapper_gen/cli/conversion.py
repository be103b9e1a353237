"""`import --from`: from binding code of another tool to a spec."""

from __future__ import annotations

from collections.abc import Sequence

from wrapper_gen import disk
from wrapper_gen.bindings import convert
from wrapper_gen.cli.exit_codes import OK
from wrapper_gen.cli.session import Session
from wrapper_gen.diagnostics import Diagnostic, Severity, Span, SpecError
from wrapper_gen.files import cannot_write
from wrapper_gen.frozen import replace


def converted(
    session: Session,
    files: Sequence[str],
    *,
    binder: str,
    lib: str,
    folders: Sequence[str],
    defines: Sequence[str],
    standard: str,
    force: bool,
) -> int:
    """Write `LIB.wrapper_spec`, and tell what was left."""
    path = session.output / f"{lib}.wrapper_spec"
    if path.exists() and not force:
        hint = "name another library, or replace it with --force"
        raise SpecError([Diagnostic("WG312", "this spec is there already", Span(str(path), 1, 1), hint)])
    done = convert(files, lib, binder, folders=folders, defines=defines, standard=standard)
    findings = [each.diagnostic() for each in done.report.left]
    if session.strict and findings:
        raise SpecError([replace(each, severity=Severity.ERROR) for each in findings])
    session.report(findings)
    try:
        disk.replace_together({path: done.text})
    except OSError as error:
        raise SpecError([cannot_write(error, path)]) from error
    session.result("\n".join([f"{path}: {done.report.summary}", *done.report.differences]), done.report.data())
    return OK
