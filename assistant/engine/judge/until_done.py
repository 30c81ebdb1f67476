"""Kernels that a host's loop launches until their results say stop, where the order of threads decides how soon that is.

The emulator has one order of threads, a GPU others: how often each version launches such a kernel under the emulator says nothing of a GPU,
and so nothing of speed. Example::

    launched_until_done(before, after)      # "how often `relax` is launched follows from its results, …": 12 times in A, 4 in B
"""

from __future__ import annotations

from collections import Counter

from assistant.engine.evaluate import Evaluation
from assistant.engine.source_version import SourceVersion
from assistant.model.recording import Recording
from assistant.verify.host_edits import edits_host_code

__all__ = ["launched_until_done"]


def launched_until_done(before: Evaluation, after: Evaluation) -> str | None:
    """Why the emulator's numbers of launches say nothing of a GPU; None where they do.

    That is so where the same host code launches a kernel another number of times, and threads of it race or update memory atomically.
    """
    a, b = before.counted.recording, after.counted.recording
    if a is None or b is None or not (_is_of_order(before) or _is_of_order(after)) or _changes_host(before, after):
        return None
    old, new = _launch_counts(before.version, a), _launch_counts(after.version, b)
    name = next((name for name in old if name in new and old[name] != new[name]), None)
    if name is None:
        return None
    return (
        f"how often `{name}` is launched follows from its results, and these from the order of its threads: {old[name]:,} times in A and "
        f"{new[name]:,} in B in the emulator's order say nothing of a GPU's"
    )


def _is_of_order(evaluation: Evaluation) -> bool:
    """Whether the order of threads may decide what a kernel leaves."""
    profiles = (launch.profile for item in evaluation.assessment.kernels for launch in item.launches)
    is_atomic = any(access.op == "global atomic" for profile in profiles for access in profile.accesses)
    return is_atomic or any("race" in problem.kind for problem in evaluation.counted.problems)


def _changes_host(before: Evaluation, after: Evaluation) -> bool:
    """Whether anything of the host's differs but how kernels are launched."""
    others = {file.source.path.name: file for file in after.version.files}
    pairs = [(file, others.get(file.source.path.name)) for file in before.version.files]
    if len(before.version.files) == 1 == len(after.version.files):
        pairs = [(before.version.parsed, after.version.parsed)]
    return any(other is None or edits_host_code(file, other) for file, other in pairs)


def _launch_counts(version: SourceVersion, recording: Recording) -> Counter[str]:
    """By the name of the program's kernel."""
    found: Counter[str] = Counter()
    for shape in recording.shape_counts:
        if (kernel := version.kernel_of(shape.kernel)) is not None:
            found[kernel.qualified_name] += shape.count
    return found
