"""A prompt that is too long loses what is least useful, and says so."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assistant.config import Settings
from assistant.model.experience import TechniqueEvidence
from assistant.plan.llm.code.library import Prompt, load_prompts
from assistant.plan.llm.context import Facts, facts_of
from assistant.plan.llm.fit import fitted
from assistant.plan.tokens import estimated_tokens
from tests.unit.plan.llm.bed import EVIDENCE, TEXT, evidence, request_of

LONG = TEXT.replace("int main()", "\n".join(f"static int unrelated_{i}(int a) {{ return a + {i}; }}" for i in range(300)) + "\nint main()")


def rendered(facts: Facts) -> Prompt:
    return load_prompts().render("facts", {"facts": facts})


def facts() -> Facts:
    many = tuple(evidence(100 + i, "global_requests", float(i), "requests", 14) for i in range(40))
    recalled = (TechniqueEvidence("staged-store", "", tuple(f"Memory {i} of a kernel like this one." for i in range(20))),)
    return facts_of(request_of(LONG, evidence=(*EVIDENCE, *many), recalled=recalled), Settings().signals)


def test_what_fits_is_left_alone() -> None:
    prompt = fitted(facts(), rendered, 50_000)
    assert prompt == rendered(facts())
    assert prompt is not None and "Left out" not in prompt.text


@pytest.mark.parametrize("token_count", [9_000, 3_000, 1_500])
def test_a_prompt_keeps_its_bound_and_its_kernel(token_count: int) -> None:
    prompt = fitted(facts(), rendered, token_count)
    assert prompt is not None
    assert estimated_tokens(prompt.text) <= token_count
    assert "out[x * n + y] = scaled(in[y * n + x], by);" in prompt.text
    assert "transpose<<<grid, block>>>" in prompt.text


def test_memories_go_before_evidence_and_that_before_the_listing() -> None:
    tokens = estimated_tokens(rendered(facts()).text)
    slightly = fitted(facts(), rendered, tokens - 30)
    strongly = fitted(facts(), rendered, tokens - 1_000)
    assert slightly is not None and strongly is not None
    assert "- older memories of similar kernels" in slightly.text
    assert "Memory 2 " in slightly.text and "Memory 3 " not in slightly.text
    assert "E139" in slightly.text
    assert "- evidence that no finding cites" in strongly.text
    assert "E2 global_sectors: " in strongly.text
    assert "unrelated_299" in strongly.text


def test_a_gap_in_the_listing_says_how_many_lines_are_missing() -> None:
    prompt = fitted(replace(facts(), evidence=(), recalled=()), rendered, 2_500)
    assert prompt is not None
    assert "lines not shown)" in prompt.text
    assert "unrelated_150" not in prompt.text


def test_a_kernel_that_is_too_large_alone_has_no_prompt() -> None:
    assert fitted(facts(), rendered, 200) is None
