"""Open files that another program wrote: a checkout, a formatter, an agent. Editors hand their new text over as if it were typed.

Such a text counts as saved: it is what a build would take. Example::

    rewritten = RewrittenFiles()
    rewritten.trigger(path, text, Trigger.OPENED)       # OPENED
    rewritten.is_reloaded(path, text, changed_paths)    # the file was written anew, and text is what it holds
    rewritten.trigger(path, new_text, Trigger.TYPED)    # CHANGED_ON_DISK, where the editor took it up later
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from assistant.editor.staging import Trigger

__all__ = ["RewrittenFiles"]


class RewrittenFiles:
    """What the editor opened or saved last, and which files have been written since by others."""

    def __init__(self) -> None:
        self._saved: dict[Path, str] = {}
        self._awaited: set[Path] = set()
        """Written anew; the editor still shows the text before."""

    def trigger(self, path: Path, text: str, trigger: Trigger) -> Trigger:
        """``trigger``, or CHANGED_ON_DISK where a text that looks typed is what another program wrote."""
        if trigger is Trigger.TYPED and (path not in self._awaited or _on_disk(path) != text):
            return trigger
        self._saved[path] = text
        self._awaited.discard(path)
        return Trigger.CHANGED_ON_DISK if trigger is Trigger.TYPED else trigger

    def is_reloaded(self, path: Path, text: str, changed: Collection[Path]) -> bool:
        """Whether the file is among ``changed``, by another program, and the editor shows its new ``text``; else it is awaited."""
        if path not in changed or (now := _on_disk(path)) is None or now == self._saved.get(path):
            return False
        if now == text:
            self._saved[path] = text
            return True
        self._awaited.add(path)
        return False


def _on_disk(path: Path) -> str | None:
    """None where it cannot be read: it was deleted, or is being replaced."""
    try:
        return path.read_bytes().decode("utf-8", "replace")
    except OSError:
        return None
