"""What the compiler says of a package's code, as findings at the lines of the spec that the code is of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from wrapper_gen.diagnostics import Diagnostic, Fix, Severity, Span
from wrapper_gen.entry_lines import COLUMNS, OF_ROW, compiled_code, entry_at, line_of, place_in_code, text_of
from wrapper_gen.fixes import (
    CALLABLE,
    IN_ORDER,
    Fixes,
    Mend,
    fixes_of_call,
    is_order,
    order_of,
    order_that_compiles,
    stated_with_lengths,
    way_of_lengths,
    way_of_order,
    way_of_orders,
    worded,
)
from wrapper_gen.frozen import frozen, replace
from wrapper_gen.generated_lines import GeneratedLines
from wrapper_gen.other_types import NUMBER, TO_REFERENCE, in_our_words, way_of_members, way_of_sole, way_of_type
from wrapper_gen.runtime_files import FOLDER

_ERROR = re.compile(
    rf"^(?P<path>[^\s:][^:\n]*?){OF_ROW}:(?P<line>\d+):(?:(?P<column>\d+):)? (?:fatal )?error: (?P<what>.*)$",
    re.MULTILINE,
)
_MOST_ERRORS = 20


@frozen
class _Blamed:
    """A place of the spec, what is wrong there, and what to do about it where that is known."""

    span: Span
    message: str
    hint: str = ""
    orders: tuple[str, ...] = ()
    """Orders of the arguments that compile, of a call with several."""
    mend: Mend | None = None
    """Of the call that stands here."""
    stated: str = ""
    """What the call has to say for it to compile: C's order, with its lengths; empty where that is not known."""
    rows: tuple[str, ...] = ()
    """For which rows of a `for`; none where nothing repeats what stands there."""
    taken: tuple[str, ...] | None = None
    """The types that the function takes, of a call with another number of arguments."""
    echoes: int = 0
    """How many errors at other places are not shown, since this one may have led to them."""
    entry: str = ""
    """The line of the spec, without the other entries on it."""


def findings(output: str, spec: str, package: Path, fixes: Fixes, what: str) -> list[Diagnostic]:
    """Every error of the compiler that is another one to the spec; at least one.

    Args:
        output: all that the compiler said.
        spec: the spec, as the compiler names it.
        package: the folder of the generated package.
        fixes: what may mend the calls of the spec.
        what: what is wrong where the compiler names nothing.
    """
    places = _blame(output, spec, package, fixes) or [_Blamed(Span(spec, 1, 1), what + _first_words(output))]
    count = f", and {len(places) - _MOST_ERRORS} more errors" if len(places) > _MOST_ERRORS else ""
    shown, words = places[:_MOST_ERRORS], _OWN_WORDS + count
    return [
        Diagnostic(
            "WG061",
            each.message + _of(each.rows),
            each.span,
            (way_of_orders(each.orders) or each.hint or _way_out(each) or words) + _of_echoes(each.echoes),
            fixes=_fixes(each),
        )
        for each in shown
    ]


_WARNING = re.compile(
    r"warning: [^\n]*\b(?:(?P<slow>finds_order_slowly)|(?P<memory>leaves_(?:memory|written))|drops_status)\b[^\n]*"
)
"""The compiler's warnings of a call whose order took it long to find, with the order (`wg/calls/order_search.hpp`),
of one whose value may be a status that nothing tests (`wg/errors/statuses.hpp`), and of one that returns or writes
the address of characters which nothing releases (`wg/entries/outcomes.hpp`, `wg/calls/out_parameters.hpp`)."""
_ORDER_OF_SLOW = re.compile(r"unit = \{([\d, ]+)\}|>, ([\dUL, ]+)>'")
_STATUS = re.compile(r"\bwg_status_(\d+)\b")
_STARTS_OF_WORDS = re.compile(r"^(?:In file included from |\S[^\n]*: In |\d+ warnings? generated\.)")
_GOES_ON = re.compile(r"^(?:In file included from | +from )")
_WARNS = re.compile(r"^\S[^\n]*: warning: ")


def warnings(output: str, spec: str, fixes: Fixes, statuses: Sequence[str]) -> tuple[list[Diagnostic], str]:
    """Each of the compiler's warnings that is one of ours, and what else the compiler said.

    Args:
        output: all that the compiler said.
        spec: the spec, as the compiler names it.
        fixes: what may mend the calls of the spec.
        statuses: the names of what is listed under `errors`, in order.
    """
    found: dict[tuple[int, str], Diagnostic] = {}
    others = []
    for words in _one_by_one(output):
        warning = _WARNING.search(words)
        if not warning:
            others.append(words)
            continue
        line, row = _led_to_it(words[: warning.start()], words[warning.end() :], spec)
        if not line and (call := re.search(rf"lambda at [^\s:]*{re.escape(Path(spec).name)}{OF_ROW}:(\d+)", words)):
            line, row = int(call[2]), call["row"] or ""
        of, where, mend = _of([row] if row else []), line_of(spec, line or 1, row), fixes.get((line, row))
        if warning["slow"]:
            found[line, row] = _slow(warning[0], of, where, mend)
        elif warning["memory"] and line:
            found[line, row] = _unreleased(of, where, is_written=warning["memory"] == "leaves_written")
        elif line:  # gcc says some twice, the second time without a place
            named = [int(number) for number in _STATUS.findall(warning[0])]
            meant = [statuses[number] for number in named if number < len(statuses)]
            found[line, row] = _untested(list(dict.fromkeys(meant)), of, where, mend)
    rest = "".join(others)
    ordered = sorted(found.values(), key=lambda each: each.span)
    return ordered, "" if re.fullmatch(r"(?:\d+ warnings? generated\.\s*)*", rest) else rest


def _slow(warning: str, of: str, where: Span, mend: Mend | None) -> Diagnostic:
    """The warning of a call whose order takes the compiler long to find."""
    order = _ORDER_OF_SLOW.search(warning)
    shown = order_of(re.findall(r"\d+", order[1] or order[2]) if order else (), mend)
    return Diagnostic(
        "WG064",
        "the compiler takes long to find the order of these arguments" + of,
        where,
        f"say C's order: {shown}" if shown else IN_ORDER,
        Severity.WARNING,
        fixes=(mend.place.fix("C's order", shown),) if mend and mend.place and shown else (),
    )


def _untested(meant: Sequence[str], of: str, where: Span, mend: Mend | None) -> Diagnostic:
    """The warning of a call whose value nothing uses, and which has the C++ type of these statuses."""
    ways = [*(f"raises: {each}" for each in meant), "raises: nothing"]
    type_ = f"the C++ type of {' and '.join(meant) or 'a status'}"
    place = mend.place if mend and mend.place and not mend.place.replaces else None
    what = [f"its value is a status of {each}" for each in meant] + ["its value is no status, or is not wanted"]
    return Diagnostic(
        "WG294",
        f"nothing tests what this call returns, which has {type_}" + of,
        where,
        f"say {', or '.join(ways)}",
        Severity.WARNING,
        fixes=tuple(place.fix(*each) for each in zip(what, ways, strict=True)) if place else (),
    )


def _unreleased(of: str, where: Span, *, is_written: bool) -> Diagnostic:
    """The warning of a call that returns characters, or writes where they are, of whose release the entry says nothing.

    `release` is of the whole result: of one that has several items, what an item is says it.
    """
    what = "writes through a char **" if is_written else "returns, a char *"
    way = "say release: free, or what else frees it; release: nothing where the library keeps it"
    owned = "{name: Owned, type: text, cpp_type: char *, data: value, release: free(value)}"
    return Diagnostic(
        "WG297",
        f"nothing says who releases the text that this call {what}" + of,
        where,
        f"{way}; of one item of several, under `types`: {owned}; without `release` where kept" if is_written else way,
        Severity.WARNING,
    )


def _one_by_one(output: str) -> list[str]:
    """What the compiler said, cut before each place that it names first."""
    parts: list[str] = []
    goes_on = has_warned = False
    for line in output.splitlines(keepends=True):
        warns = _WARNS.match(line) is not None
        if not parts or (_STARTS_OF_WORDS.match(line) and not goes_on) or (warns and has_warned):
            parts.append("")
            has_warned = False
        has_warned = has_warned or warns
        parts[-1] += line
        goes_on = _GOES_ON.match(line) is not None
    return parts


def _first_words(output: str) -> str:
    """The line that says what failed, of words that name no place."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    found = next((line for line in lines if re.search(r"error|cannot|fatal", line)), "")
    return f": {found}" if found else ""


def _of_echoes(count: int) -> str:
    return f"; {count} more error{'s' if count > 1 else ''} may come of this" if count else ""


def _fixes(blamed: _Blamed) -> tuple[Fix, ...]:
    mend = blamed.mend if "unique_ptr<" not in blamed.message else None  # which no scope or order changes
    if mend and mend.place and blamed.stated:
        found: tuple[Fix, ...] = (mend.place.fix("C's order", blamed.stated),)
    else:
        found = fixes_of_call(mend, blamed.message, blamed.orders, blamed.taken) if mend else ()
    return tuple(replace(fix, span=fix.span._replace(path=blamed.span.path)) for fix in found)


def _of(rows: Sequence[str]) -> str:
    """The rows of a `for` that have a mistake."""
    shown = [row for row in (COLUMNS.sub("", each) for each in rows) if row]
    return f", for {'; '.join(shown)}" if shown else ""


_RAW = "the compiler says: "
_OWN_WORDS = "--verbose shows all that the compiler says"
_NO_MEMBER = re.compile(r"has no member named|no member named|non-class type|incomplete type|not a structure or union")
_NO_TUPLE = re.compile(r"cannot decompose (?:non-[\w, -]*? )?(?:class )?type '(?P<type>[^']*)'")
"""One value where the result has two items."""
_NEAR = re.compile(r"; did you mean '([A-Za-z]\w*)'\?")
"""A member that the class has instead."""
_OTHER_ARGUMENTS = re.compile(r"(too few|too many) arguments to function|no matching function for call")
_CALLED_FUNCTION = re.compile(
    r"arguments to function '(?:[^'(]*[ *&])?(?P<name>\w+)(?P<takes>\([^()']*\))'"
    r"|function for call to '(?:\w*::)*(?P<other>\w+)'"
)
_CANDIDATE = re.compile(r"note: (?:candidate (?:function|template)|'\w+' declared here)[^\n]*\n([^\n]*)")
"""The line of a function that clang has tried, or which it shows."""
_UNREAD = re.compile(
    r"does not name a type|unknown type name|(?:was|has) not (?:been )?declared|undeclared|(?<!call, )expected "
    r"|No such file|file not found|incomplete type|no (?:type|template) named|redefinition|#error"
)
"""Errors after which C++ does not know what their line declares."""
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_NO_NAMES = frozenset(
    "bool char class const double enum float int long namespace operator return short signed static std string struct "
    "template typename unsigned using vector void wg aka".split()
)
"""Identifiers on many lines, which connect none of them."""
_UNKNOWN = re.compile(
    r"'(?P<of>\w+)' (?:in namespace|is not a member of) '(?P<in>(?!wg_)[\w:]+)'"
    r"|no (?:type|member|template) named '(?P<named>\w+)' in namespace '(?P<space>[\w:]+)'"
    r"|'(?:::)?(?P<gcc>\w+)' (?:has not been declared|was not declared|does not name a type)"
    r"|(?:undeclared identifier|unknown type name|no member named(?=.* in the global namespace)) '(?P<clang>\w+)'"
)
_REFUSED = re.compile(r"'(?:struct )?wg::CppTakes<(\d+)\w*, (?P<type>.*)>'")
"""The number of an argument and what it is to C++ (`wg/calls/call_errors.hpp`)."""
_HIDDEN = re.compile(
    r"'(?P<gcc>\w+)' (?:is not a member of|in) '(?:struct |class )?wg_\w+::(?P<of>\w+)'"
    r"|no (?:type|member|template) named '(?P<clang>\w+)' in '(?:struct |class )?wg_\w+::(?P<in>\w+)'"
)
"""A name that is looked for in a handle's struct."""
_LENGTHS_FIRST = re.compile(r"'(?:struct )?wg::LengthsStandFirst<(\d+)\w*, (\d+)\w*>'")
"""The arguments, as the bits of a number, whose lengths C has before their addresses, and how many it writes."""
_GUESSED = re.compile(r"'(?:struct )?wg::GuessesLength<(\d+)\w*, (\d+)\w*>'")
"""The number of an argument that would bring a length, and how many out-parameters there are then."""
_HANDLE_OF_BODY = re.compile(r"'(?:struct |const )*wg_\w+::(?!wg_)(\w+)(?: const)?[ *&]*'")
"""A handle's struct, which code with the type of C++ in mind was given."""
_NOT_CALLED = re.compile(
    r"cannot be used as a function|called object type .* is not a function"
    r"|no match for call to '\(.*\) \(\)'|does not provide a call operator"
)
_SAID = re.compile(r"\b(code|message|note|free|release|value): *[\"']?((?!value\b)[A-Za-z_][\w:]*)[\"']? *(?=[,}#]|$)")
"""What the spec calls by its name alone."""
_TAKEN_AS_ANOTHER = re.compile(r"convert|conversion|incompatible|initializ|cannot bind|pointer")
_NO_OPERATOR = re.compile(r"no match for 'operator(\S+)'|invalid operands to binary expression")
_PROTOCOL = re.compile(r"\b(__(?!init)\w+__)\(")
_MEMBER = re.compile(r"\b(?:cpp|cpp_method):\s*[\"']?\.?(\w+)[\"']?\s*(?=[,}#]|$)", re.MULTILINE)


def _way_out(blamed: _Blamed) -> str:
    """What to do where C++ takes other arguments, or a function of C was taken for a member; empty for other errors."""
    message, mend = blamed.message, blamed.mend
    if mend and mend.hint and _OTHER_ARGUMENTS.search(message):
        return mend.hint if blamed.taken is None else _way_of_taken(mend, blamed.taken)
    is_named = mend is not None or "type" in message or "cpp_type" in blamed.entry
    if is_named and (unknown := _UNKNOWN.search(message)):
        name = unknown["of"] or unknown["named"] or unknown["gcc"] or unknown["clang"]
        space = unknown["in"] or unknown["space"]
        where = f" in {space}" if space else ""
        return f"C++ knows no {name}{where}: check the name, and that a header of `cpp_include` declares it"
    no_member = _NO_MEMBER.search(message)
    method = _MEMBER.search(blamed.entry) if no_member else None
    if no_member and (method or (mend and mend.is_member)) and (near := _NEAR.search(message)):
        return f"the class has {near[1]}: if that is meant, say cpp: {near[1]}"
    if not method and mend and mend.is_member and no_member:
        what = "this calls a member of what the handle holds"
        return f"{what}: for a function of C, say cpp: ::NAME, or prefix on the handle type"
    if not method:
        return _way_into(message, blamed.entry) or _way_of_operators(message, blamed.entry)
    name = method[1]
    return f"{name} is no member of what the handle holds: for a function of C, say cpp: ::{name}"


def _way_of_taken(mend: Mend, taken: Sequence[str]) -> str:
    """What to do about a function that takes these types."""
    what = f"C++ takes ({', '.join(taken)})"
    if any("*" in each or "&" in each for each in taken[len(mend.order) :]):
        return f"{what}: {mend.hint}"
    return f"{what}: declare a parameter for each, or write the call in cpp, with what C gets that Python does not see"


def _way_into(message: str, line: str) -> str:
    """What to write where code takes a handle for what it holds, or one that may be missing; empty for other errors."""
    if "wg::MaybeInner<" in message:
        return "a parameter `T?` may be None: let the lambda take a pointer, which is null then"
    if hidden := _HIDDEN.search(message):
        struct, name = hidden["of"] or hidden["in"], hidden["gcc"] or hidden["clang"]
        if re.search(rf"(?<![\w:]){struct}\s*::\s*{name}\b", line):
            return f"{struct} is the struct of the handle type here: write ::{struct}::{name} for the library's"
    handle = _HANDLE_OF_BODY.search(message)
    if not handle or not (_NO_MEMBER.search(message) or _TAKEN_AS_ANOTHER.search(message)):
        return ""
    what = f"{handle[1]} is the struct of the handle type here, with the member `inner`, which is what the handle holds"
    way = f"write x.inner for the parameter x, or x->inner where it is declared as {handle[1]}?"
    return f"{what}: {way}; a lambda gets that itself where it has the class with its namespace, or as ::{handle[1]}"


def _way_of_operators(message: str, line: str) -> str:
    """What to do about a method of Python's protocols for which C++ has no operator; empty for other errors."""
    protocol = _PROTOCOL.search(line)
    if not protocol or not _NO_OPERATOR.search(message):
        return ""
    way = f"C++ has no operator for it: say what implements {protocol[1]}, with cpp or cpp_body"
    return f"{way}; for handles with one pointer, say identity: true" if protocol[1] == "__eq__" else way


def without_columns(output: str, spec: str) -> str:
    """What the compiler said, without its columns in the spec, where it has counted those of the bridge."""
    return re.sub(rf"(?<![\w/])(?P<line>{re.escape(spec)}{OF_ROW}:\d+):\d+(?=[:,])", r"\g<line>", output)


def all_blamed(output: str) -> list[tuple[Span, str]]:
    """Each place that an error names, and the error."""
    return [
        (
            line_of(found["path"], int(found["line"]), found["row"] or ""),
            found["what"] + _of([found["row"]] if found["row"] else []),
        )
        for found in _ERROR.finditer(output)
    ]


def _blame(output: str, spec: str, package: Path, fixes: Fixes) -> list[_Blamed]:
    """The errors, the first of each line: at the spec's line where that is at fault, or where it led to the error."""
    errors = [each for each in _ERROR.finditer(output) if not _is_echo(output, each)]
    code = compiled_code(package / "bridge.cpp")
    declared = GeneratedLines(package, spec)
    found: dict[_At, _Blamed] = {}
    orders: dict[tuple[int, str], list[str]] = {}
    rows: dict[_At, dict[str, None]] = {}
    entries: dict[_At, str] = {}
    of_spec = re.compile(rf"lambda at [^\s:]*{re.escape(Path(spec).name)}{OF_ROW}:(\d+)")
    for i, error in enumerate(errors):
        before = output[errors[i - 1].end() if i else 0 : error.start()]
        after = output[error.end() : errors[i + 1].start() if i + 1 < len(errors) else len(output)]
        led = (int(error["line"]), error["row"] or "") if error["path"] == spec else _led_to_it(before, after, spec)
        led = led if led[0] else declared.place_of(error["what"], before, after)
        call = of_spec.search(after)
        if call and not led[0] and worded(error["what"]):
            led = (int(call[2]), call["row"] or "")
        led = led if led[0] else _mentioned(before, spec)
        line, row = led
        elsewhere = Span(error["path"], int(error["line"]), int(error["column"] or 1))
        place = place_in_code(spec, error, row, code.get(led, set())) if error["path"] == spec else None
        if is_order(error["what"]):
            made = _CALL.search(after)
            led = (int(made[2]), made["row"] or "") if made else led
            orders.setdefault(led, []).append(order_that_compiles(error["what"], fixes.get(led)))
            continue
        lengths, guessed = _LENGTHS_FIRST.search(error["what"]), _GUESSED.search(error["what"])
        if call and (lengths or guessed):
            led = (int(call[2]), call["row"] or "")
            line, row = led
        refused = _REFUSED.search(error["what"])
        is_ours = bool(refused or guessed)
        whole = line_of(spec, line, row)
        span = (place if not is_ours else None) or (whole if line or is_ours else elsewhere)
        columns = COLUMNS.match(row)
        at = (span.path, span.line, columns[0] if columns else "")
        entries.setdefault(at, entry_at(span.path, span.line, row))
        rows.setdefault(at, {}).update({row: None} if row else {})
        if refused:
            found[at] = _refused(refused, whole, fixes.get(led))
        elif guessed:
            found[at] = _guessed(guessed, whole, fixes.get(led))
        elif lengths and (mend := fixes.get(led)):
            found[at] = _turned(int(lengths[1]), int(lengths[2]), span, mend)
        elif (
            at not in found
            or (error["path"] == spec and _NO_MEMBER.search(error["what"]) and not _UNREAD.search(found[at].message))
            or (TO_REFERENCE.search(error["what"]) and found[at].message.startswith(_RAW))
        ):
            # What is missing, or not taken, explains what was said of that line before.
            found[at] = _said(span, error["what"], after, fixes.get((span.line, row)))
    blamed = [
        replace(
            each,
            rows=tuple(rows[at]),
            orders=tuple(dict.fromkeys(filter(None, orders.get(_call(at, rows[at]), ())))),
            entry=entries[at],
        )
        for at, each in found.items()
    ]
    return _without_echoes(blamed, package)


def _without_echoes(blamed: Sequence[_Blamed], package: Path) -> list[_Blamed]:
    """The errors that are not of another one: in our own files, or of a name that an earlier line fails to declare."""
    own = {package.resolve(), package.resolve().with_name(FOLDER)}
    of_user = [
        each
        for each in blamed
        if own.isdisjoint(Path(each.span.path).resolve().parents) or "/sources/" in each.span.path
    ]
    causes = [each for each in of_user if _UNREAD.search(each.message)]
    unread = {id(each): _names(each.entry) - _quoted(each.message) for each in causes}
    shown: list[_Blamed] = []
    echoes: dict[int, int] = {}
    for each in of_user:
        cause = next((c for c in shown if _quoted(each.message) & unread.get(id(c), set())), None)
        if cause is None:
            shown.append(each)
        else:
            echoes[id(cause)] = echoes.get(id(cause), 0) + 1
    return [replace(each, echoes=echoes.get(id(each), 0)) for each in shown] or list(blamed)


def _quoted(message: str) -> set[str]:
    return _names(" ".join(re.findall(r"'([^']*)'", message)))


def _names(text: str) -> set[str]:
    return {name for name in _IDENTIFIER.findall(text) if name not in _NO_NAMES and not name.startswith("wg_")}


_At = tuple[str, int, str]
"""A path, a line, and the columns of an entry beside others."""


def _call(at: _At, rows: Iterable[str]) -> tuple[int, str]:
    """The line of a call, and the first row of a `for` that it is of."""
    return at[1], next(iter(rows), "")


def _said(span: Span, error: str, after: str, mend: Mend | None) -> _Blamed:
    """What the compiler says: in our own words where a header of ours has them. `after` is what it says of it then."""
    if mend and mend.read and _NOT_CALLED.search(error):
        hint = f"read it as a property: fields: {{{mend.read}}}"
        return _Blamed(span, "this calls a data member of the C++ class, which is no function", hint, mend=mend)
    if _NOT_CALLED.search(error) and (said := _SAID.search(text_of(span.path, span.line))):
        name = said[2]
        hint = f"a name by itself is called as a function: put another into parentheses, {said[1]}: ({name})"
        return _Blamed(span, f"{name} is no function, and is called", hint, mend=mend)
    if one := _NO_TUPLE.search(error):
        return _of_one_value(span, one["type"], mend)
    if meant := in_our_words(error, after, mend):
        return _Blamed(span, *meant, mend=mend)
    message, hint = worded(error) or (f"{_RAW}{error}", way_of_members(error) or way_of_sole(error))
    if mend and hint == IN_ORDER:  # of a call by its name, which says nothing of the function
        message, hint = f"{mend.shown}: {message}", way_of_order(mend)
    hint = hint or way_of_lengths(mend, message)
    taken = _taken(error, after) if _OTHER_ARGUMENTS.search(error) else None
    return _Blamed(span, message, hint, mend=mend, taken=taken)


def _of_one_value(span: Span, cpp: str, mend: Mend | None) -> _Blamed:
    """A call that returns one value, for a result with two items."""
    message = f"the result has two items, and what the call returns is one value, {cpp}"
    if mend is None or not mend.outs:
        return _Blamed(span, message, "make both in `result`, such as std::pair(value.x, value.y)", mend=mend)
    call, last = mend.in_order([*mend.order, *mend.outs]), mend.in_order([*mend.order, *mend.outs[:-1]])
    hint = f"where C++ writes the items by its last parameters, say {call}; where its value is the last item, {last}"
    return _Blamed(span, message, hint, mend=mend)


def _taken(error: str, after: str) -> tuple[str, ...] | None:
    """The types that a function takes, which gcc names, and of which clang shows the line; None where it has forms."""
    name = _CALLED_FUNCTION.search(error)
    candidates = _CANDIDATE.findall(after)
    if name and name["other"] and len(candidates) == 1:
        found = re.search(rf"\b{name['other']}(\([^()]*\))", candidates[0])
        shown = found[1] if found else ""
    else:
        shown = name["takes"] or "" if name else ""
    types = (each.strip() for each in shown.strip("()").split(","))
    return tuple(each for each in types if each not in ("", "void")) if shown else None


def _turned(mask: int, outs: int, line: Span, mend: Mend) -> _Blamed:
    """Arguments whose lengths C has before their addresses."""
    turned = [each for i, each in enumerate(mend.arguments) if each and mask >> i & 1]
    span = turned[0].span._replace(path=line.path) if turned else line
    message = f"C takes the length of {' and '.join(each.name for each in turned)} before the address"
    stated = stated_with_lengths(mend, [each.name for each in turned], outs)
    return _Blamed(span, message, f"say C's order: {stated}", mend=mend, stated=stated)


def _refused(refused: re.Match[str], line: Span, mend: Mend | None) -> _Blamed:
    """One argument that C++ has another type for."""
    cpp = refused["type"].replace("std::__cxx11::basic_string<char>", "std::string").strip()
    given = mend.arguments[int(refused[1])] if mend and int(refused[1]) < len(mend.arguments) else None
    if mend is None or given is None:
        return _Blamed(line, f"the compiler says: an argument of this call is {cpp} in C++")
    way_out = f"declare it as C++ has it; or {mend.way_out}"
    if given.is_written:
        wanted = cpp.removesuffix("*").strip()
        return _Blamed(line, f"{given.name} is declared as {given.declared}, and C++ writes {wanted}", way_out)
    if given.declared.startswith("&") and "*" in cpp:
        way_out = (
            f"where C has its address only, give it a dimension that another array has too: {given.name}: &[T; n]; "
            f"or {mend.way_out}"
        )
    if other := way_of_type(given, cpp, mend):
        way_out = other
    elif given.declared.startswith(CALLABLE) and mend.callables and "function<" not in cpp:
        way_out = "say how long C has it: scope: call"
    elif given.unmade:
        way_out = "let `tag` and the cases be members, or say how each is made: {type: i64, data: …, make: of(value)}"
        message = f"{given.name} is a {given.unmade[0]}, and nothing says how a {cpp} is made of a value of Python's"
        return _Blamed(given.span._replace(path=line.path), message, way_out, mend=mend)
    elif given.is_sole and cpp.startswith("std::unique_ptr<"):
        way_out = f"a call that gets the only pointer to an object takes it: takes: {given.name}"
    elif NUMBER.fullmatch(given.declared):
        way_out = _way_of_pointer(cpp, given.name) or way_out
    declared = f"is declared as {given.declared}" if given.declared else "stands there"
    message = f"{given.name} {declared}, and C++ takes {cpp}"
    return _Blamed(given.span._replace(path=line.path), message, way_out, mend=mend)


def _guessed(guessed: re.Match[str], line: Span, mend: Mend | None) -> _Blamed:
    """One argument whose length would have to be guessed."""
    number, outs = int(guessed[1]), int(guessed[2])
    given = mend.arguments[number] if mend and number < len(mend.arguments) else None
    if mend is None or given is None:
        return _Blamed(line, "C++ takes something after an address that the spec does not have")
    message = f"C++ takes something after {given.name} that the spec does not have: its length or another value"
    counted, valued = mend.ways_after(given, outs)
    hint = (
        f"if it is the length of {given.name}, say {counted}; if not, declare it in `def`, or say its value: {valued}"
    )
    return _Blamed(given.span._replace(path=line.path), message, hint, stated=counted, mend=mend)


def _way_of_pointer(cpp: str, name: str) -> str:
    """What to declare in place of a number, where C++ takes a pointer; empty where it takes something else."""
    if "(*" in cpp:
        return f"C++ calls this: declare it as a callable, {name}: fn(…) -> …, with its `scope`"
    plain = re.sub(r"\bconst\b|&", "", cpp).strip()
    if re.fullmatch(r"void *\*", plain):
        return (
            f"no number is an address: for user data of a callable, drop {name}, and declare the callable as fn(…); "
            f"for memory, {name}: &[T]; for what Python does not see, write the call in cpp, with nullptr there"
        )
    if plain.endswith("*") and "const" not in cpp and "char" not in plain:
        what = plain.removesuffix("*").strip()
        return (
            f"C++ takes the address of a {what}: if it writes there, make it a result, and drop {name}; "
            f"if it reads and writes it, name an item of the result so, -> ({name}: T); "
            f"if it is the first of several, {name}: &[T]"
        )
    return ""


def _led_to_it(before: str, after: str, spec: str) -> tuple[int, str]:
    """The spec's line that led to an error in a header, and the row of a `for`: gcc names it before the error, clang
    after it; 0 for none."""
    place = rf"(?<![\w/]){re.escape(spec)}{OF_ROW}:(\d+)(?::\d+)?"
    required = re.findall(rf"{place}:? +(?:recursively )?required", before)
    mentioned = required[-1:] or re.findall(rf"{place}: note", after)[:1]
    return (int(mentioned[0][1]), mentioned[0][0]) if mentioned else (0, "")


def _mentioned(before: str, spec: str) -> tuple[int, str]:
    """The spec's line that stands last before an error, which may be of another one, and the row of a `for`."""
    found = re.findall(rf"(?<![\w/]){re.escape(spec)}{OF_ROW}:(\d+)(?::\d+)?", before)[-1:]
    return (int(found[0][1]), found[0][0]) if found else (0, "")


_IS_ECHO = re.compile(r"candidate template ignored: substitution failure \[with [^\n]*\]$", re.MULTILINE)
"""Clang's word on a function that has an error of its own, which was said before."""


def _is_echo(output: str, error: re.Match[str]) -> bool:
    """Whether an error only says that there was one before: gcc names what it could not read."""
    if "<expression error>" in error["what"]:
        return True
    if not error["what"].startswith("no matching function for call to 'of'"):
        return False
    after = output[error.end() :]
    following = _ERROR.search(after)
    return _IS_ECHO.search(after[: following.start() if following else None]) is not None


_CALL = re.compile(rf"lambda at [^\s:]+{OF_ROW}:(\d+)")
"""The line of a call, where clang names it only in the type of what makes the call."""
