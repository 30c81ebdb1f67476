"""Line, page and drawing of a run: what they say, and that predictions say so."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

from assistant.bench.bound import Bound
from assistant.bench.figures import figures_of
from assistant.bench.journal import BenchSettings, Journal
from assistant.bench.markdown import results_page
from assistant.bench.plot import plot_svg
from assistant.bench.results import write_results
from assistant.bench.row import Row, RowOutcome, Times
from assistant.bench.words import PREDICTED_NOTE, figures_lines, row_line
from assistant.model.comparison import SpeedOutcome
from tests.unit.bench.conftest import MakeRow

SETTINGS = BenchSettings("/suite")
PREDICTED = Times(8e-6, 4e-6, is_predicted=True, method="performance model")


def test_a_line_says_times_verdict_chain_distance_and_cost(row: MakeRow) -> None:
    line = row_line(row("matmul", 4.0, low=3.9, high=4.1, labels=("reassociation",)))
    assert line == ("matmul 96: 8 µs → 2 µs, FASTER 4.00x (3.90 to 4.10), PASS [reassociation]; tiling; 8x its bound, then 2x; 2 s")


def test_bytes_that_l2_cannot_hold_are_a_share_of_drams_peak(row: MakeRow) -> None:
    bound = Bound(1e-6, "DRAM", is_in_steps=False, alone_s=1e-6, all_from_dram_s=1.6e-6)
    assert "8x its bound, 20% of DRAM's peak; 2 s" in row_line(row(bound=bound))
    rows = [row("a", 4.0, bound=bound), row("b")]
    assert "then 2x, 80% of DRAM's peak; 2 s" in row_line(rows[0])
    of_bound, without = (line.split(" | ") for line in results_page(SETTINGS, rows).splitlines() if line.startswith(("| a ", "| b ")))
    assert of_bound[5:8] == ["2x", "80%", "4.00x"] and without[5:8] == ["8x", "", "1.00x"]


def test_a_line_of_nothing_says_why(row: MakeRow) -> None:
    assert row_line(row()) == "scale 96: 8 µs, nothing to propose: it is at its bound; 8x its bound; 2 s"
    failed = row(outcome=RowOutcome.FAILED, reason="it does not compile", times=None, bound=None)
    assert row_line(failed) == "scale 96: failed: it does not compile; 2 s"


def test_a_predicted_time_says_so(row: MakeRow) -> None:
    line = row_line(row("a", 2.0, SpeedOutcome.PREDICTED, times=PREDICTED))
    assert "8 µs → 4 µs, PREDICTED 2.00x" in line
    assert "8 µs PREDICTED" in row_line(row("a", times=PREDICTED))
    assert PREDICTED_NOTE in results_page(SETTINGS, [row("a", times=PREDICTED)])
    assert PREDICTED_NOTE in plot_svg([row("a", times=PREDICTED)])
    assert PREDICTED_NOTE not in results_page(SETTINGS, [row("a")]) + plot_svg([row("a")])


def test_the_page_has_a_row_for_each_and_lists_what_failed_or_waits(row: MakeRow) -> None:
    waiting = row("w", outcome=RowOutcome.WAITS, waiting=("tiling on w: NEEDS_DECISION (precision), FASTER 3.00x",))
    failed = row("f", outcome=RowOutcome.FAILED, reason="a | b\nc", times=None)
    page = results_page(SETTINGS, [row("a", 2.0), waiting, failed])
    table = [line for line in page.splitlines() if line.startswith("|")]
    assert len(table) == 5 and len({line.replace("\\|", "").count("|") for line in table}) == 1
    assert "a \\| b c" in table[-1]
    assert "## Failed, counted as 1.0x" in page and "- w 96: tiling on w: NEEDS_DECISION (precision), FASTER 3.00x" in page
    assert "NVIDIA H200 data sheet" in page


def test_the_sums_name_both_means(row: MakeRow) -> None:
    lines = figures_lines(figures_of([row("a", 4.0), row("b", times=None)]))
    assert lines[0] == "2 runs: 1 faster, 1 nothing to propose"
    assert lines[1].endswith("2.00x over 2") and lines[2].endswith("4.00x over 1")
    assert "0 of 1 as they stood, 1 with what was kept" in lines[3]


def test_the_drawing_is_whole_svg_with_every_program(row: MakeRow) -> None:
    rows = [row("a<b", 4.0, low=3.5, high=4.5), row("c", 0.5, SpeedOutcome.SLOWER, outcome=RowOutcome.NOT_FASTER), row("d", bound=None)]
    root = ET.fromstring(plot_svg(rows))
    texts = ["".join(each.itertext()) for each in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"a<b 96", "c 96", "d 96"} <= set(texts)
    bars = {bar[0].text: float(bar.attrib["width"]) for bar in root.iter("{http://www.w3.org/2000/svg}rect") if len(bar)}
    assert bars["d 96: nothing to propose, 1.00x"] == 0.0 < bars["c 96: not faster, 0.50x"] < bars["a<b 96: faster, 4.00x"]
    assert {"4.00x", "0.50x", "nothing to propose"} <= set(texts)
    assert ET.fromstring(plot_svg([])) is not None


def points(drawing: str) -> list[tuple[str | None, float]]:
    """Kind and place from the left of each that is not of the key."""
    circles = ET.fromstring(drawing).iter("{http://www.w3.org/2000/svg}circle")
    return [(each.get("class"), float(each.attrib["cx"])) for each in circles if len(each)]


def test_the_drawing_shows_how_far_each_program_was_from_its_bound_and_is(row: MakeRow) -> None:
    slower = row("c", 0.5, SpeedOutcome.SLOWER, outcome=RowOutcome.NOT_FASTER)
    (_, b), (_, a), (_, d), (_, c), *_ = found = points(plot_svg([row("a", 4.0), slower, row("e"), row("f", bound=None)]))
    assert [kind for kind, _ in found] == ["open", "gain", "open", "loss", "open"] and a < b and c > d


def test_what_failed_says_so_in_the_drawing_and_an_interval_is_drawn_even_if_nothing_is_counted(row: MakeRow) -> None:
    failed = row("f", outcome=RowOutcome.FAILED, reason="it does not compile", times=None, bound=None)
    assert ">failed</text>" in plot_svg([failed]) and 'class="range"' not in plot_svg([failed])
    same = row("s", 1.01, SpeedOutcome.SAME, outcome=RowOutcome.NOT_FASTER, low=0.97, high=1.05)
    assert ">not faster</text>" in plot_svg([same]) and 'class="range"' in plot_svg([same])


def test_the_drawing_follows_light_and_dark_and_takes_any_name(row: MakeRow) -> None:
    drawing = plot_svg([row("a\x1b[31m<script>\x00" + "b" * 100, 2.0, arguments=("65536",), low=1.9, high=2.1)])
    assert "prefers-color-scheme:dark" in drawing and "<script" not in drawing
    texts = [each.text or "" for each in ET.fromstring(drawing).iter("{http://www.w3.org/2000/svg}text")]
    assert any(each.endswith("bbb 65536") for each in texts)
    assert max(map(len, texts)) < 60


def test_a_program_that_does_nothing_on_the_gpu_has_no_distance(row: MakeRow) -> None:
    idle = row(times=Times(0.0, 0.0, is_predicted=True, method="performance model"))
    assert idle.distance is None and row_line(idle).startswith("scale 96: 0 ns PREDICTED, nothing to propose")
    assert ET.fromstring(plot_svg([idle])) is not None and "| scale 96 | 0 ns |" in results_page(SETTINGS, [idle])


def test_the_results_are_written_as_page_drawing_and_json(tmp_path: Path, row: MakeRow) -> None:
    journal = Journal[BenchSettings, Row].begun(tmp_path, SETTINGS)
    journal.add(row("a", 2.0))
    write_results(tmp_path, journal)
    results = json.loads((tmp_path / "results.json").read_text())
    (only,) = results["rows"]
    assert (only["name"], only["counted_ratio"], only["distance"], only["best_distance"]) == ("a", 2.0, 8.0, 4.0)
    assert results["figures"]["all"]["geometric_mean"] == 2.0
    assert (tmp_path / "results.md").read_text().startswith("# Results") and (tmp_path / "results.svg").exists()


def test_flags_that_were_not_used_are_listed_with_what_to_do(row: MakeRow) -> None:
    without = row("b", unused="Makefile has -DN=4, which is not used")
    page = results_page(SETTINGS, [row("a"), without])
    assert "## Flags of the build that were not used" in page
    assert "- b 96: Makefile has -DN=4, which is not used: --cflags gives them" in page
    assert "not used" not in results_page(SETTINGS, [row("a")]) and "not used" not in row_line(row("a"))
