"""Is B right? Three outcomes, each with findings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Literal, TypeVar

from assistant.record import Record

_Item = TypeVar("_Item")


class Outcome(StrEnum):
    PASS = "PASS"
    NEEDS_DECISION = "NEEDS_DECISION"
    FAIL = "FAIL"

    @property
    def severity(self) -> int:
        """Orders them: a larger one is worse."""
        return tuple(Outcome).index(self)


class Label(StrEnum):
    """What a person must know in addition to the gain."""

    PRECISION = "precision"
    FAST_MATH = "fast-math"
    LIBRARY_CALL = "library-call"
    NEW_FLAGS = "new-flags"
    ASSUMPTION = "assumption"
    ALIGNMENT = "alignment"
    NAN_BEHAVIOUR = "nan-behaviour"
    NON_DETERMINISM = "non-determinism"
    ARCH_LOCK_IN = "arch-lock-in"
    READABILITY = "readability"
    HOST_CODE = "host-code"
    REASSOCIATION = "reassociation"
    IN_PART = "in-part"
    """Judged at smaller sizes, on some blocks or on the first launches: the program takes too long to be run whole."""


DeferredDecision = Literal["alignment", "arch", "assumption", "fast-math", "library", "nan", "order", "precision"]
"""What a person may decide on at the end of a search instead of before it goes on."""


class VerificationFinding(Record):
    """One reason for an outcome."""

    code: str
    """``wrong_value``, ``wrote_outside_outputs``, ``out_of_bounds``, ``race``, ``launch_failed``, ``precision``, …"""
    outcome: Outcome
    message: str
    kernel: str | None = None
    line: int | None = None
    case: int | None = None
    """Index into ``Verification.cases``."""
    buffer: str | None = None
    index: int | None = None
    """First differing element."""
    expected: str | None = None
    actual: str | None = None


class CaseResult(Record):
    """How one case went."""

    kind: str
    shape: str
    scale: float
    outcome: Outcome
    max_error: float | None
    """Largest |B - reference| over floating outputs; None when all outputs are exact types."""
    rms_error: float | None
    seed: int | None = None
    """Seed of its values, for a replay; None where memory does not know it any more."""


class Verification(Record):
    """The verdict on B against A."""

    outcome: Outcome
    findings: tuple[VerificationFinding, ...]
    labels: tuple[Label, ...]
    cases: tuple[CaseResult, ...]
    oracle: str
    """``kernel``, ``program``, ``kernel+program``, ``declared``, or ``none`` where nothing was compared."""
    dropped_cases: tuple[str, ...]
    """Derived values or shapes on which the original itself does not run clean."""
    missing_checks: tuple[str, ...]
    """Checks that could not be made here, with the reason."""
    caveats: tuple[str, ...] = ()
    """What the verdict line itself says behind the outcome: what the verdict holds for, and what it was given without. In few words."""

    @property
    def failure(self) -> VerificationFinding | None:
        """The first finding that is a failure."""
        return next((finding for finding in self.findings if finding.outcome is Outcome.FAIL), None)


def verified_in_turn(each: Sequence[Verification]) -> Verification:
    """Of several edits together, each verified on the version that the one before it left: the worst outcome, and all that was found.

    ``each``: at least one.
    """
    worst = max((one.outcome for one in each), key=lambda outcome: outcome.severity)
    findings, cases = list[VerificationFinding](), list[CaseResult]()
    for one in each:
        findings += (_moved_by(finding, len(cases)) for finding in one.findings)
        cases += one.cases
    return Verification(
        worst,
        tuple(findings),
        _all_of(one.labels for one in each),
        tuple(cases),
        "+".join(_all_of(one.oracle.split("+") for one in each)),
        _all_of(one.dropped_cases for one in each),
        _all_of(one.missing_checks for one in each),
        _all_of(one.caveats for one in each),
    )


def _moved_by(finding: VerificationFinding, count: int) -> VerificationFinding:
    """With its case behind so many others."""
    return finding if finding.case is None else replace(finding, case=finding.case + count)


def _all_of(groups: Iterable[Iterable[_Item]]) -> tuple[_Item, ...]:
    """Each once, where it comes first."""
    return tuple(dict.fromkeys(item for group in groups for item in group))


class Unjudgeable(StrEnum):
    """Why there is no verdict; `CannotJudge.reason` says the same in words."""

    NO_CASE = "no_case"
    """No case was recorded or declared, or none launches the changed kernels."""
    ORIGINAL_FAILS = "original_fails"
    """The original does not run clean on a recorded or declared case, or its results are arbitrary."""
    ORIGINAL_INEXACT = "original_inexact"
    """The original's results are far from its reference, or differ from run to run."""
    WEAK_WORKLOAD = "weak_workload"
    """A kernel that does nothing useful would pass on these cases."""
    NEEDS_GPU = "needs_gpu"
    """The new kernel cannot be run on this machine."""
    SEVERAL_PROGRAMS = "several_programs"
    """Compilers see different programs in the new version."""


class CannotJudge(Record):
    """The workload or the machine cannot answer (exit code 3)."""

    code: Unjudgeable
    reason: str
    remedy: str


VerificationResult = Verification | CannotJudge


def verdict_in_words(outcome: Outcome, caveats: Sequence[str]) -> str:
    """``PASS``, or ``PASS (at the program's own sizes; host code not compared)``: never the outcome without what it rests on."""
    return f"{outcome} ({'; '.join(caveats)})" if caveats else str(outcome)
