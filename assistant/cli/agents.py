"""Commands of ``agents``: set a project up for coding agents. Their options only; ``agents_answers`` does what they say."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assistant.cli.loading import loading
from assistant.cli.options import Json

__all__ = ["add_agent_commands"]


def add_agent_commands(app: typer.Typer) -> None:
    """Register the group."""
    agents = typer.Typer(help="Set a project up for coding agents: skills, and the server that they ask.", no_args_is_help=True)
    agents.callback()(lambda: None)
    agents.command("init")(_init)
    app.add_typer(agents, name="agents")


def _init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The project")] = Path(),
    names: Annotated[
        list[str] | None,
        typer.Option(
            "--for",
            metavar="AGENT",
            help="claude, codex, copilot, cursor or gemini; repeatable. Left out: those that DIR shows traces of, or all",
        ),
    ] = None,
    is_shown_only: Annotated[bool, typer.Option("--dry-run", help="Show which files would be written; write none")] = False,
    as_json: Json = False,
) -> None:
    """Write skills for coding agents into DIR, and kernelopt's server into their configuration. Other entries there stay."""
    with loading():
        from assistant.cli.agents_answers import set_up
        from assistant.cli.paths import plain_path

    set_up(plain_path(folder), tuple(names or ()), is_shown_only, as_json)
