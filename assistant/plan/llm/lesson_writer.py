"""Lessons on techniques by a language model: from trials without source, a condition that memory tests, and sentences without numbers.

Nothing here decides what is kept. Example::

    await LessonWriter(talk, library, catalogue).drafted(question)     # LessonDraft("warp-per-row", "label", "dram", ("…",), "large")
"""

from __future__ import annotations

import re

from assistant.model.completion import CompletionFailure, ModelRole
from assistant.model.lesson import LessonDraft, LessonQuestion
from assistant.plan.catalogue import Catalogue
from assistant.plan.llm.code.library import PromptLibrary
from assistant.plan.llm.reading.answers import LESSON
from assistant.plan.llm.talk import NoAnswer, Talk
from assistant.plan.shown import NAME_CHARACTERS, SENTENCE_CHARACTERS, shown

__all__ = ["LessonWriter"]

_CODE = re.compile(r"`[^`]*`")
_NUMBER = re.compile(r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twice|double|half|percent)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


class LessonWriter:
    """Asks the planner's model."""

    def __init__(self, talk: Talk, library: PromptLibrary, catalogue: Catalogue) -> None:
        self._talk = talk
        self._library = library
        self._catalogue = catalogue

    async def drafted(self, question: LessonQuestion) -> LessonDraft | CompletionFailure:
        """Its condition as it came; of its sentences those that say no number of their own."""
        own = self._catalogue.get(question.technique)
        prompt = self._library.render(
            "lesson",
            {
                "technique": question.technique,
                "text": "" if own is None else own.text,
                "trials": question.trials,
                "conditions": question.conditions,
                "kept": question.kept,
            },
        )
        answer = await self._talk.ask(ModelRole.PLANNER, prompt, LESSON)
        if isinstance(answer, NoAnswer):
            return answer.failure
        reply = answer.value
        named = (("when", reply.when), ("how", reply.how), ("pitfalls", reply.pitfalls))
        prose = tuple(f"{name}: {text}" for name, said in named if (text := _without_numbers(said)))
        return LessonDraft(question.technique, reply.field, reply.value, prose, shown(answer.model, NAME_CHARACTERS))


def _without_numbers(text: str) -> str:
    """The sentences that say none: numbers come from trials. Code in backticks may hold digits (`float4`)."""
    kept = [sentence for sentence in _SENTENCE.split(shown(text, SENTENCE_CHARACTERS)) if not _NUMBER.search(_CODE.sub("", sentence))]
    return " ".join(kept).strip()
