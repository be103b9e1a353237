"""For which types templates of functions are wanted."""

from __future__ import annotations

import re
from collections import defaultdict

from wrapper_gen.drafts.answers import SKIP
from wrapper_gen.drafts.questions.context import Context, is_internal
from wrapper_gen.headers import Access, CFunction, CKind, FunctionKind, Type

GROUP = "templates"


def ask(context: Context) -> dict[str, list[str]]:
    """The types of the language for which each template is written, by the key of the function."""
    by_name: defaultdict[str, list[CFunction]] = defaultdict(list)
    for function in context.functions:
        if can_be_instance(function):
            by_name[function.qualified].append(function)
    found: dict[str, list[str]] = {}
    for name, functions in by_name.items():
        said = context.questions.ask(
            GROUP, name, SKIP, "a template: types, as [i64, f64, text], or skip", is_sure=True, frees=len(functions)
        )
        if isinstance(said, list):
            found |= {function.key: [str(each) for each in said] for function in functions}
    return found


def can_be_instance(function: CFunction) -> bool:
    """Whether a template has one type as its parameter, and uses it as it is."""
    is_function = function.kind in (FunctionKind.METHOD, FunctionKind.FUNCTION)
    is_named = is_function and not function.name.startswith("operator") and function.access is Access.PUBLIC
    if not is_named or len(function.template) != 1 or not function.template[0].isidentifier():
        return False
    if is_internal(function.qualified):
        return False
    types = (function.result, *(each.type for each in function.parameters))
    return all(is_the(each, function.template[0]) or not _depends(each, function.template[0]) for each in types)


def is_the(type_: Type, parameter: str) -> bool:
    """Whether a type is a template's parameter, or a constant reference to one."""
    return type_.spelling in (parameter, f"const {parameter} &", f"const {parameter}", f"{parameter} &&")


def _depends(type_: Type, parameter: str) -> bool:
    return (
        type_.kind is CKind.OTHER
        or re.search(rf"\b{re.escape(parameter)}\b|\.\.\.|typename ", type_.spelling) is not None
    )
