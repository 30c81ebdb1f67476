"""What Python callers are told of a check, a profile, a comparison and a search beside what these found."""

from __future__ import annotations

from typing import Any, cast

from assistant.model import event_parts, events
from assistant.model.comparison import PredictedTime
from assistant.model.profile import InstructionMix, Problem, Severity
from assistant.model.verification import Outcome
from kernelopt.proposals import proposals
from kernelopt.results import checked, compared, profiled

LEFT_OUT = "not checked: values up to 8 times your own at n=64"
UNSAID = "lse was held against nothing: the reference softmax did not return it"
_DEVICE = event_parts.Device("CPU", "cpu", "h200")
_ENDED = events.JobEnded("J1", 0, "no problem")
_RACE = Problem("shared_race", "write after read", "/w/k.cu", 5, None, None, None, None, None, 1)


def test_what_was_not_checked_is_noted_and_printed() -> None:
    found = (
        events.Message("J1", Severity.INFORMATION, "built in 2 s"),
        events.Message("J1", Severity.WARNING, LEFT_OUT),
        events.CheckEnded("J1", "bins(int *)", (), True, 1),
        _ENDED,
    )
    result = checked(found, ("out",))
    assert result.ok and result.notes == (LEFT_OUT,)
    assert repr(result).splitlines()[1:] == [f"  {LEFT_OUT}"]


def test_what_a_reference_left_out_is_noted_of_a_comparison_and_a_search_too() -> None:
    verified = event_parts.VerificationReport(Outcome.PASS, (), (), (), (), ())
    verdict = events.ComparisonMade("J1", "k(float *)", "kernel", True, "a", "b", verified, None, (), _DEVICE)
    for result in (compared((verdict, _ENDED), (UNSAID,)), proposals(cast(Any, None), False, (_ENDED,), (UNSAID,))):
        assert result.notes == (UNSAID,)
        assert repr(result).splitlines()[1:] == [f"  {UNSAID}"]


def _profile(*problems: Problem) -> events.Profile:
    known: dict[str, Any] = dict.fromkeys(("lines", "findings", "evidence"), ())
    launch: dict[str, Any] = {"grid": (1, 1, 1), "block": (32, 1, 1), "shared_bytes": 0, "totals": {}, "instructions": InstructionMix()}
    predicted = PredictedTime(2e-6, "l2", (), "h200")
    return events.Profile("J1", "k", "k", 0, device=_DEVICE, method="emulator", problems=problems, predicted=predicted, **launch, **known)


def test_no_time_is_predicted_of_a_kernel_with_a_defect_and_the_reason_is_noted() -> None:
    right, racing = (profiled((_profile(*problems), _ENDED)) for problems in ((), (_RACE,)))
    assert (right.predicted_s, right.notes) == (2e-6, ())
    reason = "no time is predicted: shared race at line 5, and a kernel that is wrong may take any time"
    assert (racing.predicted_s, racing.notes) == (None, (reason,))
    assert reason in repr(racing)
