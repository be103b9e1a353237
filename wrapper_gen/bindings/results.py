"""What an entry says of its result: the type, who owns it, and what makes an object of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from wrapper_gen.bindings.adapting import passed_as, within
from wrapper_gen.bindings.callables import BoundCallable, CallableForm
from wrapper_gen.bindings.classes import Class, Held
from wrapper_gen.bindings.code import CarriedCode
from wrapper_gen.bindings.context import BindingContext
from wrapper_gen.bindings.cursors import below, without_words
from wrapper_gen.bindings.extras import Extras
from wrapper_gen.bindings.lists import Lists
from wrapper_gen.bindings.outcomes import Left
from wrapper_gen.frozen import frozen
from wrapper_gen.headers.declarations import CKind, Type

_ITERATOR = re.compile(r"__gnu_cxx::__normal_iterator<(?:const )?.* \*, ")
_REFERENCE = (CKind.REFERENCE, CKind.RVALUE)


@frozen
class Result:
    """A result; `has_object`: it is of a class, or lies in memory, so that something can own it."""

    type: str
    keys: dict[str, object]
    has_object: bool = False


def result_of(
    context: BindingContext, what: BoundCallable, code: CarriedCode | None, extras: Extras, owner: Class | None
) -> Result:
    """The result of an entry; `owner` is the class of a method."""
    if code is not None and code.pair:
        return _iterator(context, code)
    if code is not None and code.arrays.view is not None:
        return _view(what, code.arrays.view, owner)
    if code is not None and code.arrays.result:
        return Result(code.arrays.result, {}, has_object=True)
    if code is not None and code.lists.item is not None and context.type(what.result).canonical.endswith("::list"):
        return _list(context, code.lists)
    if code is not None and code.items:
        items = [_item(context, each) for each in code.items]
        return Result(f"({', '.join(items)}{',' * (len(items) == 1)})", {})
    type = context.type(what.result)
    of = context.spelling.class_of(type)
    if of:
        return _object(context, what, type, context.classes[of], extras.policy, owner)
    if type.template == "std::unique_ptr" and (of := context.spelling.class_of(type.arguments[0])):
        return _unique(context, type, context.classes[of])
    if type.template == "std::shared_ptr" and (of := context.spelling.class_of(type.arguments[0])):
        return _shared(context, context.classes[of])
    spelled = context.spelling.of(type, is_result=True)
    if "fn(" in spelled:
        raise Left("a callable of C++ that Python gets")
    return Result(spelled, *_within(context, type, extras.policy, owner))


def _list(context: BindingContext, lists: Lists) -> Result:
    """A list whose items are values."""
    if lists.items:
        return Result(f"[({', '.join(_item(context, each) for each in lists.items)})]", {})
    type = context.type(lists.item)
    if context.spelling.class_of(type) and context.classes[context.spelling.class_of(type)].held is not Held.VALUE:
        raise Left("a list of objects that is made item by item")
    is_text = type.kind is CKind.ARRAY
    return Result(f"[{'text' if is_text else context.spelling.of(type, is_result=True)}]", {})


def _view(what: BoundCallable, view: tuple[str, Sequence[str]], owner: Class | None) -> Result:
    """Memory of the object; its dimensions are C++ over the object."""
    if owner is None or not what.parameters:
        raise Left("an array of memory that no object has")
    item, dimensions = view
    name = what.parameters[0][0]
    self = "self." if owner.held is Held.VALUE else "self->"
    shown = [re.sub(rf"\b{name}\s*(?:\.|->)\s*", self, each) for each in dimensions]
    return Result(f"array[{item}; {', '.join(shown)}]", {"belongs_to": "self"}, has_object=True)


def _item(context: BindingContext, cursor: Any) -> str:
    type = context.type(cursor.type)
    if type.kind is CKind.ARRAY and type.target is not None and type.target.canonical.endswith("char"):
        return "text"
    return context.spelling.of(type, is_result=True)


def _object(
    context: BindingContext, what: BoundCallable, type: Type, of: Class, policy: str, owner: Class | None
) -> Result:
    """A class by value, by reference or by pointer."""
    name, cpp = of.name, of.cpp
    is_pointer, is_reference = type.kind is CKind.POINTER, type.kind in _REFERENCE
    is_const = type.target is not None and type.target.is_const
    if not is_pointer and not is_reference:
        return Result(name, _moved(of), has_object=True)
    address = "value" if is_pointer else "&value"
    if is_const:
        address = f"const_cast<{cpp} *>({address})"
    shown = f"{name}?" if is_pointer and not _is_made(what) else name
    is_copied = policy in ("copy", "move") or (
        is_reference and policy in ("", "automatic", "automatic_reference", "none")
    )
    own = owner is not None and owner.canonical == of.canonical
    if is_copied and not (own and is_reference and not is_const):
        return Result(shown, _copied(of, is_pointer, is_const=is_const), has_object=True)
    if of.held is Held.VALUE:
        raise Left(f"a {'pointer' if is_pointer else 'reference'} to {name}, which is held by value")
    if policy in ("", "automatic", "take_ownership") and is_pointer:
        return Result(shown, {} if of.held is Held.POINTER else {"result": f"std::shared_ptr<{cpp}>({address})"}, True)
    keys: dict[str, object] = {}
    if of.held is Held.POINTER:
        keys = {"result": address, "release": "nothing"} if address != "value" else {"release": "nothing"}
    else:
        keys = {"result": f"std::shared_ptr<{cpp}>(std::shared_ptr<void>(), {address})"}
    if owner is not None and policy != "reference":
        keys["belongs_to"] = "self"
    return Result(shown, keys, has_object=True)


def _is_made(what: BoundCallable) -> bool:
    """Whether what returns a pointer has always made the object: its code is here, and returns `new`."""
    code = what.cursor if what.form is CallableForm.LAMBDA else what.cursor.get_definition()
    returns = [each for each in below(code) if each.kind.name == "RETURN_STMT"] if code is not None else []
    made = [next((k.kind.name for k in below(each) if k.kind.name != "UNEXPOSED_EXPR"), "") for each in returns]
    return bool(made) and set(made) <= {"CXX_NEW_EXPR", "UNARY_OPERATOR", "CXX_THIS_EXPR"}


def _moved(of: Class) -> dict[str, object]:
    """What makes an object of one by value."""
    if of.held is Held.VALUE:
        return {}
    if of.held is Held.POINTER:
        return {"result": f"new {of.cpp}(std::move(value))"}
    return {"result": f"std::make_shared<{of.cpp}>(std::move(value))"}


def _copied(of: Class, is_pointer: bool, *, is_const: bool) -> dict[str, object]:
    if of.held is Held.VALUE:
        keys: dict[str, object] = {"result": "*value"} if is_pointer else {}
        return keys if is_const else keys | {"belongs_to": "nothing"}
    value = "*value" if is_pointer else "value"
    made = f"new {of.cpp}({value})" if of.held is Held.POINTER else f"std::make_shared<{of.cpp}>({value})"
    return {"result": f"value ? {made} : nullptr" if is_pointer else made}


def _unique(context: BindingContext, type: Type, of: Class) -> Result:
    if of.held is Held.POINTER:
        return Result(of.name, {"result": "value.release()"}, has_object=True)
    if of.held is Held.VALUE:
        return Result(of.name, {"result": "std::move(*value)"}, has_object=True)
    return Result(of.name, {"result": f"std::shared_ptr<{of.cpp}>(std::move(value))"}, has_object=True)


def _shared(context: BindingContext, of: Class) -> Result:
    if of.held in (Held.SHARED, Held.OVERRIDDEN):
        return Result(of.name, {}, has_object=True)
    raise Left(f"a std::shared_ptr of {of.name}, whose objects are not shared")


def _within(context: BindingContext, type: Type, policy: str, owner: Class | None) -> tuple[dict[str, object], bool]:
    """Objects within a list: those by value of a class that Python has by address are made one by one."""
    inside = within(type)
    item = inside.arguments[0] if inside.arguments else None
    if item is None:
        return {}, False
    if inside.template not in ("std::vector", "std::list", "std::deque", "std::optional"):
        passed_as(context, inside)  # which no other type with such objects is
        return {}, False
    of = context.classes.get(context.spelling.class_of(item))
    if of is None or of.held is Held.VALUE:
        return {}, of is not None
    if item.kind is CKind.POINTER:
        keys: dict[str, object] = {"release": "nothing"} if policy != "take_ownership" else {}
        if owner is not None and policy in ("reference_internal",):
            keys["belongs_to"] = "self"
        return keys, True
    kept = f"{of.cpp} *" if of.held is Held.POINTER else f"std::shared_ptr<{of.cpp}>"
    new = f"new {of.cpp}" if of.held is Held.POINTER else f"std::make_shared<{of.cpp}>"
    if inside.template == "std::optional":
        return {"result": f"value ? {new}(*value) : nullptr"}, True
    loop = f"for (auto &&each : value) out.push_back({new}(each));"
    return {"result": f"[&] {{ std::vector<{kept}> out; {loop} return out; }}()"}, True


def _iterator(context: BindingContext, code: CarriedCode) -> Result:
    of = code.pair[0].type.get_canonical()
    return Result(f"iter[{context.spelling.of(context.type(_element(of)), is_result=True)}]", {}, has_object=True)


def _element(iterator: Any) -> Any:
    """What an iterator steps over."""
    if iterator.kind.name == "POINTER":
        return iterator.get_pointee()
    if _ITERATOR.match(without_words(iterator.spelling)):
        return iterator.get_template_argument_type(0).get_pointee()
    if iterator.spelling.startswith(("std::", "const std::")) and iterator.get_num_template_arguments() > 0:
        return iterator.get_template_argument_type(0)
    for each in iterator.get_declaration().get_children():
        if each.kind.name == "CXX_METHOD" and each.spelling == "operator*":
            return each.result_type
    declaration = iterator.get_declaration()
    for each in declaration.get_children():
        if each.kind.name in ("TYPEDEF_DECL", "TYPE_ALIAS_DECL") and each.spelling == "value_type":
            return each.underlying_typedef_type
    raise Left("what an iterator steps over")
