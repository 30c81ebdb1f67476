"""Reports of Nsight Compute are read by NVIDIA's library in a process of its own, whose end is a sentence and not that of a worker."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from assistant.device.counters.report import ReportRequest
from assistant.device.counters.report_process import read_report_apart
from assistant.errors import CannotAnswerError
from assistant.lab.report import load_report

REPORT = Path(__file__).parents[2] / "data" / "reports" / "transpose.ncu-rep"
ENDS = {
    "crashes": ("import os, signal\ndef load_report(path): os.kill(os.getpid(), signal.SIGSEGV)", "was killed by SIGSEGV"),
    "leaves": ("import os\ndef load_report(path): os._exit(0)", "ended with status 0"),
    "fails as it is loaded": ("import os\nos._exit(7)", "ended with status 7"),
    "prints and crashes": ("import os\ndef load_report(path):\n    print('{}', flush=True)\n    os.abort()", "was killed by SIGABRT"),
}
"""Libraries that stand in for NVIDIA's, and how a process with one ends."""


def environment(folder: Path) -> dict[str, str]:
    """With what lies in ``folder`` before what is installed."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join((str(folder), *filter(None, (os.environ.get("PYTHONPATH"),))))}


@pytest.mark.parametrize("library", ENDS)
def test_a_library_that_dies_is_named_with_the_report_and_a_way_out(tmp_path: Path, library: str) -> None:
    text, end = ENDS[library]
    (tmp_path / "ncu_report.py").write_text(text, "utf-8")
    refusal = read_report_apart(ReportRequest(str(REPORT)), environment(tmp_path)).refusal
    assert refusal is not None
    assert end in refusal.message and str(REPORT) in refusal.message and str(tmp_path / "ncu_report.py") in refusal.message
    assert "pip install" in refusal.remedy


async def test_a_command_says_the_same_and_not_that_a_worker_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ncu_report.py").write_text(ENDS["crashes"][0], "utf-8")
    monkeypatch.setenv("PYTHONPATH", environment(tmp_path)["PYTHONPATH"])
    with pytest.raises(CannotAnswerError, match=r"was killed by SIGSEGV.*transpose\.ncu-rep") as raised:
        await load_report(REPORT)
    assert "worker" not in raised.value.message and "pip install" in (raised.value.remedy or "")


def test_the_installed_library_is_named_with_its_version(tmp_path: Path) -> None:
    """Here one that never comes to an end."""
    reply = read_report_apart(ReportRequest(str(REPORT)), environment(tmp_path), deadline_s=0.0)
    assert reply.refusal is not None and "ncu-report 20" in reply.refusal.message and "did not end" in reply.refusal.message


def test_what_the_library_prints_is_no_answer(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import os\nos.write(1, b'noise')", "utf-8")
    read = read_report_apart(ReportRequest(str(REPORT)), environment(tmp_path)).report
    assert read is not None and read.launches[0].stalls


async def test_a_report_that_is_read_is_the_same_as_in_one_process() -> None:
    apart = await asyncio.to_thread(read_report_apart, ReportRequest(str(REPORT)), os.environ)
    assert apart.report == await load_report(REPORT)
