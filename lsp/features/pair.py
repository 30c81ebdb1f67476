"""``kernelopt.pair.*``: a pair session on one kernel."""

from __future__ import annotations

from typing import Any

from pygls.lsp.server import LanguageServer

from lsp.arguments import PairArguments, find_unit
from lsp.backend import Backend
from lsp.client import Client
from lsp.edits import DocumentEdits
from lsp.units import Units

__all__ = ["register"]

_VERBS = ("start", "suggest", "constrain", "why", "back", "stop")


def register(server: LanguageServer, client: Client, units: Units, backend: Backend, edits: DocumentEdits) -> None:
    def register_verb(verb: str) -> None:
        @server.command(f"kernelopt.pair.{verb}")
        def run(arguments: PairArguments) -> dict[str, Any]:
            from lsp.pair import PairCommands  # loads what most people never need

            unit = find_unit(units, backend, arguments)
            return PairCommands(client, backend, edits).answer(verb, unit, arguments)

    for verb in _VERBS:
        register_verb(verb)
