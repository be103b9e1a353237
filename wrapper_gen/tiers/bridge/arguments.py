"""How arguments go into the user's code: checked where C++ would convert them in silence, in the form that it takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wrapper_gen.frozen import frozen, replace
from wrapper_gen.model import Argument
from wrapper_gen.quoting import c_bool, c_string
from wrapper_gen.types.around import ITSELF, Around, Instead
from wrapper_gen.types.rows import Care, ParameterRow


@frozen
class Call:
    """How the typed function calls the user's code."""

    expression: str
    asked: tuple[str, ...] = ()
    """First: what the code takes, which decides how arguments are given."""
    statements: tuple[str, ...] = ()
    """Before the call: each argument as the code wants it, checked; then what the call consumes."""
    is_whole: str = ""
    """The condition under which each bytes argument goes as one; empty where there is no choice."""
    in_pairs: Call | None = None
    """Otherwise: the same call with an address and a length for each."""
    given: tuple[str, ...] | None = None
    """The arguments in `expression`; None where they stand in a lambda, or are those of the spec's own code."""


@frozen
class Slot:
    """One argument of a call."""

    own: str
    """What the typed function calls the value."""
    form: Around = ITSELF
    """The argument, around the value."""
    care: Care = Care.NONE
    shown: str = ""
    """What Python calls it."""
    asked: Around | None = None
    """The argument in probes, where the form is a name that is not declared yet."""
    is_represented: bool = False
    """Whether C++ may want a value that stands for it, as `types` says."""
    has_alternatives: bool = False
    """Whether it is a value of one of several types, for each of which C++ may have a function of its own."""


_TYPES = {
    Care.TEXT: "wg::SomeText",
    Care.MAYBE_TEXT: "wg::SomeMaybe<std::string>",
    Care.BYTES: "wg::SomeBytes",
    Care.POINTER: "wg::SomeAddress",
}
_MANY = 30
"""More arguments than this make a call long: with a lambda for each, its text would grow with their square."""
_HAVE_FORMS = {*_TYPES, Care.CALLABLE}
"""What a call may want in one of several forms."""


def checked_call(
    callee: Around,
    slots: Sequence[Slot],
    taken: Sequence[str] = (),
    *,
    in_pairs: bool = False,
    names_class: bool = False,
) -> Call:
    """The call of `callee`, a member around its object or a function instead of one, with these arguments.

    `names_class`: it makes an object. With one argument that is a conversion, for which also the constructors that copy
    an object take what is in braces. `taken` are statements that follow all checks: nothing is consumed by a call that
    refuses another argument.
    """
    locals_, slots = _in_pairs(slots) if in_pairs else ((), tuple(slots))
    if all(slot.care in (Care.NONE, Care.TAKEN) and not slot.is_represented for slot in slots):
        arguments = [slot.form.of(slot.own) for slot in slots]
        return Call(_called(callee, slots, arguments), statements=tuple(taken), given=_known(slots, arguments))
    is_bound = any(slot.care is Care.HANDLE for slot in slots)
    given = [Slot("wg_h")] * _is_member(callee) + [slot for slot in slots if slot.care is not Care.TAKEN]
    places = {slot.own: i for i, slot in enumerate(given)}
    has_forms = any(slot.care in _HAVE_FORMS or slot.is_represented for slot in slots)
    types = ", ".join(map(_type, given))
    names = {own: f"wg_asked_{at}" for own, at in places.items()}
    written = tuple((slot.asked or slot.form).of(names.get(slot.own, slot.own)) for slot in slots)
    is_long = len(slots) > _MANY and not any("\n" in each for each in written)
    probe = _Probe(callee, names, written, {slot.own: at for at, slot in enumerate(slots)}, is_bound, is_long)
    may_convert = names_class and len(given) == 1
    asked, statements = [*locals_, *probe.macros()], list[str]()
    if has_forms:
        asked.append(probe.lambda_("wg_whole"))
        asked.append(f"using wg_types = decltype(wg::settle<decltype(wg_whole), {types}>());")
    else:
        if is_bound or any(slot.care is Care.COMPOUND for slot in slots):
            asked.append(probe.lambda_("wg_whole", is_expanded=False))
        asked.append(f"using wg_types = wg::Given<{types}>;")
    final = []
    for slot in slots:
        as_it_is = slot.form.of(slot.own) if slot.care in (Care.NONE, Care.TAKEN) else ""
        if as_it_is and not slot.is_represented:
            final.append(as_it_is)
            continue
        at = places[slot.own]
        if slot.care in (Care.NUMBER, Care.TEXT, Care.COMPOUND):
            statements.append(probe.lambda_(f"wg_probe_{at}", slot.own))
        if slot.care is Care.NUMBER and may_convert:
            statements.append(probe.lambda_("wg_plain", is_expanded=False))
        made = as_it_is or _given(slot, at, may_convert=may_convert)
        if slot.is_represented:
            plain = f"[&]() -> decltype(auto) {{ return {made if slot.care is not Care.NONE else f'({made})'}; }}"
            made = f"wg::represented<wg_types, {at}>({slot.own}, {c_string(slot.shown)}, {plain})"
        statements.append(f"auto &&wg_given_{at} = {made};")
        final.append(slot.form.of(f"wg_given_{at}"))
    has_choice = not in_pairs and any(slot.care is Care.BYTES for slot in slots)
    return Call(
        _called(callee, slots, final),
        tuple(asked),
        (*statements, *taken),
        "wg::is_taken_by<decltype(wg_whole)>(wg_types())" if has_choice else "",
        given=_known(slots, final),
    )


def _known(slots: Sequence[Slot], arguments: Sequence[str]) -> tuple[str, ...] | None:
    return None if sum(slot.has_alternatives for slot in slots) == 1 else tuple(arguments)


def _is_member(callee: Around) -> bool:
    return not isinstance(callee, Instead)


def _called(callee: Around, slots: Sequence[Slot], arguments: Sequence[str]) -> str:
    """The call; where one argument has alternatives, of the function for the one that it is.

    What is asked then is a lambda that captures nothing, which clang 14 needs.
    """
    own = callee.of("wg_h")
    found = [i for i, slot in enumerate(slots) if slot.has_alternatives]
    if len(found) != 1:
        return f"{own}({', '.join(arguments)})"
    others = {f"wg_other_{i}": argument for i, argument in enumerate(arguments) if i != found[0]}
    given = [f"std::forward<decltype({name})>({name})" for name in others]
    given.insert(found[0], "std::forward<decltype(wg_each)>(wg_each)")
    others |= {"wg_h": "wg_h"} if _is_member(callee) else {}
    call = f"{own}({', '.join(given)})"
    parameters = ", ".join(f"auto &&{name}" for name in ("wg_each", *others))
    passed = ", ".join([arguments[found[0]], *others.values()])
    shown = c_string(slots[found[0]].shown)
    return f"wg::by_alternative({shown}, []({parameters}) -> decltype({call}) {{ return {call}; }}, {passed})"


def _type(slot: Slot) -> str:
    """What the code is asked about."""
    asked = _TYPES.get(slot.care, f"decltype(({slot.own}))")
    return f"wg::SomeRepresented<{asked}, std::decay_t<decltype({slot.own})>>" if slot.is_represented else asked


def _given(slot: Slot, at: int, *, may_convert: bool) -> str:
    """The expression that makes the argument."""
    where, shown = f"wg_types, {at}", c_string(slot.shown)
    match slot.care:
        case Care.NUMBER:
            plain = ", decltype(wg_plain)" if may_convert else ""
            return f"wg::argument<decltype(wg_probe_{at}), {where}{plain}>({slot.own}, {shown})"
        case Care.TEXT:
            return f"wg::text<decltype(wg_whole), decltype(wg_probe_{at}), {where}>({slot.own}, {shown})"
        case Care.COMPOUND:
            probe = "wg_whole" if may_convert else f"wg_probe_{at}"
            return f"wg::compound<decltype(wg_whole), decltype({probe}), {where}>({slot.own}, {shown})"
        case Care.MAYBE_TEXT:
            return f"wg::maybe_text<decltype(wg_whole), {where}>({slot.own}, {shown})"
        case Care.BYTES:
            return f"wg::bytes<{where}>({slot.own})"
        case Care.CALLABLE:
            return f"wg::callable<decltype(wg_whole), {where}>({slot.own})"
        case Care.HANDLE:
            return f"wg::bound<decltype(wg_whole), wg_types>({slot.own}, {shown})"
        case _:
            return f"wg::pointer<{where}>({slot.own})"


def _in_pairs(slots: Sequence[Slot]) -> tuple[tuple[str, ...], tuple[Slot, ...]]:
    """The arguments with an address and a length for each bytes, and the statements that declare those."""
    statements, out = [], []
    for slot in slots:
        if slot.care is not Care.BYTES:
            out.append(slot)
            continue
        data, size = f"wg_data_{len(out)}", f"wg_size_{len(out)}"
        statements += [f"const char *{data} = {slot.own}.data();", f"wg::usize {size} = {slot.own}.size();"]
        out += [
            Slot(data, care=Care.POINTER, shown=slot.shown),
            Slot(size, care=Care.NUMBER, shown=f"len({slot.shown})"),
        ]
    return tuple(statements), tuple(out)


@frozen
class _Probe:
    """Lambdas over the arguments of one call, whose types exist when the call does."""

    callee: Around
    asked: dict[str, str]
    """What each argument is called in the lambdas."""
    arguments: tuple[str, ...]
    at: dict[str, int]
    """Where each stands among the arguments."""
    is_bound: bool
    is_long: bool
    """Whether macros stand for parameters and arguments, so that the text of the lambdas grows as the call does."""

    def lambda_(self, name: str, braced: str = "", *, is_expanded: bool = True) -> str:
        """One that has the argument `braced` in braces; `is_expanded`: the callee may be a function-like macro."""
        if braced and self.is_long:
            return self._long_lambda(name, self.at[braced])
        arguments = list(self.arguments)
        if braced:
            at = self.at[braced]
            arguments[at] = f"{{{arguments[at]}}}"
        return self._lambda(name, self._parameters(), arguments, is_expanded=is_expanded and not braced)

    def macros(self) -> Iterator[str]:
        """What defines these macros; none of a call that is not long."""
        if not self.is_long:
            return
        arguments = ", ".join(f"WG_ARGUMENT_{i}({each})" for i, each in enumerate(self.arguments))
        for name, text in (("WG_ASKED", self._parameters()), ("WG_ARGUMENTS", arguments)):
            yield from (f"#undef {name}", f"#define {name} {text}")
        for i in range(len(self.arguments)):
            yield from _argument_macro(i)

    def _long_lambda(self, name: str, at: int) -> str:
        made = self._lambda(name, "WG_ASKED", ["WG_ARGUMENTS"], is_expanded=False)
        return "\n".join([*_argument_macro(at, is_braced=True), made, *_argument_macro(at)])

    def _parameters(self) -> str:
        return ", ".join(f"[[maybe_unused]] auto &{each}" for each in self.asked.values())

    def _lambda(self, name: str, parameters: str, arguments: Sequence[str], *, is_expanded: bool) -> str:
        callee = self.callee.of(self.asked.get("wg_h", ""))
        unexpanded = "" if is_expanded else " WG_NOT_EXPANDED "
        called = f"{callee}{unexpanded}({', '.join(arguments)})"
        made = f"[]({parameters}) -> decltype(static_cast<void>({called})) {{}}"
        return f"[[maybe_unused]] const auto {name} = {f'wg::binding({made})' if self.is_bound else made};"


def _argument_macro(at: int, *, is_braced: bool = False) -> tuple[str, str]:
    """The lines that let a macro stand for an argument of a long call: as it is, or in braces."""
    made = "{__VA_ARGS__}" if is_braced else "__VA_ARGS__"
    return f"#undef WG_ARGUMENT_{at}", f"#define WG_ARGUMENT_{at}(...) {made}"


# --- where C++ finds the order ---


def brings_length(row: ParameterRow) -> bool:
    """Whether C++ may want its address and its length."""
    return row.brings_length or row.can_be_null or row.care in (Care.TEXT, Care.BYTES, Care.CALLABLE)


def argument_in(row: ParameterRow, own: str, shown: str, *, may_change: bool = True) -> str:
    """One argument, as what C++ may want of it; `may_change`: a struct may go where C could change it."""
    if row.is_represented:
        plain = argument_in(replace(row, is_represented=False), own, shown, may_change=may_change)
        return f"wg::represented_in({own}, {c_string(shown)}, {plain})"
    length = c_string(row.lengths or f"len({shown})")
    if row.can_be_null:
        return f"wg::maybe_in({own}, {c_string(shown)}, {length})"
    if row.is_gathered:
        return f"wg::list_in({own}, {c_string(shown)}, {length})"
    if row.goes_by_address:
        return f"wg::struct_in<{c_bool(may_change)}>({own})"
    match row.care:
        case Care.NUMBER:
            return f"wg::number_in({own}, {c_string(shown)})"
        case Care.TEXT:
            return f"wg::TextIn{{{own}, {c_string(shown)}, {length}}}"
        case Care.BYTES:
            return f"wg::BytesIn{{{own}, {length}}}"
        case Care.CALLABLE:
            return f"wg::callable_in({own})"
        case Care.COMPOUND:
            return f"wg::fitted_in({own}, {c_string(shown)})"
        case Care.TAKEN:
            return f"wg::taken_in({own})"
        case _:
            plain = f"WG_PLAIN({row.form.inner.of(own)})"
            return f"wg::array_in({own}, {length})" if row.brings_length else plain


def room_for_text(argument: Argument) -> tuple[str, str]:
    """Room for the text of a failure, which is released in any case."""
    release = f"[]([[maybe_unused]] {argument.cast} value) {{ static_cast<void>({argument.value or 0}); }}"
    return f"const auto wg_free = {release};", f"wg::ErrorText<{argument.cast}, decltype(wg_free)> wg_error(wg_free);"
