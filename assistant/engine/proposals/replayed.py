"""What a proposal was judged on is kept, so that it can be judged on the very same once more.

Example::

    keep_recording(store, proposal, compared.recording)
    request = replay_request(store, proposal, JobRequest(proposal.path, folder), folder / "recording")
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from assistant.config import find_workspace, load_settings
from assistant.engine.request import JobRequest
from assistant.errors import CannotAnswerError
from assistant.model.proposal import Proposal
from assistant.model.workload import LiveCase, LiveWorkload
from assistant.ports.store import NotReplayable, ProposalStore
from assistant.workload.recordings import read_recording

__all__ = ["keep_recording", "replay_request"]

_RECORDED = "recorded"
"""Kind of the cases whose values are a recording's own."""
_DECLARED = "declared"
"""Oracle of verdicts that rest on declared workloads alone: their values come from their seeds."""


def keep_recording(store: ProposalStore, proposal: Proposal, recording: Path | None) -> None:
    """Keep the recording that a stored proposal was judged on, as far as the user's quota goes; None: there is none."""
    if recording is None:
        return
    quota_bytes = load_settings(find_workspace(proposal.path)).settings.memory.recordings_bytes
    store.keep_recording(proposal.id, recording, quota_bytes, proposal.created_ms)


def replay_request(store: ProposalStore, proposal: Proposal, request: JobRequest, folder: Path) -> JobRequest:
    """``request``, to be judged on the values that the proposal was judged on; ``folder`` is made, and holds its recording.

    Raises CannotAnswerError where the recording is gone.
    """
    cases = proposal.verification.cases
    seeds = dict.fromkeys(case.seed for case in cases if case.seed is not None and case.kind != _RECORDED)
    seeded = replace(request, seeds=tuple(seeds))
    if proposal.verification.oracle == _DECLARED:
        return seeded
    path = store.restore_recording(proposal.id, folder)
    if isinstance(path, NotReplayable):
        raise CannotAnswerError(
            f"{proposal.id} is not replayable: {path.reason}",
            f"kernelopt show {proposal.id} prints its diff and its verdict; kernelopt compare judges two files on a new run",
        )
    if read_recording(path).shape_counts:
        return replace(seeded, recording=path)
    shape = next((case.shape for case in cases if case.kind == _RECORDED), "")
    live = LiveWorkload((LiveCase(path, shape, weight=1.0, seed=0),), text=proposal.files[0].before_text)
    return replace(seeded, live=live)  # arrays of a notebook: no program made it
