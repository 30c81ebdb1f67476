"""What was learned of techniques and of sequences, on the command line: proposed, kept, shown as diffs with its rows, taken back."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from assistant.memory import open_store
from assistant.model.experience import KernelTraits, TechniqueUse
from assistant.model.profile import Signature
from tests.contracts.stored import SIGNATURE, Given
from tests.e2e.cli.harness import Cli
from tests.e2e.cli.scripted_model import ScriptedModel, asked_by


@pytest.fixture
def taught(cli: Cli) -> Cli:
    """A memory in which warp-per-row pays on memory-bound kernels alone, and a tile pays with registers behind it."""
    with open_store(Path(cli.run("memory", "path").out.strip())) as store:

        def add(
            number: int, technique: str, ratio: float, texts: tuple[str, str], after: tuple[str, ...] = (), label: str = "dram"
        ) -> None:
            comparison = replace(Given.attempt().comparison, ratio=ratio, low=ratio, high=ratio)  # pyright: ignore[reportArgumentType]
            store.add_attempt(
                Given.attempt(
                    f"C{number:02}{technique[:5]}{len(after)}".upper(),
                    job=f"J{number}",
                    kernel=f"kernel{number}(float *)",
                    technique=technique,
                    use=TechniqueUse(technique, (), after),
                    before=Signature(label, SIGNATURE.vector),
                    traits=KernelTraits("row reduction", "float"),
                    comparison=comparison,
                    parent_text=f"// {number} {texts[0]}\n",
                    text=f"// {number} {texts[1]}\n",
                )
            )

        for number in range(18):
            add(number, "warp-per-row", 3.0 if number % 2 else 0.9, ("start", "rows"), label="dram" if number % 2 else "latency")
        for number in (20, 21):
            add(number, "shared-tile", 0.97, ("start", "tiled"))
            add(number, "register-tile", 3.0, ("tiled", "both"), ("shared-tile",))
    return cli


def test_lessons_are_proposed_kept_shown_as_diffs_with_their_rows_and_reverted(taught: Cli) -> None:
    assert "nothing was learned" in taught.run("memory", "diff").said
    proposed = taught.run("memory", "learn", "--dry-run").out
    assert "warp-per-row: would be kept, error on" in proposed
    assert "nothing was learned" in taught.run("memory", "diff").said
    kept = json.loads(taught.run("memory", "learn", "--json").out)
    assert [(each["lesson"]["technique"], each["is_kept"]) for each in kept] == [("warp-per-row", True)]
    shown = taught.run("memory", "diff", "warp-per-row").out
    assert "+## Learned from trials" in shown
    assert "+- paid on memory-bound kernels: " in shown
    assert all(row in shown for row in kept[0]["lesson"]["rows"][:6])
    assert "nothing new to learn" in taught.run("memory", "learn").said
    assert "is reverted" in taught.run("memory", "revert", "warp-per-row").said
    assert "nothing was learned" in taught.run("memory", "diff").said
    refused = taught.run("memory", "revert", "warp-per-row")
    assert (refused.code, "no lesson and no sequence" in refused.said) == (2, True)


def test_sequences_that_paid_are_shown_with_their_rows_and_reverted(taught: Cli) -> None:
    name = "shared-tile+register-tile"
    shown = taught.run("memory", "show").out
    assert f"together: {name}: shared-tile alone came to 0.97x, with register-tile after it to 2.91x" in shown
    assert "C21SHARE0" in shown
    assert "not offered as one step" in taught.run("memory", "revert", name).said
    assert f"together: {name}, reverted" in taught.run("memory", "show").out
    assert "is offered again" in taught.run("memory", "revert", name, "--undo").said
    assert f"together: {name}: " in taught.run("memory", "show").out


def test_a_model_proposes_without_seeing_source_and_is_held_to_the_trials(taught: Cli) -> None:
    answer = {
        "field": "label",
        "value": "dram",
        "when": "Where memory is the limit.",
        "how": "Make it 4x faster. Fold within the warp.",
        "pitfalls": "",
    }
    model = ScriptedModel(lessons=[json.dumps(answer)])
    with asked_by(taught, model):
        tried = taught.run("memory", "learn", "--model", "--dry-run")
        assert "warp-per-row (proposed by scripted-1): would be kept" in tried.said, tried.said
        assert tried.said.count("would be kept") == 1, "a rule that finds as much is no better"
        kept = json.loads(taught.run("memory", "learn", "--model", "--json").out)
    assert [(each["lesson"]["model"], each["lesson"]["prose"], each["is_kept"]) for each in kept] == [
        ("scripted-1", ["when: Where memory is the limit.", "how: Fold within the warp."], True)
    ]
    (form, asked), *_ = model.asked
    said = json.dumps(asked.body)
    assert form == "lesson_reply" and "memory-bound (dram) row reductions of float" in said and "0.90x" in said
    assert not any(word in said for word in ("kernel0", "// 1 start", str(taught.folder), "/home/ada")), "no source, name or path is sent"
    shown = taught.run("memory", "diff").out
    assert "+- in the words of scripted-1, how: Fold within the warp." in shown
    assert "7 of 7 gained" in shown, "numbers are those of the trials"
    assert "is reverted" in taught.run("memory", "revert", "warp-per-row").said


def test_what_a_model_proposes_wrongly_is_not_kept(taught: Cli) -> None:
    for field, value, said in (
        ("threads", "100", "that memory does not have"),
        ("label", "l2", "that memory does not have"),
        ("mood", "x", "that memory"),
    ):
        answer = {"field": field, "value": value, "when": "Always.", "how": "", "pitfalls": ""}
        with asked_by(taught, ScriptedModel(lessons=[json.dumps(answer)])):
            ended = taught.run("memory", "learn", "--model", "--dry-run")
        assert ended.code == 0 and said in ended.said, ended.said
        assert "warp-per-row: would be kept" in ended.said, "the rules learn all the same"


def test_without_a_model_none_is_asked(taught: Cli) -> None:
    refused = taught.run("memory", "learn", "--model")
    assert (refused.code, "no language model is set" in refused.said) == (2, True), refused.said


def test_what_was_learned_is_drawn_with_the_numbers_of_the_table(taught: Cli, tmp_path: Path) -> None:
    picture = tmp_path / "learned.svg"
    shown = taught.run("memory", "show", "--plot", picture)
    assert shown.code == 0
    said = ["".join(each.itertext()) for each in ElementTree.parse(picture).iter("{http://www.w3.org/2000/svg}text")]
    rows = json.loads(taught.run("memory", "show", "--json").out)
    medians = [f"{row['median_ratio']:.2f}x" for row in rows if row["median_ratio"] is not None]
    assert medians
    for median in medians:
        assert f"median {median}" in shown.out
        assert any(line.startswith(median) for line in said)
    assert taught.run("memory", "show", "--json", "--plot", picture).out == taught.run("memory", "show", "--json").out


@pytest.mark.parametrize(("name", "why"), [("learned.png", "ends in .svg"), ("missing/learned.svg", "cannot write")])
def test_a_picture_that_cannot_be_written_is_refused(taught: Cli, tmp_path: Path, name: str, why: str) -> None:
    refused = taught.run("memory", "show", "--plot", tmp_path / name)
    assert (refused.code, why in refused.said) == (2, True)
