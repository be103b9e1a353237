"""Specs of earlier versions, rewritten in the present language: all specs of a run, or none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from wrapper_gen import disk
from wrapper_gen.batch import Found, Spec
from wrapper_gen.diagnostics import Diagnostic, Span, SpecError, in_order
from wrapper_gen.files import cannot_write
from wrapper_gen.frozen import frozen
from wrapper_gen.spec.former.migrate import Migrated, migrate

_MARK = "\ufeff"


@frozen
class Migration:
    """What becomes of each spec, in order."""

    specs: Sequence[tuple[Spec, Migrated]]

    @property
    def changed(self) -> list[tuple[Spec, Migrated]]:
        return [(spec, migrated) for spec, migrated in self.specs if migrated.after != migrated.before]

    @property
    def up_to_date(self) -> bool:
        return not self.changed

    def text(self, shown: Callable[[Spec], str], *, is_written: bool) -> str:
        """A line for each spec that changes, and one for each place that is left to a person."""
        verb = "rewritten" if is_written else "to be rewritten"
        lines = []
        for spec, migrated in self.changed:
            lines.append(f"{shown(spec)}: {verb}")
            lines += [f"{shown(spec)}: TODO: {reason}" for reason in migrated.undecided]
        return "\n".join(lines) or "nothing to do"

    def data(self) -> list[Mapping[str, object]]:
        """The same as data, of every spec."""
        return [
            {"spec": spec.shown, "changed": migrated.after != migrated.before, "undecided": list(migrated.undecided)}
            for spec, migrated in self.specs
        ]


def migrate_all(found: Found) -> Migration:
    """Rewrite the specs of a run, in memory; goes on after one that cannot be, so that all mistakes are shown at once.

    Raises:
        SpecError: with what is wrong with any of them.
    """
    done: list[tuple[Spec, Migrated]] = []
    mistakes: list[Diagnostic] = []
    for spec in found.specs:
        try:
            done.append((spec, migrate(spec.path, spec.shown)))
        except SpecError as error:
            mistakes += error.diagnostics
    if mistakes:
        raise SpecError(in_order(mistakes))
    return Migration(done)


def write(migration: Migration) -> None:
    """Write what has changed: every spec, or none.

    Raises:
        SpecError: one cannot be written (WG051), or is no longer what was read (WG291).
    """
    wanted: dict[Path, str] = {}
    for spec, migrated in migration.changed:
        path = spec.path.resolve()  # a symbolic link stays one
        try:
            now = disk.read_regular(path, 1 << 30).decode("utf-8", "replace")
        except OSError as error:
            raise SpecError([cannot_write(error, spec.path)]) from error
        if now.lstrip(_MARK) != migrated.before:
            hint = "run it again"
            raise SpecError([Diagnostic("WG291", "this spec has changed meanwhile", Span(spec.shown, 1, 1), hint)])
        wanted[path] = _MARK * (len(now) - len(migrated.before)) + migrated.after
    try:
        disk.replace_together(wanted)
    except OSError as error:
        raise SpecError([cannot_write(error, migration.changed[0][0].path)]) from error
