"""What a lab is asked when two versions are compared: cases and their values, how often, under what checks and limits; and what is
reported.

After a change that is meant: ``pytest tests/unit/engine/test_asked.py --snapshot-update``,
and read the difference before committing it.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from assistant.engine.proposals.submitted import Submission
from assistant.engine.request import Accept, OptimizeOptions
from assistant.model.source import Source
from assistant.model.workload import CaseKey
from assistant.ports.lab import LabFailure, Program
from tests.unit.engine.asking import (
    ADD,
    BOUNDED,
    COUNT,
    FEW,
    FRESH,
    GATHER,
    GENERAL,
    HALF,
    LARGE,
    LARGE_SLOW,
    WEIGHED,
    Asking,
    Lines,
    Run,
    asked_of,
    compares,
)
from tests.unit.engine.commands import BESIDE, HOST, Commands, live_workload
from tests.unit.engine.searches import NAIVE, RIGHT
from tests.unit.engine.test_commands import CHEAPER, FUSED, PAIR, SCALE, TWO, WRONG, A, edited


async def searches(on: Asking) -> None:
    await on.hear(on.session.optimize(on.request(GENERAL), OptimizeOptions(may_edit_host_code=False), Accept.NONE, None))


async def submits(on: Asking) -> None:
    await on.hear(on.session.submit(on.request(A, cases=FEW), Submission(_own(on, CHEAPER), "cheaper", "an agent")))


async def judges_two_texts(on: Asking) -> None:
    await on.hear(on.session.judge(on.request(UNRELATED, cases=FEW), _own(on, A), _own(on, CHEAPER)))


async def submits_to_what_runs_only_unlimited(on: Asking) -> None:
    def refuse(method: str, mode: str, program: Program, count: int) -> LabFailure | None:
        is_meant = program.is_candidate and "2.0f * x[i]" in program.sources[0].text
        return LabFailure("crashed", "no sockets", "") if is_meant else None

    on.refuse = refuse
    await submits(on)


def of_a_notebook(before: str, after: str, **more: object) -> Run:
    async def run(on: Asking) -> None:
        await on.compare(before, after, live=live_workload(on.folder), **more)  # type: ignore[arg-type]

    return run


def _own(on: Commands, text: str) -> tuple[Source, ...]:
    return (Source(on.folder / "a.cu", text),)


TWO_KERNELS = PAIR
MOVED = edited("if (i < n) x", "if (n > i) x", edited("2.0f * x[i];", "2.5f * x[i];", PAIR))
PAIR_UNUSED = PAIR.replace(BESIDE, HOST)
UNRELATED = A.replace("1000", "999")
RUNS: dict[str, Run] = {
    "cheaper": compares(A, CHEAPER),
    "wrong": compares(A, WRONG, cases=FEW),
    "gather": compares(GATHER, edited("x[at[i]]", "x[*(at + i)]", GATHER)),
    "add": compares(ADD, edited("sum[i] += x[i]", "sum[i] = sum[i] + x[i]", ADD)),
    "add_wrong": compares(ADD, edited("sum[i] += x[i]", "sum[i] = x[i]", ADD), cases=FEW),
    "count": compares(COUNT, edited("keys[i] < most", "most > keys[i]", COUNT)),
    "half": compares(HALF, edited("2.0f * x[i]", "x[i] + x[i]", HALF)),
    "large": compares(LARGE, edited("2.0f * x[i]", "x[i] + x[i]", LARGE)),
    "large_in_part": compares(LARGE_SLOW, edited("2.0f * x[i]", "x[i] + x[i]", LARGE_SLOW), cases=FEW),
    "large_in_part_wrong_elsewhere": compares(LARGE_SLOW, edited("if (i < n)", "if (i < n && i != n / 3)", LARGE_SLOW), cases=FEW),
    "fresh": compares(FRESH, edited("2.0f * x[i]", "x[i] + x[i]", FRESH)),
    "declared": compares(GENERAL, GENERAL.replace(NAIVE, RIGHT)),
    "notebook": of_a_notebook(SCALE, edited("2.0f * x[i]", "x[i] + x[i]", SCALE), cases=FEW),
    "notebook_wrong": of_a_notebook(SCALE, edited("2.0f * x[i]", "2.5f * x[i]", SCALE), cases=FEW),
    "fused": compares(TWO, FUSED),
    "again": compares(A, CHEAPER, cases=(CaseKey("mirrored", "n=1000", 14, 1.0),)),
    "fused_for_its_own_values": compares(TWO, edited("* x[i])", "* fminf(x[i], 4.0f))", FUSED)),
    "search": searches,
    "submit": submits,
    "judge": judges_two_texts,
    "by_a_command": compares(A, CHEAPER, run_command=("./app",), cases=FEW),
    "weighed": compares(WEIGHED, edited("x[at[i]]", "x[*(at + i)]", WEIGHED)),
    "fused_with_a_float": compares(TWO, BOUNDED.replace("TYPE", "float")),
    "fused_with_an_integer": compares(TWO, BOUNDED.replace("TYPE", "int")),
    "submit_to_what_runs_only_unlimited": submits_to_what_runs_only_unlimited,
    "misleading": compares(A, f"#line 7\n{CHEAPER}"),
    "moved": compares(TWO_KERNELS, MOVED, cases=FEW),
    "a_kernel_that_is_not_launched": compares(
        PAIR_UNUSED, edited("2.0f * x[i];", "x[i] + x[i];", PAIR_UNUSED).replace("if (i < n) x", "if (n > i) x"), cases=FEW
    ),
}
VALUES_SHOWN = frozenset({"cheaper", "gather", "add", "count", "half", "large", "fresh", "declared", "notebook"})
"""Runs whose cases are shown one by one; of others only which of them are asked for."""


@pytest.mark.parametrize("name", RUNS)
async def test_a_lab_is_asked_what_was_recorded(
    name: str, tmp_path: Path, snapshot: SnapshotAssertion, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KERNELOPT_HOME", str(tmp_path / "home"))
    assert await asked_of(RUNS[name], tmp_path, name in VALUES_SHOWN) == snapshot(extension_class=Lines)


async def test_a_launch_of_very_much_data_is_not_drawn_again_at_its_own_size(
    tmp_path: Path, snapshot: SnapshotAssertion, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KERNELOPT_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("assistant.engine.judge.budget._OWN_VALUES_BYTES", 1 << 20)  # what is meant takes minutes here
    assert await asked_of(RUNS["large"], tmp_path, are_values_shown=True) == snapshot(extension_class=Lines)
