"""The arguments of a call that `cpp` has as C++ has it: `cpp: "notes_find(self, text, text.size(), &out)"`.

One argument of C is one argument here. What Python gives and gets stands there by its names; anything else is C++ that
is passed as it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from wrapper_gen.diagnostics import Fix, Nearest, Span, did_you_mean
from wrapper_gen.expressions import called, measured, mentions
from wrapper_gen.frozen import replace
from wrapper_gen.model import Allocated, Argument, Buffer, Lasting, Mode, Named, Parameter, Place, Returned, UserData
from wrapper_gen.resolve.argument_places import ArgumentPlaces
from wrapper_gen.resolve.parameters import Signature
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.types.memory import dimensions_of, said_of_device
from wrapper_gen.types.queries import (
    callable_of,
    can_be_changed,
    can_be_null,
    handle_in_forms,
    handle_of,
    has_length,
    has_pieces,
    if_given,
    is_iterator,
    is_number,
    is_row_of_numbers,
    is_text,
    struct_of,
)
from wrapper_gen.written_calls import Piece, WrittenCall, addressed, cast_of

SELF = "self"
"""The object of a method; `&self` of a constructor is where the call writes it."""
OTHER_CALLS = "cpp: the others"
"""Where the entry that is made of one call of a list has the texts of the others: a key that no spec can have."""
USER_DATA = "user_data"
"""The pointer that the callables of a call share, which have none of their own."""
_NAME = re.compile(r"[A-Za-z_]\w*")
_ADDRESS = re.compile(r"&\s*([A-Za-z_]\w*)")
_PART = re.compile(r"([A-Za-z_]\w*)\s*\.\s*(size\s*\(\s*\)|data\s*\(\s*\)|user_data|destroy|joined|sizes)")
_OBJECT = re.compile(rf"\*?\s*{SELF}")
_OPERATORS = ("*", "-", "+", "&", "/", "%", "|", "^", "<", ">", "=", "?", ".")


def other_calls(entry: Map) -> Sequence[str]:
    """The texts of the other calls, where the entry is made of one call of a list."""
    listed: Sequence[str] = entry.get(OTHER_CALLS, ())
    return listed


def written_names(call: WrittenCall) -> tuple[str, ...]:
    """What stands behind a `&` as an argument of its own."""
    return tuple(match[1] for each in call.arguments if (match := _ADDRESS.fullmatch(_uncast(each).text)))


def ended_names(call: WrittenCall) -> tuple[str, ...]:
    """The callables whose use C ends by a function that it is given: `f.destroy`."""
    parts = (_PART.fullmatch(each.text) for each in call.arguments)
    return tuple(match[1] for match in parts if match and match[2] == "destroy")


def takes_object(call: WrittenCall) -> bool:
    """Whether an argument is the object, which makes the callee a function."""
    return any(_OBJECT.fullmatch(_uncast(each).text) for each in call.arguments)


def with_written(call: WrittenCall, scope: Scope, signature: Signature) -> Signature:
    """The signature, in which the parameters that the call writes are marked: each is an item of the result, too."""
    names = frozenset(written_names(call))
    changed = {p.name for p in signature.parameters if p.name in names and can_be_changed(p.type)}
    marked = tuple(replace(p, is_inout=True) if p.name in changed else p for p in signature.parameters)
    return replace(signature, parameters=marked) if changed else signature


def sharing_names(call: WrittenCall, signature: Signature) -> tuple[str, ...]:
    """The callables that share the pointer `user_data` of a call: those without user data of their own."""
    texts = [_uncast(each).text for each in call.arguments]
    if USER_DATA not in texts or any(p.name == USER_DATA for p in signature.parameters):
        return ()
    own = {match[1] for match in map(_PART.fullmatch, texts) if match and match[2] == USER_DATA}
    return tuple(p.name for p in signature.parameters if callable_of(p.type) and p.name not in own)


def _uncast(argument: Piece) -> Piece:
    cast = cast_of(argument)
    return cast.of if cast else argument


class WrittenArguments(ArgumentPlaces):
    """Reads one written call."""

    def __init__(
        self, entry: Map, call: WrittenCall, scope: Scope, signature: Signature, implementation: Named
    ) -> None:
        super().__init__(entry, scope, signature, implementation, handle=SELF)
        self._entry, self._call, self._signature = entry, call, signature
        self._buffer, self._streaming = implementation.buffer, implementation.streaming
        self._is_named = signature.returns is not None and set(self._outs) != {"out"}
        self._dimensions = {name for p in signature.parameters for name in dimensions_of(if_given(p.type))}
        self._elsewhere = " , ".join((*other_calls(entry), *said_of_device(signature.returns)))
        """C++ of the other calls that the entry lists, and what else says where a result lies."""
        self._is_wrong = False
        """Whether an argument was reported."""
        self._unknown: list[Piece] = []
        """Names of C++, one of which may be a parameter's that was mistyped."""

    def arguments(self, *, is_status: bool) -> tuple[Argument, ...]:
        """What stands at each place; `is_status`: the call's own value is no result."""
        given = list[Argument]()
        for piece in self._call.arguments:
            is_length = _ADDRESS.fullmatch(piece.text) and piece.text.endswith("length")
            if is_length and isinstance(self._buffer, Allocated) and given and given[-1].place is Place.OUT:
                continue  # what the call allocates brings it
            found = self._argument(piece)
            if found:
                given.append(found)
            else:
                self._is_wrong = True
        if not self._is_wrong:  # else what is missing is what was wrong
            self._check_missing(given)
            self._check_user_data(given)
            self._check_items(is_status=is_status)
            self._check_filled(given)
        lengths = self._measured(given)
        return tuple(self._placed(each, lengths) for each in given)

    # --- one argument ---

    def _argument(self, piece: Piece) -> Argument | None:
        cast = cast_of(piece)
        of, type_ = (cast.of, _on_one_line(cast.type.text)) if cast else (piece, "")
        span = self._span(piece)
        if match := _ADDRESS.fullmatch(of.text):
            return self._address(match[1], type_, span)
        if _NAME.fullmatch(of.text):
            return self._bare(of, type_, span)
        match = _PART.fullmatch(of.text)
        found = self._part(match[1], match[2], type_, span) if match and match[1] in self._parameters else None
        if found:
            return found
        if cast and of.text.startswith(_OPERATORS):
            of, type_ = piece, ""
        return self._value(of, type_, span)

    def _bare(self, piece: Piece, cast: str, span: Span) -> Argument | None:
        """A name."""
        name = piece.text
        if name in self._parameters:
            self._see(name, span)
            return Argument(Place.PARAMETER, span, name, cast=cast)
        if name == SELF:
            return self._object(cast, span)
        if name == USER_DATA and (shared := sharing_names(self._call, self._signature)):
            return self._shared(shared, span)
        if name == "out" and self._fills and not isinstance(self._buffer, Returned):
            return self._item("out", span)
        if name == "capacity" and isinstance(self._buffer, Buffer):
            return self._capacity(span)
        if name in self._outs and self._outs.index(name) in self._filled:
            return self._item(name, span)
        if name == "out" and name not in self._outs:
            hint = "say how large it is: capacity"
            self._error("WG085", "`out` is a buffer that the call fills, and this one fills none", span, hint)
            return None
        if name in self._outs:
            hint = f"C writes it: &{name}"
            fix = Fix("where C writes it", span, f"&{name}")
            self._scope.error("WG081", f"{name!r} is an item of the result", span, hint, fixes=(fix,))
            return None
        if name not in self._dimensions:
            self._unknown.append(piece)
        return self._value(piece, cast, span)

    def _object(self, cast: str, span: Span) -> Argument | None:
        if SELF not in self._wanted:
            if self._signature.is_constructor:
                hint = "a call that writes it has &self there; one that returns it does without"
                self._error("WG081", "the object is not there yet", span, hint)
            else:
                hint = "write it in the methods of a class, or give the function a parameter"
                self._error("WG081", f"`{SELF}` in a function, which has no object", span, hint)
            return None
        self._see(SELF, span)
        if cast:
            return Argument(Place.VALUE, span, value=SELF, cast=cast)
        return Argument(Place.HANDLE, span, "h")

    def _shared(self, names: tuple[str, ...], span: Span) -> Argument:
        """The pointer that callables share."""
        for name in names:
            callback = self._parameters[name].callback
            if callback and callback.scope is Lasting.DESTROY:
                hint = "give them another scope: call, once or object"
                self._error("WG094", f"{name!r} shares its user data: no callback can end it alone", span, hint)
        return Argument(Place.USER_DATA, span, names[0], sharing=names)

    def _part(self, of: str, what: str, cast: str, span: Span) -> Argument | None:
        """What belongs to a parameter; None where C++ itself may have such a member."""
        p, what = self._parameters[of], what.partition("(")[0].strip()
        if what == "size" and (has_length(p.type) or can_be_null(p.type) or has_pieces(p.type)):
            return Argument(Place.LENGTH, span, of, cast=cast)
        if what == "data" and has_length(if_given(p.type)):
            self._see(of, span)
            return Argument(Place.PARAMETER, span, of, value="data", cast=cast)
        if what == "joined" and has_pieces(p.type):
            self._see(of, span)
            return Argument(Place.JOINED, span, of)
        if what == "sizes" and has_pieces(p.type):
            return Argument(Place.LENGTHS, span, of, cast=cast.removesuffix("*").strip() or "std::size_t")
        if what == "destroy" and p.callback and p.callback.scope is not Lasting.DESTROY:
            hint = "drop `scope`, which f.destroy says".replace("f.", f"{of}.")
            self._error("WG094", f"{of!r} does not last until C calls its destroy callback", span, hint)
        if what in ("user_data", "destroy") and p.callback:
            return Argument(Place(what), span, of)
        if what not in ("size", "data") and not (handle_in_forms(p.type) or struct_of(p.type)):
            about = "callables" if what in ("user_data", "destroy") else "lists of bytes or text"
            self._error("WG081", f"`.{what}` is of {about}, and {of!r} is {p.type}", span, "pass another one")
            return Argument(Place.VALUE, span, of, value=of)
        return None

    def _value(self, piece: Piece, cast: str, span: Span) -> Argument | None:
        """C++ that is passed."""
        text = _on_one_line(piece.text)
        for each in addressed(text):
            if each.text in (*self._outs, "out", SELF) and each.text not in ("_",):
                hint = f"write &{each.text} as an argument of its own"
                self._error("WG081", f"C++ that is passed writes no {each.text!r}", span, hint)
                return None
        taken = [p for p in self._parameters.values() if p.mode is Mode.TAKE and mentions(text, p.name)]
        if taken:
            message = f"{taken[0].name!r} is taken, and goes as it is"
            self._error("WG081", message, span, f"write {taken[0].name} as an argument of its own")
            return None
        if mentions(text, SELF) and SELF not in self._known and not self._signature.handle:
            return self._object(cast, span)
        lengths = measured(text) & {n for n, p in self._parameters.items() if has_length(p.type)}
        if len(lengths) == 1 and not any(mentions(text, n) for n in {SELF, *self._parameters} - lengths):
            return Argument(Place.LENGTH, span, min(lengths), value=text, cast=cast)
        named = [p for n, p in self._parameters.items() if mentions(text, n)]
        name = named[0].name if len(named) == 1 and is_number(named[0].type) else ""  # what messages call it
        return Argument(Place.VALUE, span, name, value=text, cast=cast)

    # --- what the call writes ---

    def _address(self, name: str, cast: str, span: Span) -> Argument | None:
        """Where C writes something."""
        if cast and not cast.endswith("*"):
            hint = f"write ({cast} *)&{name}"
            self._error("WG081", f"C writes through a pointer, and `{cast}` is none", span, hint)
            return None
        type_ = cast.removesuffix("*").strip()
        if name == "_":
            return Argument(Place.DISCARD, span, cast=type_)
        if name in self._parameters:
            return self._inout(self._parameters[name], span)
        if name == SELF:
            return self._made(type_, span)
        if name == "length" and isinstance(self._buffer, Returned) and self._buffer.is_written:
            return self._item("out", span)
        if name == "capacity" and isinstance(self._buffer, Buffer):
            return self._capacity(span)
        if name == "out" and isinstance(self._buffer, Buffer):
            self._error("WG085", "the call fills the buffer, and does not make it", span, "write out")
            return None
        if name in self._outs and self._outs.index(name) in self._filled:
            fix = Fix("the memory that the call fills", span, name)
            message = f"the call fills {name!r}, and does not make it"
            self._scope.error("WG085", message, span, f"write {name}", fixes=(fix,))
            return None
        if name in self._outs:
            found = self._item(name, span)
            return replace(found, cast=type_) if found else None
        if name == "error":
            return self._error_text(type_ or "char *", span)
        self._no_item(name, span)
        return None

    def _inout(self, p: Parameter, span: Span) -> Argument | None:
        """A parameter that the call changes: an item of the result has its name, or is all of it."""
        self._see(p.name, span)
        if not can_be_changed(p.type):
            message = f"a call cannot change {p.type} where it lies: {p.name!r}"
            hint = "numbers, bool, enums and structs can; memory is `&mut [T]`"
            if handle_of(p.type):
                hint = f"write {p.name}, which is what it holds; the address of that is &{p.name}.inner in a cpp_body"
            self._error("WG086", message, span, hint)
            return None
        if p.name not in self._outs and (self._is_named or len(self._outs) != 1):
            hint = (
                f"declare it, ({p.name}: {p.type}, …); or write {p.name}, which goes by its address where C takes one"
            )
            fix = Fix("C only reads it", span, p.name)
            message = f"`&{p.name}` is where C writes {p.name!r}, which is no item of the result"
            self._scope.error("WG081", message, span, hint, fixes=(fix,))
            return None
        return self._changed(p, span)

    def _made(self, cast: str, span: Span) -> Argument | None:
        if not self._signature.is_constructor:
            hint = "write self for the object of a method" if self._signature.handle else "write &out for the result"
            self._error("WG081", "`&self` is the object that a constructor makes", span, hint)
            return None
        found = self._item("out", span)
        return replace(found, cast=cast) if found else None

    def _no_item(self, name: str, span: Span) -> None:
        items = [each for each in dict.fromkeys(self._outs) if each != "out"] or ["out"] * bool(self._outs)
        known = ", ".join(f"&{each}" for each in [*items, "_"])
        hint: str | Nearest = f"known here: {known}; &_ is one that nobody reads, and (&{name}) an address of C++"
        if near := did_you_mean(name, frozenset(self._outs) - {"out"}):
            hint = near
        self._error("WG081", f"{name!r} is no item of the result", span, hint)

    def _capacity(self, span: Span) -> Argument:
        assert isinstance(self._buffer, Buffer)
        if self._buffer.is_computed:
            return Argument(Place.CAPACITY, span)
        self._see(self._buffer.capacity, span)
        return Argument(Place.PARAMETER, span, self._buffer.capacity)

    def _error_text(self, cast: str, span: Span) -> Argument:
        """What the call writes where it fails."""
        if self._error_at:
            self._scope.error(
                "WG081", "a second text of the failure", span, "drop one", (self._error_at, "the other one")
            )
        self._error_at = span
        is_said = self._buffer is None and self._entry.get("release") is not None
        free = called(self._scope.text(self._entry, "release"), "value") if is_said else ""
        return Argument(Place.ERROR, span, value=free, cast=cast)

    # --- all of them ---

    def _check_missing(self, given: Sequence[Argument]) -> None:
        """Every parameter has a place, and a name that nothing has is no parameter's."""
        mentioned = " ".join(each.value for each in given)
        apart = {each.name for each in given if each.place is Place.LENGTH} - set(self._seen)
        for name, what in self._wanted.items():
            if name in self._seen or mentions(f"{mentioned} , {self._sizes} , {self._elsewhere}", name):
                continue
            near = next((each for each in self._unknown if did_you_mean(each.text, [name])), None)
            if near:
                fix = Fix(f"the parameter {name}", self._span(near), name)
                hint = did_you_mean(near.text, [name]) or ""
                self._scope.error("WG081", f"{near.text!r} is no parameter", self._span(near), hint, fixes=(fix,))
                continue
            what = "the object" if name == SELF else what
            hint = f"write {name}, too" if name in apart else self._hint_of_missing(name)
            self._error("WG081", f"{what} {name!r} is no argument of the call", self._end(), hint)

    def _hint_of_missing(self, name: str) -> str:
        if name == SELF:
            callee = self._call.callee.text.rpartition("::")[2]
            return f"write self where C takes it; a member is .{callee}(…), and what needs no object is static"
        return f"write {name} where C takes it"

    def _check_user_data(self, given: Sequence[Argument]) -> None:
        """C gets the user data of each callable whose type says where C has it."""
        passed = _names_of_user_data(given)
        for name, p in self._parameters.items():
            is_wanted = p.callback is not None and p.callback.user_data is not UserData.DEDUCED
            if is_wanted and name in self._seen and name not in passed:
                hint = f"write {name}.user_data where C takes it; or {USER_DATA}, a pointer that several share"
                self._error("WG081", f"the call passes no user data of {name!r}", self._seen[name], hint)

    def _check_items(self, *, is_status: bool) -> None:
        """Each item of the result is written, or is what the call returns, which is the last one."""
        if self._fills or self._entry.get("result") is not None or is_iterator(self._signature.returns):
            return
        if not is_status and not self._is_named and len(self._left) == len(self._outs):
            return  # the call's value is the whole result
        last = self._types[-1] if self._types else None
        may_return = not is_status or (last is not None and is_number(last))  # a status may be the result as well
        is_returned = may_return and self._left[-1:] == [len(self._outs) - 1]
        missing = self._left[:-1] if is_returned else self._left
        if not missing:
            return
        named = [SELF if self._signature.is_constructor else self._outs[i] for i in missing]
        written = _and([f"{'' if i in self._filled else '&'}{name}" for i, name in zip(missing, named, strict=True)])
        if self._signature.is_constructor:
            what = "the object"
        elif self._is_named:
            what = f"the item{'s' * (len(named) > 1)} {_and([repr(each) for each in named])} of the result"
        else:
            what = "the result"
        hint = f"write {written} where C writes {'them' if len(named) > 1 else 'it'}"
        if not is_status:
            hint += "; the call's value is the last item"
        if not is_status and self._is_named and (len(missing) > 1 or len(self._left) == len(self._outs)):
            hint += "; where it is a tuple of all items, write the name of the function alone, or cpp_body: return …;"
        self._error("WG086", f"the call writes nothing to {what}", self._end(), hint)

    def _check_filled(self, given: Sequence[Argument]) -> None:
        """A buffer, or where the address of memory goes, is an argument."""
        if isinstance(self._buffer, Buffer | Allocated) and not any(each.place is Place.OUT for each in given):
            name = "out" if isinstance(self._buffer, Buffer) else "&out"
            hint = f"write {name} where C takes it"
            self._error("WG085", "the call writes nothing to the result", self._end(), hint)

    def _measured(self, given: Sequence[Argument]) -> set[str]:
        """The parameters whose length, or user data, stands elsewhere in the call: they go by their address alone."""
        found = {each.name for each in given if each.place is Place.LENGTH} | _names_of_user_data(given)
        mentioned = " ".join(each.value for each in given if each.place is Place.VALUE)
        found |= measured(mentioned)
        extents = f"{mentioned} {' '.join(each.name for each in given if each.place is Place.PARAMETER)}"
        return found | {n for n, p in self._parameters.items() if mentions(extents, *dimensions_of(if_given(p.type)))}

    def _placed(self, argument: Argument, lengths: set[str]) -> Argument:
        """A parameter by its address, or as it is without what it could bring."""
        p = self._parameters.get(argument.name)
        if argument.place is not Place.PARAMETER or p is None or p.mode is Mode.TAKE or self._streaming:
            return argument
        is_address = argument.name in lengths or argument.value or (self._is_c() and _is_row(p))
        argument = replace(argument, value="")
        if is_address and (p.callback or has_length(if_given(p.type))):
            return replace(argument, place=Place.ADDRESS)
        brings = p.callback is not None or (has_length(if_given(p.type)) and not is_text(p.type))
        return replace(argument, place=Place.ALONE) if brings and not argument.cast else argument

    def _is_c(self) -> bool:
        lib = self._scope.document.data.get("wrapper_lib")
        return isinstance(lib, dict) and lib.get("lang") == "c"

    def _span(self, piece: Piece) -> Span:
        return self._scope.document.part(self._entry, "cpp", piece.start, piece.end)

    def _end(self) -> Span:
        """The bracket that ends the call."""
        return self._scope.document.part(self._entry, "cpp", self._call.end - 1, self._call.end)


def _names_of_user_data(given: Sequence[Argument]) -> set[str]:
    """The callables whose user data are arguments."""
    return {name for each in given if each.place is Place.USER_DATA for name in each.sharing or (each.name,)}


def _is_row(p: Parameter) -> bool:
    """Whether it is numbers in a row, which C takes by their address."""
    return is_row_of_numbers(if_given(p.type))


def _on_one_line(text: str) -> str:
    return text.replace("\n", " ").strip()


def _and(names: Sequence[str]) -> str:
    """Names as a sentence has them: `a, b and c`."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
