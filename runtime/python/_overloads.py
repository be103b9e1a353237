"""Functions that several forms share a name of: which of them a call is meant for.

Each parameter says how well a value fits: EXACTLY, CONVERTED, an int AS_FLOAT, a float or an int AS_COMPLEX, or not at
all (0). A form fits as its worst argument does; the best form is called, the first of those that fit equally well.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from datetime import datetime, timedelta
from typing import Any

from ._cffi_numbers import NUMBERS, has_length, is_numpy_bool, is_numpy_complex

EXACTLY, CONVERTED, AS_FLOAT, AS_COMPLEX = 1, 2, 3, 4
Fit = Callable[[Any], int]


def _is(value: Any, kind: Any) -> bool:
    """`isinstance` without the value's own `__class__`, which may say anything."""
    return issubclass(type(value), kind)


def boolean(value: Any) -> int:
    return EXACTLY if type(value) is bool else CONVERTED * is_numpy_bool(value)


def integer(value: Any) -> int:
    if type(value) is int:
        return EXACTLY
    if is_numpy_bool(value) or has_length(value):
        return 0
    return CONVERTED * hasattr(type(value), "__index__")


def floating(value: Any) -> int:
    if type(value) is float:
        return EXACTLY
    if _is(value, bool) or is_numpy_bool(value) or has_length(value) or is_numpy_complex(value):
        return 0
    if hasattr(type(value), "__index__"):
        return AS_FLOAT
    return CONVERTED * hasattr(type(value), "__float__")


def complex_number(value: Any) -> int:
    kind = type(value)
    if kind is complex:
        return EXACTLY
    if _is(value, bool) or is_numpy_bool(value) or has_length(value):
        return 0
    if _is(value, complex) or is_numpy_complex(value):
        return CONVERTED
    if hasattr(kind, "__index__") or hasattr(kind, "__float__"):
        return AS_COMPLEX
    return CONVERTED * hasattr(kind, "__complex__")


def text(value: Any) -> int:
    return EXACTLY if type(value) is str else CONVERTED * _is(value, str)


def bytes_like(value: Any) -> int:
    if type(value) is bytes:
        return EXACTLY
    try:
        memoryview(value).release()
    except TypeError:
        return 0
    except Exception:  # it has a buffer, and does not give it now: the form that is called says why
        return CONVERTED
    return CONVERTED


def path(value: Any) -> int:
    if _is(value, str):
        return CONVERTED
    return EXACTLY * _is(value, os.PathLike)


def duration(value: Any) -> int:
    return EXACTLY if type(value) is timedelta else CONVERTED * _is(value, timedelta)


def date_time(value: Any) -> int:
    return EXACTLY if type(value) is datetime else CONVERTED * _is(value, datetime)


def anything(_: Any) -> int:
    return CONVERTED


def function(value: Any) -> int:
    return CONVERTED * callable(value)


def instance(kind: type) -> Fit:
    return lambda value: EXACTLY if type(value) is kind else CONVERTED * _is(value, kind)


def enum(kind: type) -> Fit:
    return lambda value: EXACTLY if _is(value, kind) else CONVERTED * (type(value) is int)


def memory(element: str, writable: bool, dimensions: int) -> Fit:
    number = NUMBERS[element]

    def fits(value: Any) -> int:
        try:
            with memoryview(value) as view:
                is_of_them = view.format in number.formats and view.itemsize == number.size
                return EXACTLY * (is_of_them and view.ndim == dimensions and not (writable and view.readonly))
        except TypeError:
            return CONVERTED * hasattr(type(value), "__dlpack__")
        except Exception:  # it has a buffer, and does not give it now
            return 0

    return fits


def optional_of(of: Fit) -> Fit:
    return lambda value: EXACTLY if value is None or value is ... else of(value)


def union_of(*alternatives: Fit) -> Fit:
    return lambda value: min((level for fits in alternatives if (level := fits(value))), default=0)


def _all(level: int, levels: Iterator[int]) -> int:
    """The worst, or 0 where one does not fit."""
    for each in levels:
        if not each:
            return 0
        level = max(level, each)
    return level


_BY_TYPE = frozenset({boolean, integer, floating, complex_number, text})
"""What looks at the type of a value alone: of a long list, one element of each type is asked."""


def list_of(element: Fit) -> Fit:
    is_by_type = element in _BY_TYPE

    def fits(value: Any) -> int:
        if type(value) is list or type(value) is tuple:
            # By id: a class may have no hash.
            asked = {id(type(each)): each for each in value}.values() if is_by_type else value
            return _all(EXACTLY if type(value) is list else CONVERTED, map(element, asked))
        if _is(value, str | bytes | bytearray | dict | Set):
            return 0
        return CONVERTED * (hasattr(type(value), "__iter__") or hasattr(type(value), "__getitem__"))

    return fits


def set_of(element: Fit) -> Fit:
    def fits(value: Any) -> int:
        if type(value) is set or type(value) is frozenset:
            return _all(EXACTLY, map(element, value.copy()))  # another thread may change it
        return CONVERTED * _is(value, Set)

    return fits


def map_of(key: Fit, item: Fit) -> Fit:
    def fits(value: Any) -> int:
        if type(value) is dict:
            copy = value.copy()  # another thread may change it
            level = _all(EXACTLY, map(key, copy))
            return level and _all(level, map(item, copy.values()))
        return CONVERTED * (hasattr(type(value), "keys") and hasattr(type(value), "__getitem__"))

    return fits


def tuple_of_any_length(element: Fit) -> Fit:
    def fits(value: Any) -> int:
        if not _is(value, tuple | list):
            return 0
        return _all(EXACTLY if type(value) is tuple else CONVERTED, map(element, value))

    return fits


def tuple_of(*items: Fit) -> Fit:
    def fits(value: Any) -> int:
        if not _is(value, tuple | list) or len(value) != len(items):
            return 0
        level = EXACTLY if type(value) is tuple else CONVERTED
        return _all(level, (fits(each) for fits, each in zip(items, value, strict=True)))

    return fits


def key_of(*items: Fit) -> Fit:
    """A key of several items, which is a tuple."""
    of_tuple = tuple_of(*items)
    return lambda value: of_tuple(value) if _is(value, tuple) else 0


Taken = tuple[Any, ...]
"""What a form takes: its parameters (what a call gives without a name has none), how many of them a call has to give,
how many it may give without a name, and which others it has to give, too."""


class Form:
    """One function of several."""

    def __init__(self, function: Callable[..., Any], taken: Taken) -> None:
        parameters, self.required, self.most, *self.later = taken
        self.function = function
        self.fits = tuple(fits for _, fits in parameters)
        self.names = {name: i for i, (name, _) in enumerate(parameters) if name}

    def level(self, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> int:
        """How well these fit; 0 where they do not."""
        count = len(arguments)
        if count > self.most:
            return 0
        worst = EXACTLY
        for fits, value in zip(self.fits, arguments, strict=False):
            level = fits(value)
            if not level:
                return 0
            worst = max(worst, level)
        if not keywords:
            return worst if count >= self.required and not self.later else 0
        places = self.names
        for name, value in keywords.items():
            place = places.get(name, -1)
            level = self.fits[place](value) if place >= count else 0
            if not level:
                return 0
            worst = max(worst, level)
        given = {places[name] for name in keywords}
        return worst if given.issuperset((*range(count, self.required), *self.later)) else 0


def overloaded(
    name: str,
    forms: Sequence[tuple[str, Callable[..., Any]]],
    taken: Callable[[], Sequence[Taken]],
    implied: int = 0,
    in_class: bool = False,
    is_static: bool = False,
    is_operator: bool = False,
) -> Any:
    """A function that calls the form which its arguments fit best.

    Args:
        name: what messages call it.
        forms: how each form is shown, and what it is.
        taken: what each takes; asked later, since the classes of the package may come later.
        implied: how many arguments come first that are the same for all of them.
        in_class: whether it is a class method.
        is_static: whether it is a static method.
        is_operator: whether what fits no form is for the other operand to know.
    """
    known: Sequence[Form] = ()

    def call(*args: Any, **kwargs: Any) -> Any:
        nonlocal known
        if not known:
            known = [Form(*each) for each in zip((form for _, form in forms), taken(), strict=True)]
        given = args[implied:] if implied else args
        best, least = None, AS_COMPLEX + 1
        for form in known:
            level = form.level(given, kwargs)
            if level and level < least:
                best, least = form, level
                if level == EXACTLY:
                    break
        if best is None:
            raise TypeError(_none(name, [shown for shown, _ in forms], given, kwargs)) from None
        return best.function(*args, **kwargs)

    def operate(self: Any, other: Any, *modulus: Any) -> Any:
        nonlocal known
        if not known:
            known = [Form(*each) for each in zip((form for _, form in forms), taken(), strict=True)]
        best, least = None, AS_COMPLEX + 1
        for form in () if modulus else known:
            level = form.fits[0](other)
            if level == EXACTLY:
                return form.function(self, other)
            if level and level < least:
                best, least = form, level
        return best.function(self, other) if best else NotImplemented

    made: Any = operate if is_operator else call
    made.__name__ = name.rpartition(".")[2]
    made.__qualname__ = name
    vars(made)["__signature__"] = "several forms"  # there is no signature that has all of them
    return classmethod(made) if in_class else staticmethod(made) if is_static else made


def _none(name: str, forms: Iterable[str], given: Sequence[Any], keywords: Mapping[str, Any]) -> str:
    shown = [_shown_type(value) for value in given]
    shown += [f"{key}={_shown_type(value)}" for key, value in keywords.items()]
    listed = "".join(f"\n    {form}" for form in forms)
    return f"{name}() takes no ({', '.join(shown)}); it takes one of these:{listed}"


def _shown_type(value: Any) -> str:
    """The name of its type; of a list with those of its items, as one of them may be why no form takes it."""
    found: list[str] = []
    for item in value if type(value) is list else ():
        if type(item).__name__ not in found:
            found.append(type(item).__name__)
        if len(found) > 3:
            found[3] = "..."
            break
    name = type(value).__name__
    return f"{name}[{' | '.join(found)}]" if found else name + _shown_memory(value)


def _shown_memory(value: Any) -> str:
    """What memory is of, where it is not of bytes."""
    try:
        with memoryview(value) as view:
            if view.format == "B" and view.ndim == 1:
                return ""
            readonly, many = " (read-only)" * view.readonly, "s" * (view.ndim != 1)
            return f"{readonly} of format {view.format!r} with {view.ndim} dimension{many}"
    except Exception:  # it has no memory, or does not lend it now
        return ""
