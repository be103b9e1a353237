"""Templates decide nothing: they print attributes, loop, test attributes, and place partials."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from jinja2 import nodes

from wrapper_gen.render import environment
from wrapper_gen.resources import RUNTIME, TEMPLATES

FILES = sorted(TEMPLATES.rglob("*.jinja"))
MAX_LINES = 80
FILTERS = {"indent", "comment"}

template = pytest.mark.parametrize("template", FILES, ids=lambda path: path.relative_to(TEMPLATES).as_posix())


def offences(source: str) -> list[str]:
    """Every place in a template that decides something, as `line: what`."""
    tree = environment().parse(source)
    imported = {
        name if isinstance(name, str) else name[1] for each in tree.find_all(nodes.FromImport) for name in each.names
    }
    found: list[str] = []

    def refuse(node: nodes.Node) -> None:
        found.append(f"{node.lineno}: {type(node).__name__}")

    def value(node: nodes.Node) -> None:
        """What is printed, looped over or tested: an attribute, through filters, or what an imported macro makes."""
        match node:
            case nodes.Filter(name=name, node=inner) if name in FILTERS:
                if inner is not None:  # None in a filter block, which filters its body
                    value(inner)
            case nodes.Getattr(node=inner):
                value(inner)
            case nodes.Name():
                pass
            case nodes.Call(node=nodes.Name(name=name), args=args, kwargs=[], dyn_args=None, dyn_kwargs=None):
                if name not in imported:
                    refuse(node)
                for arg in args:
                    value(arg)
            case _:
                refuse(node)

    def place(node: nodes.Node) -> None:
        match node:
            case nodes.TemplateData():
                return
            case nodes.Output(nodes=parts):
                for part in parts:
                    place(part) if isinstance(part, nodes.TemplateData) else value(part)
            case nodes.For(iter=iterated, test=None, recursive=False, body=body, else_=otherwise):
                value(iterated)
                for each in (*body, *otherwise):
                    place(each)
            case nodes.If(test=tested, body=body, elif_=others, else_=otherwise):
                value(tested)
                for each in (*body, *others, *otherwise):
                    place(each)
            case nodes.FilterBlock(filter=applied, body=body):
                value(applied)
                for each in body:
                    place(each)
            case nodes.Template(body=body) | nodes.Macro(body=body, defaults=[]):
                for each in body:
                    place(each)
            case nodes.Include(template=nodes.Const(), ignore_missing=False) | nodes.FromImport():
                pass
            case _:
                refuse(node)

    place(tree)
    return found


def crowded(source: str) -> list[str]:
    """Lines on which a tag is not alone."""
    alone = re.compile(r"\s*\{([%#])((?![%#]\}).)*\1\}")
    return [line for line in source.splitlines() if ("{%" in line or "{#" in line) and not alone.fullmatch(line)]


@template
def test_it_only_places(template: Path) -> None:
    assert offences(template.read_text(encoding="utf-8")) == []


@template
def test_a_tag_stands_on_its_own_line(template: Path) -> None:
    assert crowded(template.read_text(encoding="utf-8")) == []


@template
def test_it_is_short(template: Path) -> None:
    assert len(template.read_text(encoding="utf-8").splitlines()) <= MAX_LINES


@pytest.mark.parametrize(
    "source",
    [
        "{% set x = 1 %}",
        "{{ 1 }}",
        "{{ 'text' }}",
        "{{1, 2}}",
        "{{ view.a + view.b }}",
        "{{ view.a ~ view.b }}",
        "{{ view.names.upper() }}",
        "{{ view.a[0] }}",
        "{{ view.a.0 }}",
        "{{ view.a if view.b }}",
        "{{ view.a | join(', ') }}",
        "{{ view.a | upper }}",
        "{{ range(3) }}",
        "{% if view.a == 1 %}\n{% endif %}",
        "{% if not view.a %}\n{% endif %}",
        "{% if view.a and view.b %}\n{% endif %}",
        "{% if view.a is defined %}\n{% endif %}",
        "{% for a in view.b if a.c %}\n{% endfor %}",
        "{% for a in view.b.items() %}\n{% endfor %}",
        "{% include view.name %}",
        "{% with a = view.b %}\n{% endwith %}",
        "{% filter upper %}\n{% endfilter %}",
        "{% macro m(a, b=1) %}\n{% endmacro %}",
    ],
)
def test_what_decides_is_refused(source: str) -> None:
    assert offences(source) != []


@pytest.mark.parametrize(
    "source",
    [
        "{{ view.a.b }}",
        "{{ view.a | indent }}",
        "{{ view.a | comment }}",
        "{% from 'a.jinja' import m %}\n{{ m(view.a) }}",
        "{% for a, b in view.c %}\n{{ a }}\n{% else %}\nnone\n{% endfor %}",
        "{% if view.a %}\n{% elif view.b %}\n{% else %}\n{% endif %}",
        "{% include 'bridge/errors.cpp.jinja' %}",
        "{% filter indent(first=true) %}\n{{ view.a }}\n{% endfilter %}",
        "{% macro m(a) %}\n{{ a }}\n{% endmacro %}",
    ],
)
def test_what_places_is_fine(source: str) -> None:
    assert offences(source) == []
    assert crowded(source) == []


@pytest.mark.parametrize("source", ["a {% if view.a %}", "{% if view.a %} b", "{% if view.a %}{% endif %}"])
def test_a_tag_beside_text_is_refused(source: str) -> None:
    assert crowded(source) == [source]


def test_macros_of_headers_have_names_of_their_own() -> None:
    """A package may include any two of them, and compilers only warn of another definition."""
    files: dict[str, set[str]] = {}
    for header in sorted(RUNTIME.rglob("*.hpp")):
        for name in re.findall(r"^\s*#\s*define (\w+)", header.read_text(encoding="utf-8"), re.MULTILINE):
            files.setdefault(name, set()).add(str(header.relative_to(RUNTIME)))
    assert "WG_MEMBER" in files
    assert {name: found for name, found in files.items() if len(found) > 1} == {}
