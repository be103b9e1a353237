"""Functions that are instances of templates: the template, with its parameter replaced by a type."""

from __future__ import annotations

from wrapper_gen.drafts.decisions import Decisions
from wrapper_gen.drafts.questions.templates import is_the
from wrapper_gen.drafts.types import Asked
from wrapper_gen.frozen import replace
from wrapper_gen.headers import CFunction, CKind, CParameter, Type

_CHAR = Type(CKind.INTEGER, "char", "char", size=1, is_signed=True)
_KNOWN = {
    "bool": Type(CKind.BOOL, "bool", "bool", size=1),
    "i32": Type(CKind.INTEGER, "int", "int", size=4, is_signed=True),
    "u32": Type(CKind.INTEGER, "unsigned", "unsigned int", size=4),
    "i64": Type(CKind.INTEGER, "long long", "long long", size=8, is_signed=True),
    "u64": Type(CKind.INTEGER, "unsigned long long", "unsigned long long", size=8),
    "f32": Type(CKind.FLOAT, "float", "float", size=4),
    "f64": Type(CKind.FLOAT, "double", "double", size=8),
    "text": Type(
        CKind.RECORD,
        "std::string",
        "std::string",
        name="std::basic_string",
        template="std::basic_string",
        arguments=(_CHAR,),
    ),
}


def instance(function: CFunction, wanted: str, decisions: Decisions) -> tuple[CFunction, str]:
    """The function for a type of the language, and the type in C++.

    Raises:
        Asked: the type is none of those that are known.
    """
    type_ = _KNOWN.get(wanted) or _of_class(wanted, decisions)
    (parameter,) = function.template
    parameters = tuple(
        CParameter(each.name, type_, each.default) if is_the(each.type, parameter) else each
        for each in function.parameters
    )
    result = type_ if is_the(function.result, parameter) else function.result
    return replace(function, template=(), parameters=parameters, result=result), type_.spelling


def _of_class(wanted: str, decisions: Decisions) -> Type:
    for record, roles in decisions.roles.items():
        if any(role.name == wanted and role.is_class for role in roles):
            return Type(CKind.RECORD, record, record, name=record)
    raise Asked(f"{wanted!r} is no type for a template: {', '.join(_KNOWN)}, or a class")
