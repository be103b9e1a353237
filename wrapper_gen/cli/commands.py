"""The commands of `wrapper-gen`, each from its options to its exit code."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wrapper_gen.cli.exit_codes import BAD_SPEC, OK, OUT_OF_DATE, TOOLCHAIN, Edge
from wrapper_gen.cli.importing import import_
from wrapper_gen.cli.options import ENGINES, SPECS, AnyPath, SpecPath, command, engine_of, specs_from
from wrapper_gen.cli.session import Session, has_colours, paint
from wrapper_gen.diagnostics import Diagnostic, Severity, Span, SpecError, ToolchainError, did_you_mean
from wrapper_gen.frozen import replace
from wrapper_gen.version import VERSION

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from wrapper_gen.batch import Batch, Found
    from wrapper_gen.compile import BuildResult
    from wrapper_gen.explain import Explanation
    from wrapper_gen.files import Comparison
    from wrapper_gen.headers.lock import Lock
    from wrapper_gen.model import Module
    from wrapper_gen.outcome import Summary


def _print_version(ctx: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if wanted:
        click.echo(f"wrapper-gen {VERSION}")
        ctx.exit()


class _Main(Edge):
    """Completes specs where a command may stand, since the command may be left out."""

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        return [*super().shell_complete(ctx, incomplete), *(() if incomplete[:1] == "-" else specs_from(incomplete))]


@click.group(cls=_Main, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version.",
)
def main() -> None:
    """Turn specs about C and C++ libraries into Python packages; without a command, `generate`.

    Begin with `wrapper-gen build NAME.wrapper_spec`, and `import NAME_ffi` from the folder `generated`. Each command
    has a --help of its own.

    Exit codes: 0 fine, 1 out of date, 2 wrong usage, 3 bad spec or an output that cannot be written, 4 compiler or
    linker failed.
    """
    if has_colours():
        click.get_current_context().color = True  # otherwise click removes them where there is no terminal


_DEPFILE = click.option(
    "--depfile",
    type=AnyPath(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write Makefile rules, too: what is made of which files, headers with them.",
)


@main.command()
@SPECS
@click.option("--dry-run", is_flag=True, help="Say what would be written, and write nothing.")
@_DEPFILE
@click.option("--force", is_flag=True, help="Replace files, too, that wrapper-gen did not write.")
@command
def generate(session: Session, specs: tuple[str, ...], dry_run: bool, depfile: Path | None, force: bool) -> int:
    """Write the package of each SPEC (or of all specs in a folder)."""
    summary, _ = write_packages(session, specs, dry_run=dry_run, depfile=depfile, force=force)
    session.result(summary.text(every_file=session.verbose or dry_run), summary.data())
    if not dry_run:
        session.suggest(session.again(["build", *specs]))
    return OK


@main.command(short_help="Exit with 1 if generated files are not what the specs make.")
@SPECS
@command
def check(session: Session, specs: tuple[str, ...]) -> int:
    """Exit with 1 if any generated file is changed, missing or too many; write nothing."""
    from wrapper_gen import outcome

    comparison = _compare(session, specs)
    mend = session.again(specs)
    session.record(outcome.out_of_date_findings(comparison, mend))
    session.result(outcome.out_of_date(comparison, mend), outcome.out_of_date_data(comparison, mend))
    return OK if comparison.up_to_date else OUT_OF_DATE


@main.command()
@SPECS
@command
def diff(session: Session, specs: tuple[str, ...]) -> int:
    """Like check, printed as a unified diff."""
    from wrapper_gen import outcome
    from wrapper_gen.diff import unified

    comparison = _compare(session, specs)
    session.record(outcome.out_of_date_findings(comparison, session.again(specs)))
    for path in comparison.blocked:
        session.say(f"{session.output / path}: not ours, and in the way")
    for line in unified(comparison):
        click.echo(line, nl=False)
    return OK if comparison.up_to_date else OUT_OF_DATE


@main.command()
@SPECS
@click.option("--stub", is_flag=True, help="Build in stub mode even where the library is.")
@click.option("--allow-stub", is_flag=True, help="Build in stub mode where the library is missing.")
@click.option("--require", is_flag=True, help="A library that is missing is an error, even one that is optional.")
@click.option(
    "--engine",
    type=click.Choice((*ENGINES, "native")),
    metavar=f"[{'|'.join(ENGINES)}]",
    callback=engine_of,
    default="auto",
    help="What to compile (default: auto, the engine that this Python uses).",
)
@click.option("--abi3", is_flag=True, help="One extension for CPython 3.11 and all later versions.")
@click.option(
    "-j", "--jobs", type=click.IntRange(1), metavar="N", help="How many compilers run at a time (default: one a core)."
)
@click.option("--force", is_flag=True, help="Compile even when nothing changed.")
@click.option(
    "--check-only", is_flag=True, help="Only say whether it compiles, at the spec's lines; nothing is written."
)
@_DEPFILE
@click.option("--watch", is_flag=True, help="Build again whenever a spec, a header or a source changes; Ctrl-C ends.")
@click.option(
    "--test", metavar="COMMAND", help="With --watch: run this after each build, with the packages on the path."
)
@command
def build(session: Session, specs: tuple[str, ...], depfile: Path | None, check_only: bool, **options: Any) -> int:
    """Generate, then compile."""
    from wrapper_gen import batch, disk

    watch, test = options.pop("watch"), options.pop("test")
    if watch or test is not None:
        return _watch(
            session, specs, options, test, refused={"--depfile": depfile, "--check-only": check_only}, on=watch
        )
    if check_only:
        return _check_compiles(session, specs, options)
    summary, result = write_packages(session, specs, depfile=depfile)
    if session.text:
        click.echo(summary.text(every_file=session.verbose))
    data = summary.data()
    lines, stubs, built, code = [], [], {}, OK
    for package, done in compiled_packages(session, result, options, session.say):
        code = max(code, _warned(session, done.warnings))
        built[package] = (done.extension, done.files)
        where = done.extension.as_posix()
        data[package] |= {"extension": where, "stub": done.stub, "missing": done.missing, "rebuilt": done.rebuilt}
        if done.stub:
            stubs.append(paint(f"{package}: STUB, WITHOUT ITS LIBRARY: {done.missing} ({where})", "warning"))
        else:
            lines.append(f"{package}: built {where}")
    if depfile:
        disk.replace_together({depfile: batch.depfile(session.find(specs), result, session.output, built)})
    session.result("\n".join([*lines, *stubs]), data)  # a stub is the last that is seen
    if lines and not stubs:
        session.suggest(f"PYTHONPATH={shlex.quote(str(session.output))} python -c 'import {result.packages[0]}'")
    return code


@main.command(short_help="List the files that SPEC makes, for build systems.")
@SPECS
@click.option("--flat", is_flag=True, help="Only names, of the files in the folder of the one package, as Meson wants.")
@command
def outputs(session: Session, specs: tuple[str, ...], flat: bool) -> int:
    """List the files that the packages of each SPEC have, for build systems; write nothing.

    With --format json, also the packages, and the `inputs`: all files whose change may change one of these.
    """
    from wrapper_gen import batch

    found, result = _render(session, specs)
    files = [(session.output / path).as_posix() for path in sorted(result.files)]
    if flat:
        if len(result.packages) != 1:
            raise click.UsageError(f"--flat is for one package, and these are {len(result.packages)}: name one spec")
        files = sorted(path.name for path in result.files if path.parent.as_posix() == result.packages[0])
    read = [str(path.absolute()) for path in batch.inputs(found, result)]
    session.result("\n".join(files), {"packages": result.packages, "files": files, "inputs": read})
    return OK


@main.command()
@SPECS
@command
def validate(session: Session, specs: tuple[str, ...]) -> int:
    """Check schema and meaning only."""
    from wrapper_gen import batch

    result = batch.read_all(session.find(specs), strict=session.strict)
    stop_at_errors(session, result)
    lines = []
    for module in result.modules:
        counts = f"{len(module.handles)} handle types, {len(module.functions)} functions, {len(module.methods)} methods"
        lines.append(f"{session.shown[module.spec]}: fine ({counts})")
    session.result("\n".join(lines), [{"spec": each.spec, "package": each.package} for each in result.modules])
    session.suggest(session.again(["build", *specs]))
    return OK


@main.command(short_help="Rewrite each SPEC in the present language.")
@SPECS
@click.option("--check", "only_checks", is_flag=True, help="Exit with 1 if any SPEC would change; write nothing.")
@command
def migrate(session: Session, specs: tuple[str, ...], only_checks: bool) -> int:
    """Rewrite each SPEC of an earlier version in the present language, in its place.

    Comments and layout stay. Where a person has to decide, TODO is written, with the reason above it: `validate` names
    each of these places. The new text is read again before it is written: it means what the former one does.
    """
    from wrapper_gen import migration

    found = session.find(specs)
    done = migration.migrate_all(found)
    if not only_checks:
        migration.write(done)
    session.result(done.text(lambda spec: session.shown[spec.shown], is_written=not only_checks), done.data())
    return OUT_OF_DATE if only_checks and not done.up_to_date else OK


@main.command(short_help="Print the resolved meaning of SPEC as JSON, or what each entry calls.")
@click.argument("spec", type=SpecPath(path_type=str))
@click.option("--calls", "lists_calls", is_flag=True, help="Print what each entry calls, and the status it tests.")
@command
def inspect(session: Session, spec: str, lists_calls: bool) -> int:
    """Print the resolved meaning of SPEC as JSON; or, as the compiler has chosen it, what each entry calls."""
    from wrapper_gen import batch, dump

    if lists_calls:
        from wrapper_gen.explain.shown import as_list

        return _explained(session, spec, (), as_list)
    result = batch.read_all(session.find([spec]), strict=session.strict)
    stop_at_errors(session, result)
    modules = [dump.plain(module) for module in result.modules]
    click.echo(json.dumps(modules[0] if len(modules) == 1 else modules, indent=2, ensure_ascii=False))
    return OK


@main.command(short_help="Print the C or C++ call behind each entry of SPEC.")
@click.argument("spec", type=SpecPath(path_type=str))
@click.argument("entries", nargs=-1, metavar="[ENTRY]...")
@command
def explain(session: Session, spec: str, entries: tuple[str, ...]) -> int:
    """Print the C or C++ call behind each ENTRY of SPEC, or of all, as the compiler has chosen it.

    An ENTRY is a name of Python's (`Db.put`, `open_all`), of the spec's or of C's; the name of a class stands for all
    that it has.
    """
    from wrapper_gen.explain.shown import as_text

    return _explained(session, spec, entries, as_text)


@main.command(short_help="Prove what SPEC says against its headers and libraries.")
@click.argument("spec", type=AnyPath(path_type=str))
@click.option(
    "--lock",
    type=AnyPath(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="What the headers were (default: NAME.import.lock beside SPEC, where that is there).",
)
@click.option("--write-lock", is_flag=True, help="Record what the headers say today.")
@click.option("--run", is_flag=True, help="Build the package, too, and run its conformance tests over each engine.")
@click.option(
    "--tests",
    type=AnyPath(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write these tests for pytest.",
)
@command
def verify(session: Session, spec: str, lock: Path | None, write_lock: bool, run: bool, tests: Path | None) -> int:
    """Say what of SPEC is proven, and what is only assumed.

    The compiler proves what is called, fields and values, the linker that libraries export it. Exits with 1 where
    something does not hold any more.
    """
    from wrapper_gen import disk
    from wrapper_gen import verify as verifying
    from wrapper_gen.files import cannot_write
    from wrapper_gen.verify.page import as_data, as_text

    with _alone(session, spec, is_strict=False) as (module, path, output):  # `--strict` is about what this finds
        where = lock or verifying.lock_path(path)
        report = session.say if session.verbose else _say_nothing
        was = where if (lock and not write_lock) or where.exists() else None
        done = verifying.verify(module, path, output, was, is_run=run, report=report, tick=session.clock)
        shown = session.shown[module.spec]
    text = as_text(done, shown, every=session.verbose)
    written = {where: verifying.dumps(done.today)} if write_lock else {}
    written |= {tests: done.tests.text} if tests else {}
    if written:
        try:
            disk.replace_together(written)
        except OSError as error:
            raise SpecError([cannot_write(error, next(iter(written)), "name another file")]) from error
        text += "".join(f"\n  written: {each}" for each in written)
    session.report(_as_strict(session, done.findings))
    session.result(text, as_data(done, shown))
    if done.failure:
        raise done.failure
    failed = not done.holds or (session.strict and done.findings)
    return OUT_OF_DATE if failed else OK


@main.command(short_help="Say what changed between two versions, and which version that asks for.")
@click.argument("old", type=AnyPath(path_type=str))
@click.argument("new", type=AnyPath(path_type=str))
@command
def compare(session: Session, old: str, new: str) -> int:
    """Write what changed from OLD to NEW, as Markdown: for callers in Python and in C, and whether it breaks them.

    Each is a spec, a spec of a git revision (v1.0:specs/NAME.wrapper_spec), or the folder of a generated package.
    Exits with 1 where something breaks callers in Python.
    """
    from wrapper_gen.compare import NotComparable, breaks_python, compared, surface_of
    from wrapper_gen.compare.page import as_data, as_markdown

    session.shown |= {each: each for each in (old, new)}
    try:
        before, after = (surface_of(each, Path.cwd()) for each in (old, new))
    except NotComparable as error:
        hint = "name a spec, REVISION:path of one, or the folder of a generated package"
        place = Span(next((each for each in (old, new) if each in str(error)), old), 1, 1)
        raise SpecError([Diagnostic("WG334", str(error), place, hint)]) from None
    changes = compared(before, after)
    session.result(as_markdown(before, after, changes), as_data(before, after, changes))
    return OUT_OF_DATE if breaks_python(changes) else OK


@main.command(short_help="Say what this machine has of what builds need, and where.")
@click.argument("specs", nargs=-1, metavar="[SPEC]...", type=SpecPath(path_type=str))
@command
def doctor(session: Session, specs: tuple[str, ...]) -> int:
    """Say what this machine has of what builds need, and where; and where the headers and the library of each SPEC are,
    and whether it compiles with them.

    Exits with 4 where something is missing that every build needs, or that a SPEC needs.
    """
    from wrapper_gen.doctor import examine

    found = list(examine(session.output))
    data = [{"what": each.what, "where": each.where, "needed": not each.needed} for each in found]
    if session.text or not specs:  # the data of specs is that of `build --check-only`
        session.result("\n".join(each.text for each in found), data)
    if any(each.is_fatal for each in found):
        return TOOLCHAIN
    return _check_compiles(session, specs, {}, tells_library=True) if specs else OK


@main.command()
def schema() -> None:
    """Print the JSON Schema of specs, for editors."""
    from wrapper_gen.spec.editor_schema import editor_schema

    click.echo(editor_schema(), nl=False)


@main.command(short_help="Serve editors: a language server for specs, on stdin and stdout.")
@click.option("--stdio", is_flag=True, hidden=True, help="What it does anyway: some editors say so.")
def lsp(stdio: bool) -> int:
    """Serve editors: a language server for specs, which an editor starts and talks to on stdin and stdout.

    It needs `pip install 'wrapper-gen[lsp]'`; docs/editors.md shows how VS Code, Neovim and Helix start it.
    """
    import gc

    from wrapper_gen.lsp import serve

    gc.enable()  # this command runs for days
    try:
        serve(VERSION)
    except ToolchainError as error:
        Session(Path(), (1, 2, 3), strict=False, verbose=False, format="text").report([error.diagnostic])
        return TOOLCHAIN
    return OK


main.add_command(import_)


@main.command("cmake-dir", short_help="Print the folder where CMake finds wrapper_gen.")
def cmake_dir() -> None:
    """Print the folder where CMake finds wrapper_gen: -DCMAKE_MODULE_PATH=$(wrapper-gen cmake-dir)."""
    from wrapper_gen.cmake import FOLDER

    click.echo(FOLDER)


@main.command(short_help="Print what lets a shell complete commands, options and specs.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print what lets a shell complete commands, options and specs.

    For bash, in ~/.bashrc: eval "$(wrapper-gen completion bash)"
    """
    from click.shell_completion import get_completion_class

    found = get_completion_class(shell)
    assert found is not None
    click.echo(found(main, {}, "wrapper-gen", "_WRAPPER_GEN_COMPLETE").source(), nl=False)


# --- their parts -----------------------------------------------------------------------------------------------------


def _explained(
    session: Session,
    spec: str,
    entries: Sequence[str],
    as_text: Callable[[Sequence[Explanation], str, Lock | None], str],
) -> int:
    """Print the calls of entries, of all where none is named."""
    from wrapper_gen.explain import UnknownEntry, explain, selected
    from wrapper_gen.explain.shown import as_data
    from wrapper_gen.headers.lock import lock_path, read_lock

    with _alone(session, spec, is_strict=session.strict) as (module, path, output):
        try:
            numbers = selected(module, entries)
        except UnknownEntry as error:
            near = did_you_mean(error.name, error.known)
            raise click.UsageError(f"{spec} has no entry {error.name!r}; {near}") from None
        report = session.say if session.verbose else _say_nothing
        done = explain(module, numbers, output, report=report, tick=session.clock)
    where = session.shown[module.spec]
    beside = lock_path(path)
    lock = read_lock(beside) if beside.is_file() else None
    session.result(as_text(done.entries, where, lock), as_data(done.entries, where, lock))
    if done.failure:
        raise done.failure
    return OK


@contextmanager
def _alone(session: Session, spec: str, *, is_strict: bool) -> Iterator[tuple[Module, Path, Path]]:
    """The one spec of a command, its file, and a folder that ends with this, to which its path is relative."""
    import tempfile

    from wrapper_gen import batch

    found = session.find([spec])
    if len(found.specs) > 1:
        raise click.UsageError(f"{spec} holds {len(found.specs)} specs: name one of them")
    with tempfile.TemporaryDirectory(prefix="wrapper-gen-") as folder:
        output = Path(folder).resolve()
        (one,) = found.specs
        shown = os.path.relpath(one.path.resolve(), output).replace(os.sep, "/")
        session.shown[shown] = batch.from_here(one.path)
        result = batch.read_all(replace(found, specs=[replace(one, shown=shown)]), strict=is_strict)
        stop_at_errors(session, result)
        (module,) = result.modules
        yield module, one.path, output


def _say_nothing(_line: str) -> None:
    pass


def stop_at_errors(session: Session, result: Batch) -> None:
    """Report what was found, or stop when any of it is an error."""
    if result.failed:
        raise SpecError(result.findings)
    session.report(result.findings)


def _as_strict(session: Session, found: Sequence[Diagnostic]) -> Sequence[Diagnostic]:
    """What was found, all of it errors with `--strict`."""
    return [replace(each, severity=Severity.ERROR) for each in found] if session.strict else found


def _warned(session: Session, warnings: Sequence[Diagnostic]) -> int:
    """Report what a compiler warned of; the exit code for that."""
    session.report(_as_strict(session, warnings))
    return BAD_SPEC if session.strict and warnings else OK


def compiled_packages(
    session: Session, result: Batch, options: Mapping[str, Any], report: Callable[[str], None]
) -> Iterator[tuple[str, BuildResult]]:
    """Each package by its name, when it is compiled; `options` are those of `build`."""
    from wrapper_gen import compile
    from wrapper_gen.fixes import fixes_of

    for module in result.modules:
        yield (
            module.package,
            compile.build(
                session.output / module.package,
                report=report,
                tick=session.clock,
                fixes=fixes_of(module),
                places=module.library.places,
                statuses=[each.type for each in module.errors],
                **options,
            ),
        )


def _watch(
    session: Session,
    specs: Sequence[str],
    options: Mapping[str, Any],
    test: str | None,
    *,
    refused: Mapping[str, object],
    on: bool,
) -> int:
    """Build on each change, unless options are given that go with one build alone."""
    from wrapper_gen import batch
    from wrapper_gen.cli.watching import watch_and_build

    try:
        command = shlex.split(test or "")
    except ValueError as error:
        raise click.UsageError(f"--test {test!r} is no command: {str(error).lower()}") from None
    if not on:
        raise click.UsageError("--test is for --watch: without it, write the command after this one")
    if test is not None and not command:
        raise click.UsageError("--test has no command")
    unfit = next((name for name, value in refused.items() if value), None if session.text else "--format")
    if unfit:
        raise click.UsageError(f"{unfit} is for one build, and --watch makes many")

    def build_once(files: list[Path]) -> Iterator[str]:
        _, result = write_packages(session, specs)
        files += batch.inputs(session.find(specs), result)
        report = session.say if session.verbose else _say_nothing
        for package, done in compiled_packages(session, result, options, report):
            session.report(done.warnings)
            files += map(Path, done.files)
            became = f"built as a STUB: {done.missing}" if done.stub else "built" if done.rebuilt else "up to date"
            yield f"{package} {became}"

    return watch_and_build(session, specs, build_once, command)


def _check_compiles(
    session: Session, specs: Sequence[str], options: Mapping[str, Any], *, tells_library: bool = False
) -> int:
    """Let the compiler read the packages of these specs, in a folder that ends with that.

    Where it tells the library, it says first where headers and libraries are, and what the build says only once.
    """
    import tempfile

    from wrapper_gen import batch, compile, files
    from wrapper_gen.fixes import fixes_of

    found = session.find(specs)
    lines, data, code = [], {}, OK
    with tempfile.TemporaryDirectory(prefix="wrapper-gen-") as folder:
        output = Path(folder).resolve() / "generated"
        there = [replace(spec, shown=os.path.relpath(spec.path.resolve(), output.parent)) for spec in found.specs]
        session.shown |= {spec.shown: batch.from_here(spec.path) for spec in there}
        result = batch.generate_all(
            replace(found, specs=there), session.tiers, strict=session.strict, runtime=session.runtime
        )
        stop_at_errors(session, result)
        files.write(files.compare(result.files, output, packages=result.folders))
        for spec, module in zip(found.specs, result.modules, strict=True):
            places = _library_places(module, spec.path) if tells_library else {}
            for what, where in places.items():
                session.say(f"{module.package}: {what} {where or 'was not found'}")
            done = compile.build(
                output / module.package,
                report=(lambda line: None) if tells_library else session.say,
                tick=session.clock,
                check_only=True,
                fixes=fixes_of(module),
                places=module.library.places,
                statuses=[each.type for each in module.errors],
                **options,
            )
            code = max(code, _warned(session, done.warnings))
            data[module.package] = {"stub": done.stub, "missing": done.missing, **({"found": places} if places else {})}
            lines.append(f"{module.package}: compiles" + (f" as a stub: {done.missing}" if done.stub else ""))
    session.result("\n".join(lines), data)
    return code


def _library_places(module: Module, spec: Path) -> dict[str, str]:
    """Where the headers and the libraries of a spec are; empty of those that were not found."""
    from wrapper_gen.headers import compilers
    from wrapper_gen.verify.library import library_of

    library = library_of(module, spec)
    folders = [*library.source.folders, *compilers.include_folders(library.source.language)]
    found = {}
    for header in library.source.headers:
        paths = (Path(folder, header) for folder in folders)
        found[f"header {header}"] = next((str(path) for path in paths if path.is_file()), "")
    return found | {
        f"library {each.name}": os.path.normpath(each.path) if each.path else "" for each in library.libraries
    }


def _render(session: Session, specs: Sequence[str]) -> tuple[Found, Batch]:
    from wrapper_gen import batch

    found = session.find(specs)
    result = batch.generate_all(found, session.tiers, strict=session.strict, runtime=session.runtime)
    stop_at_errors(session, result)
    return found, result


def _against_disk(session: Session, found: Found, result: Batch, *, force: bool = False) -> Comparison:
    """With only some of the tiers, other files are none of our business."""
    from wrapper_gen import files

    every_tier = session.tiers == (1, 2, 3)
    return files.compare(
        result.files,
        session.output,
        packages=result.folders if every_tier else (),
        specs=[spec.shown for spec in found.specs] if found.whole and every_tier else None,
        force=force,
    )


def _compare(session: Session, specs: Sequence[str]) -> Comparison:
    from wrapper_gen import files

    found, result = _render(session, specs)
    with files.reading(session.output, session.waiting):
        return _against_disk(session, found, result)


def write_packages(
    session: Session,
    specs: Sequence[str],
    *,
    dry_run: bool = False,
    depfile: Path | None = None,
    force: bool = False,
) -> tuple[Summary, Batch]:
    """Write the packages of these specs; what was done, and what the specs come to."""
    from wrapper_gen import batch, files, outcome

    found, result = _render(session, specs)
    hold = files.reading if dry_run else files.updating
    with hold(session.output, session.waiting):
        comparison = _against_disk(session, found, result, force=force)
        for path in comparison.foreign:
            session.say(f"{session.output / path}: not ours, left alone (no spec makes it)")
        files.refuse_blocked(comparison)
        if not dry_run:
            also = {depfile: batch.depfile(found, result, session.output)} if depfile else None
            files.write(comparison, also, session.waiting)
    return outcome.Summary(comparison, result.folders, dry_run), result
