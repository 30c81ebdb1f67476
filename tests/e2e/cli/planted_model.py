"""A scripted model whose dependence on each signal is known: what it writes depends on what the question holds, and on nothing else.

A *fast* kernel comes with chance 0.1, and 0.2 more where the GPU's data sheet is shown, and 0.6 more where the profile *and* a plan are.
What is not fast is *right* with chance 0.5, else *wrong*. Static notes change nothing, and a plan that says nothing is no plan.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from dataclasses import dataclass, field
from random import Random

from tests.e2e.cli.kernels_of_a_model import SAME_STORES, TILED_TRANSPOSE
from tests.e2e.cli.scripted_model import code, plan, step
from tests.endpoint.server import ReceivedRequest, Says

_SEED = 0
"""Of two nodes and this many draws, three seeds in eight have an interval among fifty that leaves out the truth, as 95 % ones do."""
ALONE, HARDWARE, TOGETHER = 0.1, 0.2, 0.6
RIGHT = 0.5
NARROW_TILE = TILED_TRANSPOSE.replace("[33]", "[32]")
WRONG_TILE = TILED_TRANSPOSE.replace("oy * height + ox", "ox * width + oy")
DESIGN = "Stage a tile of 32 x 33 floats."
_PLAYERS = {
    "profile": "## Findings, by rules over the counters",
    "hardware": "## The GPU",
    "static": "## Arrays",
    "verdicts": "## What was tried on this kernel already",
    "plan": DESIGN,
}


def players_in(question: str) -> frozenset[str]:
    """What a question for code shows."""
    return frozenset(name for name, words in _PLAYERS.items() if words in question)


def _plan_in(question: str) -> str:
    """Of which kind: the model's own, none, or one that says nothing."""
    return "own" if DESIGN in question else "none" if "No plan was made." in question else "dummy"


@dataclass
class RecordedModel:
    """Plays the search that is frozen: a tile with conflicts is kept, then one whose answers are wrong."""

    def __call__(self, asked: ReceivedRequest) -> Says:
        question = asked.body["messages"][-1]["content"]
        is_tiled = "tile[threadIdx.y][threadIdx.x] = in[" in question.partition("## Code that was tried")[0]
        wanted = asked.body.get("response_format")
        if wanted is None:
            return Says(code(WRONG_TILE if is_tiled else NARROW_TILE))
        if wanted["json_schema"]["name"] != "plan_reply":
            return Says(json.dumps({"limit": "x", "change": "x", "reason": "x", "assumptions": "", "left": ""}))
        return Says(plan(step("padded-tile" if is_tiled else "narrow-tile", 11, design=DESIGN)))


@dataclass
class PlantedModel:
    """Answers a study."""

    asked: list[tuple[str, frozenset[str], str]] = field(default_factory=list[tuple[str, frozenset[str], str]])
    """(form, players, question)."""
    _drawn: Counter[str] = field(default_factory=Counter[str])
    """Draws of each way of asking: which draw is which does not depend on the order in which questions come."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, asked: ReceivedRequest) -> Says:
        question, form = asked.body["messages"][-1]["content"], asked.body.get("response_format")
        players = players_in(question)
        with self._lock:
            self.asked.append(("code" if form is None else "plan", players, question))
            if form is not None:
                return Says(plan(step("padded-tile", 11, design=DESIGN)))
            node = "tiled" if "tile[threadIdx.y][threadIdx.x] = in[" in question.partition("## Code that was tried")[0] else "plain"
            place = f"{_SEED}/{node}/{_plan_in(question)}/{'+'.join(sorted(players))}"
            self._drawn[place] += 1
            chances = Random(f"{place}/{self._drawn[place]}")
        chance = ALONE + HARDWARE * ("hardware" in players) + TOGETHER * ({"profile", "plan"} <= players)
        if chances.random() < chance:
            return Says(code(TILED_TRANSPOSE, "Pad the tile."))
        return Says(code(SAME_STORES if chances.random() < RIGHT else WRONG_TILE, "Write it differently."))
