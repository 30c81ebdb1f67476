"""The kernels of a cell as Python callables, by the names that the notebook knows them by.

Example::

    namespace.update(callables_of(bound_cell))        # {"halve": <kernel halve(float*, float const*, int)>}
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from assistant.cuda.embedded.cell_launch import without_first_line
from assistant.live.binding import Bound
from assistant.live.callables import BoundCall, BoundKernel, CellText, ConfigOf, KernelOfCell, Runner
from assistant.live.names import python_name
from assistant.live.text_facts import text_facts
from assistant.model.source import ParsedSource
from assistant.record import Record
from assistant.workload.signature import Signature
from jupyter_ext.cells import Cell

__all__ = ["BoundCell", "callables_of"]


class BoundCell(Record):
    """A compiled cell, and how its kernels are launched."""

    cell: Cell
    parsed: ParsedSource
    signatures: Mapping[str, Signature]
    """By the kernel's name."""
    runner_of: Callable[[Bound], Runner]
    config_of: ConfigOf
    defaults: Mapping[str, Bound]
    """The cell's arrays, by the name of the kernel that they are for."""
    flags: tuple[str, ...] | None
    device: str | None
    target: str | None


def callables_of(bound: BoundCell, kernel_of: KernelOfCell | None) -> dict[str, BoundKernel]:
    """``kernel_of``: what makes them; None: they can be called, and no more."""
    kernels = {kernel.name: kernel for kernel in bound.parsed.kernels}
    text = without_first_line(bound.cell.text)
    above = bound.cell.line_of(bound.cell.text.count("\n") - text.count("\n") + 1) - 1
    of = CellText("\n" * above + text, bound.flags, bound.device, bound.target)
    made: dict[str, BoundKernel] = {}
    for name, signature in bound.signatures.items():
        facts = text_facts(bound.parsed, kernels.get(name))
        call = BoundCall(signature, bound.runner_of, bound.config_of, bound.defaults.get(name), facts)
        made[python_name(name)] = BoundKernel(call) if kernel_of is None else kernel_of(call, of)
    return made
