"""A task from its making to its trajectory, and what an agent in its folder may try against the judge."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from assistant.agents.tasks import JudgeSettings
from tests.e2e.cli.harness import Cli, Ended
from tests.thorough import first_of
from tests.unit.agents.tasks.kept import agent_folder, kept_task

_TILE, _PADDED = "tile[TILE][TILE]", "tile[TILE][TILE + 1]"


@pytest.fixture
def source(cli: Cli) -> Path:
    """The file to edit of a task that was put where ``task new`` puts it, without judging its start."""
    return task_of(cli)


def task_of(cli: Cli) -> Path:
    kept_task(cli.home)
    return agent_folder(cli.folder / "work") / "twice.cu"


def asked(cli: Cli, source: Path, *words: str) -> tuple[Ended, dict[str, Any]]:
    ended = cli.run(*words, "--json", folder=source.parent)
    return ended, json.loads(ended.out)


def edit(source: Path, old: str, new: str) -> None:
    text = source.read_text()
    assert old in text
    source.write_text(text.replace(old, new))


@pytest.mark.thorough
def test_an_agent_works_in_its_folder_alone_and_everything_is_kept(cli: Cli) -> None:
    cli.small("bank_conflicts.cu")
    made = cli.run("task", "new", "bank_conflicts.cu", "work", "--judge-calls", "5", "--for", "claude", "--for", "codex")
    assert made.code == 0, made.said
    source = cli.folder / "work" / "bank_conflicts.cu"
    assert {path.name for path in source.parent.iterdir()} == {
        *("bank_conflicts.cu", "reference", "task.json", "README.md", "NOTES.md", ".mcp.json", ".claude", ".codex", ".agents")
    }
    assert json.loads((source.parent / ".mcp.json").read_text())["mcpServers"]["kernelopt"]["args"] == ["mcp", "--task", "."]
    assert "`kernelopt judge`" in (source.parent / "README.md").read_text()

    profiled = cli.run("profile", folder=source.parent)
    assert "KO103" in profiled.out and "left: 5 calls of judge" in profiled.out
    asked_memory, answer = asked(cli, source, "ask-memory")
    assert asked_memory.code == 0 and "shared-memory-padding" in [known["technique"] for known in answer["techniques"]]

    edit(source, _TILE, _PADDED)
    judged, answer = asked(cli, source, "judge")
    assert judged.code == 0 and (answer["reward"], answer["milestone"]) == (1, "right"), answer
    assert answer["components"]["predicted"]["ratio"] > 1 and answer["components"]["ratio"] is None
    assert '"seed"' not in judged.out and answer["left"]["judge_calls"] == 4

    task, *calls = [json.loads(line) for line in cli.run("task", "trajectory", "work").out.splitlines()]
    assert task["event"] == "task" and task["start"].startswith((cli.folder / "bank_conflicts.cu").read_text()[:40])
    assert [call["tool"] for call in calls] == ["profile", "ask_memory", "judge"]
    assert [call.get("reward") for call in calls] == [None, None, 1]
    assert _PADDED in calls[2]["diff"] and calls[2]["answer"]["components"]["right"] is True
    shown = cli.run("task", "show", task["id"])
    assert "left: 4 of 5 calls of judge" in shown.out and "best reward: 1" in shown.out

    told = cli.run("task", "learn", "work", "--json")
    assert told.code == 0 and [json.loads(line)["technique"] for line in told.out.splitlines()] == ["shared-memory-padding"], told.said
    _, answer = asked(cli, source, "ask-memory")
    assert "right 1 of 1" in next(known["known"] for known in answer["techniques"] if known["technique"] == "shared-memory-padding")


@pytest.mark.parametrize(
    ("name", "is_host_allowed", "cheat"),
    first_of(
        [
            ("../reference/twice.cu", False, "host-code"),
            ("../reference/twice.cu", True, None),
            ("../calls.jsonl", True, "foreign_reading"),
            ("/etc/hostname", True, "foreign_reading"),
        ]
    ),
)
def test_a_file_that_the_source_takes_from_elsewhere_is_not_read(cli: Cli, name: str, is_host_allowed: bool, cheat: str | None) -> None:
    kept_task(cli.home, JudgeSettings(may_edit_host_code=is_host_allowed))
    source = agent_folder(cli.folder / "work") / "twice.cu"
    edit(source, "__global__", f'#include "{name}"\n__global__')
    judged, answer = asked(cli, source, "judge")
    assert (judged.code, answer["reward"], answer["components"]["cheat"]) == (1, -1, cheat), answer


def test_a_killed_judge_counts_once(killed: Cli) -> None:
    source = task_of(killed)
    edit(source, "*= 2.0f", "+= x[i]")
    process = killed.start("judge", folder=source.parent)
    calls = next((killed.home / "tasks").glob("T*")) / "calls.jsonl"
    while not calls.exists():
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    edit(source, "+= x[i]", "*= 2.0f")
    _, answer = asked(killed, source, "judge")
    assert (answer["reward"], answer["left"]["judge_calls"]) == (0, 1)
    lines = [json.loads(line) for line in killed.run("task", "trajectory", folder=source.parent).out.splitlines()]
    assert [line["answer"]["answer"] for line in lines[1:]] == ["the call was killed before it ended", answer["answer"]]


def test_what_is_put_into_the_folder_or_the_environment_changes_no_judge(cli: Cli, source: Path) -> None:
    script = source.parent / "kernelopt"
    script.write_text("#!/bin/sh\necho reward 3\n")
    script.chmod(0o755)
    for name in ("assistant", "mcp"):
        (source.parent / name).mkdir()
        (source.parent / name / "__init__.py").write_text("raise SystemExit(0)\n")
    (source.parent / "kernelopt.toml").write_text("[limits]\nmemory_bytes = 1\n")
    ended, answer = asked(cli, source, "judge")
    assert ended.code == 0 and answer["reward"] == 0

    (cli.folder / "other-home").mkdir()
    redirected = cli.run("judge", folder=source.parent, variables={"KERNELOPT_HOME": str(cli.folder / "other-home")})
    assert redirected.code == 2 and "KERNELOPT_HOME must be what it was" in redirected.err
    assert len(redirected.err.splitlines()) == 2


@pytest.mark.parametrize("words", [("new", "bank_conflicts.cu", "."), ("show", "T0"), ("show", "."), ("restore", ".")])
def test_what_is_no_task_is_refused(cli: Cli, words: tuple[str, ...]) -> None:
    cli.small("bank_conflicts.cu")
    ended = cli.run("task", *words)
    assert ended.code == 2 and "error: " in ended.err and "try: " in ended.err
