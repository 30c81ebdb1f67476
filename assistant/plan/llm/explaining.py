"""A model's explanation as people read it: numbers filled from evidence, opinions marked.

Example::

    explanation_of(story, reply, "small")    # "**What limited it**: Stores move 262,144 sectors (E4). …"
"""

from __future__ import annotations

from assistant.plan.llm.claims import bound
from assistant.plan.llm.code.library import PromptLibrary
from assistant.plan.llm.reading.schemas import ExplanationReply
from assistant.plan.shown import NAME_CHARACTERS, shown
from assistant.ports.planner import Story

__all__ = ["explanation_of"]


def explanation_of(library: PromptLibrary, story: Story, reply: ExplanationReply, model: str) -> str:
    """Markdown, by the template ``explained``; parts that say nothing are left out."""
    evidence = (*story.before.evidence, *story.after)
    parts = {name: bound(text, evidence, story.before.parsed.source.text).text for name, text in _parts(reply).items()}
    return library.render("explained", {"model": shown(model, NAME_CHARACTERS), **parts}).text.strip()


def _parts(reply: ExplanationReply) -> dict[str, str]:
    return {
        "limit": reply.limit,
        "change": reply.change,
        "reason": reply.reason,
        "assumptions": reply.assumptions,
        "left": reply.left,
    }
