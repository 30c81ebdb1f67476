"""The cases that are made of one launch: other values and other sizes of it, as far as they count and time allows.

Which of them count is decided by the original: everything that might send it out of bounds is tried first, under the emulator's checks.
A launch that is too large for many cases gives them at a smaller size of its own, where its recordings show how it shrinks. Example::

    derived = await derive(job, version, Lead(own, observed), effort)
    [case.new.origin.kind for case in derived.cases]       # ["resized", "dense", "resampled", …]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assistant.cuda.struct_layouts import layout_named
from assistant.engine.evaluate import Effort, JudgedCase, Resize, layouts_of
from assistant.engine.job import Job
from assistant.engine.judge.budget import CHECKED_THREADS, Cost, case_count, is_large, keeps_own_values, repeat_count, work_s
from assistant.engine.judge.chosen_values import chosen_values, first_values, shifted_values
from assistant.engine.judge.grids import independent_of_grid
from assistant.engine.judge.replaying import CaseTrial
from assistant.engine.judge.sizes import CleanSize, SizedLaunch, SizeTrials, size_model_of, try_sizes
from assistant.engine.judge.trying import in_part, trials_of, try_version
from assistant.engine.judge.values import REPASSED, Base, apart, base_of
from assistant.engine.judge.written_grid import WrittenGrid, written_grid
from assistant.engine.source_version import SourceVersion
from assistant.engine.threads import in_thread
from assistant.record import Record
from assistant.verify.kinds import RETUNED
from assistant.workload.alignment import SHIFTED, shift_count
from assistant.workload.chosen_blocks import chosen_in, spread_blocks, threads_run, with_chosen_blocks
from assistant.workload.derive import fresh_values
from assistant.workload.draws import Draw, Zeros
from assistant.workload.offsets import OFFSETS
from assistant.workload.recordings import NewCase
from assistant.workload.resize import ObservedLaunch, Plan, SizeModel, at_sizes
from assistant.workload.smaller_grid import SMALLER_GRID
from assistant.workload.unseen import INTEGER_KINDS
from assistant.workload.unsorted import UNSORTED

__all__ = ["DerivedCases", "Lead", "bounded", "cost_of", "derive", "redrawn"]

_TRIAL_S = 10.0
"""The launch itself, on the original under checks."""
_FURTHER_TRIAL_S = 10.0
"""A case of our own making that keeps the original busy for longer is not worth it: it may well run for ever."""
_REDRAWN_COUNT = 3
"""Cases redrawn from a launch that is not the kernel's largest."""
_RISKY_KINDS = frozenset(
    {*INTEGER_KINDS, OFFSETS, SHIFTED, SMALLER_GRID, RETUNED, REPASSED, UNSORTED, "resized", "refilled", "repeated", "unpadded"}
)
_UNTRIED = "runs too many threads to be checked there"
_MOST_BLOCKS, _FEWEST_BLOCKS, _BLOCKS_SHARE = 64, 8, 4
"""Blocks that are run of a launch that takes too long to be run whole: so many, or a quarter of those that ran in its time."""
_REPEATED_KINDS = frozenset({"dense", "resampled"})


class Lead(Record):
    """The launch that cases are made of."""

    own: JudgedCase
    observed: tuple[ObservedLaunch, ...] = ()
    """Every launch of this kernel that is known: they show how its sizes depend on each other."""
    is_declared: bool = False
    """Its values are drawn by the block's own generators, and its sizes are free in the block."""


class _Measured(Record):
    """A launch, and how the original went on it."""

    own: JudgedCase
    cost: Cost
    trial: CaseTrial


class DerivedCases(Record):
    """What was made of a launch."""

    cases: tuple[JudgedCase, ...]
    """The launch itself first, with the repeats and checks that time allows."""
    dropped: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """What was left out or made smaller, in words."""
    size_names: tuple[str, ...] = ()
    """The integers that its buffers and grid depend on."""


async def derive(job: Job, version: SourceVersion, lead: Lead, effort: Effort) -> DerivedCases:
    """Cases on which the original is clean, likeliest to find a mistake first. A launch that was run in part, and one of very much data,
    runs at its own size by some of its blocks, or on its own values; a smaller size gives all others."""
    if _is_in_part(lead.own):
        return await _derive_smaller(job, version, lead, _with_some_blocks(lead.own), effort)
    if keeps_own_values(cost_of(lead.own.new)):
        return await _derive_smaller(job, version, lead, lead.own, effort)
    return await _derive_whole(job, version, lead, effort)


async def _derive_whole(job: Job, version: SourceVersion, lead: Lead, effort: Effort) -> DerivedCases:
    """From the launch at its own size."""
    base = base_of(lead.own, version.struct_text, effort.seeds)
    dense = await in_thread(_redrawn_floats, base, effort.seeds[0], "filled")
    cost, (trial, dense_trial) = await _measured(job, version, [lead.own.new, dense])
    if _has_long_blocks(lead.own.new, trial):
        return await _derive_smaller(job, version, lead, _with_some_blocks(lead.own), effort)
    if trial.is_late and (unchecked := await _measured_unchecked(job, version, lead.own)) is not None:
        return await _of_smaller(job, version, lead, unchecked, effort)
    own, text = replace(_within(job, base.case, cost, effort), iterations=trial.iterations), version.struct_text
    bases = [replace(base, case=own)]
    reason = trial.unclean(trial.problem_kinds)
    if reason is not None:
        unused = f"other values and sizes of {own.new.origin.shape}: by itself, with every check on, the original {reason}"
        return DerivedCases((own,), (unused,))
    if trial.is_unsupported:
        return DerivedCases((own, *(case for _, case in chosen_values(bases, cost, effort, lead.is_declared)[0] if not _is_risky(case))))
    model, sizes, anchors = _model(version, lead), SizeTrials(), list[JudgedCase]()
    if model is not None:
        usable = dense_trial if dense_trial.unclean(trial.problem_kinds) is None else trial
        launch = SizedLaunch(usable, model, cost, base.layouts, _grid_of_text(version, own, model))
        sizes = await try_sizes(trials_of(job, version.program), launch, effort.seeds[0], effort.is_confirming)
        usable_sizes = [sized for sized in (sizes.base, *sizes.grown) if sized is not None]
        anchors = [replace(_sized(own, sized, sized.new, model), checked=sized.checked) for sized in usable_sizes]
    if sizes.base is not None and model is not None:
        sparse = await in_thread(_sparse_at, base, effort.seeds[0], model, sizes.base.plan)
        bases.append(base_of(_sized(own, sizes.base, sparse, model), text, effort.seeds))
    written = None if model is None else _grid_of_text(version, own, model)
    bases = [replace(base, model=model, written=written) for base in bases]
    made, notes = await in_thread(chosen_values, bases, cost, effort, lead.is_declared)
    kept, dropped = await _clean(job, version, [one for one in made if not _has_fewer_blocks(one)], trial)
    fewer = [case for _, case in filter(_has_fewer_blocks, made) if not _is_run_in_part(job, case)]
    kept += await independent_of_grid(trials_of(job, version.program), fewer, trial.problem_kinds)
    kept = _with_all_shifts(kept, shift_count(bases[-1].case.new, base.layouts))
    repeated = (replace(case, repeats=_repeats(case, own, effort)) for case in kept)
    names = () if model is None else tuple(model.varied)
    return DerivedCases((replace(own, checked=trial.checked), *anchors, *repeated), (*sizes.dropped, *dropped), notes, names)


def _is_in_part(own: JudgedCase) -> bool:
    launch = own.new.recording.launches[0]
    return launch.blocks_run is not None and not launch.chosen_blocks


async def _derive_smaller(job: Job, version: SourceVersion, lead: Lead, own: JudgedCase, effort: Effort) -> DerivedCases:
    """``own``: the launch, or some of its blocks. Everything else by a smaller size, or, where nothing shows how it shrinks, by ``own``."""
    cost, (trial,) = await _measured(job, version, [own.new])
    if trial.is_late and (unchecked := await _measured_unchecked(job, version, own)) is not None:
        return await _of_smaller(job, version, lead, unchecked, effort)
    smaller = await _smaller_sizes(job, version, lead, _Measured(own, cost, trial), effort)
    own = replace(_within(job, own, cost, effort), checked=trial.checked, iterations=trial.iterations)
    if isinstance(smaller, tuple):
        derived = await _derive_whole(job, version, replace(lead, own=own), effort)
        return replace(derived, dropped=(*smaller, *derived.dropped))
    return replace(smaller, cases=(own, *smaller.cases))


async def _of_smaller(job: Job, version: SourceVersion, lead: Lead, measured: _Measured, effort: Effort) -> DerivedCases:
    """Of a launch that does not end in its time with every check on: everything else by a smaller size, or nothing."""
    smaller = await _smaller_sizes(job, version, lead, measured, effort)
    own = _within(job, measured.own, measured.cost, effort)
    if isinstance(smaller, tuple):
        shape = own.new.origin.shape
        unused = f"other values and sizes of {shape}: by itself, with every check on, the original does not end in {_TRIAL_S:g} s"
        return DerivedCases((own,), (*smaller, unused))
    return replace(smaller, cases=(own, *smaller.cases))


async def _smaller_sizes(
    job: Job, version: SourceVersion, lead: Lead, measured: _Measured, effort: Effort
) -> DerivedCases | tuple[str, ...]:
    """What a smaller launch gives; the sizes that do not count, where there is none."""
    own, cost, trial = measured.own, measured.cost, measured.trial
    model = _model(version, lead) if trial.unclean(trial.problem_kinds) is None else None
    if model is None:
        return ()
    recorded = own.new.recording.launches[0]
    share = threads_run(recorded) / recorded.config.thread_count
    whole = replace(cost, threads=recorded.config.thread_count, checked_s=None if cost.checked_s is None else cost.checked_s / share)
    layouts = layouts_of(own.new, version.struct_text)
    launch = SizedLaunch(trial, model, whole, layouts, _grid_of_text(version, own, model))
    sizes = await try_sizes(trials_of(job, version.program), launch, effort.seeds[0], is_confirming=False)
    if sizes.base is None:
        return sizes.dropped
    smaller = replace(_sized(own, sizes.base, sizes.base.new, model), is_checked=True, repeats=effort.repeats)
    derived = await derive(job, version, replace(lead, own=smaller), effort)
    return replace(derived, cases=tuple(_grown_from_own(case, model) for case in derived.cases))


def _with_some_blocks(own: JudgedCase) -> JudgedCase:
    launch = own.new.recording.launches[0]
    count = min(_MOST_BLOCKS, max(_FEWEST_BLOCKS, (launch.blocks_run or 0) // _BLOCKS_SHARE))
    return replace(own, new=with_chosen_blocks(own.new, spread_blocks(launch.config.grid, count)))


def _grown_from_own(case: JudgedCase, model: SizeModel) -> JudgedCase:
    """With what says how a candidate's grid follows from the program's own: what the case was made from is of our own making."""
    return case if case.resize is None else replace(case, resize=replace(case.resize, model=model))


async def redrawn(job: Job, version: SourceVersion, own: JudgedCase, effort: Effort, *, is_shifted: bool = False) -> DerivedCases:
    """A further launch of a kernel: on its own values, and on fresh draws where the original is clean on them. ``is_shifted``: also with
    its buffers behind a boundary, in all ways or, where time does not allow that, in none."""
    own = _with_some_blocks(own) if _is_in_part(own) else own
    cost, (trial,) = await _measured(job, version, [own.new])
    own = replace(_within(job, own, cost, effort), iterations=trial.iterations)
    if own.given or not effort.is_confirming or trial.unclean(trial.problem_kinds) is not None:
        return DerivedCases((own,))
    base = base_of(own, version.struct_text, effort.seeds)
    made, shifts = first_values(base, case_count(cost, _REDRAWN_COUNT), is_declared=False), shift_count(own.new, base.layouts)
    if is_shifted and case_count(cost, _REDRAWN_COUNT + shifts) == _REDRAWN_COUNT + shifts:
        made += await in_thread(shifted_values, base)
    kept, dropped = await _clean(job, version, made, trial)
    return DerivedCases((own, *_with_all_shifts(kept, shifts)), tuple(dropped))


async def bounded(job: Job, version: SourceVersion, own: JudgedCase, effort: Effort) -> JudgedCase:
    """A declared case with the repeats that time allows; what a small one takes is not measured."""
    cost = cost_of(own.new)
    if is_large(cost):
        cost, _ = await _measured(job, version, [own.new])
    return _within(job, own, cost, effort)


def cost_of(case: NewCase) -> Cost:
    """As far as it is known without running anything."""
    threads = max(threads_run(launch) for launch in case.recording.launches)
    return Cost(threads, sum(buffer.size_bytes for buffer in case.recording.buffers), None)


async def _measured(job: Job, version: SourceVersion, cases: Sequence[NewCase]) -> tuple[Cost, list[CaseTrial]]:
    """What a run of the original on the first case costs, and how all cases went; they have the same size."""
    cost = cost_of(cases[0])
    is_checked = cost.threads <= CHECKED_THREADS or job.lab.timing is not None
    trials = await try_version(job, version.program, cases, _TRIAL_S, is_checked)
    run, tried = trials[0].run, trials[0].case.recording.launches[0]
    cost = replace(cost, emulated_ratio=min(1.0, threads_run(tried) / max(1, cost.threads)))
    has_run = is_checked and run is not None and run.error is None
    if not has_run or run is None:
        return cost, trials
    whole_s, launch = work_s(cost.threads, cost.size_bytes, run.profiles), cases[0].recording.launches[0]
    share = threads_run(launch) / max(1, launch.config.thread_count)  # counters are of the whole grid
    return replace(cost, checked_s=whole_s * share), trials


async def _measured_unchecked(job: Job, version: SourceVersion, own: JudgedCase) -> _Measured | None:
    """A launch that did not end in its time with every check on, run without them; None where it does not end then either."""
    (trial,) = await try_version(job, version.program, [own.new], _TRIAL_S, is_checked=False)
    return None if trial.is_late else _Measured(own, replace(cost_of(own.new), checked_s=_TRIAL_S), trial)


def _within(job: Job, own: JudgedCase, cost: Cost, effort: Effort) -> JudgedCase:
    is_checked = cost.threads <= CHECKED_THREADS or job.lab.timing is not None
    return replace(own, repeats=repeat_count(cost, effort.repeats), is_checked=is_checked)


def _has_long_blocks(own: NewCase, trial: CaseTrial) -> bool:
    """Whether some blocks were all that the emulator ran in its time, of a launch of few: each does much, as in a loop over the grid."""
    return chosen_in(trial.case) != () and not chosen_in(in_part(own)) and not chosen_in(own)


def _is_run_in_part(job: Job, case: JudgedCase) -> bool:
    """Whether the emulator runs some blocks of it alone, which is not the launch with fewer blocks."""
    return job.lab.timing is not None and chosen_in(in_part(case.new)) != ()


def _model(version: SourceVersion, lead: Lead) -> SizeModel | None:
    text = version.struct_text
    if lead.is_declared or len(lead.own.new.launches) != 1 or chosen_in(lead.own.new):
        return None
    return size_model_of(lead.own.new, lead.own.parameters[0], lead.observed, lambda name: layout_named(text, name))


def _grid_of_text(version: SourceVersion, own: JudgedCase, model: SizeModel) -> WrittenGrid | None:
    return written_grid(version.files, own.kernel, model.sizes, model.grid.config)


def _redrawn_floats(base: Base, seed: int, zeros: Zeros) -> NewCase:
    return fresh_values(base.case.new, Draw(seed, integers="kept", zeros=zeros), base.layouts, base.row_lengths)


def _sparse_at(base: Base, seed: int, model: SizeModel, plan: Plan) -> NewCase:
    """The launch at other sizes, on values that are zero as often as the program's may be."""
    return at_sizes(_redrawn_floats(base, seed, "scattered"), model, plan)


def _sized(own: JudgedCase, sized: CleanSize, new: NewCase, model: SizeModel) -> JudgedCase:
    resize = Resize(model, tuple(sized.plan.sizes.items()))
    return replace(own, new=new, resize=resize, iterations=sized.iterations, is_checked=True, repeats=1, given=())


async def _clean(
    job: Job, version: SourceVersion, made: Sequence[tuple[Base, JudgedCase]], own: CaseTrial
) -> tuple[list[JudgedCase], list[str]]:
    """Those on which the original is clean; where other integers are not, those that change one buffer each."""
    kept, reasons = await _sorted_out(job, version, [case for _, case in made], own)
    again = [one for base, case in made if case.new.origin.kind in INTEGER_KINDS and id(case) in reasons for one in apart(base, case)]
    more, _ = await _sorted_out(job, version, again, own)
    helped = {(case.new.origin.kind, case.new.origin.shape) for case in more}
    helped |= {(SHIFTED, case.new.origin.shape) for _, case in made}  # an original that needs aligned buffers has nothing to say of others
    unused = [case for _, case in made if id(case) in reasons and (case.new.origin.kind, case.new.origin.shape) not in helped]
    return [*kept, *more], [f"{_name(case)}: the original {reasons[id(case)]}" for case in unused]


async def _sorted_out(
    job: Job, version: SourceVersion, cases: Sequence[JudgedCase], own: CaseTrial
) -> tuple[list[JudgedCase], dict[int, str]]:
    """Clean ones, and why the others are not, by ``id``; what is larger than the emulator checks counts only where it is no risk."""
    tried = [case for case in cases if job.lab.timing is not None or cost_of(case.new).threads <= CHECKED_THREADS]
    reasons = {id(case): _UNTRIED for case in cases if case not in tried and _is_risky(case)}
    trials = await try_version(job, version.program, [case.new for case in tried], _FURTHER_TRIAL_S)
    for case, trial in zip(tried, trials, strict=True):
        reason = trial.unclean(own.problem_kinds)
        if reason is None and case.new.origin.kind == "refilled" and not _written(own) <= _written(trial):
            reason = "leaves out there what it writes otherwise"
        if reason is not None:
            reasons[id(case)] = reason
    checked = {id(case): trial.checked for case, trial in zip(tried, trials, strict=True)}
    return [replace(case, checked=checked.get(id(case))) for case in cases if id(case) not in reasons], reasons


def _written(trial: CaseTrial) -> frozenset[int]:
    """Ids of the buffers that the launch changed."""
    return frozenset(buffer for buffer, count in trial.written.items() if count)


def _with_all_shifts(cases: list[JudgedCase], count: int) -> list[JudgedCase]:
    """Without shifted buffers where the original is not clean on all of them, or time did not allow all: some alone prove no guard."""
    is_whole = sum(case.new.origin.kind == SHIFTED for case in cases) == count
    return cases if is_whole else [case for case in cases if case.new.origin.kind != SHIFTED]


def _has_fewer_blocks(made: tuple[Base, JudgedCase]) -> bool:
    return made[1].new.origin.kind == SMALLER_GRID


def _is_risky(case: JudgedCase) -> bool:
    """Whether it may send the original where it must not be: other sizes, and integers that may be places."""
    return case.new.origin.kind in _RISKY_KINDS


def _name(case: JudgedCase) -> str:
    origin = case.new.origin
    return f"{origin.kind} {origin.shape}".strip()


def _repeats(case: JudgedCase, own: JudgedCase, effort: Effort) -> int:
    """Repeats of a case: fresh draws as often as the launch itself, at a smaller size as often as is wished."""
    if case.new.origin.kind not in _REPEATED_KINDS:
        return 1
    return own.repeats if case.new.origin.is_own_size else effort.repeats
