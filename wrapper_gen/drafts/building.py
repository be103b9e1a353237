"""An entry of a spec while it is put together: its parameters, what C is given, and what comes back."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from wrapper_gen.drafts import naming
from wrapper_gen.drafts.types import Asked

_KEEPS = re.compile(
    r"(^|_)(set|add|attach|use|ref|register|install|insert|push|append|prepend|connect|assign|bind|put|extend|update"
    r"|link|merge|replace)n?\d*(_|$)"
)
"""What functions are called that may keep an argument."""
_TAKES = re.compile(r"(^|_)(set0|add0|push0|assign|adopt|give|take|own|transfer)(_|$)")
_SAYS_IT_TAKES = re.compile(
    r"(takes?|assumes?|transfers?|passes) (the )?ownership|ownership (is|will be) (taken|transferred|passed)"
    r"|will be (freed|owned|released|destroyed) (by|with|when)|(must|should|need) not (be )?(free|release)",
    re.IGNORECASE,
)
"""What is called, and said, of functions that take an argument away."""


@dataclass
class Building:
    """What is known of an entry so far."""

    parameters: list[tuple[str, str, str]] = field(default_factory=list)
    """Name, type and default."""
    outs: list[tuple[str, str]] = field(default_factory=list)
    """Name and type of what the call writes."""
    arguments: list[str] = field(default_factory=list)
    """Of the call, as `cpp` has them."""
    keys: dict[str, object] = field(default_factory=dict)
    guesses: list[str] = field(default_factory=list)
    result: str = ""
    """The type of the value that the call returns; empty where it is none, or a status."""
    is_written: bool = False
    """Whether the arguments are not just the object, the parameters and the results in this order."""
    options: tuple[str, str] | None = None
    """The name and the type of options, which are the last parameter."""
    is_buffer: bool = False
    """Whether a buffer that the call fills is the result."""

    def name(self, wanted: str, at: int, *, is_c: bool) -> str:
        """A name for a parameter or an item of the result that is not taken."""
        made = naming.parameter(wanted, at, is_c=is_c)
        taken = {each for each, *_ in self.parameters} | {each for each, _ in self.outs}
        taken |= {self.options[0]} if self.options else set()
        while made in taken:
            made += "_"
        return made

    def add(self, name: str, type_: str, default: str = "") -> None:
        """A parameter, which C is given as it is."""
        self.parameters.append((name, type_, default))
        self.arguments.append(name)

    def write(self, name: str, type_: str) -> None:
        """An item of the result that C writes through a pointer."""
        self.outs.append((name, type_))
        self.arguments.append(f"&{name}")

    def give(self, *arguments: str) -> None:
        """What Python does not see."""
        self.arguments += arguments
        self.is_written = True

    def set_options(self, name: str, type_: str) -> None:
        """Options, of which Python sees the members."""
        if self.options is not None:
            raise Asked("two structs of options")
        self.options = name, type_
        self.arguments.append(name)
        self.is_written = True

    @property
    def items(self) -> list[tuple[str, str]]:
        """What the entry gives, by name and type."""
        return [*self.outs, *([("result", self.result)] if self.result else [])]

    def call(self, name: str, *, receiver: str = "") -> str:
        """The call as `cpp` has it: `&out` for the only item that it writes."""
        only = self.outs[0][0] if len(self.items) == 1 and self.outs else ""
        given = ["&out" if only and each == f"&{only}" else each for each in self.arguments]
        return f"{receiver}{name}({', '.join(given)})"

    def is_plain(self) -> bool:
        """Whether C finds the call by itself: few arguments, in the order that is tried first."""
        first = [each for each in self.arguments if each == "self"]
        own = [name for name, *_ in self.parameters]
        written = [f"&{name}" for name, _ in self.outs]
        in_order = self.arguments == [*first, *own, *written] and self.arguments[:1] in (["self"], own[:1], written[:1])
        return not self.is_written and in_order and len(own) <= 1 and len(written) <= 1 and not self.is_buffer

    def arguments_of(self, classes: Collection[str]) -> list[str]:
        """The parameters that are objects of these classes."""
        return [name for name, type_, _ in self.parameters if type_.rstrip("?") in classes]

    def hold(self, classes: Collection[str], name: str, doc: str, *, is_constructor: bool, is_method: bool) -> None:
        """Say which arguments have to outlive the object, where C or C++ may keep them."""
        given = self.arguments_of(classes)
        if given and (_TAKES.search(name) or _SAYS_IT_TAKES.search(" ".join(doc.split()))):
            raise Asked(f"whether it takes {', '.join(given)} away")
        if not given or "belongs_to" in self.keys:
            return
        if is_constructor:
            self.keys["holds"] = given
        elif self.keys.get("holds") == {"result": "self"}:
            self.keys["holds"] = {"result": ["self", *given]}
        elif is_method and _KEEPS.search(name) and not any(type_ in classes for _, type_ in self.items):
            self.keys["holds"] = given
            self.guesses.append(f"the object may keep {', '.join(given)}")

    def signature(self, name: str) -> str:
        """The `def`."""
        last = max((at for at, each in enumerate(self.parameters) if not each[2]), default=-1)
        shown = [
            f"{each}: {type_}" + (f" = {default}" if default and at > last else "")
            for at, (each, type_, default) in enumerate(self.parameters)
        ]
        shown += [f"**{self.options[0]}: {self.options[1]}"] if self.options else []
        return f"{name}({', '.join(shown)}){self._shown_result()}"

    def _shown_result(self) -> str:
        if not self.items:
            return ""
        if len(self.items) == 1:
            return f" -> {self.items[0][1]}"
        return f" -> ({', '.join(f'{name}: {type_}' for name, type_ in self._named())})"

    def _named(self) -> Iterator[tuple[str, str]]:
        yield from self.items


def first_sentence(text: str, most: int = 150) -> str:
    """What documents an entry: the first sentence of a comment."""
    words = re.sub(r"[\\@](brief|ingroup \w+|param\S*|returns?|ref|c|p|a|e)\b|<[^<>]{1,40}>|\*{3,}|-{3,}", " ", text)
    paragraph = next((each for each in re.split(r"\n\s*\n", words.strip()) if each.strip()), "")
    sentence = re.split(r"(?<=[.!?])\s", " ".join(paragraph.split()))[0]
    if not re.search(r"[a-z]{2}", sentence):
        return ""
    if len(sentence) > most:
        sentence = sentence[:most].rsplit(" ", 1)[0].rstrip(",;:(") + " …"
    return sentence if sentence.endswith((".", "!", "?", "…")) else f"{sentence.rstrip(',;:')}."


def notes_of(guesses: Sequence[str]) -> tuple[str, ...]:
    """The comment above an entry of what was taken for granted."""
    return tuple([f"guess: {'; '.join(dict.fromkeys(guesses))}"] if guesses else [])
