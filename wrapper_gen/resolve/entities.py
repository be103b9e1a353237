"""Handle types and enums."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wrapper_gen import names
from wrapper_gen.diagnostics import a
from wrapper_gen.frozen import replace
from wrapper_gen.model import Code, EnumMember, EnumType, HandleType, Thread
from wrapper_gen.model.inheritance import bases, with_relatives
from wrapper_gen.resolve.blocking import check_blocking, releases_blocking
from wrapper_gen.resolve.deprecations import read_deprecated
from wrapper_gen.resolve.ending import read_closing
from wrapper_gen.resolve.held_types import NUMBERS, held_class, is_pointer, may_be_pointer, spelling_of
from wrapper_gen.resolve.implied import read_prefix
from wrapper_gen.resolve.inheritance import inherited, read_base, read_kind
from wrapper_gen.resolve.lifetimes import read_lender
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.resolve.submodules import read_submodule
from wrapper_gen.types.scalars import CPP_NUMBERS

_PLAIN_RESOURCE = re.compile(
    r"(?:struct\s+)?(?:\w*\*|[A-Za-z]\w*_t|u?int\w*|long|unsigned|HANDLE|[iu](?:8|16|32|64))\Z"
)
_NOT_OVERRIDDEN = frozenset("release drop_fn in_place when belongs_to identity empty ends".split())
"""Keys that no class has whose methods Python overrides."""
_NOTHING = r"(?:static_cast<\s*void\s*>\s*\([^()]*\)|\(\s*void\s*\)\s*[\w.]+)?\s*;?\s*(?://.*)?\Z"  # compiled when used
"""C++ that only says that there is nothing to do."""
_KEPT = "static_cast<void>(h)"
"""What `release: nothing` does."""


def resolve_handle(entry: Map, scope: Scope) -> HandleType:
    """One entry of `handle_types`."""
    name = class_name(entry, scope, "a handle")
    cpp_type = _cpp_type(entry, scope, name)
    base = read_base(entry, scope, name)
    releasing = inherited(entry, "release", scope, name)
    drop = _read_release(releasing, scope)
    spelling = cpp_type.text.strip()
    if spelling == name:
        hint = f'write cpp_type: "::{name}" for the library\'s, so that code can tell them apart; or rename the handle'
        scope.warn("WG025", f"the handle {name!r} and the C++ type that it holds have one name", cpp_type.span, hint)
    lent_by, owner = read_lender(inherited(entry, "belongs_to", scope, name), scope, name)
    in_place = name in scope.names.in_place
    if in_place and spelling.endswith(("*", "&")):
        hint = f"drop `in_place`; or hold the object itself: cpp_type: {spelling.rstrip('*& ')}"
        scope.error("WG108", f"{spelling!r} does not lie in the handle", cpp_type.span, hint)
    has_owner = in_place or bool(lent_by)
    if name in scope.names.interfaces:
        _refuse_of_overridden(entry, scope)
    elif drop is None and not has_owner and (is_pointer(spelling) or _PLAIN_RESOURCE.match(spelling)):
        hint = (
            "say what releases it: release: some_destroy(value); or what owns it: belongs_to: Document; where the "
            "library does, say that nothing is to do: release: nothing"
        )
        message = f"{spelling!r} has no destructor: releasing {a(name)} would leak it"
        scope.warn("WG044", message, cpp_type.span, hint)
    elif drop is None and lent_by in (name, *bases(name, scope.names.extends)) and is_pointer(spelling):
        hint = "say what releases it: release: some_destroy(value); where the library does, release: nothing"
        message = f"{a(name)} without an owner, such as a root, is released by nothing: releasing it would leak it"
        scope.warn("WG044", message, cpp_type.span, hint)
    elif drop is not None and drop.text == _KEPT and releasing is not entry and _leaks_new(entry, name, spelling):
        hint = "say what releases it: release: delete value; where the library does, say so here too: release: nothing"
        message = f"{name}() makes what nothing releases: {releasing['name']} says `release: nothing`, of what is there"
        scope.warn("WG044", message, cpp_type.span, hint)
    check_blocking(entry, scope)
    return HandleType(
        name=name,
        cpp_type=cpp_type,
        drop_symbol=_drop_symbol(entry, scope, name),
        span=scope.span(entry, "name"),
        drop=drop,
        doc=scope.text(entry, "doc"),
        thread=_thread(entry, scope, name),
        lent_by=lent_by,
        owner=owner,
        closing_ends=read_closing(inherited(entry, "ends", scope, name), scope, name),
        in_place=in_place,
        extends=base,
        when=read_kind(entry, scope, name, base),
        has_identity=_has_identity(entry, scope, name),
        empty=Code(scope.expression(entry, "empty"), scope.span(entry, "empty")) if entry.get("empty") else None,
        blocking_drop=_blocking_drop(entry, scope, name, drop, spelling),
        is_interface=name in scope.names.interfaces,
        module=read_submodule(entry, scope),
        deprecated=read_deprecated(entry, scope),
    )


def _refuse_of_overridden(entry: Map, scope: Scope) -> None:
    """Keys of classes whose objects Python does not make: those of one that Python overrides are released with it."""
    for key in entry.keys() & _NOT_OVERRIDDEN:
        if entry[key] is not None:
            hint = f"drop {key!r}; or drop `virtual`, where Python overrides no method"
            message = f"{key!r} of a class whose methods Python overrides"
            scope.error("WG200", message, scope.document.key_span(entry, key), hint)


def _cpp_type(entry: Map, scope: Scope, name: str) -> Code:
    """What a handle holds."""
    cpp_type, span = scope.code(entry, "cpp_type"), scope.span(entry, "name")
    if cpp_type is None:
        scope.error("WG012", f"the handle {name!r} has no cpp_type", span, "say which C++ type it holds")
        return Code("void *", span)
    return _overridden_class(cpp_type, scope, name) if name in scope.names.interfaces else cpp_type


def _overridden_class(cpp_type: Code, scope: Scope, name: str) -> Code:
    """The class whose methods Python overrides: it is held as a shared pointer, whether the spec says so or not."""
    smart, class_ = held_class(name, scope)
    if smart == "shared":
        return replace(cpp_type, text=class_)
    if smart or is_pointer(cpp_type.text.strip()):
        hint = f"write cpp_type: {class_}; C++ and Python share its objects"
        scope.error(
            "WG200", f"{cpp_type.text.strip()!r} is no class whose methods Python overrides", cpp_type.span, hint
        )
    return cpp_type


def _drop_symbol(entry: Map, scope: Scope, name: str) -> str:
    """The C function that releases a handle: the entry's own name for it, or the usual one."""
    said, span = scope.text(entry, "drop_fn"), scope.span(entry, "drop_fn")
    if not said:
        return names.drop_symbol(scope.names.lib, name)
    if not names.is_identifier(said) or said in names.CPP_WORDS | names.PYTHON_KEYWORDS:
        hint = "drop_fn names the function that is exported; what it does stands in release"
        scope.error("WG020", f"{said!r} cannot be the name of a C function", span, hint)
    elif names.is_reserved(said):
        scope.error("WG021", f"{said!r} is reserved", span, "choose a name without wg_")
    return said


def _thread(entry: Map, scope: Scope, name: str) -> Thread:
    """Which threads may call at once; C++ calls methods that Python overrides from any."""
    said = scope.text(inherited(entry, "thread", scope, name), "thread")
    is_any = said == "any" if said else scope.names.is_thread_safe
    is_overridden = not scope.names.interfaces.isdisjoint(with_relatives({name}, scope.names.extends))
    return Thread.ANY if is_any or is_overridden else Thread.EXCLUSIVE


def _has_identity(entry: Map, scope: Scope, name: str) -> bool:
    """Whether one object stands for each pointer."""
    above = inherited(entry, "identity", scope, name)
    if not above.get("identity"):
        return False
    spelling, span = spelling_of(entry), scope.span(above, "identity")
    if name in scope.names.in_place:
        hint = "drop `identity`: no call of the library returns such an object"
        scope.error("WG230", f"{a(name)} is made in memory of its own", span, hint)
    elif spelling.startswith("std::unique_ptr"):
        hint = "drop `identity`, or hold it as std::shared_ptr, or as a plain pointer with `release`"
        scope.error("WG230", f"a {spelling} that a call returns has no other owner", span, hint)
    elif spelling in NUMBERS or spelling.endswith("&"):
        hint = "it is for types that hold a pointer, std::shared_ptr, or another class with get()"
        scope.error("WG230", f"{spelling!r} is no pointer that an object could be found by", span, hint)
    return True


def _blocking_drop(entry: Map, scope: Scope, name: str, drop: Code | None, spelling: str) -> bool:
    """Whether releasing an object may wait: as its type says, or the library."""
    said, where = releases_blocking(entry, scope, name)
    does_nothing = bool(re.match(_NOTHING, drop.text.strip())) if drop else is_pointer(spelling)
    if where is None:
        return said and not does_nothing
    if said and does_nothing:
        message = "`blocking: release`, and releasing this handle does nothing"
        hint = "say what releases it, release: lib_close(value); or drop `release` from `blocking`"
        scope.error("WG100", message, scope.document.key_span(where, "blocking"), hint)
    return said


def _read_release(entry: Map, scope: Scope) -> Code | None:
    """What releasing does; None where the destructor of the C++ type does it."""
    code = scope.code(entry, "release")
    return Code(_KEPT, code.span) if code is not None and code.text.strip() == "nothing" else code


def _leaks_new(entry: Map, name: str, spelling: str) -> bool:
    """Whether Python calls the class to make an object, and holds its address: of a value, there is a destructor."""
    methods = entry.get("methods")
    said = [each.get("def") for each in methods if isinstance(each, dict)] if isinstance(methods, list) else []
    makes = any(isinstance(each, str) and each.strip().startswith(f"{name}(") for each in said)
    return makes and is_pointer(spelling)


def borrows(handle: HandleType) -> bool:
    """Whether a handle only points to what something else owns, and the spec does not say what that is."""
    if handle.lent_by:
        return False
    points = handle.cpp_type.text.strip().endswith(("*", "&"))
    return points and (handle.drop is None or re.match(_NOTHING, handle.drop.text.strip()) is not None)


def perhaps_leaks(handle: HandleType) -> bool:
    """Whether nothing releases what a handle holds if its type is another name of a pointer, which only C++ knows."""
    spelling = handle.cpp_type.text.strip()
    is_released = handle.drop is not None or handle.lent_by or handle.in_place or handle.is_interface
    return not is_released and may_be_pointer(spelling)


def class_name(entry: Map, scope: Scope, what: str) -> str:
    name = scope.identifier(entry, "name", what)
    hidden = names.PYTHON_WORDS | names.CPP_WORDS | names.TYPE_WORDS | CPP_NUMBERS
    if name in hidden or names.CPYTHON_NAME.fullmatch(name):
        hint = f"choose another name, such as {name[0].upper()}{name[1:]}Type"
        scope.error("WG021", f"{name!r} already means something in the generated code", scope.span(entry, "name"), hint)
    return name


def resolve_enum(entry: Map, scope: Scope) -> EnumType:
    """One entry of `enums`."""
    name = class_name(entry, scope, "an enum")
    members = []
    taken: dict[str, EnumMember] = {}
    for member in _members(entry, scope):
        key, span = member.name, member.span
        scope.check_identifier(key, span, "an enum's value")
        other = taken.setdefault(names.python_enum_member(key), member)
        if other is not member:
            message = f"{key!r} and {other.name!r} come to the same name"
            scope.error("WG022", message, span, "rename one", (other.span, "the other one"))
        members.append(member)
    if not members:
        scope.error(
            "WG012", f"the enum {name!r} has no values", scope.span(entry, "values"), "add one: values: {NONE: 0}"
        )
    return EnumType(
        name=name,
        cpp_type=scope.expression(entry, "cpp_type"),
        members=tuple(members),
        span=scope.span(entry, "name"),
        flags=bool(entry.get("flags")),
        doc=scope.text(entry, "doc"),
        module=read_submodule(entry, scope),
        deprecated=read_deprecated(entry, scope),
    )


def _members(entry: Map, scope: Scope) -> Iterator[EnumMember]:
    """Names with what they stand for; or a list of names, which stand for their own with the prefix before."""
    values = entry.get("values") or {}
    prefix = read_prefix(entry, scope)
    if isinstance(values, list):
        for i, value in enumerate(values):
            yield EnumMember(value, prefix + value, scope.document.span(values, i))
        return
    if values.keys() == {"prefix"} and str(values["prefix"]).endswith(("_", "::")):
        hint = f'list the names: values: [READ, WRITE], prefix: "{values["prefix"]}"'
        where = scope.document.key_span(values, "prefix")
        scope.error("WG012", "C++ cannot list the names that start with a prefix", where, hint)
    if prefix:
        hint = "list the names: values: [READ, WRITE]; what is written out needs no prefix"
        where = scope.document.key_span(entry, "prefix")
        scope.error("WG075", "the prefix is for a list of names", where, hint)
    for key in values:
        yield EnumMember(key, scope.expression(values, key), scope.document.key_span(values, key))
