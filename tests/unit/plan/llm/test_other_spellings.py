"""Values of an answer in other spellings: sizes and arguments of launches, headers, code under other keys, plans."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assistant.plan.llm.code.parts import region_of
from assistant.plan.llm.code.region import RegionEdit, edit_of
from assistant.plan.llm.code.unusable import Unusable, UnusableAnswer
from assistant.plan.llm.reading.answers import CODE, PLAN, BadReply
from assistant.plan.llm.reading.schemas import CodeReply, PlannedStep, PlanReply
from tests.unit.plan.llm.bed import KERNEL_TEXT, TEXT, request_of

STEP = {"technique": "padding", "title": "Pad", "line": 12, "design": "Pad it."}
PATCH = "*** Begin Patch\n*** Update File: kernel.cu\n@@\n-    return value * by;\n+    return by * value;\n*** End Patch"


def planned(answer: object) -> PlannedStep:
    found = PLAN.read(json.dumps(answer))
    assert isinstance(found, PlanReply), found
    (step,) = found.steps
    return step


def launch_of(**change: Any) -> str:
    """The launch as the answer has it."""
    reply = CODE.read(json.dumps({"summary": "Change the launch.", "launches": [{"line": 22, **change}]}))
    assert isinstance(reply, CodeReply), reply
    found = edit_of(region_of(request_of(may_edit_host=True)), reply)
    assert isinstance(found, RegionEdit), found
    after = TEXT
    for edit in sorted(found.edits, reverse=True):
        after = after[: edit.span.start] + edit.new_text + after[edit.span.end :]
    return next(line.strip() for line in after.split("\n") if "<<<" in line)


@pytest.mark.parametrize("block", ["(32, 8)", "{32, 8}", "[32, 8]", [32, 8]])
def test_sizes_in_any_brackets_are_sizes(block: object) -> None:
    assert launch_of(block=block) == "transpose<<<grid, dim3(32, 8)>>>(out, in, n, 2.0f);", "(32, 8) alone would be 8"


def test_sizes_by_axis_are_sizes_and_one_expression_stays_one() -> None:
    assert "<<<dim3(n, 2, 1), " in launch_of(grid={"x": "n", "y": 2})
    assert "<<<(n + 31) / 32, (n)>>>" in launch_of(grid="(n + 31) / 32", block="(n)")
    assert "<<<max(n, 1), " in launch_of(grid="max(n, 1)")


@pytest.mark.parametrize("word", ["unchanged", "null", "", None])
def test_a_word_that_says_that_nothing_changes_is_no_expression(word: str | None) -> None:
    changed = launch_of(grid=word, shared=word, kernel=word, arguments=word, block=64)
    assert changed == launch_of(block=64, arguments=[]) == "transpose<<<grid, 64>>>(out, in, n, 2.0f);"


def test_arguments_and_lines_may_be_texts() -> None:
    assert launch_of(arguments="out, in, max(n, 1), 3.0f") == "transpose<<<grid, block>>>(out, in, max(n, 1), 3.0f);"
    assert launch_of(line=None, block=64) == launch_of(line="line 22", block=64)


@pytest.mark.parametrize("header", ["#include <mma.h>", "<mma.h>", '"mma.h"', "mma.h"])
def test_a_header_may_be_written_as_it_is_included(header: str) -> None:
    reply = CODE.read(json.dumps({"summary": "Use it.", "includes": [header]}))
    assert isinstance(reply, CodeReply) and reply.includes == ["mma.h"]


@pytest.mark.parametrize(
    "given",
    [
        {"parts": [{"name": "kernel", "content": KERNEL_TEXT}]},
        {"parts": {"id": "kernel", "code": KERNEL_TEXT, "part": "kernel"}},
        {"edits": [{"part": "kernel", "code": KERNEL_TEXT}]},
        {"code": KERNEL_TEXT},
        {"kernel": KERNEL_TEXT, "original_code": KERNEL_TEXT.replace("int x", "int w")},
        {"files": {"kernel.cu": {"new": KERNEL_TEXT, "old": KERNEL_TEXT.replace("int x", "int w")}}},
    ],
)
def test_code_under_another_key_is_never_taken_for_giving_up(given: dict[str, Any]) -> None:
    reply = CODE.read(json.dumps({"summary": "Rewrite.", **given}))
    assert isinstance(reply, CodeReply) and [part.code for part in reply.parts] == [KERNEL_TEXT]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"name": "apply_patch", "arguments": {"input": PATCH}}),
        json.dumps({"command": ["apply_patch", PATCH]}),
        f"```bash\napply_patch <<'EOF'\n{PATCH}\nEOF\n```",
    ],
)
def test_a_patch_that_a_tool_is_called_with_is_an_edit(text: str) -> None:
    reply = CODE.read(text)
    assert isinstance(reply, CodeReply), reply
    found = edit_of(region_of(request_of()), reply)
    assert isinstance(found, RegionEdit) and [edit.new_text.strip() for edit in found.edits] != []


def test_a_header_in_a_comment_of_the_code_is_the_header() -> None:
    header = json.dumps({"summary": "Pad.", "launches": [{"line": 22, "block": "64"}]}, indent=1)
    reply = CODE.read(f"```cuda part=kernel\n/*\n{header}\n*/\n{KERNEL_TEXT}\n```")
    assert isinstance(reply, CodeReply) and reply.launches[0].block == "64" and reply.parts[0].code == KERNEL_TEXT


def test_a_line_to_replace_that_no_patch_holds_is_asked_for_in_its_function() -> None:
    reply = CODE.read("Replace\n```cuda\n    int x = 0;\n```\nwith\n```cuda\n    int x = 1;\n```\n")
    assert isinstance(reply, CodeReply)
    found = edit_of(region_of(request_of(may_edit_host=True)), reply)
    assert isinstance(found, UnusableAnswer) and found.code is Unusable.ELIDED and "in no function" in found.reason


@pytest.mark.parametrize("plan", [[STEP], STEP, {"steps": STEP}, {"plan": {"steps": [STEP]}}])
def test_steps_are_a_plan_whatever_stands_around_them(plan: object) -> None:
    assert planned(plan).design == "Pad it."


def test_what_a_step_says_beside_its_design_never_loses_it() -> None:
    assert planned({"steps": [STEP | {"line": "12-18"}]}).line == planned({"steps": [STEP | {"line": [12, 18]}]}).line == 12
    step = planned({"steps": [STEP | {"predictions": {"{E1}": 0.5}, "evidence": ["{E1}"], "predicted_speedup": "1.2-1.5x"}]})
    assert (step.evidence, step.predictions[0].evidence, step.predicted_speedup) == (["E1"], "E1", None)
    assert planned({"steps": [STEP | {"predicted_speedup": "20%"}]}).predicted_speedup is None, "of what is not said"
    for declined in (["loop-unrolling: It runs once."], {"loop-unrolling": "It runs once."}):
        found = PLAN.read(json.dumps({"steps": [], "declined": declined}))
        assert isinstance(found, PlanReply) and found.declined[0].reason == "It runs once."
    assert isinstance(PLAN.read(json.dumps({"steps": [{"technique": "padding"}]})), BadReply), "a step without a line is asked for"
