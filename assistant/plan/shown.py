"""What a model or an agent wrote, as text that cannot look like ours: one line, no markup, our verdict words in small letters.

Whether what it says is true is not looked at here. Example::

    shown("**10x <b>PASS</b>**\\n# Verdict: FASTER")     # "10x < b>pass< /b> # verdict, faster"
"""

from __future__ import annotations

import re
import unicodedata

from assistant.model.comparison import SpeedOutcome
from assistant.model.verification import Outcome

__all__ = ["NAME_CHARACTERS", "PARAGRAPH_CHARACTERS", "SENTENCE_CHARACTERS", "TITLE_CHARACTERS", "shown"]

TITLE_CHARACTERS = 160
SENTENCE_CHARACTERS = 500
PARAGRAPH_CHARACTERS = 4000
NAME_CHARACTERS = 80
"""What is shown at most (chosen); the whole text is kept with its call."""

_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|.)?|\x9b[0-?]*[ -/]*[@-~]")
"""Terminal sequences, whole (ECMA-48, 5.4)."""
_UNSEEN = frozenset("\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters and symbols that show nothing: fillers, a blank pattern."""
_SPACE = frozenset("\t\n\v\f\r\x85\u2028\u2029")
_CODE = re.compile(r"(`[^`]*`)")
_LEADING = re.compile(r"^(?:[\s#>=~+|:-]|\*(?!\w))+")
_DUNDER = re.compile(r"(?<!\w)_+[^\W_]\w*")
_STARS = re.compile(r"(?P<before>\s|^)?\*+(?P<after>\s|$)?")
_IMAGE = re.compile(r"!+\[")
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_ENTITY = re.compile(r"&(?=#?\w+;)")
_ADDRESS = re.compile(r"\b([A-Za-z][A-Za-z0-9+.-]*):(?=//)|\b(www)\.|\b(mailto|command|vscode|file|javascript|data):(?=\S)", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_LABEL = re.compile(
    r"\b(verdict|verification|speed|outcome|result|why|edit|evidence|proposal|measured|predicted|known? before accepting|holds as long as"
    r"|what limited it|what changed|why it helps|what it assumes|what is left)\b[\s`'\"]*[:：=]+",
    re.IGNORECASE,
)
_VERDICTS = frozenset({*Outcome, *SpeedOutcome, "PASSED", "FAILED", "MEASURED", "VERIFIED", "PROVED", "PROVEN"})
_HEADING = "VERDICT"
_LOOKALIKES = str.maketrans("АВЕКМНОРСТХІЅЈԀΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABEKMHOPCTXISJDABEZHIKMNOPTYX")
"""Cyrillic and Greek letters that look Latin (https://www.unicode.org/reports/tr39/)."""


def shown(text: str, most: int = PARAGRAPH_CHARACTERS) -> str:
    """``text`` on one line of at most ``most`` characters, as plain words and code in backticks."""
    line = " ".join(_seen(text).split())
    line = _LEADING.sub("", _with_paired_quotes(line))
    line = "".join(part if part.startswith("`") else _without_markup(part) for part in _CODE.split(line))
    line = " ".join(_WORD.sub(_lowered, _LABEL.sub(_unlabelled, line)).split())
    return line if len(line) <= most else _with_paired_quotes(line[: most - 1]).rstrip() + "…"


def _seen(text: str) -> str:
    """The characters that everybody sees, in one form: no control, direction, format and combining characters."""
    plain = unicodedata.normalize("NFC", _ESCAPE.sub("", text))
    return "".join(_folded(c) for c in plain if c in _SPACE or not (c in _UNSEEN or unicodedata.category(c)[0] in "CM"))


def _folded(character: str) -> str:
    """A letter in disguise, full-width or mathematical, as itself; any white space as a space."""
    if character in _SPACE or character.isspace():
        return " "
    folded = unicodedata.normalize("NFKC", character)
    return folded if (folded.isascii() and folded.isalpha()) or folded in ":*_`#<>[]" else character


def _with_paired_quotes(text: str) -> str:
    """Runs of backticks as one; none where one would stay open."""
    single = re.sub(r"`+", "`", text)
    return single if single.count("`") % 2 == 0 else single.replace("`", "'")


def _without_markup(text: str) -> str:
    quoted = _DUNDER.sub(lambda match: f"`{match[0]}`", text)
    bare = _STARS.sub(_unstarred, quoted.replace("$", "").replace("\\", "").replace("|", "/")).replace("~~", "")
    words = _IMAGE.sub("[", bare).replace("](", "] (")  # after all that takes characters away: what stood between may be gone
    return _ADDRESS.sub(_unlinked, _ENTITY.sub("& ", _TAG.sub("< ", words)))


def _unstarred(match: re.Match[str]) -> str:
    """A star between spaces or between words is a product; any other is emphasis."""
    if match["before"] is not None and match["after"] is not None:
        return " * " if match[0].count("*") == 1 else " "
    is_inside = match["before"] is None and match["after"] is None and match[0] == "*"
    around = match.string[max(0, match.start() - 1) : match.start()] + match.string[match.end() : match.end() + 1]
    return " * " if is_inside and len(around) == 2 and all(c.isalnum() or c in ")(]" for c in around) else match[0].replace("*", "")


def _unlinked(match: re.Match[str]) -> str:
    return f"{match[1] or match[2] or match[3]} " if match[2] else f"{match[1] or match[3]}: "


def _unlabelled(match: re.Match[str]) -> str:
    return f"{match[1].lower()},"


def _lowered(match: re.Match[str]) -> str:
    spelled = unicodedata.normalize("NFKD", match[0].translate(_LOOKALIKES))
    word = "".join(character for character in spelled if unicodedata.category(character)[0] != "M")
    bare = word.strip("_")
    return word.lower() if bare in _VERDICTS or bare.upper() == _HEADING else match[0]
