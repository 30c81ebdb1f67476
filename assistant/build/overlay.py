"""Copies of a program's texts for a compiler, laid out as the files are, each saying which file it stands for.

A quoted include finds the copy next to the one that includes it; ``-I`` of a copied folder finds it too. Example::

    overlay = write_overlay((("/p/inc/k.cuh", edited), ("/p/src/a.cu", text)), ("-I/p/inc",), scratch)
    overlay.place("/p/src/a.cu")    # scratch/src/a.cu
    (*overlay.first, *arguments, *overlay.last)     # flags by which includes find the copies
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from assistant.build.includes import include_closure, with_headers
from assistant.build.units import unit_paths
from assistant.cuda.files import BYTE_ORDER_MARK, line_directive
from assistant.record import Record

__all__ = ["Overlay", "write_overlay"]


class Overlay(Record):
    """Where the copies lie."""

    folder: Path
    common: str
    """The folder of the user's that ``folder`` stands for."""
    first: tuple[str, ...]
    """Flags to be given before the program's own: ``-I`` of copied folders."""
    last: tuple[str, ...]
    """Flags to be given after them: ``-I`` of the folders that the copies stand for, for what was not copied."""

    def place(self, path: str) -> Path:
        """Where the copy of ``path`` lies."""
        return self.folder / os.path.relpath(path, self.common)


def write_overlay(
    sources: Sequence[tuple[str, str]], arguments: Sequence[str], folder: Path, around: Mapping[str, tuple[str, str]] | None = None
) -> Overlay:
    """Write ``sources`` ((path, text)) below ``folder``, and the user's headers through which one of them is included.

    ``around``: for some paths, text to go before (it gets no line of its own) and after. Raises OSError.
    """
    searched = tuple(argument[2:] for argument in arguments if argument.startswith("-I"))
    texts = dict(sources) | _leading_headers(sources, arguments, searched)
    common = os.path.commonpath([str(Path(path).parent) for path in texts])
    folders = dict.fromkeys(str(Path(path).parent) for path, _ in sources)
    copied = tuple(f"-I{folder / os.path.relpath(each, common)}" for each in searched if Path(each).is_relative_to(common))
    overlay = Overlay(folder, common, copied, tuple(f"-I{each}" for each in folders))
    for path, text in texts.items():
        before, after = (around or {}).get(path, ("", ""))
        copy = overlay.place(path)
        copy.parent.mkdir(parents=True, exist_ok=True)
        written = f"{before}{line_directive(path)}{text.removeprefix(BYTE_ORDER_MARK)}\n{after}"
        copy.write_bytes(written.encode("utf-8", "surrogateescape"))
    return overlay


def _leading_headers(sources: Sequence[tuple[str, str]], arguments: Sequence[str], searched: tuple[str, ...]) -> dict[str, str]:
    """Headers on the disk that include a header among the sources: next to the original they would find what that holds."""
    given = {path for path, _ in sources}
    replaced = given - set(unit_paths(sources, arguments))
    if not replaced:
        return {}
    texts = with_headers(sources, arguments)
    others = ((path, text) for path, text in texts.items() if path not in given)
    return {path: text for path, text in others if replaced & include_closure(path, text, searched, texts.get).keys()}
