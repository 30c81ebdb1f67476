"""What stands below a cell: the answer first, all problems by the notebook's line numbers; what is decided is folded."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from assistant.cuda.parse import parse
from assistant.editor.analysis import Analysis
from assistant.editor.picture import view_of
from assistant.editor.report import KernelPart, build_report
from assistant.editor.tasks import Verb
from assistant.model import events
from assistant.model.profile import Problem
from assistant.model.proposal import Decision, DecisionKind, Proposal, ProposalState
from assistant.model.trial import TrialOutcome
from assistant.model.verification import CaseResult, Label, Outcome, VerificationFinding
from jupyter_ext import proposal_page, source_page
from jupyter_ext.cells import Cell, cell_of
from jupyter_ext.page import details_html, failure_text, headline_html, how_to_decide, offer_html, offer_text
from jupyter_ext.pictures import Picture
from jupyter_ext.runs import CellRun, Phase, RunState, Step
from tests.changes import change
from tests.contracts.stored import Given

CODE = """%%kernelopt --grid 4 --block 256
__global__ void halve(float *out, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = x[i] / 2.0f;
    __syncthreads();
    out[0] = 1.0f;
}
"""
CELL = cell_of(CODE, Path("/w/lab.ipynb"), "c1")
KERNEL = "halve(float *, const float *, int)"
READ = Problem("out_of_bounds", "read of x[1000]", str(CELL.path), 5, None, None, (3, 0, 0), (232, 0, 0), None, 24, KERNEL)
WRITE = replace(READ, message="write of out[1000]")
RACE = replace(READ, kind="global_race", message="write after write", line=7, other_file=str(CELL.path), other_line=5)


def picture(*problems: Problem, proposals: tuple[Proposal, ...] = (), cell: Cell = CELL) -> Picture:
    parsed = parse(cell.source)
    check = Analysis(cell.text, (events.CheckEnded("J1", KERNEL, problems, True, 1),))
    view = view_of(parsed, {"check": check}, proposals, ())
    return Picture(cell, view, build_report(parsed, view, None, None, proposals), proposals)


def proposal(name: str, state: ProposalState = ProposalState.OPEN) -> Proposal:
    files = change(CELL.path, CELL.text, CELL.text.replace("/ 2.0f", "* 0.5f"))
    return replace(Given.proposal(name, path=CELL.path, files=files), state=state)


def over(*steps: Step, messages: tuple[str, ...] = ()) -> RunState:
    return RunState(steps, messages, is_over=True)


def folded(html: str) -> list[str]:
    """What each folded part is called."""
    return re.findall(r"<details[^>]*><summary>(?:<b>)?([^<]*)", html)


def unfolded(html: str) -> str:
    """What is in sight: outside of every folded part."""
    while True:
        rest = re.sub(r"<details(?:(?!<details).)*?</details>", "", html, flags=re.S)
        if rest == html:
            return html
        html = rest


def test_both_problems_of_one_line_are_shown_with_kind_block_and_thread() -> None:
    said = offer_text(RunState(()), picture(READ, WRITE)).splitlines()
    where = "  error line 5: out of bounds, block (3, 0, 0), thread (232, 0, 0): "
    assert said[:2] == [f"{where}read of x[1000]", f"{where}write of out[1000]"]


def test_a_race_names_the_other_access_and_marks_both_lines_by_the_notebooks_numbers() -> None:
    html = offer_html(picture(RACE))
    assert "global race, block (3, 0, 0), thread (232, 0, 0): write after write; the other access: line 5" in html
    rows = dict(re.findall(r"<tr><td[^>]*>(\d+)</td>.*?<td[^>]*>([^<]*)</td></tr>", html))
    assert rows == {"4": "", "5": "the other access", "6": "", "7": "✗", "8": ""}
    assert "out[0] = 1.0f;" in html


def test_messages_name_lines_as_the_notebook_numbers_them() -> None:
    cell = cell_of("%%cu\n" + CODE.partition("\n")[2], Path("/w/lab.ipynb"), "c1")
    problem = replace(WRITE, line=4, file=str(cell.path), message="write of out[1000]; freed at line 3")
    said = offer_text(RunState(()), picture(problem, cell=cell))
    assert "error line 5: " in said and "freed at line 4" in said


def test_the_other_access_in_a_header_keeps_its_own_line() -> None:
    html = offer_html(picture(replace(RACE, other_file="/w/sum.cuh", other_line=4)))
    assert "the other access: sum.cuh:4" in html and html.count("✗") == 1 and ">the other access<" not in html


def test_a_failed_check_is_the_first_thing_that_is_said() -> None:
    state = over(Step(Verb.CHECK, Phase.DONE, "2 problems", 1), Step(Verb.PROFILE, Phase.WAITING, "skipped: check failed"))
    html = headline_html(state, picture(READ))
    assert "✗ FAILED check: 2 problems" in html and "skipped" not in html


def test_what_could_not_be_answered_is_no_verdict() -> None:
    state = over(Step(Verb.CHECK, Phase.DONE, "the workload launches no kernel", 3), messages=("no CUDA compiler",))
    html = headline_html(state, picture())
    assert "✗ check could not be answered: the workload launches no kernel" in html and "FAILED" not in html
    assert "no CUDA compiler" in html, "what has to be known is not folded"


def test_what_agrees_with_a_reference_says_so() -> None:
    passed, failed = Step(Verb.CHECK, Phase.DONE, "no problem", 0), Step(Verb.CHECK, Phase.DONE, "1 problem", 1)
    said = ", agrees with np.tanh"
    state = replace(over(passed), reference="np.tanh")
    known = picture()
    launched = replace(known, report=replace(known.report, kernels=(KernelPart("halve", "halve", 2, "≈ L2-bound", False, (), "", ()),)))
    assert f"≈ L2-bound{said}</div>" in headline_html(state, launched) and f"halve: ≈ L2-bound{said}" in offer_text(state, launched)
    assert said not in headline_html(over(passed), launched) + headline_html(replace(over(failed), reference="np.tanh"), picture(READ))


def test_what_is_raised_for_names_every_problem() -> None:
    failed = over(Step(Verb.CHECK, Phase.DONE, "2 problems", 1))
    said = (failure_text(failed, picture(READ, WRITE)) or "").splitlines()
    assert said[0] == "FAILED check: 2 problems" and len(said) == 3 and said[2].endswith("write of out[1000]")
    assert failure_text(over(Step(Verb.CHECK, Phase.DONE, "no problem found", 0)), picture()) is None
    assert failure_text(over(Step(Verb.CHECK, Phase.CANCELLED, "cancelled")), picture()) == "check: cancelled"


def test_the_newest_open_proposal_is_in_sight_with_its_change_and_the_others_are_folded() -> None:
    newest, other = proposal("P01NEWEST000000000000000000"), proposal("P01OTHER0000000000000000000")
    html = offer_html(picture(proposals=(newest, other)))
    assert len(folded(html)) == 1 and unfolded(html).count("kernelopt-diff") == 1
    assert re.search(r">5</td><td[^>]*>-     out\[i\] = x\[i\] / 2.0f;", html), "the line has the notebook's number"
    words = how_to_decide(picture(proposals=(newest, other)))
    assert words.startswith(f"to decide on {newest.id}: %kernelopt accept {newest.id}, or")


def test_what_else_was_tried_is_folded_with_why_it_is_not_offered() -> None:
    run = CellRun(1, CELL, None, (Verb.OPTIMIZE,))
    for outcome, reason in ((TrialOutcome.KEPT, "kept"), (TrialOutcome.NOT_BETTER, "predicted 0.98x < 1.01x")):
        run.follow(
            Verb.OPTIMIZE, events.CandidateTried("J1", "C1", "float-literals", KERNEL, outcome, reason, None, "2 of 3: <expected> 1.10x")
        )
    html = details_html(run.state, picture())
    assert "Other things tried (1)" in folded(html)
    assert "<b>float literals</b>: not faster. predicted 0.98x &lt; 1.01x<br>Tried 2 of 3: &lt;expected&gt; 1.10x" in html


def test_whatever_came_of_a_candidate_has_words() -> None:
    run = CellRun(1, CELL, None, (Verb.OPTIMIZE,))
    others = [outcome for outcome in TrialOutcome if outcome is not TrialOutcome.KEPT]
    for outcome in others:
        run.follow(Verb.OPTIMIZE, events.CandidateTried("J1", "C1", "float-literals", KERNEL, outcome, "", None))
    html = details_html(run.state, picture())
    assert f"Other things tried ({len(others)})" in folded(html)
    assert len(set(re.findall(r"<b>float literals</b>: ([a-z][^.<]+)\.", html))) == len(others)


def test_a_decided_proposal_is_one_line() -> None:
    kept = proposal("P01", ProposalState.REJECTED)
    decision = Decision("P01", DecisionKind.REJECTED, (), "precision", "later", 5, "jupyter 1", None)
    html = offer_html(picture(proposals=(kept,)), {"P01": decision})
    assert folded(html) == ["rejected"] and "kernelopt-diff" not in unfolded(html)
    assert "right, by jupyter: Changes results: later</summary>" in html, "the state is not said twice, and no process by its number"


def test_hunks_are_numbered_where_each_can_be_taken_alone() -> None:
    """A tile that is declared in one and read in the other is one choice."""
    lines = ["    float a = 1.0 * x[i];", *("    f(i);" for _ in range(8)), "    float b = 2.0 * x[i];"]
    before = "\n".join(lines) + "\n"
    for after, numbers in (
        (before.replace("1.0", "1.0f").replace("2.0", "2.0f"), ["1 of 2", "2 of 2"]),
        (before.replace("    float a", "    __shared__ float t[8];\n    float a").replace("2.0 * x[i]", "2.0 * t[i]"), []),
    ):
        html = offer_html(picture(proposals=(replace(proposal("P01"), files=change(CELL.path, before, after)),)))
        assert re.findall(r"Hunk (\d of \d)", html) == numbers


def test_a_decision_is_asked_for_by_what_it_is_about() -> None:
    made = proposal("P01")
    measured = "on ordinary values results are off by at most 2e-07 of the largest"
    finding = VerificationFinding("precision", Outcome.NEEDS_DECISION, f"float-literals: {made.summary}; {measured}")
    found = replace(made.verification, outcome=Outcome.NEEDS_DECISION, labels=(Label.PRECISION,), findings=(finding,))
    html = offer_html(picture(proposals=(replace(made, verification=found),)))
    assert "needs your decision: fewer digits" in html and "NEEDS_DECISION" not in html
    assert f">{measured}</div>" in html and html.count(made.summary) == 1 and "more</summary>" not in html
    several = replace(made, verification=found, assumptions=("blocks of 256", "n is even"))
    html = offer_html(picture(proposals=(several,)))
    assert "<summary>and 2 more</summary><ul><li>assumes: blocks of 256</li>" in html
    known = offer_html(picture(proposals=(replace(made, verification=replace(found, findings=(replace(finding, message=made.summary),))),)))
    assert "<li>" not in known, "what the summary says is not said again"
    taken = replace(made, labels=(Label.PRECISION,), verification=found, state=ProposalState.ACCEPTED)
    assert ", fewer digits</summary>" in offer_html(picture(proposals=(taken,))), "it needs no decision any more"


def test_everything_else_is_folded() -> None:
    earlier = proposal("P02", ProposalState.ACCEPTED)
    html = details_html(over(Step(Verb.OPTIMIZE, Phase.DONE, "1 proposal", 0)), picture(proposals=(proposal("P01"), earlier)))
    assert [name for name in folded(html) if name in ("Evidence", "Decided before (1)", "Steps")] == [
        "Evidence",
        "Decided before (1)",
        "Steps",
    ]
    assert re.sub("<[^>]*>", "", unfolded(html)).strip() == ""


def test_tints_leave_the_ink_of_light_and_of_dark_pages_readable() -> None:
    """Each ground that is set, over the page and behind its ink: 4.5 to 1 at least, as WCAG 2.2 asks (1.4.3)."""
    grounds = {*(ground for ground in source_page._HEAT if ground != "transparent"), source_page._MEANT, source_page._OTHER}
    grounds |= {proposal_page._REMOVED, proposal_page._ADDED}
    for ground in grounds:
        for page, ink in ((255.0, 0x21), (17.0, 255.0)):
            assert contrast(mixed(ground, page), (ink,) * 3) >= 4.5, (ground, page)


def mixed(tint: str, page: float) -> tuple[float, ...]:
    *colour, share = (float(number) for number in re.findall(r"[\d.]+", tint))
    return tuple(share * part + (1 - share) * page for part in colour)


def contrast(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: tuple[float, ...]) -> float:
    """Relative, of sRGB."""
    linear = [part / 255 / 12.92 if part / 255 <= 0.04045 else ((part / 255 + 0.055) / 1.055) ** 2.4 for part in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_what_an_edit_assumes_is_said_once() -> None:
    words = "x has no more than 64 elements"
    plain = replace(proposal("P1"), assumptions=(words,))
    finding = VerificationFinding("assumption", Outcome.NEEDS_DECISION, f"halve assumes that {words}")
    judged = replace(plain, verification=replace(plain.verification, findings=(finding,)))
    assert [proposal_page.open_html(one).count(words) for one in (plain, judged)] == [1, 1]


def test_an_open_proposal_says_its_verdict_once_and_its_technique_as_people_do() -> None:
    made = proposal("P01")
    cases = tuple(CaseResult("recorded", f"n={n}", 1.0, Outcome.PASS, None, None) for n in range(32))
    html = offer_html(
        picture(proposals=(replace(made, techniques=("block-size-search",), verification=replace(made.verification, cases=cases)),))
    )
    assert "<b>right in 32 of 32 cases</b> · block size search" in html
    assert "PASS" not in html and "cases passed" not in html and "block-size-search" not in html
