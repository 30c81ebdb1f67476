"""What a model may answer: JSON of one form, bounded, whatever else it sends."""

from __future__ import annotations

import json

import pytest

from assistant.plan.llm.reading.answers import CODE, MOST_REPLY_CHARACTERS, PLAN, SUMMARY, BadReply
from assistant.plan.llm.reading.schemas import CodeReply, ExplanationReply, PlanReply, SummaryReply, plain, reply_schema

STEP = {"technique": "shared-tile", "line": 3, "rationale": "Loads repeat {E1}."}


def problem(text: str) -> str:
    answer = PLAN.read(text)
    assert isinstance(answer, BadReply), answer
    return answer.problem


@pytest.mark.parametrize(
    "text",
    [
        '{"steps": []}',
        'Sure, here it is:\n```json\n{"steps": []}\n```\nTell me how it went.',
        '<think>maybe {E1}?</think> {"steps": [], "confidence": "high"}',
        '{"note": "not this one"} {"steps": []}',
    ],
)
def test_the_object_is_found_in_what_surrounds_it(text: str) -> None:
    assert PLAN.read(text) == PlanReply(steps=[])


def test_line_breaks_inside_strings_are_read() -> None:
    answer = SUMMARY.read('{"summary": "one\ntwo"}')
    assert answer == SummaryReply(summary="one\ntwo")


def test_a_launch_size_may_be_a_plain_number() -> None:
    answer = CODE.read('{"summary": "s", "parts": [], "launches": [{"line": 4, "block": 256}]}')
    assert isinstance(answer, CodeReply)
    assert answer.launches[0].block == "256"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("I cannot help with that.", "no JSON object"),
        ('{"steps": [{"technique": "a", "line": 1, "rationale": "', "cannot be read: Unterminated string"),
        ('{"plan": []}', "steps: Field required"),
        (json.dumps({"steps": [STEP | {"line": 0}]}), "steps.0.line"),
        (json.dumps({"steps": [STEP | {"predicted_speedup": -1}]}), "steps.0.predicted_speedup"),
        ('{"steps": [], "declined": NaN}', "NaN is no JSON number"),
        ('{"steps": []}' + "\x00", "control characters"),
        ("\x7fELF\x02\x01\x01", "control characters"),
        ("x" * (1 << 20), f"1,048,576 characters; at most {MOST_REPLY_CHARACTERS:,}"),
        ("[" * 200_000, "no JSON object"),
        ('{"a":' * 40_000, "no JSON object"),
        ("{" * 200_000, "no JSON object"),
    ],
)
def test_what_is_no_plan_is_said_in_words(text: str, said: str) -> None:
    assert said in problem(text)


def test_faults_are_listed_without_repeating_what_was_sent() -> None:
    said = problem(json.dumps({"steps": [{"technique": "secret"}] * 9}))
    assert "secret" not in said
    assert said.endswith("and 4 more")


def test_an_infinite_factor_is_no_number() -> None:
    text = json.dumps({"steps": [STEP]}).replace('"line": 3', '"line": 3, "predictions": [{"evidence": "E1", "factor": 1e999}]')
    assert "factor" in problem(text)


def test_a_title_that_is_too_long_is_cut_and_a_reason_may_lack() -> None:
    answer = PLAN.read(json.dumps({"steps": [{"technique": "a", "line": 1, "title": "x" * 501}]}))
    assert isinstance(answer, PlanReply)
    assert answer.steps[0].title == "x" * 499 + "…" and answer.steps[0].rationale == ""


def test_null_is_an_empty_list() -> None:
    nulls = dict.fromkeys(("parts", "launches", "includes", "assumptions", "risks", "tune", "constraints"))
    assert CODE.read(json.dumps({"summary": "x" * 600, **nulls})) == CodeReply(summary="x" * 499 + "…")
    plan = PLAN.read(json.dumps({"steps": [STEP | {"evidence": None, "predictions": None, "risks": None}], "declined": None}))
    assert plan == PlanReply.model_validate({"steps": [STEP]})


def test_thousands_of_steps_are_read_so_that_their_number_can_be_said() -> None:
    answer = PLAN.read(json.dumps({"steps": [{"technique": "t", "line": 1, "rationale": ""}] * 5_000}))
    assert isinstance(answer, PlanReply)
    assert len(answer.steps) == 5_000


@pytest.mark.parametrize(
    "hidden", ["\u001b[2J", "\u202e", "\u200b", "\r", "\u009b31m", "\u00ad", "\u2028", "\u3164", "\u061c", "\U000e0041"]
)
def test_characters_that_change_what_a_terminal_shows_are_taken_out(hidden: str) -> None:
    answer = SUMMARY.read(json.dumps({"summary": f"a{hidden}b"}))
    assert isinstance(answer, SummaryReply)
    assert "\u001b" not in answer.summary and hidden not in answer.summary


def test_nothing_in_a_sentence_is_loaded_or_linked_by_a_viewer() -> None:
    answer = SUMMARY.read(json.dumps({"summary": "![x](http://a/?q=1) [y](command:z) <img src=x> a < b"}))
    assert answer == SummaryReply(summary="[x] (http ://a/?q=1) [y] (command :z) < img src=x> a < b")


def test_a_schema_is_what_strict_structured_outputs_take() -> None:
    for reply in (PlanReply, CodeReply, SummaryReply, ExplanationReply):
        schema = json.loads(reply_schema(reply).json_schema)
        for found in (schema, *schema.get("$defs", {}).values()):
            assert found["additionalProperties"] is False
            assert found["required"] == list(found["properties"])
        assert "maxLength" not in reply_schema(reply).json_schema
        assert "default" not in reply_schema(reply).json_schema


def test_a_schema_is_named_after_its_reply() -> None:
    assert reply_schema(PlanReply).name == "plan_reply"


@pytest.mark.parametrize("address", ["https://example.com/x", "file:///etc/passwd", "www.example.com", "mailto:a@b.c", "command:run"])
def test_an_address_cannot_be_followed(address: str) -> None:
    assert address not in plain(f"see {address} for more")


def test_colons_and_dots_of_sentences_stay() -> None:
    assert plain("line 12: data.x and std::min, file:12, 1.5") == "line 12: data.x and std::min, file:12, 1.5"
