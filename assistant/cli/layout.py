"""Lines that fit the screen: wrapped at words, continued under their text. Knows nothing of events.

Example::

    page = Page(console)
    page.put("[bold]KO101[/] line 11: a long message", indent=2, hang=4)
"""

from __future__ import annotations

import re

from rich.console import Console
from rich.syntax import Syntax
from rich.text import Text

from assistant.cli.console import for_people, visible

__all__ = ["Page", "print_diff"]

_WIDEST = 110
"""Columns; longer lines are hard to read even where the terminal has room."""
_PIPED_WIDTH = 100
"""Columns where no terminal gives a width."""
_NARROWEST = 40
"""Columns below which wrapping would break more than it fixes."""
_WORD = re.compile(r"\S+")


class Page:
    """Writes wrapped paragraphs to a rich console."""

    def __init__(self, console: Console) -> None:
        self._console = console

    @property
    def width(self) -> int:
        """Columns to fill at most."""
        found = min(self._console.width, _WIDEST) if self._console.is_terminal else _PIPED_WIDTH
        return max(_NARROWEST, found)

    def put(self, markup: str, indent: int = 0, hang: int | None = None) -> None:
        """Print one paragraph of rich markup; its first line starts at ``indent``, the others at ``hang`` (default: ``indent``).

        A word that is longer than a line (a path, an id) stays whole.
        """
        rest = indent if hang is None else hang
        text = Text.from_markup(for_people(markup))
        for number, line in enumerate(text.divide(_breaks(text.plain, self.width - max(indent, rest)))):
            line.rstrip()
            margin = Text(" " * (indent if number == 0 else rest))
            self._console.print(margin + line, highlight=False, soft_wrap=True)

    def gap(self) -> None:
        """Print an empty line."""
        self._console.print()


def print_diff(console: Console, diff: str) -> None:
    """Coloured on a terminal that has colours; to the letter when piped, as it may be a patch."""
    if not console.is_terminal:
        console.file.write(diff.rstrip("\n") + "\n")
    elif console.color_system is None:
        console.out(diff.rstrip("\n"), highlight=False)
    else:
        console.print(Syntax(visible(diff.rstrip("\n")), "diff", theme="ansi_dark", background_color="default"))


def _breaks(plain: str, width: int) -> list[int]:
    """Where lines of at most ``width`` columns end: before the first word that does not fit, never inside one."""
    breaks: list[int] = []
    start = 0
    for word in _WORD.finditer(plain):
        if word.end() - start > width and word.start() > start:
            breaks.append(word.start())
            start = word.start()
    return breaks
