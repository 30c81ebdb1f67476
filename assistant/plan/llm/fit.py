"""Making a prompt fit its number of tokens: what is least useful is cut first, whole, and the prompt names what was cut.

Example::

    fitted(facts, render, 24_000)    # the prompt, or None where not even the region alone fits
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from assistant.plan.llm.annotate import elided
from assistant.plan.llm.code.library import Prompt
from assistant.plan.llm.context import Facts
from assistant.plan.tokens import estimated_tokens
from assistant.record import Record

__all__ = ["fitted"]

_RECALLED_KEPT = 3
_TRIED_KEPT = 6
_WORKLOAD_KEPT = 3
_ID = re.compile(r"\bE\d+\b")


class _Cut(Record):
    """One thing to leave out."""

    what: str
    """For the model: what is missing now."""
    make: Callable[[Facts], Facts]


def fitted(facts: Facts, render: Callable[[Facts], Prompt], token_count: int) -> Prompt | None:
    """The prompt of as much of ``facts`` as fits ``token_count``; None where its core alone is too large."""
    prompt = render(facts)
    for cut in _CUTS:
        if estimated_tokens(prompt.text) <= token_count:
            return prompt
        smaller = cut.make(facts)
        if smaller != facts:
            facts = replace(smaller, left_out=(*facts.left_out, cut.what))
            prompt = render(facts)
    return prompt if estimated_tokens(prompt.text) <= token_count else None


def _cited_only(facts: Facts) -> Facts:
    """Evidence that findings cite, and none where no finding cites any: then the busiest lines alone stay annotated."""
    cited = {match for line in facts.findings for match in _ID.findall(line)}
    groups = (replace(g, lines=tuple(line for line in g.lines if _id_of(line) in cited)) for g in facts.evidence)
    return replace(facts, evidence=tuple(group for group in groups if group.lines or group.stated))


def _id_of(line: str) -> str:
    found = _ID.match(line)
    return "" if found is None else found[0]


_CUTS = (
    _Cut("worked code of techniques", lambda f: replace(f, worked=())),
    _Cut("older memories of similar kernels", lambda f: replace(f, recalled=f.recalled[:_RECALLED_KEPT])),
    _Cut("the GPU's data sheet", lambda f: replace(f, hardware=())),
    _Cut("what the metrics' names mean", lambda f: replace(f, meanings=())),
    _Cut("the code of edits that were tried", lambda f: replace(f, designs=())),
    _Cut("evidence that no finding cites", _cited_only),
    _Cut("the oldest tries", lambda f: replace(f, tried=f.tried[-_TRIED_KEPT:])),
    _Cut("all memories of similar kernels", lambda f: replace(f, recalled=())),
    _Cut("notes on arrays", lambda f: replace(f, arrays=())),
    _Cut("notes on loops", lambda f: replace(f, loops=())),
    _Cut("what all recorded launches had in common", lambda f: replace(f, recorded=())),
    _Cut("further launch shapes", lambda f: replace(f, workload=f.workload[:_WORKLOAD_KEPT])),
    _Cut("parts in other files", lambda f: replace(f, parts_elsewhere=())),
    _Cut(
        "lines of the file far from the kernel and its launches",
        lambda f: replace(f, listing=elided(f.listing, f.kept_lines)),
    ),
    _Cut("compiler messages", lambda f: replace(f, diagnostics=())),
    _Cut("summaries", lambda f: replace(f, summaries=())),
    _Cut("everything that was tried", lambda f: replace(f, tried=())),
    _Cut("what takes the time, and all evidence except the remarks in the listing", lambda f: replace(f, limits=(), evidence=())),
)
"""Least useful first: what a model may know or guess before what only a run shows, what is far from the kernel before what is in it."""
