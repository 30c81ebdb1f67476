"""Which hunks of an edit change how a kernel is launched, and which change what its threads take because of that. Pure.

Such hunks only work together, though they may share no name: `k<<<n / 256, 256>>>` became `k<<<n / 512, 256>>>`, and what stands in the
kernel reads another element for each place in the grid. Edits of numbers alone (`0.5` → `0.5f`) have nothing to do with it.
Example::

    launch_hunks(proposal.shown_files)     # {"a1…", "b2…"}: the launch, and the index made from `blockIdx`; empty where no launch changes
    no_more_launched(proposal.files)       # {"scale", "shift"}, where one kernel does the work of both
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from assistant.cuda.cpp_words import KEYWORDS
from assistant.cuda.device_words import ARITHMETIC
from assistant.model.change import FileChange
from assistant.model.source import Hunk

__all__ = ["launch_hunks", "no_more_launched"]

_PLACES = frozenset({"threadIdx", "blockIdx", "blockDim", "gridDim"})
_CONFIGURATION = re.compile(r"<<<(.*?)>>>|\bcudaLaunchKernel\w*\s*\((.*?);", re.DOTALL)
_LAUNCHED = re.compile(r"([A-Za-z_]\w*)\s*(?:<[^<>;]*>)?\s*<<<")
_DECLARED = re.compile(r"^\s*(?:// kernelopt launch: |%%kernelopt\b|(?:grid|block|shared)\s*=\s*[\[\d\"]).*$", re.MULTILINE)
"""A cell's launch, or a workload block's."""
_SET = re.compile(r"\b(?P<name>[A-Za-z_]\w*)\s*[-+*/]?=(?!=)(?P<value>[^;{}\[]*);")
_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_PRECISION = re.compile(r"(?<=[\d.])[fF]\b|\b__(?=\w+\()|(?<=[a-z0-9])f(?=\()|\(float\)|\bdouble\b|\bfloat\b|\s+")
"""What edits of precision add and take away."""


def launch_hunks(files: Sequence[FileChange]) -> frozenset[str]:
    """Ids of the hunks that are one choice because a launch changes; empty where none does."""
    texts = [text for change in files for text in (change.before_text, change.after_text)]
    configured = {name for text in texts for found in _CONFIGURATION.findall(text) for name in _NAME.findall("".join(found))}
    changed = [hunk for change in files for hunk in change.hunks if not _is_of_precision(hunk)]
    launches = frozenset(hunk.id for hunk in changed if _changes_launch(hunk, configured - KEYWORDS - ARITHMETIC))
    if not launches:
        return frozenset()
    places = _names_of_places(texts)
    return launches | frozenset(hunk.id for hunk in changed if not places.isdisjoint(_NAME.findall(_before(hunk) + _after(hunk))))


def no_more_launched(files: Sequence[FileChange]) -> frozenset[str]:
    """Unqualified names of kernels of which an edit takes launches away and adds none: another kernel does their work."""
    hunks = [hunk for change in files for hunk in change.hunks]
    before, after = (frozenset(_LAUNCHED.findall("".join(map(side, hunks)))) for side in (_before, _after))
    return before - after


def _before(hunk: Hunk) -> str:
    return "".join(hunk.before)


def _after(hunk: Hunk) -> str:
    return "".join(hunk.after)


def _is_of_precision(hunk: Hunk) -> bool:
    return _PRECISION.sub("", _before(hunk)) == _PRECISION.sub("", _after(hunk))


def _changes_launch(hunk: Hunk, configured: frozenset[str] | set[str]) -> bool:
    """It changes what a launch is configured with, or sets a name that one uses."""
    for pattern in (_CONFIGURATION, _DECLARED):
        if pattern.findall(_before(hunk)) != pattern.findall(_after(hunk)):
            return True
    text = _before(hunk) + _after(hunk)
    return any(re.search(rf"#\s*define\s+{name}\b|\b{name}\b(?:\.[xyz])?\s*(?:[({{]|=(?!=))", text) for name in configured)


def _names_of_places(texts: Sequence[str]) -> frozenset[str]:
    """The built-in places, and variables that are made from them by arithmetic alone."""
    found, values = set(_PLACES), [(one["name"], set(_NAME.findall(one["value"]))) for text in texts for one in _SET.finditer(text)]
    while more := {name for name, used in values if used & found} - found:
        found |= more
    return frozenset(found)
