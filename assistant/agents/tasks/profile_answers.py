"""What ``profile`` answers of a task: what an agent works with, without what only pictures and planners need. Pure.

Example::

    profile_answer(log, 16_000)["events"][0]["predicted"]["terms"][0]["name"]      # "l2"
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from assistant.agents.answers import answer as event_answer
from assistant.model import events

__all__ = ["profile_answer"]

_OVERHEAD = 2000
"""Characters of an answer that are left for what stands around a profile's events."""
_LEFT_OUT = (events.TimelineFound, events.LaunchFacts, events.KernelFound)
_PROFILE, _SUMMARY = "profile", "profile_summary"
_KEPT = frozenset(
    {
        *("event", "kernel", "grid", "block", "shared_bytes", "shape", "method", "totals", "instructions", "lines", "findings", "problems"),
        *("predicted", "occupancy", "stalls", "file"),
    }
)
"""Of a launch. Findings say in words what their evidence is."""
_MOST_TERMS = 3
"""Of a prediction: the largest ones, each with what it was computed from."""


def profile_answer(log: Sequence[events.Event], most_characters: int) -> dict[str, Any]:
    """As the harness answers, one launch of each shape, and of each what an agent works with."""
    whole = event_answer(log)
    kept = event_answer([event for event in _of_shapes(log) if not isinstance(event, _LEFT_OUT)], most_characters - _OVERHEAD)
    kept["events"] = [_for_agent(event) for event in kept["events"]]
    return kept | ({"program": whole["program"]} if "program" in whole else {})


def _of_shapes(log: Sequence[events.Event]) -> Iterator[events.Event]:
    seen: set[str] = set()
    for event in log:
        if isinstance(event, events.Profile):
            shape = f"{event.instance} {event.grid} {event.block}"
            if shape in seen:
                continue
            seen.add(shape)
        yield event


def _for_agent(event: dict[str, Any]) -> dict[str, Any]:
    if event["event"] == _SUMMARY:
        return {name: value for name, value in event.items() if name != "instance"}
    if event["event"] != _PROFILE:
        return event
    kept = {name: value for name, value in event.items() if name in _KEPT and value not in (None, [])}
    kept["findings"] = [{name: value for name, value in found.items() if name != "evidence"} for found in event["findings"]]
    predicted = event.get("predicted")
    if predicted is not None:
        kept["predicted"] = _predicted(predicted)
    return kept


def _predicted(predicted: dict[str, Any]) -> dict[str, Any]:
    """The time and its largest terms; which of them limits the kernel is said once, by the summary."""
    terms = sorted(predicted["terms"], key=lambda term: term["time_s"], reverse=True)
    return {name: value for name, value in predicted.items() if name != "bottleneck"} | {"terms": terms[:_MOST_TERMS]}
