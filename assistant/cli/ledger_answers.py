"""What the commands that only read proposals and history print. Of the engine they load next to nothing, so that they answer at once."""

from __future__ import annotations

import contextlib
import json
import time
from datetime import UTC, datetime
from pathlib import Path

import typer
from rich.markup import escape
from rich.table import Table

from assistant.build.symbols import name_in_code
from assistant.cli.calm_history import print_attempts
from assistant.cli.console import console, print_table
from assistant.cli.loading import loading
from assistant.cli.paths import plain_path, text_path
from assistant.config import find_workspace, load_settings, memory_path
from assistant.cuda.embedded.in_python import python_file
from assistant.editor.tried import why_tried
from assistant.engine import event_json
from assistant.engine.report import proposal_event, technique_in_words, techniques_in_words
from assistant.engine.search import last_interrupted
from assistant.errors import UsageError
from assistant.memory import MemoryStore, open_store
from assistant.model.attempt import Attempt
from assistant.model.comparison import format_ratio
from assistant.model.proposal import DECIDABLE_STATES, Decision, Proposal
from assistant.model.short_ids import first_letters
from assistant.ports.store import ProposalStore, SearchStore

__all__ = [
    "print_history",
    "print_proposal",
    "print_proposals",
]


def print_proposals(file: Path | None, every_state: bool, as_json: bool) -> None:
    """Proposals that wait for a decision."""
    store = _store()
    workspace, states = find_workspace(plain_path(file or Path.cwd())), None if every_state else DECIDABLE_STATES
    if file is None:  # also of folders in it, which are workspaces of their own where none of them has a marker
        chosen = [p for p in store.proposals(None, states) if any(path.is_relative_to(workspace) for path in (p.path, *p.paths))]
    else:
        chosen = [p for p in store.proposals(workspace, states) if plain_path(file) in (p.path, *p.paths, python_file(p.path))]
    if as_json:
        for proposal in chosen:
            typer.echo(event_json(proposal_event(proposal.job, proposal)))
        return
    if not chosen:
        console().print("no open proposals in this workspace")
        return
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("id", "state", "verdict", "predicted", "kernel", "technique", "file"):
        table.add_column(name, overflow="fold")
    for p in chosen:
        speed = f"{p.comparison.outcome.value} {format_ratio(p.comparison.ratio)}x"
        names = techniques_in_words(p.techniques)
        kernel, files = name_in_code(p.kernel)[0], ", ".join(path.name for path in p.paths)
        table.add_row(_called(store, p, workspace), p.state.value, p.verification.outcome.value, speed, escape(kernel), names, files)
    print_table(console(), table)


def _called(store: ProposalStore, proposal: Proposal, workspace: Path) -> str:
    """What commands understand in the workspace: ``P1``, or, where that is another proposal, the first letters that no other one has."""
    short = store.short_id(proposal.id)
    with contextlib.suppress(UsageError):  # several folders have one of that number
        if store.find_proposal(short, workspace).id == proposal.id:
            return short
    return first_letters(proposal.id, (other.id for other in store.proposals()))


def print_proposal(id_prefix: str, as_json: bool) -> None:
    """One proposal: diff, verdict, prediction, evidence, explanation, decisions."""
    store = _store()
    proposal = store.find_proposal(id_prefix, find_workspace(Path.cwd()))
    decisions = store.decisions(proposal.id)
    if decisions and proposal.number == 0:  # what was decided on is what is meant
        proposal = proposal.taking(decisions[-1].alternative) or proposal
    event = proposal_event(proposal.job, proposal)
    if as_json:
        typer.echo(event_json(event))
        return
    with loading():
        from assistant.cli.render import TextRenderer

    TextRenderer(console()).render(event)
    for decision in decisions:
        reason = decision.reason or decision.reason_code or ""
        console().print(f"{_when(decision.decided_ms)} {decision.kind.value} by {decision.decided_by} {reason}", markup=False)


def print_history(file: Path | None, limit: int, as_json: bool, has_why: bool) -> None:
    """What was tried and decided, newest first; with why each attempt was tried when it was, a line each, where that is asked for."""
    store = _store()
    path = None if file is None else text_path(file, None)
    workspace = find_workspace(plain_path(file or Path.cwd()))
    attempts = store.attempts(workspace, path, limit)
    if as_json:
        for attempt in attempts:
            typer.echo(json.dumps(_attempt_object(attempt)))
        return
    is_table = console().is_terminal and not has_why
    if attempts and is_table:
        print_attempts(console(), attempts, _when)
    for attempt in () if is_table else attempts:
        ratio = "" if attempt.comparison is None else f" {attempt.comparison.outcome.value} {format_ratio(attempt.comparison.ratio)}x"
        also = f" with {', '.join(file.path.name for file in attempt.also)}" if attempt.also else ""
        what = f"{technique_in_words(attempt.technique)} on {attempt.kernel}{also}"
        line = f"{_when(attempt.created_ms)} {what}: {attempt.outcome}{ratio} — {attempt.reason}"
        console().print(line, markup=False, highlight=False, soft_wrap=True)
        if has_why:
            console().print(f"  tried {why_tried(attempt)}", markup=False, highlight=False, soft_wrap=True)
    decisions = _decisions(store, workspace, path)
    for decision in decisions:
        reason = decision.reason or decision.reason_code or ""
        line = f"{_when(decision.decided_ms)} {decision.proposal} {decision.kind.value} by {decision.decided_by} {reason}"
        console().print(line.rstrip(), markup=False, highlight=False, soft_wrap=True)
    if not attempts and not decisions:
        console().print(f"nothing was tried {'in this workspace' if file is None else f'on {file}'} yet", markup=False)
    _report_interrupted(store, workspace, path)


def _report_interrupted(store: SearchStore, workspace: Path, path: Path | None) -> None:
    """How a search on the file goes on that came to no end."""
    if path is None:
        return
    with contextlib.suppress(UsageError):
        earlier = last_interrupted(store, workspace, path, time.time_ns() // 1_000_000)
        how = "came to no end" if earlier.ended_by is None else "was ended by a cap"
        console().print(f"{earlier.job} {how}: kernelopt optimize {path.name} --resume goes on with it", markup=False, soft_wrap=True)


def _decisions(store: ProposalStore, workspace: Path, path: Path | None) -> tuple[Decision, ...]:
    """Those on the workspace's proposals, or on one file's; oldest first."""
    here = {proposal.id for proposal in store.proposals(workspace) if path is None or path in (proposal.path, *proposal.paths)}
    return tuple(decision for decision in store.decisions() if decision.proposal in here)


def _memory_file() -> Path:
    return memory_path(load_settings(None).settings)


def _store() -> MemoryStore:
    return open_store(_memory_file())


def _attempt_object(attempt: Attempt) -> dict[str, object]:
    return {
        "id": attempt.id,
        "job": attempt.job,
        "file": str(attempt.path),
        "also": [str(file.path) for file in attempt.also],
        "kernel": attempt.kernel,
        "technique": attempt.technique,
        "finding": attempt.finding,
        "outcome": attempt.outcome,
        "reason": attempt.reason,
        "why": why_tried(attempt),
        "ratio": attempt.ratio,
        "created_ms": attempt.created_ms,
    }


def _when(moment_ms: int) -> str:
    return datetime.fromtimestamp(moment_ms / 1e3, tz=UTC).astimezone().strftime("%Y-%m-%d %H:%M")
