"""Candidates that do the same work in other words: equal machine code, or equal counters where nothing else tells speeds apart. Pure.

Example::

    machine_code_of(evaluation)         # "5d0c…": of all kernels with their launches; None without machine code of each
    counters_of(evaluation, "saxpy")    # "91aa…": of one kernel
"""

from __future__ import annotations

import hashlib
import re

from assistant.engine.evaluate import Evaluation

__all__ = ["SeenWork", "counters_of", "machine_code_of"]

_OF_MODULE = re.compile(r"c\[0x0*[1-9a-f]|@(?:lo|hi)\(", re.IGNORECASE)
"""A constant bank other than that of the parameters, or the address of a variable: what lies there is no instruction."""


class SeenWork:
    """What the candidates of a kernel's search came to, for all labs that try them."""

    def __init__(self) -> None:
        self._firsts: dict[str, tuple[str, str]] = {}
        """Id and text of the first candidate, by its work."""

    def first(self, work: str | None, candidate: str, text: str) -> str | None:
        """The id of an earlier candidate with the same ``work`` and another text; None for the first, and where the work is not known.

        ``text``: `SearchNode.key`; a candidate that is judged once more, with the same text, is meant to be.
        """
        if work is None:
            return None
        known, known_text = self._firsts.setdefault(work, (candidate, text))
        return None if known_text == text else known


def machine_code_of(evaluation: Evaluation) -> str | None:
    """A hash of every launched kernel's instructions, with the launches in order; names of branch targets do not count.

    None where the instructions are not all: where one is not known, or reads constants and variables of the module.
    """
    found = [(item.instance, item.code) for item in evaluation.assessment.kernels]
    codes = sorted((name, code.work) for name, code in found if code is not None)
    if not found or len(codes) < len(found) or any(_OF_MODULE.search(operands) for _, code in codes for *_, operands in code):
        return None
    launches = [(profile.kernel, str(profile.config)) for profile in evaluation.counted.profiles]
    return _hash(("machine code", codes, launches))


def counters_of(evaluation: Evaluation, name: str) -> str | None:
    """A hash of what was counted and predicted of a kernel, and of its registers and shared memory; lines do not count."""
    items = evaluation.kernel(name)
    if not items:
        return None
    facts = [
        (
            [(str(launch.profile.config), launch.predicted.time_s, launch.count) for launch in item.launches],
            sorted((fact.metric, fact.value) for fact in item.evidence),
            None if item.resources is None else (item.resources.registers_per_thread, item.resources.static_shared_bytes),
        )
        for item in items
    ]
    return _hash(("counters", facts))


def _hash(value: object) -> str:
    return hashlib.sha256(repr(value).encode()).hexdigest()
