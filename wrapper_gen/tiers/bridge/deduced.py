"""Calls of C functions by name: C++ puts the arguments in order (`wg/calls/resolved_call.hpp`), or the spec does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from wrapper_gen import names
from wrapper_gen.diagnostics import Span
from wrapper_gen.expressions import measured, mentions
from wrapper_gen.frozen import frozen
from wrapper_gen.model import (
    DRAINED,
    Allocated,
    Argument,
    Buffer,
    Callback,
    Function,
    Lasting,
    Module,
    Named,
    Place,
    Returned,
    Written,
)
from wrapper_gen.queries import declared, fills_room, options_of, streaming_of
from wrapper_gen.quoting import c_bool, c_string
from wrapper_gen.tiers.bridge.accessors import accessed, tried
from wrapper_gen.tiers.bridge.arguments import argument_in, brings_length, room_for_text
from wrapper_gen.tiers.bridge.callables import way_out_of
from wrapper_gen.tiers.bridge.dimensions import dimension_names, local
from wrapper_gen.tiers.bridge.items import may_write, stated_items, written
from wrapper_gen.tiers.bridge.returned import WRITTEN_LENGTH, returned_room
from wrapper_gen.tiers.bridge.ways import (
    buffer_of,
    is_bound,
    is_pointed,
    is_prepared,
    member,
    takes_status,
    taking,
    taking_any,
)
from wrapper_gen.tiers.bridge.windows import SINK_ARGUMENT, SOURCE_ARGUMENT, lent, stream_arguments
from wrapper_gen.types.hints import Way
from wrapper_gen.types.memory import array_of
from wrapper_gen.types.model import Order
from wrapper_gen.types.queries import can_be_null, handle_of, if_given, is_list, is_text, is_text_or_none, structs_in
from wrapper_gen.types.rows import ParameterRow
from wrapper_gen.types.spelling import descriptor, element_of_list, element_type
from wrapper_gen.types.tuples import written_items
from wrapper_gen.views.placement import placed_lines, shown_place
from wrapper_gen.written_calls import call_of

_FOUND = "wg_found"
"""What the type of a call is called that C++ has found."""
NOTHING_MORE: Mapping[str, str] = MappingProxyType({})
_MOST_ORDERS = 12
"""So many have one macro of the runtime."""
OBJECT = "self"
"""What a written call names the object of a method."""


@frozen
class Deduced:
    """How the typed function finds out how to call, and calls."""

    asked: tuple[str, ...]
    """First: what there is to call, and whether it is clear how."""
    is_plain: str
    """The condition under which the call stands in generated code, with the arguments in their order; empty: never."""
    writes: str
    """The condition under which the result, or some of it, is what the call writes; empty: never."""
    reads: str
    """The condition under which it is the call's value, if none of the others holds; empty: never."""
    call: str
    """The call, with a check of its status to put in where it writes the result."""
    is_last: str = ""
    """Of a stream's call: what tells whether it is the last."""
    length: str = ""
    """Of returned memory: how much of it there is, where that is said."""
    asked_alone: tuple[str, ...] = ()
    """First, where there is one way to have the result; else `asked` says it."""


def deduced(function: Function, own: Sequence[str], rows: Sequence[ParameterRow], module: Module) -> Deduced:
    """The call of a function that `is_deduced`; `own` is what the typed function calls its parameters."""
    writer = _Calls(function, own, rows, module)
    assert isinstance(function.implementation, Named)
    arguments = function.implementation.arguments
    return writer.found() if arguments is None else writer.stated(arguments)


@frozen
class Either:
    """A call that returns the address of memory, or writes it through a pointer."""

    asked: tuple[str, ...]
    """First."""
    returns: str
    """The condition under which it returns the address."""
    returned: Deduced
    written: Deduced


def either(function: Function, own: Sequence[str], rows: Sequence[ParameterRow], module: Module) -> Either:
    """The call of a function whose memory `may_be_written`."""
    return _Calls(function, own, rows, module).either()


def known_name(function: Function, module: Module) -> tuple[str, ...]:
    """What does not compile where C++ knows no function of this name, whose arguments are in the spec's order or made.

    All that C++ could tell else is that no call fits.
    """
    implementation = function.implementation
    if not isinstance(implementation, Named) or implementation.is_member or implementation.accessor:
        return ()
    is_ours = buffer_of(function) is not None or streaming_of(function) is not None
    if implementation.arguments is None and not (is_ours or is_prepared(function)):
        return ()
    name = implementation.name.text.strip()
    if not names.is_identifier(name) or module.library.dynamic:  # what is loaded is an object of ours
        return ()
    return f"#ifndef {name}", f"using ::{name};", "#endif"


class _Calls:
    """Writes the call of one function."""

    def __init__(self, function: Function, own: Sequence[str], rows: Sequence[ParameterRow], module: Module) -> None:
        assert isinstance(function.implementation, Named)
        self._function = function
        both = zip(function.parameters, rows, own, strict=True)
        self._parameters = {p.name: (p, row, each) for p, row, each in both if not p.is_option}
        self._options = options_of(function)
        self._given = own[len(self._parameters) :]
        """What the options are made of."""
        self._order = declared(function)
        self._is_member = function.implementation.is_member
        name = function.implementation.name.text.strip()
        self._said = name
        self._name = member(name) if self._is_member else name
        self._accessor = function.implementation.accessor
        self._library, self._module = module.name, module
        self._values: list[str] = []
        self._counted: set[str] = set()
        """The parameters whose length C is given."""
        """Statements that say what the expressions of the spec are."""
        own = function.sets or function.name
        shown = f"{function.handle}.{own}" if function.handle else own
        self._where = f"{shown_place(function.span, module)} {c_string(f': {shown}')}"
        """What messages call it, in C++."""
        self._may_change = not structs_in(function.returns)
        """Whether a struct can be an argument that C could also write: not where it may be an out-parameter."""
        self._buffer = buffer_of(function)
        self._streaming = streaming_of(function)
        self._written = written(function, module)
        self._prepare()
        self._length = "wg_length.value()" if self._writes_length() else ""
        if isinstance(self._buffer, Returned) and self._buffer.length:
            self._length = self._value(self._buffer.length, "wg_value")
        if isinstance(self._buffer, Buffer) and self._buffer.said:
            self._length = self._filled(self._buffer.said)

    def _prepare(self) -> None:
        """Arguments that are made of what Python gives."""
        if self._options:
            given = ", ".join(self._given)
            self._values.append(f"auto wg_options = {names.options_start(self._options.struct)}({given});")

    def _room(self) -> tuple[str, ...]:
        """The statements that make the buffer."""
        if self._buffer is None:
            return ()
        if isinstance(self._buffer, Returned):
            return *self._values, *returned_room(self._buffer, self._function)
        if isinstance(self._buffer, Allocated):
            free = self._buffer.free
            release = f"[](auto *value) {{ static_cast<void>({free}); }}" if free else "wg::NothingSaid()"
            return *self._values, f"const auto wg_free = {release};", "wg::Allocated wg_buffer(wg_free);"
        room = "wg::RoomOf<wg_Engine>" if fills_room(self._function) else "wg::HeapRoom"
        capacity = self._buffer.capacity
        if self._buffer.asks:
            return (*self._values, f"wg::Buffer<{room}> wg_buffer({self._capacity_shown()});")
        own = f"({self._value(capacity)})" if self._buffer.is_computed else self._parameters[capacity][2]
        return (*self._values, f"wg::Buffer<{room}> wg_buffer({own}, {self._capacity_shown()});")

    def _filled(self, said: str) -> str:
        """How much of the buffer is filled: over `value`, what the call returned, the buffer, `out`, and `capacity`."""
        more = {"out": "wg_buffer.data()", "capacity": "wg_buffer.capacity()"}
        own = {name: each for name, each in more.items() if name not in self._parameters and mentions(said, name)}
        return self._value(said, "wg_value" * mentions(said, "value"), more=own)

    def _writes_length(self) -> bool:
        return isinstance(self._buffer, Returned) and self._buffer.is_written

    def _capacity_shown(self) -> str:
        assert isinstance(self._buffer, Buffer)
        if self._buffer.asks:
            return c_string(names.python(self._function.name))
        return c_string(self._buffer.capacity if self._buffer.is_computed else names.python(self._buffer.capacity))

    def _is_capacity(self, name: str) -> bool:
        return isinstance(self._buffer, Buffer) and name == self._buffer.capacity

    def _capacity(self) -> str:
        """The argument for the capacity of the buffer."""
        assert isinstance(self._buffer, Buffer)
        shown = self._capacity_shown()
        if self._buffer.length is Written.FOUND:
            taken = "WrittenIn" if self._buffer.asks else "CapacityIn"
            return f"wg::{taken}{{wg_buffer, {shown}}}"
        return f"wg::LengthIn{{wg_buffer.capacity(), {shown}}}"

    def _arguments(self) -> tuple[int, list[str]]:
        """How many handles stand among the arguments, and these in the order in which the spec declares them."""
        handles = int(self._function.handle is not None and not self._is_member and not self._accessor)
        arguments = ["WG_PLAIN(wg_h.inner)"] * handles
        if isinstance(self._buffer, Buffer) and self._buffer.is_computed:
            arguments += ["wg::BufferIn{wg_buffer}", self._capacity()]
        if self._streaming and not self._streaming.input:
            arguments += stream_arguments(self._streaming, "")
        for name in self._order:
            if self._streaming and name in (self._streaming.input, self._streaming.limit):
                arguments += stream_arguments(self._streaming, name)
            elif self._is_capacity(name):
                arguments += ["wg::BufferIn{wg_buffer}", self._capacity()]
            else:
                arguments.append(self._plain(name))
        arguments += ["wg::AllocatedIn{wg_buffer}"] * isinstance(self._buffer, Allocated)
        return handles, [*arguments, *[WRITTEN_LENGTH] * self._writes_length()]

    def either(self) -> Either:
        assert isinstance(self._buffer, Returned)
        handles, arguments = self._arguments()
        given = ", ".join(["wg::late<wg_T...>(wg_call)", *arguments])
        asked = (*self._room(), f"[[maybe_unused]] const auto wg_call = {self._pointing(self._called())};")
        returned, status = f"{self._written.kind(handles)}({given})", c_bool(takes_status(self._function))
        written = f"wg::deduced<{handles}, wg::Gives<{status}>>({given}, wg::AllocatedIn{{wg_buffer}})"
        failed = c_string(
            "the call neither returns the address of memory nor writes one; write the call in cpp, as C has it"
        )
        made = ("wg::Allocated wg_buffer(wg_free);", *self._decided(f"decltype({written})", handles, failed))
        return Either(
            asked,
            f"wg::returns_address<decltype({returned})>",
            Deduced(self._decided(f"decltype({returned})", handles, failed), "", "", "true", f"{returned}.call()"),
            Deduced(made, "", "", "true", f"{written}.call()"),
        )

    # --- in the order that C++ finds ---

    def found(self) -> Deduced:
        handles, arguments = self._arguments()
        made = f"{self._written.kind(handles)}({', '.join(['wg_call', *arguments])})"
        room, is_last = self._room(), self._is_last()
        asked = (
            *(room or self._values),
            *lent(self._streaming),
            f"[[maybe_unused]] const auto wg_call = {self._pointing(self._called())};",
        )
        found, named = f"decltype({made})", f"using {_FOUND} = decltype({made});"
        if self._buffer or self._streaming:
            is_returned = isinstance(self._buffer, Returned)
            what = "its stream" if self._streaming else "its arguments" if is_returned else "a buffer"
            ways = "write the call in cpp, as C has it"
            if isinstance(self._buffer, Allocated):
                what = "memory whose address it writes"
                ways = f"where it returns the address, say how much is there: length: lib_size(value); else {ways}"
            failed = c_string(f"the call does not compile with {what}; {ways}")
            decided = self._decided(found, handles, failed)
            return Deduced((*asked, *decided), "", "", "true", f"{made}.call()", is_last, self._length)
        writes = f"{_FOUND}::writes" if may_write(self._function) else ""
        if what := self._what_is_prepared():
            message = "C++ has none of" if self._accessor else "the call does not compile with"
            failed = c_string(f"{message} {what}")
            alone = (*asked, *self._decided(found, handles, failed), *self._owned_once())
            asked = (*asked, named, *self._decided(_FOUND, handles, failed)) if writes else alone
            return Deduced(asked, "", writes, "true", f"{made}.call()", asked_alone=alone)
        asked = (*asked, named, *self._decided(_FOUND, handles))
        return Deduced(asked, f"{_FOUND}::is_plain", writes, "true", f"{made}.call()")

    def _owned_once(self) -> Iterator[str]:
        """The error of a property that reads what its object has, and gives handles that release it."""
        made = handle_of(if_given(self._function.returns))
        handle = next((h for h in self._module.known_handles if h.name == made), None)
        is_released = handle is not None and handle.drop is not None and self._function.lifetime.result.is_owned
        if handle is None or not is_released or handle.has_identity or self._accessor is None or self._accessor.sets:
            return
        what = "each handle of what this reads would release it, and the object has it"
        ways = f"say that it is not released: {{type: {self._function.returns}, release: nothing, belongs_to: self}}"
        is_pointer = c_bool(handle.cpp_type.text.strip().endswith("*"))
        condition = f"!wg::reads_place<decltype(wg_call), {is_pointer}>"
        yield f'static_assert({condition}, "wrapper-gen: " {self._where} {c_string(f": {what}; {ways}")});'

    def _plain(self, name: str) -> str:
        """A parameter as an argument of the call."""
        if self._options and name == self._options.name:
            return "wg::struct_in<true>(wg_options)"
        _, row, own = self._parameters[name]
        return argument_in(row, own, names.python(name), may_change=self._may_change)

    def _what_is_prepared(self) -> str:
        """What the call may not compile with, and what to do then."""
        if self._accessor:
            return f"{tried(self._accessor)}: say {'set' if self._accessor.sets else 'get'}: NAME, or write it out"
        callables = self._callables()
        if callables:
            among = sum(p.callback is not None for p in self._function.parameters) > 1
            return f"a callable; {way_out_of(callables[0], among=among)}"
        handle = ["self"] * (self._function.handle is not None and not self._is_member)
        way_out = f"say C's order: {self._written_in([*handle, *self._order])}"
        return f"its arguments; {way_out}" if is_prepared(self._function) else ""

    def _callables(self) -> list[Callback]:
        return [each for p in self._function.parameters for each in p.callbacks]

    def _decided(self, found: str, handles: int, failed: str = "") -> tuple[str, ...]:
        """Errors where it is not clear how to call, with the orders that compile, and `failed` where nothing does."""
        where, parameters = self._where, self._order
        known = ", ".join([found, *["wg_h.inner"] * bool(handles and parameters), where, *[failed] * bool(failed)])
        macro = "WG_RESOLVED" if failed else "WG_DECIDED"
        if not (handles and parameters):
            return (f"{macro}({known}, {c_string(self._written_in(['self'] * handles + parameters))})",)
        orders = [
            c_string(self._written_in([*parameters[:place], "self", *parameters[place:]]))
            for place in range(len(parameters) + 1)
        ]
        first = ", ".join(orders[:_MOST_ORDERS])
        others = [(place, each) for place, each in enumerate(orders) if place >= _MOST_ORDERS]
        return (
            f"{macro}_OF({known}, {first})",
            *(f"WG_ORDER({found}, {where}, {place}, {each})" for place, each in others),
        )

    def _written_in(self, arguments: Sequence[str]) -> str:
        """The call as `cpp` of a spec has it."""
        return call_of(self._said, arguments, is_member=self._is_member)

    def _called(self) -> str:
        """What is called, as C++ finds it."""
        if self._accessor:
            of = self._function
            return accessed(self._accessor, is_pointed=is_pointed(of), is_bound=is_bound(of))
        return taking_any(self._name, is_member=self._is_member)

    def _pointing(self, call: str) -> str:
        if is_bound(self._function):
            call = f"wg::binding({call})"
        return f"wg::pointing({call})" if is_pointed(self._function) else call

    # --- in the order that the spec says ---

    def stated(self, arguments: Sequence[Argument]) -> Deduced:
        is_ours = self._buffer is not None or self._streaming is not None
        places = (Place.INOUT, Place.FILLED) if is_ours else (Place.INOUT, Place.OUT, Place.FILLED)
        items_of_call = sorted((each for each in arguments if each.place in places), key=lambda each: each.item)
        outs = [each for each in items_of_call if each.place is Place.OUT]
        discarded = [each for each in arguments if each.place is Place.DISCARD]
        ins = [each for each in arguments if each not in outs and each not in discarded]
        self._counted = {name for name in self._parameters if any(counts(each, name) for each in arguments)}
        units = [*ins, *outs, *discarded]
        gives, types = stated_items(items_of_call, self._written, self._function, self._module)
        types += [f"wg::Discard<{each.cast}>" for each in discarded]
        order, items = (", ".join(str(units.index(each)) for each in some) for some in (arguments, items_of_call))
        given = ", ".join(["wg_call", *map(self._stated, ins)])
        how = f"{gives}, wg::Types<{', '.join(types)}>, wg::Units<{order}>, wg::Units<{items}>"
        made = f"wg::stated<{how}>({given})"
        or_writes = ", or writes values of other types" if items_of_call else ""
        in_order = "the call does not compile as it is written"
        unsaid = [each for each in self._callables() if each.scope is Lasting.UNSAID]
        ways = f"; {way_out_of(unsaid[0])}" if unsaid else ""
        failed = c_string(f"{in_order}{or_writes}{ways}")
        room, is_last = self._room(), self._is_last()
        asked = (
            *(room or self._values),
            *lent(self._streaming),
            *(line for each in arguments if each.place is Place.ERROR for line in room_for_text(each)),
            *(self._pieces(each) for each in arguments if each.place in (Place.JOINED, Place.LENGTHS)),
            f"[[maybe_unused]] const auto wg_call = {self._pointing(self._callable(arguments))};",
            f"WG_STATED(decltype({made}), {self._where}, {failed})",
        )
        writes, reads = ("true", "") if items_of_call else ("", "true")
        return Deduced(asked, "", writes, reads, f"{made}.call()", is_last, self._length)

    def _callable(self, arguments: Sequence[Argument]) -> str:
        """What is called; where it is plain how many arguments there are, also a macro."""
        named = [each.name for each in arguments if each.place is Place.PARAMETER]
        given = [self._parameters[name][1] for name in named if name in self._parameters]
        if isinstance(self._buffer, Allocated) or any(map(brings_length, given)):
            return taking_any(self._name, is_member=self._is_member)
        return taking(len(arguments), self._name, is_member=self._is_member)

    def _stated(self, argument: Argument) -> str:
        match argument.place:
            case Place.HANDLE:
                return "WG_PLAIN(wg_h.inner)"
            case Place.ERROR:
                return 'wg::value_in(wg_error.room(), "the text of the failure")'
            case Place.OUT if self._writes_length():
                return WRITTEN_LENGTH
            case Place.OUT:
                own = "AllocatedIn" if isinstance(self._buffer, Allocated) else "BufferIn"
                return SINK_ARGUMENT if self._streaming else f"wg::{own}{{wg_buffer}}"
            case Place.CAPACITY:
                return self._capacity()
            case Place.FILLED:
                return self._of_filled(argument)
            case Place.PARAMETER if self._streaming and argument.name == self._streaming.input:
                return SOURCE_ARGUMENT
            case Place.PARAMETER if self._is_capacity(argument.name):
                return self._capacity()
            case Place.VALUE:
                value = self._ended(self._value(argument.value, held=True), argument.value)
                shown = c_string(names.python(argument.name) if argument.name else argument.value)
                return f"wg::{_value_in(argument)}({value}, {shown})"
            case Place.PARAMETER if argument.name not in self._parameters:
                return self._plain(argument.name)
            case Place.ALONE:
                return f"wg::alone({self._plain(argument.name)})"
            case _:
                return self._of_parameter(argument)

    def _ended(self, value: str, expression: str) -> str:
        """The value of an expression; a text whose address that is, and whose length C has not, has no NUL in it."""
        for name, (p, _, own) in self._parameters.items():
            if is_text_or_none(p.type) and mentions(expression, name) and name not in self._counted:
                value = f"wg::ended_by_nul({value}, {own}, {c_string(names.python(name))})"
        return value

    def _of_filled(self, argument: Argument) -> str:
        """Memory that is made before the call."""
        type_ = written_items(self._function.returns)[argument.item]
        if array := array_of(type_):
            extents = [self._value(each) for each in array.dimensions]
            order = "wg::Order::F" if array.order is Order.F else "wg::Order::C"
            kind, given = f"{element_type(array.element)}, {order}", ", ".join(extents)
            return f"wg::filled_array<{kind}>({c_string(argument.name)}, {given})"
        capacity = self._value(argument.value)
        if is_list(type_):
            return f"wg::filled_list<{element_of_list(type_)}>({c_string(argument.name)}, {capacity})"
        kind = "text" if is_text(type_) else "bytes"
        return f"wg::filled_{kind}({c_string(argument.name)}, {capacity})"

    def _pieces(self, argument: Argument) -> str:
        """The statement that joins the pieces of a list, or counts them."""
        p, _, own = self._parameters[argument.name]
        if argument.place is Place.JOINED:
            return f"const std::string {names.extra(argument.name, 'joined')} = wg::joined({own});"
        shown = c_string(f"len({names.python(p.name)}[...])")
        return f"const auto {names.extra(argument.name, 'lengths')} = wg::lengths<{argument.cast}>({own}, {shown});"

    def _of_parameter(self, argument: Argument) -> str:
        p, row, own = self._parameters[argument.name]
        shown = names.python(p.name)
        match argument.place:
            case Place.INOUT:
                return f"wg::inout_in<{descriptor(p.type, Way.RESULT, self._library)}>({own}, {c_string(shown)})"
            case Place.ADDRESS if argument.cast:
                return f"wg::cast_in<{argument.cast}>({own}, {c_string(shown)})"
            case Place.ADDRESS:
                return f"wg::address_in({own}, {c_string(shown)})"
            case Place.USER_DATA if argument.sharing:
                return f"wg::shared_user_data_in({', '.join(self._parameters[each][2] for each in argument.sharing)})"
            case Place.USER_DATA:
                return f"wg::user_data_in({own})"
            case Place.DESTROY:
                return f"wg::destroy_in({own})"
            case Place.JOINED:
                return f"wg::AddressIn{{{names.extra(argument.name, 'joined')}.data()}}"
            case Place.LENGTHS:
                return f"wg::PointerIn<const {argument.cast}>{{{names.extra(argument.name, 'lengths')}.data()}}"
            case Place.LENGTH:
                size = f"({own} ? {own}->size() : 0)" if can_be_null(p.type) else f"{own}.size()"
                length = c_string(f"len({shown})")
                if argument.value or argument.cast:
                    value = self._value(argument.value, held=True) if argument.value else size
                    return f"wg::{_value_in(argument)}({value}, {length})"
                return f"wg::LengthIn{{{size}, {length}}}"
            case _ if argument.cast:
                given = row.form.inner.of(own) if row.cpython_is_handle else own
                return f"wg::cast_in<{argument.cast}>({given}, {c_string(shown)})"
            case _:
                return argument_in(row, own, shown)

    def _is_last(self) -> str:
        """Of a stream's call: what tells of its value whether it is the last."""
        if self._streaming is None:
            return ""
        until, told = self._streaming.until, DRAINED
        if until != DRAINED:
            told = f"static_cast<bool>({self._value(until, 'wg_value', more={DRAINED: DRAINED})})"
        given = f"[[maybe_unused]] const auto &wg_value, [[maybe_unused]] const bool {DRAINED}"
        return f"[&]({given}) -> bool {{ return {told}; }}"

    def _value(
        self,
        expression: str,
        over: str = "",
        span: Span | None = None,
        more: Mapping[str, str] = NOTHING_MORE,
        *,
        held: bool = False,
    ) -> str:
        """An expression of the spec, over the parameters by name, what `over` calls `value`, and what `more` has.

        `held`: of handles, over what they hold, and the object of the method is `self`, as where it speaks of that.
        """
        if expression == "NULL":
            return "nullptr"
        held = held or (bool(self._function.handle) and mentions(expression, OBJECT))
        used = {
            name: self._held(name, row, own) if held else own
            for name, (_, row, own) in self._parameters.items()
            if mentions(expression, name)
        }
        used |= {name: local(name) for name in dimension_names(self._function) if mentions(expression, name)}
        if self._function.handle and mentions(expression, OBJECT if held else "h"):
            used |= {OBJECT: "wg_h.inner"} if held else {"h": "wg_h"}
        if self._options and mentions(expression, self._options.name):
            used[self._options.name] = "wg_options"
        if over:
            used["value"] = over
        used |= more
        declared = ", ".join(f"[[maybe_unused]] auto &&{names.body(name)}" for name in used)
        name = f"wg_value_{len(self._values)}"
        returned = (
            placed_lines([(span, f"return ({expression});")], self._module) if span else f"return ({expression});"
        )
        around = "\n" * bool(span) or " "
        self._values.append(f"const auto {name} = [&]({declared}) -> decltype(auto) {{{around}{returned}{around}}};")
        return f"{name}({', '.join(used.values())})"

    def _held(self, name: str, row: ParameterRow, own: str) -> str:
        """What an expression has of a parameter: what a handle holds, and the C++ value that `types` speaks of."""
        if not row.is_represented:
            return row.form.held.of(own)
        made = names.extra(name, "made")
        statement = f"auto &&{made} = {row.cpp_body_argument.of(own)};"
        if statement not in self._values:
            self._values.append(statement)
        return made


def counts(argument: Argument, name: str) -> bool:
    """Whether an argument of C tells how long a parameter is."""
    is_length = argument.place is Place.LENGTH and argument.name == name
    return is_length or name in measured(argument.value)


def _value_in(argument: Argument) -> str:
    return f"cast_in<{argument.cast}>" if argument.cast else "value_in"
