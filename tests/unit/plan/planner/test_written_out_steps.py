"""Reductions of a block whose steps are written out get the shuffles that those in loops get."""

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

DATA = Path(__file__).resolve().parents[3] / "data" / "plan" / "written-out-steps"
PROGRAMS = sorted(path.stem for path in DATA.glob("*.cu") if ".expected" not in path.name)
PLANNER = ExpertPlanner(own_catalogue(), EXPERT_TRANSFORMATIONS)
_HEAD = re.compile(r"// kernel=(\S+) line=(\d+) finding=(KO\d+)")


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
        return tuple([each for step in steps if step.technique == "block-shuffles" async for each in PLANNER.rewrites(asked, step)])

    return asyncio.run(found())


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_steps_become_shuffles(name):
    text = text_of(name)
    assert apply_edits(text, rewrites(text)[0].edits) == text_of(f"{name}.expected")


@pytest.mark.parametrize("name", PROGRAMS)
def test_windows_line_ends_are_kept(name):
    text = text_of(name).replace("\n", "\r\n")
    after = apply_edits(text, rewrites(text)[0].edits)
    assert isinstance(after, str) and after.replace("\r\n", "").count("\n") == 0


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("sum_with_a_volatile_tail", "    if (t < 64) s[t] += s[t + 64];\n", ""),
        ("sum_with_a_volatile_tail", "v[t] += v[t + 4];", "v[t] += v[t + 6];"),
        ("sum_with_a_volatile_tail", "v[t] += v[t + 2];", "v[t] *= v[t + 2];"),
        ("sum_with_a_volatile_tail", "out[blockIdx.x] = s[0];", "out[blockIdx.x] = s[0] + s[1];"),
        ("sum_with_a_volatile_tail", "if (t < 128)", "if (t < 200)"),
        ("template_with_a_helper", "reduce6<128><<<blocks, 128>>>", "reduce6<64><<<blocks, 128>>>"),
        ("template_with_a_helper", "sdata[tid + 8];", "sdata[tid + 8] + 1;"),
        ("loop_and_a_warps_tail", "s > 32;", "s > 64;"),
    ],
)
def test_steps_that_do_not_put_the_whole_block_together_stay_as_they_are(name, old, new):
    text = text_of(name)
    assert old in text
    assert rewrites(text.replace(old, new)) == ()
