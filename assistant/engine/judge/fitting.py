"""What the candidate runs on each case: the original's arguments and buffers, its own kernel and grid.

At a size of our own, the candidate's grid is what the text of its launch says, if the original was launched as its own text says; else,
and where the text cannot be read, it follows from its recorded launches. Where several grids fit what was recorded, all are run once, and
the best is taken: the candidate's own program would launch it so. A size at which the texts say that the versions have other numbers of
blocks is left out where each block leaves a result of its own: there are other results then, and nothing shows which are right. Example::

    a, b = VersionLaunches(original, recording), VersionLaunches(candidate, its_recording)
    chosen = await fitted(try_cases, fittings(cases, pairs, a, b))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from assistant.cuda.constants import integer_constant
from assistant.cuda.parse import parse_with_trees
from assistant.cuda.struct_layouts import layout_named
from assistant.engine.evaluate import JudgedCase, for_candidate
from assistant.engine.judge.baseline import Baseline, PreparedCase
from assistant.engine.judge.block_results import block_results, has_part_by_size
from assistant.engine.judge.changes import same_kernel
from assistant.engine.judge.filled import filled
from assistant.engine.judge.own_blocks import missed_ratio, with_own_blocks
from assistant.engine.judge.replaying import CaseTrial, TryCases
from assistant.engine.judge.sizes import observed_launches
from assistant.engine.judge.written_grid import WrittenGrid, written_grid
from assistant.engine.source_version import SourceVersion
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import Recording
from assistant.record import Record
from assistant.verify.numbers import element_of, floats, largest
from assistant.workload.chosen_blocks import chosen_in
from assistant.workload.recordings import NewCase
from assistant.workload.relations import Sizes
from assistant.workload.resize import GridModel, ObservedLaunch, configs_at, grid_model
from assistant.workload.select import LaunchPair

__all__ = ["Fitting", "VersionLaunches", "fitted", "fittings", "followed"]

_LIMIT_S = 10.0
_USUAL_SHARED_BYTES = 48 << 10
"""What a launch may ask for without further ado (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability")."""
_NEAR_RATIO = 1e-3
"""Ratio to the largest value: results this close show that a launch is what it should be."""


class Fitting(Record):
    """One case of the original, and the launches that may be the candidate's on it, likeliest first."""

    item: PreparedCase
    choices: tuple[NewCase, ...]
    followed: frozenset[str] = frozenset()
    """The integers that the candidate's grid follows from; empty at recorded sizes."""
    unlike: str | None = None
    """Why the candidate cannot be run on the case; None where it can."""


class VersionLaunches(Record):
    """One version, and what its program launches."""

    version: SourceVersion
    recording: Recording | None


def fittings(
    cases: Sequence[PreparedCase], pairs: Sequence[LaunchPair], original: VersionLaunches, candidate: VersionLaunches
) -> list[Fitting]:
    """The cases that the candidate can be run on."""
    found: list[Fitting] = []
    grids: dict[object, _Grid | None] = {}
    for item in cases:
        new = for_candidate(item.case, pairs, candidate.version)
        if new is not None:
            new = filled(new, item.case, pairs, original.recording, candidate.recording)
            launch = item.case.launch_index, None if item.case.resize is None else id(item.case.resize.model)
            if launch not in grids:
                grids[launch] = _grid_of(item.case, pairs, original.version, candidate)
            grid = grids[launch]
            if chosen_in(new):
                found.append(Fitting(item, with_own_blocks(item.case.new, new)))
                continue
            asks = _computes_shared_memory(candidate.version, item.case)
            found.append(Fitting(item, (new,)) if grid is None else _fitting(item, new, grid, asks_for_more=asks))
    return found


class _Grid(Record):
    """The candidate's, for one of the original's launches."""

    model: GridModel
    """What recorded launches show."""
    written: WrittenGrid | None
    """What the text says."""
    of_original: WrittenGrid | None
    """What the original's text says."""
    has_block_results: bool
    """Each block of either version leaves a result of its own, of a part of the work that follows from the block's size."""

    def configs_at(self, sizes: Sizes, original: Dim3) -> tuple[LaunchConfig, ...]:
        """Likeliest first. ``original``: the original's grid at these sizes; where its own text asks for another, texts show nothing."""
        configs = configs_at(self.model, sizes)
        meant = () if self.of_original is None else self.of_original.at(sizes)
        grids = () if self.written is None or (meant and original not in meant) else self.written.at(sizes)
        return tuple(replace(configs[0], grid=grid) for grid in grids) if configs and grids else configs

    def other_blocks_at(self, sizes: Sizes, original: Dim3) -> int | None:
        """Blocks at these sizes, where they are not as many as the original's and leave other results for it; else None."""
        grids = (self.of_original, self.written)
        meant, own = (() if grid is None else grid.at(sizes) for grid in grids)
        counts = {grid.count for grid in own}
        return min(counts) if self.has_block_results and original in meant and counts and original.count not in counts else None

    @property
    def names(self) -> frozenset[str]:
        """The integers that it follows from."""
        return self.model.names if self.written is None else self.written.names


def _fitting(item: PreparedCase, new: NewCase, grid: _Grid, *, asks_for_more: bool) -> Fitting:
    """``asks_for_more``: how much shared memory the candidate's host code would ask for is not known, so that it may get enough."""
    assert item.case.resize is not None, "a grid is only asked for at other sizes"
    sizes, original = dict(item.case.resize.sizes), item.case.new.recording.launches[0].config.grid
    others = grid.other_blocks_at(sizes, original) if item.case.resize.is_whole else None
    if others is not None:
        origin = item.case.new.origin
        reason = f"B has {others:,} blocks there, A {original.count:,}, and each leaves a result of its own"
        return Fitting(item, (), grid.names, f"{origin.kind} {origin.shape}: {reason}")
    configs = grid.configs_at(sizes, original)
    if asks_for_more:
        configs += tuple(replace(one, shared_bytes=_USUAL_SHARED_BYTES) for one in configs if one.shared_bytes < _USUAL_SHARED_BYTES)
    choices = tuple(_started(new, config) for config in configs) or (new,)
    if not item.case.resize.is_whole:  # the original has kept its grid, so the candidate may
        choices = (new, *(choice for choice in choices if choice.recording.launches[0].config != new.recording.launches[0].config))
    return Fitting(item, choices, grid.names)


async def fitted(try_cases: TryCases, fittings: Sequence[Fitting]) -> list[tuple[PreparedCase, NewCase]]:
    """Each case with the launch that the candidate runs on it: of several, the one that comes nearest to what the original leaves."""
    waiting = {_size_of(one): one for one in reversed(fittings) if len(one.choices) > 1}
    best: dict[_Size, tuple[float, _Start]] = {}
    for round_choices in (slice(0, 1), slice(1, None)):
        still = [one for size, one in waiting.items() if best.get(size, _UNKNOWN)[0] > _NEAR_RATIO]
        tried = [(one, choice) for one in still for choice in one.choices[round_choices]]
        trials = await try_cases([choice for _, choice in tried], _LIMIT_S)
        for (one, choice), trial in zip(tried, trials, strict=True):
            size, distance = _size_of(one), _distance(one.item, trial)
            if size not in best or distance < best[size][0]:
                best[size] = distance, _started_with(choice)
    return [(one.item, _taken(one, best[_size_of(one)][1] if _size_of(one) in best else None)) for one in fittings]


_Size = tuple[int | None, str]
"""A launch of the original's recording at one size."""
_Start = tuple[LaunchConfig, tuple[int, ...]]
"""How a launch is started, and which of its blocks run."""
_UNKNOWN = (float("inf"), None)


def _size_of(one: Fitting) -> _Size:
    return one.item.case.launch_index, one.item.case.new.origin.shape


def _taken(one: Fitting, started: _Start | None) -> NewCase:
    return next((choice for choice in one.choices if _started_with(choice) == started), one.choices[0])


def _started_with(choice: NewCase) -> _Start:
    return choice.recording.launches[0].config, chosen_in(choice)


def _grid_of(case: JudgedCase, pairs: Sequence[LaunchPair], original: SourceVersion, candidate: VersionLaunches) -> _Grid | None:
    """How the candidate's grid follows from the integers passed; None at recorded sizes and where it was not recorded."""
    pair = case.pair_in(pairs)
    if case.resize is None or pair is None or candidate.recording is None:
        return None
    text = candidate.version.struct_text
    observed = observed_launches([candidate.recording], pair.kernel, case.parameters[0], lambda name: layout_named(text, name))
    own = ObservedLaunch(case.resize.model.sizes, pair.config, {})
    others = [one for one in observed if one.sizes.keys() == own.sizes.keys() and one.sizes != own.sizes]
    model = grid_model([own, *others], [term for terms in case.resize.model.counts.values() for term in terms])
    own_grid = written_grid(original.files, case.kernel, own.sizes, case.resize.model.grid.config)
    written = written_grid(candidate.version.files, case.kernel, own.sizes, pair.config)
    results = block_results(original, case.kernel) & block_results(candidate.version, case.kernel)
    has_results = bool(results) and has_part_by_size(original, case.kernel, case.resize.model.grid.config.block)
    return _Grid(model, written, own_grid, has_results)


def _computes_shared_memory(candidate: SourceVersion, case: JudgedCase) -> bool:
    """Whether a launch of the kernel asks for dynamic shared memory by an expression that is no constant."""
    kernels = [kernel for kernel in candidate.parsed.kernels if kernel.key == case.kernel]
    asked = [site.shared.text for kernel in kernels for site in candidate.parsed.launch_sites_of(kernel) if site.shared is not None]
    trees = parse_with_trees(candidate.source)[1] if asked else ()
    return any(all(integer_constant(tree, text) is None for tree in trees) for text in asked)


def _started(new: NewCase, config: LaunchConfig) -> NewCase:
    launches = tuple(replace(launch, config=config) for launch in new.recording.launches)
    return replace(new, recording=replace(new.recording, launches=launches))


def _distance(item: PreparedCase, trial: CaseTrial) -> float:
    """How far the candidate's results are from the original's, over the largest one; infinite where it is not clean.

    Results that are not near place by place may be the same ones elsewhere, as where an arrival decides the place.
    """
    known = frozenset(problem.kind for run in item.original for problem in run.problems)
    first = next((run for run in item.original if run.is_comparable and run.error is None), None)
    if first is None or trial.unclean(known) is not None:
        return float("inf")
    if chosen_in(item.case.new):
        return missed_ratio(item.case, first, dict(trial.after))
    after, distance, elsewhere = dict(trial.after), 0.0, 0.0
    for buffer in item.case.new.recording.buffers:
        mine, theirs = after.get(buffer.id), first.contents(buffer.id)
        if mine is not None and theirs is not None and len(mine) == len(theirs):
            element = element_of(buffer.element_type, len(theirs))
            values, own = np.nan_to_num(floats(theirs, element)), np.nan_to_num(floats(mine, element))
            scale = largest(values) or 1.0
            distance = max(distance, largest(own - values) / scale)
            elsewhere = max(elsewhere, largest(np.sort(own) - np.sort(values)) / scale)
    return distance if distance <= _NEAR_RATIO else _NEAR_RATIO + elsewhere


def followed(baseline: Baseline, candidate: SourceVersion, fitting: Sequence[Fitting]) -> dict[str, frozenset[str]]:
    """What the candidate's grid follows from where other sizes are tried, by its kernel's qualified name."""
    found: dict[str, frozenset[str]] = {}
    for kernel in baseline.version.parsed.kernels:
        other = same_kernel(kernel, baseline.version, candidate)
        mine = [one.followed for one in fitting if one.item.case.kernel == kernel.key and one.followed]
        if other is not None and mine:
            found[other.qualified_name] = mine[0].intersection(*mine[1:])
    return found
