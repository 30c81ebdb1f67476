"""What the worker is asked and what it answers: one JSON object per line."""

from __future__ import annotations

from pathlib import Path

from assistant.record import Record

__all__ = ["SideGpu", "SideReply", "SideRequest"]


class SideGpu(Record):
    """The GPU that a side sees, and where it keeps what is compiled for it."""

    uuid: str
    """``GPU-…``, or ``MIG-…`` for a slice."""
    compute_capability: str
    """``9.0``"""
    builds: Path
    """Extensions of the candidate, found again by a later side."""


class SideRequest(Record):
    """Run one side, as ``folder/order.json`` says; it writes ``folder/answer.json`` and files next to it."""

    folder: Path
    python: str
    """The interpreter that finds the project's PyTorch."""
    working_directory: Path
    is_candidate: bool
    """It runs confined and sees no secrets."""
    wall_s: float
    memory_bytes: int
    gpu: SideGpu | None = None
    """None: it sees none."""


class SideReply(Record):
    """How the side's process ended."""

    failure: str
    """``crashed``, ``timed_out``, ``out_of_memory`` or ``no_python``; empty where it left an answer."""
    message: str
    missing: tuple[str, ...]
    """Limits that this machine could not put in force."""
