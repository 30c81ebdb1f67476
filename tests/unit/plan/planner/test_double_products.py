"""Products of matrices of doubles in the planner: before tiles in registers, and however the running value is written."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from assistant.build.architectures import architecture
from assistant.cuda.edits import apply_edits
from assistant.cuda.parse import parse
from assistant.measure.targets import target
from assistant.model.profile import Finding, Severity
from assistant.model.source import Source
from assistant.model.verification import Label
from assistant.plan.catalogue import own_catalogue
from assistant.plan.expert.all_transformations import EXPERT_TRANSFORMATIONS
from assistant.plan.expert.planner import ExpertPlanner
from assistant.ports.planner import PlanRequest
from tests.unit.plan.planner.planned import planned

PROGRAMS = Path(__file__).resolve().parents[3] / "data" / "plan"


@pytest.mark.parametrize("code", ["KO101", "KO108"])
def test_they_come_before_tiles_in_registers(code: str) -> None:
    text = (PROGRAMS / "double-tensor-cores" / "two_products_rows_along_x.cu").read_text("utf-8")
    parsed, limits, device = parse(Source(Path("/update.cu"), text)), architecture("sm_90"), target("h200")
    assert limits is not None and device is not None
    findings = (Finding(code, parsed.kernels[0].key, 11, Severity.WARNING, "", (), 0.5),)
    plan = asyncio.run(
        ExpertPlanner(own_catalogue(), EXPERT_TRANSFORMATIONS).plan(
            PlanRequest(parsed, parsed.kernels[0], (), findings, (), None, device, limits)
        )
    )
    techniques = [step.technique for step in plan.steps]
    assert techniques.index("double-tensor-cores") < techniques.index("register-tile")


def test_a_running_value_in_memory_goes_to_registers() -> None:
    text = (PROGRAMS / "kept-sums" / "product_in_place.cu").read_text("utf-8").replace("float", "double")
    made = planned(text, "double-tensor-cores")
    after = apply_edits(text, made[0].edits)
    assert isinstance(after, str) and "mma.sync.aligned.m16n8k4" in after and "c[row * cols + col] = " in after
    assert Label.ARCH_LOCK_IN in made[0].labels
    assert planned(text.replace("double", "float"), "double-tensor-cores") == ()
