"""Documentation, which both engines have from one place: decides every line of `docs.hpp`; places none."""

from __future__ import annotations

from wrapper_gen import names
from wrapper_gen.frozen import frozen
from wrapper_gen.model import Module
from wrapper_gen.views.docs import DocView, SignatureView, docs, signatures

NUMBER = 1
TEMPLATES = (("bridge/docs.hpp.jinja", "docs.hpp"),)
STATIC: tuple[tuple[str, str], ...] = ()


@frozen
class DocsView:
    """What the template places."""

    lib: str
    namespace: str
    docs: tuple[DocView, ...]
    signatures: tuple[SignatureView, ...]


def view(module: Module) -> DocsView:
    """The documentation of one module."""
    return DocsView(module.name, names.namespace(module.name), tuple(docs(module)), tuple(signatures(module)))
