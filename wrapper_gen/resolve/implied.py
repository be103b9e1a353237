"""The C++ name of an entry that is a `def` and says none: its own, in the library's case and with its prefix."""

from __future__ import annotations

import re

from wrapper_gen import names
from wrapper_gen.model import Code, Named
from wrapper_gen.resolve.held_types import held_class
from wrapper_gen.resolve.implementation_keys import implementation_key
from wrapper_gen.resolve.parameters import Signature
from wrapper_gen.resolve.scope import Map, Naming, Scope

_PREFIX = re.compile(r"(?:::)?(?:[A-Za-z_]\w*::)*(?:[A-Za-z_]\w*)?")


def read_naming(lib: Map, scope: Scope) -> Naming:
    """How the library spells names."""
    own = read_prefix(lib, scope)
    methods = {
        name: read_prefix(handle, scope)
        for name, handle in scope.named("handle_types", "name")
        if handle.get("cpp_prefix") is not None
    }
    if scope.text(lib, "lang") == "c":
        methods = {**dict.fromkeys(scope.handles, own), **methods}
    return Naming(scope.text(lib, "cpp_case"), own, methods)


def read_prefix(entry: Map, scope: Scope) -> str:
    """What goes before the names of the library: the start of a name, or a namespace."""
    prefix = entry.get("cpp_prefix")
    if not isinstance(prefix, str):
        return ""
    if not _PREFIX.fullmatch(prefix):
        hint = "write the start of a name, such as lib_, or a namespace with its `::`"
        scope.error("WG020", f"{prefix!r} cannot be the start of a C++ name", scope.span(entry, "cpp_prefix"), hint)
    return prefix


def deduced(entry: Map, scope: Scope, signature: Signature) -> Named | None:
    """What implements the entry, where that is for its name to say."""
    if "def" not in entry or implementation_key(entry):
        return None
    naming, name = scope.naming, signature.name
    if signature.static:
        before = naming.methods.get(signature.static, f"{held_class(signature.static, scope)[1]}::")
        return Named(Code(before + names.cased(name, naming.case), signature.span))
    if signature.handle is None:
        base = names.base(scope.lib, name) if naming.prefix else name
        return Named(Code(naming.prefix + names.cased(base, naming.case), signature.span))
    prefix = naming.methods.get(signature.handle)
    return Named(Code((prefix or "") + names.cased(name, naming.case), signature.span), is_member=prefix is None)
