"""Whatever a model answers: a value or a reason, never an exception, and never more than the region is changed."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from assistant.cuda.edits import apply_edits
from assistant.plan.llm.claims import bound
from assistant.plan.llm.code.parts import region_of
from assistant.plan.llm.code.region import RegionEdit, edit_of
from assistant.plan.llm.code.unusable import Unusable, UnusableAnswer
from assistant.plan.llm.reading.answers import CODE, EXPLANATION, PLAN, SUMMARY, BadReply
from assistant.plan.llm.reading.schemas import CodeReply
from tests.unit.plan.llm.bed import EVIDENCE, KERNEL_TEXT, TEXT, request_of

FORMS = (PLAN, CODE, SUMMARY, EXPLANATION)
REQUEST = request_of()
SPANS = tuple(part.span for part in region_of(REQUEST).parts)
PIECES = (
    *("{", "}", "(", ")", "[", "]", "<", ">", ";", ",", "\n", " ", "\\\n", "\\", '"', "'", 'R"(', ')"', "/*", "*/", "//", "<<<", ">>>"),
    *("#if 0\n", "#endif\n", "#else\n", "#define F(x) x\n", "#include <cstdio>\n", "__global__ ", "__device__ ", "struct A ", "template <"),
    *("int x = 0", "transpose", "scaled", "namespace ", "static ", "= f()", "constexpr ", "é", "\U0001f600", "\x00"),
)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.sampled_from(["steps", "parts", "line", "summary", "code", "part"]) | st.text(), inner)
    ),
    max_leaves=20,
)


FENCE_PIECES = ("```", "```cuda part=kernel\n", "~~~", "\n", "part")
ANSWER_PIECES = (*FENCE_PIECES, "<think>", "</think>", '{"summary": "s"}', '{"steps": []}', "{", "}", "x", '"')


@given(st.text() | json_values.map(json.dumps) | st.lists(st.sampled_from(ANSWER_PIECES), max_size=12).map("".join))
def test_any_text_is_a_reply_or_a_reason(text: str) -> None:
    for form in FORMS:
        answer = form.read(text)
        assert isinstance(answer, BadReply | BaseModel)


@given(st.text())
def test_any_sentence_can_be_bound(text: str) -> None:
    assert "\n" not in bound(text, EVIDENCE, TEXT).text


@settings(deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join), st.integers(0, len(KERNEL_TEXT)))
def test_any_code_is_refused_or_stays_inside_the_region(piece: str, offset: int) -> None:
    code = KERNEL_TEXT[:offset] + piece + KERNEL_TEXT[offset:]
    found = edit_of(region_of(REQUEST), CodeReply.model_validate({"summary": "s", "parts": [{"part": "kernel", "code": code}]}))
    if isinstance(found, UnusableAnswer):
        assert found.reason
        return
    assert isinstance(found, RegionEdit)
    assert isinstance(apply_edits(TEXT, found.edits), str)
    assert all(any(span.contains(edit.span) for span in SPANS) or edit.new_text.startswith("#include <") for edit in found.edits)


@pytest.mark.parametrize("hostile", ["(" * 15_000 + ")" * 15_000, "{" * 15_000 + "}" * 15_000, "f(" * 20_000, "[" * 60_000])
def test_code_that_nests_beyond_measure_is_refused_before_it_is_parsed(hostile: str) -> None:
    code = KERNEL_TEXT.replace("{\n", "{\n" + hostile, 1)
    found = edit_of(region_of(REQUEST), CodeReply.model_validate({"summary": "s", "parts": [{"part": "kernel", "code": code}]}))
    assert found == UnusableAnswer(Unusable.BRACKETS, "part kernel: its brackets nest deeper than 256")


@pytest.mark.parametrize(
    "piece", ["```\n/*{\n", "<code>", "<<<<< SEARCH\n", "__global__ (", "--- a\n+++ b\n@@\n", "- part: k\n  code: |\n", ")", "{", "``` a"]
)
def test_what_never_ends_is_read_to_its_end(piece: str) -> None:
    text = piece * (20_000 // len(piece))
    assert isinstance(CODE.read(text), BadReply | CodeReply)
    made = CodeReply.model_validate({"summary": "s", "parts": [{"part": "kernel", "code": text}]})
    assert isinstance(edit_of(region_of(REQUEST), made), UnusableAnswer)
