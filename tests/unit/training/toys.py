"""A toy environment whose best order is known: where occupancy is high ``warp-per-row`` gains, elsewhere ``shared-tile``; promises lie."""

from __future__ import annotations

import random

from assistant.plan.policy.features import Vocabulary
from assistant.training.table import Candidate, KernelTable, Round
from tests.unit.plan.policy.situations import offer, situation

VOCABULARY = Vocabulary(("shared-tile", "vectorized-access", "warp-per-row"), ("KO101",))
NAMES = VOCABULARY.techniques


def candidate(ratio: float) -> Candidate:
    return Candidate(ratio > 1, ratio, max(1.0, ratio))


def toy(number: int, seed: int = 0) -> KernelTable:
    """One round of three offers, in an order drawn anew; the promise favours the one that gains nothing."""
    drawn = random.Random(f"{seed} {number}")
    occupancy = drawn.choice((0.1, 0.9)) + drawn.uniform(-0.1, 0.1)
    good = "warp-per-row" if occupancy > 0.5 else "shared-tile"
    names = drawn.sample(NAMES, len(NAMES))
    offers = tuple(offer(name, 0.6 if name == "vectorized-access" else 0.3) for name in names)
    candidates = tuple((candidate(3.0 if name == good else 0.9),) for name in names)
    return KernelTable(f"toy/{seed}-{number}", "k", "elementwise", (Round(situation(occupancy=occupancy), offers, candidates),))


def toys(count: int, seed: int = 0) -> list[KernelTable]:
    return [toy(number, seed) for number in range(count)]
