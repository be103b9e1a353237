"""What may mend calls that C++ refuses: what the compiler's words about one of them are put together with."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from wrapper_gen.diagnostics import Fix, KeyPlace, Span, SpanOfRow
from wrapper_gen.frozen import frozen
from wrapper_gen.model import Allocated, Argument, Buffer, Function, Lasting, Mode, Module, Named, Place, Returned
from wrapper_gen.queries import declared
from wrapper_gen.types.queries import handle_of, handles_in, is_void
from wrapper_gen.types.tuples import item_names, written_items
from wrapper_gen.written_calls import call_of


@frozen
class Given:
    """One argument of a call: what the spec calls it and declares, and where."""

    name: str
    declared: str
    span: Span
    is_written: bool = False
    place: str = ""
    """What `cpp` has there, where that is not the name."""
    unmade: tuple[str, ...] = ()
    """The names that `types` has for its type, where nothing says how C++ gets such a value of Python's."""
    is_sole: bool = False
    """Whether the handle has the only pointer to its object, and the call does not take it."""
    is_overridable: bool = False
    """Whether there are objects of an interface in it, which Python shares."""


@frozen
class Mend:
    """Of one call: what to do where it has other arguments, and its arguments as `call_errors.hpp` counts them.

    `order` is C's order as the spec has it now; `outs` is what the call writes after that, where C++ did not look for
    it already; `place` is where the spec can say another order.
    """

    hint: str
    way_out: str
    arguments: tuple[Given | None, ...]
    order: tuple[str, ...] = ()
    outs: tuple[str, ...] = ()
    place: KeyPlace | None = None
    is_member: bool = False
    """Whether a member of what the handle holds is called."""
    read: str = ""
    """How `fields` read a data member of that name; empty of a call with parameters, or without a result."""
    call: str = ""
    """The name that is called."""
    def_: str = ""
    """The function as a `def` declares it, without its result."""
    result: str = ""
    """The type of its result; empty of one that has none."""
    callables: tuple[KeyPlace, ...] = ()
    """Where the spec can say how long C has each callable of which it does not say that."""
    shown: str = ""
    """What messages call the function."""
    lengthened: str = ""
    """The call, as the spec has it, with lengths behind what has some; empty where nothing has."""

    def in_order(self, arguments: Sequence[str]) -> str:
        """The call as `cpp` has it."""
        return call_of(self.call, arguments, is_member=self.is_member)

    def with_outs(self, arguments: Sequence[str], outs: int) -> str:
        """The call, in which so many items of the result are written behind these."""
        return self.in_order([*arguments, *(self.outs or ("&out",) * outs)[:outs]])

    def ways_after(self, given: Given, outs: int) -> tuple[str, str]:
        """C's order with what may stand after an argument: its length, or another value."""
        name, extents = given.name, given.declared.count(",") + 1 if ";" in given.declared else 1
        lengths = [f"{name}.extent({i})" for i in range(extents)]
        counted = [name, *(lengths if extents > 1 else [f"{name}.size()"])]
        is_text = given.declared.removesuffix("?") == "text"
        valued = [name if is_text else f"(const T *){name}", "…"]
        if name not in self.order:
            return ", ".join(counted), ", ".join(valued)
        at = self.order.index(name)
        before, after = self.order[:at], self.order[at + 1 :]
        return self.with_outs([*before, *counted, *after], outs), self.with_outs([*before, *valued, *after], outs)


_OURS = re.compile(
    r"static(?: assertion|_assert) failed(?: due to requirement '.*?')?:? \"?"
    r"wrapper-gen: (?:\S+(?: \(for [^)\n]*\))?:\d+: )?(.*?)(?:(?:; |: (?=write ))(.*?))?\"?\Z"
)
"""A compile error that a header of ours words: what is wrong, and what to do."""
_COMPILES = re.compile(r"'(?:struct )?wg::CompilesInOrder<([^']*)>'")
"""The numbers of a call's arguments, in an order in which it compiles (`wg/calls/call_errors.hpp`)."""
IN_ORDER = "write the call in cpp, as C has it"
"""What our headers say of a call whose arguments they cannot name."""
CALLABLE = "fn("
"""How the types of callables start."""
_OWN_ACCESS = "write code that converts it: cpp_body: … for what reads it, set: {cpp_body: …} for what sets it"
"""What else to do about a property whose functions take another type."""
_IN_THIS_ORDER = "does not compile as it is written"
"""Part of the message about a call whose arguments the spec has in order."""
_OF_CALLABLES = ("with a callable", _IN_THIS_ORDER, f"as {CALLABLE}")
"""Parts of messages about calls that may lack how long C has a callable."""
_COPY = "Python would change a copy"
"""Part of the message about a result that C++ returns to be changed."""
_HOW_LONG = {"call": "C++ calls it only while this call runs", "once": "C++ calls it once, later"}


def worded(error: str) -> tuple[str, str] | None:
    """Of a compiler's error that our headers word, what is wrong and what to do; None of any other."""
    found = _OURS.search(error)
    return (found[1], found[2] or "") if found else None


def order_that_compiles(error: str, mend: Mend | None) -> str:
    """The call with the order of the arguments that this error shows as one of several; empty of any other error."""
    found = _COMPILES.search(error)
    return order_of(re.findall(r"\d+", found[1]) if found else (), mend)


def order_of(units: Sequence[str], mend: Mend | None) -> str:
    """The call with the arguments of these numbers; empty where one has no name in the spec."""
    numbers = [int(each) for each in units]
    if mend is None or not numbers or max(numbers) >= len(mend.arguments):
        return ""
    arguments = [mend.arguments[number] for number in numbers]
    given = [each.place or each.name for each in arguments if each]
    return mend.in_order(given) if all(arguments) else ""


def way_of_copy(mend: Mend, changed: str, cpp: str) -> str:
    """What to do where C++ changes what it is given, and Python's value is copied: code gives the changed one back.

    Args:
        mend: of the call.
        changed: the parameter.
        cpp: its C++ type; empty where that is not known.
    """
    given = next(each for each in mend.arguments if each and each.name == changed)
    names = ["h" if each == "self" else each for each in mend.order]
    taken = [f"{cpp or 'T'} {each}" if each == changed else f"auto &&{each}" for each in names]
    called = f"{mend.call}({', '.join(names)})"
    if mend.is_member:
        taken, called = ["auto &&h", *taken], f"h.{called}"
    body = f"{called}; return {changed};"
    result = given.declared
    if mend.result:
        body = f"auto result = {called}; return std::make_tuple(result, {changed});"
        result = f"({mend.result}, {result})"
    way = f'{{def: "{mend.def_} -> {result}", cpp: "[]({", ".join(taken)}) {{ {body} }}"}}'
    unknown = "" if cpp else "; T is its C++ type"
    return f"C++ is given a copy: give back what it changed, {way}{unknown}"


def stated_with_lengths(mend: Mend, first: Sequence[str], outs: int) -> str:
    """A call that has the lengths of some arguments before their addresses, and so many out-parameters."""
    return mend.with_outs([f"{each}.size(), {each}" if each in first else each for each in mend.order], outs)


def way_of_shared(of: str, name: str) -> str:
    """What to do where C++ wants to be the only owner of an object of an interface: `of` is its class in C++."""
    return (
        f"Python has the object too, so no std::unique_ptr owns it: let C++ own another {of}, of a class that has this "
        f"one as std::shared_ptr<{of}> and passes calls on to it: std::make_unique<…>({name}.inner) in a cpp_body"
    )


def way_of_order(mend: Mend) -> str:
    """What to do about a call of which C++ does not find the order."""
    return f"say C's order: {mend.in_order(mend.order)}"


def way_of_lengths(mend: Mend | None, message: str) -> str:
    """What to do about a written call that may lack lengths; empty of any other."""
    if mend is None or not mend.lengthened or _IN_THIS_ORDER not in message:
        return ""
    return f"a call that is written brings nothing by itself; where C takes these, too, write {mend.lengthened}"


def way_of_orders(orders: Sequence[str]) -> str:
    """What to do about a call that compiles in several orders; empty where there are none."""
    return f"say which of these C has: {' or '.join(orders)}" if orders else ""


def is_order(error: str) -> bool:
    """Whether this error shows an order in which the call compiles."""
    return _COMPILES.search(error) is not None


def writes_result(mend: Mend, taken: Sequence[str]) -> bool:
    """Whether C++ takes these types where a call has its arguments, and pointers for its results behind them."""
    outs = taken[len(mend.order) :]
    return len(outs) == len(mend.outs) and all("*" in each and "const" not in each for each in outs)


def fixes_of_call(mend: Mend, message: str, orders: Sequence[str], taken: Sequence[str] | None) -> tuple[Fix, ...]:
    """Ways to decide what the compiler could not, as text that is put into the entry.

    Args:
        mend: of the call.
        message: what is wrong with it.
        orders: the orders of its arguments that compile.
        taken: the types that C++ takes, where the compiler shows them.
    """
    found = []
    if mend.callables and any(each in message for each in _OF_CALLABLES):
        found = [mend.callables[0].fix(what, f"scope: {way}") for way, what in _HOW_LONG.items()]
    elif mend.place and _COPY in message:
        found = [mend.place.fix("the result is a copy", "belongs_to: nothing")] * (not mend.place.replaces)
    elif mend.place and (orders or "void *" in message):
        shown = orders or [mend.in_order(each) for each in (mend.order, [*mend.order[1:], *mend.order[:1]])]
        found = [mend.place.fix("C's order", each) for each in shown]
    elif mend.place and mend.lengthened and _IN_THIS_ORDER in message:
        found = [mend.place.fix("C takes these, too", mend.lengthened)]
    elif mend.place and mend.outs and taken is not None and writes_result(mend, taken):
        call = mend.in_order([*mend.order, *mend.outs])
        found = [mend.place.fix("C's order, in which the call writes its result last", call)]
    return tuple(found)


Fixes = Mapping[tuple[int, str], Mend]
"""By line of the spec, and row of a `for`."""


def fixes_of(module: Module) -> Fixes:
    """What may mend the calls of functions by their names that do not compile."""
    found = {}
    for function in module.callables:
        match function.implementation:
            case Named(name, arguments=None) as named:
                order = _order(function, named)
                written = _places(function)
                call = call_of(name.text, [*order, *written], is_member=named.is_member)
                hint = (
                    "write the call with all that C takes, in its order, with & before what it writes, and values that "
                    f"Python does not see: {call}"
                )
                if of_class := _of_own_class(function, named, module):
                    hint = f"{of_class} is given the object: for a static function, say static before the name; {hint}"
                own = call_of(name.text, order, is_member=named.is_member)
                found[_at(name.span)] = Mend(
                    hint,
                    f"say C's order: {own}" if named.accessor is None else _OWN_ACCESS,
                    tuple(_deduced(function, named, module)),
                    order=tuple(order),
                    outs=tuple(written) if not function.raises else (),
                    place=named.place,
                    is_member=named.is_member and named.accessor is None,
                    read=_read(function, named),
                    call=name.text,
                    def_=_def(function),
                    result="" if is_void(function.returns) else str(function.returns),
                    callables=tuple(_not_said(function)),
                    shown=_shown(function),
                )
            case Named(name, arguments=tuple() as arguments) as named:
                given = tuple(_stated(function, named, arguments, module))
                callables = tuple(_not_said(function))
                found[_at(name.span)] = Mend(
                    "",
                    "mend the order in `cpp`",
                    given,
                    order=tuple(_order(function, named)),
                    place=named.place,
                    is_member=named.is_member,
                    call=name.text,
                    def_=_def(function),
                    result="" if is_void(function.returns) else str(function.returns),
                    callables=callables,
                    lengthened=_lengthened(function, named, arguments),
                )
            case _:
                pass
    return found


def _of_own_class(function: Function, named: Named, module: Module) -> str:
    """What is called, where that is qualified by the class itself, and the object is an argument; else empty."""
    name = named.name.text.strip()
    held = next((h.cpp_type.text.strip() for h in module.handles if h.name == function.handle), "")
    return name if held and not named.is_member and name.startswith(f"{held}::") else ""


def _shown(function: Function) -> str:
    name = function.sets or function.name
    return f"{function.handle}.{name}" if function.handle else name


def _not_said(function: Function) -> Iterator[KeyPlace]:
    for p in function.parameters:
        for each in p.callbacks:
            if each.scope is Lasting.UNSAID and each.place:
                yield each.place


def _read(function: Function, named: Named) -> str:
    """The property of a data member, in place of a call of it."""
    if not named.is_member or function.parameters or is_void(function.returns):
        return ""
    type_, name = str(function.returns), named.name.text
    shown = type_ if type_.rstrip("?").isidentifier() else f'"{type_}"'
    return f"{function.name}: {shown}" if name == function.name else f"{function.name}: {{type: {shown}, cpp: {name}}}"


def _def(function: Function) -> str:
    return f"{function.name}({', '.join(f'{p.name}: {p.type}' for p in function.parameters)})"


def _at(span: Span) -> tuple[int, str]:
    return span.line, SpanOfRow.row_of(span)


def _order(function: Function, named: Named) -> list[str]:
    return ["self"] * (function.handle is not None and not named.is_member) + declared(function)


def _places(function: Function) -> list[str]:
    """Where a call writes the items of the result, as `cpp` has them."""
    if function.constructs:
        return ["&self"]
    return [f"&{each}" for each in item_names(function.returns)[: len(written_items(function.returns))]]


def writes_of(function: Function) -> list[str]:
    """What a call most likely writes: all of the result where the call's value is a status."""
    named = function.implementation
    is_ours = isinstance(named, Named) and named.buffer is not None
    is_status = function.raises is not None or bool(function.reported.inherited)
    return _places(function) if is_status and not is_ours and not is_void(function.returns) else []


def _deduced(function: Function, named: Named, module: Module) -> list[Given | None]:
    """The arguments as C++ is given them to put them in order; none of a stream's call."""
    if named.streaming:
        return []
    buffer = named.buffer
    handles = function.handle is not None and not named.is_member and named.accessor is None
    found = [_handle(function, module)] * handles
    found += [None, None] * (isinstance(buffer, Buffer) and buffer.is_computed)
    for name in declared(function):
        found += [None] * (isinstance(buffer, Buffer) and name == buffer.capacity)
        found.append(_parameter(function, name, module))
    if buffer is None:
        found += [_written(function, item, function.span) for item in range(len(written_items(function.returns)))]
    return found


def _stated(function: Function, named: Named, arguments: Sequence[Argument], module: Module) -> list[Given | None]:
    """The same in the order of the spec, where what the call writes and gives back follows the rest."""
    is_ours = isinstance(named.buffer, Buffer | Allocated | Returned) or named.streaming is not None
    outs = [] if is_ours else [each for each in arguments if each.place is Place.OUT]
    ins = [each for each in arguments if each not in outs and each.place is not Place.DISCARD]
    found: list[Given | None] = []
    for each in ins:
        match each.place:
            case Place.HANDLE:
                found.append(_handle(function, module))
            case Place.VALUE:
                found.append(Given(each.name or each.value, "", each.span))
            case Place.PARAMETER | Place.INOUT | Place.ADDRESS | Place.ALONE:
                found.append(_parameter(function, each.name, module))
            case _:
                found.append(None)
    outs.sort(key=lambda each: each.item)
    return [*found, *(_written(function, each.item, each.span) for each in outs)]


def _lengthened(function: Function, named: Named, arguments: Sequence[Argument]) -> str:
    """The call with the lengths, and the user data, of all arguments that have some, and are there alone."""
    given: list[str] = []
    is_alone = False
    for each in arguments:
        given.append(_as_written(each, named))
        if each.place is Place.ALONE:
            p = next(p for p in function.parameters if p.name == each.name)
            given.append(f"{p.name}.{'user_data' if p.callback else 'size()'}")
            is_alone = True
    return call_of(named.name.text, given, is_member=named.is_member) if is_alone and all(given) else ""


def _as_written(argument: Argument, named: Named) -> str:
    """An argument as `cpp` has it; empty where it may be there in several ways."""
    name, cast = argument.name, f"({argument.cast})" if argument.cast else ""
    match argument.place:
        case Place.HANDLE:
            return "self"
        case Place.PARAMETER | Place.ALONE | Place.ADDRESS:
            return f"{cast}{name}"
        case Place.LENGTH:
            return f"{cast}{argument.value or f'{name}.size()'}"
        case Place.VALUE:
            return f"{cast}{argument.value}"
        case Place.FILLED:
            return name
        case Place.INOUT:
            return f"&{name}"
        case Place.OUT if isinstance(named.buffer, Buffer):
            return "out"
        case Place.OUT if not (named.buffer or named.streaming or cast):
            return f"&{name}"
        case Place.CAPACITY:
            return "capacity"
        case Place.USER_DATA | Place.DESTROY if not argument.sharing:
            return f"{name}.{argument.place.value}"
        case Place.JOINED:
            return f"{name}.joined"
        case _:
            return ""


def _handle(function: Function, module: Module) -> Given | None:
    return Given("h", function.handle or "", function.span, place="self")


def _parameter(function: Function, name: str, module: Module) -> Given | None:
    for p in function.parameters:
        if p.name == name:
            unmade = tuple(r.name for r in module.representations if r.type == p.type and not r.can_be_made)
            held = (h.cpp_type.text for h in module.handles if h.name == handle_of(p.type) and p.mode is Mode.BORROW)
            is_sole = any(text.strip().startswith("std::unique_ptr<") for text in held)
            shared = {h.name for h in module.handles if h.is_interface}
            return Given(
                name,
                str(p.type),
                p.span,
                unmade=unmade,
                is_sole=is_sole,
                is_overridable=not shared.isdisjoint(handles_in(p.type)),
            )
    return None


def _written(function: Function, item: int, span: Span) -> Given:
    named = item_names(function.returns)[item]
    only = "the result" if len(written_items(function.returns)) == 1 else f"item {item + 1} of the result"
    declared_, place = str(written_items(function.returns)[item]), _places(function)[item]
    return Given(only if named == "out" else named, declared_, span, is_written=True, place=place)
