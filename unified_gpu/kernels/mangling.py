"""Types as the Itanium C++ ABI mangles them, as far as kernels have them; what else there is keeps its mangled text."""

from __future__ import annotations

from dataclasses import dataclass

_BUILTINS = {
    "v": "void",
    "w": "wchar_t",
    "b": "bool",
    "c": "char",
    "a": "signed char",
    "h": "unsigned char",
    "s": "short",
    "t": "unsigned short",
    "i": "int",
    "j": "unsigned int",
    "l": "long",
    "m": "unsigned long",
    "x": "long long",
    "y": "unsigned long long",
    "n": "__int128",
    "o": "unsigned __int128",
    "f": "float",
    "d": "double",
    "e": "long double",
    "g": "__float128",
    "z": "...",
    "Di": "char32_t",
    "Ds": "char16_t",
    "Du": "char8_t",
    "Dn": "decltype(nullptr)",
    "Dh": "__half",
}
_STD = {
    "Sa": "std::allocator",
    "Sb": "std::basic_string",
    "Ss": "std::string",
    "Si": "std::istream",
    "So": "std::ostream",
}
_QUALIFIERS = {"r": "", "V": "volatile ", "K": "const "}
_REFERENCES = {"P": "*", "R": "&", "O": "&&"}


@dataclass(frozen=True, slots=True)
class CType:
    """A type.

    Attributes:
        text: as C++ writes it; without the `const` and `volatile` of what it points to.
        target: what a pointer or a reference points to.
    """

    text: str
    target: CType | None = None


def parse_function(mangled: str) -> list[CType]:
    """The parameters of the function that `PFv…E` points to.

    Raises:
        ValueError: when it is no such type, or one that is not understood.
    """
    reader = _Reader(mangled)
    if not mangled.startswith("PFv"):
        raise ValueError(f"a kernel is a function that gives nothing back, not {mangled}")
    reader.place = 3
    parameters = reader.until_end()
    return [] if [each.text for each in parameters] == ["void"] else parameters


class _Reader:
    """Reads one mangled name, and remembers what its abbreviations `S_`, `S0_` … stand for."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.place = 0
        self.seen: list[CType] = []

    def until_end(self) -> list[CType]:
        """Types up to an `E`."""
        found = []
        while not self._take("E"):
            found.append(self._type())
        return found

    def _type(self) -> CType:
        letter = self.text[self.place : self.place + 1]
        if letter in _QUALIFIERS:
            return self._qualified()
        if letter in _REFERENCES:
            self.place += 1
            target = self._type()
            return self._remember(CType(f"{target.text} {_REFERENCES[letter]}".replace("* *", "**"), target))
        for length in (1, 2):
            builtin = _BUILTINS.get(self.text[self.place : self.place + length])
            if builtin is not None:
                self.place += length
                return CType(builtin)
        if self._take("F"):
            first, *others = self.until_end()
            return self._remember(CType(f"{first.text} ({', '.join(each.text for each in others)})"))
        if self._take("A"):
            count = self._digits()
            self._expect("_")
            return self._remember(CType(f"{self._type().text} [{count}]"))
        return self._named()

    def _qualified(self) -> CType:
        words = ""
        while self.text[self.place] in _QUALIFIERS:
            words += _QUALIFIERS[self.text[self.place]]
            self.place += 1
        of = self._type()
        self._remember(CType(words + of.text, of.target))
        return of

    def _named(self) -> CType:
        """A class or an enumeration, perhaps in namespaces, perhaps an instance of a template."""
        nested = self._take("N")
        while nested and self.text[self.place : self.place + 1] in _QUALIFIERS:
            self.place += 1
        found = self._prefix(None)
        while nested and not self._take("E"):
            found = self._prefix(found)
        return found

    def _prefix(self, outer: CType | None) -> CType:
        """A name, or an abbreviation, and the arguments of a template that follow it."""
        short = self.text[self.place : self.place + 2]
        if short == "St":
            self.place += 2
            found = self._remember(CType(f"std::{self._source_name()}"))
        elif short in _STD:
            self.place += 2
            found = CType(_STD[short])
        elif outer is None and short[:1] == "S":
            found = self._abbreviated()
        else:
            name = self._source_name()
            found = self._remember(CType(f"{outer.text}::{name}" if outer else name))
        if self._take("I"):
            arguments = []
            while not self._take("E"):
                arguments.append(self._argument())
            found = self._remember(CType(f"{found.text}<{', '.join(arguments)}>"))
        return found

    def _argument(self) -> str:
        """An argument of a template: a type, or a number."""
        if not self._take("L"):
            return self._type().text
        self._type()
        end = self.text.index("E", self.place)
        value, self.place = self.text[self.place : end], end + 1
        return value.replace("n", "-")

    def _abbreviated(self) -> CType:
        end = self.text.index("_", self.place)
        digits, self.place = self.text[self.place + 1 : end], end + 1
        number = int(digits, 36) + 1 if digits else 0
        if number >= len(self.seen):
            raise self._misunderstood()
        return self.seen[number]

    def _source_name(self) -> str:
        length = int(self._digits())
        name = self.text[self.place : self.place + length]
        self.place += length
        return "(anonymous)" if name.startswith("_GLOBAL__N_") else name

    def _digits(self) -> str:
        start = self.place
        while self.text[self.place : self.place + 1].isdigit():
            self.place += 1
        if start == self.place:
            raise self._misunderstood()
        return self.text[start : self.place]

    def _take(self, letter: str) -> bool:
        if self.place >= len(self.text):
            raise self._misunderstood()
        found = self.text[self.place] == letter
        self.place += found
        return found

    def _expect(self, letter: str) -> None:
        if not self._take(letter):
            raise self._misunderstood()

    def _remember(self, found: CType) -> CType:
        self.seen.append(found)
        return found

    def _misunderstood(self) -> ValueError:
        return ValueError(f"the compiler calls the kernel's type {self.text}, which is not understood at {self.place}")
