"""What an editor shows of a source, all of it: the texts whose length and wording tests look at.

Example::

    view = recorded_view("transpose")      # tests/data/shown: a source with what `check --json` and `profile --json` said of it
    rows(view)                             # ['≈ L2-bound | Optimize']
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from assistant.cuda.parse import parse
from assistant.editor.analysis import Analysis
from assistant.editor.hover_words import kernel_hover, line_hover
from assistant.editor.lens_row import SEPARATOR, kernel_row
from assistant.editor.picture import view_of
from assistant.editor.view import View
from assistant.engine import event_from
from assistant.model.events import Event
from assistant.model.source import Source

__all__ = ["RECORDED", "hovers", "recorded_view", "rows", "view_of_events"]

_FOLDER = Path(__file__).parent / "data" / "shown"
RECORDED = tuple(sorted(path.stem for path in _FOLDER.glob("*.jsonl")))
"""The examples, with fewer elements, on the emulator."""


def recorded_view(name: str) -> View:
    first, *lines = (_FOLDER / f"{name}.jsonl").read_text("utf-8").splitlines()
    events: defaultdict[str, list[Event]] = defaultdict(list)
    for line in map(json.loads, lines):
        events[line["command"]].append(event_from(line["event"]))
    return view_of_events(Path("/example") / f"{name}.cu", json.loads(first)["source"], events)


def view_of_events(path: Path, text: str, events: dict[str, list[Event]]) -> View:
    """``events`` by command."""
    return view_of(parse(Source(path, text)), {command: Analysis(text, tuple(told)) for command, told in events.items()})


def rows(view: View) -> list[str]:
    """The lenses of each kernel, as they stand next to each other."""
    return [SEPARATOR.join(lens.title for lens in kernel_row(kernel, view)) for kernel in view.kernels]


def hovers(view: View) -> Iterator[list[str]]:
    """The lines of each hover of the source, where the editor shows diagnostics in it and where it does not."""
    for kernel in view.kernels:
        yield kernel_hover(kernel, view)
    for line in {item.line for item in (*view.lines, *view.notes)} - {kernel.line for kernel in view.kernels}:
        for is_noted in (False, True):
            yield line_hover(view, line, is_noted)
