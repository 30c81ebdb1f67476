"""CUDA kernels from Python: compiled, launched with checks, verified, profiled and compared.

Importing it loads nothing but this file; each name is imported when it is first used. Example::

    import kernelopt

    scale = kernelopt.compile(text, grid=lambda n: (n + 255) // 256, block=256)
    scale(out, x, n)                                   # on CPU arrays: in the emulator, checked; on a GPU's: launched there
    scale.check((out, x, n), ref=lambda x: 2 * x).raise_for_status()
"""

from __future__ import annotations

TYPE_CHECKING = False
"""True for type checkers, which know the name: `typing` would be four fifths of what importing this takes."""
if TYPE_CHECKING:
    from typing import Any

    from IPython.core.interactiveshell import InteractiveShell

    from assistant.errors import KernelOptError as KernelOptError
    from assistant.live.arrays import BindingError as BindingError
    from assistant.live.faults import BarrierDivergence as BarrierDivergence
    from assistant.live.faults import KernelFailed as KernelFailed
    from assistant.live.faults import KernelFault as KernelFault
    from assistant.live.faults import OutOfBounds as OutOfBounds
    from assistant.live.faults import Race as Race
    from assistant.live.faults import UninitialisedRead as UninitialisedRead
    from kernelopt import aio as aio
    from kernelopt import testing as testing
    from kernelopt.decorator import KernelFunction as KernelFunction
    from kernelopt.decorator import kernel as kernel
    from kernelopt.kernels import CompileError as CompileError
    from kernelopt.kernels import Kernel as Kernel
    from kernelopt.kernels import Launch as Launch
    from kernelopt.kernels import compare as compare
    from kernelopt.kernels import compile as compile
    from kernelopt.operators import Operator as Operator
    from kernelopt.operators import OperatorProfile as OperatorProfile
    from kernelopt.operators import WrittenKernel as WrittenKernel
    from kernelopt.operators import operator as operator
    from kernelopt.plots import MissingLibrary as MissingLibrary
    from kernelopt.proposals import Proposal as Proposal
    from kernelopt.proposals import Proposals as Proposals
    from kernelopt.proposals import Search as Search
    from kernelopt.results import CheckResult as CheckResult
    from kernelopt.results import Comparison as Comparison
    from kernelopt.results import JobFailed as JobFailed
    from kernelopt.results import ProfileResult as ProfileResult
    from kernelopt.results import Timing as Timing
    from kernelopt.sessions import Session as Session

_MODULES = ("aio", "testing")


def __getattr__(name: str) -> Any:
    """The public name, imported now. Raises AttributeError, and ImportError where a foreign package stands in front of one of ours."""
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    from kernelopt.__main__ import foreign_package

    problem = foreign_package()
    if problem is not None:
        raise ImportError(problem)
    from assistant.lazy import names_of

    value = import_module(f"{__name__}.{name}") if name in _MODULES else names_of(__name__, __file__)(name)
    globals()[name] = value
    return value


def load_ipython_extension(shell: InteractiveShell) -> None:
    """``%load_ext kernelopt``: ``%%kernelopt`` and ``%kernelopt`` in this notebook."""
    import jupyter_ext
    from kernelopt.cells import CellKernel

    jupyter_ext.load_ipython_extension(shell, CellKernel)


def unload_ipython_extension(shell: InteractiveShell) -> None:
    """``%unload_ext kernelopt``: everything that goes on ends."""
    import jupyter_ext

    jupyter_ext.unload_ipython_extension(shell)
