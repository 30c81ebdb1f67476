"""KO106 doubles, KO109 divergence, KO114 loop overhead, KO115 tails of reductions, KO116 powers, KO119 scans."""

from __future__ import annotations

import math
from dataclasses import fields, replace

from assistant.model.profile import Grade, InstructionMix, LaunchProfile, LineExecution, LineInstructions, Method, Severity
from assistant.profile.context import CountedLaunch, FindContext, warps_of
from assistant.profile.diagnosis import Diagnosis, Fact, FixedLaunch, with_mix
from assistant.profile.facts import LineFacts, LoopFacts, TreeFacts
from assistant.profile.thresholds import threshold
from assistant.profile.wording import lines_of, number, percent, plural

__all__ = [
    "accidental_double",
    "constant_powers",
    "divergence",
    "in_full_warps",
    "loop_overhead",
    "reduction_tail",
    "scan_steps",
]

_WARP_LANES = 32
_WARP_STEPS = 5
"""Doubling up to the lanes of a warp."""
_POWER = InstructionMix(fp32=50, conversion=3, special=1, integer=7, control=6, other=4)
"""What a float power runs beyond a multiplication: nvcc 13.0, sm_90, a chain of ``powf(v, 2.0f)`` against one of ``v * v``."""


def accidental_double(context: FindContext, launch: CountedLaunch) -> tuple[Diagnosis, ...]:
    """KO106: a literal without ``f`` turns float arithmetic into conversions and double arithmetic."""
    if launch.profile.instructions:
        lines = sorted((i for i in launch.profile.instructions if _is_accidental(context, i)), key=_double_cost, reverse=True)
        return (_double_in_code(context, launch, tuple(lines)),) if lines else ()
    return tuple(
        Diagnosis(
            "KO106",
            facts.line,
            f"Literals of type double ({', '.join(facts.double_literals)}): float operands are converted, computed in double "
            "precision and converted back",
            (Fact("double_literals", float(len(facts.double_literals)), facts.line, Method.STATIC),),
        )
        for facts in context.facts.lines
        if facts.double_literals and not context.facts.declares_double
    )


def _is_accidental(context: FindContext, line: LineInstructions) -> bool:
    """What argument reduction does in double precision comes from the routine, not from the text."""
    facts = context.facts.at(line.file, line.line)
    has_both = line.mix.fp64 > 0 and line.mix.conversion > 0
    return has_both and (bool(facts.double_literals) or not (context.facts.declares_double or facts.reduces_arguments))


def _double_cost(line: LineInstructions) -> int:
    """What the narrow pipes must do."""
    return line.mix.fp64 + line.mix.conversion


def _double_in_code(context: FindContext, launch: CountedLaunch, lines: tuple[LineInstructions, ...]) -> Diagnosis:
    """One cause, one finding: at the costliest of its lines, with what the others add."""
    first, *others = lines
    literals = tuple(dict.fromkeys(context.facts.at(first.file, first.line).double_literals))
    literal = "The double literals {} make" if len(literals) > 1 else "The double literal {} makes"
    cause = literal.format(", ".join(literals)) if literals else "A value of type double makes"
    elsewhere = f"; the same happens on {lines_of(i.line for i in others)}" if others else ""
    instructions = tuple(with_mix(i, _in_single) if i in lines else i for i in _without_helpers(context, launch.profile))
    return Diagnosis(
        "KO106",
        first.line,
        f"{cause} float code compute in double: {number(first.mix.conversion)} conversions and {number(first.mix.fp64)} "
        f"double-precision instructions (thread-level, from the machine code) on this line{elsewhere}",
        tuple(fact for line in lines for fact in _double_facts(line, launch.profile)),
        FixedLaunch(replace(launch.profile, instructions=instructions), launch.occupancy),
    )


def _without_helpers(context: FindContext, profile: LaunchProfile) -> tuple[LineInstructions, ...]:
    """Without the routines that the compiler adds for double division and roots, which it books on some other line.

    In a kernel that declares no double they serve the accident alone: single precision needs none of them.
    """
    if context.facts.declares_double:
        return profile.instructions
    return tuple(i for i in profile.instructions if not (i.mix.fp64 > 0 and i.mix.special > 0 and i.mix.conversion == 0))


def _in_single(mix: InstructionMix) -> InstructionMix:
    """The same operations on 32 bits: no conversions, and half of the moves, which came in pairs."""
    return replace(mix, fp32=mix.fp32 + mix.fp64, fp64=0, conversion=0, other=mix.other // 2)


def _double_facts(line: LineInstructions, profile: LaunchProfile) -> tuple[Fact, ...]:
    return (
        Fact("conversion_instructions", float(line.mix.conversion), line.line, profile.method, _counted(profile)),
        Fact("fp64_instructions", float(line.mix.fp64), line.line, profile.method, _counted(profile)),
    )


def _counted(profile: LaunchProfile) -> Grade:
    """Machine code times how often its blocks ran is an estimate; a GPU counts each instruction."""
    return Grade.EXACT if profile.is_of_hardware else Grade.ESTIMATED


def divergence(context: FindContext, launch: CountedLaunch) -> tuple[Diagnosis, ...]:
    """KO109: lanes of a warp go different ways at a branch, and the ways are walked one after the other.

    Without machine code it is not known how much work the ways hold: no cost, and only information.
    """
    profile = launch.profile
    lanes = profile.mean_active_lanes
    if lanes is None or lanes >= threshold("active_lanes") or profile.config.block.count < _WARP_LANES:
        return ()
    branches = [e for e in profile.executions if _divergent_ratio(e) >= threshold("divergent_branch_ratio")]
    total = sum(e.divergent_branches for e in branches)
    has_code = bool(profile.instructions)
    fixed = FixedLaunch(_converged(profile), launch.occupancy) if has_code else None
    return tuple(
        Diagnosis(
            "KO109",
            e.line,
            f"Lanes of a warp go different ways at this line in {percent(_divergent_ratio(e))} of its branches' executions; over the "
            f"kernel {number(lanes)} of {_WARP_LANES} lanes are active",
            (
                Fact("divergent_branch_ratio", _divergent_ratio(e), e.line, profile.method, Grade.ESTIMATED),
                Fact("active_lanes_per_execution", lanes, None, profile.method, Grade.ESTIMATED),
            ),
            fixed,
            None if has_code else Severity.INFORMATION,
        )
        for e in branches
        if e.divergent_branches * 4 >= total
    )


def _divergent_ratio(execution: LineExecution) -> float:
    return execution.divergent_branches / execution.branch_executions if execution.branch_executions else 0.0


def _converged(profile: LaunchProfile) -> LaunchProfile:
    """The same thread-level work in full warps."""
    full = (replace(e, warp_executions=math.ceil(e.thread_executions / _WARP_LANES)) for e in profile.executions)
    lines = (replace(line, warp_mix=in_full_warps(line.mix)) for line in profile.instructions)
    return replace(profile, executions=tuple(full), instructions=tuple(lines))


def in_full_warps(mix: InstructionMix) -> InstructionMix:
    """What warps run for these instructions of threads, with all lanes at work."""
    return InstructionMix(**{f.name: math.ceil(getattr(mix, f.name) / _WARP_LANES) for f in fields(mix)})


def loop_overhead(context: FindContext, launch: CountedLaunch) -> tuple[Diagnosis, ...]:
    """KO114: a short loop of constant count runs as a loop, and counting costs as much as its body.

    Not where threads wait for each other in the body: that takes far longer than counting.
    """
    found: list[Diagnosis] = []
    for loop in context.facts.loops:
        mine = (i for i in launch.profile.instructions if context.facts.is_of(i.file))
        lines = tuple(i for i in mine if loop.line <= i.line <= loop.end_line)
        if loop.trip_count is None or loop.trip_count > threshold("unroll_trip_count") or not lines:
            continue
        if loop.has_unroll_pragma or loop.has_barrier or loop.is_unrolled:
            continue
        diagnosis = _overhead(launch, loop, lines)
        if diagnosis is not None:
            found.append(diagnosis)
    return tuple(found)


def _overhead(launch: CountedLaunch, loop: LoopFacts, lines: tuple[LineInstructions, ...]) -> Diagnosis | None:
    profile = launch.profile
    trips = loop.trip_count or 1
    total = sum(_total(i.mix) for i in lines)
    counting = sum(i.mix.integer + i.mix.control for i in lines)
    control_per_thread = sum(i.mix.control for i in lines) / max(1, warps_of(profile) * _WARP_LANES)
    ratio = counting / total if total else 0.0
    if ratio < threshold("loop_overhead_ratio") or control_per_thread < trips:
        return None
    fixed = tuple(_without_counting(i, trips) if i in lines else i for i in profile.instructions)
    return Diagnosis(
        "KO114",
        loop.line,
        f"This loop of {plural(trips, 'iteration')} is not unrolled: {percent(ratio)} of its instructions are integer and "
        "control (from the machine code)",
        (
            Fact("loop_overhead_ratio", ratio, loop.line, profile.method, Grade.ESTIMATED),
            Fact("loop_trip_count", float(trips), loop.line, Method.STATIC),
        ),
        FixedLaunch(replace(profile, instructions=fixed), launch.occupancy),
    )


def _total(mix: InstructionMix) -> int:
    return sum(getattr(mix, f.name) for f in fields(mix))


def _without_counting(line: LineInstructions, trips: int) -> LineInstructions:
    """Control once instead of ``trips`` times, and half of the integer work (addresses become constant offsets)."""
    return with_mix(line, lambda mix: replace(mix, control=mix.control // trips, integer=mix.integer // 2))


def reduction_tail(context: FindContext, launch: CountedLaunch) -> tuple[Diagnosis, ...]:
    """KO115: in some steps of a tree reduction a warp needs no other, and the whole block counts and waits with it.

    Taken to start at half the block, or to double up to it, as reductions of a block do: the text does not always tell.
    """
    profile = launch.profile
    threads = profile.config.block.count
    if threads <= _WARP_LANES or threads & (threads - 1):
        return ()
    steps, narrow = threads.bit_length() - 1, _WARP_LANES.bit_length() - 1
    found: list[Diagnosis] = []
    for loop in context.facts.loops:
        stores = (a for a in profile.accesses if a.op == "shared store" and context.facts.is_of(a.file))
        if (
            not (loop.is_halving or loop.is_doubling)
            or not loop.has_barrier
            or not any(loop.line <= a.line <= loop.end_line for a in stores)
        ):
            continue
        found.append(
            Diagnosis(
                "KO115",
                loop.line,
                (
                    f"In the last {narrow} of the {steps} steps of this reduction one warp has work, "
                    if loop.is_halving
                    else f"{narrow} of the {steps} steps of this reduction could be done within a warp, "
                )
                + f"but all {threads // _WARP_LANES} warps of the block go through them and wait at a barrier in each",
                (Fact("one_warp_step_ratio", narrow / steps, loop.line, Method.STATIC),),
                _without_tail(context, launch, loop, (steps - narrow) / steps) if profile.instructions else None,
            )
        )
    return (*found, *_written_out(context, launch, steps, narrow))


def _written_out(context: FindContext, launch: CountedLaunch, steps: int, narrow: int) -> tuple[Diagnosis, ...]:
    """KO115 of steps that follow each other in the text: the last ones may need no barrier, but go through shared memory."""
    if not any(a.op == "shared store" and context.facts.is_of(a.file) for a in launch.profile.accesses):
        return ()
    return tuple(
        Diagnosis(
            "KO115",
            tree.line,
            f"Each of the {steps} steps of this reduction goes through shared memory, written out one after the other; {narrow} "
            "of them could be done within a warp, whose lanes exchange values in registers",
            (Fact("one_warp_step_ratio", narrow / steps, tree.line, Method.STATIC),),
            _with_shuffles(context, launch, tree, _WARP_STEPS / steps) if launch.profile.instructions else None,
        )
        for tree in context.facts.trees
    )


def _without_tail(context: FindContext, launch: CountedLaunch, loop: LoopFacts, left_ratio: float) -> FixedLaunch:
    """Counting and waiting in the first steps only; what is added up is the same."""

    def counting_less(mix: InstructionMix) -> InstructionMix:
        return replace(mix, integer=round(mix.integer * left_ratio), control=round(mix.control * left_ratio))

    def shortened(line: LineInstructions) -> LineInstructions:
        if not context.facts.is_of(line.file) or not loop.line <= line.line <= loop.end_line:
            return line
        return with_mix(line, counting_less)

    instructions = tuple(shortened(line) for line in launch.profile.instructions)
    return FixedLaunch(replace(launch.profile, instructions=instructions), launch.occupancy)


def scan_steps(context: FindContext, launch: CountedLaunch) -> tuple[Diagnosis, ...]:
    """KO119: a block makes prefix sums through shared memory, and all its warps wait in each step.

    Taken to go on until the block's size, as scans of a block do. Waiting is not in the model.
    """
    profile = launch.profile
    threads = profile.config.block.count
    if threads <= _WARP_LANES:
        return ()
    steps, found = (threads - 1).bit_length(), list[Diagnosis]()
    for loop in context.facts.loops:
        stores = (a for a in profile.accesses if a.op == "shared store" and context.facts.is_of(a.file))
        if not loop.is_scan or not loop.has_barrier or not any(loop.line <= a.line <= loop.end_line for a in stores):
            continue
        found.append(
            Diagnosis(
                "KO119",
                loop.line,
                f"In each of the {steps} steps of this scan the {-(-threads // _WARP_LANES)} warps of the block exchange values through "
                "shared memory and wait for each other",
                (Fact("barrier_steps", float(steps), loop.line, Method.STATIC),),
                _with_shuffles(context, launch, loop, _WARP_STEPS / steps) if profile.instructions else None,
            )
        )
    return tuple(found)


def _with_shuffles(context: FindContext, launch: CountedLaunch, loop: LoopFacts | TreeFacts, left_ratio: float) -> FixedLaunch:
    """As many steps as a warp needs, in which nothing goes through shared memory."""

    def is_here(file: str, line: int) -> bool:
        return context.facts.is_of(file) and loop.line <= line <= loop.end_line

    def fewer(mix: InstructionMix) -> InstructionMix:
        return InstructionMix(**{f.name: round(getattr(mix, f.name) * left_ratio) for f in fields(mix)})

    profile = launch.profile
    accesses = tuple(a for a in profile.accesses if not (a.op.startswith("shared") and is_here(a.file, a.line)))
    instructions = tuple(with_mix(i, fewer) if is_here(i.file, i.line) else i for i in profile.instructions)
    return FixedLaunch(replace(profile, accesses=accesses, instructions=instructions), launch.occupancy)


def constant_powers(context: FindContext, launch: CountedLaunch) -> tuple[Diagnosis, ...]:
    """KO116: a general power where a few plain operations give the same.

    What a double one costs is not modelled: nvcc books its routine on another line, with those of divisions.
    """
    if not launch.profile.instructions:
        return tuple(
            Diagnosis("KO116", f.line, _power_message(f, f.powers + f.double_powers), (_power_fact(f),), None, Severity.INFORMATION)
            for f in context.facts.lines
            if f.powers or f.double_powers
        )
    return tuple(found for line in launch.profile.instructions if (found := _power(context, launch, line)) is not None)


def _power(context: FindContext, launch: CountedLaunch, line: LineInstructions) -> Diagnosis | None:
    facts = context.facts.at(line.file, line.line)
    count = _power_count(line.mix) if facts.powers else 0
    if count == 0 and not (facts.double_powers and line.mix.fp64):
        return None
    named = (facts.powers if count else ()) + (facts.double_powers if line.mix.fp64 else ())
    if count == 0:
        return Diagnosis("KO116", line.line, _power_message(facts, named), (_power_fact(facts),), None, Severity.INFORMATION)
    fixed = tuple(with_mix(i, _without_powers) if i == line else i for i in launch.profile.instructions)
    conversions = Fact("conversion_instructions", float(line.mix.conversion), line.line, launch.profile.method, _counted(launch.profile))
    return Diagnosis(
        "KO116",
        line.line,
        f"{_power_message(facts, named)}: {number(count)} powers (thread-level, from the machine code)",
        (_power_fact(facts), conversions),
        FixedLaunch(replace(launch.profile, instructions=fixed), launch.occupancy),
    )


def _power_message(facts: LineFacts, calls: tuple[str, ...]) -> str:
    running = tuple(call for call in calls if call in facts.running_powers)
    constant = tuple(call for call in calls if call not in facts.running_powers)
    sentences: list[str] = []
    if constant:
        runs, exponent, does = ("runs", "its", "exponent does") if len(constant) == 1 else ("run", "their", "exponents do")
        sentences.append(
            f"{', '.join(dict.fromkeys(constant))} {runs} the general power routine, which {exponent} constant {does} not need"
        )
    if running:
        runs = "runs" if len(running) == 1 else "run"
        sentences.append(
            f"{', '.join(dict.fromkeys(running))} {runs} the general power routine in each iteration, where the power before times "
            "the base would do"
        )
    return "; ".join(sentences)


def _power_fact(facts: LineFacts) -> Fact:
    return Fact("constant_powers", float(len(facts.powers) + len(facts.double_powers)), facts.line, Method.STATIC)


def _power_count(mix: InstructionMix) -> int:
    return min(mix.special, int(mix.conversion / threshold("power_conversions")))


def _without_powers(mix: InstructionMix) -> InstructionMix:
    count = _power_count(mix)
    left = {f.name: max(0, getattr(mix, f.name) - count * getattr(_POWER, f.name)) for f in fields(mix)}
    return InstructionMix(**left)
