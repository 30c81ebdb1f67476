"""Events as JSON lines: the wire form of ``--json`` and of ``kernelopt/event``.

Counters that do not apply to a line are absent (never 0 or null), everything else that is absent is null.
"""

from __future__ import annotations

import json
import typing
from typing import Any

from assistant.model.events import Event
from assistant.serialize import DecodeError, decode, encodable, encode

__all__ = ["OPTIONAL_COUNTERS", "event_from", "event_json", "event_object"]

OPTIONAL_COUNTERS = ("sectors", "ideal_sectors", "wavefronts", "ideal_wavefronts")
"""Fields of a profile line that are left out where the kind of access has no such counter."""


_EVENTS: dict[str, Any] = {kind.event: kind for kind in typing.get_args(Event)}


def event_object(event: Event) -> dict[str, Any]:
    """The JSON object of an event."""
    data: dict[str, Any] = encode(event)
    if data["event"] == "profile":
        data["lines"] = [
            {key: value for key, value in line.items() if value is not None or key not in OPTIONAL_COUNTERS} for line in data["lines"]
        ]
    return data


def event_json(event: Event) -> str:
    """One line of JSON; raises ValueError on a number that is not finite."""
    return encodable(json.dumps(event_object(event), ensure_ascii=False, allow_nan=False))


def event_from(data: dict[str, Any]) -> Event:
    """The event that `event_object` made ``data`` of; raises DecodeError for another object."""
    kind = _EVENTS.get(data.get("event", ""))
    if kind is None:
        raise DecodeError(f"no event of ours: {str(data)[:80]}")
    if data["event"] == "profile":
        absent = dict.fromkeys(OPTIONAL_COUNTERS)
        data = {**data, "lines": [{**absent, **line} for line in data["lines"]]}
    return decode(kind, data)
