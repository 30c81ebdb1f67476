"""Which source a profiler's report is tied to, and what is said of what it lacks."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.engine.channel import Listener, streamed
from assistant.engine.report.reported import locate
from assistant.engine.request import JobRequest
from assistant.engine.running import JobRunner
from assistant.errors import UsageError
from assistant.lab.report import ReportLab
from assistant.model import events
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.profile import LaunchProfile, LineExecution, Method
from assistant.model.report import ProfilerReport, ReportSource
from tests.contracts.fake_store import FakeStore

TEXT = "__global__ void k(float *x)\n{\n    x[0] = 1.0f;\n}\n__global__ void idle(float *x) { }\n"
HEADER, LIBRARY, SOURCE = "/usr/include/h.cuh", "/build/lib.cu", "/build/k.cu"


def launch(kernel: str, *ran: tuple[str, int, int]) -> LaunchProfile:
    executions = tuple(LineExecution(file, line, count, count * 32, 0) for file, line, count in ran)
    return LaunchProfile(0, kernel, LaunchConfig(Dim3(1), Dim3(32)), Method.NCU, "GPU", 1, (), executions, (), None, None, ())


def report(*launches: LaunchProfile, device: str = "NVIDIA H200", **more: object) -> ProfilerReport:
    sources = (ReportSource(SOURCE, TEXT), ReportSource(LIBRARY, ""))
    given = {"unread_count": 0, "notes": (), "sources": sources, **more}
    return ProfilerReport("/r/x.ncu-rep", device, "sm_90", launches, resources=(), code=(), **given)  # type: ignore[arg-type]


K = launch("k(float *)", (HEADER, 1, 90), (SOURCE, 3, 50), (SOURCE, 0, 999), (LIBRARY, 1, 20))
ITSELF = JobRequest(Path("/r/x.ncu-rep"), Path("/r"), report=Path("/r/x.ncu-rep"))


def test_a_report_by_itself_names_the_users_file_that_most_of_it_ran_in() -> None:
    found = locate(ITSELF, report(K))
    assert found.request.file == Path(SOURCE) and found.request.texts == ((Path(SOURCE), TEXT),)
    assert (found.request.target, found.request.needs_kernels, found.warnings) == ("h200", False, ())
    held = report(K, sources=(ReportSource("/build/z.cu", "another"), ReportSource(SOURCE, TEXT), ReportSource(LIBRARY, "")))
    assert locate(ITSELF, held).request.texts == ((Path(SOURCE), TEXT),)


def test_a_source_that_the_report_does_not_hold_is_read_where_it_lies(tmp_path: Path) -> None:
    here = tmp_path / "k.cu"
    here.write_text(TEXT)
    found = locate(ITSELF, report(launch("k(float *)", (str(here), 3, 1))))
    assert (found.request.file, found.request.texts) == (here, ())
    gone = locate(ITSELF, report(launch("k(float *)", (str(tmp_path / "gone.cu"), 3, 1))))
    assert gone.request.texts == ((tmp_path / "gone.cu", ""),)


def test_a_report_without_lines_of_a_users_file_is_shown_without_a_text() -> None:
    found = locate(ITSELF, report(launch("k(float *)", (HEADER, 1, 5))))
    assert (found.request.file, found.request.texts) == (ITSELF.file, ((ITSELF.file, ""),))


def test_a_report_is_tied_to_the_file_of_the_same_name_wherever_it_was_made(tmp_path: Path) -> None:
    here = tmp_path / "k.cu"
    here.write_text(TEXT)
    found = locate(JobRequest(here, tmp_path, report=ITSELF.report), report(K))
    assert found.warnings == () and found.request.file == here
    assert {ran.file for ran in found.report.launches[0].executions} == {HEADER, str(here), LIBRARY}
    here.write_text(f"// new\n{TEXT}")
    (warning,) = locate(JobRequest(here, tmp_path, report=ITSELF.report), report(K)).warnings
    assert warning == "k.cu is not the text that was profiled: lines may have moved"
    with pytest.raises(UsageError, match=r"^.*is not about other\.cu") as raised:
        locate(JobRequest(tmp_path / "other.cu", tmp_path, report=ITSELF.report), report(K))
    assert raised.value.remedy == f"its sources: {HEADER}, {SOURCE}, {LIBRARY}"
    with pytest.raises(UsageError) as raised:
        locate(JobRequest(here, tmp_path, report=ITSELF.report), report())
    assert raised.value.remedy == "its sources: none: compile with -lineinfo"


def test_an_unknown_gpu_is_warned_of_unless_a_target_was_chosen(tmp_path: Path) -> None:
    (warning,) = locate(ITSELF, report(K, device="NVIDIA X1")).warnings
    assert warning.startswith("NVIDIA X1 is in no table of peaks") and "--target" in warning
    chosen = JobRequest(ITSELF.file, ITSELF.working_directory, report=ITSELF.report, target="a100")
    found = locate(chosen, report(K, device="NVIDIA X1"))
    assert found.warnings == () and found.request.target == "a100"
    assert locate(chosen, report(K)).request.target == "a100"


async def events_of_report(asked: JobRequest, given: ProfilerReport, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[events.Event]:
    monkeypatch.setenv("KERNELOPT_HOME", str(tmp_path / "home"))
    found, store = locate(asked, given), FakeStore()
    runner = JobRunner(lambda: store, lambda _request, _scratch, target: ReportLab(found.report, target), "a test")

    async def work(listener: Listener) -> None:
        await runner.run("profile", found.request, lambda job, version: found.emit_profile(job, version, None), listener, found.version)

    return [event async for event in streamed(work)]


async def test_launches_of_a_report_are_shown_like_those_of_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = report(K, launch("void lib::gemm<float>(float *)", (LIBRARY, 1, 1)), unread_count=3, notes=("no stalls were sampled",))
    heard = await events_of_report(ITSELF, given, tmp_path, monkeypatch)
    said = [event.message for event in heard if isinstance(event, events.Message)]
    assert "no stalls were sampled" in said and "only the first 2 launches are read; the report holds 3 more" in said
    assert {event.kernel for event in heard if isinstance(event, events.Profile)} == {"k(float *)", "lib::gemm(float *)"}
    assert not any("idle" in text for text in said)  # the report has no launch of it, and that is no fault


async def test_a_kernel_that_the_report_has_not_cannot_be_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = JobRequest(ITSELF.file, ITSELF.working_directory, report=ITSELF.report, kernel="other")
    with pytest.raises(UsageError, match=r"^the report has no kernel 'other'"):
        await events_of_report(asked, report(K), tmp_path, monkeypatch)
