"""Environment variables of child processes: the user's own program sees the user's, candidates see no secrets, replays a short list."""

from __future__ import annotations

import re
from collections.abc import Mapping

__all__ = ["candidate_environment", "own_environment", "restricted_environment"]

_ALLOWED = ("PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "TZ", "LANG", "LANGUAGE", "LD_LIBRARY_PATH", "OMP_NUM_THREADS")
_OWN_PREFIXES = ("EMU_", "KERNELOPT_")
"""Ours: never inherited, set only on purpose."""

_SECRET = re.compile("KEY|TOKEN|SECRET|PASSW|CREDENTIAL", re.IGNORECASE)
"""In names of variables that hold what must stay secret. What a candidate prints can reach memory and a language model."""


def own_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """For the user's program."""
    return {name: value for name, value in environment.items() if not name.startswith(_OWN_PREFIXES)}


def candidate_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """For the user's program with an edit that the user has not accepted; a model may have written it."""
    return {name: value for name, value in own_environment(environment).items() if not _SECRET.search(name)}


def restricted_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """For anything else."""
    return {name: value for name, value in environment.items() if name in _ALLOWED or name.startswith("LC_")}
