"""What is shown of a run, as HTML and as text."""

from html.parser import HTMLParser
from pathlib import Path

from assistant.cuda.hunks import hunks
from assistant.editor.tasks import Verb
from assistant.model import events
from assistant.model.completion import Caps, Spending
from jupyter_ext.cells import cell_of
from jupyter_ext.page import course_html, panel_html, panel_text
from jupyter_ext.proposal_page import diff_html
from jupyter_ext.runs import CellRun, Phase, RunState, Step


class _Cells(HTMLParser):
    """Texts of a table's cells, row by row."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self._tag = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self._tag = tag
        if tag == "tr":
            self.rows.append([])
        elif tag == "td":
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        if self._tag == "td":
            self.rows[-1][-1] += data


def check(before: str, after: str) -> list[list[str]]:
    parser = _Cells()
    parser.feed(diff_html(before, after))
    return [row for row in parser.rows[1:] if row]


def test_a_change_stands_next_to_what_it_changes() -> None:
    assert check("a\nb\nc\n", "a\nB\nc\n") == [["1", "  a", "1", "  a"], ["2", "- b", "2", "+ B"], ["3", "  c", "3", "  c"]]


def test_added_lines_have_nothing_next_to_them() -> None:
    assert ["", "", "2", "+ new"] in check("a\n", "a\nnew\n")


def test_lines_far_from_a_change_are_left_out() -> None:
    text = "".join(f"{number}\n" for number in range(100))
    assert len(check(text, text.replace("50\n", "fifty\n"))) == 3


def test_each_of_several_hunks_stands_under_its_number() -> None:
    before, after = "a\nb\nc\n", "A\nb\nC\n"
    assert diff_html(before, after, hunks(before, after)).count("of 2</td>") == 2
    assert "Hunk" not in diff_html("a\n", "A\n", hunks("a\n", "A\n"))


def test_code_is_shown_as_it_is_written() -> None:
    assert check("if (a < b && c) {\n", "<script>\n")[0] == ["1", "- if (a < b && c) {", "1", "+ <script>"]
    assert "<script>" not in diff_html("", "<script>alert(1)</script>\n")


def test_each_question_is_reported_with_what_came_of_it() -> None:
    steps = (Step(Verb.CHECK, Phase.DONE, "1 problem", 1), Step(Verb.PROFILE, Phase.RUNNING, "counts <k>"), Step(Verb.OPTIMIZE))
    state = RunState(steps, ("no CUDA compiler",))
    assert panel_text(state, None).splitlines() == [
        "✗ check: 1 problem",
        "▶ profile: counts <k>",
        "· optimize: waiting",
        "no CUDA compiler",
    ]
    assert "counts &lt;k&gt;" in course_html(state) and "no CUDA compiler" in panel_html(state, None)
    assert state.headline == "profile: counts <k>" and state.phase == Phase.RUNNING


def test_what_models_cost_and_how_long_it_took_is_reported() -> None:
    ticks = iter((1.0, 3.5))
    cell = cell_of("%%kernelopt\n__global__ void k(float *x) {}\n", Path("/w/lab.ipynb"), None)
    run = CellRun(1, cell, None, (Verb.OPTIMIZE,), clock=lambda: next(ticks))
    run.begin(Verb.OPTIMIZE, "J1")
    run.follow(Verb.OPTIMIZE, events.BudgetSpent("J1", Spending(0.031, 12000, 300, 4), Caps(0.05)))
    run.follow(Verb.OPTIMIZE, events.JobEnded("J1", 0, "1 proposal"))
    assert panel_text(run.state, None).splitlines() == [
        "✓ optimize: 1 proposal (2.5 s)",
        "budget: $0.03 for 4 calls, 12,300 tokens; capped at $0.05",
    ]
