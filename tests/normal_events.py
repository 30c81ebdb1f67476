"""Events without what differs from run to run: identifiers, times, paths, processes and ports."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["normal_lines"]

_ID = re.compile(r"\b([A-Z])01[0-9A-HJKMNP-TV-Z]{24}\b")
_SHORT_ID = re.compile(r"\b([A-Z])01[0-9A-HJKMNP-TV-Z]{3,}…")
_TIME = re.compile(r"\b\d+(?:\.\d+)? (?:ms|s)\b")
_DATE = re.compile(r"\b20\d\d-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d)?)?")
_DIGEST = re.compile(r"\b[0-9a-f]{12,64}\b")
_PORT = re.compile(r"\b127\.0\.0\.1:\d+")
_PROCESS = re.compile(r"\b(cli|pair) \d+\b")
_RACED_AT = re.compile(r"\b(orders it with thread \d+ of block \d+ \(linear indices\)) \(at (\w+)\[\d+\]\)")
"""Which of the elements that a race is about is named."""
_RACED_WITH = re.compile(r"\b(orders it with) thread \d+ of block \d+")
"""Which of the other accesses a race is reported with."""
_RACED_SUM = re.compile(r"^round 1 sum -?[\d.]+$")
_GOT_RACED_SUM = re.compile(r"\bgot round 1 sum -?[\d.]+")
"""What the program of the wrong edits prints; in ``compare_missing_barrier`` a race decides it."""
_CALLED = {
    _RACED_AT: r"\1 (at <a place> of \2)",
    _RACED_WITH: r"\1 <another thread>",
    _GOT_RACED_SUM: "got <decided by a race>",
    _SHORT_ID: r"\1…",
    _TIME: "<time>",
    _DATE: "<date>",
    _DIGEST: "<digest>",
    _PORT: "127.0.0.1:<port>",
    _PROCESS: r"\1 <process>",
}
_RANK_DIGITS = 6
"""Of how much a step promises; what memory says in it grows old by the millisecond."""
_TIMES = frozenset({"duration_ms", "elapsed_ms", "build_ms", "ms", "seconds", "created_at", "decided_at", "at"})


def normal_lines(events: Iterable[dict[str, Any]], folders: Mapping[str, str]) -> list[str]:
    """One line of JSON for each event. ``folders``: what to call the paths of this run. Identifiers are numbered as they come up."""
    numbers: dict[str, str] = {}

    def numbered(found: re.Match[str]) -> str:
        return numbers.setdefault(found[0], f"{found[1]}{len(numbers) + 1}")

    def normal(value: Any, name: str = "") -> Any:
        """The value without times and addresses, each text made normal."""
        if isinstance(value, dict):
            return {key: normal(item, key) for key, item in value.items()}
        if isinstance(value, list):
            return [normal(item) for item in value]
        if name in _TIMES or name.endswith("_ms") or name == "address":
            return None
        if name == "rank" and isinstance(value, float):
            return float(f"{value:.{_RANK_DIGITS}g}")
        if name == "actual" and isinstance(value, str):
            value = _RACED_SUM.sub("<decided by a race>", value)
        return text_of(value) if isinstance(value, str) else value

    def text_of(text: str) -> str:
        """The text with paths, identifiers, times and digests replaced."""
        for path, called in folders.items():
            text = text.replace(path, called)
        text = _ID.sub(numbered, text)
        for pattern, called in _CALLED.items():
            text = pattern.sub(called, text)
        return text

    return [json.dumps(normal(event), ensure_ascii=False) for event in events]
