"""Members of classes: constructors, operators, properties and memory."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from wrapper_gen.bindings.adapting import made_of_passed, passed_as
from wrapper_gen.bindings.callables import BoundCallable, CallableForm, callable_of
from wrapper_gen.bindings.classes import Class, Held
from wrapper_gen.bindings.context import BindingContext
from wrapper_gen.bindings.cursors import bare, below, bound, first, text_of, without_words
from wrapper_gen.bindings.definitions import BoundDefinition
from wrapper_gen.bindings.entries import MadeEntry, code_of, made_of, parameters_of
from wrapper_gen.bindings.extras import Extras, extras_of
from wrapper_gen.bindings.outcomes import Left
from wrapper_gen.headers.declarations import CKind

CONSTRUCTORS = ("init", "constructor", "alias_constructor", "init_implicit", "factory", "new_")
_INIT = ("constructor", "alias_constructor", "init", "init_implicit")
_BINARY = {
    "add": "__add__", "sub": "__sub__", "mul": "__mul__", "truediv": "__truediv__", "div": "__truediv__",
    "mod": "__mod__", "lshift": "__lshift__", "rshift": "__rshift__", "and": "__and__", "or": "__or__",
    "xor": "__xor__",
    "eq": "__eq__", "ne": "__ne__", "lt": "__lt__", "le": "__le__", "gt": "__gt__", "ge": "__ge__",
    "iadd": "__iadd__", "isub": "__isub__", "imul": "__imul__", "itruediv": "__itruediv__", "imod": "__imod__",
    "iand": "__iand__", "ior": "__ior__", "ixor": "__ixor__", "ilshift": "__ilshift__", "irshift": "__irshift__",
}  # fmt: skip
_SIGNS = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "%": "mod", "<<": "lshift", ">>": "rshift", "&": "and",
    "|": "or", "^": "xor", "==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge",
    "+=": "iadd", "-=": "isub", "*=": "imul", "/=": "itruediv", "%=": "imod", "&=": "iand", "|=": "ior", "^=": "ixor",
    "<<=": "ilshift", ">>=": "irshift",
}  # fmt: skip
_UNARY = {"-": "__neg__", "+": "__pos__", "~": "__invert__", "!": "__bool__"}
_COMPARES = ("eq", "ne", "lt", "le", "gt", "ge")
_PLACEMENT = re.compile(r"\bnew\s*\(\s*(\w+)\s*\)\s*")


# --- constructors ---


def is_constructor(definition: BoundDefinition) -> bool:
    """Whether a definition is `init<…>()`, a factory or `__init__`."""
    kinds = [bound(each.type)[0] for each in definition.arguments[:2]]
    return any(kind in CONSTRUCTORS for kind in kinds) or definition.name == "__init__"


def constructor(context: BindingContext, definition: BoundDefinition, owner: Class) -> MadeEntry:
    """A constructor's entry."""
    arguments = list(definition.arguments)
    if definition.name == "__init__":
        return _placed(context, arguments, owner)
    if bound(arguments[0].type)[0] not in CONSTRUCTORS:
        arguments = arguments[1:]  # a name before it
    kind, types = bound(arguments[0].type)
    extras = extras_of(arguments[1:])
    is_factory = kind in ("factory", "new_") or (kind == "init" and first(arguments[0], "LAMBDA_EXPR") is not None)
    if is_factory:
        return _factory(context, arguments[0], extras, owner)
    given = _own_parameters(owner, types) or [("", each) for each in types]
    if any(each.kind.name == "INVALID" for each in types):
        raise Left("a constructor of which libclang does not tell the types")
    made = MadeEntry(owner.name, parameters_of(context, given, extras.arguments), extras.stars)
    if any(each.call for each in made.parameters):
        made.keys["cpp"] = f"{_new(owner)}({', '.join(each.call or each.name for each in made.parameters)})"
    return _finished(made, extras)


def _new(owner: Class) -> str:
    if owner.held is Held.POINTER:
        return f"new {owner.cpp}"
    return owner.cpp if owner.held is Held.VALUE else f"std::make_shared<{owner.cpp}>"


def _finished(made: MadeEntry, extras: Extras) -> MadeEntry:
    for nurse, patient in extras.keep_alive:
        if nurse != 1 or not 0 <= patient - 2 < len(made.parameters):
            raise Left(f"keep_alive<{nurse}, {patient}> of a constructor")
        name = made.parameters[patient - 2].name
        was = made.keys.get("holds")
        made.keys["holds"] = name if was is None else [*(was if isinstance(was, list) else [was]), name]
    if extras.is_blocking:
        made.keys["blocking"] = True
    if extras.doc:
        made.keys["doc"] = extras.doc
    return made


def _factory(context: BindingContext, cursor: Any, extras: Extras, owner: Class) -> MadeEntry:
    what = callable_of(cursor)
    kept = list(extras.keep_alive)
    extras.keep_alive = []
    made = made_of(context, owner.name, what, extras, owner, is_static=True)
    made.word, made.result = "", ""
    for key in ("release", "belongs_to"):
        made.keys.pop(key, None)
    extras.keep_alive = kept
    return _finished(made, extras)


def _placed(context: BindingContext, arguments: Sequence[Any], owner: Class) -> MadeEntry:
    """nanobind's `__init__`: a lambda that makes the object where its first argument is."""
    what = callable_of(arguments[1])
    code = code_of(context, what)
    found = _PLACEMENT.search(code.text) if code is not None else None
    if code is None or not found or what.parameters[0][0] != found[1] or code.text.count(found[1]) != 2:
        raise Left("an __init__ that does more than make the object in its place")
    extras = extras_of(arguments[2:])
    made = MadeEntry(owner.name, parameters_of(context, what.parameters[1:], extras.arguments), extras.stars)
    text = code.text
    head = re.sub(rf"^(\[\]\s*\()[^,()]*\b{found[1]}\s*,?\s*", r"\1", text)
    is_value = owner.held is Held.VALUE
    put = "return " if is_value else "return new "
    if owner.held in (Held.SHARED, Held.OVERRIDDEN):
        head = _PLACEMENT.sub("return new ", head, count=1)
        made.keys["result"] = f"std::shared_ptr<{owner.cpp}>(value)"
    made.keys["cpp"] = _PLACEMENT.sub(put, head, count=1)
    return _finished(made, extras)


def _own_parameters(owner: Class, types: Sequence[Any]) -> list[tuple[str, Any]]:
    """The parameters of C++'s constructor that takes these types: by their names, and with types as it spells them."""
    wanted = [_alike(each) for each in types]
    for each in owner.declaration.get_children():
        if each.kind.name == "CONSTRUCTOR":
            own = [(one.spelling, one.type) for one in each.get_arguments()][: len(wanted)]
            if [_alike(type) for _, type in own] == wanted:
                return own
    return []


def _alike(type: Any) -> str:
    spelled = type.get_canonical().spelling
    return without_words(spelled.removesuffix(" &&").removesuffix(" &"))


# --- operators ---


def operator(context: BindingContext, definition: BoundDefinition, owner: Class) -> MadeEntry | None:
    """`self + self` and the like; None where a definition is none."""
    cursor = bare(definition.arguments[0])
    kind, _ = bound(cursor.type)
    if kind not in ("op_", "op_impl") and not _is_self(cursor):
        return None
    while cursor.kind.name == "UNEXPOSED_EXPR":
        cursor = next(iter(cursor.get_children()))
    text = " ".join(text_of(cursor).split())
    operands = list(cursor.get_arguments())
    extras = extras_of(definition.arguments[1:])
    if found := re.fullmatch(r"(?:\w+::)?(hash|abs|repr|str|int_|float_|bool_)\s*\(\s*(?:\w+::)?self\s*\)", text):
        return _converted(context, found[1], owner, extras)
    if len(operands) == 1:
        sign = text[:1]
        if sign not in _UNARY:
            raise Left(f"the operator {text}")
        made = MadeEntry(_UNARY[sign], [], ())
        return _with_result(context, made, owner, f"operator{sign}", None, extras)
    sign = cursor.spelling.removeprefix("operator")
    if len(operands) != 2 or sign not in _SIGNS:
        raise Left(f"the operator {text}")
    return _binary(context, sign, operands, owner, extras)


def _is_self(cursor: Any) -> bool:
    return any(each.kind.name == "DECL_REF_EXPR" and each.spelling == "self" for each in below(cursor))


def _binary(context: BindingContext, sign: str, operands: Sequence[Any], owner: Class, extras: Extras) -> MadeEntry:
    name = _BINARY[_SIGNS[sign]]
    is_own = [bound(each.type)[0] == "self_t" for each in operands]
    if not is_own[0]:
        name = name.replace("__", "__r", 1)
    other = operands[1] if is_own[0] else operands[0]
    if all(is_own):
        spelled, right = owner.name, owner.cpp
    else:
        type = context.type(other.type)
        arguments = bound(other.type)[1]
        type = context.type(arguments[0]) if arguments else type
        spelled, right = context.spelling.of(type), type.canonical
    made = MadeEntry(name, parameters_of(context, (), ()), ())
    from wrapper_gen.bindings.entries import EntryParameter

    made.parameters = [EntryParameter("other", spelled)]
    if _SIGNS[sign] in _COMPARES:
        made.result = "bool"
        return _finished(made, extras)
    if name.startswith("__i") and sign.endswith("="):
        return _finished(made, extras)
    return _with_result(context, made, owner, f"operator{sign}", right, extras)


def _converted(context: BindingContext, name: str, owner: Class, extras: Extras) -> MadeEntry:
    made = MadeEntry(f"__{name.rstrip('_')}__", [], ())
    simple = {"hash": "u64", "repr": "text", "str": "text", "int_": "i64", "float_": "f64", "bool_": "bool"}
    if name in simple:
        made.result = simple[name]
        return _finished(made, extras)
    return _with_result(context, made, owner, name, None, extras)


def _with_result(
    context: BindingContext, made: MadeEntry, owner: Class, member: str, right: str | None, extras: Extras
) -> MadeEntry:
    """The result of an operator is what C++ declares; an object of the class where that is not found."""
    type = _declared_result(context, owner, member, right)
    if type is None or context.spelling.class_of(type) == owner.canonical:
        made.result = owner.name
        if owner.held is Held.POINTER:
            made.keys["result"] = f"new {owner.cpp}(std::move(value))"
        elif owner.held is not Held.VALUE:
            made.keys["result"] = f"std::make_shared<{owner.cpp}>(std::move(value))"
    else:
        made.result = context.spelling.of(type, is_result=True)
    return _finished(made, extras)


def _declared_result(context: BindingContext, owner: Class, member: str, right: str | None) -> Any:
    declaration = owner.declaration
    scope = declaration.semantic_parent
    candidates = [*declaration.get_children(), *(scope.get_children() if scope is not None else ())]
    for each in candidates:
        if each.spelling != member or each.kind.name not in ("CXX_METHOD", "FUNCTION_DECL"):
            continue
        given = [context.type(one.type) for one in each.get_arguments()]
        if each.kind.name == "FUNCTION_DECL" and (not given or context.spelling.class_of(given[0]) != owner.canonical):
            continue
        rest = given if each.kind.name == "CXX_METHOD" else given[1:]
        if right is None and not rest:
            return context.type(each.result_type)
        if right is not None and len(rest) == 1 and _fits(rest[0].canonical, right):
            return context.type(each.result_type)
    return None


def _fits(parameter: str, right: str) -> bool:
    return without_words(parameter.removesuffix(" &")) == without_words(right).removeprefix("::")


# --- properties ---


def field(context: BindingContext, definition: BoundDefinition, owner: Class) -> tuple[str, object]:
    """The name of a property and what `fields` says of it."""
    method = definition.method
    if "static" in method:
        raise Left("a property of a class itself: the language has static methods, and constants of modules")
    is_read_only = "readonly" in method or method.endswith("_ro")
    name, arguments = definition.name, definition.arguments
    what = callable_of(arguments[1])
    if what.form is CallableForm.FIELD and "prop" not in method:
        return name, _member(context, what, definition, owner, is_read_only)
    extras = extras_of(arguments[2:] if is_read_only else arguments[3:])
    extras.policy = extras.policy or "reference_internal"
    if what.form is CallableForm.FIELD:
        return name, _member(context, what, definition, owner, is_read_only)
    made = made_of(context, name, what, extras, owner)
    if made.parameters:
        raise Left("a property whose getter has further parameters")
    keys = {**made.keys}
    if is_read_only or _is_null(arguments[2]):
        return name, {"type": made.result, **keys} if keys else made.result
    setter = callable_of(arguments[2])
    setting = made_of(context, name, setter, Extras(), owner)
    said = setting.keys.get("cpp", name)
    usual = (f"set_{name}", f"set{name[:1].upper()}{name[1:]}", name)
    if not keys and setter.form is CallableForm.MEMBER and said in usual:
        return name, f"mut {made.result}"
    rest = {key: value for key, value in setting.keys.items() if key in ("cpp", "holds", "takes", "blocking")}
    return name, {
        "type": made.result,
        **keys,
        "set": said if list(rest) == ["cpp"] and setter.form is CallableForm.MEMBER else rest,
    }


def _is_null(cursor: Any) -> bool:
    return text_of(cursor) in ("nullptr", "NULL") or bound(cursor.type)[0] == "none"


def _member(
    context: BindingContext, what: BoundCallable, definition: BoundDefinition, owner: Class, is_read_only: bool
) -> object:
    """A data member."""
    type = context.type(what.result)
    is_set = not is_read_only and not type.is_const
    extras = extras_of(definition.arguments[2:])
    doc: dict[str, object] = {"doc": extras.doc} if extras.doc else {}
    own: dict[str, object] = {} if what.name == definition.name else {"cpp": what.name}
    of = context.classes.get(context.spelling.class_of(type))
    if of is not None and of.held is not Held.VALUE:
        return {**_object_member(context, what, type, of, owner, definition.name, is_set), **doc}
    spelled = context.spelling.of(type)
    if "fn(" in spelled:
        raise Left("a property that is a callable: a method sets it")
    if type.kind is CKind.POINTER and is_set:
        raise Left("a pointer that Python would set, and that refers to what the call leaves")
    if is_set and (other := passed_as(context, type)):
        value = made_of_passed(context, type, definition.name)
        code = f"[]({owner.cpp} &self, {other}{definition.name}) {{ self.{what.name} = {value}; }}"
        return {"type": spelled, **own, "set": {"cpp": code}, **doc}
    shown = f"mut {spelled}" if is_set else spelled
    return {"type": shown, **own, **doc} if own or doc else shown


def _object_member(
    context: BindingContext, what: BoundCallable, type: Any, of: Class, owner: Class, property_name: str, is_set: bool
) -> dict[str, object]:
    name, cpp = what.name, of.cpp
    if type.template == "std::shared_ptr":
        return {"type": f"{'mut ' if is_set else ''}{of.name}?", "cpp": name}
    if type.kind is CKind.POINTER:
        shown, value = f"{of.name}?", f"self->{name}"
    else:
        shown, value = of.name, f"&self->{name}"
    self = "self->" if owner.held is not Held.VALUE else "self."
    value = value.replace("self->", self)
    if type.is_const or (type.target is not None and type.target.is_const):
        value = f"const_cast<{cpp} *>({value})"
    keys: dict[str, object] = {"type": shown, "cpp": value, "release": "nothing", "belongs_to": "self"}
    if of.held is not Held.POINTER:
        keys["cpp"] = f"std::shared_ptr<{cpp}>(std::shared_ptr<void>(), {value})"
        del keys["release"]
    if is_set:
        given = f"{cpp} *value" if type.kind is CKind.POINTER else f"const {cpp} &value"
        setter: dict[str, object] = {"cpp": f"[]({owner.cpp} &self, {given}) {{ self.{name} = value; }}"}
        if type.kind is CKind.POINTER:
            setter["holds_last"] = property_name
        keys["set"] = setter
    return keys
