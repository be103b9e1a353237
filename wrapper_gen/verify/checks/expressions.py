"""What C++ of a spec leaves out: arguments that nothing passes, the status of a message, the name of a constant."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wrapper_gen.explain.entries import shown_name
from wrapper_gen.explain.sources import SourceKind
from wrapper_gen.headers import Headers
from wrapper_gen.model import Body, Module, Named
from wrapper_gen.types.queries import if_given, is_bytes
from wrapper_gen.verify.checks.subject import ComparedEntry, Doubt
from wrapper_gen.verify.uses import code_of

_CALL = re.compile(r"^\s*(?:::)?([A-Za-z_][\w:]*)\s*\(\s*([A-Za-z_][\w:]*|-?\d+)\s*\)\s*$")
_RETURNED = re.compile(r"return ([A-Za-z_][\w:]*);")
_MEASURES = re.compile(r"\b(?:\w*_)?strn?len\s*\(")


def of_entry(subject: ComparedEntry) -> Iterator[Doubt]:
    """Bytes of which C gets only what stands before a NUL."""
    given = [each.name for each in subject.function.parameters if is_bytes(if_given(each.type))]
    for argument, parameter in subject.places:
        text = argument.source.text
        name = next((each for each in given if re.search(rf"\b{each}\b", text)), "")
        if name and argument.source.kind is SourceKind.VALUE and _MEASURES.search(text):
            what = f"{parameter.name} is `{text}`, which ends at the first NUL in `{name}`"
            yield subject.doubt(what, f"write {name}.size()")


def of_unused(module: Module) -> Iterator[Doubt]:
    """Arguments of Python that an expression or a call of the spec does not have."""
    for function in module.callables:
        how = function.implementation
        is_written = isinstance(how, Named) and how.arguments is not None
        if function.is_constant or not (is_written or (isinstance(how, Body) and how.is_expression)):
            continue
        texts = [repr(how), *(text for text, _ in code_of(function, function.span))]
        words = {word for text in texts for word in re.findall(r"\w+", text)}
        for each in function.parameters:
            if each.name not in words and f"{each.name}_" not in words:
                what = f"nothing passes `{each.name}` to C"
                hint = "pass it, or leave it out of the signature"
                yield Doubt(shown_name(function, module), function.span, what, hint)


def of_messages(module: Module, headers: Headers) -> Iterator[Doubt]:
    """Messages, and other texts about a status, that are always those of one."""
    functions = {each.qualified: each for each in headers.functions}
    for error in module.errors:
        for code in (code for said in error.said for code in said.codes):
            found = _CALL.match(code.text)
            function = functions.get(found[1]) if found else None
            if found is None or function is None or found[2] in ("value", "self", "owner"):
                continue
            taken = [each.type.spelling.rpartition("::")[2] for each in function.parameters]
            if taken == [error.cpp_type.rpartition("::")[2]]:
                what = f"`{code.text.strip()}` is the same for each status"
                yield Doubt(error.exception, error.span, what, f"write {found[1]}(value); {function.place}")


def of_constants(module: Module, headers: Headers) -> Iterator[Doubt]:
    """Constants under the name of another one."""
    known = {*headers.constants, *(value.name for enum in headers.enums.values() for value in enum.values)}
    for function in module.functions:
        how = function.implementation
        found = _RETURNED.fullmatch(how.code.text) if function.is_constant and isinstance(how, Body) else None
        name = found[1].rpartition("::")[2] if found else ""
        if name in known and not _is_named(name, function.name):
            prefix = name.partition("_")[0] + "_"
            meant = [each for each in known if each.startswith(prefix) and _is_named(each, function.name)]
            if len(meant) == 1:
                what = f"it is {name}, and C has {meant[0]}"
                yield Doubt(
                    function.name, function.span, what, f"write cpp: {meant[0]}, or give it the name of its value"
                )


def _is_named(name: str, python_name: str) -> bool:
    """Whether the last words of a name of C are those of Python's."""
    return f"_{name}".lower().endswith(f"_{python_name}".lower())
