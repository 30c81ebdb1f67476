"""Code without what a model copied along, and in the characters that C++ is made of."""

from __future__ import annotations

import pytest

from assistant.plan.llm.code.cleaning import cleaned

CODE = """\
__global__ void k(float* x, int n)
{
    int i = threadIdx.x;

    if (i < n && n > 2) x[i] = 1.0f;  // «eins»，zwei
    printf("（%d）", i);
}"""


def numbered(mark: str) -> str:
    return "\n".join(f"{number:3d}{mark}{line}".rstrip() for number, line in enumerate(CODE.split("\n"), 8))


@pytest.mark.parametrize(
    "given",
    [
        numbered(" | "),
        numbered(": "),
        numbered("\t"),
        numbered("  "),
        "\n".join(f"+{line}" for line in CODE.split("\n")),
        CODE.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;"),
        CODE.replace("(i <", "（i <").replace("1.0f;", "1.0f；").replace("x, int", "x， int"),
        CODE.replace("int i", "int\u00a0i").replace("if (", "if\u200b ("),
        f"\ufeff{CODE}",
    ],
)
def test_what_stands_around_or_in_place_of_characters_is_taken_away(given: str) -> None:
    assert cleaned(given) == CODE


@pytest.mark.parametrize(
    "code",
    [
        CODE.replace("n > 2", "&lt;"),  # the address of something called lt
        'printf("&lt;");',
        "int table[] = {\n1,\n2,\n3,\n};",
        "1: a\n3: b\n4: c",
        "+a\n+b\n-c",
    ],
)
def test_what_may_be_meant_is_left_as_it_is(code: str) -> None:
    assert cleaned(code) == code
