"""Edits that are right on the program's own sizes alone: their writer is asked for a better one before a person is asked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assistant.model import events
from assistant.model.plan import SetbackKind, UnwrittenStep, UnwrittenStepCode
from tests.contracts.fake_lab import Behaviour
from tests.unit.engine.commands import HOST, KERNELS, PROGRAMS, SCALE
from tests.unit.engine.scripted import Scripted, Search, Written, plan_of

pytestmark = pytest.mark.usefixtures("home")
START = "out[i] = 2.0f * x[i]"
HERE = SCALE.strip().replace(START, "if (n % 1000 == 0) out[i] = x[i] + x[i]")
SMALL = SCALE.strip().replace(START, "out[i] = 2.0f * fminf(x[i], 100.0f)")
RIGHT = SCALE.strip().replace(START, "out[i] = x[i] * 2.0f")
GIVEN_UP = UnwrittenStep(UnwrittenStepCode.GIVEN_UP, "it needs thousands")


def _of_thousands(out: Any, x: Any, n: int) -> None:
    if n % 1000 == 0:
        out[:n] = np.float32(2) * x[:n]


def _of_small(out: Any, x: Any, n: int) -> None:
    out[:n] = np.float32(2) * np.minimum(x[:n], np.float32(100))


def search(folder: Path, planner: Scripted) -> Search:
    odd = {"n % 1000": Behaviour(_of_thousands, sectors=4), "fminf(x[i], 100.0f)": Behaviour(_of_small, sectors=4)}
    kernels = {**odd, **KERNELS, START: replace(KERNELS[START], sectors=4000)}
    return Search(folder, planner, SCALE + HOST, kernels=kernels, programs=PROGRAMS)


@pytest.mark.parametrize(
    ("repair", "tried", "is_right_offered"),
    [(RIGHT, [("odd", "kept")], True), (GIVEN_UP, [("odd", "unwritten")], False), (None, [], False)],
    ids=["a better one", "given up", "nothing"],
)
async def test_its_writer_is_asked_once_and_what_holds_most_is_offered(
    tmp_path: Path, repair: Written | None, tried: list[tuple[str, str]], is_right_offered: bool
) -> None:
    planner = Scripted([plan_of(START, odd=[HERE])], [repair, None, None], is_model=True)
    on = search(tmp_path, planner)
    assert await on.run(max_rounds=1) == [("odd", "kept"), *tried]
    (setback,) = planner.setbacks
    assert setback.kind is SetbackKind.ONLY_HERE
    assert any(found.message.startswith("right only for the program's own sizes") for found in setback.findings)
    (made,) = on.all(events.ProposalMade)
    assert (made.verification.outcome == "PASS") is is_right_offered
    assert (RIGHT in on.store.find_proposal(made.id).files[0].after_text) is is_right_offered
    assert not any("goes back to its writer before it is offered" in words for words in on.said), "it was asked when the edit was tried"


@pytest.mark.parametrize(
    ("repair", "tried"),
    [(RIGHT, [("odd", "kept")]), (GIVEN_UP, [("odd", "unwritten")]), (None, [])],
    ids=["a slower one", "given up", "nothing"],
)
async def test_what_only_the_confirmation_shows_goes_back_once_before_a_person_is_asked(
    tmp_path: Path, repair: Written | None, tried: list[tuple[str, str]]
) -> None:
    planner = Scripted([plan_of(START, odd=[SMALL])], [repair], is_model=True)
    on = search(tmp_path, planner)
    assert await on.run(max_rounds=1) == [("odd", "kept"), *tried]
    (setback,) = planner.setbacks
    assert setback.kind is SetbackKind.ONLY_HERE and setback.reason.startswith("right only for floats")
    assert sum("goes back to its writer before it is offered: right only for floats" in words for words in on.said) == 1
    (made,) = on.all(events.ProposalMade)
    offered = on.store.find_proposal(made.id)
    texts = [one.files[0].after_text for one in (offered, *offered.alternatives)]
    assert [("fminf" in text) for text in texts] == ([False, True] if repair == RIGHT else [True]), "what holds everywhere comes first"
    assert made.verification.outcome == ("PASS" if repair == RIGHT else "NEEDS_DECISION")


async def test_a_rules_edit_is_offered_as_it_is(tmp_path: Path) -> None:
    planner = Scripted([plan_of(START, odd=[HERE])])
    on = search(tmp_path, planner)
    await on.run(max_rounds=1)
    assert not planner.setbacks
    assert [made.verification.outcome for made in on.all(events.ProposalMade)] == ["NEEDS_DECISION"]


@pytest.mark.parametrize("allowed", [(), ("assumption",)])
async def test_where_the_confirmation_finds_what_is_to_be_decided_a_version_without_it_is_offered_first(
    tmp_path: Path, allowed: tuple[str, ...]
) -> None:
    on = search(tmp_path, Scripted([plan_of(START, odd=[SMALL], pure=[RIGHT])], [None] * 3, is_model=True))
    await on.run(max_rounds=1, allowed=allowed)
    (made,) = on.all(events.ProposalMade)
    assert (made.techniques, [other.techniques for other in made.alternatives]) == (("pure",), [("odd",)])
