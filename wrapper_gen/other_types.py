"""What to say where C++ has another type than the spec declares: what the compiler's words come to, and what to do."""

from __future__ import annotations

import re

from wrapper_gen.fixes import CALLABLE, Given, Mend, way_of_copy, way_of_shared

NUMBER = re.compile(r"[iuf]\d+\??|usize\??|bool\??")
_COPIED = re.compile(r"^(?:text|bytes|str|[\[{(])")
"""How the types start of which C++ gets a copy of Python's value."""
_CHANGED = re.compile(r"(?!const\b)(.*\S) ?&")
"""A C++ type that lets C++ change what it is given."""
_POINT_IN_TIME = re.compile(r"\bDuration\b[^\n]*\btime_point\b[^\n]*|\btime_point\b[^\n]*\bDuration\b")
"""A duration for which C++ has a point in time."""
_TIME = re.compile(
    r"'(?:const )?(?:wg::)?(?P<ours>DateTime|Duration)(?P<unit>In<[^'\n]*>)?(?: ?&&?)?' to '(?P<cpp>[^'\n]*)'"
    r"(?: [{(]aka '(?P<aka>[^'\n]*)')?"
)
"""A point in time or a duration for which C++ has something else."""
_NO_UNIT = "nothing says of what"
_CLOCK = re.compile(r"\b(\w+_clock)\b")
_COPIES_SOLE = re.compile(r"(?:call to deleted constructor of|use of deleted function) 'std::unique_ptr<")
_OWNED = re.compile(r"std::unique_ptr<(.*?)(?:, std::default_delete<.*?>)?>")
"""What C++ wants to own alone."""
_GIVEN_AWAY = re.compile(
    r"\bOverridable<.*?>'.*? to (?:.*?type )?'std::unique_ptr<(?P<of>[^'\n]*?)>( ?&&)?'"
    r"|no match for call to '.*\(.*std::unique_ptr<(?P<by>[^'\n]*?)>.*\) \(.*\bwg_inner_\w+"
    r"|deleted function '[^'\n]*\bOverridable<\w+>::operator std::unique_ptr<[^'\n]*\[with U = (?P<deleted>[^;\n]*);"
)
"""An object of an interface that C++ would own alone."""
TO_REFERENCE = re.compile(
    r"cannot bind non-const lvalue reference of type '(?:(?P<of>.*?) ?&)' (?:\{aka '(?P<aka>.*?) ?&'\} )?"
    r"to an? (?:rvalue|value)"
    r"|binding reference of type '(?P<to>.*?) ?&' to 'const .*' discards qualifiers"
)
"""An argument that C++ may not change."""
_NOT_VIABLE = re.compile(
    r"candidate function not viable: (?:expects an lvalue"
    r"|no known conversion from .*? to '(?P<of>(?:(?!const )[^'])*?) ?&'(?: \(aka '(?P<aka>.*?) ?&'\))?)"
    r" for (?P<nth>\d+)\w+ argument"
)
"""Clang's note on such an argument."""
_NO_ADDRESS = re.compile(
    r"cannot bind (?:to )?(bit-field|packed field) '(?P<object>wg_\w+\.)?(?:[^'\n]*[^\w'\n])?(?P<name>\w+)'"
)
"""A member that C++ has no address of, which what reads it in place would need."""
_FUNCTION_POINTER = re.compile(r"cast'? from (?:type )?'(?:const )?(?:wg::)?Callable<.*\(\*\)")
"""A callable whose `scope` nothing says, where C++ takes a function pointer."""
_CHARACTER = re.compile(
    r"conversion from 'const char ?\*' to 'char'|type 'char' with an [lr]value of type 'const char \*'"
)
"""Text, where C++ takes one character."""


def in_our_words(error: str, after: str, mend: Mend | None) -> tuple[str, str] | None:
    """What is wrong and what to do, of an error whose words are about types that only generated code names.

    Args:
        error: what the compiler says is wrong.
        after: what it says of that then.
        mend: of the call at the line that is at fault.
    """
    said_of = (error, after)
    if (time := next(filter(None, map(_TIME.search, said_of)), None)) and (words := _of_time(time)):
        return words
    if _NO_UNIT not in error and (point := next(filter(None, map(_POINT_IN_TIME.search, said_of)), None)):
        declared = [each for each in (mend.arguments if mend else ()) if each and each.declared == "duration"]
        message = "C++ has a std::chrono::time_point where a duration is declared"
        return message, _way_of_point(point[0], declared[0] if len(declared) == 1 else None)
    if owned := next(filter(None, map(_GIVEN_AWAY.search, said_of)), None):
        of = as_written(owned["of"] or owned["by"] or owned["deleted"])
        named = next((each.name for each in (mend.arguments if mend else ()) if each and each.is_overridable), "x")
        return f"C++ takes a std::unique_ptr<{of}> here", way_of_shared(of, named)
    if _FUNCTION_POINTER.search(error):
        message = "C++ takes a function pointer for this callable, and the spec does not say how long C++ calls it"
        return message, "say it here, or on its entry of `types`: scope: call; or once, destroy, object"
    if _CHARACTER.search(error):
        message = "C++ takes one `char`, where text is declared"
        return (
            message,
            "declare i8, the number of the character; or take it out of the text in C++, in cpp_body for example",
        )
    if mend and (referring := TO_REFERENCE.search(error) or _NOT_VIABLE.search(after)):
        types = referring.groupdict()
        cpp = as_written(types["of"] or types.get("to") or "")
        if given := _sole_changed(mend, types.get("nth")):
            is_number = NUMBER.fullmatch(given.declared) is not None
            way = _way_of_reference(cpp, given.name) if is_number else way_of_copy(mend, given.name, cpp)
            taken = f"{cpp} &" if cpp else "a reference, to change it"
            return f"{given.name} is declared as {given.declared}, and C++ takes {taken}", way
    return None


def way_of_type(given: Given, cpp: str, mend: Mend) -> str:
    """What to do about an argument that is a `cpp` in C++; empty where nothing is known of that."""
    is_callable = given.declared.startswith(CALLABLE)
    if given.declared == "duration" and "std::chrono::time_point<" in cpp:
        return _way_of_point(cpp, given if "order" in mend.way_out else None)
    if given.is_overridable and (owned := _OWNED.search(cpp)) and not is_callable:
        return way_of_shared(as_written(owned[1]), given.name)
    if is_callable and "function<std::unique_ptr<" in cpp:
        return "Python has the result too: let C++ take a std::shared_ptr, or a value of which C++ makes the object"
    if given.declared.startswith("[") and _OWNED.search(cpp):
        return "a call takes one handle at a time: make it a call of one, which `takes` it; or hold std::shared_ptr"
    if _COPIED.search(given.declared) and (changed := _CHANGED.fullmatch(cpp)) and mend.call and not given.unmade:
        return way_of_copy(mend, given.name, as_written(changed[1]))
    return ""


def way_of_members(message: str) -> str:
    """What to do about a member that nothing can refer to; empty for other errors."""
    member = _NO_ADDRESS.search(message)
    if not member:
        return ""
    what, name = member[1], member["name"]
    if member["object"] == "wg_object.":
        way = f"{name}: {{type: …, cpp_body: return self->{name};}}"
        return f"a {what} has no address: let code copy it, {way}"
    way = f"{name}: {{type: …, cpp: (value.{name}), set: value.{name} = {name}}}"
    return f"a {what} has no address: copy it, {way}, which raises OverflowError for what does not fit"


def way_of_sole(message: str) -> str:
    """What to do where the only pointer to an object would be copied; empty for other errors."""
    if not _COPIES_SOLE.search(message):
        return ""
    return "a std::unique_ptr has one owner: pass one handle a call, which `takes` it; or hold std::shared_ptr"


def _of_time(found: re.Match[str]) -> tuple[str, str] | None:
    """What is wrong and what to do where C++ has no such point in time, or no such duration."""
    cpp, ours = found["aka"] or found["cpp"], found["ours"].lower()
    if "time_point<" in cpp:
        if ours == "duration":
            return None
        clock = _CLOCK.search(cpp)
        of = clock[1] if clock else "a clock"
        message = f"C++ has a time_point of {of}, which no calendar knows, where a datetime is declared"
        return message, "declare duration, how long after its clock's epoch it is; `value.time_since_epoch()` is that"
    if "duration<" in cpp:
        message = f"C++ has a std::chrono::duration where a {ours} is declared"
        way = "declare duration; or say how long after the epoch it is, x.time_since_epoch(), in `cpp`"
        return message, way
    if found["unit"] or cpp.rstrip("&").strip() not in _COUNTS:
        return None
    message = f"C++ has a number where a {ours} is declared, and {_NO_UNIT}"
    return message, f"declare the unit, {ours}[s], {ours}[ms], {ours}[us] or {ours}[ns]"


_COUNTS = frozenset(
    f"{sign}{of}".strip()
    for sign in ("", "unsigned ")
    for of in ("int", "long", "long int", "long long", "long long int")
)
_COUNTS |= {"double", "float", "unsigned", "long unsigned int", "long long unsigned int", "time_t", "std::time_t"}


def _way_of_point(words: str, given: Given | None) -> str:
    """What to do where C++ has a point in time of a clock, which the words name, and the spec a duration."""
    clock = _CLOCK.search(words)
    if not clock or clock[1] == "system_clock":
        return "declare datetime in place of duration"
    point = f"std::chrono::{clock[1]}::time_point"
    if given and not given.is_written:
        made = f'{{name: {given.name}, value: "{point}({given.name})"}}'
        return f"{given.name} is how long after the clock's epoch it is: make it one in `cpp`, {made}"
    way = "for x, say x.time_since_epoch() in `result`, a duration after its clock's epoch"
    return f"{way}; {point}(x) is x again"


def _way_of_reference(cpp: str, name: str) -> str:
    """What to declare in place of a number, where C++ takes a reference to it."""
    return (
        f"C++ can change it: if it only writes it, make it a result, and drop {name}; if it reads and writes it, "
        f"name an item of the result so, -> ({name}: T), with the type that C++ has, {cpp}"
    ).removesuffix(", ")


def _sole_changed(mend: Mend, nth: str | None) -> Given | None:
    """The argument that is meant where C++ would change one; None where it could be several."""
    at = int(nth) - 1 if nth else None
    arguments = mend.arguments if at is None else mend.arguments[at : at + 1]
    found = [each for each in arguments if each and not each.is_written and each.declared]
    copied = [each for each in found if _COPIED.search(each.declared)]
    changed = copied or [each for each in found if NUMBER.fullmatch(each.declared)]
    return changed[0] if mend.call and len(changed) == 1 else None


def as_written(cpp: str) -> str:
    """A type of C++ as people write it."""
    text = re.sub(r"std::(?:__cxx11::|__1::)?basic_string<char>|\bstd::string\b", "std::string", cpp)
    return re.sub(r"\s+", " ", text).replace(" >", ">").strip()
