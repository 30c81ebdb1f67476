"""What a task's jobs reported, as the few facts that a row is made of. Pure.

Example::

    heard = Heard()
    heard.take(event)
    original_of(heard.of_command("profile")).time_s     # 1.2e-05
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from assistant.bench.row import Cost, Times
from assistant.engine import DONE
from assistant.model import events
from assistant.model.build import DiagnosticSeverity
from assistant.model.comparison import format_ratio
from assistant.model.profile import Severity
from assistant.model.timeline import HOLDS_MIGRATION, KERNEL
from assistant.profile.quantity import counted_noun
from assistant.record import Record

__all__ = ["Heard", "Original", "ending_of", "failure_of", "judged_of", "original_of", "reached_of", "times_of"]

_HOST_COPIES = frozenset({"to_device", "to_host"})


class Original(Record):
    """A program as it stands."""

    time_s: float | None
    """None: nothing was timed or predicted."""
    is_predicted: bool
    method: str
    device: str
    target: str
    is_whole_program: bool = False
    """Whether all that ``main()`` does on the GPU is in it; of a declared workload there is no ``main()``."""


def failure_of(heard: Sequence[events.Event]) -> str | None:
    """Why a job had no answer: its last error, else how it ended. None where it had one."""
    ended = next((event for event in reversed(heard) if isinstance(event, events.JobEnded)), None)
    if ended is not None and ended.exit_code == DONE:
        return None
    errors = [event.message for event in heard if isinstance(event, events.Message) and event.severity is Severity.ERROR]
    said = errors[-1] if errors else ending_of(heard)
    compiler = [each for event in heard if isinstance(event, events.Diagnostics) for each in event.diagnostics]
    first = next((each for each in compiler if each.severity is DiagnosticSeverity.ERROR), None)
    return said if first is None else f"{said}: {Path(first.file).name}:{first.line}: {first.message}"


def ending_of(heard: Sequence[events.Event]) -> str:
    """How a job ended, in its own words."""
    return next((event.reason for event in reversed(heard) if isinstance(event, events.JobEnded)), "the job did not end")


def reached_of(heard: Heard) -> str:
    """How far a task's jobs came when time was up: the last one, its stage, what was tried, and what was kept of which kernel."""
    job = next((event for event in reversed(heard.events) if isinstance(event, events.JobStarted)), None)
    if job is None:
        return "nothing had begun"
    own = [event for event in heard.events if event.job == job.job]
    stage = next((f", in {event.stage}" for event in reversed(own) if isinstance(event, events.StageStarted)), "")
    tried = sum(isinstance(event, events.CandidateTried) for event in own)
    done = [f"{counted_noun(tried, 'candidate')} tried"] if tried else []
    taken = [proposal for proposal in heard.proposals if proposal.id in heard.taken]
    done += [f"kept {' and '.join(map(_in_words, taken))}"] if taken else []
    return f"{job.command}{stage}{': ' if done else ''}{', '.join(done)}"


def original_of(heard: Sequence[events.Event]) -> Original:
    """From the events of ``profile``: by the program's timeline; of a declared workload by its launches, as of managed memory.

    A bound knows nothing of memory that comes to the GPU page by page.
    """
    device = next((event.device for event in heard if isinstance(event, events.JobStarted)), "")
    target = next((event.device.target for event in heard if isinstance(event, events.Profile)), "")
    summaries = [event for event in heard if isinstance(event, events.ProfileSummary)]
    for event in heard:
        if isinstance(event, events.TimelineFound) and not (HOLDS_MIGRATION in event.timeline.notes and _is_timed_alone(summaries)):
            rows = [row for row in event.timeline.rows if row.kind == KERNEL or row.direction not in _HOST_COPIES]
            time_s = sum(row.time_s for row in rows) + event.timeline.other_time_s
            return Original(time_s, event.timeline.is_predicted, event.method, device, target, True)
    measured = [event.measured.time_s * event.launch_count for event in summaries if event.measured is not None]
    if _is_timed_alone(summaries):
        return Original(sum(measured), False, "each launch shape timed by itself", device, target)
    known = [event.predicted_time_s * event.launch_count for event in summaries if event.predicted_time_s is not None]
    return Original(sum(known) if known else None, True, "performance model, nothing was timed", device, target)


def _is_timed_alone(summaries: Sequence[events.ProfileSummary]) -> bool:
    return bool(summaries) and all(event.measured is not None for event in summaries)


def judged_of(heard: Sequence[events.Event]) -> events.ComparisonMade | None:
    """The verdict on the whole program; None where there is none."""
    return next((event for event in reversed(heard) if isinstance(event, events.ComparisonMade)), None)


def times_of(original: Original, judged: events.ComparisonMade | None) -> Times | None:
    """Both times of the verdict where it measured them; else the original's, and the best one's by the verdict's ratio."""
    speed = None if judged is None else judged.speed
    if speed is not None and len(speed.cases) == 1:
        case = speed.cases[0]
        if case.before_s is not None and case.after_s is not None:
            return Times(case.before_s, case.after_s, False, speed.method)
    if original.time_s is None:
        return None
    ratio = 1.0 if speed is None else speed.ratio
    method = original.method if speed is None else f"{original.method}; the best by the ratio of the verdict"
    return Times(original.time_s, original.time_s / ratio, original.is_predicted, method)


class Heard:
    """Adds up what a task's jobs spend and propose, event by event."""

    def __init__(self) -> None:
        self.events: list[events.Event] = []
        self.proposals: list[events.ProposalMade] = []
        self.taken: dict[str, int] = {}
        """Proposals that were accepted, by id; of which of their alternatives, 0: of what was offered first."""
        self.unused = ""
        """As of ``Row``."""
        self._spent: dict[str, events.BudgetSpent] = {}

    def take(self, event: events.Event) -> None:
        """One event of any of its jobs."""
        self.events.append(event)
        match event:
            case events.ProposalMade():
                self.proposals.append(event)
            case events.DecisionMade(kind="accepted"):
                self.taken[event.proposal] = event.alternative
            case events.BudgetSpent():
                self._spent[event.job] = event
            case _:
                pass

    def of_command(self, command: str) -> tuple[events.Event, ...]:
        """Those of the last job of that command."""
        jobs = [event.job for event in self.events if isinstance(event, events.JobStarted) and event.command == command]
        return tuple(event for event in self.events if jobs and event.job == jobs[-1])

    @property
    def chain(self) -> tuple[str, ...]:
        """Techniques of what was accepted, in that order."""
        accepted = [(proposal, self.taken[proposal.id]) for proposal in self.proposals if proposal.id in self.taken]
        return tuple(name for proposal, number in accepted for name in _techniques(proposal, number))

    @property
    def waiting(self) -> tuple[str, ...]:
        """Open proposals that no later one replaces, in words."""
        accepted = {proposal.kernel for proposal in self.proposals if proposal.id in self.taken}
        left = [proposal for proposal in self.proposals if proposal.id not in self.taken and proposal.kernel not in accepted]
        return tuple(_in_words(proposal) for proposal in left)

    @property
    def is_cut_off(self) -> bool:
        """Whether a cap ended the search, or that on one of the kernels."""
        spent = [event for event in self.events if isinstance(event, events.BudgetSpent)]
        return any(event.ended_by is not None or event.ended_kernel is not None for event in spent)

    def cost(self, wall_s: float) -> Cost:
        spent = [event.spent for event in self._spent.values()]
        money = [each.money_usd for each in spent]
        known = [each for each in money if each is not None]
        return Cost(wall_s, sum(each.token_count for each in spent), sum(known) if len(known) == len(money) else None)


def _techniques(proposal: events.ProposalMade, number: int) -> tuple[str, ...]:
    return proposal.alternatives[number - 1].techniques if number else proposal.techniques


def _in_words(proposal: events.ProposalMade) -> str:
    labels = f" ({', '.join(proposal.labels)})" if proposal.labels else ""
    speed = f"{proposal.speed.outcome} {format_ratio(proposal.speed.ratio)}x"
    return f"{' + '.join(proposal.techniques)} on {proposal.kernel.partition('(')[0]}: {proposal.verification.outcome}{labels}, {speed}"
