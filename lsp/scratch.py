"""Edit-then-accept: a person edits a scratch copy of a proposal; saving it has it judged, and what holds can be accepted.

The scratch copy lies in the workspace's ``.kernelopt/edits``; the user's own file changes only by the accept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lsprotocol import types

from assistant.config import find_workspace, workspace_folder
from assistant.cuda.changes import shown_names
from assistant.disk.texts import source_text
from assistant.editor.lanes import Work
from assistant.editor.words import comparison_sentence
from assistant.errors import KernelOptError
from assistant.model.change import FileChange
from assistant.model.events import ComparisonMade, Event
from assistant.model.proposal import Proposal
from assistant.model.source import Source
from assistant.model.verification import Outcome
from lsp.backend import Backend
from lsp.client import Client
from lsp.messages import with_remedy

__all__ = ["ScratchCopies"]

_ACCEPT = "Accept into the file"


@dataclass
class _ScratchJudgement:
    """One saved text that is being judged."""

    proposal: str
    texts: tuple[Source, ...]
    verdict: ComparisonMade | None = None


class ScratchCopies:
    """The scratch copies of a client."""

    def __init__(self, client: Client, backend: Backend, accept: Callable[[str, tuple[Source, ...]], None]) -> None:
        """``accept`` (proposal, texts) has the editor put an edited proposal into its files."""
        self._client = client
        self._backend = backend
        self._accept = accept
        self._proposals: dict[Path, str] = {}
        self._judging: dict[str, _ScratchJudgement] = {}

    def edit(self, proposal: Proposal) -> dict[str, Any]:
        """Open a scratch copy of each file with the change made; saving one judges them together."""
        uris = [path.as_uri() for path in self._begin(proposal)]
        for uri in uris:
            self._client.show_document(uri)
        return {"proposal_id": proposal.id, "uris": uris}

    def _begin(self, proposal: Proposal) -> tuple[Path, ...]:
        """Write the scratch copies, with the whole change made; their paths. Earlier ones of the same proposal are kept."""
        paths = _scratch_paths(proposal)
        for path, change in zip(paths, proposal.files, strict=True):
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists():
                path.write_text(change.after_text, "utf-8", "surrogateescape", "")
            self._proposals[path] = proposal.id
        return paths

    def saved(self, path: Path, text: str) -> None:
        """A file was saved: if it is a scratch copy, start judging it."""
        proposal_id = self._proposals.get(path)
        if proposal_id is None:
            return
        proposal = self._backend.store.find_proposal(proposal_id)
        key = self._backend.editor.key_of(proposal.path)
        if key is None:
            self._client.say(f"{proposal.path.name} is not open: open it to have your edit judged", types.MessageType.Warning)
            return
        files = zip(_scratch_paths(proposal), proposal.files, strict=True)
        texts = tuple(Source(change.path, text if scratch == path else _saved_text(scratch, change)) for scratch, change in files)
        job_id = self._backend.editor.judge(key, proposal.before, texts)
        self._judging[job_id] = _ScratchJudgement(proposal_id, texts)

    def job_event(self, work: Work, event: Event) -> None:
        """The overall verdict is the last comparison of the job."""
        judging = self._judging.get(work.id)
        if judging is not None and isinstance(event, ComparisonMade):
            judging.verdict = event

    def job_ended(self, work: Work) -> None:
        """Offer what was judged."""
        judging = self._judging.pop(work.id, None)
        if judging is not None and judging.verdict is not None:
            self._client.spawn(self._offer(judging, judging.verdict))

    async def _offer(self, judging: _ScratchJudgement, verdict: ComparisonMade) -> None:
        sentence = f"your edit of {judging.proposal}: {comparison_sentence(verdict)}"
        if verdict.verification.outcome is Outcome.FAIL:
            self._client.say(sentence, types.MessageType.Warning)
            return
        chosen = await self._client.choose(sentence, (_ACCEPT, "Not now"))
        if chosen == _ACCEPT:
            try:
                self._accept(judging.proposal, judging.texts)
            except KernelOptError as error:
                self._client.say(with_remedy(error), types.MessageType.Warning)


def _scratch_paths(proposal: Proposal) -> tuple[Path, ...]:
    """A scratch path for each of its files."""
    folder, names = workspace_folder(find_workspace(proposal.path)) / "edits" / proposal.id, shown_names(proposal.paths)
    return tuple(folder / names(path) for path in proposal.paths)


def _saved_text(path: Path, change: FileChange) -> str:
    text = source_text(path)
    return change.after_text if text is None else text
