"""The view of a project: what its templates place."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from wrapper_gen import names
from wrapper_gen.frozen import frozen
from wrapper_gen.model import Module, NotImplementedYet
from wrapper_gen.project import git, readme
from wrapper_gen.project.licences import LICENCE_FILE
from wrapper_gen.project.options import ProjectOptions, author_parts
from wrapper_gen.project.system_packages import cibuildwheel_lines, system_packages
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
    language: str
    commands: tuple[str, ...]
    """What one types in the project, each with what it does."""
    test_lines: tuple[str, ...]
    prose: tuple[str, ...]
    """What the package is, in the README."""
    over: str
    """Which library it is over."""
    needs: str
    """What a build takes."""
    example: tuple[str, ...]
    library_lines: tuple[str, ...]
    """Where wheels are built, how the library that is linked comes there."""
    metadata: tuple[str, ...]
    """The lines of pyproject.toml that say who publishes the package, and under which licence."""
    urls: tuple[str, ...]
    licence: str
    """As an expression of SPDX; empty where it is not known."""
    licence_place: str
    """Where its text is, behind that."""


@frozen
class LicenceView:
    """What the text of a licence places."""

    holders: str


def starter_view(options: ProjectOptions, spec: str, schema: str) -> StarterView:
    """The view of the files that a new project starts from."""
    name = options.name
    linked = [*options.requires, *([f"{{dirs: {_yaml_list(options.folders)}}}"] if options.folders else ())]
    lines = [f"requires: [{', '.join(linked)}]"] if linked else []
    lines += [f"link: {_yaml_list(options.link)}"] if options.link else []
    class_name = "".join(part.capitalize() for part in name.split("_"))
    headers = _yaml_list(options.headers) if len(options.headers) > 1 else "".join(map(_yaml, options.headers))
    package = names.package(name)
    return StarterView(name, package, spec, name.upper(), class_name, options.lang, headers, schema, tuple(lines))


def view(
    module: Module, options: ProjectOptions, spec: PurePosixPath, licence_files: Sequence[str] = ()
) -> ProjectView:
    """The view of the files around a spec; `licence_files` are the patterns of those that the project has."""
    about = readme.summary(module) or f"{module.name} for Python."
    packages = system_packages(module.library, options.system_packages)
    return ProjectView(
        package=module.package,
        distribution=module.package.replace("_", "-"),
        spec=str(spec),
        generator=VERSION,
        summary=_toml(about),
        language="C" if module.language == "c" else "C++",
        commands=_commands(spec),
        test_lines=tuple(_test(module, options)),
        prose=readme.prose(module) or (about,),
        over=readme.over(module),
        needs=readme.needs(module),
        example=readme.example(module),
        library_lines=cibuildwheel_lines(module.library, packages or {}),
        metadata=tuple(_metadata(options, licence_files)),
        urls=tuple(_urls(options.url)),
        licence=options.license,
        licence_place=f": see `{LICENCE_FILE}`" if licence_files else "",
    )


def _metadata(options: ProjectOptions, licence_files: Sequence[str]) -> Iterator[str]:
    if options.authors:
        yield f"authors = [{', '.join(map(_author, options.authors))}]"
    if options.license:
        yield f"license = {_toml(options.license)}"
    if licence_files:
        yield f"license-files = [{', '.join(map(_toml, licence_files))}]"


def _author(text: str) -> str:
    name, mail = author_parts(text)
    return "{" + ", ".join(f"{key} = {_toml(value)}" for key, value in (("name", name), ("email", mail)) if value) + "}"


def _urls(page: str) -> Iterator[str]:
    if page:
        yield f"Repository = {_toml(page)}"
    if issues := git.issues(page):
        yield f"Issues = {_toml(issues)}"


def _toml(text: str) -> str:
    """A string of TOML."""
    return json.dumps(text, ensure_ascii=False)


def _test(module: Module, options: ProjectOptions) -> list[str]:
    """A test of what `new` has put into the spec as long as it is there, and else one that uses a public name."""
    if options.has_starter and options.headers and "is_built" in {each.name for each in module.functions}:
        return ["", "", "def test_it_is_built() -> None:", f"    assert {module.package}.is_built()"]
    return _use(module)


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
