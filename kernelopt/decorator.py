"""A kernel written where a Python function stands: its CUDA text is the docstring.

Example::

    @kernelopt.kernel(ref=lambda x: 2 * x, grid=lambda n: (n + 255) // 256, block=256)
    def scale(out, x, n):
        '''__global__ void scale(float *out, const float *x, int n)
        {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) out[i] = 2.0f * x[i];
        }'''

    scale(out, x, 1000)          # compiled and checked against ref before its first launch
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import cached_property, update_wrapper
from typing import Any

from assistant.errors import UsageError
from kernelopt.kernels import Kernel, Launch, compile  # noqa: A004 - what it does
from kernelopt.sessions import Session
from kernelopt.shapes import Size

__all__ = ["KernelFunction", "kernel"]

_KERNEL = "__global__"


def kernel(
    *,
    ref: Callable[..., object] | None = None,
    grid: Size | None = None,
    block: Size | None = None,
    shared: Size = 0,
    flags: Sequence[str] | None = None,
    device: str | None = None,
    session: Session | None = None,
) -> Callable[[Callable[..., object]], KernelFunction]:
    """Make a kernel of a function whose docstring is CUDA text; of several kernels in it, the one that the function is named after.

    Options are those of `compile`; with ``ref`` the first call is checked against it before it runs. Raises UsageError where the function
    has no CUDA text, or parameters of other names than the kernel's; what the compiler says comes with the first use.
    """

    def decorated(function: Callable[..., object]) -> KernelFunction:
        if _KERNEL not in (function.__doc__ or ""):
            raise UsageError(
                f"the docstring of {function.__name__} holds no {_KERNEL} function", "write the kernel's text as the docstring"
            )
        options = {"grid": grid, "block": block, "shared": shared, "flags": flags, "device": device, "session": session}
        return KernelFunction(function, ref, options)

    return decorated


class KernelFunction:
    """A kernel that is compiled when it is first used; everything else is as of the `Kernel` that it becomes."""

    def __init__(self, function: Callable[..., object], ref: Callable[..., object] | None, options: dict[str, Any]) -> None:
        self._function = function
        self._options = options
        self._unchecked = ref
        self.ref = ref
        update_wrapper(self, function)

    @cached_property
    def kernel(self) -> Kernel:
        """Compiled now, if it was not. Raises CompileError, and UsageError where the function's parameters are not the kernel's."""
        text = inspect.cleandoc(self._function.__doc__ or "")
        made = compile(text, None if text.count(_KERNEL) == 1 else self._function.__name__, **self._options)
        wanted = tuple(inspect.signature(self._function).parameters)
        if wanted != made.parameters:
            message = f"{self._function.__name__} takes ({', '.join(wanted)}), but its kernel takes ({', '.join(made.parameters)})"
            raise UsageError(message, "give the function the kernel's parameters, in their order")
        return made

    def __call__(self, /, *arguments: object, check: bool | None = None, **named: object) -> None:
        """As `Kernel.__call__`; the first one is checked against ``ref`` on copies before, unless ``check`` is False."""
        if check is not False:
            self._check_first(self.kernel, arguments, named)
        self.kernel(*arguments, check=check, **named)

    def _check_first(self, launch: Kernel | Launch, arguments: Sequence[object], named: dict[str, object]) -> None:
        if self._unchecked is None:
            return
        of_kernel = dict(zip(self.kernel.parameters, arguments, strict=False))
        of_kernel |= {name: value for name, value in named.items() if name in self.kernel.parameters}
        shape = {name: value for name, value in named.items() if name not in self.kernel.parameters}
        found = launch.check(of_kernel, self._unchecked, **shape)  # pyright: ignore[reportArgumentType, reportCallIssue] - as the caller gave them
        found.raise_for_status()
        self._unchecked = None

    def __getitem__(self, shape: object) -> Callable[..., None]:
        """``scale[grid, block]``, to be called. Raises UsageError."""
        launch = self.kernel[shape]

        def called(*arguments: object, check: bool | None = None, **named: object) -> None:
            if check is not False:
                self._check_first(launch, arguments, named)
            launch(*arguments, check=check, **named)

        return called

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.kernel, name)

    def __repr__(self) -> str:
        return f"<kernel function {self._function.__name__}>"
