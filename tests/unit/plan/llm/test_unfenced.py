"""Code that stands in no fence of its own, in the forms in which models write it."""

from __future__ import annotations

import pytest

from assistant.plan.llm.reading.answers import CODE, BadReply
from assistant.plan.llm.reading.schemas import CodeReply

HEADER = '{\n  "summary": "Pad.",\n  "risks": []\n}'
KERNEL = "__global__ void k(float* x)\n{\n    if (x) { x[0] = 1; }\n}"
HELPER = "__device__ int one()\n{\n    return 1;\n}"
PATCH = "@@\n-    x[0] = 1;\n+    x[0] = 2;"


def codes(text: str) -> list[str]:
    answer = CODE.read(text)
    assert isinstance(answer, CodeReply), answer
    return [part.code for part in answer.parts]


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{HEADER}\n\n{KERNEL}\n```",
        f"{HEADER}\n\nThe kernel:\n\n{KERNEL}\n\nThat is all.",
        "{}\n\nThe kernel:\n\n{}\n\nThat is all.".format(HEADER, "\n".join(f"    {line}" for line in KERNEL.split("\n"))),
        f"```json\n{HEADER}\n```\n```glsl\n{KERNEL}\n```",
        f"Header: {HEADER}\nCode:```cuda part=kernel\n{KERNEL}```\nDone",
        f'<edit><header>{HEADER}</header><part id="kernel"><![CDATA[\n{KERNEL}\n]]></part></edit>',
        f'```json\n{HEADER}\n```\n<code part="kernel">\n{KERNEL}\n</code>',
        f'<file path="src/k.cu">\n{KERNEL}\n</file>',
        "```yaml\nsummary: Pad.\nparts:\n  - part: kernel\n    code: |\n{}\nlaunches: []\n```".format(
            "\n".join(f"      {line}" for line in KERNEL.split("\n"))
        ),
        f"analysisWe write it without `x`.\n```cuda\nwrong\n```\nassistantfinal```json\n{HEADER}\n```\n```cuda\n{KERNEL}\n```",
    ],
)
def test_code_without_a_fence_of_its_own_is_the_kernel(text: str) -> None:
    assert codes(text) == [KERNEL]


@pytest.mark.parametrize(
    ("text", "begin"),
    [
        (f"*** Begin Patch\n*** Update File: k.cu\n{PATCH}\n*** End Patch", "*** Begin"),
        (f"Here it is:\n\n--- a/k.cu\n+++ b/k.cu\n{PATCH}\n\nThat is all.", "--- a/k.cu"),
        ("k.cu\n<<<<<<< SEARCH\n    x[0] = 1;\n=======\n    x[0] = 2;\n>>>>>>> REPLACE", "<<<<<<< SEARCH"),
    ],
)
def test_a_patch_without_a_fence_is_a_piece_of_code(text: str, begin: str) -> None:
    (code,) = codes(text)
    assert code.startswith(begin) and "That is all" not in code


@pytest.mark.parametrize("text", [f"{HEADER}\n\n{KERNEL}\n\nAnd a helper, too:\n\n{HELPER}", f"{HEADER}\nSo: {KERNEL}"])
def test_code_among_sentences_is_asked_for_in_fences_and_never_taken_for_giving_up(text: str) -> None:
    answer = CODE.read(text)
    assert isinstance(answer, BadReply) and "stands in no fence" in answer.problem


def test_who_changes_nothing_is_told_how_to_say_so() -> None:
    answer = CODE.read("The kernel is limited by memory already.")
    assert isinstance(answer, BadReply) and "give the header alone" in answer.problem
    assert codes(f"{HEADER}\nI would not call `__global__` functions here.") == [], "a sentence is no code"
