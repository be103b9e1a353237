"""Entries of the spec: the signature, what C++ does, and what is said of the result, from one bound callable."""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from wrapper_gen.bindings.adapting import adapted
from wrapper_gen.bindings.callables import BoundCallable, CallableForm
from wrapper_gen.bindings.classes import Class, Held
from wrapper_gen.bindings.code import CarriedCode, CodeRewriter
from wrapper_gen.bindings.context import BindingContext
from wrapper_gen.bindings.cursors import below, is_of_binder, place
from wrapper_gen.bindings.defaults import Default, default_of
from wrapper_gen.bindings.extras import Extras, NamedArgument
from wrapper_gen.bindings.outcomes import Left
from wrapper_gen.bindings.results import result_of
from wrapper_gen.headers.declarations import CKind

_LOOKUPS = re.compile(r"__(get|set|del)item__$")
_CHECKED = ("__getitem__", "__setitem__", "__delitem__")
NO_ARRAYS: Mapping[str, str] = {}
_INTEGERS = re.compile(r"[iu]\d+|usize")


@dataclass(slots=True)
class EntryParameter:
    """A parameter in the spec; `call` is what the written call has for it, where that is not its name."""

    name: str
    type: str
    default: str = ""
    call: str = ""

    def __str__(self) -> str:
        return f"{self.name}: {self.type}" + (f" = {self.default}" if self.default else "")


@dataclass(slots=True)
class MadeEntry:
    """An entry in the making."""

    name: str
    parameters: list[EntryParameter]
    stars: Sequence[tuple[int, str]]
    keys: dict[str, object] = field(default_factory=dict)
    result: str = ""
    word: str = ""

    def data(self) -> dict[str, object]:
        shown: list[str] = [str(each) for each in self.parameters]
        for at, star in sorted(self.stars, reverse=True):
            shown.insert(at, star)
        signature = f"{self.word}{self.name}({', '.join(shown)})" + (f" -> {self.result}" if self.result else "")
        return {"def": signature, **self.keys}


def python_name(name: str) -> str:
    """A parameter's name that is no keyword of Python's."""
    return f"{name}_" if keyword.iskeyword(name) else name


def made_of(
    context: BindingContext,
    name: str,
    what: BoundCallable,
    extras: Extras,
    owner: Class | None,
    *,
    is_static: bool = False,
) -> MadeEntry:
    """The entry of a function, a method or a static method.

    Raises:
        Left: the language has no equivalent.
    """
    if what.cursor.kind.name == "CXX_METHOD" and context.is_dropped(what.cursor):
        raise Left(f"{what.name}, of the binding code, has Python objects in its code")
    code = code_of(context, what, is_lookup=bool(_LOOKUPS.match(name)))
    given = list(what.parameters)
    is_method = owner is not None and not is_static
    if is_method and what.form is not CallableForm.MEMBER:
        _refuse_strange(context, given, owner)
        given = given[1:]
    parameters = parameters_of(context, given, extras.arguments, code.arrays.parameters if code is not None else {})
    stars = [(at - (is_method and at > len(extras.arguments)), star) for at, star in extras.stars]
    made = MadeEntry(name, parameters, stars)
    for each in code.arrays.parameters if code is not None else ():
        context.notes.append((place(what.cursor), f"{each} of {name} converts no array of another type, nor a list"))
    if code is not None:
        made.keys["cpp"] = _called_with(context, code.text, what, parameters, is_method) or code.text
    elif cpp := _cpp(what, name, owner, is_static):
        made.keys["cpp"] = cpp
    if cpp := adapted(context, what, code, owner if is_method else None):
        made.keys["cpp"] = cpp
    _calls(made, what, code)
    result = result_of(context, what, code, extras, owner if is_method else None)
    made.result = result.type
    made.keys.update(result.keys)
    _more(context, made, extras, code, is_method=is_method, has_object=result.has_object)
    _take(context, made, given, owner, is_member=what.form is CallableForm.MEMBER)
    if name in _CHECKED and made.parameters and _INTEGERS.fullmatch(made.parameters[0].type):
        made.parameters[0].type = "position[...]"
    if is_static:
        made.word = "static "
    return made


def _called_with(
    context: BindingContext, text: str, what: BoundCallable, parameters: Sequence[EntryParameter], is_method: bool
) -> str:
    """The call of code that takes one object as a smart pointer and another one as a reference; else empty.

    A lambda by itself gets all objects in one form.
    """
    types = [context.type(each) for _, each in what.parameters]
    smart = [
        each.template == "std::shared_ptr" and bool(context.spelling.class_of(each.arguments[0])) for each in types
    ]
    others = [bool(context.spelling.class_of(each)) for each in types]
    if not any(smart) or not any(others):
        return ""
    names = [*(["self"] if is_method else []), *(each.name for each in parameters)]
    given = []
    for name, type, is_object in zip(names, types, others, strict=True):
        is_shared = is_object and context.classes[context.spelling.class_of(type)].held is not Held.VALUE
        given.append(f"&*{name}" if is_shared and type.kind is CKind.POINTER else f"*{name}" if is_shared else name)
    return f"({text})({', '.join(given)})"


def code_of(context: BindingContext, what: BoundCallable, *, is_lookup: bool = False) -> CarriedCode | None:
    """The code that is carried over: that of a lambda, and of a function that has the binder's names in it."""
    if what.form is CallableForm.LAMBDA:
        return _noted(context, _rewriter(context, what, what.cursor, is_lookup).rewritten())
    definition = what.cursor.get_definition() if what.form is CallableForm.FUNCTION else None
    if definition is None or definition.kind.name != "FUNCTION_DECL" or place(definition).path not in context.paths:
        return None
    if not uses_binder(definition):
        if context.is_dropped(definition):
            raise Left(f"{definition.spelling} uses code that has Python objects in it")
        return None
    context.inlined.add(definition.get_usr())
    return _noted(context, _rewriter(context, what, definition, is_lookup).rewritten())


def _rewriter(context: BindingContext, what: BoundCallable, cursor: Any, is_lookup: bool) -> CodeRewriter:
    return CodeRewriter(cursor, what.parameters, is_lookup=is_lookup, is_dropped=context.is_dropped)


def uses_binder(cursor: Any) -> bool:
    """Whether code has names of the binder's in it."""
    return any(
        each.referenced is not None and is_of_binder(each.referenced)
        for each in below(cursor)
        if each.kind.name in ("TYPE_REF", "TEMPLATE_REF", "NAMESPACE_REF", "DECL_REF_EXPR", "MEMBER_REF_EXPR")
    )


def _noted(context: BindingContext, code: CarriedCode) -> CarriedCode:
    context.exceptions |= code.exceptions
    context.has_arrays |= code.arrays.needs_class
    return code


def parameters_of(
    context: BindingContext,
    given: Sequence[tuple[str, Any]],
    named: Sequence[NamedArgument],
    arrays: Mapping[str, str] = NO_ARRAYS,
) -> list[EntryParameter]:
    """The parameters by their names and types, with defaults; `arrays` are the types of those that are memory."""
    made: list[EntryParameter] = []
    for at, (own, clang_type) in enumerate(given):
        said = named[at] if at < len(named) else NamedArgument("")
        name = python_name(said.name or own or f"a{at}")
        if any(each.name == name for each in made):
            name = f"{name}{at}"
        spelled = arrays.get(own) or context.spelling.of(context.type(clang_type))
        one = EntryParameter(name, spelled)
        if said.none and not spelled.endswith("?"):
            one.type = optional(spelled)
        if said.default is not None:
            _with_default(one, default_of(context, said.default, spelled))
        made.append(one)
    return made


def optional(spelled: str) -> str:
    """A type, or None."""
    return f"({spelled})?" if " | " in spelled or spelled.startswith("fn(") else f"{spelled}?"


def _with_default(one: EntryParameter, default: Default) -> None:
    if default.is_optional and not (one.type.endswith("?") and not one.type.startswith("fn(")):
        one.type = optional(one.type)
    one.default = default.text
    if default.cpp:
        one.call = f"{one.name} ? *{one.name} : {default.cpp}"


def _calls(made: MadeEntry, what: BoundCallable, code: CarriedCode | None) -> None:
    """Where a default is C++'s own, the call is written out."""
    if not any(each.call for each in made.parameters):
        return
    given = ", ".join(each.call or each.name for each in made.parameters)
    if code is not None:
        raise Left("a lambda with a default that is no literal")
    made.keys["cpp"] = f"{made.keys.get('cpp', what.name)}({given})"


def _cpp(what: BoundCallable, name: str, owner: Class | None, is_static: bool) -> str:
    """The name of what is called; empty where the entry's own says it."""
    if what.form is CallableForm.MEMBER:
        return "" if what.name == name or _is_protocol(name, what.name) else what.name
    is_own = owner is not None and is_static and what.cpp.removeprefix("::") == f"{owner.canonical}::{name}"
    return "" if is_own else what.cpp


def _is_protocol(name: str, member: str) -> bool:
    """Whether C++'s operator is what a method of a protocol stands for."""
    return name.startswith("__") and member.startswith("operator")


def _refuse_strange(context: BindingContext, given: Sequence[tuple[str, Any]], owner: Class | None) -> None:
    """The first parameter of a method is its object."""
    assert owner is not None
    of = context.spelling.class_of(context.type(given[0][1])) if given else ""
    if of != owner.canonical and not (of and of in bases_of(context.classes, owner)):
        raise Left("the first parameter is not the object")


def bases_of(classes: Mapping[str, Class], of: Class) -> set[str]:
    """The canonical names of all bases that are bound."""
    out: set[str] = set()
    left = [each for each in of.bases if each in classes]
    while left:
        name = left.pop()
        out.add(name)
        left += [each for each in classes[name].bases if each in classes]
    return out


def _more(
    context: BindingContext,
    made: MadeEntry,
    extras: Extras,
    code: CarriedCode | None,
    *,
    is_method: bool,
    has_object: bool,
) -> None:
    if extras.is_blocking or (code is not None and code.is_blocking):
        made.keys["blocking"] = True
    kept = [_keep(made, nurse, patient, is_method) for nurse, patient in extras.keep_alive]
    for nurse, patient in kept:
        if nurse == "self" or not has_object:
            _add(made.keys, "holds", patient) if nurse == "self" else None
        elif patient == "self" and "belongs_to" not in made.keys:
            made.keys["belongs_to"] = "self"
        elif patient != made.keys.get("belongs_to"):
            _add(made.keys, "belongs_to", patient)
    if extras.doc:
        made.keys["doc"] = extras.doc


def _keep(made: MadeEntry, nurse: int, patient: int, is_method: bool) -> tuple[str, str]:
    def named(at: int) -> str:
        if at == 0:
            return "result"
        if at == 1 and is_method:
            return "self"
        position = at - 1 - is_method
        if position >= len(made.parameters):
            raise Left(f"keep_alive of an argument {at} that is not there")
        return made.parameters[position].name

    return named(nurse), named(patient)


def _add(keys: dict[str, object], key: str, name: str) -> None:
    was = keys.get(key)
    keys[key] = name if was is None else [*(was if isinstance(was, list) else [was]), name]


def _object(owner: Class | None) -> str:
    """What a member is called on, in C++ of the spec."""
    return "self." if owner is not None and owner.held is Held.VALUE else "self->"


def _take(
    context: BindingContext, made: MadeEntry, given: Sequence[tuple[str, Any]], owner: Class | None, *, is_member: bool
) -> None:
    """What C++ gets in a `std::unique_ptr` is taken away."""
    taken = []
    for one, (_, clang_type) in zip(made.parameters, given, strict=True):
        type = context.type(clang_type)
        if type.template == "std::unique_ptr" and (of := context.spelling.class_of(type.arguments[0])):
            taken.append(one.name)
            one.call = f"std::unique_ptr<{context.classes[of].cpp}>({one.name})"
    if not taken:
        return
    if "cpp" in made.keys and str(made.keys["cpp"]).startswith("["):
        raise Left("a lambda that takes a std::unique_ptr")
    written = ", ".join(each.call or each.name for each in made.parameters)
    called = str(made.keys.get("cpp", made.name))
    made.keys["cpp"] = f"{_object(owner)}{called}({written})" if is_member else f"({called}({written}))"
    made.keys["takes"] = taken[0] if len(taken) == 1 else taken
