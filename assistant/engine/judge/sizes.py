"""Other sizes of a recorded launch, as far as its recordings show how buffers and grid follow from the integers that are passed.

Every size is tried on the original first: it counts where the original runs clean and writes as much as a launch of that size must
write. A launch that is too large for many cases is made smaller in the same way. Example::

    tried = await try_sizes(try_cases, launch, seed, is_confirming=True)
    [sized.new.origin.shape for sized in tried.grown]      # ["n=2000", "n=1409"]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from assistant.engine.judge.budget import Cost, affordable, is_large, keeps_own_values, shrink_ratio, trial_count
from assistant.engine.judge.replaying import CaseTrial, TryCases
from assistant.engine.judge.written_grid import WrittenGrid
from assistant.engine.threads import in_thread
from assistant.model.recording import RecordedBuffer, Recording
from assistant.model.source import Parameter
from assistant.model.structs import LayoutOf
from assistant.record import Record
from assistant.verify.evidence import SideRun
from assistant.verify.numbers import element_of
from assistant.workload.chosen_blocks import chosen_in, threads_run
from assistant.workload.derive import Layouts, fresh_values
from assistant.workload.draws import Draw
from assistant.workload.grown_contents import element_bytes, element_count
from assistant.workload.other_sizes import larger, smaller, within, work_ratio
from assistant.workload.recordings import NewCase
from assistant.workload.relations import CountAtSizes, Sizes, explain_count
from assistant.workload.resize import (
    ObservedLaunch,
    Place,
    Plan,
    SizeModel,
    at_sizes,
    plans,
    size_model,
    with_config,
)
from assistant.workload.scalars import scalars_of

__all__ = ["CleanSize", "SizeTrials", "SizedLaunch", "observed_launches", "size_model_of", "try_sizes"]

_ATTEMPTS = 4
"""Ways to launch at one size that are tried."""
_LIMIT_S = 10.0
"""For one case on the original."""
_LEAST_COVERED_RATIO = 0.97
"""Share of what a launch must write, where results may happen to be what stood there."""
_LEAST_ESTIMATED_RATIO = 0.75
"""Where only some blocks of the launch ran, so that what all of them write is estimated from these: those at its edges write less."""
_TELLING_BYTES = 4
"""Results of this width are hardly ever a pattern by chance."""
_LESS_SMALL = 4
"""Times the work of a smaller launch that one which is not as small has."""
_BASE = "base"


class SizedLaunch(Record):
    """A recorded launch whose sizes can be varied."""

    own: CaseTrial
    """At its own sizes on dense values, tried on the original."""
    model: SizeModel
    cost: Cost
    layouts: Layouts
    written: WrittenGrid | None = None
    """What the text of the launch says of its grid; None where it says nothing."""


class CleanSize(Record):
    """The launch at a size of our own, on which the original is clean."""

    new: NewCase
    plan: Plan
    checked: SideRun | None = None
    """The original's run with every check on, where the lab has made it."""
    iterations: float = 0.0
    """As of `CaseTrial`."""


class SizeTrials(Record):
    """What came of varying one launch's sizes."""

    base: CleanSize | None = None
    """Smaller, for a launch that is too large for many cases."""
    grown: tuple[CleanSize, ...] = ()
    dropped: tuple[str, ...] = ()


def observed_launches(
    recordings: Sequence[Recording], instance: str, parameters: tuple[Parameter, ...], layout_of: LayoutOf
) -> list[ObservedLaunch]:
    """Every launch of the kernel's instance, in order; counts are bytes."""
    found: list[ObservedLaunch] = []
    for recording in recordings:
        sizes = {buffer.id: buffer.size_bytes for buffer in recording.buffers}
        for launch in (launch for launch in recording.launches if launch.kernel == instance):
            counts = {
                (position, pointer.offset_bytes): sizes[pointer.buffer]
                for position, argument in enumerate(launch.arguments)
                for pointer in argument.pointers
                if pointer.buffer_offset_bytes == 0
            }
            integers = {scalar.name: scalar.value for scalar in scalars_of(launch, parameters, layout_of)}
            found.append(ObservedLaunch(integers, launch.config, counts))
    return found


def size_model_of(
    case: NewCase, parameters: tuple[Parameter, ...], others: Sequence[ObservedLaunch], layout_of: LayoutOf
) -> SizeModel | None:
    """How the case's one launch grows; ``others``: all launches of the kernel that are known. None where nothing shows it."""
    launch = case.recording.launches[0]
    if launch.is_cooperative or launch.cluster is not None or any(buffer.pointers for buffer in case.recording.buffers):
        return None
    scalars = scalars_of(launch, parameters, layout_of)
    buffers = {buffer.id: buffer for buffer in case.recording.buffers}
    places = {
        (position, pointer.offset_bytes): buffers[pointer.buffer]
        for position, argument in enumerate(launch.arguments)
        for pointer in argument.pointers
    }
    own = ObservedLaunch(
        {s.name: s.value for s in scalars}, launch.config, {place: element_count(buffer) for place, buffer in places.items()}
    )
    known = {_identity(own): own}
    for other in others:
        if other.sizes.keys() == own.sizes.keys():
            known.setdefault(_identity(other), _in_elements(other, places))
    return size_model(case, list(known.values()), scalars)


async def try_sizes(try_cases: TryCases, launch: SizedLaunch, seed: int, is_confirming: bool) -> SizeTrials:
    """Grow, and shrink what is large, until each purpose has a usable size; a second round tries harder what the first did not find.

    Where a smaller launch leaves too many results as they were, one that is not as small is tried: a block that adds zero is less of it.
    While candidates are ranked, one size is enough. Where a launch takes too long, one with fewer threads at the same sizes says nothing:
    it may be quick because it leaves out work.
    """
    purposes = _purposes(launch)
    chosen = list(purposes) if is_confirming else list(purposes)[:1]
    waiting = {name: _cases(launch, purposes[name], seed) for name in chosen}
    uncovered: dict[str, Iterator[CleanSize]] = {}
    found: dict[str, CleanSize] = {}
    reasons: dict[str, str] = {}
    late: dict[str, int] = {}
    for ways, count in ((waiting, 1), (waiting, trial_count(launch.cost, is_smaller=chosen_in(launch.own.case) != ())), (uncovered, 1)):
        left = {name: made for name, made in ways.items() if name not in found}
        if ways is uncovered and not left:
            break
        batch = await in_thread(_next_of_each, left, count)
        trials = await try_cases([sized.new for _, sized in batch], _LIMIT_S)
        for late_one in (trial.case for trial in trials if trial.is_late):
            late[late_one.origin.shape] = max(_thread_count(late_one), late.get(late_one.origin.shape, 0))
        for (name, sized), trial in zip(batch, trials, strict=True):
            if _thread_count(sized.new) < late.get(sized.new.origin.shape, 0):
                continue
            unclean = trial.unclean(launch.own.problem_kinds)
            reason = unclean or _not_covered(launch, trial, sized.plan)
            if name == _BASE and unclean is None and reason is not None:
                uncovered.setdefault(name, _cases(launch, _less_small(launch), seed))
            if reason is None:
                found.setdefault(name, replace(sized, checked=trial.checked, iterations=trial.iterations))
            else:
                reasons.setdefault(name, f"resized {sized.new.origin.shape}: the original {_at_another_size(reason)}")
    grown = {sized.new.origin.shape: sized for name, sized in found.items() if name != _BASE}
    return SizeTrials(found.get(_BASE), tuple(grown.values()), tuple(reason for name, reason in reasons.items() if name not in found))


def _next_of_each(waiting: Mapping[str, Iterator[CleanSize]], count: int) -> list[tuple[str, CleanSize]]:
    return [(name, sized) for name, made in waiting.items() for sized in islice(made, count)]


def _thread_count(case: NewCase) -> int:
    return sum(launch.config.thread_count for launch in case.recording.launches)


def _purposes(launch: SizedLaunch) -> dict[str, list[dict[str, int]]]:
    """Sizes in the order in which they are tried, by what they are for; what shows most comes first."""
    own = launch.model.varied
    base = _smaller(launch, shrink_ratio(launch.cost)) if is_large(launch.cost) else []
    wanted = larger(own, _fixed(launch), launch.model.leading, launch.model.looped)
    grown = {name: [within(own, one, launch.model.leading) for one in sizes] for name, sizes in wanted.items()}
    ratios = {name: work_ratio(own, sizes[0]) for name, sizes in grown.items()}
    return ({_BASE: base} if base else {}) | {name: grown[name] for name in affordable(launch.cost, ratios)}


def _smaller(launch: SizedLaunch, ratio: float) -> list[dict[str, int]]:
    """Sizes of about ``ratio`` of the work. None for a smaller launch that still holds too much data: no integer says how much."""
    if keeps_own_values(launch.cost) and not launch.own.case.origin.is_own_size:
        return []
    own = launch.model.varied
    return [one for one in (within(own, one, launch.model.leading) for one in smaller(own, ratio)) if one != own]


def _less_small(launch: SizedLaunch) -> list[dict[str, int]]:
    """Sizes of a few times the work of the smaller ones; none where that is the launch's own."""
    ratio = _LESS_SMALL * shrink_ratio(launch.cost)
    return _smaller(launch, ratio) if ratio < 1.0 else []


def _fixed(launch: SizedLaunch) -> frozenset[str]:
    """Integers that may say how much of a device variable is in use, whose size is part of the source: they do not grow."""
    counts = [element_count(buffer) for buffer in launch.own.case.recording.buffers if buffer.symbol is not None]
    return frozenset(name for name, value in launch.model.varied.items() if value <= max(counts, default=0))


def _cases(launch: SizedLaunch, sizes: Sequence[dict[str, int]], seed: int) -> Iterator[CleanSize]:
    """Launches at these sizes, on fresh values of the program's kinds."""
    for one in (one for one in sizes if launch.model.keeps_elements_whole(one)):
        drawn: dict[bool, NewCase] = {}
        for plan in islice(_meant(launch, {**launch.model.sizes, **one}), _ATTEMPTS):
            if plan.is_followed not in drawn:
                made = at_sizes(launch.own.case, launch.model, plan)
                fresh = fresh_values(made, Draw(seed, integers="kept", zeros="filled"), launch.layouts)
                drawn[plan.is_followed] = replace(fresh, origin=replace(made.origin, seed=seed))
            yield CleanSize(with_config(drawn[plan.is_followed], plan.config), plan)


def _meant(launch: SizedLaunch, sizes: Sizes) -> Iterator[Plan]:
    """Ways to launch at ``sizes``; with the grid that the program would have there, where its text says it: of two equal sizes the
    recorded grid does not show which one it follows."""
    grids = () if launch.written is None else launch.written.at(sizes)
    found = plans(launch.model, sizes)
    if not grids:
        yield from found
        return
    known = tuple(found)
    kept = [plan for plan in known if plan.config.grid in grids]
    yield from kept or [replace(plan, config=replace(plan.config, grid=grids[0])) for plan in known[:1]]


def _not_covered(launch: SizedLaunch, trial: CaseTrial, plan: Plan) -> str | None:
    """Why a launch at these sizes cannot be what the kernel is meant for: it leaves out what a right one would write."""
    before, after = (_totals(case.recording.buffers) for case in (launch.own.case, trial.case))
    poisoned = {buffer.id: _least_covered_of_pattern(buffer) for buffer in trial.case.recording.buffers if buffer.is_poisoned}
    written, share = trial.written, _share_run(launch.own.case)
    for buffer, seen in launch.own.written.items():
        if buffer not in launch.model.counts or not seen:
            continue
        count = min(round(seen / share), before[buffer])
        if share < 1.0 and count >= _LEAST_COVERED_RATIO * before[buffer]:
            count = before[buffer]  # an estimate is no product of sizes; that of all elements may be
        now = written.get(buffer, 0)
        least_ratio = _LEAST_ESTIMATED_RATIO if share < 1.0 else poisoned.get(buffer, _LEAST_COVERED_RATIO)
        expected = [term.at(plan.sizes) for term in explain_count(CountAtSizes(launch.model.varied, count))]
        is_explained = any(least_ratio * most <= now <= most for most in expected)
        if not is_explained and now < least_ratio * count / before[buffer] * after[buffer]:
            return f"writes {now} of {after[buffer]} elements there"
    return None


def _share_run(case: NewCase) -> float:
    """Share of the launch's threads that a replay runs."""
    launch = case.recording.launches[0]
    return threads_run(launch) / launch.config.thread_count


def _least_covered_of_pattern(buffer: RecordedBuffer) -> float:
    """For memory that holds a pattern: all of it, where hardly any result is the pattern itself."""
    return 1.0 if element_of(buffer.element_type, buffer.size_bytes).scalar_bytes >= _TELLING_BYTES else _LEAST_COVERED_RATIO


def _totals(buffers: Sequence[RecordedBuffer]) -> dict[int, int]:
    """Components per buffer."""
    return {buffer.id: buffer.size_bytes // element_of(buffer.element_type, buffer.size_bytes).scalar_bytes for buffer in buffers}


def _identity(one: ObservedLaunch) -> object:
    return tuple(one.sizes.items()), one.config


def _in_elements(one: ObservedLaunch, buffers: dict[Place, RecordedBuffer]) -> ObservedLaunch:
    counts = {place: size // element_bytes(buffers[place]) for place, size in one.counts.items() if place in buffers}
    return ObservedLaunch(one.sizes, one.config, counts)


def _at_another_size(reason: str) -> str:
    """A message that names the size as one of our own making: the program may be right at all that it has."""
    ours = "goes wrong at this size, which the program does not have:"
    return reason.replace("has a problem there:", ours, 1).replace("writes beyond", f"{ours} it writes beyond", 1)
