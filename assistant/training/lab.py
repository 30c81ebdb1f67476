"""Searches a program with its lab open and notes what a policy would have seen, and how every candidate ended.

It is the search of ``optimize`` with the rules as planner and without memory, nothing confirmed or offered. Example::

    tables = await searched(program, folder, store, limits)
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

from assistant.disk.temporary import OwnFolder
from assistant.engine import DONE, UNHEARD, Ending, Job, JobRequest, OptimizeOptions, Session, SourceVersion
from assistant.engine.evaluate import evaluate, repeat_limited
from assistant.engine.search import CandidateJudge, PredictingJudge, RoundsAlone, starts_of
from assistant.errors import KernelOptError
from assistant.memory import MemoryStore
from assistant.model.attempt import Attempt
from assistant.model.trial import TrialOutcome
from assistant.plan.catalogue import own_catalogue
from assistant.plan.expert.all_transformations import EXPERT_TRANSFORMATIONS
from assistant.plan.expert.planner import ExpertPlanner
from assistant.plan.policy.situation import SHIPPED, Offer, Situation
from assistant.ports.lab import LabFailure
from assistant.ports.store import Store
from assistant.record import Record
from assistant.training.programs import TrainingProgram
from assistant.training.table import Candidate, KernelTable, ProgramTables, Round

__all__ = ["SearchLimits", "searched"]


class SearchLimits(Record):
    """How much the searches on one program may try, and how long they may take."""

    candidates: int = 16
    """Tried of each kernel at most."""
    is_judged: bool = False
    """Every candidate is judged as a search does; else it is counted, its speed predicted, and taken to be right."""
    run_s: float = 20.0
    """Seconds that one run of the program may take."""
    program_s: float = 120.0
    """All searches of the program together."""


async def searched(
    program: TrainingProgram,
    store: MemoryStore,
    open_session: Callable[[Path], Session],
    limits: SearchLimits,
    device: str,
    target: str | None,
) -> ProgramTables:
    """What there is to know of it; as far as it came, with the reason, where it failed or ran out of time. Attempts go to ``store``."""
    start_s = time.monotonic()
    found: list[KernelTable] = []
    failure = ""
    with OwnFolder("train") as scratch:
        session = open_session(scratch / "jobs.sqlite3")
        try:
            async with asyncio.timeout(limits.program_s):
                failure = await _Search(program, store, session, limits, device, target, found).run(scratch)
        except TimeoutError:
            failure = f"not searched within {limits.program_s:.0f} s"
        except KernelOptError as error:
            failure = error.message
        finally:
            session.close()
    return ProgramTables(program.name, tuple(found), failure, round(time.monotonic() - start_s, 1), limits.is_judged)


class _Search(Record):
    program: TrainingProgram
    store: MemoryStore
    session: Session
    limits: SearchLimits
    device: str
    target: str | None
    found: list[KernelTable]
    """Is added to."""

    async def run(self, scratch: Path) -> str:
        """Why it failed; empty where it did not."""

        async def body(job: Job, version: SourceVersion) -> Ending:
            evaluation = await evaluate(job, version)
            if isinstance(evaluation, LabFailure):
                return job.failed(evaluation)
            again = await repeat_limited(job, version, evaluation.counted) if self.limits.is_judged else None
            if isinstance(again, LabFailure):
                return job.failed(again)
            options = OptimizeOptions(planner="expert", max_candidates=self.limits.candidates, choice="none", policy=SHIPPED)
            judge = CandidateJudge if self.limits.is_judged else PredictingJudge
            for name, start in starts_of(evaluation).items():
                noted = _Noted([], _HeldStore(self.store))
                planner = ExpertPlanner(own_catalogue(), EXPERT_TRANSFORMATIONS, noted.opened)
                rounds = RoundsAlone(job, options, noted.store.as_store, planner, self.session.catalogue, {}, True, again, judge)
                await rounds.run(name, start)
                table = noted.table(self.program.name, name)
                if table is not None:
                    self.found.append(table)
            return Ending(DONE, "")

        ending = await self.session.run("optimize", self._request(scratch), body, UNHEARD)
        return "" if ending.exit_code == DONE else ending.reason

    def _request(self, scratch: Path) -> JobRequest:
        """On a copy of its files, in a workspace of its own."""
        copies = [scratch / "program" / path.name for path in self.program.files]
        copies[0].parent.mkdir()
        (copies[0].parent / ".git").mkdir()
        for path, copy in zip(self.program.files, copies, strict=True):
            for beside in path.parent.iterdir():
                if beside.suffix in (".cuh", ".h", ".hpp", ".inl"):
                    (copy.parent / beside.name).write_bytes(beside.read_bytes())
            copy.write_bytes(path.read_bytes())
        return JobRequest(
            file=copies[0],
            working_directory=copies[0].parent,
            extra_sources=tuple(copies[1:]),
            arguments=self.program.arguments,
            device=self.device,
            target=self.target,
            timeout_s=self.limits.run_s,
        )


class _HeldStore:
    """Keeps the attempts of one kernel's search, too."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store
        self.attempts: list[Attempt] = []

    @property
    def as_store(self) -> Store:
        return cast("Store", self)  # all else is the store's own

    def add_attempt(self, attempt: Attempt) -> None:
        self.attempts.append(attempt)
        self._store.add_attempt(attempt)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


class _Seen(Record):
    situation: Situation
    offers: tuple[Offer, ...]
    attempt_count: int
    """Attempts before it."""


class _Noted(Record):
    """A policy without an opinion, which notes what it is asked."""

    seen: list[_Seen]
    store: _HeldStore

    def opened(self, _name: str) -> _Noted:
        return self

    def preferences(self, situation: Situation, offers: tuple[Offer, ...]) -> None:
        self.seen.append(_Seen(situation, offers, len(self.store.attempts)))

    def table(self, program: str, kernel: str) -> KernelTable | None:
        """None where nothing was offered."""
        if not any(seen.offers for seen in self.seen):
            return None
        ends = [seen.attempt_count for seen in self.seen[1:]] + [len(self.store.attempts)]
        reached = _reached(self.store.attempts)
        rounds = tuple(
            _round(seen, self.store.attempts[seen.attempt_count : end], reached) for seen, end in zip(self.seen, ends, strict=True)
        )
        return KernelTable(program, kernel, self.seen[0].situation.state.traits.family, rounds)


def _reached(attempts: list[Attempt]) -> dict[str, float]:
    """By candidate, how much faster it is than the start, as screens multiply."""
    by_version: dict[str, float] = {}
    found: dict[str, float] = {}
    for attempt in attempts:
        before = by_version.get(attempt.parent_key, 1.0)
        is_kept = attempt.outcome is TrialOutcome.KEPT and attempt.ratio is not None
        found[attempt.id] = before * attempt.ratio if is_kept and attempt.ratio is not None else 1.0
        if is_kept:
            by_version[attempt.key] = found[attempt.id]
    return found


def _round(seen: _Seen, attempts: list[Attempt], reached: Mapping[str, float]) -> Round:
    by_offer: dict[tuple[str, int], list[Candidate]] = {}
    for attempt in attempts:
        candidate = Candidate(attempt.outcome is TrialOutcome.KEPT, attempt.ratio, reached[attempt.id])
        by_offer.setdefault((attempt.technique, attempt.line), []).append(candidate)
    candidates = tuple(tuple(by_offer.get((offer.technique, offer.line), ())) for offer in seen.offers)
    return Round(seen.situation, seen.offers, candidates)
