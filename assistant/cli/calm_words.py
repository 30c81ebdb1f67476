"""Words and rows that the short screens of a terminal share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from assistant.cuda.same_names import split_name

__all__ = ["MORE", "rows", "short_names", "shortened"]

MORE = "--verbose"
"""The option that shows all that is left out."""
_NAME_COLUMNS = 32
_NAME_SHARE = 3
"""Of the columns of a terminal, names may take this part without being broken."""


def short_names(kernels: Iterable[str]) -> dict[str, str]:
    """``transpose`` for ``transpose(int *, int *, int, int)``; whole names where two kernels would share the short one."""
    names = tuple(dict.fromkeys(kernels))
    short = {name: shortened(name) for name in names}
    return {name: each if list(short.values()).count(each) == 1 else name for name, each in short.items()}


def shortened(kernel: str) -> str:
    """A kernel's name without its parameters, with its file where the name has one."""
    file, name = split_name(kernel)
    brief = name.removeprefix("void ").partition("(")[0]
    return f"{file}:{brief}" if file else brief


def rows(console: Console, heads: Sequence[str], cells: Iterable[Sequence[str]], right: Sequence[str] = ()) -> None:
    """Print a table without lines. ``right``: the heads of numbers; neither these nor names are broken, as long as names leave room."""
    shown = [(_fitted(name), *others) for name, *others in cells]
    is_name_whole = max((len(row[0]) for row in shown), default=0) <= console.width // _NAME_SHARE
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 1))
    for number, head in enumerate(heads):
        is_whole = head in right or (number == 0 and is_name_whole)
        table.add_column(head, justify="right" if head in right else "left", overflow="fold", no_wrap=is_whole)
    for row in shown:
        table.add_row(*map(escape, row))
    console.print(table)


def _fitted(name: str) -> str:
    return name if len(name) <= _NAME_COLUMNS else f"{name[: _NAME_COLUMNS - 1]}…"
