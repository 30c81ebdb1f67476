"""The study that was answered by hand, as it is kept: whole, unchanged, and its page follows from its answers and verdicts."""

from __future__ import annotations

from pathlib import Path

from assistant.study import StudyFolder, results_of, results_page
from assistant.study.outcomes import rewrite_key

KEPT = Path(__file__).resolve().parents[3] / "benchmarks" / "study_by_hand"


def test_every_draw_was_answered_from_its_node_and_judged() -> None:
    folder = StudyFolder(KEPT)
    nodes, design = folder.nodes(), folder.design()
    assert design is not None and design.models == ("manual",)
    answers, verdicts = folder.answers(), folder.verdicts()
    draws = [(answer.node, answer.arm, answer.index) for answer in answers]
    assert len(draws) == len(set(draws)) == 12
    assert {node.id for node in nodes} == {answer.node for answer in answers}
    judged = {(verdict.node, verdict.rewrite) for verdict in verdicts}
    assert {(answer.node, rewrite_key(answer.rewrite)) for answer in answers if answer.rewrite is not None} == judged


def test_its_programs_are_those_of_its_nodes() -> None:
    for node in StudyFolder(KEPT).nodes():
        assert node.texts[0].text == (KEPT / node.path.name).read_text("utf-8")


def test_its_page_follows_from_what_is_kept() -> None:
    folder = StudyFolder(KEPT)
    design = folder.design()
    assert design is not None
    page = results_page(results_of(design, folder.nodes(), folder.answers(), folder.verdicts()))
    assert page == (KEPT / "report.md").read_text("utf-8")
