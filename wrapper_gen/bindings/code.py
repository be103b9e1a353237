"""The text of lambdas and helper functions, as C++ of a spec has it: names in full, nothing of the binder's."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from wrapper_gen.bindings.arrays import ArrayCode, Arrays
from wrapper_gen.bindings.cursors import below, bound, is_local, is_of_binder, qualified, shown, source, text_of
from wrapper_gen.bindings.lists import Lists, lists_of
from wrapper_gen.bindings.outcomes import Left

_REFERENCES = ("TYPE_REF", "TEMPLATE_REF", "NAMESPACE_REF", "DECL_REF_EXPR")
_USES = (*_REFERENCES, "MEMBER_REF_EXPR")
_SHARED_NAMES = {"c_str", "size", "data"}
"""Members that the binder's texts have as `std::string` has them."""
EXCEPTIONS = {
    "value_error": "std::invalid_argument",
    "index_error": "std::out_of_range",
    "key_error": "key_error",
    "type_error": "type_error",
    "attribute_error": "attribute_error",
    "import_error": "import_error",
    "buffer_error": "buffer_error",
    "stop_iteration": "stop_iteration",
}
OWN_EXCEPTIONS = {
    "key_error": "KeyError",
    "type_error": "TypeError",
    "attribute_error": "AttributeError",
    "import_error": "ImportError",
    "buffer_error": "BufferError",
}
"""Those that are classes of the spec's own, by what Python has."""
_NAMES = {
    "bytes": "std::string",
    "str": "std::string",
    "ssize_t": "std::ptrdiff_t",
    "size_t": "std::size_t",
    "object": "wg::Object",
}


@dataclass(slots=True)
class CarriedCode:
    """A lambda's text, and what was found in it.

    `exceptions` are those of `OWN_EXCEPTIONS` that it throws; `pair` are the iterators, and `items` the arguments of
    the tuple, that it returns.
    """

    text: str
    is_blocking: bool = False
    exceptions: set[str] = field(default_factory=set)
    arrays: Arrays = field(default_factory=Arrays)
    lists: Lists = field(default_factory=Lists)
    pair: Sequence[Any] = ()
    items: Sequence[Any] = ()


_GATHERED = {"args": "*args: T", "kwargs": "**options: T"}
"""What the language has for the binder's types of all other arguments."""


class CodeRewriter:
    """Rewrites one piece of code; `edits` are `(start, end, text)` in bytes of its file."""

    def __init__(
        self,
        cursor: Any,
        parameters: Sequence[tuple[str, Any]] = (),
        *,
        is_lookup: bool = False,
        is_dropped: Callable[[Any], bool] = lambda _: False,
    ) -> None:
        self._cursor = cursor
        self._path = cursor.extent.start.file.name
        self._start, self._end = cursor.extent.start.offset, cursor.extent.end.offset
        self._bytes = source(self._path)
        self._is_lookup = is_lookup
        self._is_dropped = is_dropped
        self._parameters = parameters
        self.edits: dict[tuple[int, int], str] = {}
        self.made = CarriedCode("")

    def rewritten(self) -> CarriedCode:
        """The code.

        Raises:
            Left: it cannot stand in a spec.
        """
        text = self._bytes[self._start : self._end].decode("utf-8", "replace")
        if self._cursor.kind.name == "FUNCTION_DECL":
            self._as_lambda()
        elif self._cursor.kind.name == "LAMBDA_EXPR":
            self._result_in_full()
        if self._cursor.kind.name == "LAMBDA_EXPR" and not text.startswith("["):
            raise Left("a lambda that a macro has")
        self._binder_names(text)
        inside = list(below(self._cursor))
        if self._cursor.kind.name in ("LAMBDA_EXPR", "FUNCTION_DECL"):
            self.made.arrays = ArrayCode(self._cursor, self._parameters).read()
            self.edits.update(self.made.arrays.edits)
            self.made.lists = lists_of(inside)
            self.edits.update(self.made.lists.edits)
        for each in inside:
            if each.kind.name == "CALL_EXPR" and is_of_binder_call(each):
                self._call(each)
        for each in inside:
            if each.kind.name in _REFERENCES and self._is_here(each):
                self._reference(each)
        self._refuse_rest(inside)
        self.made.text = dedented(self._edited())
        self._captures()
        return self.made

    def _edited(self) -> str:
        out, at = bytearray(), self._start
        for (start, end), text in sorted(self.edits.items()):
            if start < at:
                continue  # within what is replaced as a whole
            out += self._bytes[at:start] + text.encode()
            at = end
        out += self._bytes[at : self._end]
        return bytes(out).decode("utf-8", "replace")

    def _as_lambda(self) -> None:
        """A function's definition becomes a lambda."""
        body = next(each for each in self._cursor.get_children() if each.kind.name == "COMPOUND_STMT")
        opening = self._bytes.index(b"(", self._cursor.location.offset)
        result, starts = self._cursor.result_type.get_canonical(), body.extent.start.offset
        self.edits[self._start, opening] = "[]"
        if not bound(result)[0]:
            closing = self._bytes.rindex(b")", opening, starts) + 1
            self.edits[closing, starts] = f" -> {shown(result.spelling)} "

    def _result_in_full(self) -> None:
        """The result that a lambda says, which may be a name that only the binding code has."""
        children = list(self._cursor.get_children())
        body = next(each for each in children if each.kind.name == "COMPOUND_STMT")
        last = max((each.extent.end.offset for each in children if each.kind.name == "PARM_DECL"), default=self._start)
        arrow = self._bytes.find(b"->", last, body.extent.start.offset)
        members = self._cursor.type.get_declaration().get_children()
        result = next((each.result_type.get_canonical() for each in members if each.spelling == "operator()"), None)
        if arrow >= 0 and result is not None:
            said = "" if bound(result)[0] else f"-> {shown(result.spelling)} "
            self.edits[arrow, body.extent.start.offset] = said

    # --- by text ---

    def _binder_names(self, text: str) -> None:
        """Names of the binder's that C++ has, too."""
        at = self._offsets(text)
        for found in re.finditer(r"\b(?:\w+::)?gil_scoped_(release|acquire)\s+\w+\s*(?:\(\)|\{\})?\s*;[ \t]*\n?", text):
            self.made.is_blocking |= found[1] == "release"
            self.edits[at(found.start()), at(found.end())] = ""
        for found in re.finditer(r"\b(?:py|nb|pybind11|nanobind)::(\w+)(\s*(?:\(\s*\)|\{\s*\}))?", text):
            name, empty = found[1], found[2]
            if name in EXCEPTIONS:
                to = self._exception(name)
                self.edits[at(found.start()), at(found.end())] = f'{to}("")' if empty else to
            elif name in _NAMES:
                self.edits[at(found.start()), at(found.end(1))] = _NAMES[name]

    def _exception(self, name: str) -> str:
        if name == "stop_iteration":
            raise Left("stop_iteration: an iterator of the spec ends by `iter[T]`, or by `none` of an error")
        if name == "key_error" and self._is_lookup:
            return "std::out_of_range"
        if name in OWN_EXCEPTIONS:
            self.made.exceptions.add(name)
            return f"::{EXCEPTIONS[name]}"
        return EXCEPTIONS[name]

    def _offsets(self, text: str) -> Any:
        return lambda at: self._start + len(text[:at].encode())

    # --- by what the compiler knows ---

    def _call(self, call: Any) -> None:
        arguments = [each for each in call.get_arguments() if each.extent.start.file is not None]
        start = call.extent.start.offset
        if call.spelling == "make_iterator":
            given = arguments[2:] if "nanobind" in (call.referenced.location.file.name or "") else arguments
            if len(given) < 2:
                raise Left("an iterator of a whole container: __iter__() of the class has it")
            self.made.pair = given[:2]
            self.edits[start, given[0].extent.start.offset] = "std::make_pair("
            self.edits[given[1].extent.end.offset, call.extent.end.offset] = ")"
        elif call.spelling == "make_tuple":
            if not self.made.lists.edits:
                self.made.items = arguments
            self.edits[start, self._bytes.index(b"(", start)] = "std::make_tuple"

    def _is_here(self, cursor: Any) -> bool:
        at = cursor.location
        return at.file is not None and at.file.name == self._path and self._start <= at.offset < self._end

    def _reference(self, cursor: Any) -> None:
        to, at = cursor.referenced, cursor.location.offset
        if to is None or is_of_binder(to) or self._is_own(to):
            return
        if not is_local(to) and self._is_dropped(to):
            raise Left(f"code that uses {to.spelling}, which has Python objects in its own code")
        name = to.spelling.encode()
        if not name:
            return
        if self._bytes[at : at + len(name)] != name:
            if cursor.kind.name == "TYPE_REF" and (written := self._in_full(to)):
                self._in_macros(name, written)
            return  # else an operator
        if self._bytes[:at].rstrip().endswith((b"::", b".", b"->")):
            return
        if written := self._in_full(to):
            self.edits[at, at + len(name)] = written

    def _in_macros(self, name: bytes, written: str) -> None:
        """A type that is an argument of a macro, of which the compiler tells no place."""
        for found in re.finditer(rb"(?<![\w.:>])" + re.escape(name) + rb"\b", self._bytes[self._start : self._end]):
            self.edits.setdefault((self._start + found.start(), self._start + found.end()), written)

    def _in_full(self, to: Any) -> str:
        kind, parent = to.kind.name, to.semantic_parent
        if is_local(to):
            if kind in ("TYPEDEF_DECL", "TYPE_ALIAS_DECL"):
                return shown(to.underlying_typedef_type.get_canonical().spelling)
            if kind in ("VAR_DECL", "PARM_DECL"):
                raise Left(f"a lambda that uses the variable {to.spelling} of the binding code")
            if kind in ("STRUCT_DECL", "CLASS_DECL", "ENUM_DECL"):
                raise Left(f"a lambda that uses {to.spelling}, which is declared within the binding code")
            return ""
        if kind in ("TEMPLATE_TYPE_PARAMETER", "NAMESPACE_ALIAS") or parent is None:
            return ""
        is_type = kind in (
            "STRUCT_DECL",
            "CLASS_DECL",
            "CLASS_TEMPLATE",
            "TYPEDEF_DECL",
            "TYPE_ALIAS_DECL",
            "ENUM_DECL",
        )
        if parent.kind.name == "TRANSLATION_UNIT":
            return f"::{to.spelling}" if is_type and not to.location.is_in_system_header else ""
        name = qualified(to)
        if kind == "CXX_METHOD" or to.spelling.startswith("operator") or "::" not in name:
            return ""
        return f"::{name}"

    def _is_own(self, to: Any) -> bool:
        """Whether a declaration stands within this code."""
        file = to.location.file
        return file is not None and file.name == self._path and self._start <= to.location.offset < self._end

    def _refuse_rest(self, inside: Sequence[Any]) -> None:
        names = set()
        for each in inside:
            to = each.referenced if each.kind.name in _USES else None
            if to is None or not is_of_binder(to) or to.spelling in _SHARED_NAMES or not self._is_here(each):
                continue
            at = each.location.offset
            if not any(start <= at < end for start, end in self.edits) and not to.spelling.startswith("operator"):
                names.add(to.spelling)
        names -= {"pybind11", "nanobind", "detail"}
        if names:
            gathered = [f"`{said}`" for name, said in _GATHERED.items() if name in names]
            hint = f": write {' and '.join(gathered)} and code of that" if gathered else ""
            raise Left(f"code that uses Python objects: {', '.join(sorted(names))}{hint}")

    def _captures(self) -> None:
        if self._cursor.kind.name == "LAMBDA_EXPR":
            self.made.text = re.sub(r"^\[[=&]?\]", "[]", self.made.text)
            if not self.made.text.startswith("[]"):
                raise Left("a lambda that captures variables of the binding code")


def is_of_binder_call(call: Any) -> bool:
    """Whether a call is of a function of the binder's."""
    return call.referenced is not None and is_of_binder(call.referenced) and bool(text_of(call))


def dedented(text: str) -> str:
    """Code of several lines without the indentation of its last one."""
    first, *rest = text.splitlines()
    depth = min((len(line) - len(line.lstrip()) for line in rest if line.strip()), default=0)
    return "\n".join([first, *(line[depth:] for line in rest if line.strip())])
