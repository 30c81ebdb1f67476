"""What memory keeps of a comparison in which somebody's own edit does what a technique of the expert would have done."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.model.plan import TrialOutcome
from assistant.model.verification import Outcome
from tests.unit.engine.commands import KERNELS, SCALE, Commands
from tests.unit.engine.scripted import Scripted, plan_of
from tests.unit.engine.test_commands import BEYOND, CHEAPER, DEARER, WRONG, A

KERNEL = {text: text.replace(A.replace(SCALE, ""), "").strip() for text in (CHEAPER, DEARER, WRONG, BEYOND)}


async def compared(folder: Path, after: str, written: str, name: str = "expert") -> Commands:
    on = Commands(folder, planner=Scripted([plan_of("scale", add_up=[written])], name=name), kernels=KERNELS)
    await on.compare(A, after)
    return on


@pytest.mark.parametrize(
    ("after", "outcome", "verdict"),
    [
        (CHEAPER, TrialOutcome.KEPT, Outcome.PASS),
        (DEARER, TrialOutcome.NOT_BETTER, Outcome.PASS),
        (WRONG, TrialOutcome.FAILED, Outcome.FAIL),
    ],
)
async def test_an_edit_of_ones_own_that_a_technique_would_make_is_kept_with_its_verdict(
    tmp_path: Path, after: str, outcome: TrialOutcome, verdict: Outcome
) -> None:
    on = await compared(tmp_path, after, KERNEL[after])
    (kept,) = on.store.attempts()
    assert (kept.technique, kept.planner, kept.outcome, kept.verification) == ("add-up", "person", outcome, verdict)
    assert (kept.parent_text, kept.text) == (A, after)
    assert kept.reason == "an edit of your own that was compared; it is the same code as add-up would write"
    assert (kept.comparison is None) is (verdict is Outcome.FAIL)
    assert kept.before is not None and kept.after is not None


async def test_of_an_edit_that_is_mostly_the_same_its_share_is_kept(tmp_path: Path) -> None:
    longer = KERNEL[CHEAPER].replace("out[i] =", "out[i] = 0.0f +")
    on = await compared(tmp_path, CHEAPER, longer)
    (kept,) = on.store.attempts()
    assert kept.reason.startswith("an edit of your own that was compared; it adds ") and kept.reason.endswith(
        "of the code that add-up would add"
    )


@pytest.mark.parametrize(("after", "written", "name"), [(A, KERNEL[CHEAPER], "expert"), (CHEAPER, KERNEL[CHEAPER], "another")])
async def test_no_edit_and_what_another_planner_than_the_expert_would_write_teach_nothing(
    tmp_path: Path, after: str, written: str, name: str
) -> None:
    on = await compared(tmp_path, after, written, name)
    assert on.store.attempts() == ()
