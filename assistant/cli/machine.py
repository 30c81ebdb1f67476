"""Commands about this machine and its folders: doctor, init, trust."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from assistant.cli import exit_codes
from assistant.cli.jobs import console, run_async
from assistant.cli.options import Json, Kernel
from assistant.cli.paths import plain_path
from assistant.config import TrustStore, find_workspace, load_settings, setting, user_paths
from assistant.engine.doctor import Part, examine
from assistant.engine.initialize import initialized

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
    as_json: Json = False,
) -> None:
    """What this machine can do, what is missing, and how to get it."""
    if config is not None:
        _print_settings(plain_path(config), as_json)
        return

    async def report() -> int:
        parts = await examine(user_paths())
        if as_json:
            typer.echo(json.dumps([asdict(part) for part in parts]))
        else:
            _print_parts(parts)
        return exit_codes.DONE if all(part.is_fine for part in parts if part.is_needed) else exit_codes.CANNOT_ANSWER

    raise typer.Exit(run_async(report))


def _init(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A source without main()")],
    kernel: Kernel = None,
    write: Annotated[bool, typer.Option(help="Put the block into FILE; otherwise it is printed")] = True,
) -> None:
    """Write a workload block for FILE: how its kernel is launched, on which shapes and values it is judged."""
    result = initialized(plain_path(file), kernel)
    if not write:
        typer.echo(result.block)
        return
    result.write()
    console().print(f"{file}: wrote [workload.{result.name}]; look it over, then: kernelopt check {file}", markup=False)
    for text in result.unfilled:
        console().print(f"fill in first: {text}", markup=False)


def _trust(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder whose programs may be run")],
    revoke: Annotated[bool, typer.Option("--revoke", help="Take the trust back")] = False,
) -> None:
    """Allow editors and notebooks to run the programs of a folder; kept in your user data, never in the folder."""
    store = TrustStore(user_paths().trust)
    if revoke:
        store.revoke(plain_path(folder))
        console().print(f"{folder} is not trusted any more", markup=False)
    else:
        store.trust(plain_path(folder))
        console().print(f"{folder} is trusted: editors may run its programs in the background", markup=False)


def _print_parts(parts: tuple[Part, ...]) -> None:
    out = console()
    for part in parts:
        mark = "[green]ok     [/]" if part.is_fine else ("[bold red]missing[/]" if part.is_needed else "[yellow]weaker [/]")
        out.print(f"{mark} [bold]{part.name}[/]: {escape(part.detail)}", soft_wrap=True)
        if part.remedy:
            out.print(f"          try: {escape(part.remedy)}", soft_wrap=True)


def _print_settings(file: Path, as_json: bool) -> None:
    loaded = load_settings(find_workspace(file))
    rows = [(name, setting(loaded.settings, name), origin) for name, origin in sorted(loaded.origins.items())]
    if as_json:
        typer.echo(json.dumps({name: {"value": value, "origin": origin} for name, value, origin in rows}, default=str))
        return
    for name, value, origin in rows:
        console().print(f"{name} = {value!r}  ({origin})", markup=False, highlight=False)
    for warning in loaded.warnings:
        console().print(f"warning: {warning}", markup=False)
