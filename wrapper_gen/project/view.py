"""The view of a project: what its templates place."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from wrapper_gen import names
from wrapper_gen.frozen import frozen
from wrapper_gen.model import Folders, Module, NotImplementedYet
from wrapper_gen.project.options import ProjectOptions
from wrapper_gen.types.model import Type
from wrapper_gen.types.queries import is_bool, is_integer, is_text
from wrapper_gen.version import VERSION


@frozen
class StarterView:
    """What the templates of a new spec and its library place."""

    name: str
    package: str
    spec: str
    macro: str
    class_name: str
    lang: str
    headers: str
    schema: str
    """The comment that names the schema for editors."""
    linked: tuple[str, ...]
    """The lines that say how the library is found."""


@frozen
class ProjectView:
    """What the templates of all other files place."""

    package: str
    distribution: str
    spec: str
    """Its path from the project's folder."""
    generator: str
    """The version of wrapper-gen that makes `src/`."""
    summary: str
    """As a string of TOML."""
    about: str
    language: str
    commands: tuple[str, ...]
    """What one types in the project, each with what it does."""
    test_lines: tuple[str, ...]
    example: tuple[str, ...]
    library_lines: tuple[str, ...]
    """Where wheels are built, how the library that is linked comes there: comments, since no spec says it."""


def starter_view(options: ProjectOptions, spec: str, package: str, schema: str) -> StarterView:
    """The view of the files that a new project starts from."""
    name = options.name
    linked = [*options.requires, *([f"{{dirs: {_yaml_list(options.folders)}}}"] if options.folders else ())]
    lines = [f"requires: [{', '.join(linked)}]"] if linked else []
    lines += [f"link: {_yaml_list(options.link)}"] if options.link else []
    class_name = "".join(part.capitalize() for part in name.split("_"))
    headers = _yaml_list(options.headers) if len(options.headers) > 1 else "".join(map(_yaml, options.headers))
    return StarterView(name, package, spec, name.upper(), class_name, options.lang, headers, schema, tuple(lines))


def view(module: Module, options: ProjectOptions, spec: PurePosixPath) -> ProjectView:
    """The view of the files around a spec."""
    first = next(iter(module.doc.strip().splitlines()), "")
    about = "".join(each if each.isprintable() else " " for each in first) or f"{module.name} for Python."
    test, example = _example(module, options)
    return ProjectView(
        package=module.package,
        distribution=module.package.replace("_", "-"),
        spec=str(spec),
        generator=VERSION,
        summary=json.dumps(about, ensure_ascii=False),
        about=about,
        language="C" if module.language == "c" else "C++",
        commands=_commands(spec),
        test_lines=tuple(test),
        example=tuple(example),
        library_lines=_library_lines(module),
    )


def _example(module: Module, options: ProjectOptions) -> tuple[list[str], list[str]]:
    """A test of what `new` has put into the spec, and a use of it for the README, as long as it is there."""
    package, there = module.package, {each.name for each in module.functions}
    if options.has_starter and options.headers and "is_built" in there:
        return ["", "", "def test_it_is_built() -> None:", f"    assert {package}.is_built()"], []
    is_ours = options.has_starter and not options.headers and "mean" in there
    return _use(module), [f"import {package}", "", f"print({package}.mean([1, 2.5]))"] if is_ours else []


def _library_lines(module: Module) -> tuple[str, ...]:
    """Nothing where the spec links no library, or finds it in folders alone."""
    library = module.library
    if not library.link and all(isinstance(each, Folders) for each in library.requires):
        return ()
    name = module.name
    return (
        f'# before-all = "dnf -y install {name}-devel"  # what the spec links: a package of the manylinux image',
        "",
        "# [tool.cibuildwheel.macos]",
        f'# before-all = "brew install {name}"',
        "",
        "# [tool.cibuildwheel.windows]",
        f'# before-all = "vcpkg install {name}:x64-windows"',
    )


def _commands(spec: PurePosixPath) -> tuple[str, ...]:
    told = {
        f"wrapper-gen build {spec}": "after a change: write src/, and compile it there",
        f"wrapper-gen check {spec}": "in CI: src/ is what the spec makes",
        f"wrapper-gen verify {spec}": "before a release: it says what the headers say",
        "pip install .": "compile, and install",
        "pytest tests": "",
        "python -m build": "dist/: the source archive and a wheel",
    }
    width = max(map(len, told))
    return tuple(f"{command:{width}}  # {what}" if what else command for command, what in told.items())


def _use(module: Module) -> list[str]:
    """A test that uses a public name in a way that suits any library: of functions it calls none but a version."""
    if expression := next(_safe_uses(module), ""):
        return ["", "", "def test_a_name_is_used() -> None:", f"    assert {expression}"]
    return []


def _safe_uses(module: Module) -> Iterator[str]:
    """Expressions that are true: of a function that tells a version, of a constant, of a value of an enum."""
    own = [each for each in module.functions if not (each.module or each.parameters or each.deprecated or each.is_form)]
    for each in own:
        kind = _kind(each.returns)
        if kind and each.is_constant:
            yield f"isinstance({module.package}.{names.of_function(each)}, {kind})"
        elif kind and "version" in each.base.lower() and not isinstance(each.implementation, NotImplementedYet):
            yield f"isinstance({module.package}.{names.of_function(each)}(), {kind})"
    for enum in module.enums:
        if enum.members and not (enum.module or enum.deprecated):
            of = f"{module.package}.{enum.name}"
            yield f"{of}.{names.python_enum_member(enum.members[0].name)} in {of}"


def _kind(type_: Type) -> str:
    """What Python has a number or a text as; empty of other types."""
    kinds = ((is_text, "str"), (is_bool, "bool"), (is_integer, "int"))
    return next((kind for is_it, kind in kinds if is_it(type_)), "")


_PLAIN = re.compile(r"[\w./+-]+")


def _yaml(text: str) -> str:
    """A string in a flow sequence of YAML."""
    return text if _PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)


def _yaml_list(texts: Sequence[str]) -> str:
    return f"[{', '.join(map(_yaml, texts))}]"
