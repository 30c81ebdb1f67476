"""One run of a program, made of two: what it computed on a GPU, and what the emulator saw of the same program, all of it or in part.

From the GPU are recorded contents, what reached the host, and how the program ended; from the emulator are counters, problems, launch
sites, memory that nothing had written before a launch, and waits and calls of the host, where both runs asked for the same. Example::

    merged(gpu, emulated, "NVIDIA H200")          # ProgramRun with a recording of the GPU's and profiles of the emulator's
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from assistant.lab.uncounted import bare_profile
from assistant.model.launch import LaunchConfig
from assistant.model.problems import is_refused, merge_problems
from assistant.model.profile import LaunchProfile
from assistant.model.recording import HOST_COPIES, DeviceStep, RecordedLaunch, Recording
from assistant.ports.lab import NOT_RUN, UNSEEN, LabFailure, ProgramRun

__all__ = ["merged", "unseen_by_emulator"]

_Shape = tuple[str, LaunchConfig]
_RECORDED_ON = "GPU, by CUPTI's time stamps"


def merged(gpu: ProgramRun, emulated: ProgramRun) -> ProgramRun:
    """The GPU's run with what the emulator saw."""
    if gpu.recording is None or emulated.recording is None:
        return gpu
    recording = _with_what_was_seen(gpu.recording, emulated.recording)
    seen = _launches_of_gpu(gpu.recording, emulated)
    known = {(profile.kernel, profile.config) for profile in seen}
    bare = [bare_profile(launch.index, launch, _RECORDED_ON) for launch in _first_of_shapes(recording) if _shape(launch) not in known]
    missed = tuple(f"{UNSEEN}the emulator came to no launch of {kernel}" for kernel in dict.fromkeys(profile.kernel for profile in bare))
    notes = (*missed, *_in_part(emulated))
    left_out = tuple(f"{UNSEEN}the emulator does not run {text.removeprefix(NOT_RUN)}" for text in emulated.left_out)
    return replace(
        gpu,
        recording=replace(recording, not_captured=(*recording.not_captured, *notes)),
        profiles=tuple(sorted((*seen, *bare), key=lambda profile: profile.index)),
        problems=merge_problems(problem for profile in _trusted(emulated) for problem in profile.problems),
        unsupported=(*gpu.unsupported, *left_out, *(text for text in emulated.unsupported if not text.startswith(NOT_RUN))),
        missing_limits=tuple(dict.fromkeys((*gpu.missing_limits, *emulated.missing_limits))),
        emulated=emulated,
    )


def unseen_by_emulator(gpu: ProgramRun, failure: LabFailure) -> ProgramRun:
    """The GPU's run of a program that the emulator does not run: its launches by name, and why nothing is counted."""
    if gpu.recording is None:
        return gpu
    bare = tuple(bare_profile(launch.index, launch, _RECORDED_ON) for launch in _first_of_shapes(gpu.recording))
    return replace(gpu, profiles=bare, unsupported=(*gpu.unsupported, f"{UNSEEN}{failure.message}"))


def _shape(launch: RecordedLaunch | LaunchProfile) -> _Shape:
    return launch.kernel, launch.config


def _first_of_shapes(recording: Recording) -> tuple[RecordedLaunch, ...]:
    """The first launch of each shape that was kept; of the others, what is known of the first one: how it was started."""
    first = {_shape(launch): launch for launch in reversed(recording.launches)}
    places = _first_places(recording)
    for number, shape in enumerate(recording.shape_counts):
        key = (shape.kernel, shape.config)
        if key not in first:
            first[key] = RecordedLaunch(places[number], shape.kernel, shape.config, (), (), "", 0)
    return tuple(sorted(first.values(), key=lambda launch: launch.index))


def _first_places(recording: Recording) -> dict[int, int]:
    """Of each shape, by its number, which launch of the program its first one is; behind all of them where their order is not known."""
    launched = [step.shape for step in recording.steps or () if step.kind == "launch"]
    every = sum(shape.count for shape in recording.shape_counts)
    behind = {number: every + number for number in range(len(recording.shape_counts))}
    return behind | {shape: place for place, shape in reversed(list(enumerate(launched)))}


def _trusted(emulated: ProgramRun) -> Iterator[LaunchProfile]:
    """Launches that found in memory what the program computes: later ones may do wrong for want of that."""
    last = None if emulated.recording is None else emulated.recording.first_partial
    return (profile for profile in emulated.profiles if last is None or profile.index <= last)


def _launches_of_gpu(recording: Recording, emulated: ProgramRun) -> list[LaunchProfile]:
    """The emulator's profiles as those of the GPU's launches: by their place, where both launch the same things in the same order, else the
    first of each shape."""
    assert emulated.recording is not None
    if _counts(recording) == _counts(emulated.recording):
        return list(emulated.profiles)
    by_shape: dict[_Shape, LaunchProfile] = {}
    for profile in emulated.profiles:
        by_shape.setdefault(_shape(profile), profile)
    firsts = {_shape(launch): launch.index for launch in _first_of_shapes(recording)}
    refused = [profile for shape, profile in by_shape.items() if shape not in firsts and is_refused(profile)]  # a GPU keeps none of them
    return [*(replace(profile, index=firsts[shape]) for shape, profile in by_shape.items() if shape in firsts), *refused]


def _counts(recording: Recording) -> list[tuple[_Shape, int]]:
    return [((each.kernel, each.config), each.count) for each in recording.shape_counts]


def _in_part(emulated: ProgramRun) -> tuple[str, ...]:
    """Of each launch shape that the emulator did not run whole, which part it ran."""
    if not emulated.is_partial:
        return ()
    shown: dict[_Shape, str] = {}
    for profile in emulated.profiles:
        blocks, every = profile.blocks_counted, profile.config.grid.count
        if blocks < every:
            shown.setdefault(_shape(profile), f"{blocks:,} of {every:,} blocks of {profile.kernel}")
    said = "; ".join(shown.values()) or f"{len(emulated.profiles):,} of {emulated.launch_count:,} launches"
    return (f"{UNSEEN}the emulator ran {said}",)


def _with_what_was_seen(recording: Recording, emulated: Recording) -> Recording:
    is_same = _counts(recording) == _counts(emulated)
    if is_same:
        others = {launch.index: launch for launch in emulated.launches}
        last = emulated.first_partial
        launches = tuple(
            _with_site(recording, launch, emulated, others.get(launch.index), is_true=last is None or launch.index <= last)
            for launch in recording.launches
        )
        recording = replace(recording, launches=launches)
    steps = _steps_of_both(recording, emulated) if is_same else None
    if steps is None:
        return recording
    return replace(recording, steps=steps, are_waits_seen=True, stream_kinds=emulated.stream_kinds)


def _with_site(
    recording: Recording, launch: RecordedLaunch, emulated: Recording, other: RecordedLaunch | None, *, is_true: bool
) -> RecordedLaunch:
    """With its place in the text, and, where memory held what the program computes (``is_true``), with what nothing had written."""
    if other is None or _shape(other) != _shape(launch):
        return launch
    same = _same_buffers(recording, launch, emulated, other)
    unwritten = {state.buffer for state in other.buffers if state.is_poisoned and is_true}
    buffers = tuple(replace(s, is_poisoned=s.is_poisoned or same.get(s.buffer) in unwritten) for s in launch.buffers)
    return replace(launch, file=other.file, line=other.line, buffers=buffers)


def _same_buffers(recording: Recording, launch: RecordedLaunch, emulated: Recording, other: RecordedLaunch) -> Mapping[int, int]:
    """Ids of the emulator's buffers by those of the GPU's that the same pointers lead to."""
    sizes, other_sizes = ({buffer.id: buffer.size_bytes for buffer in side.buffers} for side in (recording, emulated))
    found: dict[int, int] = {}
    for mine, theirs in zip(launch.arguments, other.arguments, strict=False):
        for p, q in zip(mine.pointers, theirs.pointers, strict=False):
            is_same = (p.offset_bytes, p.buffer_offset_bytes) == (q.offset_bytes, q.buffer_offset_bytes)
            if is_same and sizes[p.buffer] == other_sizes[q.buffer]:
                found.setdefault(p.buffer, q.buffer)
    return found


def _steps_of_both(recording: Recording, emulated: Recording) -> tuple[DeviceStep, ...] | None:
    """The emulator's steps, which have waits and calls too, numbered by the GPU's shapes; None where both runs asked for other things."""
    if emulated.steps is None or not emulated.are_waits_seen:
        return None
    if recording.steps is not None and _work(recording.steps, recording) != _work(emulated.steps, emulated):
        return None
    if recording.steps is None and _moved(recording) != _moved(emulated):
        return None
    numbers = {(each.kernel, each.config): number for number, each in enumerate(recording.shape_counts)}
    shapes = [numbers[each.kernel, each.config] for each in emulated.shape_counts]
    return tuple(step if step.kind != "launch" else replace(step, shape=shapes[step.shape]) for step in emulated.steps)


def _work(steps: Sequence[DeviceStep], recording: Recording) -> list[object]:
    """Launches and copies over the link, in order; what else there is may be counted otherwise by a GPU's driver."""
    shapes = [(each.kernel, each.config) for each in recording.shape_counts]
    return [
        shapes[step.shape] if step.kind == "launch" else (step.kind, step.size_bytes)
        for step in steps
        if step.kind == "launch" or step.kind in HOST_COPIES
    ]


def _moved(recording: Recording) -> Counter[str]:
    return Counter({each.kind: each.size_bytes for each in recording.operations or () if each.kind in HOST_COPIES})
