"""The kernel of a notebook's cell as `kernelopt.compile` makes it, launched as the magic's line says.

Example::

    kernel_of_cell(CellText(text, "scale", config_of, None, None, None)).registers
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assistant.live.callables import CellText, ConfigOf
from assistant.model.launch import LaunchConfig
from kernelopt import kernels
from kernelopt.sessions import default_session
from kernelopt.shapes import SIZES, Shape

__all__ = ["kernel_of_cell"]


class _CellShape(Shape):
    """What the magic's line says, unless a call says otherwise."""

    shared: Any = None
    config_of: ConfigOf | None = None

    def config(self, values: Mapping[str, object]) -> LaunchConfig:
        assert self.config_of is not None
        return self.config_of(values, {name: size for name in SIZES if (size := getattr(self, name)) is not None})


def kernel_of_cell(cell: CellText) -> kernels.Kernel:
    """Lines of its text are numbered as the notebook's. Raises what `compile` raises."""
    session = default_session(cell.device or "auto", cell.target)
    made = kernels.compile(cell.text, cell.instance, flags=cell.flags, session=session)
    return kernels.Kernel(made._of, _CellShape(config_of=cell.config_of))  # pyright: ignore[reportPrivateUsage] - one part of it
