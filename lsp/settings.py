"""What the editor was told to do: its settings, below the command line and above the files (DESIGN §11)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from assistant.config import EditorSettings, LoadedSettings, Settings, find_workspace, load_settings
from assistant.errors import KernelOptError
from lsp.client import as_object

__all__ = ["SECTION", "EditorConfiguration"]

SECTION = "kernelopt"
_CLIENT_ONLY = frozenset({"server", "program", "trace", "ui"})
"""Sections of VS Code's settings that its extension reads for itself."""


class EditorConfiguration:
    """Settings per folder, as the client last gave them; read afresh from files each time."""

    def __init__(self) -> None:
        self._given: dict[str, Any] = {}
        self.problem: str | None = None
        """Why the editor's settings do not count; None while they do."""

    def take(self, settings: object) -> None:
        """The client's settings: ours alone, or under ``kernelopt``."""
        given = as_object(settings)
        ours = as_object(given.get(SECTION, given))
        self._given = {name: value for name, value in ours.items() if name not in _CLIENT_ONLY and value is not None}

    def loaded(self, path: Path) -> LoadedSettings:
        """Settings for a file, with their origins. Raises UsageError for a name or value that is none."""
        editor = EditorSettings(folder={}, user=self._given) if self._given else None
        return load_settings(find_workspace(path), editor=editor)

    def settings_of(self, path: Path) -> Settings:
        """Settings for a file; wrong ones are told once (``problem``) and the defaults hold."""
        try:
            loaded = self.loaded(path)
        except KernelOptError as error:
            self.problem = f"{error.message}; {error.remedy}" if error.remedy else error.message
            return Settings()
        self.problem = None
        return loaded.settings
