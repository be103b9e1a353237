"""What a kernel prints, as a call of C's `printf`."""

from __future__ import annotations

from collections.abc import Sequence

from unified_gpu.dtypes import DType

_INT, _UNSIGNED = ("%d", "(int){}"), ("%u", "(unsigned){}")
_FORMATS = {
    **dict.fromkeys(("i8", "i16", "i32"), _INT), **dict.fromkeys(("u8", "u16", "u32"), _UNSIGNED),
    "i64": ("%lld", "(long long){}"), "u64": ("%llu", "(unsigned long long){}"),
    "bool": ("%s", '{} ? "True" : "False"'),
    "f16": ("%g", "(double)__half2float({})"), "f32": ("%g", "(double){}"), "f64": ("%g", "{}"),
}  # fmt: skip
"""By the type of a number: what `printf` is told, and what it is given."""


def printf(texts: Sequence[str], values: Sequence[tuple[DType, str]]) -> str:
    """A line of texts with a number between each two."""
    line, arguments = _literal(texts[0]), ""
    for (dtype, value), text in zip(values, texts[1:], strict=True):
        form, argument = _FORMATS[dtype.name]
        line += form + _literal(text)
        arguments += f", {argument.format(value)}"
    return f'printf("{line}\\n"{arguments})'


def _literal(text: str) -> str:
    """The text inside a literal that is a format."""
    return "".join(
        c if c.isascii() and c.isprintable() and c not in '\\"?' else "".join(f"\\{byte:03o}" for byte in c.encode())
        for c in text.replace("%", "%%")
    )
