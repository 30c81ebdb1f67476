"""What the commands about this machine and its folders do: doctor, init, trust."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path

import typer
from rich.markup import escape

from assistant.cli import exit_codes
from assistant.cli.console import console
from assistant.cli.jobs import run_async
from assistant.cli.paths import plain_path, text_path
from assistant.config import TrustStore, find_workspace, load_settings, setting, user_paths
from assistant.engine import initialized
from assistant.engine.doctor import Part, examine
from assistant.plan.providers import ProviderSetup, open_provider, read_prices

__all__ = ["print_models", "print_parts", "print_settings", "trust", "warm", "write_block"]


def print_parts(as_json: bool) -> None:
    """What this machine can do; ends the command with 0 where nothing that is needed is missing."""

    async def report() -> int:
        return _shown_parts(await examine(user_paths()), as_json)

    raise typer.Exit(run_async(report))


def warm() -> None:
    """The emulator built ahead; ends the command with 0 where it is."""
    from assistant.engine.doctor import warm_emulator

    async def report() -> int:
        is_built = await warm_emulator(user_paths().cache)
        typer.echo("the emulator is built" if is_built else "the emulator could not be built: kernelopt doctor says what is missing")
        return exit_codes.DONE if is_built else exit_codes.CANNOT_ANSWER

    raise typer.Exit(run_async(report))


def print_models(as_json: bool) -> None:
    """Whether the language models that are set answer; ends the command with 0 where all of them do."""
    from assistant.engine.doctor import examine_models

    around = ProviderSetup(os.environ, user_paths().cache / "doctor-prompts", read_prices(user_paths().prices))
    provider = open_provider(load_settings(find_workspace(Path.cwd())).settings, around)

    async def report() -> int:
        try:
            return _shown_parts(await examine_models(provider), as_json)
        finally:
            await provider.close()

    raise typer.Exit(run_async(report))


def _shown_parts(parts: tuple[Part, ...], as_json: bool) -> int:
    if as_json:
        typer.echo(json.dumps([asdict(part) for part in parts]))
    else:
        _print_parts(parts)
    return exit_codes.DONE if all(part.is_fine for part in parts if part.is_needed) else exit_codes.CANNOT_ANSWER


def write_block(file: Path, kernel: str | None, is_written: bool) -> None:
    """A workload block, into the file or on the screen."""
    result = initialized(text_path(file, kernel), kernel)
    if not is_written:
        typer.echo(result.block)
        return
    result.write()
    names = ", ".join(f"[workload.{name}]" for name in result.names)
    console().print(f"{file}: wrote {names}; look it over, then: kernelopt check {file}", markup=False)
    for text in result.unfilled:
        console().print(f"fill in first: {text}", markup=False)
    for text in result.left_out:
        console().print(f"left out: {text}", markup=False)


def trust(folder: Path, is_revoked: bool) -> None:
    """Keep that the folder's programs may be run, or that they may not."""
    store = TrustStore(user_paths().trust)
    if is_revoked:
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


def print_settings(file: Path, as_json: bool) -> None:
    """Each setting that applies to the file, and its origin."""
    loaded = load_settings(find_workspace(file))
    rows = [(name, setting(loaded.settings, name), origin) for name, origin in sorted(loaded.origins.items())]
    if as_json:
        typer.echo(json.dumps({name: {"value": value, "origin": origin} for name, value, origin in rows}, default=str))
        return
    for name, value, origin in rows:
        console().print(f"{name} = {value!r}  ({origin})", markup=False, highlight=False)
    for warning in loaded.warnings:
        console().print(f"warning: {warning}", markup=False)
