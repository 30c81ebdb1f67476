"""``kernelopt pair``: a session on a terminal, with its commands from a pipe; a save is answered while it waits."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from assistant.memory.store import open_store
from assistant.model.pair import Turn, TurnKind
from tests.e2e.cli.harness import COMMAND, DEADLINE_S, Cli, Ended, finish, no_orphans

STORE = "out[x * height + y] = in[y * width + x];"


def start(cli: Cli, *arguments: str | Path) -> subprocess.Popen[str]:
    """``kernelopt pair`` with an open standard input."""
    return subprocess.Popen(
        (*COMMAND, "pair", *map(str, arguments)),
        cwd=cli.folder,
        env=cli.environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def pair(cli: Cli, *arguments: str | Path, said: str) -> Ended:
    process = start(cli, *arguments)
    out, err = process.communicate(said, timeout=DEADLINE_S)
    return Ended(process.returncode, out, err)


def turn_count(cli: Cli) -> int:
    with open_store(cli.home / "memory.sqlite3") as store:
        return sum(len(store.turns(session.id)) for session in store.pair_sessions(is_open_only=False))


def wait_for_turns(cli: Cli, process: subprocess.Popen[str], count: int) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while turn_count(cli) < count:
        assert process.poll() is None and time.monotonic() < deadline, f"{turn_count(cli)} turns of {count}"
        time.sleep(0.1)


def test_a_save_is_answered_and_the_session_outlives_ctrl_c(cli: Cli) -> None:
    source = cli.quick()
    with no_orphans():
        process = start(cli, source)
        wait_for_turns(cli, process, 1)
        source.write_text(source.read_text("utf-8").replace(STORE, STORE.replace("];", "] * 2.0f;")), "utf-8")
        wait_for_turns(cli, process, 2)
        os.kill(process.pid, signal.SIGINT)
        process.wait(DEADLINE_S)  # its input stays open: the end of that would be another way to leave
        ended = finish(process)
    assert ended.code == 130 and "v1: FAIL, " in ended.out and "stays open" in ended.err, ended.said

    resumed = pair(cli, source, said="back 0\nladder\nstop\n")
    assert resumed.code == 0 and resumed.out.startswith("resumes S"), resumed.said
    assert STORE in source.read_text("utf-8") and "back at v0: the baseline" in resumed.out and "v1: FAIL" in resumed.out
    assert cli.run("memory", "verify").code == 0


@pytest.mark.thorough
def test_a_save_during_the_first_judging_ends_it_and_is_answered(cli: Cli) -> None:
    source = cli.quick()
    baseline = source.read_text("utf-8")
    assert pair(cli, source, "--json", said="quit\n").code == 0
    source.write_text(baseline.replace(STORE, STORE.replace("];", "] * 2.0f;")), "utf-8")
    with no_orphans():
        process = start(cli, source, "--json")
        assert process.stdout is not None and any('"job_started"' in line for line in process.stdout)
        source.write_text(baseline.replace(STORE, STORE.replace("];", "] * 4.0f;")), "utf-8")
        wait_for_turns(cli, process, 2)
        os.kill(process.pid, signal.SIGINT)
        process.wait(DEADLINE_S)
        rest = finish(process)
    (session,) = _sessions(cli)
    assert [turn.text is not None and "* 4.0f" in turn.text for turn in session] == [False, True], rest.said


@pytest.mark.thorough
def test_a_save_right_after_the_first_reading_is_answered(cli: Cli) -> None:
    """With a folder that takes a while to be watched."""
    source = cli.quick()
    for number in range(300):
        (cli.folder / f"folder{number}" / "inner").mkdir(parents=True)
    with no_orphans():
        process = start(cli, source, "--json")
        assert process.stdout is not None and '"start"' in process.stdout.readline()
        source.write_text(source.read_text("utf-8").replace(STORE, STORE.replace("];", "] * 2.0f;")), "utf-8")
        wait_for_turns(cli, process, 2)
        os.kill(process.pid, signal.SIGINT)
        process.wait(DEADLINE_S)
        finish(process)
    assert [turn.kind for turn in _sessions(cli)[0]] == [TurnKind.START, TurnKind.EDIT]


def _sessions(cli: Cli) -> list[tuple[Turn, ...]]:
    """The turns of each pair session."""
    with open_store(cli.home / "memory.sqlite3") as store:
        return [store.turns(session.id) for session in store.pair_sessions(is_open_only=False)]


@pytest.mark.thorough
def test_a_suggestion_keeps_to_the_constraints_or_says_why_there_is_none(cli: Cli) -> None:
    source = cli.quick()
    ended = pair(cli, source, "--json", said="constrain no staged-store\nsuggest\nconstrain drop 1\nsuggest\nreject precision\nstop\n")
    assert ended.code == 0, ended.said
    told = [event for event in ended.events if event["event"] == "pair_turn"]
    assert [event["kind"] for event in told] == ["start", "constrain", "suggest", "constrain", "suggest", "decision", "stop"]
    assert told[2]["answer"].startswith("nothing, because ") and "staged-store is excluded" in told[2]["detail"]
    proposals = [event for event in ended.events if event["event"] == "proposal"]
    assert [event["id"] for event in proposals] == [told[4]["proposal"]]
    assert told[5]["said"] == "keep precision" and "from now on: keep precision" in told[5]["answer"]
    assert source.read_text("utf-8").count(STORE) == 1, "nothing was written"


@pytest.mark.thorough
def test_one_kernel_must_be_meant(cli: Cli) -> None:
    source = cli.write("two.cu", "__global__ void a(int *x) { *x = 1; }\n__global__ void b(int *x) { *x = 2; }\n")
    ended = pair(cli, source, said="")
    assert ended.code == 2 and "two.cu holds 2 kernels" in ended.err and "a, b" in ended.err
    assert pair(cli, source, "--kernel", "c", said="").code == 2


def test_a_word_that_is_no_command_is_answered_and_nothing_is_lost(cli: Cli) -> None:
    source = cli.quick()
    ended = pair(cli, source, said="sugest\nback 7\nreject\nhelp\n")
    assert ended.code == 0 and "'sugest' is not a command" in ended.err and "there is no version 7" in ended.err
    assert "nothing was suggested yet" in ended.err and "constrain WORDS" in ended.err and "stays open" in ended.err
