"""How a kernel is launched: numbers, or functions of its arguments.

Example::

    Shape(grid=lambda n: (n + 255) // 256, block=256).config({"n": 1000})        # grid (4, 1, 1), block (256, 1, 1)
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from assistant.errors import UsageError
from assistant.live.configs import launch_config
from assistant.model.launch import LaunchConfig
from assistant.record import Record

__all__ = ["SIZES", "Shape", "Size"]

Size = int | tuple[int, ...] | Callable[..., object]
"""One to three numbers, or a function of the kernel's arguments that returns them: ``lambda n: (n + 255) // 256``."""
SIZES = ("grid", "block", "shared")
_WRITTEN = "{name}={value}"


class Shape(Record):
    """How a kernel is launched, as far as it is known."""

    grid: Size | None = None
    block: Size | None = None
    shared: Size = 0
    """Bytes of dynamic shared memory."""

    def changed(self, grid: Size | None, block: Size | None, shared: Size | None) -> Shape:
        """With what is not None in the place of its own."""
        given: dict[str, Any] = {name: value for name, value in zip(SIZES, (grid, block, shared), strict=True) if value is not None}
        return replace(self, **given)

    def config(self, values: Mapping[str, object]) -> LaunchConfig:
        """For a launch with these arguments. Raises UsageError."""
        if self.grid is None or self.block is None:
            missing = "grid" if self.grid is None else "block"
            remedy = "write kernel[grid, block](…), or give grid= and block= to compile or to the call"
            raise UsageError(f"the launch has no {missing}", remedy)
        block = _value("block", self.block, values)
        grid = _value("grid", self.grid, {"block": block, **values})
        return launch_config(grid, block, _value("shared", self.shared, {"block": block, **values}), _WRITTEN)


def _value(name: str, size: Size, values: Mapping[str, object]) -> object:
    """A number as it is; a function's result on the arguments that it has parameters for. Raises UsageError for one that it has not."""
    if not callable(size):
        return size
    parameters = inspect.signature(size).parameters.values()
    wanted = [one.name for one in parameters if one.name in values or one.default is one.empty]
    unknown = [parameter for parameter in wanted if parameter not in values]
    if unknown:
        known = ", ".join(values)
        raise UsageError(f"{name}: its function takes {unknown[0]}, which is no argument of the kernel", f"the arguments are {known}")
    return size(**{parameter: values[parameter] for parameter in wanted})
