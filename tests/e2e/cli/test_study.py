"""A whole study of a recorded search, with a model whose dependence on each signal is planted: the attribution finds it."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.cli.harness import Cli, no_orphans, quick_text, working_cli
from tests.e2e.cli.kernels_of_a_model import SAME_STORES, TILED_TRANSPOSE
from tests.e2e.cli.planted_model import DESIGN, HARDWARE, TOGETHER, PlantedModel, RecordedModel
from tests.e2e.cli.scripted_model import LONG_S, ONE_VARIANT, asked_by, code

DRAWS = 12
OPTIONS = ("--signals", "profile,hardware,static", "--draws", str(DRAWS))


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Generator[tuple[Cli, str]]:
    """A search that a model planned, and its job."""
    folder = tmp_path_factory.mktemp("study")
    with working_cli(folder, "study") as cli, no_orphans():
        path = cli.write("transpose.cu", quick_text().replace("width = 160, height = 96", "width = 320, height = 192"))
        with asked_by(cli, RecordedModel(), search=ONE_VARIANT):
            ended = cli.run("optimize", path, "--planner", "llm", "--json", "--accept", "none", deadline_s=LONG_S)
        assert [candidate["outcome"] for candidate in ended.all("candidate")][:2] == ["kept", "failed"], ended.said
        yield cli, ended.events[0]["job"]


@pytest.fixture
def frozen(recorded: tuple[Cli, str]) -> Generator[Cli]:
    """Its nodes, in a study of each test's own."""
    cli, job = recorded
    study = cli.folder / "kernelopt-study"
    ended = cli.run("study", "freeze", job[:-2])
    assert ended.code == 0, ended.said
    yield cli
    shutil.rmtree(study)


def study_of(cli: Cli) -> Path:
    return cli.folder / "kernelopt-study"


def lines(cli: Cli, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (study_of(cli) / name).read_text("utf-8").splitlines()]


def carried_out(cli: Cli, model: PlantedModel, *options: str) -> None:
    with asked_by(cli, model, search=ONE_VARIANT, provider={"calls_in_flight": 2}):
        ended = cli.run("study", "intervene", *options, "--yes", deadline_s=LONG_S)
    assert ended.code == 0, ended.said


def attribution(report: dict[str, Any], grade: str) -> dict[str, Any]:
    return next(one for one in report["attributions"] if one["grade"] == grade)


def holds(figure: dict[str, float], truth: float) -> bool:
    return figure["low"] <= truth <= figure["high"]


@pytest.mark.thorough
def test_a_planted_dependence_is_found(frozen: Cli) -> None:
    """Fast with chance 0.1 + 0.2 hardware + 0.6 (profile and plan)."""
    carried_out(frozen, PlantedModel(), *OPTIONS)
    report = json.loads(frozen.run("study", "report", "--json").out)
    fast = attribution(report, "fast")
    assert fast["node_count"] == 2
    truth = {"profile": TOGETHER / 2, "plan": TOGETHER / 2, "hardware": HARDWARE, "static": 0.0}
    for value in fast["values"]:
        for index in ("shapley", "banzhaf"):
            assert holds(value[index], truth[value["group"][0]]), (index, value)
    for pair in fast["pairs"]:
        is_planted = set(pair["group"]) == {"profile", "plan"}
        for index in ("shapley", "banzhaf"):
            assert holds(pair[index], TOGETHER if is_planted else 0.0), (index, pair)
            assert (pair[index]["low"] > 0) == is_planted, (index, pair)
    assert all(holds(triple["banzhaf"], 0.0) for triple in fast["triples"])
    controls = {one["name"]: one["figure"] for one in fast["controls"]}
    assert holds(controls["dummy-plan less no-plan"], 0.0)
    assert controls["dummy-plan less all signals as they are"]["high"] < 0
    assert all(one["draw_count"] == DRAWS for one in report["rates"] if one["generation"] is not None)
    assert {one["generation"] for one in report["rates"]} == {None, 0, 1}
    assert "**" in (study_of(frozen) / "report.md").read_text("utf-8")
    assert "profile × plan: " in (study_of(frozen) / "report.svg").read_text("utf-8")


@pytest.mark.thorough
def test_each_arm_is_shown_what_it_says_and_nothing_is_learnt(frozen: Cli) -> None:
    before = frozen.run("memory", "export", "--learned").out
    model = PlantedModel()
    carried_out(frozen, model, "--signals", "profile,verdicts", "--draws", "1", "--controls", "dummy-plan,random-feedback")
    calls = [question for form, _, question in model.asked if form == "code"]
    arms = {frozenset(players & {"profile", "verdicts", "plan"}) for form, players, _ in model.asked if form == "code"}
    assert arms >= {frozenset(), frozenset({"profile"}), frozenset({"plan"}), frozenset({"profile", "verdicts", "plan"})}
    dummies = [question for question in calls if "Proceed carefully" in question]
    assert len(dummies) == 2 and not any(DESIGN in question for question in dummies)
    assert sum("No plan was made" in question for question in calls) == 2 * 4
    lengths = {len(question.partition("```\n")[2].partition("\n```")[0]) for question in dummies}
    recorded_plan = f"It should help.\n\n{DESIGN}"
    assert all(abs(length - len(recorded_plan)) <= 1 for length in lengths), lengths
    assert frozen.run("memory", "export", "--learned").out == before


@pytest.mark.thorough
def test_the_cost_is_said_before_anything_is_asked(frozen: Cli) -> None:
    model = PlantedModel()
    with asked_by(frozen, model, search=ONE_VARIANT):
        ended = frozen.run("study", "intervene", *OPTIONS)
    assert ended.code == 0 and model.asked == []
    assert f"{2 * 17 * DRAWS:,} draws are left: 2 frozen nodes, 17 arms" in ended.out
    assert f"{2 * DRAWS * (8 * 2 + 9):,} calls of models" in ended.out
    assert not (study_of(frozen) / "design.json").exists()


@pytest.mark.thorough
def test_a_killed_study_goes_on_and_asks_nothing_twice(frozen: Cli) -> None:
    model, options = PlantedModel(), ("--signals", "profile", "--draws", "2", "--controls", "none")
    with asked_by(frozen, model, search=ONE_VARIANT):
        process = frozen.start("study", "intervene", *options, "--yes", "--json")
        assert process.stdout is not None
        for line in process.stdout:
            if "3 of 8 draws answered" in line:
                break
        process.kill()
        process.communicate()
        kept = lines(frozen, "answers.jsonl")
        assert 3 <= len(kept) < 16
        with (study_of(frozen) / "answers.jsonl").open("a") as file:
            file.write('{"node": "half a li')
        ended = frozen.run("study", "intervene", "--yes", deadline_s=LONG_S)
    assert ended.code == 0, ended.said
    answers = lines(frozen, "answers.jsonl")
    assert answers[: len(kept)] == kept
    draws = [(one["node"], one["arm"], one["index"]) for one in answers]
    assert len(draws) == len(set(draws)) == 2 * 4 * 2
    verdicts = [(one["node"], one["rewrite"]) for one in lines(frozen, "verdicts.jsonl")]
    assert len(verdicts) == len(set(verdicts))


@pytest.mark.thorough
def test_a_cap_ends_a_study_and_a_higher_one_goes_on(frozen: Cli) -> None:
    model, options = PlantedModel(), ("--signals", "profile", "--draws", "1", "--controls", "none")
    with asked_by(frozen, model, search=ONE_VARIANT):
        ended = frozen.run("study", "intervene", *options, "--yes", "--budget-tokens", "30000", deadline_s=LONG_S)
        assert ended.code == 3 and "the cap of 30,000 tokens" in ended.said, ended.said
        assert 0 < len(lines(frozen, "answers.jsonl")) < 8
        assert frozen.run("study", "intervene", "--yes", "--budget-tokens", "900000", deadline_s=LONG_S).code == 0
    assert len(lines(frozen, "answers.jsonl")) == 8


@pytest.mark.thorough
def test_plans_of_another_model_are_tried(frozen: Cli) -> None:
    model = PlantedModel()
    carried_out(frozen, model, "--signals", "profile", "--draws", "1", "--controls", "none", "--other-model", "strong")
    report = json.loads(frozen.run("study", "report", "--json").out)
    assert report["design"]["models"] == ["scripted", "strong"]
    assert len(attribution(report, "fast")["transfers"]) == 2
    assert {"planned by 1, written by 0", "planned by 0, written by 1"} <= {
        a["arm"].split("own, ")[-1] for a in lines(frozen, "answers.jsonl")
    }


@pytest.mark.thorough
def test_a_person_can_be_the_model_and_gives_each_draw_an_answer_of_its_own(frozen: Cli) -> None:
    config = frozen.home / "config.toml"
    config.write_text('[provider]\nkind = "manual"\n', "utf-8")
    gone, given = threading.Event(), list[Path]()

    def answer() -> None:
        while not gone.wait(0.05):
            for prompt in (study_of(frozen) / "prompts").rglob("*.prompt.md"):
                place = prompt.with_name(prompt.name.replace(".prompt.", ".answer."))
                if not place.exists():
                    place.with_suffix(".part").write_text(code(TILED_TRANSPOSE if len(given) % 2 else SAME_STORES), "utf-8")
                    place.with_suffix(".part").rename(place)
                    given.append(place)

    person = threading.Thread(target=answer, daemon=True)
    person.start()
    try:
        options = ("--signals", "static", "--plan", "off", "--draws", "2", "--controls", "none")
        ended = frozen.run("study", "intervene", *options, "--yes", deadline_s=LONG_S)
    finally:
        gone.set()
        person.join()
        config.unlink()
    assert ended.code == 0 and "no money" in ended.said, ended.said
    assert len(given) == len({place.parent for place in given}) == 2 * 2 * 2
    assert sorted(one["outcome"] for one in lines(frozen, "verdicts.jsonl")) == ["kept", "kept", "not_better", "not_better"]


@pytest.mark.thorough
def test_what_cannot_be_done_is_said(frozen: Cli, recorded: tuple[Cli, str]) -> None:
    assert "no recorded search has an id" in frozen.run("study", "freeze", "J00").said
    with asked_by(frozen, PlantedModel(), search=ONE_VARIANT):
        assert "does not know 'speed'" in frozen.run("study", "intervene", "--signals", "speed").said
        assert "no study was begun" in frozen.run("study", "intervene").said
    assert "no study was begun" in frozen.run("study", "report").said
    node = next((study_of(frozen) / "nodes").glob("N*.json"))
    node.write_text(node.read_text("utf-8").replace('"generation":', '"generation" :').replace("320", "321"), "utf-8")
    with asked_by(frozen, PlantedModel(), search=ONE_VARIANT):
        ended = frozen.run("study", "intervene", *OPTIONS)
    assert ended.code != 0 and "was changed since it was frozen" in ended.said
