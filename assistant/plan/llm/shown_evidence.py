"""Evidence as a prompt has it: each fact once, on its line of the listing, in another sentence, or in the table.

Example::

    evidence_groups(evidence, stated_in(listing))[0].stated    # ("E2", "E3"): the listing says them
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from assistant.model.profile import Evidence
from assistant.plan.llm.annotate import MARGIN
from assistant.profile.catalogue import metric
from assistant.profile.evidence import made_by
from assistant.profile.quantity import format_quantity
from assistant.record import Record

__all__ = ["EvidenceGroup", "evidence_groups", "ids_of", "meanings_of", "stated_in"]


_ID = re.compile(r"\bE\d+(?= )")


class EvidenceGroup(Record):
    """Facts that share their source."""

    source: str
    """Method, device and grade, stated once."""
    lines: tuple[str, ...]
    """Facts that stand nowhere else."""
    stated: tuple[str, ...] = ()
    """Ids of facts whose values stand elsewhere in the prompt, runs of them as ``E9 to E12``."""


def evidence_groups(evidence: Iterable[Evidence], stated: Collection[str] = ()) -> tuple[EvidenceGroup, ...]:
    """Facts under their source, in order; of those that are ``stated`` elsewhere the ids alone."""
    groups: dict[str, list[Evidence]] = {}
    for fact in evidence:
        groups.setdefault(f"{made_by(fact.method.value, fact.device)}, {fact.grade.value}", []).append(fact)
    return tuple(
        EvidenceGroup(
            source,
            tuple(_line(fact) for fact in facts if fact.id not in stated),
            _in_runs(fact.id for fact in facts if fact.id in stated),
        )
        for source, facts in groups.items()
    )


def stated_in(listing: Iterable[str]) -> frozenset[str]:
    """Ids of the facts that an annotated listing has on its lines."""
    return frozenset(found for line in listing for found in _ID.findall(line.partition(MARGIN)[2]))


def ids_of(evidence: Iterable[Evidence], metric_name: str) -> tuple[str, ...]:
    """Ids of the whole kernel's facts of a metric."""
    return tuple(fact.id for fact in evidence if fact.metric == metric_name and fact.line is None)


def meanings_of(evidence: Iterable[Evidence]) -> tuple[str, ...]:
    """What the metrics mean that evidence names, each once."""
    return tuple(f"{name}: {metric(name).meaning}" for name in dict.fromkeys(fact.metric for fact in evidence))


def _line(fact: Evidence) -> str:
    place = "" if fact.line is None else f", line {fact.line}"
    unit = " (ratio)" if fact.unit == "ratio" else ""
    return f"{fact.id}{place}: {fact.metric} = {format_quantity(fact.value, fact.unit)}{unit}"


def _in_runs(ids: Iterable[str]) -> tuple[str, ...]:
    """``E1``, ``E9 to E12``: three and more in a row are shortened."""
    numbers = [int(name.removeprefix("E")) for name in ids]
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return tuple(word for run in runs for word in _words(run))


def _words(run: list[int]) -> list[str]:
    return [f"E{number}" for number in run] if len(run) < 3 else [f"E{run[0]} to E{run[-1]}"]
