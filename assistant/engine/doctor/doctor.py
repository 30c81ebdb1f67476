"""What this machine can do: each part, what it is good for, and the exact way to get what is missing."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from assistant.config import UserPaths
from assistant.errors import MemoryFileError
from assistant.lab.gpus import Gpu, NoGpu, usable_gpus
from assistant.lab.ladder import INSTALL_NCU, Level, rung_of
from assistant.lab.tools import ToolReport, find_tools
from assistant.memory.store import open_store
from assistant.model.survey import GpuSurvey
from assistant.record import Record

__all__ = ["Part", "examine"]

_MINIMUM_PYTHON = (3, 11)
_CUPTI = "pip install 'kernelopt[cuda]', or install the CUDA toolkit with CUPTI"
_SANITIZER = "install the CUDA toolkit, which holds it (Debian, Ubuntu: apt-get install cuda-sanitizer from NVIDIA's repository)"
_JUPYTER = ("ipykernel", "ipywidgets", "jupyter-server", "jupyterlab")
_HEARS_WHILE_RUNNING = 7
"""Major version of ipykernel from which on buttons are heard while a cell runs (JEP 91)."""
_SMALLEST_FREE_BYTES = 1 << 30


class Part(Record):
    """One line of the doctor's report."""

    name: str
    is_fine: bool
    is_needed: bool
    """False: without it something is weaker, but nothing stops."""
    detail: str
    remedy: str
    """Empty where it is fine."""


async def examine(paths: UserPaths) -> tuple[Part, ...]:
    """Every part, the needed ones first."""
    tools = await find_tools()
    return (
        _python(),
        _emulator(tools),
        _nvcc(tools),
        *(_tool(tools, name, use) for name, use in _TOOL_USES),
        _limits(tools),
        *_gpu(tools, os.environ),
        _jupyter(),
        _memory(paths.memory),
        _folder("cache", paths.cache),
    )


_TOOL_USES = (
    ("nvrtc", "fast compiler diagnostics and registers"),
    ("nvdisasm", "machine code by line: counters graded exact, instruction classes for predictions"),
    ("cuobjdump", "machine code of whole programs"),
)


def _python() -> Part:
    version = ".".join(str(part) for part in sys.version_info[:3])
    is_fine = sys.version_info[:2] >= _MINIMUM_PYTHON
    return Part("Python", is_fine, True, version, "" if is_fine else "install Python 3.11 or newer")


def _emulator(tools: ToolReport) -> Part:
    if tools.emulator_compiler is not None:
        return Part("emulator", True, True, f"runs CUDA programs on the CPU, built by {tools.emulator_compiler}", "")
    return Part("emulator", False, True, tools.emulator_reason, tools.emulator_remedy)


def _nvcc(tools: ToolReport) -> Part:
    found = tools.tool("nvcc")
    if found is not None and found.path is not None:
        return Part("nvcc", True, False, f"{found.version} at {found.path} ({found.origin})", "")
    remedy = "pip install 'kernelopt[cuda]'" if found is None else found.remedy
    return Part("nvcc", False, False, "missing: counters stay estimated, diagnostics come from g++", remedy)


def _tool(tools: ToolReport, name: str, use: str) -> Part:
    found = tools.tool(name)
    if found is not None and found.origin != "missing":
        where = found.path or found.origin
        return Part(name, True, False, f"{found.version or ''} {where}: {use}".strip(), "")
    return Part(name, False, False, f"missing: no {use}", "pip install 'kernelopt[cuda]'" if found is None else found.remedy)


def _limits(tools: ToolReport) -> Part:
    """Limits of candidates and replays; the user's own program runs as they would run it."""
    if not tools.limits:
        return Part("limits", False, False, "unknown: the emulator's process does not start", tools.emulator_remedy)
    held = "candidates run limited: " + "; ".join(tools.limits)
    if not tools.missing_limits:
        return Part("limits", True, False, held, "")
    detail = f"{held}. Missing: " + "; ".join(tools.missing_limits)
    return Part("limits", False, False, detail, "use a newer kernel or container settings that allow it, or read edits of host code first")


def _gpu(tools: ToolReport, environment: Mapping[str, str]) -> tuple[Part, ...]:
    """The GPU, then the rung that the machine stands on, then what the rung rests on."""
    if tools.survey is None:
        return (Part("GPU", False, False, "unknown: the compile worker does not start", tools.emulator_remedy),)
    gpus = usable_gpus(environment)
    nvcc = tools.tool("nvcc")
    rung = rung_of(gpus, tools.survey, None if nvcc is None else nvcc.version)
    if isinstance(gpus, NoGpu):
        device = Part("GPU", False, False, f"none: {rung.reason}", rung.remedy or gpus.remedy)
    else:
        device = Part("GPU", True, False, "; ".join(_device(gpu, tools.survey) for gpu in gpus), "")
    short_of = "But" if rung.level is Level.COUNTERS else "No better, as"
    why = "" if rung.reason is None or isinstance(gpus, NoGpu) else f". {short_of} {rung.reason}"
    detail = f"{rung.level}: {rung.used}{why}"
    parts = [device, Part("rung", rung.level is Level.COUNTERS, False, detail, rung.remedy or "")]
    if not isinstance(gpus, NoGpu):
        parts += _instruments(tools.survey)
    return tuple(parts)


def _device(gpu: Gpu, survey: GpuSurvey) -> str:
    notes = [f"driver {gpu.driver_version}"]
    if survey.driver_cuda is not None:
        notes.append("CUDA {}.{}".format(*survey.driver_cuda))
    if gpu.is_slice:
        notes.append("a MIG slice")
    if survey.is_wsl:
        notes.append("through WSL")
    return f"gpu:{gpu.index} {gpu.name} ({', '.join(notes)})"


def _instruments(survey: GpuSurvey) -> tuple[Part, ...]:
    found = (
        ("ncu", survey.ncu, "counters by line and stalls", INSTALL_NCU),
        ("compute-sanitizer", survey.sanitizer, "checks on the GPU", _SANITIZER),
        ("CUPTI", survey.cupti, "counters where ncu cannot, recording of launches in programs that --run names", _CUPTI),
    )
    return tuple(
        Part(name, True, False, f"{path}: {use}", "") if path else Part(name, False, False, _without(name, use, survey), remedy)
        for name, path, use, remedy in found
    )


def _without(name: str, use: str, survey: GpuSurvey) -> str:
    return "missing: CUPTI counts in its place" if name == "ncu" and survey.cupti is not None and survey.has_gxx else f"missing: no {use}"


def _jupyter() -> Part:
    """What ``%%kernelopt`` and its buttons need of Jupyter, in the environment of this command."""
    found = {name: number for name in _JUPYTER if (number := _version(name)) is not None}
    detail = ", ".join(f"{name} {number}" for name, number in found.items())
    remedy = "pip install 'kernelopt[jupyter]'"
    if "ipykernel" not in found:
        return Part("Jupyter", False, False, "missing here: %%kernelopt runs in a notebook's kernel", remedy)
    if "ipywidgets" not in found:
        return Part("Jupyter", False, False, f"{detail}; without ipywidgets there are no buttons below a cell", remedy)
    if int(found["ipykernel"].split(".")[0]) < _HEARS_WHILE_RUNNING:
        return Part(
            "Jupyter", False, False, f"{detail}; buttons wait for the cell that runs", f"pip install 'ipykernel>={_HEARS_WHILE_RUNNING}'"
        )
    return Part("Jupyter", True, False, f"{detail}: %%kernelopt and its buttons", "")


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _memory(path: Path) -> Part:
    folder = _folder("memory", path.parent)
    if not folder.is_fine or not path.exists():
        return folder
    try:
        with open_store(path) as store, store.database.transaction():
            return folder
    except MemoryFileError as error:
        return Part("memory", False, True, error.message, error.remedy)


def _folder(name: str, folder: Path) -> Part:
    nearest = folder
    while not nearest.exists():
        nearest = nearest.parent
    if not os.access(nearest, os.W_OK):
        return Part(name, False, True, f"{folder} cannot be written", f"make {nearest} writable, or set KERNELOPT_HOME")
    free_bytes = shutil.disk_usage(nearest).free
    if free_bytes < _SMALLEST_FREE_BYTES:
        return Part(name, False, True, f"{folder}: only {free_bytes >> 20} MiB free", "free some disk space, or set KERNELOPT_HOME")
    return Part(name, True, True, f"{folder}, {free_bytes >> 30} GiB free", "")
