"""A cell's text made ready to run: the CUDA compiler's word on it, and the emulator's build. Nothing is run.

Example::

    compiled = await compile_text(lab, request)
    compiled.diagnostics, compiled.is_refused
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace

from assistant.config import find_workspace, load_settings
from assistant.engine import JobRequest, flags_of, read_version, run_limits
from assistant.measure.targets import target
from assistant.model.build import Build, BuildFailure, BuildResult, Diagnostic, DiagnosticSeverity
from assistant.ports.lab import Lab, LabFailure, Program, ReplayOptions, RunLimits
from assistant.record import Record

__all__ = ["CompiledText", "compile_text"]

_AS_CALLED = ReplayOptions(mode="check")
"""Calls are checked: their build is the one to have ready."""


class CompiledText(Record):
    """What compilers made of a text."""

    program: Program
    limits: RunLimits
    build: BuildResult
    emulated: LabFailure | None
    """Why the emulator cannot run it; None where it can."""

    @property
    def is_refused(self) -> bool:
        """Whether the text is wrong; without a CUDA compiler the emulator's word counts."""
        if isinstance(self.build, BuildFailure):
            return True
        return not isinstance(self.build, Build) and self.emulated is not None and self.emulated.kind == "not_built"

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The CUDA compiler's; the emulator's where there is none."""
        if isinstance(self.build, Build | BuildFailure):
            return self.build.diagnostics
        return () if self.emulated is None else self.emulated.diagnostics

    def messages(self) -> Iterator[str]:
        """Each error and warning in one line, with its place in the text."""
        for found in self.diagnostics:
            if found.severity is not DiagnosticSeverity.NOTE:
                yield _in_one_line(found)

    def refusal(self) -> str:
        """Why the emulator cannot run it, with the first error and its line; empty where it can."""
        if self.emulated is None:
            return ""
        errors = [found for found in self.emulated.diagnostics if found.severity is DiagnosticSeverity.ERROR]
        return "; ".join((self.emulated.message, *map(_in_one_line, errors[:1])))


def _in_one_line(found: Diagnostic) -> str:
    place = f"line {found.line}: " if found.line else ""  # none of an unknown option
    return f"{place}{found.severity.value}: {found.message}"


async def compile_text(lab: Lab, request: JobRequest, kernels: tuple[str, ...]) -> CompiledText:
    """``kernels``: symbols that must be startable. Raises UsageError for a text without kernels."""
    loaded = load_settings(find_workspace(request.file))
    subject = read_version(request, flags_of(request, loaded))
    program, limits = replace(subject.program, kernels=kernels), run_limits(request, loaded.settings, is_gpu=False)
    architecture = target(request.target or loaded.settings.target).architecture
    build, ready = await asyncio.gather(lab.inspect(subject.program, architecture), lab.replay(program, (), _AS_CALLED, limits))
    return CompiledText(program, limits, build, ready if isinstance(ready, LabFailure) else None)
