"""Function templates with bindings, written out once for each call: the compiler keeps no code of their instances."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from wrapper_gen.bindings.cursors import below, bound, source, text_of
from wrapper_gen.bindings.definitions import Finder
from wrapper_gen.frozen import frozen

_LITERAL = re.compile(r'(?:"(?:[^"\\]|\\.)*"|[-+\w.]+)$')


@frozen
class Instance:
    """A function that a template with its arguments is: C++ text, and its module; `line` is that of the template."""

    name: str
    text: str
    module: str
    line: int


@frozen
class Instances:
    """Those of one file: its text with them at its end, their modules by name, and the lines that they are from."""

    text: bytes
    modules: Mapping[str, str]
    lines: Sequence[tuple[int, int, int]]
    """First line, last line, and the line of the template that the first one is."""
    templates: frozenset[str]
    """The USRs of the templates that are written out."""


def instances_of(path: str, finder: Finder, units: Sequence[Any]) -> Instances | None:
    """What the calls of a file's templates are; None where there is none that can be written out."""
    templates = [each for each in finder.templates if each.location.file.name == path]
    made: list[Instance] = []
    done = set()
    for template in templates:
        found = [one for unit in units for one in _of_calls(template, unit, finder, len(made))]
        if found:
            done.add(template.get_usr())
            made += found
    if not made:
        return None
    text = source(path).decode("utf-8", "replace").rstrip("\n") + "\n"
    modules, lines = {}, []
    for each in made:
        first = text.count("\n") + 1
        text += each.text + "\n"
        modules[each.name] = each.module
        lines.append((first, text.count("\n"), each.line))
    return Instances(text.encode(), modules, lines, frozenset(done))


def _of_calls(template: Any, unit: Any, finder: Finder, count: int) -> list[Instance]:
    made: list[Instance] = []
    for call in below(unit.cursor):
        to = call.referenced if call.kind.name == "CALL_EXPR" else None
        is_it = to is not None and to.kind.name == "FUNCTION_DECL" and to.location == template.location
        if is_it and (one := _instance(template, call, finder, count + len(made))) is not None:
            made.append(one)
    return made


def _instance(template: Any, call: Any, finder: Finder, number: int) -> Instance | None:
    to = call.referenced
    types = [to.get_template_argument_type(at) for at in range(max(to.get_num_template_arguments(), 0))]
    named = [each.spelling for each in template.get_children() if each.kind.name == "TEMPLATE_TYPE_PARAMETER"]
    parameters = [each for each in template.get_children() if each.kind.name == "PARM_DECL"]
    body = next((each for each in template.get_children() if each.kind.name == "COMPOUND_STMT"), None)
    if body is None or len(types) != len(named) or any(each.kind.name == "INVALID" for each in types):
        return None
    kept, local, module = [], [], ""
    for one, given in zip(parameters, call.get_arguments(), strict=False):
        if bound(one.type)[0] in ("module_", "module", "class_"):
            kept.append(text_of(one))
            module = finder.module_of(given)
        elif _LITERAL.match(text := text_of(given)):
            local.append(f"auto {one.spelling} = {text};")
        else:
            return None
    using = [f"using {name} = {type.get_canonical().spelling};" for name, type in zip(named, types, strict=True)]
    name = f"{template.spelling.partition('<')[0]}_{number + 1}"
    head = f"static void {name}({', '.join(kept)}) {{ {' '.join([*using, *local])} "
    scope = _scope(template)
    return Instance(name, f"{scope[0]}{head}{text_of(body)[1:]}{scope[1]}", module, body.extent.start.line)


def _scope(template: Any) -> tuple[str, str]:
    names = []
    parent = template.semantic_parent
    while parent is not None and parent.kind.name == "NAMESPACE":
        names.append(parent.spelling)
        parent = parent.semantic_parent
    return "".join(f"namespace {each} {{ " for each in reversed(names)), " }" * len(names)
