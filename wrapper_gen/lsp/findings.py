"""What is wrong with a spec that an editor has, and the changes that mend it."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from wrapper_gen import pipeline
from wrapper_gen.diagnostics import Diagnostic, Fix, Nearest, Span, SpecError, nearest
from wrapper_gen.frozen import frozen
from wrapper_gen.lsp.positions import Lines

_LOG = logging.getLogger(__name__)
_QUOTES = "\"'"
MOST = 200
"""Findings that are shown of a spec."""


def findings(spec: Path, texts: pipeline.Texts) -> Sequence[Diagnostic]:
    """All that the loader finds in a spec; a mistake of ours is logged, and leaves nothing to show."""
    try:
        return pipeline.read(spec, shown(spec), texts)[1][:MOST]
    except SpecError as error:
        return error.diagnostics[:MOST]
    except Exception:
        _LOG.exception("%s: a mistake of wrapper-gen", spec)
        return ()


def shown(spec: Path) -> str:
    """What the places of a spec call it."""
    return Path(os.path.normpath(spec)).as_posix()


@frozen
class TextChange:
    """A way to mend a finding: `text` takes the place of what stands from `start` to `end`."""

    title: str
    start: int
    end: int
    text: str
    is_preferred: bool = False


def changes(finding: Diagnostic, lines: Lines) -> Iterator[TextChange]:
    """The ways to mend a finding; only one that has no other is preferred."""
    own = [each for each in finding.fixes if each.span.path == finding.span.path]
    for fix in own:
        start, end = lines.offsets(fix.span)
        yield TextChange(_title(fix), start, end, fix.replacement, len(own) == 1)
    if not own and isinstance(finding.advice, Nearest):
        start, end = lines.offsets(finding.span)
        found = lines.text[start:end]
        word = nearest(finding.advice.word, finding.advice.known)
        if word and found.strip(_QUOTES) == finding.advice.word:
            yield TextChange(
                f"change to {word!r}", start, end, found.replace(finding.advice.word, word), is_preferred=True
            )


def _title(fix: Fix) -> str:
    written = " ".join(fix.replacement.split()).removesuffix(",").strip()
    short = f"{written[:60]}…" if len(written) > 60 else written
    if not short or fix.what.endswith(f" {written}"):  # `write …`
        return fix.what or "remove it"
    return f"{short}: {fix.what}" if fix.what else short


def place_in(spec: str, span: Span) -> Span:
    """A place in this spec: where it is in another file, the start."""
    return span if span.path == spec else Span(spec, 1, 1)
