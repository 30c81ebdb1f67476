"""Settings that the editor sends: they override those of files, and the command line overrides them."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from assistant.config import EditorSettings, LoadedSettings, Settings, find_workspace, load_settings
from assistant.config.settings import BackgroundSettings
from assistant.errors import KernelOptError
from lsp.client import as_object
from lsp.messages import with_remedy

__all__ = ["ANSWER_S", "SECTION", "EditorConfiguration"]

SECTION = "kernelopt"
_CLIENT_ONLY = frozenset({"server", "program", "trace", "ui"})
"""Sections of VS Code's settings that only its extension reads."""

ANSWER_S = 5.0
"""How long the client may take to send its settings before commands go on without them, and the log says that background work waits."""
_NOTHING = BackgroundSettings(compile="off", verify="off", profile="off")


class EditorConfiguration:
    """The client's last settings; those of files are read again each time."""

    def __init__(self, warn: Callable[[str], None]) -> None:
        """``warn`` shows a problem to the person; each is shown once, until it changes or is fixed."""
        self._given: dict[str, Any] = {}
        self._warn = warn
        self._wrong: dict[str | Path, str] = {}
        """Setting of the editor, or workspace → what is wrong with it."""
        self._is_expected = False
        self._has_arrived = asyncio.Event()
        self._has_arrived.set()
        self._is_only_read = False

    @property
    def problem(self) -> str | None:
        """Why some settings are ignored; None while all are valid."""
        return next(iter(self._wrong.values()), None)

    def expect(self) -> None:
        """The client will send its settings: until then nothing runs that they may switch off."""
        self._is_expected = True
        self._has_arrived.clear()

    async def arrived(self) -> None:
        """Returns once the client's settings count, or it has taken too long to send them."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._has_arrived.wait(), ANSWER_S)

    def only_read(self) -> None:
        """No background work from now on, whatever the settings say: its results could not be saved."""
        self._is_only_read = True

    def take(self, settings: object) -> None:
        """The client's settings: ours alone, or under ``kernelopt``. An invalid one is reported and ignored; the others apply."""
        self._is_expected = False
        self._has_arrived.set()
        given = as_object(settings)
        ours = as_object(given.get(SECTION, given))
        self._given = {}
        leaves = dict(_leaves({name: value for name, value in ours.items() if name not in _CLIENT_ONLY}))
        self._wrong = {place: problem for place, problem in self._wrong.items() if isinstance(place, Path) or place in leaves}
        is_own_file_right = not isinstance(_load(None, {}), str)
        for name, value in leaves.items():
            loaded = _load(None, {name: value}) if is_own_file_right else None
            if self._is_right(name, loaded):
                self._given[name] = value

    @property
    def given(self) -> tuple[tuple[str, str], ...]:
        """(dotted name, JSON text) of what the client gave and is right."""
        return tuple((name, json.dumps(value)) for name, value in sorted(self._given.items()))

    def settings_of(self, path: Path) -> Settings:
        """Settings for a file; where its workspace's are invalid that is reported, and the defaults apply."""
        workspace = find_workspace(path)
        loaded = _load(workspace, self._given)
        settings = loaded.settings if self._is_right(workspace, loaded) and isinstance(loaded, LoadedSettings) else Settings()
        return settings.model_copy(update={"background": _NOTHING}) if self._is_expected or self._is_only_read else settings

    def _is_right(self, place: str | Path, loaded: LoadedSettings | str | None) -> bool:
        if not isinstance(loaded, str):
            self._wrong.pop(place, None)
            return True
        is_news = loaded not in self._wrong.values()
        self._wrong[place] = loaded
        if is_news:
            self._warn(f"kernelopt settings: {loaded}")
        return False


def _load(workspace: Path | None, given: Mapping[str, object]) -> LoadedSettings | str:
    """The settings; what is wrong with them where they are."""
    try:
        return load_settings(workspace, editor=EditorSettings(folder={}, user=given))
    except KernelOptError as error:
        return with_remedy(error)


def _leaves(settings: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, object]]:
    """(dotted name, value) of everything that was given; clients send null for settings without a value."""
    for name, value in settings.items():
        if isinstance(value, dict):
            yield from _leaves(as_object(value), f"{prefix}{name}.")
        elif value is not None:
            yield f"{prefix}{name}", value
