"""Questions about types. Each `match` is exhaustive: mypy names what the next type has to answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import assert_never

from wrapper_gen.frozen import remembered
from wrapper_gen.types.model import (
    AnyObject,
    ArrayOf,
    Bytes,
    Complex,
    DateTime,
    DeviceStream,
    Duration,
    EnumRef,
    Exchange,
    Fn,
    Handle,
    Index,
    Iter,
    Kind,
    List,
    Map,
    Optional,
    Path,
    Recursive,
    Scalar,
    Set,
    Slice,
    SpanOf,
    Struct,
    Text,
    Tuple,
    TupleOf,
    Type,
    Union,
    Void,
)


def parts(type_: Type) -> tuple[Type, ...]:
    """The types that this one is made of."""
    match type_:
        case (
            Void()
            | Scalar()
            | Complex()
            | Text()
            | Bytes()
            | Duration()
            | DateTime()
            | Path()
            | AnyObject()
            | DeviceStream()
        ):
            return ()
        case Struct(handles=handles):
            return handles
        case Slice() | Index() | Handle() | EnumRef() | Fn():
            return ()
        case Recursive() | Exchange():
            return ()
        case List(element) | Set(element) | TupleOf(element) | Iter(element) | SpanOf(element, _) | ArrayOf(element):
            return (element,)
        case Optional(of):
            return (of,)
        case Map(key, value):
            return (key, value)
        case Tuple(items=items):
            return items
        case Union(alternatives):
            return alternatives
        case _:
            assert_never(type_)


def walk(type_: Type) -> Iterator[Type]:
    """The type and all that it is made of, outer types first."""
    yield type_
    for part in parts(type_):
        yield from walk(part)


def is_type(value: object) -> bool:
    """Whether it is a type of the spec language at all."""
    return isinstance(value, Type)


def has_alternatives(type_: Type) -> bool:
    """Whether a value is of one of several types."""
    return isinstance(type_, Union)


def alternatives_of(type_: Type) -> tuple[Type | None, ...]:
    """The types that a value is one of; None where it may be missing, unless C++ then has a value of its own."""
    if isinstance(type_, Optional) and not type_.is_default:
        return (*alternatives_of(type_.of), None)
    return type_.alternatives if isinstance(type_, Union) else (type_,)


def is_void(type_: Type) -> bool:
    """Whether there is no value at all."""
    return isinstance(type_, Void)


def is_bool(type_: Type) -> bool:
    """Whether it is a truth value."""
    return type_ is Scalar.BOOL


def is_integer(type_: Type) -> bool:
    """Whether it is a whole number."""
    return isinstance(type_, Scalar) and type_.kind in (Kind.SIGNED, Kind.UNSIGNED)


def bits_of(type_: Type) -> int:
    """How many bits a number has; 0 of all else, truth values too."""
    return type_.bits if isinstance(type_, Scalar) and type_.kind is not Kind.BOOL else 0


def is_signed(type_: Type) -> bool:
    """Whether it is a whole number that may be negative."""
    return isinstance(type_, Scalar) and type_.kind is Kind.SIGNED


def is_position(type_: Type) -> bool:
    """Whether it is the whole number that says where an item is."""
    return type_ is Scalar.I64


def are_integers(type_: Type, count: int) -> bool:
    """Whether it is a tuple of so many whole numbers."""
    return isinstance(type_, Tuple) and len(type_.items) == count and all(map(is_integer, type_.items))


def is_number(type_: Type) -> bool:
    """Whether it is a number, a truth value or a value of an enum."""
    return isinstance(type_, Scalar | EnumRef)


def is_row_of_numbers(type_: Type) -> bool:
    """Whether it is a list of numbers, or the caller's memory: C takes the address of either."""
    return isinstance(type_, SpanOf) or (isinstance(type_, List) and isinstance(type_.element, Scalar))


def is_list_of_numbers(type_: Type) -> bool:
    """Whether it is a list of numbers, also complex ones, which C fills in a row."""
    return isinstance(type_, List) and isinstance(type_.element, Scalar | Complex) and not is_bool(type_.element)


def is_copied(type_: Type) -> bool:
    """Whether a call gets a value of its own: what it changes there, the caller does not see."""
    match type_:
        case Handle() | SpanOf() | ArrayOf() | Exchange() | Fn():
            return False
        case Optional(of):
            return is_copied(of)
        case AnyObject() | DeviceStream():
            return False
        case Void() | Scalar() | Complex() | Text() | Bytes() | Duration() | DateTime() | Path() | Slice() | Index():
            return True
        case EnumRef() | Struct():
            return True
        case List() | Map() | Set() | Iter() | Tuple() | TupleOf() | Union() | Recursive():
            return True
        case _:
            assert_never(type_)


def is_text(type_: Type) -> bool:
    """Whether it is text, and nothing around it."""
    return isinstance(type_, Text)


def can_be_path(type_: Type) -> bool:
    """Whether it may be the path of a file, as Python has them."""
    return isinstance(type_, Text | Bytes | Path)


def is_path(type_: Type) -> bool:
    return isinstance(type_, Path)


def is_bytes(type_: Type) -> bool:
    """Whether C++ may want an address and a length instead of one value."""
    return isinstance(type_, Bytes)


def has_length(type_: Type) -> bool:
    """Whether values of this type lie in a row, with an address and a length."""
    match type_:
        case Text() | Bytes() | SpanOf():
            return True
        case List(element):
            return isinstance(element, Scalar | Text | Handle) and element is not Scalar.BOOL
        case Void() | Scalar() | Complex() | Duration() | DateTime() | Path() | AnyObject() | DeviceStream():
            return False
        case Slice() | Index() | Handle() | EnumRef():
            return False
        case Struct() | Fn():
            return False
        case Optional() | Map() | Set() | Iter() | Tuple() | TupleOf() | Union():
            return False
        case ArrayOf() | Exchange() | Recursive():
            return False
        case _:
            assert_never(type_)


def is_gathered(type_: Type) -> bool:
    """Whether C wants its elements, or their addresses, one after the other: these lie elsewhere."""
    return isinstance(type_, List) and isinstance(type_.element, Text | Handle)


def can_be_null(type_: Type) -> bool:
    """Whether C has a null pointer where there is no value: text and bytes that may be missing."""
    return isinstance(type_, Optional) and isinstance(type_.of, Text | Bytes)


def can_be_changed(type_: Type) -> bool:
    """Whether C can change a value where it lies: a call is given its address, and leaves another value there."""
    match type_:
        case Scalar() | Complex() | EnumRef():
            return True
        case Struct():
            return not (type_.is_calling or type_.handles)
        case Text() | Bytes():
            return True
        case List():
            return not (handles_in(type_) or has_callables(type_))
        case (
            Void()
            | Duration()
            | DateTime()
            | Path()
            | AnyObject()
            | DeviceStream()
            | Slice()
            | Index()
            | Handle()
            | Fn()
        ):
            return False
        case SpanOf() | ArrayOf() | Exchange() | Optional():
            return False
        case Map() | Set() | Iter() | Tuple() | TupleOf() | Union() | Recursive():
            return False
        case _:
            assert_never(type_)


def has_pieces(type_: Type) -> bool:
    """Whether it is a list of what lies in memory of its own, and C may want all of it in one."""
    return isinstance(type_, List) and isinstance(type_.element, Text | Bytes)


def or_default(type_: Type) -> Type:
    """The type of a parameter that may be left out, where only C++ knows what there is then."""
    return Optional(type_, is_default=True)


def without_optional(type_: Type) -> Type:
    """The type of a value that may be missing where it is there."""
    return type_.of if isinstance(type_, Optional) else type_


def or_none(type_: Type) -> Type:
    """The type of a value that may be missing."""
    return Optional(type_)


def without_default(type_: Type) -> Type:
    """The type of such a parameter where it is given."""
    return type_.of if isinstance(type_, Optional) and type_.is_default else type_


def if_given(type_: Type) -> Type:
    """The type of the value where there is one."""
    return type_.of if isinstance(type_, Optional) else type_


def goes_by_address(type_: Type) -> bool:
    """Whether C may have a pointer to it: a struct, or one that may be missing."""
    return isinstance(if_given(type_), Struct)


def can_have_length(type_: Type) -> bool:
    """Whether a member of a struct may say how many elements a field has."""
    return isinstance(if_given(type_), Text | Bytes | List)


def has_parts_in_c(type_: Type) -> bool:
    """Whether C may have a pointer or an array for a field of this type."""
    match type_:
        case Text() | Bytes() | List() | Optional() | Struct() | Fn():
            return True
        case Void() | Scalar() | Complex() | Duration() | DateTime() | Path() | AnyObject() | DeviceStream():
            return False
        case Slice() | Index() | Handle() | EnumRef():
            return False
        case SpanOf() | ArrayOf() | Exchange() | Map() | Set() | Iter() | Tuple() | TupleOf() | Union() | Recursive():
            return False
        case _:
            assert_never(type_)


def struct_of(type_: Type) -> str | None:
    """The struct of a value that is one, and nothing around it."""
    return type_.name if isinstance(type_, Struct) else None


def enum_of(type_: Type) -> str | None:
    """The enum of a value that is of one, and nothing around it."""
    return type_.name if isinstance(type_, EnumRef) else None


def recursive_of(type_: Type) -> str | None:
    """The type that a value is of which is a part of itself, and nothing around it."""
    return type_.name if isinstance(type_, Recursive) else None


@remembered
def structs_in(type_: Type) -> frozenset[str]:
    """The names of the structs in it."""
    return frozenset(each.name for each in walk(type_) if isinstance(each, Struct))


def is_holding(type_: Type) -> bool:
    """Whether it is a struct with handles."""
    return isinstance(type_, Struct) and bool(type_.handles)


@remembered
def has_holding(type_: Type) -> bool:
    """Whether there is one in it."""
    return any(map(is_holding, walk(type_)))


def alternatives(types: Sequence[Type], *, is_optional: bool) -> Type:
    """The type of a value that is of one of these, or none."""
    whole = Union(tuple(types)) if len(types) > 1 else types[0] if types else Text()
    return Optional(whole) if is_optional else whole


def is_iterator(type_: Type) -> bool:
    """Whether its values are converted one after the other, when they are asked for."""
    return isinstance(type_, Iter)


def iterator_of(type_: Type | None) -> Iter | None:
    """The type itself where it is an iterator."""
    return type_ if isinstance(type_, Iter) else None


def is_list(type_: Type) -> bool:
    """Whether it is a list."""
    return isinstance(type_, List)


def is_any_object(type_: Type) -> bool:
    """Whether it is anything of Python."""
    return isinstance(type_, AnyObject)


def has_objects(type_: Type) -> bool:
    """Whether something in it is anything of Python."""
    return any(map(is_any_object, walk(type_)))


def is_map(type_: Type) -> bool:
    """Whether it is a map."""
    return isinstance(type_, Map)


def gathered_in(type_: Type) -> Type:
    """What each argument is of those that a list or a map gathers."""
    match type_:
        case List(element):
            return element
        case Map(_, value):
            return value
        case _:
            return type_


def is_characters(type_: Type) -> bool:
    """Whether it is text or bytes, or may be."""
    return isinstance(if_given(type_), Text | Bytes)


def is_text_or_none(type_: Type) -> bool:
    """Whether it is text, or may be."""
    return isinstance(if_given(type_), Text)


def is_representable(type_: Type) -> bool:
    """Whether a C++ value of any type can stand for its values: nobody else owns a part of them."""
    unowned = Void | Handle | SpanOf | ArrayOf | Exchange | Iter
    return not has_callables(type_) and not any(isinstance(each, unowned) or is_named(each) for each in walk(type_))


def is_named(type_: Type) -> bool:
    """Whether it is a tuple with names, which belongs to one function."""
    return isinstance(type_, Tuple) and bool(type_.names)


def is_optional(type_: Type) -> bool:
    """Whether there may be no value."""
    return isinstance(type_, Optional)


def handle_of(type_: Type) -> str | None:
    """The handle type of a value that is a handle, and nothing around one."""
    return type_.name if isinstance(type_, Handle) else None


def is_optional_value(type_: Type) -> bool:
    """Whether it is a number, an enum or a struct that may be missing: C has no null for these."""
    return isinstance(type_, Optional) and isinstance(type_.of, (Scalar, EnumRef, Struct))


def is_optional_handle(type_: Type) -> bool:
    """Whether it is a handle that may be missing."""
    return isinstance(type_, Optional) and isinstance(type_.of, Handle)


def handle_in_forms(type_: Type) -> str | None:
    """The handle type where user code may want the struct or what is in it: of a handle, an optional one, a list."""
    match type_:
        case Handle(name) | List(Handle(name)) | Optional(Handle(name)):
            return name
        case (
            Void()
            | Scalar()
            | Complex()
            | Text()
            | Bytes()
            | Duration()
            | DateTime()
            | Path()
            | AnyObject()
            | DeviceStream()
        ):
            return None
        case Slice() | Index() | EnumRef() | Struct() | SpanOf() | Fn():
            return None
        case List() | Optional() | Map() | Set() | Iter() | Tuple() | TupleOf() | Union():
            return None
        case ArrayOf() | Exchange() | Recursive():
            return None
        case _:
            assert_never(type_)


@remembered
def handles_in(type_: Type) -> frozenset[str]:
    """The names of the handle types in it."""
    return frozenset(each.name for each in walk(type_) if isinstance(each, Handle))


@remembered
def classes_in(type_: Type) -> frozenset[tuple[str, str]]:
    """The handle types, enums and structs in it, also of what callables are called with: the name of each, and what of
    another package has it, or nothing."""
    every = [part for each in walk(type_) for whole in (each, *called_with(each)) for part in walk(whole)]
    return frozenset((each.name, each.of) for each in every if isinstance(each, Handle | EnumRef | Struct))


@remembered
def enums_in(type_: Type) -> frozenset[str]:
    """The names of the enums in it."""
    return frozenset(each.name for each in walk(type_) if isinstance(each, EnumRef))


def callable_of(type_: Type) -> Fn | None:
    """The type itself where it is a callable, or one that may be missing."""
    of = if_given(type_)
    return of if isinstance(of, Fn) else None


@remembered
def has_callables(type_: Type) -> bool:
    """Whether there is a callable in it, or in a field of a struct in it."""
    return any(isinstance(each, Fn) or (isinstance(each, Struct) and each.is_calling) for each in walk(type_))


@remembered
def called_with(type_: Type) -> tuple[Type, ...]:
    """The types that cross when a callable in it is called: its arguments and its result."""
    found = (each for fn in walk(type_) if isinstance(fn, Fn) for each in (*fn.parameters, fn.returns))
    return tuple(each for each in found if not is_void(each))


@remembered
def given_by_callables(type_: Type) -> tuple[Type, ...]:
    """The results of callables in it, which C++ is given."""
    return tuple(fn.returns for fn in walk(type_) if isinstance(fn, Fn) and not is_void(fn.returns))


@remembered
def borrows_memory(type_: Type) -> bool:
    """Whether a value is the caller's own memory, which only a call can borrow."""
    return any(isinstance(each, SpanOf) for each in walk(type_))


def is_changeable(type_: Type) -> bool:
    """Whether Python could change what a result of it is, a list for example, or a part of that."""
    match type_:
        case List() | Map() | Set():
            return True
        case Optional(of) | TupleOf(of):
            return is_changeable(of)
        case Tuple(items):
            return not type_.label and any(map(is_changeable, items))
        case Union(each_of):
            return any(map(is_changeable, each_of))
        case _:
            return False


def is_compound(type_: Type) -> bool:
    """Whether it crosses the C ABI as one encoded buffer; what is not compound has C parameters of its own."""
    match type_:
        case Void() | Scalar() | Text() | Bytes() | Handle():
            return False
        case EnumRef() | SpanOf() | ArrayOf() | Exchange() | Iter() | Fn():
            return False
        case List(element):
            return not isinstance(element, Scalar | Text | Handle)
        case Optional(of):
            return is_compound(of) or is_optional(of) or (isinstance(of, List) and isinstance(of.element, Handle))
        case (
            Complex()
            | Duration()
            | DateTime()
            | Path()
            | AnyObject()
            | DeviceStream()
            | Slice()
            | Index()
            | Map()
            | Set()
            | Tuple()
            | TupleOf()
            | Union()
        ):
            return True
        case Struct() | Recursive():
            return True
        case _:
            assert_never(type_)
