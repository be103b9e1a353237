"""What generated code says of itself: documentation in NumPy's style, as plain lines and as docstrings."""

from __future__ import annotations

from collections.abc import Sequence

from wrapper_gen import names
from wrapper_gen.attributes import Attributed
from wrapper_gen.diagnostics import a
from wrapper_gen.examples import are_examples
from wrapper_gen.frozen import frozen
from wrapper_gen.model import (
    EnumType,
    ErrorType,
    ExceptionCase,
    Function,
    HandleType,
    Module,
    Named,
    NotImplementedYet,
    StructType,
    Submodule,
)
from wrapper_gen.model.protocols import METHODS
from wrapper_gen.queries import Members, documented_errors, is_fixed, once
from wrapper_gen.quoting import printable, python_docstring
from wrapper_gen.types.hints import Way, hint
from wrapper_gen.types.queries import handles_in, is_void, without_optional
from wrapper_gen.views.exports import exporting
from wrapper_gen.views.protocols import is_next
from wrapper_gen.views.signatures import type_of_each

_WIDTH = 100
"""Columns of a line of documentation; further lines and indentation fit into what linters allow."""


_OWN_LINE = ("- ", "* ", "| ", "#")
"""How lines begin that are not the continuation of prose."""


def docstring(lines: list[str]) -> str:
    """A finished docstring, quotes included, its lines relative to the first."""
    return _quoted(plain(lines))


def _quoted(text: str) -> str:
    """The same of text that is plain already."""
    text = python_docstring(text)
    if text.startswith(('"', " ")):
        text = " " + text.lstrip() if text.lstrip().startswith('"') else text.lstrip()
    return f'"""{text}\n"""' if "\n" in text else f'"""{text}"""'


def plain(lines: Sequence[str]) -> str:
    """The same text without quotes: no line is too long, or ends with a space."""
    is_wide = any(len(each) > _WIDTH for each in lines)
    text = printable("\n".join(_wrapped([_filled(each) for each in lines]) if is_wide else lines)).strip()
    return "\n".join([line.rstrip() for line in text.split("\n")]) or "Undocumented."


def _wrapped(lines: Sequence[str]) -> list[str]:
    """Lines that are too long, as several of the same indentation; those of examples stay."""
    found = list[str]()
    text = "\n".join(lines).split("\n")
    for line, is_example in zip(text, are_examples(text), strict=True):
        found += [line] if is_example or len(line) <= _WIDTH else _parts(line)
    return found


def _parts(line: str) -> list[str]:
    import textwrap  # rarely needed: not worth its import on every start

    return textwrap.wrap(line, _WIDTH, subsequent_indent=_indent(line), break_long_words=False, break_on_hyphens=False)


def _filled(text: str, width: int = _WIDTH) -> str:
    """Prose with no line longer than `width`: a paragraph with such a line is broken anew as a whole; examples stay."""
    if len(text) <= width or all(len(line) <= width for line in text.split("\n")):
        return text
    import textwrap

    blocks: list[list[str]] = []
    kept: list[bool] = []
    lines = text.split("\n")
    for line, is_example in zip(lines, are_examples(lines), strict=True):
        goes_on = blocks and _indent(blocks[-1][-1]) == _indent(line) and line.strip() and blocks[-1][-1].strip()
        if goes_on and not is_example and not line.lstrip().startswith(_OWN_LINE):
            blocks[-1].append(line)
        else:
            blocks.append([line])
            kept.append(is_example)
    wrapper = textwrap.TextWrapper(width, break_long_words=False, break_on_hyphens=False)
    filled: list[str] = []
    for block, is_kept in zip(blocks, kept, strict=True):
        wrapper.initial_indent = wrapper.subsequent_indent = _indent(block[0])
        stays = is_kept or max(map(len, block)) <= width
        filled += block if stays else wrapper.wrap(" ".join(map(str.strip, block)))
    return "\n".join(filled)


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def summary(function: Function) -> str:
    """The first paragraph of what a function is for; without one, what it calls, and nothing of where it comes from."""
    if text := _filled(function.doc.strip().split("\n\n")[0]):
        return text
    if function.protocol or function.py_name in METHODS:
        return f"Implement `{function.name}`."
    if made := function.constructs or (function.member and function.member.is_constructor and function.member.record):
        return f"Make {a(made)}."
    if function.virtual:
        return f"Call `{function.virtual.member.text.strip()}`, which derived classes may override."
    match function.implementation:
        case Named(protected=member) if member:
            return f"Call `{member}`, which only derived classes can call in C++."
        case Named(code, accessor=None):
            return f"Call `{' '.join(code.text.split())}`."
        case _:
            return "Undocumented."


def _section(title: str, entries: list[tuple[str, str]]) -> list[str]:
    """One section in NumPy's style."""
    if not entries:
        return []
    out = ["", title, "-" * len(title)]
    ends_in_example = False
    for head, text in entries:
        lines = _filled(text.strip(), _WIDTH - 4).split("\n") if text.strip() else []
        apart = [""] * ends_in_example  # an example ends with an empty line
        out += [*apart, head, *(f"    {line}" if line else "" for line in lines)]
        ends_in_example = any(are_examples(lines)[-1:])
    return out


def function_doc(function: Function, module: Module) -> list[str]:
    """The lines of a function's documentation, in NumPy's style."""
    return list(_documentation(function, module).lines)


def function_text(function: Function, module: Module) -> str:
    """The same as plain text."""
    return _documentation(function, module).text


def function_docstring(function: Function, module: Module) -> str:
    """The same as a finished docstring."""
    return _documentation(function, module).docstring


def _may_move_memory(function: Function, module: Module) -> bool:
    """Whether a call is refused while arrays use the memory of what it changes."""
    return function.lifetime.ends is not None and bool(exporting(module))


@frozen
class _Documentation:
    of: Function
    lines: list[str]
    text: str
    docstring: str


def _documentation(function: Function, module: Module) -> _Documentation:
    """What is said of a function, which all files that Python's part consists of have."""
    known = _documentations(module)
    found = known.get(id(function))
    if found is None:
        lines = _documented(function, documented_errors(function, module), _may_move_memory(function, module))
        found = known[id(function)] = _Documentation(function, lines, text := plain(lines), _quoted(text))
    return found


@once
def _documentations(module: Module) -> dict[int, _Documentation]:
    """By the function itself, which they keep: to compare it with those of the same name takes longer."""
    return {}


def _documented(function: Function, errors: tuple[ErrorType, ...], may_move: bool) -> list[str]:
    lines = [_filled(function.doc.strip()) or summary(function)]
    lines += _deprecation(function.deprecated)
    described = [
        (f"{p.gathers}{names.python(p.name)} : {hint(type_of_each(p), Way.ARGUMENT).prose}", p.doc)
        for p in function.parameters
    ]
    if function.member and not function.member.is_static:
        described = described[1:]
    lines += _section("Parameters", described)
    is_constructor = bool(function.constructs) or (function.member is not None and function.member.is_constructor)
    if not is_void(function.returns) and not is_constructor:
        returns = without_optional(function.returns) if is_next(function) else function.returns
        way = Way.FIXED if is_fixed(function) else Way.RESULT
        lines += _section("Returns", [(hint(returns, way).prose, function.return_doc)])
    raised = [
        (
            e.exception,
            e.doc.strip().split("\n\n")[0]
            or f"If the library reports a failing {e.type if e.is_labelled else e.cpp_type}.",
        )
        for e in errors
    ]
    if function.handle or any(handles_in(p.type) for p in function.parameters):
        raised.append(("ClosedHandleError", "If a handle was closed."))
    if may_move:
        raised.append(("BufferError", "If an array uses memory that the call may release."))
    return _wrapped(lines + _section("Raises", raised))


def exception_doc(name: str, module: Module) -> str:
    documented = (e.doc for e in module.errors if e.exception == name and e.doc)
    return next(documented, f"A failure in {module.name}; `code` and `name` are the library's own, or None.")


def attributes_doc(found: Attributed) -> list[str]:
    """The lines of an exception's documentation that list the attributes that its class declares."""
    described = [
        (f"{each.field.name} : {hint(each.in_python, Way.RESULT).prose}", each.field.doc) for each in found.own
    ]
    return _wrapped(_section("Attributes", described))


def case_doc(case: ExceptionCase, found: Attributed) -> list[str]:
    """The lines of the documentation of an exception of some statuses, or of some values of a class of exceptions."""
    reported = f"The library reported {_listed(case.when)}." if case.when else f"A kind of `{case.base}`."
    lines = [_filled(case.doc.strip()) or reported]
    return _wrapped(lines) + attributes_doc(found)


def _listed(when: Sequence[str]) -> str:
    return " or ".join(f"`{each}`" for each in when)


def factory_doc(function: Function, module: Module) -> str:
    """What a class method says that makes a handle as a function does; a static one says all of it."""
    if function.static:
        return "\n".join(function_doc(function, module))
    where = f"{function.module}." if function.module else ""
    return "\n".join(_wrapped([f"{summary(function)} See the function `{where}{names.of_function(function)}`."]))


def struct_doc(struct: StructType, made_of: list[tuple[str, str]]) -> list[str]:
    """The lines of a record's documentation, in NumPy's style; `made_of`: its constructors, where there are several."""
    described = [(f"{f.name} : {hint(f.type, Way.RESULT).prose}", f.doc) for f in struct.fields]
    plain = a(struct.cpp_type.text.strip())
    lines = [_filled(struct.doc.strip()) or f"{plain[:1].upper()}{plain[1:]}, by value."]
    lines += _deprecation(struct.deprecated)
    return _wrapped(lines + _section("Attributes", described) + _section("Constructors", made_of))


def makers(handle: str, own: Members) -> str:
    """How one makes or gets a handle, for the message of who tries to make it directly."""
    made = [f"{handle}.{names.of_function(f)}()" for f in own.makers]
    given = [
        f"{where}.{names.of_function(f)}" if (where := f.handle or f.module) else names.of_function(f)
        for f in own.givers
    ]
    called = [name if f.property else f"{name}()" for name, f in zip(given, own.givers, strict=True)]
    return " or ".join(list(dict.fromkeys(made or called))[:3])


def not_implemented(function: Function, module: Module) -> str:
    """What a call raises where nothing implements the function; empty where something does."""
    if not isinstance(function.implementation, NotImplementedYet):
        return ""
    return f"{function.name} is not implemented: {module.place(function.span)} gives it no cpp or cpp_body"


def unavailable(module: Module) -> str:
    """What everything says in stub mode; the build puts what was missing behind it."""
    return f"{module.package} was built without its library (stub mode): "


def owner_doc(handle: HandleType) -> str:
    """What the property says that is the owner of a lent handle."""
    if handle.lent_by == handle.name:
        return f"The {handle.name} that owns this one, which may be itself."
    return f"The {handle.lent_by} that owns this {handle.name}."


def submodule_doc(submodule: Submodule, module: Module) -> str:
    """What a module below the package says of itself."""
    return f"The module {submodule.name} of {module.package}."


def handle_doc(handle: HandleType) -> str:
    """What a handle class says of itself."""
    lines = [_filled(handle.doc) or f"A handle on {a(handle.cpp_type.text)}."]
    return "\n".join(_wrapped(lines + _deprecation(handle.deprecated)))


def enum_doc(enum: EnumType) -> str:
    """What an enum says of itself."""
    return "\n".join([enum.doc or f"Values of {enum.cpp_type}.", *_deprecation(enum.deprecated)])


def _deprecation(text: str) -> list[str]:
    return ["", _filled(f"Deprecated: {text}")] if text else []
