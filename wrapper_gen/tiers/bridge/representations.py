"""How C spells values of types: what reads a C++ value, and what releases it."""

from __future__ import annotations

from wrapper_gen import names
from wrapper_gen.diagnostics import Span
from wrapper_gen.frozen import frozen
from wrapper_gen.model import Module, Representation, RepresentedCase, spelled_alike
from wrapper_gen.quoting import c_bool
from wrapper_gen.types.hints import Way
from wrapper_gen.types.queries import is_bytes, is_text, parts, without_optional
from wrapper_gen.types.spelling import descriptor
from wrapper_gen.views.placement import placed, placed_lines, said_at


@frozen
class RepresentationView:
    """One C++ type that stands for a type of the language."""

    alias: str
    tag: str
    of: str
    """The descriptor of what a value is made of, for a type that is a part of itself; empty for others."""
    cpp_type: str
    is_text: str
    data: str
    """Empty where there are cases."""
    length: str
    """Empty where `data` tells by itself."""
    free: str
    cases: str
    """The statements that give a value of the kind that it is; empty where there are none."""
    can_be_made: str
    value: str
    """What describes the values that one can be made of; empty where it cannot."""
    has_kinds: str
    is_freed: str
    """Whether what is made has to be released."""
    made: str
    """The statements that make one; empty where it cannot be made."""
    is_read_everywhere: bool
    """Whether its C++ type is read so wherever it comes; else only where the name stands."""
    only_type: str
    """The assertions about a C++ type that has a reading of its own: it needs one, and no entry before it has the type
    by another of its names; empty where an entry before it has the reading.
    """
    before: str
    """The type that knows the C++ types of the entries before it."""
    readings: str
    """The template arguments of all entries with this C++ type, where names tell; empty but for the first of them."""
    readers: tuple[str, ...]
    """What reads these."""


@frozen
class WrittenView:
    """The C++ types that stand for one type, which calls may write."""

    descriptor: str
    aliases: str


def representation_views(module: Module) -> tuple[RepresentationView, ...]:
    views, before = [], "wg::NothingRead"
    for i, each in enumerate(module.representations):
        views.append(_view(each, i, before, module))
        if views[-1].only_type:
            before = f"{names.namespace(module.name)}::{_alias(i)}_read"
    return tuple(views)


def written_views(module: Module) -> tuple[WrittenView, ...]:
    """What out-parameters of each type may be, too."""
    found: dict[str, list[str]] = {}
    for i, each in enumerate(module.representations):
        found.setdefault(descriptor(each.type, Way.RESULT, module.name), []).append(_alias(i))
    return tuple(WrittenView(described, ", ".join(aliases)) for described, aliases in found.items())


def _alias(number: int) -> str:
    return f"wg_represented_{number}"


def _reader(number: int) -> str:
    return f"{_alias(number)}_reader"


def _view(each: Representation, number: int, before: str, module: Module) -> RepresentationView:
    def returned(expression: str) -> str:
        return placed_lines([(each.span, f"        return ({expression});")], module)

    alike = _alike(each, number, module)
    has_reading = bool(alike) or not each.is_by_name
    asserted = [] if each.is_by_name else [_only_by_name(each, number, module)]
    asserted.append(_only_type(each, before, number, module))
    return RepresentationView(
        alias=_alias(number),
        tag=names.recursive_tag(each.name),
        of=descriptor(each.of, Way.RESULT, module.name) if each.is_recursive else "",
        cpp_type=placed(each.cpp_type, module),
        is_text=c_bool(is_text(each.of) or is_bytes(each.of)),
        data=returned(each.data) if each.data else "",
        length=returned(each.length) if each.length else "",
        free=placed_lines([(each.span, f"        static_cast<void>({each.free or 0});")], module),
        cases=_cases(each, _alias(number), module) if each.cases else "",
        can_be_made=c_bool(each.can_be_made),
        value=descriptor(each.type, Way.RESULT, module.name) if each.can_be_made else "",
        has_kinds=c_bool(bool(each.cases)),
        is_freed=c_bool(bool(each.free)),
        made=_making(each, _alias(number), module) if each.can_be_made else "",
        is_read_everywhere=not each.is_by_name,
        only_type="\n".join(asserted) if has_reading else "",
        before=before,
        readings=", ".join(_reading(i, module) for i in alike),
        readers=tuple(map(_reader, alike)),
    )


def _only_by_name(each: Representation, number: int, module: Module) -> str:
    """The assertion that no other result has this C++ type without an entry."""
    what = (
        f"{each.name} would be read so wherever C++ has this type, as numbers and text are without an entry of `types`"
    )
    way = f"write its cpp_type as C++ spells it, such as `char *` or `long`: then only the name {each.name} means it"
    message = said_at(each.span, module, f"{what}; {way}")
    asserted = f"static_assert(!wg::is_had_as_it_is<{_alias(number)}>, {message});"
    return placed_lines([(each.cpp_type.span, asserted)], module)


def _only_type(each: Representation, before: str, number: int, module: Module) -> str:
    """The assertion that no entry before it has the same C++ type by another of its names."""
    spelled = each.cpp_type.text.strip()
    same = "is the same type as the one of another entry of `types`, by another of its names in C++"
    what = f"{each.name}: {spelled} {same}"
    way = "write both alike: then only the names of the entries mean it; or drop one"
    message = said_at(each.span, module, f"{what}; {way}")
    asserted = f"static_assert(!wg::is_read<{_alias(number)}, {before}>, {message});"
    return placed_lines([(each.cpp_type.span, asserted)], module)


def _alike(each: Representation, number: int, module: Module) -> tuple[int, ...]:
    """The numbers of all entries with this C++ type that names tell apart, at the first of them."""
    spelled = spelled_alike(each.cpp_type.text)
    alike = tuple(i for i, one in enumerate(module.representations) if spelled_alike(one.cpp_type.text) == spelled)
    return alike if each.is_by_name and alike[0] == number else ()


def _reading(number: int, module: Module) -> str:
    """How the entry of this number is read: its name's type, and its reader."""
    namespace, name = names.namespace(module.name), module.representations[number].name
    return f"wg::ReadByName<{namespace}::{names.recursive_tag(name)}, {namespace}::{_reader(number)}>"


def _cases(each: Representation, alias: str, module: Module) -> str:
    lines = [(each.span, f"        const auto wg_tag = {each.tag};")]
    for case in each.cases:
        made = "wg::no_value<wg_To>()" if case.alternative < 0 else _made(case, alias, each)
        lines.append((case.span, f"        if (wg_tag == ({case.tag})) return {made};"))
    return placed_lines(lines, module)


def _made(case: RepresentedCase, alias: str, each: Representation) -> str:
    value = case.value
    if case.length:
        type_ = parts(without_optional(each.of))[case.alternative] if each.kinds > 1 else without_optional(each.of)
        value = f"wg::run_of<{c_bool(is_text(type_) or is_bytes(type_))}>({case.value}, {case.length})"
    return f"wg::value_of_kind<wg_To, {alias}, {case.alternative}>({value})"


def _making(each: Representation, alias: str, module: Module) -> str:
    """The statements that make a C++ value of `wg_value`, of which there is one for each kind where there are kinds."""
    if not each.cases:
        return placed_lines(_set(each.span, alias, each.data, each.length, each.make), module)
    lines: list[tuple[Span, str]] = []
    for case in each.makers:
        before = "else " if lines else ""
        lines.append((case.span, f"        {before}if constexpr (wg_kind == {case.alternative}) {{"))
        tag = f"{each.tag} = ({case.tag});"
        lines += _set(case.span, alias, case.value if case.alternative >= 0 else "", case.length, case.make, tag)
        lines.append((case.span, "        }"))
    return placed_lines(lines, module)


def _set(span: Span, alias: str, data: str, length: str, make: str, tag: str = "") -> list[tuple[Span, str]]:
    """The statements that make one by an expression, or by setting members."""
    if make:
        value = "[[maybe_unused]] decltype(auto) value = wg::parts_made(wg_value, wg_making, wg_where);"
        made = [value, f"return wg_making.own<{alias}, {alias}_reader>({make});"]
    else:
        what = "wg_value, wg_making, wg_where"
        put = f"wg::put_run({data}, {length}, {what});" if length else f"wg::put({data}, {what});" if data else ""
        made = [f"{alias} value = wg::blank<{alias}>();", tag, put, "return value;"]
    return [(span, f"        {line}") for line in made if line]
