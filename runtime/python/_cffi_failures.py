"""Failures of the cffi engine: what the library says of a call that failed, as an exception.

Static: the same for all packages, and private to the one it lies in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from threading import get_ident
from typing import Any

from ._cffi_handles import Handle
from ._support import ClosedHandleError, LibraryError, LibraryUnavailable, add_lazy_note, build_command

_BUILTIN: Mapping[int, type[Exception]] = {
    1: ClosedHandleError,
    2: MemoryError,
    3: ValueError,
    4: IndexError,
    5: OverflowError,
    7: LibraryUnavailable,
    8: NotImplementedError,
    9: TypeError,
    10: BufferError,
}
_DECLARED = 100
_MOST_CAUSES = 100
"""How many exceptions that caused one another are shown, as in C++."""


class Note:
    """Makes a note's text, once; without `ffi.gc`, since another finalizer of a cycle may still read the note."""

    def __init__(self, raw: Any, text_of: Callable[[Any], str], free: Callable[[Any], None]) -> None:
        self._raw, self._text_of, self._free = raw, text_of, free

    def __call__(self) -> str:
        try:
            return self._text_of(self._raw) if self._raw else ""
        finally:
            self.__del__()

    def __del__(self) -> None:
        raw, self._raw = self._raw, None
        if raw:
            self._free(raw)


class Failures:
    """The failures of one extension."""

    def __init__(
        self, extension: Any, *, name: str, error: type[LibraryError], exceptions: Sequence[type[Exception]]
    ) -> None:
        def get(what: str) -> Any:
            return getattr(extension.lib, f"wg_{name}_{what}")

        self._error = error
        self.exceptions = exceptions
        self.attributes: dict[type[Exception], tuple[tuple[str, ...], Any]] = {}
        """Of exceptions that have some beside `code` and `name`: their names, and the codec of all together."""
        self._asked = get("error_kind"), get("error_message"), get("error_clear")
        self._has_code, self._code, self._name = get("error_has_code"), get("error_code"), get("error_name")
        self._cause = get("error_cause")
        self._note = get("error_note"), get("note_text"), get("note_free")
        self._attributes = getattr(extension.lib, f"wg_{name}_error_attributes", None)
        self.raised: Callable[[], BaseException | None] | None = None
        """What a callable raised during the call, where the package has any."""
        self.interrupted: dict[int, BaseException] = {}
        """By threads, what was raised, such as Ctrl-C, while the extension had something held: its call fails."""
        self._unpack, self._free = extension.ffi.unpack, get("buffer_free")
        self._is_taken, self._is_stub = get("is_taken"), get("is_stub")

    def _build_command(self) -> str:
        return build_command(self._error.__module__)

    def failure(self, *takes: Handle) -> BaseException:
        """This thread's failure, to be raised; it is forgotten here.

        What the call takes is closed if it got as far as that.
        """
        for handle in takes:
            if self._is_taken(handle._h):
                handle.close()
        raised = self.raised() if self.raised is not None else None
        if self.interrupted:
            raised = self.interrupted.pop(get_ident(), raised)
        if raised is not None:
            self._asked[2]()
            return raised
        return self._last(_MOST_CAUSES)

    def _last(self, causes: int) -> Exception:
        """The last failure, which is forgotten here, and at most so many that caused one another."""
        kind_of, message_of, clear = self._asked
        kind: int = kind_of()
        message = self._said(message_of())
        code: int | None = self._code() if self._has_code() else None
        if kind < _DECLARED:
            cause = self._caused(clear(), causes)
            builtin = _BUILTIN.get(kind, self._error)
            if builtin is LibraryUnavailable and self._is_stub() and (command := self._build_command()):
                message += f"; install the library, then run: {command}"
            failed = builtin(message)
            if isinstance(failed, LibraryError):
                failed.code = code
            return _because(failed, cause)
        name = self._said(self._name())
        make_note, text_of, free_note = self._note
        note = make_note()
        attributes = self._attributes and self._attributes()
        cause = self._caused(clear(), causes)
        exception = self.exceptions[kind - _DECLARED](message)
        if isinstance(exception, LibraryError):
            exception.code, exception.name = code, name or None
        elif name:
            exception.add_note(name if code is None else f"{name} ({code})")
        if attributes:
            names, codec = self.attributes[type(exception)]
            try:
                for attribute, value in zip(names, codec.decode(self, attributes), strict=True):
                    if value is not None:  # the class has that
                        setattr(exception, attribute, value)
            except Exception as error:  # what the call failed of matters more
                exception.add_note(f"its attributes cannot be told: {error}")
        if note:
            add_lazy_note(exception, Note(note, lambda raw: self._said(text_of(raw)), free_note))
        return _because(exception, cause)

    def _caused(self, is_caused: bool, causes: int) -> Exception | None:
        """What caused the failure that was cleared just now."""
        return self._last(causes - 1) if is_caused and causes > 0 and self._cause() else None

    def _said(self, buffer: Any) -> str:
        """A text of the library's own, in whatever encoding; a null pointer when there was no memory for it."""
        if not buffer:
            return ""
        unpack, free = self._unpack, self._free
        said: bytes = unpack(buffer.data, buffer.size)
        free(buffer)
        return said.decode("utf-8", "replace")


def _because(exception: Exception, cause: Exception | None) -> Exception:
    if cause is not None:
        exception.__cause__ = cause
    return exception
