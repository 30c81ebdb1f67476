"""What a person must know of launches that B leaves out because they only repeat others. Example::

repeats_left_out(recording_of_a, recording_of_b)
# (DetectedLabel(Label.ASSUMPTION, "launches poly once where the original launches it 20 times …"),)
"""

from __future__ import annotations

from assistant.model.recording import Recording
from assistant.model.verification import Label
from assistant.verify.evidence import DetectedLabel
from assistant.workload.repeats import fewer_repeats

__all__ = ["repeats_left_out"]


def repeats_left_out(a: Recording | None, b: Recording | None) -> tuple[DetectedLabel, ...]:
    """A decision: no run shows whether the program is about the repetitions, as where it measures itself."""
    found = None if a is None or b is None else fewer_repeats(a, b)
    if found is None:
        return ()
    does = f"launches {found.kernel} {_times(found.b_count)}" if found.b_count else f"does nothing as often as {found.kernel}"
    message = (
        f"{does} where the original launches it {_times(found.a_count)} with the same arguments, each time with the same result:"
        " right only if doing it again has no purpose, such as taking a time; a speed of all launches together holds what is left out"
    )
    return (DetectedLabel(Label.ASSUMPTION, message),)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"
