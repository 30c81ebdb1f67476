"""The whole profile in parts: every number with its unit, every missing part with its reason; heat of lines."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from assistant.cuda.parse import parse
from assistant.editor.analysis import Analysis
from assistant.editor.heat import Heat, heat_of
from assistant.editor.picture import view_of
from assistant.editor.report import Report, Row, build_report
from assistant.editor.report_versions import PairPart, VersionsPart
from assistant.model import event_parts, events
from assistant.model.build import Occupancy
from assistant.model.comparison import CaseSpeed, ModelTerm, PredictedTime, SpeedOutcome
from assistant.model.figures import BeforeAfter, LaunchFigures, StallCount
from assistant.model.profile import Evidence, Grade, InstructionMix, LineStall, Method
from assistant.model.roofline import Ceiling, Point, Roofline
from assistant.model.source import Source
from assistant.model.verification import CaseResult, Outcome, VerificationFinding
from assistant.profile.timeline_words import headline
from assistant.workload.timeline import TimedWork, build_timeline, work_of

_PATH = Path("/w/a.cu")
_TEXT = "__global__ void k(float *o)\n{\n    o[threadIdx.x * 8] = 1.0f;\n    __syncthreads();\n}\n"
_KERNEL = "k(float *)"
_DEVICE = event_parts.Device("CPU emulator (sm_90 rules)", "cpu", "h200")
_STORE = event_parts.ProfileLine(str(_PATH), 3, "global store", 100, 3200, 800, 400, None, None, "estimated", "loops were unrolled")
_CEILINGS = (Ceiling("DRAM", 4.8e12, None), Ceiling("L2", 5.5e12, None), Ceiling("fp32", None, 66.9e12))
_PROFILE = events.Profile(
    job="J1", kernel=_KERNEL, instance=_KERNEL, launch=0, grid=(4, 1, 1), block=(32, 1, 1), shared_bytes=0, device=_DEVICE,
    method="emulator", totals={}, instructions=InstructionMix(fp32=3200, load_store=6400), lines=(_STORE,),
    findings=(event_parts.ProfileFinding("KO101", 3, "warning", "A store touches 8 sectors", ("E1",), 0.25),),
    evidence=(Evidence("E1", "global_sectors", 800.0, "sectors", 3, Method.EMULATOR, "emulator", Grade.ESTIMATED),), problems=(),
    predicted=PredictedTime(2e-6, "l2", (ModelTerm("l2", 2e-6, ()), ModelTerm("launch", 1e-6, ())), "h200", ("no unique sectors",)),
    occupancy=Occupancy(32, 64, 32, "blocks"), roofline=Roofline((Point("L2", 0.25, 1e11, 1.4e12),), _CEILINGS, "h200"),
)  # fmt: skip
_SUMMARY = events.ProfileSummary("J1", _KERNEL, _KERNEL, (4, 1, 1), (32, 1, 1), 0, 2, "l2", 2e-6, None, 0.23, "dram")
_CODE = events.MachineCode("J1", _KERNEL, _KERNEL, "sm_90", (event_parts.MachineLine(str(_PATH), 3, ("STG.E [R2], R4",)),))
_STALLS = (
    LineStall(str(_PATH), 3, "long_scoreboard", 30),
    LineStall(str(_PATH), 3, "wait", 10),
    LineStall(str(_PATH), 4, "barrier", 60),
)
_SLOW = LaunchFigures(
    "n=8",
    (4, 1, 1),
    (32, 1, 1),
    "emulator",
    2e-6,
    "l2",
    800,
    400,
    0,
    0,
    (),
    Roofline((Point("L2", 0.25, 1e11, 1.4e12),), _CEILINGS, "h200"),
)
_FAST = replace(
    _SLOW, predicted_time_s=1e-6, limited_by="dram", sectors=400, roofline=Roofline((Point("L2", 0.5, 2e11, 2.8e12),), _CEILINGS, "h200")
)
_FAILED = CaseResult("resampled", "n=8", 0.125, Outcome.FAIL, 0.5, 0.1, seed=12)
_WRONG = VerificationFinding("wrong_value", Outcome.FAIL, "o[3]: wrong value", case=0)


def _report(profile: events.Profile | None = _PROFILE, text: str = _TEXT, profiled: str = _TEXT, **analyses: Analysis) -> Report:
    if profile is not None:
        analyses["profile"] = Analysis(profiled, (profile, _SUMMARY, _CODE))
    parsed = parse(Source(_PATH, text))
    return build_report(parsed, view_of(parsed, analyses), analyses.get("profile"), analyses.get("judge"))


def _rows(report: Report) -> dict[int, Row]:
    return {row.number: row for row in report.kernels[0].launches[0].rows if row.number is not None}


def _compared(**speed: Any) -> events.ComparisonMade:
    verification = event_parts.VerificationReport(Outcome.FAIL, (_WRONG,), (_FAILED,), (), (), ())
    known: dict[str, Any] = {"outcome": SpeedOutcome.FASTER, "ratio": 1.83, "low": 1.8, "high": 1.86, "margin": None, "quality": "good",
             "cases": (CaseSpeed("n=8", 1.0, 1.83, 1.8, 1.86, SpeedOutcome.FASTER),), "method": "events",
             "bottleneck_before": "l2", "bottleneck_after": "dram"}  # fmt: skip
    return events.ComparisonMade(
        "J2", _KERNEL, "kernel", True, "a", "b", verification, event_parts.SpeedReport(**{**known, **speed}), (), _DEVICE
    )


def test_every_number_has_its_unit_and_how_it_was_made() -> None:
    (launch,) = _report().kernels[0].launches
    assert launch.method == "CPU emulator (sm_90 rules)"
    facts = {fact.name: (fact.value, fact.note) for fact in launch.facts}
    assert facts["Predicted time of one launch"] == ("2 µs", "performance model for h200; nothing was timed")
    assert facts["Theoretical occupancy"] == ("50 %", "32 of 64 warps per SM; limited by blocks")
    assert facts["Share of peak"][0].startswith("at least 23 % of peak")
    assert launch.findings[0].evidence == (("E1", "global sectors", "800 sectors", "3", "emulator", "estimated"),)
    assert launch.findings[0].cost == "Fixing it alone is predicted to save 25 % of the time"
    assert [(bar.name, bar.value, bar.share) for bar in launch.terms] == [
        ("L2 bandwidth", "2 µs", "100 %"),
        ("launch overhead", "1 µs", "50 %"),
    ]
    assert launch.estimates == ("Line 3: loops were unrolled", "Predicted time: no unique sectors")


def test_the_programs_time_is_told_above_its_kernels() -> None:
    timeline = build_timeline([TimedWork(work_of("launch", _KERNEL), 0, 0.0, 3e-6), TimedWork(work_of("fill"), 0, 3e-6, 4e-6)])
    told = events.TimelineFound("J1", headline(timeline), timeline, "one run", "main.cu")
    profile = Analysis(_TEXT, (told, _PROFILE, _SUMMARY))
    parsed = parse(Source(_PATH, _TEXT))
    found = build_report(parsed, view_of(parsed, {"profile": profile}), profile)
    assert found.program == "main.cu: 75 % of GPU time is in 1 kernel (k); in 25 % only copies or fills run; there are next to no gaps"
    assert _report().program == ""


def test_a_line_stands_next_to_its_machine_code_with_its_heat_and_counters() -> None:
    row = _rows(_report())[3]
    assert (row.heat_step, row.heat, row.codes) == (4, ("100 % sectors",), ("KO101",))
    assert row.counters == ("global store: 100 requests, 3,200 threads, 800 sectors (400 ideal), estimated",)
    assert row.instructions == ("STG.E [R2], R4",)


def test_a_line_is_where_it_is_now_and_nowhere_once_it_was_changed() -> None:
    moved = _rows(_report(text="// above\n" + _TEXT))
    assert (moved[3].now, moved[3].number) == (4, 3)
    changed = _report(text=_TEXT.replace("* 8", "* 4"))
    assert _rows(changed)[3].now is None and _rows(changed)[3].text == "    o[threadIdx.x * 8] = 1.0f;", "as it was counted"
    assert changed.kernels[0].is_stale


def test_the_roofline_is_drawn_or_says_why_not() -> None:
    (launch,) = _report().kernels[0].launches
    assert launch.roofline is not None and launch.roofline.points == (("L2", "0.25 op/byte", "100 Gop/s", "1.4 Top/s"),)
    (without,) = _report(replace(_PROFILE, roofline=Roofline((), _CEILINGS, "h200"))).kernels[0].launches
    assert without.roofline is None and "no place on a roofline" in without.no_roofline
    unread = replace(_PROFILE, roofline=Roofline((), _CEILINGS, "h200"), instructions=InstructionMix())
    assert "machine code, which was not read here" in _report(unread).kernels[0].launches[0].no_roofline


def test_stalls_are_shown_where_they_were_sampled_and_else_missed_with_the_reason() -> None:
    (launch,) = _report().kernels[0].launches
    assert launch.stalls == () and launch.no_stalls.startswith("Stalls of warps were not sampled: that needs a GPU.")
    (sampled,) = _report(replace(_PROFILE, stalls=_STALLS)).kernels[0].launches
    assert [(bar.name, bar.value, bar.share) for bar in sampled.stalls] == [
        ("barrier", "60 samples", "60 %"),
        ("long scoreboard", "30 samples", "30 %"),
        ("wait", "10 samples", "10 %"),
    ]
    assert sampled.no_stalls == "" and "stall samples" in sampled.heat


def test_where_warps_were_sampled_waiting_is_heat() -> None:
    rows = _rows(_report(replace(_PROFILE, stalls=_STALLS)))
    assert (rows[4].heat_step, rows[4].heat) == (3, ("60 % stalls",))
    assert (rows[3].heat_step, rows[3].heat) == (2, ("40 % stalls", "100 % sectors"))


def test_heat_of_a_view_is_by_stalls_else_by_excess() -> None:
    parsed = parse(Source(_PATH, _TEXT))
    counted = view_of(parsed, {"profile": Analysis(_TEXT, (_PROFILE, _SUMMARY))})
    assert heat_of(counted) == {(_KERNEL, 3): Heat(4, "store ~8 sectors/request, ~4 would do")}
    sampled = view_of(parsed, {"profile": Analysis(_TEXT, (replace(_PROFILE, stalls=_STALLS), _SUMMARY))})
    heat = heat_of(sampled)
    assert heat[_KERNEL, 4].step == 3 and heat[_KERNEL, 4].text == "60 % of stalls, mostly barrier"
    assert heat[_KERNEL, 3].step == 2


def test_an_edit_has_its_interval_in_words_and_its_cases_with_what_went_wrong() -> None:
    (part,) = _report(judge=Analysis(_TEXT, (_compared(),))).kernels[0].comparisons
    assert (part.verdict, part.speed, part.limits) == ("FAIL", "FASTER 1.83x", "L2 bandwidth → DRAM bandwidth")
    assert part.interval == "95 % interval [1.80, 1.86], good." and part.cases[0].text == "FASTER 1.83x [1.80, 1.86]"
    assert part.verified == "0 cases passed of 1" and part.reasons == ("o[3]: wrong value",)
    assert [(test.seed, test.outcome, test.detail) for test in part.tests] == [(12, "FAIL", "o[3]: wrong value")]


def test_a_prediction_without_a_measured_error_claims_no_interval() -> None:
    compared = _compared(outcome=SpeedOutcome.PREDICTED, low=None, high=None, quality="model error 1.28x median")
    (part,) = _report(judge=Analysis(_TEXT, (compared,))).kernels[0].comparisons
    assert (part.low, part.high, part.interval) == (None, None, "No interval: model error 1.28x median.")


def test_with_nothing_to_show_there_is_one_sentence() -> None:
    assert _report(None).nothing == "Not profiled yet: run Profile on this file."
    assert _report(None, text="int main() {}\n").nothing == "This file holds no kernel."


def _versions(before: LaunchFigures = _SLOW, after: LaunchFigures = _FAST, **speed: Any) -> VersionsPart:
    compared = replace(_compared(**speed), figures=BeforeAfter("CPU emulator", before, after))
    (comparison,) = _report(judge=Analysis(_TEXT, (compared,))).kernels[0].comparisons
    assert comparison.versions is not None
    return comparison.versions


def test_both_versions_stand_next_to_each_other() -> None:
    part = _versions()
    assert part.method == "CPU emulator"
    assert part.before == "n=8: grid 4 × 1 × 1, block 32 × 1 × 1, limited by L2 bandwidth"
    assert part.counts == (PairPart("32-byte sectors, global and local", "800 (400 ideal)", "400 (400 ideal)", 1.0, 0.5),)
    assert part.roofline is not None
    assert [point[:2] for point in part.roofline.points] == [("L2 before", "0.25 op/byte"), ("L2 after", "0.5 op/byte")]
    assert part.roofline.plot.before[0].x < part.roofline.plot.points[0].x, "on the same axes"


def test_a_time_is_predicted_unless_it_was_measured() -> None:
    predicted, measured = _versions(), _versions(cases=(CaseSpeed("n=8", 1.0, 1.83, 1.8, 1.86, SpeedOutcome.FASTER, 11e-6, 6e-6),))
    assert (
        predicted.times == (PairPart("one launch, predicted", "2 µs", "1 µs", 1.0, 0.5),) and "nothing was timed" in predicted.time_method
    )
    assert [(time.name, time.before, time.after) for time in measured.times] == [("n=8", "11 µs", "6 µs")]
    assert measured.time_method == "Median times of one launch; events."


def test_what_both_versions_wait_for_is_a_share_of_each_ones_samples() -> None:
    waits = (StallCount("long_scoreboard", 30), StallCount("barrier", 10)), (StallCount("barrier", 5),)
    part = _versions(replace(_SLOW, stalls=waits[0]), replace(_FAST, stalls=waits[1]))
    assert [(stall.name, stall.before, stall.after) for stall in part.stalls] == [
        ("long scoreboard", "75 %", "0 %"),
        ("barrier", "25 %", "100 %"),
    ]
    assert "needs a GPU" in _versions().no_stalls
