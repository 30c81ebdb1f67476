"""Signals in fewer words, by the summariser: for models that lose themselves in raw tables.

A summary that brings numbers of its own, or that no model writes, is replaced by the raw signal, and the prompt says so. Each text is
summarised once a job. Example::

    await Summaries(talk, library, signals).made(facts, request.evidence)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from assistant.config.settings import SignalSettings
from assistant.model.completion import ModelRole
from assistant.model.profile import Evidence
from assistant.plan.llm.annotate import without_notes
from assistant.plan.llm.claims import checked, cited
from assistant.plan.llm.code.library import PromptLibrary
from assistant.plan.llm.context import Facts
from assistant.plan.llm.reading.answers import SUMMARY
from assistant.plan.llm.shown_evidence import evidence_groups
from assistant.plan.llm.talk import NoAnswer, Talk
from assistant.record import Record

__all__ = ["Summaries"]

_FIELDS = {
    "compile": ("resources", "diagnostics"),
    "sanitizer": ("problems",),
    "static": ("loops", "arrays"),
    "profile": ("limits", "findings", "evidence"),
    "hardware": ("hardware",),
    "memory": ("recalled",),
}
"""Inputs that a signal stands behind."""


class _NoSummary(Record):
    """Why there is no summary."""

    reason: str


class Summaries:
    """Asks the summariser, and remembers its answer, or that there was none."""

    def __init__(self, talk: Talk, library: PromptLibrary, signals: SignalSettings) -> None:
        self._talk = talk
        self._library = library
        self._signals = signals
        self._made: dict[tuple[str, str], str | _NoSummary] = {}

    async def made(self, facts: Facts, evidence: Iterable[Evidence]) -> Facts:
        """The facts with every signal summarised that is to be, its raw inputs emptied; of evidence what the summary cites stays."""
        known = {fact.id: fact for fact in evidence}
        for signal, fields in _FIELDS.items():
            text = _raw(facts, fields, known.values())
            if getattr(self._signals, signal) != "summarised" or not text:
                continue
            summary = await self._summary(signal, text, known)
            if isinstance(summary, _NoSummary):
                facts = replace(facts, left_out=(*facts.left_out, f"a summary of the {signal} signal, which is raw: {summary.reason}"))
                continue
            emptied: dict[str, Any] = dict.fromkeys(fields, ())  # fields of different types, all tuples
            facts = replace(facts, **emptied, summaries=(*facts.summaries, (signal, summary)))
            if signal == "profile":
                facts = replace(facts, meanings=())
                shown = evidence_groups(known[name] for name in cited(summary, known))
                facts = replace(facts, evidence=shown, listing=without_notes(facts.listing), is_annotated=False)
        return facts

    async def shortened(self, signal: str, lines: tuple[str, ...]) -> tuple[str, ...]:
        """The lines of a setback, or their summary where the signal is to be summarised and that succeeds."""
        if getattr(self._signals, signal) != "summarised" or not lines:
            return lines
        summary = await self._summary(signal, "\n".join(lines), ())
        return lines if isinstance(summary, _NoSummary) else (summary,)

    async def _summary(self, signal: str, text: str, known: Iterable[str]) -> str | _NoSummary:
        key = (signal, text)
        if key not in self._made:
            self._made[key] = await self._asked(signal, text, known)
        return self._made[key]

    async def _asked(self, signal: str, text: str, known: Iterable[str]) -> str | _NoSummary:
        prompt = self._library.render("summarise", {"signal": signal, "text": text})
        answer = await self._talk.ask(ModelRole.SUMMARISER, prompt, SUMMARY)
        if isinstance(answer, NoAnswer):
            return _NoSummary(answer.failure.message)
        found = checked(answer.value.summary, known, text)
        return found.text or _NoSummary("the summary held nothing but numbers of its own")


def _raw(facts: Facts, fields: Iterable[str], evidence: Iterable[Evidence]) -> str:
    """What a signal says, evidence whole: the summariser sees no listing."""
    lines = list[str]()
    for name in fields:
        if name == "evidence":
            whole = evidence_groups(evidence) if facts.evidence else ()
            lines += [f"{line} ({group.source})" for group in whole for line in group.lines]
        else:
            lines += getattr(facts, name)
    return "\n".join(lines)
