"""What checks, profiles and comparisons found, as values.

Example::

    found = kernel.check((out, x, n), ref=reference)
    found.ok, found.problems
    found.raise_for_status()
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assistant.errors import CannotAnswerError
from assistant.live.faults import fault_of
from assistant.model import events
from assistant.model.event_parts import MeasuredLaunch, ProfileFinding
from assistant.model.profile import InstructionMix, Problem
from assistant.model.verification import VerificationFinding
from assistant.profile.problems import errors_among, listed, problems_in_words
from assistant.profile.quantity import format_quantity
from assistant.record import Record
from kernelopt.plots import Lines, roofline_figure
from kernelopt.texts import in_python

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["CheckResult", "Comparison", "JobFailed", "ProfileResult", "Timing", "checked", "compared", "ending", "failure", "profiled"]


class JobFailed(CannotAnswerError):  # noqa: N818 - a fact, named as the code reads
    """What was asked could not be answered; the message says why."""


class CheckResult(Record):
    """What running a kernel with every check on showed."""

    problems: tuple[Problem, ...]
    """Defects first found first; those that are warnings alone do not make ``ok`` False."""
    is_deterministic: bool | None
    """Whether two runs on equal inputs left the same bytes; None where nothing is claimed."""
    reason: str
    """The outcome in one line."""
    parameters: tuple[str, ...] = ()
    """Names of the kernel's parameters."""
    notes: tuple[str, ...] = ()
    """What was not checked, and other warnings of the job, a sentence each."""

    @property
    def ok(self) -> bool:
        """No defect, and no difference from the reference."""
        return not errors_among(self.problems)

    def raise_for_status(self) -> None:
        """Raises the first defect as an exception (a KernelFault)."""
        fault = fault_of(self.problems, self.parameters)
        if fault is not None:
            raise fault

    def __repr__(self) -> str:
        lines = [*(f"{problem.kind} at line {problem.line}: {problem.message}" for problem in listed(self.problems)), *self.notes]
        return "\n  ".join((f"<check: {problems_in_words(listed(self.problems))}>", *lines))


class ProfileResult(Record):
    """What each launch shape of a kernel costs, and why."""

    launches: tuple[events.Profile, ...]
    """Counters of each launch shape, as the event ``profile`` has them; the first is the costliest."""
    measured: MeasuredLaunch | None = None
    """The costliest launch's time on a GPU; None where none was measured."""

    @property
    def lines(self) -> Lines:
        """Accesses of the costliest launch, line by line."""
        return Lines(self.launches[0].lines)

    @property
    def findings(self) -> tuple[ProfileFinding, ...]:
        """What limits the costliest launch."""
        return self.launches[0].findings

    @property
    def predicted_s(self) -> float | None:
        """The performance model's time of the costliest launch, in seconds; None where none was predicted. Never a measurement.

        None also of a launch with a defect, such as a race: what it takes says nothing of a right kernel. `notes` says so.
        """
        predicted = self.launches[0].predicted
        return None if predicted is None or self._defects else predicted.time_s

    @property
    def notes(self) -> tuple[str, ...]:
        """Why no time is predicted; empty where one is."""
        if not self._defects:
            return () if self.launches[0].predicted is not None else ("no time is predicted of this launch",)
        first = self._defects[0]
        return (f"no time is predicted: {first.kind.replace('_', ' ')} at line {first.line}, and a kernel that is wrong may take any time",)

    @property
    def _defects(self) -> tuple[Problem, ...]:
        return errors_among(self.launches[0].problems)

    @property
    def timing(self) -> Timing:
        """The costliest launch's time. Raises JobFailed where none was measured."""
        if self.measured is None:
            raise JobFailed("no time was measured", "kernelopt doctor says what times kernels here")
        return Timing(self.measured.time_s, self.measured.method, self.launches[0].device.name)

    def plot_roofline(self) -> Figure:
        """The costliest launch between the limits of its target, as a matplotlib figure.

        Raises MissingLibrary without matplotlib, JobFailed where no operation was counted.
        """
        launch = self.launches[0]
        if launch.instructions == InstructionMix():
            raise JobFailed(
                "there is no roofline: operations are counted in machine code, which was not read here",
                "pip install 'kernelopt[cuda]'; kernelopt doctor says what is missing",
            )
        roofline = launch.roofline
        if roofline is None or not roofline.points:
            raise JobFailed("there is no roofline: the launch computes nothing", "profile a launch that computes")
        return roofline_figure(roofline)

    def __repr__(self) -> str:
        first = self.launches[0]
        lines = [*(f"{finding.code} line {finding.line}: {finding.message}" for finding in first.findings), *self.notes]
        return "\n  ".join((f"<profile of {first.kernel}: {first.method}>", *lines))


class Timing(Record):
    """What a launch takes on a GPU."""

    median_s: float
    """Seconds of one launch, an empty kernel's share subtracted."""
    method: str
    """How it was taken, with how many repetitions."""
    device: str

    def __repr__(self) -> str:
        return f"<{format_quantity(self.median_s, 's')} on {self.device}: {self.method}>"


class Comparison(Record):
    """Whether B is right in A's place, and whether it is faster."""

    verification: str
    """``PASS``, ``FAIL``, ``NEEDS_DECISION`` or ``CANNOT_JUDGE``."""
    speed: str | None
    """``FASTER``, ``SAME``, ``SLOWER`` or ``INCONCLUSIVE`` where it was measured, ``PREDICTED`` where it was not; None without a speed."""
    ratio: float | None
    """A's time / B's."""
    low: float | None
    high: float | None
    """Interval of a measured ratio."""
    reason: str
    """The outcome in one line."""
    details: events.ComparisonMade
    """All of it: cases, labels, evidence."""
    notes: tuple[str, ...] = ()
    """What was not compared, or not held against the reference, a sentence each."""

    @property
    def findings(self) -> tuple[VerificationFinding, ...]:
        """What speaks against B, or has to be decided, the worst first."""
        return self.details.verification.findings

    def __repr__(self) -> str:
        lines = [f"{found.code}{'' if found.line is None else f' at line {found.line}'}: {found.message}" for found in self.findings]
        return "\n  ".join((f"<comparison: {self.reason}>", *lines, *self.notes))


def checked(found: Sequence[events.Event], parameters: Sequence[str], said: Sequence[str] = ()) -> CheckResult:
    """``said``: notes from before the job. Raises JobFailed where the job reported nothing of the kernel."""
    ended = ending(found)
    reports = [event for event in found if isinstance(event, events.CheckEnded)]
    if not reports:
        raise failure(found)
    problems = tuple(problem for report in reports for problem in report.problems)
    notes = (*said, *(event.message for event in found if isinstance(event, events.Message) and event.severity == "warning"))
    return CheckResult(problems, reports[0].is_deterministic, ended.reason, tuple(parameters), notes)


def profiled(found: Sequence[events.Event]) -> ProfileResult:
    """Raises JobFailed where nothing was profiled."""
    launches = tuple(event for event in found if isinstance(event, events.Profile))
    if not launches:
        raise failure(found)
    summaries = [event for event in found if isinstance(event, events.ProfileSummary)]
    return ProfileResult(launches, summaries[0].measured if summaries else None)


def compared(found: Sequence[events.Event], said: Sequence[str] = ()) -> Comparison:
    """``said``: notes from before the job. Raises JobFailed where no verdict came."""
    verdicts = [event for event in found if isinstance(event, events.ComparisonMade)]
    if not verdicts:
        raise failure(found)
    last = verdicts[-1]
    speed = last.speed
    outcome, ratio, low, high = (None, None, None, None) if speed is None else (str(speed.outcome), speed.ratio, speed.low, speed.high)
    return Comparison(str(last.verification.outcome), outcome, ratio, low, high, ending(found).reason, last, tuple(said))


def ending(found: Sequence[events.Event]) -> events.JobEnded:
    return next(event for event in reversed(found) if isinstance(event, events.JobEnded))


def failure(found: Sequence[events.Event]) -> JobFailed:
    """Why a job gave no answer."""
    ended = ending(found)
    said = [event for event in found if isinstance(event, events.Message) and event.severity == "error"]
    message, remedy = (said[0].message, said[0].remedy or "") if said else (ended.reason, "")
    return JobFailed(in_python(message), in_python(remedy))
