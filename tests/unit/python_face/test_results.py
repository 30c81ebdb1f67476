"""What Python callers are told of a check beside its defects."""

from __future__ import annotations

from assistant.model import events
from assistant.model.profile import Severity
from kernelopt.results import checked

LEFT_OUT = "not checked: values up to 8 times your own at n=64"


def test_what_was_not_checked_is_noted_and_printed() -> None:
    found = (
        events.Message("J1", Severity.INFORMATION, "built in 2 s"),
        events.Message("J1", Severity.WARNING, LEFT_OUT),
        events.CheckEnded("J1", "bins(int *)", (), True, 1),
        events.JobEnded("J1", 0, "no problem"),
    )
    result = checked(found, ("out",))
    assert result.ok and result.notes == (LEFT_OUT,)
    assert repr(result).splitlines()[1:] == [f"  {LEFT_OUT}"]
