"""Sets a project up for coding agents: their skills, and our server in their configuration.

What would change is computed first and can be shown; then it is written, each file whole or not at all::

    files = setup_files(folder, clients_of(folder, ()), load_skills(), "kernelopt")
    write_files(folder, files)
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path, PurePosixPath

from assistant.agents.clients import ARGUMENTS, AgentClient, with_server
from assistant.agents.skills import Skill
from assistant.disk.texts import read_bytes
from assistant.errors import UsageError
from assistant.record import Record

__all__ = ["FileState", "SetupFile", "setup_files", "write_files"]

_MOST_BYTES = 1 << 20
"""Of a file that is read before it is changed."""


ServerArguments = Callable[[AgentClient], tuple[str, ...]]


def usual_arguments(_: AgentClient) -> tuple[str, ...]:
    """Of the server about a whole project."""
    return ARGUMENTS


class FileState(StrEnum):
    """What writing a file would do."""

    NEW = "new"
    CHANGED = "changed"
    UNCHANGED = "unchanged"


class SetupFile(Record):
    """A file as it is to be."""

    path: PurePosixPath
    """Below the project's folder."""
    text: str
    state: FileState


def setup_files(
    folder: Path, clients: tuple[AgentClient, ...], skills: tuple[Skill, ...], command: str, arguments: ServerArguments = usual_arguments
) -> tuple[SetupFile, ...]:
    """Every file of the set-up: configurations, then skills; agents that share a folder of skills share its files.

    ``command`` starts kernelopt; ``arguments`` are those of its server for a client. Raises UsageError where a file that stands there
    cannot be read or extended.
    """
    texts: dict[PurePosixPath, str] = {}
    for client in clients:
        texts[client.configuration] = with_server(client, _text(folder / client.configuration), command, arguments(client))
    for client in clients:
        for skill in skills:
            texts |= {client.skills / skill.name / path: text for path, text in skill.files().items()}
    return tuple(SetupFile(path, text, _state(folder / path, text)) for path, text in texts.items())


def write_files(folder: Path, files: tuple[SetupFile, ...]) -> None:
    """Write what is not there as it is to be. Raises UsageError for the first file that cannot be written."""
    for file in files:
        if file.state is not FileState.UNCHANGED:
            _write(folder / file.path, file.text)


def _state(path: Path, text: str) -> FileState:
    now = _text(path)
    if now is None:
        return FileState.NEW
    return FileState.UNCHANGED if now == text else FileState.CHANGED


def _text(path: Path) -> str | None:
    """None where there is no file."""
    try:
        return read_bytes(path, _MOST_BYTES).decode("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}", "move it away, or set that agent up by hand") from error


def _write(path: Path, text: str) -> None:
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_text(text, "utf-8")
        if target.exists():
            temporary.chmod(target.stat().st_mode & 0o7777)
        temporary.replace(target)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise UsageError(f"{path} cannot be written: {error.strerror}", "check the folder's permissions and free space") from error
