"""What an agent does and what it is answered."""

from __future__ import annotations

from typing import Any, Literal

from openenv.core.env_server.types import Action, Observation
from pydantic import Field

__all__ = ["KernelAction", "KernelObservation", "Tool"]

Tool = Literal["judge", "profile", "ask_memory", "submit"]


class KernelAction(Action):
    """One question to the judge, on a new text of the file or on the one that stands."""

    tool: Tool = Field(description="judge: is it right, is it faster; profile: where its time goes; ask_memory; submit: end with it")
    text: str | None = Field(default=None, description="The whole new text of the file; left out: it stays as it is")
    argument: str = Field(default="", description="A kernel for profile, a technique for ask_memory; empty for all")


class KernelObservation(Observation):
    """After ``reset``: the task. After ``step``: the answer."""

    instructions: str = ""
    """What is asked, what counts; of ``reset`` alone."""
    source: str = ""
    """Name of the file to edit."""
    text: str = ""
    """How it begins; of ``reset`` alone."""
    answer: dict[str, Any] = Field(default_factory=dict)
    """kernelopt's, with ``reward`` and ``components`` where it judged, and what is ``left`` of the budget."""
