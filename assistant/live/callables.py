"""A cell's kernel as a Python callable: ``halve(out, x, n)`` runs it once and changes the arrays.

On arrays of the CPU it runs in the emulator's worker, limited like every replay and with every check on, and what it left is copied back; a
kernel that goes wrong raises (`faults`) and changes nothing. On arrays of a GPU it is launched there (`gpu_calls`). Example::

    halve(out, x, 1024)                    # grid and block as the cell's magic says
    halve(out, x, 1024, grid=4, block=256)
"""

from __future__ import annotations

import inspect
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property, wraps
from pathlib import Path
from typing import Any, Protocol

from assistant.errors import UsageError
from assistant.live.arrays import BindingError
from assistant.live.binding import Bound, TextFacts, bind_positional
from assistant.live.compiling import CompiledText
from assistant.live.faults import KernelFailed, fault_of
from assistant.live.loop import BackgroundLoop
from assistant.live.names import kernel_names, python_name
from assistant.live.snapshot import regions_of, restore, shared_folder, write_launch
from assistant.model.launch import LaunchConfig
from assistant.model.profile import Problem
from assistant.model.workload import Case, CaseOrigin
from assistant.ports.lab import CaseRun, Lab, LabFailure, ReplayOptions, ReplayRun
from assistant.record import Record
from assistant.workload.signature import Signature

__all__ = ["BoundKernel", "CellText", "ConfigOf", "EmulatorRunner", "Runner", "WholeKernel"]

ConfigOf = Callable[[Mapping[str, object], Mapping[str, object]], LaunchConfig]
"""(the call's arguments by name, what it says of grid, block and shared) → how it is launched. Raises UsageError."""
_PLAIN = ReplayOptions(seed=0)
"""The threads of a block begin in their order, so that what they print comes in it; with checks the last begins, which shows more."""
_LAUNCH = ("grid", "block", "shared", "check")
"""What a call may say besides the kernel's arguments."""


_NO_FACTS = TextFacts()
_ON_ARRAYS = ("check", "optimize", "profile", "time")
"""Methods of a whole kernel that take the cell's arrays where none are given."""
_OF_KERNEL = (
    *_ON_ARRAYS, "config", "flags", "is_file", "name", "occupancy", "parameters", "path", "ptx", "registers", "resources", "sass", "text"
)  # fmt: skip


class CellText(Record):
    """A kernel as a cell has it."""

    text: str
    """With as many empty lines before it as the notebook numbers above."""
    instance: str
    config_of: ConfigOf
    flags: tuple[str, ...] | None
    device: str | None
    target: str | None


WholeKernel = Callable[[CellText], Any]
"""Makes the kernel that `kernelopt.compile` makes of a text."""


class Runner(Protocol):
    """Runs launches of a compiled text."""

    @property
    def checks_calls(self) -> bool:
        """Whether it can look for defects while it runs a launch."""
        ...

    def run(self, bound: Bound, config: LaunchConfig, is_checked: bool) -> None:
        """Raises KernelFailed, and BindingError for arrays that it cannot run on.

        ``is_checked``: look for races, accesses out of bounds, reads of what nothing wrote, barriers that threads miss, if it can.
        """
        ...


class EmulatorRunner:
    """Runs bound launches of a compiled text in the emulator's worker."""

    checks_calls = True

    def __init__(
        self, loop: BackgroundLoop, lab: Lab, compiled: CompiledText, file: str, line_of: Callable[[int], int] = lambda line: line
    ) -> None:
        """``line_of``: what the person calls a line of the text, as a notebook numbers those of its cell."""
        self._line_of = line_of
        self._loop = loop
        self._lab = lab
        self._compiled = compiled
        self._file = file

    def run(self, bound: Bound, config: LaunchConfig, is_checked: bool) -> None:
        """Prints what the kernel prints. Raises KernelFailed, a KernelFault where it is checked, BindingError for arrays on a GPU."""
        away = next((array for array in bound.arrays.values() if not array.is_on_cpu), None)
        if away is not None:
            message = f"{away.name}: expected an array on the CPU, where this kernel runs, got one on {away.device}"
            raise BindingError(message, "pass a copy on the CPU, or run the cell without --device cpu")
        if self._compiled.emulated is not None:
            raise KernelFailed(self._compiled.refusal(), self._compiled.emulated.remedy)
        folder = shared_folder(2 * bound.size_bytes)
        try:
            write_launch(folder / "call", bound, config, self._file)
            ran = self._replayed(folder / "call", ReplayOptions(mode="check") if is_checked else _PLAIN)
            after = ran.cases[0]
            fault = fault_of(
                [self._as_numbered(problem) for problem in after.problems], [parameter.name for parameter in bound.signature.parameters]
            )
            if is_checked and ran.printed and fault is None and after.error is None:
                ran = self._replayed(folder / "call", _PLAIN)
                after = ran.cases[0]
            sys.stdout.write(ran.printed)
            if fault is not None:
                raise fault
            if after.error is not None:
                raise _failed(bound, after)
            restore(regions_of(bound), ((identity, ran.blobs / name) for identity, name in after.after))
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _as_numbered(self, problem: Problem) -> Problem:
        if problem.file != self._file or not problem.line:
            return problem
        other = self._line_of(problem.other_line) if problem.other_line and problem.other_file in (None, self._file) else problem.other_line
        return replace(problem, line=self._line_of(problem.line), other_line=other)

    def _replayed(self, recording: Path, options: ReplayOptions) -> ReplayRun:
        case = Case(recording, (0,), CaseOrigin("recorded", "", 0, 1.0, 1.0))
        work = self._lab.replay(self._compiled.program, (case,), options, self._compiled.limits)
        ran = self._loop.wait(work)
        if isinstance(ran, LabFailure):
            raise KernelFailed(ran.message, ran.remedy)
        return ran


def _failed(bound: Bound, after: CaseRun) -> KernelFailed:
    """Of a launch that did not run to its end: what the emulator does not run, with its line, or the CUDA error."""
    unsupported = next((problem for problem in after.problems if problem.kind == "unsupported"), None)
    if unsupported is not None:
        message = f"{bound.signature.instance} did not run: {unsupported.message}; line {unsupported.line}"
        return KernelFailed(message, "call it on arrays of a GPU, or write that part without the library; the arrays are as they were")
    return KernelFailed(f"{bound.signature.instance} failed: {after.error}", "the arrays are as they were")


class BoundKernel:
    """One kernel instance; without arguments it runs on the arrays that the cell's magic bound."""

    def __init__(
        self,
        signature: Signature,
        runner_of: Callable[[Bound], Runner],
        config_of: ConfigOf,
        default: Bound | None,
        facts: TextFacts = _NO_FACTS,
        whole: Callable[[], Any] | None = None,
    ) -> None:
        """``whole``: makes the kernel of `kernelopt.compile`, for all that is more than a call."""
        self._signature = signature
        self._facts = facts
        self._runner_of = runner_of
        self._config_of = config_of
        self._default = default
        self._whole = whole
        self.__name__ = signature.instance
        self.__doc__ = f"{signature.symbol}: runs once and changes the arrays that it is given."
        names = self._names
        self.__signature__ = inspect.Signature(
            [
                inspect.Parameter(python_name(name or f"unnamed{index}", names, _LAUNCH), inspect.Parameter.POSITIONAL_OR_KEYWORD)
                for index, name in enumerate(names)
            ]
            + [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in _LAUNCH]
        )

    @property
    def _names(self) -> tuple[str, ...]:
        return tuple(parameter.name for parameter in self._signature.parameters)

    def __call__(
        self,
        /,
        *arguments: object,
        grid: object = None,
        block: object = None,
        shared: object = None,
        check: bool | None = None,
        **named: object,
    ) -> None:
        """Run it, on arrays of the CPU with every check on unless ``check`` is False; on those of a GPU only where it is True, on copies.

        Raises BindingError for arguments that do not fit, KernelFailed where it does not run to its end, and a KernelFault for a defect.
        """
        own = kernel_names(named, self._names, _LAUNCH)
        given = {name: value for name, value in (("grid", grid), ("block", block), ("shared", shared)) if value is not None}
        if not arguments and not named and self._default is not None:
            bound = self._default
            values = bound.values
        else:
            bound = bind_positional(self._signature, arguments, own, self._facts)
            values = dict(zip(self._names, arguments, strict=False)) | own
        runner, config = self._runner_of(bound), self._config_of(values, given)
        if check and not runner.checks_calls:
            self.kernel.check(values, **given).raise_for_status()
        runner.run(bound, config, check is not False)

    @cached_property
    def kernel(self) -> Any:
        """As `kernelopt.compile` makes it of the cell's text, with the launch of the magic's line. Raises UsageError without it."""
        if self._whole is None:
            raise UsageError("the kernel of this cell can be called, and no more", "load the magics by %load_ext kernelopt")
        return self._whole()

    def __getitem__(self, shape: object) -> Any:
        """``kernel[grid, block]``, ``kernel[grid, block, shared_bytes]``: another launch of it."""
        return self.kernel[shape]

    def __getattr__(self, name: str) -> Any:
        """What a kernel of `kernelopt.compile` has; its methods work on the cell's arrays where no others are given."""
        if name not in _OF_KERNEL:
            raise AttributeError(f"the kernel has no {name}")
        found = getattr(self.kernel, name)
        if name not in _ON_ARRAYS or self._default is None:
            return found
        values = self._default.values

        @wraps(found)
        def on_arrays(arguments: object = None, *rest: object, **named: object) -> Any:
            return found(values if arguments is None else arguments, *rest, **named)

        return on_arrays

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *_OF_KERNEL]

    def __repr__(self) -> str:
        return f"<kernel {self._signature.symbol}>"
