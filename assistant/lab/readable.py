"""Folders in which compilers may read everything for a program: the projects of its sources.

Example::

    workspaces(program)      # ["/home/u/project"]
"""

from __future__ import annotations

from assistant.config import find_project
from assistant.ports.lab import Program

__all__ = ["workspaces"]


def workspaces(program: Program) -> list[str]:
    """As they lie on the disk now; workers hold compilers to them (``worker.readable``)."""
    return list(dict.fromkeys(str(find_project(source.path)) for source in program.sources))
