"""The cffi engine's part of interfaces: methods of Python classes that C++ calls for virtual functions.

Static: the same for all packages, and private to the one it lies in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import ref

from ._callables import CallSignature, Passed
from ._protocols import Constructed
from ._wire_leaves import BOOL

if TYPE_CHECKING:
    from ._callables import Callables
    from ._cffi_handles import Handle

_STAY_ALIVE = CallSignature(BOOL, result=BOOL)


class _Method(Passed):
    """A method of an object, by its name. It does not keep the object alive."""

    __slots__ = ("_name", "_object")

    def __init__(self, of: ref[Handle], name: str, what: str, signature: CallSignature) -> None:
        self._object = of
        self._name = name
        self.what = what
        self.signature = signature
        self.alive = None

    @property
    def function(self) -> Any:  # type: ignore[override]
        found = self._object()
        if found is None:
            raise RuntimeError(f"{self.what}(): the Python object that overrides it is gone")
        return getattr(found, self._name)


class _Object(Passed):
    """What C++ asks to keep the object alive while it has a shared pointer, and what it then calls again."""

    __slots__ = ("_kept", "_object")

    def __init__(self, of: ref[Handle]) -> None:
        self._object = of
        self._kept: list[Handle] = []
        self.what = "an object"
        self.signature = _STAY_ALIVE
        self.alive = None

    @property
    def function(self) -> Any:  # type: ignore[override]
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

    _virtual: ClassVar[Mapping[str, tuple[bool, CallSignature]]]
    """By the names of the methods: whether C++ has no implementation, and what C++ calls them with."""
    _override: ClassVar[Callable[[Any, int, Any], None]]
    _callables: ClassVar[Callables]
    _interface: ClassVar[type[Overridable]]

    @classmethod
    def _let_override(
        cls, callables: Callables, override: Any, virtual: Mapping[str, tuple[bool, CallSignature]]
    ) -> None:
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
        if kind is base:
            return
        me: ref[Handle] = ref(self)
        self._call_by(-1, _Object(me))
        for at, (name, (_, signature)) in enumerate(self._virtual.items()):
            if kind._overrides(name):
                self._call_by(at, _Method(me, name, f"{base.__name__}.{name}", signature))

    def _call_by(self, at: int, passed: Passed) -> None:
        argument = self._callables.handle_of(passed)
        self._override(self._h, at, argument.handle)
