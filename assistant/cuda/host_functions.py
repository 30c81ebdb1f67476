"""Functions of the host that a text defines, by the names that a person may ask for.

Example::

    host_functions("struct Solver { void step() { k<<<1, 1>>>(); } };\nint main() {}")     # ("Solver::step", "main")
    is_named("Solver::step", "step")                                                       # True
"""

from __future__ import annotations

from assistant.cuda.functions import functions
from assistant.cuda.recovery import recover

__all__ = ["host_functions", "is_named"]


def host_functions(text: str) -> tuple[str, ...]:
    """Qualified names, in source order, each once; kernels and functions of the device alone are none."""
    found = (each for tree in recover(text).trees for each in functions(tree))
    names = ("::".join((*each.scopes, each.name)) for each in found if not each.is_kernel and not each.is_device)
    return tuple(dict.fromkeys(names))


def is_named(function: str, wanted: str) -> bool:
    """Whether ``wanted`` is the end of the function's qualified name."""
    parts = wanted.split("::")
    return function.split("::")[-len(parts) :] == parts
