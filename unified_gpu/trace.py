"""What ran when on which stream: measured with events, written as a Chrome trace or as a picture."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from .context import Context
from .runtime.event import Event
from .runtime.stream import Stream

__all__ = ["Recorder", "Span", "Trace"]


@dataclass(frozen=True, slots=True)
class Span:
    """Work of one stream without a pause.

    Attributes:
        lane: the row it is drawn in, as a rule the stream's name.
        label: what it is called.
        begin, end: milliseconds since the trace began.
        batch: the batch it belongs to; spans of one batch have one colour.
    """

    lane: str
    label: str
    begin: float
    end: float
    batch: int | None = None


@dataclass(frozen=True, slots=True)
class Trace:
    """A timeline: `save` writes a picture (`.svg`) or a file for a trace viewer such as Perfetto (`.json`)."""

    spans: tuple[Span, ...]
    title: str = ""

    @property
    def lanes(self) -> tuple[str, ...]:
        """The lanes, in the order in which they were first used."""
        return tuple(dict.fromkeys(span.lane for span in self.spans))

    @property
    def duration(self) -> float:
        """Milliseconds from the first span's begin to the last one's end."""
        return max((s.end for s in self.spans), default=0.0) - min((s.begin for s in self.spans), default=0.0)

    def busy(self, lane: str) -> float:
        """Milliseconds for which a lane worked."""
        return math.fsum(end - begin for begin, end in _merged(s for s in self.spans if s.lane == lane))

    @property
    def overlap(self) -> float:
        """How many lanes were busy on average: 1 is one after the other, the number of lanes is all the time."""
        return math.fsum(map(self.busy, self.lanes)) / self.duration if self.duration else 0.0

    def chrome(self) -> dict[str, Any]:
        """The trace as data in Chrome's trace event format: one thread a lane, times in microseconds."""
        threads = {lane: number for number, lane in enumerate(self.lanes, start=1)}
        names = [
            {"ph": "M", "name": "thread_name", "pid": 1, "tid": number, "args": {"name": lane}}
            for lane, number in threads.items()
        ]
        spans = [
            {
                "ph": "X",
                "name": span.label,
                "cat": span.lane,
                "pid": 1,
                "tid": threads[span.lane],
                "ts": round(span.begin * 1000, 3),
                "dur": round((span.end - span.begin) * 1000, 3),
                "args": {} if span.batch is None else {"batch": span.batch},
            }
            for span in self.spans
        ]
        process = {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": self.title or "unified_gpu"}}
        return {"displayTimeUnit": "ms", "traceEvents": [process, *names, *spans]}

    def svg(self) -> str:
        """The trace as a picture: a row a lane, a time axis below, readable on light and on dark paper."""
        return _picture(self)

    def save(self, path: str | Path) -> Path:
        """Write the file, in the format that its suffix names.

        Raises:
            ValueError: for a suffix other than `.json` and `.svg`.
        """
        path = Path(path)
        match path.suffix:
            case ".json":
                import json

                text = json.dumps(self.chrome(), indent=1) + "\n"
            case ".svg":
                text = self.svg()
            case _:
                raise ValueError(f"a trace is written as .json or .svg, not as {path.name!r}")
        path.write_text(text, encoding="utf-8")
        return path


class Recorder:
    """Measures spans of work that is queued by hand, where no `Pipeline` does it.

        recorder = Recorder(ctx)
        with recorder.span(stream, "upload", batch=3):
            array.upload(data, stream=stream, non_blocking=True)
        recorder.trace().save("timeline.svg")

    Args:
        context: what all streams belong to; times count from now.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self._origin = context.create_event()
        with context.create_stream() as stream:
            stream.record(self._origin)
            self._origin.synchronize()
        self._open: list[tuple[str, str, int | None, Event, Event]] = []

    @contextmanager
    def span(self, stream: Stream, lane: str, label: str = "", batch: int | None = None) -> Iterator[None]:
        """What is queued on `stream` within the block is one span; the label is the batch's number by default."""
        begin, end = self._context.create_event(), self._context.create_event()
        stream.record(begin)
        try:
            yield
        finally:
            stream.record(end)
            self._open.append((lane, label or _label(lane, batch), batch, begin, end))

    def trace(self, title: str = "") -> Trace:
        """All spans; waits for those that still run."""
        spans = []
        for lane, label, batch, begin, end in self._open:
            end.synchronize()
            spans.append(Span(lane, label, self._origin.elapsed_time(begin), self._origin.elapsed_time(end), batch))
        return Trace(tuple(spans), title)

    def close(self) -> None:
        """Release the events."""
        for *_, begin, end in self._open:
            begin.close()
            end.close()
        self._open.clear()
        self._origin.close()

    def __enter__(self) -> Recorder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()


def _label(lane: str, batch: int | None) -> str:
    return lane if batch is None else f"{lane} {batch}"


def _merged(spans: Iterable[Span]) -> list[tuple[float, float]]:
    """The times in which at least one of the spans runs, in order."""
    merged: list[tuple[float, float]] = []
    for span in sorted(spans, key=lambda s: s.begin):
        if merged and span.begin <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], span.end))
        else:
            merged.append((span.begin, span.end))
    return merged


# --- the picture ------------------------------------------------------------------------------------------------

_WIDTH, _GUTTER, _MARGIN = 960.0, 96.0, 24.0
_HEAD, _LANE, _BAR, _AXIS = 44.0, 30.0, 22.0, 34.0
_LETTER = 6.6  # the mean width of a letter at 11 px, to decide which labels fit
_LIGHT = ("#a9c8f5", "#f5c99b", "#a8ddb5", "#e3b7e8", "#f2b5b5", "#c9cfa0")
_DARK = ("#274b7d", "#7a4a17", "#23633a", "#653070", "#7c3030", "#565c22")
_ESCAPED = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_STYLE = """\
.paper { fill: #ffffff } .ink { fill: #1f2328 } .faint { fill: #59636e } .rule { stroke: #d1d9e0 }
.bar { stroke: #59636e; stroke-width: 0.5 }
text { font: 11px system-ui, sans-serif } .title { font-size: 14px; font-weight: 600 }"""
_STYLE_DARK = """\
.paper { fill: #0d1117 } .ink { fill: #e6edf3 } .faint { fill: #9198a1 } .rule { stroke: #3d444d }
.bar { stroke: #9198a1 }"""


def _picture(trace: Trace) -> str:
    lanes = trace.lanes
    bottom = _HEAD + _LANE * len(lanes)
    start = min((s.begin for s in trace.spans), default=0.0)
    scale = (_WIDTH - _GUTTER - _MARGIN) / (trace.duration or 1.0)

    def x(time: float) -> float:
        return _GUTTER + (time - start) * scale

    title = (trace.title or "Timeline").translate(_ESCAPED)
    summary = f"{trace.duration:.1f} ms, {trace.overlap:.2f} of {len(lanes)} lanes busy on average"
    height = bottom + _AXIS
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH:g} {height:g}" role="img"'
        ' aria-labelledby="title summary">',
        f'<title id="title">{title}</title>',
        f'<desc id="summary">{summary}</desc>',
        f"<style>\n{_style()}\n</style>",
        f'<rect class="paper" width="{_WIDTH:g}" height="{height:g}"/>',
        _text(_MARGIN, 26, trace.title or "Timeline", "ink title"),
        _text(_WIDTH - _MARGIN, 26, summary, "faint", "end"),
    ]
    for time in _ticks(trace.duration):
        position = x(start + time)
        parts.append(
            f'<line class="rule" x1="{position:.1f}" y1="{_HEAD - 4:g}" x2="{position:.1f}" y2="{bottom + 4:g}"/>'
        )
        parts.append(_text(position, bottom + 18, f"{time:g} ms", "faint", "middle"))
    for row, lane in enumerate(lanes):
        top = _HEAD + _LANE * row
        parts.append(_text(_GUTTER - 10, top + _LANE / 2 + 4, lane, "ink", "end"))
        own = [span for span in trace.spans if span.lane == lane]
        parts += [_bar(span, x(span.begin), x(span.end), top + (_LANE - _BAR) / 2) for span in own]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _style() -> str:
    def colours(palette: Sequence[str]) -> str:
        return " ".join(f".c{number} {{ fill: {colour} }}" for number, colour in enumerate(palette))

    dark = f"{_STYLE_DARK}\n{colours(_DARK)}"
    return f"{_STYLE}\n{colours(_LIGHT)}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}"


def _bar(span: Span, left: float, right: float, top: float) -> str:
    """The bar, what is said of it when it is pointed at, and its label where there is room."""
    colour = (span.batch or 0) % len(_LIGHT)
    width = max(right - left, 1.0)
    title = f"{span.label}: {span.begin:.2f} to {span.end:.2f} ms".translate(_ESCAPED)
    shown = next((text for text in (span.label, _short(span)) if len(text) * _LETTER <= width - 2), "")
    text = _text(left + width / 2, top + _BAR / 2 + 4, shown, "ink", "middle") if shown else ""
    bar = f'<rect class="bar c{colour}" x="{left:.1f}" y="{top:g}" width="{width:.1f}" height="{_BAR:g}" rx="2"/>'
    return f"<g><title>{title}</title>{bar}{text}</g>"


def _short(span: Span) -> str:
    return span.label if span.batch is None else str(span.batch)


def _text(x: float, y: float, text: str, kind: str, anchor: str = "start") -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:g}" text-anchor="{anchor}">{text.translate(_ESCAPED)}</text>'


def _ticks(duration: float) -> list[float]:
    """Round times from 0 up, six to twelve of them."""
    if duration <= 0:
        return [0.0]
    step = 10.0 ** math.floor(math.log10(duration / 5))
    step *= next(factor for factor in (1, 2, 5, 10) if duration / (step * factor) <= 10)
    return [round(step * number, 9) for number in range(int(duration / step) + 1)]
