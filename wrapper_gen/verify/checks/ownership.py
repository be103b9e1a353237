"""Who releases what, what belongs to what, and what is kept: as names and comments of the header tell."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from wrapper_gen.explain.outcomes import MadeHandle
from wrapper_gen.explain.sources import SourceKind
from wrapper_gen.headers import CFunction, CKind, Headers, Type
from wrapper_gen.headers.freed_arguments import freed_argument
from wrapper_gen.model import HandleType, Mode, Module
from wrapper_gen.types.queries import handle_of, if_given, is_characters, is_optional, is_path
from wrapper_gen.verify.checks.subject import ComparedEntry, Doubt, plain, to_of, words_of
from wrapper_gen.verify.uses import record_named

_COUNTS = re.compile(r"(?:^|_)(?i:unref|decref|dec_ref|deref|unreference)\d*$|(?<=[a-z])(?:Unref|DecRef|Unreference)$")
"""Names of functions that release a reference, and the object with the last one."""
_RELEASES = re.compile(
    rf"{_COUNTS.pattern}|"
    r"(?:^|_)(?i:free|close|destroy|release|delete|dispose|end|fini(?:sh)?|deinit|drop)\d*$|"
    r"(?:^|_)(?:free|close|destroy|release|unref|delete|dispose)(?=[A-Z])|"
    r"(?<=[a-z])(?:Free|Close|Destroy|Release|Delete|Dispose|Finish|Finalize|End)$|^[a-z]{1,4}(?:close|free)$"
)
_MAKES = re.compile(r"(?:^|_)(?:new|create|make|open|alloc|dup|clone|copy|init|build|load|parse|from|read)", re.I)
_LENDS = re.compile(
    r"(?:^|_)(?:get|current|first|last|next|prev|parent|root|child|find|peek|at|lookup|owner)(?:_|$)", re.I
)
_SAYS_FREE = re.compile(
    r"(?:must|should|has to|have to|to) be (?:freed|released|closed|destroyed|deleted)|(?:caller|you)\b[^.]{0,40}"
    r"\b(?:frees?|releases?|owns|closes?|destroys?|deletes?)"
    r"|(?:free|release|close|destroy)(?:d)? (?:it|them|the \w+) with",
    re.I,
)
_FREED_WITH = re.compile(
    r"\b(?:free|release|close|destroy|deallocate|dispose|delete)[sd]?\b[^.;]{0,40}?\b(?:with|by|using|via|through|calling)"
    r" (?:the function |a call (?:of|to) )?`?([A-Za-z_]\w*)",
    re.IGNORECASE,
)
"""What comments call the function that frees what a call gives, whatever its own name is."""
_SAYS_KEEPS = re.compile(
    r"\boutlive|(?:stays?|remains?|be kept|must be) (?:valid|alive)|keeps? (?:a |the )?(?:pointer|reference|address)|"
    r"(?:is |are )?not copied|as long as the|"
    r"until (?:the |it |that )?\w+ (?:is |has been )?(?:closed|freed|destroyed|released)|"
    r"(?:closed|freed|destroyed|released|deleted) before (?:the|this|that|its|their) \w+",
    re.I,
)
_SAYS_TAKES = re.compile(
    r"takes? (?:over )?ownership|takes? (?:it|them|the \w+) over|(?:is|are) consumed|becomes? the owner|"
    r"(?:must|may|can) not be used (?:afterwards|after|any more)|"
    r"(?:owns|frees|releases|closes|destroys) (?:it|them|the \w+) (?:from then|afterwards|later|itself)|"
    r"\bnow owned by|belongs to the \w+ (?:from then|afterwards|now)",
    re.I,
)
_SPEAKS_OF_OWNERS = re.compile(r"own|free|clos|releas|destroy|consum|tak", re.I)
_SAYS_NULL = re.compile(
    r"(?:NULL|nullptr|a null pointer) (?:if|when|where) (?:it|there|none|no such|not|the \w+ (?:has|is|does))[^.;]*|"
    r"(?:NULL|nullptr) if (?!no memory)[^.;]*\b(?:none|no|not)\b[^.;]*",
    re.I,
)
_SAYS_LENT = re.compile(
    r"(?:owned by|belongs? to) the|(?:do|must|should) not (?:be )?(?:free|release|close|destroy|delete)"
    r"|(?:is|are) borrowed|"
    r"valid (?:until|while|as long)|static (?:string|text|storage)|lives? as long",
    re.I,
)


def of_entry(subject: ComparedEntry) -> Iterator[Doubt]:
    """The results and the arguments of an entry."""
    yield from _memory(subject)
    yield from _null(subject)
    for handle in subject.explained.outcome.handles:
        yield from _handle(subject, handle)
    yield from _arguments(subject)
    yield from _freed(subject)
    yield from of_taken(subject)


def of_taken(subject: ComparedEntry) -> Iterator[Doubt]:
    """The arguments that a call, or a constructor, takes by a reference to const, of which C++ can take nothing."""
    taken = {each.name for each in subject.function.parameters if each.mode is Mode.TAKE}
    for argument, parameter in subject.places:
        to = parameter.type.target if parameter.type.kind is CKind.REFERENCE else None
        name = next(iter(argument.source.parameters), "")
        if name in taken and to is not None and to.is_const and not to.template.startswith("std::"):
            what = f"it takes `{name}`, and C++ has {parameter.type.spelling}, which leaves the object to its caller"
            yield subject.doubt(what, f"say `holds: {name}` where C++ keeps the reference, and nothing where it copies")


def _freed(subject: ComparedEntry) -> Iterator[Doubt]:
    """The object, or an argument, that the call frees as its comment says, and that stays open."""
    at, lifetime = freed_argument(subject.declared, subject.headers), subject.function.lifetime
    if at is None or at >= len(subject.places) or (lifetime.ends and lifetime.ends.is_explicit):
        return
    source = subject.call.arguments[at].source
    if source.kind is SourceKind.OBJECT and subject.function.handle and not lifetime.takes_own:
        what = "its object stays open, and the comment says that the call frees it"
        yield subject.doubt(what, "say `takes: self`")
    name = next(iter(source.parameters), "")
    for each in subject.function.parameters:
        is_open = each.name == name and handle_of(if_given(each.type)) and each.mode is not Mode.TAKE
        if source.kind is SourceKind.PARAMETER and is_open:
            what = f"`{name}` stays open, and the comment says that the call frees it"
            yield subject.doubt(what, f"say `takes: {name}`")


def _null(subject: ComparedEntry) -> Iterator[Doubt]:
    """A null pointer that the header speaks of as a usual result, where the entry has none."""
    function, said = subject.function, subject.says(_SAYS_NULL)
    is_pointer = subject.declared.result.kind is CKind.POINTER
    if said is None or not is_pointer or subject.explained.outcome.status or is_optional(function.returns):
        return
    if is_characters(function.returns) or handle_of(function.returns):
        what = f"the result cannot be None, and the comment says {' '.join(said[0].split())!r}"
        yield subject.doubt(what, f"say `{function.returns}?`")


# --- text and bytes ---


def _memory(subject: ComparedEntry) -> Iterator[Doubt]:
    """Text and bytes whose memory C hands over, and nothing releases."""
    outcome = subject.explained.outcome
    returned = if_given(subject.function.returns)
    if not (is_characters(returned) or is_path(returned)):
        return
    is_released = ", then " in outcome.source
    is_value = "value" in outcome.source or "address" in outcome.source
    written = next((p.type for a, p in subject.places if a.source.kind in (SourceKind.OUT, SourceKind.BUFFER)), None)
    type_ = subject.declared.result if is_value else to_of(written) if written is not None else None
    if outcome.source.startswith("the buffer") or type_ is None or to_of(type_) is None:
        return
    comment = subject.comment
    named = _named_release(subject)
    if not is_released:
        target = to_of(type_)
        assert target is not None
        is_ours = _SAYS_FREE.search(comment) and not re.search(r"(?:not|never) (?:be )?(?:free|release)", comment, re.I)
        if (
            named
            or is_ours
            or (not target.is_const and _frees(subject.headers, target) and not _SAYS_LENT.search(comment))
        ):
            what = f"nothing releases what it returns, {type_.spelling}"
            yield subject.doubt(what, f"say `release: {named or 'the function that frees it'}`")
        elif "call's value" in outcome.source and _may_be_ours(target) and not _SAYS_LENT.search(comment):
            what = f"nothing says who releases what it returns, {type_.spelling}"
            yield subject.doubt(what, "say `release: free`, or what frees it; `release: nothing` where C keeps it")
        return
    used = outcome.source.rpartition(", then ")[2]
    if named and not re.search(rf"\b{re.escape(named)}\b", used):
        yield subject.doubt(f"it is released by `{used}`, and the comment names {named}", f"say `release: {named}`")
    elif not named and to_of(type_) is not None and (to_of(type_) or type_).is_const and _SAYS_LENT.search(comment):
        yield subject.doubt(f"it is released by `{used}`, and the comment says that it is lent", "leave `release` out")


def _may_be_ours(target: Type) -> bool:
    """Whether C hands over characters that may be changed, as it does memory that we free."""
    return not target.is_const and target.canonical in ("char", "unsigned char")


def _named_release(subject: ComparedEntry) -> str:
    """The function that the comment names for the release of what the call gives."""
    functions = {each.name for each in subject.headers.functions}
    for said in _FREED_WITH.finditer(subject.comment):
        if said[1] in functions or said[1] == "free":
            return said[1]
    names: list[str] = re.findall(r"\b[A-Za-z_]\w*", subject.comment)
    for name in names:
        if _RELEASES.search(name) and any(f.name == name for f in subject.headers.functions):
            return name
    return ""


def _frees(headers: Headers, of: Type) -> str:
    """The function that releases memory of this type: by its name, and by what it takes alone."""
    for each in headers.functions:
        if len(each.parameters) == 1 and _RELEASES.search(each.name):
            target = to_of(each.parameters[0].type)
            if target is not None and plain(target.canonical) in ("void", plain(of.canonical)):
                return each.name
    return ""


# --- handles ---


def _handle(subject: ComparedEntry, handle: MadeHandle) -> Iterator[Doubt]:
    function, name, comment = subject.function, subject.declared.name, subject.comment
    kind = next((h for h in subject.module.known_handles if h.name == handle.type), None)
    lifetime = function.lifetime
    if kind is None or kind.in_place or not kind.cpp_type.text.rstrip().endswith("*"):
        return
    is_released = handle.is_owned and not _releases_nothing(kind)
    written = [p.type for a, p in subject.places if a.source.kind is SourceKind.OUT]
    type_ = subject.declared.result if subject.declared.result.kind is CKind.POINTER else None
    if written and type_ is None:
        type_ = to_of(written[0])
    target = to_of(type_) if type_ is not None else None
    if is_released and target is not None and target.is_const and not _MAKES.search(name) and not kind.lent_by:
        yield subject.doubt(f"Python releases a {handle.type}, and C gives {type_}", "say `belongs_to`")
    elif is_released and _SAYS_LENT.search(comment) and not _SAYS_FREE.search(comment):
        yield subject.doubt(
            f"Python releases the {handle.type}, and the comment says that it is lent", "say `belongs_to`"
        )
    elif is_released and _LENDS.search(name) and not _MAKES.search(name) and not _SAYS_FREE.search(comment):
        if not kind.has_identity and not kind.lent_by and not _raises_count(comment):
            what = f"Python releases the {handle.type}, and nothing in the header says that the call makes one"
            yield subject.doubt(what, "say `belongs_to`, if it is lent")
    elif not is_released and _SAYS_FREE.search(comment) and not handle.keeps:
        yield subject.doubt(f"nothing releases the {handle.type}, and the comment says to release it", "say `release`")
    elif not is_released and not handle.is_owned and _MAKES.match(name.rpartition("_")[2]):
        yield subject.doubt(f"nothing releases the {handle.type} that it makes", "say `belongs_to: nothing`")
    keeps = {*handle.keeps, *handle.lent_by, *lifetime.held.holds}
    if _SAYS_KEEPS.search(comment) and not keeps and _has_other_handle(subject) and not _takes(subject):
        yield subject.doubt(
            f"the {handle.type} keeps nothing alive, and the comment speaks of what must outlive it",
            "say `holds` or `belongs_to`",
        )


def _raises_count(comment: str) -> bool:
    return re.search(r"reference count|new reference|\bref(?:erence)?s?\b", comment, re.I) is not None


def _has_other_handle(subject: ComparedEntry) -> bool:
    own = subject.function.handle is not None
    return own or any(handle_of(each.type) for each in subject.function.parameters)


def _takes(subject: ComparedEntry) -> bool:
    function = subject.function
    return bool(function.lifetime.takes_own) or any(each.mode is Mode.TAKE for each in function.parameters)


def _releases_nothing(kind: HandleType) -> bool:
    return kind.drop is not None and "static_cast<void>" in kind.drop.text


# --- arguments ---


def _arguments(subject: ComparedEntry) -> Iterator[Doubt]:
    """Handles and memory that a call takes or keeps."""
    function, comment = subject.function, subject.comment
    held = {*function.lifetime.held.holds, *function.lifetime.result.keeps, *function.lifetime.result.only_holds}
    for each in function.parameters:
        if not handle_of(each.type):
            continue
        about = _about(comment, each.name, subject)
        takes, keeps = _SAYS_TAKES.search(about), _SAYS_KEEPS.search(about)
        is_taken, is_held = each.mode is Mode.TAKE, each.name in held
        makes = subject.explained.outcome.handles or function.lifetime.result.lenders
        is_silent = not _SPEAKS_OF_OWNERS.search(comment) and not _frees_argument(subject)
        if takes and not is_taken:
            word = "holds" if is_held else "only uses"
            yield subject.doubt(
                f"it {word} `{each.name}`, and the comment says {takes[0]!r}", f"say `takes: {each.name}`"
            )
        elif keeps and not takes and is_taken:
            yield subject.doubt(
                f"it takes `{each.name}`, and the comment says {keeps[0]!r}", f"say `holds: {each.name}`"
            )
        elif keeps and not takes and not is_held and not makes:
            yield subject.doubt(f"nothing keeps `{each.name}`, and the comment says {keeps[0]!r}", "say `holds`")
        elif is_taken and comment and not takes and is_silent:
            yield subject.doubt(f"it takes `{each.name}`, and the comment says nothing of that", "say `holds`")


def _frees_argument(subject: ComparedEntry) -> bool:
    return _RELEASES.search(subject.declared.name) is not None or bool(
        words_of(subject.declared.name) & {"take", "adopt", "give", "transfer", "move", "own", "join", "merge"}
    )


def _about(comment: str, name: str, subject: ComparedEntry) -> str:
    """The sentences of a comment that may be about a parameter."""
    others = [p.name for p in subject.function.parameters if p.name != name and handle_of(p.type)]
    sentences = re.split(r"(?<=[.;])\s+", comment)
    words = [each for each in sentences if not any(re.search(rf"\b{o}\b", each) for o in others)]
    return " ".join(words) if others else comment


# --- classes ---


def of_handles(module: Module, headers: Headers) -> Iterator[Doubt]:
    """What releases the objects of a class, by what the header has for it."""
    called = " ".join(
        each.implementation.name.text for each in module.callables if hasattr(each.implementation, "name")
    )
    for kind in module.handles:
        record = record_named(kind.cpp_type.text, headers)
        if record is None or not (_is_pointer(kind, headers) or kind.in_place) or kind.is_interface:
            continue
        releasers = [f for f in headers.functions if _is_releaser(f, record.qualified)]
        if not releasers:
            continue
        yield from _released(kind, releasers, called)


def _released(kind: HandleType, releasers: Sequence[CFunction], called: str) -> Iterator[Doubt]:
    """What releases the objects of one class, where the header has something better."""
    released = kind.drop.text if kind.drop else ""
    counting = [each for each in releasers if _COUNTS.search(each.name)]
    best = (counting or releasers)[0]
    hint = f"say `release: {best.name}`; {best.place}"
    if _releases_nothing(kind):
        if not kind.extends and not any(_names(called, each) for each in releasers):
            yield Doubt(kind.name, kind.span, f"nothing releases it, and the header has {best.name}", hint)
    elif counting and released and not any(_names(released, each) for each in counting):
        what = f"`{released}` releases it, also while others refer to it, and the header has {best.name}"
        yield Doubt(kind.name, kind.span, what, hint)
    elif released and not any(_names(released, each) for each in releasers):
        yield Doubt(kind.name, kind.span, f"`{released}` releases it, and the header has {best.name}", hint)


def _names(code: str, function: CFunction) -> bool:
    return re.search(rf"\b{re.escape(function.name)}\b", code) is not None


def _is_pointer(kind: HandleType, headers: Headers) -> bool:
    """Whether a class holds a pointer of C."""
    written = kind.cpp_type.text.strip()
    typedef = headers.typedefs.get(written)
    return written.endswith("*") or (typedef is not None and typedef.type.kind is CKind.POINTER)


def _is_releaser(function: CFunction, record: str) -> bool:
    if len(function.parameters) != 1 or not _RELEASES.search(function.name):
        return False
    target = to_of(function.parameters[0].type)
    return target is not None and target.name == record
