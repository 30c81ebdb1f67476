"""Machine code as events: SASS by the source line that caused it."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.cuda.instance_parameters import readable_instance
from assistant.engine.job import Job
from assistant.engine.report.reports import other_file
from assistant.engine.source_version import SourceVersion
from assistant.model import event_parts, events
from assistant.model.build import Build, KernelCode
from assistant.model.source import Kernel

__all__ = ["machine_code_events"]


def machine_code_events(job: Job, version: SourceVersion, build: Build) -> Iterator[events.MachineCode]:
    """One event per compiled instance of the selected kernels."""
    for code in build.code:
        kernel = version.kernel_of(code.kernel)
        if kernel in version.kernels:
            yield _event(job, kernel, code, other_file(job, version.about(kernel).source.path))


def _event(job: Job, kernel: Kernel, code: KernelCode, file: str | None) -> events.MachineCode:
    by_line: dict[tuple[str, int], list[str]] = {}
    for instruction in code.instructions:
        if instruction.line:
            text = " ".join(part for part in (instruction.predicate, instruction.opcode, instruction.operands) if part)
            by_line.setdefault((instruction.file, instruction.line), []).append(text)
    lines = tuple(event_parts.MachineLine(at, line, tuple(texts)) for (at, line), texts in sorted(by_line.items()))
    return events.MachineCode(job.id, kernel.key, readable_instance(kernel, code.kernel), code.architecture, lines, file)
