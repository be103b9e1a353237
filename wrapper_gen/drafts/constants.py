"""The constants of a draft: macros, and values of nameless enums, that no group of three makes an enum."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from wrapper_gen.drafts.decisions import Decisions
from wrapper_gen.drafts.documentation import doc_of
from wrapper_gen.drafts.naming import usable
from wrapper_gen.drafts.questions.constants import GROUP, aliases, is_guard
from wrapper_gen.drafts.report import Became, Row
from wrapper_gen.drafts.spec_text import Entry
from wrapper_gen.drafts.types import number
from wrapper_gen.headers import Constant, Doc, Enum, FunctionMacro

_TYPES = {
    "int": "i32",
    "unsigned int": "u32",
    "char": "i8",
    "signed char": "i8",
    "unsigned char": "u8",
    "short": "i16",
    "unsigned short": "u16",
    "float": "f32",
    "double": "f64",
    "bool": "bool",
    "_Bool": "bool",
    "const char *": "text",
}
"""What the language calls a constant of this type; other integers are as wide as it has any."""

_LARGEST = (1 << 31) - 1


class ConstantEntries:
    """Entries of constants, and what became of each macro that is none."""

    def __init__(self, decisions: Decisions, taken: Collection[str]) -> None:
        self._decisions = decisions
        self._taken = set(taken)
        self._grouped = {name for each in decisions.macro_enums for name in each.names}
        self.rows: list[Row] = []
        self.entries = [*self._macros(), *self._of_nameless_enums()]

    def _macros(self) -> Iterator[Entry]:
        headers = self._decisions.headers
        declared = {value.name for each in headers.enums.values() for value in each.values}
        functions = frozenset(each.name for each in headers.functions)
        same = aliases(headers)
        for each in headers.constants.values():
            if each.name in self._grouped and each.name not in declared:
                continue  # its enum has a row for it
            why = self._why_not(each, functions)
            if each.name in declared:
                self.rows.append(Row(each, Became.FOLLOWS, "a value of an enum has this name"))
            elif each.name in same:
                self.rows.append(Row(each, Became.FOLLOWS, f"another name of {same[each.name]}, which an enum has"))
            elif why:
                self.rows.append(Row(each, Became.LEFT_OUT, why))
            else:
                self.rows.append(Row(each, Became.WRITTEN))
                type_ = _TYPES.get(each.type) or ("u64" if each.type.startswith("unsigned") else "i64")
                yield self._entry(each.name, type_, each.doc, each.key)

    def _why_not(self, each: Constant, functions: frozenset[str]) -> str:
        if each.name.startswith("_"):
            return "its name begins as those of the compiler's and of C's library do"
        if is_guard(each):
            return "it says that a header was included"
        if isinstance(each.value, bytes):
            return "a text that is no UTF-8"
        if functions & set(each.text.split()):
            return "it calls a function"
        if isinstance(each.value, float) and each.type == "long double":
            return "a long double, which no type of Python holds"
        return self._skipped(each.name)

    def _skipped(self, name: str) -> str:
        key = self._decisions.skipped_constants.get(name, "")
        return f"by the answer {GROUP}/{key}" if key else ""

    def _of_nameless_enums(self) -> Iterator[Entry]:
        for enum in self._decisions.headers.enums.values():
            if enum.name or enum.owner or enum.typedefs:
                continue
            left = [each for each in enum.values if each.name not in self._grouped and not self._skipped(each.name)]
            self.rows.append(self._row_of(enum, has_left=bool(left)))
            scope = enum.qualified.rpartition("::")[0]
            for each in left:
                cpp = f"{scope}::{each.name}" if scope else each.name
                is_int = self._decisions.options.is_c and -_LARGEST <= each.value <= _LARGEST  # by C's own rule
                yield self._entry(cpp, "i32" if is_int else number(enum.underlying) or "i64", each.doc, enum.key)

    def _row_of(self, enum: Enum, *, has_left: bool) -> Row:
        if has_left:
            return Row(enum, Became.WRITTEN)
        skipped = next((why for each in enum.values if (why := self._skipped(each.name))), "")
        return Row(enum, Became.LEFT_OUT, skipped) if skipped else Row(enum, Became.WRITTEN)

    def _entry(self, cpp: str, type_: str, doc: Doc, key: str) -> Entry:
        """An entry; its name has no prefix of the library, unless another one has this name."""
        options = self._decisions.options
        whole, start = cpp.rpartition("::")[2], options.prefix.upper()
        bare = whole[len(start) :] if options.is_c and start and whole.startswith(start) else whole
        name = usable(bare) if usable(bare) == bare and bare not in self._taken else usable(whole)
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        is_implied = options.is_c and name.isupper() and start + name == cpp
        said = {"type": type_, "cpp": None if is_implied else cpp, "doc": doc_of(doc) or None}
        is_short = is_implied and not said["doc"]
        return Entry({name: type_ if is_short else said}, key=key)


def macro_rows(decisions: Decisions, folded: Mapping[str, str]) -> list[Row]:
    """What became of macros with parameters; `folded` has the function that each of some calls with constants."""
    found = []
    for name, place in decisions.headers.macro_places.items():
        parameters = decisions.headers.macros[name]
        macro = FunctionMacro(f"#define {name}", name, name, place, Doc(), False, parameters)
        if name in folded:
            found.append(Row(macro, Became.FOLLOWS, f"of {folded[name]}, which it calls with constants"))
        else:
            why = "a macro with parameters, whose types C does not say: write an entry whose `cpp` is a call of it"
            found.append(Row(macro, Became.LEFT_OUT, why))
    return found
