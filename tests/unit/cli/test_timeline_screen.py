"""What a terminal shows of a program's time on the GPU."""

from __future__ import annotations

import io

from rich.console import Console

from assistant.cli.render import TextRenderer
from assistant.model.events import TimelineFound
from assistant.model.timing import Timeline, TimelineRow


def shown(*rows: TimelineRow) -> list[str]:
    out = io.StringIO()
    event = TimelineFound("J1", Timeline(6.33e-4, rows, 5.5e-4, 0.87), "CUPTI activity records of one run on NVIDIA H200")
    TextRenderer(Console(file=out, width=140)).render(event)
    return out.getvalue().splitlines()


def test_kernels_copies_and_gaps_stand_in_lines_of_their_own() -> None:
    relax, copied = TimelineRow("launch", "ns::relax", 12, 2.23e-5, 0.035), TimelineRow("copy_to_host", "", 1, 2.08e-5, 0.033)
    assert shown(relax, copied) == [
        "GPU timeline: 633 µs, 87% of which nothing runs (CUPTI activity records of one run on NVIDIA H200)",
        "    4%  ns::relax: 12 in 22.3 µs",
        "    3%  copy to the host: 1 in 20.8 µs",
    ]


def test_small_rows_are_added_up() -> None:
    rows = [TimelineRow("launch", f"k{number}", 1, 1e-5, 0.01) for number in range(11)]
    assert shown(*rows)[-1] == "    3%  3 others"
