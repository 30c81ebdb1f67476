"""What ``kernelopt program --record CMD`` does before it shows programs: runs the build once, and keeps what it links.

The command was typed for that: nothing else records a build, but for ``--build`` of a command that runs what it makes.
"""

from __future__ import annotations

from pathlib import Path

from assistant.cli.building import build_place, recorded_now
from assistant.cli.console import console
from assistant.cli.options import words_of
from assistant.cli.paths import plain_path
from assistant.errors import UsageError
from assistant.lab.builds import BUILD_TIMEOUT_S, Build
from assistant.program.wording import enumerated

__all__ = ["record_build"]


def record_build(file: Path | None, command: str, timeout_s: float | None) -> None:
    """Ends the command where the build cannot be recorded. Raises UsageError for a command that is none, and for an unfit folder."""
    words = words_of(command)
    if not words:
        raise UsageError("--record is empty", 'name the build\'s command: --record "make app"')
    path = plain_path(Path.cwd() if file is None else file)
    if not path.exists():
        raise UsageError(f"{path} does not exist", "check the path")
    workspace = build_place(path)
    record = recorded_now(Build(words, Path.cwd().resolve(), workspace, BUILD_TIMEOUT_S if timeout_s is None else timeout_s))
    names = enumerated([program.name for program in record.programs])
    console(is_error=True).print(f"recorded: {record.text} links {names}", markup=False)
