"""KO121: neighbouring rows of a block in two dimensions load the same elements, in a kernel without loops."""

from __future__ import annotations

import math
from dataclasses import replace

from assistant.model.profile import LineInstructions, Method
from assistant.profile.context import CountedLaunch, FindContext, accesses
from assistant.profile.diagnosis import Diagnosis, Fact, FixedLaunch, fact_of, with_mix
from assistant.profile.rules.reshaped import with_blocks
from assistant.profile.rules.reuse import scaled_access
from assistant.profile.thresholds import threshold
from assistant.profile.wording import percent

__all__ = ["shared_rows"]

_ROWS = 4


def shared_rows(context: FindContext, launch: CountedLaunch) -> tuple[Diagnosis, ...]:
    """KO121: a thread of four rows would load an element once that four threads load each; fewer threads would still fill the GPU."""
    profile, ratio = launch.profile, context.facts.four_rows_loads_ratio
    loads = [a for a in accesses(profile, "global load") if context.facts.is_of(a.file)]
    others = [a for a in profile.accesses if not a.op.startswith("global") and a.requests > 0]
    if ratio is None or ratio > threshold("row_loads") or profile.config.block.y == 1 or others or not loads:
        return ()
    held = 1 if launch.occupancy is None else max(1, launch.occupancy.blocks_per_sm)
    if profile.config.grid.count / (held * context.target.sm_count) / _ROWS < threshold("narrow_waves"):
        return ()
    top = max(loads, key=lambda a: a.requests)
    fixed = replace(
        profile,
        accesses=tuple(scaled_access(a, ratio) if a.op == "global load" else a for a in profile.accesses),
        instructions=tuple(_fewer(line, ratio) for line in profile.instructions),
    )
    return (
        Diagnosis(
            "KO121",
            top.line,
            f"Threads of neighbouring rows load the same elements: a thread of {_ROWS} rows needs {percent(ratio)} of the loads of {_ROWS} "
            "threads, and has more of them under way",
            (
                Fact("own_row_loads_ratio", ratio, top.line, Method.STATIC),
                fact_of(top, profile, "global_requests", float(sum(a.requests for a in loads))),
            ),
            FixedLaunch(with_blocks(fixed, math.ceil(profile.config.grid.count / _ROWS)), launch.occupancy),
        ),
    )


def _fewer(line: LineInstructions, ratio: float) -> LineInstructions:
    """Bounds are checked once for all rows, and addresses are made for fewer loads."""
    return with_mix(
        line,
        lambda mix: replace(
            mix,
            integer=math.ceil(mix.integer * ratio),
            load_store=math.ceil(mix.load_store * ratio),
            control=math.ceil(mix.control / _ROWS),
        ),
    )
