"""Where commands print: colour and columns on a terminal, whole lines in a pipe."""

from __future__ import annotations

import errno
import os
import sys

from rich.console import Console
from rich.table import Table

__all__ = ["console", "print_table"]

_PIPED_WIDTH = 1000
"""Columns of a table that no terminal shows: enough for whole rows."""


class _Console(Console):
    """A console that does not end the process by itself where its output is not read any more."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))


def console(is_error: bool = False) -> Console:
    """Colour only on a terminal; piped output keeps whole lines."""
    stream = sys.stderr if is_error else sys.stdout
    return _Console(file=stream, soft_wrap=not stream.isatty(), highlight=False)


def print_table(console: Console, table: Table) -> None:
    """Fitted to a terminal; whole rows when piped."""
    if console.is_terminal:
        console.print(table)
        return
    wide = Console(file=console.file, width=_PIPED_WIDTH, highlight=False)
    with wide.capture() as captured:
        wide.print(table)
    console.out("\n".join(line.rstrip() for line in captured.get().splitlines()), highlight=False)
