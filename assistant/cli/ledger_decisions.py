"""What the commands that decide on a proposal, or judge it again, do and print: accept, reject, undo, history replay."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

import typer

from assistant.cli import exit_codes
from assistant.cli.compose import open_session
from assistant.cli.console import console
from assistant.cli.jobs import show_events
from assistant.cli.render import TextRenderer
from assistant.cli.shown import Shown
from assistant.config import find_workspace
from assistant.engine import JobRequest, Session, event_json
from assistant.model import events
from assistant.model.proposal import ALTERNATIVE_MARK

__all__ = ["accept", "reject", "replay", "undo"]


def accept(id_prefix: str, hunks: tuple[str, ...], as_json: bool) -> None:
    """Write a proposal into its file, as an undoable edit."""

    def stream() -> AsyncIterator[events.Event]:
        session = open_session()
        accepting = session.accept(_long_id(session, id_prefix), hunks)
        return accepting if as_json else _without_proposals(accepting)

    raise typer.Exit(_show_decision(stream, as_json))


def reject(id_prefix: str, code: str | None, reason: str | None, as_json: bool) -> None:
    """Turn a proposal down; the technique ranks lower here from now on."""
    session = open_session()
    _show_now(session.reject(_long_id(session, id_prefix), code, reason), as_json)


def undo(id_prefix: str, as_json: bool) -> None:
    """Take a decision back: an accepted proposal out of its file (refused if that moved on), a rejected one is open again."""
    session = open_session()
    _show_now(session.undo(_long_id(session, id_prefix)), as_json)


def replay(id_prefix: str, request_of: Callable[[Path], JobRequest], as_json: bool) -> None:
    """Judge a proposal again on what it was judged on. ``request_of``: what its file is judged with."""
    session = open_session()
    proposal = session.store.find_proposal(id_prefix, find_workspace(Path.cwd()))
    request = replace(request_of(proposal.path), working_directory=proposal.path.parent)
    raise typer.Exit(show_events(lambda: session.replay(proposal.id, request), Shown(as_json)))


def _long_id(session: Session, name: str) -> str:
    """The id of the proposal that a person means here: ``P3`` is the third of this workspace."""
    proposal = session.store.find_proposal(name, find_workspace(Path.cwd()))
    return f"{proposal.id}{ALTERNATIVE_MARK}{proposal.number}" if proposal.number else proposal.id


def _show_decision(stream: Callable[[], AsyncIterator[events.Event]], as_json: bool) -> int:
    """A decision's events end without ``job_ended`` when nothing had to be judged; then it is done."""
    code = show_events(stream, Shown(as_json))
    return exit_codes.DONE if code == exit_codes.INTERNAL else code


async def _without_proposals(stream: AsyncIterator[events.Event]) -> AsyncIterator[events.Event]:
    """An edit that was moved and judged again is the one that the person asked for: its verdict and its new id say enough."""
    async for event in stream:
        if not isinstance(event, events.ProposalMade):
            yield event


def _show_now(shown: tuple[events.Event, ...], as_json: bool) -> None:
    renderer = TextRenderer(console())
    for event in shown:
        if as_json:
            typer.echo(event_json(event))
        else:
            renderer.render(event)
