"""The file that a job is about, as a version of its text.

Example::

    version = read_version(JobRequest(Path("/tmp/a.cu"), Path("/tmp")), flags)
    version.kernels[0].key
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from assistant.build.includes import with_headers
from assistant.config import find_workspace
from assistant.cuda.parse import parse
from assistant.engine.request import JobRequest
from assistant.engine.source_version import Selection, SourceVersion, read_source, version_of
from assistant.model.build import Flags
from assistant.model.source import ParsedSource, Source
from assistant.ports.lab import Program

__all__ = ["read_version"]

_KERNEL = "__global__"


def read_version(request: JobRequest, flags: Flags) -> SourceVersion:
    """Parse ``request.file``. Raises UsageError for no kernel or an unknown selector, CannotAnswerError for a bad workload block."""
    parsed = parse(_source(request, request.file))
    units = (parsed.source, *(_source(request, path) for path in request.extra_sources if path != request.file))
    others = (*map(parse, units[1:]), *_headers_with_kernels(request, units, flags))
    program = Program(
        sources=(parsed.source, *(other.source for other in others)),
        flags=flags,
        arguments=request.arguments,
        working_directory=request.working_directory,
        build_command=request.build_command,
        run_command=request.run_command,
    )
    selection = Selection(request.kernel, request.needs_kernels, request.live, request.only_own)
    return version_of(parsed, program, selection, others)


def _headers_with_kernels(request: JobRequest, units: Sequence[Source], flags: Flags) -> Iterator[ParsedSource]:
    """Headers of the workspace that one of the units includes and that define kernels, and those whose text is not what the disk holds."""
    known, workspace = {source.path for source in units}, find_workspace(request.file)
    texts = with_headers(((str(source.path), source.text) for source in units), flags.arguments)
    for path, text in ((Path(name), request.text_of(Path(name)) or text) for name, text in texts.items()):
        if path in known or not path.is_relative_to(workspace) or (_KERNEL not in text and request.text_of(path) is None):
            continue
        parsed = parse(Source(path, text))
        if parsed.kernels or request.text_of(path) is not None:
            yield parsed


def _source(request: JobRequest, path: Path) -> Source:
    text = request.text_of(path)
    return read_source(path) if text is None else Source(path, text)
