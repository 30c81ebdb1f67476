"""What a terminal shows of a program's time on the GPU."""

from __future__ import annotations

import io

from rich.console import Console

from assistant.cli.render import TextRenderer
from assistant.model.events import TimelineFound
from assistant.model.timeline import Timeline
from assistant.profile.timeline_words import headline
from assistant.workload.timeline import TimedWork, WorkTotal, build_timeline, build_timeline_of_totals, work_of

US = 1e-6


def shown(timeline: Timeline, program: str | None = None) -> list[str]:
    out = io.StringIO()
    event = TimelineFound("J1", headline(timeline), timeline, "one run on NVIDIA H200", program)
    TextRenderer(Console(file=out, width=140)).render(event)
    return out.getvalue().splitlines()


def kernel(name: str, start_us: float, end_us: float, stream: int = 0) -> TimedWork:
    return TimedWork(work_of("launch", f"{name}()"), stream, start_us * US, end_us * US)


def test_the_sentence_comes_first_then_shares_then_a_bar_for_each_stream() -> None:
    copied = TimedWork(work_of("copy_to_host"), 0, 72 * US, 96 * US, 1 << 20)
    timeline = build_timeline([kernel("relax", 0, 48), kernel("norm", 24, 42, stream=1), copied], ("legacy", "non_blocking"))
    assert shown(timeline, "a.cu") == [
        "",
        "50 % of GPU time is in 2 kernels (relax, norm); in 25 % only copies or fills run; 25 % are gaps",
        "GPU timeline of a.cu, measured: 96 µs from first start to last end (one run on NVIDIA H200)",
        "   50%     48 µs        1 x  relax",
        "   25%     24 µs        1 x  copy to the host, 1,048,576 bytes",
        "   25%     24 µs        1 x  gaps (the longest 24 µs, between relax and copy to the host)",
        "   19%     18 µs        1 x  norm",
        f"  stream 0 (default)       {24 * '█'}{12 * '·'}{12 * '▒'}   75% busy",
        f"  stream 1 (non-blocking)  {12 * '·'}{9 * '█'}{27 * '·'}   19% busy",
        "  █ kernel (▄ less than half of the time)  ▒ copy  ░ fill  · nothing",
    ]


def test_what_is_predicted_says_so() -> None:
    lines = shown(build_timeline([kernel("a", 0, 1)], is_predicted=True, notes=("it rests on this",)))
    assert lines[1] == "predicted: 100 % of GPU time is in 1 kernel (a); there are next to no gaps"
    assert lines[2].startswith("GPU timeline, predicted: 1 µs ") and lines[-1] == "  it rests on this"


def test_small_rows_are_added_up() -> None:
    lines = shown(build_timeline([kernel(f"k{number}", number, number + 1) for number in range(11)]))
    (others,) = (line for line in lines if "other" in line)
    assert others == "   36%      4 µs        4 x  4 others"
    assert sum(" x  " in line for line in lines) == 8


def test_short_work_is_seen_in_the_bar() -> None:
    (bar,) = (line for line in shown(build_timeline([kernel("a", 0, 0.01), kernel("b", 99, 100)])) if "stream" in line)
    assert bar.split("  ")[2] == "▄" + "·" * 46 + "▄"


def test_short_launches_that_follow_each_other_are_no_full_bar() -> None:
    lines = shown(build_timeline([kernel("a", 10 * number, 10 * number + 1) for number in range(1000)]))
    (bar,) = (line for line in lines if "stream" in line)
    assert bar == "  stream 0  " + "▄" * 48 + "   10% busy"


def test_without_an_order_neither_gaps_nor_streams_are_claimed() -> None:
    lines = shown(build_timeline_of_totals([WorkTotal(work_of("launch", "a()"), 100_000, 1.0), WorkTotal(work_of("fill"), 1, 1.0, 64)]))
    assert lines[1] == "50 % of GPU time is in 1 kernel (a); in 50 % only copies or fills run; gaps are not known"
    assert "2 s in all, added up" in lines[2] and not any("x  gaps" in line or "stream" in line for line in lines[3:])


def test_a_program_without_kernels_is_told_so() -> None:
    lines = shown(build_timeline([TimedWork(work_of("fill"), 0, 0.0, US, 64)]))
    assert lines[1] == "100 % of GPU time is in copies and fills, and no kernel runs; there are next to no gaps"


def test_what_takes_less_than_a_clock_cycle_has_no_digits() -> None:
    fill = TimedWork(work_of("fill"), 0, 2 * US, 2.000001 * US, 4)
    lines = shown(build_timeline([kernel("a", 0, 1), fill], is_predicted=True))
    assert any(line.startswith("   <1%     <1 ns        1 x  fill, 4 bytes") for line in lines), lines
