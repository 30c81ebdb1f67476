"""A proposal is judged once more on what it was judged on, whatever its program does by now; or it is said why it cannot be."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assistant.engine.proposals.submitted import Submission
from assistant.engine.request import JobRequest
from assistant.errors import CannotAnswerError, UsageError
from assistant.model import events
from assistant.model.proposal import Proposal
from assistant.model.source import Source
from assistant.model.verification import Outcome
from tests.contracts.fake_lab import Behaviour
from tests.unit.engine import commands
from tests.unit.engine.commands import HOST, KERNELS, SCALE, Commands, live_workload
from tests.unit.engine.searches import NAIVE, RIGHT, WORKLOAD
from tests.unit.engine.test_search import KERNELS as DECLARED

TEXT = SCALE + HOST
TABLE = {**KERNELS, "out[i] = 2.0f * x[i]": replace(KERNELS["out[i] = 2.0f * x[i]"], sectors=5000)}
EDITED = TEXT.replace("2.0f * x[i]", "x[i] + x[i]")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KERNELOPT_HOME", str(tmp_path / "home"))


def seeing(seen: list[np.ndarray]) -> dict[str, Behaviour]:
    """The kernels, of which the edited one keeps what it is run on."""

    def compute(out: Any, x: Any, n: int) -> None:
        seen.append(x.copy())
        out[:n] = np.float32(2) * x[:n]

    return {**TABLE, "out[i] = x[i] + x[i]": Behaviour(compute, sectors=4)}


async def offered(on: Commands, before: str = TEXT, after: str = EDITED, **more: Any) -> Proposal:
    request = on.request(before, **more)
    await on.hear(on.session.submit(request, Submission((Source(request.file, after),), "adds", "an agent")))
    return on.store.find_proposal(on.only(events.ProposalMade).id)


async def replayed(on: Commands, made: Proposal) -> events.ComparisonMade:
    await on.hear(on.session.replay(made.id, JobRequest(made.path, on.folder)))
    assert on.ending.exit_code == 0, on.ending
    return on.only(events.ComparisonMade)


async def test_a_decided_proposal_is_judged_on_its_recording_though_text_and_program_are_others_by_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[np.ndarray] = []
    on = Commands(tmp_path, kernels=seeing(seen))
    made = await offered(on)
    on.session.reject(made.id, None, "no")
    made.path.write_text("// nothing is left of it\n")
    recorded = np.linspace(-4, 4, 1000, dtype=np.float32)
    monkeypatch.setitem(commands.PROGRAMS, "(out, x, 1000)", commands._program(1, least=-9.0))
    seen.clear()
    verdict = await replayed(on, made)
    assert verdict.verification.outcome is Outcome.PASS and verdict.confirmed
    assert any(np.array_equal(x, recorded) for x in seen), "the recorded case is not the kept one"
    assert on.said[0] == f"{made.id} is judged again on the recording that was kept with its first verdict"
    assert made.path.read_text() == "// nothing is left of it\n"


async def test_a_proposal_on_a_notebooks_arrays_is_judged_on_these(tmp_path: Path) -> None:
    seen: list[np.ndarray] = []
    on = Commands(tmp_path, kernels=seeing(seen))
    made = await offered(on, SCALE, SCALE.replace("2.0f * x[i]", "x[i] + x[i]"), live=live_workload(tmp_path))
    seen.clear()
    assert (await replayed(on, made)).verification.outcome is Outcome.PASS
    assert any(np.array_equal(x, np.linspace(-4, 4, 1000, dtype=np.float32)) for x in seen)


async def test_a_proposal_on_a_declared_workload_has_the_values_of_its_seeds_again(tmp_path: Path) -> None:
    on = Commands(tmp_path, kernels=DECLARED)
    text = f"{WORKLOAD}\n{NAIVE}\n"
    made = await offered(on, text, text.replace(NAIVE, RIGHT), seeds=(21, 22, 23, 24))
    assert on.store.recordings == {}
    first = [(case.kind, case.shape, case.seed, case.scale) for case in made.verification.cases]
    again = await replayed(on, made)
    assert [(case.kind, case.shape, case.seed, case.scale) for case in again.verification.cases] == first
    assert {case.seed for case in again.verification.cases} >= {23, 24}
    assert on.said[0] == f"{made.id} is judged again on the seeds of its first verdict"


async def test_what_cannot_be_replayed_says_why(tmp_path: Path) -> None:
    on = Commands(tmp_path, kernels=TABLE)
    made = await offered(on)
    on.store.recordings[made.id] = None
    with pytest.raises(CannotAnswerError) as raised:
        await on.hear(on.session.replay(made.id, JobRequest(made.path, on.folder)))
    assert raised.value.message == f"{made.id} is not replayable: its recording was removed to keep within memory.recordings_bytes"
    assert raised.value.remedy is not None and f"kernelopt show {made.id}" in raised.value.remedy
    on.store.recordings.clear()
    with pytest.raises(CannotAnswerError, match=r"^.*is not replayable: no recording of it was kept"):
        await on.hear(on.session.replay(made.id, JobRequest(made.path, on.folder)))
    with pytest.raises(UsageError, match=r"^no proposal starts with 'PX'"):
        on.session.replay("PX", JobRequest(made.path, on.folder))


async def test_no_recording_is_kept_beyond_the_users_quota(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "config.toml").write_text("[memory]\nrecordings_bytes = 10\n")
    on = Commands(tmp_path, kernels=TABLE)
    made = await offered(on)
    assert on.store.recordings == {made.id: None}
