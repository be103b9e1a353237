"""The cffi engine's memory of other objects that results keep alive: C++ holds it, by a number.

Static: the same for all packages, and private to the one it lies in. `extern "Python"` functions of the extension come
here, from any thread, with the GIL.
"""

from __future__ import annotations

import atexit
from itertools import count
from threading import get_ident
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary, finalize

if TYPE_CHECKING:
    from typing import Self


class _Loan:
    """Memory, for as long as a call has it or C++ holds it."""

    __slots__ = ("__weakref__", "memory")

    def __init__(self, memory: Any) -> None:
        self.memory = memory


class _Given(tuple[Any, ...]):
    """What a call is given of memory: where it is, then its number."""

    loan: _Loan
    kept: KeptMemory

    def __new__(cls, loan: _Loan, number: int, kept: KeptMemory) -> Self:
        self = super().__new__(cls, (*loan.memory, number))
        self.loan, self.kept = loan, kept
        return self

    def give_back(self) -> None:
        """After the call, on a Python that counts no references."""
        self.kept.end(self.loan, self[-1])


class KeptMemory:
    """The memory that C++ holds for results of one package."""

    def __init__(self, bridge: Any, extension: Any, *, name: str) -> None:
        ffi, lib = extension.ffi, extension.lib
        self._give_back = bridge.give_back
        self._numbers = count(1)
        self._lent: WeakValueDictionary[int, _Loan] = WeakValueDictionary()
        self._held: dict[int, list[_Loan]] = {}
        """In lists that are emptied: a dict of PyPy's may go on referring to what was removed last."""
        self._of_objects: dict[int, int] = {}
        """The numbers of objects that are lent or held: one object has one."""
        self._interrupted = bridge.interrupted
        ffi.def_extern(name=f"wg_{name}_hold_memory", error=1, onerror=self._not_held)(self._hold)
        ffi.def_extern(name=f"wg_{name}_release_memory")(self._release)
        tell = getattr(lib, f"wg_{name}_set_memory")
        tell(getattr(lib, f"wg_{name}_hold_memory"), getattr(lib, f"wg_{name}_release_memory"))
        self._has_ended = False
        self._tell_end = getattr(lib, f"wg_{name}_end_memory")
        atexit.register(self._end)

    def given(self, memory: Any) -> _Given:
        """The arguments of a call that may let C++ hold this memory, which is lent as long as they are referred to."""
        number = next(self._numbers)
        loan = self._lent[number] = _Loan(memory)
        if not self._has_ended:
            return _Given(loan, number, self)
        self._held[number] = [loan]
        return _Given(loan, 0, self)

    def number_of(self, value: Any, loans: list[Any]) -> int:
        """The number of an object that C++ may keep, which is lent as long as it is among `loans`."""
        number = self._of_objects.get(id(value), 0)
        loan = self._lent.get(number)
        if loan is None:
            number = self._of_objects[id(value)] = next(self._numbers)
            loan = self._lent[number] = _Loan((value,))
            finalize(loan, self._of_objects.pop, id(value), None).atexit = False
        loans.append(loan)
        if self._has_ended:
            self._held.setdefault(number, []).append(loan)
        return number

    def given_back(self, number: int) -> Any:
        """The object of a number, which C++ has held until it is here."""
        (value,) = self._lent[number].memory
        self._release(number)
        return value

    def end(self, loan: _Loan, number: int) -> None:
        """End a loan, unless C++ holds the memory, on a Python that counts no references."""
        if number and number not in self._held and self._give_back is not None and len(loan.memory) > 1:
            self._give_back(loan.memory)

    def _end(self) -> None:
        """At the interpreter's end: what results keep alive stays to the end of the process."""
        self._has_ended = True
        self._tell_end()

    def _hold(self, number: int) -> int:
        self._held.setdefault(number, []).append(self._lent[number])
        return 0

    def _not_held(self, _kind: object, error: BaseException, trace: Any) -> None:
        """Keep what is raised meanwhile, such as Ctrl-C: the call fails, and C++ does not get the memory."""
        self._interrupted[get_ident()] = error
        if trace:
            self._held.pop(trace.tb_frame.f_locals.get("number", 0), None)

    def _release(self, number: int) -> None:
        if not (held := self._held.get(number)):
            return
        loan = held.pop()
        if not held:
            self._held.pop(number, None)
            self.end(loan, number)
