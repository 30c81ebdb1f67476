"""The estimate of tokens against real tokenizers, by kind of text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, cast

import pytest
import quicktok

from assistant.model.completion import ChatMessage
from assistant.plan.tokens import estimated_tokens, most_message_tokens

ROOT = Path(__file__).resolve().parents[3]
MANUAL = ROOT / "tests" / "data" / "manual"
KNOWN = ("cl100k_base", "llama3", "o200k_base")
MOST_ERROR_RATIO = 0.15
_FENCE = re.compile(r"```(?:cuda|cpp)?[^\n]*\n(.*?)```", re.DOTALL)


@cache
def known(tokenizer: str) -> Any:
    return cast("Any", quicktok).get_encoding(tokenizer)


def texts(paths: Iterable[Path]) -> dict[str, str]:
    return {str(path.relative_to(ROOT)): path.read_text("utf-8") for path in paths}


def fenced(named: Mapping[str, str]) -> dict[str, str]:
    """The code of each prompt: the listing of the file, with its numbers and counters."""
    return {name: "\n".join(_FENCE.findall(text)) for name, text in named.items()}


PROMPTS = texts(sorted(MANUAL.glob("*/*.prompt.md")))
KINDS: dict[str, dict[str, str]] = {
    "prompts": PROMPTS,
    "answers": texts(sorted(MANUAL.glob("*/*.answer.md"))),
    "code": texts([*sorted((ROOT / "examples").glob("*.cu")), *sorted((ROOT / "tests/data/strangers").glob("*/*.cu"))[:40]]),
    "listings": fenced(PROMPTS),
    "prose": texts(sorted((ROOT / "docs").glob("*/*.md"))),
    "techniques": texts(sorted((ROOT / "prompts" / "techniques").glob("*.md"))),
    "json": {name: json.dumps(json.loads(text), indent=2) for name, text in texts(sorted(MANUAL.glob("*/outcome.json"))).items()},
}


@pytest.mark.parametrize("tokenizer", KNOWN)
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_an_estimate_is_within_15_percent_of_a_real_tokenizer(kind: str, tokenizer: str) -> None:
    counts = {name: len(known(tokenizer).encode_ordinary(text)) for name, text in KINDS[kind].items() if len(text) > 400}
    assert counts
    errors = {name: estimated_tokens(KINDS[kind][name]) / count - 1 for name, count in counts.items()}
    assert {name: error for name, error in errors.items() if abs(error) > MOST_ERROR_RATIO} == {}


@pytest.mark.parametrize("tokenizer", KNOWN)
def test_a_budget_sets_aside_at_least_what_a_prompt_of_ours_counts(tokenizer: str) -> None:
    short = {
        name: counted
        for name, text in PROMPTS.items()
        if (counted := len(known(tokenizer).encode_ordinary(text))) > most_message_tokens((ChatMessage("user", text),))
    }
    assert short == {}
