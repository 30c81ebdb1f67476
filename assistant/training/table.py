"""The cached environment: for each kernel the rounds of its search, what was offered in each, and how every candidate ended.

A search tries all that is offered in a round and goes on from the best, so that outcomes do not depend on the order and each candidate is
judged once, for every policy and every training. Kept as a JSON file for each program; what is there is not searched again. Example::

    kept = Tables(Path("results/policy"))
    kept.add(ProgramTables("suite/mvt", searches, failure=""))
    kept.get("suite/mvt")
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path

from assistant.plan.policy.situation import Offer, Situation
from assistant.record import Record
from assistant.serialize import dumps, loads

__all__ = ["LEAST_RATIO", "Candidate", "KernelTable", "ProgramTables", "Round", "Tables"]

LEAST_RATIO = 1.05
"""A kernel whose best is below it has nothing to find."""


class Candidate(Record):
    """An edit that was judged."""

    is_kept: bool
    ratio: float | None
    """time(version) / time(candidate); None where its speed was not compared."""
    reached: float
    """Best time(start) / time(version) that the search has with it, by itself: 1 where it was not kept and nothing was reached before."""


class Round(Record):
    """What was offered on one version, in the rules' own order."""

    situation: Situation
    offers: tuple[Offer, ...]
    candidates: tuple[tuple[Candidate, ...], ...]
    """Of each offer, in order; none where all its edits were known already."""


class KernelTable(Record):
    """The search on one kernel."""

    program: str
    kernel: str
    family: str
    rounds: tuple[Round, ...]

    @property
    def name(self) -> str:
        return f"{self.program}/{self.kernel}"

    @property
    def best(self) -> float:
        """time(start) / time(best version)."""
        return max((one.reached for each in self.rounds for some in each.candidates for one in some), default=1.0)

    @property
    def best_gain(self) -> float:
        return math.log(self.best)

    @property
    def has_something(self) -> bool:
        """Whether there is a gain to be found."""
        return self.best >= LEAST_RATIO

    @property
    def has_choice(self) -> bool:
        """Whether there is, and more than one thing to try in some round."""
        return self.has_something and any(sum(map(bool, each.candidates)) > 1 for each in self.rounds)


class ProgramTables(Record):
    """Everything that was found out about a program."""

    program: str
    kernels: tuple[KernelTable, ...]
    failure: str
    """Why it is not whole; empty where it is."""
    duration_s: float
    is_judged: bool = True
    """Whether candidates were judged; else their speed was predicted alone."""


class Tables:
    """Tables on disk."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, program: str) -> ProgramTables | None:
        file = self._file(program)
        return loads(ProgramTables, file.read_bytes()) if file.exists() else None

    def add(self, tables: ProgramTables) -> None:
        file = self._file(tables.program)
        file.parent.mkdir(parents=True, exist_ok=True)
        partial = file.with_suffix(".partial")
        partial.write_text(dumps(tables), encoding="utf-8")
        partial.replace(file)

    def kernels(self, programs: Sequence[str]) -> tuple[KernelTable, ...]:
        """Of those that are there, in that order."""
        found = (self.get(program) for program in programs)
        return tuple(kernel for tables in found if tables is not None for kernel in tables.kernels)

    def _file(self, program: str) -> Path:
        return self._folder / f"{re.sub(r'[^A-Za-z0-9_.-]+', '-', program)}.json"
