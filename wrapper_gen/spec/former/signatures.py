"""The signature of an entry: `name`, `params`, `return` and `names` of the original format → `def`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from wrapper_gen.spec.former import changed, defaults
from wrapper_gen.spec.former.entries import classes, dotted_owner, said_by
from wrapper_gen.spec.former.rewriter import Part, Piece
from wrapper_gen.spec.former.scalars import FOUND
from wrapper_gen.spec.former.walk import At
from wrapper_gen.spec.offsets import Offsets
from wrapper_gen.spec.todo import OPEN

_NAME = re.compile(r"((?:(?:static|protected|virtual|abstract|optional)\s+)*)(.*)", re.DOTALL)
_OVERRIDDEN = re.compile(r"\s*(?:virtual|abstract|optional)\s")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_SAID = ("handle", "name", "return", "property")
"""What a `def` says, besides parameters."""
_OF_SIGNATURES = ("params", "return", "names", "property")
"""Keys that are a part of the signature, beside the name."""
_OF_CALLS = ("name", "value", "as", "out", "role", "of", "free")
"""Keys by which an item of `params` says what C takes."""
_IN_LISTS = ("type", "default", "options", *_OF_CALLS)
"""Keys of an item of `params` that a mapping of parameters does not have."""
_HIDDEN = ("role", "out")
"""Those of what Python does not see."""
_CODE = ("cpp", "cpp_fn", "cpp_method", "cpp_body", "stream")
"""Keys that say what C++ does."""
_ORIGINAL = frozenset({"name", "handle", "params", "return", "return_doc", "doc", "cpp_fn", "cpp_method", "cpp_body"})
_OF_ORIGINAL = frozenset({"name", "type", "default", "doc"})
"""What an entry of the original format has, and a parameter of it."""
_NO_CODE = "what does C++ do? nothing said it; drop this for the function or member of the same name"
_NOTHING = ("", "void", "None", "null")
"""A result that is none."""
_OPENING, _CLOSING = "([{", ")]}"


class _Parameter(NamedTuple):
    """An item of `params` that Python sees."""

    item: dict[str, Any]
    name: str
    parts: tuple[Part, ...]
    """Of its text in the signature."""
    is_options: bool


# --- rules ------------------------------------------------------------------------------------------------------------


def beside(at: At) -> None:
    """What a `def` says is said nowhere else."""
    entry, rewriter = at.container, at.rewriter
    where = rewriter.document.key_span
    _refuse_handle(at)
    said = [key for key in _SAID if key in entry and (key != "handle" or dotted_owner(entry))]
    said += ["params"] * isinstance(entry.get("params"), list)
    for key in said:
        hint = {
            "params": "drop it; what a signature cannot say is a mapping: params: {size: {doc: in bytes}}",
            "handle": "drop it, and write it before the name: Parser.feed(data: bytes)",
            "property": "drop it: a property is a `def` without parentheses, as in `depth -> i64`",
        }.get(key, f"drop {key!r}, or the `def`")
        message = f"{key!r} stands beside a `def`, which says it"
        rewriter.error_at(where(entry, key), "WG075", message, hint, (where(entry, "def"), "`def` is here"))
        rewriter.remove(entry, key)


def define(at: At) -> None:
    """`name: f, params: [{name: x, type: i64, doc: how many}]` → `def: "f(x: i64)", params: {x: how many}`."""
    entry, rewriter = at.container, at.rewriter
    if "def" in entry:
        return
    if rewriter.is_written and _is_unwritten(at):
        rewriter.leave(entry)
        return
    if not isinstance(at.value, str) or at.value.strip() == OPEN:
        at.rename("def")
        for key in (each for each in _OF_SIGNATURES if each in entry):
            rewriter.remove(entry, key)
        return
    _refuse_handle(at)
    name = _name_of(at)
    found = list(_parameters(at))
    parts = [name]
    if not _is_property(at, found):
        ordered = sorted(found, key=lambda each: each.is_options)  # which stand last
        if ordered != found and entry.get("cpp_params") is None:
            listed = ["h"] * _has_object(at) + [each.name for each in found]
            rewriter.insert(entry, "cpp_params", listed, because=at.key)
        parts += [("(", []), *_separated([each.parts for each in ordered]), (")", [])]
    parts += _result(at)
    rewriter.compose(entry, at.key, parts)
    at.rename("def")
    rewriter.mark_original(entry)
    _keep_the_rest(at, found)
    for key in (each for each in ("return", "names", "property") if each in entry):
        rewriter.remove(entry, key)
    if rewriter.is_written and _has_no_code(at):
        rewriter.insert(entry, "cpp", None, because=at.key)
        rewriter.undecided(entry, "cpp", _NO_CODE)


def names(at: At) -> None:
    """`def: "f() -> (i64, i64)", names: [a, b]` → `def: "f() -> (a: i64, b: i64)"`."""
    entry = at.container
    text = entry.get("def")
    if not isinstance(text, str):
        return
    start = changed.start_of_result(text)
    pieces = _named(at, text, max(start, 0), "def") if start >= 0 else None
    if pieces is None and start < 0:
        _refuse_names(at, "def")
    if pieces is not None:
        made = "".join(each if isinstance(each, str) else text[slice(*each)] for each in pieces)
        at.rewriter.replace(entry, "def", made, pieces)
    at.remove()


def return_doc(at: At) -> None:
    """`return_doc: how many` → `params: {return: how many}`."""
    entry, rewriter = at.container, at.rewriter
    if not isinstance(at.value, str):
        if at.value is None:
            at.remove()
        return
    if not isinstance(entry.get("params"), dict):
        if "params" in entry:
            if entry["params"] is not None:
                return
            rewriter.remove(entry, "params")
        rewriter.wrap(entry, at.key, "return")
        at.rename("params")
        return
    listed = entry["params"]
    if "return" in listed:
        rewriter.error(entry, at.key, "WG075", "'return_doc' stands beside `return` in `params`", "keep one")
        at.remove()
        return
    at.move(listed, "return", after=next(reversed(listed), None))


def _has_no_code(at: At) -> bool:
    """Whether nothing says what C++ does: without a `def` nothing did it, and with one its name says it."""
    entry = at.container
    name = said_by(at).name
    is_implied = name.startswith("__") or name in classes(at.spec)
    return (
        not is_implied
        and not any(str(entry.get(key) or "").strip() for key in _CODE)
        and not _OVERRIDDEN.match(str(entry.get("def", entry.get("name"))))
    )


def _is_unwritten(at: At) -> bool:
    """Whether it is not implemented, which only the original format can say: it stays as it is, as a whole."""
    entry, listed = at.container, at.container.get("params") or []
    if not isinstance(at.value, str) or not _IDENTIFIER.fullmatch(at.value) or not set(entry) <= _ORIGINAL:
        return False
    is_plain = isinstance(listed, list) and all(isinstance(each, dict) and set(each) <= _OF_ORIGINAL for each in listed)
    return is_plain and not isinstance(entry.get("handle"), list) and _has_no_code(at)


# --- names ------------------------------------------------------------------------------------------------------------


def _refuse_handle(at: At) -> None:
    """Report a `handle` of a method that stands in its class."""
    if at.around and "handle" in at.container:
        message = f"this method stands in its handle type, {at.around[-1].get('name')}"
        at.rewriter.error(at.container, "handle", "WG075", message, "drop `handle`")
        at.rewriter.remove(at.container, "handle")


def _has_object(at: At) -> bool:
    return bool(at.around or "handle" in at.container) and not str(at.value).startswith("static ")


def _name_of(at: At) -> Part:
    """The name, with the words before it."""
    text, characters = at.value, at.rewriter.document.characters(at.container, at.key)
    found = _NAME.match(text)
    words, own = (found[1], found[2]) if found else ("", text)
    what = "a method" if at.around or "handle" in at.container else "a function"
    checked = _identifier(at, at.container, own, what)
    if checked != own:
        return f"{words}{checked}", []
    return text, characters


def _identifier(at: At, container: dict[str, Any], name: str, what: str) -> str:
    """A name; where it is none, a stand-in after reporting that, so that what is beside it is looked at, too."""
    if _IDENTIFIER.fullmatch(name) or "$" in name:
        return name
    document = at.rewriter.document
    span = document.span(container, "name") if "name" in container else document.start(container)
    message = f"{name!r} cannot be the name of {what}"
    hint = "a name starts with a letter and has only letters, digits and underscores"
    at.rewriter.error_at(span, "WG020", message, hint)
    return f"x{span.line}_{span.column}"


# --- parameters -------------------------------------------------------------------------------------------------------


def _parameters(at: At) -> Iterator[_Parameter]:
    """The parameters that Python sees; C's order becomes `cpp_params`."""
    entry, document = at.container, at.rewriter.document
    listed = entry.get("params")
    if isinstance(listed, dict):
        hint = "for example params: [{name: size_bytes, type: i64}]"
        at.rewriter.error_at(document.span(entry, "params"), "WG011", "expected a list, found a mapping", hint)
        at.rewriter.remove(entry, "params")
    if not isinstance(listed, list):
        return
    _tell_order(at, listed)
    options: list[_Parameter] = []
    for item in listed:
        if isinstance(item, dict) and _is_seen(at, item):
            found = _parameter(at, item)
            options += [found] * found.is_options
            if len(options) > 1 and found.is_options:
                _refuse_options(at, found, options[0])
            else:
                yield found


def _refuse_options(at: At, further: _Parameter, first: _Parameter) -> None:
    document = at.rewriter.document
    hint = "declare one of them as a parameter of its own, a record"
    related = (document.span(first.item, "name"), "the first")
    span = document.span(further.item, "name")
    at.rewriter.error_at(span, "WG079", f"{further.name!r} are further options", hint, related)


def _is_seen(at: At, item: dict[str, Any]) -> bool:
    """Whether Python sees this item of the list."""
    document, rewriter = at.rewriter.document, at.rewriter
    if "type" in item:
        hidden = next((key for key in _HIDDEN if key in item), None)
        if hidden is not None:
            hint = "make two items of it, in C's order: what Python gives, and what it does not see"
            rewriter.error(item, hidden, "WG110", f"{hidden!r} is for what Python does not see", hint)
        return True
    if "name" in item:
        hint = "declare it: {name: flags, type: u32, value: flags | UTF8}; or drop the name"
        rewriter.error_at(document.span(item, "name"), "WG110", "a parameter without a type", hint)
    elif item.keys().isdisjoint(_OF_CALLS):
        message = "one of 'name', 'role', 'value' and 'out' is missing"
        rewriter.error_at(document.start(item), "WG012", message, "for example {name: size_bytes, type: i64}")
    return False


def _parameter(at: At, item: dict[str, Any]) -> _Parameter:
    document = at.rewriter.document
    written = document.text(item, "name") if _is_scalar(item, "name") else ""
    name = _identifier(at, item, written, "a parameter")
    type_ = document.type_text(item, "type")
    is_options = item.get("options") is True
    characters = document.characters(item, "name") if name == written else []
    parts = [
        *[("**", characters[:1] * 2)] * is_options,
        (name, characters),
        (": ", Offsets()),
        _type(at, item, "type", type_),
    ]
    if "default" in item:
        parts += [(" = ", []), *defaults.literal(item, "default", type_, at)]
    return _Parameter(item, name, tuple(parts), is_options)


def _is_scalar(item: Mapping[str, Any], key: str) -> bool:
    return item.get(key) is not None and not isinstance(item[key], dict | list)


def _type(at: At, container: dict[str, Any], key: str, text: str) -> Part:
    """A type, which ends where its text does; a stand-in after reporting that it does not."""
    document = at.rewriter.document
    at_end, opened = _end_of(text)
    characters = document.characters(container, key) if text else []
    if at_end == len(text) and opened is None:
        return text, characters
    hint = "one type is expected"
    if opened is not None:
        closing = _CLOSING[_OPENING.index(text[opened])]
        hint = f"`{closing}` for the `{text[opened]}` at column {opened + 1} of the type is expected"
    if at_end == len(text):
        span, message = document.span(container, key), f"the type ends too early in the type {text!r}"
    else:
        span, message = document.source.span(*characters[at_end]), f"unexpected {text[at_end]!r} in the type {text!r}"
    at.rewriter.error_at(span, "WG070", message, hint)
    return "i64", characters[:1] * 3


def _end_of(text: str) -> tuple[int, int | None]:
    """Where a type ends that a signature has: before a mark of its own; and the bracket that is open there."""
    opened: list[int] = []
    for i, char in enumerate(text):
        if char in _OPENING:
            opened.append(i)
        elif char in _CLOSING:
            if not opened or text[opened[-1]] != _OPENING[_CLOSING.index(char)]:
                return i, opened[-1] if opened else None
            opened.pop()
        elif char in ",=" and not opened:
            return i, None
    return len(text), opened[-1] if opened else None


def _separated(listed: Sequence[Sequence[Part]]) -> Iterator[Part]:
    for i, parts in enumerate(listed):
        yield from [(", ", [])] * bool(i)
        yield from parts


def _is_property(at: At, found: Sequence[_Parameter]) -> bool:
    said, document = at.container.get("property"), at.rewriter.document
    if said not in (True, False, None):
        hint = "write property: true or property: false, without quotes"
        message = f"expected true or false, found {FOUND[type(said)]}"
        at.rewriter.error_at(document.span(at.container, "property"), "WG011", message, hint)
    if said is not True:
        return False
    if found:
        message = f"the property {str(at.value)!r} has parameters"
        span = document.span(found[0].item, "name")
        at.rewriter.error_at(span, "WG047", message, "drop `property`, or the parameters")
    return not found


# --- C's order --------------------------------------------------------------------------------------------------------


def _tell_order(at: At, listed: list[Any]) -> None:
    """Write C's order into `cpp_params`, where the list has what Python does not see."""
    rewriter, entry = at.rewriter, at.container
    document = rewriter.document
    hidden = [i for i, each in enumerate(listed) if _says_order(each)]
    if not hidden:
        return
    if entry.get("cpp_params") is not None:
        related = (document.key_span(entry, "cpp_params"), "`cpp_params` is here")
        message = "C's order is said twice: this is what Python does not see"
        rewriter.error_at(document.span(listed, hidden[0]), "WG110", message, "write the call in `cpp`", related)
        return
    order = [_argument(each) for each in listed]
    if "cpp_params" in entry:
        rewriter.remove(entry, "cpp_params")
    rewriter.insert(entry, "cpp_params", order, because="params")
    for i, each in enumerate(listed):
        rewriter.keep_place(order, i, listed, i)
        if isinstance(order[i], dict) and order[i] is not each:
            for key in order[i]:
                rewriter.keep_place(order[i], key, each, key)
        elif isinstance(order[i], str) and isinstance(each, dict):
            rewriter.keep_place(order, i, each, "name")


def _says_order(item: object) -> bool:
    """Whether an item says what C takes there, besides what Python gives or instead of it."""
    return isinstance(item, str) or (isinstance(item, dict) and not item.keys().isdisjoint(_OF_CALLS[1:5]))


def _argument(item: Any) -> Any:
    """What `cpp_params` has of an item."""
    if not isinstance(item, dict) or "type" not in item:
        return item
    said = {key: item[key] for key in _OF_CALLS if key in item and key not in _HIDDEN and key not in ("of", "free")}
    return said["name"] if said.keys() == {"name"} and isinstance(said["name"], str) else said


# --- the result -------------------------------------------------------------------------------------------------------


def _result(at: At) -> Iterator[Part]:
    """What follows the parameters."""
    entry = at.container
    text = at.rewriter.document.type_text(entry, "return")
    is_nothing = text.strip() in _NOTHING and entry.get("property") is not True
    if "names" in entry and (is_nothing or not text.strip()):
        _refuse_names(at, "names")
    if is_nothing or not text.strip():
        return
    whole, characters = _type(at, entry, "return", text)
    yield " -> ", []
    pieces = _named(at, whole, 0, "names") if "names" in entry and whole == text else None
    if pieces is None:
        yield whole, characters
        return
    for each in pieces:
        yield (each, []) if isinstance(each, str) else (whole[slice(*each)], characters[slice(*each)])


def _named(at: At, text: str, start: int, where: str) -> list[Piece] | None:
    """The result from `start` on, with the names that `names` gives its items; None after reporting a mistake."""
    given = at.container["names"]
    if not given:
        return None
    found = list(changed.items(text, start))
    if not isinstance(given, list) or not all(isinstance(each, str) for each in given):
        given = []
    if text[start:].lstrip()[:1] != "(" or any(changed.named(text, each) for each in found):
        _refuse_names(at, where)
        return None
    if len(given) != len(found) or len(set(given)) != len(given):
        span = at.rewriter.document.span(at.container, "names")
        message = f"the result has {len(found)} items"
        at.rewriter.error_at(span, "WG084", message, "name each, and each differently")
        return None
    odd = next((each for each in given if not _IDENTIFIER.fullmatch(each)), None)
    if odd is not None:
        span = at.rewriter.document.span(at.container, "names")
        hint = "letters, digits and underscores, starting with a letter; no word of Python, nor count or index"
        at.rewriter.error_at(span, "WG084", f"{odd!r} cannot be the name of an item", hint)
        return None
    pieces: list[Piece] = []
    end = 0
    for name, (first, last) in zip(given, found, strict=True):
        pieces += [(end, first), f"{name}: ", (first, last)]
        end = last
    return [*pieces, (end, len(text))]


def _refuse_names(at: At, where: str) -> None:
    if not at.container["names"]:
        return
    span = at.rewriter.document.span(at.container, "names")
    hint = "return a tuple: (usize, usize)"
    at.rewriter.error_at(span, "WG084", "`names` are for a tuple without names", hint)


# --- what a signature does not say ------------------------------------------------------------------------------------


def _keep_the_rest(at: At, found: Sequence[_Parameter]) -> None:
    """`params` as a mapping, of what is said of parameters beside their types and defaults."""
    entry, rewriter = at.container, at.rewriter
    if not isinstance(entry.get("params"), list):
        return
    origins = {each.name: each.item for each in reversed(found)}
    about: dict[str, Any] = {}
    for each in found:
        rest = {key: value for key, value in each.item.items() if key not in _IN_LISTS and value is not None}
        if rest:
            about.setdefault(each.name, rest["doc"] if list(rest) == ["doc"] else rest)
    if not about:
        rewriter.remove(entry, "params")
        return
    rewriter.replace(entry, "params", about)
    for name, said in about.items():
        item = origins[name]
        if said is item.get("doc"):
            rewriter.keep_place(about, name, item, "doc")
            continue
        rewriter.keep_key_place(about, name, item, "name" if "name" in item else next(iter(item)))
        for key in said:
            rewriter.keep_place(said, key, item, key)
