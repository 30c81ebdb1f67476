"""What a scripted model says in words: explanations of edits, summaries of signals."""

from __future__ import annotations

from dataclasses import replace

from assistant.model.completion import CompletionFailure, FailureKind
from assistant.model.plan import (
    Rewrite,
    Setback,
    SetbackKind,
)
from tests.unit.plan.llm.bed import bed, request_of
from tests.unit.plan.llm.test_planner import CODE, PLANNED, planned, text_after, written
from tests.unit.plan.llm.test_prompts import story


async def test_an_explanation_binds_its_numbers() -> None:
    reply = {
        "limit": "Stores move {E2}.",
        "change": "`out[y * n + x]` follows the rows.",
        "reason": "They move {E9} now, which is 8 times less.",
        "assumptions": None,
        "left": "Loads.",
    }
    text = await bed([reply]).planner.explained(story())
    assert text is not None
    assert text.splitlines()[0] == "In the words of small-2, with numbers from the evidence:"
    assert "**What limited it**: Stores move 262,144 sectors (E2)." in text
    assert "**What changed**: `out[y * n + x]` follows the rows. (opinion)" in text
    assert "**Why it helps**: [1 sentence with numbers that no evidence gives left out]" in text
    assert "assumes" not in text


async def test_no_explanation_is_none() -> None:
    made = bed([CompletionFailure(FailureKind.UNREACHABLE, "gone", "start it")])
    assert await made.planner.explained(story()) is None


async def test_a_signal_is_summarised_once_and_its_evidence_kept() -> None:
    summary = {"summary": "Line 14 moves {E2}. It is `32 sectors` wide. It is 9 times too much."}
    made = bed([summary, {"steps": []}, {"steps": []}], signals={"profile": "summarised"})
    await made.planner.plan(request_of())
    await made.planner.plan(request_of())
    assert [request.prompt for request in made.provider.requests] == ["summarise@1", "plan@11", "plan@11"]
    prompt = made.provider.requests[1].messages[1].text
    assert "Line 14 moves {E2}. It is `32 sectors` wide.\n```" in prompt
    assert "E2, line 14: global_sectors = 262,144 sectors" in prompt
    assert "E4, line 14" not in prompt
    assert "KO102, line 14" not in prompt


async def test_a_signal_that_is_not_summarised_is_given_raw() -> None:
    failure = CompletionFailure(FailureKind.UNREACHABLE, "the endpoint does not answer", "start it")
    made = bed([failure, {"steps": []}], signals={"profile": "summarised"})
    await made.planner.plan(request_of())
    prompt = made.provider.requests[1].messages[1].text
    assert "a summary of the profile signal, which is raw: the endpoint does not answer" in prompt
    assert "KO102, line 14" in prompt


async def test_what_failed_is_not_reported_where_the_signal_is_off() -> None:
    made = bed([{"steps": [PLANNED]}, CODE, CODE], search={"variants": 1}, signals={"verify": "off"})
    step = await planned(made)
    (rewrite,) = await written(made, step)
    assert isinstance(rewrite, Rewrite)
    setback = Setback(SetbackKind.WRONG_ANSWER, "element 33 differs", text_after(rewrite))
    await made.planner.improved(request_of(), replace(step, title=None), rewrite, setback)
    assert "element 33" not in made.provider.requests[2].messages[1].text
