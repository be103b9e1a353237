"""Which functions of C return a status, and which value of it means success."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from wrapper_gen.drafts.answers import OPEN
from wrapper_gen.drafts.decisions import Status
from wrapper_gen.drafts.documentation import result_of
from wrapper_gen.drafts.naming import class_name, snake
from wrapper_gen.drafts.questions.context import Context, comments
from wrapper_gen.drafts.uses import pointee, record_of
from wrapper_gen.headers import CFunction, CKind, Type

GROUP = "statuses"
_OK = re.compile(r"(?:^|_|(?<=[A-Z]))(OK|SUCCESS|NO_?ERROR)$")
_ENUM_OK = re.compile(r"(OK|[Oo]k|SUCCESS|NO_?ERROR|NONE|no_?error|success|None|Success|NoError)$|^none$")
_SAYS_SO = re.compile(
    r"(error|result) code|error_?code|[a-z]+_ok\b"
    r"|\b([01]|zero) (on|for|if|in case of) (success|no error|ok|done|it succe)"
    r"|\b0, \w+ (if|when)\b[^.]{0,160}\bor an? error"
    r"|\b0 or (an? )?(error|negative|-1|< 0|non-?zero)|\b0 (on|if)[^.]{0,140}(error|-1|< ?0|negative|fail)",
    re.IGNORECASE,
)
_TELLS = re.compile(r"(^|_)(is|has|can|exists|equal|cmp|compare|contains)(_|$)")
_SAYS_VALUE = re.compile(
    r"returns? (the|a|an) (\w+ )?(number|length|size|position|amount|current|count|total|index|value)s?\b"
    r"|number of .{0,40}(read|written)|returns? (true|1 if|non-?zero if|whether)"
    r"|\bor a negative (value|number) as an error",
    re.IGNORECASE,
)
_IS_VALUE = re.compile(
    r"(the|a|an) (\w+ )?(number|length|size|position|amount|count|total|index)s?\b"
    r"|(?!.*\b(0|zero) (on|if) success).*\b(true|1|non-?zero) if "
    r"(?!(it (is |was )?)?success|an? error|any error|it fail)",
    re.IGNORECASE,
)
"""What `@return` says of a result that is no status."""

_ERROR_VALUE = re.compile(r"(^|_)(E|ERR|ERROR|FAIL(ED|URE)?|INVALID|BAD|NO_?MEM|DENIED|TIMEOUT)(_|$)", re.IGNORECASE)
"""What values of enums are called that are errors."""
_IS_ERROR = re.compile(r"^\W*(an? )?(error|fail|invalid)", re.IGNORECASE)
"""What the comment of a value says that means no success, whatever its name."""
_STATUS_NAME = re.compile(r"(err(or)?|status|result|code|errc)$", re.IGNORECASE)
"""What enums of C++ are called that may be statuses."""
_ERROR_NAME = re.compile(r"(^|_)((err|error)_?(code|no|num|nr|value)|(last|get)_?err(or)?)$")
"""What functions are called that tell which error happened last: they do not fail with it."""
_OUT = re.compile(r"p?_?(out|result)")
_SAYS_ERROR_VALUE = re.compile(
    r"\b(or|returns?|and|is) (?P<value>-1|a negative (number|value)|a value less than zero|zero|0|< ?0)"
    r"( value)? (\([^)]*\) )?(in case of|on|for|if|when|upon)\b[^.;,]{0,50}?"
    r"\b(error|fail(s|ed|ure)?|cannot|could not|can't|invalid|unable)\b",
    re.IGNORECASE,
)
_SAYS_ERROR_CODE = re.compile(
    r"\b(an? )?error([ -]code| value)? (if|otherwise|when|on)\b|\bnegative (value|number|error)[^.;]{0,30}\berror"
    r"|\bless than (zero|0) (if|on|when)\b|\bor (an? )?(negative )?error( code| value)?\s*(\.|;|,|$)",
    re.IGNORECASE,
)
"""What a comment says of a value beside others that is the code of an error."""
_SAYS_MINUS_ONE = re.compile(r"(?<![\w.])-1 (if|when|on|in case|otherwise)\b", re.IGNORECASE)
_SAYS_SUCCESS_VALUE = re.compile(
    r"\breturns? (?P<value>1|0|true|non-?zero) (if|on|when|for) (it (is |was )?)?success(ful)?\b", re.IGNORECASE
)
_VALUE_NAME = re.compile(r"(^|_)(is|has|can|get|count|size|num|length|version|level)(_|$)")


def ask(context: Context) -> dict[str, Status]:
    """The types of statuses, with the functions that return one."""
    found: dict[str, Status] = {}
    returned = Counter(each.result.canonical for each in context.functions)
    for spelling, count in returned.most_common():
        functions = [each for each in context.functions if each.result.canonical == spelling]
        asked = _asked(context, functions, count)
        if asked is None:
            continue
        key, proposal, evidence, is_sure = asked
        if any(proposal["name"] == each.name for each in found.values()):
            proposal["name"] = f"{class_name(key, context.options.prefix)}Failure"
        enum = context.headers.enums.get(functions[0].result.name)
        comment = "\n".join(filter(None, [enum.doc.text if enum else "", comments(functions)]))
        said = context.questions.ask(GROUP, key, proposal, evidence, is_sure=is_sure, frees=count, comment=comment)
        if isinstance(said, Mapping) and said.get("ok") is not None:
            name = str(said.get("name") or proposal["name"])
            keys = frozenset(each.key for each in functions if _is_of(said, each))
            found[spelling] = Status(name, said, keys)
    return found


def says_value(function: CFunction) -> bool:
    """Whether the header says, or the name does, that an integer result is no status."""
    text = _about_result(function)
    is_named = _VALUE_NAME.search(snake(function.name)) and not _writes_object(function)
    return bool(is_named) or tells_error(function) or (_speaks_of_value(function) and not _SAYS_SO.search(text))


def _speaks_of_value(function: CFunction) -> bool:
    is_named = _IS_VALUE.match(result_of(function.doc))
    return bool(is_named or _SAYS_VALUE.search(_about_result(function)))


def tells_error(function: CFunction) -> bool:
    """Whether a function is named as one that tells which error happened last."""
    return len(function.parameters) < 2 and _ERROR_NAME.search(snake(function.name)) is not None


def _asked(context: Context, functions: list[CFunction], count: int) -> tuple[str, dict[str, Any], str, bool] | None:
    """The key, the proposal, the evidence and whether it is sure."""
    type_ = functions[0].result
    text = _text_of(context, type_)
    default = f"{class_name(context.options.name, '')}Error"
    if type_.kind is not CKind.ENUM and not context.options.is_c:
        return None
    if type_.kind is CKind.ENUM:
        is_asked = context.options.is_c or type_.name in context.questions.said(GROUP)
        if not is_asked and (not _STATUS_NAME.search(type_.name) or all(map(says_value, functions))):
            return None
        success = _ok_of_enum(context, type_.name)
        shown = type_.spelling.removeprefix("enum ") if context.options.is_c else type_.name
        is_status = text or (success and _may_be_statuses(context, type_.name, shown, success))
        if not is_status and not {type_.name, shown} & {*context.questions.said(GROUP)}:
            return None
        proposal = {"name": default, "ok": [success] if success else OPEN, "of": "all", "message": text}
        return shown, _without_none(proposal), f"{count} functions return it", bool(success and text)
    tests = [each for each in context.functions if re.search(r"is_?error$", each.name, re.IGNORECASE)]
    test = next(
        (each for each in tests if _takes(each) == type_.canonical and each.result.kind is not CKind.VOID), None
    )
    if test is not None:
        proposal = {"name": default, "ok": f"!{test.name}(value)", "of": "comment", "message": text}
        return type_.spelling, _without_none(proposal), f"{test.name} tells; of: comment, all, or names", False
    if type_.canonical != "int":
        return None
    oks = _oks(context)
    said = [each for each in functions if _says_status(each)]
    is_known = "int" in context.questions.said(GROUP)  # what was asked once is asked again
    if not said and not (oks and len(functions) > 3) and not is_known:
        return None
    ok: Any = [min(oks, key=len)] if oks else _ok_of_comments(said)
    proposal = {"name": default, "ok": ok, "of": "comment", "message": text}
    why = f"{count} functions return int, the comments of {len(said)} say so; of: comment, all, or names"
    return "int", _without_none(proposal), why, False


def _is_of(said: Mapping[str, Any], function: CFunction) -> bool:
    of = said.get("of", "all")
    if any(re.fullmatch(str(each), function.name) for each in _list(said.get("but"))):
        return False
    if any(re.fullmatch(str(each), function.name) for each in _list(said.get("and"))):
        return True
    if of == "comment":
        return _says_status(function)
    if of == "all":
        return not (function.result.kind is CKind.ENUM and says_value(function))
    return any(re.fullmatch(str(each), function.name) for each in _list(of))


def _says_status(function: CFunction) -> bool:
    if _writes_object(function):
        return True
    if tells_error(function):
        return False
    if _TELLS.search(snake(function.name)) and not any(pointee(each.type) for each in function.parameters[1:]):
        return False
    text = _about_result(function) if not function.doc.of_group else ""
    says = bool(_SAYS_SO.search(text)) or (_writes_out(function) and not _VALUE_NAME.search(snake(function.name)))
    return says and not _speaks_of_value(function)


def _about_result(function: CFunction) -> str:
    """What the comment says of the result: by `@return` where that says it, else anywhere."""
    return result_of(function.doc) or " ".join(function.doc.text.split())


def _writes_object(function: CFunction) -> bool:
    """Whether it makes an object that it writes through a pointer, which leaves its result for a status."""
    return any(of.record and of.depth == 2 for of in (record_of(each.type) for each in function.parameters))


def _writes_out(function: CFunction) -> bool:
    """Whether what it makes of its arguments is a struct by the name of `out`, which leaves its result for a status."""
    given = ((each.name, record_of(each.type)) for each in function.parameters)
    return any(_OUT.fullmatch(name) and of.record and of.depth == 1 and not of.is_const for name, of in given)


def untested(function: CFunction) -> str:
    """What the comment says of values that mean an error or success, of a result that is no status; or empty."""
    text = _about_result(function) if not function.doc.of_group else ""
    if match := _SAYS_ERROR_VALUE.search(text):
        return f"nothing tests whether it is {match['value']}, which means an error"
    if _SAYS_ERROR_CODE.search(text):
        return "nothing tests whether it is the code of an error"
    if _SAYS_MINUS_ONE.search(text):
        return "nothing tests whether it is -1, of which the comment speaks"
    if match := _SAYS_SUCCESS_VALUE.search(text):
        return f"nothing tests whether it is {match['value']}, which means success"
    return ""


def _oks(context: Context) -> list[str]:
    found = [name for name, each in context.headers.constants.items() if each.value == 0 and _OK.search(name)]
    returned = {each.result.name for each in context.functions if each.result.kind is CKind.ENUM}
    enums = [each for name, each in context.headers.enums.items() if name not in returned]
    values = (value for each in enums for value in each.values)
    return [*found, *(each.name for each in values if each.value == 0 and _OK.search(each.name))]


def _ok_of_comments(functions: list[CFunction]) -> Any:
    """The value that comments call success."""
    text = " ".join(" ".join(each.doc.text.split()) for each in functions)
    found = re.search(r"\b([01]) (?:on|if|for|when) (?:success|no error|ok|it succeed)", text, re.IGNORECASE)
    return [int(found[1])] if found else OPEN


def _may_be_statuses(context: Context, name: str, shown: str, success: str) -> bool:
    """Whether the values of an enum are statuses: `EVENT_NONE` is a success by name alone, and no status."""
    if context.options.is_c and success.upper().endswith("NONE"):
        enum = context.headers.enums[name]
        is_named = _STATUS_NAME.search(re.sub(r"_(t|e)$", "", shown)) is not None
        return is_named or any(_ERROR_VALUE.search(each.name) for each in enum.values if each.name != success)
    return True


def _ok_of_enum(context: Context, name: str) -> str:
    enum = context.headers.enums.get(name)
    named = [each for each in enum.values if _ENUM_OK.search(each.name)] if enum else []
    fit = [each for each in named if not _IS_ERROR.search(each.doc.text)]
    named_ok = [each for each in fit if each.name.upper().endswith("OK")]
    found = next((each.name for each in fit if each.value == 0), named_ok[0].name if named_ok else "")
    if enum is None or not found or context.options.is_c:
        return found
    scope = enum.qualified if enum.is_scoped else enum.qualified.rpartition("::")[0]
    return f"{scope}::{found}" if scope else found


def _text_of(context: Context, type_: Type) -> str | None:
    """A call that has the words for a status of this type."""
    for each in context.functions:
        to = pointee(each.result)
        is_text = (to is not None and to.canonical in ("const char", "char")) or "basic_string" in each.result.template
        is_named = re.search("err|msg|status|code|to_?string|describe", each.name, re.IGNORECASE)
        if is_text and _takes(each) == type_.canonical and is_named and not each.owner:
            return f"{each.qualified}(value)"
    return None


def _takes(function: CFunction) -> str:
    return function.parameters[0].type.canonical if len(function.parameters) == 1 else ""


def _without_none(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}


def _list(value: Any) -> Iterator[Any]:
    given: Iterable[Any] = value if isinstance(value, list) else [] if value is None else [value]
    yield from given
