"""`import --from`: from binding code of another tool to a spec."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from wrapper_gen import disk
from wrapper_gen.bindings import convert
from wrapper_gen.cli.exit_codes import OK, OUT_OF_DATE
from wrapper_gen.cli.session import Session
from wrapper_gen.diagnostics import Diagnostic, Span, SpecError
from wrapper_gen.files import cannot_write
from wrapper_gen.spec.editor_schema import COMMENT, FILE, editor_schema


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
    only_checks: bool,
) -> int:
    """Write `LIB.wrapper_spec` into the folder of the output, and tell what was left."""
    path = session.output / f"{lib}.wrapper_spec"
    if path.exists() and not (force or only_checks):
        hint = "name another library, or replace it with --force"
        raise SpecError([Diagnostic("WG312", "this spec is there already", Span(str(path), 1, 1), hint)])
    done = convert(files, lib, binder, folders=folders, defines=defines, standard=standard, beside=str(session.output))
    findings = [each.diagnostic() for each in done.report.left]
    session.report(findings)
    if not only_checks:
        _write({path: f"{COMMENT}\n{done.text}", path.with_name(FILE): editor_schema()})
    session.result("\n".join([f"{path}: {done.report.summary}", *done.report.differences]), done.report.data())
    return OUT_OF_DATE if only_checks and findings else OK


def _write(texts: Mapping[Path, str]) -> None:
    first = next(iter(texts))
    try:
        first.parent.mkdir(parents=True, exist_ok=True)
        disk.replace_together(texts)
    except OSError as error:
        raise SpecError([cannot_write(error, first)]) from error
