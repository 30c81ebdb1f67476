"""Edits that a search proved are timed together in the whole program; what was verified is not verified again."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from assistant.bench.journal import BenchSettings
from assistant.bench.one_program import ProgramRunner
from assistant.bench.row import Row, RowOutcome
from assistant.bench.task import Task
from assistant.cli.compose import open_session
from assistant.model import events
from tests.integration.engine.homes import home_with_kept_builds

SUITE = Path(__file__).resolve().parents[3] / "benchmarks" / "suite"


def searched(task: Task) -> tuple[Row, list[events.Event]]:
    session = open_session("a test")
    heard: list[events.Event] = []
    runner = ProgramRunner(SUITE, BenchSettings(str(SUITE), device="cpu"), lambda _: session, heard.append)
    return asyncio.run(runner.run(task)), heard


def compared(heard: list[events.Event]) -> tuple[events.ComparisonMade, list[str]]:
    """The one verdict on what was kept, and its job's stages."""
    (job,) = (event.job for event in heard if isinstance(event, events.JobStarted) and event.command == "compare")
    (judged,) = (event for event in heard if isinstance(event, events.ComparisonMade) and event.job == job)
    return judged, [event.detail for event in heard if isinstance(event, events.StageStarted) and event.job == job]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KERNELOPT_HOME", str(home_with_kept_builds(tmp_path)))


@pytest.mark.thorough
def test_a_single_edit_is_verified_once_and_timed_in_the_whole_program() -> None:
    row, heard = searched(Task("mse", (Path("mse.cu"),), ("4096",), None))
    assert (row.outcome, row.reason) == (RowOutcome.FASTER, "1 edit kept"), row
    judged, stages = compared(heard)
    assert "all that the program does on the device" in stages and not any("fresh values" in stage for stage in stages), stages
    (proposed,) = (event for event in heard if isinstance(event, events.ProposalMade))
    assert judged.verification == proposed.verification and judged.speed is not None and judged.kernel is None


@pytest.mark.thorough
def test_edits_of_several_kernels_are_verified_once_and_timed_together() -> None:
    row, heard = searched(Task("atax", (Path("atax.cu"),), ("300",), None))
    proposed = [event for event in heard if isinstance(event, events.ProposalMade)]
    assert len({event.kernel for event in proposed}) == len(proposed) > 1
    assert (row.outcome, row.reason) == (RowOutcome.FASTER, f"{len(proposed)} edits kept, judged together"), row
    judged, stages = compared(heard)
    assert "all that the program does on the device" in stages and not any("fresh values" in stage for stage in stages), stages
    assert judged.kernel is None and judged.speed is not None and judged.verification.outcome == "PASS"
    assert judged.verification.cases == tuple(case for event in proposed for case in event.verification.cases)
