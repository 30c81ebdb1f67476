"""Spellings of a plan's values that mean the same. What a plan can do without is left out where it cannot be read. Pure.

Example::

    first_line("12-18")                  # 12
    number_or_none("20%")                # None: of what is not said
    predictions_listed({"E1": 0.5})      # [{"evidence": "E1", "factor": 0.5}]
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from assistant.plan.llm.reading.spellings import listed, number, one_listed

__all__ = ["declined_listed", "evidence_listed", "first_line", "number_or_none", "predictions_listed"]

_LINES = re.compile(r"\s*(?:lines?\s*)?L?(\d+)\s*(?:-|–|to|,|\.\.+)\s*L?\d[\d\s,–-]*\Z", re.IGNORECASE)
_REASON = re.compile(r"\s*(?:[:–—]|-\s)\s*")


def first_line(value: Any) -> Any:
    """The first of several lines, ``12-18`` or ``[12, 18]``."""
    if isinstance(value, list) and value:
        return cast("Sequence[Any]", value)[0]
    found = _LINES.match(value) if isinstance(value, str) else None
    return cast("Any", value) if found is None else int(found[1])


def number_or_none(value: Any) -> Any:
    """A number that is no percentage and no range; nothing where it is something else."""
    read = number(value)
    is_percentage = isinstance(value, str) and "%" in value
    return None if is_percentage or isinstance(read, str | list | dict) else read


def evidence_listed(value: Any) -> Any:
    """Ids of evidence without the braces in which sentences cite them."""
    ids = listed(value)
    return [_bare(each) for each in cast("Sequence[Any]", ids)] if isinstance(ids, list) else ids


def _bare(name: Any) -> Any:
    return name.strip(" {}") if isinstance(name, str) else name


def predictions_listed(value: Any) -> Any:
    """Factors by evidence as a list."""
    if not isinstance(value, dict) or "evidence" in value:
        return one_listed(value)
    return [{"evidence": _bare(name), "factor": factor} for name, factor in cast("Mapping[str, Any]", value).items()]


def declined_listed(value: Any) -> Any:
    """``"technique: reason"`` and reasons by technique as a list of both."""
    if isinstance(value, dict) and "technique" not in value:
        return [{"technique": name, "reason": reason} for name, reason in cast("Mapping[str, Any]", value).items()]
    entries = one_listed(value)
    return [_declined(each) for each in cast("Sequence[Any]", entries)] if isinstance(entries, list) else entries


def _declined(entry: Any) -> Any:
    if not isinstance(entry, str):
        return entry
    technique, _, reason = _REASON.sub("\n", entry, count=1).partition("\n")
    return {"technique": technique.strip()[:80], "reason": reason}
