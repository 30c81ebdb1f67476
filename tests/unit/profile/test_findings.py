"""Findings are ranked, few, and stand on numbered evidence; defects come first."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from assistant.model.profile import InstructionMix, LineInstructions, Problem, Severity
from assistant.profile import METRICS, RULES, THRESHOLDS, LineFacts, SourceFacts, documentation_page, is_negligible, metric, title
from assistant.profile.rules import DEFECT_TITLES
from assistant.profile.rules.defects import CODE_BY_KIND

WARPS = 4096 * 8
DOCS = Path(__file__).parents[3] / "docs"
CODES = [rule.code for rule in RULES] + [code for code, _ in DEFECT_TITLES]


def problem(kind: str, line: int = 12, count: int = 1, **more) -> Problem:
    values = {"message": f"something about {kind}", "file": "k.cu", "other_file": None, "other_line": None, "address": None}
    return Problem(kind=kind, line=line, count=count, **(values | {"block": (1, 0, 0), "thread": (31, 0, 0)} | more))


def two_defects(access, profile):
    return profile(
        access("global load", WARPS * 64, 8, sectors=WARPS * 2048, ideal=WARPS * 256),
        access("shared load", WARPS, 9, wavefronts=WARPS * 2, ideal_wavefronts=WARPS),
        unique_sectors=WARPS * 256,
        block_unique_sectors=WARPS * 256,
    )


def test_the_costliest_finding_comes_first(access, profile, check):
    found = check(two_defects(access, profile))
    assert found.codes == ["KO101", "KO103"]
    costs = [f.estimated_cost_ratio for f in found.findings]
    assert costs == sorted(costs, reverse=True)


def test_what_costs_next_to_nothing_is_no_news_for_people_and_a_defect_always_is():
    assert is_negligible(0.0) and is_negligible(0.009)
    assert not is_negligible(0.01)
    assert not is_negligible(None), "a defect, or what the model has no cost for"


def test_every_cited_id_exists_once_and_ids_count_up(access, profile, check):
    found = check(two_defects(access, profile))
    ids = [e.id for e in found.evidence]
    assert ids == [f"E{i}" for i in range(1, len(ids) + 1)]
    assert {i for f in found.findings for i in f.evidence} <= set(ids)
    assert all(f.evidence for f in found.findings)


def test_findings_that_people_are_shown_are_numbered_before_those_that_cost_next_to_nothing(access, profile, check):
    """The small grid of a short launch ranks behind the bank conflicts, which cost nothing here, but is the one that is shown."""
    conflicts = access("shared load", 64, 9, wavefronts=128, ideal_wavefronts=64)
    busy = (LineInstructions("k.cu", 5, InstructionMix(fp32=1_000_000)),)
    found = check(profile(access("global load", 128, 5, sectors=512), conflicts, blocks=4, threads=1024, instructions=busy))
    assert found.codes == ["KO103", "KO111"]
    assert [is_negligible(f.estimated_cost_ratio) for f in found.findings] == [True, False]
    assert found.one("KO111").evidence == ("E1", "E2", "E3")


def test_evidence_has_the_catalogues_unit_a_device_and_a_method(access, profile, check):
    for e in check(two_defects(access, profile)).evidence:
        assert e.unit == metric(e.metric).unit
        assert e.method in metric(e.metric).methods
        assert e.device


def test_a_kernel_without_findings_still_has_evidence(access, profile, check):
    found = check(profile(access("global load", WARPS, 5, sectors=WARPS * 16, size_bytes=16)))
    assert found.findings == ()
    assert {"predicted_time", "occupancy", "global_sectors"} <= {e.metric for e in found.evidence}


def test_no_time_is_predicted_from_nothing(profile, check):
    found = check(profile(blocks_counted=0))
    assert "predicted_time" not in {e.metric for e in found.evidence}


def test_the_launch_that_costs_most_is_the_one_examined(access, profile, check):
    clean = profile(access("global load", 8, 5, sectors=32), blocks=1)
    assert "KO101" in check(clean, two_defects(access, profile)).codes


@pytest.mark.parametrize(("kind", "code"), sorted(CODE_BY_KIND.items()))
def test_every_kind_of_defect_has_a_code(access, profile, check, kind, code):
    finding = check(profile(access("global load", WARPS, 5, sectors=WARPS * 4), problems=(problem(kind),))).findings[0]
    assert (finding.code, finding.line) == (code, 12)
    assert finding.severity in (Severity.ERROR, Severity.WARNING)


def test_defects_come_before_performance_and_count_over_all_launches(access, profile, check):
    slow = two_defects(access, profile)
    racy = profile(access("global load", 8, 5, sectors=32), blocks=1, problems=(problem("shared_race", count=3),))
    twice = check(racy, racy, slow)
    assert twice.codes[0] == "KO202"
    assert twice.value(twice.findings[0], "problem_count") == 6
    assert "block (1, 0, 0), thread (31, 0, 0)" in twice.findings[0].message


def test_a_defect_of_unknown_place_is_shown_at_the_kernel(access, profile, check):
    found = check(profile(access("global load", 8, 5, sectors=32), problems=(problem("bad_launch", line=0),)))
    assert found.one("KO206").line == 3


def test_two_races_on_one_line_with_different_partners_are_two_findings(access, profile, check):
    races = (
        problem("shared_race", other_line=14, message="race with 14"),
        problem("shared_race", other_line=16, message="race with 16"),
    )
    found = check(profile(access("global load", WARPS, 5, sectors=WARPS * 4), problems=races))
    assert found.codes.count("KO202") == 2


def test_messages_never_claim_a_measurement(access, profile, check):
    facts = SourceFacts(lines=(LineFacts(8, double_literals=("1.0",)),), kernel_line=3)
    for finding in check(two_defects(access, profile), facts=facts).findings:
        assert not re.search(r"measured|\bhits?\b|miss rate", finding.message)


def test_metric_and_threshold_names_are_unique():
    for names in ([m.name for m in METRICS], [t.name for t in THRESHOLDS]):
        assert len(names) == len(set(names))


@pytest.mark.parametrize("code", CODES)
def test_every_finding_has_a_page_with_its_title_and_all_sections(code):
    text = (DOCS / documentation_page(code)).read_text()
    assert text.startswith(f"# {code}: {title(code)}\n")
    for section in (
        "## What it means",
        "## When it is reported",
        "## How to fix it",
        "## Example",
        "## How it is counted",
        "## False alarms",
    ):
        assert section in text


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_every_page_states_the_thresholds_of_the_code(rule):
    text = (DOCS / documentation_page(rule.code)).read_text()
    values = {t.name: (t.value, t.unit) for t in THRESHOLDS}
    for name in rule.thresholds:
        value, unit = values[name]
        assert f"`{name}` = {value:g} {unit}" in text


@pytest.mark.parametrize("known", METRICS, ids=lambda m: m.name)
def test_every_metric_is_documented_with_its_unit_and_meaning(known):
    text = (DOCS / "reference" / "metrics.md").read_text()
    assert f"| `{known.name}` | {known.unit} | {known.meaning} |" in text


def test_an_overrun_and_an_underrun_on_one_line_are_two_findings(access, profile, check):
    sides = (
        problem("out_of_bounds", message="read of 4 bytes at offset 64 of an allocation of 64 bytes"),
        problem("out_of_bounds", message="read of 4 bytes, 4 bytes before an allocation of 64 bytes"),
    )
    found = check(profile(access("global load", WARPS, 5, sectors=WARPS * 4), problems=sides))
    assert found.codes.count("KO201") == 2
