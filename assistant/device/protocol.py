"""What the worker is asked and what it answers: one JSON object per line.

Example::

    {"op": "ping", "id": 1}        → {"id": 1, "ok": true, "result": {"version": 1}}
    {"op": "compile", "sources": [["/p/k.cu", "__global__ void k() {}"]], "architecture": "sm_90", "want": ["resources"]}

The line ``"cancel"`` calls off the request that is worked on: its tools are killed and its answer, which then means nothing, comes at
once. The next request is sent after that answer.
"""

from __future__ import annotations

from typing import Any

from assistant.build.flags import DEFAULT_FLAGS
from assistant.model.build import BuildResult, Flags
from assistant.model.preprocessed import NotPreprocessed, PreprocessedProgram
from assistant.record import Record
from assistant.serialize import decode, encode

__all__ = [
    "CANCEL",
    "PROTOCOL_VERSION",
    "CompileReply",
    "CompileRequest",
    "PreprocessReply",
    "Tool",
    "ToolchainReply",
    "compile_request",
    "failure",
    "success",
]

PROTOCOL_VERSION = 1
CANCEL = '"cancel"'


class CompileRequest(Record):
    """Compile one program's device code; nothing is linked or run."""

    sources: tuple[tuple[str, str], ...]
    """(absolute path, text); the first is the file in question, texts may differ from the disk."""
    architecture: str
    flags: Flags = DEFAULT_FLAGS
    kernels: tuple[str, ...] = ()
    """Instances that must be compiled even if no host code launches them (``tr<1>``, ``k(float*, int)``)."""
    want: tuple[str, ...] = ()
    """Any of ``resources``, ``sass``, ``ptx``, ``cubin``; with none of them the answer is only diagnostics, by the quickest compiler."""
    is_quick: bool = False
    """Only NVRTC is asked, for diagnostics alone; where it does not accept the text, the result is a `CompilerMissing`."""
    cache_directory: str | None = None
    """None: nothing is kept."""
    scratch_directory: str | None = None
    """Where temporary files go, and stay if the worker is killed; None: the system's place."""
    timeout_s: float = 60.0
    workspaces: tuple[str, ...] = ()
    """Folders of which compilers may read everything, in addition to the sources' own."""


class CompileReply(Record):
    """A compile's result and how it was had."""

    result: BuildResult
    ptx: str
    """Empty where it was not asked for or the compile failed."""
    seconds: float
    """What the compile took when it ran."""
    cached: bool
    cubin: str | None = None
    """Path of the machine code; None where it was not asked for or the compile failed."""


class PreprocessReply(Record):
    """What nvcc's two compiles of a program compile: for the GPU, and for the host."""

    device: PreprocessedProgram | NotPreprocessed
    host: PreprocessedProgram | NotPreprocessed


class Tool(Record):
    """One compiler or tool: where it is, or how to get it."""

    name: str
    version: str | None
    path: str | None
    """None for a library, or where it is missing."""
    origin: str
    """``CUDA_HOME``, ``PATH``, ``system``, ``wheel`` or ``missing``."""
    remedy: str
    """Empty where the tool is there."""


class ToolchainReply(Record):
    tools: tuple[Tool, ...]


def compile_request(message: dict[str, Any]) -> CompileRequest:
    """The request in a message; raises DecodeError naming the field that does not fit."""
    fields = {key: value for key, value in message.items() if key not in ("op", "id")}
    request: CompileRequest = decode(CompileRequest, fields)
    return request


def success(request_id: object, result: object) -> dict[str, Any]:
    return {"id": request_id, "ok": True, "result": encode(result)}


def failure(request_id: object, kind: str, message: str) -> dict[str, Any]:
    """A request that could not be served at all; a source that does not compile is a success with a `BuildFailure`."""
    return {"id": request_id, "ok": False, "error": {"kind": kind, "message": message}}
