"""How ``ncu`` is found and called, and what its complaints mean. Pure but for looking for files.

Example::

    command(Path("/usr/local/cuda/bin/ncu"), Path("/s/r.ncu-rep"), ("_Z1kPf",), 8, ("python", "-m", "…"))
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from assistant.device.counters.failure import PERMIT_COUNTERS, CountingFailure
from assistant.device.counters.metrics import targeted_metrics

__all__ = ["INSTALL_NCU", "command", "find_cuda_tool", "refusal_of"]

_SYSTEM = Path("/usr/local/cuda/bin")
_NSIGHT = Path("/opt/nvidia/nsight-compute")
INSTALL_NCU = "install Nsight Compute (part of the CUDA toolkit; Debian, Ubuntu: apt-get install nsight-compute from NVIDIA's repository)"
_ERROR = re.compile(r"^==ERROR== (.*)$", re.MULTILINE)


_KNOWN: tuple[tuple[str, str, str, str], ...] = (
    ("ERR_NVGPUCTRPERM", "forbidden", "this user may not read the GPU's counters (ERR_NVGPUCTRPERM)", PERMIT_COUNTERS),
    (
        "Profiling is not supported on this device",
        "unsupported",
        "this GPU, or this MIG slice of it, has no counters that ncu can read",
        "use another GPU, or a whole one: gpu timing and the emulator's counters are used until then",
    ),
    (
        "Cuda driver is not compatible with Nsight Compute",
        "unsupported",
        "the driver is too old for this ncu",
        "install the Nsight Compute that came with the driver's CUDA version, or a newer driver",
    ),
    (
        "another tool",
        "busy",
        "another tool (a debugger, DCGM, a second profiler) holds the GPU's counters",
        "end it, or let DCGM pause: dcgmi profile --pause",
    ),
    ("No kernels were profiled", "failed", "ncu saw no launch of the kernel", "kernelopt check shows whether it launches at all"),
)
"""(what ncu prints, kind, message, remedy); Nsight Compute 2025.3, "Common Errors"."""


def find_cuda_tool(name: str, environment: Mapping[str, str]) -> Path | None:
    """``ncu`` or ``compute-sanitizer``: of the toolkit in use, on PATH, in the usual places; None where there is none."""
    homes = [Path(environment[variable]) / "bin" for variable in ("CUDA_HOME", "CUDA_PATH") if environment.get(variable)]
    on_path = shutil.which(name, path=environment.get("PATH"))
    nsight = sorted(_NSIGHT.glob("*"), reverse=True) if name == "ncu" else []
    places = [
        *(home / name for home in homes),
        *((Path(on_path),) if on_path else ()),
        _SYSTEM / name,
        *(folder / name for folder in nsight),
    ]
    return next((place for place in places if place.is_file()), None)


def command(ncu: Path, report: Path, symbols: tuple[str, ...], launch_limit: int, program: tuple[str, ...]) -> tuple[str, ...]:
    """Collects the targeted metrics of the kernels with these mangled names.

    Clocks are left alone: durations are no speed here, and locking them needs rights. Caches are flushed before every pass. Besides the
    report lies ``sections``, an empty folder: without it ncu reads all of its own sections and rules, for 0.2 s.
    """
    kernels = "|".join(re.escape(symbol) for symbol in symbols)
    return (
        *(str(ncu), "--metrics", ",".join(targeted_metrics()), "--clock-control", "none", "--import-source", "no"),
        *("--kernel-name-base", "mangled", "--kernel-name", f"regex:^({kernels})$", "--launch-count", str(launch_limit)),
        *("--section-folder", str(report.parent / "sections")),
        *("--target-processes", "application-only", "--force-overwrite", "--export", str(report)),
        *program,
    )


def refusal_of(output: str, is_cut_short: bool) -> CountingFailure:
    """What stood in the way, by what ncu printed."""
    if is_cut_short:
        return CountingFailure("timed_out", "ncu did not end in time", "raise --timeout or shrink the workload")
    for text, kind, message, remedy in _KNOWN:
        if text in output:
            return CountingFailure(kind, message, remedy)
    errors = _ERROR.findall(output)
    said = errors[-1] if errors else (output.strip().splitlines() or ["it printed nothing"])[-1]
    return CountingFailure("failed", f"ncu failed: {said}", "run ncu on the program by hand to see more")
