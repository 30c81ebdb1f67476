"""What the expert planner makes of a program whose first line says what it is to be asked about."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

from assistant.build.architectures import architecture
from assistant.cuda.parse import parse
from assistant.measure.targets import target
from assistant.model.plan import Rewrite
from assistant.model.profile import Finding, Severity
from assistant.model.source import Source
from assistant.plan.catalogue import own_catalogue
from assistant.plan.expert.all_transformations import EXPERT_TRANSFORMATIONS
from assistant.plan.expert.planner import ExpertPlanner
from assistant.ports.planner import PlanRequest

_PLANNER = ExpertPlanner(own_catalogue(), EXPERT_TRANSFORMATIONS)
_HEAD = re.compile(r"// kernel=(\S+) line=(\d+) finding=(KO\d+)(?: technique=(\S+))?")


def planned(text: str, technique: str = "") -> tuple[Rewrite, ...]:
    """Rewrites by ``technique``, else by the one that the first line names."""
    head, limits, device = _HEAD.match(text), architecture("sm_90"), target("h200")
    assert head is not None and limits is not None and device is not None
    parsed = parse(Source(Path("/program.cu"), text))
    kernel = next(each for each in parsed.kernels if each.name == head[1])
    finding = Finding(head[3], kernel.key, int(head[2]), Severity.WARNING, "", (), 0.5)
    asked = PlanRequest(parsed, kernel, (), (finding,), (), None, device, limits)

    async def found() -> tuple[Rewrite, ...]:
        steps = [step for step in (await _PLANNER.plan(asked)).steps if step.technique == (technique or head[4])]
        return tuple([each for step in steps async for each in _PLANNER.rewrites(asked, step)])

    return asyncio.run(found())
