"""The kernel of a notebook's cell: a `kernelopt.Kernel`, launched as the magic's line says and on the arrays that it bound.

Example::

    halve()                                       # on the cell's arrays
    halve[4, 256](out, x, 1000)
    halve.check(ref=lambda x: x / 2).ok           # on the cell's arrays
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from assistant.errors import UsageError
from assistant.live.callables import BoundCall, BoundKernel, CellText, ConfigOf
from assistant.model.launch import LaunchConfig
from kernelopt import kernels
from kernelopt.proposals import USUAL_SEARCH, Proposals, Search
from kernelopt.results import CheckResult, ProfileResult, Timing
from kernelopt.sessions import default_session
from kernelopt.shapes import SIZES, Shape, Size
from kernelopt.workloads import Arguments, Compiled

__all__ = ["CellKernel"]


class _CellShape(Shape):
    """What the magic's line says, unless a call says otherwise."""

    shared: Any = None
    config_of: ConfigOf | None = None

    def config(self, values: Mapping[str, object]) -> LaunchConfig:
        assert self.config_of is not None
        return self.config_of(values, {name: size for name in SIZES if (size := getattr(self, name)) is not None})


class CellKernel(BoundKernel, kernels.Kernel):
    """Compiled once more for a session of Python's when it is first asked for more than a call."""

    def __init__(self, call: BoundCall, cell: CellText) -> None:
        """Lines of its text are numbered as the notebook's."""
        super().__init__(call)
        self._cell = cell
        self._shape = _CellShape(config_of=call.config_of)

    @property
    def _of(self) -> Compiled:
        return self._compiled_apart

    @cached_property
    def _compiled_apart(self) -> Compiled:
        """Raises what `compile` raises."""
        cell = self._cell
        session = default_session(cell.device or "auto", cell.target)
        made = kernels.compile(cell.text, self._call.signature.instance, flags=cell.flags, session=session)
        return made._of  # pyright: ignore[reportPrivateUsage] - one part of it

    @property
    def name(self) -> str:
        return self._call.signature.instance

    @property
    def parameters(self) -> tuple[str, ...]:
        return self._names

    def check(
        self,
        arguments: Arguments | None = None,
        ref: Callable[..., object] | None = None,
        *,
        grid: Size | None = None,
        block: Size | None = None,
        shared: Size | None = None,
    ) -> CheckResult:
        """See `kernelopt.Kernel.check`."""
        return super().check(self._own(arguments), ref, grid=grid, block=block, shared=shared)

    def profile(
        self, arguments: Arguments | None = None, *, grid: Size | None = None, block: Size | None = None, shared: Size | None = None
    ) -> ProfileResult:
        """See `kernelopt.Kernel.profile`."""
        return super().profile(self._own(arguments), grid=grid, block=block, shared=shared)

    def time(
        self, arguments: Arguments | None = None, *, grid: Size | None = None, block: Size | None = None, shared: Size | None = None
    ) -> Timing:
        """See `kernelopt.Kernel.time`."""
        return super().time(self._own(arguments), grid=grid, block=block, shared=shared)

    def optimize(
        self,
        arguments: Arguments | None = None,
        ref: Callable[..., object] | None = None,
        *,
        options: Search = USUAL_SEARCH,
        **changed: Any,
    ) -> Proposals:
        """See `kernelopt.Kernel.optimize`."""
        return super().optimize(self._own(arguments), ref, options=options, **changed)

    def _own(self, arguments: Arguments | None) -> Arguments:
        """The cell's arrays where no others are given. Raises UsageError where the cell bound none."""
        if arguments is not None:
            return arguments
        if self._call.default is None:
            names = ", ".join(self._names)
            raise UsageError(
                f"the cell bound no arrays for {self.name}", f"give ({names}), or bind them by --args on the cell's first line"
            )
        return self._call.default.values

    def _check_copies(self, values: Mapping[str, object], given: Mapping[str, Any]) -> None:
        self.check(values, **given).raise_for_status()
