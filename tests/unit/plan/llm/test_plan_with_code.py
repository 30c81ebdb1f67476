"""A plan with its code in one answer: whose code it is, what of it is taken, and what is asked for again."""

from __future__ import annotations

import json

import pytest

from assistant.model.plan import Origin, Rewrite
from assistant.plan.llm.reading.answers import PLAN_AND_CODE, PlanAndCode
from tests.unit.plan.llm.bed import KERNEL_TEXT, TEXT, bed, request_of
from tests.unit.plan.llm.test_planner import BETTER, CODE, PLANNED, planned, text_after, written


def with_code(*codes: str) -> str:
    steps = json.dumps({"steps": [PLANNED, PLANNED | {"technique": "other", "line": 15}]})
    return f"```json\n{steps}\n```\n" + "".join(codes)


FIRST = f'{{"step": 1, "summary": "Store rows."}}\n```cuda part=kernel\n{BETTER}\n```\n'


async def test_code_that_comes_with_the_plan_is_not_asked_for_again() -> None:
    made = bed([with_code(FIRST), CODE], provider={"plan_with_code": True}, search={"variants": 1})
    plan = await made.planner.plan(request_of())
    assert (
        '"step": 1' in made.provider.requests[0].messages[-1].text
        and "Write no code yet" not in made.provider.requests[0].messages[-1].text
    )
    (rewrite,) = await written(made, plan.steps[0])
    assert text_after(rewrite) == TEXT.replace(KERNEL_TEXT, BETTER)
    assert isinstance(rewrite, Rewrite) and rewrite.origin == Origin("small-2", ("M1",)) and len(made.provider.requests) == 1
    (rewrite,) = await written(made, plan.steps[1])
    assert isinstance(rewrite, Rewrite) and len(made.provider.requests) == 2, "the second step came without"


@pytest.mark.parametrize(
    "code",
    [
        FIRST[:-5],
        FIRST.replace('"step": 1, ', ""),
        FIRST.replace("__global__", "int z; __global__"),
    ],
)
async def test_code_of_a_plan_that_is_no_edit_is_asked_for(code: str) -> None:
    made = bed([with_code(code), CODE], provider={"plan_with_code": True}, search={"variants": 1})
    (rewrite,) = await written(made, await planned(made))
    assert isinstance(rewrite, Rewrite) and len(made.provider.requests) == 2


async def test_code_of_a_plan_that_cannot_be_made_is_asked_for_again_with_its_reason() -> None:
    refused = FIRST.replace(BETTER, "int elsewhere = 0;")
    made = bed([with_code(refused), CODE], provider={"plan_with_code": True}, search={"variants": 1})
    plan = await made.planner.plan(request_of())
    note = plan.notes[-1]
    assert note.startswith("the code of step 1 that came with the plan is asked for again: ")
    await written(made, plan.steps[0])
    said = [(message.author, message.text) for message in made.provider.requests[1].messages]
    assert [author for author, _ in said] == ["system", "user", "assistant", "user"]
    assert "```cuda part=kernel\nint elsewhere = 0;" in said[2][1]
    assert note.partition("again: ")[2] in said[3][1] and "This edit cannot be made" in said[3][1]


async def test_code_of_a_plan_that_is_cut_off_is_said_to_be_asked_for_again() -> None:
    cut = FIRST.removesuffix("```\n")
    plan = await bed([with_code(cut)], provider={"plan_with_code": True}).planner.plan(request_of())
    assert plan.notes[-1] == "the code of step 1 that came with the plan is asked for again: the code is not complete"


def fence(code: str) -> str:
    return f"```cuda part=kernel\n{code}\n```\n"


SECOND = f'{{"step": 2, "summary": "Do."}}\n{fence(BETTER)}'


@pytest.mark.parametrize(
    ("code", "taken", "note"),
    [
        (FIRST.replace('"step": 1, ', ""), [], "code that came with the plan is left out: it does not say which step it is of"),
        (fence(BETTER), [], "code that came with the plan is left out: it does not say which step it is of"),
        (FIRST + SECOND.replace("2", "7", 1), [0], "code that came with the plan is left out: the plan has no step 7"),
        (
            FIRST + SECOND.replace('"Do."', "[]"),
            [0],
            "code that came with the plan is left out: a header cannot be read: summary: Input should be a valid string",
        ),
        (
            FIRST + fence(BETTER.replace("x", "xx")),
            [],
            "the code of step 1 that came with the plan is asked for again: it gives a part twice: "
            "code of another step may lack its header",
        ),
    ],
)
async def test_code_of_a_plan_that_belongs_to_no_step_is_neither_mixed_up_nor_lost_in_silence(
    code: str, taken: list[int], note: str
) -> None:
    plan = await bed([with_code(code)], provider={"plan_with_code": True}).planner.plan(request_of())
    assert [number for number, step in enumerate(plan.steps) if step.written is not None] == taken
    assert note in plan.notes


@pytest.mark.parametrize("codes", [(FIRST, SECOND), (SECOND, FIRST)])
async def test_code_without_numbers_is_of_the_steps_in_their_order_where_each_has_one(codes: tuple[str, str]) -> None:
    answer = with_code(*(code.replace('"step": 1, ', "").replace('"step": 2, ', "") for code in codes))
    plan = await bed([answer], provider={"plan_with_code": True}).planner.plan(request_of())
    written = [json.loads(step.written.answer)["summary"] for step in plan.steps if step.written is not None]
    assert written == [json.loads(code.partition("\n")[0])["summary"] for code in codes]


HELPER = '{"step": 2, "includes": ["cuda_fp16.h"],}\n```cuda part=helper\n__device__ int h;\n```\n'


async def test_code_of_the_next_step_never_joins_the_edit_of_the_one_before() -> None:
    both = PLAN_AND_CODE.read(with_code(FIRST, HELPER))
    assert isinstance(both, PlanAndCode) and {number: [part.part for part in code.parts] for number, code in both.codes.items()} == {
        1: ["kernel"],
        2: ["helper"],
    }
    both = PLAN_AND_CODE.read(with_code(FIRST, HELPER.replace('"step": 2,', '"step": 2')))
    assert isinstance(both, PlanAndCode) and [*both.codes] == [1] and "cannot be read" in both.left_out[0]


async def test_code_of_a_plan_that_was_dropped_is_of_no_step_of_the_last_one() -> None:
    both = PLAN_AND_CODE.read(with_code(FIRST, SECOND) + "Better:\n" + with_code(FIRST))
    assert isinstance(both, PlanAndCode) and [*both.codes] == [1]
    both = PLAN_AND_CODE.read("".join([FIRST, SECOND]) + with_code())
    assert isinstance(both, PlanAndCode) and [*both.codes] == [1, 2], "code may stand in front of its plan"


async def test_headers_may_stand_behind_their_code() -> None:
    header_1, header_2 = '{"step": 1, "summary": "One."}\n', '{"step": 2, "summary": "Two."}\n'
    both = PLAN_AND_CODE.read(with_code(fence("int one;"), header_1, fence("int two;"), header_2))
    assert isinstance(both, PlanAndCode) and {number: code.parts[0].code for number, code in both.codes.items()} == {
        1: "int one;",
        2: "int two;",
    }


async def test_code_without_a_header_is_of_the_only_step() -> None:
    answer = json.dumps({"steps": [PLANNED]}) + "\n" + fence(BETTER)
    plan = await bed([answer], provider={"plan_with_code": True}).planner.plan(request_of())
    assert plan.steps[0].written is not None


async def test_a_second_variant_is_asked_for() -> None:
    made = bed([with_code(FIRST), CODE], provider={"plan_with_code": True}, search={"variants": 2})
    assert len(await written(made, await planned(made))) == 2 and len(made.provider.requests) == 2
