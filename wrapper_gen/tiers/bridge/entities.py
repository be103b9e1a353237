"""What is in the bridge beside functions: handle types and enums."""

from __future__ import annotations

from wrapper_gen import names
from wrapper_gen.expressions import called, mentions
from wrapper_gen.frozen import frozen
from wrapper_gen.lifetimes.ended import drops_with_owner, knowing_lent, said_by_owner
from wrapper_gen.lifetimes.running import locked_by_calls
from wrapper_gen.model import Code, EnumType, HandleType, Module
from wrapper_gen.model.inheritance import bases, subtypes
from wrapper_gen.queries import enum_array
from wrapper_gen.quoting import c_bool, c_comment, c_string
from wrapper_gen.views.dependents_message import dependents_message
from wrapper_gen.views.exports import exporting
from wrapper_gen.views.placement import placed, placed_lines, shown_place


@frozen
class HandleView:
    """One handle type."""

    name: str
    declared: str
    """Where it is part of the structs of other handle types: with what lets C++ see it so."""
    inner: str
    inner_code: str
    c_type: str
    cell: str
    """What it is called in the package that has it; empty where this is that."""
    drop_symbol: str
    drop_code: str
    drops_value: bool
    """Whether that speaks of `value`."""
    drop_owner: str
    """The further parameter where it speaks of the owner."""
    has_owner_link: bool
    """Whether an expression of `errors` asks its owner."""
    lender: str
    """The type that lends it; empty where it is not lent."""
    is_never_dropped: bool
    """Whether its owner, of the same type, releases it in any case."""
    knows_lent: bool
    """Whether calls can end what it lends."""
    is_locked_by_calls: bool
    """Whether its calls lock their owners."""
    blocking_drop: bool
    closes_lent: bool
    dependents_message: str
    """What a call says that would end one which something else needs; empty where no call ends one."""
    identity: str
    """The type by whose pointers its objects are found, the base of its family; empty where they are not found."""
    exports_memory: bool
    """Whether arrays may use its memory."""
    in_place: bool
    """Whether `inner` points to an object that is the handle's own."""
    owned: str
    """What does not compile if it holds a pointer that nothing releases, or is not to release an object."""
    empty: str
    """The statement that tells whether a value is no object; empty where null pointers tell."""
    comment: str
    kind: str
    """The statement that tells which objects of its base are of this type; empty where C++ knows."""
    kind_of: str
    """What the base holds."""
    kind_name: str
    family: FamilyView | None

    @property
    def lifetime(self) -> str:
        """What its specialisations say, in words; empty where there is none."""
        before = "before it" * bool(self.lender and self.drop_code)
        released = " and ".join(filter(None, [before, "without the GIL" * self.blocking_drop]))
        owner = f"belongs to {self.lender}" * bool(self.lender) + ", which releases it" * self.is_never_dropped
        said = [
            ", ".join(filter(None, [owner, f"released {released}" * bool(released)])),
            "calls lock it" * self.is_locked_by_calls,
            "knows what it lends" * self.knows_lent,
            "closing it closes what it lends" * self.closes_lent,
            "no call ends it while something needs it" * bool(self.dependents_message),
            "one object for an address" * bool(self.identity),
            "arrays may use its memory" * self.exports_memory,
        ]
        return "; ".join(filter(None, said))


@frozen
class FamilyView:
    """What a handle type extends, and what extends it: qualified names, in order."""

    number: int
    bases: str
    subtypes: str
    has_subtypes: str
    check: str
    """What tells, at the line of the type, whether it can extend the first of its bases."""


@frozen
class EnumView:
    """One enum: the alias of its C++ type, and its values as numbers; `size` counts how they cross as one more."""

    alias: str
    tag: str
    cpp_type: str
    array: str
    values: str
    crossing: str
    stub_values: tuple[str, ...]
    size: int


def handle_view(handle: HandleType, module: Module) -> HandleView:
    drop, is_ended_as_base = "", _is_ended_as_base(handle, module)
    if is_ended_as_base:
        owner = ", owner" if drops_with_owner(handle) else ""
        drop = (
            f"    wg::end_as_base<{handle.extends}>(h, [&](auto &base) {{ wg_drop_{handle.extends}(base{owner}); }});"
        )
    elif handle.drop:
        text = called(handle.drop.text, "h.inner")
        ended = text if text.endswith((";", "}")) else text + ";"
        drop = placed(Code(ended, handle.drop.span, handle.drop.literal), module)
    inner_code = placed(handle.cpp_type, module)
    needed = dependents_message(handle.name, module)
    return HandleView(
        name=handle.name,
        declared=f"[[gnu::may_alias]] {handle.name}" if handle.name in module.extends.values() else handle.name,
        inner=names.inner(handle.name),
        inner_code=f"wg::Overridable<\n{inner_code}\n    >" if handle.is_interface else inner_code,
        c_type=names.c_handle(module.name, handle.name),
        cell="",
        drop_symbol=handle.drop_symbol,
        drop_code=drop,
        drops_value=handle.drop is not None and not is_ended_as_base and mentions(handle.drop.text, "value"),
        drop_owner=f", {handle.lent_by} &owner" if drops_with_owner(handle) else "",
        has_owner_link=handle.name in said_by_owner(module),
        lender=handle.lent_by,
        is_never_dropped=handle.drop is None and handle.lent_by in (handle.name, *bases(handle.name, module.extends)),
        knows_lent=handle.name in knowing_lent(module),
        is_locked_by_calls=handle.name in locked_by_calls(module),
        blocking_drop=handle.blocking_drop,
        closes_lent=handle.closing_ends,
        dependents_message=c_string(needed) if needed else "",
        identity=[handle.name, *bases(handle.name, module.extends)][-1] if handle.has_identity else "",
        exports_memory=handle.name in exporting(module),
        in_place=handle.in_place,
        owned=_owned(handle, module),
        empty=placed_lines([(handle.empty.span, f"        return ({handle.empty.text});")], module)
        if handle.empty
        else "",
        kind=placed_lines([(handle.when.span, f"        return ({handle.when.text});")], module) if handle.when else "",
        kind_of=names.inner(handle.extends) if handle.when else "",
        kind_name=c_string(handle.name) if handle.when else "",
        comment=c_comment(handle.doc),
        family=_family(handle, module),
    )


def _owned(handle: HandleType, module: Module) -> str:
    checks = (("WG_OWNED", handle.unsaid_owner), ("WG_NOT_OURS", handle.not_ours))
    codes = [
        (span, f"{check}({handle.name}, {names.inner(handle.name)}, {shown_place(span, module)});")
        for check, span in checks
        if span
    ]
    return placed_lines(codes, module) if codes else ""


def _is_ended_as_base(handle: HandleType, module: Module) -> bool:
    """Whether its base says what releases it, in C++ over what that holds: a cast makes it so, no conversion of C++."""
    if not handle.extends or handle.drop is None:
        return False
    of = {h.name: h for h in module.handles}
    base = of.get(handle.extends)
    if base is None or handle.drop != base.drop:
        return False
    return any(of[each].when for each in (handle.name, *bases(handle.name, module.extends)))


def _family(handle: HandleType, module: Module) -> FamilyView | None:
    above, below = bases(handle.name, module.extends), subtypes(handle.name, module.extends)
    if not above and not below:
        return None
    namespace = names.namespace(module.name)
    qualified = [[f"{namespace}::{each}" for each in some] for some in (above, below)]
    number = module.handles.index(handle)
    check = ""
    if above:
        asked = f"static_assert(wg::goes_with_base<{namespace}::{handle.name}, {qualified[0][0]}>());"
        check = placed_lines([(handle.span, asked)], module)
    return FamilyView(number, ", ".join(qualified[0]), ", ".join(qualified[1]), c_bool(bool(below)), check)


def enum_view(enum: EnumType, module: Module) -> EnumView:
    alias, array, count = names.enum_alias(enum.name), enum_array(enum, module), len(enum.members)
    return EnumView(
        alias=alias,
        tag=names.enum_tag(enum.name),
        cpp_type=placed_lines([(enum.span, enum.cpp_type)], module),
        array=array,
        values=placed_lines([(m.span, f"    static_cast<int64_t>({m.cpp}),") for m in enum.members], module),
        crossing=f"wg::flag_bits<{alias}>({array}, {count})" if enum.flags else f"wg::enum_bits<{alias}>",
        stub_values=(*(str(1 << i if enum.flags else i) for i in range(count)), "-64"),
        size=count + 1,
    )
