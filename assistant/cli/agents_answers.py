"""What ``agents init`` writes and prints."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import typer

from assistant.agents import AgentClient, FileState, SetupFile, clients_of, load_skills, setup_files, write_files
from assistant.cli.console import console
from assistant.errors import UsageError

__all__ = ["server_command", "set_up"]

_NAME = "kernelopt"


def set_up(folder: Path, names: tuple[str, ...], is_shown_only: bool, as_json: bool) -> None:
    """Write the files of the agents that are meant, or only show them. Raises UsageError."""
    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder", "name the folder of your project")
    clients = clients_of(folder, names)
    command = server_command()
    files = setup_files(folder, clients, load_skills(), command)
    if not is_shown_only:
        write_files(folder, files)
    if as_json:
        typer.echo(json.dumps([{"path": str(file.path), "state": file.state.value} for file in files]))
    else:
        _print(folder, clients, files, is_shown_only)
        if command != _NAME:
            console().print(f"kernelopt is not on PATH here, so the configuration names {command}")


def server_command() -> str:
    """What starts kernelopt: its name where that is found, else the path of this environment's."""
    beside = Path(sys.executable).with_name(_NAME)
    return str(beside) if beside.exists() and not shutil.which(_NAME) else _NAME


def _print(folder: Path, clients: tuple[AgentClient, ...], files: tuple[SetupFile, ...], is_shown_only: bool) -> None:
    verb = "would write" if is_shown_only else "wrote"
    states = {file.path: file.state for file in files}
    for client in clients:
        console().print(
            f"{client.title}: {verb} {client.configuration} ({states[client.configuration].value}) and skills in {client.skills}"
        )
    of_skills = [file for file in files if file.path.name == "SKILL.md" or "references" in file.path.parts]
    new, changed = (sum(file.state is state for file in of_skills) for state in (FileState.NEW, FileState.CHANGED))
    console().print(f"skills: {new} files new, {changed} changed, {len(of_skills) - new - changed} as they were")
    if not is_shown_only:
        console().print(f"next: kernelopt trust {folder}, so that agents may have its programs judged; then start your agent in it")
