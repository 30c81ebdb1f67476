"""The best edit is judged in the other programs that have its files, too, before it is offered."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.engine.job import Job
from assistant.engine.search import NotOffered
from assistant.engine.source_version import SourceVersion
from assistant.model import events
from assistant.model.plan import SetbackKind, UnwrittenStep, UnwrittenStepCode
from assistant.model.verification import Outcome, VerificationFinding
from tests.unit.engine.scripted import Scripted, Search, plan_of
from tests.unit.engine.searches import NAIVE, ONLY_FOR_MULTIPLES_OF_32, RIGHT, WORKLOAD

pytestmark = pytest.mark.usefixtures("home")
Found = tuple[VerificationFinding, ...] | NotOffered


def elsewhere(monkeypatch: pytest.MonkeyPatch, *answers: Found) -> list[str]:
    """Each confirmation is answered with the next of these; returns the texts that were asked about."""
    asked: list[str] = []

    async def judged_elsewhere(job: Job, before: SourceVersion, after: SourceVersion) -> Found:
        assert NAIVE in before.source.text
        asked.append(after.source.text)
        return answers[len(asked) - 1]

    monkeypatch.setattr("assistant.engine.session.judged_elsewhere", judged_elsewhere)
    return asked


async def test_what_a_person_must_decide_there_belongs_to_the_proposal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = VerificationFinding("order_dependent", Outcome.NEEDS_DECISION, "in the program bench: sums in another order")
    asked = elsewhere(monkeypatch, (found,))
    on = Search(tmp_path, Scripted([plan_of(NAIVE, tile=[RIGHT])]))
    await on.run(max_rounds=1)
    (made,) = on.all(events.ProposalMade)
    assert made.verification.outcome == "NEEDS_DECISION"
    assert made.verification.findings[-1].message == found.message
    assert len(asked) == 1 and RIGHT in asked[0]


async def test_what_is_wrong_there_is_not_offered_and_goes_back_to_its_writer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = elsewhere(monkeypatch, NotOffered("in the program bench it is wrong: out[0] is 1"), ())
    planner = Scripted([plan_of(NAIVE, tile=[RIGHT])], [RIGHT.replace("[33]", "[34]")], is_model=True)
    on = Search(tmp_path, planner)
    await on.run(max_rounds=1)
    (setback,) = planner.setbacks
    assert (setback.kind, setback.reason) == (SetbackKind.WRONG_ANSWER, "in the program bench it is wrong: out[0] is 1")
    assert "turn: the best edit is not offered: in the program bench it is wrong: out[0] is 1" in on.said
    assert len(asked) == 2 and len(on.offered) == 1


NOT_WHOLE_TILES = WORKLOAD.replace("n = 160", "n = 100")
GIVEN_UP = UnwrittenStep(UnwrittenStepCode.GIVEN_UP, "it needs whole tiles")


@pytest.mark.parametrize(
    ("repair", "tried"),
    [(None, []), (RIGHT, [("tile", "kept")]), (GIVEN_UP, [("tile", "unwritten")])],
    ids=["nothing", "another edit", "given up"],
)
async def test_in_a_models_search_a_rule_may_write_its_edit_anew_after_a_setback(
    tmp_path: Path, repair: str | UnwrittenStep | None, tried: list[tuple[str, str]]
) -> None:
    planner = Scripted([plan_of(NAIVE, tile=[ONLY_FOR_MULTIPLES_OF_32])], [repair])
    on = Search(tmp_path, planner, f"{NOT_WHOLE_TILES}\n{NAIVE}\n")
    await on.run(max_rounds=1, planner="llm", may_call_models=True)
    assert on.tried == [("tile", "failed"), *tried]
    (setback,) = planner.setbacks
    assert setback.reason == on.reasons[0] and ONLY_FOR_MULTIPLES_OF_32 in setback.text
