"""What a comparison of two versions came to: a verdict for each kernel, one of the whole, and what was looked at on the way."""

from __future__ import annotations

from pathlib import Path

from assistant.engine.evaluate import Evaluation
from assistant.engine.job import Ending, Job
from assistant.engine.judge.changes import edited_files
from assistant.engine.judge.verdict_reports import speed_report, verification_report
from assistant.engine.source_version import SourceVersion
from assistant.model import events
from assistant.model.comparison import Comparison
from assistant.model.figures import BeforeAfter
from assistant.model.profile import Evidence
from assistant.model.proposal import texts_sha256
from assistant.model.verification import Outcome, Unjudgeable, Verification
from assistant.ports.lab import LabFailure
from assistant.record import Record

__all__ = ["ComparisonResult", "UnjudgedKernel", "Verdict", "hashes_of", "verdict_event"]


class Verdict(Record):
    """Is B right, and is it faster: of a kernel, or of the whole."""

    kernel: str | None
    """None: all of them."""
    verification: Verification
    speed: Comparison | None
    """None where it has none: B is wrong, or another verdict has the speed."""
    evidence: tuple[Evidence, ...]
    figures: BeforeAfter | None = None
    light_ratio: float | None = None
    """How near B comes to its bound, 0..1; None where that is not known (`Speed.light_ratio`)."""

    @property
    def is_failure(self) -> bool:
        return self.verification.outcome is Outcome.FAIL


class UnjudgedKernel(Record):
    """A kernel about which nothing can be said."""

    reason: str
    remedy: str | None
    code: Unjudgeable | None = None


class ComparisonResult(Record):
    """The answer of a comparison."""

    ending: Ending
    verdicts: tuple[Verdict, ...] = ()
    """In the order they were reported; where there are several, the last is of the whole."""
    before: Evaluation | None = None
    after: Evaluation | None = None
    """None where that version does not build or run."""
    failure: LabFailure | None = None
    """What kept a version from being built, run or judged."""
    unjudged: tuple[UnjudgedKernel, ...] = ()
    recording: Path | None = None
    """That the cases were made from; None where both versions run on declared ones alone, or nothing was judged."""

    @property
    def whole(self) -> Verdict | None:
        """None where there is no verdict at all."""
        return self.verdicts[-1] if self.verdicts else None


def verdict_event(job: Job, a: str, b: str, verdict: Verdict) -> events.ComparisonMade:
    """``a``, ``b``: SHA-256 of both texts."""
    return events.ComparisonMade(
        job=job.id,
        kernel=verdict.kernel,
        oracle=verdict.verification.oracle,
        confirmed=True,
        a=a,
        b=b,
        verification=verification_report(verdict.verification),
        speed=None if verdict.speed is None else speed_report(verdict.speed),
        evidence=verdict.evidence,
        device=job.device,
        figures=verdict.figures,
    )


def hashes_of(a: SourceVersion, b: SourceVersion) -> tuple[str, str]:
    """What stands for both versions: of the files in question, and of others that differ."""
    pairs = dict.fromkeys(((a.source, b.source), *((old.source, new.source) for old, new in edited_files(a, b))))
    of_a, of_b = zip(*pairs, strict=True)
    return texts_sha256(of_a), texts_sha256(of_b)
