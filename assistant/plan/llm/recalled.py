"""What memory recalls as lines of a prompt: best first, bounded, data and nothing else. Pure.

Example::

    recalled_lines(request.recalled)    # ("warp-per-row: on 6 similar kernels …", "  its edit of softmax_rows here:", "  -…", …)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from assistant.model.experience import TechniqueEvidence
from assistant.plan.tokens import estimated_tokens

__all__ = ["RECALLED_TOKENS", "recalled_lines"]

RECALLED_TOKENS = 1_500
"""Of a prompt that memory may take (chosen: a tenth of what a small model reads)."""


def recalled_lines(known: Iterable[TechniqueEvidence]) -> tuple[str, ...]:
    """Sentences of each technique in turn, with the edit of the nearest kernel, until `RECALLED_TOKENS` are used; a technique that does
    not fit as a whole is left out, its edit first."""
    left = RECALLED_TOKENS
    lines: list[str] = []
    for evidence in known:
        said = [f"{evidence.technique}: {text}" for text in evidence.sentences]
        for block in ([*said, *_edit(evidence)], said, said[:1]):
            cost = estimated_tokens("\n".join(block)) + 1  # the end of the line before it
            if block and cost <= left:
                lines += block
                left -= cost
                break
    return tuple(lines)


def _edit(evidence: TechniqueEvidence) -> Iterator[str]:
    if evidence.diff:
        yield f"{evidence.technique}: its edit of {evidence.diff_of} in this workspace, which was right:"
        yield from (f"    {line}" for line in evidence.diff.splitlines())
