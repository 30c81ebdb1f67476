"""An edit of host code that a person did not allow is neither built nor run."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from assistant.cli.compose import open_session
from assistant.engine.request import Accept, JobRequest, OptimizeOptions
from assistant.engine.search.planning import SearchCallbacks
from assistant.model import events
from tests.integration.engine.homes import home_with_kept_builds
from tests.unit.engine.test_host_code import Person

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "block_size.cu"


def test_what_a_person_did_not_allow_is_neither_built_nor_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = home_with_kept_builds(tmp_path)
    monkeypatch.setenv("KERNELOPT_HOME", str(home))
    source = tmp_path / "triad.cu"
    source.write_text(EXAMPLE.read_text("utf-8"))
    session, person = open_session("a test"), Person(False)

    async def heard() -> list[events.Event]:
        options = OptimizeOptions(max_rounds=1, may_edit_host_code=False)
        return [e async for e in session.optimize(JobRequest(source, tmp_path), options, Accept.NONE, None, SearchCallbacks(person))]

    told = asyncio.run(heard())
    tried = [event for event in told if isinstance(event, events.CandidateTried)]
    assert person.asked == ["vectorized access of triad"], told  # once, for the first edit of host code; block sizes come last
    assert tried and {event.outcome for event in tried if event.technique == "block-size-search"} == {"not_allowed"}
    assert "block-size-search" not in {attempt.technique for attempt in session.store.attempts()}
    assert any(isinstance(event, events.Message) and "not tried, because it edits host code" in event.message for event in told)
