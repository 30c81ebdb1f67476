"""A technique as a person reads it: its id is for memory and for the command line. Pure."""

from __future__ import annotations

__all__ = ["named"]


def named(technique: str) -> str:
    """``staged store`` of ``staged-store``; what a model called its edit stays as it is."""
    return technique if " " in technique else technique.replace("-", " ")
