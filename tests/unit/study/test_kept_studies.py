"""Studies that are kept: whole, unchanged, and their pages follow from their answers and verdicts."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.study import StudyFolder, results_of, results_page
from assistant.study.outcomes import rewrite_key

BENCHMARKS = Path(__file__).resolve().parents[3] / "benchmarks"
STUDIES = (("study_by_hand", 12, "study_by_hand"), ("study_blind", 72, "suite"))
"""Folder, draws, and where the programs are."""
kept = pytest.mark.parametrize(("name", "draw_count", "programs"), STUDIES, ids=[name for name, *_ in STUDIES])


@kept
def test_every_draw_was_answered_from_its_node_and_judged(name: str, draw_count: int, programs: str) -> None:
    folder = StudyFolder(BENCHMARKS / name)
    nodes, design = folder.nodes(), folder.design()
    assert design is not None
    answers, verdicts = folder.answers(), folder.verdicts()
    draws = [(answer.node, answer.arm, answer.index) for answer in answers]
    assert len(draws) == len(set(draws)) == draw_count
    assert {node.id for node in nodes} == {answer.node for answer in answers}
    judged = {(verdict.node, verdict.rewrite) for verdict in verdicts}
    assert {(answer.node, rewrite_key(answer.rewrite)) for answer in answers if answer.rewrite is not None} == judged


@kept
def test_its_programs_are_those_of_its_nodes(name: str, draw_count: int, programs: str) -> None:
    for node in StudyFolder(BENCHMARKS / name).nodes():
        assert node.texts[0].text == (BENCHMARKS / programs / node.path.name).read_text("utf-8")


@kept
def test_its_page_follows_from_what_is_kept(name: str, draw_count: int, programs: str) -> None:
    folder = StudyFolder(BENCHMARKS / name)
    design = folder.design()
    assert design is not None
    page = results_page(results_of(design, folder.nodes(), folder.answers(), folder.verdicts()))
    assert page == (BENCHMARKS / name / "report.md").read_text("utf-8")
