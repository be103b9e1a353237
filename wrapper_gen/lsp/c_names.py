"""Which names of C or C++ the entries of a spec stand for, and the other way round."""

from __future__ import annotations

import re

from wrapper_gen import names
from wrapper_gen.lsp.declared_in_c import DeclaredInC, Entity
from wrapper_gen.lsp.outline import OutlineNode
from wrapper_gen.lsp.spec_names import Declared, NameKind, SpecNames
from wrapper_gen.written_calls import BadCall, WrittenCall, WrittenName, read_cpp

_CLASS = re.compile(r"(?:::)?[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*")
_POINTERS = re.compile(r"(?:std::)?(?:shared_ptr|unique_ptr)\s*<|\b(?:const|struct|class|enum)\b")

_CALLED = ("cpp", "cpp_fn", "cpp_method")
"""Keys that say what an entry calls; the latter two are of the original format."""
_OF_TYPES = (NameKind.CLASS, NameKind.STRUCT, NameKind.ENUM, NameKind.ERROR, NameKind.TYPE)


class CNames:
    """How a spec names what its library has."""

    def __init__(self, spec: SpecNames) -> None:
        self._spec = spec
        self._lib = spec.outline.root.get("wrapper_lib") or OutlineNode(0, 0)
        self._is_c = self._lib.said("lang") == "c"

    def prefix(self, owner: str) -> str | None:
        """What goes before the names of a class's methods, or of functions; None where they are members."""
        own = self._lib.said("prefix")
        if not owner:
            return own
        declared = self._spec.find(owner, NameKind.CLASS, NameKind.STRUCT)
        said = declared.entry.said("prefix") if declared else ""
        return said or (own if self._is_c else None)

    def cpp_class(self, owner: str) -> str:
        """The class or struct of C++ that a class of the spec is about."""
        declared = self._spec.find(owner, NameKind.CLASS, NameKind.STRUCT)
        said = _POINTERS.sub("", declared.entry.said("cpp_type")) if declared else ""
        found = _CLASS.search(said)
        return found[0].removeprefix("::") if found else ""

    def found(self, declared: Declared, known: DeclaredInC) -> list[Entity]:
        """What headers declare of an entry."""
        first = "type" if declared.kind in _OF_TYPES else "function"
        found = next((found for each in self.of(declared) if (found := known.find(each, first))), [])
        return [each for each in found if each.kind == first] or found

    def of(self, declared: Declared) -> list[str]:
        """What C++ may call an entry, the likeliest name first; nothing where code implements it."""
        for key in _CALLED if declared.entry.pairs is not None else ():
            if text := declared.entry.said(key).strip():
                return self._called(text, declared.owner)
        match declared.kind:
            case NameKind.VALUE:
                return [self._value(declared)]
            case NameKind.CLASS:
                return [self.cpp_class(declared.name)]
            case NameKind.STRUCT | NameKind.ENUM | NameKind.ERROR | NameKind.TYPE:
                return [declared.detail]
            case NameKind.CONSTANT:
                return [declared.name]
            case NameKind.EXCEPTION:
                return []
            case NameKind.FIELD:
                return [*self._implied(declared), f"{self.cpp_class(declared.owner)}::{declared.name}"]
        return self._implied(declared)

    def _implied(self, declared: Declared) -> list[str]:
        """The name of an entry that says no other."""
        prefix, name, case = self.prefix(declared.owner), declared.name, self._lib.said("case")
        if prefix is None:
            of = self.cpp_class(declared.owner)
            is_made = declared.kind is NameKind.CONSTRUCTOR
            return [f"{of}::{of.rpartition('::')[2] if is_made else names.cased(name, case)}"]
        if not declared.owner and prefix:
            name = names.base(self._lib.said("name"), name)
        return [prefix + names.cased(name, case)]

    def _called(self, text: str, owner: str) -> list[str]:
        try:
            found = read_cpp(text.strip())
        except BadCall:
            return []
        match found:
            case WrittenName(name, is_member) | WrittenCall(name, is_member):
                called = name.text
            case _:
                return []
        is_of_class = is_member or ("::" not in called and owner and self.prefix(owner) is None)
        return [f"{self.cpp_class(owner)}::{called}", called] if is_of_class else [called]

    def _value(self, declared: Declared) -> str:
        if declared.entry.start != declared.start and declared.entry.text:  # of a mapping: C++ stands beside it
            return declared.entry.text.strip()
        enum = self._spec.find(declared.owner, NameKind.ENUM)
        return (enum.entry.said("prefix") if enum else "") + declared.name

    def offered(self, known: DeclaredInC, owner: str) -> list[tuple[str, Entity]]:
        """The functions that a `def` of a class, or of the module, can stand for, each with its name there."""
        prefix = self.prefix(owner)
        if prefix is None:
            last = self.cpp_class(owner).rpartition("::")[2]
            found = [(each.name, each) for each in known.members(self.cpp_class(owner))]
            return [
                (owner if name == last else self._python(name), each) for name, each in found if name.isidentifier()
            ]
        listed = ((each.qualified, each) for each in known.functions)
        found = [(each.removeprefix(prefix), entity) for each, entity in listed if each.startswith(prefix)]
        return [(self._python(name), entity) for name, entity in found if name.isidentifier()]

    def _python(self, name: str) -> str:
        """A name of C++ as Python spells it, where the library has a case of its own."""
        if self._lib.said("case") not in ("pascal", "camel"):
            return name
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
