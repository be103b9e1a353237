"""The section `callbacks`: callables with a name, whose arguments in C are listed one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from wrapper_gen.diagnostics import Fix, Span, did_you_mean
from wrapper_gen.expressions import mentions
from wrapper_gen.frozen import replace
from wrapper_gen.model import (
    CallbackArgument,
    Code,
    ErrorType,
    Lasting,
    Listed,
    NamedCallback,
    Part,
    UserData,
    Written,
)
from wrapper_gen.resolve.entities import class_name
from wrapper_gen.resolve.fixes import with_key
from wrapper_gen.resolve.parameters import possible_result
from wrapper_gen.resolve.reports import check_error
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.resolve.types import parse_type
from wrapper_gen.types.callables import comes_with_length
from wrapper_gen.types.model import Fn, Text, Type, Void
from wrapper_gen.types.queries import (
    has_callables,
    has_length,
    is_integer,
    is_list,
    is_void,
)
from wrapper_gen.types.tuples import has_names_within, items_of, named_tuple

_ROLES = {
    "user_data": Part.USER_DATA,
    "length": Part.LENGTH,
    "context": Part.CONTEXT,
    "capacity": Part.CAPACITY,
    "error": Part.ERROR,
}
_FILLED = {"": Written.ALL, "result": Written.RESULT, "nul": Written.NUL, "capacity": Written.CAPACITY}
_OWN_WORDS = ("value", "error")
"""What expressions call the result of Python and the text of an exception."""


def declare_callbacks(scope: Scope, errors: Sequence[ErrorType]) -> None:
    """Make each entry of `callbacks` a type by its name."""
    scope.findings.statuses.update({each.type: each for each in errors if each.ok})
    for entry in scope.entries("callbacks"):
        name = class_name(entry, scope, "a callback")
        if scope.names.has_type(name) or name in scope.findings.named_types:
            scope.error("WG022", f"two types are named {name!r}", scope.span(entry, "name"), "rename one")
        made = scope.of_row(entry, partial(_resolved, entry, name))
        scope.findings.named_types[name] = made.type
        scope.findings.callbacks[name] = made


def _resolved(entry: Map, name: str, scope: Scope) -> NamedCallback:
    return ListedEntry(entry, scope, name).resolved()


class ListedEntry:
    """One entry while it is resolved."""

    def __init__(self, entry: Map, scope: Scope, name: str) -> None:
        self._entry = entry
        self._scope = scope
        self._name = name
        self._is_spread = False

    def resolved(self) -> NamedCallback:
        entry, scope = self._entry, self._scope
        returns = self._returns()
        arguments = self._with_lengths(list(self._arguments()))
        self._check_names(arguments)
        filled = self._filled(arguments, returns)
        if filled is not None:
            arguments = self._with_room(arguments, filled)
        raises = self._raises()
        listed = Listed(
            arguments=tuple(arguments),
            cpp_type=scope.code(entry, "cpp_type"),
            result=self._expression("result"),
            filled=filled,
            capacity=self._capacity(arguments),
            user_data=None if self._place_of_data() else self._expression("user_data"),
            raises=raises,
        )
        on_exception = self._expression("on_exception")
        self._check_result(listed, returns)
        if raises and on_exception is None:
            hint = f"say which status C gets for all other exceptions: on_exception: …, a value of {raises.type}"
            scope.error("WG115", "no status is said for most exceptions", scope.span(entry, "raises"), hint)
        seen = tuple(each.type for each in arguments if each.type is not None)
        names = [each.name for each in arguments if each.name]
        is_told = on_exception is not None and mentions(on_exception.text, "error", *names)
        is_told = is_told or raises is not None or any(each.part is Part.ERROR for each in arguments)
        return NamedCallback(
            type=Fn(seen, returns, self._name, self._is_spread, is_told),
            listed=listed,
            scope=Lasting(scope.text(entry, "scope", Lasting.UNSAID)),
            user_data=self._user_data(listed),
            on_exception=on_exception,
            any_thread=entry.get("called_on") == "any",
            doc=scope.text(entry, "doc"),
        )

    # --- what Python sees ---

    def _listed(self) -> Sequence[object]:
        return self._entry.get("params") or ()

    def _returns(self) -> Type:
        text, span = self._scope.type_text(self._entry, "return"), self._scope.span(self._entry, "return")
        if not text.strip():
            return Void()
        found = possible_result(parse_type(text, span, self._scope), span, self._scope)
        return self._plain(found, span) or Void()

    def _plain(self, type_: Type | None, span: Span) -> Type | None:
        """The type where values of it can go to a callable and come from one."""
        scope = self._scope
        if type_ is None:
            return None
        if has_callables(type_):
            hint = "a callable is passed to functions, each by itself"
            scope.error("WG032", f"a callable has neither arguments nor results that are {type_}", span, hint)
            return None
        if named_tuple(type_) or has_names_within(type_):
            scope.error("WG084", "what a callable returns is a plain tuple", span, "write the types alone: (i64, text)")
            return None
        return type_

    def _arguments(self) -> Iterator[CallbackArgument]:
        listed = self._listed()
        for i, each in enumerate(listed):
            if isinstance(each, dict):
                yield self._argument(each)
                continue
            span = self._scope.document.span(listed, i)
            is_out = each == "out"
            if not is_out:
                hint = f"{{name: {each}, type: …}} for what Python sees, else {{role: context, name: {each}}}"
                fix = Fix("Python does not see it", span, f"{{role: context, name: {each}}}")
                self._scope.error("WG113", f"{each!r} does not say what this argument is", span, hint, fixes=(fix,))
            yield CallbackArgument(Part.OUT if is_out else Part.CONTEXT, span)

    def _argument(self, said: Map) -> CallbackArgument:
        scope, role = self._scope, self._scope.text(said, "role")
        span = scope.document.start(said)
        name = scope.identifier(said, "name", "an argument") if "name" in said else ""
        for key, needs in (("of", "length"), ("copy", "error"), ("type", ""), ("spread", "")):
            if key in said and role != needs:
                what = f"role: {needs}" if needs else "what Python sees"
                scope.error("WG113", f"{key!r} is for {what}", scope.document.key_span(said, key), f"drop {key!r}")
        if role:
            copy = scope.expression(said, "copy") if role == "error" and "copy" in said else ""
            of = said.get("of", ())
            of = (of,) if isinstance(of, str) else tuple(of)
            return CallbackArgument(_ROLES[role], span, name, of=of, copy=copy)
        if not name or "type" not in said:
            hint = "for example {name: size, type: usize}, {role: user_data}, or out"
            fixes = (with_key(said, "Python does not see it", "role: context", scope),) if name else ()
            scope.error("WG113", "the spec does not say what this argument is", span, hint, fixes=fixes)
        return CallbackArgument(Part.SEEN, span, name, self._seen(said))

    def _seen(self, said: Map) -> Type:
        scope, span = self._scope, self._scope.span(said, "type")
        found = self._plain(parse_type(scope.type_text(said, "type"), span, scope), span) if "type" in said else None
        if found is not None and is_void(found):
            scope.error("WG032", "an argument cannot be void", span, "leave it out")
        found = possible_result(found, span, scope)
        if said.get("spread"):
            self._is_spread = True
            if found is not None and not is_list(found):
                scope.error(
                    "WG113", f"{found} is no list, whose elements could be arguments", span, "for example [i64]"
                )
        return found if found is not None and not is_void(found) else Text()

    # --- lengths and room ---

    def _with_lengths(self, arguments: list[CallbackArgument]) -> list[CallbackArgument]:
        """Each argument with the number of the one that is its length."""
        names = [each.name if each.part is Part.SEEN else "" for each in arguments]
        represented = [each.type for each in self._scope.findings.representations.values()]
        for i, each in enumerate(arguments):
            if each.part is not Part.LENGTH:
                continue
            for name in each.of or (each.name,):
                of = names.index(name) if name in names else -1
                if of < 0 or not comes_with_length(arguments[of].type or Void(), represented):
                    both = zip(names, arguments, strict=True)
                    known = [n for n, a in both if a.type and comes_with_length(a.type, represented)]
                    way = "say `of`: the argument that is bytes, text, or a list of numbers, texts or such values"
                    hint = did_you_mean(name, known) or way
                    self._scope.error("WG083", f"the length of {name!r}, which has none", each.span, hint)
                elif arguments[of].part is Part.SIZED:
                    hint = "drop one of the two"
                    self._scope.error("WG113", f"two arguments are the length of {name!r}", each.span, hint)
                else:
                    arguments[of] = replace(arguments[of], part=Part.SIZED, length=i)
        return [replace(each, name="") if each.part is Part.LENGTH and not each.of else each for each in arguments]

    def _check_names(self, arguments: Sequence[CallbackArgument]) -> None:
        seen: dict[str, CallbackArgument] = {}
        for each in arguments:
            if each.name in _OWN_WORDS and each.part is not Part.ERROR:
                hint = "`value` is what Python returned, `error` the text of an exception"
                self._scope.error("WG021", f"an argument cannot be called {each.name!r}", each.span, hint)
            if each.name and seen.setdefault(each.name, each) is not each:
                first = (seen[each.name].span, "the other one")
                self._scope.error("WG022", f"two arguments are named {each.name!r}", each.span, "rename one", first)
        spread = [i for i, each in enumerate(arguments) if each.type is not None]
        listed = self._listed()
        spreads = [i for i, each in enumerate(listed) if isinstance(each, dict) and each.get("spread")]
        if spreads and spreads != spread[-1:]:
            where = arguments[spreads[0]].span
            self._scope.error("WG113", "only the last argument is spread", where, "move it behind the others")
        for part in (Part.USER_DATA, Part.ERROR, Part.CAPACITY):
            found = [each for each in arguments if each.part is part]
            if len(found) > 1:
                hint = "leave one; {role: context} is an argument that is not used"
                self._scope.error("WG113", f"two arguments with role: {part}", found[1].span, hint)

    def _filled(self, arguments: Sequence[CallbackArgument], returns: Type) -> Written | None:
        """How C learns how much of its room the result has filled."""
        scope, about = self._scope, self._entry.get("out")
        outs = [each for each in arguments if each.part is Part.OUT]
        capacity = next((each for each in arguments if each.part is Part.CAPACITY), None)
        if about is None:
            if capacity:
                hint = "say what it is the capacity of: out: {length: result}"
                scope.error("WG113", "a capacity of nothing", capacity.span, hint)
            return None
        span = scope.document.key_span(self._entry, "out")
        if not outs:
            scope.error(
                "WG113", "the spec does not say which argument is the buffer", span, "list `out` among the params"
            )
            return None
        items = items_of(returns)
        if len(items) < len(outs) or not has_length(items[len(outs) - 1]):
            hint = "return text, bytes or a list of numbers; of several results, the one for the last `out`"
            scope.error("WG114", f"{returns} does not fill a buffer", span, hint)
            return None
        said = scope.text(about, "capacity")
        integers = [each.name for each in arguments if each.type and is_integer(each.type)]
        if not capacity and said not in integers:
            known = did_you_mean(said, integers) or "list {role: capacity} among the params"
            scope.error("WG113", "the spec does not say how large the buffer is", span, known)
            return None
        return _how_much_is_filled(about, scope, "WG113", "what C gets", said)

    def _with_room(self, arguments: Sequence[CallbackArgument], filled: Written) -> list[CallbackArgument]:
        """The last `out` is room; C has a pointer to a capacity that it changes."""
        said = self._scope.text(self._entry["out"], "capacity")
        last = max(i for i, each in enumerate(arguments) if each.part is Part.OUT)
        found = []
        for i, each in enumerate(arguments):
            part = Part.ROOM if i == last else each.part
            if part is Part.SEEN and each.name == said and filled is Written.CAPACITY:
                part = Part.POINTED
            found.append(replace(each, part=part))
        return found

    def _capacity(self, arguments: Sequence[CallbackArgument]) -> int:
        """Which argument says how much room there is; 0 without any."""
        said = self._scope.text(self._entry.get("out") or {}, "capacity")
        found = (i for i, each in enumerate(arguments) if each.part is Part.CAPACITY or (said and each.name == said))
        return next(found, 0)

    # --- what C gets ---

    def _expression(self, key: str) -> Code | None:
        if self._entry.get(key) is None or (key == "user_data" and self._entry[key] in ("first", "last")):
            return None
        return Code(self._scope.expression(self._entry, key), self._scope.span(self._entry, key))

    def _place_of_data(self) -> bool:
        """Whether an argument is the user data."""
        listed = self._listed()
        is_listed = any(isinstance(each, dict) and each.get("role") == "user_data" for each in listed)
        if is_listed and self._entry.get("user_data") is not None:
            where = self._scope.document.key_span(self._entry, "user_data")
            self._scope.error(
                "WG075", "`user_data` stands beside an argument with that role", where, "drop one of the two"
            )
        return is_listed

    def _user_data(self, listed: Listed) -> UserData:
        if any(each.part is Part.USER_DATA for each in listed.arguments):
            return UserData.LISTED
        if listed.user_data:
            return UserData.COMPUTED
        return UserData(self._scope.text(self._entry, "user_data", UserData.DEDUCED))

    def _raises(self) -> ErrorType | None:
        scope, type_ = self._scope, self._scope.text(self._entry, "raises")
        if type_:
            check_error(type_, self._entry, "raises", scope)
        return self._scope.findings.statuses.get(type_)

    def _result_span(self) -> Span:
        return self._scope.span(self._entry, "return" if "return" in self._entry else "name")

    def _check_result(self, listed: Listed, returns: Type) -> None:
        """Whether each item of the result has its place, and C gets something definite."""
        scope, entry = self._scope, self._entry
        written = sum(each.part in (Part.OUT, Part.ROOM) for each in listed.arguments)
        span = self._result_span()
        items = 0 if is_void(returns) else len(items_of(returns)) if written else 1
        if items < written:
            hint = f"return a tuple of {written}, or drop an `out`"
            scope.error("WG114", f"{written} arguments are filled by {items} results", span, hint)
        if listed.result and is_void(returns) and mentions(listed.result.text, "value"):
            hint = "say of which type `value` is: `return`; or an expression without it"
            scope.error("WG097", "`result` of a callback that returns nothing", listed.result.span, hint)
        is_filled = listed.filled is Written.RESULT
        rest = items - written + (listed.raises is not None) + is_filled
        if listed.result is None and written <= items and rest > 1:
            hint = "list an `out` for each of the others, or say what C gets: result: an expression over `value`"
            scope.error("WG114", "C gets one value, and there are several for it", span, hint)
        if listed.result is None and listed.raises and mentions(listed.raises.ok[0], "value"):
            hint = f"say it: result: …, a value of {listed.raises.type}; or list the values that are fine under `ok`"
            scope.error(
                "WG114", "which status means that all is well is a condition", scope.span(entry, "raises"), hint
            )


def _how_much_is_filled(about: Map, scope: Scope, code: str, result: str, capacity: str) -> Written:
    """What `length` of a buffer says, or a diagnostic with this code.

    Args:
        result: what `result` means there, in words.
        capacity: the parameter that has the capacity, which may be named as well.
    """
    length = scope.text(about, "length")
    if length not in (*_FILLED, capacity):
        hint = f"`result`, {result}; `capacity`, which C has a pointer to; `nul`, which ends it; or nothing"
        scope.error(code, f"{length!r} does not say how much is filled", scope.span(about, "length"), hint)
    return _FILLED.get(length, Written.CAPACITY)
