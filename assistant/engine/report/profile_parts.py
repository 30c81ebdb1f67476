"""Parts of a profile as people look at them: source lines with heat, shares with their bar, reasons of estimates. Pure.

Shared by every front end that shows a whole profile, so that none of them counts for itself. Example::

    source_rows(text, "/a.cu", ((9, 20),), profile.lines, profile.findings)[2].sectors_ratio   # 0.98
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields

from assistant.engine.report.limits import limit_in_words
from assistant.model import event_parts, events
from assistant.model.comparison import PredictedTime
from assistant.model.profile import Evidence, InstructionMix, LineStall
from assistant.record import Record

__all__ = [
    "HEAT_STEPS",
    "LineHeat",
    "Share",
    "SourceLine",
    "estimate_reasons",
    "evidence_of",
    "heat_step",
    "instruction_shares",
    "line_heat",
    "share_in_words",
    "source_rows",
    "stall_heat",
    "stall_shares",
    "term_shares",
]

HEAT_STEPS = 4
"""Shades of heat; the number stands next to each."""
_FAINTEST = 0.005
"""Shares up to this are shown as ``<1 %``: rounded, they would be nothing."""


class LineHeat(Record):
    """What a line moves beyond what its requests need, and its share of the launch's whole excess."""

    file: str
    line: int
    excess_sectors: int
    sectors_ratio: float
    """0 where the launch has no excess."""
    excess_wavefronts: int
    wavefronts_ratio: float

    @property
    def ratio(self) -> float:
        """The larger of both shares."""
        return max(self.sectors_ratio, self.wavefronts_ratio)


class SourceLine(Record):
    """One row of the annotated source; a gap between two ranges has no number."""

    number: int | None
    text: str
    sectors_ratio: float | None
    wavefronts_ratio: float | None
    """None where the line has no excess of that kind."""
    stalls_ratio: float | None
    """The line's share of the launch's stall samples; None where none were taken there."""
    heat_step: int
    accesses: tuple[event_parts.ProfileLine, ...]
    codes: tuple[str, ...]


class Share(Record):
    """One bar with its number."""

    name: str
    value: float
    ratio: float


def line_heat(lines: Iterable[event_parts.ProfileLine]) -> tuple[LineHeat, ...]:
    """Excess of each line over its ideal, in source order; lines without any are left out."""
    sectors: dict[tuple[str, int], int] = {}
    wavefronts: dict[tuple[str, int], int] = {}
    for line in lines:
        place = (line.file, line.line)
        sectors[place] = sectors.get(place, 0) + _excess(line.sectors, line.ideal_sectors)
        wavefronts[place] = wavefronts.get(place, 0) + _excess(line.wavefronts, line.ideal_wavefronts)
    all_sectors, all_wavefronts = sum(sectors.values()), sum(wavefronts.values())
    return tuple(
        LineHeat(*place, sectors[place], _ratio(sectors[place], all_sectors), wavefronts[place], _ratio(wavefronts[place], all_wavefronts))
        for place in sorted(sectors)
        if sectors[place] or wavefronts[place]
    )


def stall_heat(stalls: Iterable[LineStall]) -> dict[tuple[str, int], float]:
    """(file, line) → its share of the launch's stall samples, for lines with any."""
    samples: dict[tuple[str, int], int] = {}
    for stall in stalls:
        samples[stall.file, stall.line] = samples.get((stall.file, stall.line), 0) + stall.samples
    total = sum(samples.values())
    return {place: count / total for place, count in samples.items() if count}


def heat_step(ratio: float | None) -> int:
    """0 for no heat, else 1..`HEAT_STEPS`, for a line's share."""
    return 0 if ratio is None else min(HEAT_STEPS, 1 + int(ratio * HEAT_STEPS))


def source_rows(
    text: str,
    file: str,
    ranges: Iterable[tuple[int, int]],
    lines: Sequence[event_parts.ProfileLine],
    findings: Sequence[event_parts.ProfileFinding],
    stalls: Sequence[LineStall] = (),
) -> list[SourceLine]:
    """Every line of ``ranges`` (first and last, 1-based) with what the launch did there; hot is where warps wait, if that was sampled."""
    written = text.splitlines()
    heat = {item.line: item for item in line_heat(lines) if item.file == file}
    waits = {line: ratio for (place, line), ratio in stall_heat(stalls).items() if place == file}
    rows: list[SourceLine] = []
    for first, last in ranges:
        rows += [SourceLine(None, "", None, None, None, 0, (), ())] if rows else []
        for number in range(first, last + 1):
            hot = heat.get(number)
            rows.append(
                SourceLine(
                    number=number,
                    text=written[number - 1],
                    sectors_ratio=hot.sectors_ratio if hot is not None and hot.excess_sectors else None,
                    wavefronts_ratio=hot.wavefronts_ratio if hot is not None and hot.excess_wavefronts else None,
                    stalls_ratio=waits.get(number),
                    heat_step=heat_step(waits.get(number) if waits else hot and hot.ratio),
                    accesses=tuple(a for a in lines if (a.file, a.line) == (file, number)),
                    codes=tuple(dict.fromkeys(f.code for f in findings if f.line == number)),
                )
            )
    return rows


def evidence_of(profile: events.Profile, finding: event_parts.ProfileFinding) -> list[Evidence]:
    """What a finding cites, most important first."""
    known = {fact.id: fact for fact in profile.evidence}
    return [known[identity] for identity in finding.evidence if identity in known]


def term_shares(predicted: PredictedTime) -> list[Share]:
    """The model's terms as shares of the predicted time, longest first; they overlap, so they do not add up."""
    terms = sorted(predicted.terms, key=lambda term: -term.time_s)
    return [Share(limit_in_words(term.name), term.time_s, term.time_s / predicted.time_s) for term in terms if term.time_s > 0]


def instruction_shares(mix: InstructionMix) -> list[Share]:
    """Instruction classes that occur, most frequent first."""
    counts = {field.name: int(getattr(mix, field.name)) for field in fields(mix)}
    return _shares({name.replace("_", "/"): count for name, count in counts.items()})


def stall_shares(stalls: Iterable[LineStall]) -> list[Share]:
    """What warps of a launch wait for, most samples first."""
    counts: dict[str, int] = {}
    for stall in stalls:
        counts[stall.reason] = counts.get(stall.reason, 0) + stall.samples
    return _shares({reason.replace("_", " "): count for reason, count in counts.items()})


def _shares(counts: Mapping[str, int]) -> list[Share]:
    """Those that occur, most frequent first."""
    total = sum(counts.values())
    return [Share(name, count, count / total) for count, name in sorted(((c, n) for n, c in counts.items() if c), reverse=True)]


def estimate_reasons(lines: Iterable[event_parts.ProfileLine]) -> dict[str, list[str]]:
    """Why counters are only estimated, each reason with its lines."""
    found: dict[str, list[str]] = {}
    for line in lines:
        if line.grade != "exact":
            places = found.setdefault(line.grade_reason or "no reason is recorded", [])
            places += [f"{line.line}"] if f"{line.line}" not in places else []
    return found


def share_in_words(ratio: float) -> str:
    """``37 %``; ``<1 %`` for less, which is never shown as nothing."""
    return "<1 %" if 0 < ratio <= _FAINTEST else f"{ratio * 100:.0f} %"


def _excess(counted: int | None, ideal: int | None) -> int:
    return 0 if counted is None or ideal is None else max(0, counted - ideal)


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
