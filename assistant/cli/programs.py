"""The command ``program``: which programs a file belongs to, which of them is meant, and what a build makes.

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
    record: Annotated[
        str | None,
        typer.Option(metavar="CMD", help="Run this build once, in a private copy of the folder, and keep what it compiles and links"),
    ] = None,
    timeout: Annotated[float | None, typer.Option(min=0.1, help="Seconds that the recorded build may take; default 600")] = None,
    is_configured: Annotated[
        bool, typer.Option("--configure", help="First have CMake configure FILE's project below .kernelopt; runs its CMakeLists.txt")
    ] = False,
    cmake_options: Annotated[
        str | None, typer.Option("--cmake-options", metavar="WORDS", help="For --configure, e.g. '-DWITH_BENCH=ON -G Ninja'")
    ] = None,
    are_all_shown: Annotated[bool, typer.Option("--all", help="List every program, however many there are; else the first 20")] = False,
    cflags: Cflags = None,
    as_json: Json = False,
) -> None:
    """The programs that FILE belongs to: their sources, why these belong together, flags. Runs nothing but what an option says."""
    with loading():
        from assistant.cli.programs_answers import configure, print_programs, use_program

    if record is not None:
        from assistant.cli.recording import record_build

        record_build(file, record, timeout)
    if cmake_options is not None and not is_configured:
        raise typer.BadParameter("--cmake-options needs --configure")
    if is_configured:
        configure(file, cmake_options, as_json)
    if use is not None:
        use_program(file, use, cflags, as_json)
    else:
        print_programs(file, cflags, as_json, are_all_shown)
