"""What pictures of suites have in common: a row for each program, panels on logarithmic axes, bars of speed-ups and their words. Pure.

Example::

    scale = scale_of([3.9, 4.0, 4.1], left=180.0)
    panel(scale, "speed-up", row_count=1) + SpeedBar(4.0, 3.9, 4.1, "4.00x", hint="matmul: 4.00x").drawn(scale, level(0))
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assistant.record import Record
from assistant.svg import EDGE, LogScale, bar, clean, grid, text, whiskers, width_of

__all__ = [
    "AFTER",
    "FOOT",
    "GAP",
    "PANEL",
    "SpeedBar",
    "bottom_of",
    "level",
    "name",
    "names_width",
    "panel",
    "scale_of",
    "title",
    "warning",
]

PANEL, GAP, AFTER, FOOT = 330, 40, 8, 34
"""Widths of an axis, between panels, and between a bar and its words; height of the ticks and of the edge below the rows."""
_ROW, _TOP = 20, 44
_LEAST_NAMES = 100
_MOST_LETTERS, _LAST_LETTERS = 44, 20
"""Of a name that is shown, and of its end, which is never left out: it tells programs of a folder, and sizes, apart."""
_ROOM = 1.15
"""Room beyond the outermost value, as a factor."""


class SpeedBar(Record):
    """From 1 to a ratio, red where it is less, with its interval where there is one, and words right of all of it."""

    ratio: float
    low: float | None
    high: float | None
    words: str
    hint: str
    kind: str = ""
    """Of the words: ``soft`` where they are not its number."""

    def drawn(self, scale: LogScale, y: float) -> str:
        interval = whiskers(scale.at(self.low), scale.at(self.high), y) if self.low is not None and self.high is not None else ""
        drawn = bar("gain" if self.ratio >= 1 else "loss", scale.at(1.0), scale.at(self.ratio), y, self.hint)
        return f"{drawn}{interval}{text(self._words_at(scale), y + 4, self.words, self.kind)}"

    def right(self, scale: LogScale) -> float:
        """Where its words end at most."""
        return self._words_at(scale) + width_of((self.words,))

    def _words_at(self, scale: LogScale) -> float:
        return max(scale.at(value) for value in (1.0, self.ratio, self.high or self.ratio)) + AFTER


def scale_of(values: Sequence[float], left: float) -> LogScale:
    """With 1 on it, and room at both ends."""
    return LogScale(min((1.0, *values)) / _ROOM, max((1.0, *values)) * _ROOM, left, PANEL)


def level(index: int) -> float:
    """The middle of a row."""
    return _TOP + _ROW * (index + 0.5)


def bottom_of(row_count: int) -> float:
    """Where the rows end."""
    return _TOP + _ROW * row_count


def title(x: float, words: str) -> str:
    return text(x, _TOP - 16, words, "title")


def names_width(names: Iterable[str]) -> float:
    """Where the names of rows end."""
    return EDGE + max(_LEAST_NAMES, width_of(map(_short, names)))


def name(words: str, y: float, right: float) -> str:
    """A row's, which ends at ``right``; whole where it is pointed at."""
    return f"<g><title>{clean(words)}</title>{text(right, y + 4, _short(words), anchor='end')}</g>"


def panel(scale: LogScale, words: str, row_count: int) -> str:
    """Title, lines and ticks."""
    bottom, ticks = bottom_of(row_count), tuple(scale.ticks())
    lines = grid(map(scale.at, ticks), scale.at(1.0), _TOP, bottom)
    numbers = (text(scale.at(tick), bottom + 14, f"{tick:g}x", "soft", "middle") for tick in ticks)
    return f"{title(scale.start, words)}{lines}{''.join(numbers)}"


def warning(words: str, y: float) -> str:
    """What holds of the whole picture."""
    return text(EDGE, y, words, "warning")


def _short(words: str) -> str:
    first = _MOST_LETTERS - 1 - _LAST_LETTERS
    return words if len(words) <= _MOST_LETTERS else f"{words[:first]}…{words[-_LAST_LETTERS:]}"
