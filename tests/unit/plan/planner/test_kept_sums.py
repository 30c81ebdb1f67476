"""Kernels whose loops add to an element of global memory get the plans of kernels that add to a local."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from assistant.build.architectures import architecture
from assistant.cuda.edits import apply_edits
from assistant.cuda.parse import parse
from assistant.measure.targets import target
from assistant.model.plan import Rewrite
from assistant.model.profile import Finding, Severity
from assistant.model.source import Source
from assistant.plan.catalogue import own_catalogue
from assistant.plan.expert.all_transformations import EXPERT_TRANSFORMATIONS
from assistant.plan.expert.planner import ExpertPlanner
from assistant.ports.planner import PlanRequest

DATA = Path(__file__).resolve().parents[3] / "data" / "plan" / "kept-sums"
PROGRAMS = sorted(path.stem for path in DATA.glob("*.cu") if ".expected" not in path.name)
PLANNER = ExpertPlanner(own_catalogue(), EXPERT_TRANSFORMATIONS)
_HEAD = re.compile(r"// kernel=(\S+) line=(\d+) finding=(KO\d+) technique=(\S+)")


def text_of(name: str) -> str:
    return (DATA / f"{name}.cu").read_text("utf-8")


def rewrites(text: str) -> tuple[Rewrite, ...]:
    """What the technique of the text's first line makes of it."""
    head, limits, device = _HEAD.match(text), architecture("sm_90"), target("h200")
    assert head is not None and limits is not None and device is not None
    parsed = parse(Source(Path("/program.cu"), text))
    kernel = next(each for each in parsed.kernels if each.name == head[1])
    finding = Finding(head[3], kernel.key, int(head[2]), Severity.WARNING, "", (), 0.5)
    asked = PlanRequest(parsed, kernel, (), (finding,), (), None, device, limits)

    async def found() -> tuple[Rewrite, ...]:
        steps = (await PLANNER.plan(asked)).steps
        return tuple([each for step in steps if step.technique == head[4] async for each in PLANNER.rewrites(asked, step)])

    return asyncio.run(found())


@pytest.mark.parametrize("name", PROGRAMS)
def test_running_values_go_to_registers_and_their_loop_is_shared(name):
    text = text_of(name)
    assert apply_edits(text, rewrites(text)[0].edits) == text_of(f"{name}.expected")


@pytest.mark.parametrize("name", PROGRAMS)
def test_windows_line_ends_are_kept(name):
    text = text_of(name).replace("\n", "\r\n")
    after = apply_edits(text, rewrites(text)[0].edits)
    assert isinstance(after, str) and after.replace("\r\n", "").count("\n") == 0


def test_the_summary_says_what_is_in_a_register():
    found = rewrites(text_of("two_products_of_a_row"))
    assert found[0].summary == (
        "Let the 32 lanes of a warp share each row, with `tmp[i]` in the register `tmp_acc`; `y[i]` in the register `y_acc`."
    )


def test_an_element_that_the_loop_reads_elsewhere_stays_in_memory():
    text = text_of("transposed_product").replace("* y[r];", "* y[r] + x[r % 3];")
    assert rewrites(text) == ()
