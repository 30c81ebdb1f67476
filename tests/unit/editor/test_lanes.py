"""Background work on a GPU gives way to the user's own program; nothing else does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any, cast

import pytest

from assistant.editor import gpu_hold
from assistant.editor.jobs import JobHost
from assistant.editor.lanes import Lane, Work
from assistant.editor.tasks import Task, Verb
from assistant.engine.request import JobRequest
from assistant.errors import KernelOptError
from assistant.lab.gpu_users import GpuProcess
from assistant.model.events import Event

TRAINING = GpuProcess(0, 4242, "python train.py", 0.97)
WAITS = "GPU 0 is used by python train.py (process 4242)"


class Host:
    """In place of a job host: jobs run until they are let go."""

    def __init__(self) -> None:
        self.let_go = asyncio.Event()

    async def run(self, task: Task) -> AsyncGenerator[Event]:
        await self.let_go.wait()
        return
        yield cast(Any, task)

    async def close(self) -> None: ...


class Users:
    """Implements ``GpuUsers``."""

    def __init__(self, *found: GpuProcess) -> None:
        self.found = found
        self.looks = 0

    async def of(self, device: str) -> tuple[GpuProcess, ...]:
        self.looks += 1
        return self.found if device in ("auto", "gpu:0") else ()


class Heard:
    """Implements ``WorkListener``."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def waits_for_consent(self, work: Work) -> None: ...

    def started(self, work: Work) -> None:
        self.said.append(f"started {work.key}")

    def reported(self, work: Work, event: Event) -> None: ...

    def waits(self, work: Work, reason: str) -> None:
        self.said.append(f"{work.key} waits: {reason}")

    def ended(self, work: Work, refusal: KernelOptError | None, is_cancelled: bool) -> None:
        if refusal is not None:
            self.said.append(f"refused {work.key}: {refusal.message}")
        else:
            self.said.append(f"{'cancelled' if is_cancelled else 'ended'} {work.key}")


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]
    monkeypatch.setattr(gpu_hold, "_POLL_S", 0.01)


def check(users: Users, scene: Callable[[Lane, Callable[..., Work], Host], Any], host: Host | None = None) -> list[str]:
    heard = Heard()
    host = host or Host()

    async def play() -> None:
        """The scene on a lane that is closed afterwards."""
        lane = Lane(cast(JobHost, host), users)

        def work(key: str, device: str, is_background: bool = True) -> Work:
            request = JobRequest(Path("/w/a.cu"), working_directory=Path("/w"), texts=((Path("/w/a.cu"), ""),), device=device)
            return lane.submit(Work(f"J{key}", key, Task(Verb.PROFILE, request), is_background, heard))

        try:
            await scene(lane, work, host)
        finally:
            await lane.close()

    asyncio.run(play())
    return heard.said


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(5):
        while not is_so():  # noqa: ASYNC110 - the code that polls the GPU has no event to wait for
            await asyncio.sleep(0.005)


@pytest.mark.parametrize("device", ["gpu:0", "auto"])
def test_background_work_waits_for_the_users_program_and_then_runs(device: str) -> None:
    users = Users(TRAINING)

    async def scene(lane: Lane, work: Callable[..., Work], host: Host) -> None:
        """The user's program ends while the work waits."""
        held = work("a", device)
        await until(lambda: users.looks > 2)
        assert lane.running is None and lane.reason_to_wait(held) == WAITS
        users.found = ()
        await until(lambda: lane.running == held)
        assert lane.reason_to_wait(held) is None
        host.let_go.set()
        await until(lambda: not lane.works)

    assert check(users, scene) == [f"a waits: {WAITS}", "started a", "ended a"]


def test_background_work_that_runs_gives_way_and_goes_on_later() -> None:
    users = Users()

    async def scene(lane: Lane, work: Callable[..., Work], host: Host) -> None:
        """The user's program starts while the work runs, and ends."""
        work("a", "gpu:0")
        await until(lambda: lane.running is not None)
        users.found = (TRAINING,)
        await until(lambda: lane.running is None)
        users.found = ()
        host.let_go.set()
        await until(lambda: not lane.works)

    said = check(users, scene)
    assert [line for line in said if "waits" not in line] == ["started a", "cancelled a", "started a", "ended a"]
    assert f"a waits: {WAITS}" in said


def test_what_a_person_asked_for_runs_together_with_the_users_program() -> None:
    users = Users(TRAINING)

    async def scene(lane: Lane, work: Callable[..., Work], host: Host) -> None:
        asked = work("a", "gpu:0", is_background=False)
        assert lane.running is asked
        host.let_go.set()
        await until(lambda: not lane.works)

    assert check(users, scene) == ["started a", "ended a"]
    assert users.looks == 0


class SlowEnds(Host):
    """Takes a while to end a job that is cancelled, and counts how often it was told to."""

    def __init__(self) -> None:
        super().__init__()
        self.may_end = asyncio.Event()
        self.cancels = 0
        self.is_busy = False

    async def run(self, task: Task) -> AsyncGenerator[Event]:
        assert not self.is_busy, "two jobs at a time"
        self.is_busy = True
        try:
            await self.let_go.wait()
        finally:
            while not self.may_end.is_set():
                try:
                    await self.may_end.wait()
                except asyncio.CancelledError:
                    self.cancels += 1
            self.is_busy = False
        return
        yield cast(Any, task)


def test_a_job_that_is_ending_is_reported_only_once() -> None:
    host = SlowEnds()

    async def scene(lane: Lane, work: Callable[..., Work], _: Host) -> None:
        """Two requests of a person come while the first job ends."""
        first = work("a", "cpu")
        await until(lambda: host.is_busy)
        for key in ("b", "c"):
            work(key, "cpu", is_background=False)
            assert lane.cancel(first.id)
            await asyncio.sleep(0.01)
        host.let_go.set()
        host.may_end.set()
        await until(lambda: not lane.works)

    assert check(Users(), scene, host) == ["started a", "cancelled a", "started b", "ended b", "started c", "ended c"]
    assert host.cancels == 0


def test_a_job_that_a_person_cancelled_is_not_put_back_for_giving_way() -> None:
    host = SlowEnds()

    async def scene(lane: Lane, work: Callable[..., Work], _: Host) -> None:
        """A person cancels the running job, then asks for another."""
        first = work("a", "cpu")
        await until(lambda: host.is_busy)
        lane.cancel(first.id)
        work("b", "cpu", is_background=False)
        host.let_go.set()
        host.may_end.set()
        await until(lambda: not lane.works)

    assert check(Users(), scene, host) == ["started a", "cancelled a", "started b", "ended b"]


class Broken(Host):
    """Its interpreter was removed, or there is a defect in it."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self._error = error

    async def run(self, task: Task) -> AsyncGenerator[Event]:
        raise self._error
        yield cast(Any, task)


def test_a_job_that_breaks_ends_with_the_cause_and_the_next_one_runs() -> None:
    async def scene(lane: Lane, work: Callable[..., Work], _: Host) -> None:
        work("a", "cpu", is_background=False)
        await until(lambda: not lane.works)

    said = check(Users(), scene, Broken(ZeroDivisionError("by zero")))
    assert said == ["started a", "refused a: internal error: ZeroDivisionError: by zero"]


def test_other_gpus_and_the_cpu_are_not_held_up() -> None:
    users = Users(TRAINING)

    async def scene(lane: Lane, work: Callable[..., Work], host: Host) -> None:
        """Work for the busy GPU, for the CPU and for another GPU."""
        work("held", "gpu:0")
        work("cpu", "cpu")
        work("other", "gpu:1")
        host.let_go.set()
        await until(lambda: len(lane.works) == 1)

    said = check(users, scene)
    assert [line for line in said if line.startswith("ended")] == ["ended cpu", "ended other"]
    assert said[-1] == "cancelled held", "the lane was closed"


def test_no_check_is_made_when_nothing_waits() -> None:
    users = Users(TRAINING)

    async def scene(lane: Lane, work: Callable[..., Work], host: Host) -> None:
        """The only waiting work is cancelled."""
        held = work("a", "gpu:0")
        await until(lambda: users.looks > 0)
        lane.cancel(held.id)
        await asyncio.sleep(0.05)
        looks = users.looks
        await asyncio.sleep(0.05)
        assert users.looks == looks

    assert check(users, scene)[-1] == "cancelled a"
