"""The view of a project: what its templates place."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from wrapper_gen.frozen import frozen
from wrapper_gen.model import Module
from wrapper_gen.project.options import ProjectOptions
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
    imports_pytest: bool
    test_lines: tuple[str, ...]
    example: tuple[str, ...]


def starter_view(options: ProjectOptions, spec: str, package: str) -> StarterView:
    """The view of the files that a new project starts from."""
    name = options.name
    linked = [*options.requires, *([f"{{dirs: {_yaml_list(options.folders)}}}"] if options.folders else ())]
    lines = [f"requires: [{', '.join(linked)}]"] if linked else []
    lines += [f"link: {_yaml_list(options.link)}"] if options.link else []
    class_name = "".join(part.capitalize() for part in name.split("_"))
    headers = _yaml_list(options.headers) if len(options.headers) > 1 else "".join(map(_yaml, options.headers))
    return StarterView(name, package, spec, name.upper(), class_name, options.lang, headers, tuple(lines))


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
        imports_pytest=any("pytest." in line for line in test),
        test_lines=tuple(test),
        example=tuple(example),
    )


def _example(module: Module, options: ProjectOptions) -> tuple[list[str], list[str]]:
    """A test of what `new` has put into the spec, and the same for the README, as long as it is there."""
    package, there = module.package, {each.name for each in module.functions}
    if not options.has_starter:
        return [], []
    if options.headers:
        test = ["", "", "def test_it_is_built() -> None:", f"    assert {package}.is_built()"]
        return (test, []) if "is_built" in there else ([], [])
    errors = [each.exception for each in module.errors]
    if "mean" not in there or not errors:
        return [], []
    test = [
        *("", "", "def test_mean() -> None:"),
        f"    assert {package}.mean([1, 2.5]) == 1.75",
        f'    with pytest.raises({package}.{errors[0]}, match="no numbers"):',
        f"        {package}.mean([])",
    ]
    return test, [f"import {package}", "", f"print({package}.mean([1, 2.5]))"]


_PLAIN = re.compile(r"[\w./+-]+")


def _yaml(text: str) -> str:
    """A string in a flow sequence of YAML."""
    return text if _PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)


def _yaml_list(texts: Sequence[str]) -> str:
    return f"[{', '.join(map(_yaml, texts))}]"
