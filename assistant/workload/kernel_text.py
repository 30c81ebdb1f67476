"""What a kernel's text says of its variables: how they are set, what they stay below, how its loops step.

`kernelopt init` starts a block for people to edit, so what is not understood is left out.

Example::

    text = read_kernel(BodyNames(tree, body))    # of `int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) …`
    text.names.settings["i"], text.below["i"]    # one expression each
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from assistant.cuda.body_names import BodyNames
from assistant.cuda.bounds import Bound, bounds_in, loop_bounds, loop_steps
from assistant.record import Record

__all__ = ["KernelText", "read_kernel"]


class KernelText(Record):
    """One kernel's body."""

    names: BodyNames
    below: Mapping[str, tuple[Bound, ...]]
    """What a variable is found to stay below where it is used."""
    loops: tuple[Bound, ...]
    """What the variable of each ``for`` stays below."""
    loop_steps: tuple[str, ...]
    """What each ``for`` adds to its variable."""
    steps: Mapping[str, str]
    """The same of variables that only loops set, each to a number, and that all of them step alike."""


def read_kernel(names: BodyNames) -> KernelText:
    """Reads the body that ``names`` belong to."""
    below: defaultdict[str, tuple[Bound, ...]] = defaultdict(tuple)
    for bound in bounds_in(names, names.body):
        below[bound.variable] += (bound,)
    found: defaultdict[str, list[str]] = defaultdict(list)
    steps = loop_steps(names)
    for each in steps:
        if each.starts_at_number:
            found[each.variable].append(each.step)
    alike = {name: added[0] for name, added in found.items() if len(set(added)) == 1 and _change_count(names, name) == len(added)}
    return KernelText(names, dict(below), loop_bounds(names), tuple(each.step for each in steps), alike)


def _change_count(names: BodyNames, name: str) -> int:
    return len(names.settings.get(name, ())) + names.steps.count((name, "++"))
