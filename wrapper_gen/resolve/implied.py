"""The C++ name of an entry that is a `def` and says none: its own, in the library's case and with its prefix."""

from __future__ import annotations

import re
from collections.abc import Iterable

from wrapper_gen import names
from wrapper_gen.model import Code, Named
from wrapper_gen.resolve.held_types import held_class
from wrapper_gen.resolve.implementation_keys import implementation_key
from wrapper_gen.resolve.parameters import Signature
from wrapper_gen.resolve.scope import Map, Naming, Scope, SpecReader

_PREFIX = re.compile(r"(?:::)?(?:[A-Za-z_]\w*::)*(?:[A-Za-z_]\w*)?")


def read_naming(lib: Map, spec: SpecReader, handles: Iterable[str]) -> Naming:
    """How the library spells names; `handles` are all types of handles."""
    own = read_prefix(lib, spec)
    methods = {
        name: read_prefix(handle, spec)
        for name, handle in spec.named("handle_types", "name")
        if handle.get("prefix") is not None
    }
    if spec.text(lib, "lang") == "c":
        methods = {**dict.fromkeys(handles, own), **methods}
    return Naming(spec.text(lib, "case"), own, methods)


def read_prefix(entry: Map, spec: SpecReader) -> str:
    """What goes before the names of the library: the start of a name, or a namespace."""
    prefix = entry.get("prefix")
    if not isinstance(prefix, str):
        return ""
    if not _PREFIX.fullmatch(prefix):
        hint = "write the start of a name, such as lib_, or a namespace with its `::`"
        spec.error("WG020", f"{prefix!r} cannot be the start of a C++ name", spec.span(entry, "prefix"), hint)
    return prefix


def deduced(entry: Map, scope: Scope, signature: Signature) -> Named | None:
    """What implements the entry, where that is for its name to say."""
    if scope.document.is_original(entry) or implementation_key(entry):
        return None
    naming, name = scope.names.naming, signature.name
    if signature.static:
        before = naming.methods.get(signature.static, f"{held_class(signature.static, scope)[1]}::")
        return Named(Code(before + names.cased(name, naming.case), signature.span))
    if signature.handle is None:
        base = names.base(scope.names.lib, name) if naming.prefix else name
        return Named(Code(naming.prefix + names.cased(base, naming.case), signature.span))
    prefix = naming.methods.get(signature.handle)
    return Named(Code((prefix or "") + names.cased(name, naming.case), signature.span), is_member=prefix is None)
