"""Edits of a task judged by workers of this machine: the answers of a shell, each once, and nothing left behind."""

from __future__ import annotations

import signal
import time
from pathlib import Path
from typing import Any

import pytest

from assistant.serialize import loads
from tests.deadlines import HANG_S
from tests.e2e.cli.harness import Cli, alive, finish
from tests.unit.agents.tasks.kept import ID, START, kept_task

pytestmark = pytest.mark.new_process
_WRONG = START.replace("*= 2.0f", "*= 3.0f")


def rows(folder: Path) -> list[dict[str, Any]]:
    return [loads(dict[str, Any], line) for line in (folder / "rows.jsonl").read_text().splitlines()[1:]]


def written(cli: Cli, **texts: str) -> list[Path]:
    return [cli.write(f"{name}.cu", text) for name, text in texts.items()]


def test_edits_are_judged_on_workers_once_and_gone_on_with(cli: Cli) -> None:
    """Edits of which nothing is run: what a worker does then is in every run of the tests."""
    kept_task(cli.home)
    host = START.replace("cudaMalloc(&x, 256)", "cudaMalloc(&x, 512)")
    files = written(cli, same=START + "// the same\n", host=host, again=host)
    judged = cli.run("tasks", "judge", ID, *files, "--cluster", "local:1")
    assert judged.code == 0, judged.said
    assert "3 judged: 2 with -1, 1 with 0" in judged.out
    found = {Path(row["title"]).stem: row for row in rows(cli.folder / "kernelopt-judged")}
    assert {name: row["answer"]["reward"] for name, row in found.items()} == {"same": 0, "host": -1, "again": -1}
    assert found["host"]["answer"]["components"]["cheat"] == "host-code" and found["host"]["place"]["device"] == "cpu"
    assert found["again"]["answer"] == found["host"]["answer"] and found["again"]["wall_s"] == found["host"]["wall_s"]

    resumed = cli.run("tasks", "judge", ID, *files, "--resume", "--cluster", "local:1")
    assert resumed.code == 0 and "3 of 3 have an answer already" in resumed.out
    assert len(rows(cli.folder / "kernelopt-judged")) == 3
    here = cli.run("tasks", "judge", ID, *files, "--resume")
    assert here.code == 2 and "device was 'cpu', is None" in here.err


def test_a_cluster_that_is_not_there_is_said(cli: Cli) -> None:
    kept_task(cli.home)
    (file,) = written(cli, same=START)
    nowhere = cli.run("tasks", "judge", ID, file, "--cluster", "localhost")
    assert nowhere.code == 2 and "local:N or a scheduler's address" in nowhere.err
    model = cli.run("bench", cli.folder, "--planner", "llm", "--cluster", "local:1")
    assert model.code == 2 and "no key of a model leaves this machine" in model.err


@pytest.mark.thorough
def test_a_worker_judges_as_this_process_does_and_an_interrupt_ends_it(cli: Cli) -> None:
    kept_task(cli.home)
    right, wrong = written(cli, right=START.replace("x[i] *= 2.0f", "x[i] += x[i]"), wrong=_WRONG)
    for out, words in (("there", ("--cluster", "local:1")), ("here", ())):
        assert cli.run("tasks", "judge", ID, right, wrong, "--out", out, *words).code == 0
    there, here = ({row["title"]: row["answer"] for row in rows(cli.folder / out)} for out in ("there", "here"))
    assert [answer["reward"] for answer in there.values()] == [answer["reward"] for answer in here.values()]
    assert {title: answer["components"]["reasons"] for title, answer in there.items()} == {
        title: answer["components"]["reasons"] for title, answer in here.items()
    }

    command = cli.start("tasks", "judge", ID, right, "--out", "interrupted", "--cluster", "local:1")
    deadline_s = time.monotonic() + HANG_S
    while not any("assistant.emulator" in process.command for process in alive()) and time.monotonic() < deadline_s:
        time.sleep(0.1)
    command.send_signal(signal.SIGINT)
    assert finish(command, HANG_S).code == 130
    assert not cli.left_running()
