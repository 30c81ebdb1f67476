"""The command ``program``: which programs a file belongs to, and which of them is meant.

Its options only; ``programs_answers`` does what they say.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assistant.cli.loading import loading
from assistant.cli.options import Cflags, Json

__all__ = ["add_program_command"]


def add_program_command(app: typer.Typer) -> None:
    """Register the command."""
    app.command("program")(_program)


def _program(
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="A source, a header or a folder; default: the folder you are in")
    ] = None,
    use: Annotated[str | None, typer.Option(metavar="NAME", help="Remember that this program is meant when FILE is asked about")] = None,
    cflags: Cflags = None,
    as_json: Json = False,
) -> None:
    """The programs that FILE belongs to: their sources, why these belong together, flags and arguments. Runs nothing."""
    with loading():
        from assistant.cli.programs_answers import print_programs, use_program

    if use is not None:
        use_program(file, use, cflags, as_json)
    else:
        print_programs(file, cflags, as_json)
