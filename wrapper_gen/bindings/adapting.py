"""Code around what is bound, where C++ takes a list or a reference in a way that no argument of a spec is passed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wrapper_gen.bindings.callables import BoundCallable, CallableForm
from wrapper_gen.bindings.classes import Class, Held
from wrapper_gen.bindings.code import CarriedCode
from wrapper_gen.bindings.context import BindingContext
from wrapper_gen.bindings.cursors import place, shown
from wrapper_gen.bindings.outcomes import Left
from wrapper_gen.headers.declarations import CKind, Type

PRELUDE = """\
template <class T, std::size_t N>
std::array<T, N> as_array(const std::vector<T> &from) {
    if (from.size() != N) throw std::invalid_argument(std::to_string(N) + " items are needed");
    std::array<T, N> out;
    std::copy_n(from.begin(), N, out.begin());
    return out;
}"""
INCLUDES = ("algorithm", "array", "stdexcept", "string", "vector")
_RANGES = ("std::list", "std::deque", "std::forward_list")
_OF_OBJECTS = ("std::vector", "std::list", "std::deque")
_BEHIND = ("std::shared_ptr", "std::unique_ptr", "std::function", "std::reference_wrapper")
_PLAIN = (CKind.INTEGER, CKind.FLOAT, CKind.BOOL)
_REFERENCES = (CKind.REFERENCE, CKind.RVALUE)


def within(type: Type) -> Type:
    """What a reference is to; another type itself."""
    return type.target if type.kind in _REFERENCES and type.target is not None else type


def passed_as(context: BindingContext, type: Type) -> str:
    """The C++ type that an argument is passed as where C++ has another one that is made of it; else empty.

    Raises:
        Left: nothing is passed that could be made the type that C++ has.
    """
    inside = within(type)
    if inside.template in (*_RANGES, "std::array", "std::valarray") and inside.arguments:
        item = inside.arguments[0]
        if item.kind in _PLAIN or item.template == "std::basic_string":
            return f"const std::vector<{shown(item.canonical)}> &"
    if inside.template in (*_OF_OBJECTS, "std::optional") and (of := by_address(context, inside.arguments[0])):
        if inside.template == "std::optional":
            return f"const {of.cpp} *" if of.held is Held.POINTER else f"const std::shared_ptr<{of.cpp}> &"
        return f"const std::vector<{_kept(of)}> &"
    if type.kind is CKind.RVALUE and by_address(context, inside):
        raise Left("an object that C++ moves from: Python still has it")
    for each in _arguments(inside):
        if by_address(context, each):
            raise Left(f"objects by value within a {inside.template}, while Python has them by address")
    return ""


def by_address(context: BindingContext, type: Type) -> Class | None:
    """The class of an object by value that Python has by its address; else None."""
    of = context.classes.get(type.name)
    return of if of is not None and of.held is not Held.VALUE else None


def _kept(of: Class) -> str:
    return f"{of.cpp} *" if of.held is Held.POINTER else f"std::shared_ptr<{of.cpp}>"


def _arguments(type: Type) -> Iterator[Type]:
    """The types within another one, save for those behind smart pointers and callables."""
    for each in type.arguments if type.template not in _BEHIND else ():
        yield each
        yield from _arguments(each)


def made_of_passed(context: BindingContext, type: Type, name: str) -> str:
    """What C++ takes, made of what is passed."""
    inside = within(type)
    made = shown(inside.canonical.removeprefix("const "))
    if by_address(context, inside.arguments[0]) is not None:
        if inside.template == "std::optional":
            return f"{name} ? {made}(*{name}) : {made}()"
        return f"[&] {{ {made} out; for (const auto &each : {name}) out.push_back(*each); return out; }}()"
    if inside.template == "std::array":
        context.has_fixed_arrays = True
        return f"as_array{made.removeprefix('std::array')}({name})"
    if inside.template == "std::valarray":
        return f"{made}({name}.data(), {name}.size())"
    return f"{made}({name}.begin(), {name}.end())"


def adapted(context: BindingContext, what: BoundCallable, code: CarriedCode | None, owner: Class | None) -> str:
    """A lambda around what is bound, with parameters that arguments of a spec can be passed as; else empty.

    What C++ takes by reference to write to, it is given a copy of: the binder does so for all types but classes, and
    drops what was written.
    """
    types = [context.type(each) for _, each in what.parameters]
    passed = [passed_as(context, each) for each in types]
    written = [_is_written(context, each) for each in types]
    if not any(passed) and not any(written):
        return ""
    if any(written):
        note = f"what {what.name or 'this'} writes to its arguments is lost, as before"
        context.notes.append((place(what.cursor), note))
    names = [name or f"a{at}" for at, (name, _) in enumerate(what.parameters)]
    declared, made, given = [], "", []
    for name, type, other, is_written in zip(names, types, passed, written, strict=True):
        of = type.target if is_written and type.target is not None else type
        declared.append(f"{other or shown(of.canonical)} {name}".replace("& ", "&").replace("* ", "*"))
        if other:
            made += f"\n    auto made_{name} = {made_of_passed(context, type, name)};"
        given.append(f"made_{name}" if other else name)
    return _lambda(what, code, owner, declared, made, given)


def _lambda(
    what: BoundCallable,
    code: CarriedCode | None,
    owner: Class | None,
    declared: Sequence[str],
    made: str,
    given: Sequence[str],
) -> str:
    arguments, called = ", ".join(given), what.cpp if code is None else f"({code.text})"
    if what.form is CallableForm.MEMBER and owner is not None:
        declared, called = [f"{owner.cpp} &self", *declared], f"self.{what.name}"
    space, end = ("\n    ", "\n") if made else (" ", " ")
    return f"[]({', '.join(declared)}) {{{made}{space}return {called}({arguments});{end}}}"


def _is_written(context: BindingContext, type: Type) -> bool:
    if context.is_array(type):
        return False
    is_reference = type.kind is CKind.REFERENCE and type.target is not None and not type.target.is_const
    return is_reference and not context.spelling.class_of(type)
