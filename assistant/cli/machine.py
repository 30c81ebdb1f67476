"""Commands about this machine and its folders: doctor, init, trust.

Their options only; ``machine_answers`` does what they say.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from assistant.cli.loading import loading
from assistant.cli.options import Json, Kernel
from assistant.cli.paths import plain_path

__all__ = ["add_machine_commands"]


def add_machine_commands(app: typer.Typer) -> None:
    """Register the commands."""
    commands: tuple[tuple[str, Callable[..., None]], ...] = (("doctor", _doctor), ("init", _init), ("trust", _trust))
    for name, command in commands:
        app.command(name)(command)


def _doctor(
    config: Annotated[
        Path | None, typer.Option("--config", metavar="FILE", help="Print each setting that applies to FILE and its origin")
    ] = None,
    is_llm: Annotated[bool, typer.Option("--llm", help="Ask each language model that is set one tiny question")] = False,
    is_warm: Annotated[
        bool, typer.Option("--warm", help="Build what the emulator's first run would wait for, and look at nothing")
    ] = False,
    as_json: Json = False,
) -> None:
    """What this machine can do, what is missing, and how to get it."""
    with loading():
        from assistant.cli.machine_answers import print_models, print_parts, print_settings, warm

    if sum((is_llm, is_warm, config is not None)) > 1:
        raise typer.BadParameter("--llm, --warm and --config exclude each other")
    if is_warm:
        warm()
    elif is_llm:
        print_models(as_json)
    elif config is None:
        print_parts(as_json)
    else:
        print_settings(plain_path(config), as_json)


def _init(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A source without main()")],
    kernel: Kernel = None,
    write: Annotated[bool, typer.Option(help="Put the block into FILE; otherwise it is printed")] = True,
) -> None:
    """Write a workload block for FILE: how its kernel is launched, on which shapes and values it is judged."""
    with loading():
        from assistant.cli.machine_answers import write_block

    write_block(file, kernel, write)


def _trust(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder whose programs may be run")],
    revoke: Annotated[bool, typer.Option("--revoke", help="Take the trust back")] = False,
) -> None:
    """Allow editors and notebooks to run the programs of a folder; kept in your user data, never in the folder."""
    with loading():
        from assistant.cli import machine_answers

    machine_answers.trust(folder, revoke)
