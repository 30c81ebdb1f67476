"""What a model claims, bound to evidence: numbers come in through ``{E7}`` placeholders or not at all.

A sentence that cites is a claim; one that does not is marked as an opinion; one with a number of the model's own is left out, and that is
said. Line numbers, names (``float4``) and code in backticks that stands in the code at hand are no claims. Example::

    bound("It moves {E1}. That is twice too much.", evidence, code).text
    # "It moves 262,144 sectors (E1). […]"
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from assistant.model.profile import Evidence
from assistant.profile.quantity import counted_noun, format_quantity

__all__ = ["Bound", "bound", "checked", "cited"]

_PLACEHOLDER = re.compile(r"\{(E\d+)\}")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`{\[(*])|\n+")
_CODE = re.compile(r"`[^`\n]*`")
_LINE = re.compile(r"\blines?\s+\d+(?:\s*(?:,|and|to|-|–)\s*\d+)*", re.IGNORECASE)
_NUMBER = re.compile(r"[\d.,%x×]+")
_NAME_WITH_DIGITS = re.compile(r"\b[A-Za-z_][A-Za-z_-]*\d\w*\b")
"""``float4``, ``sm_90``, ``fp32``, ``KO101``, ``H200``: names, not numbers."""
_WORDS = re.compile(
    r"\b(?:twice|thrice|twofold|(?:two|three|four|five|six|seven|eight|nine|ten|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
    r"|hundreds?|thousands?|millions?)(?:[- ]?(?:times|fold|percent|x))?"
    r"|doubl(?:e|es|ed|ing) (?:the|its|performance|speed|throughput|bandwidth)|(?:tripl|quadrupl|halv)(?:e|es|ed|ing)"
    r"|half of|a (?:half|third|quarter)|orders? of magnitude)\b",
    re.IGNORECASE,
)
_COUNTING = re.compile(r"\b(?:two|three|four|five|six|seven|eight|nine|ten)\s+(?!times|fold|percent|x\b)\w+", re.IGNORECASE)
_OPINION = "(opinion)"


@dataclass(frozen=True)
class Bound:
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
    """``text`` without sentences that bring numbers of their own; placeholders stay, those of unknown ids cost their sentence."""
    ids, plain_code = frozenset(known), _squeezed(code)
    sentences = [sentence.strip() for sentence in _SENTENCE.split(text) if sentence.strip()]
    kept = [sentence for sentence in sentences if not _has_own_number(sentence, ids, plain_code)]
    return Bound(" ".join(kept), not any(_PLACEHOLDER.search(sentence) for sentence in kept), len(sentences) - len(kept))


def bound(text: str, evidence: Iterable[Evidence], code: str = "") -> Bound:
    """``text`` with every placeholder filled, opinions marked and numbers of the model's own left out."""
    facts = {fact.id: fact for fact in evidence}
    found = checked(text, facts, code)
    sentences = [s for s in _SENTENCE.split(found.text) if s.strip()]
    shown = [_filled(sentence, facts) if _PLACEHOLDER.search(sentence) else f"{sentence} {_OPINION}" for sentence in sentences]
    if found.dropped_count:
        shown.append(f"[{counted_noun(found.dropped_count, 'sentence')} with numbers that no evidence gives left out]")
    return Bound(" ".join(shown), found.is_opinion, found.dropped_count)


def _filled(sentence: str, facts: Mapping[str, Evidence]) -> str:
    def value(match: re.Match[str]) -> str:
        fact = facts[match[1]]
        return f"{format_quantity(fact.value, fact.unit)} ({fact.id})"

    return _PLACEHOLDER.sub(value, sentence)


def _has_own_number(sentence: str, ids: frozenset[str], code: str) -> bool:
    if any(match[1] not in ids for match in _PLACEHOLDER.finditer(sentence)):
        return True
    rest = _PLACEHOLDER.sub(" ", sentence)
    if any(_is_numeric(quoted) and not _is_in(quoted.strip("`"), code) for quoted in _CODE.findall(rest)):
        return True
    plain = _NAME_WITH_DIGITS.sub(" ", _LINE.sub(" ", _CODE.sub(" ", rest)))
    return _is_numeric(plain) or _WORDS.search(_COUNTING.sub(" ", plain)) is not None


def _is_numeric(text: str) -> bool:
    """Whether it holds a number in any script: ``4``, ``½``, ``²``."""
    return any(character.isnumeric() for character in text)


def _is_in(quoted: str, code: str) -> bool:
    """Whether a quotation is more than a number and stands in the code, however it is spaced."""
    squeezed = _squeezed(quoted)
    return not _NUMBER.fullmatch(squeezed) and squeezed in code


def _squeezed(text: str) -> str:
    return "".join(text.split())
