"""What the compiler says of a package's code, as findings at the lines of the spec that the code is of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from wrapper_gen.diagnostics import Diagnostic, Fix, Span
from wrapper_gen.frozen import frozen, replace
from wrapper_gen.mends import CALLABLE, Mend, Mends, fixes_of_call, is_order, order_that_compiles, way_of_orders, worded

_OF_ROW = r"(?: \(for (?P<row>[^\n]*?)\))?"
"""Follows the spec's path where code stands there once for several rows of a `for` (`views/placement.py`)."""
_ERROR = re.compile(
    rf"^(?P<path>[^\s:][^:\n]*?){_OF_ROW}:(?P<line>\d+):(?:(?P<column>\d+):)? (?:fatal )?error: (?P<what>.*)$",
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
    counted: str = ""
    """C's order with the length of an argument in it, where C may have that."""
    rows: tuple[str, ...] = ()
    """For which rows of a `for`; none where nothing repeats what stands there."""


def findings(output: str, spec: str, package: Path, mends: Mends, what: str) -> list[Diagnostic]:
    """Every error of the compiler that is another one to the spec; at least one.

    Args:
        output: all that the compiler said.
        spec: the spec, as the compiler names it.
        package: the folder of the generated package.
        mends: what may mend the calls of the spec.
        what: what is wrong where the compiler names nothing.
    """
    places = _blame(output, spec, package, mends) or [_Blamed(Span(spec, 1, 1), what)]
    count = f", and {len(places) - _MOST_ERRORS} more errors" if len(places) > _MOST_ERRORS else ""
    shown, words = places[:_MOST_ERRORS], _WORDS_ABOVE + count
    return [
        Diagnostic(
            "WG061",
            each.message + _of(each.rows),
            each.span,
            way_of_orders(each.orders) or each.hint or _way_out(each) or words,
            fixes=_fixes(each),
        )
        for each in shown
    ]


def _fixes(blamed: _Blamed) -> tuple[Fix, ...]:
    takes_others = _OTHER_ARGUMENTS.search(blamed.message) is not None
    mend = blamed.mend
    if mend and mend.place and blamed.counted:
        found: tuple[Fix, ...] = (mend.place.fix("C has the length there", blamed.counted),)
    else:
        found = fixes_of_call(mend, blamed.message, blamed.orders, takes_others=takes_others) if mend else ()
    return tuple(replace(fix, span=fix.span._replace(path=blamed.span.path)) for fix in found)


def _of(rows: Sequence[str]) -> str:
    """The rows of a `for` that have a mistake."""
    return f", for {'; '.join(rows)}" if rows else ""


_WORDS_ABOVE = "the compiler's own words are above"
_NO_MEMBER = re.compile(r"has no member named|no member named|non-class type|incomplete type|not a structure or union")
_NEAR = re.compile(r"; did you mean '([A-Za-z]\w*)'\?")
"""A member that the class has instead."""
_OTHER_ARGUMENTS = re.compile(r"(too few|too many) arguments to function|no matching function for call")
_UNKNOWN = re.compile(
    r"'(?:::)?(\w+)' (?:has not been|was not) declared"
    r"|(?:undeclared identifier|no member named(?=.* in (?:the global )?namespace)) '(\w+)'"
)
_REFUSED = re.compile(r"'(?:struct )?wg::CppTakes<(\d+)\w*, (?P<type>.*)>'")
"""The number of an argument and what it is to C++ (`wg_refused_calls.hpp`)."""
_GUESSED = re.compile(r"'(?:struct )?wg::GuessesLength<(\d+)\w*, (\d+)\w*>'")
"""The number of an argument that would bring a length, and how many out-parameters there are then."""
_HANDLE_OF_BODY = re.compile(r"'(?:struct |const )*wg_\w+::(?!wg_)(\w+)(?: const)?[ *&]*'")
"""A handle's struct, which code with the type of C++ in mind was given."""
_NOT_CALLED = re.compile(
    r"expression cannot be used as a function|called object type .* is not a function"
    r"|no match for call to '\(.*\) \(\)'|does not provide a call operator"
)
_NUMBER = re.compile(r"[iuf]\d+\??|usize\??|bool\??")
_TAKEN_AS_ANOTHER = re.compile(r"convert|conversion|incompatible|initializ|cannot bind|pointer")
_NO_OPERATOR = re.compile(r"no match for 'operator(\S+)'|invalid operands to binary expression")
_PROTOCOL = re.compile(r"\b(__(?!init)\w+__)\(")
_MEMBER = re.compile(r"\bcpp_method:\s*[\"']?(\w+)")


def _way_out(blamed: _Blamed) -> str:
    """What to do where C++ takes other arguments, or a function of C was taken for a member; empty for other errors."""
    span, message, mend = blamed.span, blamed.message, blamed.mend
    if mend and mend.hint and _OTHER_ARGUMENTS.search(message):
        return mend.hint
    if mend and (unknown := _UNKNOWN.search(message)):
        name = unknown[1] or unknown[2]
        return f"C++ knows no {name}: check the name, and that a header of `cpp_include` declares it"
    no_member = _NO_MEMBER.search(message)
    method = _MEMBER.search(_text_of(span.path, span.line)) if no_member else None
    if no_member and (method or (mend and mend.is_member)) and (near := _NEAR.search(message)):
        return f"the class has {near[1]}: if that is meant, say cpp_method: {near[1]}"
    if not method and mend and mend.is_member and no_member:
        what = "this calls a member of what the handle holds"
        return f"{what}: for a function of C, say cpp_fn, or cpp_prefix on the handle type"
    if not method:
        return _way_into(message) or _way_of_operators(message, _text_of(span.path, span.line))
    name = method[1]
    way = f'cpp_method: "[](auto &&h) {{ return {name}(h); }}"'
    return f"{name} is no member of what the handle holds: call a function of C in a lambda, {way}"


def _way_into(message: str) -> str:
    """What to write where code takes a handle for what it holds, or one that may be missing; empty for other errors."""
    if "wg::MaybeInner<" in message:
        return "a parameter `T?` may be None: let the lambda take a pointer, which is null then"
    handle = _HANDLE_OF_BODY.search(message)
    if not handle or not (_NO_MEMBER.search(message) or _TAKEN_AS_ANOTHER.search(message)):
        return ""
    what = f"in a cpp_body, {handle[1]} is a struct with the member `inner`, which is what the handle holds"
    return f"{what}: write x.inner for the parameter x, or x->inner where it is declared as {handle[1]}?"


def _way_of_operators(message: str, line: str) -> str:
    """What to do about a method of Python's protocols for which C++ has no operator; empty for other errors."""
    protocol = _PROTOCOL.search(line)
    if not protocol or not _NO_OPERATOR.search(message):
        return ""
    way = f"C++ has no operator for it: say what implements {protocol[1]}, with cpp_fn, cpp_method or cpp_body"
    return f"{way}; for handles with one pointer, say identity: pointer" if protocol[1] == "__eq__" else way


def without_columns(output: str, spec: str) -> str:
    """What the compiler said, without its columns in the spec, where it has counted those of the bridge."""
    return re.sub(rf"(?<![\w/])(?P<line>{re.escape(spec)}{_OF_ROW}:\d+):\d+(?=[:,])", r"\g<line>", output)


def all_blamed(output: str) -> list[tuple[Span, str]]:
    """Each place that an error names, and the error."""
    return [
        (_line_of(found["path"], int(found["line"])), found["what"] + _of([found["row"]] if found["row"] else []))
        for found in _ERROR.finditer(output)
    ]


def _blame(output: str, spec: str, package: Path, mends: Mends) -> list[_Blamed]:
    """The errors, the first of each line: at the spec's line where that is at fault, or where it led to the error."""
    errors = list(_ERROR.finditer(output))
    code = _compiled_code(package / "bridge.cpp")
    found: dict[tuple[str, int], _Blamed] = {}
    orders: dict[tuple[int, str], list[str]] = {}
    rows: dict[tuple[str, int], dict[str, None]] = {}
    of_spec = re.compile(rf"lambda at [^\s:]*{re.escape(Path(spec).name)}{_OF_ROW}:(\d+)")
    for i, error in enumerate(errors):
        before = output[errors[i - 1].end() if i else 0 : error.start()]
        after = output[error.end() : errors[i + 1].start() if i + 1 < len(errors) else len(output)]
        led = (int(error["line"]), error["row"] or "") if error["path"] == spec else _led_to_it(before, after, spec)
        line, row = led
        elsewhere = Span(error["path"], int(error["line"]), int(error["column"] or 1))
        place = _place(spec, error, code.get(line, set())) if error["path"] == spec else None
        if is_order(error["what"]):
            call = _CALL.search(after)
            led = (int(call[2]), call["row"] or "") if call else led
            orders.setdefault(led, []).append(order_that_compiles(error["what"], mends.get(led)))
            continue
        refused, guessed = _REFUSED.search(error["what"]), _GUESSED.search(error["what"])
        if (guessed or (not line and worded(error["what"]))) and (call := of_spec.search(after)):
            led = line, row = int(call[2]), call["row"] or ""
        if not line and error["path"] != spec and (field := _field_of(before, after)):
            led = line, row = _line_of_field(package / "bridge.cpp", field)
        is_ours = bool(refused or guessed)
        span = (place if not is_ours else None) or (_line_of(spec, line) if line or is_ours else elsewhere)
        at = (span.path, span.line)
        rows.setdefault(at, {}).update({row: None} if row else {})
        if refused:
            found[at] = _refused(refused, _line_of(spec, line), mends.get(led))
        elif guessed:
            found[at] = _guessed(guessed, _line_of(spec, line), mends.get(led))
        elif at not in found or (error["path"] == spec and _NO_MEMBER.search(error["what"])):
            # What is missing explains what was said of that line before.
            found[at] = _said(span, error["what"], mends.get((span.line, row)))
    return [
        replace(
            each, rows=tuple(rows[at]), orders=tuple(dict.fromkeys(filter(None, orders.get(_call(at, rows[at]), ()))))
        )
        for at, each in found.items()
    ]


def _call(at: tuple[str, int], rows: Iterable[str]) -> tuple[int, str]:
    """The line of a call, and the first row of a `for` that it is of."""
    return at[1], next(iter(rows), "")


def _said(span: Span, error: str, mend: Mend | None) -> _Blamed:
    """What the compiler says: in our own words where a header of ours has them."""
    if mend and mend.read and _NOT_CALLED.search(error):
        hint = f"read it as a property: properties: {{{mend.read}}}"
        return _Blamed(span, "this calls a data member of the C++ class, which is no function", hint, mend=mend)
    message, hint = worded(error) or (f"the compiler says: {error}", "")
    return _Blamed(span, message, hint, mend=mend)


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
    if given.declared.startswith(CALLABLE) and mend.callables and "function<" not in cpp:
        way_out = f"say how long C has it: params: {{{given.name}: {{scope: call}}}}"
    elif given.unmade:
        way_out = "let `tag` and the cases be members, or say how each is made: {type: i64, value: …, make: of(value)}"
        message = f"{given.name} is a {given.unmade[0]}, and nothing says how a {cpp} is made of a value of Python's"
        return _Blamed(given.span._replace(path=line.path), message, way_out, mend=mend)
    elif given.is_sole and cpp.startswith("std::unique_ptr<"):
        way_out = f"a call that gets the only pointer to an object takes it: params: {{{given.name}: {{mode: take}}}}"
    elif _NUMBER.fullmatch(given.declared):
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
    return _Blamed(given.span._replace(path=line.path), message, hint, counted=counted, mend=mend)


def _way_of_pointer(cpp: str, name: str) -> str:
    """What to declare in place of a number, where C++ takes a pointer; empty where it takes something else."""
    if "(*" in cpp:
        return f"C++ calls this: declare it as a callable, {name}: fn(…) -> …, with its `scope`"
    plain = re.sub(r"\bconst\b|&", "", cpp).strip()
    if re.fullmatch(r"void *\*", plain):
        return (
            f"no number is an address: for user data of a callable, drop {name}, and declare the callable as fn(…); "
            f"for memory, {name}: &[T]; for what Python does not see, cpp_params with {{value: nullptr}}"
        )
    if plain.endswith("*") and "const" not in cpp and "char" not in plain:
        what = plain.removesuffix("*").strip()
        return (
            f"C++ takes the address of a {what}: if it writes there, make it a result, and drop {name}; "
            f"if it reads and writes it, direction: inout; if it is the first of several, {name}: &[T]"
        )
    return ""


def _led_to_it(before: str, after: str, spec: str) -> tuple[int, str]:
    """The spec's line that led to an error in a header, and the row of a `for`: gcc names it before the error, clang
    after it; 0 for none."""
    place = rf"(?<![\w/]){re.escape(spec)}{_OF_ROW}:(\d+)(?::\d+)?"
    required = re.findall(rf"{place}:? +(?:recursively )?required", before)
    mentioned = required[-1:] or re.findall(rf"{place}: note", after)[:1] or re.findall(place, before)[-1:]
    return (int(mentioned[0][1]), mentioned[0][0]) if mentioned else (0, "")


_FIELD = re.compile(r"\b(wg_struct_\w+)::(wg_field_\w+)")
"""A field of a struct, as the compiler names what describes it."""


def _field_of(before: str, after: str) -> tuple[str, str] | None:
    """The field that an error in a header is of: gcc names it before the error, clang after it."""
    named = list(_FIELD.finditer(before)) or list(_FIELD.finditer(after))[:1]
    return (named[-1][1], named[-1][2]) if named else None


def _line_of_field(bridge: Path, field: tuple[str, str]) -> tuple[int, str]:
    """The spec's line of a field, and the row of a `for` that it is of; 0 where there is none."""
    struct, own = field
    found = None
    with suppress(OSError):
        text = bridge.read_text(encoding="utf-8")
        start = text.find(f"struct {own} {{", text.find(f"struct {struct} {{"))
        found = _LINE_OF_CODE.search(text, start) if start >= 0 else None
    return (int(found["line"]), found["row"] or "") if found else (0, "")


_LINE_OF_CODE = re.compile(rf'#line (?P<line>\d+) "[^"\n]*?{_OF_ROW}"')


_CALL = re.compile(rf"lambda at [^\s:]+{_OF_ROW}:(\d+)")
"""The line of a call, where clang names it only in the type of what makes the call."""
_LINE = re.compile(r'#line (\d+) "(.*)"')


def _compiled_code(bridge: Path) -> dict[int, set[str]]:
    """What was compiled for each line of the spec: the compiler counts its columns there."""
    found: dict[int, set[str]] = {}
    number = 0
    with suppress(OSError):
        for text in bridge.read_text(encoding="utf-8").split("\n"):
            if directive := _LINE.match(text):
                number = 0 if directive[2] == bridge.name else int(directive[1])
            elif number:
                found.setdefault(number, set()).add(text)
                number += 1
    return found


def _place(spec: str, error: re.Match[str], code: set[str]) -> Span | None:
    """Where in the spec the compiler's column is: its line has the code as it is, or once the word that is blamed."""
    line, column = int(error["line"]), int(error["column"] or 1) - 1
    # Compilers count columns in different units where a line has tabs or more than ASCII.
    meant = {text for text in code if len(text) >= column and text.isascii() and "\t" not in text}
    if len(code) > 1:
        meant = {text for text in meant if f"'{_word(text[column:])}'" in error["what"]}
    line_text = _text_of(spec, line)
    found = {
        (line, line_text.index(text.strip()) + column - len(text) + len(text.lstrip()), _word(text[column:]))
        for text in meant
        if text.strip() and line_text.count(text.strip()) == 1
    }
    if not found:
        found = {
            (number, match.start(), match[0])
            for word in {_word(text[column:]) for text in meant} - {""}
            for number, text in _value_at(spec, line)
            for match in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", text)
        }
    if len(found) != 1:
        return None
    number, start, word = found.pop()
    return Span(spec, number, start + 1, start + 1 + max(len(word), 1))


def _word(text: str) -> str:
    return match[0] if (match := re.match(r"\w+", text)) else text[:1]


def _value_at(spec: str, line: int) -> list[tuple[int, str]]:
    """The lines of a value that starts on this one: those below that are indented more belong to it."""
    lines = [(line, _text_of(spec, line))]
    indent = len(lines[0][1]) - len(lines[0][1].lstrip())
    while (text := _text_of(spec, line + len(lines))) and len(text) - len(text.lstrip()) > indent:
        lines.append((line + len(lines), text))
    return lines


def _line_of(path: str, line: int) -> Span:
    """The whole line: the compiler's columns are those of the bridge."""
    text = _text_of(path, line)
    return Span(path, line, len(text) - len(text.lstrip()) + 1, len(text) + 1 if text else 0)


def _text_of(path: str, line: int) -> str:
    try:
        return Path(path).read_text(encoding="utf-8").split("\n")[line - 1].rstrip()
    except (OSError, ValueError, IndexError):
        return ""
