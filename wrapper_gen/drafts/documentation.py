"""Documentation of entries, from the comments of headers: a paragraph, and what is said of parameters and results."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from wrapper_gen.frozen import frozen
from wrapper_gen.headers import Doc, Enum, Headers

_MOST = 400  # characters of a description: more is read in the library's own documentation
_MOST_OF_ITEM = 160  # of a parameter, a result, a field or a value of an enum
_TAGS = "a|b|big|blockquote|br|caption|center|code|dd|div|dl|dt|em|h[1-6]|hr|i|img|kbd|li|ol|p|para|pre|small|span"
_TAGS += "|strong|sub|sup|table|td|th|tr|tt|u|ul|var"
_MARKS = re.compile(
    rf"(?P<code>``[^`]+``|`[^`]+`)|[\\@](?:ref|c|p|a|e|em|b|link|endlink|li)\b|</?(?:{_TAGS})(?:\s[^<>]*)?/?>"
    r"|^[ \t]*(?:\*{3,}|-{3,}[ \t]*$)|\*{3,}[ \t]*$|-{4,}|`{1,2}(?=\w)|(?<=\w)`{1,2}",
    re.MULTILINE | re.IGNORECASE,
)
"""Markup, and code, which is left as it is: `"<unknown>"`, `---`."""
_COMMAND = re.compile(
    r"(?:(?:^|(?<=\n))[ \t]*(?:[\\@]([a-zA-Z]+)(?:\[[^\]\n]*\])?|:(param|returns?)\b)"
    r"|(?<=\s)[\\@](param|returns?)\b(?:\[[^\]\n]*\])?)[ \t]*",
    re.MULTILINE,
)
"""What begins a paragraph: a command at the start of a line; `@param` and `@return` also within one."""
_ENTITY = re.compile(r"&(?:[A-Za-z]{2,8}|#\d{2,5});|(?<![\w%])%(?=[A-Z]\w{2})")
"""Characters by their names in HTML, and the mark of doxygen that no link is made: `%Store`."""
_OF_TEXT = frozenset({"brief", "short", "details"})
_OF_LINE = frozenset({"ingroup", "addtogroup", "defgroup", "file", "name", "fn", "def", "struct", "class", "typedef"})
_OF_RESULT = frozenset({"return", "returns", "result"})
_LEGAL = re.compile(r"copyright|all rights reserved|SPDX-|licen[cs]ed under", re.IGNORECASE)
_SENTENCE = re.compile(
    r"(?<=[.!?])(?<![eE]\.g\.)(?<![eE]\. g\.)(?<![iI]\.e\.)(?<![iI]\. e\.)(?<!\bcf\.)(?<!\bvs\.)\s+(?=[A-Z\"'(`])"
)
"""Where a sentence ends: not behind `e.g.` and its like."""


_IS_NULL = r"(?:(?:may|can) (?:also )?be (?:a )?null(?:ptr)?\b|(?:is|are) (?:not |non-)?null(?:ptr)?,)"
_MAY_BE_NULL = re.compile(
    r"\b(?:may|might|can) (?:also )?be (?:a )?null(?:ptr)?\b|\(optional\)"
    r"|\b(?:pass|passing|use|using|set to|give) (?:a )?null(?:ptr)?\b"
    r"|\bor (?:a )?null(?:ptr)?\b|^null(?:ptr)? (?:if|for|to|means)\b"
    r"|\bif (?:(?:this|the) (?:parameter|argument|value) |it )?(?:is )?(?:not |non-)?null(?:ptr)?\b|\bnull for\b",
    re.IGNORECASE,
)
_NEVER_NULL = re.compile(r"\b(?:never|cannot|(?:must|may|can|should) not|can't) be (?:a )?null", re.IGNORECASE)
"""What comments say of an argument that may be a null pointer, and of one that is none."""


@frozen
class Documentation:
    """What a comment says, in plain words; empty where it says nothing."""

    text: str = ""
    parameters: Mapping[str, str] = MappingProxyType({})
    """By the names that the header has."""
    result: str = ""

    def keys(self, names: Mapping[str, str], written: Mapping[str, str], *, has_result: bool) -> dict[str, object]:
        """The keys of an entry: `doc`, and `params` of its parameters and of the result.

        `names` has Python's names of parameters, and `written` of what the call writes, by those of the header.
        """
        about = {name: self.parameters[own] for own, name in names.items() if own in self.parameters}
        outs = [(name, self.parameters[own]) for own, name in written.items() if own in self.parameters]
        said = [each for _, each in outs] if len(written) == 1 else [f"{name}: {each}" for name, each in outs]
        result = "; ".join([*said, *filter(None, [self.result])])
        about |= {"return": result} if result and has_result else {}
        return {**({"doc": self.text} if self.text else {}), **({"params": about} if about else {})}


def documentation(doc: Doc) -> Documentation:
    """What a comment says of a function; nothing where it is of a group."""
    if not doc or doc.of_group or _LEGAL.search(doc.text):
        return Documentation()
    text: list[str] = []
    parameters: dict[str, str] = {}
    results: list[str] = []
    for command, words in _parts(doc.text):
        if command == "param":
            name, _, said = words.partition(" ")
            if shown := _item(said.lstrip("-:, ")):
                for each in name.rstrip(":,").split(","):
                    parameters.setdefault(each, shown)
        elif command in _OF_RESULT:
            results.append(words.lstrip(": "))
        elif command == "" or command in _OF_TEXT:
            text.append(words)
    said = next((shown for each in text if (shown := _paragraph(each, _MOST))), "")
    result = _item(" ".join(results))
    if not said and results:
        said, result = _paragraph(" ".join(results), _MOST), ""
    return Documentation(said, parameters, result)


def doc_of(doc: Doc, *, is_item: bool = False) -> str:
    """The paragraph that a comment begins with; of an item of something else, its first sentence."""
    found = documentation(doc).text
    return _item(found) if is_item else found


def said_of(doc: Doc, parameter: str) -> str:
    """All that a comment says of a parameter in the paragraph that begins with its name; empty where nothing."""
    if not doc or doc.of_group or not parameter:
        return ""
    for command, words in _parts(doc.text):
        name, _, said = words.partition(" ")
        if command == "param" and parameter in name.rstrip(":,").split(","):
            return said.lstrip("-:, ")
    return ""


def result_of(doc: Doc) -> str:
    """All that a comment says of the result by `@return`, or its like; empty where it does not."""
    found = () if not doc or doc.of_group else _parts(doc.text)
    return " ".join(words.lstrip(": ") for command, words in found if command in _OF_RESULT)


def may_be_null(doc: Doc, parameter: str) -> bool:
    """Whether a comment says that an argument may be a null pointer."""
    said = said_of(doc, parameter)
    if said and not _NEVER_NULL.search(said) and _MAY_BE_NULL.search(said):
        return True
    named = re.compile(rf"(?:\bif|^|[.;,]) ?(?:the )?`?{re.escape(parameter)}`? {_IS_NULL}", re.IGNORECASE)
    about = " ".join(_MARKS.sub(_plain, doc.text).split())
    return bool(parameter) and not doc.of_group and named.search(about) is not None


def record_doc(headers: Headers, record: str) -> str | None:
    """What is said of a struct or class, also where a typedef names it; None where nothing is."""
    known = headers.records.get(record)
    typedefs = (headers.typedefs.get(each) for each in known.typedefs) if known else ()
    found = (doc_of(each.doc) for each in (known, *typedefs) if each is not None)
    return next(filter(None, found), None)


def enum_doc(headers: Headers, enum: Enum, names: Sequence[str]) -> str | None:
    """What is said of an enum and, a line each, of its values, which Python calls so; None where nothing is."""
    typedefs = (headers.typedefs.get(each) for each in enum.typedefs)
    about = next((text for each in (enum, *typedefs) if each is not None and (text := doc_of(each.doc))), "")
    pairs = zip(names, enum.values, strict=True)
    values = [f"- {name}: {said}" for name, each in pairs if (said := doc_of(each.doc, is_item=True))]
    return "\n".join([*([about] if about else []), *([""] if about and values else []), *values]) or None


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """The paragraphs of a comment, each with the command of doxygen or Sphinx that it begins with."""
    plain = _ENTITY.sub(_character, text)
    plain = _MARKS.sub(_plain, re.sub(r"[\\@]code\b.*?[\\@]endcode\b", " ", plain, flags=re.DOTALL))
    marks = [*_COMMAND.finditer(plain)]
    starts = [0, *(each.end() for each in marks)]
    ends = [*(each.start() for each in marks), len(plain)]
    commands = ["", *((each[1] or each[2] or each[3]).lower() for each in marks)]
    for command, start, end in zip(commands, starts, ends, strict=True):
        words, rest = plain[start:end], ""
        if command in _OF_LINE:
            _, _, words = words.partition("\n")
            command = ""
        elif command:
            words, _, rest = words.partition("\n\n")
        for kind, each in ((command, words), ("", rest)):
            paragraphs = re.split(r"\n[ \t]*\n", each) if kind == "" or kind in _OF_TEXT else [each]
            yield from ((kind, " ".join(paragraph.split())) for paragraph in paragraphs if paragraph.strip())


def _character(named: re.Match[str]) -> str:
    shown = "" if named[0] == "%" else html.unescape(named[0])
    return {"\N{MINUS SIGN}": "-", "\N{NO-BREAK SPACE}": " "}.get(shown, shown)


def _plain(mark: re.Match[str]) -> str:
    """What markup becomes: nothing, and code itself; a plain word needs no marks."""
    if mark["code"] is None:
        return " "
    code = " ".join(mark["code"].strip("`").split())
    return code if re.fullmatch(r"\w(\S*\w)?", code) else f"`{code}`"


def _cut(words: str, most: int) -> str:
    """The beginning of a text, up to a word, and with whole pieces of code."""
    shown = words[:most].rsplit(" ", 1)[0]
    shown = shown[: shown.rindex("`")] if shown.count("`") % 2 else shown
    return shown.rstrip(",;:( ") + " …"


def _paragraph(words: str, most: int) -> str:
    """Whole sentences, as many as there is room for; of a long first one, its beginning."""
    if not re.search(r"[a-z]{2}", words):
        return ""
    first, *more = _SENTENCE.split(words)
    if len(first) > most:
        return _cut(first, most)
    for each in more:
        if len(first) + len(each) >= most:
            break
        first = f"{first} {each}"
    return first if first.endswith((".", "!", "?", "…")) else f"{first.rstrip(',;:')}."


def _item(words: str) -> str:
    """One sentence, without what ends it."""
    said = " ".join(words.split())
    shown = _paragraph(_SENTENCE.split(said)[0] if said else "", _MOST_OF_ITEM)
    return shown.removesuffix(".")
