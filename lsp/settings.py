"""What the editor was told to do: its settings, below the command line and above the files (DESIGN §11)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from assistant.config import EditorSettings, Settings, find_workspace, load_settings
from assistant.config.settings import BackgroundSettings
from assistant.errors import KernelOptError
from lsp.client import as_object

__all__ = ["SECTION", "EditorConfiguration"]

SECTION = "kernelopt"
_CLIENT_ONLY = frozenset({"server", "program", "trace", "ui"})
"""Sections of VS Code's settings that its extension reads for itself."""

_NOTHING = BackgroundSettings(compile="off", verify="off", profile="off")


class EditorConfiguration:
    """Settings per folder, as the client last gave them; read afresh from files each time."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        """``tell`` puts a problem before a person; each is told once, until it is another one or mended."""
        self._given: dict[str, Any] = {}
        self._tell = tell
        self._problems: dict[Path | None, str] = {}
        self._is_expected = False

    @property
    def problem(self) -> str | None:
        """Why the settings of some folder do not count; None while they do."""
        return next(iter(self._problems.values()), None)

    def expect(self) -> None:
        """The client is going to say: until it does, nothing runs that it may have switched off."""
        self._is_expected = True

    def take(self, settings: object) -> None:
        """The client's settings: ours alone, or under ``kernelopt``."""
        self._is_expected = False
        given = as_object(settings)
        ours = as_object(given.get(SECTION, given))
        self._given = {name: value for name, value in ours.items() if name not in _CLIENT_ONLY and value is not None}
        self._loaded(None)

    def settings_of(self, path: Path) -> Settings:
        """Settings for a file; where they are wrong that is told, and the defaults hold."""
        settings = self._loaded(find_workspace(path))
        return settings.model_copy(update={"background": _NOTHING}) if self._is_expected else settings

    def _loaded(self, workspace: Path | None) -> Settings:
        """Settings of a workspace; None: what the editor and the user's own file say."""
        editor = EditorSettings(folder={}, user=self._given) if self._given else None
        try:
            loaded = load_settings(workspace, editor=editor)
        except KernelOptError as error:
            self._fail(workspace, f"{error.message}; {error.remedy}" if error.remedy else error.message)
            return Settings()
        self._problems.pop(workspace, None)
        return loaded.settings

    def _fail(self, workspace: Path | None, problem: str) -> None:
        is_news = problem not in self._problems.values()
        self._problems[workspace] = problem
        if is_news:
            self._tell(f"kernelopt settings: {problem}")
