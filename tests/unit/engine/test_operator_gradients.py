"""What is compared with ``--backward``, where a candidate has no gradients or fails while they are asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assistant.engine.operators import judging, tracing
from assistant.engine.request import OperatorOptions
from assistant.errors import UsageError
from assistant.model import events
from assistant.program.torch_place import TorchPlace
from tests.unit.engine.test_operator_pairs import Asked, ExtensionLab, Sides, answers, ran
from tests.unit.engine.test_operator_profiles import Told
from tests.unit.operators.test_texts import LAUNCHER

pytestmark = pytest.mark.usefixtures("home")


class Failed(Sides):
    """The candidate's process says nothing but its error."""

    def _candidate(self) -> dict[str, Any]:
        return {"failure": {"kind": "raised", "message": "backward raised RuntimeError: it has none"}}


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Asked:
    made = Asked(Failed(tmp_path), ExtensionLab(tmp_path, {}, ends=[ran(answers(b"one"))]))
    place = TorchPlace("python3", tmp_path, "2.13.0", None, None)
    monkeypatch.setattr(tracing, "torch_place", lambda _: place)
    monkeypatch.setattr(judging, "TorchSides", lambda *_: made.sides)
    return made


async def test_a_candidate_whose_process_says_nothing_but_its_error_fails_by_that(asked: Asked) -> None:
    assert (await asked.judge()).exit_code == 1
    (finding,) = asked.only(events.ComparisonMade).verification.findings
    assert finding.code == "raised" and "backward raised RuntimeError: it has none" in finding.message


def test_a_launcher_without_gradients_is_refused_where_they_are_asked_for(tmp_path: Path) -> None:
    told = Told(tmp_path)
    candidate = told.request(LAUNCHER, "twice.cu").file
    with pytest.raises(UsageError, match="declares no gradients") as raised:
        told.session.judge_operator("check", told.task(), candidate, OperatorOptions(is_backward=True))
    assert "[operator.backward]" in (raised.value.remedy or "")
