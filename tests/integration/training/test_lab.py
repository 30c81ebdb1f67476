"""A program is searched once for all trainings: what was offered, seen and gained is kept, and comes back from disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.cli.compose import open_session
from assistant.memory.store import open_store
from assistant.training.episodes import by_promise, played
from assistant.training.lab import SearchLimits, searched
from assistant.training.programs import TrainingProgram
from assistant.training.table import Tables
from tests.e2e.cli.harness import working_cli

SOURCE = Path(__file__).parents[2] / "data" / "plan" / "warp-per-row" / "softmax_in_place.cu"


@pytest.mark.thorough
async def test_a_search_is_kept_with_what_a_policy_would_have_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with working_cli(tmp_path) as cli, open_store(tmp_path / "memory.sqlite3") as store:
        monkeypatch.setenv("KERNELOPT_HOME", str(cli.home))
        program = TrainingProgram("plan/softmax", (SOURCE,), ())
        found = await searched(program, store, lambda memory: open_session("train", memory=memory), SearchLimits(), "cpu", "h200")
        assert (found.failure, found.is_judged) == ("", False)
        (kernel,) = found.kernels
        first = kernel.rounds[0]
        assert kernel.family == "row reduction"
        assert len(first.offers) == len(first.candidates) > 1
        assert "warp-per-row" in {offer.technique for offer in first.offers}
        assert first.situation.state.device.name == "cpu, predicted for h200"
        assert first.situation.findings and not first.situation.tried
        assert all(offer.added_length > 0 for offer in first.offers)
        candidates = [one for each in kernel.rounds for some in each.candidates for one in some]
        assert store.attempt_count() == len(candidates) > 1
        assert all(one.ratio is not None and (one.reached > 1) <= one.is_kept for one in candidates)
        assert played(kernel, by_promise).reached[-1] == kernel.best
        tables = Tables(tmp_path / "tables")
        tables.add(found)
        assert tables.get("plan/softmax") == found


async def test_what_does_not_compile_is_said_and_not_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "broken.cu"
    source.write_text("__global__ void k(float *x) { x[0] = ; }\nint main() { k<<<1, 1>>>(nullptr); }\n")
    with working_cli(tmp_path) as cli, open_store(tmp_path / "memory.sqlite3") as store:
        monkeypatch.setenv("KERNELOPT_HOME", str(cli.home))
        program = TrainingProgram("broken", (source,), ())
        found = await searched(program, store, lambda memory: open_session("train", memory=memory), SearchLimits(), "cpu", "h200")
    assert found.kernels == ()
    assert "refused the source" in found.failure
