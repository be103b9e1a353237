"""A trace's figures are right, and its files are what their readers expect."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from unified_gpu.trace import Span, Trace

SVG = "{http://www.w3.org/2000/svg}"

THREE_STAGES = Trace(
    tuple(
        Span(lane, f"{lane} {batch}", 10.0 * (batch + stage), 10.0 * (batch + stage + 1), batch)
        for batch in range(4)
        for stage, lane in enumerate(("upload", "compute", "download"))
    ),
    "Four <batches> & three stages",
)


def test_overlap_is_the_mean_number_of_busy_lanes() -> None:
    assert THREE_STAGES.duration == 60.0
    assert THREE_STAGES.busy("compute") == 40.0
    assert THREE_STAGES.overlap == 2.0


def test_spans_that_overlap_in_one_lane_count_once() -> None:
    trace = Trace((Span("a", "x", 1.0, 4.0), Span("a", "y", 2.0, 3.0), Span("a", "z", 3.5, 6.0)))
    assert trace.busy("a") == 5.0
    assert trace.overlap == 1.0


def test_an_empty_trace_has_no_time() -> None:
    trace = Trace(())
    assert (trace.duration, trace.overlap, trace.lanes) == (0.0, 0.0, ())
    ElementTree.fromstring(trace.svg())
    assert [event["ph"] for event in trace.chrome()["traceEvents"]] == ["M"]


def test_the_chrome_trace_has_a_thread_a_lane_and_microseconds(tmp_path: Path) -> None:
    events = json.loads(THREE_STAGES.save(tmp_path / "trace.json").read_text())["traceEvents"]
    names = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
    assert list(names.values()) == ["upload", "compute", "download"]
    spans = [event for event in events if event["ph"] == "X"]
    assert len(spans) == 12
    for event in spans:
        stage = ["upload", "compute", "download"].index(names[event["tid"]])
        assert event["ts"] == 10_000.0 * (event["args"]["batch"] + stage)
        assert event["dur"] == 10_000.0


def test_the_picture_has_a_row_a_lane_and_bars_where_the_times_are(tmp_path: Path) -> None:
    root = ElementTree.fromstring(THREE_STAGES.save(tmp_path / "trace.svg").read_text())
    texts = ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]
    assert "Four <batches> & three stages" in texts
    assert {"upload", "compute", "download", "0 ms", "60 ms"} <= set(texts)
    bars = [bar for bar in root.iter(f"{SVG}rect") if bar.get("class", "").startswith("bar")]
    assert len({bar.get("y") for bar in bars}) == 3
    width = max(float(bar.get("x", "")) + float(bar.get("width", "")) for bar in bars) - 96
    for bar, span in zip(sorted(bars, key=_place), sorted(THREE_STAGES.spans, key=_when), strict=True):
        assert float(bar.get("x", "")) == pytest.approx(96 + width * span.begin / 60, abs=0.2)
        assert float(bar.get("width", "")) == pytest.approx(width / 6, abs=0.2)


def _place(bar: ElementTree.Element) -> tuple[float, float]:
    return float(bar.get("y", "")), float(bar.get("x", ""))


def _when(span: Span) -> tuple[int, float]:
    return THREE_STAGES.lanes.index(span.lane), span.begin


def test_bars_of_one_batch_have_one_colour_and_a_label_where_it_fits() -> None:
    root = ElementTree.fromstring(THREE_STAGES.svg())
    colours: dict[str, set[str]] = {}
    for group in root.iter(f"{SVG}g"):
        title, bar, label = list(group)
        batch = (title.text or "").split()[1].rstrip(":")
        colours.setdefault(batch, set()).add(bar.get("class", ""))
        assert (label.text or "").endswith(batch)
    assert all(len(classes) == 1 for classes in colours.values())
    assert len(colours) == 4


def test_narrow_bars_have_no_label() -> None:
    spans = tuple(Span("a", f"batch {i}", i, i + 0.5, i) for i in range(2000))
    root = ElementTree.fromstring(Trace(spans).svg())
    assert all(len(group) == 2 for group in root.iter(f"{SVG}g"))


def test_the_picture_is_readable_in_light_and_dark() -> None:
    svg = THREE_STAGES.svg()
    light, dark = svg[svg.index("<style>") : svg.index("</style>")].split("@media (prefers-color-scheme: dark)")
    for colours in (light, dark):
        paper, ink, faint = (_luminance(colours, name) for name in ("paper", "ink", "faint"))
        bars = [_luminance(colours, f"c{number}") for number in range(6)]
        assert _contrast(paper, ink) >= 7
        assert _contrast(paper, faint) >= 4.5
        assert all(_contrast(bar, ink) >= 4.5 for bar in bars)


def _luminance(style: str, name: str) -> float:
    """Relative luminance as WCAG 2 defines it."""
    found = re.search(rf"\.{name} {{ fill: #(\w\w)(\w\w)(\w\w)", style)
    assert found, name
    parts = [int(part, 16) / 255 for part in found.groups()]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: float, other: float) -> float:
    low, high = sorted((one, other))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("duration", [0.004, 0.7, 1.0, 9.99, 60.0, 1234.5])
def test_ticks_are_round_and_few(duration: float) -> None:
    root = ElementTree.fromstring(Trace((Span("a", "x", 5.0, 5.0 + duration),)).svg())
    ticks = [t.text or "" for t in root.iter(f"{SVG}text") if (t.text or "").endswith(" ms")]
    assert 4 <= len(ticks) <= 12
    assert ticks[0] == "0 ms"
    assert float(ticks[-1].removesuffix(" ms")) <= duration


def test_a_trace_is_saved_as_json_or_svg_only(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"not as 'trace\.txt'"):
        THREE_STAGES.save(tmp_path / "trace.txt")
    assert not list(tmp_path.iterdir())
