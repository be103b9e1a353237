"""What the codecs of compound values share: the encoded value, and why an argument is refused."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from ._cffi_numbers import are_exactly
from ._support import ClosedHandleError, kind_of

if TYPE_CHECKING:
    from ._uses import Uses

PADDING = tuple(bytes(-size % 8) for size in range(8))


class Refusal(Exception):
    """Why an argument was refused, and the path to it, from the inside out; where the reason is `value` or `deep`,
    `wanted` says what is wrong with it."""

    def __init__(self, wanted: str, value: object, reason: str = "type") -> None:
        super().__init__(wanted)
        self.wanted = wanted
        self.value = value
        self.reason = reason
        self.path: list[Callable[[], str]] = []

    def at(self, step: Callable[[], str]) -> Refusal:
        self.path.append(step)
        return self

    def rank(self) -> int:
        """How far it came, and whether the value is of the right type: what a union goes by."""
        return 2 * len(self.path) + (self.reason != "type")

    def exception(self, what: str) -> Exception:
        where = what + "".join(step() for step in reversed(self.path))
        match self.reason:
            case "range":
                return OverflowError(f"{where}: {shown_number(self.value)} does not fit {self.wanted}")
            case "closed":
                return ClosedHandleError(f"{where}: this {self.wanted} is closed")
            case "size":
                size = len(self.value)  # type: ignore[arg-type]  # a tuple
                return TypeError(f"{where}: {self.wanted} is wanted, not one of {size}")
            case "twice":
                return ValueError(f"{where}: two keys become the same: {shown(self.value)}")
            case "deep":  # its path is long, and says nothing
                return ValueError(f"{what}: {self.wanted}")
            case "value":
                return ValueError(f"{where}: {self.wanted}")
        return TypeError(f"{where}: {self.wanted} is wanted, not {kind_of(self.value)}")


def shown_number(number: object) -> str:
    """Python refuses to print very large ints."""
    if isinstance(number, int) and number.bit_length() > 128:
        return f"an int of {number.bit_length()} bits"
    return f"{number!r}"


def shown(key: object) -> str:
    """A key as Python shows it, or, where it cannot or the text is long, part of it."""
    try:
        text = repr(key)
        text.encode()
    except Exception:
        return f"<{type(key).__name__}>"
    return text if len(text) <= 60 else text[:57] + "..."


class Call:
    """The conversion of one argument. `strict`: nothing but exact types, a union's first round. `choosing`: inside a
    union, whose alternatives are lenient with values, but not with what sort they are of. `worst_fit`: of numbers, in
    a later round of it: as of overloads, 2 converted, 3 an int as a float, 4 any. `misfit`: an integer of the union had
    no place for it, so that no float takes it instead. `levels`: of types that are a part of themselves.
    `out` is what it makes."""

    __slots__ = ("choosing", "levels", "misfit", "out", "strict", "worst_fit")

    def __init__(self, out: Encoded) -> None:
        self.levels = 0
        self.strict = False
        self.choosing = False
        self.misfit = False
        self.worst_fit = 4
        self.out = out


class Encoded:
    """An encoded value, and the cells of the handles in it, which it keeps usable."""

    __slots__ = ("callables", "data", "kept", "objects", "parts", "uses")

    callables: list[tuple[Any, Any]]
    """The callables in it, and what keeps them there; only where there are some."""
    objects: list[Any]
    """What keeps the objects in it of which nothing is known; only where there are some."""
    data: bytes

    def __init__(self) -> None:
        self.parts: list[Any] = []
        self.kept: list[Any] = []
        self.uses: Uses | None = None

    def keep(self, cells: list[Any], uses: Uses | None) -> None:
        """Keep cells usable until `give_back`; `uses` counts them where references are not counted."""
        if uses is not None:
            uses.begin(cells)
            self.uses = uses
        self.kept += cells

    def give_back(self) -> None:
        """Give up the cells, after the call or without one."""
        cells, self.kept = self.kept, []
        if self.uses is not None:
            self.uses.end(cells)

    def run(self, values: Any, size: int) -> None:
        """Add a run of so many bytes, up to the next multiple of 8."""
        self.parts.append(values)
        self.parts.append(PADDING[size & 7])

    def end(self) -> Encoded:
        self.data = b"".join(self.parts)
        return self


class NotExactly(Exception):
    """A value is not exactly of a type."""


def only(kinds: set[type], values: Iterable[object]) -> None:
    if not are_exactly(kinds, values):
        raise NotExactly


class Codec:
    """What encodes and decodes the values of one type."""

    wanted: str
    exact: frozenset[type]
    """The classes whose instances are exactly of the type."""
    is_called = False
    """Whether its values are callables, which C++ gets only for a call."""
    may_collide = False
    """Whether different keys of a dict can come to the same one even if they are exactly of the type."""

    def write(self, values: Sequence[Any], out: Encoded) -> None:
        """Encode a run; raises whatever it likes where a value is not exactly of the type."""
        raise NotImplementedError

    def read(self, view: memoryview, at: int, count: int) -> tuple[list[Any], int]:
        """Decode a run: its values, and where the next one starts."""
        raise NotImplementedError

    def take(self, value: Any, call: Call) -> Any:
        """The value as `write` wants it; raises Refusal, or what the value's own code raises."""
        raise NotImplementedError

    def encode(self, value: Any, what: str) -> Encoded:
        """An argument, encoded; `what` is its name."""
        out = Encoded()
        try:
            self.write((value,), out)
            return out.end()
        except Exception:  # what is wrong, if anything, the thorough conversion says
            out.give_back()
            out = Encoded()
        try:
            self.write((self._taken(value, what, out),), out)
            return out.end()
        except BaseException:
            out.give_back()
            raise

    def _taken(self, value: Any, what: str, out: Encoded) -> Any:
        """The value as `write` wants it; raises what is said of one that cannot be."""
        try:
            return self.take(value, Call(out))
        except Refusal as refusal:
            failure = refusal.exception(what)
        try:
            raise failure
        finally:
            del failure  # its traceback has this frame

    def copy(self, value: Any, what: str) -> Any:
        """The value as it comes back from C++."""
        ((own,), _) = self.read(memoryview(self.encode(value, what).data), 0, 1)
        return own

    def decode(self, bridge: Any, buffer: Any) -> Any:
        """A result, whose buffer is freed; raises what the call failed of, which gave none."""
        if not buffer:
            raise bridge.failure()
        ((value,), _) = self.read(memoryview(bridge.bytes_out(buffer)), 0, 1)
        return value


def write_sizes(sizes: Iterable[int], out: Encoded) -> int:
    run = array("Q", sizes)
    out.parts.append(run)
    return sum(run)


def read_ends(view: memoryview, at: int, count: int) -> tuple[list[int], int]:
    """Where each of a run of sizes ends, from 0 on, and where the next run starts."""
    end = at + 8 * count
    return [0, *accumulate(view[at:end].cast("Q"))], end
