"""Functions of libclang that its module for Python lacks, or makes slow."""

from __future__ import annotations

import ctypes
from collections.abc import Collection
from typing import Any

_CONTINUE = 1  # of what a visitor answers: no children of this one, the next one after it
_IS_INTEGER = 1  # of the kinds of values that clang computes
_NULL = ("CXX_NULL_PTR_LITERAL_EXPR", "GNU_NULL_EXPR")


class Children:
    """Lists the children of cursors.

    A unit has ten thousand uses of macros in it, of which nobody asks: those kinds become no objects.
    """

    def __init__(self, cindex: Any) -> None:
        self._kinds = cindex.CursorKind
        self._type = ctypes.CFUNCTYPE(ctypes.c_int, cindex.Cursor, cindex.Cursor, ctypes.c_void_p)
        self._visit = cindex.conf.lib["clang_visitChildren"]
        self._visit.argtypes, self._visit.restype = [cindex.Cursor, self._type, ctypes.c_void_p], ctypes.c_uint

    def __call__(self, cursor: Any, without: Collection[str] = ()) -> list[Any]:
        """The children in the order of the source, without those of these kinds."""
        passed = {getattr(self._kinds, each).value for each in without}
        found: list[Any] = []
        unit = cursor._tu

        def visit(child: Any, _parent: Any, _data: Any) -> int:
            if child._kind_id not in passed:
                child._tu = unit  # which keeps the unit
                found.append(child)
            return _CONTINUE

        self._visit(cursor, self._type(visit), None)
        return found


class Values:
    """Computes what variables and parameters begin as."""

    def __init__(self, cindex: Any) -> None:
        result = ctypes.c_void_p
        self._evaluate = _declared(cindex, "clang_Cursor_Evaluate", cindex.Cursor, result)
        self._kind = _declared(cindex, "clang_EvalResult_getKind", result, ctypes.c_int)
        self._integer = _declared(cindex, "clang_EvalResult_getAsLongLong", result, ctypes.c_longlong)
        self._dispose = _declared(cindex, "clang_EvalResult_dispose", result, None)

    def __call__(self, variable: Any) -> int | None:
        """The integer that a variable or parameter begins as, if clang can compute it; 0 of a null pointer."""
        if any(each.kind.name in _NULL for each in variable.walk_preorder()):
            return 0
        result = self._evaluate(variable)
        if not result:
            return None
        try:
            return int(self._integer(result)) if self._kind(result) == _IS_INTEGER else None
        finally:
            self._dispose(result)


def _declared(cindex: Any, name: str, given: Any, gives: Any) -> Any:
    function = cindex.conf.lib[name]
    function.argtypes, function.restype = [given], gives
    return function
