"""Powers that a few plain operations replace, with a constant exponent or a loop's counter, found in the text alone (KO116). Pure.

Only a base that the run decides and whose type the text gives, and only CUDA's own ``pow`` and ``powf``. Example::

    y = powf(x, 2.0f);     // KO116: write x * x
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from assistant.cuda.functions import Function
from assistant.cuda.syntax import SyntaxTree
from assistant.editor.view import Note
from assistant.model.profile import Severity
from assistant.plan.expert.analysis.constant_powers import ConstantPower, constant_powers
from assistant.plan.expert.analysis.running_powers import RunningPower, running_powers

__all__ = ["power_notes"]

_CODE = "KO116"


def power_notes(tree: SyntaxTree, function: Function) -> Iterator[Note]:
    """One note per line of a device function that can be read."""
    for line, powers in groupby(constant_powers(tree, function), lambda power: tree.line(power.call)):
        mine = tuple(powers)
        yield Note("static", line, _column(tree, mine[0]), Severity.INFORMATION, _message(tree, mine), "kernelopt", _CODE)
    for line, powers in groupby(running_powers(tree, function), lambda power: tree.line(power.call)):
        each = tuple(powers)
        yield Note("static", line, _column(tree, each[0]), Severity.INFORMATION, _running_message(tree, each), "kernelopt", _CODE)


def _column(tree: SyntaxTree, power: ConstantPower | RunningPower) -> int:
    start = tree.span(power.call).start
    return start - tree.source.rfind("\n", 0, start)


def _message(tree: SyntaxTree, powers: tuple[ConstantPower, ...]) -> str:
    names = list(dict.fromkeys(tree.text(power.call) for power in powers))
    advice = list(dict.fromkeys(power.advice for power in powers))
    runs = "runs" if len(names) == 1 else "run"
    return f"{', '.join(names)} {runs} the general power routine, 70 instructions and more: write {', '.join(advice)}"


def _running_message(tree: SyntaxTree, powers: tuple[RunningPower, ...]) -> str:
    names = list(dict.fromkeys(tree.text(power.call) for power in powers))
    runs = "runs" if len(names) == 1 else "run"
    routine = "the general power routine, 70 instructions and more, in each iteration"
    return f"{', '.join(names)} {runs} {routine}: keep the power in a local, and multiply it by the base"
