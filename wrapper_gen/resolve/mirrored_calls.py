"""Calls that C makes: its arguments in its order, `cpp: "(user_data, data, data.size())"`, and what it gets.

The mirror of a call that Python makes: what a written call passes, C passes here, and `&x` is where C wants `x`. A
callable that `types` names is called so, and a method that Python overrides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from wrapper_gen.diagnostics import Fix, Span, did_you_mean
from wrapper_gen.expressions import mentions
from wrapper_gen.frozen import frozen, replace
from wrapper_gen.model import CallbackArgument, Code, ErrorType, Listed, NamedCallback, Part, UserData, Written
from wrapper_gen.resolve.cpp import says_several
from wrapper_gen.resolve.reports import check_error
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.types.callables import comes_with_length
from wrapper_gen.types.model import Fn, Type, Void
from wrapper_gen.types.queries import has_length, is_integer, is_text, is_void
from wrapper_gen.types.tuples import items_of
from wrapper_gen.written_calls import BadCall, Piece, WrittenCall, read_cpp

_OWN_WORDS = ("value", "error")
"""What expressions call the result of Python and the text of an exception."""
_EXPRESSIONS = ("result", "on_exception", "user_data", "length", "capacity")
"""Keys that may speak of C's arguments by their names."""
_NAME = re.compile(r"[A-Za-z_]\w*")
_ADDRESS = re.compile(r"&\s*([A-Za-z_]\w*)")
_SIZE = re.compile(r"([A-Za-z_]\w*)\s*\.\s*(?:size|length)\s*\(\s*\)")
_MEASURES = re.compile(r"(?:\.|->)\s*(?:size|length)\s*\(")
_FORMS = (
    "write a parameter, x.size(), user_data, &out where C wants the result, out for memory that it fills, capacity, "
    "&error, _, or another name, which only expressions use"
)


@frozen
class Seen:
    """An argument that Python sees."""

    name: str
    type: Type
    span: Span


def mirrored_call(entry: Map, scope: Scope) -> WrittenCall | None:
    """The arguments that `cpp` lists, with the name of what C calls or without.

    Raises:
        BadCall: it is not well-formed; its places are those of the text.
    """
    text = "" if says_several(entry) else scope.text(entry, "cpp")
    if not text.strip():
        return None
    back = text.startswith("(")
    try:
        found = read_cpp("f" * back + text)
    except BadCall as bad:
        raise BadCall(bad.message, bad.start - back, bad.end - back, bad.hint) from None
    return found if isinstance(found, WrittenCall) else None


class MirroredCall:
    """One entry while it is read.

    Args:
        entry: what has the keys.
        scope: where it is read.
        label: what the C++ type of the callable is called.
        seen: what Python is called with, in order.
        returns: what it returns.
        returns_span: where that stands.
        is_spread: whether the elements of the last argument are arguments of Python's.
    """

    def __init__(
        self,
        entry: Map,
        scope: Scope,
        label: str,
        seen: Sequence[Seen],
        returns: Type,
        *,
        returns_span: Span,
        is_spread: bool = False,
    ) -> None:
        self._entry = entry
        self._scope = scope
        self._label = label
        self._seen = {each.name: each for each in seen}
        self._returns = returns
        self._returns_span = returns_span
        self._is_spread = is_spread
        self._capacity_name = scope.text(entry, "capacity")
        self._is_pointed = False
        """Whether C has a pointer to the capacity."""

    def resolved(self) -> NamedCallback:
        entry, scope, returns = self._entry, self._scope, self._returns
        arguments = self._with_lengths(list(self._arguments()))
        self._check_names(arguments)
        filled = self._filled(arguments)
        raises = self._raises()
        result = self._expression("result")
        is_size = filled is Written.RESULT and result is not None and result.text == "value.size()"
        listed = Listed(
            arguments=tuple(arguments),
            cpp_type=scope.code(entry, "cpp_type"),
            result=None if is_size else result,
            filled=filled,
            capacity=self._capacity(arguments),
            user_data=None if self._has_data(arguments) else self._expression("user_data"),
            raises=raises,
        )
        on_exception = self._expression("on_exception")
        self._check_result(listed)
        if raises and on_exception is None:
            hint = f"say which status C gets for all other exceptions: on_exception: …, a value of {raises.type}"
            scope.error("WG115", "no status is said for most exceptions", scope.span(entry, "raises"), hint)
        named = [each.name for each in arguments if each.name]
        is_told = on_exception is not None and mentions(on_exception.text, "error", *named)
        is_told = is_told or raises is not None or any(each.part is Part.ERROR for each in arguments)
        types = tuple(each.type for each in arguments if each.type is not None)
        return NamedCallback(
            type=Fn(types, returns, self._label, self._is_spread, is_told),
            listed=listed,
            user_data=_user_data(listed),
            on_exception=on_exception,
        )

    # --- C's arguments ---

    def _arguments(self) -> Iterator[CallbackArgument]:
        try:
            call = mirrored_call(self._entry, self._scope)
        except BadCall as bad:
            where = self._scope.document.part(self._entry, "cpp", bad.start, bad.end)
            self._scope.error("WG043", bad.message, where, bad.hint)
            call = None
        if call is None:
            yield from (CallbackArgument(Part.SEEN, each.span, each.name, each.type) for each in self._seen.values())
            return
        lengths = self._said_lengths()
        missing = dict(self._seen)
        for piece in call.arguments:
            found = self._argument(piece, lengths)
            missing.pop(found.name, None)
            yield found
        for name, each in missing.items():
            hint = f"write it where C has it: cpp: ({', '.join(self._seen)})"
            self._scope.error("WG113", f"C's arguments lack {name!r}", each.span, hint)

    def _argument(self, piece: Piece, lengths: Mapping[str, tuple[str, ...]]) -> CallbackArgument:
        span = self._scope.document.part(self._entry, "cpp", *self._place(piece))
        if _NAME.fullmatch(piece.text):
            return self._bare(piece.text, span, lengths)
        if match := _ADDRESS.fullmatch(piece.text):
            return self._address(match[1], span)
        if match := _SIZE.fullmatch(piece.text):
            return CallbackArgument(Part.LENGTH, span, of=(match[1],))
        self._scope.error("WG113", f"{piece.text!r} says nothing of an argument that C calls with", span, _FORMS)
        return CallbackArgument(Part.CONTEXT, span)

    def _place(self, piece: Piece) -> tuple[int, int]:
        """Where it stands in the text of the key, in which the arguments may have no name before them."""
        back = self._scope.text(self._entry, "cpp").startswith("(")
        return piece.start - back, piece.end - back

    def _bare(self, name: str, span: Span, lengths: Mapping[str, tuple[str, ...]]) -> CallbackArgument:
        if name in self._seen:
            return CallbackArgument(Part.SEEN, span, name, self._seen[name].type)
        if name == "user_data":
            return CallbackArgument(Part.USER_DATA, span)
        if name == "out":
            return CallbackArgument(Part.ROOM, span)
        if name == "_":
            return CallbackArgument(Part.CONTEXT, span)
        if name in lengths:
            return CallbackArgument(Part.LENGTH, span, name, of=lengths[name])
        if name in ("capacity", self._capacity_name):
            return CallbackArgument(Part.CAPACITY, span, "" if name == "capacity" else name)
        if not any(mentions(str(self._entry.get(key) or ""), name) for key in _EXPRESSIONS):
            hint = (
                did_you_mean(name, list(self._seen))
                or f"write _ where nothing does; or use it: result: f({name}, value)"
            )
            fix = Fix("nothing uses it", span, "_")
            self._scope.error("WG113", f"nothing uses the argument {name!r}", span, hint, fixes=(fix,))
        return CallbackArgument(Part.CONTEXT, span, name)

    def _address(self, name: str, span: Span) -> CallbackArgument:
        """Where C wants something."""
        if name == "out":
            return CallbackArgument(Part.OUT, span)
        if name == "error":
            return CallbackArgument(Part.ERROR, span)
        if name in ("capacity", self._capacity_name):
            self._is_pointed = True
            if name in self._seen:
                return CallbackArgument(Part.POINTED, span, name, self._seen[name].type)
            return CallbackArgument(Part.CAPACITY, span, "" if name == "capacity" else name)
        hint = "&out is where C wants the result, or its next item; &capacity, where it learns how much is filled"
        self._scope.error("WG113", f"C has no place for {name!r}", span, hint)
        return CallbackArgument(Part.CONTEXT, span)

    # --- lengths and room ---

    def _said_lengths(self) -> Mapping[str, tuple[str, ...]]:
        """The arguments that are lengths, each with the parameters that have it: what `length` says."""
        said, scope = self._entry.get("length"), self._scope
        if not isinstance(said, dict):
            of = tuple(name for name, each in self._seen.items() if self._has_length(each.type))
            return {str(said): of} if said is not None else {}
        found: dict[str, tuple[str, ...]] = {}
        for name, of in said.items():
            found[str(of)] = (*found.get(str(of), ()), name)
            if name not in self._seen:
                hint = did_you_mean(name, list(self._seen)) or "name a parameter"
                scope.error(
                    "WG083", f"the length of {name!r}, which is no parameter", scope.document.key_span(said, name), hint
                )
        return {length: tuple(each for each in of if each in self._seen) for length, of in found.items()}

    def _has_length(self, type_: Type) -> bool:
        return comes_with_length(type_, [each.type for each in self._scope.findings.representations.values()])

    def _with_lengths(self, arguments: list[CallbackArgument]) -> list[CallbackArgument]:
        """Each argument with the number of the one that is its length."""
        named = [each.name if each.part is Part.SEEN else "" for each in arguments]
        for i, each in enumerate(arguments):
            if each.part is not Part.LENGTH:
                continue
            for name in each.of:
                of = named.index(name) if name in named else -1
                if of < 0 or not self._has_length(arguments[of].type or Void()):
                    known = [n for n, a in zip(named, arguments, strict=True) if a.type and self._has_length(a.type)]
                    way = "a length is one of bytes, text, or a list of numbers, texts or such values"
                    hint = did_you_mean(name, known) or way
                    self._scope.error("WG083", f"the length of {name!r}, which has none", each.span, hint)
                elif arguments[of].part is Part.SIZED:
                    hint = "drop one of the two"
                    self._scope.error("WG113", f"two arguments are the length of {name!r}", each.span, hint)
                else:
                    arguments[of] = replace(arguments[of], part=Part.SIZED, length=i)
        return arguments

    def _check_names(self, arguments: Sequence[CallbackArgument]) -> None:
        first: dict[str, CallbackArgument] = {}
        for each in arguments:
            if each.name in _OWN_WORDS:
                hint = "`value` is what Python returned, `error` the text of an exception"
                self._scope.error("WG021", f"an argument cannot be called {each.name!r}", each.span, hint)
            if each.name and first.setdefault(each.name, each) is not each:
                related = (first[each.name].span, "the other one")
                self._scope.error("WG113", f"{each.name!r} is there twice", each.span, "drop one", related)
        for part, name in (
            (Part.USER_DATA, "user_data"),
            (Part.ERROR, "&error"),
            (Part.CAPACITY, "capacity"),
            (Part.ROOM, "out"),
        ):
            found = [each for each in arguments if each.part is part]
            if len(found) > 1:
                hint = "leave one; _ is an argument that is not used"
                related = (found[0].span, "the other one")
                self._scope.error("WG113", f"`{name}` is there twice", found[1].span, hint, related)

    def _filled(self, arguments: Sequence[CallbackArgument]) -> Written | None:
        """How C learns how much of its room the result has filled; None where it has none."""
        scope, said = self._scope, self._capacity_name
        room = next((each for each in arguments if each.part is Part.ROOM), None)
        capacity = next((each for each in arguments if each.part is Part.CAPACITY), None)
        if room is None:
            if said or capacity:
                span = scope.document.key_span(self._entry, "capacity") if said or not capacity else capacity.span
                scope.error("WG113", "a capacity of nothing", span, "write out where C has the memory that is filled")
            return None
        outs = sum(each.part is Part.OUT for each in arguments)
        items = items_of(self._returns)
        if len(items) <= outs or not has_length(items[outs]):
            hint = "return text, bytes or a list of numbers; of several results, the one behind those of &out"
            scope.error("WG114", f"{self._returns} does not fill a buffer", self._returns_span, hint)
            return None
        integers = [each.name for each in arguments if each.type and is_integer(each.type)]
        if not capacity and said not in integers:
            way = "write capacity where C has it; or say which parameter it is: capacity: size"
            span = scope.span(self._entry, "capacity") if said else room.span
            near = did_you_mean(said, integers) if said else ""
            scope.error("WG113", "the spec does not say how large the buffer is", span, near or way)
            return None
        if self._is_pointed:
            return Written.CAPACITY
        if _MEASURES.search(scope.text(self._entry, "result")):
            return Written.RESULT
        return Written.NUL if is_text(items[outs]) else Written.ALL

    def _capacity(self, arguments: Sequence[CallbackArgument]) -> int:
        """Which argument says how much room there is; 0 without any."""
        said = self._capacity_name
        found = (i for i, each in enumerate(arguments) if each.part is Part.CAPACITY or (said and each.name == said))
        return next(found, 0)

    # --- what C gets ---

    def _expression(self, key: str) -> Code | None:
        if self._entry.get(key) is None or isinstance(self._entry[key], dict):
            return None
        return Code(self._scope.expression(self._entry, key), self._scope.span(self._entry, key))

    def _has_data(self, arguments: Sequence[CallbackArgument]) -> bool:
        """Whether an argument is the user data."""
        is_listed = any(each.part is Part.USER_DATA for each in arguments)
        if is_listed and self._entry.get("user_data") is not None:
            where = self._scope.document.key_span(self._entry, "user_data")
            message = "`user_data` stands beside an argument that is it"
            self._scope.error("WG075", message, where, "drop one of the two")
        return is_listed

    def _raises(self) -> ErrorType | None:
        scope, type_ = self._scope, self._scope.text(self._entry, "raises")
        if type_:
            check_error(type_, self._entry, "raises", scope)
        return scope.findings.statuses.get(type_)

    def _check_result(self, listed: Listed) -> None:
        """Whether each item of the result has its place, and C gets something definite."""
        scope, entry, returns = self._scope, self._entry, self._returns
        written = sum(each.part in (Part.OUT, Part.ROOM) for each in listed.arguments)
        items = 0 if is_void(returns) else len(items_of(returns)) if written else 1
        if items < written:
            hint = f"return a tuple of {written}, or drop an `&out`"
            scope.error("WG114", f"{written} arguments are filled by {items} results", self._returns_span, hint)
        if listed.result and is_void(returns) and mentions(listed.result.text, "value"):
            hint = "say of which type `value` is: fn(…) -> T; or write an expression without it"
            scope.error("WG097", "`result` of a callable that returns nothing", listed.result.span, hint)
        is_filled = listed.filled is Written.RESULT
        rest = items - written + (listed.raises is not None) + is_filled
        if listed.result is None and written <= items and rest > 1:
            hint = "write an &out for each of the others, or say what C gets: result: an expression over `value`"
            scope.error("WG114", "C gets one value, and there are several for it", self._returns_span, hint)
        if listed.result is None and listed.raises and mentions(listed.raises.ok[0], "value"):
            hint = f"say it: result: …, a value of {listed.raises.type}; or list the values that are fine under `ok`"
            message = "which status means that all is well is a condition"
            scope.error("WG114", message, scope.span(entry, "raises"), hint)


def _user_data(listed: Listed) -> UserData:
    if any(each.part is Part.USER_DATA for each in listed.arguments):
        return UserData.LISTED
    return UserData.COMPUTED if listed.user_data else UserData.DEDUCED
