"""Compiles device text with NVRTC, in process. The only module that imports CUDA bindings; it needs no driver."""

from __future__ import annotations

import importlib
from typing import Any

from assistant.record import Record

__all__ = ["NvrtcOutput", "compile_device_text"]


class NvrtcOutput(Record):
    """NVRTC's result; ``cubin`` is None where it refused the text."""

    cubin: bytes | None
    ptx: str
    log: str


def compile_device_text(
    path: str, text: str, options: tuple[str, ...], expressions: tuple[str, ...], *, with_ptx: bool
) -> NvrtcOutput | None:
    """Compile ``text`` under the name ``path``; None if NVRTC cannot be loaded here."""
    try:
        bindings: Any = importlib.import_module("cuda.bindings.nvrtc")  # ships no usable types
    except (ImportError, RuntimeError):
        return None
    try:
        _, program = bindings.nvrtcCreateProgram(text.encode("utf-8", "surrogateescape"), path.encode(), 0, [], [])
    except RuntimeError:  # the shared library is missing or does not fit
        return None
    try:
        return _compiled(bindings, program, options, expressions, with_ptx)
    finally:
        bindings.nvrtcDestroyProgram(program)


def _compiled(bindings: Any, program: Any, options: tuple[str, ...], expressions: tuple[str, ...], with_ptx: bool) -> NvrtcOutput:
    for expression in expressions:
        bindings.nvrtcAddNameExpression(program, expression.encode())
    encoded = [option.encode() for option in options]
    (status,) = bindings.nvrtcCompileProgram(program, len(encoded), encoded)
    log = _text(bindings.nvrtcGetProgramLogSize, bindings.nvrtcGetProgramLog, program)
    if status != bindings.nvrtcResult.NVRTC_SUCCESS:
        return NvrtcOutput(None, "", log)
    ptx = _text(bindings.nvrtcGetPTXSize, bindings.nvrtcGetPTX, program) if with_ptx else ""
    return NvrtcOutput(_bytes(bindings.nvrtcGetCUBINSize, bindings.nvrtcGetCUBIN, program), ptx, log)


def _bytes(get_size: Any, get: Any, program: Any) -> bytes:
    _, size = get_size(program)
    buffer = bytes(size)
    get(program, buffer)
    return buffer


def _text(get_size: Any, get: Any, program: Any) -> str:
    return _bytes(get_size, get, program).rstrip(b"\0").decode("utf-8", "replace")
