"""What the commands about memory print and do. Of the engine they load next to nothing, so that they answer at once."""

from __future__ import annotations

import json
import time
from datetime import datetime
from pathlib import Path

import typer

from assistant.cli import exit_codes
from assistant.cli.console import console
from assistant.cli.paths import plain_path
from assistant.config import find_workspace, load_settings, memory_path
from assistant.disk.whole import write_whole
from assistant.editor.tried import why_tried
from assistant.errors import UsageError
from assistant.memory import BY_PERSON, Alias, ForgetScope, MemoryStore, as_text, export_lines, open_store
from assistant.memory import as_json as as_json_text
from assistant.model.attempt import Attempt
from assistant.model.comparison import format_ratio
from assistant.model.knowledge import WhatWasLearned
from assistant.model.proposal import Proposal
from assistant.profile.quantity import counted_noun, first_of
from assistant.serialize import dumps, encode

__all__ = [
    "export",
    "forget",
    "import_file",
    "merge",
    "part",
    "print_knowledge",
    "print_memory_path",
    "print_names",
    "print_why",
    "verify",
]

_SHOWN_ROWS = 6
_MOST_LOOKED_AT = 400
"""Attempts on a proposal's file, the newest first: a search makes tens."""


def print_knowledge(as_json: bool, plot: Path | None) -> None:
    """What was learnt: per technique and bottleneck, how often it was tried, right, better, accepted; drawn into ``plot``, too."""
    if plot is not None and plot.suffix.lower() != ".svg":
        raise UsageError(f"--plot takes a file that ends in .svg, not {plot.name!r}")
    learned = _store().what_was_learned()
    rows = learned.knowledge
    typer.echo(as_json_text(rows) if as_json else as_text(rows).rstrip("\n") or "nothing was learned yet")
    for sequence in () if as_json else learned.sequences:
        state = ", reverted" if sequence.is_dropped else ""
        typer.echo(f"together: {sequence.name}{state}: {sequence.sentence}; from {first_of(sequence.rows, _SHOWN_ROWS)}")
    if plot is not None:
        _draw(learned, plain_path(plot))
        typer.echo(f"drawn: {plot}", err=True)


def _draw(learned: WhatWasLearned, file: Path) -> None:
    from assistant.editor.learned_page import learned_page
    from assistant.editor.learned_plot import learned_svg

    try:
        write_whole(file, learned_svg(learned_page(learned, ())))
    except OSError as error:
        raise UsageError(f"cannot write {file}: {error.strerror}", "name a file in a folder of yours") from error


def print_memory_path() -> None:
    """Where the memory file is."""
    typer.echo(str(_memory_file()))


def export(is_learned_only: bool) -> None:
    """Every attempt and decision as JSON lines; or experience alone, without source, paths, names or reasons."""
    store = _store()
    for line in store.learned.lines() if is_learned_only else export_lines(store):
        typer.echo(line)


def import_file(file: Path) -> None:
    """Learn from another memory's export."""
    try:
        with plain_path(file).open(encoding="utf-8", errors="replace") as lines:
            found = _store().import_learned(lines, _now_ms())
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}", "kernelopt memory export --learned writes such a file") from error
    rows = counted_noun(len(found.rows), "row")
    left_out = f", {counted_noun(found.left_out_count, 'line')} left out" if found.left_out_count else ""
    console().print(f"{found.id}: {rows} learned from{left_out}; they count half of your own", markup=False)


def print_names(as_json: bool) -> None:
    """Names that go by another technique, and names that may be merged."""
    learned = _store().learned
    merged, alike = learned.aliases(), learned.like_names(_now_ms())
    if as_json:
        typer.echo(json.dumps({"merged": [encode(alias) for alias in merged], "alike": [encode(alias) for alias in alike]}, indent=2))
        return
    for alias in merged:
        console().print(f"{alias.name} goes by {alias.technique}: {alias.reason} ({alias.made_by})", markup=False, soft_wrap=True)
    for alias in alike:
        how = f"kernelopt memory merge {alias.name} {alias.technique}"
        console().print(f"{alias.name} may be {alias.technique}: {alias.reason}; {how} merges them", markup=False, soft_wrap=True)
    if not merged and not alike:
        console().print("every name stands for itself, and no two have like edits")


def merge(name: str, technique: str, reason: str) -> None:
    """Let a name go by a technique of another name."""
    _store().learned.merge(Alias(name, technique, reason, BY_PERSON, _now_ms()))
    console().print(f"{name} goes by {technique}", markup=False)


def part(name: str) -> None:
    """Let a merged name stand for itself again."""
    if not _store().learned.part(name):
        raise UsageError(f"{name} does not go by another name", "kernelopt memory names lists those that do")
    console().print(f"{name} stands for itself", markup=False)


def print_why(id_prefix: str, as_json: bool) -> None:
    """Why a candidate, or each step of a proposal, was tried when it was, and what came of it."""
    store = _store()
    found = _steps_of(store, id_prefix) if id_prefix[:1] in "Pp" else (store.find_attempt(id_prefix),)
    if as_json:
        objects = [{"candidate": a.id, "technique": a.technique, "why": why_tried(a), "outcome": a.outcome} for a in found]
        typer.echo(json.dumps(objects if id_prefix[:1] in "Pp" else objects[0]))
        return
    for attempt in found:
        ratio = "" if attempt.comparison is None else f" {attempt.comparison.outcome.value} {format_ratio(attempt.comparison.ratio)}x"
        console().print(f"{attempt.technique} on {attempt.kernel}, line {attempt.line}", markup=False, highlight=False, soft_wrap=True)
        console().print(f"tried {why_tried(attempt)}", markup=False, highlight=False, soft_wrap=True)
        console().print(f"came to {attempt.outcome}{ratio}: {attempt.reason}", markup=False, highlight=False, soft_wrap=True)


def _steps_of(store: MemoryStore, id_prefix: str) -> tuple[Attempt, ...]:
    """The candidates that a proposal is made of, in order. Raises UsageError where memory has none."""
    proposal = store.find_proposal(id_prefix, find_workspace(Path.cwd()))
    tried = [a for a in store.attempts(path=proposal.path, limit=_MOST_LOOKED_AT) if (a.job, a.kernel) == (proposal.job, proposal.kernel)]
    step = next((attempt for attempt in tried if _is_text_of(proposal, attempt)), None)
    steps: list[Attempt] = []
    while step is not None and step not in steps:
        steps.insert(0, step)
        step = next((attempt for attempt in tried if attempt.key == steps[0].parent_key), None)
    if not steps:
        raise UsageError(f"memory holds no candidate of {id_prefix}", "kernelopt history --why says it of every candidate")
    return tuple(steps)


def _is_text_of(proposal: Proposal, attempt: Attempt) -> bool:
    """Whether the candidate leaves every file as the proposal does."""
    texts = {attempt.path: attempt.text} | {file.path: file.after_text for file in attempt.also}
    return all(texts.get(change.path) == change.after_text for change in proposal.files)


def verify(as_json: bool) -> None:
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


def forget(file: Path | None, workspace: Path | None, before: datetime | None) -> None:
    """Purge what memory holds of a file, a workspace or a time; a tombstone without contents stays."""
    before_ms = None if before is None else int(before.timestamp() * 1e3)
    scope = ForgetScope(
        workspace=None if workspace is None else plain_path(workspace),
        path=None if file is None else plain_path(file),
        before_ms=before_ms,
    )
    forgotten = _store().forget(scope, time.time_ns() // 1_000_000)
    counts = (
        f"{forgotten.attempt_count} attempts, {forgotten.proposal_count} proposals, {forgotten.pair_count} pair sessions, "
        f"{forgotten.call_count} model calls"
    )
    console().print(f"forgotten: {counts}", markup=False)


def _memory_file() -> Path:
    return memory_path(load_settings(None).settings)


def _store() -> MemoryStore:
    return open_store(_memory_file())


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
