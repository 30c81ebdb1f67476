"""What tools answer: the events of a job that matter to an agent, bounded, and the answer in one line. Pure.

Example::

    answer(log)   # {"answer": "PASS, PREDICTED 1.83x", "exit_code": 0, "events": [{"event": "comparison", …}]}
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from assistant.engine import event_object
from assistant.model import events
from assistant.model.comparison import speed_in_words
from assistant.model.verification import verdict_in_words

__all__ = ["ANSWER_CHARACTERS", "answer", "listed_proposal"]

ANSWER_CHARACTERS = 60_000
"""Most of one answer (chosen: well within what clients take as one tool result); whole events are left out above it."""
_SHOWN_EVENTS = (
    events.Message,
    events.Diagnostics,
    events.KernelFound,
    events.TimelineFound,
    events.OperatorsFound,
    events.OperatorTimed,
    events.Profile,
    events.ProfileSummary,
    events.LaunchFacts,
    events.CheckEnded,
    events.FindingsFound,
    events.PlanMade,
    events.CandidateTried,
    events.TuningEnded,
    events.ComparisonMade,
    events.ProposalMade,
)
_LINES_OF_A_LAUNCH = 40
"""Lines of source whose counters are given of a launch; those with most sectors and wavefronts beyond the ideal."""
_LEFT_OUT = frozenset({"schema", "job", "event"})
_SEED = "seed"
"""Field of a case that authors of candidates are never shown: the values that candidates are judged on follow from it."""


def answer(log: Sequence[events.Event], most_characters: int = ANSWER_CHARACTERS) -> dict[str, Any]:
    """One job's answer: the verdict in words, its exit code (docs/reference/exit-codes.md), and what it rests on; of a profile first
    where the program's time goes."""
    ended = next((event for event in reversed(log) if isinstance(event, events.JobEnded)), None)
    entries = [_entry(event) for event in log if isinstance(event, _SHOWN_EVENTS)]
    timeline = next((event for event in log if isinstance(event, events.TimelineFound)), None)
    kept, left_out = _bounded(entries, most_characters)
    result: dict[str, Any] = {
        "answer": "the job did not come to an end" if ended is None else ended.reason,
        "exit_code": 4 if ended is None else ended.exit_code,
        **({} if timeline is None else {"program": timeline.headline}),
        "events": kept,
    }
    return result | ({"left_out": f"{left_out} events, to keep the answer short: name a kernel"} if left_out else {})


def listed_proposal(event: events.ProposalMade) -> dict[str, Any]:
    """A proposal in a list: without its diff and evidence."""
    data = event_object(event)
    return {key: data[key] for key in ("id", "kernel", "file", "techniques", "summary", "labels", "state", "model")} | {
        "verdict": verdict_in_words(event.verification.outcome, event.verification.caveats),
        "speed": speed_in_words(event.speed.outcome, event.speed.ratio, event.speed.caveats),
    }


def _entry(event: events.Event) -> dict[str, Any]:
    data = {key: value for key, value in event_object(event).items() if key not in _LEFT_OUT}
    if isinstance(event, events.TimelineFound):
        for stream in data["timeline"]["streams"]:
            del stream["spans"]  # for a picture; the sums and the longest gaps are given as well
    if isinstance(event, events.Profile):
        lines = sorted(data["lines"], key=_excess, reverse=True)
        data["lines"] = sorted(lines[:_LINES_OF_A_LAUNCH], key=lambda line: line["line"])
    if isinstance(event, events.ComparisonMade | events.ProposalMade):
        cases = data["verification"]["cases"]
        data["verification"]["cases"] = [{key: value for key, value in case.items() if key != _SEED} for case in cases]
    return {"event": event.event} | data


def _excess(line: dict[str, Any]) -> int:
    return (line.get("sectors", 0) - line.get("ideal_sectors", 0)) + (line.get("wavefronts", 0) - line.get("ideal_wavefronts", 0))


def _bounded(entries: Iterable[dict[str, Any]], most_characters: int) -> tuple[list[dict[str, Any]], int]:
    """As many as fit, the last ones first: verdicts and proposals come late. In order, with the number left out."""
    kept: list[dict[str, Any]] = []
    used = left_out = 0
    for data in reversed(list(entries)):
        used += len(str(data))
        if used > most_characters:
            left_out += 1
            continue
        kept.append(data)
    return kept[::-1], left_out
