"""Questions about a module that several tiers ask; what they get is data, and no text of any target language."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import TypeVar

from wrapper_gen import names
from wrapper_gen.attributes import attributed
from wrapper_gen.frozen import frozen, remembered
from wrapper_gen.model import (
    NO_DEFAULT,
    Allocated,
    Argument,
    Body,
    Buffer,
    Callback,
    EnumType,
    ErrorType,
    Function,
    Lasting,
    Module,
    Named,
    NotImplementedYet,
    Options,
    Place,
    Streaming,
)
from wrapper_gen.types.families import family
from wrapper_gen.types.model import Tuple, Type
from wrapper_gen.types.queries import (
    called_with,
    enums_in,
    goes_by_address,
    handle_of,
    handles_in,
    has_objects,
    is_bytes,
    is_changeable,
    is_compound,
    is_gathered,
    is_optional,
    is_text,
    is_void,
    walk,
)
from wrapper_gen.types.tuples import named_tuple, written_items

_Answer = TypeVar("_Answer")


def once(query: Callable[[Module], _Answer]) -> Callable[[Module], _Answer]:
    """Remember the last answer: views ask again for each function, which must not look at all others.

    It is the module itself that is looked for, not an equal one: to compare two of them is to look at everything.
    """
    last: tuple[Module, _Answer] | None = None

    @wraps(query)
    def answer(module: Module) -> _Answer:
        nonlocal last
        known = last  # in one step: another thread may remember another answer meanwhile
        if known is None or known[0] is not module:
            known = last = (module, query(module))
        return known[1]

    return answer


@frozen
class Members:
    """What a handle class has of its own, and the functions that make one, less those that another member hides."""

    methods: list[Function]
    makers: list[Function]
    constructors: list[Function]
    statics: list[Function]
    givers: list[Function]
    """Other functions and methods whose results have one."""


@once
def members(module: Module) -> dict[str, Members]:
    """The members of each handle class."""
    found = {h.name: Members([], [], [], [], []) for h in module.handles}
    for constructor in module.constructors:
        found[constructor.constructs].constructors.append(constructor)
    for method in module.methods:
        found[method.handle or ""].methods.append(method)
    modules = {h.name: h.module for h in module.handles}
    for function in module.functions:
        made = handle_of(function.returns)
        if made in modules and modules[made] == function.module:
            found[made].makers.append(function)
    for function in (*module.functions, *module.methods):
        for made in handles_in(function.returns) & found.keys():
            if made != function.handle and not function.protocol and function not in found[made].makers:
                found[made].givers.append(function)
    owner_names = {h.name: h.owner for h in module.handles}
    static = dict[str, list[Function]]()
    for function in module.statics:
        static.setdefault(function.static, []).append(function)
    for handle, each in found.items():
        statics = static.get(handle, [])
        own = {names.of_function(m) for m in (*each.methods, *statics)}
        hidden = names.HANDLE_MEMBERS | own | {owner_names.get(handle, "")}
        each.makers[:] = [f for f in each.makers if names.of_function(f) not in hidden]
        each.makers.extend(filter(makes_own, statics))
        each.statics.extend(f for f in statics if not makes_own(f))
    return found


@once
def _methods_by_class(module: Module) -> dict[str | None, list[Function]]:
    found = dict[str | None, list[Function]]()
    for method in module.methods:
        found.setdefault(method.handle, []).append(method)
    return found


def methods_of(handle: str, module: Module) -> Sequence[Function]:
    """The methods of a handle class; none of one of another package."""
    return _methods_by_class(module).get(handle, ())


def makes_own(function: Function) -> bool:
    """Whether a static method makes an object of its class: Python has it as a class method."""
    return bool(function.static) and handle_of(function.returns) == function.static


def class_of(function: Function) -> str:
    """The class that Python has a function in; empty where a module has it."""
    own = function.handle or function.static or function.constructs
    return own or (function.member.record if function.member else "")


# --- types -----------------------------------------------------------------------------------------------------------


@once
def named_tuples(module: Module) -> Sequence[Tuple]:
    """The results whose items have names."""
    found = (named_tuple(f.returns) for f in module.callables)
    return [each for each in found if each]


@once
def _types_of_calls(module: Module) -> tuple[Type, ...]:
    """The types of parameters and results, each once, in order."""
    return tuple(dict.fromkeys(t for f in module.callables for t in (*(p.type for p in f.parameters), f.returns)))


@once
def compound_types(module: Module) -> Sequence[Type]:
    """The types that cross the C ABI encoded: of parameters and results, and of the attributes of exceptions."""
    crossing = [*_types_of_calls(module), *(each.type for each in attributed(module))]
    return tuple({str(each): each for each in crossing if is_compound(each)}.values())


@remembered
def positional(function: Function) -> int:
    """How many parameters can be given without their name: all but the last ones."""
    return sum(not p.is_keyword for p in function.parameters)


def leading(function: Function) -> int:
    """How many parameters stand before the first one that a call may leave out."""
    defaults = (i for i, p in enumerate(function.parameters) if p.default is not NO_DEFAULT)
    return next(defaults, len(function.parameters))


@remembered
def positional_only(function: Function) -> int:
    """How many parameters can only be given without their name: the first ones."""
    return sum(p.is_positional for p in function.parameters)


def options_of(function: Function) -> Options | None:
    """The struct that its call takes, whose fields are keyword arguments."""
    return function.implementation.options if isinstance(function.implementation, Named) else None


def takes_struct(function: Function) -> bool:
    """Whether C may want the address of a struct that a call by name is given."""
    by_name = isinstance(function.implementation, Named)
    return by_name and (options_of(function) is not None or any(goes_by_address(p.type) for p in function.parameters))


def makes_values(module: Module) -> bool:
    """Whether some of what crosses may be what C++ has for values of Python's."""
    return any(each.can_be_made for each in module.representations)


def takes_gathered(function: Function) -> bool:
    """Whether C may want the elements of a list that a call by name is given."""
    return isinstance(function.implementation, Named) and any(is_gathered(p.type) for p in function.parameters)


def declared(function: Function) -> list[str]:
    """The parameters as the spec declares them, and as C takes them: options in one."""
    options = options_of(function)
    found = [p.name for p in function.parameters if not p.is_option]
    return [*found[: options.place], options.name, *found[options.place :]] if options else found


@once
def callbacks(module: Module) -> tuple[Callback, ...]:
    """The callables among parameters, then the methods that override virtual functions."""
    of_parameters = [each for f in module.callables for p in f.parameters for each in p.callbacks]
    of_fields = [f.callback for s in module.structs for f in s.fields if f.callback]
    of_methods = [f.virtual.callback for f in module.methods if f.virtual]
    return tuple(dict.fromkeys([*of_parameters, *of_fields, *of_methods]))


@once
def keeps_objects(module: Module) -> bool:
    """Whether C++ has objects of Python of which nothing is known."""
    return any(map(has_objects, _crossing_types(module)))


def keeps_callables(function: Function) -> bool:
    """Whether C++ may call what it is passed when the call is over."""
    return any(each.scope is not Lasting.CALL for p in function.parameters for each in p.callbacks)


@once
def _crossing_types(module: Module) -> Sequence[Type]:
    """The types of parameters, results and fields, and of what callables are called with."""
    structs = (*module.structs, *(s for each in module.uses for s in each.structs))
    of_records = (f.type for s in structs for f in s.fields)
    of_recursive = (each.of for each in module.representations if each.is_recursive)
    of_callables = (each for callback in callbacks(module) for each in (callback.type, *called_with(callback.type)))
    of_exceptions = (each.type for each in attributed(module))
    return tuple(dict.fromkeys([*_types_of_calls(module), *of_callables, *of_records, *of_recursive, *of_exceptions]))


@once
def families(module: Module) -> tuple[str, ...]:
    """The families of types whose headers the module needs beside those that every module does, in order."""
    found = {family(each) for type_ in _crossing_types(module) for each in walk(type_)}
    found |= {"callable_fields"} if any(f.callback for s in module.structs for f in s.fields) else set()
    return tuple(sorted(each for each in found if each))


def crossing_enums(module: Module) -> list[str]:
    """The enums of parameters, results and fields, in the spec's order."""
    used = frozenset[str]().union(*map(enums_in, _crossing_types(module)))
    return [e.name for e in (*module.enums, *(e for each in module.uses for e in each.enums)) if e.name in used]


# --- errors and enums ------------------------------------------------------------------------------------------------


@once
def exception_names(module: Module) -> tuple[str, ...]:
    """The Python exceptions that the spec declares, in order: the index of each is what crosses the C ABI."""
    found: list[str] = []
    for error in module.errors:
        found += (error.exception, *(case.name for case in error.cases))
    if any(map(error_text, module.calls)):
        found.append(names.library_error(module.name))
    return tuple(dict.fromkeys(found))


def error_text(function: Function) -> Argument | None:
    """The argument in which a call writes why it failed."""
    match function.implementation:
        case Named(arguments=tuple() as arguments):
            return next((each for each in arguments if each.place is Place.ERROR), None)
        case _:
            return None


def fills_room(function: Function) -> bool:
    """Whether a call fills room that the engine has for it, and that becomes bytes."""
    found = function.implementation
    if not isinstance(found, Named):
        return False
    return found.streaming is not None or (isinstance(found.buffer, Buffer) and is_bytes(function.returns))


def streaming_of(function: Function) -> Streaming | None:
    """The stream that it is a call of."""
    return function.implementation.streaming if isinstance(function.implementation, Named) else None


def error_of(function: Function, module: Module) -> ErrorType | None:
    """The error whose status a function returns, where the spec says it."""
    return next((e for e in module.errors if e.ok and e.type == function.raises), None)


def inherited_error(function: Function, module: Module) -> ErrorType | None:
    """The error that its class or the library names: what it returns is a status of that, if it has its C++ type."""
    wanted = function.reported.inherited
    return next((e for e in module.errors if e.ok and e.type == wanted), None)


def documented_errors(function: Function, module: Module) -> tuple[ErrorType, ...]:
    """The errors of statuses that a call raises: what its entry names, else its class or the library.

    What these name is tested by the C++ type of what the call returns. That is no status, for all that the spec tells,
    where it is the result, unless a null pointer is an error, or some statuses mean None.
    """
    named = tuple(e for e in module.errors if e.type == function.raises)
    inherited = inherited_error(function, module)
    if named or inherited is None or isinstance(function.implementation, Body | NotImplementedYet):
        return named
    tells_none = bool(inherited.none) and is_optional(function.returns)
    tells_null = inherited.on_null is not None and (
        handle_of(function.returns) is not None or is_text(function.returns)
    )
    if _returns_no_result(function) or tells_none or tells_null:
        return (inherited,)
    return ()


def _returns_no_result(function: Function) -> bool:
    """Whether a call has no result, or writes it, as far as the spec tells."""
    of = function.implementation
    written = (Place.OUT, Place.INOUT, Place.FILLED)
    if isinstance(of, Named) and of.accessor is None:
        if isinstance(of.buffer, Allocated | Buffer) or any(each.place in written for each in of.arguments or ()):
            return True
        if handle_of(function.returns) and not function.handle and not of.names_class and of.arguments is None:
            return True  # what opens an object mostly writes it
    return is_void(function.returns) or len(written_items(function.returns)) > 1


def possible_errors(function: Function, module: Module) -> tuple[ErrorType, ...]:
    """The errors whose status a function may return, where only C++ knows: the inherited one first."""
    if not function.reported.is_untold or function.raises:
        return ()
    inherited = inherited_error(function, module)
    return (*([inherited] if inherited else []), *(e for e in module.errors if e.ok and e is not inherited))


def is_fixed(function: Function) -> bool:
    """Whether Python cannot change what it returns: a list of a property is a copy, in which changes would be lost."""
    is_property = function.property or (function.member is not None and function.member.is_property)
    return is_property and is_changeable(function.returns)


def caught(module: Module) -> list[ErrorType]:
    """The exception classes of the library; the other error types are statuses."""
    return [error for error in module.errors if not error.ok]


def derives(module: Module) -> str:
    """The array with what of the declared exception classes derives from what; empty where there are no two."""
    return names.support(module.name, "derives") if len(caught(module)) > 1 else ""


def enum_array(enum: EnumType, module: Module) -> str:
    """The array with the values of an enum."""
    return names.support(module.name, enum.name)
