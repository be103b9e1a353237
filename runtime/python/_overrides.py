"""The cffi engine's part of interfaces: methods of Python classes that C++ calls for virtual functions.

Static: the same for all packages, and private to the one it lies in.
"""

from __future__ import annotations

import atexit
from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar
from weakref import WeakValueDictionary, ref

from ._callables import Argument, Callables, CallSignature
from ._cffi_handles import Handle
from ._protocols import Constructed
from ._unraisable import report_unraisable
from ._wire_leaves import BOOL

H = TypeVar("H", bound=Handle)
_STAY_ALIVE = CallSignature(BOOL, result=BOOL)


class _Called:
    """What C++ calls in place of a callable that it is passed: it finds its `function` at each call."""

    __slots__ = ("alive", "argument", "signature", "what")

    def __init__(self, what: str, signature: Any) -> None:
        self.what = what
        self.signature = signature
        self.argument: ref[Argument]
        self.alive: Any = None

    @property
    def is_over(self) -> bool:
        """Whether no thread has to call it any more: never, since calls that wait for the object come and go."""
        return False

    def end(self) -> None:
        """Note nothing: C++ knows which calls have an exception."""


class _Method(_Called):
    """A method of an object, by its name. It does not keep the object alive."""

    __slots__ = ("_name", "_object")

    def __init__(self, of: ref[Handle], name: str, what: str, signature: Any) -> None:
        self._object = of
        self._name = name
        super().__init__(what, signature)

    @property
    def function(self) -> Any:
        found = self._object()
        if found is None:
            raise RuntimeError(f"{self.what}(): the Python object that overrides it is gone")
        return getattr(found, self._name)


class _Object(_Called):
    """What C++ asks to keep the object alive while it has a shared pointer, and what it then calls again."""

    __slots__ = ("_kept", "_object")

    def __init__(self, of: ref[Handle]) -> None:
        self._object = of
        self._kept: list[Handle] = []
        super().__init__("an object", _STAY_ALIVE)

    @property
    def function(self) -> Any:
        return self._stay_alive

    def _stay_alive(self, stays: bool) -> bool:
        if not stays:
            self._kept.pop()
        elif (found := self._object()) is not None:
            self._kept.append(found)
        else:
            return False
        return True


class Overridable(Constructed):
    """A handle whose class is an interface: Python classes that derive from it override virtual functions."""

    __slots__ = ()

    _virtual: ClassVar[Mapping[str, tuple[bool, Any]]]
    """By the names of the methods: whether C++ has no implementation, and what C++ calls them with."""
    _override: ClassVar[Any]
    """The C function: of an object, the number of a method, what C++ calls."""
    _callables: ClassVar[Callables]
    _interface: ClassVar[type[Overridable]]

    @classmethod
    def _let_override(cls, callables: Callables, override: Any, virtual: Mapping[str, tuple[bool, Any]]) -> None:
        cls._interface, cls._callables, cls._override, cls._virtual = cls, callables, override, virtual

    @classmethod
    def _overrides(cls, name: str) -> bool:
        return getattr(cls, name) is not getattr(cls._interface, name)

    def _check_overrides(self) -> None:
        kind = type(self)
        missing = [
            name for name, (is_abstract, _) in self._virtual.items() if is_abstract and not kind._overrides(name)
        ]
        if missing:
            why = f"it has to override {', '.join(missing)}"
            raise TypeError(f"an object of the abstract class {kind.__name__} cannot be made: {why}")

    def _become(self, made: Handle) -> None:
        super()._become(made)
        kind, base = type(self), self._interface
        if kind is base or self._nearest not in (None, base):  # the library's own classes override nothing in Python
            return
        me: ref[Handle] = ref(self)
        self._call_by(-1, _Object(me))
        for at, (name, (_, signature)) in enumerate(self._virtual.items()):
            if kind._overrides(name):
                self._call_by(at, _Method(me, name, f"{base.__name__}.{name}", signature))

    def _call_by(self, at: int, passed: _Called) -> None:
        argument = self._callables.handle_of(passed)
        if self._override(self._h, at, argument.handle):
            raise self._callables.failure()


def refuse_subclasses(kind: type[Handle]) -> None:
    """Let no class of Python derive from one that lists no method to override, of a family where others do."""

    def refuse(_cls: type[Handle], /, **_keywords: object) -> None:
        why = "of which Python overrides no method: say `virtual` before one in the spec"
        raise TypeError(f"a class cannot derive from {kind.__name__}, {why}")

    kind.__init_subclass__ = classmethod(refuse)  # type: ignore[assignment]  # which that of a class of its own is


def allow_subclasses(kind: type[Handle]) -> None:
    """Let classes of Python derive from one that has such methods, and extends one that has none."""

    def allow(cls: type[Handle], /, **keywords: object) -> None:
        super(Handle, cls).__init_subclass__(**keywords)

    kind.__init_subclass__ = classmethod(allow)  # type: ignore[assignment]  # which that of a class of its own is


_open: WeakValueDictionary[int, Handle] = WeakValueDictionary()
_is_registered = False
"""Whether what is open is closed at exit: once, since `atexit` keeps a place also of what is unregistered."""


def close_at_exit(handle: H) -> H:
    """Close an object when the interpreter ends: while Python still runs what the library's threads call."""
    global _is_registered
    if handle is not None:
        if not _is_registered:
            _is_registered = True
            atexit.register(_close_open)
        _open[id(handle)] = handle
    return handle


def _close_open() -> None:
    """Close all of them, whatever one raises: the first exception is raised in the end."""
    first: BaseException | None = None
    for each in list(_open.values()):
        try:
            each.close()
        except BaseException as error:
            if first is not None:
                report_unraisable(error, each)
            first = first or error
    if first is not None:
        raise first
