"""The texts of a project's files, by their paths; reads templates, touches no output."""

from __future__ import annotations

from pathlib import PurePosixPath

from wrapper_gen import cmake
from wrapper_gen.project.licences import LICENCE_FILE, TEXTS, needs_holders
from wrapper_gen.project.options import ProjectOptions
from wrapper_gen.project.view import LicenceView, ProjectView, starter_view
from wrapper_gen.render import environment
from wrapper_gen.resources import TEMPLATES
from wrapper_gen.spec.editor_schema import COMMENT, FILE, editor_schema

_FILES = {
    "pyproject.toml": "pyproject.toml.jinja",
    "CMakeLists.txt": "CMakeLists.txt.jinja",
    "README.md": "README.md.jinja",
    "AGENTS.md": "AGENTS.md.jinja",
    "tests/test_package.py": "test_package.py.jinja",
    ".gitignore": "gitignore",
    ".github/workflows/wheels.yml": "wheels.yml.jinja",
}
_GITLAB = {".gitlab-ci.yml": "gitlab-ci.yml.jinja"}
_LIBRARY = {"c": {"h": "c.h.jinja", "c": "c.c.jinja"}, "cpp": {"hpp": "cpp.hpp.jinja", "cpp": "cpp.cpp.jinja"}}
"""The templates of a library whose source is in the project, by its language and the ends of its files."""


def starter(options: ProjectOptions) -> dict[PurePosixPath, str]:
    """The spec of a new project, and the library that it wraps where no header is named."""
    spec = f"{options.name}.wrapper_spec"
    placed = starter_view(options, spec, COMMENT)
    files = {spec: "header.wrapper_spec.jinja" if options.headers else f"{options.lang}.wrapper_spec.jinja"}
    if not options.headers:
        files |= {f"native/{options.name}.{end}": template for end, template in _LIBRARY[options.lang].items()}
    return {PurePosixPath(path): _text(template, placed) for path, template in files.items()}


def texts(placed: ProjectView, options: ProjectOptions, *, names_schema: bool) -> dict[PurePosixPath, str]:
    """All other files of a project, but the package; with the schema for editors where the spec names it."""
    files = _FILES | (_GITLAB if options.gitlab else {})
    made = {PurePosixPath(path): _text(template, placed) for path, template in files.items()}
    module = cmake.FOLDER / "wrapper_gen.cmake"
    made |= {PurePosixPath("cmake", module.name): module.read_text(encoding="utf-8")}
    return made | ({PurePosixPath(FILE): editor_schema()} if names_schema else {})


def licence_text(options: ProjectOptions) -> dict[PurePosixPath, str]:
    """The file with the text of the licence, where that is known, and who holds the copyright as far as it has to."""
    template = TEXTS.get(options.license, "")
    if not template or (needs_holders(options.license) and not options.authors):
        return {}
    return {PurePosixPath(LICENCE_FILE): _text(f"licences/{template}", LicenceView(options.holders))}


def _text(template: str, placed: object) -> str:
    if template.endswith(".jinja"):
        return environment().get_template(f"project/{template}").render(view=placed)
    return (TEMPLATES / "project" / template).read_text(encoding="utf-8")
