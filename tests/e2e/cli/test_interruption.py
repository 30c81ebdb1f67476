"""Stopped in any phase: no process is left, no user file is changed, memory can be read, scratch is gone."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Generator
from itertools import product
from pathlib import Path

import pytest

from tests.e2e.cli.harness import DEADLINE_S, Alive, Cli, finish, no_orphans, wait_for, working_cli
from tests.e2e.cli.terminal import Terminal
from tests.thorough import only

SLOW_PROGRAM = """#include <cstdio>
// {unique}
__global__ void burn(float *out, const float *in, int n, int rounds)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i % n];
    for (int round = 0; round < rounds; round++)
        x = x * 0.5f + (float)round;
    if (i < n) out[i] = x;
}}
int main()
{{
    const int n = 4096;
    static float host[n];
    float *in, *out;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    for (int launch = 0; launch < {launches}; launch++)
        burn<<<n / 256, 256>>>(out, in, n, 400);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\\n", host[7]);
    return 0;
}}
"""

PHASES: dict[str, Callable[[Alive], bool]] = {
    "building for the GPU": lambda p: p.name in ("nvcc", "cicc", "ptxas", "cudafe++"),
    "building for the emulator": lambda p: p.name in ("cc1plus", "as"),
    "running the program": lambda p: "EMU_REPORT" in p.variables,
    "replaying launches": lambda p: "EMU_REPLAY" in p.variables,
}
LAUNCHES = {"building for the GPU": 3, "replaying launches": 3}
"""The program itself must be over soon where a later phase is waited for; elsewhere it runs for long."""
MANY_LAUNCHES = 5000


@pytest.fixture
def slow(tmp_path: Path) -> Generator[Cli]:
    """As ``cli``; a killed command may leave its scratch."""
    with working_cli(tmp_path) as made, no_orphans():
        yield made


@pytest.mark.parametrize(
    ("phase", "number"),
    only(
        [("building for the emulator", signal.SIGKILL), ("running the program", signal.SIGINT)],
        product(PHASES, (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)),
    ),
    ids=lambda value: getattr(value, "name", value),
)
def test_a_stopped_command_leaves_nothing_running(slow: Cli, phase: str, number: signal.Signals) -> None:
    unique = f"{os.getpid()} {time.time_ns()}" if phase.startswith("building") else phase
    text = SLOW_PROGRAM.format(unique=unique, launches=LAUNCHES.get(phase, MANY_LAUNCHES))
    path = slow.write("slow.cu", text)
    edited = slow.write("edited.cu", text.replace("x * 0.5f", "0.5f * x"))
    command = ("compare", path, edited) if phase == "replaying launches" else ("optimize", path, "--accept", "best-predicted")
    process = slow.start(*command, "--json")
    wait_for(PHASES[phase], process)
    process.send_signal(number)
    ended = finish(process)
    if number is signal.SIGKILL:
        assert ended.code == -signal.SIGKILL
    else:
        assert ended.code == 130, ended.said
        assert "interrupted" in ended.err and "Traceback" not in ended.err
        assert ("--resume" in ended.err) is (command[0] == "optimize"), "only a search goes on"
        assert slow.left_behind() == []
    assert slow.left_running() == []
    assert path.read_text("utf-8") == text
    assert sorted(found.name for found in slow.folder.iterdir()) == ["edited.cu", "slow.cu"]
    assert slow.run("history", path).code == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_a_command_stopped_while_it_starts_says_no_more_than_that(slow: Cli, number: signal.Signals) -> None:
    process = slow.start("optimize", slow.quick())
    maps = Path("/proc", str(process.pid), "maps")
    while "pydantic_core" not in maps.read_text():  # its modules are being loaded
        time.sleep(0.001)
    process.send_signal(number)
    ended = finish(process)
    assert ended.code in (130, -number), ended.said
    assert "Traceback" not in ended.said
    assert slow.left_behind() == []


@pytest.mark.thorough
def test_the_same_job_works_after_it_was_killed(slow: Cli) -> None:
    """Nothing that a killed build left in the cache is taken for a build."""
    text = SLOW_PROGRAM.format(unique=f"{os.getpid()} {time.time_ns()}", launches=2)
    path = slow.write("slow.cu", text)
    process = slow.start("profile", path)
    wait_for(PHASES["building for the emulator"], process)
    process.kill()
    finish(process)
    assert slow.left_running() == []
    assert slow.run("profile", path).code == 0


def test_a_killed_job_is_not_shown_as_a_success(slow: Cli) -> None:
    process = slow.start("profile", slow.write("slow.cu", SLOW_PROGRAM.format(unique=time.time_ns(), launches=MANY_LAUNCHES)), "--json")
    wait_for(PHASES["running the program"], process)
    process.kill()
    ended = finish(process)
    assert ended.all("job_ended") == []


@pytest.mark.thorough
def test_a_reader_that_goes_away_ends_the_command(slow: Cli) -> None:
    """``kernelopt profile … | head -1``."""
    process = slow.start("profile", slow.example("pipeline.cu"), "--json")
    assert process.stdout is not None and process.stderr is not None
    with process.stdout, process.stderr:
        process.stdout.readline()
        process.stdout.close()
        said = process.stderr.read()
        process.wait(DEADLINE_S)
    assert process.returncode not in (0, 4)
    assert "Traceback" not in said
    assert slow.left_running() == []
    assert slow.left_behind() == []


@pytest.mark.thorough
@pytest.mark.parametrize("answer", ["a", "r"])
def test_a_person_decides_on_the_terminal(slow: Cli, answer: str) -> None:
    path = slow.quick()
    before = path.read_text("utf-8")
    with Terminal(slow, "optimize", path) as terminal:
        terminal.read_until("decide [l]ater")
        assert "\x1b[" in terminal.seen, "a terminal gets colour"
        terminal.type(answer + "\n")
        if answer == "r":
            terminal.read_until("why")
            terminal.type("style\n")
            terminal.read_until("in your words")
            terminal.type("ugly\n")
        assert terminal.wait() == 0
    state = [found["state"] for found in slow.run("proposals", "--all", "--json").events]
    assert state == {"a": ["accepted"], "r": ["rejected"]}[answer]
    assert (path.read_text("utf-8") != before) == (answer == "a")


@pytest.mark.thorough
def test_control_c_at_the_question_ends_at_once_and_leaves_the_proposal_open(slow: Cli) -> None:
    path = slow.quick()
    before = path.read_text("utf-8")
    with Terminal(slow, "optimize", path) as terminal:
        terminal.read_until("decide [l]ater")
        terminal.type("\x03")
        assert terminal.wait(15) == 130
    assert path.read_text("utf-8") == before
    assert [found["state"] for found in slow.open_proposals()] == ["open"]
    assert slow.left_behind() == []


@pytest.mark.thorough
def test_a_terminal_is_asked_before_host_code_is_edited(slow: Cli) -> None:
    with Terminal(slow, "optimize", slow.small("block_size.cu")) as terminal:
        terminal.read_until("allow such edits in this search?")
        assert "vectorized access of triad edits host code" in terminal.seen
        terminal.type("n\n")
        assert terminal.wait() == 0
    assert "not tried, because it edits host code" in terminal.seen
    assert slow.open_proposals() == []
