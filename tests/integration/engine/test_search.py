"""A whole search under the emulator, on two labs: what fails its confirmation gives way to the next best that was kept.

``tests/unit/engine/test_search.py`` has the decisions of searches one by one, on a lab that is a table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from assistant.engine.request import JobRequest
from assistant.lab.cpu import CpuLab
from assistant.memory.store import open_store
from assistant.model import events
from assistant.model.workload import Case
from assistant.ports.lab import Lab, LabFailure, Program, ReplayOptions, ReplayRun, RunLimits
from tests.caches import shared_cache
from tests.e2e.cli.harness import working_cli
from tests.unit.engine.searches import NAIVE, ONLY_FOR_MULTIPLES_OF_32, WORKLOAD, TwoEdits, search


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Its path comes again, and with it what was built there."""
    with working_cli(tmp_path) as cli:
        (cli.home / "config.toml").write_text('[provider]\nkind = "openai"\nmodel = "small"\n[search]\nbeam = 1\n')
        monkeypatch.setenv("KERNELOPT_HOME", str(cli.home))
        (cli.folder / "turn.cu").write_text(f"{WORKLOAD}\n{NAIVE}\n")
        yield cli.folder


class LabWithAnother(CpuLab):
    """Two labs, as two GPUs make them."""

    def __init__(self, scratch: Path, cache: Path, target: str) -> None:
        super().__init__(scratch, cache, target)
        (scratch / "other").mkdir()
        self.other = Counting(scratch / "other", cache, target)

    @property
    def parallel_labs(self) -> tuple[Lab, ...]:
        return (self.other,)

    async def close(self) -> None:
        await self.other.close()
        await super().close()


class Counting(CpuLab):
    replay_count = 0

    async def replay(self, program: Program, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits) -> ReplayRun | LabFailure:
        self.replay_count += 1
        return await super().replay(program, cases, options, limits)


@pytest.mark.thorough
async def test_what_fails_its_confirmation_gives_way_to_the_next_best_with_two_labs_too(folder: Path) -> None:
    opened: list[LabWithAnother] = []

    def open_two(request: JobRequest, scratch: Path, target: str) -> Lab:
        opened.append(LabWithAnother(scratch, shared_cache(), target))
        return opened[-1]

    heard = await search(folder, TwoEdits(ONLY_FOR_MULTIPLES_OF_32), is_model=False, open_lab=open_two, open_store=open_store)
    assert opened[0].other.replay_count > 0
    tried = {event.technique: event for event in heard if isinstance(event, events.CandidateTried)}
    assert [event.outcome for event in tried.values()] == ["kept", "kept"]
    assert (tried["rash-edit"].ratio or 0) > (tried["careful-edit"].ratio or 0)
    (proposal,) = [event for event in heard if isinstance(event, events.ProposalMade)]
    assert proposal.techniques == ("careful-edit",)
    assert proposal.explanation.splitlines()[-1].startswith("1 step, ")
    assert any("failed its confirmation" in event.message for event in heard if isinstance(event, events.Message))
