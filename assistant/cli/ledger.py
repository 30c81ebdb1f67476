"""Commands about what was proposed and decided: proposals, show, accept, reject, undo, history.

Their options only; ``ledger_answers`` does what they say.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from assistant.cli import options as opt
from assistant.cli.loading import loading
from assistant.cli.options import Json
from assistant.engine import JobRequest
from assistant.model.proposal import ALTERNATIVE_MARK, REASON_CODES

__all__ = ["add_ledger_commands"]

_LISTING = "list"
Id = Annotated[str, typer.Argument(metavar="ID", help="A proposal: P3, or the first characters of its long id")]


def add_ledger_commands(app: typer.Typer) -> None:
    """Register the commands."""
    commands: tuple[tuple[str, Callable[..., None]], ...] = (
        ("proposals", _proposals),
        ("show", _show),
        ("accept", _accept),
        ("reject", _reject),
        ("undo", _undo),
    )
    for name, command in commands:
        app.command(name)(command)

    history = typer.Typer(help="What was tried and decided, and judging it again.", cls=_WithListing)
    history.command(_LISTING)(_history)
    history.command("replay")(_replay)
    app.add_typer(history, name="history")


class _WithListing(TyperGroup):
    """Lists where no command of the group is named: ``history FILE`` is ``history list FILE``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # typer's releases name the context's class differently
        is_named = args[:1] and args[0] in (*self.commands, *ctx.help_option_names)
        return super().parse_args(ctx, args if is_named else [_LISTING, *args])


def _proposals(
    file: Annotated[Path | None, typer.Argument(help="Only this file's; default: this workspace's")] = None,
    every_state: Annotated[bool, typer.Option("--all", help="Decided, stale and superseded ones too")] = False,
    as_json: Json = False,
) -> None:
    """Proposals that wait for a decision."""
    with loading():
        from assistant.cli.ledger_answers import print_proposals

    print_proposals(file, every_state, as_json)


Alternative = Annotated[int, typer.Option("--alternative", min=0, help="That one of its alternatives, as show numbers them")]


def _show(id_prefix: Id, alternative: Alternative = 0, as_json: Json = False) -> None:
    """One proposal: diff, verdict, prediction, evidence, explanation, decisions."""
    with loading():
        from assistant.cli.ledger_answers import print_proposal

    print_proposal(_named(id_prefix, alternative), as_json)


def _accept(
    id_prefix: Id,
    hunk: Annotated[
        list[str] | None, typer.Option("--hunk", help="Take only this hunk (repeatable); judged again before it is written")
    ] = None,
    alternative: Alternative = 0,
    as_json: Json = False,
) -> None:
    """Write a proposal into its file, as an undoable edit."""
    with loading():
        from assistant.cli.ledger_decisions import accept

    accept(_named(id_prefix, alternative), tuple(hunk or ()), as_json)


def _named(id_prefix: str, alternative: int) -> str:
    return f"{id_prefix}{ALTERNATIVE_MARK}{alternative}" if alternative else id_prefix


def _reject(
    id_prefix: Id,
    reason: Annotated[str | None, typer.Option(help="Why, in your words: it steers the next plan")] = None,
    reason_code: Annotated[str | None, typer.Option(help=f"One of {', '.join(REASON_CODES)}")] = None,
    as_json: Json = False,
) -> None:
    """Turn a proposal down; the technique ranks lower here from now on."""
    code = reason_code or ("other" if reason else None)
    with loading():
        from assistant.cli.ledger_decisions import reject

    reject(id_prefix, code, reason, as_json)


def _undo(id_prefix: Id, as_json: Json = False) -> None:
    """Take a decision back: an accepted proposal out of its file (refused if that moved on), a rejected one is open again."""
    with loading():
        from assistant.cli.ledger_decisions import undo

    undo(id_prefix, as_json)


def _history(
    file: Annotated[Path | None, typer.Argument(help="Only this file's; default: this workspace's")] = None,
    limit: Annotated[int, typer.Option(min=1, help="Newest attempts shown")] = 30,
    verify: Annotated[bool, typer.Option("--verify", help="Re-derive every hash and the chain of records instead")] = False,
    has_why: Annotated[bool, typer.Option("--why", help="Say of each attempt why it was tried when it was")] = False,
    as_json: Json = False,
) -> None:
    """What was tried and decided, newest first; the word `list` may be left out."""
    if verify:
        with loading():
            from assistant.cli.memory_answers import verify as verify_memory

        verify_memory(as_json)
    with loading():
        from assistant.cli.ledger_answers import print_history

    print_history(file, limit, as_json, has_why)


def _replay(
    context: typer.Context,
    id_prefix: Id,
    device: opt.Device = None,
    timeout: opt.Timeout = None,
    build: opt.Build = None,
    run: opt.Run = None,
    as_json: opt.Json = False,
) -> None:
    """Judge a proposal once more, on the recording that it was judged on; arguments for its program follow --."""
    with loading():
        from assistant.cli.ledger_decisions import replay

    def request(file: Path) -> JobRequest:
        return opt.job_request(file, None, None, device, None, None, context.obj, timeout, build=build, run=run)

    replay(id_prefix, request, as_json)
