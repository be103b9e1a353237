"""Arrays of the binder's within code: `array_t` and `ndarray` become memory as C++ of a spec has it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from wrapper_gen.bindings.cursors import bare, below, bound, source, text_of
from wrapper_gen.bindings.outcomes import Left
from wrapper_gen.bindings.spelled_types import element

OWNED = "OwnedArray"
PRELUDE = """\
template <class T, std::size_t N>
class OwnedArray {  // an array with memory of its own, as functions return it
public:
    explicit OwnedArray(std::size_t extent) : OwnedArray(std::initializer_list<std::size_t>{extent}) {}
    template <class I>
    OwnedArray(std::initializer_list<I> extents) : OwnedArray(nullptr, extents) {
        data_ = std::make_unique<T[]>(size());
    }
    OwnedArray(std::size_t extent, const T *from) : OwnedArray(extent) { std::copy_n(from, size(), data()); }
    template <class I>
    OwnedArray(std::initializer_list<I> extents, const T *from) : OwnedArray(extents) {
        std::copy_n(from, size(), data());
    }
    template <class I>
    OwnedArray(T *made, std::initializer_list<I> extents) : data_(made) {  // which `new T[n]` has made
        std::size_t i = 0;
        for (I each : extents) extents_[i++] = static_cast<std::size_t>(each);
    }
    T *data() { return data_.get(); }
    std::size_t extent(std::size_t i) const { return extents_[i]; }
    std::size_t size() const {
        std::size_t out = 1;
        for (std::size_t each : extents_) out *= each;
        return out;
    }
    T &operator[](std::size_t i) { return data()[i]; }
    template <class... I>
    T &operator()(I... index) {
        std::size_t at = 0, i = 0;
        ((at = at * extents_[i++] + static_cast<std::size_t>(index)), ...);
        return data()[at];
    }

private:
    std::unique_ptr<T[]> data_;
    std::array<std::size_t, N> extents_{};
};"""
INCLUDES = ("algorithm", "array", "initializer_list", "memory")
_ARRAYS = ("array_t", "ndarray")
_REFERENCES = ("unchecked_reference", "unchecked_mutable_reference")
_WRITERS = ("mutable_data", "mutable_unchecked", "mutable_at")
_SAME = {"size": "size", "data": "data", "mutable_data": "data", "stride": "stride"}
_OWNERS = re.compile(r"(?:\w+::)?handle\s*\(\s*\)|(?:\w+::)?(?:cast|find)\s*\([\s&*\w]*\)")
"""What says that memory is that of the object: nanobind's policy keeps it alive, or its own handle does."""
_NAMED = re.compile(r"\b(?:py|nb|pybind11|nanobind)::(array_t|ndarray)\s*<")


@dataclass(slots=True)
class Arrays:
    """What was found: the spec's types of parameters by their names, and of the result; and how the code is edited."""

    parameters: dict[str, str] = field(default_factory=dict)
    result: str = ""
    edits: dict[tuple[int, int], str] = field(default_factory=dict)
    needs_class: bool = False
    view: tuple[str, Sequence[str]] | None = None
    """Of memory of the object that code returns: the type of an element, and the dimensions as they are written."""


class ArrayCode:
    """Edits of one lambda, or of a function's definition."""

    def __init__(self, cursor: Any, parameters: Sequence[tuple[str, Any]]) -> None:
        self._cursor = cursor
        self._bytes = source(cursor.extent.start.file.name)
        self._inside = list(below(cursor))
        self._text = text_of(cursor)
        self._own = {name for name, type in parameters if bound(type)[0] in _ARRAYS}
        self._types = dict(parameters)
        self._dimensions: dict[str, int] = {}
        self._infos: dict[str, str] = {}
        self.found = Arrays()

    def read(self) -> Arrays:
        """All edits.

        Raises:
            Left: the code uses arrays in a way that memory of a spec has no equivalent of.
        """
        is_made = [each for each in self._inside if each.kind.name == "VAR_DECL" and bound(each.type)[0] in _ARRAYS]
        is_returned = bound(self._result())[0] in _ARRAYS
        if not self._own and not is_made and not is_returned:
            return self.found
        for name in self._own:
            self._parameter(name)
        if is_returned or is_made:
            self._made_arrays()
        for each in self._inside:
            if each.kind.name == "VAR_DECL":
                self._variable(each)
        for each in self._inside:
            if each.kind.name == "MEMBER_REF_EXPR":
                self._member(each)
            elif each.kind.name == "CALL_EXPR" and each.spelling == "operator()":
                self._element(each)
        return self.found

    def _result(self) -> Any:
        if self._cursor.kind.name == "FUNCTION_DECL":
            return self._cursor.result_type
        members = self._cursor.type.get_declaration().get_children()
        return next(each.result_type for each in members if each.spelling == "operator()")

    # --- parameters ---

    def _parameter(self, name: str) -> None:
        kind, arguments = bound(self._types[name])
        item, is_mutable = self._item(arguments, kind)
        used = {each.spelling for each in self._uses(name)}
        if kind == "array_t":
            is_mutable = bool(used & set(_WRITERS)) or ("request" in used and self._writes(name))
        count, shape = self._shape(name, arguments, kind)
        self._dimensions[name] = count
        spelled = element(item)
        dimensions = shape or (["n", "m", "k", "l"][:count] if count > 1 else [])
        inside = f"{spelled}; {', '.join(self._named(name, dimensions))}" if dimensions else spelled
        self.found.parameters[name] = f"&{'mut ' * is_mutable}[{inside}]"
        declared = next(each for each in self._inside if each.kind.name == "PARM_DECL" and each.spelling == name)
        const = "" if is_mutable else "const "
        span = f"wg::Span<{const}{item}{f', {count}' if count > 1 else ''}> "
        self.found.edits[declared.extent.start.offset, declared.location.offset] = span

    def _named(self, name: str, dimensions: Sequence[str]) -> list[str]:
        """Names of dimensions that no other parameter has: equal ones would be checked."""
        return [each if each.isdigit() or len(self._own) == 1 else f"{name}_{each}" for each in dimensions]

    def _item(self, arguments: Sequence[Any], kind: str) -> tuple[str, bool]:
        for each in arguments:
            canonical = each.get_canonical()
            spelled = canonical.spelling
            try:
                element(spelled)
            except Left:
                continue
            return spelled.removeprefix("const "), not spelled.startswith("const ")
        raise Left("an array of any type: its elements are declared")

    def _shape(self, name: str, arguments: Sequence[Any], kind: str) -> tuple[int, list[str]]:
        for each in arguments:
            spelled = each.get_canonical().spelling
            if found := re.fullmatch(r"nanobind::(?:\w+::)*ndim<(\d+)\w*>", spelled):
                return int(found[1]), []
            if found := re.fullmatch(r"nanobind::(?:\w+::)*shape<(.*)>", spelled):
                said = [part.strip().rstrip("L") for part in found[1].split(",")]
                names = iter("nmkl")
                return len(said), [part if part.isdigit() else next(names) for part in said] if len(said) > 1 else []
        found = re.search(rf"\b{name}\s*\.\s*(?:mutable_)?unchecked\s*<\s*(\d+)\s*>", self._text) or re.search(
            r"\bndim(?:\(\))?\s*(?:!=|==)\s*(\d+)", self._text
        )
        return (int(found[1]) if found else 1), []

    def _writes(self, name: str) -> bool:
        """Whether code writes through the pointer of the buffer of a parameter."""
        infos = re.findall(rf"(\w+)\s*=\s*{name}\s*\.\s*request\b", self._text)
        pointers = [word for each in infos for word in re.findall(rf"(\w+)\s*=[^;=]*\b{each}\s*\.\s*ptr\b", self._text)]
        written = r"(?:\b{0}\s*\[[^\]]*\]|\*\s*{0}\b(?:\+\+)?)\s*[-+*/]?=[^=]"
        return any(re.search(written.format(each), self._text) for each in pointers)

    def _uses(self, name: str) -> Iterator[Any]:
        for each in self._inside:
            if each.kind.name == "MEMBER_REF_EXPR" and self._base(each) == name:
                yield each

    def _base(self, member: Any) -> str:
        found = next((k for k in below(member) if k.kind.name == "DECL_REF_EXPR"), None)
        return str(found.spelling) if found is not None else ""

    # --- arrays that are made ---

    def _made_arrays(self) -> None:
        kind, arguments = bound(self._result())
        variables = [each for each in self._inside if each.kind.name == "VAR_DECL" and bound(each.type)[0] in _ARRAYS]
        if kind not in _ARRAYS:
            if not variables:
                return
            kind, arguments = bound(variables[0].type)
        item, _ = self._item(arguments, kind)
        if self._view(item):
            return
        count = self._count(arguments)
        for each in variables:
            self._dimensions[each.spelling] = count
        start = self._cursor.extent.start.offset
        for found in _NAMED.finditer(self._text):
            end = _closing(self._text, found.end())
            at = (start + len(self._text[: found.start()].encode()), start + len(self._text[:end].encode()))
            if not any(a <= at[0] < b for a, b in self.found.edits):
                self.found.edits[at] = f"::{OWNED}<{item}, {count}>"
        for each in self._inside:
            if each.kind.name == "CALL_EXPR" and each.spelling in _ARRAYS:
                self._without_owner(each)
        self.found.needs_class = True
        extents = ["size()"] if count == 1 else [f"value.extent({at})" for at in range(count)]
        if bound(self._result())[0] in _ARRAYS:
            self.found.result = f"array[{element(item)}; {', '.join(extents)}]"

    def _view(self, item: str) -> bool:
        """`return array(data, {n, m}, owner)` of memory that the object has."""
        calls = [each for each in self._inside if each.kind.name == "CALL_EXPR" and each.spelling in _ARRAYS]
        made = next((each for each in calls if len(list(each.get_arguments())) > 1), None)
        if made is None or any(each.kind.name == "DECL_STMT" for each in self._inside):
            return False
        given = [each for each in made.get_arguments() if each.extent.start.file is not None]
        texts = [text_of(each) for each in given]
        owner = next((each for each in texts if _OWNERS.fullmatch(each)), None)
        shape = next((each for each in texts if each.startswith("{")), None)
        data = next((each for each in given if each.type.get_canonical().kind.name == "POINTER"), None)
        if owner is None or shape is None or data is None:
            return False
        outer = next(each for each in self._inside if each.kind.name == "RETURN_STMT")
        value = next(iter(outer.get_children()))
        pointee, written = bare(data).type.get_canonical().get_pointee().get_canonical(), text_of(data)
        if pointee.spelling.removeprefix("const ") != item:
            written = f"reinterpret_cast<{'const ' * pointee.is_const_qualified()}{item} *>({written})"
        self.found.edits[value.extent.start.offset, value.extent.end.offset] = written
        self.found.view = element(item), [each.strip() for each in shape.strip("{} \n").split(",")]
        return True

    def _count(self, arguments: Sequence[Any]) -> int:
        for each in arguments:
            spelled = each.get_canonical().spelling
            if found := re.fullmatch(r"nanobind::(?:\w+::)*(?:ndim<(\d+)\w*>|shape<(.*)>)", spelled):
                return int(found[1]) if found[1] else found[2].count(",") + 1
        if found := re.search(r"mutable_unchecked\s*<\s*(\d+)\s*>", self._text):
            return int(found[1])
        shapes = re.findall(
            r"(?:array_t|ndarray)\s*<[^;{}()]*>\s*\w*\s*\(\s*(?:[\w.()\[\]]+\s*,\s*)?\{([^{}]*)\}", self._text
        )
        return max((each.count(",") + 1 for each in shapes), default=1)

    def _without_owner(self, call: Any) -> None:
        """The capsule that frees memory in nanobind: the array does it."""
        given = [each for each in call.get_arguments() if each.extent.start.file is not None]
        owners = [
            each
            for each in given
            if bound(each.type)[0] in ("handle", "capsule", "object") or "capsule" in each.type.spelling
        ]
        for each in owners:
            named = next((k for k in (each, *below(each)) if k.kind.name == "DECL_REF_EXPR"), None)
            made = named.referenced if named is not None else None
            if made is None or bound(made.type)[0] != "capsule" or "delete[]" not in text_of(made).replace(" ", ""):
                raise Left("an array that refers to memory of something else than its object")
            end = self._bytes.index(b";", made.extent.end.offset) + 1
            self.found.edits[made.extent.start.offset, end] = ""
            before = self._bytes.rindex(b",", call.extent.start.offset, each.extent.start.offset)
            self.found.edits[before, each.extent.end.offset] = ""

    # --- what is done with them ---

    def _variable(self, cursor: Any) -> None:
        kind = bound(cursor.type)[0]
        if kind not in (*_REFERENCES, "buffer_info") and kind != "ndarray_view":
            return
        of = next((k for k in below(cursor) if k.kind.name == "DECL_REF_EXPR" and k.spelling in self._dimensions), None)
        call = next(
            (
                k
                for k in below(cursor)
                if k.kind.name == "CALL_EXPR" and k.spelling in ("request", "unchecked", "mutable_unchecked", "view")
            ),
            None,
        )
        if of is None or call is None:
            raise Left("a view of an array that is not an argument")
        is_further = not self._bytes[cursor.extent.start.offset : cursor.location.offset].strip()  # of one statement
        self.found.edits[cursor.extent.start.offset, cursor.location.offset] = "&" if is_further else "auto &"
        self.found.edits[of.extent.end.offset, call.extent.end.offset] = ""
        self._dimensions[cursor.spelling] = self._dimensions[of.spelling]
        if kind == "buffer_info":
            self._infos[cursor.spelling] = of.spelling

    def _member(self, cursor: Any) -> None:
        base = self._base(cursor)
        if base not in self._dimensions or any(a <= cursor.location.offset < b for a, b in self.found.edits):
            return
        at, name = cursor.location.offset, cursor.spelling
        end = at + len(name)
        if base in self._infos:
            self._info(base, name, at, end)
        elif name in _SAME:
            self.found.edits[at, end] = _SAME[name]
        elif name == "shape":
            self.found.edits[at, end] = "extent"
        elif name in ("at", "mutable_at") and self._dimensions[base] == 1:
            self._subscript(at - 1, self._bytes.index(b"(", at), self._bytes.index(b")", at))
        elif name in ("at", "mutable_at"):
            self.found.edits[at - 1, end] = ""
        elif name == "ndim":
            self.found.edits[cursor.extent.start.offset, self._bytes.index(b")", end) + 1] = str(self._dimensions[base])
        elif name not in ("request", "unchecked", "mutable_unchecked", "view", "operator()"):
            raise Left(f"{name}() of an array")

    def _info(self, base: str, name: str, at: int, end: int) -> None:
        of = self._infos[base]
        start = self._bytes.rindex(base.encode(), 0, at)
        item = bound(self._types[of])[1][0].get_canonical().spelling.removeprefix("const ") if of in self._types else ""
        is_const = self.found.parameters.get(of, "").startswith("&[")
        if name == "ptr":
            self.found.edits[start, end] = f"const_cast<{item} *>({base}.data())" if is_const else f"{base}.data()"
        elif name == "size":
            self.found.edits[at, end] = "size()"
        elif name == "ndim":
            self.found.edits[start, end] = str(self._dimensions[base])
        elif name in ("shape", "strides"):
            opening = self._bytes.index(b"[", at)
            self.found.edits[at, opening + 1] = "extent(" if name == "shape" else "stride("
            self.found.edits[self._bytes.index(b"]", opening), self._bytes.index(b"]", opening) + 1] = ")"
        else:
            raise Left(f"{name} of a buffer")

    def _element(self, call: Any) -> None:
        """`r(i)`, which memory of one dimension has as `r[i]`."""
        base = next(iter(call.get_children()), None)
        if base is None or bound(base.type)[0] not in (*_REFERENCES, *_ARRAYS):
            return
        name = next((k.spelling for k in (base, *below(base)) if k.kind.name == "DECL_REF_EXPR"), "")
        given = list(call.get_arguments())
        if self._dimensions.get(name) == 1 and len(given) == 2:
            opening = self._bytes.index(b"(", base.extent.end.offset)
            self._subscript(opening, opening, call.extent.end.offset - 1)

    def _subscript(self, start: int, opening: int, closing: int) -> None:
        self.found.edits[start, opening + 1] = "["
        self.found.edits[closing, closing + 1] = "]"


def _closing(text: str, at: int) -> int:
    """Behind the `>` of the `<` before `at`."""
    depth = 1
    while depth and at < len(text):
        depth += {"<": 1, ">": -1}.get(text[at], 0)
        at += 1
    return at
