"""Types of the spec language from text: tokens, then one function a rule of the grammar.

type      = simple ("|" simple)*
simple    = primary "?"*
primary   = NAME | "fn" "(" (argument ("," argument)* ","?)? ")" ("->" type)?
          | "[" type "]" | "set" "[" type "]" | "iter" "[" type "]" | "{" type ":" type "}"
          | "&" "mut"? "[" type (";" dimensions)? "]" | "array" "[" type ";" dimensions "]"
          | ("duration" | "datetime") "[" UNIT "]" | "position" ("[" C++ "]")? | "key"
          | "(" type ("," type)* ","? ")" | "(" type "," "..." ")" | "(" NAME ":" type ("," NAME ":" type)* ","? ")"
argument  = (NAME ":")? type | "*" (NAME ":")? type

Dimensions are names or numbers; those of an `array` are any C++ expressions.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from wrapper_gen.diagnostics import Nearest, did_you_mean
from wrapper_gen.frozen import frozen, replace
from wrapper_gen.types.keys import is_key, no_key
from wrapper_gen.types.memory import has_arrays, is_array, is_exchange, is_stream
from wrapper_gen.types.model import (
    AnyObject,
    ArrayOf,
    Bytes,
    Complex,
    DateTime,
    DeviceStream,
    Duration,
    EnumRef,
    Exchange,
    Fn,
    Handle,
    Index,
    Iter,
    List,
    Map,
    Optional,
    Order,
    Path,
    Scalar,
    Set,
    Slice,
    SpanOf,
    Struct,
    Text,
    Tuple,
    TupleOf,
    Type,
    Union,
    Unit,
    Void,
)
from wrapper_gen.types.queries import borrows_memory, has_callables, is_any_object, is_iterator

DEEPEST = 16
"""Levels that a type may have: more than any library needs, and few enough for compilers."""

LONGEST = 2000
"""Characters that a type may have."""

DEVICES = ("cuda", "cpu | cuda")
"""Where memory may lie, which is else the CPU's."""

MOST_DIMENSIONS = 8
"""Of memory: `most_dimensions` of wg/memory/spans.hpp and wg/arrays/arrays.hpp."""

_HOLD_CALLABLES = ("a list", "a map", "a tuple")
_TOKEN = re.compile(r"(?P<word>[A-Za-z_]\w*(?:::\w+)*(?:\.[A-Za-z_]\w*)*)|(?P<mark>->|\.\.\.|\S)")
_ON_DEVICE = re.compile(r"cuda\s*\((.+)\)", re.DOTALL)
"""The memory of a device with the C++ that says its number."""
_DIMENSION = re.compile(r"[A-Za-z_]\w*|[1-9]\d{0,17}")
_OF_OBJECT = re.compile(r"\bself\b")
"""C++ over the object of a method."""
_NAMED: dict[str, Type] = {
    **{
        str(each): each
        for each in (*Scalar, Complex(64), Complex(128), Void(), Text(), Bytes(), Path(), AnyObject(), DeviceStream())
    },
    **{str(each): each for each in (Duration(), DateTime(), Slice(), Index(), Exchange())},
}
_TIMES: dict[str, type[Duration | DateTime]] = {"duration": Duration, "datetime": DateTime}
_UNITS = {str(each): each for each in Unit}
_COUNTED = ("position", "key")
WORDS = frozenset((*_NAMED, *_COUNTED))
"""The types that every spec has."""


class BadType(Exception):
    """What is wrong with the text of a type, and with which part of it."""

    def __init__(self, code: str, message: str, hint: str | Nearest, start: int, end: int) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.start = start
        self.end = end


@frozen
class Known:
    """The names that a spec declares."""

    handles: Collection[str] = ()
    enums: Collection[str] = ()
    structs: Collection[str] = ()
    calling: Collection[str] = ()
    holding: Mapping[str, tuple[Handle, ...]] | None = None
    """Those of the structs that have callables, and those that have handles."""
    named: Mapping[str, Type] | None = None
    """Other names of types."""
    used: Mapping[str, Type] | None = None
    """Types of other specs, by their qualified names."""

    @property
    def types(self) -> frozenset[str]:
        """Every type that a bare name can mean."""
        return WORDS.union(self.handles, self.enums, self.structs, self.named or (), self.used or ())

    def declares(self, name: str) -> bool:
        """Whether a name is one of the spec's own types."""
        return any(name in each for each in (self.handles, self.enums, self.structs, self.named or (), self.used or ()))


@frozen
class _Token:
    text: str
    start: int
    end: int


@frozen
class CountedPart:
    """`position`, `position[…]` or `key`, which are an `i64` in C++, and where it stands in the text of a type."""

    word: str
    extent: SourcePart | None
    """What is between the brackets."""
    start: int
    end: int


@frozen
class SourcePart:
    """A part of a type that is no type."""

    text: str
    start: int
    end: int


def parse_type(text: str, known: Known) -> Type:
    """The type that `text` spells.

    Raises:
        BadType: with its code, and where in the text.
    """
    return parse_counted(text, known)[0]


def parse_counted(text: str, known: Known) -> tuple[Type, tuple[CountedPart, ...]]:
    """The type that `text` spells, and which of the integers in it are positions or keys.

    Raises:
        BadType: with its code, and where in the text.
    """
    if len(text) > LONGEST:
        raise BadType("WG014", f"a type of over {LONGEST} characters", "pass its parts by themselves", 0, len(text))
    try:
        parser = _TypeParser(text, known)
        return parser.whole(), tuple(parser.counted)
    except BadType as bad:
        is_ours = text.lstrip().startswith("fn(")
        if bad.code in ("WG030", "WG033", "WG070") and not is_ours and (ours := _advice(text.strip(), known.types)):
            raise BadType("WG030", f"unknown type {text.strip()!r}", ours, 0, len(text)) from None
        raise


class _TypeParser:
    def __init__(self, text: str, known: Known) -> None:
        self._text = text
        self._known = known
        self._tokens = [_Token(m[0], m.start(), m.end()) for m in _TOKEN.finditer(text)]
        self._at = 0
        self._depth = 0
        self.counted: list[CountedPart] = []

    def whole(self) -> Type:
        found = self._type()
        if self._next() is not None:
            raise self._unexpected("one type")
        return found

    # --- tokens ---

    def _next(self) -> _Token | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _is_next(self, text: str) -> bool:
        token = self._next()
        return token is not None and token.text == text

    def _take(self, text: str) -> bool:
        taken = self._is_next(text)
        self._at += taken
        return taken

    def _expect(self, text: str, opened: _Token) -> None:
        if not self._take(text):
            raise self._unexpected(f"`{text}` for the `{opened.text}` at column {opened.start + 1} of the type")

    def _unexpected(self, wanted: str) -> BadType:
        token = self._next()
        found = f"unexpected {token.text!r}" if token else "the type ends too early"
        start, end = (token.start, token.end) if token else (0, len(self._text))
        return BadType("WG070", f"{found} in the type {_shortened(self._text)!r}", f"{wanted} is expected", start, end)

    def _bad(self, code: str, message: str, hint: str | Nearest, start: int) -> BadType:
        """A mistake in what was just read, from the token at index `start` on."""
        return BadType(code, message, hint, self._tokens[start].start, self._tokens[self._at - 1].end)

    # --- the grammar ---

    def _type(self) -> Type:
        start = self._at
        if self._depth == DEEPEST:
            message = f"a type that nests more than {DEEPEST} levels"
            raise BadType("WG014", message, "pass its parts by themselves", 0, len(self._text))
        self._depth += 1
        found, may_be_none = list[Type](), False
        while True:
            is_alternative = bool(found) or may_be_none or self._is_followed_by("|")
            if is_alternative and self._is_next("None"):
                self._at += 1
                if may_be_none:
                    raise self._bad("WG071", "None is there twice", "leave one of them out", self._at - 1)
                may_be_none = True
            else:
                found.append(self._simple())
            if not self._take("|"):
                break
        self._depth -= 1
        if not found:
            raise self._unexpected("a type beside None")
        whole = found[0] if len(found) == 1 else self._union(found, start)
        return self._optional(whole, start) if may_be_none else whole

    def _is_followed_by(self, text: str) -> bool:
        return self._at + 1 < len(self._tokens) and self._tokens[self._at + 1].text == text

    def _union(self, found: list[Type], start: int) -> Type:
        flat = [a for each in found for a in (each.alternatives if isinstance(each, Union) else (each,))]
        for i, each in enumerate(flat):
            self._check_part(each, "a union", start)
            if each in flat[:i]:
                raise self._bad("WG071", f"{each} is there twice", "leave one of them out", start)
            if is_any_object(each):
                raise self._bad(
                    "WG032", f"an object beside {flat[0 if i else 1]} in one union", "write object alone", start
                )
            if isinstance(each, TupleOf) and List(each.element) in flat:
                hint = "leave one of them out: C++ has a list for both"
                raise self._bad("WG071", f"{each} beside {List(each.element)} in one union", hint, start)
        return Union(tuple(flat))

    def _simple(self) -> Type:
        start = self._at
        found = self._primary()
        while self._take("?"):
            found = self._optional(found, start)
        return found

    def _optional(self, found: Type, start: int) -> Type:
        name = self._tokens[start].text
        if isinstance(found, Optional) and name in (self._known.named or ()):
            hint = "drop the `?`: C gets what its case None makes, and no null pointer"
            raise self._bad("WG032", f"{name} can be None as it is", hint, start)
        if isinstance(found, Void | Optional):
            hint = "write one `?`, or `| None`, and none after void"
            raise self._bad("WG032", f"{found} cannot be optional", hint, start)
        if is_stream(found):
            raise self._bad("WG032", "stream cannot be optional", "drop the `?`: it may be None as it is", start)
        if is_iterator(found):
            raise self._bad("WG150", f"{found} cannot be optional", "an iterator may have no elements", start)
        return Optional(found)

    def _primary(self) -> Type:
        token = self._next()
        if token is None:
            raise self._unexpected("a type")
        if self._take("&"):
            return self._span(self._at - 1)
        if self._take("["):
            return List(self._part("a list", "]", token))
        if self._take("{"):
            return self._map(token)
        if token.text == "fn" and self._opens("("):
            return self._fn(token)
        if token.text == "set" and self._opens("["):
            return self._set(token)
        if token.text == "iter" and self._opens("["):
            self._at += 2
            return Iter(self._part("an iterator", "]", token))
        if token.text == "array" and self._opens("["):
            return self._array(token)
        if token.text in _TIMES and self._opens("["):
            return self._time(token)
        if self._take("("):
            return self._tuple(token)
        if token.text in _COUNTED and not self._known.declares(token.text):
            return self._position(token)
        return self._name(self._at)

    def _part(self, whole: str, closing: str, opened: _Token) -> Type:
        start = self._at
        found = self._type()
        self._expect(closing, opened)
        self._check_part(found, whole, start, back=1)
        return found

    def _check_part(self, part: Type, whole: str, start: int, back: int = 0) -> None:
        self._at -= back
        if isinstance(part, Void):
            raise self._bad("WG032", f"{whole} cannot hold {part}", "void is only a result", start)
        if borrows_memory(part):
            hint = "memory is passed by itself: one parameter for each"
            raise self._bad("WG032", f"{whole} cannot hold {part}", hint, start)
        if is_exchange(part) or (has_arrays(part) and not (is_array(part) and whole == "a tuple")):
            hint = "memory is a result by itself, or an item of one; within others return a list: [T]"
            raise self._bad("WG032", f"{whole} cannot hold {part}", hint, start)
        if has_callables(part) and whole not in _HOLD_CALLABLES:
            hint = "take a list, such as [fn(i64)], a dict's values, a tuple's items, or an object with methods"
            raise self._bad("WG032", f"{whole} cannot hold {part}", hint, start)
        if is_iterator(part):
            hint = "an iterator is a whole result; here, use [T]"
            raise self._bad("WG150", f"{whole} cannot hold {part}", hint, start)
        self._at += back

    def _map(self, opened: _Token) -> Type:
        start = self._at
        key = self._part("a map", ":", opened)
        if not is_key(key):
            self._at -= 1
            raise self._bad("WG072", f"{key} cannot be a key", no_key(key), start)
        return Map(key, self._part("a map", "}", opened))

    def _opens(self, bracket: str) -> bool:
        return self._at + 1 < len(self._tokens) and self._tokens[self._at + 1].text == bracket

    def _fn(self, opened: _Token) -> Type:
        self._at += 2
        parameters: list[Type] = []
        named: list[str] = []
        is_spread = False
        while not self._is_next(")"):
            start = self._at
            if is_spread:
                raise self._bad("WG070", "an argument behind those of `*`", "move it before them", start)
            is_spread = self._take("*")
            named += self._item_name() or [""]
            parameters.append(List(self._type()) if is_spread else self._type())
            self._check_part(parameters[-1], "what a callable is called with", start)
            if not self._take(","):
                break
        self._expect(")", opened)
        twice = next((each for i, each in enumerate(named) if each and each in named[:i]), "")
        if twice:
            at = [i for i, each in enumerate(self._tokens) if each.text == twice]
            hint = "give each argument a name of its own"
            raise BadType("WG022", f"two arguments are named {twice!r}", hint, *self._ends(at[-1]))
        returns: Type = Void()
        if self._take("->"):
            start = self._at
            returns = self._type()
            if not isinstance(returns, Void):
                self._check_part(returns, "the result of a callable", start)
        names = tuple(named) if any(named) else ()
        return Fn(tuple(parameters), returns, is_spread=is_spread, names=names)

    def _ends(self, at: int) -> tuple[int, int]:
        return self._tokens[at].start, self._tokens[at].end

    def _time(self, opened: _Token) -> Type:
        self._at += 2
        start = self._at
        unit = self._next()
        if unit is None or unit.text not in _UNITS:
            if unit is not None:
                self._at += 1
                hint = "write s, ms, us or ns, of which C++ has a number"
                raise self._bad("WG070", f"{unit.text!r} is no unit of time", hint, start)
            raise self._unexpected("s, ms, us or ns")
        self._at += 1
        self._expect("]", opened)
        return _TIMES[opened.text](_UNITS[unit.text])

    def _position(self, word: _Token) -> Type:
        self._at += 1
        extent, opened = None, self._next()
        if word.text == "position" and opened and self._take("["):
            start, depth = self._at, 0
            while (token := self._next()) is not None and (depth or token.text != "]"):
                depth += (token.text in "([{") - (token.text in ")]}")
                self._at += 1
            if self._at == start:
                raise self._unexpected("what it counts in, as in position[self.rows()] or position[subject],")
            last = self._tokens[self._at - 1].end
            self._expect("]", opened)
            first = self._tokens[start].start
            extent = SourcePart(self._text[first:last], first, last)
        self.counted.append(CountedPart(word.text, extent, word.start, self._tokens[self._at - 1].end))
        return Scalar.I64

    def _set(self, opened: _Token) -> Type:
        self._at += 2
        start = self._at
        element = self._part("a set", "]", opened)
        if not is_key(element):
            self._at -= 1
            raise self._bad("WG072", f"{element} cannot be in a set", no_key(element), start)
        return Set(element)

    def _tuple(self, opened: _Token) -> Type:
        items: list[Type] = []
        named: list[str] = []
        is_tuple = False
        first = self._at
        while not self._is_next(")"):
            named += self._item_name()
            start = self._at
            items.append(self._type())
            is_tuple = is_tuple or bool(named) or self._is_next(",")
            if is_tuple:  # else it is a group, which holds what stands in its place
                self._check_part(items[-1], "a tuple", start)
            if not self._take(","):
                break
            if len(items) == 1 and not named and self._take("..."):
                self._expect(")", opened)
                self._check_part(items[0], "a tuple of any length", first, back=3)
                return TupleOf(items[0])
        self._expect(")", opened)
        if not items:
            raise self._bad("WG070", "a tuple of nothing", "write the types of its items: (i64, text)", self._at - 2)
        if named and (len(named) != len(items) or len(set(named)) != len(named)):
            hint = "name each item, and each differently: (free: usize, total: usize)"
            raise self._bad("WG084", "a tuple where not every item has its own name", hint, first)
        return Tuple(tuple(items), tuple(named)) if is_tuple or named else items[0]

    def _item_name(self) -> list[str]:
        """The name of an item, if it has one."""
        following = self._tokens[self._at + 1 : self._at + 2]
        if not following or following[0].text != ":" or not self._tokens[self._at].text.isidentifier():
            return []
        self._at += 2
        return [self._tokens[self._at - 2].text]

    def _span(self, start: int) -> Type:
        mutable = self._take("mut")
        opened = self._next()
        if not self._take("["):
            raise self._no_direction()
        element = self._element(start + 2 + mutable)
        assert opened is not None
        dimensions = self._dimensions(opened, are_names=True) if self._take(";") else ()
        order = self._order(opened) if self._take(";") else Order.C
        self._expect("]", opened)
        if order in DEVICES and element is Scalar.BOOL:
            raise self._bad("WG032", "memory of a device cannot hold bool", "write u8: nothing looks at it here", start)
        if order in DEVICES:
            return SpanOf(element, mutable, dimensions, device=order)
        return SpanOf(element, mutable, dimensions, Order(order))

    def _element(self, start: int) -> Scalar | Complex:
        element = self._type()
        if isinstance(element, Scalar | Complex):
            return element
        hint = "memory holds numbers or bool; for others use a list: [T]"
        raise self._bad("WG032", f"memory cannot hold {element}", hint, start)

    def _array(self, opened: _Token) -> Type:
        self._at += 2
        element = self._element(self._at)
        if not self._take(";"):
            hint = "write them after a semicolon: array[f64; rows(), cols()]"
            raise self._bad("WG154", "nothing says what dimensions this array has", hint, self._at - 1)
        dimensions = self._dimensions(opened, are_names=False)
        found = ArrayOf(element, dimensions)
        if self._take(";"):
            found = self._laid_out(found, opened)
        self._expect("]", opened)
        return found

    def _order(self, opened: _Token) -> str:
        """How the elements of the caller's memory lie, or on which device, after its dimensions."""
        start = self._at
        found = self._listed(opened, "an order")
        if len(found) == 1 and found[0] in (*Order,):
            return found[0]
        if len(found) == 1 and (device := _device(found[0])):
            return device
        hint = "write C, F (the first dimension's elements lie side by side), any; or cuda, cpu | cuda, which lie as C"
        raise self._bad("WG156", f"{self._between(start)!r} is no order of an argument", hint, start)

    def _laid_out(self, array: ArrayOf, opened: _Token) -> ArrayOf:
        """The same of an array, whose strides may be there in its place."""
        start, count = self._at, len(array.dimensions)
        found = tuple(self._listed(opened, "an order, or strides"))
        if found in (("C",), ("F",)):
            return replace(array, order=Order(found[0]))
        if found == ("any",):
            hint = "write F, or how many elements lie between neighbours; without either, the C++ type says it"
            raise self._bad("WG156", "an array that is returned is in one order", hint, start)
        if len(found) == 1 and (device := _device(found[0])):
            return replace(array, device=device)
        if len(found) == 1 and (numbered := _ON_DEVICE.fullmatch(found[0])):
            return replace(array, device="cuda", number=numbered[1].strip())
        if len(found) != count:
            hint = "write F, or how many elements lie between neighbours, for each dimension: 1, self.ld()"
            message = f"{len(found)} stride{'s' * (len(found) != 1)} for {count} dimension{'s' * (count > 1)}"
            raise self._bad("WG156", message, hint, start)
        return replace(array, strides=found)

    def _between(self, start: int) -> str:
        return self._text[self._tokens[start].start : self._tokens[self._at - 1].end]

    def _listed(self, opened: _Token, what: str, *, are_names: bool = False) -> list[str]:
        """Texts between commas, up to a semicolon or the bracket that closes; of a span names or numbers."""
        found: list[str] = []
        while not self._is_next("]"):
            start, depth = self._at, 0
            while (token := self._next()) is not None and (depth or token.text not in (",", "]", ";")):
                depth += (token.text in "([{") - (token.text in ")]}")
                self._at += 1
            if self._at == start or token is None:
                raise self._unexpected(f"{what}, or `]` for the `[` after column {opened.start + 1} of the type")
            found.append(self._between(start))
            if are_names and not _DIMENSION.fullmatch(found[-1]) and not _OF_OBJECT.search(found[-1]):
                hint = "a dimension is a name, which the shape of the argument sets, a number, or C++ over `self`"
                raise self._bad("WG154", f"{found[-1]!r} is no dimension of an argument", hint, start)
            if not self._take(","):
                break
        return found

    def _dimensions(self, opened: _Token, *, are_names: bool) -> tuple[str, ...]:
        """The dimensions up to the bracket that closes: of a span names or numbers, of an array any expressions."""
        first = self._at
        found = self._listed(opened, "a dimension", are_names=are_names)
        if not 1 <= len(found) <= MOST_DIMENSIONS:
            hint = f"memory has 1 to {MOST_DIMENSIONS} dimensions"
            raise self._bad("WG154", f"{len(found)} dimensions", hint, max(first - 1, 0))
        return tuple(found)

    def _name(self, start: int) -> Type:
        """A name; of C++ also several words, with what marks a pointer or a reference."""
        while (token := self._next()) is not None and re.match(r"[A-Za-z_*&]", token.text):
            self._at += 1
        if self._at == start:
            raise self._unexpected("a type")
        name = self._text[self._tokens[start].start : self._tokens[self._at - 1].end]
        if name in self._known.handles:
            return Handle(name)
        if name in self._known.enums:
            return EnumRef(name)
        if name in self._known.structs:
            return Struct(name, name in self._known.calling, (self._known.holding or {}).get(name, ()))
        if self._known.named and name in self._known.named:
            return self._known.named[name]
        if self._known.used and name in self._known.used:
            return self._known.used[name]
        if name in _NAMED:  # after the spec's own: a word may be younger than a spec
            return _NAMED[name]
        qualified = [each for each in self._known.used or () if each.endswith(f".{name}")]
        if qualified:
            raise self._bad("WG030", f"unknown type {name!r}", f"write {' or '.join(qualified)}", start)
        ours = _advice(name, self._known.types)
        if any(mark in name for mark in "&*") and not ours:
            raise self._no_direction()
        raise self._bad("WG030", f"unknown type {name!r}", ours or did_you_mean(name, self._known.types), start)

    def _no_direction(self) -> BadType:
        hint = "memory is &[f32] (read) or &mut [f32] (written); a value is returned; a handle is its name alone"
        message = f"{_shortened(self._text)!r} does not say which way the data goes"
        return BadType("WG033", message, hint, 0, len(self._text))


def _device(text: str) -> str:
    """Where memory lies, in one spelling; empty where it is nothing like that."""
    words = [each.strip() for each in text.split("|")]
    return next((each for each in DEVICES if sorted(words) == sorted(each.split(" | "))), "")


def _advice(text: str, known: Collection[str]) -> str:
    from wrapper_gen.types.foreign import advice  # rarely needed: not worth its import on every start

    return advice(text, known)


def _shortened(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "…"
