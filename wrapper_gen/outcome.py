"""What a command did, or found out of date, as text and as data; returns it and prints nothing."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from wrapper_gen import files
from wrapper_gen.diagnostics import Diagnostic, Span
from wrapper_gen.files import Comparison
from wrapper_gen.frozen import frozen
from wrapper_gen.runtime_files import FOLDER
from wrapper_gen.version import VERSION


def out_of_date(comparison: Comparison, mend: str) -> str:
    """What `check` says: every file or folder that is not as it should be, and the command that mends it."""
    others = made_by_others(comparison)
    found = {**_differences(comparison, others), "missing": _missing(comparison, others)}
    lines = [_of_other_version(comparison.root / package, version) for package, version in others.items()]
    lines += [f"{state:8} {path}" for state, paths in found.items() for path in paths]
    if comparison.to_write or comparison.stale:
        lines.append(f"to mend it, run: {mend}")
    if comparison.blocked:
        lines.append(
            "blocked files are not of wrapper-gen's making, and lie where its own belong: move them away, "
            f"or give them up with: {mend} --force"
        )
    if comparison.foreign:
        lines.append("extra files are not of wrapper-gen's making: move or remove them by hand")
    return "\n".join(lines) or f"{len(comparison.same)} files up to date"


def out_of_date_data(comparison: Comparison, mend: str) -> dict[str, object]:
    """The same as data, with the files of packages that another version has made."""
    return {**_differences(comparison), "made_by": made_by_others(comparison), "mend": mend}


def out_of_date_findings(comparison: Comparison, mend: str) -> list[Diagnostic]:
    """The same as findings, for formats that have no other results."""
    others = made_by_others(comparison)
    found = {**_differences(comparison, others), "missing": _missing(comparison, others)}
    of_versions = [
        Diagnostic("WG353", _of_other_version(comparison.root / package, version), Span(path, 1, 1), f"run: {mend}")
        for package, version in others.items()
        for path in [str(comparison.root / package / "__init__.py")]
    ]
    return of_versions + [
        Diagnostic("WG260", _STATES[state], Span(path, 1, 1), _HINTS.get(state, f"run: {mend}"))
        for state, paths in found.items()
        for path in paths
    ]


def made_by_others(comparison: Comparison) -> dict[str, str]:
    """The folders of packages that are not what their specs make, and that another version of wrapper-gen has made.

    Where there is one, so has a runtime beside them.
    """
    differing = (*comparison.changed, *comparison.missing, *comparison.stale)
    folders = sorted({path.parts[0] for path in differing})
    versions = {folder: files.made_by(comparison.root / folder) for folder in folders if folder != FOLDER}
    found = {folder: version for folder, version in versions.items() if version and version != VERSION}
    return found | ({FOLDER: min(found.values())} if found and FOLDER in folders else {})


def _of_other_version(package: Path, version: str) -> str:
    return f"{package}: made by {version}, this is {VERSION}"


_STATES = {
    "changed": "this generated file is not what its spec makes",
    "missing": "this is generated, and missing",
    "blocked": "a file that wrapper-gen did not write is in the place of a generated one",
    "stale": "no spec makes this generated file any more",
    "extra": "a file that wrapper-gen did not write is in a generated package",
}
_HINTS = {
    "blocked": "move it away, choose another folder with -o, or give it up with: wrapper-gen generate --force",
    "extra": "move or remove it by hand",
}


@frozen
class Summary:
    """What `generate` did, or with `dry_run` would do."""

    comparison: Comparison
    packages: Sequence[str]
    dry_run: bool

    def text(self, *, every_file: bool) -> str:
        """A line for each package, after one for each file if wanted."""
        lines = []
        for paths, verb in ((self.comparison.to_write, self._write), (self.comparison.stale, self._remove)):
            lines += [f"{verb:9} {self.comparison.root / path}" for path in paths if every_file]
        for package, by_verb in self._counted().items():
            counts = [f"{len(paths)} {verb}" for verb, paths in by_verb.items() if paths]
            lines.append(f"{package}: {', '.join(counts)}")
        return "\n".join(lines)

    def data(self) -> dict[str, dict[str, object]]:
        """The same as data, with every file."""
        counted = self._counted().items()
        return {package: {verb.replace(" ", "_"): paths for verb, paths in kinds.items()} for package, kinds in counted}

    @property
    def _write(self) -> str:
        return "to write" if self.dry_run else "written"

    @property
    def _remove(self) -> str:
        return "to remove" if self.dry_run else "removed"

    def _counted(self) -> dict[str, dict[str, list[str]]]:
        kinds = (
            (self._write, self.comparison.to_write),
            ("unchanged", self.comparison.same),
            (self._remove, self.comparison.stale),
        )
        gone = sorted({path.parts[0] for path in self.comparison.stale} - set(self.packages))
        return {
            package: {verb: [str(path) for path in paths if path.parts[0] == package] for verb, paths in kinds}
            for package in (*self.packages, *gone)
        }


def _missing(comparison: Comparison, others: Collection[str]) -> list[str]:
    """The missing files, of a folder that is missing as a whole only the folder, with a slash."""
    folders = {path.parts[0] for path in comparison.rendered}
    folders -= {path.parts[0] for path in {*comparison.rendered}.difference(comparison.missing)}
    whole = [f"{comparison.root / folder}/" for folder in sorted(folders)]
    shown = [path for path in comparison.missing if path.parts[0] not in folders and path.parts[0] not in others]
    return [*whole, *(str(comparison.root / path) for path in shown)]


def _differences(comparison: Comparison, others: Collection[str] = ()) -> dict[str, list[str]]:
    """The files that differ; without those that tell only that another version has made the package."""
    kinds = {
        "changed": comparison.changed,
        "missing": comparison.missing,
        "blocked": comparison.blocked,
        "stale": comparison.stale,
        "extra": comparison.foreign,
    }
    kept = {"blocked", "extra"}
    return {
        state: [str(comparison.root / path) for path in paths if state in kept or path.parts[0] not in others]
        for state, paths in kinds.items()
    }
