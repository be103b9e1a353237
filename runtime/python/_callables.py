"""Callables of the cffi engine: C++ calls them with encoded arguments; what one raises waits for the outer call.

Static: the same for all packages, and private to the one it lies in. `extern "Python"` functions of the extension come
here, from any thread, with the GIL. C++ knows the outer call of the package, by a number.
"""

from __future__ import annotations

import atexit
import sys
import threading
from typing import Any, TypeVar
from weakref import ref

from ._unraisable import report_unraisable
from ._wire_codec import Codec, Encoded
from ._wire_containers import List, Optional, Tuple
from ._wire_leaves import TEXT, Handles, Int

T = TypeVar("T")
_TOLD = Tuple(TEXT, Optional(Int("i64")), List(Int("i32")))
"""What C learns of an exception: its text, its code, and which of the package's exceptions it is."""


class _Lending(threading.local):
    """The handles that this thread's innermost callable is called with."""

    def __init__(self) -> None:
        self.made: list[Any] = []


_lending = _Lending()


class LentHandles(Handles):
    """Handles that are closed when the callable has returned."""

    def read(self, view: memoryview, at: int, count: int) -> tuple[list[Any], int]:
        made, at = super().read(view, at, count)
        _lending.made += (each for each in made if not each._is_known)
        return made, at


class CallSignature(Codec):
    """What a callable is called with, and what it returns: nobody looks at the result of one that returns nothing.

    With `is_spread`, the elements of the last argument are arguments; with `is_told`, C learns what was raised.
    """

    def __init__(
        self, *parameters: Codec, result: Codec | None = None, is_spread: bool = False, is_told: bool = False
    ) -> None:
        self.parameters = parameters
        self.result = result
        self.is_spread = is_spread
        self.is_told = is_told

    def arguments(self, data: bytes) -> list[Any]:
        view, at, found = memoryview(data), 0, []
        for codec in self.parameters:
            values, at = codec.read(view, at, 1)
            found += values
        return [*found[:-1], *found[-1]] if self.is_spread else found


class Passed:
    """A callable that C++ has the handle of."""

    __slots__ = ("alive", "argument", "function", "is_over", "signature", "what")

    def __init__(self, function: Any, what: str, signature: CallSignature) -> None:
        self.function = function
        self.what = what
        self.signature = signature
        self.argument: ref[Argument]
        self.alive: Any = None
        """The latest result, whose handles C++ may have."""
        self.is_over = False
        """Whether it has raised on a thread of the library, for the call that waits for it."""

    def end(self) -> None:
        """Note that no thread has to call it any more."""
        self.is_over = True


class Returned:
    """A result whose handles C++ may have, on a Python that counts no references."""

    __slots__ = ("encoded",)

    def __init__(self, encoded: Encoded) -> None:
        self.encoded = encoded

    def __del__(self) -> None:
        self.encoded.give_back()


class Argument:
    """The handle of a callable, for as long as a call has it or C++ holds it; it is in no cycle."""

    __slots__ = ("__weakref__", "handle")

    def __init__(self, handle: Any) -> None:
        self.handle = handle


def _close(made: list[Any]) -> None:
    """Close all handles that a callable was lent, also where Ctrl-C comes meanwhile."""
    try:
        while made:
            made[-1].close()
            made.pop()
    except BaseException:
        for each in made:
            each.close()
        raise


def _text_of(error: BaseException) -> str:
    """What C gets of an exception's text; empty where it has none, or one that is no UTF-8."""
    try:
        text = str(error)
        text.encode()
    except Exception:
        return ""
    return text


def _code_of(error: BaseException) -> int | None:
    try:
        code = getattr(error, "code", None)
        return code if isinstance(code, int) and -(2**63) <= code < 2**63 else None
    except Exception:
        return None


class Callables:
    """The callables of one package."""

    Lent = LentHandles
    Signature = CallSignature

    def __init__(self, bridge: Any, extension: Any, *, name: str) -> None:
        ffi, lib = extension.ffi, extension.lib

        def get(what: str) -> Any:
            return getattr(lib, f"wg_{name}_{what}")

        self._ffi, self._bridge = ffi, bridge
        self._answer, self._last_raised = get("answer"), get("raised")
        self._held: dict[int, list[Argument]] = {}
        """By numbers, and in lists that are emptied: a dict of PyPy's may go on referring to what was removed last."""
        self._raised: dict[int, BaseException] = {}
        """What callables raised, by the number of the outer call."""
        self._finalizing = sys.is_finalizing
        self.NONE = Argument(ffi.NULL)
        for what, function in (
            ("call", self._call),
            ("hold", self._hold),
            ("release", self._release),
            ("failed", self._failed),
            ("report", self._report),
            ("share", self._share),
        ):
            error = 1 if what in ("call", "hold") else None  # at the end of the stack, nothing of ours runs
            onerror = {"call": self._interrupted, "hold": self._not_held}.get(what)
            ffi.def_extern(name=f"wg_{name}_{what}", error=error, onerror=onerror)(function)
        get("set_callables")(get("call"), get("hold"), get("release"), get("failed"), get("report"), get("share"))
        bridge.raised = self._take
        atexit.register(get("end_callables"))

    def passed(self, value: Any, what: str, signature: Any) -> Argument:
        if not callable(value):
            raise TypeError(f"{what}: a callable is wanted, not {'None' if value is None else type(value).__name__}")
        return self.handle_of(Passed(value, what, signature))

    def handle_of(self, passed: Any) -> Argument:
        """What C++ gets, which has to be there while it has that."""
        argument = Argument(self._ffi.new_handle(passed))
        passed.argument = ref(argument)
        return argument

    def address(self, argument: Argument) -> int:
        """The same as a number."""
        return int(self._ffi.cast("uintptr_t", argument.handle))

    def failure(self) -> BaseException:
        """This thread's failure, to be raised."""
        error: BaseException = self._bridge.failure()
        return error

    def done(self, result: T) -> T:
        """The result of a call, unless a callable raised meanwhile."""
        if (raised := self._take()) is not None:
            try:
                raise raised
            finally:
                del raised  # its traceback has this frame
        return result

    def _take(self) -> BaseException | None:
        """What was kept for a call that has just ended."""
        if not (outer := self._last_raised()):
            return None
        lost = RecursionError("maximum recursion depth exceeded by a callable")
        return self._raised.pop(outer, lost)

    # --- what C++ calls ---

    def _call(self, raw: Any, outer: int, data: Any, size: int, answer: Any) -> int:
        if self._finalizing():
            return 2
        passed: Passed = self._ffi.from_handle(raw)
        is_elsewhere = outer & 1
        if is_elsewhere and passed.is_over:  # while this thread waited for the GIL
            return 2
        before, _lending.made = _lending.made, []
        try:
            return self._called(passed, self._ffi.unpack(data, size), answer)
        except BaseException as error:
            if outer:
                self._raised[outer] = error  # first, and calls nothing: it may be the end of the stack
                if is_elsewhere:
                    passed.end()
            else:
                report_unraisable(error, passed.function)
            if passed.signature.is_told:
                self._tell(error, answer)
            return 1
        finally:
            made, _lending.made = _lending.made, before
            _close(made)

    def _interrupted(self, _kind: object, error: BaseException, trace: Any) -> None:
        """Keep what is raised around a callable, such as Ctrl-C while C is told of an exception."""
        outer = trace.tb_frame.f_locals.get("outer", 0) if trace else 0
        if outer:
            self._raised[outer] = error
        else:
            report_unraisable(error, None)

    def _called(self, passed: Passed, data: bytes, answer: Any) -> int:
        signature = passed.signature
        arguments = signature.arguments(data)
        try:
            result = passed.function(*arguments)
        except TypeError as error:
            if error.__traceback__ is None or error.__traceback__.tb_next is not None:
                raise
            raise TypeError(f"{passed.what}: {error}") from None  # the callable refused them: none of its code ran
        if signature.result is not None:
            encoded = signature.result.encode(result, f"{passed.what}()")
            passed.alive = (result, encoded) if encoded.uses is None else Returned(encoded)
            self._answer(answer, encoded.data, len(encoded.data))
        return 0

    def _tell(self, error: BaseException, answer: Any) -> None:
        """Let C know what it can be told of an exception."""
        try:
            classes = ((kind, *kind.__bases__[1:]) for kind in self._bridge.exceptions)
            kinds = [i for i, of in enumerate(classes) if isinstance(error, of)]
            told = _TOLD.encode((_text_of(error), _code_of(error), kinds), "the exception")
            self._answer(answer, told.data, len(told.data))
        except Exception:  # at the end of the stack: C learns that there is one
            return

    def _hold(self, raw: Any) -> int:
        passed: Passed = self._ffi.from_handle(raw)
        argument = passed.argument()
        assert argument is not None
        self._held[id(passed)] = [argument]
        return 0

    def _not_held(self, _kind: object, error: BaseException, trace: Any) -> None:
        """Keep what is raised meanwhile, such as Ctrl-C: the call fails, and C++ does not get the callable."""
        self._bridge.interrupted[threading.get_ident()] = error
        if trace and (passed := trace.tb_frame.f_locals.get("passed")) is not None:
            self._held.pop(id(passed), None)

    def _release(self, raw: Any) -> None:
        passed: Passed = self._ffi.from_handle(raw)
        if held := self._held.pop(id(passed), None):
            held.clear()

    def _failed(self, outer: int) -> None:
        if self._finalizing():
            return
        error = self._bridge.failure()
        if outer:
            self._raised[outer] = error
        else:
            report_unraisable(error, None)

    def _share(self, outer: int, other: int) -> None:
        """Let another call raise what was kept too; 0 is none, for what no call raises."""
        if other:
            self._raised[other] = self._raised[outer]
        else:
            self._raised.pop(outer, None)

    def _report(self, outer: int) -> None:
        if not self._finalizing() and (error := self._raised.pop(outer, None)) is not None:
            report_unraisable(error, None)
