"""KO123: square roots that are only divided by, where one routine gives the reciprocal of a root at once."""

from __future__ import annotations

from dataclasses import fields, replace

from assistant.model.profile import InstructionMix, LineInstructions, Method, Severity
from assistant.profile.context import CountedLaunch, FindContext
from assistant.profile.diagnosis import Diagnosis, Fact, FixedLaunch
from assistant.profile.facts import DividedRoot, LineFacts
from assistant.profile.wording import lines_of, number

__all__ = ["roots_divided_by"]

_ROOT = {False: InstructionMix(fp32=1, integer=2, control=3), True: InstructionMix(fp64=3, integer=1)}
"""What a root runs beyond its reciprocal, by whether it is a double: nvcc 13.0, sm_90, chains of ``sqrtf(v)`` and of ``rsqrtf(v)``."""
_DIVISION = {False: InstructionMix(fp32=4, special=1, control=3, other=1), True: InstructionMix(fp64=7, fp32=2, special=1, control=3)}
"""What a division runs beyond a multiplication, there: chains of ``0.3f / v`` and of ``0.3f * v``."""
_CONTROL = 3
_LEAST_CONTROL = 2
"""Control instructions of a correctly rounded root, and of such a division; and what is left of them where nvcc joins their checks. With
-use_fast_math they have none."""


def roots_divided_by(context: FindContext, launch: CountedLaunch) -> tuple[Diagnosis, ...]:
    """KO123: a correctly rounded root, then correctly rounded divisions by it."""
    if not launch.profile.instructions:
        return tuple(
            Diagnosis("KO123", line.line, f"{_cause(line)}.", (_fact(line),), None, Severity.INFORMATION)
            for line in context.facts.lines
            if line.divided_roots
        )
    return tuple(found for line in launch.profile.instructions if (found := _at(context, launch, line)) is not None)


def _at(context: FindContext, launch: CountedLaunch, line: LineInstructions) -> Diagnosis | None:
    facts = context.facts.at(line.file, line.line)
    if not facts.divided_roots:
        return None
    count = _executions(line.mix, facts)
    if not count:
        return None
    fixed = tuple(_without(each, line, facts) for each in launch.profile.instructions)
    return Diagnosis(
        "KO123",
        line.line,
        f"{_cause(facts)}: {number(count * len(facts.divided_roots))} roots (thread-level, from the machine code)",
        (_fact(facts),),
        FixedLaunch(replace(launch.profile, instructions=fixed), launch.occupancy),
    )


def _cause(line: LineFacts) -> str:
    texts = list(dict.fromkeys(root.text for root in line.divided_roots))
    elsewhere = sorted({place for root in line.divided_roots for place in root.quotient_lines} - {line.line})
    where = f" on {lines_of(elsewhere)}" if elsewhere else ""
    does = f"takes a root and divides by it{where}" if len(texts) == 1 else f"take roots and divide by them{where}"
    routines = dict.fromkeys("rsqrt" if root.is_double else "rsqrtf" for root in line.divided_roots)
    gives = "gives" if len(routines) == 1 else "give"
    return f"{', '.join(texts)} {does}, each correctly rounded; {' and '.join(routines)} {gives} the reciprocal of a root at once"


def _fact(line: LineFacts) -> Fact:
    return Fact("divided_roots", float(len(line.divided_roots)), line.line, Method.STATIC)


def _executions(mix: InstructionMix, facts: LineFacts) -> int:
    """How often the line's roots were taken; 0 where they are not rounded correctly, which takes a check for each."""
    here = len(facts.divided_roots) + sum(place == facts.line for root in facts.divided_roots for place in root.quotient_lines)
    count = mix.special // here
    return count if mix.control >= _LEAST_CONTROL * here * count else mix.control // (_CONTROL * here)


def _without(line: LineInstructions, root_line: LineInstructions, facts: LineFacts) -> LineInstructions:
    """The line with reciprocals of roots, and products in the place of divisions."""
    if line.file != root_line.file:
        return line
    excess = [each for root in facts.divided_roots for each in _excess(root, line.line, is_root=line == root_line)]
    if not excess:
        return line
    mix = _less(line.mix, excess, _executions(root_line.mix, facts))
    if line.warp_mix is None or root_line.warp_mix is None:
        return replace(line, mix=mix)
    return replace(line, mix=mix, warp_mix=_less(line.warp_mix, excess, _executions(root_line.warp_mix, facts)))


def _excess(root: DividedRoot, line: int, *, is_root: bool) -> list[InstructionMix]:
    divisions = [_DIVISION[root.is_double] for place in root.quotient_lines if place == line]
    return [_ROOT[root.is_double], *divisions] if is_root else divisions


def _less(mix: InstructionMix, excess: list[InstructionMix], times: int) -> InstructionMix:
    gone = {f.name: times * sum(getattr(each, f.name) for each in excess) for f in fields(mix)}
    return InstructionMix(**{name: max(0, getattr(mix, name) - count) for name, count in gone.items()})
