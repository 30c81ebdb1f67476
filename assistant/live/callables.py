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

__all__ = ["BoundCall", "BoundKernel", "CellText", "ConfigOf", "EmulatorRunner", "KernelOfCell", "Runner"]

ConfigOf = Callable[[Mapping[str, object], Mapping[str, object]], LaunchConfig]
"""(the call's arguments by name, what it says of grid, block and shared) → how it is launched. Raises UsageError."""
_PLAIN = ReplayOptions(seed=0)
"""The threads of a block begin in their order, so that what they print comes in it; with checks the last begins, which shows more."""
_LAUNCH = ("grid", "block", "shared", "check")
"""What a call may say besides the kernel's arguments."""


class CellText(Record):
    """What a cell's kernels are compiled from, and for."""

    text: str
    """With as many empty lines before it as the notebook numbers above."""
    flags: tuple[str, ...] | None
    device: str | None
    target: str | None


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


class BoundCall(Record):
    """How one kernel instance is called."""

    signature: Signature
    runner_of: Callable[[Bound], Runner]
    config_of: ConfigOf
    default: Bound | None
    """The arrays that the cell's magic bound: those of a call without arguments."""
    facts: TextFacts = TextFacts()


class BoundKernel:
    """One kernel instance; without arguments it runs on the arrays that the cell's magic bound."""

    def __init__(self, call: BoundCall) -> None:
        self._call = call
        self.__name__ = call.signature.instance
        self.__doc__ = f"{call.signature.symbol}: runs once and changes the arrays that it is given."
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
        return tuple(parameter.name for parameter in self._call.signature.parameters)

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
        call = self._call
        own = kernel_names(named, self._names, _LAUNCH)
        given = {name: value for name, value in (("grid", grid), ("block", block), ("shared", shared)) if value is not None}
        if not arguments and not named and call.default is not None:
            bound = call.default
            values = bound.values
        else:
            bound = bind_positional(call.signature, arguments, own, call.facts)
            values = dict(zip(self._names, arguments, strict=False)) | own
        runner, config = call.runner_of(bound), call.config_of(values, given)
        if check and not runner.checks_calls:
            self._check_copies(values, given)
        runner.run(bound, config, check is not False)

    def _check_copies(self, values: Mapping[str, object], given: Mapping[str, Any]) -> None:
        """Raises a KernelFault for a defect that a launch on copies of these arguments shows; UsageError, as nothing here can."""
        del values, given
        raise UsageError("the kernel of this cell can be called, and no more", "load the magics by %load_ext kernelopt")

    def __repr__(self) -> str:
        return f"<kernel {self._call.signature.symbol}>"


KernelOfCell = Callable[[BoundCall, CellText], BoundKernel]
"""Makes a cell's kernel; `kernelopt.cells.CellKernel` is one that is asked as those of `kernelopt.compile` are."""
