"""The file that a job is about, as a version of its text.

Example::

    version = read_version(JobRequest(Path("/tmp/a.cu"), Path("/tmp")), flags)
    version.kernels[0].key
"""

from __future__ import annotations

from pathlib import Path

from assistant.cuda.parse import parse
from assistant.engine.request import JobRequest
from assistant.engine.source_version import Selection, SourceVersion, read_source, version_of
from assistant.model.build import Flags
from assistant.model.source import Source
from assistant.ports.lab import Program

__all__ = ["read_version"]


def read_version(request: JobRequest, flags: Flags) -> SourceVersion:
    """Parse ``request.file``. Raises UsageError for no kernel or an unknown selector, CannotAnswerError for a bad workload block."""
    parsed = parse(_source(request, request.file))
    program = Program(
        sources=(parsed.source, *(_source(request, path) for path in request.extra_sources)),
        flags=flags,
        arguments=request.arguments,
        working_directory=request.working_directory,
        build_command=request.build_command,
        run_command=request.run_command,
    )
    return version_of(parsed, program, Selection(request.kernel, request.needs_kernels, request.live))


def _source(request: JobRequest, path: Path) -> Source:
    text = request.text_of(path)
    return read_source(path) if text is None else Source(path, text)
