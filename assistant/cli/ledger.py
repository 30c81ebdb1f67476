"""Commands about what was proposed, decided and learnt: proposals, show, accept, reject, undo, history, memory."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from assistant.cli import exit_codes
from assistant.cli.compose import open_session
from assistant.cli.jobs import console, show_events
from assistant.cli.options import Json
from assistant.cli.paths import plain_path
from assistant.cli.render import TextRenderer, print_table
from assistant.config import find_workspace, load_settings, memory_path
from assistant.engine.event_json import event_json
from assistant.engine.reports import proposal_event
from assistant.memory import ForgetScope, MemoryStore, as_text, export_lines, open_store
from assistant.memory import as_json as as_json_text
from assistant.model import events
from assistant.model.attempt import Attempt
from assistant.model.proposal import REASON_CODES, Decision, ProposalState
from assistant.ports import Store
from assistant.serialize import dumps

__all__ = ["add_ledger_commands"]

Id = Annotated[str, typer.Argument(metavar="ID", help="A proposal's id, or the first characters of one")]
_OPEN = frozenset({ProposalState.OPEN, ProposalState.UNDONE})


def add_ledger_commands(app: typer.Typer) -> None:
    """Register the commands."""
    commands: tuple[tuple[str, Callable[..., None]], ...] = (
        ("proposals", _proposals),
        ("show", _show),
        ("accept", _accept),
        ("reject", _reject),
        ("undo", _undo),
        ("history", _history),
    )
    for name, command in commands:
        app.command(name)(command)

    memory = typer.Typer(help="What was learnt, and the file it is kept in.", no_args_is_help=True)
    for name, command in (
        ("show", _memory_show),
        ("path", _memory_path),
        ("export", _memory_export),
        ("verify", _memory_verify),
        ("forget", _memory_forget),
    ):
        memory.command(name)(command)
    app.add_typer(memory, name="memory")


def _proposals(
    file: Annotated[Path | None, typer.Argument(help="Only this file's; default: this workspace's")] = None,
    every_state: Annotated[bool, typer.Option("--all", help="Decided, stale and superseded ones too")] = False,
    as_json: Json = False,
) -> None:
    """Proposals that wait for a decision."""
    session = open_session()
    found = session.store.proposals(find_workspace(plain_path(file or Path.cwd())), None if every_state else _OPEN)
    chosen = [p for p in found if file is None or p.path == plain_path(file)]
    if as_json:
        for proposal in chosen:
            typer.echo(event_json(proposal_event(proposal.job, proposal)))
        return
    if not chosen:
        console().print("no open proposals in this workspace")
        return
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("id", "state", "verdict", "predicted", "kernel", "technique", "file"):
        table.add_column(name, min_width=len(chosen[0].id) if name == "id" else None, overflow="fold")
    for p in chosen:
        speed = f"{p.comparison.outcome.value} {p.comparison.ratio:.2f}x"
        names = " + ".join(p.techniques)
        kernel = p.kernel.partition("(")[0]
        table.add_row(p.id, p.state.value, p.verification.outcome.value, speed, escape(kernel), names, p.path.name)
    print_table(console(), table)


def _show(id_prefix: Id, as_json: Json = False) -> None:
    """One proposal: diff, verdict, prediction, evidence, explanation, decisions."""
    session = open_session()
    proposal = session.store.find_proposal(id_prefix)
    event = proposal_event(proposal.job, proposal)
    if as_json:
        typer.echo(event_json(event))
        return
    TextRenderer(console()).render(event)
    for decision in session.store.decisions(proposal.id):
        reason = decision.reason or decision.reason_code or ""
        console().print(f"{_when(decision.decided_ms)} {decision.kind.value} by {decision.decided_by} {reason}", markup=False)


def _accept(
    id_prefix: Id,
    hunk: Annotated[
        list[str] | None, typer.Option("--hunk", help="Take only this hunk (repeatable); judged again before it is written")
    ] = None,
    as_json: Json = False,
) -> None:
    """Write a proposal into its file, as an undoable edit."""
    raise typer.Exit(show_decision(lambda: open_session().accept(id_prefix, tuple(hunk or ())), as_json))


def _reject(
    id_prefix: Id,
    reason: Annotated[str | None, typer.Option(help="Why, in your words: it steers the next plan")] = None,
    reason_code: Annotated[str | None, typer.Option(help=f"One of {', '.join(REASON_CODES)}")] = None,
    as_json: Json = False,
) -> None:
    """Turn a proposal down; the technique ranks lower here from now on."""
    code = reason_code or ("other" if reason else None)
    _show_now(open_session().reject(id_prefix, code, reason), as_json)


def _undo(id_prefix: Id, as_json: Json = False) -> None:
    """Take an accepted proposal back; refused if the file moved on."""
    _show_now(open_session().undo(id_prefix), as_json)


def _history(
    file: Annotated[Path | None, typer.Argument(help="Only this file's; default: this workspace's")] = None,
    limit: Annotated[int, typer.Option(min=1, help="Newest attempts shown")] = 30,
    verify: Annotated[bool, typer.Option("--verify", help="Re-derive every hash and the chain of records instead")] = False,
    as_json: Json = False,
) -> None:
    """What was tried and decided, newest first."""
    if verify:
        _memory_verify(as_json)
    session = open_session()
    path = None if file is None else plain_path(file)
    workspace = find_workspace(plain_path(file or Path.cwd()))
    attempts = session.store.attempts(workspace, path, limit)
    if as_json:
        for attempt in attempts:
            typer.echo(json.dumps(_attempt_object(attempt)))
        return
    for attempt in attempts:
        ratio = "" if attempt.comparison is None else f" {attempt.comparison.outcome.value} {attempt.comparison.ratio:.2f}x"
        line = f"{_when(attempt.created_ms)} {attempt.technique} on {attempt.kernel}: {attempt.outcome}{ratio} — {attempt.reason}"
        console().print(line, markup=False, highlight=False, soft_wrap=True)
    decisions = _decisions(session.store, workspace, path)
    for decision in decisions:
        reason = decision.reason or decision.reason_code or ""
        line = f"{_when(decision.decided_ms)} {decision.proposal} {decision.kind.value} by {decision.decided_by} {reason}"
        console().print(line.rstrip(), markup=False, highlight=False, soft_wrap=True)
    if not attempts and not decisions:
        console().print(f"nothing was tried {'in this workspace' if file is None else f'on {file}'} yet", markup=False)


def _decisions(store: Store, workspace: Path, path: Path | None) -> tuple[Decision, ...]:
    """Those on the workspace's proposals, or on one file's; oldest first."""
    here = {proposal.id for proposal in store.proposals(workspace) if path is None or proposal.path == path}
    return tuple(decision for decision in store.decisions() if decision.proposal in here)


def _memory_show(as_json: Json = False) -> None:
    """What was learnt: per technique and bottleneck, how often it was tried, right, better, accepted."""
    rows = _store().knowledge()
    typer.echo(as_json_text(rows) if as_json else as_text(rows) or "nothing was learnt yet")


def _memory_path() -> None:
    """Where the memory file is."""
    typer.echo(str(_memory_file()))


def _memory_export() -> None:
    """Every attempt and decision as JSON lines."""
    for line in export_lines(_store()):
        typer.echo(line)


def _memory_verify(as_json: Json = False) -> None:
    """Re-derive every hash and the chain of records; exit 1 if anything is not as it was written."""
    report = _store().verify()
    if as_json:
        typer.echo(dumps(report))
    else:
        for damage in report.damages:
            console().print(f"{damage.subject}: {damage.message}", markup=False, highlight=False)
        verdict = "damaged" if report.damages else "as it was written"
        console().print(f"{_memory_file()}: {report.record_count} records, {report.forgotten_count} forgotten: {verdict}", markup=False)
    raise typer.Exit(exit_codes.ANSWER_IS_NO if report.damages else exit_codes.DONE)


def _memory_forget(
    file: Annotated[Path | None, typer.Argument(help="Everything about this file")] = None,
    workspace: Annotated[Path | None, typer.Option(help="Everything about this workspace")] = None,
    before: Annotated[datetime | None, typer.Option(formats=["%Y-%m-%d"], help="Everything older than this day")] = None,
) -> None:
    """Purge what memory holds of a file, a workspace or a time; a tombstone without contents stays."""
    before_ms = None if before is None else int(before.timestamp() * 1e3)
    scope = ForgetScope(
        workspace=None if workspace is None else plain_path(workspace),
        path=None if file is None else plain_path(file),
        before_ms=before_ms,
    )
    forgotten = _store().forget(scope, time.time_ns() // 1_000_000)
    console().print(f"forgotten: {forgotten.attempt_count} attempts, {forgotten.proposal_count} proposals", markup=False)


def _memory_file() -> Path:
    return memory_path(load_settings(find_workspace(Path.cwd())).settings)


def _store() -> MemoryStore:
    return open_store(_memory_file())


def show_decision(stream: Callable[[], object], as_json: bool) -> int:
    """A decision's events end without ``job_ended`` when nothing had to be judged; then it is done."""
    code = show_events(stream, as_json)  # pyright: ignore[reportArgumentType]
    return exit_codes.DONE if code == exit_codes.INTERNAL else code


def _show_now(shown: tuple[events.Event, ...], as_json: bool) -> None:
    renderer = TextRenderer(console())
    for event in shown:
        if as_json:
            typer.echo(event_json(event))
        else:
            renderer.render(event)


def _attempt_object(attempt: Attempt) -> dict[str, object]:
    return {
        "id": attempt.id,
        "job": attempt.job,
        "file": str(attempt.path),
        "kernel": attempt.kernel,
        "technique": attempt.technique,
        "finding": attempt.finding,
        "outcome": attempt.outcome,
        "reason": attempt.reason,
        "ratio": None if attempt.comparison is None else attempt.comparison.ratio,
        "created_ms": attempt.created_ms,
    }


def _when(moment_ms: int) -> str:
    return datetime.fromtimestamp(moment_ms / 1e3, tz=UTC).astimezone().strftime("%Y-%m-%d %H:%M")
