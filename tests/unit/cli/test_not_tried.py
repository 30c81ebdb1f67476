"""The end of a search: the few declines that say most."""

from __future__ import annotations

from assistant.cli.not_tried import NotTried
from assistant.model.events import FindingsFound, PlanMade
from assistant.model.plan import Decline, DeclineReason, Step
from assistant.model.profile import Finding, Severity


def finding(line: int, cost: float) -> Finding:
    return Finding("KO101", "k()", line, Severity.WARNING, "Scattered.", (), cost)


def decline(technique: str, line: int, code: DeclineReason = DeclineReason.LOOP_FORM, reason: str = "") -> Decline:
    return Decline(technique, "k()", line, reason or f"the loop of {technique} would have to count", code)


def lines_of(findings: tuple[Finding, ...], declines: tuple[Decline, ...], steps: tuple[Step, ...] = ()) -> tuple[str, ...]:
    not_tried = NotTried()
    not_tried.found(FindingsFound("J1", "k()", findings, ()))
    not_tried.planned(PlanMade("J1", "expert", steps, declines))
    return not_tried.lines()


def test_the_costliest_lines_come_first_and_share_five_lines() -> None:
    declines = tuple(decline(f"t{line}{part}", line) for line in (7, 9, 11) for part in "abc")
    found = lines_of((finding(7, 0.1), finding(9, 0.5), finding(11, 0.3)), declines)
    assert [line.split(":")[0] for line in found[:-1]] == ["t9a line 9", "t9b line 9", "t11a line 11", "t11b line 11", "t7a line 7"]
    assert found[-1] == "and 4 more, which --verbose shows"


def test_the_kernel_is_named_where_several_were_searched() -> None:
    not_tried = NotTried()
    for kernel in ("first(int*)", "second(int*)"):
        not_tried.found(FindingsFound("J1", kernel, (Finding("KO111", kernel, 38, Severity.WARNING, "Few.", (), 0.5),), ()))
        reason = "the grid would have to be a constant"
        declines = (Decline("more-blocks", kernel, 38, reason, DeclineReason.GRID_FORM),) * 2
        not_tried.planned(PlanMade("J1", "expert", (), declines))
    assert not_tried.lines() == tuple(
        f"more blocks of {name} line 38: the grid would have to be a constant" for name in ("first", "second")
    )


def test_what_was_tried_elsewhere_or_had_nothing_to_change_or_to_gain_is_left_out() -> None:
    step = Step("tile", "k()", 7, "because", (), finding="KO101", predictions=(), rank=1.0)
    declines = (
        decline("tile", 9),
        decline("padding", 9, DeclineReason.NOTHING_TO_CHANGE),
        decline("exchange", 9, DeclineReason.NO_GAIN),
        decline("split", 30),
        decline("warp", 9),
    )
    assert lines_of((finding(9, 0.5), finding(30, 0.004)), declines, (step,)) == ("warp line 9: the loop of warp would have to count",)


def test_one_sentence_is_said_once() -> None:
    both = tuple(decline("tile", line, reason="the block is not square") for line in (7, 9))
    assert lines_of((finding(7, 0.1), finding(9, 0.5)), both) == ("tile line 9: the block is not square",)


def test_the_technique_that_the_finding_names_comes_first() -> None:
    named = Finding("KO101", "k()", 9, Severity.WARNING, "Scattered; a warp per row would read side by side", (), 0.5)
    declines = tuple(decline(name, 9) for name in ("coalescing-interchange", "shared-table", "warp-per-row"))
    found = lines_of((named,), declines)
    assert [line.split(" line")[0] for line in found] == ["warp per row", "coalescing interchange", "and 1 more, which --verbose shows"]
