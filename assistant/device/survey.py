"""Finds out what there is for looking into a GPU: files, tools and rights; nothing is run, and no CUDA context is made.

Example::

    survey(os.environ, Path("/")).ncu      # '/usr/local/cuda/bin/ncu'
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assistant.device.counters.ncu import find_cuda_tool
from assistant.model.survey import GpuSurvey

__all__ = ["survey"]

_RESTRICTED = re.compile(r"^RmProfilingAdminOnly: (\d)", re.MULTILINE)
"""The driver's setting ``NVreg_RestrictProfilingToAdminUsers``."""
_CAPABILITIES = re.compile(r"^CapEff:\s*([0-9a-f]+)", re.MULTILINE)
_CAP_PERFMON, _CAP_SYS_ADMIN = 38, 21
"""linux/capability.h; either is enough (developer.nvidia.com/ERR_NVGPUCTRPERM)."""


def survey(environment: Mapping[str, str], root: Path, cupti: Path | None = None) -> GpuSurvey:
    """What this process would find; ``root`` is the root folder, another one in tests. ``cupti``: its library, found with the compilers."""
    tools = {name: find_cuda_tool(name, environment) for name in ("ncu", "compute-sanitizer")}
    return GpuSurvey(
        is_wsl="microsoft" in _text(root / "proc/version").lower(),
        driver_cuda=_driver_cuda(),
        ncu=None if tools["ncu"] is None else str(tools["ncu"]),
        sanitizer=None if tools["compute-sanitizer"] is None else str(tools["compute-sanitizer"]),
        has_report_reader=importlib.util.find_spec("ncu_report") is not None,
        is_restricted=_flag(_RESTRICTED.search(_text(root / "proc/driver/nvidia/params"))),
        is_administrator=_may_administer(_text(root / "proc/self/status")),
        cupti=None if cupti is None else str(cupti),
        has_gxx=shutil.which("g++", path=environment.get("PATH")) is not None,
    )


def _flag(match: re.Match[str] | None) -> bool | None:
    return None if match is None else match[1] != "0"


def _may_administer(status: str) -> bool:
    match = _CAPABILITIES.search(status)
    held = int(match[1], 16) if match else 0
    return any(held >> capability & 1 for capability in (_CAP_PERFMON, _CAP_SYS_ADMIN))


def _driver_cuda() -> tuple[int, int] | None:
    """NVML reports it as 1000 · major + 10 · minor."""
    try:
        nvml: Any = importlib.import_module("pynvml")  # ships no usable types
    except ImportError:
        return None
    try:
        nvml.nvmlInit()
        version = int(nvml.nvmlSystemGetCudaDriverVersion())
    except nvml.NVMLError:
        return None
    return version // 1000, version % 1000 // 10


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""
