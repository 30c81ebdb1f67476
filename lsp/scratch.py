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
from assistant.editor.lanes import Work
from assistant.editor.words import comparison_sentence
from assistant.errors import KernelOptError
from assistant.model.events import ComparisonMade, Event
from assistant.model.proposal import Proposal
from assistant.model.verification import Outcome
from lsp.backend import Backend
from lsp.client import Client
from lsp.messages import with_remedy

__all__ = ["ScratchCopies"]

_ACCEPT = "Accept into the file"


@dataclass
class _Judging:
    """One saved text that is being judged."""

    proposal: str
    text: str
    verdict: ComparisonMade | None = None


class ScratchCopies:
    """The scratch copies of one client."""

    def __init__(self, client: Client, backend: Backend, accept: Callable[[str, str], None]) -> None:
        """``accept`` (proposal, text) has the editor put an edited proposal into the file."""
        self._client = client
        self._backend = backend
        self._accept = accept
        self._proposals: dict[Path, str] = {}
        self._judging: dict[str, _Judging] = {}

    def edit(self, proposal_id: str) -> dict[str, Any]:
        """Open a scratch copy with the change made; saving it judges it."""
        proposal = self._backend.store.find_proposal(proposal_id)
        uri = self._begin(proposal).as_uri()
        self._client.show_document(uri)
        return {"proposal_id": proposal.id, "uri": uri}

    def _begin(self, proposal: Proposal) -> Path:
        """Write the scratch copy, with the whole change made; its path. An earlier one of the same proposal is kept."""
        path = workspace_folder(find_workspace(proposal.path)) / "edits" / proposal.id / proposal.path.name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.write_text(proposal.after_text, "utf-8")
        self._proposals[path] = proposal.id
        return path

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
        job_id = self._backend.editor.judge(key, proposal.before_text, text)
        self._judging[job_id] = _Judging(proposal_id, text)

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

    async def _offer(self, judging: _Judging, verdict: ComparisonMade) -> None:
        sentence = f"your edit of {judging.proposal}: {comparison_sentence(verdict)}"
        if verdict.verification.outcome is Outcome.FAIL:
            self._client.say(sentence, types.MessageType.Warning)
            return
        chosen = await self._client.choose(sentence, (_ACCEPT, "Not now"))
        if chosen == _ACCEPT:
            try:
                self._accept(judging.proposal, judging.text)
            except KernelOptError as error:
                self._client.say(with_remedy(error), types.MessageType.Warning)
