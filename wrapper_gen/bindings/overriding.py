"""Methods that Python overrides: those of classes with a trampoline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wrapper_gen.bindings.callables import BoundCallable, callable_of
from wrapper_gen.bindings.classes import Class, Held
from wrapper_gen.bindings.context import BindingContext
from wrapper_gen.bindings.definitions import BoundDefinition
from wrapper_gen.bindings.entries import made_of
from wrapper_gen.bindings.extras import Extras
from wrapper_gen.bindings.outcomes import Left
from wrapper_gen.drafts.spec_text import Entry


def overridden(owner: Class, what: BoundCallable) -> str:
    """The word before a method's name: `virtual`, `abstract` or none."""
    if owner.held is not Held.OVERRIDDEN or owner.trampoline is None or not what.cursor.is_virtual_method():
        return ""
    if what.cursor.spelling not in _names(owner.trampoline):
        return ""
    return "abstract " if what.cursor.is_pure_virtual_method() else "virtual "


def unbound(context: BindingContext, owner: Class, definitions: Sequence[BoundDefinition]) -> list[Entry]:
    """The virtual functions that the trampoline overrides and that no definition binds."""
    if owner.trampoline is None:
        return []
    bound = set()
    for each in definitions:
        if each.of == owner.canonical and each.method == "def" and len(each.arguments) > 1:
            try:
                bound.add(callable_of(each.arguments[1]).cursor.spelling)
            except Left:
                continue
    made = []
    for each in owner.declaration.get_children():
        is_missing = each.kind.name == "CXX_METHOD" and each.is_virtual_method() and each.spelling not in bound
        if is_missing and each.spelling in _names(owner.trampoline):
            made.append(_entry(context, owner, each))
    return made


def _entry(context: BindingContext, owner: Class, method: Any) -> Entry:
    from wrapper_gen.bindings.callables import CallableForm

    parameters = [(each.spelling, each.type) for each in method.get_arguments()]
    what = BoundCallable(CallableForm.MEMBER, method, method.spelling, parameters, method.result_type)
    try:
        made = made_of(context, method.spelling, what, Extras(), owner)
    except Left as why:
        return Entry({}, (f"TODO {method.spelling}, which Python overrides: {why}",), is_off=True)
    made.word = overridden(owner, what)
    return Entry(made.data())


def _names(trampoline: Any) -> set[str]:
    return {each.spelling for each in trampoline.get_children() if each.kind.name == "CXX_METHOD"}
