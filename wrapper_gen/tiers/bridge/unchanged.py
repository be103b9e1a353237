"""Classes whose objects Python cannot change: of a `T &` of C++ they hold a copy, which then loses nothing.

The spec knows which entries are given such an object, and the compiler whether what they call is const
(`wg/conversion/is_unchanged.hpp`). Of what neither knows, statements and expressions of the spec, functions that may be
overloaded and containers with such objects, nothing is assumed: the class may be changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from wrapper_gen import names
from wrapper_gen.frozen import frozen
from wrapper_gen.model import Accessor, Body, Function, HandleType, Lambda, Mode, Module, Named, NotImplementedYet
from wrapper_gen.model.protocols import Shape
from wrapper_gen.queries import once
from wrapper_gen.resolve.lambdas import read_lambda
from wrapper_gen.tiers.bridge.ways import has_statements, is_deduced
from wrapper_gen.types.memory import has_arrays, is_exchange
from wrapper_gen.types.queries import called_with, given_by_callables, handle_of, handles_in, if_given, is_iterator

_NAME = re.compile(r"[A-Za-z_]\w*")
_DATA_MEMBER = re.compile(r"self(\.[A-Za-z_]\w*)+")
"""C++ that reads a data member of its object, and does nothing else."""


@frozen
class UnchangedView:
    """A class, and the C++ that tells whether what its objects are given to is const."""

    name: str
    proof: str


class _Unknown(Exception):
    """An entry that may change an object, as far as anybody knows."""


@once
def unchanged(module: Module) -> Sequence[UnchangedView]:
    """The classes of which C++ may return or pass a `T &`, and which no entry may change for all that the spec says."""
    asked = {name for each in module.callables for name in _may_be_copied(each)}
    in_other = _in_other(module) if asked else frozenset()
    given = _given(module) if asked else {}
    found = []
    for handle in module.handles:
        if handle.name in asked and handle.name not in in_other and _holds_value(handle, module):
            try:
                proofs = dict.fromkeys(proof for each in given.get(handle.name, ()) for proof in _proofs(each, handle))
            except _Unknown:
                continue
            found.append(UnchangedView(handle.name, "\n    && ".join(proofs) or "true"))
    return found


def _in_other(module: Module) -> frozenset[str]:
    """The classes whose objects other values of C++ have, and those that others extend."""
    fields = (f.type for s in (*module.structs, *module.options) for f in s.fields)
    types = (*fields, *(each.type for each in module.representations))
    return frozenset([*module.extends.values(), *(name for each in types for name in handles_in(each))])


def _given(module: Module) -> Mapping[str, Sequence[Function]]:
    """The entries that may be given an object of each class, in order."""
    found: dict[str, list[Function]] = {}
    for each in module.callables:
        types = [p.type for p in each.parameters]
        types += [inner for p in each.parameters for inner in given_by_callables(p.type)]
        types += [each.returns] * bool(each.virtual)
        for name in dict.fromkeys([*filter(None, [each.handle]), *(name for t in types for name in handles_in(t))]):
            found.setdefault(name, []).append(each)
    return found


def _holds_value(handle: HandleType, module: Module) -> bool:
    """Whether it may hold objects of C++ by value, of which only its own entries have some."""
    is_alone = not handle.extends and not handle.lent_by
    is_other = handle.is_interface or handle.in_place or module.language == "c"
    return is_alone and not is_other and not handle.cpp_type.text.rstrip().endswith("*")


def _may_be_copied(function: Function) -> Iterator[str]:
    """The classes of which it may give Python a copy of what C++ has to be changed."""
    for parameter in function.parameters:
        for each in called_with(parameter.type):
            yield from handles_in(each)
    name = handle_of(function.returns)
    is_made = bool(function.constructs) or function.lifetime.result.is_static or has_statements(function)
    match function.implementation:
        case Named(names_class=False):
            may_be = True
        case Lambda(is_implied=True):
            may_be = function.protocol is not None and function.protocol.shape in (Shape.GET_ITEM, Shape.CALL)
        case Lambda(code=code):
            may_be = "->" in code.text
        case _:
            may_be = False
    if name and may_be and not is_made:
        yield name


def _proofs(function: Function, handle: HandleType) -> Iterator[str]:
    """The C++ that tells whether an entry leaves an object of the class alone that it is given, if it is given one.

    Raises:
        _Unknown: where it does not, or only its author can tell.
    """
    name = handle.name
    given = [p for p in function.parameters if name in handles_in(p.type)]
    if any(name in handles_in(each) for p in function.parameters for each in given_by_callables(p.type)):
        raise _Unknown  # C++ is given what Python returns
    if function.virtual and name in handles_in(function.returns):
        raise _Unknown
    is_own = function.handle == name and not function.virtual
    if is_own and (function.sets or function.lifetime.takes_own or _reaches_inside(function)):
        raise _Unknown
    if not (is_own or given) or isinstance(function.implementation, NotImplementedYet):
        return
    is_plain = all(handle_of(if_given(p.type)) == name and p.mode is Mode.BORROW and not p.is_inout for p in given)
    if not is_plain or function.cases or (function.then and not function.constructs):
        raise _Unknown
    match function.implementation:
        case Lambda(is_implied=True):
            if function.protocol is None or function.protocol.shape is not Shape.COPY:
                raise _Unknown
        case Lambda(code=code, takes_handle=takes_handle):
            places = [0] * (is_own and takes_handle)
            places += [at + takes_handle for at, p in enumerate(function.parameters) if p in given]
            found = read_lambda(code.text)
            if not all(_is_const(found.tokens(at)) for at in places):
                raise _Unknown
        case Body(code=code, is_expression=True) if _DATA_MEMBER.fullmatch(code.text.strip()) and not given:
            pass
        case Named(accessor=Accessor() as accessor) if is_own:
            yield from _reads_property(accessor, names.inner(name))
        case Named(is_member=True, accessor=None) as member:
            yield _reads(function, member, bool(given), names.inner(name))
        case _:
            raise _Unknown


def _reaches_inside(function: Function) -> bool:
    """Whether Python may change by a result what the object has: an object of its own, memory, or what it goes over."""
    kept = function.lifetime.result
    is_lent = "h" in (*kept.keeps, *kept.only_holds, *kept.lenders) and not kept.keeps_implicitly
    gives = has_arrays(function.returns) or is_exchange(function.returns) or is_iterator(function.returns)
    return is_lent or gives or function.each is not None


def _reads(function: Function, member: Named, is_given: bool, own: str) -> str:
    """The C++ that tells whether a member of a class leaves its object alone, and those of `own` that it is given."""
    text = member.name.text.strip()
    if not function.handle or not _NAME.fullmatch(text):
        raise _Unknown
    owner = names.inner(function.handle)
    if not is_given and not function.parameters and member.arguments is None and not is_deduced(function):
        return f"WG_READS_PLAINLY({owner}, {text})"
    return f"WG_READS({owner}, {own}, {text})"


def _reads_property(accessor: Accessor, own: str) -> Iterator[str]:
    """The C++ that tells whether whatever may read a property leaves its object alone."""
    called = (*accessor.methods, *accessor.verbs)
    if accessor.sets or not all(_NAME.fullmatch(each) for each in (*called, *accessor.members)):
        raise _Unknown
    yield from (f"WG_READS_PROPERTY({own}, {each})" for each in called)
    yield from (f"WG_NO_FUNCTION({own}, {each})" for each in accessor.functions)


def _is_const(tokens: Sequence[str]) -> bool:
    """Whether a lambda cannot change what this parameter of it is given: a value, or a reference to const."""
    declared = list(tokens[: tokens.index("=")] if "=" in tokens else tokens)
    marks = [each for each in declared if set(each) & set("&*<>.")]
    return not marks or (marks == ["&"] and "const" in declared[: declared.index("&")])
