"""A decision of a recorded search as it was: the version, what was known then, and the exact prompts. It never changes.

Example::

    node.id          # "N3f2a…": the hash of all that it holds
    node.texts       # every file of the program that the search had changed, and the kernel's own
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from assistant.model.completion import ChatMessage
from assistant.model.plan import AttemptSummary
from assistant.model.source import Source
from assistant.record import Record
from assistant.serialize import dumps

__all__ = ["CallCost", "FrozenNode", "ProgramOptions", "node_id"]

_ID_CHARACTERS = 16


class CallCost(Record):
    """What a call of the recorded search took: for estimates."""

    input_token_count: int
    output_token_count: int
    duration_ms: int


class ProgramOptions(Record):
    """How the program is run and judged, as of ``optimize``."""

    device: str | None = None
    target: str | None = None
    cflags: tuple[str, ...] | None = None
    arguments: tuple[str, ...] = ()
    timeout_s: float | None = None


class FrozenNode(Record):
    """One version in a search that a model planned, as the search stood when it asked."""

    job: str
    workspace: Path
    path: Path
    kernel: str
    """``Kernel.key`` in the version."""
    generation: int
    """Edits that were kept before it: 0 is the text that the search began with."""
    texts: tuple[Source, ...]
    tried: tuple[AttemptSummary, ...]
    """Candidates of the search before it, oldest first."""
    known_until_ms: int
    """What memory learned later is not shown."""
    code_prompt: tuple[ChatMessage, ...]
    """The first question for code on this version, exactly as it was sent."""
    code_cost: CallCost
    plan_prompt: tuple[ChatMessage, ...]
    """The question for the plan behind it; empty where it came with the code."""
    plan_answer: str
    plan_cost: CallCost | None
    judge_ms: int
    """Of one candidate: an estimate from the times of the search."""
    model: str
    program: ProgramOptions

    @property
    def id(self) -> str:
        return node_id(self)

    @property
    def title(self) -> str:
        return f"{self.path.name}: {self.kernel}, generation {self.generation}"


def node_id(node: FrozenNode) -> str:
    """A hash of everything in it."""
    return "N" + hashlib.sha256(dumps(node).encode()).hexdigest()[:_ID_CHARACTERS]
