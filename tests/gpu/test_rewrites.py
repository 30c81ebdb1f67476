"""Rewrites that only a GPU can run, as a scripted model answers; `tests/e2e/cli/test_model_freedom.py` has the others."""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path

import pytest

from assistant.build.cutlass_place import find_cutlass
from tests.e2e.cli.harness import Cli, no_orphans, working_cli
from tests.e2e.cli.scripted_model import LONG_S, ONE_VARIANT, ScriptedModel, asked_by, outcomes, plan, step
from tests.rewrites import Rewritten, rewritten

_ALLOWED = "host,arch,alignment,order,precision,assumption,library"


@pytest.fixture
def cli(tmp_path: Path) -> Generator[Cli]:
    with working_cli(tmp_path) as made, no_orphans():
        yield made


@pytest.mark.parametrize("case", [case for case in rewritten() if case.lab == "gpu"], ids=lambda case: case.name)
def test_a_rewrite_is_judged_by_what_it_does_on_a_gpu(cli: Cli, case: Rewritten) -> None:
    """The wrong one fails; the right one is kept where it is faster, and is never called wrong."""
    if case.needs_cutlass and find_cutlass((), Path.cwd(), os.environ) is None:
        pytest.skip("neither CPATH nor NVCC_APPEND_FLAGS names CUTLASS")
    program = case.text("program.cu")
    line = program[: program.index("__global__")].count("\n") + 1
    model = ScriptedModel([plan(step("rewrite", line)), plan()], [case.text("wrong.md"), case.text("right.md")])
    with asked_by(cli, model, search=ONE_VARIANT):
        path = cli.write(f"{case.name}.cu", program)
        command = ("optimize", path, "--kernel", case.kernel, "--planner", "llm", "--device", "gpu:0", "--accept", "none", "--json")
        ended = cli.run(*command, "--allow", _ALLOWED, deadline_s=LONG_S)
    assert ended.code == 0, ended.said
    tried = ended.all("candidate")
    said = [(each["outcome"], each["reason"]) for each in tried]
    assert outcomes(ended)[0] == "failed", said
    assert outcomes(ended)[1] in ("kept", "not_better", "needs_decision"), said
    if outcomes(ended)[1] == "kept":
        proposal = ended.one("proposal")
        assert proposal["verification"]["outcome"] in ("PASS", "NEEDS_DECISION")
        assert set(case.labels) <= set(proposal["labels"])
    assert "Host code may be edited" in model.questions("code_reply")[0]
