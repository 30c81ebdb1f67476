"""Model calls and trials go on at once: as many calls as the settings say, answers judged as they come, every lab busy."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

import pytest

from assistant.model import events
from assistant.model.completion import Completion, CompletionFailure, CompletionRequest
from assistant.ports.provider import OnText
from tests.deadlines import HANG_S
from tests.unit.engine.at_once import SlowModel, searched

SHORT = "[search]\nbeam = 1\nvariants = 2\nrepairs = 0\n"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KERNELOPT_HOME", str(tmp_path / "home"))


@dataclass
class WaitsForATrial(SlowModel):
    """Writes its second edit only when the first is being tried."""

    async def complete(self, request: CompletionRequest, on_text: OnText) -> Completion | CompletionFailure:
        is_first = not any(known.prompt.startswith("code") for known in self.requests)
        if request.prompt.startswith("code") and not is_first:
            async with asyncio.timeout(HANG_S):
                while not self.is_trying() and not self.overlap_count:  # noqa: ASYNC110 - clocks have no event to wait for
                    await asyncio.sleep(0.001)
            self.overlap_count += 1
        return await super().complete(request, on_text)


async def test_calls_are_in_flight_while_candidates_are_tried(tmp_path: Path) -> None:
    came = await searched(tmp_path, WaitsForATrial(latency_s=0.1), trial_s=0.1, candidates=12, settings=SHORT)
    assert came.model.most_under_way == 4
    assert came.model.overlap_count > 0
    assert len(came.judged) == 12
    assert {event.method for event in came.judged if event.ratio is not None} == {"timed"}


@pytest.mark.parametrize(("settings", "most"), [("calls_in_flight = 2\n", 2), ("calls_in_flight = 1\n", 1)])
async def test_no_more_calls_are_in_flight_than_the_settings_say(tmp_path: Path, settings: str, most: int) -> None:
    came = await searched(tmp_path, SlowModel(latency_s=0.01), trial_s=0.0, candidates=6, settings=settings + SHORT)
    assert came.model.most_under_way == most


async def test_what_could_not_be_tried_is_not_asked_for(tmp_path: Path) -> None:
    came = await searched(tmp_path, SlowModel(latency_s=0.01), trial_s=0.01, candidates=5, settings=SHORT)
    written = [request for request in came.model.requests if request.prompt.startswith("code")]
    assert len(written) == len(came.judged) == 5
    untried = [event for event in came.heard if isinstance(event, events.CandidateTried) and event.outcome.value == "not_tried"]
    assert untried and all("limits.candidates allows 5 candidates" in event.reason for event in untried)


async def test_two_labs_and_two_islands_share_the_work(tmp_path: Path) -> None:
    settings = SHORT.replace("beam = 1", "beam = 2")
    came = await searched(tmp_path, SlowModel(latency_s=0.02), trial_s=0.05, lab_count=2, candidates=16, settings=settings)
    plans = [event for event in came.heard if isinstance(event, events.PlanMade)]
    assert len(plans) >= 2 and len(came.judged) == 16
    first = [request.messages[-1].text for request in came.model.requests if request.prompt.startswith("plan")][:2]
    assert ["Others plan for this kernel" in text for text in first].count(True) == 1
    assert came.gpu_s > 16 * 0.05
