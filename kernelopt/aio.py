"""The same for `async` code: nothing here blocks the caller's event loop, and cancelling what is awaited ends its job.

Example::

    scale = await kernelopt.aio.compile(text, grid=4, block=256)
    await scale(out, x, 1000)
    found = await scale.check((out, x, 1000), ref=reference)
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from contextvars import copy_context
from functools import partial
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from assistant.live.live_task import Inputs
from assistant.live.loop import Waits
from kernelopt import kernels, operators
from kernelopt.operators import OperatorProfile, WrittenKernel
from kernelopt.proposals import Proposals
from kernelopt.results import CheckResult, Comparison, ProfileResult, Timing

__all__ = ["Kernel", "Operator", "compare", "compile", "operator"]

P = ParamSpec("P")
T = TypeVar("T")


class Kernel:
    """A `kernelopt.Kernel` whose methods are awaited."""

    def __init__(self, kernel: kernels.Kernel | kernels.Launch) -> None:
        self.sync = kernel
        """The one that blocks."""

    def __getitem__(self, shape: object) -> Kernel:
        """``kernel[grid, block]``. Raises UsageError."""
        assert isinstance(self.sync, kernels.Kernel), "a launch has its grid and block"
        return Kernel(self.sync[shape])

    async def __call__(self, /, *arguments: object, **named: Any) -> None:
        """See `kernelopt.Kernel.__call__`."""
        await _awaited(self.sync, *arguments, **named)

    async def check(self, *arguments: Any, **named: Any) -> CheckResult:
        """See `kernelopt.Kernel.check`."""
        return await _awaited(self.sync.check, *arguments, **named)

    async def profile(self, *arguments: Any, **named: Any) -> ProfileResult:
        """See `kernelopt.Kernel.profile`."""
        return await _awaited(self.sync.profile, *arguments, **named)

    async def time(self, *arguments: Any, **named: Any) -> Timing:
        """See `kernelopt.Kernel.time`."""
        return await _awaited(self.sync.time, *arguments, **named)

    async def optimize(self, *arguments: Any, **named: Any) -> Proposals:
        """See `kernelopt.Kernel.optimize`."""
        return await _awaited(self.sync.optimize, *arguments, **named)


async def compile(source: str | Path, kernel: str | None = None, **options: Any) -> Kernel:  # noqa: A001 - as its twin
    """See `kernelopt.compile`."""
    return Kernel(await _awaited(kernels.compile, source, kernel, **options))


class Operator:
    """A `kernelopt.Operator` whose methods are awaited."""

    def __init__(self, operator: operators.Operator) -> None:
        self.sync = operator
        """The one that blocks."""

    async def check(self, *arguments: Any, **named: Any) -> Comparison:
        """See `kernelopt.Operator.check`."""
        return await _awaited(self.sync.check, *arguments, **named)

    async def profile(self) -> OperatorProfile:
        """See `kernelopt.Operator.profile`."""
        return await _awaited(self.sync.profile)

    async def optimize(self) -> WrittenKernel:
        """See `kernelopt.Operator.optimize`."""
        return await _awaited(self.sync.optimize)


async def operator(reference: object, inputs: Inputs, *arguments: Any, **named: Any) -> Operator:
    """See `kernelopt.operator`."""
    return Operator(await _awaited(operators.operator, reference, inputs, *arguments, **named))


async def compare(a: Kernel | kernels.Kernel, b: Kernel | kernels.Kernel, *arguments: Any, **named: Any) -> Comparison:
    """See `kernelopt.compare`; takes kernels of either kind."""
    first, second = (kernel.sync if isinstance(kernel, Kernel) else kernel for kernel in (a, b))
    return await _awaited(kernels.compare, first, second, *arguments, **named)


async def _awaited(function: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
    """What it returns or raises, on a thread; a cancelled caller waits until it has ended there."""
    context = copy_context()
    waits = context.run(Waits.of_this_context)
    work = asyncio.get_running_loop().run_in_executor(None, partial(context.run, partial(function, *arguments, **named)))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        waits.cancel()
        with contextlib.suppress(BaseException):
            await work
        raise
