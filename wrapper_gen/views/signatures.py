"""The signatures of functions in Python, as the cffi engine defines them and the type stub declares them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wrapper_gen import names
from wrapper_gen.model import Function, Parameter
from wrapper_gen.model.protocols import Shape
from wrapper_gen.queries import is_fixed, makes_own, positional, positional_only
from wrapper_gen.quoting import python_string
from wrapper_gen.types.hints import Hint, Import, Way, hint
from wrapper_gen.types.model import Type
from wrapper_gen.types.queries import gathered_in, is_bool, without_optional
from wrapper_gen.views.formatting import exploded
from wrapper_gen.views.literals import default_of
from wrapper_gen.views.protocols import (
    has_key,
    is_buffer,
    is_next,
    is_positional,
    is_unknown_to_mypy,
    keys,
    may_refuse_operand,
    returns_itself,
    takes_anything,
)


def signature(function: Function, *, end: str = ":", name: str = "", left_out: str = "...") -> str:
    """`def name(…) -> result` and its end; `left_out` is the default of what only C++ has a default of."""
    return exploded(*parts_of_signature(function, end=end, name=name, left_out=left_out))


def parts_of_signature(
    function: Function, *, end: str = ":", name: str = "", left_out: str = "..."
) -> tuple[str, list[str], str]:
    """The same as what stands before the parameters, those, and what stands after them."""
    if function.protocol or function.constructs:
        return _special_signature(function, end, left_out)
    declared = ["self"] * bool(function.handle) + declarations(function, left_out)
    if function.member and not function.member.is_static and "/" not in declared:
        declared.insert(1, "/")  # what the method is called on has no keyword
    result = "_Any" if may_refuse_operand(function) else returned(function).code
    return f"def {name or names.of_function(function)}", declared, f" -> {result}{end}"


def engine_name(function: Function) -> str:
    """What the cffi engine defines a function as: forms of one, and what classes get of it, have names of their own."""
    if function.member:
        return function.member.code
    has_own_name = function.is_form or makes_own(function)
    return names.python_form(function.base) if has_own_name else defined_name(function)


def defined_name(function: Function) -> str:
    """The name there of all its forms together."""
    name = names.of_function(function)
    return names.python_in_submodule(function.module, name) if function.module else name


def _special_signature(function: Function, end: str, left_out: str) -> tuple[str, list[str], str]:
    """The same of a constructor, and of a method of a protocol, as Python's type checkers know those."""
    in_engine = left_out != "..."
    name = "__init__" if function.constructs else function.name
    result = _special_result(function)
    if in_engine and function.is_form:
        name = names.python_form(function.base)
        result = "_Any" if may_refuse_operand(function) else result
    if in_engine and takes_anything(function) and not is_bool(function.returns):
        result = "_Any"  # `object` has a bool there, which the type stub says to ignore
    if in_engine and is_unknown_to_mypy(function):
        result = "_Any"
    declared = ["self", *_declared_special(function, left_out, in_engine=in_engine)]
    declared += ["/"] * is_positional(function)
    return f"def {name}", declared, f" -> {result}{end}"


def unread(function: Function) -> str:
    """The getter of a property that is only set: it raises."""
    return f"def {names.of_function(function)}(self) -> _Never:"


def factory_signature(function: Function, *, end: str = ":", name: str = "", left_out: str = "...") -> str:
    """The same of a function as a class method of the handle type that it makes."""
    return exploded(*parts_of_factory(function, end=end, name=name, left_out=left_out))


def parts_of_factory(
    function: Function, *, end: str = ":", name: str = "", left_out: str = "..."
) -> tuple[str, list[str], str]:
    """The same in parts."""
    declared = ["cls", *declarations(function, left_out)]
    return f"def {name or names.of_function(function)}", declared, f" -> _Self{end}"


def _special_result(function: Function) -> str:
    """What a constructor, or a method of a protocol, returns."""
    if function.constructs:
        return "None"
    if is_buffer(function):
        return "memoryview"
    if is_next(function):
        return hint(without_optional(function.returns), Way.RESULT).code
    return "_Self" if returns_itself(function) else returned(function).code


def _declared_special(function: Function, left_out: str, *, in_engine: bool) -> list[str]:
    """Their parameters after the object."""
    shape = function.protocol.shape if function.protocol else None
    if shape is Shape.EXIT:
        return ["*_exc: object" if in_engine else "*exc: object"]
    if shape is Shape.COPY and function.name == "__deepcopy__":
        return ["_memo: object" if in_engine else "memo: object"]
    if is_buffer(function):
        return ["_flags: int" if in_engine else "flags: int"]
    if takes_anything(function):
        return [f"{names.python(function.parameters[0].name)}: {'_Any' if in_engine else 'object'}"]
    if has_key(function) and len(keys(function)) > 1:
        types = ", ".join(hint(p.type, Way.ARGUMENT).code for p in keys(function))
        key = f"{'_key' if in_engine else 'key'}: tuple[{types}]"
        return [key, *(declaration(p, left_out) for p in function.parameters[len(keys(function)) :])]
    return declarations(function, left_out)


def declarations(function: Function, left_out: str) -> list[str]:
    """The parameters, and the marks of those that are given by name only, or without one."""
    way = _way(function)
    return with_mark(function, [declaration(p, left_out, way) for p in function.parameters])


def _way(function: Function) -> Way:
    """How its parameters are declared: those of a method that Python overrides as C++ gives them."""
    return Way.LENT if function.virtual else Way.ARGUMENT


def with_mark(function: Function, shown: Sequence[str]) -> list[str]:
    """What stands for each parameter, with the marks of those that are given by name only, or without one."""
    count, unnamed = positional(function), positional_only(function)
    if count == len(shown) and not unnamed:
        return list(shown)
    before = [*shown[:unnamed], *["/"] * bool(unnamed), *shown[unnamed:count]]
    is_marked = function.parameters[count:] and not function.parameters[count].gathers
    return [*before, *["*"] * bool(is_marked), *shown[count:]]


def declaration(p: Parameter, left_out: str = "...", way: Way = Way.ARGUMENT) -> str:
    """One parameter."""
    return f"{p.gathers}{names.python(p.name)}: {hint(type_of_each(p), way).code}{default_of(p.default, left_out)}"


def type_of_each(p: Parameter) -> Type:
    """The type of an argument: of those that a parameter gathers, each has it."""
    return gathered_in(p.type) if p.gathers else p.type


def returned(function: Function) -> Hint:
    """The hint of the result."""
    return hint(function.returns, Way.FIXED if is_fixed(function) else Way.RESULT)


def imports(functions: Iterable[Function]) -> set[Import]:
    """What the hints of these functions need."""
    found = set[Import]()
    for f in functions:
        way = _way(f)
        for each in (returned(f), *[hint(type_of_each(p), way) for p in f.parameters]):
            if each.imports:
                found |= each.imports
    return found


def renamed(function: Function) -> str:
    """Former names of parameters, as keyword arguments with the present ones; empty when there are none."""
    former = names.former_parameters(function)
    return ", ".join(f"{old}={python_string(now)}" for now, old in former.items()) if former else ""
