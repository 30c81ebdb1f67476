"""A study's picture: every value of the page with its interval, on axes that hold them all."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from assistant.study import StudyFolder, StudyResults, results_of, results_svg

BENCHMARKS = Path(__file__).resolve().parents[3] / "benchmarks"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def results() -> StudyResults:
    folder = StudyFolder(BENCHMARKS / "study_blind")
    design = folder.design()
    assert design is not None
    return results_of(design, folder.nodes(), folder.answers(), folder.verdicts())


def points(picture: ElementTree.Element) -> list[ElementTree.Element]:
    """Without those of the key."""
    return [each for name in ("circle", "rect") for each in picture.iter(f"{SVG}{name}") if each.find(f"{SVG}title") is not None]


def test_every_value_of_the_page_is_drawn_with_its_interval(results: StudyResults) -> None:
    picture = ElementTree.fromstring(results_svg(results))
    hints = [each.findtext(f"{SVG}title", "") for each in points(picture)]
    contributions = sum(len((*one.values, *one.pairs, *one.triples)) for one in results.attributions)
    differences = sum(len((*one.controls, *one.transfers)) for one in results.attributions)
    assert len(hints) == 2 * contributions + differences > 0
    assert all("[" in hint for hint in hints)
    page = (BENCHMARKS / "study_blind" / "report.md").read_text("utf-8")
    assert all(hint.partition(": ")[2] in page for hint in hints)


def test_a_point_is_filled_where_its_interval_excludes_nothing(results: StudyResults) -> None:
    kinds = {each.findtext(f"{SVG}title", ""): each.get("class") for each in points(ElementTree.fromstring(results_svg(results)))}
    figures = [figure for one in results.attributions for row in one.values for figure in (row.shapley, row.banzhaf) if figure]
    assert sum(figure.excludes_zero for figure in figures) == sum(
        kind != "open" for hint, kind in kinds.items() if "×" not in hint and "dummy" not in hint
    )


def test_what_is_drawn_lies_within_the_picture(results: StudyResults) -> None:
    picture = ElementTree.fromstring(results_svg(results))
    width, height = float(picture.get("width", "")), float(picture.get("height", ""))
    for each in picture.iter(f"{SVG}circle"):
        assert 0 < float(each.get("cx", "")) < width
        assert 0 < float(each.get("cy", "")) < height


def test_a_study_without_draws_says_so(results: StudyResults) -> None:
    folder = StudyFolder(BENCHMARKS / "study_blind")
    picture = results_svg(results_of(results.design, folder.nodes(), (), ()))
    assert "No frozen node has draws of every combination yet" in picture
