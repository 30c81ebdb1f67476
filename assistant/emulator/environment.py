"""Environment variables of child processes: the user's own program sees the user's, code that a model wrote only a short list."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["own_environment", "restricted_environment"]

_ALLOWED = ("PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "TZ", "LANG", "LANGUAGE", "LD_LIBRARY_PATH", "OMP_NUM_THREADS")
_OWN_PREFIXES = ("EMU_", "KERNELOPT_")
"""Ours: never inherited, set only on purpose."""


def own_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """For the user's program."""
    return {name: value for name, value in environment.items() if not name.startswith(_OWN_PREFIXES)}


def restricted_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """For anything else."""
    return {name: value for name, value in environment.items() if name in _ALLOWED or name.startswith("LC_")}
