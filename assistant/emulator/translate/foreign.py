"""Libraries whose headers the emulator does not have: what a unit names of them, declared so that the rest of the unit is built and run.

What makes, sets up or ends a handle succeeds, and the program ends at the first call that computes, as nothing right could follow.
Constants differ from each other, and success is 0. Example::

    header_text({"cublasCreate": "call", "cublasHandle_t": "type"})     # `#define cublasCreate(...) …`, `typedef void* cublasHandle_t;`
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Literal

from assistant.emulator.translate.context import LexedFile
from assistant.emulator.translate.lexer import Kind
from assistant.emulator.translate.stream import Stream

__all__ = ["HEADER", "NameUse", "family_of", "foreign_names", "header_text"]

NameUse = Literal["call", "type", "constant"]
HEADER = "emu_foreign_names.h"
"""File name under which the units of a program include the declarations."""
_FAMILIES = {
    "cublas": "cuBLAS", "cufft": "cuFFT", "cusparse": "cuSPARSE", "cusolver": "cuSOLVER", "curand": "cuRAND", "cudnn": "cuDNN",
    "nvrtc": "NVRTC", "nccl": "NCCL", "nvml": "NVML", "nvjpeg": "nvJPEG",
}  # fmt: skip
"""Prefixes of names, as headers are called too; constants have them in capitals."""
_OF_SEVERAL = re.compile(r"CUDA_[RC]_\d+\w*|cudaDataType(?:_t)?|libraryPropertyType(?:_t)?")
_NAME = re.compile(rf"(?P<prefix>{'|'.join(_FAMILIES)})(?:[A-Z]\w*|_\w+|\w*_t)")
_STATUS = re.compile(r"Status_t$|Result(?:_t)?$")
_STATUS_VALUE = re.compile(r"_STATUS_|SUCCESS|ERROR|INVALID|FAILED|_ERR_")
_HANDLE = re.compile(r"(?:Handle|Descr|Plan|Generator|Info|Desc|Comm|Program|Device|Params|Context)(?:_t)?$")
_TEXT = re.compile(r"(?:String|Name)$")
_OF_HANDLE = re.compile(r"Create|Destroy|Plan(?:\d|Many)|(?<![a-z])Set(?!Vector|Matrix|Tensor$)")
"""Calls that leave data on the device as it is; ``cublasSetVector`` and ``cudnnSetTensor`` do not."""
_KNOWN_TYPES = {
    "cufftReal": "float", "cufftDoubleReal": "double", "cufftComplex": "float2", "cufftDoubleComplex": "double2",
    "cufftHandle": "int",
}  # fmt: skip


def family_of(header: str) -> str | None:
    """``cuBLAS`` of ``cublas_v2.h``; None for what is no such library's."""
    return next((name for prefix, name in _FAMILIES.items() if header.startswith(prefix)), None)


def foreign_names(files: Iterable[LexedFile]) -> dict[str, NameUse]:
    """What the unit names of such libraries, in code and in macros, and how."""
    found: dict[str, NameUse] = {}
    for file in files:
        for stream in (file.code, *(stream for _, stream in file.macros)):
            _add_names(stream, found)
    return found


def _add_names(stream: Stream, found: dict[str, NameUse]) -> None:
    for i, token in enumerate(stream.tokens):
        if token.kind is not Kind.NAME or not is_foreign(token.text):
            continue
        use = _use(token.text, stream.text(i + 1))
        if found.get(token.text) != "call":
            found[token.text] = use


def is_foreign(name: str) -> bool:
    return _OF_SEVERAL.fullmatch(name) is not None or _NAME.fullmatch(name.lower() if name.isupper() else name) is not None


def _use(name: str, following: str) -> NameUse:
    if name.isupper() or name.startswith(("CUDA_R_", "CUDA_C_", "CUFFT_", "NVML_")):
        return "constant"
    return "call" if following == "(" and not name.endswith("_t") and name not in _KNOWN_TYPES else "type"


def header_text(names: Mapping[str, NameUse]) -> str:
    """Declarations of the names; statuses first, as constants and functions have their types."""
    lines = ["#pragma once"]
    types = {name for name, use in names.items() if use == "type"}
    statuses = {_prefix(name): name for name in sorted(types) if _STATUS.search(name)}
    lines += [f"enum {name} : int {{}};" for name in sorted(set(statuses.values()))]
    lines += [_type_line(name) for name in sorted(types - set(statuses.values()))]
    constants = sorted(name for name, use in names.items() if use == "constant")
    lines += [_constant_line(name, number, statuses) for number, name in enumerate(constants, 1)]
    for name in sorted(name for name, use in names.items() if use == "call"):
        lines += _function_lines(name, statuses)
    return "\n".join(lines) + "\n"


def _prefix(name: str) -> str:
    return next((prefix for prefix in _FAMILIES if name.lower().startswith(prefix)), "")


def _type_line(name: str) -> str:
    if name in _KNOWN_TYPES:
        return f"typedef {_KNOWN_TYPES[name]} {name};"
    if "State" in name:
        return f"struct {name} {{ unsigned words[16]; }};"
    return f"typedef {'void*' if _HANDLE.search(name) else 'int'} {name};"


def _constant_line(name: str, number: int, statuses: Mapping[str, str]) -> str:
    status = statuses.get(_prefix(name)) if _STATUS_VALUE.search(name) else None
    value = 0 if "SUCCESS" in name else number
    return f"constexpr {status or 'int'} {name} = ({status or 'int'}){value};"


def _function_lines(name: str, statuses: Mapping[str, str]) -> list[str]:
    prefix = _prefix(name)
    label = f'"{name} of {_FAMILIES[prefix]}"'
    if _TEXT.search(name):
        return [f'template <class... A> EMU_HOST const char* {name}(A&&...) {{ return "not run by the emulator"; }}']
    status = statuses.get(prefix, "int")
    if _OF_HANDLE.search(name[len(prefix) :]):
        return [f"template <class... A> EMU_HOST {status} {name}(A&&...) {{ return ({status})0; }}"]
    return [
        f"template <class... A> EMU_HOST {status} emu_foreign_{name}(const char* file, int line, A&&...) {{ "
        f"emu_refuse({label}, file, line); }}",
        f"#define {name}(...) emu_foreign_{name}(__FILE__, __LINE__, ##__VA_ARGS__)",
    ]
