"""The language server for specs: what the loader and the headers know, while one types; see docs/editors.md."""

from __future__ import annotations

from wrapper_gen.diagnostics import Diagnostic, Span, ToolchainError

_INSTALL = "pip install 'wrapper-gen[lsp]'"


def serve(version: str) -> None:
    """Answer an editor on stdin and stdout until it ends the conversation.

    Raises:
        ToolchainError: pygls is not installed.
    """
    try:
        from wrapper_gen.lsp import server
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        why = f"{error.name}, which talks to editors, is not installed"
        raise ToolchainError(Diagnostic("WG370", why, Span("pygls", 1, 1), _INSTALL)) from error
    server.serve(version)
