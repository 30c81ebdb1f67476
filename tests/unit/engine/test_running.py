"""One job from its row in memory to its last event: what is kept, what it is run with, how it is cancelled and how it fails."""

from __future__ import annotations

import asyncio
import errno
import json
import runpy
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assistant.config import load_settings
from assistant.engine import running, scratch
from assistant.engine.channel import UNHEARD
from assistant.engine.event_schema import event_schema_text
from assistant.engine.events_as_json import event_from
from assistant.engine.job import CANNOT_ANSWER, DONE, Ending, Job, Stopwatch
from assistant.engine.request import Accept, JobRequest, OptimizeOptions
from assistant.engine.running import JobRunner, flags_of, run_limits
from assistant.engine.session import Session, SessionParts, within_settings
from assistant.engine.source_version import SourceVersion
from assistant.errors import CannotAnswerError, UsageError
from assistant.model import events
from assistant.model.build import Diagnostic, DiagnosticSeverity
from assistant.model.device import LabDescription
from assistant.model.profile import Severity
from assistant.plan.catalogue import Catalogue
from assistant.ports.lab import LabFailure, RunLimits
from assistant.serialize import DecodeError
from tests.contracts.fake_lab import FakeLab
from tests.contracts.fake_store import FakeStore
from tests.unit.engine.fakes import FakePlanner
from tests.unit.engine.heard import Heard

TEXT = "__global__ void k(float *x) {}\n"
Body = Callable[[Job, SourceVersion], Any]


class Running:
    """Runs one job on a file of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.store, self.heard, self.closed = folder, FakeStore(), Heard(), 0
        self.opened: list[tuple[JobRequest, str]] = []
        (folder / "k.cu").write_text(TEXT)
        (folder / ".git").mkdir()

    def request(self, **more: Any) -> JobRequest:
        return JobRequest(self.folder / "k.cu", self.folder, job_id="J1", **more)

    async def run(self, body: Body, command: str = "check", **more: Any) -> Ending:
        return await self.runner.run(command, self.request(**more), body, self.heard)

    @property
    def runner(self) -> JobRunner:
        return JobRunner(lambda: self.store, self._open_lab, "cli 7")

    def _open_lab(self, request: JobRequest, scratch: Path, target: str) -> FakeLab:
        self.opened.append((request, target))
        running_ = self

        class Lab(FakeLab):
            async def close(self) -> None:
                running_.closed += 1

        return Lab(scratch, {}, target=target)


@pytest.fixture
def on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Running:
    monkeypatch.setenv("KERNELOPT_HOME", str(tmp_path / "home"))
    return Running(tmp_path)


async def done(job: Job, version: SourceVersion) -> Ending:
    return Ending(DONE, f"looked at {version.kernels[0].name}")


async def test_a_job_has_a_row_with_its_owner_and_its_end(on: Running) -> None:
    assert await on.run(done) == Ending(DONE, "looked at k")
    (row,) = on.store.jobs()
    assert (row.id, row.command, row.path, row.exit_code) == ("J1", "check", on.folder / "k.cu", 0)
    assert row.owner.endswith(" cli 7") and on.closed == 1
    first, last = on.heard.taken()
    assert isinstance(first, events.JobStarted) and (first.job, first.command, first.other) == ("J1", "check", None)
    assert last == events.JobEnded("J1", DONE, "looked at k")


@pytest.mark.parametrize(
    ("command", "kernel", "is_kept", "is_logged"),
    [
        ("inspect", None, True, False),
        ("check", None, True, False),
        ("profile", None, True, False),
        ("profile", "k", False, False),
        ("compare", None, False, False),
        ("optimize", None, False, True),
    ],
)
async def test_the_last_answer_on_a_whole_file_is_kept_and_every_event_of_a_search(
    on: Running, command: str, kernel: str | None, is_kept: bool, is_logged: bool
) -> None:
    await on.run(done, command, kernel=kernel)
    kept = on.store.analyses(on.folder / "k.cu")
    assert len(kept) == is_kept and all(one.command == command and len(one.events) == 2 for one in kept)
    assert len(on.store.events("J1")) == (2 if is_logged else 0)


async def test_the_request_decides_the_device_and_target_and_else_the_settings(on: Running) -> None:
    (on.folder / "kernelopt.toml").write_text('target = "a100"\ndevice = "gpu:1"\n')
    await on.run(done)
    await on.run(done, target="h200", device="cpu")
    assert [(request.device, target) for request, target in on.opened] == [("gpu:1", "a100"), ("cpu", "h200")]


@pytest.mark.parametrize(
    ("raised", "ending", "remedy"),
    [
        (UsageError("not so", "so"), Ending(2, "not so"), "so"),
        (CannotAnswerError("cannot", "try"), Ending(3, "cannot"), "try"),
        (
            OSError(errno.EACCES, "Permission denied", "/x/y"),
            Ending(3, "/x/y cannot be used: Permission denied"),
            "check the disk's free space and the folder's permissions",
        ),
        (OSError(errno.EIO, "Input/output error"), Ending(3, "a file cannot be used: Input/output error"), None),
    ],
)
async def test_a_deliberate_error_is_the_last_message_and_the_end(
    on: Running, raised: Exception, ending: Ending, remedy: str | None
) -> None:
    async def fails(job: Job, version: SourceVersion) -> Ending:
        raise raised

    assert await on.run(fails) == ending
    message, ended = on.heard.taken()[-2:]
    assert isinstance(message, events.Message) and (message.severity, message.message) == (Severity.ERROR, ending.reason)
    assert remedy is None or message.remedy == remedy
    assert ended == events.JobEnded("J1", ending.exit_code, ending.reason)
    (row,) = on.store.jobs()
    assert row.exit_code == ending.exit_code and on.store.analyses(on.folder / "k.cu") == () and on.closed == 1


async def test_any_other_error_ends_the_row_as_one_that_cannot_answer(on: Running) -> None:
    async def fails(job: Job, version: SourceVersion) -> Ending:
        raise RuntimeError("a defect")

    with pytest.raises(RuntimeError):
        await on.run(fails)
    assert [row.exit_code for row in on.store.jobs()] == [CANNOT_ANSWER] and on.closed == 1


async def test_an_event_that_memory_cannot_keep_ends_a_search_with_what_is_wrong(on: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(job: str, event: str) -> None:
        raise CannotAnswerError("memory is full", "make room")

    monkeypatch.setattr(on.store, "add_event", full)
    assert await on.run(done, "optimize") == Ending(3, "memory is full")
    assert [type(event).__name__ for event in on.heard.taken()] == ["Message", "JobEnded"]
    assert await on.run(done, "compare") == Ending(DONE, "looked at k")


async def test_another_process_cancels_a_job_within_a_beat(on: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "_HEARTBEAT_S", 0.01)
    beats = list[str]()

    def beat(job: str, now_ms: int) -> bool:
        beats.append(job)
        return len(beats) > 2

    monkeypatch.setattr(on.store, "beat", beat)

    async def waits(job: Job, version: SourceVersion) -> Ending:
        await asyncio.sleep(30)
        return Ending(DONE, "")

    with pytest.raises(asyncio.CancelledError):
        await on.run(waits)
    await asyncio.sleep(0.05)
    assert beats == ["J1"] * 3 and on.closed == 1


async def test_warnings_of_the_settings_come_first(on: Running) -> None:
    (on.folder / "kernelopt.toml").write_text('[memory]\npath = "/elsewhere"\n')
    await on.run(done)
    _, message, _ = on.heard.taken()
    assert isinstance(message, events.Message) and message.severity is Severity.WARNING and "memory.path" in message.message


async def test_seeds_are_fresh_or_those_of_an_earlier_job_twice(on: Running) -> None:
    seeds = list[tuple[int, ...]]()

    async def keeps(job: Job, version: SourceVersion) -> Ending:
        seeds.append(job.seeds)
        return Ending(DONE, "")

    for given in ((), (), (5, 6)):
        await on.run(keeps, seeds=given)
    first, second, again = seeds
    assert (
        again == (5, 6, 5, 6) and first != second and len(set(first)) == len(first) == 2 * load_settings(None).settings.verification.seeds
    )
    assert all(0 <= seed < 1 << 31 for seed in first) and max(*first, *second) > 1 << 24


def test_limits_come_from_the_settings_but_for_the_time_that_was_asked_for(on: Running) -> None:
    (on.folder / "kernelopt.toml").write_text("[limits]\nlaunch_bytes = 5000\nrecording_bytes = 70000\n")
    settings = load_settings(on.folder).settings
    sizes = settings.limits.memory_bytes, settings.limits.output_bytes, 5000, 70_000
    whole = RunLimits(settings.run.timeout_s, *sizes, settings.run.whole_s)
    assert run_limits(on.request(), settings, is_gpu=False) == run_limits(on.request(), settings, is_gpu=True) == whole
    assert run_limits(on.request(timeout_s=0.0), settings, is_gpu=False) == replace(whole, wall_s=0.0, whole_s=0.0)


def test_a_gpu_records_larger_launches_than_the_emulator(on: Running) -> None:
    settings = load_settings(None).settings
    emulated, on_gpu = (run_limits(on.request(), settings, is_gpu=is_gpu) for is_gpu in (False, True))
    assert (emulated.launch_bytes, on_gpu.launch_bytes) == (256 << 20, 2 << 30)
    assert on_gpu.recording_bytes > on_gpu.launch_bytes


def test_flags_are_those_of_the_line_or_the_project_or_the_database(on: Running) -> None:
    def flags(**more: Any) -> tuple[tuple[str, ...], str]:
        chosen = flags_of(on.request(**more), load_settings(on.folder))
        return chosen.arguments, chosen.origin

    default, given = flags(), flags(cflags=("-O1",))
    (on.folder / "kernelopt.toml").write_text('[build]\nflags = ["-O2"]\n')
    project = flags()
    assert (given[0], project[0]) == (("-O1",), ("-O2",)) and len({default[1], given[1], project[1]}) == 3
    assert flags(cflags=("-O2",)) == project, "an editor hands the file's own back"
    (on.folder / "compile_commands.json").write_text("no JSON")
    with pytest.raises(CannotAnswerError, match=r"^compile_commands\.json cannot be read"):
        flags()


def test_folders_of_includes_are_relative_to_the_folder_that_the_flags_come_from(on: Running) -> None:
    (on.folder / "called").mkdir()
    (on.folder / "kernelopt.toml").write_text('[build]\nflags = ["-Iown"]\n')
    asked = replace(on.request(), working_directory=on.folder / "called")
    loaded = load_settings(on.folder)
    assert flags_of(asked, loaded).arguments == (f"-I{on.folder / 'own'}",)
    assert flags_of(replace(asked, cflags=("-Igiven",)), loaded).arguments == (f"-I{on.folder / 'called/given'}",)


@pytest.mark.parametrize(
    ("asked", "limit", "most"), [({}, 120, 120), ({}, 7, 7), ({"max_candidates": 9}, 120, 9), ({"max_candidates": 30}, 24, 24)]
)
def test_the_settings_bound_how_many_candidates_are_tried_and_may_allow_more_than_usual(
    asked: dict[str, int], limit: int, most: int
) -> None:
    loaded = load_settings(None, {"limits.candidates": limit})
    assert within_settings(OptimizeOptions(**asked), loaded).max_candidates == most


def test_what_nobody_asks_for_is_what_the_settings_say_at_first() -> None:
    options, settings = OptimizeOptions(), load_settings(None).settings
    assert options.max_rounds == settings.limits.rounds == 4
    assert options.may_recall_across_workspaces is settings.recall.across_workspaces
    request = JobRequest(Path("/k.cu"), Path("/"))
    assert (request.launch_count, request.sample_blocks) == (64, 4096)
    assert (request.needs_kernels, request.may_run, request.is_live, options.may_edit_host_code) == (True, True, False, True)
    assert not options.is_resumed and options.rules.may_change_launch


def test_an_unsaved_text_stands_for_its_file_alone() -> None:
    texts = ((Path("/a.cu"), "a"), (Path("/b.cu"), ""), (Path("/b.cu"), "later"))
    request = JobRequest(Path("/a.cu"), Path("/"), texts=texts)
    assert [request.text_of(Path(name)) for name in ("/a.cu", "/b.cu", "/c.cu")] == ["a", "", None]


def _job(on: Running, name: str = "cpu") -> Job:
    class Lab(FakeLab):
        def describe(self) -> LabDescription:
            return LabDescription(name, "a device", "h200", "a rung", ())

    made: Any = Job("J", on.request(), Lab(on.folder, {}), _Named(), None, on.folder, (), RunLimits(), on.heard)  # type: ignore[arg-type]
    return made


class _Named:
    name = "h200"


def test_a_job_says_what_went_wrong_where_and_what_to_do(on: Running) -> None:
    job = _job(on)
    wrong, warned = (Diagnostic("k.cu", 1, 1, severity, "no") for severity in (DiagnosticSeverity.ERROR, DiagnosticSeverity.WARNING))
    assert job.failed(LabFailure("not_built", "refused", "", (wrong, warned))) == Ending(3, "refused")
    job.say_errors(LabFailure("not_built", "refused", "", (warned,)))
    job.say(Severity.INFORMATION, "look", "there", 7)
    assert on.heard.taken() == (
        events.Diagnostics("J", (wrong,)),
        events.Message("J", Severity.ERROR, "refused", None, None, None),
        events.Message("J", Severity.INFORMATION, "look", "there", str(on.folder / "k.cu"), 7),
    )
    assert (job.device.kind, _job(on, "gpu").device.kind, job.device.name, job.device.target) == ("cpu", "gpu", "a device", "h200")


def test_a_stage_takes_the_time_between_its_begin_and_its_end(on: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter((100.0, 102.5))
    monkeypatch.setattr("assistant.engine.job.time.monotonic", lambda: next(clock))
    watch = Stopwatch(_job(on), "build")
    watch.begin("sm_90")
    watch.end()
    assert on.heard.taken() == (events.StageStarted("J", "build", "sm_90"), events.StageEnded("J", "build", "", 2500.0))


async def test_events_that_nobody_hears_are_dropped() -> None:
    assert UNHEARD.emit(events.StageStarted("J", "build", "")) is None  # type: ignore[func-returns-value]
    await UNHEARD.delivered()


def test_an_object_that_is_no_event_is_refused() -> None:
    for data in ({"event": "no such"}, {}):
        with pytest.raises(DecodeError, match="no event of ours"):
            event_from(data)


def test_the_schema_is_printed_where_it_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.warns(RuntimeWarning, match="found in sys.modules"):
        runpy.run_module("assistant.engine.event_schema", run_name="__main__")
    assert capsys.readouterr().out == event_schema_text()
    assert all(one["additionalProperties"] is False for one in json.loads(event_schema_text())["$defs"].values() if "properties" in one)
    assert (Path(__file__).parents[2] / "data" / "events.schema.json").read_text("utf-8") == event_schema_text(), "the published one"


def test_where_no_folder_can_be_made_the_disk_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for code, words in ((errno.ENOSPC, tempfile.gettempdir()), (errno.EROFS, "a file cannot be used: broken")):

        def refuse(number: int = code) -> None:
            raise OSError(number, "broken")

        monkeypatch.setattr(scratch, "OwnFolder", refuse)
        with pytest.raises(CannotAnswerError, match=words), scratch.scratch_folder():
            pass
    full = scratch.unusable(OSError(errno.ENOSPC, "full", "/there/x"))
    assert "/there/x" in full.message


def _session(on: Running, **more: Any) -> Session:
    return Session(SessionParts(lambda _: on.store, on._open_lab, FakePlanner("expert"), Catalogue(()), "a test", **more))  # type: ignore[attr-defined]


def test_memory_is_opened_when_it_is_needed_and_again_after_it_was_closed(on: Running) -> None:
    opened, closed = list[Path](), list[int]()

    class Store(FakeStore):
        def close(self) -> None:
            closed.append(1)

    def open_store(path: Path) -> FakeStore:
        opened.append(path)
        return Store()

    session = Session(SessionParts(open_store, on._open_lab, FakePlanner("expert"), Catalogue(()), "a test"))  # type: ignore[arg-type]
    session.close()
    assert (opened, closed) == ([], [])
    assert session.store is session.store and len(opened) == 1
    session.close()
    session.close()
    assert session.store is not None and (len(opened), len(closed)) == (2, 1)
    assert (session.who, session.planner.name) == ("a test", "expert")


@pytest.mark.parametrize(
    ("planner", "words"),
    [("best", "--planner takes expert, llm, agent or auto, not 'best'"), ("llm", "--planner llm: no model provider is configured")],
)
def test_a_planner_that_there_is_not_is_refused_before_anything_runs(on: Running, planner: str, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        _session(on).optimize(on.request(), OptimizeOptions(planner=planner), Accept.NONE, None)
    assert caught.value.message == words and on.opened == []


@pytest.mark.parametrize("kind", ["editor", "manual"])
def test_a_model_that_cannot_call_tools_is_no_agent(on: Running, kind: str) -> None:
    (on.folder / "home").mkdir(exist_ok=True)
    (on.folder / "home" / "config.toml").write_text(f'[provider]\nkind = "{kind}"\n')
    with pytest.raises(UsageError, match=f"^--planner agent: provider.kind {kind} cannot call tools"):
        _session(on).optimize(on.request(), OptimizeOptions(planner="agent"), Accept.NONE, None)
    assert _session(on).optimize(on.request(), OptimizeOptions(planner="llm"), Accept.NONE, None) is not None
