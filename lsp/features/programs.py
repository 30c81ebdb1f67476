"""``kernelopt.program.…``: which program runs the kernels of a file, and what its build says of that."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from assistant.engine import new_id
from assistant.errors import KernelOptError, UsageError
from lsp.arguments import BuildArguments, ProgramArguments, find_unit
from lsp.backend import Backend
from lsp.client import Client
from lsp.messages import with_remedy
from lsp.units import Unit, Units

__all__ = ["register"]


def register(server: LanguageServer, client: Client, units: Units, backend: Backend) -> None:
    @server.command("kernelopt.program.choose")
    def choose(arguments: ProgramArguments) -> dict[str, Any]:
        """Remember the program that is named; where none is, ask for it. Answers at once."""
        unit = find_unit(units, backend, arguments)
        client.spawn(_say_outcome(client, backend.editor.choose_program(unit.key, arguments.program)))
        return {"outcome": "asking" if arguments.program is None else "choosing"}

    @server.command("kernelopt.program.record")
    def record(arguments: BuildArguments) -> dict[str, Any]:
        """Record the project's build, once a person agrees to the command. Answers at once."""
        unit = find_unit(units, backend, arguments)
        command = _command(backend, unit, arguments.command)
        client.spawn(_say_outcome(client, backend.editor.record_build(unit.key, command, showing)))
        return {"outcome": "asking", "command": shlex.join(command)}

    @server.command("kernelopt.program.configure")
    def configure(arguments: BuildArguments) -> dict[str, Any]:
        """Have CMake configure the project, once a person agrees. Answers at once."""
        unit = find_unit(units, backend, arguments)
        client.spawn(_say_outcome(client, backend.editor.configure_project(unit.key, arguments.options, showing)))
        return {"outcome": "asking"}

    @asynccontextmanager
    async def showing(title: str) -> AsyncGenerator[None]:
        """By the client's progress, which can cancel it, or a message."""
        if not client.shows_progress:
            client.say(f"kernelopt {title}")
            yield
            return
        progress, token, task = server.work_done_progress, new_id("B"), asyncio.current_task()
        await progress.create_async(token)  # pyright: ignore[reportUnknownMemberType]
        progress.tokens[token].add_done_callback(lambda _: None if task is None else task.cancel())  # pyright: ignore
        progress.begin(token, types.WorkDoneProgressBegin(f"kernelopt {title}", cancellable=True))
        try:
            yield
        finally:
            progress.end(token, types.WorkDoneProgressEnd())
            progress.tokens.pop(token, None)  # pyright: ignore[reportUnknownMemberType]


def _command(backend: Backend, unit: Unit, given: str | None) -> tuple[str, ...]:
    """Raises UsageError where none is given and the project shows none, and for words that no shell would read."""
    programs = backend.editor.view(unit.key).programs
    way = None if programs is None else programs.way
    text = given if given is not None or way is None else way.command
    if not text or not text.strip():
        raise UsageError(f"no build of {unit.path.name} is seen", "give its command, for example `make app`")
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise UsageError(f"{text} is no command: {error}", "close its quotes") from error


async def _say_outcome(client: Client, work: Coroutine[Any, Any, str | None]) -> None:
    """What came of it, to the person."""
    try:
        said = await work
    except KernelOptError as error:
        client.say(with_remedy(error), types.MessageType.Warning)
    else:
        if said:
            client.say(said)
