"""Code around what is bound, where C++ takes a list or a reference in a way that no argument of a spec is passed."""

from __future__ import annotations

from collections.abc import Sequence

from wrapper_gen.bindings.callables import Callable, Form
from wrapper_gen.bindings.classes import Class
from wrapper_gen.bindings.code import Code
from wrapper_gen.bindings.context import Context
from wrapper_gen.bindings.cursors import place, shown
from wrapper_gen.headers.declarations import Kind, Type

PRELUDE = """\
template <class T, std::size_t N>
std::array<T, N> as_array(const std::vector<T> &from) {
    if (from.size() != N) throw std::invalid_argument(std::to_string(N) + " items are needed, not " + std::to_string(from.size()));
    std::array<T, N> out;
    std::copy_n(from.begin(), N, out.begin());
    return out;
}"""  # noqa: E501
INCLUDES = ("algorithm", "array", "stdexcept", "string", "vector")
_RANGES = ("std::list", "std::deque", "std::forward_list")
_PLAIN = (Kind.INTEGER, Kind.FLOAT, Kind.BOOL)


def vector_of(context: Context, type: Type) -> str:
    """The vector that a list of numbers or texts is passed as, where C++ has another sequence of them; else empty."""
    inside = type.target if type.kind in (Kind.REFERENCE, Kind.RVALUE) and type.target is not None else type
    if inside.template not in (*_RANGES, "std::array", "std::valarray") or not inside.arguments:
        return ""
    item = inside.arguments[0]
    is_plain = item.kind in _PLAIN or item.template == "std::basic_string"
    return f"std::vector<{shown(item.canonical)}>" if is_plain else ""


def of_vector(context: Context, type: Type, name: str) -> str:
    """C++'s sequence, made of such a vector."""
    inside = type.target if type.kind in (Kind.REFERENCE, Kind.RVALUE) and type.target is not None else type
    made = shown(inside.canonical.removeprefix("const "))
    if inside.template == "std::array":
        context.has_fixed_arrays = True
        return f"as_array{made.removeprefix('std::array')}({name})"
    if inside.template == "std::valarray":
        return f"{made}({name}.data(), {name}.size())"
    return f"{made}({name}.begin(), {name}.end())"


def adapted(context: Context, what: Callable, code: Code | None, owner: Class | None) -> str:
    """A lambda around what is bound, with parameters that arguments of a spec can be passed as; else empty.

    What C++ takes by reference to write to, it is given a copy of: the binder does so for all types but classes, and
    drops what was written.
    """
    types = [context.type(each) for _, each in what.parameters]
    vectors = [vector_of(context, each) for each in types]
    written = [_is_written(context, each) for each in types]
    if not any(vectors) and not any(written):
        return ""
    if any(written):
        note = f"what {what.name or 'this'} writes to its arguments is lost, as before"
        context.notes.append((place(what.cursor), note))
    names = [name or f"a{at}" for at, (name, _) in enumerate(what.parameters)]
    declared, made, given = [], "", []
    for name, type, vector, is_written in zip(names, types, vectors, written, strict=True):
        of = type.target if is_written and type.target is not None else type
        declared.append(f"const {vector} &{name}" if vector else f"{shown(of.canonical)} {name}")
        if vector:
            made += f"auto made_{name} = {of_vector(context, type, name)}; "
        given.append(f"made_{name}" if vector else name)
    return _lambda(what, code, owner, declared, made, given)


def _lambda(
    what: Callable, code: Code | None, owner: Class | None, declared: Sequence[str], made: str, given: Sequence[str]
) -> str:
    arguments, called = ", ".join(given), what.cpp if code is None else f"({code.text})"
    if what.form is Form.MEMBER and owner is not None:
        declared, called = [f"{owner.cpp} &self", *declared], f"self.{what.name}"
    return f"[]({', '.join(declared)}) {{ {made}return {called}({arguments}); }}"


def _is_written(context: Context, type: Type) -> bool:
    if context.is_array(type):
        return False
    is_reference = type.kind is Kind.REFERENCE and type.target is not None and not type.target.is_const
    return is_reference and not context.spelling.class_of(type)
