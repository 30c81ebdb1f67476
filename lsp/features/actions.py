"""Code actions. Each carries only a command: nothing a client does on save can accept an edit."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from assistant.cuda.tied_hunks import tied_hunks
from assistant.editor.offer_words import gain, named_edit, verdict
from assistant.editor.program_words import way_title
from assistant.editor.view import KernelView, Note
from assistant.engine import FilePrograms
from assistant.model.proposal import Proposal
from assistant.profile.rules import title as finding_title
from lsp.backend import Backend
from lsp.client import Client
from lsp.listing import build_command
from lsp.offered import QUICK_FIX, REWRITE
from lsp.operators import task_actions
from lsp.units import Unit, Units

__all__ = ["register"]

_SHOWN_CHOICES = 9
_SHOWN_CHARACTERS = 40
"""Of a question, in the title of an action."""


def register(server: LanguageServer, client: Client, units: Units, backend: Backend) -> None:
    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION)
    def code_action(params: types.CodeActionParams) -> list[types.CodeAction]:
        only = params.context.only
        offered = task_actions(units, backend, params.text_document.uri, params.range)
        actions = [_action(title, REWRITE, command, arguments) for title, command, arguments in offered]
        for unit in units.of(params.text_document.uri):
            lines = unit.lines_in(params.range)
            backend.editor.look_at(unit.key)
            if lines is not None:
                actions.extend(_actions(client, backend, unit, *lines))
        return [action for action in actions if not only or any(_is_kind(str(action.kind), str(kind)) for kind in only)]


def _is_kind(kind: str, wanted: str) -> bool:
    return kind == wanted or kind.startswith(f"{wanted}.")


def _actions(client: Client, backend: Backend, unit: Unit, first: int, last: int) -> Iterator[types.CodeAction]:
    view = backend.editor.view(unit.key)
    kernels = [kernel for kernel in view.kernels if kernel.line <= last and first <= kernel.last_line]
    if kernels:
        yield from _answers(client)
    noted = {note.proposal for note in view.notes if first <= note.line <= last}
    for proposal in view.proposals:
        if proposal.id in noted or any(kernel.proposal == proposal for kernel in kernels):
            is_tagged = proposal.model is not None and client.tags_what_models_wrote
            yield from _proposal_actions(proposal, [types.CodeActionTag.LlmGenerated] if is_tagged else None)
    for note in view.notes:
        owner = next((k for k in kernels if k.line <= note.line <= k.last_line), None)
        if first <= note.line <= last and note.stage in ("profile", "static") and note.code and owner is not None:
            yield _finding_action(unit, owner, note)
    for kernel in kernels:
        source = unit.arguments(kernel.key)
        yield _action(f"kernelopt: optimize {kernel.name}", REWRITE, "kernelopt.optimize", source)
        yield _action(f"kernelopt: profile {kernel.name}", REWRITE, "kernelopt.profile", source)
        yield _action(f"kernelopt: verify {kernel.name}", REWRITE, "kernelopt.check", source)
        yield _action(f"kernelopt: everything known of {kernel.name}", REWRITE, "kernelopt.kernel.explain", source)
        if all(pair.kernel != kernel.name for pair in view.pairs):
            yield _action(f"kernelopt: pair on {kernel.name}", REWRITE, "kernelopt.pair.start", source)
        if not backend.editor.parsed(unit.key).has_main:
            yield _action(f"kernelopt: declare a workload for {kernel.name}", REWRITE, "kernelopt.workload.init", source)
    if kernels and len(view.kernels) > 1:
        yield _action("kernelopt: optimize this file", REWRITE, "kernelopt.optimize", _whole(unit))
    if kernels:
        yield from _program_actions(unit, view.programs)


def _answers(client: Client) -> Iterator[types.CodeAction]:
    """One for each answer to what the client cannot ask by a message; what is asked stands in full at the first kernel."""
    for question in client.questions.open:
        for answer in question.answers:
            title = f"kernelopt: answer {answer}: {textwrap.shorten(question.message, _SHOWN_CHARACTERS, placeholder=' …')}"
            yield _action(title, QUICK_FIX, "kernelopt.question.answer", {"question": question.id, "answer": answer})


def _whole(unit: Unit) -> dict[str, Any]:
    """All kernels of a source."""
    return {name: value for name, value in unit.arguments("").items() if name != "kernel"}


def _program_actions(unit: Unit, programs: FilePrograms | None) -> Iterator[types.CodeAction]:
    """One for each program that could run the file's kernels and does not, and one for a build that could say more."""
    if programs is None:
        return
    used = None if programs.program is None else programs.program.name
    for program in programs.search.found:
        if program.name != used:
            title = f"kernelopt: use {program.name} to run these kernels"
            yield _action(title, REWRITE, "kernelopt.program.choose", {"uri": unit.uri, "program": program.name})
    if programs.way is not None:
        verb, command = build_command(programs.way)
        yield _action(f"kernelopt: {way_title(programs.way)}", REWRITE, verb, {"uri": unit.uri, **command})


def _proposal_actions(proposal: Proposal, tags: list[types.CodeActionTag] | None) -> Iterator[types.CodeAction]:
    one = {"proposal_id": proposal.id}
    author = "" if proposal.model is None else f", by model {proposal.model}"
    title = f"{named_edit(proposal)}: {gain(proposal)}{author}"
    for verb in ("preview", "accept", "reject", "explain", "edit"):
        what = f"{named_edit(proposal)}: {gain(proposal)}, {verdict(proposal)}{author}" if verb == "accept" else title
        yield _action(f"kernelopt: {verb} {what}", QUICK_FIX, f"kernelopt.proposal.{verb}", one, tags)
    places = {hunk.id: (change.path.name, hunk.before_line) for change in proposal.shown_files for hunk in change.hunks}
    choices = tied_hunks(proposal.shown_files)
    for ids in choices[:_SHOWN_CHOICES] if len(choices) > 1 else ():
        numbers = [number for number, hunk in enumerate(places, start=1) if hunk in ids]
        file, line = places[ids[0]]
        place = f"line {line}" if len(proposal.files) == 1 else f"{file}, line {line}"
        which = f"hunk {numbers[0]}" if len(numbers) == 1 else f"hunks {', '.join(map(str, numbers))}"
        for verb in ("accept", "skip"):
            name = f"kernelopt: {verb} {which} of {len(places)} ({place}) of {title}"
            yield _action(name, QUICK_FIX, f"kernelopt.proposal.{verb}", {**one, "hunk_ids": list(ids)}, tags)


def _finding_action(unit: Unit, kernel: KernelView, note: Note) -> types.CodeAction:
    arguments = {**unit.arguments(kernel.key), "finding": note.code, "line": note.line}
    about = f"{note.code} ({finding_title(str(note.code)).lower()})"
    return _action(f"kernelopt: find a verified edit of {kernel.name} for {about}", QUICK_FIX, "kernelopt.optimize", arguments)


def _action(
    title: str, kind: str, command: str, arguments: dict[str, Any], tags: list[types.CodeActionTag] | None = None
) -> types.CodeAction:
    return types.CodeAction(title, kind, command=types.Command(title, command, arguments=[arguments]), tags=tags)
