"""Where commands print: colour and columns on a terminal, whole lines in a pipe."""

from __future__ import annotations

import errno
import functools
import os
import re
import sys
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

__all__ = ["console", "for_people", "print_table", "visible"]

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""All but newline and tab: C0, DEL and C1 of ECMA-48."""

_PIPED_WIDTH = 1000
"""Columns of a table that no terminal shows: enough for whole rows."""


class _Console(Console):
    """A console that does not end the process by itself where its output is not read any more."""

    def print(self, *objects: Any, **options: Any) -> None:
        """As rich prints, with short ids in place of long ones."""
        super().print(*(for_people(each) if isinstance(each, str) else each for each in objects), **options)

    def render_str(self, text: str, **options: Any) -> Text:
        """As rich reads markup, cells of tables too."""
        return super().render_str(visible(text), **options)

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))


def visible(text: str) -> str:
    """With control characters as ``\\x1b``: what a program prints, or a file is called, is shown, and a terminal does not obey it."""
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text.replace("\r\n", "\n"))


def for_people(text: str) -> str:
    """With short ids of proposals in place of long ones, and visible control characters."""
    text = visible(text)
    if "P0" not in text:
        return text
    from assistant.model.short_ids import with_short_ids

    return with_short_ids(text, _short_id)


@functools.cache
def _short_id(proposal_id: str) -> str:
    """As memory numbers it; the long one where memory does not open."""
    from assistant.config import load_settings, memory_path
    from assistant.errors import KernelOptError
    from assistant.memory import open_store

    try:
        with open_store(memory_path(load_settings(None).settings)) as store:
            return store.short_id(proposal_id)
    except KernelOptError:
        return proposal_id


def console(is_error: bool = False) -> Console:
    """Colour only on a terminal; piped output keeps whole lines."""
    stream = sys.stderr if is_error else sys.stdout
    return _Console(file=stream, soft_wrap=not stream.isatty(), highlight=False)


def print_table(console: Console, table: Table) -> None:
    """Fitted to a terminal; whole rows when piped."""
    if console.is_terminal:
        console.print(table)
        return
    wide = _Console(file=console.file, width=_PIPED_WIDTH, highlight=False)
    with wide.capture() as captured:
        wide.print(table)
    console.out("\n".join(line.rstrip() for line in captured.get().splitlines()), highlight=False)
