"""The language server: answers an editor's requests over stdin and stdout; the only module that knows pygls."""

from __future__ import annotations

import asyncio
import functools
import logging
import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from lsprotocol import types as lsp
from pygls import uris
from pygls.lsp.server import LanguageServer

from wrapper_gen.diagnostics import Diagnostic, Severity
from wrapper_gen.lsp import findings, highlighting, places, symbols
from wrapper_gen.lsp.completion import MOST, Completion, completions
from wrapper_gen.lsp.declared_in_c import DeclaredInC
from wrapper_gen.lsp.library_headers import HeaderReader
from wrapper_gen.lsp.positions import UTF_16, EditorPosition
from wrapper_gen.lsp.signature_help import shown_parameters, signature_help
from wrapper_gen.lsp.spec_document import SpecDocument

_LOG = logging.getLogger(__name__)
_SPEC = re.compile(r"^wrapper_lib[ \t]*:", re.MULTILINE)
_PAUSE = 0.02
"""Seconds without typing after which a spec is read."""
_PATIENCE = 3.0
"""Seconds that a question about C waits for headers that are still being read."""
_TRIGGERS = list(':"(,>[|.& ')
_FORMER = ("WG290",)
"""What finds a former spelling: editors strike it through."""
_SOURCE = "wrapper-gen"

_KINDS = {
    "key": lsp.CompletionItemKind.Property,
    "word": lsp.CompletionItemKind.Keyword,
    "parameter": lsp.CompletionItemKind.Variable,
    "file": lsp.CompletionItemKind.File,
    "type": lsp.CompletionItemKind.TypeParameter,
    "function": lsp.CompletionItemKind.Function,
    "method": lsp.CompletionItemKind.Method,
    "constructor": lsp.CompletionItemKind.Constructor,
    "member": lsp.CompletionItemKind.Field,
    "macro": lsp.CompletionItemKind.Function,
    "constant": lsp.CompletionItemKind.Constant,
    "class": lsp.CompletionItemKind.Class,
    "struct": lsp.CompletionItemKind.Struct,
    "enum": lsp.CompletionItemKind.Enum,
    "value of an enum": lsp.CompletionItemKind.EnumMember,
    "error": lsp.CompletionItemKind.Class,
    "exception": lsp.CompletionItemKind.Class,
    "field": lsp.CompletionItemKind.Field,
}
_SYMBOLS = {
    "section": lsp.SymbolKind.Namespace,
    "library": lsp.SymbolKind.Module,
    "class": lsp.SymbolKind.Class,
    "struct": lsp.SymbolKind.Struct,
    "enum": lsp.SymbolKind.Enum,
    "value of an enum": lsp.SymbolKind.EnumMember,
    "error": lsp.SymbolKind.Class,
    "exception": lsp.SymbolKind.Class,
    "type": lsp.SymbolKind.TypeParameter,
    "constant": lsp.SymbolKind.Constant,
    "field": lsp.SymbolKind.Field,
    "constructor": lsp.SymbolKind.Constructor,
    "method": lsp.SymbolKind.Method,
    "function": lsp.SymbolKind.Function,
}


def serve(version: str) -> None:
    """Answer the editor at stdin until it says that it ends."""
    SpecServer(version).start_io()


class _OpenSpec:
    """A spec that is open: its document, and what was found in it."""

    def __init__(self, document: SpecDocument, version: int | None) -> None:
        self.document, self.version = document, version
        self.findings: Sequence[Diagnostic] = ()
        self.of: SpecDocument | None = None
        """The document that the findings are of."""
        self.task: asyncio.Task[None] | None = None


class SpecServer(LanguageServer):
    """Keeps the specs that are open, reads each again when it has changed, and answers."""

    def __init__(self, version: str) -> None:
        super().__init__(_SOURCE, version, text_document_sync_kind=lsp.TextDocumentSyncKind.Full)
        self.specs: dict[str, _OpenSpec] = {}
        self.headers = HeaderReader(self._headers_are_read)
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="specs")
        self._loop: asyncio.AbstractEventLoop | None = None
        _register(self)

    def shutdown(self) -> None:
        """Leave what is being read."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        super().shutdown()  # type: ignore[no-untyped-call]  # of pygls

    # --- documents ---

    def opened(self, uri: str) -> None:
        """A document was opened, or has another text."""
        self._loop = asyncio.get_running_loop()
        source = self.workspace.get_text_document(uri)
        path = _path(uri)
        if path.suffix != ".wrapper_spec" and not _SPEC.search(source.source):
            self.closed(uri)
            return
        encoding = lsp.PositionEncodingKind(self.workspace.position_encoding or UTF_16).value
        document = SpecDocument(source.source, path, encoding, self._text_of)
        is_new = uri not in self.specs
        spec = self.specs.setdefault(uri, _OpenSpec(document, source.version))
        spec.document, spec.version = document, source.version
        self._read_later(uri, 0 if is_new else _PAUSE)
        self._read_others(uri)

    def closed(self, uri: str) -> None:
        """A document is closed: nothing more is shown of it."""
        spec = self.specs.pop(uri, None)
        if spec is not None:
            if spec.task is not None:
                spec.task.cancel()
            self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))
            self._read_others(uri)

    def saved(self) -> None:
        """Files have changed: what they have may matter to any spec."""
        for uri in self.specs:
            self._read_later(uri, _PAUSE)

    def _text_of(self, path: Path) -> str | None:
        """The text of a spec that is open."""
        wanted = findings.shown(path)
        documents = (each.document for each in self.specs.values())
        return next((each.text for each in documents if findings.shown(each.path) == wanted), None)

    def _read_others(self, uri: str) -> None:
        for other, spec in self.specs.items():
            if other != uri and spec.document.names.uses():
                self._read_later(other, _PAUSE)

    def _read_later(self, uri: str, pause: float) -> None:
        spec = self.specs[uri]
        if spec.task is not None:
            spec.task.cancel()
        spec.task = asyncio.ensure_future(self._read(uri, pause))

    async def _read(self, uri: str, pause: float) -> None:
        try:
            await asyncio.sleep(pause)
            spec = self.specs[uri]
            document = spec.document
            texts = {Path(findings.shown(each.document.path)): each.document.text for each in self.specs.values()}
            ask = functools.partial(_found, document, texts)
            found = await asyncio.get_running_loop().run_in_executor(self._pool, ask)
            if self.specs.get(uri) is spec and spec.document is document:
                spec.findings, spec.of = found, document
                self.publish(uri)
        except asyncio.CancelledError:
            raise
        except Exception:
            _LOG.exception("%s: a mistake of wrapper-gen", uri)

    async def current(self, uri: str) -> _OpenSpec | None:
        """A spec with the findings of its present text."""
        spec = self.specs.get(uri)
        while spec is not None and spec.of is not spec.document and spec.task is not None:
            await asyncio.wait([spec.task])
            if spec.task.done():
                break
        return spec

    def publish(self, uri: str) -> None:
        """Show what was found in a spec."""
        spec = self.specs[uri]
        if spec.of is not spec.document:
            return
        shown = [_diagnostic(each, spec.document, uri) for each in spec.findings]
        shown += self._of_headers(spec.document)
        self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, shown, spec.version))

    # --- headers ---

    def _headers_are_read(self) -> None:
        """Called in the thread that reads them."""
        if self._loop is not None:
            with suppress(RuntimeError):  # the server has ended
                self._loop.call_soon_threadsafe(self._publish_all)

    def _publish_all(self) -> None:
        for uri in self.specs:
            self.publish(uri)

    def _of_headers(self, document: SpecDocument) -> list[lsp.Diagnostic]:
        """Why nothing is known of the library's names; a spec is right without."""
        lib = document.outline.root.get("wrapper_lib")
        node = lib.get("cpp_include") if lib is not None else None
        problem = self.headers.problem(document.headers)
        missing = ", ".join(document.headers.missing)
        said = [f"{missing} was not found: its names are not completed"] * bool(missing)
        said += [f"the headers are not read: {problem}"] * bool(problem)
        severity = lsp.DiagnosticSeverity.Information
        if node is None:
            return []
        where = _range(document, node.start, node.end)
        return [lsp.Diagnostic(where, each, severity, source=_SOURCE) for each in said]

    async def declared(self, document: SpecDocument, patience: float = _PATIENCE) -> DeclaredInC | None:
        """What the headers of a spec declare; waits a while for those that are being read."""
        known = self.headers.known(document.headers)
        running = self.headers.reading(document.headers)
        if known is None and running is not None and patience:
            await asyncio.wait([asyncio.wrap_future(running)], timeout=patience)
            known = self.headers.known(document.headers)
        return known

    async def declared_at(self, document: SpecDocument, position: lsp.Position) -> DeclaredInC | None:
        """The same, for a question about this place: it waits only where headers may say more than the spec."""
        is_of_c = places.asks_for_c(document, _offset(document, position))
        return await self.declared(document, _PATIENCE if is_of_c else 0)


def _found(document: SpecDocument, texts: dict[Path, str]) -> Sequence[Diagnostic]:
    """What is wrong with a document; in a thread, in which programs are asked for headers, too."""
    found = findings.findings(document.path, texts)
    _ = document.headers, document.names
    return found


def _path(uri: str) -> Path:
    return Path(uris.to_fs_path(uri) or unquote(urlsplit(uri).path) or "untitled")


# --- from our words to the protocol's ---------------------------------------------------------------------------------


def _position(document: SpecDocument, offset: int) -> lsp.Position:
    return lsp.Position(*document.lines.position(offset))


def _range(document: SpecDocument, start: int, end: int) -> lsp.Range:
    return lsp.Range(_position(document, start), _position(document, end))


def _offset(document: SpecDocument, position: lsp.Position) -> int:
    return document.lines.offset(EditorPosition(position.line, position.character))


def _diagnostic(finding: Diagnostic, document: SpecDocument, uri: str) -> lsp.Diagnostic:
    own = findings.shown(document.path)
    start, end = document.lines.offsets(findings.place_in(own, finding.span))
    message = f"{finding.message}\n{finding.hint}" if finding.hint else finding.message
    is_elsewhere = finding.span.path != own
    related = [*finding.related, *([(finding.span, finding.message)] if is_elsewhere else [])]
    return lsp.Diagnostic(
        _range(document, start, end),
        message,
        lsp.DiagnosticSeverity.Error if finding.severity is Severity.ERROR else lsp.DiagnosticSeverity.Warning,
        finding.code,
        source=_SOURCE,
        tags=[lsp.DiagnosticTag.Deprecated] if finding.code in _FORMER else None,
        related_information=[_related(span, what, document, uri) for span, what in related],
    )


def _related(span: Any, what: str, document: SpecDocument, uri: str) -> lsp.DiagnosticRelatedInformation:
    if span.path == findings.shown(document.path):
        location = lsp.Location(uri, _range(document, *document.lines.offsets(span)))
    else:
        other = document.path.parent / span.path
        place = lsp.Position(span.line - 1, span.column - 1)
        location = lsp.Location(uris.from_fs_path(str(other)) or uri, lsp.Range(place, place))
    return lsp.DiagnosticRelatedInformation(location, what)


def _markdown(text: str) -> lsp.MarkupContent:
    return lsp.MarkupContent(lsp.MarkupKind.Markdown, text)


def _completion(each: Completion, document: SpecDocument, number: int) -> lsp.CompletionItem:
    return lsp.CompletionItem(
        each.label,
        kind=_KINDS.get(each.kind, lsp.CompletionItemKind.Text),
        detail=each.detail or None,
        documentation=_markdown(each.doc) if each.doc else None,
        sort_text=f"{each.order:03}{number:04}",
        filter_text=each.filter or None,
        insert_text_format=lsp.InsertTextFormat.Snippet if each.is_snippet else lsp.InsertTextFormat.PlainText,
        text_edit=lsp.TextEdit(_range(document, each.start, each.end), each.insert),
        tags=[lsp.CompletionItemTag.Deprecated] if each.is_deprecated else None,
    )


def _symbol(each: symbols.OutlineSymbol, document: SpecDocument) -> lsp.DocumentSymbol:
    return lsp.DocumentSymbol(
        each.name,
        _SYMBOLS.get(each.kind, lsp.SymbolKind.Variable),
        _range(document, each.start, each.end),
        _range(document, each.name_start, each.name_end),
        detail=each.detail or None,
        children=[_symbol(below, document) for below in each.below],
    )


def _tokens(document: SpecDocument) -> list[int]:
    """Highlights as the protocol has them: five numbers each, relative to the one before."""
    data: list[int] = []
    line = character = 0
    for start, end, kind in highlighting.highlights(document):
        at = document.lines.position(start)
        data += [at.line - line, at.character - (character if at.line == line else 0)]
        data += [document.lines.units(start, end), highlighting.TOKEN_TYPES.index(kind), 0]
        line, character = at
    return data


def _locations(found: Iterable[places.Target], document: SpecDocument, uri: str) -> list[lsp.Location]:
    locations = []
    for each in found:
        if each.path is None:
            locations.append(lsp.Location(uri, _range(document, each.start, each.end)))
        else:
            place = lsp.Position(each.line, each.column)
            other = uris.from_fs_path(str(each.path))
            locations += [lsp.Location(other, lsp.Range(place, place))] if other else []
    return locations


# --- requests ---------------------------------------------------------------------------------------------------------


async def _complete(server: SpecServer, params: lsp.CompletionParams) -> lsp.CompletionList | None:
    spec = server.specs.get(params.text_document.uri)
    if spec is None:
        return None
    document = spec.document
    known = await server.declared(document, patience=0)
    offset = _offset(document, params.position)
    text_document = server.client_capabilities.text_document
    capability = text_document.completion if text_document else None
    item = capability.completion_item if capability else None
    found = completions(document, offset, known, snippets=bool(item and item.snippet_support))
    is_partial = len(found) >= MOST or server.headers.reading(document.headers) is not None
    return lsp.CompletionList(is_partial, [_completion(each, document, i) for i, each in enumerate(found)])


async def _hover(server: SpecServer, params: lsp.HoverParams) -> lsp.Hover | None:
    spec = server.specs.get(params.text_document.uri)
    if spec is None:
        return None
    known = await server.declared_at(spec.document, params.position)
    document = spec.document
    found = places.subject(document, _offset(document, params.position), known)
    text = places.hover(found, document) if found else ""
    return lsp.Hover(_markdown(text), _range(document, found.start, found.end)) if found and text else None


async def _definition(server: SpecServer, params: lsp.DefinitionParams) -> list[lsp.Location] | None:
    spec = server.specs.get(params.text_document.uri)
    if spec is None:
        return None
    known = await server.declared_at(spec.document, params.position)
    document = spec.document
    found = places.targets(document, _offset(document, params.position), known)
    return _locations(found, document, params.text_document.uri)


async def _signature_help(server: SpecServer, params: lsp.SignatureHelpParams) -> lsp.SignatureHelp | None:
    spec = server.specs.get(params.text_document.uri)
    known = await server.declared(spec.document) if spec is not None else None
    if spec is None or known is None:
        return None
    found = signature_help(spec.document, _offset(spec.document, params.position), known)
    if found is None:
        return None
    signatures = [
        lsp.SignatureInformation(
            each.shown,
            _markdown(each.doc) if each.doc else None,
            [lsp.ParameterInformation(name) for name in shown_parameters(each)],
        )
        for each in found.entities
    ]
    return lsp.SignatureHelp(signatures, 0, found.argument)


async def _symbols(server: SpecServer, params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol] | None:
    spec = server.specs.get(params.text_document.uri)
    if spec is None:
        return None
    return [_symbol(each, spec.document) for each in symbols.symbols(spec.document)]


async def _semantic_tokens(server: SpecServer, params: lsp.SemanticTokensParams) -> lsp.SemanticTokens | None:
    spec = server.specs.get(params.text_document.uri)
    return lsp.SemanticTokens(_tokens(spec.document)) if spec is not None else None


async def _code_action(server: SpecServer, params: lsp.CodeActionParams) -> list[lsp.CodeAction] | None:
    uri = params.text_document.uri
    spec = await server.current(uri)
    if spec is None:
        return None
    document = spec.document
    first, last = _offset(document, params.range.start), _offset(document, params.range.end)
    actions = []
    for finding in spec.findings if spec.of is document else ():
        start, end = document.lines.offsets(findings.place_in(findings.shown(document.path), finding.span))
        if start > last or end < first:
            continue
        shown = _diagnostic(finding, document, uri)
        for change in findings.changes(finding, document.lines):
            edit = lsp.TextEdit(_range(document, change.start, change.end), change.text)
            actions.append(
                lsp.CodeAction(
                    change.title,
                    lsp.CodeActionKind.QuickFix,
                    [shown],
                    is_preferred=change.is_preferred or None,
                    edit=lsp.WorkspaceEdit({uri: [edit]}),
                )
            )
    return actions


def _register(server: SpecServer) -> None:
    """Tell pygls which function answers what."""
    legend = lsp.SemanticTokensLegend(list(highlighting.TOKEN_TYPES), [])
    told: dict[str, Callable[[Any], None]] = {
        lsp.TEXT_DOCUMENT_DID_OPEN: lambda params: server.opened(params.text_document.uri),
        lsp.TEXT_DOCUMENT_DID_CHANGE: lambda params: server.opened(params.text_document.uri),
        lsp.TEXT_DOCUMENT_DID_CLOSE: lambda params: server.closed(params.text_document.uri),
        lsp.TEXT_DOCUMENT_DID_SAVE: lambda _: server.saved(),
        lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES: lambda _: server.saved(),
    }
    asked: dict[str, tuple[Callable[[SpecServer, Any], Awaitable[object]], Any]] = {
        lsp.TEXT_DOCUMENT_COMPLETION: (_complete, lsp.CompletionOptions(trigger_characters=_TRIGGERS)),
        lsp.TEXT_DOCUMENT_HOVER: (_hover, None),
        lsp.TEXT_DOCUMENT_DEFINITION: (_definition, None),
        lsp.TEXT_DOCUMENT_SIGNATURE_HELP: (_signature_help, lsp.SignatureHelpOptions(trigger_characters=["(", ","])),
        lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL: (_symbols, None),
        lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: (_semantic_tokens, legend),
        lsp.TEXT_DOCUMENT_CODE_ACTION: (_code_action, lsp.CodeActionOptions([lsp.CodeActionKind.QuickFix])),
    }
    for method, tell in told.items():
        server.feature(method)(_calm(tell))
    for method, (answer, options) in asked.items():
        server.feature(method, options)(_calm_answer(answer, server))


def _calm(tell: Callable[[Any], None]) -> Callable[[Any], None]:
    """Without a traceback for the editor where a mistake of ours happens."""

    def told(params: Any) -> None:
        try:
            tell(params)
        except Exception:
            _LOG.exception("a mistake of wrapper-gen")

    return told


def _calm_answer(
    answer: Callable[[SpecServer, Any], Awaitable[object]], server: SpecServer
) -> Callable[[Any], Awaitable[object]]:
    """The same of a question, whose answer is then nothing."""

    async def answered(params: Any) -> object:
        try:
            return await answer(server, params)
        except Exception:
            _LOG.exception("a mistake of wrapper-gen")
            return None

    return answered
