"""Asks the client for its settings, and applies what it answers."""

from __future__ import annotations

import asyncio
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from lsp.backend import Backend
from lsp.client import Client, plain
from lsp.diagnostics import Diagnostics
from lsp.settings import ANSWER_S, SECTION, EditorConfiguration

__all__ = ["SettingsSync"]


class SettingsSync:
    """Keeps the settings of one client up to date."""

    def __init__(
        self,
        server: LanguageServer,
        client: Client,
        backend: Backend,
        diagnostics: Diagnostics,
        configuration: EditorConfiguration,
    ) -> None:
        self._server = server
        self._client = client
        self._backend = backend
        self._diagnostics = diagnostics
        self._configuration = configuration

    def expect(self) -> None:
        """The client will be asked: until it answers, nothing runs that its settings may switch off."""
        self._configuration.expect()

    async def pull(self) -> None:
        """Ask the client for our section; an error as an answer means that it has no settings."""
        items = [types.ConfigurationItem(section=SECTION)]
        asked = asyncio.ensure_future(self._server.workspace_configuration_async(types.ConfigurationParams(items)))
        answered, _ = await asyncio.wait((asked,), timeout=ANSWER_S)
        if not answered:
            self._client.log(
                "the editor has not sent its settings (workspace/configuration): no background work runs until it does",
                types.MessageType.Warning,
            )
        try:
            answers: list[Any] = list(await asked)
        except JsonRpcException:
            answers = []
        self.take(plain(answers[0]) if answers else {})

    def take(self, settings: object) -> None:
        """The client's settings changed."""
        self._configuration.take(settings)
        self.apply()

    def apply(self) -> None:
        """Settings or folders changed: publish diagnostics and look at sources again."""
        editor = self._backend.opened
        if editor is not None:
            self._diagnostics.publish_all()
            editor.look_again()
