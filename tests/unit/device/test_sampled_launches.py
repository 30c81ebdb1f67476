"""Which of CUPTI's processes is asked what: one at a time, the warm one again by another where it is stale, none left behind."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from assistant.device.counters.protocol import Part, SampledLaunch, SamplingReply, SamplingRequest
from assistant.device.counters.sampled_launches import SampledLaunches
from assistant.device.gpu_protocol import Image
from assistant.model.launch import Dim3, LaunchConfig

REQUEST = SamplingRequest(Part.SAMPLED, Image(Path("/a.cubin"), ()), (), ("_Z1kPf",), first_launch=0, launch_limit=8, wall_s=1.0)
STALE = SamplingReply((), (), is_lost=True, is_stale=True)


def launches(*answers: str) -> SamplingReply:
    return SamplingReply(tuple(SampledLaunch("k", "_Z1kPf", LaunchConfig(Dim3(1), Dim3(32)), answer) for answer in answers))


@dataclass
class Machine:
    """Starts processes whose replies are known: those of warm ones in order, those to instructions by the launch."""

    sampled: list[SamplingReply]
    started: list[Process] = field(default_factory=list["Process"])
    asked: list[tuple[int, Part, int]] = field(default_factory=list[tuple[int, Part, int]])
    """(process, part, first launch)."""
    ready: dict[int, SamplingReply] = field(default_factory=dict[int, SamplingReply])
    """What processes answer that do not get ready, by their numbers."""
    running: set[int] = field(default_factory=set[int])
    most_running: int = 0

    def start(self) -> Process:
        self.started.append(Process(self, len(self.started)))
        return self.started[-1]


@dataclass
class Process:
    machine: Machine
    number: int
    is_alive: bool = True
    request: SamplingRequest = REQUEST

    def send(self, request: SamplingRequest) -> None:
        self.request = request
        self.machine.asked.append((self.number, request.part, request.first_launch))
        self.machine.running.add(self.number)
        self.machine.most_running = max(self.machine.most_running, len(self.machine.running))

    def receive(self, end_s: float) -> SamplingReply:
        self.machine.running.discard(self.number)
        if self.request.part is Part.READY:
            return self.machine.ready.get(self.number, SamplingReply(()))
        if self.request.part is Part.INSTRUCTIONS:
            return launches(f"instructions {self.request.first_launch}\n")
        return self.machine.sampled.pop(0)

    def close(self) -> None:
        self.is_alive = False


def test_every_launch_has_the_lines_of_both_parts_and_its_own_process() -> None:
    machine = Machine([launches("a\n", "b\n", "c\n")])
    reply = SampledLaunches(machine.start).counted(REQUEST, end_s=0.0)
    assert [launch.answer for launch in reply.launches] == ["a\ninstructions 0\n", "b\ninstructions 1\n", "c\ninstructions 2\n"]
    assert [first for _, part, first in machine.asked if part is Part.INSTRUCTIONS] == [0, 1, 2]
    assert machine.most_running == 1
    assert [process.is_alive for process in machine.started].count(True) == 1  # the warm one


def test_the_warm_process_is_asked_again_and_again() -> None:
    machine = Machine([launches("a\n"), launches("b\n")])
    counting = SampledLaunches(machine.start)
    for _ in range(2):
        counting.counted(REQUEST, end_s=0.0)
    assert len({process for process, part, _ in machine.asked if part is Part.SAMPLED}) == 1


def test_samples_of_code_before_are_taken_again_by_a_new_process() -> None:
    machine = Machine([STALE, launches("a\n")])
    reply = SampledLaunches(machine.start).counted(REQUEST, end_s=0.0)
    assert [launch.answer for launch in reply.launches] == ["a\ninstructions 0\n"]
    stale, again = [process for process, part, _ in machine.asked if part is Part.SAMPLED]
    assert stale != again and not machine.started[stale].is_alive and machine.started[again].is_alive


def test_a_process_that_is_lost_leaves_nothing_behind() -> None:
    machine = Machine([SamplingReply((), ("its process ended with status -6",), is_lost=True)])
    reply = SampledLaunches(machine.start).counted(REQUEST, end_s=0.0)
    assert reply.launches == () and reply.failures == ("its process ended with status -6",)
    assert not any(process.is_alive for process in machine.started)


def test_what_was_started_before_is_asked_and_not_started_again() -> None:
    machine = Machine([launches("a\n", "b\n"), launches("c\n", "d\n")])
    counting, two = SampledLaunches(machine.start), replace(REQUEST, launch_limit=2)
    for _ in range(2):
        counting.get_ready(two, end_s=0.0)
        started = len(machine.started)
        reply = counting.counted(two, end_s=0.0)
        assert len(machine.started) == started, "each was ready"
        assert len(reply.launches) == 2
    assert [part for _, part, _ in machine.asked].count(Part.READY) == 5  # the warm one, and one for each launch
    assert [process.is_alive for process in machine.started].count(True) == 1


def test_for_durations_only_the_warm_one_gets_ready() -> None:
    machine = Machine([])
    SampledLaunches(machine.start).get_ready(replace(REQUEST, part=Part.DURATIONS), end_s=0.0)
    assert len(machine.started) == 1 and machine.started[0].is_alive


def test_one_that_did_not_get_ready_is_started_again_when_it_is_asked() -> None:
    lost = SamplingReply((), ("its process ended with status 1",), is_lost=True)
    machine = Machine([launches("a\n")], ready={0: lost, 1: lost})
    counting, one = SampledLaunches(machine.start), replace(REQUEST, launch_limit=1)
    counting.get_ready(one, end_s=0.0)
    reply = counting.counted(one, end_s=0.0)
    assert [launch.answer for launch in reply.launches] == ["a\ninstructions 0\n"]
    assert len(machine.started) == 4 and [process.is_alive for process in machine.started].count(True) == 1


def test_of_many_launches_a_few_get_ready() -> None:
    machine = Machine([launches(*(f"{number}\n" for number in range(8)))])
    counting = SampledLaunches(machine.start)
    counting.get_ready(REQUEST, end_s=0.0)
    assert len(machine.started) == 5
    assert len(counting.counted(REQUEST, end_s=0.0).launches) == 8
    assert len(machine.started) == 9 and [process.is_alive for process in machine.started].count(True) == 1
