"""``kernelopt.program.choose``: which program runs the kernels of a file, where several could."""

from __future__ import annotations

from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from assistant.errors import KernelOptError
from lsp.arguments import ProgramArguments, find_unit
from lsp.backend import Backend
from lsp.client import Client
from lsp.messages import with_remedy
from lsp.units import Units

__all__ = ["register"]


def register(server: LanguageServer, client: Client, units: Units, backend: Backend) -> None:
    @server.command("kernelopt.program.choose")
    def choose(arguments: ProgramArguments) -> dict[str, Any]:
        """Remember the program that is named; where none is, ask for it. Answers at once."""
        unit = find_unit(units, backend, arguments)
        client.spawn(_chosen(client, backend, unit.key, arguments.program))
        return {"outcome": "asking" if arguments.program is None else "choosing"}


async def _chosen(client: Client, backend: Backend, key: str, program: str | None) -> None:
    try:
        await backend.editor.choose_program(key, program)
    except KernelOptError as error:
        client.say(with_remedy(error), types.MessageType.Warning)
