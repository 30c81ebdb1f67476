"""Numbers that a model brings itself, in digits or in English words; whatever is not known to be harmless counts as one.

Harmless are line numbers, names that CUDA or the user's own code gives (``float4``, ``sm_90``, ``x0``), code in backticks that stands in
the user's own code outside comments, and small counts of things (``two loops``). Example::

    has_number("It runs x10 faster.", names_of(code))              # True
    has_number("The two loops become one, see line 12.", names_of(code))    # False
"""

from __future__ import annotations

import re

from assistant.record import Record

__all__ = ["Names", "has_claim", "has_number", "names_of"]

_COMMENT = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_TOKEN = re.compile(r"[^\W\d]\w*|\d[\w.]*|\S")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_QUOTED = re.compile(r"`[^`\n]*`")
_DIGITS = re.compile(r"(?<!\w)\w*\d\w*")
_MULTIPLIED = re.compile(r"[xXvV](?![01]\Z)\d+")
"""``x10`` is a claim, also where a variable is called so."""
_CUDA_NAME = re.compile(
    r"(?:u?(?:char|short|int|long|longlong)|float|double|half|__half|(?:__nv_)?bfloat|bf|fp|tf|dim)(?:[1-4]|8|16|32|64|162)(?:_t|_rn)?"
    r"|(?:sm|compute)_?\d{2,3}[af]?|KO\d{3}|L[12]|[AHBVTLP]\d{1,2}0|(?:log|exp)(?:2|10)f?|log1pf?|expm1f?|atan2f?|m\d+n\d+k\d+"
)
"""Types, architectures, our finding codes, caches, GPUs and functions of the CUDA math API."""
_STANDARD = re.compile(r"\bC\+\+(?:1[147]|2[036])\b")
_LINE = re.compile(
    r"\blines?\s+\d++(?:\s*(?:,|and|to|-|–)\s*\d++)*+(?!\s*(?:[%×]|-?(?:x|times|fold|per\s?cent|orders?|faster|slower|fewer|less|more)\b)|[\w.]*\d)",
    re.IGNORECASE,
)

_SMALL = "two|three|four|five|six|seven|eight|nine|ten"
_LARGE = (
    r"eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|fou?rty|fifty|sixty|seventy|eighty|ninety"
    r"|hundred|thousand|million|billion|trillion|dozen"
)
_PARTS = "third|quarter|fourth|fifth|sixth|seventh|eighth|ninth|tenth|twelfth|sixteenth|twentieth|hundredth|thousandth|millionth"
_UNITS = r"times?|fold|x|per\s?cent|percentage|orders?|magnitudes?|halves|points?|whole|full|good|solid|factors?"
_COMPARED = "faster|slower|quicker|cheaper|better|worse|fewer|less|more|higher|lower|larger|smaller|shorter|longer|as"
_JOINING = "or|and|in|than|by|but|is|are|was|were|when|while|if|because|since|so|now|then|instead|with|for|from|at|on|after|of|the"
_UNCOUNTABLE = rf"(?:{_UNITS}|{_COMPARED}|{_LARGE}s?|(?:{_PARTS})s?|(?!of\b|the\b)(?:{_JOINING}))\b"
_NUMBER_WORDS = re.compile(
    rf"\b(?:{_LARGE})s?\b|\b(?:zero|nil)\b(?!-)|\b(?:twice|thrice|doubly|triply)\b"
    rf"|\b(?:one|{_SMALL}|{_LARGE}|several|many)[ -]?fold\b"
    rf"|\b(?:{_SMALL})\b(?![ -]+(?!{_UNCOUNTABLE})[A-Za-z`_])"  # no thing follows that it counts
    rf"|\b(?:{_SMALL})\b(?=(?:[ -]+[\w']+){{0,3}}[ -]+(?:times|fold|per\s?cent|orders?|magnitudes?)\b)"
    rf"|\b(?:factors?|gains?|speed-?\s?ups?|improvements?|ratios?|reductions?)\s+(?:of|by)\s+(?:\w+\s+)?(?:{_SMALL})\b"
    rf"|\b(?:a|an|by|per|in|to)\s+(?:(?:whole|full|single|mere)\s+)?(?:{_PARTS}|half)\b(?!\s+(?!(?:{_JOINING}|{_COMPARED})\b)[a-z])"
    rf"|\b(?:{_PARTS})s\b|\b(?:{_PARTS})\s+(?:of|as|the)\b|\bone\s+(?:in|out\s+of|per)\s+(?:{_SMALL})\b|\b(?:one|a|by)\s+quarter\b|\bone\s+(?:{_PARTS}|half)\b"
    r"|\bhalf\s+(?:of|the|as|its|their|that|this|again|an?\s+(?:milli|micro|nano)?(?:second|time)s?)\b|\b(?:by|in)\s+half\b(?!\s+precision)|\bhalf[.,;:!?]"
    r"|\b(?:tripl|quadrupl|quintupl|sextupl|halv)(?:e|es|ed|ing)\b|\bdoubl(?:ed|ing)\b|\bdoubl(?:e|es)\s+(?:the|its|their|this|that|as)\b"
    r"|\bdoubles?\s+(?:performance|speed|throughput|bandwidth|occupancy|traffic|reuse|efficiency)\b"
    r"|\bper\s?cent(?:age)?\b|\b(?:orders?|degrees?)[ -]of[ -]magnitudes?\b"
    r"|\btimes\s+(?:as|the|quicker|faster|slower|fewer|less|more|better)\b"
    r"|(?-i:\b[IVXLCDM]{1,6})(?:\s*×|[ -]?(?:x|times|fold|per\s?cent)\b)",
    re.IGNORECASE,
)
_SPEED = re.compile(
    r"[%×]|\d\s*x\b|\bx\s*\d|\bv\d"
    r"|\b(?:times|fold|per\s?cent|faster|slower|quicker|speed-?\s?ups?|speed|throughput|bandwidth|twice|thrice|orders?|dozens?)\b"
    r"|\d\s*(?:[num]?s|µs|μs|(?:milli|micro|nano)?seconds?|[KMGT]i?B(?:/s)?|[GT]?FLOPS?)\b|\d\s*-?fold\b",
    re.IGNORECASE,
)
"""What makes a number a claim of speed rather than a condition such as ``n is a multiple of 32``."""


class Names(Record):
    """What a model may name though it holds digits."""

    identifiers: frozenset[str]
    """Identifiers of the user's own code, and of evidence."""
    code: str
    """The user's own code without comments, one token after the other."""


def names_of(code: str, ids: frozenset[str] = frozenset()) -> Names:
    """The names of the user's own ``code``, and the evidence of ``ids``."""
    tokens = _TOKEN.findall(_COMMENT.sub(" ", code))
    return Names(frozenset(token for token in tokens if _IDENTIFIER.fullmatch(token)) | ids, _joined(tokens))


def has_number(sentence: str, names: Names) -> bool:
    """Whether the sentence, its placeholders taken out, brings a number of its own."""
    if any(_is_numeric(quoted) and not _is_quotation(quoted.strip("`"), names) for quoted in _QUOTED.findall(sentence)):
        return True
    unnamed = _unnamed(_LINE.sub(" ", _STANDARD.sub("C", _QUOTED.sub(" code ", sentence))), names)
    return _is_numeric(unnamed) or _NUMBER_WORDS.search(unnamed) is not None


def has_claim(condition: str, names: Names) -> bool:
    """Whether a condition, which may hold numbers (``n is a multiple of 32``), claims how much is gained."""
    return has_number(condition, names) and _SPEED.search(condition) is not None


def _is_numeric(text: str) -> bool:
    """Whether it holds a number in any script: ``4``, ``½``, ``²``."""
    return any(character.isnumeric() for character in text)


def _unnamed(text: str, names: Names) -> str:
    return _DIGITS.sub(lambda match: "name" if _is_name(match[0], names) else match[0], text)


def _is_name(word: str, names: Names) -> bool:
    return _MULTIPLIED.fullmatch(word) is None and (word in names.identifiers or _CUDA_NAME.fullmatch(word) is not None)


def _is_quotation(quoted: str, names: Names) -> bool:
    """Whether it stands in the user's code, token by token, and holds a name."""
    tokens = _TOKEN.findall(quoted)
    is_named = any(_IDENTIFIER.fullmatch(token) and token not in "xX" for token in tokens)
    return is_named and (_joined(tokens) in names.code or not _is_numeric(_unnamed(quoted, names)))


def _joined(tokens: list[str]) -> str:
    """Each token between marks that no token holds, so that a part of a token is none."""
    return "\n" + "".join(f"{token}\n" for token in tokens)
