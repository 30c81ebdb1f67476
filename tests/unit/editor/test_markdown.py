"""What others wrote makes no image, link or HTML in a hover, and ends no block of code."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from assistant.editor.markdown import fenced, tamed, unmarked
from assistant.editor.view import Note
from assistant.editor.words import line_table, proposal_text
from assistant.model.profile import Severity
from assistant.model.verification import Label
from tests.changes import change
from tests.unit.editor.test_open_document import UNDONE_ELSEWHERE

HOSTILE = [
    "![x](https://evil.example/leak.png)",
    "[fix](command:workbench.action.terminal.new)",
    "![x][y]\n\n[y]: https://evil.example/leak.png",
    "<img src='https://evil.example/leak.png'>",
    "\\<img src='https://evil.example/leak.png'>",
    "<!-- --><img/src=x>",
]
LIVE = re.compile(r"\]\(|\]:|<(?:img|!)")


@pytest.mark.parametrize("text", HOSTILE)
def test_text_of_others_makes_nothing_live(text: str) -> None:
    assert LIVE.search(text) and not LIVE.search(tamed(text))


def test_what_people_write_of_code_stays_as_it_reads() -> None:
    for text in ("x[i] = k<<<grid, block>>>(p)", "`a < b` and 3 * 4 [sic]", "tile[32][33]"):
        assert tamed(text) == text


def test_underscores_of_cudas_words_are_shown_and_make_nothing_bold() -> None:
    assert tamed("no __restrict__ here, `__shared__ x` there") == "no `__restrict__` here, `__shared__ x` there"
    for text in ("__shfl_down_sync(x, 1)", "a__b__c", "__launch_bounds__ ` of one"):
        assert tamed(text) == text


def test_a_fence_of_others_begins_no_block() -> None:
    assert tamed("Look:\n```cuda\nx\n  ~~~\n") == "Look:\n``cuda\nx\n  ``\n"


def test_a_block_of_code_is_ended_by_nothing_inside_it() -> None:
    assert fenced("a\nb\n", "diff") == "```diff\na\nb\n```"
    assert fenced(" ```\n ````\n") == "`````\n ```\n ````\n`````"


def test_a_file_that_holds_a_fence_does_not_end_the_diff() -> None:
    before = "/*\n```\n![x](https://evil.example/leak.png)\n*/\n__global__ void k(float *x) { x[0] = 1.0; }\n"
    text = proposal_text(replace(UNDONE_ELSEWHERE, files=change(UNDONE_ELSEWHERE.path, before, before.replace("1.0", "1.0f"))))
    _, fence, diff = text.rpartition("````diff\n")
    assert fence and diff.count("````") == 1 and diff.endswith("````")


def test_what_a_model_writes_of_a_proposal_makes_no_image() -> None:
    image = "![x](https://evil.example/leak.png)"
    written = replace(UNDONE_ELSEWHERE, summary=image, explanation=image, assumptions=(image,), model=image)
    assert "](" not in proposal_text(written)


def test_why_a_proposal_is_made_keeps_its_lines() -> None:
    assert "**Verdict**: PASS  \n**Speed**: 1.2x" in proposal_text(
        replace(UNDONE_ELSEWHERE, explanation="**Verdict**: PASS\n**Speed**: 1.2x")
    )


def test_what_is_to_be_known_before_accepting_is_said_once() -> None:
    asks = replace(UNDONE_ELSEWHERE, labels=(Label.PRECISION,), explanation="Why")
    assert proposal_text(asks).count("Know before accepting") == 1
    said = replace(asks, explanation="Why\n**Know before accepting**: precision (fewer digits)")
    assert proposal_text(said).count("Know before accepting") == 1


def test_a_compiler_message_makes_no_image_in_a_hover() -> None:
    note = Note("compile", 4, 1, Severity.WARNING, "![x](https://evil.example/leak.png)", "nvcc", "W1")
    assert "](" not in line_table([], [note])


def test_an_editor_without_markdown_gets_no_marks() -> None:
    assert unmarked("**6,144 atomics meet**\ncounted, as `ptxas` says") == "6,144 atomics meet\ncounted, as ptxas says"


def test_stars_of_an_expression_stay() -> None:
    assert unmarked("a ** b and c ** d") == "a ** b and c ** d"
