"""KO126: math functions for which there is a cheaper one of the same value."""

from __future__ import annotations

from dataclasses import fields, replace

from assistant.model.profile import InstructionMix, LineInstructions, Method, Severity
from assistant.profile.context import CountedLaunch, FindContext
from assistant.profile.diagnosis import Diagnosis, Fact, FixedLaunch, with_mix
from assistant.profile.facts import DearFunction, LineFacts
from assistant.profile.wording import number

__all__ = ["dear_functions"]

_EXCESS = {
    ("turn", False): InstructionMix(integer=2, control=3, other=6),
    ("turn", True): InstructionMix(fp64=3, control=4, other=6),
    ("pair", False): InstructionMix(fp32=5, conversion=1, integer=1, control=2, other=1),
    ("pair", True): InstructionMix(fp64=5, integer=1, control=3, load_store=3),
    ("turns", False): InstructionMix(fp32=6, integer=2, control=6, other=4),
    ("turns", True): InstructionMix(fp64=5, control=6, other=6),
    ("power", False): InstructionMix(fp32=34, conversion=2, integer=4, control=3, other=5),
}
"""What a call runs beyond its share of the cheaper one, by form and by whether it is a double: chains of each, nvcc 13.0, sm_90, without
the slow paths of large operands. A power of doubles is missing: its routine is booked on another line."""
_LEAST_ARITHMETIC = 14
"""Instructions of fp32, or of fp64, that each of them runs at least."""
_CONVERSIONS = 2
"""To an integer and back, which one of doubles makes; one of floats makes the first at least."""


def dear_functions(context: FindContext, launch: CountedLaunch) -> tuple[Diagnosis, ...]:
    """KO126: a general function where what is known of its argument allows a cheaper one.

    With -use_fast_math the general float functions are instructions of the special-function unit, and nothing is cheaper.
    """
    if not launch.profile.instructions:
        return tuple(
            Diagnosis("KO126", f.line, f"{_cause(f.dear_functions)}.", (_fact(f, f.dear_functions),), None, Severity.INFORMATION)
            for f in context.facts.lines
            if f.dear_functions
        )
    return tuple(found for line in launch.profile.instructions if (found := _at(context, launch, line)) is not None)


def _at(context: FindContext, launch: CountedLaunch, line: LineInstructions) -> Diagnosis | None:
    facts = context.facts.at(line.file, line.line)
    calls = tuple(call for call in facts.dear_functions if line.mix.fp64 if call.is_double) + tuple(
        call for call in facts.dear_functions if line.mix.conversion and line.mix.fp32 if not call.is_double
    )
    if not calls:
        return None
    if any((call.form, call.is_double) not in _EXCESS for call in calls):
        return Diagnosis("KO126", line.line, f"{_cause(calls)}.", (_fact(facts, calls),), None, Severity.INFORMATION)
    count = _executions(line.mix, calls)
    if not count:
        return None
    fixed = tuple(with_mix(i, lambda mix: _without(mix, calls)) if i == line else i for i in launch.profile.instructions)
    return Diagnosis(
        "KO126",
        line.line,
        f"{_cause(calls)}: {number(count * len(calls))} calls (thread-level, from the machine code)",
        (_fact(facts, calls),),
        FixedLaunch(replace(launch.profile, instructions=fixed), launch.occupancy),
    )


def _cause(calls: tuple[DearFunction, ...]) -> str:
    by_routine: dict[str, list[DearFunction]] = {}
    for call in calls:
        by_routine.setdefault(call.routine, []).append(call)
    return "; ".join(_sentence(routine, tuple(found)) for routine, found in by_routine.items())


def _sentence(routine: str, calls: tuple[DearFunction, ...]) -> str:
    texts = list(dict.fromkeys(call.text for call in calls))
    is_one, listed = len(texts) == 1, ", ".join(texts)
    match calls[0].form:
        case "power":
            return f"{listed} {'runs' if is_one else 'run'} the general power routine, where {routine} does for a constant base"
        case "pair":
            return f"{listed}: {routine} computes the sine and the cosine of an angle with one reduction of it"
        case "turns":
            return f"{listed}: {routine} computes the sine and the cosine of a multiple of pi, and has no general reduction to do"
        case _:
            reduces = "reduces" if is_one else "reduce"
            return f"{listed} {reduces} an angle of any size, where {routine} takes it in units of pi and has less to do"


def _fact(facts: LineFacts, calls: tuple[DearFunction, ...]) -> Fact:
    return Fact("cheaper_functions", float(len(calls)), facts.line, Method.STATIC)


def _executions(mix: InstructionMix, calls: tuple[DearFunction, ...]) -> int:
    """How often the line's calls ran, by what all of them must have done."""
    doubles = sum(call.is_double for call in calls)
    floats = len(calls) - doubles
    counts = [mix.fp64 // (_LEAST_ARITHMETIC * doubles)] if doubles else []
    counts += [mix.fp32 // (_LEAST_ARITHMETIC * floats)] if floats else []
    return min(*counts, mix.conversion // (floats + _CONVERSIONS * doubles))


def _without(mix: InstructionMix, calls: tuple[DearFunction, ...]) -> InstructionMix:
    count = _executions(mix, calls)
    excess = [_EXCESS[call.form, call.is_double] for call in calls]
    gone = {f.name: count * sum(getattr(each, f.name) for each in excess) for f in fields(mix)}
    return InstructionMix(**{name: max(0, getattr(mix, name) - amount) for name, amount in gone.items()})
