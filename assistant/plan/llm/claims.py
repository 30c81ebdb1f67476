"""What a model claims, bound to evidence: numbers come in through ``{E7}`` placeholders or not at all.

A sentence that cites is a claim; one that does not is marked as an opinion; one with a number of the model's own is left out, and that is
said. What is left is text that cannot look like ours (`assistant.plan.shown`). Example::

    bound("It moves {E1}. That is twice too much.", evidence, code).text
    # "It moves 262,144 sectors (E1). […]"
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from assistant.model.profile import Evidence
from assistant.plan.llm.numbers import Names, has_claim, has_number, names_of
from assistant.plan.shown import SENTENCE_CHARACTERS, TITLE_CHARACTERS, shown
from assistant.profile.quantity import counted_noun, format_quantity
from assistant.record import Record

__all__ = ["Bound", "bound", "checked", "cited", "condition", "marked", "title"]

_PLACEHOLDER = re.compile(r"\{(E\d+)\}")
_SCALED = re.compile(r"\}\s*(?:[x×%*]|-?(?:times|fold|per\s?cent)\b)", re.IGNORECASE)
"""``{E1}x``, ``{E1} times faster``: evidence that is made a factor of the model's own."""
_SENTENCE = re.compile(
    r"(?<=[.!?])(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bvs\.)(?<!\bcf\.)(?<!\betc\.)[\"'*_]*\s+|(?<=[.!?][)\]])\s+|(?<=[。！？])\s*|\n+",
    re.IGNORECASE,
)
_OPINION = "(opinion)"
_UNSAID = "an assumption that claims a gain, which nothing backs, is left out"


class Bound(Record):
    """A text that may be shown."""

    text: str
    is_opinion: bool
    """No sentence of it cites evidence."""
    dropped_count: int
    """Sentences left out for numbers of their own."""


def cited(text: str, known: Iterable[str]) -> tuple[str, ...]:
    """Ids in placeholders of ``text`` that exist, in order, each once."""
    ids = frozenset(known)
    return tuple(dict.fromkeys(match[1] for match in _PLACEHOLDER.finditer(text) if match[1] in ids))


def checked(text: str, known: Iterable[str], code: str = "") -> Bound:
    """``text`` without sentences that bring numbers of their own; placeholders stay, those of unknown ids cost their sentence.

    ``code`` is the user's own: what stands in it may be quoted.
    """
    kept, dropped_count = _kept(text, frozenset(known), code)
    return Bound(" ".join(kept), not any(map(_PLACEHOLDER.search, kept)), dropped_count)


def marked(text: str, known: Iterable[str], code: str = "") -> Bound:
    """As `checked`, each sentence that cites nothing marked as an opinion."""
    kept, dropped_count = _kept(text, frozenset(known), code)
    return Bound(" ".join(map(_marked, kept)), not any(map(_PLACEHOLDER.search, kept)), dropped_count)


def bound(text: str, evidence: Iterable[Evidence], code: str = "") -> Bound:
    """``text`` with every placeholder filled, opinions marked and numbers of the model's own left out."""
    facts = {fact.id: fact for fact in evidence}
    kept, dropped_count = _kept(text, frozenset(facts), code)
    said = [_filled(_marked(sentence), facts) for sentence in kept]
    if dropped_count:
        said.append(f"[{counted_noun(dropped_count, 'sentence')} with numbers that no evidence gives left out]")
    return Bound(" ".join(said), not any(map(_PLACEHOLDER.search, kept)), dropped_count)


def title(text: str, code: str = "") -> str | None:
    """A title of a model's own; None where it says nothing or brings a number."""
    line = shown(text, TITLE_CHARACTERS)
    return None if not line or _PLACEHOLDER.search(line) or has_number(line, names_of(code)) else line


def condition(text: str, code: str = "") -> str:
    """An assumption, which may need numbers (``n is a multiple of 32``); where it claims a gain, only that there is one is reported."""
    line = shown(text, SENTENCE_CHARACTERS)
    return _UNSAID if not line or has_claim(line, names_of(code)) else line


def _kept(text: str, ids: frozenset[str], code: str) -> tuple[list[str], int]:
    """The sentences that may be shown, as they may be, and how many may not."""
    names = names_of(code, ids)
    sentences = [sentence for part in _SENTENCE.split(text) if part.strip() and (sentence := shown(part))]
    kept = [sentence for sentence in sentences if not _has_own_number(sentence, ids, names)]
    return kept, len(sentences) - len(kept)


def _marked(sentence: str) -> str:
    return sentence if _PLACEHOLDER.search(sentence) else f"{sentence} {_OPINION}"


def _filled(sentence: str, facts: Mapping[str, Evidence]) -> str:
    def value(match: re.Match[str]) -> str:
        fact = facts[match[1]]
        return f"{format_quantity(fact.value, fact.unit)} ({fact.id})"

    return _PLACEHOLDER.sub(value, sentence)


def _has_own_number(sentence: str, ids: frozenset[str], names: Names) -> bool:
    if _SCALED.search(sentence) or any(match[1] not in ids for match in _PLACEHOLDER.finditer(sentence)):
        return True
    return has_number(_PLACEHOLDER.sub(" ", sentence), names)
