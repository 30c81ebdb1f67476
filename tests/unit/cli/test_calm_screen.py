"""What a terminal shows of recorded runs, and how much: the answer within one screen, whatever the program."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from assistant.cli.calm_screen import CALM_COMMANDS, CalmScreen
from assistant.engine import event_from
from assistant.model import events

_TESTS = Path(__file__).parents[2]
_RECORDED = (_TESTS / "e2e" / "streams" / "__snapshots__", _TESTS / "unit" / "engine" / "__snapshots__" / "test_commands")
_COLUMNS, _LINES = 100, 24
"""A small terminal."""
_LEFT_OUT = {"duration_ms": 0, "input_token_count": 0, "output_token_count": 0}
"""What recorded runs do not keep, as it differs each time."""


def recorded(path: Path) -> list[events.Event]:
    """The events of a recorded run; what ``--json`` prints besides events is left out."""
    return list(_events(objects(path)))


def objects(path: Path) -> Iterator[dict[str, Any]]:
    return (json.loads(line) for line in path.read_text("utf-8").splitlines() if line.startswith("{"))


def _events(lines: Iterator[dict[str, Any]]) -> Iterator[events.Event]:
    for line in lines:
        if "event" in line:
            yield event_from(line | {name: value for name, value in _LEFT_OUT.items() if name in line and line[name] is None})


def runs() -> dict[str, Path]:
    """Name of a recorded run of a calm command: its file."""
    found: dict[str, Path] = {}
    for path in sorted(path for folder in _RECORDED for path in folder.rglob("*.jsonl")):
        first = next(objects(path), None)
        if first is not None and first.get("command") in CALM_COMMANDS and "pair" not in path.stem:
            found[f"{path.stem.partition('[')[2].rstrip(']')}{'' if 'streams' in path.parts else '-unit'}"] = path
    return found


RUNS = runs()


def shown(told: list[events.Event], is_asked: bool = False, columns: int = _COLUMNS) -> str:
    out = io.StringIO()
    screen = CalmScreen(Console(file=out, force_terminal=True, width=columns, color_system=None), is_asked)
    for event in told:
        screen.render(event)
    return out.getvalue()


def test_many_programs_were_recorded() -> None:
    commands = {next(objects(path))["command"] for path in RUNS.values()}
    assert len(RUNS) >= 60 and commands == CALM_COMMANDS


@pytest.mark.parametrize("name", RUNS)
def test_the_answer_fits_a_small_terminal(name: str) -> None:
    for each in _jobs(recorded(RUNS[name])):
        lines = shown(each).splitlines()
        assert len(lines) <= _LINES, "\n".join(lines)
        assert not [line for line in lines if len(line) > _COLUMNS and "try:" not in line], "commands to be copied are in one line"


@pytest.mark.parametrize("name", ["profile_pipeline", "optimize_two_steps", "optimize_race", "check_race"])
@pytest.mark.parametrize("columns", [60, 80])
def test_in_a_narrow_terminal_no_word_and_no_number_is_broken(name: str, columns: int) -> None:
    whole, narrow = (shown(recorded(RUNS[name]), columns=width) for width in (200, columns))
    for pattern in (r"\w{4,}|[\d.]+x|≈ [\d.]+", r"(?m)^\w+(?=  )"):
        assert set(re.findall(pattern, whole)) <= set(re.findall(pattern, narrow))


@pytest.mark.parametrize("name", [name for name, path in RUNS.items() if '"event": "proposal"' in path.read_text("utf-8")])
def test_a_proposal_that_is_asked_about_is_its_diff_and_few_lines(name: str) -> None:
    for event in recorded(RUNS[name]):
        if isinstance(event, events.ProposalMade):
            told: list[events.Event] = [events.JobStarted(event.job, "optimize", event.file, "CPU emulator", "no GPU"), event]
            lines = shown(told, is_asked=True).splitlines()
            assert len(lines) - len(event.diff.splitlines()) <= 12, "\n".join(lines)


def _jobs(told: list[events.Event]) -> Iterator[list[events.Event]]:
    """The events of each command of a run."""
    job: list[events.Event] = []
    for event in told:
        if isinstance(event, events.JobStarted) and job:
            yield job
            job = []
        job.append(event)
    yield job


def test_a_search_ends_with_a_row_for_each_kernel() -> None:
    lines = shown(next(_jobs(recorded(RUNS["optimize_two_steps"])))).splitlines()
    row = next(line for line in lines if line.startswith("column_mean"))
    assert row.split()[1:3] == ["L1", "throughput"] and "≈6.49x" in row and "accepted: right, 33 of 33" in row
    assert any("performance model for h200" in line and "nothing was timed" in line for line in lines), "a predicted gain names its method"


def test_a_kernel_without_an_edit_says_what_was_tried() -> None:
    text = shown(recorded(RUNS["optimize_host_code_not_allowed"]))
    assert "no edit found: 3 need --allow-host-code" in text


def test_a_race_names_both_lines_both_threads_and_the_array() -> None:
    text = " ".join(shown(recorded(RUNS["check_race"])).split())
    assert "shared race at line 3 against line 4" in text
    assert "no barrier orders thread 32 with thread 31 of the block (in the variable s)" in text


def test_a_wrong_edit_says_where_it_is_wrong() -> None:
    text = shown(recorded(RUNS["compare_half_sum"]))
    assert "✗ blur: wrong in 8 of 8 cases" in text and "expected -1.12857139, got -1.12834823" in text


def test_a_predicted_time_is_marked_and_its_method_said() -> None:
    text = shown(recorded(RUNS["profile_pipeline"]))
    assert "≈ 11.2 µs" in text and "by the performance model" in text and "CPU emulator" in text


def test_a_finding_is_one_sentence_with_its_code_and_cost() -> None:
    text = " ".join(shown(recorded(RUNS["profile_transpose"])).split())
    assert "Each store request touches" in text and "(KO101, ≈ " in text


def test_a_file_of_many_kernels_gets_a_row_for_each() -> None:
    told = recorded(RUNS["inspect"])
    kernels = [event for event in told if isinstance(event, events.KernelFound)]
    many = [replace(kernels[0], kernel=f"kernel_{number}(float *)") for number in range(12)]
    lines = shown([told[0], *many]).splitlines() + shown([told[0], *many, told[-1]]).splitlines()
    assert sum(line.startswith("kernel_") for line in lines) == 12 and len(lines) <= _LINES
    assert "26 registers, nothing spilled" in shown(told)


def test_other_commands_are_shown_in_full() -> None:
    told: list[events.Event] = [
        events.JobStarted("J1", "pair", "/w/a.cu", "cpu", "emulator"),
        events.StageEnded("J1", "build", "sm_90", 3.0),
    ]
    assert "· build" in shown(told)
