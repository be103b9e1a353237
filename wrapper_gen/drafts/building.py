"""An entry of a spec while it is put together: its parameters, what C is given, and what comes back."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from wrapper_gen.drafts import naming
from wrapper_gen.drafts.decisions import AnsweredWord
from wrapper_gen.drafts.documentation import documentation, said_of
from wrapper_gen.drafts.types import Asked, Types
from wrapper_gen.headers import Doc
from wrapper_gen.types.scalars import INTEGERS

_KEPT = ("text", "bytes")
"""The types of memory that an object can keep, beside `&[T]`."""
_INTEGER = re.compile(INTEGERS)


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
    named: dict[str, str] = field(default_factory=dict)
    """Python's names of parameters and of items of the result, by those of the header."""

    def name(self, wanted: str, at: int, *, is_c: bool) -> str:
        """A name for a parameter or an item of the result that is not taken."""
        made = naming.parameter(wanted, at, is_c=is_c)
        taken = {each for each, *_ in self.parameters} | {each for each, _ in self.outs}
        taken |= {self.options[0]} if self.options else set()
        while made in taken:
            made += "_"
        if wanted:
            self.named[wanted] = made
        return made

    def take_groups(self, key: str, types: Types) -> None:
        """Give parameters that take the values of a group of macros its enum; `key` is that of the function."""
        for wanted, made in self.named.items():
            at = next((at for at, (name, *_) in enumerate(self.parameters) if name == made), -1)
            if at < 0 or not _INTEGER.fullmatch(self.parameters[at][1]) or self.parameters[at][2]:
                continue
            enum, asked = types.groups.get((key, wanted)), types.groups_asked.get((key, wanted))
            if enum is not None:
                self.parameters[at] = (made, enum, "")
            elif asked is not None:
                self.guesses.append(f"{made} is a number, and no {asked}")

    def may_be_null(self, doc: Doc, name: str) -> None:
        """The result may be missing where the comment speaks of null, or the name says that the call looks it up.

        Else a null is an error of the call.
        """
        if not self.result or self.result.endswith("?") or _NEVER_NULL.search(doc.text):
            return
        if _NULL.search(_NULL_IS_ERROR.sub("", " ".join(doc.text.split()))):
            self.result += "?"
            self.guesses.append("null, of which the comment speaks")
        elif _LOOKS_UP.search(name):
            self.result += "?"
            self.guesses.append("null where there is none")

    def may_be_absent(self, doc: Doc) -> None:
        """The same of an object that the call makes: only where the comment says that there may be none."""
        if self.result and not self.result.endswith("?") and not doc.of_group and _ABSENT.search(doc.text):
            self.result += "?"
            self.guesses.append("null, of which the comment speaks")

    def may_write_null(self, doc: Doc, parameter: str) -> None:
        """An object that the call writes may be missing where the comment of the parameter speaks of null."""
        said = _NULL_IS_ERROR.sub("", said_of(doc, parameter))
        if self.outs and re.search(
            r"\b(or|otherwise|else|(to|with|by)) null(ptr)?\b|\bnull(ptr)? (if|when)\b", said, re.I
        ):
            name, type_ = self.outs[-1]
            self.outs[-1] = (name, f"{type_.rstrip('?')}?")
            self.guesses.append(f"{name} may be null, as the comment says")

    def documented(self, doc: Doc) -> dict[str, object]:
        """What a comment says of the entry, of its parameters and of the result."""
        own = {name for name, *_ in self.parameters}
        outs = {name for name, _ in self.outs}
        given = {header: name for header, name in self.named.items() if name in own}
        written = {header: name for header, name in self.named.items() if name in outs - own}
        return documentation(doc).keys(given, written, has_result=bool(self.items))

    def add(self, name: str, type_: str, default: str = "") -> None:
        """A parameter, which C is given as it is."""
        self.parameters.append((name, type_, default))
        self.arguments.append(name)

    def write(self, name: str, type_: str) -> None:
        """An item of the result that C writes through a pointer."""
        self.outs.append((name, type_))
        self.arguments.append(f"&{name}")

    def change(self, name: str, type_: str) -> None:
        """A parameter that C changes, which makes it an item of the result, too."""
        self.parameters.append((name, type_, ""))
        self.outs.append((name, type_))
        self.give(f"&{name}")

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
        is_parameter = only in {each for each, *_ in self.parameters}
        is_out = only and not is_parameter
        given = ["&out" if is_out and each == f"&{only}" else each for each in self.arguments]
        return f"{receiver}{name}({', '.join(given)})"

    def is_plain(self) -> bool:
        """Whether C finds the call by itself: few arguments, in the order that is tried first."""
        first = [each for each in self.arguments if each == "self"]
        own = [name for name, *_ in self.parameters]
        written = [f"&{name}" for name, _ in self.outs]
        in_order = self.arguments == [*first, *own, *written] and self.arguments[:1] in (["self"], own[:1], written[:1])
        return not self.is_written and in_order and len(own) <= 1 and len(written) <= 1 and not self.is_buffer

    def keep(
        self,
        words: Mapping[str, AnsweredWord],
        classes: Collection[str],
        *,
        is_constructor: bool,
        result_holds: bool,
    ) -> None:
        """Say which arguments have to outlive the object or the result, and which the call takes; `words` by class.

        Raises:
            Asked: that is not known.
        """
        given = [(name, type_.rstrip("?")) for name, type_, _ in self.parameters if type_.rstrip("?") in classes]
        said = {name: words.get(type_) for name, type_ in given}
        for name, each in said.items():
            if each is not None and each.word == "ask":
                raise Asked(f"whether it takes {name} away, holds it, or only uses it", each.question)
        taken = [name for name, each in said.items() if each is not None and each.word == "takes"]
        last = [name for name, each in said.items() if each is not None and each.word == "holds_last"]
        held = [name for name, each in said.items() if each is not None and each.word == "holds"]
        if is_constructor or result_holds or "belongs_to" in self.keys:
            held += last
        elif last:
            self.keys["holds_last"] = last
        if is_constructor or result_holds:
            held = [name for name in said if name in held or said[name] is None]
        if taken:
            self.keys["takes"] = taken
        self._say_held(held, is_constructor=is_constructor, result_holds=result_holds)
        for name, each in said.items():
            if each is not None and not each.is_decided and each.word == "uses":
                self.guesses.append(f"the call only uses {name}")
            elif each is not None and not each.is_decided and name in held and self.keys.get("holds") == held:
                self.guesses.append(f"the object may keep {name}")

    def hold_by_result(self, classes: Collection[str]) -> None:
        """Say that an object that a method makes holds what is held, where the method's own object could, too."""
        held = self.keys.get("holds")
        if isinstance(held, list) and held and any(type_.rstrip("?") in classes for _, type_ in self.items):
            self.keys["holds"] = {"result": held[0] if len(held) == 1 else held}

    @property
    def taken(self) -> list[str]:
        """What the call takes: `self` is its object."""
        said = self.keys.get("takes", [])
        return [said] if isinstance(said, str) else [str(each) for each in said] if isinstance(said, list) else []

    def take_freed(self, name: str, what: str) -> None:
        """Say that the call takes an argument, or its object, which its comment says is freed."""
        parameters = {each: type_ for each, type_, _ in self.parameters}
        if name in self.taken or (name != "self" and name not in parameters):
            return
        taken = [*self.taken, name]
        self.keys["takes"] = taken[0] if len(taken) == 1 else taken
        held = self.keys.get("holds")
        kept = held.get("result") if isinstance(held, dict) else held
        names = [kept] if isinstance(kept, str) else kept if isinstance(kept, list) else []
        left = [each for each in names if each != name]
        if held is not None and not left:
            del self.keys["holds"]
        elif held is not None:
            self.keys["holds"] = {**held, "result": left} if isinstance(held, dict) else left
        self.guesses.append(f"it frees {what}, as the comment says")

    def _say_held(self, held: list[str], *, is_constructor: bool, result_holds: bool) -> None:
        if is_constructor:
            texts = [name for name, type_, _ in self.parameters if type_.rstrip("?") in ("text", "bytes")]
            if held:  # a constructor that names none holds its texts by itself
                self.keys["holds"] = [name for name, *_ in self.parameters if name in (*held, *texts)]
        elif result_holds:
            self.keys["holds"] = {"result": ["self", *held] if held else "self"}
        elif held and "belongs_to" not in self.keys:
            self.keys["holds"] = held

    def keep_referred(self, names: Sequence[str], class_: str) -> bool:
        """Say that the result, of this class, may refer to the object or to parameters; whether that was needed."""
        said = self.keys.get("holds")
        if not names or "belongs_to" in self.keys:
            return False
        before = said.get("result", []) if isinstance(said, dict) else []
        first = [before] if isinstance(before, str) else list(before)
        added = [each for each in names if each not in first]
        if not added:
            return False
        found = [*first, *added]
        own = said if isinstance(said, dict) else {"self": said} if said else {}
        self.keys["holds"] = {**own, "result": found[0] if len(found) == 1 else found}
        self.guesses.append(f"the {class_} may refer to {', '.join(added)}")
        return True

    def keep_memory(self, *kinds: str) -> None:
        """Say that the object that the call makes may refer to the memory, of these types, that it is made of."""
        memory = [name for name, type_, _ in self.parameters if type_.rstrip("?") in kinds]
        said = self.keys.get("holds")
        if not memory or "belongs_to" in self.keys or not (said is None or isinstance(said, dict)):
            return
        before = said["result"] if said else []
        self.keys["holds"] = {"result": [*([before] if isinstance(before, str) else before), *memory]}
        self.guesses.append(f"the result may keep {', '.join(memory)}")

    def keep_given(
        self, words: Mapping[str, AnsweredWord], classes: Collection[str], *, has_object: bool, is_constructor: bool
    ) -> None:
        """Say which memory an object may use after the call; `words` by the names that the header has for parameters.

        Raises:
            Asked: that is not known, or no object is there to keep it alive.
        """
        types = {name: type_.rstrip("?") for name, type_, _ in self.parameters}
        said = {self.named[each]: word for each, word in words.items() if types.get(self.named.get(each, ""))}
        said = {name: word for name, word in said.items() if types[name] in _KEPT or types[name].startswith("&[")}
        for name, word in said.items():
            if word.word == "ask":
                raise Asked(f"whether C still uses {name} after the call", word.question)
            if word.word == "uses" and not word.is_decided:
                self.guesses.append(f"C copies {name}")
        held = {name: word for name, word in said.items() if word.word in ("holds", "holds_last")}
        gives_object = any(type_.rstrip("?") in classes for _, type_ in self.items)
        if not held or (is_constructor and "holds" not in self.keys):
            return  # a constructor holds all of them by itself
        if not (has_object or gives_object or is_constructor):
            word = next(iter(held.values()))
            raise Asked(f"what keeps {' and '.join(held)} alive, where C uses it after the call", word.question)
        self._hold_given(held, gives_object=gives_object and not is_constructor)
        self.guesses += [f"the object may use {name} later" for name, word in held.items() if not word.is_decided]

    def _hold_given(self, held: Mapping[str, AnsweredWord], *, gives_object: bool) -> None:
        before = self.keys.get("holds")
        if gives_object:
            own = before["result"] if isinstance(before, dict) else []
            first = [own] if isinstance(own, str) else list(own)
            self.keys["holds"] = {"result": [*first, *(name for name in held if name not in first)]}
            return
        first = list(before) if isinstance(before, list) else []
        always = [name for name, word in held.items() if (word.word == "holds" or first) and name not in first]
        if first or always:
            self.keys["holds"] = [*first, *always]
        if last := [name for name in held if name not in (*first, *always)]:
            self.keys["holds_last"] = last

    def end(self, word: AnsweredWord | None, *, all_: str = "all", of_argument: bool = False) -> None:
        """Say whether the call ends what belongs to its object, or an argument; `all_` is the language's word for it.

        Raises:
            Asked: nothing says it.
        """
        if word is None:
            return
        whose = all_ if of_argument else "its object"
        if word.word == "ask":
            raise Asked(f"whether it ends what belongs to {whose}", word.question)
        if word.word == "when":
            self.keys["ends"] = word.condition if isinstance(word.condition, dict) else {all_: word.condition}
            return
        if word.word == "on_success":
            has_others = "takes" in self.keys
            self.keys |= {"ends": all_, "on_failure": {"ends": "unchanged"} if has_others else "unchanged"}
            return
        if word.word == "all" or (word.is_decided and not of_argument):
            self.keys["ends"] = all_ if word.word == "all" else word.word
        if not word.is_decided:
            self.guesses.append(f"it ends {'all' if word.word == 'all' else 'nothing'} that belongs to {whose}")

    def required(self) -> list[str]:
        """The parameters that the `def` has no default of: also those before one that has none."""
        last = max((at for at, each in enumerate(self.parameters) if not each[2]), default=-1)
        return [name for name, *_ in self.parameters[: last + 1]]

    def signature(self, name: str) -> str:
        """The `def`."""
        last = len(self.required()) - 1
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


_NULL = re.compile(r"\bnull(ptr)?\b", re.IGNORECASE)
_NULL_IS_ERROR = re.compile(
    r"\bnull(ptr)? (if (an?|any|some) (error|failure)\b|(up)?on (error|failure)|in case of (an )?(error|failure)"
    r"|if it fails)",
    re.IGNORECASE,
)
"""What a comment says of a null that is an error of the call, and no result that is missing."""
_OR_NULL = re.compile(
    r"\b(or|otherwise|else) (to |a )?null(ptr)?\b|\bnull(ptr)? (if|when) (there|none\b|no\b|it is not|not found)",
    re.IGNORECASE,
)
"""What a comment says of an object that a call writes, or leaves out."""
_NEVER_NULL = re.compile(r"\b(never|not|non)\b[^.;]{0,20}\bnull", re.IGNORECASE)
_LOOKS_UP = re.compile(
    r"(^|_)(find|lookup|look_up|search|try|next|prev|previous|first|last|parent|child|sibling|left|right|above|below"
    r"|current|top|peek|pop|front|back|head|tail|nearest|match|by)(_|$)"
)
"""What functions are called that give an object which may not be there."""
_ABSENT = re.compile(
    r"(\A|\b(return|give|yield)(s|ed)?\b)[^.;]*"
    r"\bnull(ptr)?\b,? (if|when|where) (there (is|are) (no|none|nothing)|it (has|have) no|no such|none\b|not found"
    r"|\w+ (is|was|were|are) not found|(\w+ ){1,3}(does not|doesn't) exist)",
    re.IGNORECASE,
)
"""What comments say of a result that is null, and no failure: elsewhere they speak of an argument."""


def notes_of(guesses: Sequence[str]) -> tuple[str, ...]:
    """The comment above an entry of what was taken for granted."""
    return tuple([f"guess: {'; '.join(dict.fromkeys(guesses))}"] if guesses else [])
