"""Answers spelled in ways that mean the same."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assistant.plan.llm.reading.answers import CODE
from assistant.plan.llm.reading.schemas import CodeReply, PlannedStep, reply_schema


def read(**header: Any) -> CodeReply:
    reply = CODE.read(f"{json.dumps({'summary': 'Do it.'} | header)}\n```cuda\n__global__ void k() {{}}\n```")
    assert isinstance(reply, CodeReply), reply
    return reply


@pytest.mark.parametrize(
    ("tune", "values"),
    [
        ({"TILE": [8, 16]}, [8, 16]),
        ({"TILE": {"range": [8, 64]}}, [8, 16, 32, 64]),
        ({"TILE": {"min": 2, "max": 6, "step": 2}}, [2, 4, 6]),
        ([{"name": "TILE", "range": [3, 5]}], [3, 4, 5]),
        ([{"name": "TILE", "values": ["8", 16.0]}], [8, 16]),
        ({"name": "TILE", "values": "8, 16 or 32"}, [8, 16, 32]),
        (["TILE: 8, 16"], [8, 16]),
        ("TILE = 8, 16", [8, 16]),
        ("TILE in {8, 16}", [8, 16]),
        ("TILE: 8..64", [8, 16, 32, 64]),
        ({"TILE": "8 to 64"}, [8, 16, 32, 64]),
        ({"Name": "TILE", "Values": [8, 16]}, [8, 16]),
        ([{"TILE": [8, 16]}], [8, 16]),
        ([{"name": "TILE", "values": list(range(1, 33))}], [1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 32]),
    ],
)
def test_numbers_to_tune_are_read_in_many_spellings(tune: object, values: list[int]) -> None:
    reply = read(tune=tune)
    assert [(one.name, one.values) for one in reply.tune] == [("TILE", values)]
    assert reply.tuning_fault == ""


@pytest.mark.parametrize(
    "tune", ["STEP=1,2; ROWS: 4, 8", {"STEP": [1, 2], "ROWS": [4, 8]}, ["STEP = 1 or 2", {"Name": "ROWS", "Values": "4, 8"}]]
)
def test_several_names_have_values_of_their_own(tune: object) -> None:
    reply = read(tune=tune)
    assert [(one.name, one.values) for one in reply.tune] == [("STEP", [1, 2]), ("ROWS", [4, 8])]
    assert reply.tuning_fault == ""


def test_words_among_the_values_are_no_values() -> None:
    assert "does not name a number" in read(tune="TILE = 8 on sm_90, else 16").tuning_fault


@pytest.mark.parametrize(
    "entry", [{"name": "TILE"}, {"name": "TILE", "values": ["warp"]}, {"values": [8]}, 7, {"name": "T", "values": [1.5]}]
)
def test_what_cannot_be_read_of_them_leaves_the_edit_and_the_others(entry: object) -> None:
    reply = read(tune=[{"name": "ROWS", "values": [1, 2]}, entry])
    assert [one.name for one in reply.tune] == ["ROWS"] and len(reply.parts) == 1
    assert "does not name a number and its integer values" in reply.tuning_fault
    assert CodeReply.model_validate_json(reply.model_dump_json()) == reply


def test_lists_and_numbers_may_be_texts() -> None:
    reply = read(step="step 1", risks="alignment, precision", includes="mma.h", assumptions="n is even", constraints="TILE <= 8")
    assert (reply.step, reply.risks, reply.includes) == (1, ["alignment", "precision"], ["mma.h"])
    assert (reply.assumptions, reply.constraints) == (["n is even"], ["TILE <= 8"])
    assert read(risks="None.", assumptions="none").risks == []
    step = PlannedStep.model_validate(
        {"technique": "t", "line": "line 12", "predicted_speedup": "1.5x", "evidence": "E1, E2", "risks": "none"}
    )
    assert (step.line, step.predicted_speedup, step.evidence, step.risks) == (12, 1.5, ["E1", "E2"], [])


def test_endpoints_are_not_asked_for_what_is_ours() -> None:
    assert "tuning_fault" not in reply_schema(CodeReply).json_schema
