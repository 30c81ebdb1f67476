"""Drawings for a notebook as SVG, each next to its numbers as text: both versions of a kernel, a ratio with its interval, a roofline. Pure.

No number is made here: they come in parts, as every front end shows them. Without script, and legible in any theme: lines and
words take the colour of the text around them, and before and after differ in shape. Example::

    comparison_html(comparison_part(proposal))
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from html import escape

from assistant.editor.report_comparison import CasePart, ComparisonPart, PredictionPart
from assistant.editor.report_roofline import RooflinePart
from assistant.editor.report_versions import PairPart, VersionsPart
from assistant.model.comparison import format_ratio
from assistant.profile.roofline_plot import Plot, Spot

__all__ = ["comparison_html", "evidence_html", "prose", "roofline_html", "versions_html"]

_INK = 'fill="currentColor" font-size="11"'
_AFTER = "#ef6c00"
"""Orange 800 of the Material palette: more than 3 to 1 against a white and against a black page."""
_AFTER_LOOK = f'fill="{_AFTER}"'
_BEFORE_LOOK = 'fill="none" stroke="currentColor" stroke-width="1.5"'
_CELL = "padding:1px 8px 1px 0;text-align:left;vertical-align:middle;font-weight:normal;background:none"
_INTERVAL_WIDTH, _INTERVAL_HEIGHT, _INTERVAL_MARGIN = 300, 26, 22
_CAP = 9
"""Half of the strokes at an interval's ends."""
_ROOM = 1.08
"""Room beyond the outermost value, as a factor."""
_LABEL_GAP = 0.15
"""The ratio is written below the line where it is so far from 1.00x, of the width, that both can be read."""
_BAR_WIDTH, _BAR_HEIGHT = 160, 10
_ALONG, _UP = "operations per byte (logarithmic)", "operations per second (logarithmic)"
_CODE = re.compile(r"`([^`]+)`")


def comparison_html(part: ComparisonPart) -> str:
    """Verdict, ratio with its interval, both versions' figures, each shape, and each prediction next to what came of it."""
    return evidence_html(part) + ("" if part.versions is None else versions_html(part.versions))


def evidence_html(part: ComparisonPart) -> str:
    """The same without both versions' figures."""
    reasons = "".join(f"<li>{prose(reason)}</li>" for reason in part.reasons)
    caveats = f" ({escape('; '.join(part.caveats))})" if part.caveats else ""
    limits = f" Limited by: {escape(part.limits)}." if part.limits else ""
    method = f" Method: {escape(part.method)}." if part.method else ""
    verified = f"<div>{escape(part.interval)}{method}{limits} Verified: {escape(part.verified)}.</div>"
    return "".join(
        (
            f"<div><b>{escape(part.verdict)}</b>{caveats} <b>{escape(part.speed)}</b></div>",
            f'<ul style="margin:2px 0">{reasons}</ul>' if reasons else "",
            "" if part.ratio is None else _interval(part.ratio, part.low, part.high),
            verified,
            _cases(part.cases) if len(part.cases) > 1 else "",
            _predictions(part.predictions) if part.predictions else "",
        )
    )


def prose(text: str) -> str:
    """A sentence as HTML, what stands between backticks as code."""
    return _CODE.sub(r"<code>\1</code>", escape(text))


def roofline_html(part: RooflinePart) -> str:
    """The drawing, and its numbers in a table."""
    plot = part.plot
    label = f"Roofline of {escape(part.target)}; its numbers are in the table below"
    legend = "<div>○ before, ● after</div>" if plot.before else ""
    spots = _spots(plot.before, _BEFORE_LOOK, "") + _spots(plot.points, _AFTER_LOOK)
    drawn = f"{_ceilings(plot)}{_ticks(plot)}{_moves(plot)}{spots}"
    head = _head("against", "intensity", "at the predicted time", "ceiling there")
    rows = "".join(f"<tr>{''.join(_cell(text) for text in point)}</tr>" for point in part.points)
    box, size = f"0 0 {part.width} {part.height}", f"max-width:{part.width}px;width:100%"
    svg = f'<svg viewBox="{box}" role="img" aria-label="{label}" style="{size}">{drawn}</svg>'
    return f"{legend}{svg}{_table(f'Points of the roofline of {part.target}', head, rows)}"


def versions_html(part: VersionsPart) -> str:
    """Both versions of the launch that costs most."""
    same = part.before == part.after
    launch = f"Both: {escape(part.before)}." if same else f"Before: {escape(part.before)}.<br>After: {escape(part.after)}."
    roofline = escape(part.no_roofline) if part.roofline is None else roofline_html(part.roofline)
    return "".join(
        (
            f"<div>{launch}</div>",
            _pairs("Time", part.times, part.time_method),
            _pairs("Counts", part.counts, f"{part.method}."),
            _pairs("Stalls", part.stalls, "Share of each version's samples.") if part.stalls else f"<div>{escape(part.no_stalls)}</div>",
            f"<details><summary>Roofline of both versions</summary>{roofline}</details>",
        )
    )


def _pairs(title: str, pairs: Sequence[PairPart], method: str) -> str:
    """Two bars to a figure, whose lengths repeat what the words next to them say."""
    if not pairs:
        return ""
    rows = "".join(
        f'<tr><th scope="row" rowspan="2" style="{_CELL}">{escape(pair.name)}</th>'
        f"{_bar('before', pair.before, pair.before_ratio, _BEFORE_LOOK)}</tr>"
        f"<tr>{_bar('after', pair.after, pair.after_ratio, _AFTER_LOOK)}</tr>"
        for pair in pairs
    )
    return f"{_table(title, _head(title.lower(), 'version', 'value', ''), rows)}<div>{escape(method)}</div>"


def _bar(version: str, value: str, ratio: float, look: str) -> str:
    width = max(1.0, min(1.0, ratio) * (_BAR_WIDTH - 2))
    bar = (
        f'<svg width="{_BAR_WIDTH}" height="{_BAR_HEIGHT}" aria-hidden="true">'
        f'<rect x="1" y="1" width="{width:.1f}" height="{_BAR_HEIGHT - 2}" {look}/></svg>'
    )
    return f'{_cell(version)}{_cell(value)}<td style="{_CELL}">{bar}</td>'


def _interval(ratio: float, low: float | None, high: float | None) -> str:
    """time(before) / time(after) next to 1.00x; the same stands in words above and below."""
    ends = [value for value in (1.0, ratio, low, high) if value is not None]
    first, last = min(ends) / _ROOM, max(ends) * _ROOM
    middle, below = _INTERVAL_HEIGHT / 2, _INTERVAL_HEIGHT + 11

    def x(value: float) -> str:
        share = math.log(value / first) / math.log(last / first)
        return f"{_INTERVAL_MARGIN + share * (_INTERVAL_WIDTH - 2 * _INTERVAL_MARGIN):.1f}"

    drawn = f'<line x1="{x(1)}" x2="{x(1)}" y1="2" y2="{_INTERVAL_HEIGHT}" stroke="currentColor" stroke-dasharray="3 2"/>'
    drawn += f'<text {_INK} x="{x(1)}" y="{below}" text-anchor="middle">1.00x</text>'
    words = f"time before / time after: {ratio:.2f}"
    if low is not None and high is not None:
        caps = "".join(f"M{x(end)} {middle - _CAP}V{middle + _CAP}" for end in (low, high))
        drawn += f'<path d="{caps}M{x(low)} {middle}H{x(high)}" {_BEFORE_LOOK}/>'
        words += f", from {low:.2f} to {high:.2f}"
    drawn += f'<circle cx="{x(ratio)}" cy="{middle}" r="5" fill="{_AFTER}"/>'
    if abs(math.log(ratio)) / math.log(last / first) > _LABEL_GAP:
        drawn += f'<text {_INK} x="{x(ratio)}" y="{below}" text-anchor="middle">{format_ratio(ratio)}x</text>'
    box = f"0 0 {_INTERVAL_WIDTH} {_INTERVAL_HEIGHT + 14}"
    return (
        f'<svg viewBox="{box}" role="img" aria-label="{words}" style="max-width:{_INTERVAL_WIDTH}px;width:100%;display:block">{drawn}</svg>'
    )


def _cases(parts: Sequence[CasePart]) -> str:
    rows = "".join(f"<tr>{_cell(part.shape)}{_cell(part.weight)}{_cell(part.text)}</tr>" for part in parts)
    return f"<details><summary>{len(parts)} shapes</summary>{_table('Shapes', _head('shape', 'weight', 'speed'), rows)}</details>"


def _predictions(parts: Sequence[PredictionPart]) -> str:
    def outcome(part: PredictionPart) -> str:
        return "not counted" if part.is_hit is None else "✓ hit" if part.is_hit else "✗ miss"

    rows = "".join(
        f"<tr>{''.join(_cell(text) for text in (part.metric, part.before, part.predicted, part.actual, outcome(part)))}</tr>"
        for part in parts
    )
    title = "What was predicted before anything ran, and what came of it"
    head = _head("metric", "before", "predicted", "counted after", "outcome")
    return f"<details><summary>{title}</summary>{_table(title, head, rows)}</details>"


def _ceilings(plot: Plot) -> str:
    return "".join(
        f'<line x1="{line.x1:.1f}" y1="{line.y1:.1f}" x2="{line.x2:.1f}" y2="{line.y2:.1f}" stroke="currentColor" stroke-width="1.5"/>'
        f'<text {_INK} transform="translate({line.label_x:.1f} {line.label_y:.1f}) rotate({line.angle:.1f})"'
        f' dy="{15 if line.is_lowest else -5}">{escape(line.label)}</text>'
        for line in plot.lines
    )


def _ticks(plot: Plot) -> str:
    grid = 'stroke="currentColor" stroke-opacity=".25"'
    along = (
        f'<line x1="{tick.at:.1f}" x2="{tick.at:.1f}" y1="{plot.top}" y2="{plot.bottom}" {grid}/>'
        f'<text {_INK} x="{tick.at:.1f}" y="{plot.bottom + 17}" text-anchor="middle">{escape(tick.label)}</text>'
        for tick in plot.x_ticks
    )
    up = (
        f'<line x1="{plot.left}" x2="{plot.right}" y1="{tick.at:.1f}" y2="{tick.at:.1f}" {grid}/>'
        f'<text {_INK} x="{plot.left - 6}" y="{tick.at + 4:.1f}" text-anchor="end">{escape(tick.label)}</text>'
        for tick in plot.y_ticks
    )
    below = f'x="{(plot.left + plot.right) / 2:.1f}" y="{plot.bottom + 36}" text-anchor="middle"'
    turned = f'transform="translate(15 {(plot.top + plot.bottom) / 2:.1f}) rotate(-90)" text-anchor="middle"'
    return "".join((*along, *up, f"<text {_INK} {below}>{_ALONG}</text><text {_INK} {turned}>{_UP}</text>"))


def _moves(plot: Plot) -> str:
    """A dashed line from where a level's point was to where it is."""
    was = {spot.level: spot for spot in plot.before}
    return "".join(
        f'<line x1="{was[spot.level].x:.1f}" y1="{was[spot.level].y:.1f}" x2="{spot.x:.1f}" y2="{spot.y:.1f}"'
        ' stroke="currentColor" stroke-dasharray="4 3"/>'
        for spot in plot.points
        if spot.level in was
    )


def _spots(spots: Sequence[Spot], look: str, name: str | None = None) -> str:
    """``name``: written instead of the level, which is written once where two versions are drawn."""
    return "".join(
        f'<circle cx="{spot.x:.1f}" cy="{spot.y:.1f}" r="6" {look}/>'
        f'<text {_INK} x="{spot.x:.1f}" y="{spot.label_y:.1f}" text-anchor="middle">{escape(spot.level if name is None else name)}</text>'
        for spot in spots
    )


def _table(caption: str, head: str, rows: str) -> str:
    """Scrolls by itself where the cell is narrow, also by keyboard."""
    scroll = f'<div role="group" tabindex="0" aria-label="{escape(caption)}" style="overflow-x:auto">'
    return f'{scroll}<table style="border-collapse:collapse;margin:2px 0">{head}<tbody>{rows}</tbody></table></div>'


def _head(*names: str) -> str:
    cells = "".join(f'<th scope="col" style="{_CELL};opacity:.8">{escape(name)}</th>' if name else "<td></td>" for name in names)
    return f"<thead><tr>{cells}</tr></thead>"


def _cell(text: str) -> str:
    return f'<td style="{_CELL}">{escape(text)}</td>'
