"""Proposals in an editor: previewed, accepted as an edit that the editor makes and can undo, rejected with a reason.

The decision is written when the text that comes back equals the text that was asked for (``Review.observe``), not when the client
says that it applied something: some say so without doing it.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote, urlparse

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.uris import from_fs_path

from assistant.config import workspace_folder
from assistant.config.paths import find_workspace
from assistant.cuda.hunks import hunks, unified_diff
from assistant.editor.review import Apply
from assistant.editor.words import kernel_table, proposal_text
from assistant.engine.proposals.decide import Moved
from assistant.errors import CannotAnswerError, UsageError
from assistant.model.embedded import Declined
from assistant.model.proposal import REASON_CODES, Proposal
from assistant.model.source import Hunk, Span, TextEdit
from assistant.profile.quantity import counted_noun
from lsp.under_way import Edit
from lsp.units import Unit, text_of, version_of

if TYPE_CHECKING:
    from lsp.server import KernelOptServer

__all__ = [
    "accept",
    "accept_edited",
    "content",
    "declare_workload",
    "edit",
    "edit_source",
    "explain",
    "explain_kernel",
    "make_edit",
    "preview",
    "reject",
]


def preview(server: KernelOptServer, proposal_id: str) -> dict[str, Any]:
    """Show the diff the best way the client has; its own answer holds all of it besides.

    ``document_uri`` is what to compare with: the open document, or the CUDA text alone where that is only a part of one.
    """
    proposal = server.store.find_proposal(proposal_id)
    diff, name = _diff(proposal), quote(proposal.path.name)
    key = server.editor.key_of(proposal.path)
    unit = None if key is None else server.units.find(key)
    is_part = unit is not None and unit.embedded is not None
    answer = {
        "proposal_id": proposal.id,
        "document_uri": f"kernelopt:/proposal/{proposal.id}/before/{name}" if is_part else server.uri_of(proposal.path),
        "proposal_uri": f"kernelopt:/proposal/{proposal.id}/{name}",
        "diff_uri": f"kernelopt:/proposal/{proposal.id}.diff",
        "diff": diff,
        "hunks": _hunk_places(proposal.hunks),
    }
    if not server.client.supports("diff"):
        _show(server, proposal, "diff", diff)
    return answer


def explain(server: KernelOptServer, proposal_id: str) -> dict[str, Any]:
    """Show the explanation with its evidence."""
    proposal = server.store.find_proposal(proposal_id)
    text = proposal_text(proposal)
    if not server.client.is_ours:
        _show(server, proposal, "md", text)
    return {"proposal_id": proposal.id, "markdown": text, "uri": f"kernelopt:/proposal/{proposal.id}.md"}


def explain_kernel(server: KernelOptServer, unit: Unit, kernel: str | None) -> dict[str, Any]:
    """The table that the hover shows, for clients that have it on a command."""
    found = [k for k in server.editor.view(unit.key).kernels if kernel in (None, k.key)]
    if not found:
        raise UsageError(f"no kernel {kernel} in {unit.path.name}")
    text = kernel_table(found[0])
    if not server.client.is_ours:
        server.client.say(text)
    return {"markdown": text}


def edit(server: KernelOptServer, proposal_id: str) -> dict[str, Any]:
    """Open a scratch copy with the change made; saving it judges it (edit-then-accept)."""
    proposal = server.store.find_proposal(proposal_id)
    uri = server.edits.begin(proposal).as_uri()
    _show_document(server, uri)
    return {"proposal_id": proposal.id, "uri": uri}


def accept_edited(server: KernelOptServer, proposal_id: str, text: str) -> None:
    """Have the editor put a person's own version of a proposal into the file. Raises UsageError where the file moved on meanwhile."""
    proposal = server.store.find_proposal(proposal_id)
    key, unit = _open_unit(server, proposal)
    server.under_way.check(unit.uri)
    current = server.editor.text(key)
    if current != proposal.before_text:
        raise UsageError(f"{proposal.path.name} changed since {proposal.id} was made", "ask for a new proposal: kernelopt optimize")
    _apply(server, unit, server.editor.review.begin_edited(proposal.id, current, text))


def accept(server: KernelOptServer, proposal_id: str, hunk_ids: tuple[str, ...]) -> dict[str, Any]:
    """Have the editor make the edit; where the text has moved on, judge the change there and offer it again."""
    proposal = server.store.find_proposal(proposal_id)
    key, unit = _open_unit(server, proposal)
    server.under_way.check(unit.uri)
    try:
        begun = server.editor.review.begin(proposal.id, hunk_ids, server.editor.text(key))
    except CannotAnswerError:
        server.editor.offers_changed()  # it is stale now
        raise
    match begun:
        case Moved():
            job_id = server.editor.rebase(key, proposal.id, hunk_ids)
            what = f"what you took of it ({counted_noun(len(hunk_ids), 'hunk')})" if hunk_ids else "the change"
            server.client.say(f"{proposal.path.name} changed since {proposal.id} was made: {what} is judged again on the text as it is now")
            return {"proposal_id": proposal.id, "outcome": "moved", "job_id": job_id}
        case Apply() as apply:
            _apply(server, unit, apply)
            return {"proposal_id": proposal.id, "outcome": "applying", "hunk_ids": list(apply.request.hunk_ids)}


def reject(server: KernelOptServer, proposal_id: str, reason_code: str | None, reason: str | None) -> dict[str, Any]:
    """Keep the decision; a client that cannot ask for the reason itself has it asked for here."""
    proposal = server.store.find_proposal(proposal_id)
    if reason_code is None and reason is None and not server.client.supports("input"):
        server.spawn(_ask_reason(server, proposal))
        return {"proposal_id": proposal.id, "outcome": "asking"}
    _reject(server, proposal, reason_code, reason)
    return {"proposal_id": proposal.id, "outcome": "rejected"}


def declare_workload(server: KernelOptServer, unit: Unit, kernel: str | None) -> dict[str, Any]:
    """Have the editor put a workload block before the kernel."""
    from assistant.engine.initialize import initialized_text  # what reads a kernel's shapes: a start of the server does without

    after = initialized_text(server.editor.parsed(unit.key), kernel).text
    edit_source(server, unit, after, "the workload block", "kernelopt: declare a workload")
    return {"outcome": "applying"}


def content(server: KernelOptServer, uri: str) -> str:
    """The text of a ``kernelopt:`` document. Raises UsageError for one that there is not."""
    parts = PurePosixPath(unquote(urlparse(uri).path)).parts
    if len(parts) < 3 or parts[1] != "proposal":
        raise UsageError(f"{uri} is no document of kernelopt")
    name, _, suffix = parts[2].partition(".")
    proposal = server.store.find_proposal(name)
    if len(parts) > 3:
        return proposal.before_text if parts[3:-1] == ("before",) else proposal.after_text
    return proposal_text(proposal) if suffix == "md" else _diff(proposal)


def _hunk_places(found: tuple[Hunk, ...]) -> list[dict[str, Any]]:
    """Where each hunk is in the text before and in the one after; 1-based lines, a count of 0 is before that line."""
    places: list[dict[str, Any]] = []
    shift = 0
    for hunk in sorted(found, key=lambda hunk: hunk.before_line):
        counts = {"before_count": len(hunk.before), "after_count": len(hunk.after)}
        places.append({"id": hunk.id, "before_line": hunk.before_line, "after_line": hunk.before_line + shift, **counts})
        shift += len(hunk.after) - len(hunk.before)
    return places


def _open_unit(server: KernelOptServer, proposal: Proposal) -> tuple[str, Unit]:
    """The open source that a proposal is for. Raises UsageError where it is not open."""
    key = server.editor.key_of(proposal.path)
    unit = None if key is None else server.units.find(key)
    if key is None or unit is None:
        raise UsageError(f"{proposal.path.name} is not open here", f"open it, or run: kernelopt accept {proposal.id}")
    return key, unit


def _apply(server: KernelOptServer, unit: Unit, apply: Apply) -> None:
    """Have the editor make the edit. Raises UsageError where the text around an embedded source cannot hold it."""
    label = f"kernelopt {apply.proposal.id}: {apply.proposal.summary}"
    edit_source(server, unit, apply.after, apply.proposal.id, label)


def edit_source(server: KernelOptServer, unit: Unit, after: str, what: str, label: str) -> bool:
    """Have the editor make ``after`` of the text, as one edit that it can undo; False where it is that already.

    Raises UsageError where the text around an embedded source cannot hold it, and while another edit of the document is under way.
    """
    edits = _begun(server, unit, after, what)
    if edits:
        server.spawn(_edit_document(server, unit, edits, label))
    return bool(edits)


async def make_edit(server: KernelOptServer, unit: Unit, after: str, what: str, label: str) -> bool:
    """As ``edit_source``, and wait: whether the editor says that the text is ``after`` now."""
    edits = _begun(server, unit, after, what)
    return not edits or await _edit_document(server, unit, edits, label)


def _begun(server: KernelOptServer, unit: Unit, after: str, what: str) -> tuple[types.TextEdit, ...]:
    """The edits to ask for; none where the text is ``after`` already."""
    edits = _text_edits(unit, unit.text, after, what)
    if edits:
        server.under_way.begin(unit.uri, Edit(unit.key, unit.text, after, server.client.takes_versioned_edits))
    return edits


async def _edit_document(server: KernelOptServer, unit: Unit, edits: tuple[types.TextEdit, ...], label: str) -> bool:
    """Ask for the edit; whether it was made. A client that says that it did not make it is believed, and the person told.

    What the client typed before it was asked is read by now: the edit was made for the text before that, and is not asked for.
    """
    if text_of(server.workspace, unit.uri) != unit.document:
        _not_made(server, unit, label)
        return False
    if server.client.takes_versioned_edits:
        versioned = types.OptionalVersionedTextDocumentIdentifier(unit.uri, version_of(server.workspace, unit.uri))
        edit = types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(versioned, list(edits))])
    else:
        edit = types.WorkspaceEdit(changes={unit.uri: edits})
    try:
        is_made = (await server.workspace_apply_edit_async(types.ApplyWorkspaceEditParams(edit, label))).applied
    except JsonRpcException as error:  # Emacs answers so where the text has moved on
        server.client.log(f"the editor answered with an error: {error}", types.MessageType.Warning)
        is_made = False
    if not is_made:
        _not_made(server, unit, label)
    return is_made


def _not_made(server: KernelOptServer, unit: Unit, label: str) -> None:
    server.under_way.refused(unit.uri)
    server.client.say(f"the editor did not make the edit {label}", types.MessageType.Warning)


def _text_edits(unit: Unit, before: str, after: str, what: str) -> tuple[types.TextEdit, ...]:
    """The change as edits of the document: whole lines of CUDA text."""
    edits = unit.edits([_line_edit(unit, hunk) for hunk in hunks(before, after)])
    if isinstance(edits, Declined):
        raise UsageError(f"{what} cannot be written into {unit.path.stem}: {edits.reason}", "change the text by hand, or how it is quoted")
    return edits


def _line_edit(unit: Unit, hunk: Hunk) -> TextEdit:
    """One hunk as a replacement of whole lines; at the end of a text without a last line end, of what is there."""
    start = unit.start_of_line(hunk.before_line)
    return TextEdit(Span(start, start + sum(len(line) for line in hunk.before)), "".join(hunk.after))


async def _ask_reason(server: KernelOptServer, proposal: Proposal) -> None:
    chosen = await server.client.choose(f"Reject {proposal.id} ({', '.join(proposal.techniques)}): why?", (*REASON_CODES, "no reason"))
    if chosen is None:
        return
    try:
        _reject(server, proposal, chosen if chosen in REASON_CODES else None, None)
    except (UsageError, CannotAnswerError) as error:
        server.client.say(error.message, types.MessageType.Warning)


def _reject(server: KernelOptServer, proposal: Proposal, reason_code: str | None, reason: str | None) -> None:
    server.editor.review.reject(proposal.id, reason_code, reason)
    server.tell_pairs(proposal.path)
    server.editor.offers_changed()


def _show(server: KernelOptServer, proposal: Proposal, suffix: str, text: str) -> None:
    """As our own read-only document; else as a file of the workspace's ``.kernelopt`` folder."""
    if server.client.reads_content and server.client.shows_documents:
        _show_document(server, f"kernelopt:/proposal/{proposal.id}.{suffix}")
        return
    path = _scratch(server, proposal, "previews", f"{proposal.id}.{suffix}")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    if server.client.shows_documents:
        _show_document(server, from_fs_path(str(path)) or "")
    else:
        server.client.say(f"{proposal.id}: {path}")


def _scratch(server: KernelOptServer, proposal: Proposal, folder: str, name: str) -> Any:
    return workspace_folder(find_workspace(proposal.path)) / folder / name


def _show_document(server: KernelOptServer, uri: str) -> None:
    server.spawn(_shown(server, uri))


async def _shown(server: KernelOptServer, uri: str) -> None:
    await server.window_show_document_async(types.ShowDocumentParams(uri, take_focus=True))


def _diff(proposal: Proposal) -> str:
    return unified_diff(proposal.before_text, proposal.after_text, proposal.path.name)
