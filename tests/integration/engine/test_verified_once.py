"""A single edit that a search proved is timed in the whole program; what was verified is not verified again."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from assistant.bench.journal import BenchSettings
from assistant.bench.one_program import ProgramRunner
from assistant.bench.row import RowOutcome
from assistant.bench.task import Task
from assistant.cli.compose import open_session
from assistant.model import events
from tests.integration.engine.homes import home_with_kept_builds

SUITE = Path(__file__).resolve().parents[3] / "benchmarks" / "suite"


@pytest.mark.thorough
def test_a_single_edit_is_verified_once_and_timed_in_the_whole_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KERNELOPT_HOME", str(home_with_kept_builds(tmp_path)))
    session = open_session("a test")
    heard: list[events.Event] = []
    runner = ProgramRunner(SUITE, BenchSettings(str(SUITE), device="cpu"), lambda _: session, heard.append)
    row = asyncio.run(runner.run(Task("mse", (Path("mse.cu"),), ("4096",), None)))
    assert (row.outcome, row.reason) == (RowOutcome.FASTER, "1 edit kept"), row
    compared = [event.job for event in heard if isinstance(event, events.JobStarted) and event.command == "compare"]
    assert len(compared) == 1
    stages = [event.detail for event in heard if isinstance(event, events.StageStarted) and event.job == compared[0]]
    assert "all that the program does on the device" in stages and not any("verif" in stage for stage in stages), stages
    (proposed,) = (event for event in heard if isinstance(event, events.ProposalMade))
    (judged,) = (event for event in heard if isinstance(event, events.ComparisonMade) and event.job == compared[0])
    assert judged.verification == proposed.verification and judged.speed is not None and judged.kernel is None
