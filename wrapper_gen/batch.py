"""The specs of one run: finds them, names them as output shows them, renders all before anything is written."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath

from wrapper_gen import pipeline
from wrapper_gen.diagnostics import Diagnostic, Severity, Span, SpecError, in_order
from wrapper_gen.frozen import frozen, replace
from wrapper_gen.model import Library, Module
from wrapper_gen.resources import own_files
from wrapper_gen.runtime_files import FOLDER, Runtime

SUFFIX = ".wrapper_spec"


@frozen
class Spec:
    """A spec file, and its path as headers, `#line` and diagnostics show it."""

    path: Path
    shown: str


@frozen
class Found:
    """The specs of a run, in order; `whole` when a folder was named, so that there are no others."""

    specs: Sequence[Spec]
    whole: bool


@frozen
class Batch:
    """What all specs of a run come to: modules, the text of every file, and everything found on the way."""

    modules: Sequence[Module]
    files: Mapping[PurePosixPath, str]
    findings: Sequence[Diagnostic]
    runtime: str = ""
    """The folder of a runtime that all packages have; empty where there is none beside them."""

    @property
    def failed(self) -> bool:
        return any(finding.is_error for finding in self.findings)

    @property
    def packages(self) -> list[str]:
        return [module.package for module in self.modules]

    @property
    def folders(self) -> list[str]:
        """All folders that a run makes whole, with every tier."""
        return [*self.packages, *filter(None, [self.runtime])]


def find(arguments: Sequence[str], output: Path) -> Found:
    """The specs that the arguments name; a folder stands for all specs in it and below, hidden folders aside.

    Raises:
        SpecError: when a folder holds no spec, or a path cannot be shown in generated files (WG001).
    """
    specs: dict[Path, Spec] = {}
    mistakes: list[Diagnostic] = []
    whole = False
    for argument in arguments:
        path = Path(argument)
        paths = [path]
        # Path.is_dir raises where a folder above it cannot be read.
        if os.path.isdir(path) and path.suffix != SUFFIX:  # noqa: PTH112 - as said
            paths, whole = _below(path), True
            if not paths:
                hint = f"name a {SUFFIX} file, or a folder that holds some"
                mistakes.append(Diagnostic("WG001", f"no {SUFFIX} file in this folder", Span(argument, 1, 1), hint))
        for each in paths:
            spec = Spec(each, _shown_path(each, output))
            if not spec.shown.isprintable():
                message = f"the path {spec.shown!r} has characters that no comment can show"
                mistakes.append(
                    Diagnostic("WG001", message, Span(ascii(spec.shown), 1, 1), "rename the file or its folder")
                )
            specs.setdefault(Path(os.path.realpath(each)), spec)
    if mistakes:
        raise SpecError(mistakes)
    return Found(list(specs.values()), whole)


def _shown_path(spec: Path, output: Path) -> str:
    """The spec's path relative to the folder that holds the output folder: the same wherever the command runs."""
    base = Path(os.path.normpath(output.absolute())).parent
    relative = _relative(Path(os.path.normpath(spec.absolute())), base)
    if relative.startswith("../"):  # perhaps only because one of the two goes through a symbolic link
        resolved = _relative(Path(os.path.realpath(spec)), Path(os.path.realpath(base)))
        relative = relative if resolved.startswith("../") else resolved
    return relative


def from_here(path: Path) -> str:
    """A path as diagnostics show it: relative to the current folder, so that editors can open it."""
    return _relative(path, Path.cwd())


def generate_all(
    found: Found,
    tiers: Sequence[int] = (1, 2, 3),
    *,
    strict: bool = False,
    runtime: Runtime = Runtime.VENDORED,
) -> Batch:
    """Render every spec of a run; goes on after a bad one, so that all mistakes are shown at once."""
    batch = _collect(found, lambda spec: pipeline.generate(spec.path, spec.shown, tiers, runtime), strict)
    if runtime is not Runtime.SHARED:
        return batch
    from wrapper_gen.render import render_shared

    return replace(batch, files={**batch.files, **render_shared()}, runtime=FOLDER)


def read_all(found: Found, *, strict: bool = False) -> Batch:
    """The same without rendering: schema and meaning only."""

    def read(spec: Spec) -> pipeline.Generated:
        module, warnings = pipeline.read(spec.path, spec.shown)
        return pipeline.Generated(module, {}, warnings)

    return _collect(found, read, strict)


def depfile(
    found: Found, batch: Batch, output: Path, built: Mapping[str, tuple[Path, Iterable[str]]] | None = None
) -> str:
    """Makefile rules of what depends on what.

    Every generated file depends on the specs, those that they use, their sources, the headers in folders that
    they name, and the generator's own files; an extension on those of its package, and on all headers that it was
    compiled from.
    Each input has an empty rule of its own, so that one that is gone is no error.

    Args:
        found: the specs.
        batch: what they come to.
        output: the folder of the packages.
        built: of each package that was compiled, the extension, and the files outside that it was built from.
    """
    read = inputs(found, batch)
    rules = [([output / path for path in sorted(batch.files)], read)]
    for package, (extension, files) in (built or {}).items():
        own = [output / path for path in sorted(batch.files) if path.parts[0] == package]
        rules.append(([extension], [*own, *read, *map(Path, files)]))
    words = [(list(map(_make_word, of)), list(dict.fromkeys(map(_make_word, on)))) for of, on in rules]
    made = {word for outputs, _ in words for word in outputs}
    empty = dict.fromkeys(word for _, on in words for word in on if word not in made)
    lines = [*(f"{' '.join(outputs)}: {' '.join(on)}" for outputs, on in words), *(f"{each}:" for each in empty)]
    return "".join(f"{line}\n" for line in lines)


def inputs(found: Found, batch: Batch) -> list[Path]:
    """The files that the packages are made from: specs, what these name and use, and the generator itself."""
    read = [spec.path for spec in found.specs]
    for spec, module in zip(found.specs, batch.modules, strict=True):
        library = module.library
        read += [spec.path.parent / source.path for source in library.sources]
        read += [spec.path.parent / source.path for source in library.python_sources]
        read += [spec.path.parent / uses.path for uses in module.uses]
        read += _own_headers(spec.path.parent, library)
    return [*dict.fromkeys([*read, *own_files()])]


def _own_headers(folder: Path, library: Library) -> list[Path]:
    """The headers that the spec names, as far as they lie where it says."""
    folders = [folder / Path(os.path.expandvars(path)).expanduser() for path in library.dirs]
    named = [each.strip('<>"') for each in library.includes]
    return [where / name for name in named for where in folders if (where / name).is_file()]


def _collect(found: Found, one: Callable[[Spec], pipeline.Generated], strict: bool) -> Batch:
    generated: list[pipeline.Generated] = []
    findings: list[Diagnostic] = []
    for spec in found.specs:
        try:
            generated.append(one(spec))
            findings.extend(generated[-1].warnings)
        except SpecError as error:
            findings.extend(error.diagnostics)
    modules = [each.module for each in generated]
    findings.extend(_collisions(modules, {spec.shown: from_here(spec.path) for spec in found.specs}))
    if strict:
        from wrapper_gen.found_orders import unwritten

        findings += [each for module in modules for each in unwritten(module)]
        findings = [replace(finding, severity=Severity.ERROR) for finding in findings]
    files = {path: text for each in generated for path, text in each.files.items()}
    return Batch(modules, files, in_order(findings))


def _below(folder: Path) -> list[Path]:
    found: list[Path] = []
    for where, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        found.extend(Path(where) / name for name in names if name.endswith(SUFFIX) and not name.startswith("."))
    return sorted(found)


def _relative(path: Path, base: Path) -> str:
    return os.path.relpath(path, base).replace(os.sep, "/")


def _collisions(modules: Sequence[Module], paths: Mapping[str, str]) -> list[Diagnostic]:
    """Two specs of one run that would write the same package."""
    first: dict[str, Module] = {}
    findings = []
    for module in modules:
        other = first.setdefault(module.package, module)
        if other is not module:
            message = f"two specs generate the package {module.package!r}: {paths[other.spec]} and {paths[module.spec]}"
            hint = "give one of them another 'package'"
            related = ((other.span, "the other one"),)
            findings.append(Diagnostic("WG022", message, module.span, hint, related=related))
    return findings


def _make_word(path: Path) -> str:
    """A path as make and ninja read it."""
    word = path.as_posix().replace("$", "$$")
    return "".join(f"\\{char}" if char in " #" else char for char in word)
