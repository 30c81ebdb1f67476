"""Tasks about PyTorch operators: what counts as the start, what the agent is told, and where PyTorch is looked for. Nothing is run."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from assistant.agents.tasks import Budget, Judgement, JudgeSettings, Task, TaskKind, reward_of, server_instructions
from assistant.agents.tasks.jobs import request_of
from assistant.agents.tasks.operator_jobs import is_same_python
from assistant.agents.tasks.readme import readme
from assistant.agents.tasks.store import KeptTask
from assistant.agents.tasks.words import answer_in_words
from assistant.engine import Job
from assistant.engine.operators.tracing import torch_of
from assistant.measure.targets import target
from assistant.model.verification import Outcome, VerificationFinding
from assistant.operators.task import NoTask, find_candidate, find_task
from assistant.ports.lab import RunLimits
from tests.unit.operators.test_texts import TASK

START = TASK.replace("Model", "ModelNew")


def task(**settings: object) -> Task:
    asked = replace(JudgeSettings(device="cpu"), **settings)  # type: ignore[arg-type]
    return Task("T0", TaskKind.OPERATOR, "candidate.py", "task.py", (), asked, Budget(), 16_000, (), 0)


@pytest.mark.parametrize(
    ("text", "is_same"),
    [
        (START, True),
        (START.replace("class", "# faster\n\n\nclass", 1), True),
        (START + "\nx = 1\n", False),
        (START.replace("class ModelNew", "class ModelNew("), False),
        ("(" * 5000, False),
        ("\0", False),
    ],
)
def test_comments_and_layout_make_no_other_candidate(text: str, is_same: bool) -> None:
    assert is_same_python(text, START) is is_same


def test_the_page_of_an_operator_says_what_is_asked_and_its_example_is_a_candidate() -> None:
    page = readme(task(), ())
    assert "Write candidate.py in CUDA" in page and "1 is the highest reward" in page
    assert "host code" not in page and "FASTER" not in page and "are wrong in `forward`" in page
    assert "may be called in `forward`" in readme(task(allowed=("library",)), ()) and "autograd.Function" in readme(
        task(is_backward=True), ()
    )
    (example,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert find_candidate(Path("candidate.py"), example) == "ModelNew" and "__global__" in example
    assert "FASTER" not in server_instructions(task()) and "ModelNew" in server_instructions(task())


@pytest.mark.parametrize("code", ["remembered", "tampering", "changed_inputs", "late_write"])
def test_cheats_of_operators_are_named(code: str) -> None:
    found = (VerificationFinding("wrong_value", Outcome.FAIL, "off"), VerificationFinding(code, Outcome.FAIL, "it cheats"))
    reward = reward_of(Judgement(Outcome.FAIL, "FAIL", found), frozenset(), is_isolated=False)
    assert (reward.value, reward.cheat) == (-1, code)


def test_a_shell_shows_what_the_reference_consists_of() -> None:
    function = {"name": "exp", "line": 7, "call_count": 2, "moved_bytes": 4096, "operation_count": 512, "share_ratio": 0.75}
    group = {"names": ["exp", "mul"], "moved_bytes": 2048, "separate_bytes": 6144}
    parts = {"name": "Model", "target": "h200", "separate_time_s": 2e-6, "least_time_s": 1e-6, "method": "by shapes"}
    event = {"event": "operators", "functions": [function], "groups": [group]} | parts
    words = answer_in_words({"answer": "2 function calls of PyTorch", "events": [event], "left": {"judge_calls": 1, "wall_s": 5.0}})
    assert words.splitlines()[1:-1] == [
        "Model on h200: at least 2 µs one after another, 1 µs for inputs, weights and results alone",
        "  by shapes",
        "   75% 2 x exp line 7: 4,096 B, 512 operations",
        "  one kernel could do exp, mul: 2,048 B instead of 6,144 B",
    ]


def test_pytorch_is_that_of_the_project_that_the_task_was_made_in(tmp_path: Path) -> None:
    version = f"python3.{sys.version_info.minor}"
    torch = tmp_path / "project/.venv/lib" / version / "site-packages/torch"
    (torch / "include").mkdir(parents=True)
    kept = KeptTask(tmp_path / "kept", task(torch_project=str(tmp_path / "project")))
    nothing = cast("Any", None)
    job = Job("J", request_of(kept), nothing, target("h200"), nothing, tmp_path, (), RunLimits())
    found = find_task(kept.program_file, TASK, None)
    assert not isinstance(found, NoTask)
    place = torch_of(job, found)
    assert place is not None and place.folder == torch
