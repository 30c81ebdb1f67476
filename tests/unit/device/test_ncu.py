"""How ncu is called, and what its complaints mean to people."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from assistant.device.counters.metrics import LAUNCH_METRICS
from assistant.device.counters.ncu import command, find_cuda_tool, refusal_of
from assistant.profile.catalogue import metric

FORBIDDEN = (
    """==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters on the target device 0."""
)


@pytest.mark.parametrize(
    ("printed", "kind", "words"),
    [
        (FORBIDDEN, "forbidden", "NVreg_RestrictProfilingToAdminUsers=0"),
        ("==ERROR== Profiling is not supported on this device.", "unsupported", "MIG"),
        ("==ERROR== Cuda driver is not compatible with Nsight Compute.", "unsupported", "driver"),
        ("==WARNING== No kernels were profiled.", "failed", "kernelopt check"),
        ("==ERROR== Something else went wrong.", "failed", "Something else went wrong"),
    ],
)
def test_each_complaint_names_its_cause_and_its_fix(printed: str, kind: str, words: str) -> None:
    refusal = refusal_of(f"==PROF== Connected\n{printed}\n", is_cut_short=False)
    assert refusal.kind == kind and refusal.remedy and words in f"{refusal.message} {refusal.remedy}"
    assert "sudo" not in refusal.remedy


def test_a_hanging_kernel_is_a_timeout() -> None:
    assert refusal_of(FORBIDDEN, is_cut_short=True).kind == "timed_out"


def test_only_the_kernels_in_question_are_counted_and_clocks_are_left_alone() -> None:
    words = command(Path("/t/ncu"), Path("/s/r.ncu-rep"), ("_Z1kPf", "_Z1mPf"), 3, ("python", "-m", "x"))
    assert words[0] == "/t/ncu" and words[-3:] == ("python", "-m", "x")
    options = dict(itertools.pairwise(words))
    assert options["--kernel-name"] == "regex:^(_Z1kPf|_Z1mPf)$" and options["--launch-count"] == "3"
    assert options["--clock-control"] == "none" and "sudo" not in words
    targeted = {source.ncu[0] for source in LAUNCH_METRICS if source.is_targeted}
    assert targeted <= set(options["--metrics"].split(",")) and metric("l2_utilisation").ncu in targeted


def test_the_toolkit_in_use_goes_before_path(tmp_path: Path) -> None:
    for folder in ("toolkit/bin", "path"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "ncu").write_text("", "utf-8")
        (tmp_path / folder / "ncu").chmod(0o755)
    environment = {"CUDA_HOME": str(tmp_path / "toolkit"), "PATH": str(tmp_path / "path")}
    assert find_cuda_tool("ncu", environment) == tmp_path / "toolkit/bin/ncu"
    assert find_cuda_tool("ncu", {"PATH": str(tmp_path / "path")}) == tmp_path / "path/ncu"
