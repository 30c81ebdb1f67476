"""What jobs reported of files of a program that are not open: kept with the open source that was asked about.

Example::

    files.take("main.cu", task, reported, is_open=lambda path: False)    # True: something else is shown now
    files.of("main.cu")                                                   # {Path("/p/a.cuh"): UnopenedFile(text, notes)}
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from assistant.editor.open_document import OpenDocument
from assistant.editor.shared_answers import files_named_in, of_file
from assistant.editor.shown_notes import ShownNote, shown_notes
from assistant.editor.tasks import Task
from assistant.engine import read_source
from assistant.errors import UsageError
from assistant.model.events import Event
from assistant.record import Record

__all__ = ["UnopenedFile", "UnopenedFiles"]

_OF_RUNS = frozenset({"check", "profile"})
"""Notes on kernels; compilers' messages are shown where the file is included."""


class UnopenedFile(Record):
    """A file as a job read it."""

    text: str
    notes: tuple[ShownNote, ...]


class UnopenedFiles:
    """By the source that was asked about, and the file."""

    def __init__(self) -> None:
        self._files: dict[str, dict[Path, OpenDocument]] = {}

    def take(self, key: str, task: Task, reported: Sequence[Event], is_open: Callable[[Path], bool]) -> bool:
        """Take what an answer on a whole source says of files that are not open; True when something else is to be shown."""
        if not reported or task.request.kernel is not None:
            return False
        before, now = self._files.get(key, {}), dict[Path, OpenDocument]()
        for path in files_named_in(reported):
            text = None if is_open(path) else _text(path)
            if text is None:
                continue
            known = before.get(path)
            document = known if known is not None and known.text == text else OpenDocument("", path, text)
            document.take(task.verb.value, text, of_file(reported, path))
            now[path] = document
        self._files[key] = now
        return bool(before or now)

    def of(self, key: str) -> Mapping[Path, UnopenedFile]:
        """What to show of other files, as the last answers on a source say."""
        found = ((path, document.text, shown_notes(document.view)) for path, document in self._files.get(key, {}).items())
        return {path: UnopenedFile(text, tuple(each for each in notes if each.note.stage in _OF_RUNS)) for path, text, notes in found}

    def forget(self, key: str) -> None:
        """The source was closed."""
        self._files.pop(key, None)

    def changed(self, paths: Collection[Path]) -> tuple[str, ...]:
        """Files changed: what was reported of them holds no longer. Returns the sources whose jobs reported it."""
        keys = tuple(key for key, files in self._files.items() if any(path in files for path in paths))
        for key in keys:
            self._files[key] = {path: document for path, document in self._files[key].items() if path not in paths}
        return keys


def _text(path: Path) -> str | None:
    try:
        return read_source(path).text
    except UsageError:
        return None
