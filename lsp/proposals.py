"""Proposals in an editor: previewed, accepted as an edit that the editor makes and can undo, rejected with a reason.

The decision is written when the text that comes back equals the text that was asked for (``Review.observe``), not when the client says
that it applied something: some report it without doing it.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote, unquote, urlparse

from lsprotocol import types

from assistant.config import workspace_folder
from assistant.config.paths import find_workspace
from assistant.cuda.changes import changes_diff, shown_names
from assistant.cuda.tied_hunks import tied_hunks
from assistant.editor.offer_words import accept_title, review_lines
from assistant.editor.review import Apply
from assistant.editor.tasks import Verb
from assistant.editor.tried import TriedEdit, others_tried
from assistant.editor.words import proposal_text
from assistant.engine.proposals import MovedChange
from assistant.engine.report import techniques_in_words
from assistant.errors import CannotAnswerError, UsageError
from assistant.model.change import FileChange
from assistant.model.proposal import DECIDABLE_STATES, REASON_CODES, Proposal
from assistant.model.source import Hunk, Source
from assistant.profile.quantity import counted_noun
from lsp.backend import Backend
from lsp.client import Client
from lsp.edits import DocumentEdits, NewText
from lsp.units import Unit, Units

__all__ = ["Proposals"]


class Proposals:
    """Answers the commands on proposals."""

    def __init__(self, client: Client, units: Units, backend: Backend, edits: DocumentEdits) -> None:
        self._client = client
        self._units = units
        self._backend = backend
        self._edits = edits

    def preview(self, proposal_id: str) -> dict[str, Any]:
        """Show the diff the best way the client has; the answer holds all of it, too, file by file.

        ``document_uri`` is what to compare a file with: the open document, or the CUDA text alone where that is only a part of one.
        """
        proposal = self.find(proposal_id)
        diff = changes_diff(proposal.files)
        names = shown_names(proposal.paths)
        answer = {
            "proposal_id": proposal.id,
            "diff_uri": f"kernelopt:/proposal/{proposal.id}.diff",
            "diff": diff,
            "files": [self._shown(proposal, change, names(change.path)) for change in proposal.shown_files],
            "about": list(review_lines(proposal)),
            "accept_title": accept_title(proposal),
            "choices": [list(ids) for ids in tied_hunks(proposal.shown_files)],
            "others": [_other(proposal, edit) for edit in others_tried(self._backend.store, proposal)],
        }
        if not self._client.supports("diff"):
            self._show(proposal, "diff", diff)
        return answer

    def explain(self, proposal_id: str) -> dict[str, Any]:
        """Show the explanation with its evidence."""
        proposal = self.find(proposal_id)
        text = proposal_text(proposal)
        if not self._client.is_ours:
            self._show(proposal, "md", text)
        return {"proposal_id": proposal.id, "markdown": text, "uri": f"kernelopt:/proposal/{proposal.id}.md"}

    def accept(self, proposal_id: str, hunk_ids: tuple[str, ...]) -> dict[str, Any]:
        """Have the editor make the edit; where the text has moved on, judge the change there and offer it again."""
        proposal = self.find(proposal_id)
        unit = self._open_unit(proposal)
        self._check(proposal)
        editor = self._backend.editor
        try:
            begun = editor.review.begin(proposal.id, hunk_ids, editor.texts_of(proposal.paths))
        except CannotAnswerError:
            editor.offers_changed()  # it is stale now
            raise
        match begun:
            case MovedChange():
                self._stop_judging(proposal, but=hunk_ids)
                job_id = editor.rebase(unit.key, proposal.id, hunk_ids)
                what = f"the {counted_noun(len(hunk_ids), 'hunk')} that you accepted" if hunk_ids else "the change"
                changed = begun.changed_names
                self._client.say(f"{changed} changed since {proposal.id} was made: {what} will be judged on the current text")
                return {"proposal_id": proposal.id, "outcome": "moved", "job_id": job_id}
            case Apply() as apply:
                self._stop_judging(proposal)
                self._apply(unit, apply)
                return {"proposal_id": proposal.id, "outcome": "applying", "hunk_ids": list(apply.request.hunk_ids)}

    def skip(self, proposal_id: str, hunk_ids: tuple[str, ...]) -> dict[str, Any]:
        """Have what is left of it judged, and offered in its place: without these hunks, and those that only work with them.

        What is not skipped any more is judged again with the rest; no hunks: all of it stays. Raises UsageError where nothing is left.
        """
        proposal = self.find(proposal_id)
        unit = self._open_unit(proposal)
        if proposal.state not in DECIDABLE_STATES:
            raise UsageError(f"{proposal.id} is {proposal.state.value}, not open", "kernelopt proposals lists the open ones")
        skipped = {each for ids in tied_hunks(proposal.shown_files) if not frozenset(ids).isdisjoint(hunk_ids) for each in ids}
        if unknown := frozenset(hunk_ids) - skipped:
            raise UsageError(f"{proposal.id} has no hunk {', '.join(sorted(unknown))}")
        left = tuple(hunk.id for hunk in proposal.hunks if hunk.id not in skipped)
        if not left:
            raise UsageError(f"nothing is left of {proposal.id}", f"reject it: kernelopt reject {proposal.id}")
        answer = {"proposal_id": proposal.id, "hunk_ids": list(left)}
        self._stop_judging(proposal, but=left if skipped else None)
        if not skipped:
            return {**answer, "outcome": "kept"}
        return {**answer, "outcome": "judging", "job_id": self._backend.editor.rebase(unit.key, proposal.id, left)}

    def accept_edited(self, proposal_id: str, texts: tuple[Source, ...]) -> None:
        """Have the editor put a person's own version of a proposal into its files. Raises UsageError where a file moved on meanwhile."""
        proposal = self.find(proposal_id)
        unit = self._open_unit(proposal)
        self._check(proposal)
        current = self._backend.editor.texts_of(proposal.paths)
        if current != proposal.before:
            raise UsageError(f"{_names(proposal)} changed since {proposal.id} was made", "ask for a new proposal: kernelopt optimize")
        self._apply(unit, self._backend.editor.review.begin_edited(proposal.id, current, texts))

    def reject(self, proposal_id: str, reason_code: str | None, reason: str | None) -> dict[str, Any]:
        """Keep the decision; where the client cannot ask for the reason itself, ask for it here."""
        proposal = self.find(proposal_id)
        if reason_code is None and reason is None and not self._client.supports("input"):
            self._client.spawn(self._ask_reason(proposal))
            return {"proposal_id": proposal.id, "outcome": "asking"}
        self._reject(proposal, reason_code, reason)
        return {"proposal_id": proposal.id, "outcome": "rejected"}

    def reopen(self, proposal_id: str) -> dict[str, Any]:
        """Take a rejection back. Raises UsageError where it is not rejected."""
        proposal = self.find(proposal_id)
        self._backend.editor.review.reopen(proposal.id)
        self._decided(proposal)
        return {"proposal_id": proposal.id, "outcome": "reopened"}

    def content(self, uri: str) -> str:
        """The text of a ``kernelopt:`` document. Raises UsageError for one that there is not."""
        address = urlparse(uri)
        if address.query:
            name, _, side = unquote(address.query).partition("/")
            shown = unquote(address.path).lstrip("/")
            return _side_of(self.find(name), f"{side}/{shown}" if side else shown)
        parts = PurePosixPath(unquote(address.path)).parts
        if len(parts) < 3 or parts[1] != "proposal":
            raise UsageError(f"{uri} is not a kernelopt document")
        name, _, suffix = parts[2].partition(".")
        proposal = self.find(name)
        if len(parts) > 4 and parts[3] == "tried":
            return self._tried(proposal, parts[4], is_before=parts[5:6] == ("before",))
        if len(parts) > 3:
            return _side_of(proposal, "/".join(parts[3:]))
        return proposal_text(proposal) if suffix == "md" else changes_diff(proposal.files)

    def _tried(self, proposal: Proposal, attempt: str, is_before: bool) -> str:
        """A side of another candidate of the proposal's search. Raises UsageError for one that it did not try."""
        for edit in others_tried(self._backend.store, proposal):
            if edit.id == attempt:
                return edit.before_text if is_before else edit.after_text
        raise UsageError(f"nothing else of that name was tried before {proposal.id}")

    def find(self, name: str) -> Proposal:
        """By its short id in the workspace of what is open, or by the first letters of its long one.

        Raises UsageError where it names none, or several: where files of several workspaces are open, a short one may.
        """
        workspaces = {find_workspace(path) for path in self._units.paths()}
        return self._backend.store.find_proposal(name, workspaces.pop() if len(workspaces) == 1 else None)

    def document_of(self, proposal_id: str) -> str:
        """The URI of the open document that a proposal is for; else of the file itself."""
        return self._uri_of(self.find(proposal_id).path)

    def _uri_of(self, path: Path) -> str:
        unit = self._unit(path)
        return path.as_uri() if unit is None else unit.uri

    def _unit(self, path: Path) -> Unit | None:
        """The open source at a path."""
        key = self._backend.editor.key_of(path)
        return None if key is None else self._units.find(key)

    def _open_unit(self, proposal: Proposal) -> Unit:
        """The open source that a proposal is for, else one that it changes. Raises UsageError where none is open."""
        found = (self._unit(path) for path in (proposal.path, *proposal.paths))
        unit = next((unit for unit in found if unit is not None), None)
        if unit is None:
            raise UsageError(f"{proposal.path.name} is not open here", f"open it, or run: kernelopt accept {proposal.id}")
        return unit

    def _check(self, proposal: Proposal) -> None:
        """Raises UsageError while another edit of one of its documents is pending."""
        for unit in map(self._unit, proposal.paths):
            if unit is not None:
                self._edits.check(unit)

    def _apply(self, unit: Unit, apply: Apply) -> None:
        """Have the editor make the edit of all files at once. Raises UsageError where the text around an embedded source cannot hold it.

        ``unit``: an open source of the client, which says how it counts characters.
        """
        olds = zip(apply.before, apply.after, strict=True)
        texts = [NewText(self._unit(old.path) or _closed_unit(old, unit), new.text) for old, new in olds if old != new]
        unheard = [new.unit.path for new in texts if self._units.find(new.unit.key) is None]

        def made() -> None:
            for outcome in self._backend.editor.review.made(apply.proposal.id, unheard):
                self._backend.editor.show_decision(unit.key, outcome)

        self._edits.ask(texts, apply.proposal.id, f"kernelopt {apply.proposal.id}: {apply.proposal.summary}", made)

    def _shown(self, proposal: Proposal, change: FileChange, name: str) -> dict[str, Any]:
        """One file of a preview."""
        unit = self._unit(change.path)
        is_part = unit is not None and unit.embedded is not None
        before, after = _side_uris(proposal, name)
        return {
            "name": name,
            "document_uri": before if is_part else self._uri_of(change.path),
            "before_uri": before,
            "proposal_uri": after,
            "hunks": _hunk_places(change.hunks),
        }

    async def _ask_reason(self, proposal: Proposal) -> None:
        question = f"Reject {proposal.id} ({techniques_in_words(proposal.techniques)}): why?"
        chosen = await self._client.choose(question, (*REASON_CODES, "no reason"))
        if chosen is None:
            return
        try:
            self._reject(proposal, chosen if chosen in REASON_CODES else None, None)
        except (UsageError, CannotAnswerError) as error:
            self._client.say(error.message, types.MessageType.Warning)

    def _stop_judging(self, proposal: Proposal, but: tuple[str, ...] | None = None) -> None:
        """End what judges it, or a part of it, anew; ``but``: the hunks of a job that goes on, as a double click starts one."""
        for work in self._backend.editor.works():
            if work.task.verb is Verb.REBASE and work.task.proposal == proposal.id and work.task.hunk_ids != but:
                self._backend.editor.cancel(work.id)

    def _reject(self, proposal: Proposal, reason_code: str | None, reason: str | None) -> None:
        self._stop_judging(proposal)
        self._backend.editor.review.reject(proposal.id, reason_code, reason)
        self._decided(proposal)

    def _decided(self, proposal: Proposal) -> None:
        self._backend.proposal_decided(proposal.path)
        self._backend.editor.offers_changed()

    def _show(self, proposal: Proposal, suffix: str, text: str) -> None:
        """As our own read-only document; else as a file of the workspace's ``.kernelopt`` folder."""
        if self._client.reads_content and self._client.shows_documents:
            self._client.show_document(f"kernelopt:/proposal/{proposal.id}.{suffix}")
            return
        path = workspace_folder(find_workspace(proposal.path)) / "previews" / f"{proposal.id}.{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        if self._client.shows_documents:
            self._client.show_document(path.as_uri())
        else:
            self._client.say(f"{proposal.id}: {path}")


def _hunk_places(found: tuple[Hunk, ...]) -> list[dict[str, Any]]:
    """Where each hunk is in the text before and in the one after; 1-based lines, a count of 0 is before that line."""
    places: list[dict[str, Any]] = []
    shift = 0
    for hunk in sorted(found, key=lambda hunk: hunk.before_line):
        counts = {"before_count": len(hunk.before), "after_count": len(hunk.after)}
        places.append({"id": hunk.id, "before_line": hunk.before_line, "after_line": hunk.before_line + shift, **counts})
        shift += len(hunk.after) - len(hunk.before)
    return places


def _other(proposal: Proposal, edit: TriedEdit) -> dict[str, str]:
    """A candidate that was not offered, and where its two sides can be read."""
    place, name = f"kernelopt:/proposal/{proposal.id}/tried/{edit.id}", quote(edit.path.name)
    sides = {"before_uri": f"{place}/before/{name}", "after_uri": f"{place}/{name}"}
    return {"title": edit.title, "why": edit.why, "tried": edit.tried, **sides}


def _side_uris(proposal: Proposal, name: str) -> tuple[str, str]:
    """Where a file can be read as it was and with the change made.

    Of several files, both addresses have the same path, which is the file's name: an editor that shows them together would call anything
    else a renamed file.
    """
    quoted = quote(name)
    if len(proposal.files) > 1:
        return f"kernelopt:/{quoted}?{proposal.id}/before", f"kernelopt:/{quoted}?{proposal.id}"
    return f"kernelopt:/proposal/{proposal.id}/before/{quoted}", f"kernelopt:/proposal/{proposal.id}/{quoted}"


def _side_of(proposal: Proposal, shown: str) -> str:
    """``NAME``: a file with the change made; ``before/NAME``: as it was. Raises UsageError for a file that the proposal does not change."""
    names = shown_names(proposal.paths)
    for change in proposal.files:
        name = names(change.path)
        if shown in (name, f"before/{name}"):
            return change.after_text if shown == name else change.before_text
    raise UsageError(f"{proposal.id} does not change {shown}")


def _closed_unit(source: Source, like: Unit) -> Unit:
    """A file that is not open, as the editor will read it."""
    return Unit(source.path.as_uri(), source.path.as_uri(), source.path, source.text, source.text, like.encoding)


def _names(proposal: Proposal) -> str:
    return ", ".join(path.name for path in proposal.paths)
