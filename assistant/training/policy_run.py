"""``kernelopt train policy`` from programs to a file: searches programs once, trains, and holds the result against other orders.

Programs with a kernel of a held-out family take no part in training, whatever else they hold; of these the kernels of these families are
what the policy is held against. Example::

    run = PolicyRun(asked, open_session)
    found = await run.run(on_progress)
    found.report.comparisons
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from fnmatch import fnmatch
from itertools import zip_longest
from pathlib import Path

from assistant.cuda.family import FAMILIES, traits_of
from assistant.cuda.parse import parse
from assistant.engine import Session, read_source
from assistant.errors import KernelOptError, UsageError
from assistant.memory import open_store
from assistant.plan.catalogue import own_catalogue
from assistant.plan.policy.features import Vocabulary
from assistant.plan.policy.network import NetworkPolicy, write_policy
from assistant.record import Record
from assistant.training.card import card_facts, card_page
from assistant.training.lab import SearchLimits, searched
from assistant.training.learning import Trained, TrainingSettings, load_torch, trained
from assistant.training.programs import TrainingProgram, drawn_programs, programs_of_folder
from assistant.training.report import PolicyReport, reported
from assistant.training.table import KernelTable, Tables

__all__ = ["HELD_OUT", "AskedPolicy", "FoundPolicy", "PolicyRun", "Split"]

HELD_OUT = ("row reduction", "matrix product", "stencil", "histogram")
"""Families that no training sees, as `assistant.cuda.family` tells them (chosen before anything was trained)."""

POLICY_FILE, CARD_FILE, PAGE_FILE = "policy.npz", "card.json", "card.md"


class AskedPolicy(Record):
    """What is asked for."""

    out: Path
    folders: tuple[Path, ...]
    leave_out: tuple[str, ...]
    """Patterns of programs' names."""
    drawn: int
    draw_seed: int
    seeds: int
    """Trainings; the first one's policy is the one that is written."""
    settings: TrainingSettings
    limits: SearchLimits
    device: str
    target: str | None
    """None: as the settings say."""
    is_searching: bool
    """False: only what an earlier run found is used."""
    held_out: tuple[str, ...] = HELD_OUT


class Split(Record):
    """Programs by what they are for."""

    training: tuple[TrainingProgram, ...]
    trial: tuple[TrainingProgram, ...]


class FoundPolicy(Record):
    """What came of it."""

    file: Path
    size_bytes: int
    report: PolicyReport
    failures: tuple[tuple[str, str], ...]
    """(program, why it was not searched to its end)."""


OnProgress = Callable[[str], None]


class PolicyRun(Record):
    """One training."""

    asked: AskedPolicy
    open_session: Callable[[Path], Session]
    """With a memory in that file."""

    async def run(self, on_progress: OnProgress) -> FoundPolicy:
        """Raises UsageError for families that there are not, CannotAnswerError without PyTorch, or with too little to learn from."""
        asked = self.asked
        unknown = sorted(set(asked.held_out) - set(FAMILIES))
        if unknown:
            raise UsageError(f"{unknown[0]!r} is no family of kernels", f"families are {', '.join(FAMILIES)}")
        load_torch()  # before an hour of searches
        on_progress("reading programs")
        split = self.split()
        if asked.is_searching:
            await self._search(split, on_progress)
        tables = Tables(asked.out / "tables")
        training = _tried(tables.kernels([program.name for program in split.training]))
        trial = _tried(tables.kernels([program.name for program in split.trial]), asked.held_out)
        results = self._trained(training, on_progress)
        on_progress("holding the policy against other orders")
        with open_store(self._memory("training")) as store:
            report = reported(trial, [result.policy for result in results], store, _now_ms())
        everything = [found for program in (*split.training, *split.trial) if (found := tables.get(program.name)) is not None]
        facts = card_facts(asked, everything, training, trial, results, report)
        policy = NetworkPolicy(results[0].policy.vocabulary, results[0].policy.weights, facts)
        size = write_policy(asked.out / POLICY_FILE, policy)
        (asked.out / CARD_FILE).write_text(facts.as_json(), encoding="utf-8")
        (asked.out / PAGE_FILE).write_text(card_page(facts), encoding="utf-8")
        failures = tuple((each.program, each.failure) for each in everything if each.failure)
        return FoundPolicy(asked.out / POLICY_FILE, size, report, failures)

    def split(self) -> Split:
        """Every program, by the families of its kernels. Those without a kernel in their files are left out."""
        asked = self.asked
        found = list(drawn_programs(asked.out / "drawn", asked.draw_seed, asked.drawn))
        for folder in asked.folders:
            found += programs_of_folder(folder)
        named = [program for program in found if not any(fnmatch(program.name, pattern) for pattern in asked.leave_out)]
        families = [(program, _families(program)) for program in named]
        return Split(
            tuple(program for program, some in families if some and not some & set(asked.held_out)),
            tuple(program for program, some in families if some & set(asked.held_out)),
        )

    async def _search(self, split: Split, on_progress: OnProgress) -> None:
        """One program after another, of both kinds in turn, so that a run that is broken off has some of each."""
        asked = self.asked
        tables = Tables(asked.out / "tables")
        in_turn = [
            (kind, program)
            for pair in zip_longest(split.trial, split.training)
            for kind, program in zip(("trial", "training"), pair, strict=True)
            if program is not None and tables.get(program.name) is None
        ]
        for number, (kind, program) in enumerate(in_turn, 1):
            on_progress(f"searching {program.name} ({number} of {len(in_turn)})")
            with open_store(self._memory(kind)) as store:
                tables.add(await searched(program, store, self.open_session, asked.limits, asked.device, asked.target))

    def _trained(self, tables: Sequence[KernelTable], on_progress: OnProgress) -> list[Trained]:
        catalogue = own_catalogue()
        findings = sorted({code for technique in catalogue.techniques for code in technique.findings})
        vocabulary = Vocabulary(tuple(technique.id for technique in catalogue.techniques), tuple(findings))
        found: list[Trained] = []
        for seed in range(self.asked.settings.seed, self.asked.settings.seed + self.asked.seeds):
            on_progress(f"training with seed {seed}, on {len(tables)} kernels")
            found.append(trained(tables, vocabulary, replace(self.asked.settings, seed=seed)))
        return found

    def _memory(self, kind: str) -> Path:
        """What memory would have learned from these searches; that of the trial is never asked."""
        return self.asked.out / f"memory-{kind}.sqlite3"


def _tried(tables: Sequence[KernelTable], families: Sequence[str] | None = None) -> list[KernelTable]:
    """Those on which something was tried, of these families alone where they are given."""
    has_any = [table for table in tables if any(some for each in table.rounds for some in each.candidates)]
    return [table for table in has_any if families is None or table.family in families]


def _families(program: TrainingProgram) -> frozenset[str]:
    """Of the kernels in its files; none where they cannot be read."""
    found: set[str] = set()
    for path in program.files:
        try:
            source = read_source(path)
            found |= {traits_of(source.text, kernel).family for kernel in parse(source).kernels}
        except KernelOptError:
            return frozenset()
    return frozenset(found)


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
