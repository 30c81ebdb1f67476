"""After a rejection the next best edit is offered; what was turned down stays away while its code stays as it is."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

import pytest

from assistant.cli.compose import open_session
from assistant.engine.proposals.decide import DecisionRequest
from assistant.engine.request import Accept, JobRequest, OptimizeOptions
from assistant.engine.session import Session
from assistant.model import events
from assistant.model.attempt import Attempt
from assistant.model.proposal import DecisionKind, Proposal
from tests.e2e.cli.harness import working_cli

SOURCE = """
#include <cstdio>
__global__ void smooth(float *sum, const float *in, int rows, int columns)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns) return;
    sum[column] = 0.0f;
    for (int row = 0; row < rows; row++)
        sum[column] += in[row * columns + column];
    float x = sum[column];
    for (int round = 0; round < 1024; round++)
        x = x * 0.999 + 0.1;
    sum[column] = x;
}

int main()
{
    const int rows = 64, columns = 128;
    static float host[rows * columns];
    for (int i = 0; i < rows * columns; i++) host[i] = (float)(i % 23);
    float *in, *sum;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&sum, columns * sizeof(float));
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    smooth<<<columns / 128, 128>>>(sum, in, rows, columns);
    cudaMemcpy(host, sum, columns * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\\n", host[7]);
    return 0;
}
"""

SEEDS = (1, 2, 3)
"""Two searches of the same text are compared: they must not differ by the values that were drawn."""


class RejectAll:
    """A person who wants none of it."""

    def __init__(self) -> None:
        self.seen: list[Proposal] = []

    async def __call__(self, proposal: Proposal) -> DecisionRequest:
        self.seen.append(proposal)
        return DecisionRequest(DecisionKind.REJECTED, reason_code="style", reason="ugly")


def optimize(session: Session, path: Path, person: RejectAll) -> list[events.Event]:
    async def heard() -> list[events.Event]:
        options = OptimizeOptions(max_rounds=2)
        request = JobRequest(path, path.parent, seeds=SEEDS)
        return [event async for event in session.optimize(request, options, Accept.ASK, person)]

    return asyncio.run(heard())


@dataclass(frozen=True)
class Rejected:
    """A search all of whose proposals were turned down."""

    session: Session
    source: Path
    person: RejectAll
    heard: list[events.Event]
    attempts: tuple[Attempt, ...]
    """All that were made in it."""


@pytest.fixture(scope="module")
def rejected(tmp_path_factory: pytest.TempPathFactory) -> Generator[Rejected]:
    with working_cli(tmp_path_factory.mktemp("rejected"), "rejected") as cli, pytest.MonkeyPatch.context() as patch:
        patch.setenv("KERNELOPT_HOME", str(cli.home))
        path = cli.write("smooth.cu", SOURCE)
        session, person = open_session("a test"), RejectAll()
        heard = optimize(session, path, person)
        yield Rejected(session, path, person, heard, session.store.attempts(limit=100))


def said(heard: list[events.Event]) -> str:
    return "\n".join(event.message for event in heard if isinstance(event, events.Message))


@pytest.mark.thorough
def test_the_next_best_edit_is_offered_after_a_rejection(rejected: Rejected) -> None:
    seen, heard, attempts = rejected.person.seen, rejected.heard, rejected.attempts
    first = [proposal.techniques[0] for proposal in seen]
    assert len(first) >= 2 and len(set(first)) == len(first), first
    assert first[0] not in [name for proposal in seen[1:] for name in proposal.techniques]
    assert rejected.source.read_text() == SOURCE
    tried = [event.candidate for event in heard if isinstance(event, events.CandidateTried)]
    assert len(tried) == len(attempts) == len({(a.parent_text, a.text) for a in attempts}), "a candidate was tried twice"
    assert isinstance(heard[-1], events.JobEnded) and heard[-1].exit_code == 0


@pytest.mark.thorough
def test_a_later_run_offers_a_rejected_edit_again_only_when_its_code_changes(rejected: Rejected) -> None:
    session, source, person = rejected.session, rejected.source, rejected.person
    turned_down = {proposal.techniques[0] for proposal in person.seen}
    source.write_text("// a line of mine\n" + SOURCE)
    again = RejectAll()
    heard = optimize(session, source, again)
    assert turned_down.isdisjoint(proposal.techniques[0] for proposal in again.seen)
    assert all(f"{name} at line" in said(heard) for name in turned_down) and "ugly" in said(heard)
    source.write_text(SOURCE.replace("float x = sum[column];", "float x = sum[column] + 1.0f;"))
    changed = RejectAll()
    assert "not offered again" not in said(optimize(session, source, changed))
    assert changed.seen[0].techniques[0] == person.seen[0].techniques[0]
    source.write_text(SOURCE)
